"""The `change-it` program: a table of commands, each of a module of `change_it.commands` with its options, its check and its run.

Only the module that is called is loaded, those of a list for its help. They load what is large only once they run.
"""

import errno
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from difflib import get_close_matches
from importlib import import_module
from inspect import cleandoc, getdoc
from io import TextIOWrapper
from typing import Annotated, Any, Union, get_type_hints

import tyro

from change_it import __version__
from change_it.errors import InputError, escaped

#: Commands, modules of `change_it.commands`, and the commands in each.
COMMANDS: dict[str, tuple[str, ...]] = {
    "quickstart": (),
    "corpus": ("sample", "build", "items"),
    "train": ("judge", "generator"),
    **dict.fromkeys(("transfer", "judge", "score", "audit", "hevas"), ()),
    "annotate": ("sheets", "pairs", "read", "score"),
    "demo": (),
    "push": (),
}
#: The help of a list of commands, by the word before it.
LISTS = {
    "": """Headline style transfer between two newspapers: aligned data, generators, trained judges, compliancy.

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
)
#: Seeds that random generators take are below.
SEEDS = 2**32
#: Options that a help text has last, in this order: training, output, statistics, hardware.
LAST = [
    *("epochs", "batch_size", "arg", "resume", "max_minutes", "checkpoint_minutes", "out", "json", "verbose"),
    *("resamples", "seed", "engine", "address", "concurrency", "precision", "device"),
]


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
    called: list[str] = []
    choices: Sequence[str] = list(COMMANDS)
    for word in arguments:
        if word not in choices:
            break
        choices = () if called else COMMANDS[word]
        called.append(word)
    program, rest = " ".join(["change-it", *called]), arguments[len(called) :]
    if choices:
        if rest and not rest[0].startswith("-"):
            raise _unknown(f"there is no command {rest[0]}", rest[0], choices, program)
        _parsed(union_of(*called), program, cleandoc(LISTS["".join(called)]), rest or ["--help"])
        return
    options = options_of(*called)
    names = [*map(flag, fields(options)), "--help"]
    for word in rest:  # tyro lists required options first
        name = word.partition("=")[0].replace("_", "-")
        if re.fullmatch("--(?!tyro-)[a-z][a-z-]*", name) and name not in names:
            raise _unknown(f"{' '.join(called)} has no option {name}", name, names, program)
    parsed = _parsed(options, program, getdoc(options) or "", rest)
    if not 0 <= getattr(parsed, "seed", 0) < SEEDS:
        raise InputError(f"--seed {parsed.seed} is out of range: give a number from 0 to {SEEDS - 1}")
    command_of(*called)(parsed)


def _unknown(fault: str, word: str, known: Sequence[str], program: str) -> InputError:
    near = get_close_matches(word, known, n=1)
    return InputError(f"{fault}: {f'did you mean {near[0]}?' if near else f'see {program} --help'}")


def command_of(*words: str) -> Callable[[Any], None]:
    """The function that runs a command: `run` of the module of its name, or the one of its name in the module of its list."""
    return getattr(import_module(f"change_it.commands.{words[0]}"), words[1] if words[1:] else "run")


def options_of(*words: str) -> type:
    """The dataclass of a command's options."""
    return get_type_hints(command_of(*words))["options"]


def flag(field: Field[Any]) -> str:
    """The option of a field."""
    return ("--no-" if field.default is True else "--") + field.name.replace("_", "-")


def _parsed(options: Any, program: str, about: str, arguments: Sequence[str]) -> Any:
    """The options that arguments give; tyro prints help and what cannot be parsed, and exits."""
    config: tuple[Any, ...] = TYRO_CONFIG
    if {"-h", "--help"} & {*arguments}:  # what makes help texts plainer, but not what is parsed
        config = (*config, tyro.conf.DisallowNone)
        options = in_order(options) if is_dataclass(options) else options
    return tyro.cli(options, prog=program, description=about, args=arguments, config=config)


def in_order(options: Any) -> type:
    """A dataclass of options in the order of a help text: required ones first, those of `LAST` last."""

    def place(field: Field[Any]) -> tuple[bool, int]:
        has_default = field.default is not MISSING or field.default_factory is not MISSING
        return has_default, LAST.index(field.name) if field.name in LAST else -1

    ordered = {field.name: field for field in sorted(fields(options), key=place)}
    return type(options.__name__, (options,), {"__dataclass_fields__": ordered})


def union_of(*words: str) -> Any:
    """A type for tyro of which each member is a command of a list with the first line of its help."""
    members = []
    for name in COMMANDS[words[0]] if words else COMMANDS:
        is_list = not words and bool(COMMANDS[name])
        options = union_of(name) if is_list else options_of(*words, name)
        about = LISTS[name] if is_list else getdoc(options) or ""
        members.append(Annotated[options, tyro.conf.subcommand(name, description=about.partition("\n")[0])])
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
        said = str(error)
    except KeyboardInterrupt as error:
        code, said = 130, f"interrupted: {getattr(error, '__notes__', ['no result was replaced'])[0]}"
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is still to be printed
        return 141
    except MemoryError:
        said = "there is not enough memory for this input: give it in parts"
    except Exception as error:
        if not (fault := _os_error(error)):
            raise
        file = [getattr(error, "filename", None), *getattr(error, "__notes__", [])][-1]
        said = f"{f'{file}: ' if file else ''}{fault}"
    print(escaped(f"change-it: {said}"), file=sys.stderr)
    return code


def _os_error(error: Exception) -> str:
    """A fault of a file or disk in words, as libraries in Rust say it too; empty for every other exception."""
    in_rust = re.search(r"\(os error (\d+)\)", str(error))
    number = int(in_rust[1]) if in_rust else getattr(error, "errno", None)
    if "PytorchStreamWriter" in str(error):  # torch does not say why it could not write
        number = errno.ENOSPC
    if not number:
        return ""
    mend = "; free some, and call the same command again" if number == errno.ENOSPC else ""
    return f"{os.strerror(number)}{mend}"


if __name__ == "__main__":
    sys.exit(main())
