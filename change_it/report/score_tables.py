"""Build the tables of results, each once for terminal, page and files: systems, differences and tests."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np
import polars as pl

from change_it.corpus.test_set import BUILT_IN, CLAUSE, FLOOR, GOLD
from change_it.files.texts import enumerated, join_truncated, pluralise
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
from change_it.report.ranking import (
    Ranking,
    best_system,
    headline,
    outcome,
    own_systems,
    p_values_beside,
    systems_of_files,
)
from change_it.scoring.aspects import (
    ASPECTS,
    compared_aspects,
    compliancy_measures,
    graded_aspects,
    judge_headings,
    refusals,
)
from change_it.scoring.comparison import Difference, differences, least_p
from change_it.scoring.overlap import OF_REFERENCE, correlations
from change_it.scoring.scores import AVERAGE, ScoreRow, Scores
from change_it.stats import Score, holm

#: Number of headlines that reports begin with: so many that nothing refuses, and so many others.
SHOWN_EXAMPLES = 3
#: Systems that a sentence names of which interval and test disagree, at most; it counts the others.
SHOWN_CONTRADICTIONS = 3
#: Number of events below which a table says that they are few. To tell two systems apart whose shares differ
#: by .2 takes about as many.
FEW_EVENTS = 50
#: A measure has a star below this p, corrected after Holm.
STAR_BELOW = 0.05
#: A measure has two stars below this p, corrected after Holm.
TWO_STARS_BELOW = 0.01
#: The mark behind the names of systems that judges chose.
DAGGER = "†"
#: What the mark means.
DAGGER_NOTE = (
    f"{DAGGER} judges of other events chose each headline, or what the system learnt from: that also finds "
    "what no judge sees"
)

#: Headings of the columns of overlap.
OVERLAP_HEADINGS = {
    "bleu": "BLEU",
    "rougeL": "ROUGE-L",
    "bleu_source": "BLEU source",
    "rougeL_source": "ROUGE-L source",
}


def heading_of(measure: str) -> str:
    """Return the heading of a measure's column."""
    headings = judge_headings() | OVERLAP_HEADINGS
    return headings.get(measure, measure)


def name_average(scores: Scores) -> str:
    """Say what the rows of averages are: those of both directions, or of the only one."""
    # the last one is the average
    directions = scores.directions[:-1]
    return "average of the directions" if len(directions) > 1 else directions[0]


def examples_table(scores: Scores) -> Table | None:
    """Return random headlines of the best system: first some that nothing refuses, then some refused ones.

    None is returned where all systems are built in.
    """
    system = best_system(scores)
    if system in BUILT_IN:
        return None
    items = scores.items[system].sample(fraction=1, shuffle=True, seed=1)
    is_passing = pl.col("refused_by").list.len() == 0
    passing = items.filter(is_passing)
    refused = items.filter(~is_passing)
    a, b = scores.outlets
    targets = {f"{a}2{b}": b, f"{b}2{a}": a}
    shown = pl.concat([passing.head(SHOWN_EXAMPLES), refused.head(SHOWN_EXAMPLES)])
    rows = []
    for item in shown.iter_rows(named=True):
        target = targets[item["direction"]]
        rows.append(Row(_example(item, target)))
    graded = [name for name in graded_aspects() if name in scores.known]
    columns = [
        Column("source", "text", title="original"),
        Column("to", "text"),
        Column("headline", "text", title="new headline"),
        Column("refused_by", "text", title="refused by"),
        *(Column(name) for name in graded),
        Column("gold", "text", title="the other newspaper's own"),
    ]
    counts = f"{_shown_of(passing)} that nothing refuses, {_shown_of(refused)} refused"
    note = "underlined: numbers, names and quotations that no source has"
    return Table(columns, rows, title=f"Examples of {system} (random): {counts}", notes=[note])


def _example(item: Mapping[str, Any], target: str) -> dict[str, Value]:
    """Return the cells of an item: what no source has is underlined, and `target` is the outlet aimed at."""
    places = tuple((part["start"], part["end"]) for part in item["unsupported"])
    return {
        **item,
        "headline": UnderlinedText(item["headline"], places),
        "gold": item["gold"] or None,
        "to": target,
        "refused_by": refusals(item["refused_by"], judge_headings()) or "nothing",
    }


