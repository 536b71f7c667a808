"""`change-it train generator`; its options are `generators.generator_options`."""

from change_it.corpus.folder import check_corpus, check_outlet
from change_it.errors import InputError
from change_it.generators.generator_options import GeneratorOptions, no_model
from change_it.io import check_writable, is_missing_path
from change_it.tables import console
from change_it.training.training_options import check_numbers


def run(options: GeneratorOptions) -> None:
    """Train a generator and say what came of it."""
    check_numbers(options)
    check_corpus(options.corpus)
    check_writable(options.out, kind="run", inputs=options.inputs, record="metrics.json")
    if options.architecture is not None and is_missing_path(options.architecture):
        raise InputError(no_model(options.architecture))
    if options.to is not None:
        check_outlet(options.corpus, options.to)

    from change_it.generators.train import train_generator
    from change_it.hub.packaging import write_readme
    from change_it.training.training_run import process_state

    metrics = train_generator(options)
    if process_state().is_main_process:
        write_readme(options.out, "generator")
        sizes, training, terminal = metrics["sizes"], metrics["training"], console()
        terminal.print(
            f"{sizes['train']:,} training and {sizes['validation']:,} validation examples, "
            f"{sizes['trained']:,} of {sizes['parameters']:,} parameters trained; {training['updates']:,} updates "
            f"({training['epochs']:.1f} epochs, stopped: {training['stopped']}) in {metrics['seconds']['training']:.0f} s; "
            f"validation loss {metrics['validation_loss']:.3f} a token (update {training['best_update']:,}); "
            f"weights {metrics['weights_hash'][:6]}",
            soft_wrap=True,
        )
        terminal.print(
            f"[green]✓[/] generator in [bold]{options.out}[/] (processes: {metrics.get('processes', 1)})",
            soft_wrap=True,
        )
