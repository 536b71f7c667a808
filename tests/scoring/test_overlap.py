import numpy as np
import polars as pl
import pytest
from drawn import texts
from sacrebleu.metrics import BLEU
from scipy.stats import spearmanr

from change_it.readers.agreement import score_cells
from change_it.scoring import overlap
from change_it.text.rouge import rouge_l
from change_it.text.tokens import words


def reference_bleu(candidates, references):
    sides = [[" ".join(words(text)) for text in side] for side in (candidates, references)]
    return BLEU(tokenize="none", force=True).corpus_score(sides[0], [sides[1]]).score / 100


def measured(*sides):
    sums = {name: column.sum() for name, column in overlap.statistics(*sides).items()}
    return {name: float(value) for name, value in overlap.aggregate(sums).items()}


@pytest.mark.parametrize("seed", range(4))
def test_bleu_equals_sacrebleu(seed):
    count = 1 + seed * 8  # few headlines: orders without a match, where smoothing matters
    new, gold, source = (texts(count, seed * 3 + k) for k in range(3))
    values = measured(new, gold, source)
    assert values["bleu"] == pytest.approx(reference_bleu(new, gold), abs=1e-12)
    assert values["bleu_source"] == pytest.approx(reference_bleu(new, source), abs=1e-12)
    expected = rouge_l([*map(words, gold)], [*map(words, new)])[:, 2].mean()
    assert values["rougeL"] == pytest.approx(expected)


def test_many_samples_at_once_equal_one_by_one():
    per_item = overlap.statistics(texts(30, 1), texts(30, 2), texts(30, 3))
    weights = np.random.default_rng(1).integers(0, 3, (7, 30))
    together = overlap.aggregate({name: weights @ column for name, column in per_item.items()})
    for at, row in enumerate(weights):
        alone = overlap.aggregate({name: row @ column for name, column in per_item.items()})
        for name, values in together.items():
            assert values[at] == pytest.approx(float(alone[name]))


def test_bleu_wants_four_words_and_warns_of_nothing(caplog):
    assert measured(["Roma vince oggi"], ["Roma vince oggi"], ["Roma"])["bleu"] == 0
    assert measured(["Roma vince oggi ancora"], ["Roma vince oggi ancora"], ["Roma"])["bleu"] == 1
    assert not caplog.records


def test_spearman_is_that_of_scipy_with_an_interval_over_events():
    one, noise = np.random.default_rng(1).integers(0, 9, (2, 300))
    events_of_three = np.arange(300) // 3

    found = overlap.spearman(one, one + noise, events_of_three)

    assert found.value == pytest.approx(spearmanr(one, one + noise).statistic)
    assert found.value - 0.2 < found.low < found.value < found.high < found.value + 0.2


def test_spearman_with_a_constant_is_not_defined():
    found = overlap.spearman(np.arange(300), np.ones(300), np.arange(300))
    assert np.isnan(found.value)


def test_overlap_is_correlated_with_each_judge_by_its_name():
    """Sixty events with headlines of 1 to 10 of gold's ten words: hh likes many of them, ah few.

    Main answers all alike.
    """
    gold = [f"w{number}" for number in range(10)]
    shared = np.tile(np.arange(1, 11), 6)
    rows = pl.DataFrame(
        {
            "headline": [" ".join(gold[:number]) for number in shared],
            "gold": [" ".join(gold)] * 60,
            "source": ["x"] * 60,
            "event": range(60),
            "p_hh": 0.5 + shared / 50,
            "p_ah": 0.9 - shared**2 / 900,
            "p_target": [0.5] * 60,
        }
    )

    found = overlap.correlations(rows)

    assert list(found) == ["bleu", "rougeL"]
    for correlations in found.values():
        judges = score_cells(correlations)
        assert (judges["hh"], judges["ah"]) == pytest.approx((1, -1), abs=0.02)
        assert judges["main"] is None
