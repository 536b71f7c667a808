"""Help of options whose docstrings are broken over several lines."""

import inspect
from dataclasses import dataclass, fields

import pytest
import tyro

from change_it.cli.field_help import join_help


@dataclass(kw_only=True)
class Inherited:
    """Options that another command has, too.

    Attributes:
        depth: Levels that are read: the first
            one is 1.
    """

    depth: int = 1
    size: int
    """Kilobytes that are read at once:
    10 on a small machine,
    --size 100 elsewhere."""


@dataclass(kw_only=True)
class Options(Inherited):
    """Do something.

    Examples:
        change-it something --name b --size 1
        change-it something --name c
            --size 2
            --silent
    """

    name: str = "a"
    """What it is called.

    A second paragraph of
    two lines.
    """
    silent: bool = False


def test_field_docstring_becomes_one_line_for_each_paragraph():
    join_help(Options)
    assert {field.name: field.metadata.get("help") for field in fields(Options)} == {
        "depth": "Levels that are read: the first one is 1.",
        "size": "Kilobytes that are read at once: 10 on a small machine, --size 100 elsewhere.",
        "name": "What it is called.\n\nA second paragraph of two lines.",
        "silent": None,
    }


def test_wrapped_example_becomes_one_line():
    join_help(Options)
    assert inspect.getdoc(Options) == (
        "Do something.\n\nExamples:\n"
        "    change-it something --name b --size 1\n"
        "    change-it something --name c --size 2 --silent"
    )


def test_help_shows_wrapped_docstring_on_one_line(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    join_help(Options)
    with pytest.raises(SystemExit):
        tyro.cli(Options, args=["--help"])
    lines = [line for line in capsys.readouterr().out.splitlines() if "Kilobytes" in line]
    assert "read at once: 10 on a small machine, --size 100 elsewhere." in lines[0]
