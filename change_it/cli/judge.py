"""Print what the judges say of one headline: `change-it judge`."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import tyro

from change_it.cli.common import print_json
from change_it.errors import InputError
from change_it.files.rows import read_input
from change_it.judges.options import COMMAND
from change_it.judges.spec import JUDGES, short_names
from change_it.render.tables import (
    Column,
    Row,
    Table,
    Value,
    console,
    figure,
    print_lines,
    print_table,
    print_wrapped,
)
from change_it.scoring.aspects import NO_CHECK, compared_aspects
from change_it.training.training_options import Device, Precision

if TYPE_CHECKING:  # loads polars and scipy
    from change_it.scoring.panel import JudgedHeadline

#: What is printed for a mark; None is a judge that is not there.
WORDS = {True: "yes", False: "no", None: "n/a"}


@dataclass(kw_only=True)
class JudgeHeadlineOptions:
    """Judge one headline.

    Does it keep the story, fit the article, have the other newspaper's style, read fluently? Each judge says
    yes or no. Evidence looks every number, name and quotation up in the sources.

    Examples:
        change-it judge "Il segretario cittadino riceve la direttrice dei lavori"
            --original "Faccia a faccia tra segretario e direttrice" --article -
            <<< "Il segretario cittadino ha ricevuto giovedì la direttrice."
        change-it judge "Ponte crollato, scuole chiuse" --original "Crolla il ponte: chiuse le scuole"
            --article article.txt
        change-it judge "A bridge falls" --original "Bridge collapses" --article -
            --judges runs/mine/judges --to left < article.txt
    """

    headline: tyro.conf.Positional[str]
    """The new headline."""
    original: str
    """The original headline."""
    article: Path
    """Text file with the original's article; - reads standard input."""
    judges: str = "runs/quickstart/judges"
    """Folder or Hub id of the judges main, hh and ah, and perhaps of fluency."""
    to: str | None = None
    """Outlet that the headline is for. When not given, the one that main does not see in the original."""
    json: bool = False
    """Print JSON instead of a table."""
    precision: Precision = "float32"
    device: Device = "auto"


def run(options: JudgeHeadlineOptions) -> None:
    """Judge a headline and print the marks, or JSON."""
    article = read_input(options.article)
    texts = {"HEADLINE": options.headline, "--original": options.original, "--article": article}
    empty = [name for name, text in texts.items() if not text.strip()]
    if empty:
        raise InputError(f"{' and '.join(empty)} has no text: give some")

    from change_it.audit.record import read_summary
    from change_it.corpus.reading.article import outlet_names
    from change_it.models.saved import local_folder
    from change_it.report.score_tables import missing_measures
    from change_it.report.terminal import print_verdicts
    from change_it.scoring.panel import Judges  # loads polars and scipy
    from change_it.text.stopwords import is_foreign

    folder = local_folder(options.judges, command=COMMAND)
    judges = Judges.from_pretrained(folder, precision=options.precision, device=options.device)
    if options.to:
        [target] = outlet_names("--to", options.to, judges.outlets, count=1)
    else:
        [target] = judges.opposite_outlets([options.original])
    [judged] = judges([options.headline], originals=[options.original], articles=[article], to=target)
    if options.json:
        print_json({"to": target} | judged.as_dict())
        return
    terminal = console()
    summary = read_summary(judges.by_task, folder)
    print_table(marks_table(judged, target), terminal)
    if judged.refused_by:
        print_lines([f"refused by {judged.refused_by}"], terminal)
        if summary.weakness:
            print_wrapped(summary.weakness, terminal, after="  ")
    elif summary.caveat:
        print_wrapped(f"no judge refuses it, which is no clean bill: {summary.caveat}", terminal, after="  ")
    else:
        print_lines(["passes every judge"], terminal)
    known = [name for name, value in judged.marks.items() if value is not None]
    lines = [NO_CHECK, *missing_measures(known, judges.style_faults.get(target, ""))]
    if is_foreign(f"{options.original}. {article}", judges.main.corpus.language):
        lines.append("Unreliable: the text is in another language than the judges' corpus.")
    print_lines([*lines, ""], terminal)
    print_verdicts(summary, terminal)


def marks_table(judged: "JudgedHeadline", target: str) -> Table:
    """Return the marks of a headline with their probabilities, and below them what follows from them."""
    lines: list[tuple[Value, ...]] = []
    for name, spec in JUDGES.items():
        probability = judged.probabilities.get(name)
        question = spec.question.format(target=target)
        p = "" if probability is None else probability
        lines.append((spec.heading, question, WORDS[judged.marks[name]], p))
    factors = short_names("acceptability")
    style_range = f"0 neither newspaper's, 1 {target}'s (-1 to 2)"
    product = f"p of {factors} multiplied, 0 without evidence"
    lines += [
        ("compliancy", short_names("compliancy"), WORDS[judged.compliant], ""),
        ("style", style_range, _figure(judged.style), ""),
        ("acceptability", product, _figure(judged.acceptability), ""),
        ("edited", "is it the original, or hardly another?", WORDS[judged.edited], ""),
    ]
    columns = [Column("judge", "text"), Column("question", "text"), Column("verdict", "text"), Column("p")]
    rows = []
    for line in lines:
        values = {column.name: value for column, value in zip(columns, line, strict=True)}
        rows.append(Row(values, highlight=line[0] in compared_aspects()))
    return Table(columns, rows)


def _figure(value: float | None) -> str:
    """Return a value as it is printed, also one that is not known."""
    return WORDS[None] if value is None else figure(value)
