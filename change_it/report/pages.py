"""The pages: their templates, what each aspect was validated on, and the table of all items.

Each page is one HTML file, opens offline, follows light and dark, reads on a phone.
"""

import base64
import gzip
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, NamedTuple

import polars as pl
from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from change_it.judges.spec import JUDGES, short_names
from change_it.render.tables import formatted
from change_it.render.templates import template_environment
from change_it.scoring.aspects import (
    ASPECTS,
    NO_CHECK,
    graded_aspects,
    judge_headings,
    probability_columns,
    refusals,
)
from change_it.version import __version__

# What each aspect was validated on, which reports show. Their figures are compared with the tables of benchmarks/ by a test.
COMPLIANCY = (
    "It does not see the order of words: gold's own words, shuffled, keep .94 to 1.04 of gold's compliancy on five corpora. "
    "Among headlines that models wrote, HH and AH order as an LLM reader does (AUC .84 and .82, means of three corpora). "
    "On the worst corpus they have .74 and .79. "
    "At .5, the papers' threshold, both accept more than the LLM reader: of 40 headlines of the writer that ships, AH 39, "
    "the LLM reader 23."
)
STYLE = (
    "Validated by provenance alone, on two invented newspapers. There main tells their headlines on one event apart, and "
    "copies, clauses and gold come out in this order. "
    "Of four pairs of real newspapers it can be measured on one, in one direction, with two of three seeds. "
    "There a copy is not surely below a clause. "
    "Nobody was asked about style: people hardly tell two such newspapers apart."
)
ACCEPTABILITY = (
    "Not shown to be what readers accept. "
    "The test was written down before an LLM reader read 730 headlines of two real pairs of newspapers and an invented one. "
    "Among headlines that models wrote, it orders no better than ROUGE-L to the original (AUC .80 and .78, means). "
    "On both real pairs ROUGE-L has more, not surely. "
    "With gold and baselines, without copies, acceptability is surely ahead on the invented pair alone. "
    "It ordered all 61 pairs of systems as the LLM reader did; older labels have counter-examples. "
    "On four real pairs of newspapers it stopped none of ten kinds of wrong content. "
    "It is no share of good headlines: read HH and AH beside it."
)
#: Characters of all articles that a page has, at most.
ARTICLES = 20_000_000


@cache
def environment() -> Environment:
    """The templates of the pages: values are escaped, unknown ones refused."""
    templates = template_environment(PackageLoader("change_it.report"), autoescape=True)
    templates.filters |= {"formatted": formatted, "number": "{:,}".format}
    templates.globals |= {"version": __version__, "specs": JUDGES, "named": named, "no_check": NO_CHECK}
    templates.globals |= {"short_names": short_names, "judge_columns": judge_columns}
    templates.globals |= {"graded_aspects": graded_aspects, "aspect_columns": aspect_columns}
    return templates


def named(reasons: Iterable[Mapping[str, str]]) -> str:
    """Return reasons against a headline with the judges called as they are on every screen."""
    return refusals(reasons, judge_headings())


def judge_columns() -> dict[str, str]:
    """Return what the columns of the judges' verdicts mean."""
    return {task: spec.wording.column for task, spec in JUDGES.items()}


def aspect_columns() -> dict[str, str]:
    """Return what the columns of the aspects mean."""
    return {name: aspect.about for name, aspect in ASPECTS.items()}


class ItemsTable(NamedTuple):
    """The data of the table of items, which sorts and filters in the page without any other file."""

    data: Markup  # base64 of compressed JSON
    styles: Markup
    script: Markup
    checksum: str  # of the script, as a Content-Security-Policy names it


def items_table(
    systems: Mapping[str, pl.DataFrame], first: str = "", articles: Mapping[str, str] | None = None
) -> ItemsTable:
    """The items of every system, a line for each headline, each text once: at first those of `first`; `articles` are by the ids of items."""
    if not articles or sum(map(len, articles.values())) > ARTICLES:
        articles = {}
    items: dict[str, dict[str, str]] = {}
    rows: list[dict[str, Any]] = []
    graded = graded_aspects()
    # what speaks against a headline is among the reasons beside it
    shown = [name for name, aspect in ASPECTS.items() if aspect.is_verdict and aspect.reason is None]
    measures = (*shown, *JUDGES)
    probabilities = probability_columns()
    values = (*graded, *measures, *probabilities.values())
    columns = ["id", "headline", *values, "unsupported", "refused_by"]
    for system, table in systems.items():
        for item in table.iter_rows(named=True):
            shared = {name: item[name] for name in ("id", "direction", "source", "gold")}
            items.setdefault(item["id"], shared | {"article": articles.get(item["id"], "")})
        rounded = table.select(columns).with_columns(pl.col(pl.Float32, pl.Float64).round(3))
        rows += [{"system": system, **row} for row in rounded.iter_rows(named=True)]
    places = {key: place for place, key in enumerate(items)}
    record = {
        "systems": list(systems),
        "first": first,
        "graded": graded,
        "measures": measures,
        "probabilities": probabilities,
        "names": judge_headings(),
        "items": list(items.values()),
        "rows": sorted(rows, key=lambda row: places[row["id"]]),
    }
    data = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()
    package = files("change_it.report")
    names = ("tabulator.min.js", "tabulator.min.css", "LICENSE")
    texts = [(package / "tabulator" / name).read_text(encoding="utf-8") for name in names]
    library, styles, licence = (re.sub(r"/[/*]# sourceMappingURL=\S+( \*/)?", "", text) for text in texts)
    own = (package / "templates" / "items.js").read_text(encoding="utf-8")
    script = f"/*\n{licence}*/\n{library}\n{own}"
    digest = base64.b64encode(sha256(script.encode()).digest()).decode()
    packed = base64.b64encode(gzip.compress(data, mtime=0)).decode()
    return ItemsTable(Markup(packed), Markup(styles), Markup(script), f"sha256-{digest}")
