from dataclasses import replace

import numpy as np
import pytest
from matplotlib.image import imread
from scoring_fakes import FakeJudges, scored, toy_test_set

from change_it.drawing import save
from change_it.hevas.analysis import compare
from change_it.results.charts import Drawing, systems_chart
from change_it.results.hevas_report import bar_chart, scatter_chart
from change_it.scoring.item import ScoredSystem
from change_it.tables import figure

#: What earlier tests in the process left open is not ours.
LEFT_OPEN = ("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
pytestmark = pytest.mark.filterwarnings("error", *LEFT_OPEN)
GOLD_HEADLINES = tuple(item.reference for item in toy_test_set().items)
SYSTEMS = ["a system with a very long name", "cost$s", "third"]


def scores(metrics=5, n=30, systems=3):
    draw = np.random.default_rng(1)
    return {f"M-{i}": draw.normal(i, 1, (n, systems)) for i in range(metrics)}


def test_bars_are_the_means():
    table = scores()
    written = np.ones((30, 3), bool)
    written[:20, 1] = False
    found = {name: compare(values, SYSTEMS, written=written, resamples=50) for name, values in table.items()}
    figure = bar_chart(found)
    shown = [axes for axes in figure.axes if axes.get_visible()]
    assert [axes.get_title() for axes in shown] == list(table)
    for axes, values in zip(shown, table.values(), strict=True):
        means = [values[:, 0].mean(), values[20:, 1].mean(), values[:, 2].mean()]
        assert [bar.get_width() for bar in axes.patches] == pytest.approx(means)
        assert [bool(bar.get_hatch()) for bar in axes.patches] == [False, True, False]
        assert [text.get_text() for text in axes.texts] == [" 20 of 30 empty"]
        assert axes.get_ylim()[0] > axes.get_ylim()[1]
    names = [label.get_text() for label in shown[0].get_yticklabels()]
    assert names == ["a system w… name", "cost$s", "third"]
    assert figure.axes[0].collections
    assert not bar_chart(found, intervals=False).axes[0].collections


def test_each_system_has_a_line_and_the_floor_the_best_of_as_many_clauses():
    names = ["mine", "a system with a very long name", "cost$s"]
    same = [ScoredSystem(name, GOLD_HEADLINES, candidates=4) for name in names]
    found = scored(toy_test_set(), FakeJudges(digits="abcd"), *same)
    rows = [replace(row, system="floor") if row.system == "lead" else row for row in found.rows]
    curve = [{"candidates": n, "style": n / 10, "acceptability": n / 20} for n in (1, 2, 4)]
    drawing = systems_chart(replace(found, rows=rows, curve=curve))
    labels = [label.get_text() for label in drawing.figure.axes[0].get_yticklabels()]
    assert {"mine\nbest of 4", "a system…ng name\nbest of 4", "gold", "floor"} <= {*labels}
    for axes, measure, best in zip(drawing.figure.axes, ("style", "acceptability"), (0.4, 0.2), strict=True):
        points = {tuple(point) for line in axes.lines for point in line.get_xydata().tolist()}
        assert points >= {(row.values[measure], float(place)) for place, row in enumerate(averages(rows))}
        assert (best, labels.index("floor")) in points
    assert f"mine {figure(found.row('mine').values['style'])}" in drawing.description


def averages(rows):
    return [row for row in rows if row.direction == "average"]


def test_without_style_one_axis_is_left():
    found = scored(toy_test_set(), FakeJudges(digits="abc", scale=None))
    [axes] = systems_chart(found).figure.axes
    assert axes.get_xlabel() == "compliancy"


def test_the_same_chart_has_the_same_bytes(tmp_path):
    table = scores(3)
    charts = [scatter_chart(table) for _ in range(2)]
    for name, chart in zip("xy", charts, strict=True):
        save(chart, tmp_path / name)
    assert 400 < imread(tmp_path / "x", "png").shape[1] <= 1280
    assert (tmp_path / "y").read_bytes() == (tmp_path / "x").read_bytes()
    assert len({Drawing("", "", "", chart).address for chart in charts}) == 1
