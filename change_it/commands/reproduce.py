"""`change-it reproduce`: plans, runs what is missing, and writes the tables."""

import hashlib
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from change_it.commands.printing import print_warnings
from change_it.corpus.folder import check_corpus
from change_it.errors import InputError
from change_it.io import check_header, check_model, check_writable, named_files
from change_it.reproduction.plan import PlannedRun
from change_it.reproduction.reproduce_options import ReproduceOptions
from change_it.scoring.columns import BUILT_IN
from change_it.tables import console, print_table

if TYPE_CHECKING:
    from change_it.results.document import Document
    from change_it.steps import Step


class Reproduction(Protocol):
    """A module for each paper."""

    def plan(self, options: ReproduceOptions) -> "list[Step]":
        """Its steps, each after those that it needs."""

    def document(self, options: ReproduceOptions) -> "Document":
        """Its tables, once all steps are finished."""


def check(options: ReproduceOptions) -> None:
    """Refuse, before anything large loads, a corpus or submissions at fault, options that do not fit the paper, and a folder that cannot be written."""
    check_corpus(options.corpus)
    if options.submissions and options.paper != "changeit2020":
        raise InputError("--submissions is for changeit2020: leave it out")
    if options.encoder and options.paper not in ("evalnlgeval2020", "changeit2020"):
        raise InputError("--encoder is for evalnlgeval2020 and changeit2020: leave it out")
    if options.writer:
        if options.paper not in ("evalnlgeval2020", "changeit2020"):
            raise InputError("--writer is for evalnlgeval2020 and changeit2020: leave it out")
        check_model(options.writer, command="save_pretrained")
    named = named_files(options.submissions, option="--submissions", example="team=team.csv", taken=BUILT_IN)
    submissions = [file for _, file in named]
    for file in submissions:
        check_header(file, required=("id", "headline"))
    files = [options.corpus, options.reuse, options.encoder, options.writer, *submissions]
    check_writable(options.out, kind="run", inputs=files)


def run(options: ReproduceOptions) -> None:
    """Reproduce a paper."""
    check(options)
    from change_it.reproduction.scales import is_writer
    from change_it.results.document import write_document  # loads matplotlib

    card = Path(options.corpus) / "README.md"
    if not card.is_file():
        raise InputError(f"there is no corpus folder {options.corpus}: build one with change-it corpus build")

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
    if options.writer and any(is_writer(step) for step in kept.unfinished(steps)):
        from change_it.generators.generator import check_writer

        check_writer(options.writer)
    kept.run_plan(steps)
    tables = paper.document(options)
    write_document(options.out, tables)
    for section in tables.sections:
        print_table(section.table.with_groups(), terminal)
    print_warnings(options.corpus, terminal)
    print(f"wrote {options.out / 'report.html'}, tables.md, tables.json, tables/")
