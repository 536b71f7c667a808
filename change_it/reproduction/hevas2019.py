"""HEvAS 2019: Tables 1 and 2 (means of the five baselines) and 3 (correlations of the metrics for First)."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import kendalltau, rankdata

from change_it import published_figures
from change_it.commands.hevas import read_with_events
from change_it.corpus.folder import read_language
from change_it.hevas.analysis import drawn_signature, mean_intervals
from change_it.hevas.baseline_systems import BASELINES, baseline
from change_it.hevas.documents import Documents, System
from change_it.hevas.evaluation import Evaluation, evaluate
from change_it.hevas.metric_options import MetricOptions
from change_it.io import write_json
from change_it.progress import progress_bar
from change_it.reproduction.paper_tables import MEASURED, PUBLISHED, compared, read_results
from change_it.reproduction.reproduce_options import ReproduceOptions, Scale
from change_it.results.document import Document, Section
from change_it.stats import Floats, correlations
from change_it.steps import Step
from change_it.tables import Column, Row, Table, Value, with_interval

#: Documents of a corpus, at most; the paper has 50.
DOCUMENTS: dict[Scale, int] = {"smoke": 50, "cpu": 2000, "full": 1_000_000}

#: The system whose metrics Table 3 correlates.
CORRELATED = "first"
_RESAMPLES = 1000
#: Before the name of a system whose headlines stand beside other articles than their own.
_ELSEWHERE = "elsewhere "
#: A metric whose AUC is no further from .5 does not tell the right article from another.
BLIND = 0.05
#: Behind a value that must not be taken for what its column says.
DAGGER = "†"


@dataclass(frozen=True)
class Measuring:
    """What is measured, and where the numbers go."""

    corpus: str
    out: Path
    documents: int
    seed: int


def plan(options: ReproduceOptions) -> list[Step]:
    """One step: all metrics on the five baselines."""
    out = options.out / "measured.json"
    count = DOCUMENTS[options.scale]
    settings = Measuring(options.corpus, out, count, options.seed)
    seconds = 20 + 0.05 * min(count, 10_000)
    return [Step("metrics of the five baselines", f"{__name__}:measure", settings, out, seconds=seconds)]


def measure(settings: Measuring) -> None:
    """Measure the baselines on A2 articles of a corpus, with their own headlines as references."""
    language = read_language(settings.corpus) or "it"
    documents = drawn(read_with_events(settings.corpus), settings.documents, settings.seed)
    systems = [
        System(name, tuple(baseline(name, documents.texts, seed=settings.seed, language=language)))
        for name in published_figures.HEVAS_MEANS
        if name in BASELINES
    ]
    # each headline with the next article: what tells the right article from another gives it less
    systems += [
        System(_ELSEWHERE + system.name, (*system.headlines[1:], system.headlines[0])) for system in systems
    ]
    with progress_bar(shown=True) as progress:
        evaluation = evaluate(
            documents,
            systems,
            options=MetricOptions(language=language, seed=settings.seed),
            progress=progress,
        )
    write_json(settings.out, summary(evaluation, settings.seed))


def drawn(documents: Documents, count: int, seed: int) -> Documents:
    """Some of the documents, in their order."""
    kept = sorted(random.Random(seed).sample(range(len(documents)), min(count, len(documents))))
    assert documents.references is not None
    return Documents(
        tuple(documents.ids[at] for at in kept),
        tuple(documents.texts[at] for at in kept),
        tuple(documents.references[at] for at in kept),
        documents.name,
        documents.events and tuple(documents.events[at] for at in kept),
    )


def summary(evaluation: Evaluation, seed: int) -> dict[str, Any]:
    """Means with intervals, Pearson's correlations for First, and the signature, as JSON."""
    systems = [name for name in evaluation.systems if not name.startswith(_ELSEWHERE)]
    at = evaluation.systems.index(CORRELATED)
    metrics = list(published_figures.INFORMATIVENESS)
    correlated = correlations({name: evaluation.scores(name)[:, at] for name in metrics})
    intervals = {
        metric: mean_intervals(
            evaluation.scores(metric)[:, : len(systems)],
            systems,
            evaluation.events,
            resamples=_RESAMPLES,
            seed=seed,
        )
        for metric in evaluation.metrics
    }
    return {
        "documents": len(evaluation.ids),
        "signature": drawn_signature(evaluation, _RESAMPLES),
        "metrics": list(evaluation.metrics),
        "means": {system: evaluation.means[system] for system in systems},
        "intervals": {
            system: {metric: list(intervals[metric][system]) for metric in evaluation.metrics}
            for system in systems
        },
        "auc": {
            system: {
                metric: auc(*(evaluation.values[name][:, at] for name in (system, _ELSEWHERE + system)))
                for at, metric in enumerate(evaluation.metrics)
                if metric not in published_figures.PUBLISHED_READABILITY
            }
            for system in systems
        },
        "correlations": [list(row) for row in correlated.pearson],
    }


