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

#: What of an item is no verdict, and its verdicts in the order of the table.
GRADED, ITEM_MEASURES = ("style", "acceptability"), ("compliancy", *VERDICT_NAMES)
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
    """The items of every system, a line for each headline, each text once: at first those of `first`; `articles` are by the ids of items."""
    if not articles or sum(map(len, articles.values())) > ARTICLES:
        articles = {}
    items: dict[str, list[str]] = {}
    rows: dict[str, list[list[object]]] = {}
    for number, table in enumerate(systems.values()):
        for item in table.iter_rows(named=True):
            key = item["id"]
            shared = [key, item["direction"], item["source"], item["gold"], articles.get(key, "")]
            items.setdefault(key, shared)
            p = {name: item[column] for name, column in PROBABILITIES.items() if name in VERDICT_NAMES}
            line = [
                number,
                item["headline"],
                [None if item[name] is None else round(item[name], 3) for name in GRADED],
                "".join(_SIGNS[item[name]] for name in ITEM_MEASURES),
                [(part["start"], part["end"]) for part in item["unsupported"]],
                {name: figure(value) for name, value in p.items() if value is not None},
                item["refused_by"],
                _reason(item["refused_by"]),
            ]
            rows.setdefault(key, []).append(line)
    record = {
        "systems": list(systems),
        "first": first,
        "graded": GRADED,
        "measures": ITEM_MEASURES,
        "names": JUDGE_NAMES,
        "items": list(items.values()),
        "rows": [[number, *row] for number, key in enumerate(items) for row in rows[key]],
    }
    data = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()
    package = files("change_it.results")
    names = ("tabulator.min.js", "tabulator.min.css", "LICENSE")
    texts = [(package / "tabulator" / name).read_text(encoding="utf-8") for name in names]
    library, styles, licence = (re.sub(r"/[/*]# sourceMappingURL=\S+( \*/)?", "", text) for text in texts)
    ours = (package / "templates" / "items.js").read_text(encoding="utf-8")
    script = f"/*\n{licence}*/\n{library}\n{ours}"
    digest = base64.b64encode(sha256(script.encode()).digest()).decode()
    packed = base64.b64encode(gzip.compress(data, mtime=0)).decode()
    return ItemsTable(Markup(packed), Markup(styles), Markup(script), f"sha256-{digest}")


@dataclass(frozen=True)
class Refusals:
    """Why a system's headlines are refused."""

    system: str  # its name
    n: int  # its headlines
    counts: Mapping[str, int]  # how many of them each of `refusals` has, `OTHERS` last

    def link(self, reason: str) -> str:
        """The address of these headlines in the table of items."""
        return f"#{urlencode({'system': self.system, 'refused': reason})}"


def refusals(systems: Mapping[str, pl.DataFrame], first: str) -> list[Refusals]:
    """For every system the same reasons: that nothing refuses a headline, then what most often does those of `first`; the rest together, so that they add up."""
    counts = {name: Counter(map(_reason, items["refused_by"])) for name, items in systems.items()}
    ranked = [*counts[first].most_common(), *sum(counts.values(), Counter()).most_common()]
    shown = [*dict.fromkeys(["none", *(reason for reason, _ in ranked)])][:REASONS]
    found = []
    for name, count in counts.items():
        of_name = {reason: count[reason] for reason in shown}
        of_name[OTHERS] = count.total() - sum(of_name.values())
        found.append(Refusals(name, count.total(), of_name))
    return found


def _reason(refused_by: str) -> str:
    """The names in a `refused_by`; `none` where there are none."""
    return " + ".join(reasons(refused_by)) or "none"


def named(refused_by: str) -> str:
    """A `refused_by`, or names of one, with the judges called as they are on every screen."""
    return re.sub(r"(?:^|(?<=; )|(?<=\+ ))\w+", lambda found: JUDGE_NAMES.get(found[0], found[0]), refused_by)
