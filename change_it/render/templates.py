"""Make the Jinja environments of pages and cards: a value that a template does not find is an error."""

import re

from jinja2 import BaseLoader, Environment, StrictUndefined

#: What could be markup in Markdown: all but letters, digits and a few marks.
_MARKUP = re.compile(r"[^\w ,.:;%·–'()-]")


def template_environment(loader: BaseLoader, *, autoescape: bool) -> Environment:
    """Return an environment for templates of HTML (`autoescape`) or Markdown.

    A line that has nothing but a tag leaves no empty line.
    """
    return Environment(
        loader=loader,
        undefined=StrictUndefined,
        autoescape=autoescape,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def without_markup(value: object) -> str:
    """Return a stranger's text for Markdown: what could be markup is written as entities."""
    return _MARKUP.sub(_entity, str(value))


def _entity(match: re.Match[str]) -> str:
    """Return the character that was found as an entity."""
    return f"&#{ord(match[0])};"
