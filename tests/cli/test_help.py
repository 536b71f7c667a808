"""The help of every command: groups, width, values, defaults and examples."""

import re
import shlex
from contextlib import redirect_stdout
from dataclasses import dataclass, fields
from functools import cache
from io import StringIO
from typing import Literal, get_args, get_origin, get_type_hints
from unittest.mock import patch

import pytest
import tyro

from change_it.cli.groups import GROUPS, REQUIRED, REST, grouped, ungrouped
from change_it.cli.help import PURPOSES, SUMMARIES, broken
from change_it.cli.main import COMMANDS, TYRO_CONFIG, main, options_of, union_of

LISTS = ["", *(name for name, members in COMMANDS.items() if members)]
LEAVES = [f"{name} {member}".strip() for name, members in COMMANDS.items() for member in members or [""]]
COLUMNS = 80
#: Defaults that say nothing.
EMPTY = ("(default: )", "(default: None)", "(default: False)")


@cache
def help_of(words):
    """Return the help of a command on a terminal of 80 columns."""
    with patch.dict("os.environ", COLUMNS=str(COLUMNS)), redirect_stdout(StringIO()) as shown:
        assert main([*words.split(), "--help"]) == 0
    return shown.getvalue()


@cache
def all_commands():
    """Return the type of all commands, which takes a second."""
    return union_of()


@pytest.mark.parametrize("words", [*LISTS, *LEAVES])
def test_help_fits_80_columns(words):
    assert [line for line in help_of(words).splitlines() if len(line) > COLUMNS] == []


@pytest.mark.parametrize("words", LEAVES)
def test_options_are_grouped_and_the_required_come_first(words):
    text = help_of(words)
    titles = re.findall(r"[╭+][─-] ([a-z ]+) [─-]", text)
    known = ["positional arguments", "options", *(f"{name} options" for name in (REQUIRED, *GROUPS, REST))]
    assert titles == [title for title in known if title in titles]
    assert "(required)" not in text.partition(" input options ")[2]


@pytest.mark.parametrize("words", LEAVES)
def test_no_default_says_nothing(words):
    text = help_of(words)
    assert not [empty for empty in EMPTY if empty in text]
    assert not re.search(r"(?m)^[│|] +[│|]$", text)


@pytest.mark.parametrize("words", LEAVES)
def test_help_lists_the_values_of_options(words):
    text = help_of(words)
    for option, kind in get_type_hints(options_of(*words.split())).items():
        for part in (kind, *get_args(kind)):
            if get_origin(part) is Literal:
                missing = [value for value in get_args(part) if value not in text]
                assert missing == [], option


@pytest.mark.parametrize("words", [*LISTS, *LEAVES])
def test_help_has_two_examples_that_parse(words):
    _, _, examples = help_of(words).partition("Examples:\n")
    lines = examples.partition("\n\n")[0].replace("\\\n", " ").splitlines()
    commands = [shlex.split(line.partition(" <")[0]) for line in lines]
    assert len(commands) > 1
    for program, *arguments in commands:
        assert program in ("change-it", "accelerate")
        if program == "change-it":
            tyro.cli(all_commands(), args=arguments, config=TYRO_CONFIG)


@pytest.mark.parametrize("words", LEAVES)
def test_help_and_list_begin_with_the_same_verb(words):
    _, text, *_ = help_of(words).split("\n\n")
    assert text.split()[0].lower() == SUMMARIES[words].split()[0].strip(",")


def test_lists_have_every_command():
    assert sorted(SUMMARIES) == sorted({*COMMANDS, *LEAVES})
    assert sorted(name for names in PURPOSES.values() for name in names) == sorted(COMMANDS)


@dataclass(kw_only=True)
class Options:
    """Do something."""

    files: tyro.conf.Positional[tuple[str, ...]] = ()
    input: str
    out: str | None = None
    unheard_of: int = 3


def test_groups_are_read_back_as_the_options_of_the_command():
    groups = {field.name for field in fields(grouped(Options))}
    assert groups == {"files", "required", "output", "advanced"}
    arguments = ["a.csv", "--input", "b", "--unheard-of", "4"]
    parsed = tyro.cli(grouped(Options), args=arguments, config=TYRO_CONFIG)
    assert ungrouped(Options, parsed) == Options(files=("a.csv",), input="b", unheard_of=4)


def test_command_is_broken_before_options_where_a_shell_reads_on():
    command = "    change-it judge 'a  b -- c' --article - --json < article.txt"
    lines = list(broken(command, 40))
    assert max(map(len, lines)) <= 40
    assert shlex.split("\n".join(lines).replace("\\\n", " ")) == shlex.split(command)


def test_lists_are_shown_without_a_command(capsys):
    for words in LISTS:
        assert main(words.split()) == 0
        assert f"change-it {words}".strip() in capsys.readouterr().out.splitlines()[0]
