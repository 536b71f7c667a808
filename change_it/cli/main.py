"""The `change-it` program: a table of commands, each of a module of `change_it.cli` with its options, its check and its run.

Only the module that is called is loaded, those of a list for its help. They load what is large only once they run.
"""

import errno
import os
import re
import select
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import fields
from importlib import import_module
from inspect import cleandoc, getdoc
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any, Union, get_type_hints

import tyro

from change_it.cli.field_help import join_help
from change_it.errors import InputError, add_versions, escaped
from change_it.files.atomic import WRITING
from change_it.version import __version__

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
#: What the package is for; README, pyproject.toml, mkdocs.yml and CITATION.cff have the same sentence.
DESCRIPTION = (
    "Score headlines rewritten in another newspaper's style: "
    "did the style change, did the story stay, can you trust the scores?"
)
#: The help of a list of commands, by the word before it.
LISTS = {
    "": f"""{DESCRIPTION}

    `change-it COMMAND --help` explains a command; `eval "$(change-it --tyro-print-completion bash)"` (or zsh) completes commands and options.

    Examples:
        change-it quickstart
        change-it judge "Ponte crollato, scuole chiuse" --original "Crolla il ponte: chiuse le scuole" --article article.txt
    """,
    "corpus": "Sample and build a corpus of two outlets, and list what systems rewrite.",
    "train": "Train judges or a generator.",
    "annotate": "Ask people or models about headlines and pairs, and score their answers.",
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
#: Seeds that random generators take are below.
SEEDS = 2**32


def main(argv: Sequence[str] | None = None) -> int:
    """Run `change-it`; the exit code is 0 done, 2 bad input, 130 interrupted, 141 nobody reads the output. Faults of the package raise."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments in (["--version"], ["-v"], ["version"]):
        print(f"change-it {__version__}")
        return 0
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal need not know every letter
    return exit_on_input_error(lambda: _call(arguments))


def _call(arguments: Sequence[str]) -> None:
    """Run the command that the first words name, or show the list that they lead to."""
    words: list[str] = []
    choices: Sequence[str] = list(COMMANDS)
    for word in arguments:
        if word not in choices:
            break
        choices = () if words else COMMANDS[word]
        words.append(word)
    program, rest = " ".join(["change-it", *words]), arguments[len(words) :]
    if choices and rest and not rest[0].startswith("-"):
        raise InputError(f"there is no command {rest[0]}: give one of {', '.join(choices)}")
    options = union_of(*words) if choices else options_of(*words)
    for name in (argument.partition("=")[0] for argument in rest):
        if new := RENAMED.get((" ".join(words), name)):
            raise InputError(f"{name} of {words[-1]} is called {new} now, as in change-it score: write {new}")
    if words[:1] == ["train"] and not choices:
        _check_names(options, rest)
    text = cleandoc(LISTS["".join(words)]) if choices else getdoc(options)
    arguments = rest or ["--help"] if choices else rest
    parsed = tyro.cli(options, prog=program, description=text, args=arguments, config=TYRO_CONFIG)
    if not 0 <= getattr(parsed, "seed", 0) < SEEDS:
        raise InputError(f"--seed {parsed.seed} is out of range: give a number from 0 to {SEEDS - 1}")
    command_of(*words)(parsed)


def _check_names(options: Any, arguments: Sequence[str]) -> None:
    """Refuse an argument of transformers' training that is given as an option, which `--arg` takes."""
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
    """A type for tyro of which each member is a command of a list with the first line of its help."""
    members = []
    for name in COMMANDS[words[0]] if words else COMMANDS:
        is_list = not words and bool(COMMANDS[name])
        options = union_of(name) if is_list else options_of(*words, name)
        help_text = LISTS[name] if is_list else getdoc(options) or ""
        first = help_text.partition("\n")[0]
        members.append(Annotated[options, tyro.conf.subcommand(name, description=first)])
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
