"""Build and write the report of HEvAS: tables, charts of means, spreads and pairs of metrics, and files."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from change_it.corpus.reading.sample import is_sample_corpus
from change_it.files.atomic import replace_folder, write_json, write_table, write_text
from change_it.files.texts import join_truncated
from change_it.hevas.analysis import OVERALL, Analysis, Comparison
from change_it.hevas.documents import Documents
from change_it.hevas.evaluation import ALIKE, Evaluation
from change_it.hevas.metrics import METRICS, is_less_better
from change_it.render.drawing import LINE, SYSTEMS, save, styled
from change_it.render.tables import Column, Row, Table, Value, records
from change_it.report.charts import NAME_LENGTH, Drawing, figure_of
from change_it.report.pages import environment
from change_it.report.score_tables import square_table
from change_it.stats import Floats

#: Charts by their names on the command line, with title and what it shows to people who do not see it.
CHARTS = {
    "bar": ("Means", "Mean of each metric, one bar a system"),
    "interval": ("Means with intervals", "Mean of each metric with its interval, one bar a system"),
    "box": ("Spread over the documents", "Quartiles of each metric, one box a system"),
    "scatter": ("Metrics against each other", "Scatter of every two metrics"),
}
#: Systems that the title of the page names, at most; it counts the others.
NAMED_IN_TITLE = 3
#: Points that a scatter shows, at most.
_SCATTER_POINTS = 400


def write_hevas(
    out: Path,
    documents: Documents,
    systems: Mapping[str, Sequence[str]],
    evaluation: Evaluation,
    analysis: Analysis,
    charts: Sequence[str] = ("interval", "box", "scatter"),
    *,
    newspapers: Sequence[str] = (),
) -> None:
    """Write the page, `summary.csv`, `summary.json`, `charts` and `items/<system>.csv`, all at once.

    Args:
        out: the folder; a report that is there is replaced as a whole.
        documents: the documents that the systems wrote headlines for.
        systems: the headlines of each system, in the order of the documents.
        evaluation: the values of the metrics.
        analysis: the tests and correlations of the metrics.
        charts: names of the charts, of `CHARTS`.
        newspapers: the outlets of a corpus, for the title of the page.
    """
    drawings = hevas_drawings(evaluation, analysis, charts)
    comparisons = []
    for name, comparison in analysis.comparisons.items():
        comparisons.append((metric_heading(name), comparison_tables(comparison)))

    def correlation(row: int, column: int) -> Value:
        return analysis.correlations[row][column]

    values = {
        "charts": drawings,
        "documents": documents,
        "evaluation": evaluation,
        "analysis": analysis,
        "comparisons": comparisons,
        "correlations": square_table(evaluation.metrics, "correlation", correlation),
        "explained": explanations(evaluation.metrics),
        "lower": [name for name in evaluation.metrics if is_less_better(name)],
        "means": means_table(evaluation),
        "newspapers": newspapers,
        "invented": is_sample_corpus(newspapers),
        "title": page_title(list(evaluation.overall), newspapers),
        "remarks": hevas_remarks(evaluation),
        "stretched": [metric.name for metric in METRICS.values() if metric.range[1] is None],
    }
    page = environment().get_template("hevas.html.jinja").render(values)
    with replace_folder(out, "summary.json") as folder:
        header = ["id", "headline", *evaluation.metrics]
        for system, headlines in systems.items():
            values_of_items = evaluation.values[system].tolist()
            rows = zip(documents.ids, headlines, values_of_items, strict=True)
            cells = [[id_, headline, *of_item] for id_, headline, of_item in rows]
            write_table(folder / "items" / f"{system}.csv", header, cells, quote_formulas=True)
        write_table(folder / "summary.csv", *records(hevas_table(evaluation)), quote_formulas=True)
        write_json(folder / "summary.json", hevas_record(evaluation, analysis))
        (folder / "charts").mkdir()
        for drawing in drawings:
            save(drawing.figure, folder / "charts" / f"{drawing.name}.png")
        write_text(folder / "report.html", page)


def page_title(systems: Sequence[str], newspapers: Sequence[str]) -> str:
    """Return the title of the page: the systems, the best average first, and the newspapers.

    Examples:
        >>> page_title(["mine", "copy", "first", "random", "tfidf"], ["rep", "gio"])
        'HEvAS: mine, copy, first and 2 more (rep and gio)'
    """
    named = f"HEvAS: {join_truncated(systems, NAMED_IN_TITLE)}"
    return f"{named} ({' and '.join(newspapers)})" if newspapers else named


def explanations(metrics: Sequence[str]) -> dict[str, str]:
    """Return the names of the columns to what the average and each metric mean."""
    average = "Mean of the metrics that have a place below their mean, each in 0 to 1, more is better."
    texts = {OVERALL: average}
    for name in metrics:
        texts[name] = METRICS[name].about
    return texts


def metric_heading(metric: str) -> str:
    """Return the heading of a metric's column, with an arrow where less is better."""
    if is_less_better(metric):
        return f"{metric} ↓"
    return metric


