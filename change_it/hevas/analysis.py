"""The statistics of an evaluation: systems compared by every metric, and the metrics with each other."""

from dataclasses import dataclass
from typing import Any

from change_it.hevas.evaluation import Evaluation
from change_it.hevas.statistics import Comparison, Correlations, compare, correlations

#: Name of the average over all metrics in tables of metrics.
OVERALL = "average"


@dataclass(frozen=True)
class Analysis:
    """What the values say.

    Attributes:
        comparisons: `average`, over all metrics after normalisation, and each metric to its comparison.
        correlations: between all metrics (HEvAS 2019, Table 3).
    """

    comparisons: dict[str, Comparison]
    correlations: Correlations

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "comparisons": {name: found.as_dict() for name, found in self.comparisons.items()},
            "correlations": self.correlations.as_dict(),
        }


def analyse(evaluation: Evaluation, *, resamples: int = 1000, seed: int = 1) -> Analysis:
    """Compare the systems by every metric.

    Args:
        evaluation: the values.
        resamples: bootstrap resamples of the intervals.
        seed: their seed.

    Returns:
        Comparisons and correlations.
    """
    scores = {name: evaluation.scores(name) for name in evaluation.metrics}
    overall = {OVERALL: evaluation.overall_items} if evaluation.averaged else {}
    return Analysis(
        {
            name: compare(values, evaluation.systems, resamples=resamples, seed=seed)
            for name, values in {**overall, **scores}.items()
        },
        correlations(scores),
    )
