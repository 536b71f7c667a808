"""Headline style transfer between two newspapers: aligned data, trained judges, compliancy.

`import change_it` loads neither torch nor transformers. Models join the Auto classes with
`import change_it.auto`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from change_it.errors import InputError
from change_it.files.shipped import dataset_script_path, metric_path, space_path
from change_it.version import __version__

if TYPE_CHECKING:
    from change_it.corpus.change_it_splits import ChangeItSplits
    from change_it.generators.transfer import HeadlineTransfer
    from change_it.scoring.api import compute_compliancy
    from change_it.scoring.panel import Judges

__all__ = [
    "ChangeItSplits",
    "HeadlineTransfer",
    "InputError",
    "Judges",
    "__version__",
    "compute_compliancy",
    "dataset_script_path",
    "metric_path",
    "space_path",
]

#: Module of each name that is loaded when it is first used. They load torch, polars or datasets.
_MODULES = {
    "ChangeItSplits": "corpus.change_it_splits",
    "HeadlineTransfer": "generators.transfer",
    "Judges": "scoring.panel",
    "compute_compliancy": "scoring.api",
}


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
