"""The tables of results: systems, judges, tests and correlations, each built once for terminal, page and files."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, replace
from itertools import combinations

from change_it.corpus.sample import is_sample_corpus
from change_it.hevas.analysis import OVERALL, Analysis, Comparison, Correlations
from change_it.hevas.evaluation import ALIKE, Evaluation
from change_it.hevas.readability import LOWER_IS_BETTER
from change_it.judges.judge_options import StyleStep
from change_it.results.items_table import refused_by, unsupported_places
from change_it.scoring.columns import BUILT_IN, CHOSEN, CLAUSE, FLOOR, GOLD
from change_it.scoring.compliancy import COMPLIANCY_MEASURES
from change_it.scoring.joint import LEAST_STEP_PAIRS
from change_it.scoring.scores import AVERAGE, SORTED_BY, ScoreRow, Scores
from change_it.stats import Floats, holm
from change_it.tables import (
    Column,
    Format,
    Row,
    Table,
    UnderlinedText,
    Value,
    figure,
    p_value,
    percent,
    with_interval,
)

#: Headlines that reports begin with, of those that every judge accepts and of the others each.
SHOWN = 3
#: Follows the names of systems that judges chose, and why they appear apart.
DAGGER = "†"
WHY_APART = (
    f"{DAGGER} {CHOSEN} of another fold among several headlines, or learnt from such: choosing also finds what no judge sees, so "
    "these are shown separately and not ranked"
)

#: Measures as heads of columns, where they are not called so themselves.
HEADINGS = {
    "bleu": "BLEU",
    "rougeL": "ROUGE-L",
    "bleu_source": "BLEU source",
    "rougeL_source": "ROUGE-L source",
}


def metric_heading(metric: str) -> str:
    """A metric as the head of a column, with an arrow where less is better."""
    return f"{metric} ↓" if metric in LOWER_IS_BETTER else metric


def examples_table(scores: Scores) -> Table | None:
    """Headlines that every judge accepts, and others, of the best system but the built-in ones, drawn at random; None without one."""
    system = best_system(scores)
    if system in BUILT_IN:
        return None
    items = scores.items[system].sample(fraction=1, shuffle=True, seed=1)
    named = [item | {"refused": refused_by(item)} for item in items.iter_rows(named=True)]
    sides = [[item for item in named if (item["refused"] == "none") == passes] for passes in (True, False)]
    rows = []
    for item in (item for side in sides for item in side[:SHOWN]):
        underlined = UnderlinedText(item["headline"], tuple(unsupported_places(item["unsupported"])))
        refused = item["refused"].replace(" ", ", ")
        shown = {"to": item["direction"].split("2")[1], "headline": underlined, "refused": refused}
        rows.append(Row({**item, "gold": item["gold"] or None, **shown}))
    columns = [
        *(Column("source", "text", "original"), Column("to", "text")),
        *(Column("headline", "text", "new headline"), Column("refused", "text", "refused by")),
        *([Column("joint")] if "joint" in scores.known else []),
        Column("gold", "text", "the other newspaper's own"),
    ]
    counts = [
        f"{len(side[:SHOWN])} of the {len(side):,} that {what}"
        for side, what in zip(sides, ("every judge accepts", "a judge refuses"), strict=True)
    ]
    note = f"{system}, at random: {' and '.join(counts)}; underlined: numbers, names and quotations that no source has"
    return Table(columns, rows, "What was written", [note])


def systems_table(scores: Scores, directions: Sequence[str], *, likeness: bool = True) -> Table:
    """One group a direction: the systems with measures, intervals and n; averages with marks of significance; perhaps without BLEU and ROUGE-L."""
    best, marks = significance(scores)
    rows = []
    for direction in directions:
        for score in (scores.row(system, direction) for system in scores.names):
            of_marks = {"system": DAGGER} if score.group else {}
            if direction == AVERAGE and score.system in marks:
                of_marks[scores.sorted_by] = marks[score.system]
            remark = f"{score.errors} without a headline" if score.errors else ""
            group = ", ".join(filter(None, (direction if len(directions) > 1 else "", score.group)))
            tags = [f"{DAGGER} chosen"] if score.group else []
            values = {"system": score.system, "n": score.n, **_values(score)}
            rows.append(Row(values, group, tags=tags, remark=remark, marks=of_marks))
    note = (
        f"* p < .05, ** p < .01: the {scores.sorted_by} figure differs from that of {best} "
        "(paired approximate randomisation, corrected after Holm)."
    )
    measures = [each for each in _columns(scores) if likeness or each.name in COMPLIANCY_MEASURES]
    columns = [Column("system", "text"), *measures, Column("n", "count")]
    notes = [*([note] if marks else []), *([WHY_APART] if scores.chosen else []), *remarks(scores)]
    return Table(columns, rows, notes=notes if AVERAGE in directions else [])


def _columns(scores: Scores) -> list[Column]:
    """The measures with their intervals, in bold what the table is sorted by."""
    return [
        with_interval(name, HEADINGS.get(name, name), bold=name == scores.sorted_by)
        for name in scores.measures
    ]


def significance(scores: Scores) -> tuple[str, dict[str, str]]:
    """The best system but the built-in ones, and a mark for each other that paired tests, corrected after Holm, tell from it."""
    best = best_system(scores)
    others = [system for system in scores.systems if system != best]
    of_best = scores.sorted_p_values[scores.systems.index(best)]
    corrected = holm([float(of_best[scores.systems.index(system)]) for system in others])
    marks = {
        system: "**" if p < 0.01 else "*" for system, p in zip(others, corrected, strict=True) if p < 0.05
    }
    return best, marks


def best_system(scores: Scores) -> str:
    """The best system but the built-in ones and those that judges chose, or the best of all where there are no others."""
    apart = {*BUILT_IN, *scores.chosen}
    return next((system for system in scores.systems if system not in apart), scores.systems[0])


def meaning(scores: Scores) -> str | None:
    """What the first figure of the table says beside that of a clause of the article, and of gold; None when only built-in systems are scored."""
    ours = [name for name in scores.names if name not in (*BUILT_IN, *scores.chosen)]
    system = next((name for name in ours if scores.row(name).runs > 1), best_system(scores))
    if system in BUILT_IN:  # then those that judges chose
        system = next((name for name in scores.systems if name not in BUILT_IN), "")
    if not system:
        return None
    floor = FLOOR if FLOOR in scores.systems else CLAUSE
    who = {
        system: ", chosen by the same judges," if system in scores.chosen else "",
        FLOOR: ", a clause of the article chosen by judges,",
        CLAUSE: ", a clause of the article at random,",
        GOLD: ", the other newspaper's own headline,",
    }
    measure = {"joint": "Joint score", "compliancy": "Compliancy"}[scores.sorted_by]
    values = {
        name: scores.row(name).values[scores.sorted_by]
        for name in (system, floor, GOLD)
        if name in scores.names
    }
    each = "; ".join(f"{name}{who[name]} {percent(value)}" for name, value in values.items())
    invented = " (two invented newspapers)" if is_sample_corpus(scores.outlets) else ""
    return f"{measure}, percent{invented}: {each}. {_against(scores, system, floor)}It is no share of good headlines."


def _against(scores: Scores, system: str, floor: str) -> str:
    """Whether a system is above a floor, by their paired test; nothing for the mean of several runs."""
    if not {system, floor} <= {*scores.systems}:
        return ""
    first, second = (scores.row(name).values[scores.sorted_by] for name in (system, floor))
    p = scores.sorted_p_values[scores.systems.index(system), scores.systems.index(floor)]
    if p >= 0.05:
        return f"The paired test does not tell {system} from {floor} (p {p_value(float(p))}). "
    return f"{system} is {'above' if first > second else 'below'} {floor}. "


def paper_table(scores: Scores) -> Table:
    """The averages of what is known, with a caption, as a paper prints them: without the likeness to the original, which has no room."""
    table = systems_table(scores, [AVERAGE])
    n = max(scores.row(system).n for system in scores.systems)
    joint = " joint: style, graded, times the verdicts of HH, AH, fluency and evidence."
    caption = (
        f"Headlines rewritten in the other newspaper's style ({' and '.join(scores.outlets)}, n = {n:,}): averages of the "
        f"directions with 95% bootstrap intervals ({scores.resamples:,} resamples)."
        f"{joint if scores.sorted_by == 'joint' else ''} compliancy: HH, AH and main accept. "
        "BLEU and ROUGE-L: against the other newspaper's own headline."
    )
    measured = {"system"}.union(*(row.values for row in scores.rows)) - {"bleu_source", "rougeL_source"}
    columns = [column for column in table.columns if column.name in measured]
    return Table(columns, _in_parts(columns, table.rows, scores), caption, table.notes)


def _in_parts(columns: Sequence[Column], rows: Sequence[Row], scores: Scores) -> list[Row]:
    """The rows, with one that says so above those that judges chose."""
    at = next((at for at, row in enumerate(rows) if row.values["system"] in scores.chosen), len(rows))
    head = Row(dict.fromkeys((column.name for column in columns), "") | {"system": CHOSEN}, CHOSEN)
    return [*rows[:at], *([head] if at < len(rows) else []), *rows[at:]]


def terminal_table(scores: Scores) -> Table:
    """The systems for the terminal: each with its average, then its directions."""
    columns = [Column("system", "text")]
    for column in _columns(scores):
        columns.append(column)
        if column.name in SORTED_BY:
            columns.append(Column(f"{column.name}_interval", "interval", "95% interval"))
    rows = []
    for system in scores.names:
        for direction in sorted(scores.directions, key=lambda name: name != AVERAGE):
            average = direction == AVERAGE
            values = {
                "system": system if average else f"  {direction}",
                **_values(scores.row(system, direction)),
            }
            marks = {"system": DAGGER} if average and system in scores.chosen else {}
            rows.append(Row(values, system, highlight=average, marks=marks))
    n = max(scores.row(system).n for system in scores.systems)
    title = f"Compliancy and joint on {n} headlines, average and by direction"
    notes = [*remarks(scores), *([WHY_APART] if scores.chosen else []), scores.signature]
    return Table(columns, _in_parts(columns, rows, scores), title, notes)


def remarks(scores: Scores) -> list[str]:
    """Notes on single systems, on main's step, and on what cannot be computed."""
    step, known = scores.style_step, scores.known
    lines = _remarks_of_systems(scores)
    if step and "style" in known:
        lines.append(
            f"style: main's step towards the outlet aimed at, over the newspapers' own ({_median(step)})"
        )
    return [*other_corpus(scores.trained), *lines, *lacking(known, step, scores.outlets)]


