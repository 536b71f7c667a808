"""Build the tables and the page of an audit of the judges, and write its files."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import polars as pl

from change_it.audit.record import AUDIT, Audit, Example, Summary, TriedKind
from change_it.audit.verdict import OUTCOMES, Group, KindShare, Measure
from change_it.corpus.reading.sample import OUTLETS
from change_it.corpus.test_set import FLOOR, GOLD
from change_it.files.atomic import replace_folder, write_json, write_text
from change_it.files.records import to_json
from change_it.judges.record import read_within_event
from change_it.judges.reliability import verdicts_table, within_event_table
from change_it.judges.spec import JUDGES
from change_it.readers.labels import agreement_table
from change_it.render.tables import Column, Row, Table, UnderlinedText, Value, short_interval, two_decimals
from change_it.report.pages import environment
from change_it.report.ranking import QUESTION, verdict_answers
from change_it.report.score_tables import heading_of, remarks_on_corpus
from change_it.scoring.aspects import compliancy_measures

#: Headings of the groups of kinds, in the order of pages; the last is that of `floor`.
GROUP_HEADINGS: dict[Group | None, str] = {
    "no sentence": "no sentence",
    "not written for this": "not written for this item",
    "wrong content": "wrong content",
    "unchanged style": "unchanged style",
    None: "chosen by other judges (decides nothing)",
}
#: How the shares of `kinds_tables` are read.
HOW_TO_READ = "1: the wrong headlines score like the right one; 0: the judges notice them"
#: Share of the words of a wrong headline above which its changes are not underlined.
MOST_UNDERLINED = 0.35


@dataclass(frozen=True)
class Topic:
    """What a wrong headline can be wrong in. Its kinds have a table of their own.

    Attributes:
        title: the heading of the table.
        measure: the measure that should notice the kinds.
        note: what a reader needs besides `HOW_TO_READ`; empty where that is all.
    """

    title: str
    measure: Measure
    note: str = ""

    @property
    def columns(self) -> tuple[Measure, ...]:
        """Return the measures of the table: that of the topic, and compliancy, which should notice all."""
        return (self.measure, "compliancy")


TOPICS = (
    Topic("Wrong content", "acceptability"),
    Topic("Unchanged style", "style", "below 0: the style is nearer to the original's than a clause's is"),
)


def group_of(kind: TriedKind) -> Group | None:
    """Return the first group of a kind; None for `floor`."""
    return kind.groups[0] if kind.groups else None


def in_groups(kinds: Sequence[TriedKind], measure: Measure = "compliancy") -> list[TriedKind]:
    """Return the kinds in the order of their groups, and in each group what the measure sees best first."""
    order = list(GROUP_HEADINGS)

    def place(kind: TriedKind) -> tuple[int, int, float]:
        share = kind.shares[measure].share or 0.0
        return order.index(group_of(kind)), OUTCOMES.index(kind.outcome(measure)), share

    return sorted(kinds, key=place)


def kinds_of(topic: Topic, audit: Audit | Summary) -> list[TriedKind]:
    """Return the kinds that the measure of a topic should notice, and `floor`, in the order of the table."""
    noticed = audit.verdicts[topic.measure].kinds
    kinds = [kind for kind in audit.kinds if kind.name in noticed or not kind.groups]
    return in_groups(kinds, topic.measure)


def kinds_tables(audit: Audit) -> list[Table]:
    """Return a table for each topic.

    It says what measures make of the topic's kinds, and which share of gold's mean the kinds keep.
    """
    tables = []
    for topic in TOPICS:
        rows = []
        for kind in kinds_of(topic, audit):
            values: dict[str, Value] = {name: _outcome(kind.shares[name]) for name in topic.columns}
            values.update({"kind": kind.words, "n": kind.n})
            rows.append(Row(values, group=GROUP_HEADINGS[group_of(kind)]))
        measures = [Column(name, "text") for name in topic.columns]
        columns = [Column("kind", "text"), *measures, Column("n", "count")]
        notes = [f"in brackets the share of gold's mean. {HOW_TO_READ}"]
        if topic.note:
            notes.append(topic.note)
        tables.append(
            Table(columns, rows, title=f"{topic.title}: what measures make of such headlines", notes=notes)
        )
    return tables


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
    """Return a table of the words and marks that move the judge main most, a group for each outlet.

    Args:
        cues: what `main_cues` returns: `outlet`, `text`, `weight` and `n`, the occurrences that were tried.
    """
    columns = [Column("text", format="text", title="cue"), Column("weight"), Column("n", format="count")]
    rows = [Row(cue, group=cue["outlet"]) for cue in cues]
    return Table(columns, rows)


def verdict_values(audit: Summary) -> dict[str, Any]:
    """Return what a page shows of the verdicts, as the variables of its template.

    They are the answer for each measure, which judges learnt from few matches, a picture of kinds by measures
    for each topic, the kinds with their examples, and the verdicts on the judges.
    """
    return {
        "question": QUESTION,
        "answers": verdict_answers(audit.verdicts),
        "verdicts": audit.verdicts,
        "few_matches": audit.few_matches,
        "topics": [_picture(topic, audit) for topic in TOPICS] if audit.kinds else [],
        "tried": _tried_groups(audit),
        "how_to_read": HOW_TO_READ,
        "judge_verdicts": verdicts_table(audit.judges),
        "weakness": audit.weakness,
    }


def _picture(topic: Topic, audit: Summary) -> dict[str, Any]:
    """Return the table of a topic as the page's template draws it.

    It has groups of kinds of wrong headlines, and for each kind a cell for each measure (`topic.columns`).
    The topic's note explains figures, so it is left out where its measure has none.
    """
    rows_by_group: dict[str, list[dict[str, Any]]] = {}
    for kind in kinds_of(topic, audit):
        cells = [_cell(name, kind.shares[name]) for name in topic.columns]
        rows = rows_by_group.setdefault(GROUP_HEADINGS[group_of(kind)], [])
        rows.append({"kind": kind, "id": _identifier(kind), "cells": cells})
    groups = [{"title": title, "rows": rows} for title, rows in rows_by_group.items()]
    is_measured = any(kind.shares[topic.measure].share is not None for kind in kinds_of(topic, audit))
    return {"topic": topic, "groups": groups, "note": topic.note if is_measured else ""}


def _tried_groups(audit: Summary) -> list[dict[str, Any]]:
    """Return the groups of kinds; each kind with its examples, and in sentences what measures make of it."""
    kinds_by_group: dict[str, list[dict[str, Any]]] = {}
    for kind in in_groups(audit.kinds):
        sentences = [_cell(name, share)["says"] for name, share in kind.shares.items()]
        examples = [(example, underline_changes(example)) for example in kind.examples]
        kinds = kinds_by_group.setdefault(GROUP_HEADINGS[group_of(kind)], [])
        kinds.append({"kind": kind, "id": _identifier(kind), "says": sentences, "examples": examples})
    return [{"title": title, "kinds": kinds} for title, kinds in kinds_by_group.items()]


def _identifier(kind: TriedKind) -> str:
    """Return what a page's address calls a kind: its name in letters and hyphens."""
    return "kind-" + re.sub(r"[^a-z]+", "-", kind.name.lower())


