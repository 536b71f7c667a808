"""Tables, page and files of an audit of the judges."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import polars as pl

from change_it.audit.measure import HALFWAY, OCCLUDED, STOPPED, Outcome
from change_it.corpus.reading.sample import OUTLETS
from change_it.corpus.test_set import GOLD
from change_it.files.atomic import replace_folder, write_json, write_text
from change_it.judges.record import read_within_event
from change_it.judges.reliability import read_verdicts, verdicts_table, within_event_table
from change_it.judges.spec import JUDGES
from change_it.readers.labels import agreement_table
from change_it.render.tables import Column, Row, Table, figure, with_interval
from change_it.report.pages import environment
from change_it.report.score_tables import HEADINGS, other_corpus
from change_it.scoring.aspects import COMPLIANCY_MEASURES

#: A JSON object of an audit.
Record = Mapping[str, Any]
#: Perturbations whose examples are open, the worst.
OPEN = 3


def kinds_of(systems: Sequence[Record]) -> list[Record]:
    """The perturbations: those that are let through, those that are stopped, and those with too few headlines to tell."""
    return sorted(systems[1:], key=lambda kind: get_args(Outcome).index(kind["outcome"]))  # gold is the first


def perturbations_table(systems: Sequence[Record], score: str) -> Table:
    """What becomes of the perturbations, by the share of gold's score that each keeps, and their style."""
    columns = [Column("system", "text", "kind"), Column("outcome", "text", "verdict"), with_interval("kept")]
    columns += [with_interval("style"), Column("aspect", "text"), Column("n", "count")]
    columns += [Column("events", "count"), Column("trained", "text", "seen in training")]
    rows = [
        Row(
            {**kind, "kept_interval": kind["interval"], "style": kind["values"]["style"]}
            | {"trained": "seen" if kind["seen"] else ""},
            remark=kind["description"],
        )
        for kind in kinds_of(systems)
    ]
    note = f"kept: mean {score} over that of the newspapers' own headlines of the same items, with its 95% interval over events; "
    note += f"aspect: the one that should notice; stopped: all of kept up to {figure(STOPPED)}, of style up to {figure(HALFWAY)}, let through: all of it above"
    return Table(columns, rows, f"{len(rows)} kinds of deliberately wrong headlines", [note])


def measures_table(systems: Sequence[Record]) -> Table:
    """Means of gold and the perturbations: what each judge accepts; what is n/a is left out."""
    measures = [name for name in COMPLIANCY_MEASURES if systems[0]["values"][name] is not None]
    rows = [
        Row(
            {"kind": system["system"], **system["values"], "n": system["n"]},
            highlight=system["system"] == GOLD,
        )
        for system in systems
    ]
    columns = [Column(name, title=HEADINGS.get(name, name)) for name in measures]
    return Table([Column("kind", "text"), *columns, Column("n", "count")], rows)


def cues_table(cues: Sequence[Record]) -> Table:
    """The strongest cues, a group for each outlet."""
    columns = [Column("text", "text", "cue"), Column("weight"), Column("n", "count")]
    return Table(columns, [Row(cue, cue["outlet"]) for cue in cues])


def write_audit(out: Path, audit: Record, labels: pl.DataFrame | None = None) -> None:
    """Write `audit.html`, `audit.json` and the labels; an audit that is there is replaced as a whole, other files stay."""
    values: dict[str, Any] = {
        "audit": audit,
        # where the folders of a run are
        "report": "../report/report.html" if out.name == "audit" else "",
        "invented": set(audit["outlets"]) == set(OUTLETS),
        "remarks": other_corpus(audit["trained"]),
        "verdicts": verdicts_table(read_verdicts(audit).verdicts),
        "perturbations": perturbations_table(audit["systems"], audit["score"]),
        "measures": measures_table(audit["systems"]),
        "examples": kinds_of(audit["systems"]),
        "judges": JUDGES,
        "open": OPEN,
        "within_event": within_event_table(read_within_event(audit["style"])),
        "agreement": agreement_table(audit["agreement"]) if "agreement" in audit else None,
        "cues": cues_table(audit["cues"]),
        "occluded": OCCLUDED,
    }
    page = environment().get_template("audit.html.jinja").render(values)
    with replace_folder(out, "audit.json") as folder:
        write_json(folder / "audit.json", audit)
        write_text(folder / "audit.html", page)
        if labels is not None:
            labels.write_csv(folder / "labels.csv")
