"""The examples in the help of commands."""

import inspect

from change_it.cli import LISTS, options_of


def first_example(words: list[str]) -> str:
    """The first line below `Examples:` in the help of a command or list of commands."""
    about = LISTS.get(" ".join(words) or "change-it") or inspect.getdoc(options_of(*words)) or ""
    return about.partition("Examples:\n")[2].strip().splitlines()[0]