def _cell(measure: Measure, share: KindShare) -> dict[str, Any]:
    """Return what a measure makes of a kind: a word, the figure, its interval, and all in a sentence."""
    if share.share is None:
        return {"outcome": "n/a", "kept": "", "interval": "", "says": f"{measure} is n/a here"}
    kept = two_decimals(share.share)
    interval = ""
    if share.low is not None and share.high is not None:
        interval = short_interval(share.low, share.high)
    counts = f"{share.n:,} headlines of {share.events:,} events"
    keeps = f"{kept} ({interval})" if interval else kept
    says = f"{measure} {share.outcome}: keeps {keeps} of gold, {counts}"
    return {"outcome": share.outcome, "kept": kept, "interval": interval, "says": says}


def underline_changes(example: Example) -> UnderlinedText:
    """Return a wrong headline in which the words are underlined that the true one does not have there.

    Nothing is underlined where there is no true headline, or where many words are changed.

    Examples:
        >>> example = Example("1", "a2b", "", "Crolla il ponte, 4 feriti", "Crolla il ponte, 9 feriti", {})
        >>> underline_changes(example).places
        ((17, 18),)
    """
    true = example.true.split()
    words = list(re.finditer(r"\S+", example.headline))
    texts = [word.group() for word in words]
    places = []
    for change, _, _, start, end in SequenceMatcher(None, true, texts, autojunk=False).get_opcodes():
        if change != "equal":
            places += [word.span() for word in words[start:end]]
    if not true or len(places) > MOST_UNDERLINED * len(words):
        places = []
    return UnderlinedText(example.headline, tuple(places))


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
