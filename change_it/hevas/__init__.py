"""HEvAS: informativeness and readability of headlines, baselines, statistics and charts, usable alone.

Formulas are pure functions over texts or numpy arrays (HEvAS 2019); nothing here imports torch, and what
`evaluate` and `read_documents` need is loaded when they are asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from change_it.hevas.baselines import baseline
    from change_it.hevas.documents import Documents, System, read_documents, read_systems
    from change_it.hevas.evaluation import Evaluation, evaluate
    from change_it.hevas.options import MetricOptions

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

_MODULES = {
    "Documents": "documents",
    "Evaluation": "evaluation",
    "MetricOptions": "options",
    "System": "documents",
    "baseline": "baselines",
    "evaluate": "evaluation",
    "read_documents": "documents",
    "read_systems": "documents",
}


def __getattr__(name: str) -> Any:
    """The names of the package, each when it is asked for (PEP 562)."""
    if name in _MODULES:
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
