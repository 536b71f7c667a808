"""All items of all systems as a table that sorts and filters in the page, without any other file: data, scripts and styles."""

import base64
import gzip
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files

from markupsafe import Markup

from change_it.report.tables import marked
from change_it.scoring.compliancy import JUDGES, PROBABILITIES
from change_it.scoring.score import Scores
from change_it.tables import figure

#: Verdicts of an item in the order of the table.
MEASURES = ("strict_compliancy", "compliant", *JUDGES)
_SIGNS = {True: "1", False: "0", None: "-"}


@dataclass(frozen=True)
class ItemsTable:
    """What a page needs to show the items."""

    data: Markup  # base64 of compressed JSON
    styles: Markup
    script: Markup
    checksum: str  # of the script, as a Content-Security-Policy names it


def items_table(scores: Scores, texts: Mapping[str, str]) -> ItemsTable:
    """The items of every system.

    Args:
        scores: of a scoring run.
        texts: what stands around them, `texts/<language>.toml` without `items_`.
    """
    record = json.dumps(_record(scores) | {"texts": dict(texts)}, ensure_ascii=False, separators=(",", ":"))
    package = files("change_it.report")
    library, styles, licence, own = (
        (package / name).read_text(encoding="utf-8")
        for name in (
            "tabulator/tabulator.min.js",
            "tabulator/tabulator.min.css",
            "tabulator/LICENSE",
            "templates/items.js",
        )
    )
    without_maps = [re.sub(r"/[/*]# sourceMappingURL=\S+( \*/)?", "", text) for text in (library, styles)]
    script = f"/*\n{licence}*/\n{without_maps[0]}\n{own}"
    digest = base64.b64encode(sha256(script.encode()).digest()).decode()
    packed = base64.b64encode(gzip.compress(record.encode(), mtime=0)).decode()
    return ItemsTable(Markup(packed), Markup(without_maps[1]), Markup(script), f"sha256-{digest}")


def _record(scores: Scores) -> dict[str, object]:
    """Each text once: items, and a row for every headline of a system, those of one item together."""
    items: dict[str, list[str]] = {}
    rows: dict[str, list[list[object]]] = {}
    for number, table in enumerate(scores.items.values()):
        for item in table.iter_rows(named=True):
            key = item["id"]
            items.setdefault(key, [key, item["direction"], item["source"], item["gold"]])
            verdicts = "".join(_SIGNS[item[name]] for name in MEASURES)
            known = {judge: item[name] for judge, name in PROBABILITIES.items() if judge in JUDGES}
            probabilities = {judge: figure(p) for judge, p in known.items() if p is not None}
            row = [number, item["headline"], verdicts, marked(item).places, probabilities]
            rows.setdefault(key, []).append(row)
    return {
        "systems": list(scores.items),
        "measures": MEASURES,
        "items": list(items.values()),
        "rows": [[place, *row] for place, key in enumerate(items) for row in rows[key]],
    }