def _shown_of(items: pl.DataFrame) -> str:
    """Say how many of the items are shown as examples: `3 of 1,204`."""
    return f"{min(SHOWN_EXAMPLES, items.height)} of {items.height:,}"


def best_columns(scores: Scores, rankable: Collection[str] | None = None) -> dict[str, set[str]]:
    """Return each system of files to the measures in which its average is the best of them.

    Args:
        scores: the table.
        rankable: the measures that can rank systems; None for all compared aspects.

    Returns:
        The measures by system. A single system is the best of nothing.
    """
    if rankable is None:
        rankable = compared_aspects()
    own = [name for name in scores.names if name not in BUILT_IN]
    columns: dict[str, set[str]] = {name: set() for name in own}
    if len(own) < 2:
        return columns
    for measure in rankable:
        values: dict[str, float] = {}
        for name in own:
            value = scores.row(name).values.get(measure)
            if value is not None:
                values[name] = value
        best = max(values.values(), default=None)
        for name, value in values.items():
            if value == best:
                columns[name].add(measure)
    return columns


def paper_table(tables: Mapping[str, Scores], ranking: Ranking) -> Table:
    """Return the averages of the systems for a paper, a group for each of several tables.

    Args:
        tables: the scores by the name of their group.
        ranking: what the measures can say of the systems. A figure that says nothing of a system is grey, and
            a note says so.
    """
    rows = []
    known: set[str] = set()
    for name, scores in tables.items():
        known |= scores.known
        group = name if len(tables) > 1 else ""
        best = best_columns(scores, ranking.measures)
        for system in scores.names:
            row = scores.row(system)
            grey = ranking.grey(system)
            values: dict[str, Value] = {"system": system, "n": row.n, "events": row.events}
            values.update(row.values)
            values.update(_intervals(row))
            values["verdict"] = verdict_of_row(ranking, scores.p_values, [system])
            values["signature"] = row.signature
            best_here = best.get(system, set()) - grey.keys()
            rows.append(Row(values, group=group, best=best_here, grey=grey))
    measures = [name for name in (*ASPECTS, "accepted") if name in known]
    counts = [Column("n", "count"), Column("events", "count")]
    table = Table(
        [Column("system", "text"), *_interval_columns(measures), *counts],
        rows,
        notes=cautions(ranking, measures, [row.values["system"] for row in rows]),
        signatures=[scores.signature for scores in tables.values()],
    )
    return table.with_groups()


def cautions(ranking: Ranking, measures: Collection[str], systems: Iterable[Value]) -> list[str]:
    """Return a note that says by which measures no systems may be compared; an empty list without any."""
    names = list(dict.fromkeys(str(system) for system in systems))
    caution = ranking.caution(measures, names)
    return [caution] if caution else []


def verdict_of_row(ranking: Ranking, measures: Collection[str], systems: Sequence[str]) -> str:
    """Return the cell `verdict` of a row about these systems: `style: ranks; compliancy: not known`."""
    parts = [f"{name}: {ranking.standing(name, systems)}" for name in compared_aspects() if name in measures]
    return "; ".join(parts)


def differences_alone(scores: Scores, against: str, ranking: Ranking) -> Table:
    """Return the table of differences without a title, which says in columns of how many headlines it is."""
    table = differences_table(scores, against, ranking)
    return replace(table, columns=[*table.columns, Column("n", "count"), Column("events", "count")], title="")


def for_programs(table: Table) -> Table:
    """Return a table for CSV or JSON: with the verdict on its measures and its signature in each row."""
    columns = [*table.columns, Column("verdict", "text"), Column("signature", "text")]
    return replace(table, columns=columns)


def _interval_columns(measures: Sequence[str]) -> list[Column]:
    """Return a column for each measure, with its interval below the value."""
    return [with_interval(name, title=heading_of(name)) for name in measures]


def _estimate_columns(measures: Sequence[str]) -> list[Column]:
    """Return a column for each measure, with its interval in brackets behind the value."""
    return [Column(name, "estimate") for name in measures]


