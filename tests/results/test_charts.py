from functools import cache

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread

from change_it import InputError
from change_it.audit.calibration import Reliability
from change_it.audit.verdicts import Result
from change_it.hevas.analysis import compare
from change_it.results.charts import (
    _in_lines,
    _two_places,
    bar_chart,
    box_chart,
    correlation_chart,
    passed_chart,
    reliability_chart,
    save,
)
from change_it.stats import correlations

#: What earlier tests in the process left open is not ours.
LEFT_OPEN = ("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
pytestmark = pytest.mark.filterwarnings("error", *LEFT_OPEN)
SYSTEMS = ["a system with a very long name", "cost$s", "third"]


def scores(metrics=5, n=30, systems=3):
    draw = np.random.default_rng(1)
    return {f"M-{i}": draw.normal(i, 1, (n, systems)) for i in range(metrics)}


def comparisons(table, systems=SYSTEMS):
    return {metric: compare(values, systems, resamples=50) for metric, values in table.items()}


@cache
def some_comparisons():
    return comparisons(scores(3))


def panels(figure):
    return [axes for axes in figure.axes if axes.get_visible()]


def chart(name):
    table = scores(3)
    if name == "bar":
        return bar_chart(some_comparisons())
    return box_chart(table, SYSTEMS) if name == "box" else correlation_chart(table, correlations(table))


def test_bars_are_the_means():
    table = scores()
    shown = panels(bar_chart(comparisons(table)))
    assert [axes.get_title() for axes in shown] == list(table)
    for axes, values in zip(shown, table.values(), strict=True):
        assert [bar.get_width() for bar in axes.patches] == pytest.approx(values.mean(axis=0).tolist())
        assert axes.get_ylim()[0] > axes.get_ylim()[1]
    names = [label.get_text() for label in shown[0].get_yticklabels()]
    assert names == ["a system w…long name", r"cost\$s", "third"]


def test_intervals_are_drawn_only_when_wanted():
    table = scores(1)
    found = comparisons(table)
    with_them, without = (panels(bar_chart(found, intervals=wanted))[0] for wanted in (True, False))
    (lines,) = with_them.collections
    ends = [segment[:, 0].tolist() for segment in lines.get_segments()]
    assert ends == [pytest.approx(summary.interval) for summary in found["M-0"].systems]
    assert not without.collections
    assert "95% bootstrap interval" in with_them.figure.get_supxlabel()
    assert without.figure.get_supxlabel() == "mean"


def test_boxes_are_the_quartiles():
    table = scores(2)
    for axes, values in zip(panels(box_chart(table, SYSTEMS)), table.values(), strict=True):
        for box, column in zip(axes.patches, values.T, strict=True):
            across = box.get_path().vertices[:, 0]
            assert (across.min(), across.max()) == pytest.approx(tuple(np.quantile(column, [0.25, 0.75])))


def test_points_beyond_the_whiskers_are_shown():
    table = {"m": np.array([[0.0], [1], [2], [3], [4], [5], [6], [7], [50], [50]])}
    (axes,) = panels(box_chart(table, ["one"]))
    assert axes.collections[0].get_offsets().tolist() == [[50, 0]]


def test_lower_is_better_is_marked_and_explained():
    higher = scores(2)
    table = {"R-1": higher["M-0"], "Fog": higher["M-1"]}
    for figure in (bar_chart(comparisons(table)), box_chart(table, SYSTEMS)):
        assert [axes.get_title() for axes in panels(figure)] == ["R-1", "Fog ↓"]
        assert figure.get_supxlabel().endswith("↓ lower is better")
    assert "↓" not in bar_chart(comparisons(higher)).get_supxlabel()


def test_correlations_are_written_above_the_diagonal():
    table = scores(3)
    table["M-1"] = np.exp(2 * table["M-0"]) + table["M-1"]
    table["flat"] = np.zeros((30, 3))
    found = correlations(table)
    figure = correlation_chart(table, found)
    written = {text.get_position(): text.get_text() for text in figure.axes[0].texts}
    assert len(written) == 6
    for (column, row), text in written.items():
        assert column > row
        value = found.pearson[row][column]
        assert text == "–" if value is None else float(text.replace("−", "-")) == round(value, 2)
    assert figure.axes[1].get_xlabel() == "Pearson correlation, n = 90"


@pytest.mark.parametrize("n", [4, 900])
def test_scatters_lie_in_their_cells(n):
    table = {
        "up": np.arange(n, dtype=float),
        "down": -np.arange(n, dtype=float),
        "curve": np.arange(n) ** 2.0,
    }
    axes = correlation_chart(table, correlations(table)).axes[0]
    (cloud,) = (found for found in axes.collections if len(found.get_offsets()) > 1)
    points = np.asarray(cloud.get_offsets()).reshape(3, min(n, 400), 2)
    for (row, column), cell in zip([(1, 0), (2, 0), (2, 1)], points, strict=True):
        assert (np.abs(cell - [column, row]) < 0.5).all()
    # a cell's y grows downwards: "down" against "up" falls, "curve" against "up" rises
    assert np.corrcoef(points[0].T)[0, 1] == pytest.approx(1)
    assert np.corrcoef(points[1].T)[0, 1] < -0.9


@pytest.mark.parametrize("name", ["bar", "box", "correlation"])
def test_files(tmp_path, name):
    figure = chart(name)
    save(figure, tmp_path / "x.png")
    picture = imread(tmp_path / "x.png")
    assert 400 < picture.shape[1] <= 1280
    assert picture[..., :3].std() > 0.05
    save(chart(name), tmp_path / "y.png")
    assert (tmp_path / "y.png").read_bytes() == (tmp_path / "x.png").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.png", "y.png"]


@pytest.mark.parametrize("name", ["bar", "box", "correlation"])
@pytest.mark.parametrize("layout", ["figure.autolayout", "figure.constrained_layout.use"])
def test_a_file_is_drawn_once_whatever_layout_is_usual(tmp_path, monkeypatch, name, layout):
    drawn, draw = [], Figure.draw
    monkeypatch.setattr(
        Figure, "draw", lambda figure, renderer: drawn.append(figure) or draw(figure, renderer)
    )
    with matplotlib.rc_context({layout: True}):
        figure = chart(name)
        save(figure, tmp_path / "x.png")
    assert drawn == [figure]


@pytest.mark.parametrize(("metrics", "systems", "n"), [(1, 1, 1), (2, 13, 2), (5, 1, 3)])
def test_odd_sizes(tmp_path, metrics, systems, n):
    table = scores(metrics, n, systems)
    names = [f"system {i}" for i in range(systems)]
    save(bar_chart(comparisons(table, names)), tmp_path / "bar.png")
    save(box_chart(table, names), tmp_path / "box.png")
    if metrics > 1:
        save(correlation_chart(table, correlations(table)), tmp_path / "correlation.png")
    assert all(imread(path).shape[1] <= 1280 for path in tmp_path.iterdir())


def test_bad_input():
    table = scores(2)
    with pytest.raises(InputError, match="name at least one metric"):
        bar_chart({})
    with pytest.raises(InputError, match="name at least one metric"):
        box_chart({}, SYSTEMS)
    with pytest.raises(InputError, match="found M-0 and M-0, M-1"):
        correlation_chart({"M-0": table["M-0"]}, correlations(table))
    with pytest.raises(InputError, match="same two metrics or more"):
        correlation_chart(scores(1), correlations(scores(1)))


def test_labels():
    assert [_two_places(value) for value in (0.333, -0.5, 1.0, -0.001)] == [".33", "−.50", "1.00", ".00"]
    assert _in_lines("agnostic-it5-small+rerank") == "agnostic-it5-\nsmall+rerank"


def test_a_reliability_curve_has_its_points():
    known = Reliability("main", 100, (0.2, 0.8), (0.1, 0.9))
    _, line = reliability_chart([known]).axes[0].lines
    assert line.get_xydata().tolist() == [[0.2, 0.1], [0.8, 0.9]]
    assert line.get_label() == "main"


def test_what_the_judges_let_through_has_a_bar_each_and_its_figure():
    about = ((), False, "", 100)
    values = {"compliancy": 0.61, "passed": 0.0}
    result = Result("reversed words", *about, values, {}, 60, 0.0, 0.05, (), (), ())
    [axes] = passed_chart({"in reverse": result}).axes
    assert [bar.get_width() for bar in axes.patches] == [0.61, 0.0]
    assert [text.get_text() for text in axes.texts] == [".610", ".000"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["in reverse"]
