"""Jinja environments of pages and cards: a value that a template does not find is an error."""

import re

from jinja2 import BaseLoader, Environment, StrictUndefined


def template_environment(loader: BaseLoader, *, autoescape: bool) -> Environment:
    """Templates of HTML (`autoescape`) or Markdown, in which lines of tags alone leave nothing."""
    return Environment(
        loader=loader,
        undefined=StrictUndefined,
        autoescape=autoescape,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def without_markup(value: object) -> str:
    """A stranger's text in Markdown: what could be markup is written as entities."""
    return re.sub(r"[^\w ,.:;%·–'()-]", lambda match: f"&#{ord(match[0])};", str(value))
