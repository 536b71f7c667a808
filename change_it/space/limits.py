"""How much the page takes of one person, and the sentences of what it refuses."""

import html
import logging
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from change_it.errors import InputError
from change_it.translation import LANGUAGES, Message, localized, translate

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Limits:
    """Caps on what is sent."""

    headline: int = 300
    """Characters of a headline."""
    article: int = 20_000
    """Characters of an article."""
    name: int = 60
    """Characters of a system's name."""
    candidates: int = 8
    """Headlines that are offered for one original."""
    rows: int = 5_000
    """Rows of an uploaded table."""
    systems: int = 10
    """Systems that are scored together."""
    bytes: int = 10_000_000
    """Size of an uploaded file."""
    uploads: int = 1_000_000_000
    """Size of all files that were uploaded or are handed out; the oldest make room."""
    queue: int = 1024
    """Requests that wait; later ones are refused."""
    visits: int = 500
    """Visits whose state is kept, some 200 kB each; every request that names no session is one."""
    batch: int = 32
    """Requests that the models answer together."""
    batches: int = 2
    """Batches at the same time: while one is judged, headlines are written for the other."""
    at_once: int = 96
    """Requests to the models that have a thread: those of two batches, and those that wait for the next."""
    threads: int = 112
    """Requests of all kinds that have a thread."""


LIMITS = Limits()


def printable(text: str) -> str:
    """A text with spaces for control characters and lone surrogates, in Unicode NFC."""
    shown = "".join(
        " " if unicodedata.category(sign) in ("Cc", "Cs") and sign not in "\n\t" else sign for sign in text
    )
    return unicodedata.normalize("NFC", shown)


def text_of(value: object, most: int, part: str) -> str:
    r"""A text as it was sent, printable and stripped; `part` is the key of its name, `transfer.headline`.

    Raises:
        InputError: it is no text, or has more characters than `most`.

    Examples:
        >>> text_of(" a\x00b ", 300, "transfer.headline")
        'a b'
    """
    if value is None:
        return ""
    name = Message(part)
    if not isinstance(value, str):
        raise InputError(Message("limits.text", part=name))
    if len(value) > most:
        raise InputError(Message("limits.long", part=name, most=most, found=len(value)))
    return printable(value).strip()


def friendly(handler: Callable[..., Any]) -> Callable[..., Any]:
    """A handler that takes the language after all texts, with failures as one sentence in that language.

    An internal fault also goes to the log.
    """
    import gradio as gr

    @wraps(handler)
    def wrapped(*values: object, **named: Any) -> Any:
        language = next((value for value in reversed(values) if value in list(LANGUAGES)), "")
        try:
            return handler(*values, **named)
        except gr.Error:
            raise
        except InputError as error:
            # Gradio shows a message as HTML.
            raise gr.Error(
                html.escape(localized(language, error), quote=False), print_exception=False
            ) from error
        except Exception as error:
            log.exception("a request to the page failed")
            raise gr.Error(translate(language, "page.fault"), print_exception=False) from error

    return wrapped
