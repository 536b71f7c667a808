"""Scores, intervals and tests of systems, by judges that take an exclamation mark for gio's.

They accept gold everywhere, and a copy nowhere: `toy_test` is made for these rules.
"""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom
from scoring_fakes import larger, scored, write_toy_corpus

from change_it.corpus.test_set import read_test_set
from change_it.errors import InputError
from change_it.files.records import to_json
from change_it.scoring.aspects import share_measures
from change_it.scoring.baselines import built_in_systems
from change_it.scoring.scores import score, score_tables
from change_it.scoring.settings import ScoreSettings
from change_it.scoring.systems import ScoredSystem


@pytest.fixture
def scores(toy_test, fake_judges):
    return scored(toy_test, fake_judges, resamples=50)


def right_about(test, is_right):
    """Return headlines: gold of the items about which `is_right`, copies of the others."""
    return tuple(item.reference if is_right(item) else item.source for item in test.items)


def test_copy_never_complies_under_relative_reversal(toy_test, fake_judges):
    """Whatever the judges answer, here at random."""
    noise = np.random.default_rng(1)
    for judge in fake_judges.by_task.values():
        judge.rule = lambda *_: noise.random()

    scores = scored(toy_test, fake_judges)

    copies = [row.values for row in scores.rows if row.system == "copy"]
    assert [(values["main"], values["compliancy"]) for values in copies] == [(0, 0)] * 3


def test_judges_read_what_two_tables_share_once(toy_test, fake_judges):
    half = replace(toy_test, items=toy_test.items[:4])
    tables = [(half, built_in_systems(half)), (toy_test, built_in_systems(toy_test))]
    settings = ScoreSettings(resamples=5)
    apart = [score(test, fake_judges, systems, settings, progress=False) for test, systems in tables]
    for judge in fake_judges.by_task.values():
        judge.asked.clear()

    together = score_tables(tables, fake_judges, settings, progress=False)

    for one, other in zip(together, apart, strict=True):
        assert to_json(one.record) == to_json(other.record)
        for name, items in one.items.items():
            assert items.equals(other.items[name])
    for judge in fake_judges.by_task.values():
        assert len(judge.asked) == len({*judge.asked})


def test_rows_intervals_and_signatures(scores):
    assert scores.directions == ["rep2gio", "gio2rep", "average"]
    for row in scores.rows:
        assert row.n == (8 if row.direction == "average" else 4)
        assert row.events == 4
        assert f"|n:{row.n}|partners:{row.n}|events:4|resamples:50|" in row.signature
        assert row.signature.startswith(
            "compliancy|judges:aaaaaa+bbbbbb+cccccc|fold:all|reversal:relative|tok:unicode|n:"
        )
        # Of four events only shares have an interval.
        assert row.intervals.keys() == {*share_measures()} & row.values.keys()
        for name, (low, high) in row.intervals.items():
            assert 0 <= low <= row.values[name] <= high <= 1
    assert list(scores.p_values) == ["compliancy", "style"]  # no fluency judge, no acceptability
    for table in scores.p_values.values():
        assert table.shape == (5, 5)
        assert (table == table.T).all()
    json.dumps(to_json(scores.record), allow_nan=False)


def test_intervals_and_tests_draw_events(toy_test, fake_judges):
    """Of two directions that fare alike the second is no evidence: the interval is that of one."""
    half = ScoredSystem("half", right_about(toy_test, lambda item: item.event in ("a0", "a1")))
    to_gio = replace(toy_test, items=toy_test.items[:4])
    half_to_gio = replace(half, headlines=half.headlines[:4])

    both = scored(toy_test, fake_judges, half, resamples=2000)
    one = scored(to_gio, fake_judges, half_to_gio, resamples=2000)

    for scores in (both, one):
        assert scores.row("half").values["compliancy"] == 0.5
        assert scores.row("half").intervals["compliancy"] == (0, 1)
    place = both.systems.index("half"), both.systems.index("copy")
    # Two events differ, both alike: two of the four signs that they may have are as far from 0.
    assert both.p_values["compliancy"][place] == pytest.approx(0.5, abs=0.05)
    assert both.items["half"]["event"].to_list() == toy_test.events.tolist()


