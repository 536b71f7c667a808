"""`change-it judge`: what the judges say of one new headline."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import tyro

from change_it.commands.checks import check_files
from change_it.commands.printing import print_json, print_lines
from change_it.errors import InputError
from change_it.io import read_input
from change_it.judges.arguments import check_judges
from change_it.tables import Column, Row, Table, console, figure, print_table
from change_it.training.settings import InferenceOptions
from change_it.translation import Message

if TYPE_CHECKING:  # loads torch
    from change_it.generators.rerank import JudgedCandidate
    from change_it.scoring.facts import Unsupported

#: What each mark asks, with the outlet aimed at.
QUESTIONS = {
    "hh": "does it say what the original says?",
    "ah": "does it fit the article?",
    "main": "is its style the other outlet's ({target})?",
    "fluency": "would a newspaper print it?",
    "facts": "are its numbers, names and quotations in the original or the article?",
}


@dataclass(kw_only=True)
class HeadlineOptions(InferenceOptions):
    """Judge one new headline: same content, fits the article, the other outlet's style, fluent, supported?

    Examples:
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
    """Outlet aimed at; the other one than main takes the original for when not given."""
    language: str | None = None
    """Of the texts, for facts: it, en or any other; guessed from the article when not given."""
    json: bool = False
    """Print JSON instead of a table."""


def check(options: HeadlineOptions) -> None:
    """Refuse, before anything large loads, judges at fault, an outlet that they do not have, and an article that is not there."""
    check_judges(options.judges)
    check_files(options.article)


def run(options: HeadlineOptions) -> None:
    """Judge one headline and print the marks, or JSON."""
    check(options)
    texts = {
        "HEADLINE": options.headline,
        "--original": options.original,
        "--article": read_input(options.article),
    }
    if empty := [name for name, text in texts.items() if not text.strip()]:
        raise InputError(f"{' and '.join(empty)} has no text: give some")
    check_judges(options.judges, to=options.to)

    from change_it.audit.verdicts import read_summary
    from change_it.generators.decoding import Candidate
    from change_it.generators.rerank import judge_candidates, other_outlet
    from change_it.judges.judge import Judges, local_folder  # loads torch
    from change_it.text.stopwords import guess_language

    folder = local_folder(options.judges, command="change-it train judge")
    judges = Judges.from_pretrained(folder, precision=options.precision, device=options.device)
    target = options.to or other_outlet(judges, options.original)
    if target not in judges.outlets:
        raise InputError(f"--to {target} is no outlet of these judges: give {' or '.join(judges.outlets)}")
    [[judged]] = judge_candidates(
        judges,
        [[Candidate(options.headline, 0.0)]],
        [options.original],
        [texts["--article"]],
        [target],
        language=options.language,
    )
    if options.json:
        print_json({"to": target} | asdict(judged))
        return
    terminal = console()
    print_table(marks_table(judged, target), terminal)
    text = f"{options.original}. {texts['--article']}"
    language = options.language or guess_language([text])
    if judges.casing and judges.casing.is_foreign(text, language):
        share = judges.casing.known_share(text, language)
        terminal.print(
            f"Do not rely on these verdicts: the judges know {share:.0%} of the words of original and article.",
            soft_wrap=True,
        )
    summary = read_summary(judges, folder)
    first = [summary.together.text] if summary.together else []
    print_lines([*first, *map(str, summary.verdicts)], terminal)


def _unsupported(wrong: "Unsupported") -> str:
    """What no source says, or what they rather say."""
    if wrong.rather:
        return Message("transfer.facts_rather", text=wrong.text, rather=wrong.rather)
    return wrong.text


def marks_table(judged: "JudgedCandidate", target: str) -> Table:
    """The five marks of a headline with their probabilities, and what they come to."""
    words = {True: "yes", False: "no", None: "n/a"}
    rows = []
    for name, mark in judged.marks.items():
        probability = judged.probabilities.get(name)
        unsupported = ", ".join(map(_unsupported, judged.unsupported)) if name == "facts" else ""
        cells = {
            "judge": name,
            "question": QUESTIONS[name].format(target=target),
            "verdict": f"{words[mark]}: {unsupported}" if unsupported else words[mark],
            "p": "" if probability is None else figure(probability),
        }
        rows.append(Row(cells))
    outcomes = (("compliant", "HH, AH and main", judged.compliant), ("strict", "all five", judged.strict))
    for name, question, mark in outcomes:
        cells = {"judge": name, "question": question, "verdict": words[mark], "p": ""}
        rows.append(Row(cells, strong=name == "strict"))
    columns = tuple(Column(name, "text") for name in ("judge", "question", "verdict", "p"))
    return Table(columns, tuple(rows))
