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
from change_it.scoring.columns import BUILT_IN
from change_it.scoring.compliancy import JUDGES, OF_FLUENCY
from change_it.scoring.scores import AVERAGE, SORTED_BY, Scores
from change_it.scoring.scores import Row as ScoreRow
from change_it.stats import Correlations, Floats
from change_it.tables import Column, Format, Marked, Row, Table, Value, figure, with_interval
from change_it.translation import Message, Word

#: Headlines of each system that reports begin with: the first ones of the test set, the directions in turn.
SHOWN = 6


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
                "rather": rather(item),
                "gold": item["gold"] or None,
                "system": system,
                **{name: item[name] for name in marks},
            }
            rows.append(Row(values, f"{item['direction']} {item['id']} {system}"))
    if not rows:
        return None
    columns = (
        Column("source", "text", "original"),
        Column("headline", "text", "new headline", below=Column("rather")),
        Column("gold", "text", "the other newspaper's own"),
        *(Column(name, "mark") for name in marks),
        *([Column("system", "text")] if len(systems) > 1 else []),
    )
    return Table(
        columns, tuple(rows), "What was written; underlined: numbers, names and quotations without support"
    )


def marked(item: Mapping[str, str]) -> Marked:
    """The headline of an item, with the places of what is unsupported."""
    ends = ((words["start"], words["end"]) for words in json.loads(item["unsupported"]))
    return Marked(item["headline"], tuple(ends))


def rather(item: Mapping[str, str]) -> Message | None:
    """What the sources of an item rather say than its headline; None where a reader has not refused it."""
    for one in json.loads(item["unsupported"]):
        if one.get("rather"):
            return Message("transfer.facts_rather", text=one["text"], rather=one["rather"])
    return None


def systems_table(scores: Scores, directions: Sequence[str], *, published: bool = True) -> Table:
    """One group a direction: the systems, and what the paper prints if `published`, with measures, intervals and n."""
    columns = (with_interval(name, heading(name)) for name in scores.measures)
    tags = {system: ["reranked"] for system in scores.rerankers}
    tags |= {system: ["same judges"] for system in scores.same_judges}
    rows = []
    for direction in directions:
        for system in scores.systems:
            score = scores.row(system, direction)
            values = {"system": system, "n": score.n, **_values(score)}
            remark = Message("tables.no_headline", count=str(score.errors)) if score.errors else ""
            rows.append(Row(values, direction, tags=tags.get(system, ()), remark=remark))
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
            {
                "system": system if direction == AVERAGE else f"  {direction}",
                **_values(scores.row(system, direction)),
            },
            group=system,
            strong=direction == AVERAGE,
        )
        for system in scores.systems
        for direction in (AVERAGE, *(name for name in scores.directions if name != AVERAGE))
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


def _values(row: ScoreRow) -> dict[str, Value]:
    values: dict[str, Value] = {**row.values}
    values |= {name: "n/a" for name in OF_FLUENCY if name not in row.values}
    return values | {f"{name}_interval": ends for name, ends in row.intervals.items()}


def published_table(directions: Mapping[str, Sequence[PublishedRow]]) -> Table:
    """What the paper prints for directions that the data do not have."""
    rows = [row for several in directions.values() for row in _published_rows(several)]
    titles = {"bleu": "BLEU", "rougeL": "ROUGE"}
    columns = (Column(name, title=titles.get(name, "")) for name in published.SYSTEMS[0].measures)
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
    return [Row({"system": row.system, **row.measures}, row.direction, tags=tags) for row in rows]


def tests_table(scores: Scores, p_values: Floats) -> Table:
    """p-values of the paired tests of an average, a square of systems."""
    return _square(scores.systems, "p", lambda i, j: float(p_values[i, j]))


def judges_table(judges: Sequence[Quality], figure: Callable[[float | None], str] = figure) -> Table:
    """The judges beside their baselines, and the paper's beside those of its kind; `figure` writes a number of a class."""

    def classes(numbers: Mapping[str, Sequence[float]]) -> str:
        return "\n".join(f"{name}: {' '.join(map(figure, cells))}" for name, cells in numbers.items())

    rows = []
    for task in sorted({row.task for row in judges}, reverse=True):
        of_task = [row for row in judges if row.task == task]
        for row in of_task:
            values: dict[str, Value] = {"judge": row.name, "f1": row.f1, "classes": classes(row.classes)}
            rows.append(Row(values, task, strong=row.name == "judge", remark=f"{task}, {row.test}"))
        if any(row.as_in_the_papers for row in of_task):
            printed = [row for row in published.JUDGES if row.judge == task]
            printed_classes = classes({row.name: (row.precision, row.recall, row.f1) for row in printed})
            mean = sum(row.f1 for row in printed) / len(printed)
            values = {"judge": "the paper's", "f1": mean, "classes": printed_classes}
            rows.append(Row(values, task, tags=["published"], remark=task))
    classes_column = Column("classes", "text", "class: precision, recall, F1")
    return Table((Column("judge", "text"), Column("f1", title="F1"), classes_column), tuple(rows))


