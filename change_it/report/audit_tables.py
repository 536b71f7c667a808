"""Tables, page and files of an audit of the judges."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from change_it.audit.record import AUDIT, Audit, Summary, TriedKind
from change_it.audit.verdict import MEASURES, OUTCOMES, Group, KindShare
from change_it.corpus.reading.sample import OUTLETS
from change_it.corpus.test_set import FLOOR, GOLD
from change_it.files.atomic import replace_folder, write_json, write_text
from change_it.files.records import to_json
from change_it.judges.record import read_within_event
from change_it.judges.reliability import verdicts_table, within_event_table
from change_it.judges.spec import JUDGES
from change_it.readers.labels import agreement_table
from change_it.render.tables import Column, Row, Table, Value, two_decimals
from change_it.report.pages import environment
from change_it.report.ranking import QUESTION, verdict_answers
from change_it.report.score_tables import heading_of, other_corpus
from change_it.scoring.aspects import compliancy_measures

#: Groups of kinds as headings, in the order of pages; the last is that of `floor`.
GROUPS: dict[Group | None, str] = {
    "no sentence": "no sentence",
    "not written for this": "not written for this",
    "wrong content": "wrong content",
    "unchanged style": "unchanged style",
    None: "chosen by other judges (decides nothing)",
}


def group_of(kind: TriedKind) -> Group | None:
    """Return the first group of a kind; None of `floor`."""
    return kind.groups[0] if kind.groups else None


def in_groups(kinds: Sequence[TriedKind]) -> list[TriedKind]:
    """Return the kinds in the order of their groups, of each group what compliancy sees best first."""
    order = list(GROUPS)

    def place(kind: TriedKind) -> tuple[int, int]:
        return order.index(group_of(kind)), OUTCOMES.index(kind.outcome("compliancy"))

    return sorted(kinds, key=place)


def kinds_table(audit: Audit) -> Table:
    """Return what each measure makes of each kind, and the share of gold's mean that the kind keeps."""
    columns = [Column("kind", "text"), *(Column(name, "text") for name in MEASURES), Column("n", "count")]
    rows = []
    for kind in in_groups(audit.kinds):
        cells: dict[str, Value] = {name: _outcome(kind.shares[name]) for name in MEASURES}
        of_business = {name for name in MEASURES if kind.name in audit.verdicts[name].kinds}
        aside: list[str] = [name for name in MEASURES if name not in of_business]
        grey = dict.fromkeys(aside, "not its business")
        rows.append(Row({"kind": kind.name, **cells, "n": kind.n}, GROUPS[group_of(kind)], grey=grey))
    note = "in brackets the share of gold's mean that the kind keeps; grey: not the measure's business"
    title = "Headlines that nobody should write: what each measure makes of them"
    return Table(columns, rows, title, [note])


def _outcome(share: KindShare) -> str:
    """Return `sees (.41)`; n/a where there is no share."""
    return "n/a" if share.share is None else f"{share.outcome} ({two_decimals(share.share)})"


def measures_table(audit: Audit) -> Table:
    """Return means of gold and the kinds: what each judge accepts; what is n/a is left out."""
    measures = [name for name in compliancy_measures() if audit.gold.values[name] is not None]
    rows = [Row({"kind": GOLD, **audit.gold.values, "n": audit.gold.n}, highlight=True)]
    rows += [Row({"kind": kind.name, **kind.values, "n": kind.n}) for kind in in_groups(audit.kinds)]
    columns = [Column(name, title=heading_of(name)) for name in measures]
    return Table([Column("kind", "text"), *columns, Column("n", "count")], rows)


def cues_table(cues: Sequence[Mapping[str, Any]]) -> Table:
    """The strongest cues, a group for each outlet."""
    columns = [Column("text", "text", "cue"), Column("weight"), Column("n", "count")]
    return Table(columns, [Row(cue, cue["outlet"]) for cue in cues])


def verdict_values(audit: Summary) -> dict[str, Any]:
    """Return what a page shows of the verdicts: the answers, the picture kind by measure, and the verdicts on the judges."""
    return {
        "question": QUESTION,
        "answers": verdict_answers(audit.verdicts),
        "verdicts": audit.verdicts,
        "measure_names": MEASURES,
        "matrix": _matrix(audit),
        "judge_verdicts": verdicts_table(audit.judges),
    }


def _matrix(audit: Summary) -> list[dict[str, Any]]:
    """Return the picture kind by measure: groups with their kinds, each with a cell for each measure."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for kind in in_groups(audit.kinds):
        cells = []
        for name in MEASURES:
            share = kind.shares[name]
            is_known = share.share is not None
            outcome = share.outcome if is_known else "n/a"
            says = f"{name} {outcome}: {_kept(share)}" if is_known else f"{name} is n/a here"
            is_business = kind.name in audit.verdicts[name].kinds
            says += "" if is_business else "; not its business"
            cells.append({"outcome": outcome, "is_business": is_business, "says": says, "share": share.share})
        groups.setdefault(GROUPS[group_of(kind)], []).append({"kind": kind, "cells": cells})
    return [{"title": title, "rows": rows} for title, rows in groups.items()]


def _kept(share: KindShare) -> str:
    """Return `keeps .41 (.28–.59) of gold, 84 headlines of 42 events`."""
    between = "" if share.low is None else f" ({two_decimals(share.low)}–{two_decimals(share.high or 0)})"
    kept = f"keeps {two_decimals(share.share or 0)}{between} of gold"
    return f"{kept}, {share.n:,} headlines of {share.events:,} events"


def write_audit(out: Path, audit: Audit, labels: pl.DataFrame | None = None) -> None:
    """Write `audit.html`, `audit.json` and the labels; an audit that is there is replaced as a whole, other files stay."""
    values: dict[str, Any] = {
        "audit": audit,
        # where the folders of a run are
        "report": "../report/report.html" if out.name == "audit" else "",
        "invented": set(audit.outlets) == set(OUTLETS),
        "remarks": other_corpus(audit.trained),
        **verdict_values(audit.summary),
        "measures": measures_table(audit),
        "has_floor": any(kind.name == FLOOR for kind in audit.kinds),
        "judges": JUDGES,
        "within_event": within_event_table(read_within_event(audit.style)),
        "agreement": agreement_table(audit.agreement) if audit.agreement else None,
        "cues": cues_table(audit.cues),
    }
    page = environment().get_template("audit.html.jinja").render(values)
    with replace_folder(out, AUDIT) as folder:
        write_json(folder / AUDIT, to_json(audit))
        write_text(folder / "audit.html", page)
        if labels is not None:
            labels.write_csv(folder / "labels.csv")
