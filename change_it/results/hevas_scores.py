"""HEvAS and compliancy: the same headlines measured by both, and how far metrics and judges agree."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
import polars as pl

from change_it.errors import InputError
from change_it.hevas.analysis import Analysis, analyse
from change_it.hevas.documents import Documents, System
from change_it.hevas.evaluation import Evaluation, check_input, chosen_metrics, evaluate
from change_it.hevas.metric_options import MetricOptions
from change_it.hevas.metrics import Progress
from change_it.hevas.readability import fog
from change_it.scoring import overlap
from change_it.scoring.columns import GOLD
from change_it.scoring.item import TestSet
from change_it.scoring.scores import Scores
from change_it.scoring.systems import ScoredSystem
from change_it.stats import Correlations, Floats, correlations
from change_it.text.tagging import languages

#: What the judges say of an item: name in tables of correlations to column of `Scores.items`.
JUDGE_COLUMNS = {"P(HH)": "p_hh", "P(AH)": "p_ah", "P(target)": "p_target", "compliant": "compliant"}
#: BLEU and ROUGE-L of an item: name in tables of correlations to measure of `overlap`.
OVERLAPS = {
    "BLEU": "bleu",
    "ROUGE-L": "rougeL",
    "BLEU source": "bleu_source",
    "ROUGE-L source": "rougeL_source",
}


@dataclass(frozen=True)
class HevasResult:
    """The systems of a scoring run measured by HEvAS."""

    documents: Documents  # articles and gold headlines of the items
    systems: tuple[System, ...]
    evaluation: Evaluation
    analysis: Analysis
    #: Of `JUDGE_COLUMNS`, `OVERLAPS` and all metrics, without gold and empty headlines.
    judges: Correlations
    #: Of the differences from the system's mean: what sets systems apart does not count.
    judges_within: Correlations

    def as_dict(self) -> dict[str, object]:
        """The part of `scores.json`; comparisons of the systems are in `hevas/summary.json`."""
        return {
            "signature": self.analysis.signature,
            "averages": self.evaluation.overall,
            "means": self.evaluation.means,
            "correlations": {
                "left_out": [GOLD] if GOLD in self.evaluation.systems else [],
                "all": asdict(self.judges),
                "within_systems": asdict(self.judges_within),
            },
        }


def check(test: TestSet, options: MetricOptions) -> Documents:
    """The items that have a gold headline as documents of HEvAS; refused, before the judges are loaded, where HEvAS cannot work."""
    if options.language not in languages():
        raise InputError(
            f"HEvAS does not know the language {options.language!r}: choose --language {' or '.join(languages())}"
        )
    indices = [index for index, item in enumerate(test.items) if item.reference]
    items = [test.items[index] for index in indices]
    if len(items) < options.topics:
        raise InputError(
            f"--hevas requires {options.topics} items or more, one for each LDA topic, and {test.name} has {len(items)}: "
            "score without --hevas, or a larger corpus"
        )
    if find_spec("gensim") is None:
        raise InputError("--hevas requires gensim: pip install gensim")
    fog([], options.language)  # refuses if pyphen is not there
    documents = Documents(
        tuple(item.id for item in items),
        tuple(item.article for item in items),
        tuple((item.reference,) for item in items),
        test.name,
        tuple(test.events[indices].tolist()),
    )
    check_input(documents, chosen_metrics(()), options)
    return documents


def measure(
    documents: Documents,
    systems: Sequence[ScoredSystem],
    scores: Scores,
    *,
    options: MetricOptions,
    resamples: int = 1000,
    progress: Progress | None = None,
) -> HevasResult:
    """Measure the systems of a scoring run and correlate the metrics with its judges."""
    items = _with_reference(scores)
    headlines = tuple(System(system.name, tuple(items[system.name]["headline"])) for system in systems)
    evaluation = evaluate(documents, headlines, options=options, progress=progress)
    columns = judge_columns(scores, evaluation)
    return HevasResult(
        documents,
        headlines,
        evaluation,
        analyse(evaluation, resamples=resamples, seed=options.seed),
        correlations({name: values.compressed() for name, values in columns.items()}),
        correlations({name: (values - values.mean(axis=0)).compressed() for name, values in columns.items()}),
    )


def judge_columns(
    scores: Scores, evaluation: Evaluation
) -> "dict[str, np.ma.MaskedArray[Any, np.dtype[np.float64]]]":
    """(n, m) values of `JUDGE_COLUMNS`, `OVERLAPS` and the metrics of HEvAS, without gold."""
    kept = [system for system in scores.systems if system != GOLD]
    tables = [_with_reference(scores)[system] for system in kept]
    of_systems = [columns_of(table) for table in tables]
    columns = {
        name: np.column_stack([columns[name] for columns in of_systems])
        for name in (*JUDGE_COLUMNS, *OVERLAPS)
    }
    at = [evaluation.systems.index(system) for system in kept]
    columns |= {metric: evaluation.scores(metric)[:, at] for metric in evaluation.metrics}
    # empty headlines are masked: their zeros on both sides would pass for agreement
    empty = np.column_stack([evaluation.empty[system] for system in kept])
    return {name: np.ma.masked_array(values, empty) for name, values in columns.items()}


def columns_of(items: pl.DataFrame) -> dict[str, Floats]:
    """`JUDGE_COLUMNS` and `OVERLAPS` of the n items of a system, (n,) each."""
    judged = {name: items[column].cast(float).to_numpy() for name, column in JUDGE_COLUMNS.items()}
    texts = (items[name].to_list() for name in ("headline", "gold", "source"))
    measured = overlap.aggregate(overlap.statistics(*texts))
    return judged | {name: measured[measure] for name, measure in OVERLAPS.items()}


def _with_reference(scores: Scores) -> dict[str, pl.DataFrame]:
    """The items of each system that are documents of HEvAS."""
    return {system: items.filter(pl.col("gold") != "") for system, items in scores.items.items()}