def hevas_table(evaluation: Evaluation) -> Table:
    """Return the means of the systems, the best average first, each with its rank below.

    A metric that is not averaged has no ranks.
    """
    rows: list[Row] = []
    means = evaluation.means
    ranks = evaluation.ranks
    for system in evaluation.overall:
        row = _hevas_row(evaluation, system, means[system], ranks[system])
        if not rows:
            row = replace(row, best={*row.best, OVERALL})
        rows.append(row)
    columns = [
        Column("rank", "count"),
        Column("system", "text"),
        Column("n", "count"),
        Column("empty", "count"),
        Column(OVERALL),
        *(_metric_column(evaluation, name) for name in evaluation.metrics),
        Column("signature", "text"),
    ]
    return Table(columns, rows)


def _metric_column(evaluation: Evaluation, metric: str) -> Column:
    """Return the column of a metric's means, with their ranks below where it is averaged."""
    title = metric_heading(metric)
    if metric in evaluation.indistinct:
        title += " ≈"
    ranks = None
    if metric in evaluation.normalised:
        ranks = Column(f"{metric} rank", "count")
    return Column(metric, title=title, secondary=ranks)


def _hevas_row(
    evaluation: Evaluation, system: str, means: Mapping[str, float], ranks: Mapping[str, int]
) -> Row:
    """Return the row of a system with its means and ranks; it has no rank where there is no average."""
    average = evaluation.overall[system]
    rank = None
    if average is not None:
        averages = [other for other in evaluation.overall.values() if other is not None]
        better = [other for other in averages if other > average]
        rank = 1 + len(better)
    empty = int(evaluation.empty[system].sum())
    values: dict[str, Value] = {
        "rank": rank,
        "system": system,
        "n": len(evaluation.ids),
        "empty": empty,
        OVERALL: average,
        **means,
        **{f"{name} rank": number for name, number in ranks.items()},
        "signature": evaluation.signature,
    }
    best = {name for name, number in ranks.items() if number == 1}
    remark = f"{empty} empty" if empty else ""
    return Row(values, best=best, remark=remark)


def means_table(evaluation: Evaluation) -> Table:
    """Return the table of means without the columns that are the same for all systems."""
    table = hevas_table(evaluation)
    shown = {"system", *evaluation.metrics}
    if evaluation.normalised:
        shown.add(OVERALL)
    columns = [column for column in table.columns if column.name in shown]
    notes = []
    if evaluation.indistinct:
        alike = f"means differ by less than {ALIKE:.0%} of the largest"
        effect = "not in" if evaluation.distinct else "--distinct leaves them out of"
        notes.append(f"≈ does not tell these systems apart: {alike}; {effect} average and ranks")
    return replace(table, columns=columns, notes=notes)


def hevas_remarks(evaluation: Evaluation) -> list[str]:
    """Return a sentence for each system with empty headlines."""
    n = len(evaluation.ids)
    remarks = []
    for system, flags in evaluation.empty.items():
        count = flags.sum()
        if count:
            fault = f"{count} of {n} headlines are empty"
            remarks.append(f"{system}: {fault}; they have 0 in every metric and count as the worst")
    return remarks


def hevas_record(evaluation: Evaluation, analysis: Analysis) -> dict[str, object]:
    """Return the JSON object of an evaluation, without the values of single documents."""
    means = evaluation.means
    ranks = evaluation.ranks
    systems = {}
    for system, average in evaluation.overall.items():
        systems[system] = {
            OVERALL: average,
            "empty": int(evaluation.empty[system].sum()),
            "means": means[system],
            "ranks": ranks[system],
        }
    return {
        "signature": analysis.signature,
        "n": len(evaluation.ids),
        "metrics": list(evaluation.metrics),
        "indistinct": evaluation.indistinct,
        "systems": systems,
        "comparisons": {name: asdict(comparison) for name, comparison in analysis.comparisons.items()},
        "correlations": {
            "metrics": list(evaluation.metrics),
            "n": len(evaluation.ids) * len(evaluation.systems),
            "pearson": analysis.correlations,
        },
    }


