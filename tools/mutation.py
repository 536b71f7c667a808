"""Which small faults in the source no test notices, as JSON: a seeded sample of mutants, each run against the tests.

    python -m tools.mutation --modules change_it.scoring --tests tests/scoring tests/test_compliancy_metric.py
    python -m tools.mutation --modules change_it.hevas --tests tests/hevas --sample 100

A mutant is one module with one comparison, sign, condition or number changed. Large libraries are loaded once; each mutant
runs in a fork of this process, in which its module has the changed source: first the module's own examples and the test
files that name it, then the others. The process ends with 1 below `--least`.
"""

# ruff: noqa: D102 (methods of `ast.NodeTransformer`)
import ast
import json
import os
import random
import re
import resource
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest
import tyro

#: What the tests need of other packages, loaded before the forks.
LIBRARIES = (
    "hypothesis.strategies",
    "xdist",
    "typeguard",
    "torch",
    "transformers",
    "datasets",
    "evaluate",
    "polars",
    "scipy.stats",
    "scipy.sparse.linalg",
    "sklearn.decomposition",
    "gensim.models",
    "networkx",
    "sacrebleu",
    "rouge_score.rouge_scorer",
    "pyphen",
)

#: Arguments that change nothing that a caller of correct code sees.
UNSEEN = ("strict", "repr")

SWAPPED: dict[type[ast.AST], Any] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Pow: ast.Mult,
}


@dataclass(kw_only=True)
class Options:
    """Mutate modules and run tests."""

    modules: tuple[str, ...]
    """Packages or modules whose source is changed."""
    tests: tuple[Path, ...]
    """Test files, and folders of them: what pytest runs for each mutant, until the first failure."""
    sample: int = 60
    """Mutants, at most."""
    seed: int = 1
    """Of the sample."""
    seconds: int = 100
    """A mutant that keeps the processor busy for longer, or the tests ten times as long, counts as noticed."""
    least: float = 0.85
    """Share of the mutants that must be noticed."""


@dataclass(frozen=True)
class Mutant:
    """One change: the `index`-th of a module."""

    module: str
    path: Path
    index: int


class Mutator(ast.NodeTransformer):
    """Counts the places that can be changed, and changes one of them.

    Docstrings, messages of errors, annotations and decorators stay as they are.
    """

    def __init__(self, chosen: int = -1) -> None:
        self.chosen, self.count, self.line, self.was, self.becomes = chosen, 0, 0, "", ""

    def _mutate(self, node: Any, changed: ast.AST) -> Any:
        here = self.count == self.chosen
        self.count += 1
        if not here:
            return node
        self.line, self.was = node.lineno, ast.unparse(node)
        self.becomes = ast.unparse(ast.fix_missing_locations(ast.copy_location(changed, node)))
        return changed

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        return node if node.arg in UNSEEN else self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.value = self.visit(node.value) if node.value else None
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        first, *others = node.ops
        return self._mutate(node, ast.Compare(node.left, [SWAPPED[type(first)](), *others], node.comparators))

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        return self._mutate(node, ast.BoolOp(SWAPPED[type(node.op)](), node.values))

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        swapped = SWAPPED.get(type(node.op))
        return self._mutate(node, ast.BinOp(node.left, swapped(), node.right)) if swapped else node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return self._mutate(node, node.operand) if isinstance(node.op, ast.Not | ast.USub) else node

    def visit_If(self, node: ast.If) -> ast.AST:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return node
        self.generic_visit(node)
        if isinstance(node.test, ast.Name | ast.Attribute | ast.Call):
            node.test = self._mutate(node.test, ast.UnaryOp(ast.Not(), node.test))
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        return self._mutate(node, ast.IfExp(node.test, node.orelse, node.body))

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        match node.value:
            case bool(value):
                return self._mutate(node, ast.Constant(not value))
            case int(value) | float(value):
                return self._mutate(node, ast.Constant(value + 1))
        return node


