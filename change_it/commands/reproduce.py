"""`change-it reproduce`: plans, runs what is missing, and writes the tables."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tyro

from change_it.commands.printing import print_warnings
from change_it.corpus.folder import check_corpus
from change_it.errors import InputError
from change_it.io import check_header, check_writable, named_files
from change_it.scoring.columns import BUILT_IN
from change_it.tables import console, print_table
from change_it.training.training_options import DeviceOptions

Paper = Literal["evalnlgeval2020", "changeit2020", "hevas2019", "lrec2020"]


@dataclass(kw_only=True)
class ReproduceOptions(DeviceOptions):
    """Train, transfer and score what a paper's tables need, and print them: published, measured, difference.

    What is finished is kept: an interrupted run goes on where it was, and a finished one gives its tables at once. Papers that
    share a folder share what both need.

    Examples:
        change-it reproduce evalnlgeval2020 --corpus runs/quickstart/corpus --out runs/mine/papers --plan
        change-it reproduce evalnlgeval2020 --corpus runs/mine/corpus --out runs/mine/papers --scale smoke
        change-it reproduce changeit2020 --corpus runs/mine/corpus --submissions team1=team1.csv team2=team2.csv --out runs/mine/papers
        change-it reproduce hevas2019 --corpus runs/mine/corpus --out runs/mine/papers
    """

    paper: tyro.conf.Positional[Paper]
    """evalnlgeval2020: Tables 1 and 2; changeit2020: Tables 2, 3 and 4 and a ranking; hevas2019: Tables 1 to 3; lrec2020: Tables 1, 2, 5, 6 and 7, and its expectations."""
    corpus: str
    """Corpus folder written by `change-it corpus build`; outlet A stands for la Repubblica, B for Il Giornale."""
    out: Path
    """Folder of the run: PAPER.md, PAPER.json, and all that was trained for them."""
    scale: Literal["smoke", "cpu", "full"] = "cpu"
    """smoke: a few updates, to see that all runs; cpu: small models on two cores; full: what the papers trained."""
    plan: bool = False
    """Print the plan, and stop."""
    submissions: tuple[str, ...] = ()
    """changeit2020: systems as NAME=FILE to rank with the baseline, CSV with id and headline, a new headline for each test article."""
    encoder: str | None = None
    """evalnlgeval2020 and changeit2020: pre-trained encoder of the papers' judges, Hub id or local folder; when not given, bert-base-multilingual-cased at full and none elsewhere."""
    seed: int = 1
    """Seed of everything."""


def check(options: ReproduceOptions) -> None:
    """Refuse, before anything large loads, a corpus or submissions at fault, options that do not fit the paper, and a folder that cannot be written."""
    check_corpus(options.corpus)
    if options.submissions and options.paper != "changeit2020":
        raise InputError("--submissions requires changeit2020")
    if options.encoder and options.paper not in ("evalnlgeval2020", "changeit2020"):
        raise InputError("--encoder requires evalnlgeval2020 or changeit2020")
    named = named_files(options.submissions, option="--submissions", example="team=team.csv", taken=BUILT_IN)
    files = [file for _, file in named]
    for file in files:
        check_header(file, required=("id", "headline"))
    check_writable(options.out, kind="run", inputs=[options.corpus, options.encoder, *files])


def run(options: ReproduceOptions) -> None:
    """Reproduce a paper."""
    check(options)
    card = Path(options.corpus) / "README.md"
    if not card.is_file():
        raise InputError(f"there is no corpus folder {options.corpus}: build one with change-it corpus build")

    from change_it.reproduction.runner import Run, Tables, plan
    from change_it.results.document import write_document

    steps = plan(options)
    kept = Run(options, corpus=hashlib.sha256(card.read_bytes()).hexdigest()[:12])
    terminal = console()
    print_table(kept.table(steps), terminal)
    if options.plan:
        return
    kept.run(steps)
    tables = Tables(options).document()
    write_document(options.out, tables, options.paper)
    for section in tables.sections:
        print_table(section.table.with_groups(), terminal)
    print_warnings(options.corpus, terminal)
    print(f"wrote {options.out / options.paper}.md and .json")
