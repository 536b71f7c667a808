"""Print how dense the code of a package is, room by room.

python -m tools.density change_it

The figures say where to look, and nothing fails by them. Below them stand the lowest and highest ones of
COMET, sacrebleu, setfit and sentence-transformers, as they were in November 2026.
"""

import ast
import io
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import tyro

#: Characters of a line, at most.
LONGEST_LINE = 110
#: First words of docstrings without a verb: articles, pronouns, prepositions, conjunctions, numbers.
NO_VERBS = (
    "a all an and any as at by each every few for from given how if in into its least less more most new no"
    " not of on one only other own same several since some such that the their these this those three to two"
    " up what when where whether which who whose why with without"
)
Function = ast.FunctionDef | ast.AsyncFunctionDef
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
#: Column of the table: what is counted, per how many of what.
COLUMNS = {
    "nodes a line": ("nodes", "lines", 1),
    "comprehensions": ("comprehensions", "lines", 1000),
    "tuples assigned": ("tuples assigned", "lines", 1000),
    "inline ifs": ("inline ifs", "lines", 1000),
    "trailing comments": ("trailing comments", "lines", 1000),
    "no verb, %": ("no verb", "docstrings", 100),
}
RELATIVES = ("relatives", "", "5.7-7.7", "10-23", "0-2.5", "3-8", "5-7", "1-12", "")


def count(source: str) -> Counter[str]:
    """Count what makes a module dense: lines of code, nodes of its syntax tree, and so on."""
    tree = ast.parse(source)
    found: Counter[str] = Counter()
    found["lines"] = len(_lines_of_code(source) - _lines_of_docstrings(tree))
    found["long lines"] = sum(len(line) > LONGEST_LINE for line in source.splitlines())
    found["trailing comments"] = _trailing_comments(source)
    for node in ast.walk(tree):
        found["nodes"] += 1
        found["comprehensions"] += isinstance(node, Comprehension)
        found["inline ifs"] += isinstance(node, ast.IfExp)
        found["tuples assigned"] += _assigns_a_tuple(node)
        if isinstance(node, Function) and (docstring := ast.get_docstring(node)):
            found["docstrings"] += 1
            found["no verb"] += not begins_with_a_verb(docstring)
    return found


def begins_with_a_verb(docstring: str) -> bool:
    """Return whether the first word of a docstring may be a verb."""
    first = docstring.split(maxsplit=1)[0].rstrip(".,:;").lower()
    return first.isalpha() and first not in NO_VERBS.split()


def _assigns_a_tuple(node: ast.AST) -> bool:
    """Return whether a statement is of the form `a, b = x, y`."""
    if not isinstance(node, ast.Assign):
        return False
    return isinstance(node.value, ast.Tuple) and isinstance(node.targets[0], ast.Tuple)


def _tokens(source: str) -> Iterator[tokenize.TokenInfo]:
    """Yield the tokens of a module."""
    return tokenize.generate_tokens(io.StringIO(source).readline)


def _lines_of_code(source: str) -> set[int]:
    """Return the numbers of the lines that hold more than a comment."""
    nothing = (
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
    )
    lines: set[int] = set()
    for token in _tokens(source):
        if token.type not in nothing:
            lines.update(range(token.start[0], token.end[0] + 1))
    return lines


def _lines_of_docstrings(tree: ast.AST) -> set[int]:
    """Return the numbers of the lines of docstrings: of modules, classes, functions and fields."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return lines


def _trailing_comments(source: str) -> int:
    """Count the comments that stand behind code."""
    comments = [token for token in _tokens(source) if token.type == tokenize.COMMENT]
    return sum(not comment.line.lstrip().startswith("#") for comment in comments)


def row_of(name: str, found: Counter[str]) -> tuple[str, ...]:
    """Return the cells of a room, in the order of the heading."""
    shares = []
    for counted, per, times in COLUMNS.values():
        value = times * found[counted] / max(1, found[per])
        shares.append(f"{value:.1f}")
    return (name, str(found["lines"]), *shares, str(found["long lines"]))


def main(package: Path, /) -> None:
    """Print a table with a line for each folder of a package, and one for all of it."""
    rooms: dict[str, Counter[str]] = {"all": Counter()}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).parts
        room = parts[0] if len(parts) > 1 else "(no folder)"
        found = count(path.read_text(encoding="utf-8"))
        rooms.setdefault(room, Counter()).update(found)
        rooms["all"].update(found)
    heading = (str(package), "lines of code", *COLUMNS, f"above {LONGEST_LINE}")
    rows = [heading, *(row_of(name, found) for name, found in rooms.items()), RELATIVES]
    for row in rows:
        print(f"{row[0]:<14}" + "".join(f"{cell:>18}" for cell in row[1:]))


if __name__ == "__main__":
    tyro.cli(main)
