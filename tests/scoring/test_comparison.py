"""Differences between systems on the same items."""

import numpy as np
import pytest
from scoring_fakes import larger, scored

from change_it.errors import InputError
from change_it.report.score_tables import best_columns, differences_table, paper_table
from change_it.scoring.comparison import differences
from change_it.scoring.systems import ScoredSystem
from change_it.stats import holm


def system_of(test, name, is_right):
    """Return a system that writes gold where it is right about the number of the repetition, else copies."""
    texts = []
    for item in test.items:
        number = int(item.event.rpartition("-")[2])
        texts.append(item.reference if is_right(number) else item.source)
    return ScoredSystem(name, tuple(texts))


@pytest.fixture(scope="module")
def compared():
    """Score sixty events, which are fifteen repetitions of four; the fake judges accept gold, and no copy.

    `half` is right about every second repetition, `more` about these and every third one.
    """
    from scoring_fakes import FakeJudges, toy_test_set

    test = larger(toy_test_set(), 15)
    half = system_of(test, "half", lambda number: number % 2 == 0)
    more = system_of(test, "more", lambda number: number % 2 == 0 or number % 3 == 0)
    return scored(test, FakeJudges(), half, more, resamples=400)


def difference_of(scores, system, against, measure="compliancy"):
    [found] = [
        each for each in differences(scores, against) if (each.system, each.measure) == (system, measure)
    ]
    return found


def test_a_difference_is_paired_event_by_event(compared):
    """Unpaired, the interval of a difference would be wider than that of each system."""
    more, half = compared.row("more"), compared.row("half")

    found = difference_of(compared, "more", "half")
    turned = difference_of(compared, "half", "more")

    low, high = found.interval
    assert found.value == pytest.approx(more.values["compliancy"] - half.values["compliancy"])
    assert 0 < low < found.value < high
    widths = [np.ptp(row.intervals["compliancy"]) for row in (more, half)]
    assert high - low < 0.8 * min(widths)
    assert (turned.value, *turned.interval) == pytest.approx((-found.value, -high, -low))


def test_gold_has_all_and_a_copy_nothing(compared):
    gold = difference_of(compared, "gold", "copy")
    assert (gold.value, gold.interval) == (1, (1, 1))
    assert gold.is_least


def test_p_is_corrected_for_the_systems_that_are_compared(compared):
    others = [name for name in compared.systems if name != "half"]
    place = compared.systems.index("half")
    raw = [compared.p_values["compliancy"][compared.systems.index(name), place] for name in others]
    expected = dict(zip(others, holm(raw), strict=True))
    for name in others:
        assert difference_of(compared, name, "half").p == pytest.approx(expected[name])
    assert {each.system for each in differences(compared, "half")} == set(others)


def test_of_few_events_there_is_no_interval(toy_test, fake_judges):
    scores = scored(toy_test, fake_judges)
    assert {each.interval for each in differences(scores, "gold")} == {None}
    shown = differences_table(scores, "gold")
    assert all(row.values["system"].endswith(" − gold") for row in shown.rows)


def test_a_name_that_no_system_has_is_refused(compared):
    with pytest.raises(InputError, match=r"--against mine is no system of the table: give one of .*half"):
        differences(compared, "mine")


def test_the_best_is_that_of_files_in_what_can_rank(compared):
    assert best_columns(compared, ["compliancy"]) == {"more": {"compliancy"}, "half": set()}
    assert best_columns(compared, []) == {"more": set(), "half": set()}
    names = [row.values["system"] for row in paper_table({"pairs": compared}).rows]
    assert names == compared.names
    both = paper_table({"all articles": compared, "pairs": compared})
    assert both.columns[0].name == "group"
    assert np.unique([row.values["group"] for row in both.rows]).tolist() == ["all articles", "pairs"]


def test_a_single_system_is_the_best_of_nothing(toy_test, fake_judges):
    alone = ScoredSystem("mine", tuple(item.reference for item in toy_test.items))
    assert best_columns(scored(toy_test, fake_judges, alone)) == {"mine": set()}
