"""Files with several draws of each headline: the expected single draw, what judges choose, and the best of N."""

import json
import re
import runpy
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from csv_files import write_csv
from scoring_fakes import FakeJudges, scored

from change_it import InputError
from change_it.cli import main
from change_it.generators.rerank import order
from change_it.results.charts import choices_chart
from change_it.results.report_files import latex
from change_it.results.score_tables import (
    choices_table,
    significance,
    systems_table,
    terminal_table,
)
from change_it.scoring.floors_and_predictions import (
    ScoredSystem,
    on_same_items,
    read_predictions,
    read_scored_systems,
    with_chosen,
)
from change_it.scoring.scores import weights_of_ranks
from change_it.scoring.signature import Reranker
from change_it.stats import bootstrap_intervals, measure

CHOOSERS = Reranker.of(FakeJudges(fold="0", digits="def"))
#: Whether each of four draws of three items is compliant, and the draws as other judges order them.
PASSES = ((1, 0, 0, 0), (1, 1, 0, 0), (0, 0, 0, 0))
ORDER = ((1, 0, 2, 3), (0, 2, 1, 3), (0, 1, 2, 3))


@pytest.fixture
def three(toy_test):
    return replace(toy_test, items=toy_test.items[:3])


@pytest.fixture
def drawn(three):
    """Draws that pass are the original with the other outlet's exclamation mark, the others the original."""
    items = zip(three.items, PASSES, strict=True)
    draws = tuple(tuple(item.source + "!" * each for each in some) for item, some in items)
    first = tuple(some[0] for some in draws)
    return ScoredSystem("drawn", first, CHOOSERS, draws=draws, order=ORDER)


@pytest.fixture
def scores(three, drawn):
    return scored(three, FakeJudges(fold="1"), *with_chosen([drawn]), resamples=200)


def test_by_hand(scores):
    row = scores.row("drawn")
    assert (row.values["compliancy"], row.draws, row.runs, row.n) == (pytest.approx(1 / 4), 4, 1, 3)
    assert scores.row("drawn.best-of-4").values["compliancy"] == pytest.approx(1 / 3)
    [choice] = scores.choices
    assert {n: of["compliancy"].value for n, of in choice.curve.items()} == pytest.approx(
        {1: (1 / 4 + 2 / 4) / 3, 2: (1 / 3 + 1 / 2 + 1 / 6) / 3, 4: 1 / 3}
    )
    assert choice.gap["compliancy"].value == pytest.approx(1 / 3 - 1 / 4)
    assert choice.curve[1]["compliancy"] == pytest.approx((1 / 4, *row.intervals["compliancy"]))
    assert scores.draws["drawn"].height == 12
    assert scores.items["drawn"].height == 3
    assert "|draws:4|" in row.signature


def test_the_best_of_n_is_that_of_all_subsets():
    passes = np.random.default_rng(1).random(7)
    for n in range(1, 8):
        expected = np.mean([passes[min(some)] for some in combinations(range(7), n)])
        assert passes @ weights_of_ranks(7, n) == pytest.approx(expected)


def test_the_order_is_that_of_choosing_from_any_subset(toy_test):
    rng = np.random.default_rng(2)
    judges = FakeJudges(digits="abcd")
    seen = {}
    for name, judge in judges.by_task.items():
        judge.rule = lambda one, other, name=name: seen.setdefault((name, one, other), float(rng.random()))
    texts = [f"Titolo {n} con {'numero 77' if n % 3 == 0 else 'niente'}" for n in range(5)]
    item = replace(toy_test.items[0], source="Titolo con niente", article="Un articolo con niente")
    [ordered] = order(judges, [texts], [item])
    for size in range(1, 6):
        for some in combinations(range(5), size):
            few = [texts[at] for at in some]
            chosen = order(judges, [few], [item])[0][0]
            assert some[chosen] == next(at for at in ordered if at in some)


def share(sums):
    return {"share": sums["hits"] / sums["n"]}


def test_intervals_draw_events_and_within_them_draws():
    events = [0, 0, 1, 2, 3]
    once = np.array([1.0, 0, 1, 1, 0])
    ones = np.ones((5, 4))
    same = {"n": ones, "hits": np.repeat(once[:, None], 4, axis=1)}
    alone = bootstrap_intervals({"n": ones[:, 0], "hits": once}, share, list("xyxyx"), events)["share"]
    drawn = bootstrap_intervals(same, share, list("xyxyx"), events, drawn=True)["share"]
    assert drawn == pytest.approx(alone)
    one = {"n": np.ones((1, 2)), "hits": np.array([[0.0, 1.0]])}
    assert measure(one, share, drawn=True)["average"]["share"] == (0.5, 0, 1)
    assert measure(one, share, drawn=True, seed=5) == measure(one, share, drawn=True, seed=5)
    mixed = {"n": ones, "hits": np.random.default_rng(3).integers(0, 2, (5, 4)).astype(float)}
    how = {"events": events, "resamples": 50, "drawn": True}
    found = [bootstrap_intervals(mixed, share, **how, seed=seed)["share"].tolist() for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]


