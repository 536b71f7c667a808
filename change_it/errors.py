"""The one exception that means: the input is at fault, and the message says how to mend it; and what a terminal is shown of texts."""

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def escaped(text: str) -> str:
    """A text whose control characters, but tabs and line breaks, a terminal shows and does not obey."""
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


class InputError(ValueError):
    """Bad input. The message is one clear sentence that names the fix.

    The command line prints it on stderr without a traceback and exits with code 2; everything
    else that is raised is a fault of the package and keeps its traceback.
    """
