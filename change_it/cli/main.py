"""Run the `change-it` program: each command is a module of `change_it.cli` with its options and its run.

Only the module that is called is loaded, and no module for the help of a list. Each loads what is large only
once it runs.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import cache, partial
from importlib import import_module
from inspect import getdoc
from io import TextIOWrapper
from typing import Annotated, Any, Union, get_type_hints

import tyro

from change_it.cli.faults import exit_on_input_error
from change_it.cli.field_help import join_help
from change_it.cli.groups import grouped, ungrouped
from change_it.cli.help import SUMMARIES, command_help, list_help
from change_it.cli.version_report import version_lines
from change_it.errors import InputError

#: Commands, modules of `change_it.cli`, and the commands in each.
COMMANDS: dict[str, tuple[str, ...]] = {
    "quickstart": (),
    "corpus": ("sample", "build", "items"),
    "train": ("judge", "generator"),
    "transfer": (),
    "judge": (),
    "score": (),
    "audit": (),
    "hevas": (),
    "annotate": ("sheets", "pairs", "read", "score"),
    "demo": (),
    "push": (),
}
#: How tyro reads options: by their own names, flags without a value, no None, no help from comments. It would
#: read the source of every class of options for these.
TYRO_CONFIG = (
    tyro.conf.OmitArgPrefixes,
    tyro.conf.FlagCreatePairsOff,
    tyro.conf.PositionalMetavarFromFieldName,
    tyro.conf.SuppressFixed,
    tyro.conf.DisallowNone,
    tyro.conf.HelptextFromCommentsOff,
)
#: Names that options had, with their commands, and the names that they have now.
RENAMED = {("hevas", "--system"): "--predictions"}
#: Arguments that ask for the help of a command.
HELP = {"-h", "--help"}
#: Arguments that ask for the versions.
VERSION = (["--version"], ["-v"], ["version"])
#: Options of tyro that write or print the completion of commands and options.
COMPLETION = ("--tyro-write-completion", "--tyro-print-completion")
#: Shells that tyro knows.
SHELLS = ("bash", "zsh", "fish", "tcsh")
#: The highest seed that random generators take.
MAX_SEED = 2**32 - 1


def main(argv: Sequence[str] | None = None) -> int:
    """Run `change-it` and return its exit code; faults of the package raise.

    The code is 0 where the command is done, 2 for bad input, 130 after an interruption, and 141 where nobody
    reads the output.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal need not know every letter
    return exit_on_input_error(lambda: _call(arguments))


def _call(arguments: Sequence[str]) -> None:
    """Run the command that the first words name, or show the list that they lead to."""
    if list(arguments) in VERSION:
        print("\n".join(version_lines()))
        return
    if arguments[:1] and arguments[0] in COMPLETION:
        _write_completion(arguments)
        return
    words = _command_words(arguments)
    rest = arguments[len(words) :]
    members = _members(words)
    if not members:
        _run(words, rest)
        return
    if rest and rest[0] not in HELP:
        kind = "option" if rest[0].startswith("-") else "command"
        raise InputError(f"there is no {kind} {rest[0]}: give one of {', '.join(members)}")
    name = words[0] if words else ""
    print(list_help(name, members))


def _command_words(arguments: Sequence[str]) -> list[str]:
    """Return the first words that name a command, or a list of commands."""
    words: list[str] = []
    for word in arguments:
        if word not in _members(words):
            break
        words.append(word)
    return words


def _members(words: Sequence[str]) -> tuple[str, ...]:
    """Return the commands of a list, by the words that lead to it; a command that can run has none."""
    if not words:
        return tuple(COMMANDS)
    if len(words) == 1:
        return COMMANDS[words[0]]
    return ()


def _run(words: Sequence[str], arguments: Sequence[str]) -> None:
    """Read the options of a command and run it."""
    options = options_of(*words)
    _check_renamed(words, arguments)
    if words[0] == "train":
        _check_names(options, arguments)
    read_options = partial(
        tyro.cli,
        grouped(options),
        prog=" ".join(["change-it", *words]),
        description="",
        args=arguments,
        config=TYRO_CONFIG,
    )
    if _asks_for_help(arguments):
        print(command_help(getdoc(options) or "", read_options))
        return
    given = ungrouped(options, read_options())
    if not 0 <= getattr(given, "seed", 0) <= MAX_SEED:
        raise InputError(f"--seed {given.seed} is out of range: give a number from 0 to {MAX_SEED}")
    run = command_of(*words)
    run(given)


def _asks_for_help(arguments: Sequence[str]) -> bool:
    """Return whether a command is to explain itself, and not to run."""
    return not HELP.isdisjoint(arguments)


def _check_renamed(words: Sequence[str], arguments: Sequence[str]) -> None:
    """Refuse an option by the name that it had, and say its new one."""
    for argument in arguments:
        name = argument.partition("=")[0]
        new = RENAMED.get((" ".join(words), name))
        if new:
            raise InputError(f"{name} of {words[-1]} is called {new} now, as in change-it score: write {new}")


def _write_completion(arguments: Sequence[str]) -> None:
    """Let tyro write the completion of all commands and options for a shell."""
    shell = arguments[1] if len(arguments) > 1 else "no shell"
    if shell not in SHELLS:
        raise InputError(f"{arguments[0]} {shell} is not known: give {', '.join(SHELLS)}")
    tyro.cli(union_of(), prog="change-it", args=arguments, config=TYRO_CONFIG)


def _check_names(options: Any, arguments: Sequence[str]) -> None:
    """Refuse an argument of transformers' training that is given as an option, which `--arg` takes."""
    if _asks_for_help(arguments):
        return
    known = {field.name for field in fields(options)}
    unknown: dict[str, str] = {}
    for argument in arguments:
        option = argument.partition("=")[0]
        name = option.removeprefix("--").replace("-", "_")
        if option.startswith("--") and name not in known:
            unknown[option] = name
    if not unknown:
        return

    from transformers import TrainingArguments  # seconds

    theirs = {field.name for field in fields(TrainingArguments)}
    for option, name in unknown.items():
        if name in theirs:
            fault = f"{option} is an argument of transformers' TrainingArguments"
            raise InputError(f"{fault}: give it as --arg {name}=VALUE")


def command_of(*words: str) -> Callable[[Any], None]:
    """Return the function that runs a command.

    It is `run` of the module of its name, or the one of its name in the module of its list.
    """
    name = words[1] if len(words) > 1 else "run"
    return getattr(import_module(f"change_it.cli.{words[0]}"), name)


@cache
def options_of(*words: str) -> type:
    """Return the dataclass of a command's options, with its docstrings as the help shows them."""
    options = get_type_hints(command_of(*words))["options"]
    join_help(options)
    return options


def union_of(*words: str) -> Any:
    """Return a type for tyro of which each member is a command of a list, by the words that lead to it."""
    members = []
    for name in _members(words):
        longer = [*words, name]
        options = union_of(*longer) if _members(longer) else grouped(options_of(*longer))
        named = tyro.conf.subcommand(name, description=SUMMARIES[" ".join(longer)])
        members.append(Annotated[options, named])
    return Union[tuple(members)]  # noqa: UP007 (built at run time)
