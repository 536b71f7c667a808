"""Options of `change-it score` and `change-it judge`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tyro

from change_it.engines import EngineOptions
from change_it.io import check_header, named_files
from change_it.training.arguments import InferenceOptions

#: Names that prediction files cannot take.
BUILT_IN = ("gold", "copy", "lead", "random-target")
#: What a prediction file must have.
PREDICTION_COLUMNS = ("id", "headline", "target")
#: What a table of verdicts must have, `items/<system>.csv` of `change-it score --out`.
VERDICT_COLUMNS = ("id", "direction", "source", "headline", "hh", "ah", "main")


@dataclass(kw_only=True)
class ScoreOptions(EngineOptions, InferenceOptions):
    """Score systems' headlines for compliancy, beside gold, copy, lead and random-target.

    Examples:
        change-it score --corpus runs/mine/corpus --judges runs/mine/judges --out runs/mine/report
        change-it score --corpus runs/mine/corpus --judges runs/mine/judges --predictions sum=sum.csv s2s=s2s.csv
        change-it score --corpus runs/mine/corpus --judges runs/mine/judges --hevas --language en --out runs/mine/report
    """

    corpus: str
    """Corpus folder or data set id on the Hub; its A2 articles are the test."""
    judges: str
    """Folder or Hub id that holds the judges main, hh and ah, and fluency for strict compliancy."""
    predictions: tuple[str, ...] = ()
    """Systems to score as NAME=FILE; a file is CSV with id, headline, target (from transfer also error and reranker)."""
    reversal: Literal["relative", "target"] = "relative"
    """Style counts as reversed when main decides otherwise than on the original (the paper's), or for the target."""
    allow_same_judges: bool = False
    """Score also what judges of the same fold or weights have chosen; their own verdicts flatter it, and the signature says so."""
    hevas: bool = False
    """Measure the same headlines with HEvAS too, and how far its metrics, BLEU and ROUGE agree with the judges; needs ten items."""
    language: str | None = None
    """Of the headlines, for facts and HEvAS: it, en, or for facts alone any other; the corpus's when not given."""
    out: Path | None = None
    """Folder for report.html, systems.csv, scores.json, items/, charts/ and, with --hevas, hevas/; nothing is written when not given."""
    report_language: Literal["it", "en"] | None = None
    """Of report.html; that of the headlines when not given, English where they are in neither."""
    json: bool = False
    """Print JSON instead of a table."""
    resamples: int = 1000
    """Bootstrap resamples, and trials of the paired tests."""
    seed: int = 1
    """Seed of intervals, paired tests, the system random-target and HEvAS."""
    batch_size: int | None = None
    """Texts a judge reads at once; its own choice when not given."""


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


@dataclass(kw_only=True)
class CompareOptions:
    """Two systems item by item: how often each passed and the other did not, and which headlines those are.

    Examples:
        change-it compare runs/mine/report/items/sum.csv runs/mine/report/items/gold.csv
        change-it compare runs/mine/report/items/sum.csv runs/mine/report/items/gold.csv --verdict main --outcome first --out compare.html
    """

    files: tyro.conf.Positional[tuple[Path, Path]]
    """Tables of verdicts, items/<system>.csv of `change-it score --out` or items.csv of the page, one system in each."""
    verdict: Literal["compliant", "strict_compliancy", "hh", "ah", "main", "fluency", "facts"] = "compliant"
    """Whose verdict to look at: hh, ah and main together, all five, or one alone."""
    outcome: Literal["all", "any", "differ", "first", "second", "both", "none"] = "differ"
    """Which headlines to print: those that any, exactly one, only the first, only the second, both or none of the systems failed at."""
    items: int = 10
    """Headlines to print, at most; --out and --json have all."""
    out: Path | None = None
    """HTML file with all headlines of both systems, side by side; nothing is written when not given."""
    report_language: Literal["it", "en"] = "en"
    """Of the HTML file."""
    json: bool = False
    """Print JSON instead of tables."""


def check_predictions(specs: Sequence[str]) -> None:
    """Refuse, before anything large loads, prediction files (`NAME=FILE`) that are not there or lack a column."""
    for _, file in named_files(specs, option="--predictions", example="mine=mine.csv", taken=BUILT_IN):
        check_header(file, required=PREDICTION_COLUMNS)
