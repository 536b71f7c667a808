"""`change-it merge`: a generator whose weights are those of the base with the adapters added."""

from dataclasses import dataclass
from pathlib import Path

import tyro

from change_it.generators.card import COMMAND
from change_it.io import check_model, check_writable
from change_it.tables import console


@dataclass(kw_only=True)
class MergeOptions:
    """Join the adapters of a generator trained with --lora with their base model, into a generator of its own.

    Examples:
        change-it merge runs/mine/generators/sum-gio --out runs/mine/generators/sum-gio-merged
    """

    adapter: tyro.conf.Positional[str]
    """Folder written by `change-it train generator --lora`, or its Hub id."""
    out: Path
    """Folder of the merged generator."""


def check(options: MergeOptions) -> None:
    """Refuse, before anything large loads, a generator that is not there, and a folder that cannot be written."""
    check_model(options.adapter, command=COMMAND)
    check_writable(options.out, kind="run", inputs=[options.adapter])


def run(options: MergeOptions) -> None:
    """Merge, and say where it is."""
    check(options)

    from change_it.generators.generator import merge
    from change_it.hub.packaging import write_readme

    merge(options.adapter, options.out)
    write_readme(options.out, "generator")
    console().print(f"[green]✓[/] merged generator in [bold]{options.out}[/]", soft_wrap=True)
