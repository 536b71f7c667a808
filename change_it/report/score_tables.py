"""The tables of results: systems, judges, tests and correlations, each built once for terminal, page and files."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, permutations, product

import numpy as np
import polars as pl

from change_it.corpus.reading.sample import is_sample_corpus
from change_it.corpus.test_set import BUILT_IN, CLAUSE, GOLD
from change_it.files.texts import counted, listed
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
from change_it.report.pages import named
from change_it.scoring.aspects import ASPECTS, COMPLIANCY_MEASURES, JUDGE_NAMES
from change_it.scoring.comparison import differences
from change_it.scoring.overlap import OF_REFERENCE, correlations
from change_it.scoring.scores import AVERAGE, SCORE_MEASURES, ScoreRow, Scores
from change_it.stats import Score, holm

#: Headlines that reports begin with, of those that nothing refuses and of the others each.
SHOWN = 3
#: Events below which a table says that they are few: to tell systems apart whose shares differ by .2 takes about as many.
FEW = 50
#: Follows the names of systems that judges chose, and what it means.
DAGGER = "†"
CHOSEN = f"{DAGGER} judges trained on other events chose each headline among several, or the system learnt from such: choosing also finds what no judge sees"

#: Measures as heads of columns, where they are not called so themselves.
HEADINGS = {
    **JUDGE_NAMES,
    "bleu": "BLEU",
    "rougeL": "ROUGE-L",
    "bleu_source": "BLEU source",
    "rougeL_source": "ROUGE-L source",
}


def best_system(scores: Scores) -> str:
    """The first system of the table that is not built in, chosen by judges or not; gold, or the first one, where there is none."""
    own = [system for system in scores.systems if system not in BUILT_IN]
    return next(iter([*own, *({GOLD} & {*scores.systems}), *scores.systems]))


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
    sides = [items.filter((pl.col("refused_by") == "") == passes) for passes in (True, False)]
    rows = []
    for item in pl.concat(side.head(SHOWN) for side in sides).iter_rows(named=True):
        places = tuple((part["start"], part["end"]) for part in item["unsupported"])
        shown = {"headline": UnderlinedText(item["headline"], places), "gold": item["gold"] or None}
        shown |= {"to": targets[item["direction"]], "refused_by": named(item["refused_by"]) or "nothing"}
        rows.append(Row({**item, **shown}))
    columns = [
        *(Column("source", "text", "original"), Column("to", "text")),
        *(Column("headline", "text", "new headline"), Column("refused_by", "text", "refused by")),
        *(Column(name) for name in ("style", "acceptability") if name in scores.known),
        Column("gold", "text", "the other newspaper's own"),
    ]
    fates = zip(sides, ("nothing refuses", "a judge refuses, or that are edited"), strict=True)
    counts = [f"{min(SHOWN, side.height)} of the {side.height:,} that {fate}" for side, fate in fates]
    note = f"{system}, at random: {' and '.join(counts)}; underlined: numbers, names and quotations that no source has"
    return Table(columns, rows, "What was written", [note])


def best_columns(scores: Scores, rankable: Collection[str] = ASPECTS) -> dict[str, set[str]]:
    """Return, of each system of files, the measures in which its average is the best of them.

    `rankable` are the measures that can rank systems. A single system is the best of nothing.
    """
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


def paper_table(tables: Mapping[str, Scores], rankable: Collection[str] = ASPECTS) -> Table:
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
    columns = [
        with_interval(name, HEADINGS.get(name, name))
        for name in (*ASPECTS, "edited", "accepted")
        if name in known
    ]
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
        columns.append(Column(name, "difference", HEADINGS.get(name, name), interval))
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
    measures: Collection[str] = SCORE_MEASURES,
    rankable: Collection[str] = ASPECTS,
) -> Table:
    """One group a direction: the systems with some measures, intervals and n; averages with marks of significance.

    Of the measures that are `rankable` the best system of files is marked.
    """
    best, stars = significance(scores)
    best_of = best_columns(scores, rankable)
    rows = []
    for direction, system in product(directions, scores.names):
        row = scores.row(system, direction)
        marks = {"system": DAGGER} if row.chosen else {}
        marks |= stars.get(system, {}) if direction == AVERAGE else {}
        remark = [f"best of {row.candidates:.2g}"] if row.candidates else []
        remark += [f"{row.errors} without a headline"] if row.errors else []
        values = {"system": system, "n": row.n, **_values(row)}
        group = direction if len(directions) > 1 else ""
        in_front = best_of.get(system, ()) if direction == AVERAGE else ()
        rows.append(Row(values, group, system == best, in_front, marks, ", ".join(remark)))
    note = f"* p < .05, ** p < .01: the figure differs from that of {best} (paired approximate randomisation, corrected after Holm for its comparisons alone; the table of p for all pairs)."
    columns = [
        with_interval(name, HEADINGS.get(name, name), bold=name in ASPECTS)
        for name in scores.measures
        if name in measures and (name in scores.known or name in COMPLIANCY_MEASURES)
    ]
    notes = [*([note] if stars else []), *remarks(scores)]
    columns = [Column("system", "text"), *columns, Column("n", "count")]
    return Table(columns, rows, notes=notes if AVERAGE in directions else [])


def significance(scores: Scores) -> tuple[str, dict[str, dict[str, str]]]:
    """The best system, and for each other marks of the `ASPECTS` in which paired tests, corrected after Holm, tell it from that."""
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


def meaning(scores: Scores) -> str | None:
    """What came out for the best system in one sentence, beside gold and a random clause; None when all systems are built in.

    Content is that of HH and AH: acceptability did not stand the test of labels/fresh.csv.
    """
    best = best_system(scores)
    if best in BUILT_IN:
        return None
    system = next((name for name in scores.names if scores.row(name).runs > 1), best)
    invented = " (two invented newspapers)" if is_sample_corpus(scores.outlets) else ""
    row, has_style = scores.row(system).values, "style" in scores.known
    shown, style = ["style"] * has_style + ["hh", "ah"], ""
    if has_style:
        style = f"goes {figure(row['style'])} of the way from neither newspaper's style to the other's; "
    content = f"HH accepts {figure(row['hh'])} of its headlines as the same story, AH {figure(row['ah'])} as fitting the article"
    parts = [f"{system}{invented} {style}{content}" if has_style else f"{system}{invented}: {content}"]
    others = {GOLD: "gold, the other newspaper's own headline,", CLAUSE: "a random clause of the article"}
    others |= {} if has_style else {"copy": "a copy"}
    for name in (name for name in others if name in scores.names):
        values = scores.row(name).values
        parts.append(f"{others[name]} {', '.join(figure(values[key]) for key in shown)}")
    if not has_style and "copy" in scores.names:
        parts[-1] += ": content alone does not say that anything was rewritten"
    return f"{'; '.join(parts)}. Both judges accept more than readers do."


def likeness(scores: Scores) -> str:
    """A sentence with Spearman's correlations of BLEU and ROUGE-L with the judges, headline by headline; empty without systems of files or references."""
    own = [name for name in scores.systems if name not in BUILT_IN]
    if not own or not {*OF_REFERENCE} & {*scores.row(own[0]).values}:
        return ""
    sentences = []
    for measure, judges in correlations(pl.concat(scores.items[name] for name in own)).items():
        shown = (f"{JUDGE_NAMES[name]} {_correlation(rho)}" for name, rho in judges.items())
        sentences.append(f"{HEADINGS[measure]}: {', '.join(shown)}")
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


