"""Build the tables and the page of an audit of the judges, and write its files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from change_it.audit.record import AUDIT, Audit, Summary, TriedKind
from change_it.audit.verdict import MEASURES, OUTCOMES, Group, KindShare, Measure
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
from change_it.report.score_tables import heading_of, remarks_on_corpus
from change_it.scoring.aspects import compliancy_measures

#: Headings of the groups of kinds, in the order of pages; the last is that of `floor`.
GROUP_HEADINGS: dict[Group | None, str] = {
    "no sentence": "no sentence",
    "not written for this": "not written for this",
    "wrong content": "wrong content",
    "unchanged style": "unchanged style",
    None: "chosen by other judges (decides nothing)",
}


def group_of(kind: TriedKind) -> Group | None:
    """Return the first group of a kind; None for `floor`."""
    return kind.groups[0] if kind.groups else None


def in_groups(kinds: Sequence[TriedKind]) -> list[TriedKind]:
    """Return the kinds in the order of their groups, and in each group what compliancy sees best first."""
    order = list(GROUP_HEADINGS)

    def place(kind: TriedKind) -> tuple[int, int]:
        return order.index(group_of(kind)), OUTCOMES.index(kind.outcome("compliancy"))

    return sorted(kinds, key=place)


def kinds_table(audit: Audit) -> Table:
    """Return what each measure makes of each kind, and the share of gold's mean that the kind keeps."""
    rows = []
    for kind in in_groups(audit.kinds):
        values: dict[str, Value] = {"kind": kind.name}
        grey = {}
        for name in MEASURES:
            values[name] = _outcome(kind.shares[name])
            if kind.name not in audit.verdicts[name].kinds:
                grey[str(name)] = "not its business"
        values["n"] = kind.n
        rows.append(Row(values, GROUP_HEADINGS[group_of(kind)], grey=grey))
    columns = [Column("kind", "text")]
    columns += [Column(name, "text") for name in MEASURES]
    columns.append(Column("n", "count"))
    note = "in brackets the share of gold's mean that the kind keeps; grey: not the measure's business"
    title = "Headlines that nobody should write: what each measure makes of them"
    return Table(columns, rows, title, [note])


def _outcome(share: KindShare) -> str:
    """Return `sees (.41)`; n/a where there is no share."""
    if share.share is None:
        return "n/a"
    return f"{share.outcome} ({two_decimals(share.share)})"


def measures_table(audit: Audit) -> Table:
    """Return what the judges make of gold and of each kind, as means; a measure that is n/a is left out."""
    gold = audit.gold
    rows = [Row({"kind": GOLD, **gold.values, "n": gold.n}, highlight=True)]
    for kind in in_groups(audit.kinds):
        rows.append(Row({"kind": kind.name, **kind.values, "n": kind.n}))
    columns = [Column("kind", "text")]
    for name in compliancy_measures():
        if gold.values[name] is not None:
            columns.append(Column(name, title=heading_of(name)))
    columns.append(Column("n", "count"))
    return Table(columns, rows)


def cues_table(cues: Sequence[Mapping[str, Any]]) -> Table:
    """Return the strongest cues of main, a group for each outlet; they are of `main_cues`."""
    columns = [Column("text", "text", "cue"), Column("weight"), Column("n", "count")]
    rows = [Row(cue, cue["outlet"]) for cue in cues]
    return Table(columns, rows)


def verdict_values(audit: Summary) -> dict[str, Any]:
    """Return what a page shows of the verdicts, as the variables of its template.

    They are the answer for each measure, the picture of kinds by measures, and the verdicts on the judges.
    """
    return {
        "question": QUESTION,
        "answers": verdict_answers(audit.verdicts),
        "verdicts": audit.verdicts,
        "measure_names": MEASURES,
        "matrix": _matrix(audit),
        "judge_verdicts": verdicts_table(audit.judges),
    }


def _matrix(audit: Summary) -> list[dict[str, Any]]:
    """Return the picture of kinds by measures: groups of kinds, and for each kind a cell for each measure."""
    rows_by_group: dict[str, list[dict[str, Any]]] = {}
    for kind in in_groups(audit.kinds):
        cells = []
        for name in MEASURES:
            is_business = kind.name in audit.verdicts[name].kinds
            cells.append(_matrix_cell(name, kind.shares[name], is_business=is_business))
        title = GROUP_HEADINGS[group_of(kind)]
        rows_by_group.setdefault(title, []).append({"kind": kind, "cells": cells})
    return [{"title": title, "rows": rows} for title, rows in rows_by_group.items()]


def _matrix_cell(measure: Measure, share: KindShare, *, is_business: bool) -> dict[str, Any]:
    """Return what a measure makes of a kind, in a word and in a sentence that is shown on hover."""
    if share.share is None:
        outcome = "n/a"
        sentence = f"{measure} is n/a here"
    else:
        outcome = share.outcome
        sentence = f"{measure} {outcome}: {_kept(share)}"
    if not is_business:
        sentence += "; not its business"
    return {"outcome": outcome, "is_business": is_business, "says": sentence, "share": share.share}


def _kept(share: KindShare) -> str:
    """Return `keeps .41 (.28–.59) of gold, 84 headlines of 42 events`."""
    kept = f"keeps {two_decimals(share.share or 0)}"
    if share.low is not None and share.high is not None:
        kept += f" ({two_decimals(share.low)}–{two_decimals(share.high)})"
    return f"{kept} of gold, {share.n:,} headlines of {share.events:,} events"


def write_audit(out: Path, audit: Audit, labels: pl.DataFrame | None = None) -> None:
    """Write `audit.html`, `audit.json` and `labels.csv`, all at once.

    Args:
        out: the folder; an audit that is there is replaced as a whole, other files stay.
        audit: the audit.
        labels: readers' labels beside what the judges say; None where there are none.
    """
    report = ""
    if out.name == "audit":
        # the folders of a run are next to each other
        report = "../report/report.html"
    agreement = None
    if audit.agreement:
        agreement = agreement_table(audit.agreement)
    kinds = [kind.name for kind in audit.kinds]
    values: dict[str, Any] = {
        "audit": audit,
        "report": report,
        "invented": set(audit.outlets) == set(OUTLETS),
        "remarks": remarks_on_corpus(audit.trained),
        **verdict_values(audit.summary),
        "measures": measures_table(audit),
        "has_floor": FLOOR in kinds,
        "judges": JUDGES,
        "within_event": within_event_table(read_within_event(audit.style)),
        "agreement": agreement,
        "cues": cues_table(audit.cues),
    }
    page = environment().get_template("audit.html.jinja").render(values)
    with replace_folder(out, AUDIT) as folder:
        write_json(folder / AUDIT, to_json(audit))
        write_text(folder / "audit.html", page)
        if labels is not None:
            labels.write_csv(folder / "labels.csv")
