"""The `change-it` program: commands, each a module of `change_it.cli` with its options, its checks and its run.

Only the module that is called is loaded, and no module for the help of a list. Each loads what is large only once
it runs.
"""

import errno
import os
import re
import select
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import fields
from functools import partial
from importlib import import_module
from inspect import getdoc
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any, Union, get_type_hints

import tyro

from change_it.cli.field_help import join_help
from change_it.cli.groups import grouped, ungrouped
from change_it.cli.help import SUMMARIES, command_help, list_help
from change_it.cli.version_report import version_lines
from change_it.errors import InputError, add_versions, escaped
from change_it.files.atomic import WRITING

#: Commands, modules of `change_it.cli`, and the commands in each.
COMMANDS: dict[str, tuple[str, ...]] = {
    "quickstart": (),
    "corpus": ("sample", "build", "items"),
    "train": ("judge", "generator"),
    **dict.fromkeys(("transfer", "judge", "score", "audit", "hevas"), ()),
    "annotate": ("sheets", "pairs", "read", "score"),
    "demo": (),
    "push": (),
}
TYRO_CONFIG = (
    tyro.conf.OmitArgPrefixes,
    tyro.conf.FlagCreatePairsOff,
    tyro.conf.PositionalMetavarFromFieldName,
    tyro.conf.SuppressFixed,
    tyro.conf.DisallowNone,
)
#: Errors of a disk that is full, or of a user's share of it.
_FULL = {errno.ENOSPC, errno.EDQUOT}
#: Errors of reading and writing files. Those of connections and processes are none.
_OF_FILES = _FULL | {
    *(errno.ENOENT, errno.EACCES, errno.EPERM, errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.ENOTEMPTY),
    *(
        errno.EROFS,
        errno.EIO,
        errno.EFBIG,
        errno.ENAMETOOLONG,
        errno.ELOOP,
        errno.EBUSY,
        errno.ETXTBSY,
        errno.EXDEV,
    ),
    *(errno.ENODEV, errno.ENXIO, errno.ESTALE, errno.ENFILE, errno.EMFILE),
}
#: Options that were called otherwise, by their commands.
RENAMED = {("hevas", "--system"): "--predictions"}
#: Arguments that ask for the help of a command.
HELP = {"-h", "--help"}
#: Arguments that ask for the versions.
VERSION = (["--version"], ["-v"], ["version"])
#: Options of tyro that print or write the completion of commands and options, and the shells that it knows.
COMPLETION = ("--tyro-write-completion", "--tyro-print-completion")
SHELLS = ("bash", "zsh", "fish", "tcsh")
#: Seeds that random generators take are below.
SEEDS = 2**32


def main(argv: Sequence[str] | None = None) -> int:
    """Run `change-it` and return its exit code; faults of the package raise.

    The code is 0 where the command is done, 2 for bad input, 130 after an interruption, and 141 where nobody reads the
    output.
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
    print(list_help("".join(words), members))


def _command_words(arguments: Sequence[str]) -> list[str]:
    """Return the first words that name a command, or a list of commands."""
    words: list[str] = []
    for word in arguments:
        if word not in _members(words):
            break
        words.append(word)
    return words


def _members(words: Sequence[str]) -> tuple[str, ...]:
    """Return the commands of a list by the words that lead to it, none of a command that can run."""
    if not words:
        return tuple(COMMANDS)
    return COMMANDS[words[0]] if len(words) == 1 else ()


def _run(words: Sequence[str], arguments: Sequence[str]) -> None:
    """Read the options of a command and run it."""
    options = options_of(*words)
    _check_renamed(words, arguments)
    if words[0] == "train":
        _check_names(options, arguments)
    program = " ".join(["change-it", *words])
    parse = partial(
        tyro.cli, grouped(options), prog=program, description="", args=arguments, config=TYRO_CONFIG
    )
    if _asks_for_help(arguments):
        print(command_help(getdoc(options) or "", parse))
        return
    parsed = parse()
    given = ungrouped(options, parsed)
    if not 0 <= getattr(given, "seed", 0) < SEEDS:
        raise InputError(f"--seed {given.seed} is out of range: give a number from 0 to {SEEDS - 1}")
    command_of(*words)(given)


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
    given = [word.partition("=")[0] for word in arguments if word.startswith("--")]
    names = {word: word.removeprefix("--").replace("-", "_") for word in given}
    unknown = {word: name for word, name in names.items() if name not in known}
    if not unknown:
        return
    from transformers import TrainingArguments  # seconds

    theirs = {field.name for field in fields(TrainingArguments)}
    for word, name in unknown.items():
        if name in theirs:
            fault = f"{word} is an argument of transformers' TrainingArguments"
            raise InputError(f"{fault}: give it as --arg {name}=VALUE")


def command_of(*words: str) -> Callable[[Any], None]:
    """The function that runs a command: `run` of the module of its name, or the one of its name in the module of its list."""
    return getattr(import_module(f"change_it.cli.{words[0]}"), words[1] if words[1:] else "run")


def options_of(*words: str) -> type:
    """Return the dataclass of a command's options, with its docstrings as the help shows them."""
    options = get_type_hints(command_of(*words))["options"]
    join_help(options)
    return options


