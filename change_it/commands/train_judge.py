"""`change-it train judge`; its options are `judges.judge_options`."""

from change_it.commands.printing import print_warnings
from change_it.corpus.folder import check_corpus
from change_it.errors import InputError
from change_it.io import check_writable, is_missing_path
from change_it.judges.judge_options import LINEAR, JudgeOptions, settings_of, within_event_table
from change_it.tables import console, print_table


def check(options: JudgeOptions) -> None:
    """Refuse, before anything large loads, files that are not there, options that contradict each other, an encoder that can be no Hub id, and a folder that cannot be written."""
    check_corpus(options.corpus)
    settings_of(options)
    check_writable(options.out, kind="run", inputs=options.inputs, record="metrics.json")
    if is_missing_path(options.encoder):
        raise InputError(
            f"no encoder can be loaded from {options.encoder!r}: give a Hub id, a local folder, or --encoder {LINEAR}"
        )


def run(options: JudgeOptions) -> None:
    """Train a judge and print its scores and its baselines'."""
    check(options)

    from change_it.hub.packaging import write_readme
    from change_it.judges.judge_options import table_of
    from change_it.judges.train import train_judge
    from change_it.training.training_run import process_state

    metrics = train_judge(options)
    if process_state().is_main_process:
        write_readme(options.out, "judge")
        to = console()
        if within := within_event_table(metrics):
            print_table(within, to)
        print_table(table_of(metrics), to)
        print_warnings(options.corpus, to)
        to.print(
            f"[green]✓[/] judge in [bold]{options.out}[/] (processes: {metrics.get('processes', 1)})",
            soft_wrap=True,
        )
