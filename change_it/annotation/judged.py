"""Judges, and the metrics of HEvAS, asked about the headlines of a key."""

from collections.abc import Sequence

import numpy as np

from change_it.annotation.sheets import KeyRow
from change_it.annotation.study import Judged
from change_it.errors import InputError
from change_it.hevas.documents import Documents, System
from change_it.hevas.evaluation import evaluate
from change_it.hevas.metric_options import MetricOptions
from change_it.judges.judge import Judges
from change_it.scoring.columns import GOLD
from change_it.scoring.compliancy import judge_items
from change_it.stats import Floats

#: Column of `judge_items` to the name of the metric.
PROBABILITIES = {"p_hh": "P(HH)", "p_ah": "P(AH)", "p_target": "P(target)", "p_fluency": "P(fluency)"}


def ask(
    judges: Judges, key: Sequence[KeyRow], *, language: str, hevas: MetricOptions | None = None
) -> Judged:
    """Ask the judges about every headline, and measure those of the systems with HEvAS where that is wanted."""
    if judges.outlets != (key[0].choice1, key[0].choice2):
        ours, theirs = " and ".join((key[0].choice1, key[0].choice2)), " and ".join(judges.outlets)
        raise InputError(
            f"the judges were trained on {theirs}, the key has {ours}: give judges of this corpus"
        )
    judged = judge_items(judges, [row.as_item for row in key], language=language)
    to_target = judged["p_target"].to_numpy()
    p_first = np.where([row.truth == 1 for row in key], to_target, 1 - to_target)
    metrics = {
        name: judged[column].cast(float).to_numpy()
        for column, name in PROBABILITIES.items()
        if not judged[column].null_count()
    }
    signature = f"judges:{judges.signature}"
    if hevas:
        measured, of_hevas = _measure(key, hevas)
        metrics |= measured
        signature = f"{signature}|{of_hevas}"
    # as `decide`: a tie is the first outlet's
    return Judged(np.where(p_first >= 0.5, 1, 2), p_first, metrics, signature)


def _measure(key: Sequence[KeyRow], options: MetricOptions) -> tuple[dict[str, Floats], str]:
    """Metrics of HEvAS on the systems' headlines that have a reference, nan for all others, and the signature."""
    rows = [at for at, row in enumerate(key) if row.condition != GOLD and row.reference]
    if len(rows) < options.topics:
        raise InputError(
            f"--hevas needs {options.topics} headlines of systems that have a reference, the key has {len(rows)}: leave it out"
        )
    documents = Documents(
        tuple(key[at].item for at in rows),
        tuple(key[at].article for at in rows),
        tuple((key[at].reference,) for at in rows),
        "the key",
    )
    evaluation = evaluate(
        documents, [System("systems", tuple(key[at].headline for at in rows))], options=options
    )
    metrics = {metric: np.full(len(key), np.nan) for metric in evaluation.metrics}
    for metric, values in metrics.items():
        values[rows] = evaluation.scores(metric)[:, 0]
    return metrics, evaluation.signature