def differences_table(scores: Scores, against: str, ranking: Ranking) -> Table:
    """Return the differences of all systems from one of them, with intervals and p-values.

    A difference in a measure that says nothing of one of the two systems is grey, and a note says so.
    """
    compared = differences(scores, against)
    row_of_other = scores.row(against)
    cells: dict[str, dict[str, Value]] = {}
    for difference in compared:
        values = cells.setdefault(difference.system, {"system": f"{difference.system} − {against}"})
        values[difference.measure] = difference.value
        values[f"{difference.measure}_interval"] = difference.interval
        p = p_value(difference.p)
        if difference.is_least:
            p = f"≤ {p}"
        values[f"{difference.measure}_p"] = p
    rows = []
    for system, values in cells.items():
        values["n"] = row_of_other.n
        values["events"] = row_of_other.events
        values["verdict"] = verdict_of_row(ranking, scores.p_values, [system, against])
        values["signature"] = scores.signature
        grey: dict[str, str] = {}
        for name, reason in ranking.grey_beside(system, against).items():
            grey |= dict.fromkeys((name, f"{name}_interval", f"{name}_p"), reason)
        rows.append(Row(values, grey=grey))
    columns = [Column("system", "text")]
    for name in scores.p_values:
        interval = Column(f"{name}_interval", "interval")
        columns.append(Column(name, "difference", title=heading_of(name), secondary=interval))
        columns.append(Column(f"{name}_p", "text", title="p"))
    note = (
        "Intervals of 95% are drawn by event, the same for both systems. p is corrected after Holm for the "
        "comparisons of a column."
    )
    return Table(
        columns,
        rows,
        title=f"Differences from {against}, {headline(scores)}",
        notes=[
            *cautions(ranking, scores.p_values, scores.systems),
            *_contradictions(compared, against, row_of_other.events),
            note,
        ],
        signatures=[scores.signature],
    )


def _contradictions(compared: Sequence[Difference], against: str, events: int) -> list[str]:
    """Say of which differences interval and test disagree, and what to believe; nothing where all agree.

    The bootstrap draws few events too much alike, so its intervals are too narrow. A paired test of few
    events has few ways to swap, so its p cannot be small.

    Args:
        compared: the differences of the table.
        against: the system from which they are.
        events: number of events of the items.
    """
    systems_by_measure: dict[str, list[str]] = {}
    for difference in compared:
        if difference.is_contradictory:
            systems_by_measure.setdefault(difference.measure, []).append(difference.system)
    if not systems_by_measure:
        return []
    parts = []
    for name, systems in systems_by_measure.items():
        parts.append(f"{heading_of(name)} ({join_truncated(systems, SHOWN_CONTRADICTIONS)})")
    where = f"Interval and test disagree in {enumerated(parts)}"
    comparisons = len({difference.system for difference in compared})
    if events >= FEW_EVENTS:
        return [
            f"{where}: count only what both find, for p alone is corrected for {comparisons} comparisons."
        ]
    least = _one_digit(least_p(comparisons, events))
    return [
        f"{where}: with {events} events believe neither. After Holm no p here can be below about {least}."
    ]


def _one_digit(p: float) -> str:
    """Return a p-value with its first digit: tests that draw their trials reach the exact one by chance.

    Examples:
        >>> _one_digit(0.4375), _one_digit(0.015625), _one_digit(1.0)
        ('.4', '.02', '1')
    """
    return f"{p:.1g}".removeprefix("0")


def differences_lines(scores: Scores, against: str, ranking: Ranking) -> Table:
    """Return the table of differences for the terminal, with a column for each interval."""
    table = differences_table(scores, against, ranking)
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
    """Return the systems with their measures, intervals and n, a group for each of several directions.

    Args:
        scores: the table.
        directions: the directions that are shown; averages have marks of significance and notes.
        measures: the measures that are shown; None for all.
        ranking: what the measures can say of the systems. A figure that says nothing of a system is grey and
            has no star, and only a measure that can rank marks the best system of files.
    """
    best = best_system(scores)
    rankable = ranking.measures if ranking else None
    best_of = best_columns(scores, rankable)
    stars = significance(scores)
    rows = []
    for direction, system in product(directions, gold_before_baselines(scores.names)):
        row = scores.row(system, direction)
        grey: dict[str, str] = {}
        if ranking:
            grey = ranking.grey(system)
        marks = {}
        if row.chosen:
            marks["system"] = DAGGER
        best_in: Collection[str] = ()
        if direction == AVERAGE:
            best_in = best_of.get(system, set()) - grey.keys()
            for name, star in stars.get(system, {}).items():
                if name not in grey:
                    marks[name] = star
        shown_row = Row(
            {"system": system, "n": row.n, **_values(row)},
            group=direction if len(directions) > 1 else "",
            highlight=system == best,
            best=best_in,
            marks=marks,
            grey=grey,
            remark=_row_remark(row, ranking),
        )
        rows.append(shown_row)
    shown = [name for name in scores.measures if measures is None or name in measures]
    columns = [Column("system", "text"), *_interval_columns(shown), Column("n", "count")]
    notes = []
    if AVERAGE in directions:
        if any(row.marks.keys() - {"system"} for row in rows):
            notes.append(
                f"* p < .05, ** p < .01 against {best} (paired approximate randomisation, after Holm)"
            )
        notes += remarks(scores)
    return Table(columns, rows, notes=notes)


