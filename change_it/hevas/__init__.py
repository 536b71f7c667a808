"""HEvAS (2019): informativeness and readability of headlines, baselines and statistics, usable alone and without torch."""

from typing import TYPE_CHECKING

from change_it.lazy import lazy_attributes

if TYPE_CHECKING:
    from change_it.hevas.baseline_systems import baseline
    from change_it.hevas.documents import Documents, System, read_documents, read_systems
    from change_it.hevas.evaluation import Evaluation, evaluate
    from change_it.hevas.metric_options import MetricOptions

__all__ = [
    "Documents",
    "Evaluation",
    "MetricOptions",
    "System",
    "baseline",
    "evaluate",
    "read_documents",
    "read_systems",
]

__getattr__ = lazy_attributes(
    __name__,
    {
        "Documents": "documents",
        "Evaluation": "evaluation",
        "MetricOptions": "metric_options",
        "System": "documents",
        "baseline": "baseline_systems",
        "evaluate": "evaluation",
        "read_documents": "documents",
        "read_systems": "documents",
    },
)
