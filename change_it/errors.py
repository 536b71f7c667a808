"""Tell bad input from faults of the package, and escape texts for a terminal."""

import re

#: Libraries whose versions stand below the traceback of an error that is not the user's.
NAMED_LIBRARIES = ("torch", "transformers")
#: Control characters, but tabs and line breaks.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def escaped(text: str) -> str:
    """Return a text whose control characters a terminal shows and does not obey.

    Tabs and line breaks stay.
    """
    return _CONTROL.sub(_code, text)


def _code(match: re.Match[str]) -> str:
    r"""Return the character that was found as its code, like \u001b."""
    return f"\\u{ord(match[0]):04x}"


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
    """Say which versions of the libraries are installed, and which were tried.

    The package requires the versions that it was tried with.
    """
    # Loading this takes longer than all else here.
    from importlib.metadata import PackageNotFoundError, requires, version

    versions = " and ".join(f"{name} {version(name)}" for name in NAMED_LIBRARIES)
    installed = f"Installed: {versions}."
    try:
        requirements = requires("change-it") or []
    except PackageNotFoundError:
        # The package was not installed: its files were copied, as into a Space.
        requirements = []
    tried = []
    for requirement in requirements:
        name = re.split(r"[^\w.-]", requirement)[0]
        if name in NAMED_LIBRARIES:
            # In reverse order >= comes before <.
            bounds = sorted(requirement.removeprefix(name).split(","), reverse=True)
            tried.append(name + ",".join(bounds))
    if not tried:
        return installed
    return f"{installed} Tried with: {', '.join(tried)}."
