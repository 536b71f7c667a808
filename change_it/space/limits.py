"""How much the page takes of one person, and the sentences that say so."""

import html
import logging
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from change_it.errors import InputError
from change_it.space.words import say

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Limits:
    """Caps on what is sent.

    Attributes:
        headline: characters of a headline.
        article: characters of an article.
        candidates: headlines that are offered for one original.
        rows: rows of an uploaded table.
        systems: systems that are scored together.
        bytes: size of an uploaded file.
        queue: requests that wait; who comes later is told to try again.
        at_once: requests that are worked on at the same time.
    """

    headline: int = 300
    article: int = 20_000
    candidates: int = 8
    rows: int = 5_000
    systems: int = 10
    bytes: int = 10_000_000
    queue: int = 256
    at_once: int = 2


LIMITS = Limits()


def text_of(value: Any, most: int, part: str, language: str) -> str:
    r"""A text as it was sent: marks that cannot be shown are taken out, one that is too long is refused.

    Args:
        value: what was sent; None counts as empty.
        most: characters that are taken.
        part: key of the text's name, `transfer.headline`.
        language: of the message.

    Returns:
        The text in Unicode NFC, without control characters and lone halves of characters, stripped.

    Raises:
        InputError: it is no text, or too long.

    Example:
        >>> text_of(" a\x00b ", 300, "transfer.headline", "en")
        'a b'
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(say(language, "limits.text", part=say(language, part)))
    if len(value) > most:
        raise InputError(
            say(language, "limits.long", part=say(language, part), most=f"{most:,}", found=f"{len(value):,}")
        )
    shown = "".join(
        " " if unicodedata.category(sign) in ("Cc", "Cs") and sign not in "\n\t" else sign for sign in value
    )
    return unicodedata.normalize("NFC", shown).strip()


def friendly(handler: Callable[..., Any]) -> Callable[..., Any]:
    """A handler whose failures are one sentence in the reader's language; a fault of ours also goes to the log.

    Args:
        handler: a function whose last positional argument is the language.

    Returns:
        The same function, raising `gr.Error` alone.
    """
    import gradio as gr

    @wraps(handler)
    def wrapped(*values: Any, **named: Any) -> Any:
        try:
            return handler(*values, **named)
        except gr.Error:
            raise
        except InputError as error:
            # Gradio shows a message as HTML.
            raise gr.Error(html.escape(str(error), quote=False), print_exception=False) from error
        except Exception as error:
            log.exception("a request to the page failed")
            language = next((value for value in reversed(values) if value in ("it", "en")), "")
            raise gr.Error(say(language, "page.fault"), print_exception=False) from error

    return wrapped
