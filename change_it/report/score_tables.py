"""The tables of results: systems, judges, tests and correlations, each built once for terminal, page and files."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, permutations, product

import numpy as np
import polars as pl

from change_it.corpus.test_set import BUILT_IN, CLAUSE, FLOOR, GOLD
from change_it.files.texts import counted, listed
from change_it.judges.spec import JUDGES, optional_tasks
from change_it.render.tables import (
    Column,
    Format,
    Row,
    Table,
    UnderlinedText,
    Value,
    figure,
    formatted,
    p_value,
    with_interval,
)
from change_it.report.ranking import Ranking, best_system, headline, outcome, own_systems
from change_it.scoring.aspects import (
    ASPECTS,
    compared_aspects,
    compliancy_measures,
    graded_aspects,
    judge_headings,
    refusals,
)
from change_it.scoring.comparison import differences
from change_it.scoring.overlap import OF_REFERENCE, correlations
from change_it.scoring.scores import AVERAGE, ScoreRow, Scores
from change_it.stats import Score, holm

#: Headlines that reports begin with, of those that nothing refuses and of the others each.
SHOWN = 3
#: Events below which a table says that they are few: to tell systems apart whose shares differ by .2 takes about as many.
FEW = 50
#: Follows the names of systems that judges chose, and what it means.
DAGGER = "†"
CHOSEN = f"{DAGGER} judges of other events chose each headline, or what the system learnt from: that also finds what no judge sees"

#: Overlap as heads of columns.
OVERLAP_HEADINGS = {
    "bleu": "BLEU",
    "rougeL": "ROUGE-L",
    "bleu_source": "BLEU source",
    "rougeL_source": "ROUGE-L source",
}


def heading_of(measure: str) -> str:
    """Return a measure as the head of a column."""
    return {**judge_headings(), **OVERLAP_HEADINGS}.get(measure, measure)


def averaged(scores: Scores) -> str:
    """What the rows of averages are of."""
    one, *others = scores.directions[:-1]
    return "average of the directions" if others else one


def examples_table(scores: Scores) -> Table | None:
    """Headlines of the best system that nothing refuses, and others, drawn at random; None where all systems are built in."""
    system = best_system(scores)
    if system in BUILT_IN:
        return None
    items = scores.items[system].sample(fraction=1, shuffle=True, seed=1)
    targets = {f"{label}2{target}": target for label, target in permutations(scores.outlets)}
    sides = [items.filter((pl.col("refused_by").list.len() == 0) == passes) for passes in (True, False)]
    rows = []
    for item in pl.concat(side.head(SHOWN) for side in sides).iter_rows(named=True):
        places = tuple((part["start"], part["end"]) for part in item["unsupported"])
        shown = {"headline": UnderlinedText(item["headline"], places), "gold": item["gold"] or None}
        refused = refusals(item["refused_by"], judge_headings()) or "nothing"
        shown |= {"to": targets[item["direction"]], "refused_by": refused}
        rows.append(Row({**item, **shown}))
    columns = [
        *(Column("source", "text", "original"), Column("to", "text")),
        *(Column("headline", "text", "new headline"), Column("refused_by", "text", "refused by")),
        *(Column(name) for name in graded_aspects() if name in scores.known),
        Column("gold", "text", "the other newspaper's own"),
    ]
    passing, refused = (f"{min(SHOWN, side.height)} of {side.height:,}" for side in sides)
    title = f"Examples of {system} (random): {passing} that nothing refuses, {refused} refused"
    note = "underlined: numbers, names and quotations that no source has"
    return Table(columns, rows, title, [note])


def best_columns(scores: Scores, rankable: Collection[str] | None = None) -> dict[str, set[str]]:
    """Return, of each system of files, the measures in which its average is the best of them.

    `rankable` are the measures that can rank systems, by default all compared aspects. A single system is the best of nothing.
    """
    if rankable is None:
        rankable = compared_aspects()
    own = [name for name in scores.names if name not in BUILT_IN]
    columns: dict[str, set[str]] = {name: set() for name in own}
    for measure in rankable:
        known = {name: scores.row(name).values.get(measure) for name in own}
        values = [value for value in known.values() if value is not None]
        if len(own) > 1 and values:
            for name, value in known.items():
                if value == max(values):
                    columns[name].add(measure)
    return columns


def paper_table(tables: Mapping[str, Scores], rankable: Collection[str] | None = None) -> Table:
    """Return the averages of the systems for a paper: a group for each of the tables, by its name where there are several."""
    rows = []
    for group, scores in tables.items():
        best = best_columns(scores, rankable)
        for system in scores.names:
            row = scores.row(system)
            values: dict[str, Value] = {"system": system, "n": row.n, "events": row.events, **row.values}
            values |= {f"{name}_interval": ends for name, ends in row.intervals.items()}
            rows.append(Row(values, group if len(tables) > 1 else "", best=best.get(system, ())))
    known = {name for scores in tables.values() for name in scores.known}
    columns = [with_interval(name, heading_of(name)) for name in (*ASPECTS, "accepted") if name in known]
    counts = [Column("n", "count"), Column("events", "count")]
    return Table([Column("system", "text"), *columns, *counts], rows).with_groups()


def differences_table(scores: Scores, against: str) -> Table:
    """Return the differences of all systems from one of them, with intervals and p-values."""
    rows: dict[str, dict[str, Value]] = {}
    for difference in differences(scores, against):
        values = rows.setdefault(difference.system, {"system": f"{difference.system} − {against}"})
        values[difference.measure] = difference.value
        values[f"{difference.measure}_interval"] = difference.interval
        p = p_value(difference.p)
        values[f"{difference.measure}_p"] = f"≤ {p}" if difference.is_least else p
    columns = [Column("system", "text")]
    for name in scores.p_values:
        interval = Column(f"{name}_interval", "interval")
        columns.append(Column(name, "difference", heading_of(name), interval))
        columns.append(Column(f"{name}_p", "text", "p"))
    row = scores.row(against)
    title = f"Differences from {against}, {counted(row.n, 'headline')} of {counted(row.events, 'event')}"
    note = (
        "Intervals of 95% are drawn by event, the same for both systems. p is corrected after Holm for the "
        "comparisons of a column."
    )
    return Table(columns, [Row(values) for values in rows.values()], title, [note])


def differences_lines(scores: Scores, against: str) -> Table:
    """Return the table of differences for the terminal, with a column for each interval."""
    table = differences_table(scores, against)
    columns = []
    for column in table.columns:
        columns.append(replace(column, secondary=None))
        if column.secondary:
            columns.append(replace(column.secondary, title="95% interval"))
    return replace(table, columns=columns)


def systems_table(
    scores: Scores,
    directions: Sequence[str],
    measures: Collection[str] | None = None,
    ranking: Ranking | None = None,
) -> Table:
    """Return a group a direction: the systems with some measures or all, intervals and n; averages with marks of significance.

    What says nothing of a system by `ranking` is grey and has no mark. Of the measures that can rank the best system of files is
    marked.
    """
    best, stars = significance(scores)
    best_of = best_columns(scores, ranking.measures if ranking else None)
    rows = []
    for direction, system in product(directions, scores.names):
        row = scores.row(system, direction)
        grey = ranking.grey(system) if ranking else {}
        marks = {"system": DAGGER} if row.chosen else {}
        if direction == AVERAGE:
            of_system = stars.get(system, {}).items()
            marks |= {name: mark for name, mark in of_system if name not in grey}
        remark = [ranking.unwritten[system]] if ranking and system in ranking.unwritten else []
        remark += [f"best of {row.candidates:.2g} {choices_of(system)}"] if row.candidates else []
        remark += [f"{row.errors} without a headline"] if row.errors else []
        values = {"system": system, "n": row.n, **_values(row)}
        group = direction if len(directions) > 1 else ""
        text = ", ".join(remark)
        in_front = best_of.get(system, ()) if direction == AVERAGE else ()
        rows.append(Row(values, group, system == best, in_front, marks, grey, text))
    note = f"* p < .05, ** p < .01 against {best} (paired approximate randomisation, after Holm)"
    columns = [
        with_interval(name, heading_of(name))
        for name in scores.measures
        if measures is None or name in measures
    ]
    has_stars = any(name != "system" for row in rows for name in row.marks)
    notes = [*([note] if has_stars else []), *remarks(scores)]
    columns = [Column("system", "text"), *columns, Column("n", "count")]
    return Table(columns, rows, notes=notes if AVERAGE in directions else [])


def choices_of(system: str) -> str:
    """Return what judges chose among: clauses for `floor`, drafts for a system."""
    return "clauses" if system == FLOOR else "drafts"


def significance(scores: Scores) -> tuple[str, dict[str, dict[str, str]]]:
    """The best system, and for each other marks of the aspects in which paired tests, corrected after Holm, tell it from that."""
    best = best_system(scores)
    others = [system for system in scores.systems if system != best]
    marks: dict[str, dict[str, str]] = {}
    for measure, p_values in scores.p_values.items():
        beside_best = p_values[scores.systems.index(best)]
        corrected = holm([float(beside_best[scores.systems.index(system)]) for system in others])
        for system, p in zip(others, corrected, strict=True):
            if p < 0.05:
                marks.setdefault(system, {})[measure] = "**" if p < 0.01 else "*"
    return best, marks


def meaning(scores: Scores, ranking: Ranking) -> str:
    """Return what the table comes to in a sentence or two."""
    return " ".join(filter(None, (outcome(scores, ranking), few_events(scores))))


def ranked_table(scores: Scores, ranking: Ranking) -> Table | None:
    """Return one's own systems beside gold and a clause, with the measures that can rank; None where there is nothing of either."""
    own, measures = own_systems(scores), [name for name in ranking.measures if name in scores.known]
    if not own or not measures:
        return None
    shown = [*own, *(name for name in (GOLD, CLAUSE) if name in scores.names)]
    columns = [Column("system", "text"), *(Column(name, "estimate") for name in measures)]
    rows = [
        Row({"system": name, **_estimates(scores.row(name), measures)}, grey=ranking.grey(name))
        for name in shown
    ]
    return Table(columns, rows)


