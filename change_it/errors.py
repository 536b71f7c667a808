"""The one exception that means: the input is at fault, and the message says how to mend it; and what a terminal is shown of texts."""

import re

#: Libraries whose versions stand below the traceback of an error that is not the user's.
NAMED_LIBRARIES = ("torch", "transformers")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def escaped(text: str) -> str:
    """A text whose control characters, but tabs and line breaks, a terminal shows and does not obey."""
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


class InputError(ValueError):
    """Bad input. The message is one clear sentence that names the fix.

    The command line prints it on stderr without a traceback and exits with code 2; everything
    else that is raised is a fault of the package and keeps its traceback.
    """


def add_versions(error: BaseException) -> None:
    """Add a line to the traceback of an error.

    It names the installed versions of torch and transformers, and those that were tried.
    """
    note = versions_note()
    if note not in getattr(error, "__notes__", []):
        error.add_note(note)


def versions_note() -> str:
    """Return the sentence about versions; the range that was tried is the one that this package requires."""
    from importlib.metadata import PackageNotFoundError, requires, version  # takes longer than all else here

    installed = " and ".join(f"{name} {version(name)}" for name in NAMED_LIBRARIES)
    try:
        requirements = requires("change-it") or []
    except PackageNotFoundError:  # its files were copied, as into a Space
        requirements = []
    tried = []
    for requirement in requirements:
        name = re.split(r"[^\w.-]", requirement)[0]
        if name in NAMED_LIBRARIES:
            bounds = requirement.removeprefix(name).split(",")
            tried.append(name + ",".join(sorted(bounds, reverse=True)))  # >= before <
    return f"Installed: {installed}." + (f" Tried with: {', '.join(tried)}." if tried else "")