def comparison_tables(comparison: Comparison) -> list[Table]:
    """Return the means of the systems by one metric with intervals and normality, and the tests of every two.

    With a single system there are no tests, and one table.
    """
    summary_columns = [
        Column("system", "text"),
        Column("mean"),
        Column("interval", "interval", title=f"{100 * comparison.level:g}% interval"),
        Column("shapiro_p", "p", title="normal, p"),
    ]
    tables = [Table(summary_columns, [Row(vars(summary)) for summary in comparison.systems])]
    if comparison.pairs:
        published = "Tukey" if comparison.published_test == "tukey" else "rank-sum"
        test_columns = [
            Column("systems", "text"),
            Column("difference"),
            Column("published_p", "p", title=f"HEvAS ({published}), p"),
            Column("p", "p", title="signed-rank, p"),
            Column("p_holm", "p", title="Holm, p"),
        ]
        rows = []
        for pair in comparison.pairs:
            systems = f"{pair.first} – {pair.second}"
            rows.append(Row({"systems": systems, **vars(pair)}))
        tables.append(Table(test_columns, rows))
    return tables


def hevas_drawings(evaluation: Evaluation, analysis: Analysis, charts: Sequence[str]) -> list[Drawing]:
    """Draw the charts with these names; there is no scatter of a single metric.

    But for the average in the box chart they show headlines that have words.
    """
    drawings = []
    for name, (title, description) in CHARTS.items():
        if name not in charts:
            continue
        if name == "scatter" and len(evaluation.metrics) < 2:
            continue
        figure = _draw(name, evaluation, analysis)
        drawings.append(Drawing(name, title, description, figure))
    return drawings


def _draw(name: str, evaluation: Evaluation, analysis: Analysis) -> Figure:
    """Draw the chart with this name, of `CHARTS`."""
    if name == "bar":
        return bar_chart(analysis.comparisons, intervals=False)
    if name == "interval":
        return bar_chart(analysis.comparisons)
    if name == "box":
        return box_chart(evaluation)
    written = evaluation.written
    scores = {metric: evaluation.scores(metric)[written] for metric in evaluation.metrics}
    return scatter_chart(scores)


@styled
def bar_chart(comparisons: Mapping[str, Comparison], *, intervals: bool = True) -> Figure:
    """Draw the mean of every system with or without its interval, one panel a metric.

    A bar is hatched where the system left headlines empty, which the mean leaves out.
    """
    first = next(iter(comparisons.values()))
    what = "mean"
    if intervals:
        what = f"mean with {first.level:.0%} bootstrap interval"
    panels = _panels(list(comparisons), [summary.system for summary in first.systems], what)
    for axes, comparison in zip(panels, comparisons.values(), strict=True):
        _draw_bars(axes, comparison, intervals=intervals)
    return figure_of(panels[0])


def _draw_bars(axes: Axes, comparison: Comparison, *, intervals: bool) -> None:
    """Draw the means of the systems by one metric as bars."""
    means = np.array([summary.mean for summary in comparison.systems])
    gaps = None
    if intervals:
        ends = np.array([summary.interval for summary in comparison.systems])
        gaps = np.clip(np.abs(ends.T - means), 0, None)
    error_style = {"ecolor": "black", "elinewidth": 1.3, "capsize": 2.6}
    rows = range(len(means))
    bars = axes.barh(rows, means, 0.68, xerr=gaps, color=SYSTEMS, error_kw=error_style)
    background = {"facecolor": "white", "alpha": 0.85, "linewidth": 0, "pad": 0.8}
    for row, summary in enumerate(comparison.systems):
        if summary.empty:
            bars[row].set(hatch="////", alpha=0.5)
            text = f" {summary.empty} of {comparison.documents} empty"
            axes.text(0, row, text, va="center", fontsize="x-small", bbox=background)
    axes.axvline(0, color="black", linewidth=0.9)
    if not means.any():
        axes.set_xlim(0, 1)