def other_corpus(trained: str) -> list[str]:
    """What to know of judges that were trained on another corpus (`Judges.check_corpus`)."""
    unknown = (
        "the judges do not say which articles they learnt from, and these may be among them: train them again"
    )
    other = f"the judges were trained on another corpus ({trained}), without these test articles"
    return [unknown if "unknown" in trained else other] if trained else []


def lacking(known: Collection[str], step: StyleStep | None, outlets: tuple[str, str]) -> list[str]:
    """Why joint, or a factor of it, cannot be computed, and what to do, from the measures that are known and main's step."""
    lines = []
    if step and "style" not in known:
        a, b = outlets
        few = f"its step is of {step.pairs:,} aligned training pairs, fewer than {LEAST_STEP_PAIRS}"
        weak = f"main does not tell {a} and {b} apart within an event ({_median(step)})"
        lines.append(f"{few if step.pairs < LEAST_STEP_PAIRS else weak}: style and joint cannot be computed")
    if "fluency" not in known:
        lines.append(
            "joint and fluency are n/a: these judges have no fluency judge, train one with change-it train judge --task fluency"
        )
    if "evidence" not in known:
        lines.append("articles of this corpus are too short to be evidence: joint is without it")
    return lines


def _median(step: StyleStep) -> str:
    return f"median step {figure(step.value)} on {step.pairs:,} training pairs"


