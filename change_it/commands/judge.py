"""`change-it judge`: what the judges say of a new headline, or of a file of them."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import tyro

from change_it.commands.printing import print_json, print_lines
from change_it.errors import InputError
from change_it.io import Record, check_writable, listed, read_input, read_records, replace_file
from change_it.judges.judge_options import COMMAND, check_judges
from change_it.tables import Column, Row, Table, console, figure, print_table
from change_it.training.training_options import InferenceOptions

if TYPE_CHECKING:  # loads torch
    import polars as pl

    from change_it.scoring.judges import JudgedHeadline, Judges

#: What each mark asks, with the outlet aimed at.
QUESTIONS = {
    "hh": "does it say what the original says?",
    "ah": "does it fit the article?",
    "main": "is its style the other outlet's ({target})?",
    "fluency": "would a newspaper print it?",
    "evidence": "every number, name and quotation stands in the sources (who did or said it is not checked)?",
    "support": "do the sources support it, by a model that is prompted?",
}
#: Columns of a file of new headlines, and what they may be called.
REQUIRED = {"headline": ("headline",), "original": ("original", "source"), "article": ("article",)}
OPTIONAL = {"id": ("id",), "to": ("to", "target")}


@dataclass(kw_only=True)
class JudgeHeadlineOptions(InferenceOptions):
    """Judge new headlines: same content, fits the article, the other outlet's style, fluent, supported?

    Judges one headline with its --original and --article, or the rows of --input: headline, original, article, perhaps id and
    to. --out has the columns of a report's items/.

    Examples:
        change-it judge "Ponte crollato, scuole chiuse" --original "Crolla il ponte: chiuse le scuole" --article - <<< "Il ponte sulla statale è crollato lunedì. Le scuole restano chiuse."
        change-it judge "Ponte crollato, scuole chiuse" --original "Crolla il ponte: chiuse le scuole" --article article.txt
        change-it judge --input new.csv --out judged.csv
        change-it judge "A bridge falls" --original "Bridge collapses" --article - --judges runs/mine/judges --to left < article.txt
    """

    headline: tyro.conf.Positional[str] = ""
    """One new headline; the rows of --input when not given."""
    original: str = ""
    """The original headline."""
    article: Path | None = None
    """Text file with the original's article; - reads standard input."""
    input: Path | None = None
    """CSV, TSV, JSON lines or parquet file with headline (the new one), original (or source) and article; id and to if there are any."""
    out: Path | None = None
    """CSV file to write for --input: id, direction, source, headline, the marks and their probabilities."""
    judges: str = "runs/quickstart/judges"
    """Folder or Hub id that holds the judges main, hh and ah, and perhaps fluency."""
    to: str | None = None
    """Target outlet (default: the column to of --input, else the one main did not assign to the original)."""
    json: bool = False
    """Print JSON instead of a table."""


def check(options: JudgeHeadlineOptions) -> None:
    """Refuse, before anything large loads, judges at fault, an outlet that they do not have, and options that exclude each other."""
    if options.input:
        if options.headline or options.original or options.article:
            raise InputError("--input and a headline, --original or --article exclude each other")
        if not (options.out or options.json):
            raise InputError("--input requires --out or --json")
    elif not (options.headline and options.original and options.article):
        raise InputError("give a headline with its --original and --article, or a file of them as --input")
    elif options.out:
        raise InputError("--out requires --input")
    check_judges(options.judges, to=options.to)
    if options.out:
        check_writable(options.out, kind="csv", inputs=[options.input, options.judges])


def run(options: JudgeHeadlineOptions) -> None:
    """Judge one headline and print the marks, or JSON; or judge those of a file."""
    check(options)
    if options.input:
        _run_file(options, options.input)
        return
    assert options.article is not None  # check asks for it
    headline, original, article = options.headline, options.original, read_input(options.article)
    texts = {"HEADLINE": headline, "--original": original, "--article": article}
    if empty := [name for name, text in texts.items() if not text.strip()]:
        raise InputError(f"{' and '.join(empty)} has no text: give some")

    from change_it.audit.verdicts import read_summary
    from change_it.corpus.article import outlet_names
    from change_it.corpus.folder import is_foreign
    from change_it.networks.pretrained import local_folder
    from change_it.results.score_tables import lacking
    from change_it.scoring.judges import Judges  # loads torch
    from change_it.text.stopwords import guess_language

    folder = local_folder(options.judges, command=COMMAND)
    judges = Judges.from_pretrained(folder, **options.judging)
    if options.to:
        [target] = outlet_names("--to", options.to, judges.outlets, 1)
    else:
        [target] = judges.opposite_outlets([original])
    [judged] = judges([headline], originals=[original], articles=[article], to=target)
    if options.json:
        print_json({"to": target} | asdict(judged))
        return
    terminal = console()
    print_table(marks_table(judged, target), terminal)
    text = f"{original}. {article}"
    known = [name for name, value in {"style": judged.style, **judged.marks}.items() if value is not None]
    lines = lacking(known, judges.main.style_step, judges.outlets)
    if is_foreign(folder, text):
        lines.append("Unreliable: the text is in another language than the judges' corpus.")
    summary = read_summary(judges, folder, guess_language([text]))
    if summary.together:
        lines.append(summary.together.text)
    if summary.text:
        lines.append(f"{summary.text}; change-it audit says why")
    print_lines(lines, terminal)


