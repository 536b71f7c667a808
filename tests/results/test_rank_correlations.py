"""BLEU, ROUGE and the judges' probabilities, headline by headline."""

import numpy as np
import pytest
import scoring_fakes
from scipy import stats
from scoring_fakes import FakeJudges, toy_test_set

from change_it.results.rank_correlations import EVERY, rank_correlations
from change_it.results.report_files import report_record
from change_it.results.score_tables import overlap_table
from change_it.scoring.scores import score
from change_it.scoring.systems import ScoredSystem, built_in_systems


@pytest.fixture
def scores(monkeypatch):
    events = tuple(f"Evento {word} numero {n}" for n, word in enumerate("abcdefghi"))
    monkeypatch.setattr(scoring_fakes, "EVENTS", events)
    test = toy_test_set()
    noise = np.random.default_rng(1)
    judges = FakeJudges()
    for judge in judges.by_task.values():
        judge.rule = lambda *_: noise.random()
    cut = ScoredSystem(
        "cut", tuple(" ".join(item.source.split()[: 1 + n % 4]) for n, item in enumerate(test.items))
    )
    failed = ScoredSystem("failed", ("", *(item.reference for item in test.items[1:])))
    return score(test, judges, [*built_in_systems(test), cut, failed], resamples=2, progress=False)


def test_they_are_spearmans_of_the_items(scores):
    found = rank_correlations(scores)
    assert list(found) == [EVERY, *(name for name in scores.systems if name in ("cut", "failed"))]
    items = scores.items["cut"]
    i, j = (found["cut"].metrics.index(name) for name in ("P(HH)", "ROUGE-L source"))
    wanted = stats.spearmanr(items["p_hh"], items["rougeL_source"]).statistic
    assert found["cut"].spearman[i][j] == pytest.approx(wanted)
    assert [found[name].n for name in ("cut", "failed", EVERY)] == [18, 17, 35]


def test_the_table_and_the_json_have_them(scores):
    record = report_record(scores)["overlap_agreement"]
    rows = overlap_table(rank_correlations(scores)).rows
    assert {row.group for row in rows} == set(record)
    row = next(row.values for row in rows if (row.group, row.values["metric"]) == ("cut", "ROUGE-L"))
    assert row["P(HH)"] == record["cut"]["spearman"]["ROUGE-L"]["P(HH)"]
    assert row["n"] == record["cut"]["n"] == 18


def test_few_headlines_are_not_correlated():
    test = toy_test_set()
    assert (
        rank_correlations(score(test, FakeJudges(), built_in_systems(test), resamples=2, progress=False))
        == {}
    )