def mutants(modules: Sequence[str]) -> Iterator[Mutant]:
    """All mutants of the modules and of the modules of the packages."""
    for name in modules:
        spec = find_spec(name)
        assert spec is not None, name
        assert spec.origin is not None, name
        paths = sorted(Path(spec.origin).parent.glob("*.py")) if spec.submodule_search_locations else []
        for path in paths or [Path(spec.origin)]:
            module = name if path.stem == "__init__" or not paths else f"{name}.{path.stem}"
            counting = Mutator()
            counting.visit(ast.parse(path.read_text(encoding="utf-8")))
            yield from (Mutant(module, path, index) for index in range(counting.count))


class Finder(MetaPathFinder):
    """Gives one module another source."""

    def __init__(self, module: str, path: Path, code: CodeType) -> None:
        self.module, self.path, self.code = module, str(path), code

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The module's usual place, with a loader that has the other source."""
        if name != self.module:
            return None
        spec = PathFinder.find_spec(name, path)
        code = self.code

        class Loader(SourceFileLoader):
            def get_code(self, fullname: str) -> CodeType:
                return code

        assert spec is not None
        spec.loader = Loader(name, self.path)
        return spec


def test_files(mutant: Mutant, tests: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """The module itself, for its examples, with the test files that name it, and the other test files."""
    every = [
        file for path in tests for file in ([path] if path.is_file() else sorted(path.glob("test_*.py")))
    ]
    parts = mutant.module.split(".")
    naming = re.compile(
        rf"{re.escape(mutant.module)}\b|from {re.escape('.'.join(parts[:-1]))} import .*\b{parts[-1]}\b"
    )
    named = [file for file in every if naming.search(file.read_text(encoding="utf-8"))]
    return [mutant.path, *named], [file for file in every if file not in named]


def passes(files: Sequence[Path]) -> bool:
    """Whether the fast tests in files pass; so do none at all."""
    arguments = ["-x", "-q", "-p", "no:cacheprovider", "-m", "not slow", *map(str, files)]
    return not files or pytest.main(arguments) in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)


def outcome(mutant: Mutant, code: CodeType, options: Options) -> str:
    """Whether a mutant is `noticed` by the tests, keeps them `too long`, or has `SURVIVED`."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (options.seconds, options.seconds))
        signal.alarm(10 * options.seconds)
        sys.meta_path.insert(0, Finder(mutant.module, mutant.path, code))
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        status = 1
        try:
            import_module(mutant.module)
            status = not all(map(passes, test_files(mutant, options.tests)))
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return "SURVIVED" if status == 0 else "noticed" if status > 0 else "too long"


def main(options: Options) -> int:
    """Print how many mutants are noticed and what the others are."""
    everything = list(mutants(options.modules))
    chosen = random.Random(options.seed).sample(everything, min(options.sample, len(everything)))
    for name in LIBRARIES:
        import_module(name)
    loaded = [name for name in sys.modules if name.startswith(tuple(options.modules))]
    assert not loaded, f"{loaded} would not be loaded again"
    plain = ast.parse(chosen[0].path.read_text(encoding="utf-8"))
    as_it_is = outcome(chosen[0], compile(plain, chosen[0].path, "exec"), options)
    assert as_it_is == "SURVIVED", f"the tests fail without a change: {as_it_is}"
    found: dict[str, list[str]] = {"noticed": [], "too long": [], "SURVIVED": []}
    for number, mutant in enumerate(sorted(chosen, key=lambda one: (one.module, one.index)), start=1):
        mutator = Mutator(mutant.index)
        tree = ast.fix_missing_locations(mutator.visit(ast.parse(mutant.path.read_text(encoding="utf-8"))))
        change = f"{mutant.path.name}:{mutator.line}: {mutator.was} -> {mutator.becomes}"
        became = outcome(mutant, compile(tree, mutant.path, "exec"), options)
        print(f"{number}/{len(chosen)} {became} {change}", file=sys.stderr)
        found[became].append(change)
    share = 1 - len(found["SURVIVED"]) / max(1, len(chosen))
    report = {"mutants": len(everything), "sample": len(chosen), "noticed": round(share, 3)}
    lists = {"too long": found["too long"], "survivors": found["SURVIVED"]}
    print(json.dumps(report | lists, indent=2, ensure_ascii=False))
    return 0 if share >= options.least else 1


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Options)))
