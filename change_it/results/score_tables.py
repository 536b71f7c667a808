"""The tables of results: systems, judges, tests and correlations, each built once for terminal, page and files."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict

from change_it import published
from change_it.hevas.analysis import OVERALL, Analysis, Comparison
from change_it.hevas.evaluation import Evaluation
from change_it.hevas.readability import LOWER_IS_BETTER
from change_it.published import PublishedRow
from change_it.results.context import Quality
from change_it.results.hevas_scores import JUDGE_COLUMNS, HevasResult
from change_it.scoring import scores as score
from change_it.scoring.columns import BUILT_IN
from change_it.scoring.compliancy import JUDGES, OF_FLUENCY
from change_it.scoring.scores import AVERAGE, SORTED_BY, Scores
from change_it.stats import Correlations, Floats
from change_it.tables import Column, Marked, Row, Table, Value, figure
from change_it.translation import Message, Word

#: Headlines of each system that reports begin with: the first ones of the test set, the directions in turn.
SHOWN = 6

#: Measure to what the paper calls it.
_PUBLISHED = {
    "compliancy": "compliancy",
    "hh": "hh",
    "ah": "ah",
    "main": "main",
    "bleu": "bleu",
    "rougeL": "rouge",
}


def heading(measure: str) -> str:
    """A measure as the head of a column."""
    return "strict" if measure == "strict_compliancy" else measure.replace("_", " ")


def metric_heading(metric: str) -> str:
    """A metric as the head of a column, with an arrow where less is better."""
    return f"{metric} ↓" if metric in LOWER_IS_BETTER else metric


def examples_table(scores: Scores) -> Table | None:
    """What the systems wrote, beside the original and the other newspaper's own headline; None without a system but the built-in ones."""
    systems = [name for name in scores.systems if name not in BUILT_IN]
    directions = [name for name in scores.directions if name != AVERAGE]
    marks = [name for name in JUDGES if name != "fluency" or scores.strict_p_values is not None]
    rows = []
    for system in systems:
        items = scores.items[system]
        in_turn = [
            items.filter(direction=name).head(-(-SHOWN // len(directions))).to_dicts() for name in directions
        ]
        for item in [item for some in zip(*in_turn, strict=False) for item in some][:SHOWN]:
            values: dict[str, Value] = {
                "source": item["source"],
                "headline": marked(item),
                "gold": item["gold"] or None,
                "system": system,
                **{name: item[name] for name in marks},
            }
            rows.append(Row(values, f"{item['direction']} {item['id']} {system}"))
    columns = (
        Column("source", "text", "original"),
        Column("headline", "text", "new headline"),
        Column("gold", "text", "the other newspaper's own"),
        *(Column(name, "mark") for name in marks),
        *([Column("system", "text")] if len(systems) > 1 else []),
    )
    return (
        Table(
            columns,
            tuple(rows),
            "What was written; underlined: numbers, names and quotations without support",
        )
        if rows
        else None
    )


def marked(item: Mapping[str, str]) -> Marked:
    """The headline of an item, with the places of what is unsupported."""
    places = ((one["start"], one["end"]) for one in json.loads(item["unsupported"]))
    return Marked(item["headline"], tuple(places))


def systems_table(scores: Scores, directions: Sequence[str], *, published: bool = True) -> Table:
    """One group a direction: the systems, and what the paper prints if `published`, with measures, intervals and n."""
    columns = [
        Column(name, title=heading(name), below=Column(f"{name}_interval", "interval"))
        for name in scores.measures
    ]
    rows = []
    for direction in directions:
        for system in scores.systems:
            found = scores.row(system, direction)
            tags = (
                ["same judges"]
                if system in scores.same_judges
                else ["reranked"]
                if system in scores.rerankers
                else []
            )
            values = {"system": system, "n": found.n, **_values(found)}
            remark = Message("tables.no_headline", count=str(found.errors)) if found.errors else ""
            rows.append(Row(values, direction, tags=tags, remark=remark))
        if published:
            rows += _published_rows(published_systems().get(direction, []), tags=["published"])
    return Table((Column("system", "text"), *columns, Column("n", "count")), tuple(rows))


def terminal_table(scores: Scores) -> Table:
    """The systems for the terminal: each with its average, then its directions."""
    columns = [Column("system", "text")]
    for name in scores.measures:
        columns.append(Column(name, title=heading(name)))
        if name in SORTED_BY:
            columns.append(Column(f"{name}_interval", "interval", "95% interval"))
    rows = [
        Row(
            {"system": system if direction == AVERAGE else f"  {direction}", **_values(found)},
            group=system,
            strong=direction == AVERAGE,
        )
        for system in scores.systems
        for direction in (AVERAGE, *(name for name in scores.directions if name != AVERAGE))
        for found in [scores.row(system, direction)]
    ]
    n = max(scores.row(system).n for system in scores.systems)
    title = f"Compliancy on {n} headlines, average and by direction"
    return Table(tuple(columns), tuple(rows), title, (*remarks(scores), scores.signature))


def remarks(scores: Scores) -> list[Message]:
    """What a reader of the table must know of single systems, and why there is no strict compliancy."""
    lines = []
    most = max(scores.row(system).n for system in scores.systems)
    for system in scores.systems:
        row = scores.row(system)
        if row.n < most:
            lines.append(Message("tables.fewer", system=system, n=Word(row.n)))
        if row.errors:
            lines.append(Message("tables.failed", system=system, count=Word(row.errors), n=Word(row.n)))
        if system in scores.rerankers:
            key = "tables.same_judges" if system in scores.same_judges else "tables.reranked"
            lines.append(Message(key, system=system, judges=scores.rerankers[system].short))
        if system in scores.same_base:
            lines.append(Message("tables.same_base", system=system, base=scores.same_base[system]))
    return lines if scores.strict_p_values is not None else [*lines, Message("tables.no_fluency")]


def _values(row: score.Row) -> dict[str, Value]:
    """The measures of a row and their intervals."""
    values: dict[str, Value] = {**row.values}
    values |= {name: "n/a" for name in OF_FLUENCY if name not in row.values}
    return values | {f"{name}_interval": ends for name, ends in row.intervals.items()}


def published_table(directions: Mapping[str, Sequence[PublishedRow]]) -> Table:
    """What the paper prints for directions that the data do not have."""
    rows = [row for several in directions.values() for row in _published_rows(several)]
    titles = {"bleu": "BLEU", "rougeL": "ROUGE"}
    columns = [Column(name, title=titles.get(name, "")) for name in _PUBLISHED]
    return Table((Column("system", "text"), *columns), tuple(rows))


def published_systems() -> dict[str, list[PublishedRow]]:
    """Direction to the systems in the paper's order; the average of gold, which it does not print, is filled in."""
    directions: dict[str, list[PublishedRow]] = {}
    for row in published.SYSTEMS:
        directions.setdefault(row.direction, []).append(row)
    gold = [row for row in published.SYSTEMS if row.system == "gold"]
    mean = sum(row.compliancy for row in gold) / len(gold)
    directions[AVERAGE].insert(0, gold[0]._replace(direction=AVERAGE, compliancy=mean))
    return directions


def _published_rows(rows: Iterable[PublishedRow], tags: Sequence[str] = ()) -> list[Row]:
    return [
        Row(
            {"system": row.system, **{ours: getattr(row, theirs) for ours, theirs in _PUBLISHED.items()}},
            row.direction,
            tags=tags,
        )
        for row in rows
    ]


def tests_table(scores: Scores, p_values: Floats) -> Table:
    """p-values of the paired tests of an average, a square of systems."""
    rows = [
        Row(
            {"": system}
            | {other: "" if i == j else float(p_values[i, j]) for j, other in enumerate(scores.systems)}
        )
        for i, system in enumerate(scores.systems)
    ]
    return Table((Column("", "text"), *(Column(system, "p") for system in scores.systems)), tuple(rows))


def judges_table(judges: Sequence[Quality], figure: Callable[[float | None], str] = figure) -> Table:
    """The judges beside their baselines, and the paper's beside those of its kind; `figure` writes a number of a class."""

    def classes(found: Mapping[str, Sequence[float]]) -> str:
        return "\n".join(f"{name}: {' '.join(map(figure, cells))}" for name, cells in found.items())

    rows = []
    for task in sorted({row.task for row in judges}, reverse=True):
        own = [row for row in judges if row.task == task]
        for row in own:
            values: dict[str, Value] = {"judge": row.name, "f1": row.f1, "classes": classes(row.classes)}
            rows.append(Row(values, task, strong=row.name == "judge", remark=f"{task}, {row.test}"))
        if any(row.as_in_the_papers for row in own):
            printed = [row for row in published.JUDGES if row.judge == task]
            printed_classes = classes({row.name: (row.precision, row.recall, row.f1) for row in printed})
            mean = sum(row.f1 for row in printed) / len(printed)
            values = {"judge": "the paper's", "f1": mean, "classes": printed_classes}
            rows.append(Row(values, task, tags=["published"], remark=task))
    columns = (
        Column("judge", "text"),
        Column("f1", title="F1"),
        Column("classes", "text", "class: precision, recall, F1"),
    )
    return Table(columns, tuple(rows))


def rejected_table(rejected: Mapping[str, int]) -> Table:
    """How many rows of the articles were rejected, and why."""
    rows = tuple(Row({"reason": reason, "rows": count}) for reason, count in rejected.items())
    return Table((Column("reason", "text"), Column("rows", "count")), rows)


def agreement_table(found: HevasResult) -> Table:
    """How far metrics and judges agree: Pearson, below it Spearman, over all headlines and within systems."""
    sides = {"all": found.judges, "within": found.judges_within}
    columns = [
        Column(
            f"{judge} {side}",
            "correlation",
            f"{judge}, all" if side == "all" else "within",
            Column(f"{judge} {side} spearman"),
        )
        for judge in JUDGE_COLUMNS
        for side in sides
    ]
    rows = []
    for at, metric in list(enumerate(found.judges.metrics))[len(JUDGE_COLUMNS) :]:
        values: dict[str, Value] = {"metric": metric_heading(metric)}
        for number, judge in enumerate(JUDGE_COLUMNS):
            for side, matrices in sides.items():
                values[f"{judge} {side}"] = matrices.pearson[at][number]
                values[f"{judge} {side} spearman"] = matrices.spearman[at][number]
        rows.append(Row(values))
    return Table((Column("metric", "text"), *columns), tuple(rows))


def correlations_table(found: Correlations) -> Table:
    """All metrics with all: Pearson above the diagonal, Spearman below it."""
    rows = [
        Row(
            {"": metric}
            | {
                other: "" if i == j else (found.pearson if i < j else found.spearman)[i][j]
                for j, other in enumerate(found.metrics)
            }
        )
        for i, metric in enumerate(found.metrics)
    ]
    return Table((Column("", "text"), *(Column(name, "correlation") for name in found.metrics)), tuple(rows))


def hevas_table(evaluation: Evaluation) -> Table:
    """Means of the systems, the best average first, each with its rank (KL has none)."""
    means, ranks, overall = evaluation.means, evaluation.ranks, evaluation.overall
    columns = [
        Column("rank", "count"),
        Column("system", "text"),
        Column("n", "count"),
        Column("empty", "count"),
        Column(OVERALL),
    ]
    columns += [
        Column(
            name,
            title=metric_heading(name),
            below=Column(f"{name} rank", "count") if name in evaluation.averaged else None,
        )
        for name in evaluation.metrics
    ]
    rows: list[Row] = []
    for system in evaluation.ranking:
        place = 1 + sum(overall[other] > overall[system] for other in overall) if overall else None
        empty = evaluation.empty_headlines[system]
        values: dict[str, Value] = {
            "rank": place,
            "system": system,
            "n": len(evaluation.ids),
            "empty": empty,
            OVERALL: overall.get(system),
            **means[system],
            **{f"{name} rank": rank for name, rank in ranks[system].items()},
            "signature": evaluation.signature,
        }
        best = {name for name, rank in ranks[system].items() if rank == 1}
        best |= {OVERALL} if not rows else set()
        rows.append(Row(values, best=best, remark=Message("tables.empty", count=str(empty)) if empty else ""))
    return Table((*columns, Column("signature", "text")), tuple(rows))


def hevas_terminal_table(evaluation: Evaluation) -> Table:
    """Means for the terminal: one row a metric, one column a system."""
    means, ranks, overall = evaluation.means, evaluation.ranks, evaluation.overall
    rows: list[Row] = [Row({"metric": OVERALL, **overall}, group=OVERALL, strong=True)] if overall else []
    rows += [
        Row(
            {"metric": metric_heading(metric), **{system: means[system][metric] for system in means}},
            best={system for system in means if ranks[system].get(metric) == 1},
        )
        for metric in evaluation.metrics
    ]
    title = f"HEvAS on {len(evaluation.ids)} documents: means, best average first; * best of a metric"
    columns = (Column("metric", "text"), *(Column(system) for system in evaluation.ranking))
    return Table(columns, tuple(rows), title, (*hevas_remarks(evaluation), evaluation.signature))


def hevas_remarks(evaluation: Evaluation) -> list[Message]:
    """A sentence for each system with empty headlines."""
    n = Word(len(evaluation.ids))
    return [
        Message("tables.empty_headlines", system=system, count=Word(count), n=n)
        for system, count in evaluation.empty_headlines.items()
        if count
    ]


def hevas_record(evaluation: Evaluation, analysis: Analysis) -> dict[str, object]:
    """Everything but the values of single documents, ready for JSON."""
    means, ranks = evaluation.means, evaluation.ranks
    return {
        "signature": analysis.signature,
        "n": len(evaluation.ids),
        "metrics": list(evaluation.metrics),
        "systems": {
            system: {
                OVERALL: evaluation.overall.get(system),
                "empty": evaluation.empty_headlines[system],
                "means": means[system],
                "ranks": ranks[system],
            }
            for system in evaluation.ranking
        },
        "comparisons": {name: asdict(found) for name, found in analysis.comparisons.items()},
        "correlations": asdict(analysis.correlations),
    }


def summaries_table(found: Comparison) -> Table:
    """Mean, interval and normality of each system by one metric."""
    columns = (
        Column("system", "text"),
        Column("mean"),
        Column("interval", "interval", Message("tables.interval", level=Word(f"{100 * found.level:g}"))),
        Column("deviation"),
        Column("shapiro_p", "p", "normal, p"),
    )
    rows = [
        Row({name: getattr(summary, name) for name in (column.name for column in columns)})
        for summary in found.systems
    ]
    return Table(columns, tuple(rows))


def pairs_table(found: Comparison) -> Table:
    """The tests of every two systems by one metric."""
    published = "Tukey" if found.published_test == "tukey" else "signed-rank"
    columns = (
        Column("systems", "text"),
        Column("difference"),
        Column("published_p", "p", f"HEvAS ({published}), p"),
        Column("rank_sum_p", "p", "rank-sum, p"),
        Column("p", "p", "signed-rank, p"),
        Column("p_holm", "p", "Holm, p"),
        Column("rank_biserial", title="effect"),
    )
    rows = [
        Row(
            {"systems": f"{pair.first} – {pair.second}"}
            | {column.name: getattr(pair, column.name) for column in columns[1:]}
        )
        for pair in found.pairs
    ]
    return Table(columns, tuple(rows))
