"""Hold what pages have in common: their templates, what aspects were validated on, and the table of items.

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
from itertools import chain
from typing import NamedTuple

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

#: Writes JSON without blanks.
_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
# A test compares the figures of these texts with the tables of benchmarks/.
#: What compliancy was validated on.
COMPLIANCY = (
    "It does not see the order of words: gold's own words, shuffled, keep .94 to 1.04 of gold's "
    "compliancy on five corpora. "
    "Among headlines that models wrote, HH and AH order as an LLM reader does (AUC .84 and .82, means "
    "of three corpora). "
    "On the worst corpus they have .74 and .79. "
    "At .5, the papers' threshold, both accept more than the LLM reader: of 40 headlines of the writer "
    "that ships, AH 39, the LLM reader 23."
)
#: What style was validated on.
STYLE = (
    "Validated by provenance alone, on two invented newspapers. "
    "There main tells their headlines on one event apart, and copies, clauses and gold come out in this "
    "order. "
    "Of four pairs of real newspapers it can be measured on one, in one direction, with two of three "
    "seeds. "
    "There a copy is not surely below a clause. "
    "Nobody was asked about style: people hardly tell two such newspapers apart."
)
#: What acceptability was validated on.
ACCEPTABILITY = (
    "Not shown to be what readers accept. "
    "The test was written down before an LLM reader read 730 headlines of two real pairs of newspapers "
    "and an invented one. "
    "Among headlines that models wrote, it orders no better than ROUGE-L to the original (AUC .80 and "
    ".78, means). "
    "On both real pairs ROUGE-L has more, not surely. "
    "With gold and baselines, without copies, acceptability is surely ahead on the invented pair alone. "
    "It ordered all 61 pairs of systems as the LLM reader did; older labels have counter-examples. "
    "On four real pairs of newspapers it stopped none of ten kinds of wrong content. "
    "It is no share of good headlines: read HH and AH beside it."
)
#: Characters of all articles together above which a page has none of them.
MAX_ARTICLE_CHARACTERS = 20_000_000


@cache
def environment() -> Environment:
    """Return the templates of the pages: values are escaped, and an unknown one is refused."""
    templates = template_environment(PackageLoader("change_it.report"), autoescape=True)
    templates.filters["formatted"] = formatted
    templates.filters["number"] = "{:,}".format
    templates.globals["version"] = __version__
    templates.globals["specs"] = JUDGES
    templates.globals["named"] = name_reasons
    templates.globals["no_check"] = NO_CHECK
    templates.globals["short_names"] = short_names
    templates.globals["judge_columns"] = judge_columns
    templates.globals["graded_aspects"] = graded_aspects
    templates.globals["aspect_columns"] = aspect_columns
    return templates


def name_reasons(reasons: Iterable[Mapping[str, str]]) -> str:
    """Return the reasons against a headline in one line, with the judges named as on every screen."""
    return refusals(reasons, judge_headings())


def judge_columns() -> dict[str, str]:
    """Return each judge to what the column of its verdicts means."""
    return {task: spec.wording.column for task, spec in JUDGES.items()}


def aspect_columns() -> dict[str, str]:
    """Return each aspect to what its column means."""
    return {name: aspect.about for name, aspect in ASPECTS.items()}


class ItemsTable(NamedTuple):
    """The table of items, which sorts and filters in the page without any other file.

    Attributes:
        data: base64 of compressed JSON.
        styles: the style sheet of the table.
        script: the program that shows it.
        checksum: the hash of the program, as a Content-Security-Policy names it.
    """

    data: Markup
    styles: Markup
    script: Markup
    checksum: str


def items_table(
    systems: Mapping[str, pl.DataFrame], first: str = "", articles: Mapping[str, str] | None = None
) -> ItemsTable:
    """Return the table of the items of every system, a line for each headline, with each text once.

    Args:
        systems: the items of each system.
        first: the system that is shown at first; empty for all.
        articles: the articles by the ids of items. They are left out where they are too long for a page.
    """
    packed = gzip.compress(_items_data(systems, first, _fitting(articles)).encode(), mtime=0)
    package = files("change_it.report")
    library = _library_text("tabulator.min.js")
    licence = _library_text("LICENSE")
    own = (package / "templates" / "items.js").read_text(encoding="utf-8")
    script = f"/*\n{licence}*/\n{library}\n{own}"
    digest = sha256(script.encode()).digest()
    styles = _library_text("tabulator.min.css")
    return ItemsTable(
        data=Markup(base64.b64encode(packed).decode()),
        styles=Markup(styles),
        script=Markup(script),
        checksum=f"sha256-{base64.b64encode(digest).decode()}",
    )


def _fitting(articles: Mapping[str, str] | None) -> Mapping[str, str]:
    """Return the articles; none where they are too long for a page."""
    if articles is None:
        return {}
    length = sum(len(article) for article in articles.values())
    if length > MAX_ARTICLE_CHARACTERS:
        return {}
    return articles


def _library_text(name: str) -> str:
    """Return a file of Tabulator, without the comment that names a source map."""
    text = (files("change_it.report") / "tabulator" / name).read_text(encoding="utf-8")
    return re.sub(r"/[/*]# sourceMappingURL=\S+( \*/)?", "", text)


def _items_data(systems: Mapping[str, pl.DataFrame], first: str, articles: Mapping[str, str]) -> str:
    """Return the content of the table of items as JSON, which `items.js` reads.

    Its rows are grouped by item, and each refers to the texts of its item by the id. A row is written at
    once, for as an object it takes five times the memory.
    """
    graded = graded_aspects()
    probabilities = probability_columns()
    measures = [*_verdicts_without_reason(), *JUDGES]
    columns = ["id", "headline", *graded, *measures, *probabilities.values(), "unsupported", "refused_by"]
    items: dict[str, dict[str, str]] = {}
    rows: dict[str, list[str]] = {}
    for system, table in systems.items():
        for item in table.select("id", "direction", "source", "gold").iter_rows(named=True):
            if item["id"] not in items:
                items[item["id"]] = {**item, "article": articles.get(item["id"], "")}
        figures = pl.col(pl.Float32, pl.Float64)
        rounded = table.select(columns).with_columns(figures.round(3))
        for row in rounded.iter_rows(named=True):
            rows.setdefault(row["id"], []).append(_COMPACT.encode({"system": system, **row}))
    head = {
        "systems": list(systems),
        "first": first,
        "graded": graded,
        "measures": measures,
        "probabilities": probabilities,
        "names": judge_headings(),
        "items": list(items.values()),
    }
    every_row = chain.from_iterable(rows.values())
    return f'{_COMPACT.encode(head).removesuffix("}")},"rows":[{",".join(every_row)}]}}'


def _verdicts_without_reason() -> list[str]:
    """Return the aspects that are verdicts and that no reason against a headline names."""
    return [name for name, aspect in ASPECTS.items() if aspect.is_verdict and aspect.reason is None]