def gold_before_baselines(systems: Sequence[str]) -> list[str]:
    """Return the systems in the order of tables for people: those of files, gold, the other baselines.

    Examples:
        >>> gold_before_baselines(["mine", "floor", "clause", "gold", "copy"])
        ['mine', 'gold', 'floor', 'clause', 'copy']
    """
    own = [name for name in systems if name not in BUILT_IN]
    gold = [name for name in systems if name == GOLD]
    return own + gold + [name for name in systems if name in BUILT_IN and name != GOLD]


def _row_remark(row: ScoreRow, ranking: Ranking | None) -> str:
    """Say why a system's figures count for little: fluency refuses many, judges chose, some are missing."""
    parts = []
    if ranking and row.system in ranking.unwritten:
        parts.append(ranking.unwritten[row.system])
    if row.candidates:
        parts.append(f"best of {row.candidates:.2g} {choices_of(row.system)}")
    if row.errors:
        parts.append(f"{row.errors} without a headline")
    return ", ".join(parts)


def choices_of(system: str) -> str:
    """Return what judges chose among: clauses for `floor`, drafts for a system."""
    return "clauses" if system == FLOOR else "drafts"


def significance(scores: Scores) -> dict[str, dict[str, str]]:
    """Return the stars of the systems that paired tests tell from the best one, by system and measure.

    p-values are corrected after Holm for all other systems. One star is p < .05, two are p < .01.
    """
    best = best_system(scores)
    others = [system for system in scores.systems if system != best]
    stars: dict[str, dict[str, str]] = {}
    for measure in scores.p_values:
        corrected = holm(p_values_beside(scores, measure, best, others))
        for system, p in zip(others, corrected, strict=True):
            if p >= STAR_BELOW:
                continue
            of_system = stars.setdefault(system, {})
            of_system[measure] = "**" if p < TWO_STARS_BELOW else "*"
    return stars


def meaning(scores: Scores, ranking: Ranking) -> str:
    """Return what the table comes to in a sentence or two."""
    sentences = (outcome(scores, ranking), few_events(scores))
    return " ".join(sentence for sentence in sentences if sentence)


def ranked_table(scores: Scores, ranking: Ranking) -> Table | None:
    """Return one's own systems beside gold and a clause, with the measures that can rank.

    None is returned where there is no system of one's own, or no such measure.
    """
    own = own_systems(scores)
    measures = [name for name in ranking.measures if name in scores.known]
    if not own or not measures:
        return None
    baselines = [name for name in (GOLD, CLAUSE) if name in scores.names]
    rows = []
    for name in [*own, *baselines]:
        estimates = _estimates(scores.row(name), measures)
        rows.append(Row({"system": name, **estimates}, grey=ranking.grey(name)))
    return Table([Column("system", "text"), *_estimate_columns(measures)], rows)


def overlap_correlations(scores: Scores) -> str:
    """Say how BLEU and ROUGE-L correlate with the judges (Spearman), headline by headline.

    The sentence is empty without systems of files, or without references.
    """
    own = systems_of_files(scores)
    if not own:
        return ""
    known = scores.row(own[0]).values
    if not any(name in known for name in OF_REFERENCE):
        return ""
    items = pl.concat(scores.items[name] for name in own)
    sentences = []
    for measure, judges in correlations(items).items():
        shown = [f"{heading_of(name)} {_correlation(rho)}" for name, rho in judges.items()]
        sentences.append(f"{heading_of(measure)}: {', '.join(shown)}")
    return (
        "Spearman's correlation with the judges' probabilities, headline by headline over "
        f"{join_truncated(own)}, with 95% intervals over events. {'; '.join(sentences)}."
    )


