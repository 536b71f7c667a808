"""`change-it merge`: adapters and their base become one model."""

import shutil
from dataclasses import replace

from rich.console import Console

from change_it.errors import InputError
from change_it.generators.card import CARD
from change_it.generators.loading import load_generator
from change_it.generators.options import MergeOptions
from change_it.training.models import quiet
from change_it.training.run_folder import publish

console = Console()

WORK = "merging"


def run(options: MergeOptions) -> None:
    """Merge, and say where to.

    Args:
        options: see `MergeOptions`.

    Raises:
        InputError: as `merge`.
    """
    merge(options)
    console.print(f"[green]✓[/] merged generator in [bold]{options.out}[/]", soft_wrap=True)


def merge(options: MergeOptions) -> None:
    """Write a generator whose weights are those of the base with the adapters added.

    Args:
        options: see `MergeOptions`.

    Raises:
        InputError: no such generator, one without adapters, or `out` holds something else.
    """
    generator = load_generator(options.adapter, device="cpu")
    if generator.card.base is None:
        raise InputError(f"{options.adapter} holds no adapters: it is a whole model already")
    if options.out.resolve() == generator.folder.resolve():
        raise InputError(f"--out {options.out} is the folder of the adapters: give another one")
    if options.out.exists() and not options.out.is_dir():
        raise InputError(f"--out {options.out} is a file: give a folder")
    if options.out.exists() and any(options.out.iterdir()) and not (options.out / CARD).exists():
        raise InputError(f"{options.out} holds something that is no generator of ours: choose another --out")
    final = options.out / WORK / "final"
    shutil.rmtree(final.parent, ignore_errors=True)
    final.mkdir(parents=True)
    with quiet():
        generator.model.merge_and_unload().save_pretrained(final)
        generator.format.tokenizer.save_pretrained(final)
    replace(generator.card, base=None).save(final)
    publish(final, options.out)
