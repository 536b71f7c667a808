"""The Headline quality tab without its components: uploaded documents and headlines in, HEvAS, tables and files out."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from change_it.errors import InputError
from change_it.hevas.analysis import Analysis, analyse
from change_it.hevas.baselines import BASELINES, baseline
from change_it.hevas.documents import Documents, System, clean_headline, worded
from change_it.hevas.evaluation import Evaluation, chosen_metrics, evaluate
from change_it.hevas.metrics import METRICS
from change_it.hevas.options import MetricOptions
from change_it.hevas.readability import LOWER_IS_BETTER
from change_it.io import write_table
from change_it.report.charts import Drawing
from change_it.report.html import hevas_page
from change_it.report.tables import hevas_table
from change_it.space.limits import LIMITS
from change_it.space.results import write_charts
from change_it.space.uploads import Say, listed, read_rows, read_text, refuse_lines
from change_it.tables import figure, p_value, records

#: Columns of reference headlines, any number of them.
REFERENCES = ("headline", *(f"headline{number}" for number in range(1, 10)))
#: Metrics that are ticked at first: word vectors learnt from a few hundred documents say little.
USUAL = tuple(name for name in METRICS if METRICS[name].family != "embeddings")

_TOPICS = 10
_NAME = 40  # letters of a system's name
_ELSE = 2  # pieces of work beside baselines and families: statistics, charts

#: Called with what is being done and the share of all work that is done, 0-1.
Moved = Callable[[str, float], None]


@dataclass(frozen=True)
class Choice:
    """What to measure.

    Attributes:
        metrics: of `METRICS`.
        baselines: of `BASELINES`, systems without a file.
        charts: of `page.DRAWINGS`.
        language: of documents and headlines, it or en.
        n_words: words in a baseline's headline, at most.
    """

    metrics: Sequence[str]
    baselines: Sequence[str]
    charts: Sequence[str]
    language: str
    n_words: int = 9


@dataclass(frozen=True)
class Measured:
    """Systems that were measured.

    Attributes:
        documents: with their references.
        systems: in the order of the files, then baselines.
        evaluation: values and means.
        analysis: the tests.
        left_out: metrics that were chosen and need reference headlines, which the documents lack.
    """

    documents: Documents
    systems: tuple[System, ...]
    evaluation: Evaluation
    analysis: Analysis
    left_out: tuple[str, ...]

    @property
    def tests(self) -> list[str]:
        """What there are tests of: the average and each metric."""
        return list(self.analysis.comparisons)


def read_documents(path: Path, *, say: Say) -> Documents:
    """Read uploaded documents.

    Args:
        path: CSV with the column article, perhaps id and the columns of `REFERENCES`.
        say: words of the reader's language.

    Returns:
        The documents in the order of the file; their ids are the numbers from 1 where it has none.

    Raises:
        InputError: the file cannot be read, or has a row without an article or a reference, too long a text or an id twice.
    """
    rows = read_rows(path, ["article"], ["id", *REFERENCES], say=say)
    lines = [line for line, _ in rows]
    ids = [cells.get("id", "") or str(number) for number, (_, cells) in enumerate(rows, start=1)]
    texts = [unicodedata.normalize("NFC", cells["article"]) for _, cells in rows]
    named = [name for name in REFERENCES if name in rows[0][1]]
    several = [
        tuple(text for text in (clean_headline(cells[name]) for name in named) if worded(text))
        for _, cells in rows
    ]
    counts = Counter(ids)
    wrong = {
        say("quality.fault_empty"): [not worded(text) for text in texts],
        say("quality.fault_double"): [counts[id_] > 1 for id_ in ids],
        say("quality.fault_reference"): [bool(named) and not found for found in several],
        say("quality.fault_long", most=f"{LIMITS.article:,}"): [len(text) > LIMITS.article for text in texts],
        say("quality.fault_long_headline", most=f"{LIMITS.headline:,}"): [
            any(len(text) > LIMITS.headline for text in found) for found in several
        ],
    }
    faults = (
        (what, [line for line, yes in zip(lines, flags, strict=True) if yes]) for what, flags in wrong.items()
    )
    refuse_lines(path, faults, say)
    return Documents(tuple(ids), tuple(texts), tuple(several) if named else None, path.name)


def read_systems(paths: Sequence[Path], documents: Documents, *, say: Say) -> list[System]:
    """Read the uploaded headlines of any number of systems.

    Args:
        paths: a file each: text with one headline a line, in the documents' order; or CSV with the column headline and perhaps
            id. The headline of a row with an `error` is empty, as `change-it transfer` writes it.
        documents: what the headlines are for.
        say: words of the reader's language.

    Returns:
        The systems in the order given, called like their files.

    Raises:
        InputError: too many files, or one that cannot be read or does not fit the documents.
    """
    if len(paths) > LIMITS.systems:
        raise InputError(say("quality.systems", most=LIMITS.systems, found=len(paths)))
    systems: list[System] = []
    for path in paths:
        taken = {*BASELINES, *(system.name.lower() for system in systems)}
        systems.append(System(_name(path, taken), _headlines(path, documents, say)))
    return systems


def measure(
    documents: Documents,
    systems: Sequence[System],
    choice: Choice,
    *,
    say: Say,
    moved: Moved | None = None,
) -> Measured:
    """Measure systems and baselines with HEvAS.

    Args:
        documents: from `read_documents`.
        systems: from `read_systems`.
        choice: what to measure.
        say: words of the reader's language.
        moved: called as the work goes on.

    Returns:
        Values and tests. Metrics that need references are left out where there are none; LDA has as many topics as there are
        documents, ten at most.

    Raises:
        InputError: no system or no metric is left, or the texts do not suffice for a metric.
    """
    move = moved or (lambda *_: None)
    wanted = [name for name in METRICS if name in choice.metrics]
    left_out = [name for name in wanted if METRICS[name].references and documents.references is None]
    metrics = [name for name in wanted if name not in left_out]
    if not metrics:
        raise InputError(say("quality.no_metric_left" if left_out else "quality.no_metric"))
    if not systems and not choice.baselines:
        raise InputError(say("quality.no_system"))
    options = MetricOptions(language=choice.language, topics=min(_TOPICS, len(documents)))
    families = {METRICS[name].family for name in metrics}
    pieces = len(choice.baselines) + len(families) + _ELSE
    found = list(systems)
    for done, name in enumerate(choice.baselines):
        move(name, done / pieces)
        headlines = baseline(name, documents.texts, n_words=choice.n_words, language=choice.language)
        found.append(System(name, tuple(headlines)))

    begun: list[str] = []  # families, in the order in which they are measured

    def progress(what: str, done: int, total: int) -> None:
        family = what.partition(":")[0]
        if family in families:
            begun.extend([] if family in begun else [family])
            at = len(choice.baselines) + begun.index(family)
            move(family, at / pieces)

    evaluation = evaluate(
        documents, found, metrics=chosen_metrics(metrics), options=options, progress=progress
    )
    move(say("quality.statistics"), (pieces - _ELSE) / pieces)
    analysis = analyse(evaluation)
    move(say("quality.drawing"), (pieces - 1) / pieces)
    return Measured(documents, tuple(found), evaluation, analysis, tuple(left_out))


def means_rows(measured: Measured, say: Say) -> tuple[list[str], list[list[str]]]:
    """The means as they are shown: a row a metric, a column a system, the best average first.

    Args:
        measured: the systems.
        say: words of the reader's language.

    Returns:
        Header and rows; a star marks the best of a metric, an arrow the metrics of which less is better.
    """
    evaluation = measured.evaluation
    means, ranks, overall = evaluation.means, evaluation.ranks, evaluation.overall
    rows = (
        [[say("quality.average"), *(figure(overall[system]) for system in evaluation.ranking)]]
        if overall
        else []
    )
    for metric in evaluation.metrics:
        cells = [
            figure(means[system][metric]) + (" *" if ranks[system].get(metric) == 1 else "")
            for system in evaluation.ranking
        ]
        rows.append([metric + (" ↓" if metric in LOWER_IS_BETTER else ""), *cells])
    return [say("quality.metric"), *evaluation.ranking], rows


def test_rows(measured: Measured, metric: str, say: Say) -> tuple[list[str], list[list[str]]]:
    """The tests of every two systems by one metric as they are shown.

    Args:
        measured: the systems.
        metric: one of `Measured.tests`.
        say: words of the reader's language.

    Returns:
        Header and a row a pair: difference, the published test, the paired one, the same corrected, effect size.
    """
    found = measured.analysis.comparisons[metric]
    published = "Tukey" if found.published_test == "tukey" else "Wilcoxon"
    header = [
        say("quality.first"),
        say("quality.second"),
        say("quality.difference"),
        f"HEvAS ({published}), p",
        "Wilcoxon, p",
        "Holm, p",
        say("quality.effect"),
    ]
    rows = [
        [
            pair.first,
            pair.second,
            figure(pair.difference),
            p_value(pair.published_p),
            p_value(pair.p),
            p_value(pair.p_holm),
            figure(pair.rank_biserial),
        ]
        for pair in found.pairs
    ]
    return header, rows


def friedman_told(measured: Measured, metric: str, say: Say) -> str:
    """Friedman's test of one metric in a sentence; empty for fewer than three systems."""
    found = measured.analysis.comparisons[metric].friedman
    if not found:
        return ""
    p = p_value(found.p)
    return say(
        "quality.friedman",
        statistic=f"{found.statistic:.2f}",
        p=p if p.startswith("<") else f"= {p}",
        w=figure(found.kendall_w),
    )


