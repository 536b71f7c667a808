"""The templates of the pages; each page is one HTML file: opens offline, follows light and dark, reads on a phone."""

from functools import cache

from jinja2 import Environment, PackageLoader

from change_it import __version__
from change_it.results.items_table import named
from change_it.scoring.compliancy import JUDGE_NAMES, NO_CHECK
from change_it.tables import formatted
from change_it.templates import template_environment


@cache
def environment() -> Environment:
    """The templates of the pages: values are escaped, unknown ones refused."""
    templates = template_environment(PackageLoader("change_it.results"), autoescape=True)
    templates.filters |= {"formatted": formatted, "number": "{:,}".format}
    templates.globals |= {"version": __version__, "names": JUDGE_NAMES, "named": named, "no_check": NO_CHECK}
    return templates
