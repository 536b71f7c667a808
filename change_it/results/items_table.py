"""All items of all systems as a table that sorts and filters in the page, without any other file: data, scripts and styles."""

import base64
import gzip
import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from urllib.parse import urlencode

import polars as pl
from markupsafe import Markup

from change_it.scoring.compliancy import JUDGE_NAMES, PROBABILITIES, VERDICT_NAMES, reasons
from change_it.tables import figure

#: Verdicts of an item in the order of the table.
ITEM_MEASURES = ("compliancy", *VERDICT_NAMES)
#: What of an item is no verdict.
GRADED = ("style", "acceptability")
_SIGNS = {True: "1", False: "0", None: "-"}
#: Reasons that the chart of refusals has, and characters of all articles that a page has at most.
REASONS, ARTICLES = 8, 20_000_000
#: The last row of the chart of refusals.
OTHERS = "other combinations"


@dataclass(frozen=True)
class ItemsTable:
    """The data of the table of items."""

    data: Markup  # base64 of compressed JSON
    styles: Markup
    script: Markup
    checksum: str  # of the script, as a Content-Security-Policy names it


def items_table(
    systems: Mapping[str, pl.DataFrame], first: str = "", articles: Mapping[str, str] | None = None
) -> ItemsTable:
    """The items of every system, a line for each headline: at first those of `first`; `articles` are by the ids of items."""
    found = articles if articles and sum(map(len, articles.values())) <= ARTICLES else {}
    record = json.dumps(_record(systems, first, found), ensure_ascii=False, separators=(",", ":"))
    package = files("change_it.results")
    names = ("tabulator.min.js", "tabulator.min.css", "LICENSE")
    library, styles, licence = ((package / "tabulator" / name).read_text(encoding="utf-8") for name in names)
    ours = (package / "templates" / "items.js").read_text(encoding="utf-8")
    without_maps = [re.sub(r"/[/*]# sourceMappingURL=\S+( \*/)?", "", text) for text in (library, styles)]
    script = f"/*\n{licence}*/\n{without_maps[0]}\n{ours}"
    digest = base64.b64encode(sha256(script.encode()).digest()).decode()
    packed = base64.b64encode(gzip.compress(record.encode(), mtime=0)).decode()
    return ItemsTable(Markup(packed), Markup(without_maps[1]), Markup(script), f"sha256-{digest}")


@dataclass(frozen=True)
class Refusals:
    """Why a system's headlines are refused.

    Attributes:
        system: its name.
        n: its headlines.
        counts: how many of them each of `refusals` has, `OTHERS` last.
    """

    system: str
    n: int
    counts: Mapping[str, int]

    def link(self, reason: str) -> str:
        """The address of these headlines in the table of items."""
        return f"#{urlencode({'system': self.system, 'refused': reason})}"


def refusals(systems: Mapping[str, pl.DataFrame], first: str) -> list[Refusals]:
    """For every system the same reasons: that nothing refuses a headline, then what most often does those of `first`; the rest together, so that they add up."""
    counts = {name: Counter(map(_reason, items["refused_by"])) for name, items in systems.items()}
    ranked = [reason for reason, _ in counts[first].most_common() if reason != "none"]
    ranked += [reason for reason, _ in sum(counts.values(), Counter()).most_common() if reason != "none"]
    shown = ["none", *dict.fromkeys(ranked)][:REASONS]
    found = []
    for name, of in counts.items():
        of_name = {each: of[each] for each in shown}
        found.append(Refusals(name, of.total(), of_name | {OTHERS: of.total() - sum(of_name.values())}))
    return found


def _reason(refused_by: str) -> str:
    """The names in a `refused_by`; `none` where there are none."""
    return " + ".join(reasons(refused_by)) or "none"


def named(refused_by: str) -> str:
    """A `refused_by`, or names of one, with the judges called as they are on every screen."""
    return re.sub(r"(?:^|(?<=; )|(?<=\+ ))\w+", lambda found: JUDGE_NAMES.get(found[0], found[0]), refused_by)


def _record(
    systems: Mapping[str, pl.DataFrame], first: str, articles: Mapping[str, str]
) -> dict[str, object]:
    """Each text once: items, and a row for every headline of a system, those of one item together."""
    items: dict[str, list[str]] = {}
    rows: dict[str, list[list[object]]] = {}
    for number, table in enumerate(systems.values()):
        for item in table.iter_rows(named=True):
            key = item["id"]
            items.setdefault(
                key, [key, item["direction"], item["source"], item["gold"], articles.get(key, "")]
            )
            verdicts = "".join(_SIGNS[item[name]] for name in ITEM_MEASURES)
            shown = {judge: item[name] for judge, name in PROBABILITIES.items() if judge in VERDICT_NAMES}
            probabilities = {judge: figure(p) for judge, p in shown.items() if p is not None}
            places = [(part["start"], part["end"]) for part in item["unsupported"]]
            line = [
                number,
                item["headline"],
                [None if item[name] is None else round(item[name], 3) for name in GRADED],
                verdicts,
                places,
                probabilities,
                item["refused_by"],
                _reason(item["refused_by"]),
            ]
            rows.setdefault(key, []).append(line)
    return {
        "systems": list(systems),
        "first": first,
        "graded": GRADED,
        "measures": ITEM_MEASURES,
        "names": JUDGE_NAMES,
        "items": list(items.values()),
        "rows": [[number, *row] for number, key in enumerate(items) for row in rows[key]],
    }
