"""`change-it reproduce`: plans, runs what is missing, and writes the tables."""

import hashlib
from importlib import import_module
from pathlib import Path
from typing import Protocol

from change_it.corpus.folder import read_warnings
from change_it.errors import InputError
from change_it.io.locks import keep_locks
from change_it.reproduction.options import ReproduceOptions, check
from change_it.reproduction.plan import PlannedRun
from change_it.results.document import Document, write_document
from change_it.steps import Step
from change_it.tables import console, print_table


class Reproduction(Protocol):
    """A module for each paper."""

    def plan(self, options: ReproduceOptions) -> list[Step]:
        """Its steps, each after those that it needs."""

    def document(self, options: ReproduceOptions) -> Document:
        """Its tables, once all steps are finished."""


@keep_locks()
def run(options: ReproduceOptions) -> None:
    """Reproduce a paper."""
    card = Path(options.corpus) / "README.md"
    if not card.is_file():
        raise InputError(f"there is no corpus folder {options.corpus}: build one with change-it corpus build")
    check(options)
    paper: Reproduction = import_module(f"change_it.reproduction.{options.paper}")
    about = {
        "paper": options.paper,
        "scale": options.scale,
        "seed": options.seed,
        "corpus": hashlib.sha256(card.read_bytes()).hexdigest()[:12],
    }
    steps = paper.plan(options)
    kept = PlannedRun(options.out, about, reuse=options.reuse)
    terminal = console()
    print_table(kept.table(steps), terminal)
    if options.plan:
        return
    kept.run_plan(steps)
    found = paper.document(options)
    write_document(options.out, found)
    for section in found.sections:
        print_table(section.table.with_groups(), terminal)
    for warning in read_warnings(options.corpus):
        terminal.print(f"Warning: {warning}.", soft_wrap=True, markup=False)
    print(f"wrote {options.out / 'report.html'}, tables.md, tables.json, tables/")