def test_draws_that_are_seldom_right_are_not_few():
    hits = np.zeros((40, 8))
    hits[:20, 0] = 1
    how = {"shares": {"share": "n"}, "resamples": 500}
    each = {"n": np.ones((40, 8)), "hits": hits}
    drawn = measure(each, share, drawn=True, **how)["average"]["share"]
    best = {"n": np.ones(40), "hits": hits.mean(axis=1)}
    value, low, high = measure(best, share, **how)["average"]["share"]
    assert value == drawn.value == 1 / 16
    assert drawn.low < low < value < high < drawn.high < 0.15
    hits[3:] = 0
    assert measure(each, share, drawn=True, **how)["average"]["share"].high > 0.09, "three events say little"


def test_what_judges_chose_stands_apart(scores):
    built_in = ["copy", "lead", "random-target", "clause"]
    assert scores.names == ["gold", "drawn", *built_in, "drawn.best-of-4"]
    assert scores.chosen == ["drawn.best-of-4"]
    assert [scores.row(name).group for name in ("drawn", "drawn.best-of-4")] == ["", "chosen by judges"]
    table = systems_table(scores, ["average"])
    assert [name for name, _ in table.groups] == ["", "chosen by judges"]
    assert [note for note in table.notes if "chosen by judges of another fold" in note]
    assert significance(scores)[0] == "drawn"
    names = [row.text(terminal_table(scores).columns[0]) for row in terminal_table(scores).rows]
    assert names[names.index("chosen by judges") + 1] == "drawn.best-of-4†"
    assert "\nchosen by judges & " in latex(scores)
    row = choices_table(scores).rows[0].values
    assert (row["single"], row["chosen"]) == pytest.approx((1 / 4, 1 / 3))
    [axes] = choices_chart(scores).axes
    assert axes.containers[0].lines[0].get_xydata()[:, 1] == pytest.approx([1 / 4, 1 / 3, 1 / 3])


def test_benchmarks_keep_what_a_report_has(three, drawn):
    kept = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "tables.py"))["REPORTS"]
    report = scored(three, FakeJudges(fold="1", digits="abcg"), *with_chosen([drawn]), resamples=50).as_dict()
    assert kept["choosers"]("x", report)["x"]["N = 4"] == report["choices"][0]["curve"][4]["joint"]
    best = report["systems"]["drawn.best-of-4"]["average"]
    assert kept["writers"]("x", report)["x"]["best, chosen by fold 0"][0] == best["joint"]


def test_systems_with_draws_of_different_counts_stand_side_by_side(three, drawn):
    order = tuple(tuple(draw for draw in of if draw < 2) for of in drawn.order)
    fewer = replace(drawn, name="fewer", draws=tuple(some[:2] for some in drawn.draws), order=order)
    scores = scored(three, FakeJudges(fold="1"), *with_chosen([drawn, fewer]))
    rows = [row.values for row in choices_table(scores).rows]
    assert [(row["system"], row["draws"]) for row in rows] == [("drawn", 4), ("fewer", 2)]
    figure = choices_chart(scores)
    for axes in figure.axes:
        colours = [of.lines[0].get_color() for of in axes.containers]
        assert len({*colours}) == 2, "a colour a system"
        assert [of.get_label() for of in axes.containers] == ["drawn", "fewer"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["gold", "drawn", "fewer"]


def write(tmp_path, three, *, change=None, header="id,draw,headline,target", more=lambda at, draw: ""):
    rows = [
        f"{item.id},{draw},Titolo {item.id} {draw},{item.target}{more(at, draw)}"
        for at, item in enumerate(three.items)
        for draw in range(4)
    ]
    if change:
        rows = change(rows)
    file = tmp_path / "drawn.csv"
    file.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return file


def test_draws_and_their_order_are_read(tmp_path, three):
    system = read_predictions(write(tmp_path, three), three)
    assert system.draws[1] == tuple(f"Titolo a1 {draw}" for draw in range(4))
    assert (system.headlines[1], system.order) == ("Titolo a1 0", ())
    header = "id,draw,headline,target,reranker,rank"
    ranked = write(
        tmp_path,
        three,
        header=header,
        more=lambda at, draw: f",{CHOOSERS.signature},{ORDER[at].index(draw) + 1}",
    )
    system = read_predictions(ranked, three)
    assert (system.order, system.reranker) == (ORDER, CHOOSERS)
    assert system.chosen.headlines == ("Titolo a0 1", "Titolo a1 0", "Titolo a2 0")
    text = ranked.read_text(encoding="utf-8")
    for wrong in (",5\n", ",3\n", ",\n"):
        ranked.write_text(text.replace(",4\n", wrong), encoding="utf-8")
        with pytest.raises(InputError, match="3 ids have not the ranks 1 to 4, each once"):
            read_predictions(ranked, three)


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows[:-1],
        lambda rows: [*rows, rows[-1].replace(",3,", ",4,")],
        lambda rows: [*rows, rows[-1]],
        lambda rows: [row.replace("a2,0", "a2,-1") for row in rows],
        lambda rows: [row.replace("a2,3", "a2,") for row in rows],
        lambda rows: [row.replace(",0,Tit", ",zero,Tit") for row in rows],
    ],
)
def test_malformed_draws_are_refused(tmp_path, three, change):
    with pytest.raises(InputError, match="ids have not the draws 0 to"):
        read_predictions(write(tmp_path, three, change=change), three)