def test_several_runs_are_a_mean_with_intervals_over_runs_and_events(toy_test, fake_judges):
    """Run 1 writes gold, run 2 gold of the first three and the last item, run 3 copies all but the first."""
    gold = [item.reference for item in toy_test.items]
    copy = [item.source for item in toy_test.items]
    runs = [
        ScoredSystem("mine.1", tuple(gold), run_of="mine", candidates=4),
        ScoredSystem("mine.2", tuple(gold[:3] + copy[3:7] + gold[7:]), run_of="mine", candidates=2),
        ScoredSystem("mine.3", ("", *copy[1:]), run_of="mine", candidates=3),
    ]

    scores = scored(toy_test, fake_judges, *runs, resamples=2000)

    assert "mine" not in scores.systems
    baselines = ["clause", "gold", "lead", "copy", "random-target"]
    assert scores.names == ["mine.1", "mine", "mine.2", "mine.3", *baselines]
    mean = scores.row("mine")
    of_each = [scores.row(run.name) for run in runs]
    for name in ("compliancy", "hh", "rougeL", "bleu"):
        assert mean.values[name] == pytest.approx(np.mean([row.values[name] for row in of_each]))
    assert (mean.n, mean.events, mean.runs, mean.errors, mean.candidates) == (8, 4, 3, 1, 3)
    assert "|events:4|runs:3|" in mean.signature
    assert "runs" not in of_each[0].signature
    assert of_each[0].intervals["compliancy"] == (pytest.approx(0.025 ** (1 / 4)), 1)
    assert mean.intervals["compliancy"] == (0, 1)  # two of three runs are drawn
    assert scores.record.systems["mine"]["average"].runs == 3
    assert set(scores.record.p_values["compliancy"]) == set(scores.systems)


def test_of_several_partners_an_article_keeps_the_most_similar(tmp_path):
    folder = write_toy_corpus(tmp_path / "corpus")
    file = folder / "pairs" / "test.parquet"
    one, two = pl.read_parquet(file).head(2).to_dicts()

    def joined(a, b, similarity):
        return {**a, **{name: b[name] for name in b if name.startswith("b_")}, "similarity": similarity}

    rows = [joined(one, one, 0.85), joined(two, two, 0.85), joined(one, two, 0.9), joined(two, one, 0.8)]
    pl.DataFrame(rows).write_parquet(file)
    assert {item.id: item.reference for item in read_test_set(str(folder)).items if item.reference} == {
        "a0": two["b_headline"],
        "a1": two["b_headline"],
        "b0": one["a_headline"],
        "b1": one["a_headline"],
    }


def test_systems_are_seeded_and_lead_has_the_target_s_length(toy_test):
    """The median of gio's training headlines is two words."""
    systems = built_in_systems(toy_test, seed=1)
    again = built_in_systems(toy_test, seed=1)
    other_seed = built_in_systems(toy_test, seed=2)

    assert again == systems
    pairs = zip(systems, other_seed, strict=True)
    assert [one.name for one, other in pairs if one.headlines != other.headlines] == ["random-target"]
    headlines = {system.name: system.headlines for system in systems}
    assert headlines["lead"][0] == "Crolla il"
    assert set(headlines["random-target"][:4]) <= set(toy_test.training_headlines["gio"])


def test_both_ends_of_an_interval_are_those_of_the_exact_one(toy_test, fake_judges):
    """Of 40 events ten are right in both directions.

    A percentile bootstrap is then near the binomial's quantiles.
    """
    test = larger(toy_test, 10)
    some = ScoredSystem("some", right_about(test, lambda item: item.event.startswith("a0-")))

    row = scored(test, fake_judges, some, resamples=4000).row("some")

    right = binom(40, 0.25)
    exact = (right.ppf(0.025) / 40, right.ppf(0.975) / 40)
    assert row.values["compliancy"] == 0.25
    assert row.intervals["compliancy"] == pytest.approx(exact, abs=0.03)
    low, high = row.intervals["style"]
    assert low < row.values["style"] < high


def test_of_one_headline_style_has_no_interval(toy_test, fake_judges):
    one = replace(toy_test, items=toy_test.items[:1])
    row = scored(one, fake_judges).row("gold")
    assert row.values["style"] == pytest.approx(1)
    assert "style" not in row.intervals
    assert row.intervals["compliancy"] == (pytest.approx(0.025), 1)


def test_a_row_that_is_not_there_is_named(scores):
    with pytest.raises(InputError, match="there is no row of nope in average: choose one of clause, gold"):
        scores.row("nope")


def test_a_reversal_that_is_none_is_refused_before_a_judge_is_asked(toy_test, fake_judges):
    with pytest.raises(InputError, match="reversal 'foo' is unknown: choose relative or target"):
        scored(toy_test, fake_judges, reversal="foo")
    assert not fake_judges.main.asked
