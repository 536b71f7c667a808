"""The tables of results: systems, judges, tests and correlations, each built once for terminal, page and files."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, replace
from itertools import combinations, product
from typing import Any

import polars as pl

from change_it.corpus.sample import is_sample_corpus
from change_it.hevas.analysis import OVERALL, Analysis, Comparison, Correlations
from change_it.hevas.evaluation import ALIKE, Evaluation
from change_it.hevas.readability import LOWER_IS_BETTER
from change_it.results.items_table import named
from change_it.scoring.compliancy import ASPECTS, COMPLIANCY_MEASURES, JUDGE_NAMES
from change_it.scoring.scores import AVERAGE, SCORE_MEASURES, ScoreRow, Scores
from change_it.scoring.systems import BUILT_IN, CLAUSE, GOLD
from change_it.stats import holm
from change_it.tables import Column, Format, Row, Table, UnderlinedText, Value, figure, p_value, with_interval

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


def metric_heading(metric: str) -> str:
    """A metric as the head of a column, with an arrow where less is better."""
    return f"{metric} ↓" if metric in LOWER_IS_BETTER else metric


def best_system(scores: Scores) -> str:
    """The first system of the table that is not built in, chosen by judges or not; gold, or the first one, where there is none."""
    of_files = [system for system in scores.systems if system not in BUILT_IN]
    return next(iter([*of_files, *({GOLD} & {*scores.systems}), *scores.systems]))


def shown_systems(scores: Scores) -> list[str]:
    """The names of the table without the single runs of a system that has several."""
    runs = {f"{row.system}.{run + 1}" for row in scores.rows for run in range(row.runs) if row.runs > 1}
    return [name for name in scores.names if name not in runs]


def content_measure(scores: Scores) -> str:
    """The aspect that stands beside style: acceptability, or compliancy where that is n/a."""
    return "acceptability" if "acceptability" in scores.known else "compliancy"


def examples_table(scores: Scores) -> Table | None:
    """Headlines of the best system that nothing refuses, and others, drawn at random; None where all systems are built in."""
    system = best_system(scores)
    if system in BUILT_IN:
        return None
    items = scores.items[system].sample(fraction=1, shuffle=True, seed=1)
    sides = [items.filter((pl.col("refused_by") == "") == passes) for passes in (True, False)]
    rows = []
    for item in pl.concat(side.head(SHOWN) for side in sides).iter_rows(named=True):
        places = tuple((part["start"], part["end"]) for part in item["unsupported"])
        shown = {"headline": UnderlinedText(item["headline"], places), "gold": item["gold"] or None}
        shown |= {"to": item["direction"].split("2")[1], "refused_by": named(item["refused_by"]) or "nothing"}
        rows.append(Row({**item, **shown}))
    columns = [
        *(Column("source", "text", "original"), Column("to", "text")),
        *(Column("headline", "text", "new headline"), Column("refused_by", "text", "refused by")),
        *(Column(name) for name in ("style", "acceptability") if name in scores.known),
        Column("gold", "text", "the other newspaper's own"),
    ]
    whats = zip(sides, ("nothing refuses", "a judge refuses, or that are edited"), strict=True)
    counts = [f"{min(SHOWN, side.height)} of the {side.height:,} that {what}" for side, what in whats]
    note = f"{system}, at random: {' and '.join(counts)}; underlined: numbers, names and quotations that no source has"
    return Table(columns, rows, "What was written", [note])


def systems_table(
    scores: Scores, directions: Sequence[str], measures: Collection[str] = SCORE_MEASURES
) -> Table:
    """One group a direction: the systems with some measures, intervals and n; averages with marks of significance."""
    best, stars = significance(scores)
    rows = []
    for direction, system in product(directions, scores.names):
        row = scores.row(system, direction)
        marks = {"system": DAGGER} if row.chosen else {}
        marks |= stars.get(system, {}) if direction == AVERAGE else {}
        remark = [f"best of {row.candidates:.2g}"] if row.candidates else []
        remark += [f"{row.errors} without a headline"] if row.errors else []
        about: dict[str, Any] = {"marks": marks, "highlight": system == best, "remark": ", ".join(remark)}
        group = direction if len(directions) > 1 else ""
        rows.append(Row({"system": system, "n": row.n, **_values(row)}, group, **about))
    note = f"* p < .05, ** p < .01: the figure differs from that of {best} (paired approximate randomisation, corrected after Holm)."
    columns = [
        with_interval(name, HEADINGS.get(name, name), bold=name in ASPECTS)
        for name in scores.measures
        if name in measures and (name in scores.known or name in COMPLIANCY_MEASURES)
    ]
    notes = [
        *([note] if stars else []),
        *([CHOSEN] if any(row.chosen for row in scores.rows) else []),
        *remarks(scores),
    ]
    columns = [Column("system", "text"), *columns, Column("n", "count")]
    return Table(columns, rows, notes=notes if AVERAGE in directions else [])


def significance(scores: Scores) -> tuple[str, dict[str, dict[str, str]]]:
    """The best system, and for each other marks of the `ASPECTS` in which paired tests, corrected after Holm, tell it from that."""
    best = best_system(scores)
    others = [system for system in scores.systems if system != best]
    marks: dict[str, dict[str, str]] = {}
    for measure, of in scores.p_values.items():
        of_best = of[scores.systems.index(best)]
        corrected = holm([float(of_best[scores.systems.index(system)]) for system in others])
        for system, p in zip(others, corrected, strict=True):
            if p < 0.05:
                marks.setdefault(system, {})[measure] = "**" if p < 0.01 else "*"
    return best, marks


def meaning(scores: Scores) -> str | None:
    """What came out for the best system in one sentence, beside gold and a random clause; None when all systems are built in."""
    best = best_system(scores)
    if best in BUILT_IN:
        return None
    system = next((name for name in scores.names if scores.row(name).runs > 1), best)
    invented = " (two invented newspapers)" if is_sample_corpus(scores.outlets) else ""
    row, content, which = scores.row(system).values, content_measure(scores), []
    way = "has"
    if "style" in scores.known:
        which = ["style"]
        way = f"goes {figure(row['style'])} of the way from neither newspaper's style to the other's, at"
    said = [
        f"{system}{invented} {way} {'an' if content[0] == 'a' else 'a'} {content} of {figure(row[content])}"
    ]
    others = {GOLD: "gold, the other newspaper's own headline,", CLAUSE: "a random clause of the article"}
    for name in (name for name in others if name in scores.names):
        values = scores.row(name).values
        said.append(f"{others[name]} {' and '.join(figure(values[key]) for key in (*which, content))}")
    return f"{'; '.join(said)}.{few_events(scores)}"


def few_events(scores: Scores) -> str:
    """A sentence where the scored headlines are of few events, else nothing."""
    row = scores.row(scores.systems[0])
    few = (
        f" These are few, {row.n} headlines of {row.events} events: the intervals say more than the figures."
    )
    return few if row.events < FEW else ""


def paper_table(scores: Scores) -> Table:
    """The averages of what is known, with a caption, as a paper prints them: without the likeness to the original, which has no room."""
    table = systems_table(scores, [AVERAGE])
    n = max(scores.row(system).n for system in scores.systems)
    about = {
        "style": " style: 0 as a clause of the article, 1 as the other newspaper's headlines.",
        "acceptability": " acceptability: product of the probabilities of HH, AH and fluency, 0 without evidence.",
    }
    ours = "".join(said for name, said in about.items() if name in scores.known)
    caption = (
        f"Headlines rewritten in the other newspaper's style ({' and '.join(scores.outlets)}, n = {n:,}): averages of the "
        f"directions with 95% bootstrap intervals ({scores.resamples:,} resamples). compliancy: HH, AH and main accept.{ours} "
        f"BLEU and ROUGE-L: against the other newspaper's own headline.{few_events(scores)}"
    )
    measured = {"system"}.union(*(row.values for row in scores.rows)) - {"bleu_source", "rougeL_source"}
    columns = [column for column in table.columns if column.name in measured]
    return Table(columns, table.rows, caption, table.notes)


def terminal_table(scores: Scores, *, by_direction: bool = False) -> Table:
    """The systems for the terminal: each with its average, and perhaps its directions."""
    columns = [Column("system", "text")]
    for name in (*ASPECTS, "edited", *(["accepted"] if "accepted" in scores.known else [])):
        columns.append(Column(name, bold=name in ASPECTS))
        if name != "edited":
            columns.append(Column(f"{name}_interval", "interval", "95% interval"))
    rows, best = [], best_system(scores)
    for system, direction in product(scores.names, [AVERAGE, *(scores.directions[:-1] * by_direction)]):
        average, row = direction == AVERAGE, scores.row(system, direction)
        values = {"system": system if average else f"  {direction}", **_values(row)}
        marks = {"system": DAGGER} if average and row.chosen else {}
        group = system if by_direction else ""
        rows.append(Row(values, group, highlight=average and system == best, marks=marks))
    row = scores.row(scores.systems[0])
    title = f"{row.n} headlines of {row.events} events, average of the directions"
    notes = [
        *remarks(scores),
        *([CHOSEN] if any(row.chosen for row in scores.rows) else []),
        scores.signature,
    ]
    return Table(columns, rows, title, notes)


def remarks(scores: Scores) -> list[str]:
    """Notes on single systems, and on what cannot be computed."""
    lines = other_corpus(scores.trained)
    for system, of in scores.accepted.items():
        read = f"{system}: readers accept {figure(of.plain)} of the {of.labels} labelled headlines"
        predicted = f"with what predicts it of the others {figure(of.share)}"
        lines.append(f"{read}; {predicted}, which saves {figure(of.saved)} of the labels")
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
    return _square(scores.systems, "text", lambda i, j: cells[min(i, j), max(i, j)])


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


def comparison_tables(comparison: Comparison) -> list[Table]:
    """Mean, interval and normality of each system by one metric, and the tests of every two."""
    columns = (
        Column("system", "text"),
        Column("mean"),
        Column("interval", "interval", f"{100 * comparison.level:g}% interval"),
        Column("shapiro_p", "p", "normal, p"),
    )
    summaries = Table(columns, [Row(vars(summary)) for summary in comparison.systems])
    published = "Tukey" if comparison.published_test == "tukey" else "rank-sum"
    tests = (
        Column("systems", "text"),
        Column("difference"),
        Column("published_p", "p", f"HEvAS ({published}), p"),
        Column("p", "p", "signed-rank, p"),
        Column("p_holm", "p", "Holm, p"),
    )
    rows = [Row({"systems": f"{pair.first} – {pair.second}", **vars(pair)}) for pair in comparison.pairs]
    return [summaries, *([Table(tests, rows)] if rows else [])]