def _correlation(rho: Score) -> str:
    """Return a correlation with its interval; n/a where it is undefined."""
    if not np.isfinite(rho).all():
        return "n/a"
    return f"{figure(rho.value)} ({formatted(rho.interval, 'interval')})"


def few_events(scores: Scores) -> str:
    """Say that the headlines are of few events; empty where they are not."""
    row = scores.row(scores.systems[0])
    if row.events >= FEW_EVENTS:
        return ""
    scored = f"{pluralise(row.n, 'headline')} of {pluralise(row.events, 'event')}"
    return f"These are few, {scored}: the intervals say more than the figures."


def terminal_table(scores: Scores, ranking: Ranking, *, by_direction: bool = False) -> Table:
    """Return the averages of the systems for the terminal, with each direction below if `by_direction`."""
    measures = list(ASPECTS)
    if "accepted" in scores.known:
        measures.append("accepted")
    columns = [Column("system", "text"), *_estimate_columns(measures)]
    best = best_system(scores)
    best_of = best_columns(scores, ranking.measures)
    directions: list[str] = []
    if by_direction:
        directions = scores.directions[:-1]
    rows = []
    for system in gold_before_baselines(scores.names):
        row = scores.row(system)
        group = system if by_direction else ""
        grey = ranking.grey(system)
        marks = {}
        if row.chosen:
            marks["system"] = f" {DAGGER}"
        average = Row(
            {"system": system, **_estimates(row, measures)},
            group=group,
            highlight=system == best,
            best=best_of.get(system, set()) - grey.keys(),
            marks=marks,
            grey=grey,
        )
        rows.append(average)
        for direction in directions:
            estimates = _estimates(scores.row(system, direction), measures)
            rows.append(Row({"system": f"  {direction}", **estimates}, group=group, grey=grey))
    measured_on = "mean of both directions" if len(scores.directions) > 2 else scores.directions[0]
    title = f"Results: {headline(scores)}, {measured_on}, 95% intervals"
    notes = []
    if any(best_of.values()):
        notes.append("* the best of the systems of files in this column")
    return Table(columns, rows, title=title, notes=notes)


def _estimates(row: ScoreRow, measures: Collection[str]) -> dict[str, Value]:
    """Return each measure to its value with its interval; a brief aspect has the value alone."""
    brief = {name for name, aspect in ASPECTS.items() if aspect.brief}
    cells: dict[str, Value] = {}
    for name in measures:
        value = row.values.get(name)
        ends = row.intervals.get(name)
        if value is None:
            cells[name] = "n/a"
        elif ends is None or name in brief:
            cells[name] = value
        else:
            cells[name] = (value, *ends)
    return cells


def remarks(scores: Scores) -> list[str]:
    """Return notes on the judges, on single systems, and on what cannot be measured."""
    lines = remarks_on_corpus(scores.trained)
    for system, share in scores.accepted.items():
        accepted = f"{system}: readers accept {figure(share.plain)} of the {share.labels} labelled headlines"
        predicted = f"with what predicts it of the others {figure(share.share)}"
        lines.append(f"{accepted}; {predicted}, which saves {figure(share.saved)} of the labels")
    rows = [scores.row(system) for system in scores.names]
    for row in rows:
        if row.runs > 1:
            lines.append(f"{row.system}: mean of {row.runs} runs; its intervals draw runs and events")
        elif row.errors:
            missing = f"{row.errors} of {row.n} items have no headline and count as not compliant"
            lines.append(f"{row.system}: {missing}")
    chosen = [row for row in rows if row.chosen]
    if chosen:
        lines.append(DAGGER_NOTE + _numbers_of_choices(chosen))
    return lines + missing_measures(scores.known, scores.style_fault)


def _numbers_of_choices(chosen: Sequence[ScoreRow]) -> str:
    """Say in brackets among how many headlines judges chose for each system; empty where none is known."""
    parts = []
    for row in chosen:
        if row.candidates:
            parts.append(f"{row.system}: {row.candidates:.2g} {choices_of(row.system)}")
    if not parts:
        return ""
    return f" ({'; '.join(parts)})"