def terminal_table(
    scores: Scores, *, by_direction: bool = False, rankable: Collection[str] = ASPECTS
) -> Table:
    """The averages of the systems for the terminal, perhaps with each direction below; the best in what is `rankable` is marked."""
    best_of = best_columns(scores, rankable)
    columns = [Column("system", "text")]
    for name in (*ASPECTS, "edited", *(["accepted"] if "accepted" in scores.known else [])):
        columns.append(Column(name, bold=name in ASPECTS))
        if name != "edited":
            columns.append(Column(f"{name}_interval", "interval", "95% interval"))
    rows, best = [], best_system(scores)
    directions = scores.directions[:-1] if by_direction else []
    for system in scores.names:
        row, group = scores.row(system), system if by_direction else ""
        marks = {"system": DAGGER} if row.chosen else {}
        values = {"system": system, **_values(row)}
        rows.append(Row(values, group, system == best, best_of.get(system, ()), marks))
        for name in directions:
            rows.append(Row({"system": f"  {name}", **_values(scores.row(system, name))}, group))
    row = scores.row(scores.systems[0])
    title = f"{counted(row.n, 'headline')} of {counted(row.events, 'event')}, {averaged(scores)}"
    notes = [*remarks(scores), scores.signature]
    if any(best_of.values()):
        notes.insert(0, "* the best of the systems of files in this column")
    return Table(columns, rows, title, notes)


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
        if row.candidates:
            lines.append(f"{system}: the best of {row.candidates:.2g} on average")
    if any(row.chosen for row in scores.rows):
        lines.append(CHOSEN)
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
    if "fluency" not in known:
        lines.append(
            "acceptability and fluency are n/a: these judges have no fluency judge, train one with change-it train judge --task fluency"
        )
    if "evidence" not in known:
        lines.append("articles of this corpus are too short to be evidence: acceptability is without it")
    return lines


def _values(row: ScoreRow) -> dict[str, Value]:
    values: dict[str, Value] = {**row.values}
    values |= {name: "n/a" for name in COMPLIANCY_MEASURES if name not in row.values}
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