def _run_file(options: JudgeHeadlineOptions, file: Path) -> None:
    """Judge the headlines of a file; write a table, print JSON or what they come to."""
    records = read_records(file, required=REQUIRED, optional=OPTIONAL)
    for name in REQUIRED:
        if empty := [str(record.line) for record in records if not record.cells[name]]:
            raise InputError(f"{file} has no {name} in line {listed(empty)}: give a text in every row")

    from change_it.results.report_files import without_formulas
    from change_it.scoring.judges import Judges  # loads torch

    judges = Judges.from_pretrained(options.judges, **options.judging)
    table = judged_table(judges, records, to=options.to, progress=not options.json)
    if options.out:
        with replace_file(options.out) as partial:
            without_formulas(table).write_csv(partial)
    if options.json:
        print_json(table.to_dicts())
        return
    joint = "" if table["joint"].null_count() else f"; joint: {figure(table['joint'].to_numpy().mean())}"
    print(f"compliant: {table['compliant'].sum():,} of {table.height:,}{joint}; wrote {options.out}")


def judged_table(
    judges: "Judges", records: list[Record], *, to: str | None, progress: bool
) -> "pl.DataFrame":
    """A row for each record, as in a report's `items/`: id, direction, source, headline, verdicts and probabilities."""
    import polars as pl

    from change_it.corpus.article import outlet_names
    from change_it.scoring.compliancy import judge_items
    from change_it.scoring.item import Item

    rows = [record.cells for record in records]
    if any(row.get("to") for row in rows):
        targets = outlet_names("the column to", [row["to"] for row in rows], judges.outlets, len(rows))
        if to and (
            others := [str(record.line) for record, aim in zip(records, targets, strict=True) if aim != to]
        ):
            raise InputError(
                f"the column to has another outlet than --to {to} in line {listed(others)}: omit --to"
            )
    elif to:
        targets = outlet_names("--to", to, judges.outlets, len(rows))
    else:
        targets = judges.opposite_outlets([row["original"] for row in rows])
    label_of = dict(zip(judges.outlets[::-1], judges.outlets, strict=True))
    items = [
        Item(
            row.get("id") or str(number),
            label_of[target],
            target,
            row["original"],
            row["article"],
            prediction=row["headline"],
        )
        for number, (row, target) in enumerate(zip(rows, targets, strict=True), start=1)
    ]
    judged = judge_items(judges, items, progress=progress)
    texts = [(item.id, item.direction, item.source, item.prediction) for item in items]
    columns = ["id", "direction", "source", "headline"]
    table = pl.DataFrame(texts, schema=columns, orient="row")
    return table.hstack(judged.rename({"compliancy": "compliant"}))


def marks_table(judged: "JudgedHeadline", target: str) -> Table:
    """The marks of a headline with their probabilities and what no source has, then what they come to."""
    words = {True: "yes", False: "no", None: "n/a"}
    lines = []
    for name, mark in judged.marks.items():
        if name == "support" and mark is None:
            continue
        probability = judged.probabilities.get(name)
        parts = ", ".join(part.text for part in judged.unsupported) if name == "evidence" else ""
        verdict = f"{words[mark]}: {parts}" if parts else words[mark]
        shown = "" if probability is None else figure(probability)
        lines.append((name, QUESTIONS[name].format(target=target), verdict, shown))
    style, joint = ("n/a" if value is None else figure(value) for value in (judged.style, judged.joint))
    lines += [
        ("compliant", "hh, ah and main", words[judged.compliant], ""),
        ("style", f"how far does it move towards {target}, from 0 to 1?", style, ""),
        ("joint", "style times the verdicts but main", joint, ""),
    ]
    names = ("judge", "question", "verdict", "p")
    rows = [Row(dict(zip(names, line, strict=True)), highlight=line[0] == "joint") for line in lines]
    return Table([Column(name, "text") for name in names], rows)
