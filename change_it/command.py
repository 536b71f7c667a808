"""From a dataclass of options, whose field docstrings are the help texts, to a command line."""

import os
import select
import sys
from collections.abc import Callable
from typing import TypeVar

import tyro

from change_it.errors import InputError
from change_it.io import disk_fault
from change_it.io.locks import keep_locks

Options = TypeVar("Options")

TYRO_CONFIG = (tyro.conf.OmitArgPrefixes, tyro.conf.FlagCreatePairsOff)


def exit_on_input_error(call: Callable[[], None]) -> int:
    """Run `call`; bad input and faults of the disk become one sentence on stderr and exit code 2, Ctrl-C 130, `| head` 141."""
    try:
        with keep_locks():
            call()
        sys.stdout.flush()
    except InputError as error:
        print(f"change-it: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("change-it: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        if not _output_is_gone():
            raise
        return 141
    except BaseException as error:
        if not (reason := disk_fault(error)):
            raise
        place = getattr(error, "filename", None)
        print(f"change-it: {f'{place}: ' if place else ''}{reason}", file=sys.stderr)
        return 2
    return 0


def _output_is_gone() -> bool:
    """Whether nobody reads what is printed any more; what is still to be printed is dropped then."""
    output = select.poll()
    output.register(sys.stdout.fileno(), 0)
    gone = any(event & select.POLLERR for _, event in output.poll(0))
    if gone:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return gone


def main_of(options: type[Options], run: Callable[[Options], None]) -> int:
    """Parse the command line into `options`, run, and return the exit code."""
    parsed = tyro.cli(options, config=TYRO_CONFIG)
    return exit_on_input_error(lambda: run(parsed))