def likeness(scores: Scores) -> str:
    """A sentence with Spearman's correlations of BLEU and ROUGE-L with the judges, headline by headline; empty without systems of files or references."""
    own = [name for name in scores.systems if name not in BUILT_IN]
    if not own or not {*OF_REFERENCE} & {*scores.row(own[0]).values}:
        return ""
    sentences = []
    for measure, judges in correlations(pl.concat(scores.items[name] for name in own)).items():
        shown = (f"{heading_of(name)} {_correlation(rho)}" for name, rho in judges.items())
        sentences.append(f"{heading_of(measure)}: {', '.join(shown)}")
    return (
        f"Spearman's correlation with the judges' probabilities, headline by headline over {listed(own)}, with 95% intervals over "
        f"events. {'; '.join(sentences)}."
    )


def _correlation(rho: Score) -> str:
    """A correlation and its interval; n/a where it is undefined."""
    return f"{figure(rho.value)} ({formatted(rho.interval, 'interval')})" if np.isfinite(rho).all() else "n/a"


def few_events(scores: Scores) -> str:
    """A sentence where the scored headlines are of few events, else nothing."""
    row = scores.row(scores.systems[0])
    if row.events >= FEW:
        return ""
    scored = f"{counted(row.n, 'headline')} of {counted(row.events, 'event')}"
    return f"These are few, {scored}: the intervals say more than the figures."


