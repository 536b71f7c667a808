"""`change-it train judge`; its options are `judges.judge_options`."""

from change_it.commands.printing import print_warnings
from change_it.corpus.folder import check_corpus
from change_it.errors import InputError
from change_it.io import check_writable, is_missing_path
from change_it.judges.judge_options import LINEAR, JudgeOptions, presets, settings_of, within_event_table
from change_it.scoring.columns import LabelFiles, read_label_files
from change_it.tables import console, print_table
from change_it.training.training_options import check_numbers

__all__ = ["check", "presets", "run"]


def check(options: JudgeOptions) -> LabelFiles:
    """Read the label files, and refuse, before anything large loads, files that are not there, options that contradict each other, an encoder that can be no Hub id, and a folder that cannot be written."""
    check_corpus(options.corpus)
    if options.task == "support":
        check_numbers(options)
    else:
        settings_of(options)
    check_writable(options.out, kind="run", inputs=options.inputs, record="metrics.json")
    if options.task != "support" and options.labels:
        raise InputError("--labels requires --task support")
    if options.encoder and is_missing_path(options.encoder):
        raise InputError(
            f"no encoder can be loaded from {options.encoder!r}: give a Hub id, a local folder, or --encoder {LINEAR}"
        )
    return read_label_files(options.labels)


def run(options: JudgeOptions) -> None:
    """Train a judge and print its scores and its baselines'; --task support: set the threshold of a model that judges support."""
    files = check(options)
    if options.task == "support":
        _run_support(options, files)
        return

    from change_it.hub.packaging import write_readme
    from change_it.judges.train import table_of, train_judge
    from change_it.training.training_run import process_state

    metrics = train_judge(options)
    if process_state().is_main_process:
        write_readme(options.out, "judge")
        to = console()
        if within := within_event_table(metrics):
            print_table(within, to)
        print_table(table_of(metrics), to)
        print_warnings(options.corpus, to)
        to.print(f"[green]✓[/] judge in [bold]{options.out}[/]", soft_wrap=True)


def _run_support(options: JudgeOptions, files: LabelFiles) -> None:
    """Read the labels, set the threshold and print what it comes to."""
    from change_it.audit.agreement import reader_labels
    from change_it.corpus.folder import read_language
    from change_it.judges.support_training import support_table, train_support
    from change_it.scoring.item import read_test_set
    from change_it.text.stopwords import guess_language

    labels = None
    if files:
        test = read_test_set(options.corpus)
        language = read_language(options.corpus) or guess_language([item.article for item in test.items])
        labels = reader_labels(files, test, language)
    table, to = support_table(train_support(options, labels)), console()
    print_table(table, to)
    to.print(f"[green]✓[/] judge in [bold]{options.out}[/]", soft_wrap=True)
