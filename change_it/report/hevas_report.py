"""The report of HEvAS: its tables, its charts (means, spreads and scatter of metrics) and its files."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from change_it.files.atomic import replace_folder, write_json, write_table, write_text
from change_it.hevas.analysis import OVERALL, Analysis, Comparison
from change_it.hevas.documents import Documents
from change_it.hevas.evaluation import ALIKE, Evaluation
from change_it.hevas.metrics import METRICS, is_less_better
from change_it.render.drawing import LINE, SYSTEMS, save, styled
from change_it.render.tables import Column, Row, Table, Value, records
from change_it.report.charts import NAME_LENGTH, Drawing
from change_it.report.pages import environment
from change_it.report.score_tables import square
from change_it.stats import Floats

#: Charts by their names on the command line, with their titles and what they show to readers who do not see them.
CHARTS = {
    "bar": ("Means", "Mean of each metric, one bar a system"),
    "interval": ("Means with intervals", "Mean of each metric with its interval, one bar a system"),
    "box": ("Spread over the documents", "Quartiles of each metric, one box a system"),
    "scatter": ("Metrics against each other", "Scatter of every two metrics"),
}
_POINTS = 400  # points of a scatter that are shown


def write_hevas(
    out: Path,
    documents: Documents,
    systems: Mapping[str, Sequence[str]],
    evaluation: Evaluation,
    analysis: Analysis,
    charts: Sequence[str] = ("interval", "box", "scatter"),
) -> None:
    """Write the page, `summary.csv`, `summary.json` and `charts`, and `items/<system>.csv`."""
    drawings = hevas_drawings(evaluation, analysis, charts)
    values = {
        "charts": drawings,
        "documents": documents,
        "evaluation": evaluation,
        "analysis": analysis,
        "comparisons": [
            (metric_heading(name), comparison_tables(comparison))
            for name, comparison in analysis.comparisons.items()
        ],
        "correlations": square(evaluation.metrics, "correlation", lambda i, j: analysis.correlations[i][j]),
        "explained": explanations(evaluation.metrics),
        "lower": [name for name in evaluation.metrics if is_less_better(name)],
        "means": means_table(evaluation),
        "remarks": hevas_remarks(evaluation),
        "stretched": [metric.name for metric in METRICS.values() if metric.range[1] is None],
    }
    page = environment().get_template("hevas.html.jinja").render(values)
    with replace_folder(out, "summary.json") as folder:
        for system, headlines in systems.items():
            rows = zip(documents.ids, headlines, evaluation.values[system].tolist(), strict=True)
            cells = [[id_, headline, *of_item] for id_, headline, of_item in rows]
            header = ["id", "headline", *evaluation.metrics]
            write_table(folder / "items" / f"{system}.csv", header, cells, quote_formulas=True)
        write_table(folder / "summary.csv", *records(hevas_table(evaluation)), quote_formulas=True)
        write_json(folder / "summary.json", hevas_record(evaluation, analysis))
        (folder / "charts").mkdir()
        for drawing in drawings:
            save(drawing.figure, folder / "charts" / f"{drawing.name}.png")
        write_text(folder / "report.html", page)


def explanations(metrics: Sequence[str]) -> dict[str, str]:
    """Return what the average and each metric mean, by the names of their columns."""
    average = "Mean of the metrics that have a place below their mean, each in 0 to 1, more is better."
    return {OVERALL: average, **{name: METRICS[name].about for name in metrics}}


def metric_heading(metric: str) -> str:
    """A metric as the head of a column, with an arrow where less is better."""
    return f"{metric} ↓" if is_less_better(metric) else metric


def hevas_table(evaluation: Evaluation) -> Table:
    """Means of the systems, the best average first, each with its rank (one that is not averaged has none)."""
    means, ranks, overall = evaluation.means, evaluation.ranks, evaluation.overall
    below = {name: Column(f"{name} rank", "count") for name in evaluation.normalised}
    signs = dict.fromkeys(evaluation.indistinct, " ≈")
    columns = (
        *(Column("rank", "count"), Column("system", "text"), Column("n", "count"), Column("empty", "count")),
        Column(OVERALL),
        *(
            Column(name, title=metric_heading(name) + signs.get(name, ""), secondary=below.get(name))
            for name in evaluation.metrics
        ),
        Column("signature", "text"),
    )
    rows: list[Row] = []
    for system, average in overall.items():
        rank = None
        if average is not None:
            rank = 1 + sum(other > average for other in overall.values() if other is not None)
        empty = int(evaluation.empty[system].sum())
        values: dict[str, Value] = {
            "rank": rank,
            "system": system,
            "n": len(evaluation.ids),
            "empty": empty,
            OVERALL: average,
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
    table, shown = hevas_table(evaluation), {"system", *evaluation.metrics}
    shown |= {OVERALL} if evaluation.normalised else set()
    columns = [column for column in table.columns if column.name in shown]
    note = f"≈ does not tell these systems apart: means differ by less than {ALIKE:.0%} of the largest; "
    note += ("not in" if evaluation.distinct else "--distinct leaves them out of") + " average and ranks"
    return replace(table, columns=columns, notes=[note] if evaluation.indistinct else [])


def hevas_remarks(evaluation: Evaluation) -> list[str]:
    """A sentence for each system with empty headlines."""
    n = len(evaluation.ids)
    return [
        f"{system}: {count} of {n} headlines are empty; they have 0 in every metric and count as the worst"
        for system, flags in evaluation.empty.items()
        if (count := flags.sum())
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
                OVERALL: average,
                "empty": int(evaluation.empty[system].sum()),
                "means": means[system],
                "ranks": ranks[system],
            }
            for system, average in evaluation.overall.items()
        },
        "comparisons": {name: asdict(comparison) for name, comparison in analysis.comparisons.items()},
        "correlations": {
            "metrics": list(evaluation.metrics),
            "n": len(evaluation.ids) * len(evaluation.systems),
            "pearson": analysis.correlations,
        },
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


def hevas_drawings(evaluation: Evaluation, analysis: Analysis, charts: Sequence[str]) -> list[Drawing]:
    """The charts of an evaluation, of headlines that have words but for the average; no scatter of a single metric."""
    draw = {
        "bar": lambda: bar_chart(analysis.comparisons, intervals=False),
        "interval": lambda: bar_chart(analysis.comparisons),
        "box": lambda: box_chart(evaluation),
        "scatter": lambda: scatter_chart(
            {name: evaluation.scores(name)[evaluation.written] for name in evaluation.metrics}
        ),
    }
    wanted = [name for name in CHARTS if name in charts and (name != "scatter" or evaluation.metrics[1:])]
    return [Drawing(name, *CHARTS[name], draw[name]()) for name in wanted]


@styled
def bar_chart(comparisons: Mapping[str, Comparison], *, intervals: bool = True) -> Figure:
    """Mean of every system with or without its interval, one panel a metric; hatched where it is of some headlines only."""
    first = next(iter(comparisons.values()))
    what = f"mean with {first.level:.0%} bootstrap interval" if intervals else "mean"
    panels = _panels(list(comparisons), [summary.system for summary in first.systems], what)
    for axes, comparison in zip(panels, comparisons.values(), strict=True):
        means = np.array([summary.mean for summary in comparison.systems])
        ends = np.array([summary.interval for summary in comparison.systems])
        gaps = np.clip(np.abs(ends.T - means), 0, None) if intervals else None
        bar = {"ecolor": "black", "elinewidth": 1.3, "capsize": 2.6}
        bars = axes.barh(range(len(means)), means, 0.68, xerr=gaps, color=SYSTEMS, error_kw=bar)
        for row, summary in enumerate(comparison.systems):
            if summary.empty:
                bars[row].set(hatch="////", alpha=0.5)
                text = f" {summary.empty} of {comparison.documents} empty"
                behind = {"facecolor": "white", "alpha": 0.85, "linewidth": 0, "pad": 0.8}
                axes.text(0, row, text, va="center", fontsize="x-small", bbox=behind)
        axes.axvline(0, color="black", linewidth=0.9)
        if not means.any():
            axes.set_xlim(0, 1)
    return panels[0].figure  # type: ignore[return-value]  # no subfigure


@styled
def box_chart(evaluation: Evaluation) -> Figure:
    """Spread of every metric, one box a system: whiskers to 1.5 times its height."""
    systems, written = evaluation.systems, evaluation.written.T
    scores = {OVERALL: list(evaluation.overall_items.T)} if evaluation.normalised else {}
    for name in evaluation.metrics:
        columns = evaluation.scores(name).T
        scores[name] = [column[has_words] for column, has_words in zip(columns, written, strict=True)]
    panels = _panels(list(scores), systems, "quartiles and median; diamond: mean")
    white = {"marker": "D", "markersize": 4, "markerfacecolor": "white", "markeredgecolor": "black"}
    for axes, values in zip(panels, scores.values(), strict=True):
        look: dict[str, Any] = {"orientation": "horizontal", "patch_artist": True, "manage_ticks": False}
        look["flierprops"] = {"marker": ".", "markersize": 3, "markeredgecolor": LINE, "rasterized": True}
        look |= {"medianprops": {"color": "black", "linewidth": 1.8}, "meanprops": white, "showmeans": True}
        boxes = axes.boxplot(values, positions=range(len(systems)), widths=0.62, **look)
        for row, box in enumerate(boxes["boxes"]):
            box.set_facecolor(SYSTEMS[row % len(SYSTEMS)])
    return panels[0].figure  # type: ignore[return-value]  # no subfigure


@styled
def scatter_chart(scores: Mapping[str, Floats]) -> Figure:
    """Scatter of every two metrics, at most 400 points; their correlations are in the table."""
    count = len(scores)
    side = min(0.6 * count + 1.9, 9.6)
    axes = Figure((side, side), dpi=130).subplots()
    # each metric between -.42 and .42, inside its cell
    values = np.array([np.ravel(column) for column in scores.values()])
    values = values[:, np.random.default_rng(1).permutation(values.shape[1])[:_POINTS]]
    low, spread = values.min(axis=1, keepdims=True), np.ptp(values, axis=1, keepdims=True)
    values = np.divide(values - low, spread, out=np.full_like(values, 0.5), where=spread > 0) * 0.84 - 0.42
    rows, columns = np.tril_indices(count, -1)
    x, y = values[columns] + columns[:, None], rows[:, None] - values[rows]
    axes.scatter(x, y, s=max(15 / count, 0.7), color=SYSTEMS[0], alpha=0.45, linewidths=0, rasterized=True)
    axes.set_xticks(range(count - 1), list(scores)[:-1], rotation=90)
    axes.set_yticks(range(1, count), list(scores)[1:])
    axes.set(aspect="equal", xlim=(-0.5, count - 1.5), ylim=(count - 0.5, 0.5))
    axes.grid(visible=False)
    axes.tick_params(length=0)
    return axes.figure  # type: ignore[return-value]  # no subfigure


def _panels(metrics: Sequence[str], systems: Sequence[str], what: str) -> list[Axes]:
    """An empty panel for each metric, two side by side, about as wide as a phone; systems from the top."""
    rows = -(-len(metrics) // 2)
    names = [
        name if len(name) <= NAME_LENGTH else f"{name[: NAME_LENGTH - 6]}…{name[-5:]}" for name in systems
    ]
    figure = Figure((5.2, rows * (0.24 * len(systems) + 0.75) + 0.5), dpi=160)
    panels = figure.subplots(rows, min(2, len(metrics)), sharey=True, squeeze=False).ravel().tolist()
    for axes in panels[len(metrics) :]:
        axes.set_visible(False)
    panels[0].set_yticks(range(len(systems)), names)
    panels[0].set_ylim(len(systems) - 0.45, -0.55)
    for axes, metric in zip(panels, metrics, strict=False):
        axes.set_title(metric_heading(metric), pad=4)
        axes.xaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 5, 10]))
        axes.xaxis.set_major_formatter("{x:g}")
    lower = ";  ↓ lower is better" if any(map(is_less_better, metrics)) else ""
    figure.supxlabel(what + lower, fontsize="medium")
    return panels[: len(metrics)]
