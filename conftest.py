"""Let pytest look for examples only in modules of the package that have some."""

from pathlib import Path

PACKAGE = Path(__file__).parent / "change_it"


def pytest_ignore_collect(collection_path):
    """Pass over modules without an example: to look into them, each process would load all libraries."""
    is_module = collection_path.suffix == ".py" and PACKAGE in collection_path.parents
    if is_module and ">>>" not in collection_path.read_text(encoding="utf-8"):
        return True
    return None
