"""Headline style transfer between two newspapers: aligned data, trained judges, compliancy.

`import change_it` loads neither torch nor transformers; models join the Auto classes with `import change_it.auto`.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from change_it.errors import InputError

if TYPE_CHECKING:
    from change_it.corpus.change_it_splits import ChangeItSplits
    from change_it.generators.transfer import HeadlineTransfer
    from change_it.scoring.api import compute_compliancy
    from change_it.scoring.panel import Judges

__version__ = "0.2.0"
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


_MODULES = {
    "ChangeItSplits": "corpus.change_it_splits",
    "HeadlineTransfer": "generators.transfer",
    "Judges": "scoring.panel",
    "compute_compliancy": "scoring.api",
}


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:  # they load torch, polars or datasets
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def metric_path(name: str) -> str:
    """Return the folder of our `evaluate` module `compliancy`, `headline_rouge` or `hevas`, for `evaluate.load`."""
    return str(shipped_path(f"metrics/{name}"))


def dataset_script_path(name: str = "change_it_splits") -> str:
    """Return the folder that holds the data set script `<name>.py` and the template of its card."""
    return str(shipped_path(f"dataset_scripts/{name}"))


def space_path(name: str = "headline_transfer") -> str:
    """Return the folder that holds the Space's `app.py`, card and requirements."""
    return str(shipped_path(f"spaces/{name}"))


def shipped_path(name: str) -> Path:
    """Return a file or folder that ships with the modules: in the checkout's root, in the folder `_shipped` of a wheel.

    Raises:
        InputError: there is none of this name.
    """
    package = Path(__file__).parent
    for root in (package / "_shipped", package.parent):
        if (root / name).exists():
            return root / name
    raise InputError(f"the package ships no {name}")
