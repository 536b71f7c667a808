"""`change-it judge`: what the judges say of a new headline."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import tyro

from change_it.commands.checks import check_files
from change_it.commands.printing import print_json, print_lines
from change_it.errors import InputError
from change_it.io import read_input
from change_it.judges.judge_options import check_judges
from change_it.tables import Column, Row, Table, console, figure, print_table
from change_it.training.training_options import InferenceOptions

if TYPE_CHECKING:  # loads torch
    from change_it.scoring.judges import JudgedHeadline

#: What each mark asks, with the outlet aimed at.
QUESTIONS = {
    "hh": "does it say what the original says?",
    "ah": "does it fit the article?",
    "main": "is its style the other outlet's ({target})?",
    "main_normalised": "and without its typography?",
    "fluency": "would a newspaper print it?",
    "facts": "do the original and the article support it?",
}


@dataclass(kw_only=True)
class JudgeHeadlineOptions(InferenceOptions):
    """Judge a new headline: same content, fits the article, the other outlet's style, fluent, supported?

    Many headlines: the tab Score of `change-it demo` takes a CSV of them, `change_it.compute_compliancy` lists.

    Examples:
        change-it judge "Ponte crollato, scuole chiuse" --original "Crolla il ponte: chiuse le scuole" --article - <<< "Il ponte sulla statale è crollato lunedì. Le scuole restano chiuse."
        change-it judge "Ponte crollato, scuole chiuse" --original "Crolla il ponte: chiuse le scuole" --article article.txt
        change-it judge "A bridge falls" --original "Bridge collapses" --article - --judges runs/mine/judges --to left < article.txt
    """

    headline: tyro.conf.Positional[str]
    """The new headline."""
    original: str
    """The original headline."""
    article: Path
    """Text file with the original's article; - reads standard input."""
    judges: str = "runs/quickstart/judges"
    """Folder or Hub id that holds the judges main, hh and ah, and perhaps fluency."""
    to: str | None = None
    """Target outlet; the one that main did not assign to the original when not given."""
    json: bool = False
    """Print JSON instead of a table."""


def check(options: JudgeHeadlineOptions) -> None:
    """Refuse, before anything large loads, judges at fault, and an article that is not there."""
    check_judges(options.judges, to=options.to)
    check_files(options.article)


def run(options: JudgeHeadlineOptions) -> None:
    """Judge one headline and print the marks, or JSON."""
    check(options)
    article = read_input(options.article)
    texts = {"HEADLINE": options.headline, "--original": options.original, "--article": article}
    if empty := [name for name, text in texts.items() if not text.strip()]:
        raise InputError(f"{' and '.join(empty)} has no text: give some")

    from change_it.audit.verdicts import read_summary
    from change_it.networks.pretrained import local_folder
    from change_it.scoring.judges import Judges  # loads torch
    from change_it.text.stopwords import guess_language

    folder = local_folder(options.judges, command="change-it train judge")
    judges = Judges.from_pretrained(folder, **options.judging)
    if options.to and options.to not in judges.outlets:
        raise InputError(
            f"--to {options.to} is no outlet of these judges: give {' or '.join(judges.outlets)}"
        )
    [target] = [options.to] if options.to else judges.opposite_outlets([options.original])
    [judged] = judges([options.headline], originals=[options.original], articles=[article], to=target)
    if options.json:
        print_json({"to": target} | asdict(judged))
        return
    terminal = console()
    print_table(marks_table(judged, target), terminal)
    text = f"{options.original}. {article}"
    language = guess_language([text])
    if judges.casing and judges.casing.is_foreign(text, language):
        share = judges.casing.known_share(text, language)
        terminal.print(
            f"Unreliable: the text is out of the judges' domain (they know {share:.0%} of its words).",
            soft_wrap=True,
        )
    summary = read_summary(judges, folder, language)
    first = [summary.together.text] if summary.together else []
    print_lines([*first, *map(str, summary.verdicts)], terminal)


def marks_table(judged: "JudgedHeadline", target: str) -> Table:
    """The marks of a headline with their probabilities, and what they come to."""
    words = {True: "yes", False: "no", None: "n/a"}
    rows = []
    for name, mark in judged.marks.items():
        probability = judged.probabilities.get(name)
        unsupported = ", ".join(wrong.text for wrong in judged.unsupported) if name == "facts" else ""
        cells = {
            "judge": name,
            "question": QUESTIONS[name].format(target=target),
            "verdict": f"{words[mark]}: {unsupported}" if unsupported else words[mark],
            "p": "" if probability is None else figure(probability),
        }
        rows.append(Row(cells))
    outcomes = (
        ("compliant", "HH, AH and main", judged.compliant),
        ("strict", "all six", judged.strict),
    )
    for name, question, mark in outcomes:
        cells = {"judge": name, "question": question, "verdict": words[mark], "p": ""}
        rows.append(Row(cells, highlight=name == "strict"))
    columns = tuple(Column(name, "text") for name in ("judge", "question", "verdict", "p"))
    return Table(columns, tuple(rows))
