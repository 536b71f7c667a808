"""HEvAS 2019: Tables 1 and 2 (means of the five baselines) and 3 (correlations of the metrics for First)."""

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import kendalltau, rankdata

from change_it.commands.hevas import read_with_events
from change_it.corpus.folder import read_language
from change_it.hevas.analysis import drawn_signature, mean_intervals
from change_it.hevas.baseline_systems import BASELINES, baseline
from change_it.hevas.documents import Documents, System
from change_it.hevas.evaluation import Evaluation, evaluate
from change_it.hevas.metric_options import MetricOptions
from change_it.io import write_json
from change_it.progress import progress_bar
from change_it.published_figures import (
    HEVAS_MEANS,
    INFORMATIVENESS,
    PUBLISHED_READABILITY,
    hevas_correlation,
)
from change_it.reproduction.paper_tables import MEASURED, PUBLISHED, Result, compared, read_results
from change_it.stats import Floats, correlations
from change_it.tables import Column, Row, Table, Value, with_interval

if TYPE_CHECKING:
    from change_it.commands.reproduce import ReproduceOptions

#: The system whose metrics Table 3 correlates.
CORRELATED = "first"
_RESAMPLES = 1000
#: Before the name of a system whose headlines stand beside other articles than their own.
_ELSEWHERE = "elsewhere "
#: A metric whose AUC is no further from .5 does not tell the right article from another.
BLIND, DAGGER = 0.05, "†"


def measure(corpus: str, out: Path, documents: int, seed: int) -> None:
    """Measure the baselines on A2 articles of a corpus, with their own headlines as references."""
    language = read_language(corpus) or "it"
    chosen = drawn(read_with_events(corpus), documents, seed)
    systems = [
        System(name, tuple(baseline(name, chosen.texts, seed=seed, language=language)))
        for name in HEVAS_MEANS
        if name in BASELINES
    ]
    # each headline with the next article: what tells the right article from another gives it less
    systems += [
        System(_ELSEWHERE + system.name, (*system.headlines[1:], system.headlines[0])) for system in systems
    ]
    with progress_bar(shown=True) as progress:
        metrics = MetricOptions(language=language, seed=seed)
        evaluation = evaluate(chosen, systems, options=metrics, progress=progress)
    write_json(out, summary(evaluation, seed))


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
    """Means with intervals, AUC, Pearson's correlations for First, and the signature, as JSON."""
    systems = [name for name in evaluation.systems if not name.startswith(_ELSEWHERE)]
    at = evaluation.systems.index(CORRELATED)
    correlated = correlations({name: evaluation.scores(name)[:, at] for name in INFORMATIVENESS})
    intervals: dict[str, dict[str, list[float]]] = {system: {} for system in systems}
    for metric in evaluation.metrics:
        scores = evaluation.scores(metric)[:, : len(systems)]
        ends = mean_intervals(scores, systems, evaluation.events, resamples=_RESAMPLES, seed=seed)
        for system in systems:
            intervals[system][metric] = list(ends[system])
    areas = {
        system: {
            metric: auc(*(evaluation.values[name][:, place] for name in (system, _ELSEWHERE + system)))
            for place, metric in enumerate(evaluation.metrics)
            if metric not in PUBLISHED_READABILITY
        }
        for system in systems
    }
    return {
        "documents": len(evaluation.ids),
        "signature": drawn_signature(evaluation, _RESAMPLES),
        "metrics": list(evaluation.metrics),
        "means": {system: evaluation.means[system] for system in systems},
        "intervals": intervals,
        "auc": areas,
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


def tables(options: "ReproduceOptions") -> Result:
    """Tables 1 to 3."""
    results = read_results(options.out / "measured.json")
    ours = [name for name in results["metrics"] if name.startswith("JS")]
    found = {
        "table1": means_table(results, [*INFORMATIVENESS, *ours], "Table 1: informativeness"),
        "table2": means_table(results, PUBLISHED_READABILITY, "Table 2: readability"),
        "table3": correlations_table(results),
    }
    return found, [results["signature"]], {"documents": str(results["documents"])}


def means_table(results: Mapping[str, Any], metrics: Sequence[str], title: str) -> Table:
    """Means of the baselines: a row published, a row measured, and their difference."""
    rows: list[Row] = []
    for system, printed in HEVAS_MEANS.items():
        measured = {name: results["means"][system][name] for name in metrics}
        measured |= {f"{name}_interval": tuple(results["intervals"][system][name]) for name in metrics}
        shown = {name: printed[name] for name in metrics if name in printed}
        areas = {name: value for name, value in results["auc"][system].items() if name in metrics}
        blind = {name: DAGGER for name, value in areas.items() if abs(value - 0.5) <= BLIND}
        rows += compared(system, system, shown, measured, marks=blind)
        if areas:
            rows.append(Row({"row": f"{system}, AUC", **areas}, system))
    orders: dict[str, Value] = {"row": "τ of the order"}
    for name in metrics:
        both = [(results["means"][each][name], row[name]) for each, row in HEVAS_MEANS.items() if name in row]
        if both:
            tau = float(kendalltau(*zip(*both, strict=True)).statistic)
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
    rows, pairs = [], []
    for i, metric in enumerate(INFORMATIVENESS[:-1]):
        later = INFORMATIVENESS[i + 1 :]
        printed: dict[str, Value] = {other: hevas_correlation(metric, other) for other in later}
        measured: dict[str, Value] = dict(zip(later, results["correlations"][i][i + 1 :], strict=True))
        pairs += [(measured[other], printed[other]) for other in later if measured[other] is not None]
        rows.append(Row({"row": f"{metric}, {PUBLISHED}", **printed}, metric))
        rows.append(Row({"row": f"{metric}, {MEASURED}", **measured}, metric, strong=True))
    agreement = float(np.corrcoef(*np.array(pairs, np.float64).T)[0, 1])
    note = f"Correlation of the {len(pairs)} cells with the published ones: {agreement:.2f}."
    columns = (
        Column("row", "text", title="metric"),
        *(Column(name, "correlation") for name in INFORMATIVENESS[1:]),
    )
    return Table(columns, tuple(rows), "Table 3: correlations of the metrics", (note,))
