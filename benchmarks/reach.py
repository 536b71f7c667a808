"""Count the modules and lines of `change_it` that an entry point reaches by its imports.

Imports in functions count, too. It prints JSON.

    python benchmarks/reach.py [FOLDER OF A CHECKOUT]

What only type checkers import is left out.
"""

import ast
import json
import re
import sys
from pathlib import Path

ENTRIES = {
    "change-it score": "change_it/cli/score.py",
    "HeadlineTransfer.__call__": "change_it/generators/transfer.py",
    "compute of compliancy": "metrics/compliancy/compliancy.py",
    "change-it train judge": "change_it/cli/train.py",
    "change-it corpus build": "change_it/cli/corpus.py",
}


def imports(node: ast.AST) -> set[str]:
    """Names that a module imports, each of `from a import b` as `a` and as `a.b`."""
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return set()
    if isinstance(node, ast.Import):
        return {one.name for one in node.names}
    if isinstance(node, ast.ImportFrom):
        return {str(node.module), *(f"{node.module}.{one.name}" for one in node.names)}
    return {name for child in ast.iter_child_nodes(node) for name in imports(child)}


def main(checkout: Path) -> dict[str, dict[str, int]]:
    """Entry to how many modules and lines it reaches."""
    texts = {path: path.read_text(encoding="utf-8") for path in (checkout / "change_it").rglob("*.py")}
    modules = {
        ".".join(path.relative_to(checkout).with_suffix("").parts).removesuffix(".__init__"): path
        for path in texts
    }
    lazy = re.findall(r'"(\w+)": "([\w.]+)"', texts[checkout / "change_it/__init__.py"])
    modules |= {f"change_it.{name}": modules[f"change_it.{module}"] for name, module in lazy}
    counts = {}
    for entry, start in ENTRIES.items():
        reached, todo = set[Path](), [checkout / start]
        while todo:
            if (path := todo.pop()) not in reached:
                reached.add(path)
                todo += [
                    modules[name] for name in imports(ast.parse(path.read_text("utf-8"))) & modules.keys()
                ]
        ours = reached & texts.keys()
        counts[entry] = {"modules": len(ours), "lines": sum(texts[path].count("\n") for path in ours)}
    return counts


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1] if sys.argv[1:] else ".").resolve()), indent=1))