def terminal_table(scores: Scores, ranking: Ranking, *, by_direction: bool = False) -> Table:
    """Return the averages of the systems for the terminal, perhaps with each direction below."""
    accepted = ["accepted"] if "accepted" in scores.known else []
    measures = (*ASPECTS, *accepted)
    columns = [Column("system", "text"), *(Column(name, "estimate") for name in measures)]
    rows, best = [], best_system(scores)
    best_of = best_columns(scores, ranking.measures)
    directions = scores.directions[:-1] if by_direction else []
    for system in scores.names:
        row, group, grey = scores.row(system), system if by_direction else "", ranking.grey(system)
        marks = {"system": f" {DAGGER}"} if row.chosen else {}
        values: dict[str, Value] = {"system": system, **_estimates(row, measures)}
        rows.append(Row(values, group, system == best, best_of.get(system, ()), marks, grey=grey))
        for name in directions:
            values = {"system": f"  {name}", **_estimates(scores.row(system, name), measures)}
            rows.append(Row(values, group, grey=grey))
    of_what = "mean of both directions" if len(scores.directions) > 2 else scores.directions[0]
    title = f"Results: {headline(scores)}, {of_what}, 95% intervals"
    notes = ["* the best of the systems of files in this column"] if any(best_of.values()) else []
    return Table(columns, rows, title, notes)