def remarks(measured: Measured, say: Say) -> list[str]:
    """What a reader of the table must know.

    Args:
        measured: the systems.
        say: words of the reader's language.

    Returns:
        A sentence for each system with empty headlines, and one for the metrics that were left out.
    """
    told = [
        say("quality.empty", system=system, count=count, n=len(measured.documents))
        for system, count in measured.evaluation.empty_headlines.items()
        if count
    ]
    if measured.left_out:
        told.append(say("quality.left_out", metrics=", ".join(measured.left_out)))
    return told


def write_results(out: Path, measured: Measured, drawn: Sequence[Drawing]) -> list[Path]:
    """Write what can be downloaded.

    Args:
        out: an empty folder.
        measured: the systems.
        drawn: the charts.

    Returns:
        `report.html`, `summary.csv`, `items.csv` with the values of every headline, and a PNG for each chart.
    """
    evaluation = measured.evaluation
    report, table, items = out / "report.html", out / "summary.csv", out / "items.csv"
    page = hevas_page(measured.documents, evaluation, measured.analysis, drawn)
    report.write_text(page, encoding="utf-8")
    write_table(table, *records(hevas_table(evaluation)), quote_formulas=True)
    rows = (
        [system.name, id_, headline, *values]
        for system in measured.systems
        for id_, headline, values in zip(
            evaluation.ids, system.headlines, evaluation.values[system.name].tolist(), strict=True
        )
    )
    write_table(items, ["system", "id", "headline", *evaluation.metrics], rows, quote_formulas=True)
    return [report, table, items, *write_charts(out, drawn)]


