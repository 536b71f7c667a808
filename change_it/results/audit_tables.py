"""Tables, page and files of an audit of the judges."""

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, get_args

from change_it.audit.agreement import agreement_table
from change_it.audit.measure import HALFWAY, OCCLUDED, STOPPED, Audit, Cue, Outcome, Result
from change_it.audit.verdicts import verdicts_table
from change_it.corpus.sample import OUTLETS
from change_it.io import replace_folder, write_json, write_text
from change_it.judges.judge_options import within_event_table
from change_it.judges.spec import JUDGES
from change_it.results.pages import environment
from change_it.results.score_tables import HEADINGS, other_corpus
from change_it.scoring.compliancy import COMPLIANCY_MEASURES
from change_it.scoring.item import GOLD
from change_it.tables import Column, Row, Table, Value, figure, with_interval

#: Perturbations whose examples are open, the worst.
OPEN = 3


def kinds_of(systems: Sequence[Result]) -> list[Result]:
    """The perturbations: those that are let through, those that are stopped, and those with too few headlines to tell."""
    kinds = [system for system in systems if system.system != GOLD]
    return sorted(kinds, key=lambda kind: get_args(Outcome).index(kind.outcome))


def perturbations_table(systems: Sequence[Result], score: str) -> Table:
    """What becomes of the perturbations, by the share of gold's score that each keeps, and their style."""
    columns = [Column("system", "text", "kind"), Column("outcome", "text", "verdict"), with_interval("kept")]
    columns += [with_interval("style"), Column("aspect", "text"), Column("n", "count")]
    columns += [Column("events", "count"), Column("trained", "text", "seen in training")]
    rows = [
        Row(
            {**vars(kind), "outcome": kind.outcome, "kept_interval": kind.interval}
            | {"style": kind.values["style"], "trained": "seen" if kind.seen else ""},
            remark=kind.description,
        )
        for kind in kinds_of(systems)
    ]
    note = f"kept: mean {score} over that of the newspapers' own headlines of the same items, with its 95% interval over events; "
    note += f"aspect: the one that should notice; stopped: all of kept up to {figure(STOPPED)}, of style up to {figure(HALFWAY)}, let through: all of it above"
    return Table(columns, rows, f"{len(rows)} kinds of deliberately wrong headlines", [note])


def measures_table(systems: Sequence[Result]) -> Table:
    """Means of gold and the perturbations: what each judge accepts; what is n/a is left out."""
    measures = [name for name in COMPLIANCY_MEASURES if systems[0].values[name] is not None]
    rows = [
        Row({"kind": system.system, **system.values, "n": system.n}, highlight=system.system == GOLD)
        for system in systems
    ]
    columns = [Column(name, title=HEADINGS.get(name, name)) for name in measures]
    return Table([Column("kind", "text"), *columns, Column("n", "count")], rows)


def cues_table(cues: Sequence[Cue], outlets: Sequence[str]) -> Table:
    """The strongest cues, those of both outlets side by side."""
    columns, sides = list[Column](), list[list[dict[str, Value]]]()
    for outlet in outlets:
        columns += [Column(outlet, "text"), Column(f"{outlet} weight", "weight", "weight")]
        columns.append(Column(f"{outlet} n", "count", "n"))
        of_outlet = [cue for cue in cues if cue.outlet == outlet]
        names = (outlet, f"{outlet} weight", f"{outlet} n")
        sides.append([dict(zip(names, (cue.text, cue.weight, cue.n), strict=True)) for cue in of_outlet])
    none: dict[str, Value] = {outlets[0]: ""}  # one outlet may have fewer cues than the other
    return Table(columns, [Row({**second, **first}) for first, second in zip_longest(*sides, fillvalue=none)])


def write_audit(out: Path, audit: Audit) -> None:
    """Write `audit.html` and `audit.json`; an audit that is there is replaced as a whole, other files stay."""
    values: dict[str, Any] = {
        "audit": audit,
        "about": audit.about,
        # where the folders of a run are
        "report": "../report/report.html" if out.name == "audit" else "",
        "invented": set(audit.about["outlets"]) == set(OUTLETS),
        "remarks": other_corpus(audit.about["trained"]),
        "verdicts": verdicts_table(audit.verdicts),
        "perturbations": perturbations_table(audit.systems, audit.about["score"]),
        "measures": measures_table(audit.systems),
        "examples": kinds_of(audit.systems),
        "judges": JUDGES,
        "open": OPEN,
        "within_event": within_event_table(audit.within_event),
        "agreement": agreement_table(audit.agreement) if audit.agreement else None,
        "cues": cues_table(audit.cues, audit.about["outlets"]),
        "occluded": OCCLUDED,
    }
    page = environment().get_template("audit.html.jinja").render(values)
    with replace_folder(out, "audit.json") as folder:
        write_json(folder / "audit.json", audit.as_dict())
        write_text(folder / "audit.html", page)
        if audit.labels is not None:
            audit.labels.write_csv(folder / "labels.csv")
