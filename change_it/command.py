"""From one dataclass of options to a command line, the same way for every entry point.

A command's options are one dataclass whose field docstrings are the help texts (house rule 3). The
`change-it` program, `python -m` / `accelerate launch -m` entry points and the Python API all use it.
"""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import tyro

from change_it.errors import InputError

Options = TypeVar("Options")

#: Names that are fit for a file name.
_NAME = re.compile(r"\w[\w.+-]*")

TYRO_CONFIG = (tyro.conf.OmitArgPrefixes, tyro.conf.FlagCreatePairsOff)


def exit_on_input_error(call: Callable[[], None]) -> int:
    """Run `call`; bad input becomes one sentence on stderr and exit code 2.

    Args:
        call: what to run.

    Returns:
        The exit code: 0, or 2 after an `InputError`; 130 after Ctrl-C.
    """
    try:
        call()
    except InputError as error:
        print(f"change-it: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("change-it: interrupted", file=sys.stderr)
        return 130
    return 0


def main_of(options: type[Options], run: Callable[[Options], None], argv: Sequence[str] | None = None) -> int:
    """Parse `argv` into `options`, run, and return the exit code.

    Args:
        options: the command's dataclass.
        run: the command.
        argv: the arguments; `sys.argv[1:]` when None.

    Returns:
        The exit code for `sys.exit`.
    """
    parsed = tyro.cli(options, args=argv, config=TYRO_CONFIG)
    return exit_on_input_error(lambda: run(parsed))


def named_files(
    specs: Sequence[str], *, option: str, example: str, taken: Iterable[str] = ()
) -> Iterator[tuple[str, Path]]:
    """Names and files of `NAME=FILE` arguments.

    Args:
        specs: the arguments.
        option: name of the option, for messages.
        example: a good argument, for messages.
        taken: names that are used already; case does not tell names apart, since each becomes a file's name.

    Yields:
        Name and file of each.

    Raises:
        InputError: an argument without a name, a name that is taken or unfit for a file name.

    Example:
        >>> list(named_files(["mine=mine.csv"], option="--system", example="mine=mine.csv"))
        [('mine', PosixPath('mine.csv'))]
    """
    used = {name.lower() for name in taken}
    for spec in specs:
        name, equals, file = spec.partition("=")
        if not equals or not file or not _NAME.fullmatch(name):
            raise InputError(
                f"{option} {spec!r} is not NAME=FILE: write {option} {example} (letters, digits, . + - _)"
            )
        if name.lower() in used:
            raise InputError(f"{option} {spec!r}: the name {name} is taken, choose another")
        used.add(name.lower())
        yield name, Path(file)
