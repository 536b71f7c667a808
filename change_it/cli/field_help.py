"""Make the docstrings of options the help of a command, wherever their lines are broken.

tyro reads the docstrings of fields itself, but with their indents, and would begin a new line of the help at each of
theirs. It prefers the metadata `help` of a field, as fields of transformers' arguments have it.
"""

import ast
import inspect
from collections.abc import Iterator
from dataclasses import fields
from textwrap import dedent
from types import MappingProxyType
from typing import Any

#: The indent of a line that continues an example of a docstring, whose examples have half of it.
CONTINUATION = " " * 8


def join_help(options: Any) -> None:
    """Join the lines of the docstrings of a dataclass and of its fields, as the help of a command shows them."""
    options.__doc__ = join_examples(options.__doc__ or "")
    docstrings: dict[str, str] = {}
    for owner in reversed(options.__mro__):
        if owner is not object:
            docstrings.update(_field_docstrings(owner))
    for field in fields(options):
        if field.name in docstrings and "help" not in field.metadata:
            text = join_lines(docstrings[field.name])
            field.metadata = MappingProxyType({**field.metadata, "help": text})


def join_examples(docstring: str) -> str:
    """Return a docstring in which each example is one line; what continues it is indented by 4 more than it."""
    lines: list[str] = []
    for line in inspect.cleandoc(docstring).splitlines():
        if line.startswith(CONTINUATION):
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line)
    return "\n".join(lines)


def join_lines(docstring: str) -> str:
    """Return a docstring with one line for each paragraph."""
    paragraphs = inspect.cleandoc(docstring).split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _field_docstrings(owner: type) -> Iterator[tuple[str, str]]:
    """Yield the names of a class's own fields and the strings that follow them in its source.

    There are none where the package is installed without its source.
    """
    try:
        source = inspect.getsource(owner)
    except OSError:
        return
    definition = ast.parse(dedent(source)).body[0]
    if not isinstance(definition, ast.ClassDef):
        return
    name = ""
    for statement in definition.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name)):
                continue
            case ast.Expr(value=ast.Constant(value=str(text))) if name:
                yield name, text
        name = ""
