"""Find what ships beside the modules: metrics, data set scripts, Spaces."""

from pathlib import Path

from change_it.errors import InputError


def metric_path(name: str) -> str:
    """Return the folder of our module `compliancy`, `headline_rouge` or `hevas`, for `evaluate.load`."""
    return str(shipped_path(f"metrics/{name}"))


def dataset_script_path(name: str = "change_it_splits") -> str:
    """Return the folder that holds the data set script `<name>.py` and the template of its card."""
    return str(shipped_path(f"dataset_scripts/{name}"))


def space_path(name: str = "headline_transfer") -> str:
    """Return the folder that holds the Space's `app.py`, card and requirements."""
    return str(shipped_path(f"spaces/{name}"))


def shipped_path(name: str) -> Path:
    """Return a file or folder that ships with the modules.

    It lies in the checkout's root, or in the folder `_shipped` of a wheel.

    Raises:
        InputError: there is none of this name.
    """
    package = Path(__file__).parents[1]
    for root in (package / "_shipped", package.parent):
        if (root / name).exists():
            return root / name
    raise InputError(f"the package ships no {name}")