def auc(right: Floats, wrong: Floats) -> float:
    """How often a headline scores higher with its own article than one with another, ties by half.

    Examples:
        >>> auc(np.array([0.9, 0.8]), np.array([0.1, 0.8]))
        0.875
    """
    ranks = rankdata(np.concatenate([right, wrong]))[: len(right)]
    return float((ranks.sum() - len(right) * (len(right) + 1) / 2) / (len(right) * len(wrong)))


def document(options: ReproduceOptions) -> Document:
    """Tables 1 to 3."""
    results = read_results(options.out / "measured.json")
    ours = [name for name in results["metrics"] if name.startswith("JS")]
    text = f"Published: means of {published_figures.HEVAS_DOCUMENTS} English articles; measured: of {results['documents']} articles of this corpus."
    order = "τ: how far the order of the baselines is the published one, 1 the same and -1 the reverse."
    sections = [
        Section(
            "table1",
            means_table(results, [*published_figures.INFORMATIVENESS, *ours], "Table 1: informativeness"),
            f"{text} {order}",
        ),
        Section(
            "table2",
            means_table(results, published_figures.PUBLISHED_READABILITY, "Table 2: readability"),
            text,
        ),
        Section(
            "table3",
            correlations_table(results),
            "Pearson's correlation of two metrics over the documents, for First.",
        ),
    ]
    lead = f"{published_figures.CITATIONS['hevas2019']} Scale: {options.scale}."
    return Document("HEvAS 2019, published and measured", lead, sections, [results["signature"]])


def means_table(results: Mapping[str, Any], metrics: Sequence[str], title: str) -> Table:
    """Means of the baselines: a row published, a row measured, and their difference."""
    rows = []
    for system, printed in published_figures.HEVAS_MEANS.items():
        measured = {name: results["means"][system][name] for name in metrics}
        ends = {f"{name}_interval": tuple(results["intervals"][system][name]) for name in metrics}
        shown = {name: printed[name] for name in metrics if name in printed}
        areas = {name: value for name, value in results["auc"][system].items() if name in metrics}
        blind = [name for name, value in areas.items() if abs(value - 0.5) <= BLIND]
        rows += [
            replace(row, marks=dict.fromkeys(blind, DAGGER) if row.strong else {})
            for row in compared(system, system, system, shown, {**measured, **ends})
        ]
        if areas:
            rows.append(Row({"row": f"{system}, AUC", **areas}, system))
    orders: dict[str, Value] = {"row": "τ of the order"}
    for name in metrics:
        pairs = [
            (results["means"][system][name], row[name])
            for system, row in published_figures.HEVAS_MEANS.items()
            if name in row
        ]
        if pairs:
            tau = float(kendalltau(*zip(*pairs, strict=True)).statistic)
            orders[name] = None if np.isnan(tau) else tau
    rows.append(Row(orders, "τ"))
    columns = (Column("row", "text", title="baseline"), *map(with_interval, metrics))
    note = (
        "AUC: how often a headline scores higher with its own article than one with another article. "
        f"{DAGGER}: within {BLIND:g} of .5 on this corpus, so the cell does not tell the right article from another."
    )
    return Table(columns, tuple(rows), title, (note,) if any(row.marks for row in rows) else ())


def correlations_table(results: Mapping[str, Any]) -> Table:
    """Table 3: published above measured for each metric, the part above the diagonal."""
    metrics = published_figures.INFORMATIVENESS
    rows = []
    pairs = []
    for i, metric in enumerate(metrics[:-1]):
        later = metrics[i + 1 :]
        printed: dict[str, Value] = {
            other: published_figures.hevas_correlation(metric, other) for other in later
        }
        measured: dict[str, Value] = dict(zip(later, results["correlations"][i][i + 1 :], strict=True))
        pairs += [(measured[other], printed[other]) for other in later if measured[other] is not None]
        rows += [
            Row({"row": f"{metric}, {PUBLISHED}", **printed}, metric),
            Row({"row": f"{metric}, {MEASURED}", **measured}, metric, strong=True),
        ]
    agreement = float(np.corrcoef(*np.array(pairs, np.float64).T)[0, 1])
    return Table(
        (Column("row", "text", title="metric"), *(Column(name, "correlation") for name in metrics[1:])),
        tuple(rows),
        "Table 3: correlations of the metrics",
        (f"Correlation of the {len(pairs)} cells with the published ones: {agreement:.2f}.",),
    )
