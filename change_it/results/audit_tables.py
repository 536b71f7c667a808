"""Tables, page and files of an audit of the judges."""

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from change_it.audit.cues import OCCLUDED, Cue
from change_it.audit.measure import Audit
from change_it.audit.perturbations import LEADS, STYLED
from change_it.audit.verdicts import AUDIT_MEASURES, FEW, STOPPED, Result, Verdict
from change_it.corpus.sample import OUTLETS
from change_it.io import write_json, write_text
from change_it.judges.judge_options import within_event_table
from change_it.results.charts import reliability_drawing
from change_it.results.pages import environment
from change_it.results.report_folder import AUDIT_FILES, replaced_report
from change_it.results.score_tables import heading
from change_it.scoring.columns import GOLD
from change_it.tables import Column, Row, Table, Value, with_interval


def verdicts_table(verdicts: Sequence[Verdict]) -> Table:
    """The verdict on each judge."""
    columns = [Column(name, "text") for name in ("judge", "verdict", "why")]
    rows = [Row({"judge": each.judge, "verdict": each.words, "why": each.text}) for each in verdicts]
    return Table(columns, rows, "What to make of each judge alone")


#: The two blocks of systems.
TRAINED, UNSEEN = "judges learnt from their like", "no judge has seen their like"
#: What is asked of every system but gold.
_GIVEN_GOLD = (
    Column("passed_given_gold", title="where gold passes"),
    Column("upper_bound", title="upper bound"),
    Column("given_gold", "count", "n where gold passes"),
)


def perturbations_table(systems: Sequence[Result], *, at_most: bool = False) -> Table:
    """Pass rates of gold and the perturbations, a group those that judges learnt from, a group the others; measures of a judge that is not there are left out. `at_most`: strict compliancy is an upper bound."""
    measures = [name for name in AUDIT_MEASURES if any(system.values[name] is not None for system in systems)]
    titles = {"passed": "strict compliancy"} if "fluency" in measures else {}
    columns = [Column("system", "text"), *_GIVEN_GOLD]
    for name in measures:
        columns.append(
            with_interval(name, titles.get(name, heading(name)), at_most=at_most and name in titles)
        )
    columns += [Column("n", "count"), Column("missed by", "text")]
    rows = []
    for system in sorted(systems, key=lambda system: (bool(system.breaks), not system.trained)):
        values = vars(system) | system.values | {"missed by": ", ".join(system.missed_by)}
        values |= {f"{name}_interval": ends for name, ends in system.intervals.items()}
        values |= {} if system.breaks else {column.name: None for column in _GIVEN_GOLD}
        group = GOLD if not system.breaks else TRAINED if system.trained else UNSEEN
        tags = ["not stopped"] if system.passes else []
        rows.append(Row(values, group, not system.breaks, tags=tags, remark=system.description))
    left_out = {LEADS.name, STYLED.name} - {system.system for system in systems}
    note = (
        f"Left out: {' and '.join(sorted(left_out))}, which judges of the other fold choose: give --chooser."
    )
    title = f"Pass rates of {len(systems) - 1} perturbations"
    return Table(columns, rows, title, [note] if left_out else [])


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
        weight, count = Column(f"{outlet} weight", title="weight"), Column(f"{outlet} n", "count", "n")
        columns += [Column(outlet, "text"), weight, count]
    return Table(columns, rows)


def write_audit(out: Path, audit: Audit) -> None:
    """Write `audit.html` and `audit.json`; an audit that is there is replaced as a whole, other files stay."""
    values: dict[str, Any] = {
        "audit": audit,
        "invented": set(audit.outlets) == set(OUTLETS),
        "perturbations": perturbations_table(audit.systems, at_most=audit.strict_compliancy_is_upper_bound),
        "within_event": within_event_table(audit.style),
        "cues": cues_table(audit.cues, audit.outlets),
        "measures": {name: heading(name) for name in AUDIT_MEASURES},
        "reliability": reliability_drawing(audit.reliability) if audit.reliability else None,
        "few": FEW,
        "most": STOPPED,
        "occluded": OCCLUDED,
    }
    page = environment().get_template("audit.html.jinja").render(values)
    with replaced_report(out, AUDIT_FILES) as folder:
        write_json(folder / "audit.json", audit.as_dict())
        write_text(folder / "audit.html", page)