def _remarks_of_systems(scores: Scores) -> list[str]:
    lines = []
    for system in scores.names:
        row = scores.row(system)
        if row.runs > 1:
            lines.append(f"{system}: mean of {row.runs} runs; its intervals draw runs and events")
            continue
        if row.errors:
            lines.append(
                f"{system}: {row.errors} of {row.n} items have no headline and count as not compliant"
            )
        if system in scores.rerankers:
            lines.append(
                f"{system}: headlines, or those that it learnt from, chosen by the judges {scores.rerankers[system].short}"
            )
    return lines


def _values(row: ScoreRow) -> dict[str, Value]:
    values: dict[str, Value] = {**row.values}
    values |= {name: "n/a" for name in COMPLIANCY_MEASURES if name not in row.values}
    return values | {f"{name}_interval": ends for name, ends in row.intervals.items()}


def tests_table(scores: Scores, p_values: Floats) -> Table:
    """p-values of the paired tests of an average, corrected after Holm for all pairs, a square of systems."""
    pairs = list(combinations(range(len(scores.systems)), 2))
    corrected = dict(zip(pairs, holm([float(p_values[pair]) for pair in pairs]), strict=True))
    return _square(scores.systems, "p", lambda i, j: corrected[min(i, j), max(i, j)])


def correlations_table(correlations: Correlations) -> Table:
    """All metrics with all: Pearson's correlation."""
    return _square(correlations.metrics, "correlation", lambda i, j: correlations.pearson[i][j])