@styled
def box_chart(evaluation: Evaluation) -> Figure:
    """Draw the spread of every metric, one box a system, with whiskers to 1.5 times its height."""
    systems = evaluation.systems
    scores = {}
    if evaluation.normalised:
        scores[OVERALL] = list(evaluation.overall_items.T)
    for name in evaluation.metrics:
        columns = zip(evaluation.scores(name).T, evaluation.written.T, strict=True)
        scores[name] = [column[has_words] for column, has_words in columns]
    panels = _panels(list(scores), systems, "quartiles and median; diamond: mean")
    for axes, values in zip(panels, scores.values(), strict=True):
        boxes = axes.boxplot(
            values,
            positions=range(len(systems)),
            widths=0.62,
            orientation="horizontal",
            patch_artist=True,
            manage_ticks=False,
            showmeans=True,
            flierprops={"marker": ".", "markersize": 3, "markeredgecolor": LINE, "rasterized": True},
            medianprops={"color": "black", "linewidth": 1.8},
            meanprops={
                "marker": "D",
                "markersize": 4,
                "markerfacecolor": "white",
                "markeredgecolor": "black",
            },
        )
        for row, box in enumerate(boxes["boxes"]):
            box.set_facecolor(SYSTEMS[row % len(SYSTEMS)])
    return figure_of(panels[0])


@styled
def scatter_chart(scores: Mapping[str, Floats]) -> Figure:
    """Draw every two metrics against each other, at most 400 points; their correlations are in the table."""
    count = len(scores)
    side = min(0.6 * count + 1.9, 9.6)
    axes = Figure((side, side), dpi=130).subplots()
    columns_of_metrics = [np.ravel(column) for column in scores.values()]
    values = _values_in_cells(np.array(columns_of_metrics))
    rows, columns = np.tril_indices(count, -1)
    axes.scatter(
        values[columns] + columns[:, None],
        rows[:, None] - values[rows],
        s=max(15 / count, 0.7),
        color=SYSTEMS[0],
        alpha=0.45,
        linewidths=0,
        rasterized=True,
    )
    axes.set_xticks(range(count - 1), list(scores)[:-1], rotation=90)
    axes.set_yticks(range(1, count), list(scores)[1:])
    axes.set(aspect="equal", xlim=(-0.5, count - 1.5), ylim=(count - 0.5, 0.5))
    axes.grid(visible=False)
    axes.tick_params(length=0)
    return figure_of(axes)


def _values_in_cells(values: Floats) -> Floats:
    """Draw some of the values (m, n) of m metrics, and scale each metric to −.42 to .42, inside its cell."""
    order = np.random.default_rng(1).permutation(values.shape[1])
    values = values[:, order[:_SCATTER_POINTS]]
    low = values.min(axis=1, keepdims=True)
    spread = np.ptp(values, axis=1, keepdims=True)
    middle = np.full_like(values, 0.5)
    shares = np.divide(values - low, spread, out=middle, where=spread > 0)
    return shares * 0.84 - 0.42


def _panels(metrics: Sequence[str], systems: Sequence[str], what: str) -> list[Axes]:
    """Return an empty panel for each metric, two side by side, about as wide as a phone.

    Systems stand from the top down, and `what` below all panels says what they show.
    """
    rows = math.ceil(len(metrics) / 2)
    columns = min(2, len(metrics))
    height = rows * (0.24 * len(systems) + 0.75) + 0.5
    figure = Figure((5.2, height), dpi=160)
    grid = figure.subplots(rows, columns, sharey=True, squeeze=False)
    places = grid.ravel().tolist()
    panels = places[: len(metrics)]
    for unused in places[len(metrics) :]:
        unused.set_visible(False)
    panels[0].set_yticks(range(len(systems)), [_cut(name) for name in systems])
    panels[0].set_ylim(len(systems) - 0.45, -0.55)
    for axes, metric in zip(panels, metrics, strict=True):
        axes.set_title(metric_heading(metric), pad=4)
        axes.xaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 5, 10]))
        axes.xaxis.set_major_formatter("{x:g}")
    if any(is_less_better(metric) for metric in metrics):
        what += ";  ↓ lower is better"
    figure.supxlabel(what, fontsize="medium")
    return panels


def _cut(name: str) -> str:
    """Return the name of a system for a chart, the middle left out where it is long."""
    if len(name) <= NAME_LENGTH:
        return name
    return f"{name[: NAME_LENGTH - 6]}…{name[-5:]}"
