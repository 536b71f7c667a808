"""Tables, page and files of an audit of the judges."""

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from change_it.audit.cues import OCCLUDED, Cue
from change_it.audit.measure import Audit
from change_it.audit.verdicts import HALFWAY, NOTES, STOPPED, Result, Verdict
from change_it.corpus.sample import OUTLETS
from change_it.io import replace_folder, write_json, write_text
from change_it.judges.judge_options import within_event_table
from change_it.results.pages import environment
from change_it.results.score_tables import HEADINGS, other_corpus
from change_it.scoring.columns import GOLD
from change_it.scoring.compliancy import COMPLIANCY_MEASURES, JUDGE_NAMES, VERDICT_NAMES
from change_it.tables import Column, Row, Table, Value, figure, with_interval

#: Perturbations whose examples are open, the worst.
OPEN = 3


def verdicts_table(verdicts: Sequence[Verdict]) -> Table:
    """What each judge gets right, and the verdict on it."""
    columns = [Column(name, "text") for name in ("judge", "verdict")]
    columns += [Column("test", "text", "what it does"), with_interval("share", "right")]
    rows = []
    for each in verdicts:
        tests: list[dict[str, Value]] = [
            {"test": share.test, "share": share.value, "share_interval": (share.low, share.high)}
            for share in each.shares
        ]
        tests += [{"test": each.text, "share": ""}] if each.text else []
        for at, values in enumerate(tests):
            named = ("", "") if at else (JUDGE_NAMES[each.judge], each.words)
            rows.append(Row({"judge": named[0], "verdict": named[1], **values}, each.judge))
    return Table(columns, rows, "What each judge is good for", NOTES)


def kinds_of(systems: Sequence[Result]) -> list[Result]:
    """The perturbations: those that are let through, those that are stopped, and those with too few headlines to tell."""
    outcomes = ("let through", "stopped", "too few to tell")
    kinds = [system for system in systems if system.system != GOLD]
    return sorted(kinds, key=lambda kind: outcomes.index(kind.outcome))


def perturbations_table(systems: Sequence[Result], score: str) -> Table:
    """What becomes of the perturbations, by the share of gold's score that each keeps, and their style."""
    columns = [Column("kind", "text"), Column("outcome", "text", "verdict")]
    columns += [
        with_interval("kept"),
        with_interval("style"),
        Column("aspect", "text"),
        Column("n", "count"),
        Column("events", "count"),
        Column("trained", "text", "seen in training"),
    ]
    rows = [
        Row(
            {
                "kind": each.system,
                "outcome": each.outcome,
                "kept_interval": each.interval,
                "style": each.values["style"],
                "trained": "seen" if each.seen else "",
                **vars(each),
            },
            remark=each.description,
        )
        for each in kinds_of(systems)
    ]
    note = f"kept: mean {score} over that of the newspapers' own headlines of the same items, with its 95% interval"
    note += f" over events; aspect: the one that should notice; stopped: all of kept up to {figure(STOPPED)}, of style up to {figure(HALFWAY)}, let through: all of it above"
    return Table(columns, rows, f"{len(rows)} kinds of deliberately wrong headlines", [note])


def measures_table(systems: Sequence[Result]) -> Table:
    """Means of gold and the perturbations: what each judge accepts; what is n/a is left out."""
    measures = [name for name in COMPLIANCY_MEASURES if systems[0].values[name] is not None]
    rows = [
        Row({"kind": each.system, **each.values, "n": each.n}, highlight=each.system == GOLD)
        for each in systems
    ]
    columns = [Column(name, title=HEADINGS.get(name, name)) for name in measures]
    return Table([Column("kind", "text"), *columns, Column("n", "count")], rows)


def cues_table(cues: Sequence[Cue], outlets: Sequence[str]) -> Table:
    """The strongest cues, those of both outlets side by side."""
    sides = [[cue for cue in cues if cue.outlet == outlet] for outlet in outlets]
    rows = []
    for cells in zip_longest(*sides):  # one outlet may have fewer cues than the other
        values: dict[str, Value] = {outlets[0]: ""}
        for outlet, cue in zip(outlets, cells, strict=True):
            if cue is not None:
                values |= {outlet: cue.text, f"{outlet} weight": cue.weight, f"{outlet} n": cue.n}
        rows.append(Row(values))
    columns = []
    for outlet in outlets:
        weight, count = Column(f"{outlet} weight", "weight", "weight"), Column(f"{outlet} n", "count", "n")
        columns += [Column(outlet, "text"), weight, count]
    return Table(columns, rows)


def write_audit(out: Path, audit: Audit) -> None:
    """Write `audit.html` and `audit.json`; an audit that is there is replaced as a whole, other files stay."""
    values: dict[str, Any] = {
        "audit": audit,
        # where the folders of a run are
        "report": "../report/report.html" if out.name == "audit" else "",
        "invented": set(audit.outlets) == set(OUTLETS),
        "remarks": other_corpus(audit.trained),
        "verdicts": verdicts_table(audit.verdicts),
        "perturbations": perturbations_table(audit.systems, audit.score),
        "measures": measures_table(audit.systems),
        "examples": kinds_of(audit.systems),
        "judges": VERDICT_NAMES,
        "open": OPEN,
        "within_event": within_event_table(audit.style),
        "cues": cues_table(audit.cues, audit.outlets),
        "most": STOPPED,
        "occluded": OCCLUDED,
    }
    page = environment().get_template("audit.html.jinja").render(values)
    with replace_folder(out, "audit.json") as folder:
        write_json(folder / "audit.json", audit.as_dict())
        write_text(folder / "audit.html", page)
        if audit.agreement:
            audit.agreement.rows.write_csv(folder / "labels.csv")
