"""No private name of another package, but the hooks that libraries document for those who extend their classes."""

import ast
import inspect
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import change_it

CHECKOUT = Path(__file__).parents[1]
FOLDERS = ("change_it", "metrics", "dataset_scripts", "spaces", "examples", "benchmarks", "tools", "tests")
#: Of `typing.NamedTuple` and `os`; of models and pipelines of transformers; of `datasets` and `evaluate`.
DOCUMENTED = {
    *("_asdict", "_replace", "_exit"),
    *("_init_weights", "_tied_weights_keys", "_sanitize_parameters", "_forward"),
    *(
        "_info",
        "_split_generators",
        "_generate_examples",
        "_generate_tables",
        "_download_and_prepare",
        "_compute",
    ),
}


def private(name):
    return name.startswith("_") and not name.endswith("__") and name != "_"


def defined(tree):
    """Names that a file defines: functions, classes, variables and attributes."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name


def foreign(tree, own):
    """Private names that a file takes and no file of ours defines."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name, ctx=ast.Load()) if private(name) and name not in own:
                yield f"{node.lineno}: .{name}"
            case ast.ImportFrom(module=module, level=0) if module.split(".")[0] not in FOLDERS:
                names = [*module.split("."), *(alias.name for alias in node.names)]
                yield from (f"{node.lineno}: {name}" for name in names if private(name) and name not in own)


@pytest.fixture(scope="module")
def trees():
    """The syntax trees of all files, by path."""
    paths = [path for folder in FOLDERS for path in (CHECKOUT / folder).rglob("*.py")]
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}


@pytest.fixture(scope="module")
def own(trees):
    return {name for tree in trees.values() for name in defined(tree)}


def test_no_private_name_of_another_package_is_read(trees, own):
    assert len(trees) > 200
    assert [f"{path}:{at}" for path, tree in trees.items() for at in foreign(tree, own | DOCUMENTED)] == []


def test_no_private_name_of_another_package_is_overridden(own):
    modules = [import_module(each.name) for each in walk_packages(change_it.__path__, "change_it.")]
    classes = {each for module in modules for _, each in inspect.getmembers(module, inspect.isclass)}
    ours = {each for each in classes if each.__module__.startswith("change_it.")}
    assert len(ours) > 100
    faults = [
        f"{each.__module__}.{each.__name__}.{name}"
        for each in ours
        for name in own & vars(each).keys() - DOCUMENTED
        if private(name) and any(name in vars(base) for base in {*each.__mro__} - ours)
    ]
    assert faults == []