def remarks_on_corpus(judges_corpus: str) -> list[str]:
    """Return what people must know of judges that were trained on another corpus.

    Args:
        judges_corpus: what `Judges.check_corpus` returns; empty for judges of this corpus.
    """
    if not judges_corpus:
        return []
    if "unknown" in judges_corpus:
        fault = "the judges do not say which articles they learnt from, and these may be among them"
        return [f"{fault}: train them again"]
    return [f"the judges were trained on another corpus ({judges_corpus}), without these test articles"]


def missing_measures(known: Collection[str], style_fault: str) -> list[str]:
    """Say why style, acceptability or a factor of it cannot be measured, and what to do.

    Args:
        known: the measures that are known.
        style_fault: why style is n/a; empty where it is not.
    """
    lines = []
    if style_fault:
        lines.append(style_fault)
    for task in optional_tasks():
        if task not in known:
            missing = f"{task} is"
            if JUDGES[task].in_acceptability:
                missing = f"acceptability and {task} are"
            fault = f"{missing} n/a: these judges have no {task} judge"
            lines.append(f"{fault}, train one with change-it train judge --task {task}")
    if "evidence" not in known:
        lines.append("articles of this corpus are too short to be evidence: acceptability is without it")
    return lines


def _values(row: ScoreRow) -> dict[str, Value]:
    """Return the values and intervals of a row, with n/a for each of `compliancy_measures` that it lacks."""
    values: dict[str, Value] = dict(row.values)
    for name in compliancy_measures():
        values.setdefault(name, "n/a")
    return values | _intervals(row)


def _intervals(row: ScoreRow) -> dict[str, Value]:
    """Return the intervals of a row, that of each measure under the name of its column."""
    return {f"{name}_interval": ends for name, ends in row.intervals.items()}


def tests_table(scores: Scores, measure: str, ranking: Ranking) -> Table:
    """Return the p-values of all paired tests of an average, a square of systems.

    They are corrected after Holm for all pairs. A p-value that is the least which so many trials can give has
    a sign that says so. The tests of a system of which the measure says nothing are grey, and a note says so.
    """
    pairs = list(combinations(range(len(scores.systems)), 2))
    p_values = [float(scores.p_values[measure][pair]) for pair in pairs]
    least = len(pairs) / (scores.trials + 1)
    texts = {}
    for pair, p in zip(pairs, holm(p_values), strict=True):
        # A little more than the least is the same p, rounded.
        if p <= least * 1.001:
            texts[pair] = f"≤ {p_value(least)}"
        else:
            texts[pair] = p_value(p)

    def cell(row: int, column: int) -> str:
        return texts[min(row, column), max(row, column)]

    table = square_table(scores.systems, "text", cell)
    rows = []
    for system, row in zip(scores.systems, table.rows, strict=True):
        grey = {}
        for other in scores.systems:
            reason = ranking.grey_beside(system, other).get(measure)
            if reason and other != system:
                grey[other] = reason
        rows.append(replace(row, grey=grey))
    return replace(table, rows=rows, notes=cautions(ranking, [measure], scores.systems))


def tests_are_of(scores: Scores) -> str:
    """Say of how many headlines and events paired tests are, and which p is the least of so few events."""
    row = scores.row(scores.systems[0])
    sentence = f"{headline(scores)}, {scores.trials:,} trials"
    if row.events >= FEW_EVENTS:
        return sentence
    pairs = len(scores.systems) * (len(scores.systems) - 1) // 2
    return f"{sentence}. With so few events no p can be below about {_one_digit(least_p(pairs, row.events))}"


def square_table(names: Sequence[str], format_: Format, cell: Callable[[int, int], Value]) -> Table:
    """Return a table with a row and a column for each name, and nothing on the diagonal.

    Args:
        names: the names.
        format_: the format of the cells.
        cell: returns the cell of a row and a column, by their places among the names.
    """
    rows = []
    for i, name in enumerate(names):
        values: dict[str, Value] = {"": name}
        for j, other in enumerate(names):
            values[other] = ""
            if i != j:
                values[other] = cell(i, j)
        rows.append(Row(values))
    columns = [Column("", "text")]
    columns += [Column(name, format_) for name in names]
    return Table(columns, rows)
