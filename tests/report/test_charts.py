from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from matplotlib.image import imread
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from scoring_fakes import SCALE, FakeJudges, scored, toy_test_set

from change_it.hevas.analysis import compare
from change_it.render.drawing import save
from change_it.render.tables import figure
from change_it.report.charts import Drawing, _extents, _shared, style_plane
from change_it.report.hevas_report import bar_chart, scatter_chart
from change_it.scoring.record import CurvePoint
from change_it.scoring.systems import ScoredSystem

#: What earlier tests in the process left open is not ours.
LEFT_OPEN = ("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
pytestmark = pytest.mark.filterwarnings("error", *LEFT_OPEN)
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


def test_the_plane_has_a_point_and_a_label_of_its_own_for_each_system():
    test = toy_test_set()
    names = ["mine", "a system with a very long name", "cost$s"]
    same = [ScoredSystem(name, tuple(item.reference for item in test.items), candidates=4) for name in names]
    found = scored(test, FakeJudges(fluency=True), *same)
    curve = [
        CurvePoint(candidates=n, values={"style": n / 10, "acceptability": n / 20}, intervals={})
        for n in (1, 2, 4)
    ]
    rows = [replace(row, system="floor") if row.system == "lead" else row for row in found.rows]
    found = replace(found, rows=rows, curve=curve)
    drawing = style_plane(found)
    [axes] = drawing.figure.axes
    drawing.figure.draw_without_rendering()  # puts the texts in their places
    boxes = {text.get_text(): Text.get_window_extent(text) for text in axes.texts}
    assert {"mine, best of 4", "gold", "copy", "best of 2 clauses"} < {*boxes}
    assert "2" not in boxes
    assert {"unchanged", "other style, content accepted", "another story"} < {*boxes}
    assert axes.get_title(loc="left") == "rep and gio"
    assert not [both for both in combinations(boxes.values(), 2) if Bbox.intersection(*both)]
    for row in (found.row(name) for name in found.names):
        assert f"{row.system} {figure(row.values['style'])}" in drawing.description
        points = [line.get_xydata().tolist() for line in axes.lines]
        assert [[row.values["style"], row.values["acceptability"]]] in points


def test_without_style_the_plane_has_one_axis():
    found = scored(toy_test_set(), FakeJudges(scale=SCALE._replace(pairs=3)))
    [axes] = style_plane(found).figure.axes
    assert axes.get_xlabel() == "compliancy"
    assert axes.get_title(loc="left") == "rep and gio"
    assert [label.get_text() for label in axes.get_yticklabels()] == found.names
    places = [float(line.get_xdata()[0]) for line in axes.lines]
    assert places == [found.row(name).values["compliancy"] for name in found.names]


def test_the_same_chart_has_the_same_bytes(tmp_path):
    table = scores(3)
    charts = [scatter_chart(table) for _ in range(2)]
    for name, chart in zip("xy", charts, strict=True):
        save(chart, tmp_path / name)
    assert 400 < imread(tmp_path / "x", "png").shape[1] <= 1280
    assert (tmp_path / "y").read_bytes() == (tmp_path / "x").read_bytes()
    assert len({Drawing("", "", "", chart).address for chart in charts}) == 1


def test_shared_areas_are_those_of_intersections():
    random = np.random.default_rng(1)
    boxes = [Bbox(random.uniform(0, 10, (2, 2))) for _ in range(30)]
    found = _shared(_extents(boxes[:10]), _extents(boxes))
    for row, one in enumerate(boxes[:10]):
        for column, other in enumerate(boxes):
            both = Bbox.intersection(one, other)
            assert found[row, column] == pytest.approx(both.width * both.height if both else 0.0)
    assert 0 < (found > 0).mean() < 1