def _estimates(row: ScoreRow, measures: Collection[str]) -> dict[str, Value]:
    """Return measure to its value with its interval; of a brief aspect the value alone."""
    brief = {name for name, aspect in ASPECTS.items() if aspect.brief}
    cells: dict[str, Value] = {}
    for name in measures:
        value, ends = row.values.get(name), row.intervals.get(name)
        if value is None:
            cells[name] = "n/a"
        elif ends is None or name in brief:
            cells[name] = value
        else:
            cells[name] = (value, *ends)
    return cells


def remarks(scores: Scores) -> list[str]:
    """Notes on single systems, and on what cannot be computed."""
    lines = other_corpus(scores.trained)
    for system, share in scores.accepted.items():
        accepted = f"{system}: readers accept {figure(share.plain)} of the {share.labels} labelled headlines"
        predicted = f"with what predicts it of the others {figure(share.share)}"
        lines.append(f"{accepted}; {predicted}, which saves {figure(share.saved)} of the labels")
    for system in scores.names:
        row = scores.row(system)
        if row.runs > 1:
            lines.append(f"{system}: mean of {row.runs} runs; its intervals draw runs and events")
            continue
        if row.errors:
            lines.append(
                f"{system}: {row.errors} of {row.n} items have no headline and count as not compliant"
            )
    chosen = [scores.row(system) for system in scores.names if scores.row(system).chosen]
    if chosen:
        among = [
            f"{row.system}: {row.candidates:.2g} {choices_of(row.system)}" for row in chosen if row.candidates
        ]
        counts = f" ({'; '.join(among)})" if among else ""
        lines.append(f"{CHOSEN}{counts}")
    return [*lines, *lacking(scores.known, scores.style_fault)]


def other_corpus(trained: str) -> list[str]:
    """What to know of judges that were trained on another corpus (`Judges.check_corpus`)."""
    unknown = (
        "the judges do not say which articles they learnt from, and these may be among them: train them again"
    )
    other = f"the judges were trained on another corpus ({trained}), without these test articles"
    return [unknown if "unknown" in trained else other] if trained else []


def lacking(known: Collection[str], style_fault: str) -> list[str]:
    """Why style, acceptability or a factor of it cannot be computed, and what to do, from the measures that are known."""
    lines = [style_fault] if style_fault else []
    for task in optional_tasks():
        if task not in known:
            what = f"acceptability and {task} are" if JUDGES[task].in_acceptability else f"{task} is"
            missing = f"{what} n/a: these judges have no {task} judge"
            lines.append(f"{missing}, train one with change-it train judge --task {task}")
    if "evidence" not in known:
        lines.append("articles of this corpus are too short to be evidence: acceptability is without it")
    return lines


def _values(row: ScoreRow) -> dict[str, Value]:
    values: dict[str, Value] = {**row.values}
    values |= {name: "n/a" for name in compliancy_measures() if name not in row.values}
    return values | {f"{name}_interval": ends for name, ends in row.intervals.items()}


def tests_table(scores: Scores, measure: str) -> Table:
    """p-values of the paired tests of an average, corrected after Holm for all pairs, a square of systems; at the least that the trials can give they say so."""
    pairs = list(combinations(range(len(scores.systems)), 2))
    corrected = holm([float(scores.p_values[measure][pair]) for pair in pairs])
    least = len(pairs) / (scores.trials + 1)
    shown = [f"≤ {p_value(least)}" if p <= least * 1.001 else p_value(p) for p in corrected]
    cells = dict(zip(pairs, shown, strict=True))
    return square(scores.systems, "text", lambda i, j: cells[min(i, j), max(i, j)])


def square(names: Sequence[str], format_: Format, cell: Callable[[int, int], Value]) -> Table:
    """A row and a column for each name, with nothing on the diagonal."""
    rows = [
        Row({"": name} | {other: "" if i == j else cell(i, j) for j, other in enumerate(names)})
        for i, name in enumerate(names)
    ]
    return Table([Column("", "text"), *(Column(name, format_) for name in names)], rows)