def _headlines(path: Path, documents: Documents, say: Say) -> tuple[str, ...]:
    """(n,) headlines in the order of the documents."""
    if path.suffix.lower() == ".txt":
        lines = read_text(path, say).replace("\r\n", "\n").removesuffix("\n").split("\n")
        return _as_many([clean_headline(line) for line in lines], path, documents, say)
    rows = read_rows(path, ["headline"], ["id", "error"], say=say)
    headlines = ["" if cells.get("error") else clean_headline(cells["headline"]) for _, cells in rows]
    if "id" not in rows[0][1]:
        return _as_many(headlines, path, documents, say)
    by_id = dict(zip([cells["id"] for _, cells in rows], headlines, strict=True))
    missing = [id_ for id_ in documents.ids if id_ not in by_id]
    known = set(documents.ids)
    other = [id_ for id_ in by_id if id_ not in known]
    faults = {"quality.ids_missing": missing, "quality.ids_other": other}
    told = [say(key, count=len(ids), ids=listed(ids, say)) for key, ids in faults.items() if ids]
    if len(by_id) < len(rows):
        told.append(say("quality.ids_double"))
    if told:
        raise InputError(say("quality.unfit", file=path.name, faults="; ".join(told)))
    _check_length(list(by_id.values()), path, say)
    return tuple(by_id[id_] for id_ in documents.ids)


def _as_many(headlines: list[str], path: Path, documents: Documents, say: Say) -> tuple[str, ...]:
    """The headlines, if there are as many as documents."""
    if len(headlines) != len(documents):
        raise InputError(say("quality.number", file=path.name, found=len(headlines), wanted=len(documents)))
    _check_length(headlines, path, say)
    return tuple(headlines)


def _check_length(headlines: Sequence[str], path: Path, say: Say) -> None:
    """Refuse headlines that are none."""
    long = [str(number) for number, text in enumerate(headlines, start=1) if len(text) > LIMITS.headline]
    if long:
        fault = say("quality.fault_long_headline", most=f"{LIMITS.headline:,}")
        raise InputError(say("quality.unfit", file=path.name, faults=f"{fault} ({listed(long, say)})"))


def _name(path: Path, taken: set[str]) -> str:
    """A system's name from its file's, unlike all others and fit for a file itself."""
    name = re.sub(r"[^\w.+-]+", "-", path.stem).strip("-.")[:_NAME] or "system"
    tries = [name, *(f"{name}-{number}" for number in range(2, len(taken) + 3))]
    return next(one for one in tries if one.lower() not in taken)
