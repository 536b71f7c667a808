"""Help texts of commands, made from their dataclasses of options, and the nearest name of a mistyped one."""

import ast
import inspect
import re
import shutil
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields
from difflib import get_close_matches
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import tyro

from change_it.errors import InputError

_WIDTH = 100  # columns at most
_INDENT = 22  # columns before the explanation of an option
_METAVARS = {str: "TEXT", Path: "PATH", int: "INT", float: "NUMBER"}
_POSITIONAL = get_args(tyro.conf.Positional[str])[1]
_WHEN_NOT_GIVEN = "when not given", "if not given"

#: A variant of a command, such as a model, to the defaults of its options by field name.
Variants = Mapping[str, Mapping[str, Any]]


def command_help(options: type, variants: Variants | None = None) -> str:
    """The help of a command: examples, what it does, then its options, those that are required first.

    Args:
        options: dataclass of the options; what it inherits stands in groups of their own.
        variants: defaults of options whose own is None.
    """
    width = _width()
    types = get_type_hints(options, include_extras=True)
    groups: dict[str, list[str]] = {"Required": [], "Options": []}
    texts: dict[str, str] = {}
    for base in reversed(options.__mro__[:-1]):
        own = _docstrings(base)
        texts |= own
        for each in fields(options):
            if each.name not in own or each.name in dict(_later(options, base)):
                continue
            positional = _is_positional(types[each.name])
            required = each.default is MISSING and each.default_factory is MISSING
            group = "Required" if required else "Options" if base is options else _title(base)
            text = texts[each.name]
            if not required:
                text += _default(each, text, variants or {})
            head = _metavar(types[each.name], each.name if positional else "")
            head = head if positional else f"{option_name(each.name)} {head}".rstrip()
            groups.setdefault(group, []).append(_entry(head, text, width))
    groups["Options"].append(_entry("-h, --help", "Show this help.", width))
    parts = [_described(inspect.getdoc(options) or "", width)]
    parts += [f"{group}:\n" + "\n".join(lines) for group, lines in groups.items() if lines]
    return "\n\n".join(parts)


def list_help(about: str, commands: Mapping[str, str]) -> str:
    """The help of a group of commands.

    Args:
        about: examples and what they are for, as a docstring.
        commands: each with its docstring, of which the first line is shown.
    """
    width = _width()
    rows = [_entry(name, text.partition("\n")[0], width) for name, text in commands.items()]
    return _described(about, width) + "\n\nCommands:\n" + "\n".join(rows)


def option_name(field: str) -> str:
    """A field as an option of the command line."""
    return f"--{field.replace('_', '-')}"


def check_options(command: str, options: type, arguments: Iterable[str]) -> None:
    """Refuse an option that the command does not have.

    Raises:
        InputError: names the nearest option that it has.
    """
    types = get_type_hints(options, include_extras=True)
    known = [option_name(each.name) for each in fields(options) if not _is_positional(types[each.name])]
    for argument in arguments:
        given = argument.partition("=")[0].replace("_", "-")
        if given == "--":
            break
        if given.startswith("--") and given not in known and not given.startswith("--tyro-"):
            raise InputError(_unknown(f"{command} has no option {given}", given, known))


def check_command(group: str, name: str, known: Iterable[str]) -> None:
    """Refuse a command that there is not.

    Raises:
        InputError: names the nearest one.
    """
    if name not in (names := list(known)):
        raise InputError(_unknown(f"{group} has no command {name}", name, names))


def _unknown(sentence: str, given: str, known: list[str]) -> str:
    near = get_close_matches(given, known, n=1, cutoff=0.5)
    return f"{sentence}: {f'did you mean {near[0]}?' if near else 'choose ' + ', '.join(known)}"


def _width() -> int:
    return min(_WIDTH, shutil.get_terminal_size((_WIDTH, 0)).columns)


def _docstrings(options: type) -> dict[str, str]:
    """The string below each field of a dataclass that it defines itself."""
    body = ast.parse(textwrap.dedent(inspect.getsource(options))).body[0]
    assert isinstance(body, ast.ClassDef)
    found = {}
    for field, text in zip(body.body, body.body[1:], strict=False):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(words))):
                found[name] = words
    return found


def _later(options: type, base: type) -> dict[str, str]:
    """Fields that a class between `base` and `options` defines again."""
    classes = options.__mro__[: options.__mro__.index(base)]
    return {name: text for one in classes for name, text in _docstrings(one).items()}


def _title(base: type) -> str:
    """What a class of options is about: its docstring up to the first comma or stop."""
    text = inspect.getdoc(base) or base.__name__
    return min((text.partition(mark)[0] for mark in (",", ".")), key=len)


def _described(text: str, width: int) -> str:
    """A docstring, its examples first, no line longer than `width`."""
    about, _, examples = text.partition("Examples:")
    joined = re.sub(
        r"(--[\w-]+) (?!-)", "\\1\u00a0", examples.strip()
    )  # no break between an option and its value
    lines = [
        textwrap.fill(line.strip(), width - 4, subsequent_indent="    ", break_on_hyphens=False)
        .replace("\n", " \\\n")
        .replace("\u00a0", " ")
        for line in joined.splitlines()
    ]
    shown = "Examples:\n" + textwrap.indent("\n".join(lines), "  ") + "\n\n" if examples else ""
    paragraphs = [textwrap.fill(" ".join(part.split()), width) for part in about.strip().split("\n\n")]
    return shown + "\n\n".join(paragraphs)


def _entry(head: str, text: str, width: int) -> str:
    """A name and its explanation beside it, or below it where the name is long."""
    indent = " " * _INDENT
    filled = textwrap.fill(
        text, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )
    first = f"  {head}"
    return f"{first:<{_INDENT}}{filled[_INDENT:]}" if len(first) < _INDENT else f"{first}\n{filled}"


def _is_positional(type_: Any) -> bool:
    return get_origin(type_) is Annotated and _POSITIONAL in get_args(type_)


def _metavar(type_: Any, name: str) -> str:
    """What stands for a value: the choices, the kind, or the name of a positional argument."""
    if get_origin(type_) is Annotated:
        type_ = get_args(type_)[0]
    if get_origin(type_) in (Union, UnionType):
        type_ = next(each for each in get_args(type_) if each is not NoneType)
    several = get_origin(type_) is tuple
    if several:
        type_ = get_args(type_)[0]
    if get_origin(type_) is Literal:
        shown = f"{name.upper()} {'|'.join(map(str, get_args(type_)))}".lstrip()
    else:
        shown = name.upper() or _METAVARS.get(type_, "")
    return f"{shown} ..." if several else shown


def _default(field: "Field[Any]", text: str, variants: Variants) -> str:
    """What holds when an option is not given, after its explanation."""
    value = field.default_factory() if field.default_factory is not MISSING else field.default
    by_value: dict[str, list[str]] = {}
    for name, values in variants.items():
        if value is None and values.get(field.name) is not None:
            by_value.setdefault(str(values[field.name]), []).append(name)
    if by_value:
        usual = ""
        if sum(map(len, by_value.values())) == len(variants):
            usual = max(by_value, key=lambda found: len(by_value[found]))
        parts = [f"{found} for {', '.join(names)}" for found, names in by_value.items() if found != usual]
        shown = "; ".join([*parts, *([f"{'else ' if parts else ''}{usual}"] if usual else [])])
    elif value in (None, "", ()):
        if any(words in text for words in _WHEN_NOT_GIVEN):
            return ""
        shown = "none"
    elif isinstance(value, bool):
        shown = "on" if value else "off"
    else:
        shown = " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return f" (default: {shown})"
