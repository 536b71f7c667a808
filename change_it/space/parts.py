"""Parts that the tabs share: limits, messages, HTML."""

import html
import unicodedata
from collections.abc import Callable
from functools import cache, wraps
from typing import Any

import gradio as gr
from jinja2 import ChoiceLoader, Environment, PackageLoader
from markupsafe import escape

from change_it.errors import InputError
from change_it.results.pages import environment

#: Characters of a headline and of an article.
HEADLINE, ARTICLE = 300, 20_000
#: Headlines that are offered for one original.
CANDIDATES = 8
#: An event of the page alone.
PRIVATE: dict[str, Any] = {"api_visibility": "private"}


def refused(handler: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a handler so that the page shows the sentence of its `InputError`."""

    @wraps(handler)
    def wrapped(*values: object, **named: Any) -> Any:
        try:
            return handler(*values, **named)
        except InputError as error:
            # Gradio shows a message as HTML.
            raise gr.Error(html.escape(str(error), quote=False), print_exception=False) from error

    return wrapped


def text_of(value: str | None, most: int, part: str) -> str:
    r"""Strip a text that was sent, and bring it to Unicode NFC; None becomes an empty text.

    Raises:
        InputError: it has more characters than `most`.

    Examples:
        >>> text_of(" a\ud800b ", 300, "headline")
        'a?b'
    """
    text = value or ""
    if len(text) > most:
        raise InputError(f"{part}: {len(text):,} characters are too many, at most {most:,} fit: shorten it")
    return unicodedata.normalize("NFC", text.encode("utf-8", "replace").decode()).strip()


@cache
def _templates() -> Environment:
    """Load the templates of the page, and those of the reports for their tables."""
    reports = environment()
    loaders = [PackageLoader("change_it.space"), *([reports.loader] if reports.loader else [])]
    ours = reports.overlay(loader=ChoiceLoader(loaders))
    ours.filters = reports.filters
    return ours


def render(template: str, **values: Any) -> str:
    """Fill a template of `templates`; every value is escaped."""
    return _templates().get_template(template).render(**values)


def notice(sentence: object) -> str:
    """Show a sentence in the place of results."""
    return f'<div class="ci-notice" role="status">{escape(sentence)}</div>'