def test_other_faults_are_named_once_an_id(tmp_path, three):
    file = write(tmp_path, three, change=lambda rows: [row.replace("a2,", "x9,") for row in rows])
    with pytest.raises(InputError, match="1 id missing: a2; 1 id not in the test set: x9"):
        read_predictions(file, three)
    ranked = {"header": "id,draw,headline,target,rank", "more": lambda at, draw: f",{draw + 1}"}
    with pytest.raises(InputError, match="no column reranker"):
        read_predictions(write(tmp_path, three, **ranked), three)
    file = write(tmp_path, three)
    other = tmp_path / "other.csv"
    other.write_bytes(file.read_bytes())
    with pytest.raises(InputError, match="files of mine hold draws, not runs"):
        read_scored_systems([f"mine={file}", f"mine={other}"], three)


def test_draws_are_cut_with_the_items(toy_test, tmp_path, three):
    system = read_predictions(write(tmp_path, three), toy_test, needed=())
    gold = ScoredSystem("gold2", (None, *(item.reference for item in toy_test.items[1:])))
    with pytest.raises(InputError, match="no headline in common of gio2rep"):
        on_same_items(toy_test, [system, gold])
    one_way = replace(toy_test, items=toy_test.items[:4])
    system = read_predictions(write(tmp_path, three), one_way, needed=())
    assert system.draws[2:] == (tuple(f"Titolo a2 {draw}" for draw in range(4)), None)
    test, [same, _] = on_same_items(one_way, [system, replace(gold, headlines=gold.headlines[:4])])
    assert [item.id for item in test.items] == ["a1", "a2"]
    assert same.draws == system.draws[1:3]
    assert same.each_draw[3] == ("Titolo a1 3", "Titolo a2 3")


def test_the_command_lets_judges_of_the_other_fold_choose(
    tmp_path, toy_corpus, toy_test, judges_of_folds, capsys
):
    folders = judges_of_folds
    rows = [[one.id, draw, one.source.strip("!") + "!" * draw] for one in toy_test.items for draw in range(2)]
    file = write_csv(tmp_path / "drawn.csv", rows, ["id", "draw", "headline"])
    given = f"score --corpus {toy_corpus} --judges {folders['1']} --resamples 5 --json".split()
    drawn = [*given, "--predictions", f"mine={file}", "--chooser"]
    assert main([*drawn, str(folders["0"]), "--out", str(tmp_path / "report")]) == 0
    record = json.loads(capsys.readouterr().out)
    systems = {name: of["average"]["compliancy"] for name, of in record["systems"].items()}
    assert (systems["mine"], systems["mine.best-of-2"]) == (0.5, 1)
    assert record["choices"][0]["curve"]["2"]["compliancy"][0] == 1
    page = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert "What choosing among draws does" in page
    assert re.search(r'<tr class="group"><th [^>]*>chosen by judges</th>', page)
    assert (tmp_path / "report" / "charts" / "best-of-n.png").exists()
    assert len((tmp_path / "report" / "items" / "mine.csv").read_text().splitlines()) == 1 + 16
    assert main([*drawn, str(folders["1"])]) == 2
    assert "not independent" in capsys.readouterr().err
    assert main([*given, "--chooser", str(folders["0"])]) == 2
    assert "a column draw" in capsys.readouterr().err


def test_a_file_with_one_draw_of_each_is_a_file_without_draws(toy_test, tmp_path):
    rows = [[item.id, "0", "Un titolo", item.target] for item in toy_test.items]
    file = write_csv(tmp_path / "one.csv", rows, ["id", "draw", "headline", "target"])
    system = read_predictions(file, toy_test, name="one")
    assert (system.draws, system.order) == ((), ())