def _square(names: Sequence[str], format_: Format, cell: Callable[[int, int], Value]) -> Table:
    """A row and a column for each name, with nothing on the diagonal."""
    rows = [
        Row({"": name} | {other: "" if i == j else cell(i, j) for j, other in enumerate(names)})
        for i, name in enumerate(names)
    ]
    return Table([Column("", "text"), *(Column(name, format_) for name in names)], rows)


def hevas_table(evaluation: Evaluation) -> Table:
    """Means of the systems, the best average first, each with its rank (JS has none)."""
    means, ranks, overall = evaluation.means, evaluation.ranks, evaluation.overall
    below = {name: Column(f"{name} rank", "count") for name in evaluation.averaged}
    columns = (
        *(Column("rank", "count"), Column("system", "text"), Column("n", "count"), Column("empty", "count")),
        Column(OVERALL),
        *(Column(name, title=metric_heading(name), secondary=below.get(name)) for name in evaluation.metrics),
        Column("signature", "text"),
    )
    rows: list[Row] = []
    for system in evaluation.ranking:
        rank = 1 + sum(overall[other] > overall[system] for other in overall) if overall else None
        empty = evaluation.empty_headlines[system]
        values: dict[str, Value] = {
            "rank": rank,
            "system": system,
            "n": len(evaluation.ids),
            "empty": empty,
            OVERALL: overall.get(system),
            **means[system],
            **{f"{name} rank": number for name, number in ranks[system].items()},
            "signature": evaluation.signature,
        }
        best = {name for name, number in ranks[system].items() if number == 1}
        best |= {OVERALL} if not rows else set()
        rows.append(Row(values, best=best, remark=f"{empty} empty" if empty else ""))
    return Table(columns, rows)


def means_table(evaluation: Evaluation) -> Table:
    """The means of an evaluation, without what is the same for all systems."""
    table, alike = hevas_table(evaluation), evaluation.indistinct
    shown = {"system", *([OVERALL] if evaluation.averaged else []), *evaluation.metrics}
    columns = [
        replace(column, title=f"{column.heading} ≈") if column.name in alike else column
        for column in table.columns
        if column.name in shown
    ]
    note = f"≈ does not tell these systems apart: means differ by less than {ALIKE:.0%} of the largest; "
    note += ("not in" if evaluation.distinct else "--distinct leaves them out of") + " average and ranks"
    return replace(table, columns=columns, notes=[note] if alike else [])


def hevas_remarks(evaluation: Evaluation) -> list[str]:
    """A sentence for each system with empty headlines."""
    n = len(evaluation.ids)
    return [
        f"{system}: {count} of {n} headlines are empty; they have 0 in every metric and count as the worst"
        for system, count in evaluation.empty_headlines.items()
        if count
    ]


def hevas_record(evaluation: Evaluation, analysis: Analysis) -> dict[str, object]:
    """An evaluation without the values of single documents, as a JSON object."""
    means, ranks = evaluation.means, evaluation.ranks
    return {
        "signature": analysis.signature,
        "n": len(evaluation.ids),
        "metrics": list(evaluation.metrics),
        "indistinct": evaluation.indistinct,
        "systems": {
            system: {
                OVERALL: evaluation.overall.get(system),
                "empty": evaluation.empty_headlines[system],
                "means": means[system],
                "ranks": ranks[system],
            }
            for system in evaluation.ranking
        },
        "comparisons": {name: asdict(each) for name, each in analysis.comparisons.items()},
        "correlations": asdict(analysis.correlations),
    }


def summaries_table(comparison: Comparison) -> Table:
    """Mean, interval and normality of each system by one metric."""
    columns = (
        Column("system", "text"),
        Column("mean"),
        Column("interval", "interval", f"{100 * comparison.level:g}% interval"),
        Column("shapiro_p", "p", "normal, p"),
    )
    return Table(columns, [Row(vars(summary)) for summary in comparison.systems])


def pairs_table(comparison: Comparison) -> Table:
    """The tests of every two systems by one metric."""
    published = "Tukey" if comparison.published_test == "tukey" else "rank-sum"
    columns = (
        Column("difference"),
        Column("published_p", "p", f"HEvAS ({published}), p"),
        Column("p", "p", "signed-rank, p"),
        Column("p_holm", "p", "Holm, p"),
    )
    rows = [Row({"systems": f"{pair.first} – {pair.second}", **vars(pair)}) for pair in comparison.pairs]
    return Table([Column("systems", "text"), *columns], rows)