def union_of(*words: str) -> Any:
    """Return a type for tyro of which each member is a command of a list, by the words that lead to it."""
    members = []
    for name in _members(words):
        options = union_of(*words, name) if _members([*words, name]) else grouped(options_of(*words, name))
        description = SUMMARIES[" ".join([*words, name])]
        members.append(Annotated[options, tyro.conf.subcommand(name, description=description)])
    return Union[tuple(members)]  # noqa: UP007 (built at run time)


def exit_on_input_error(call: Callable[[], None]) -> int:
    """Run `call`; bad input and faults of the disk become one sentence on stderr and exit code 2 (tyro exits itself where it cannot parse), Ctrl-C 130, `| head` 141."""
    code = 2
    try:
        try:
            call()
        finally:
            sys.stdout.flush()  # here it is seen whether anybody reads it
        return 0
    except InputError as error:
        message = str(error)
    except KeyboardInterrupt as error:
        code = 130
        message = f"interrupted: {getattr(error, '__notes__', ['no result was replaced'])[0]}"
    except BrokenPipeError:
        if not _nobody_reads():
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is still to be printed
        return 141
    except MemoryError:
        message = "there is not enough memory for this input: give it in parts"
    except Exception as error:
        fault = disk_fault(error)
        if not fault:
            if "transformers" in sys.modules:
                add_versions(error)
            raise
        message = fault
    print(escaped(f"change-it: {message}"), file=sys.stderr)
    return code


def _nobody_reads() -> bool:
    """Return whether what read the output, or the messages, has gone; so it is taken where the system cannot say it."""
    if not hasattr(select, "poll"):
        return True
    waiting = select.poll()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # one that is no file
            waiting.register(stream.fileno(), select.POLLOUT)
    gone = select.POLLERR | select.POLLHUP
    return any(event & gone for _, event in waiting.poll(0))


def disk_fault(error: Exception) -> str:
    """Return a sentence about a fault of reading or writing a file of the user's; empty for any other.

    It is the user's where the error was raised while a file was written, where the system names a file that is not the
    program's own, or where a disk is full.
    """
    text = str(error)
    in_rust = re.search(r"\(os error (\d+)\)", text)  # polars and safetensors
    number = int(in_rust[1]) if in_rust else getattr(error, "errno", None)
    if "PytorchStreamWriter" in text:  # torch does not say why it could not write
        number = errno.ENOSPC
    if not isinstance(number, int) or number not in _OF_FILES:
        return ""
    notes = [
        note.removeprefix(WRITING) for note in getattr(error, "__notes__", []) if note.startswith(WRITING)
    ]
    named = getattr(error, "filename", None)
    names = notes or ([os.fsdecode(named)] if isinstance(named, str | bytes | os.PathLike) else [])
    if number not in _FULL and (not names or _is_ours(names[-1])):
        return ""
    mend = "; free some, and call the same command again" if number in _FULL else ""
    return f"{f'{names[-1]}: ' if names else ''}{os.strerror(number)}{mend}"


def _is_ours(file: str) -> bool:
    """Return whether a file is of the package or of the Python that runs it."""
    path = Path(file).absolute()
    return any(
        path.is_relative_to(folder) for folder in (Path(__file__).parents[1], sys.prefix, sys.base_prefix)
    )