def rejected_table(rejected: Mapping[str, int]) -> Table:
    """How many rows of the articles were rejected, and why."""
    rows = tuple(Row({"reason": reason, "rows": count}) for reason, count in rejected.items())
    return Table((Column("reason", "text"), Column("rows", "count")), rows)


def agreement_table(result: HevasResult) -> Table:
    """How far metrics and judges agree: Pearson, below it Spearman, over all headlines and within systems."""
    sides = {"all": result.judges, "within": result.judges_within}
    columns = [Column("metric", "text")]
    rows: list[dict[str, Value]] = [{"metric": metric_heading(name)} for name in result.judges.metrics]
    for number, judge in enumerate(JUDGE_COLUMNS):
        for side, matrices in sides.items():
            key = f"{judge} {side}"
            title = f"{judge}, all" if side == "all" else "within"
            columns.append(Column(key, "correlation", title, Column(f"{key} spearman")))
            for row, pearson, spearman in zip(rows, matrices.pearson, matrices.spearman, strict=True):
                row |= {key: pearson[number], f"{key} spearman": spearman[number]}
    return Table(tuple(columns), tuple(map(Row, rows[len(JUDGE_COLUMNS) :])))


def correlations_table(correlations: Correlations) -> Table:
    """All metrics with all: Pearson above the diagonal, Spearman below it."""
    pearson, spearman = correlations.pearson, correlations.spearman
    return _square(correlations.metrics, "correlation", lambda i, j: (pearson if i < j else spearman)[i][j])


def _square(names: Sequence[str], format_: Format, cell: Callable[[int, int], Value]) -> Table:
    """A row and a column for each name, with nothing on the diagonal."""
    rows = (
        Row({"": name} | {other: "" if i == j else cell(i, j) for j, other in enumerate(names)})
        for i, name in enumerate(names)
    )
    return Table((Column("", "text"), *(Column(name, format_) for name in names)), tuple(rows))


def hevas_table(evaluation: Evaluation) -> Table:
    """Means of the systems, the best average first, each with its rank (KL has none)."""
    means, ranks, overall = evaluation.means, evaluation.ranks, evaluation.overall
    below = {name: Column(f"{name} rank", "count") for name in evaluation.averaged}
    columns = (
        *(Column("rank", "count"), Column("system", "text"), Column("n", "count"), Column("empty", "count")),
        Column(OVERALL),
        *(Column(name, title=metric_heading(name), below=below.get(name)) for name in evaluation.metrics),
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
        rows.append(Row(values, best=best, remark=Message("tables.empty", count=str(empty)) if empty else ""))
    return Table(columns, tuple(rows))


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
        "comparisons": {name: asdict(each) for name, each in analysis.comparisons.items()},
        "correlations": asdict(analysis.correlations),
    }


def summaries_table(comparison: Comparison) -> Table:
    """Mean, interval and normality of each system by one metric."""
    columns = (
        Column("system", "text"),
        Column("mean"),
        Column("interval", "interval", Message("tables.interval", level=Word(f"{100 * comparison.level:g}"))),
        Column("deviation"),
        Column("shapiro_p", "p", "normal, p"),
    )
    rows = (
        Row({column.name: getattr(summary, column.name) for column in columns})
        for summary in comparison.systems
    )
    return Table(columns, tuple(rows))


def pairs_table(comparison: Comparison) -> Table:
    """The tests of every two systems by one metric."""
    published = "Tukey" if comparison.published_test == "tukey" else "signed-rank"
    columns = (
        Column("difference"),
        Column("published_p", "p", f"HEvAS ({published}), p"),
        Column("rank_sum_p", "p", "rank-sum, p"),
        Column("p", "p", "signed-rank, p"),
        Column("p_holm", "p", "Holm, p"),
        Column("rank_biserial", title="effect"),
    )
    rows = [{column.name: getattr(pair, column.name) for column in columns} for pair in comparison.pairs]
    for row, pair in zip(rows, comparison.pairs, strict=True):
        row["systems"] = f"{pair.first} – {pair.second}"
    return Table((Column("systems", "text"), *columns), tuple(map(Row, rows)))
