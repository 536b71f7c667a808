"""Differences between systems on the same items."""

from dataclasses import replace

import numpy as np
import pytest
from scoring_fakes import FakeJudges, larger, scored, toy_test_set

from change_it.audit.record import NO_AUDIT, Summary
from change_it.audit.verdict import MeasureVerdict
from change_it.errors import InputError
from change_it.report import score_tables
from change_it.report.ranking import Ranking
from change_it.report.score_tables import (
    best_columns,
    differences_alone,
    differences_lines,
    differences_table,
    for_programs,
    paper_table,
)
from change_it.scoring.comparison import differences, least_p
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
    test = larger(toy_test_set(), 15)
    half = system_of(test, "half", lambda number: number % 2 == 0)
    more = system_of(test, "more", lambda number: number % 2 == 0 or number % 3 == 0)
    return scored(test, FakeJudges(), half, more, resamples=400)


@pytest.fixture(scope="module")
def of_few():
    """Eight events: `half` is right about four of them."""
    test = larger(toy_test_set(), 2)
    half = system_of(test, "half", lambda number: number == 0)
    return scored(test, FakeJudges(), half, resamples=2000)


def ranking(unwritten=(), **verdicts):
    """The verdict on each measure: `ranks` unless another one is given."""
    by_measure = {"style": "ranks", "acceptability": "ranks", "compliancy": "ranks", **verdicts}
    found = {
        name: MeasureVerdict(verdict, f"of {name}: {verdict}", {}, ()) for name, verdict in by_measure.items()
    }
    return Ranking(Summary((), found), dict.fromkeys(unwritten, "fluency refuses more of it"))


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
    shown = differences_table(scores, "gold", Ranking(NO_AUDIT, {}))
    assert all(row.values["system"].endswith(" − gold") for row in shown.rows)


def test_a_name_that_no_system_has_is_refused(compared):
    with pytest.raises(InputError, match=r"--against mine is no system of the table: give one of .*half"):
        differences(compared, "mine")


def test_the_best_is_that_of_files_in_what_can_rank(compared):
    assert best_columns(compared, ["compliancy"]) == {"more": {"compliancy"}, "half": set()}
    assert best_columns(compared, []) == {"more": set(), "half": set()}
    names = [row.values["system"] for row in paper_table({"pairs": compared}, ranking()).rows]
    assert names == compared.names
    both = paper_table({"all articles": compared, "pairs": compared}, ranking())
    assert both.columns[0].name == "group"
    assert np.unique([row.values["group"] for row in both.rows]).tolist() == ["all articles", "pairs"]


def test_a_single_system_is_the_best_of_nothing(toy_test, fake_judges):
    alone = ScoredSystem("mine", tuple(item.reference for item in toy_test.items))
    assert best_columns(scored(toy_test, fake_judges, alone)) == {"mine": set()}


def test_a_difference_in_what_cannot_rank_is_grey_and_a_note_says_why(compared):
    found = ranking(compliancy="not known", style="cannot rank")
    table = differences_table(compared, "half", found)
    for row in table.rows:
        for name in ("compliancy", "compliancy_interval", "compliancy_p"):
            assert row.grey[name] == "of compliancy: not known"
        assert row.grey["style_p"] == "of style: cannot rank"
        assert row.values["compliancy_p"] is not None  # the figure is still there
        assert row.values["verdict"] == "compliancy: not known; style: cannot rank"
    assert table.notes[0] == (
        "Compare no systems by compliancy: it is not known to rank them here. "
        "Compare no systems by style: it cannot rank them here."
    )
    assert differences_lines(compared, "half", found).notes == table.notes
    of_tests = score_tables.tests_table(compared, "compliancy", found)
    assert of_tests.notes == ["Compare no systems by compliancy: it is not known to rank them here."]
    assert all(row.grey.keys() == set(compared.systems) - {row.values[""]} for row in of_tests.rows)


def test_a_difference_in_what_can_rank_is_not_grey(compared):
    table = differences_table(compared, "half", ranking())
    assert not any(row.grey for row in table.rows)
    assert len(table.notes) == 1
    assert table.notes[0].startswith("Intervals of 95%")
    assert not any(row.grey for row in score_tables.tests_table(compared, "compliancy", ranking()).rows)


def test_a_system_that_writes_no_sentences_is_grey_on_either_side(compared):
    found = ranking(unwritten=["more"], compliancy="ranks sentences")
    rows = {row.values["system"]: row for row in differences_table(compared, "half", found).rows}
    assert rows["more − half"].grey.keys() == {"compliancy", "compliancy_interval", "compliancy_p"}
    assert rows["more − half"].values["verdict"] == "compliancy: refused by fluency; style: ranks"
    assert not rows["gold − half"].grey
    turned = differences_table(compared, "more", found)
    assert all("compliancy" in row.grey for row in turned.rows)
    assert turned.notes[0] == (
        "Compare no compliancy of more: the judge fluency refuses it more often than gold."
    )


def test_a_table_for_a_paper_says_the_same(compared):
    table = paper_table({"pairs": compared}, ranking(compliancy="not known"))
    assert all(row.grey == {"compliancy": "of compliancy: not known"} for row in table.rows)
    assert all("compliancy" not in row.best for row in table.rows)
    assert table.notes == ["Compare no systems by compliancy: it is not known to rank them here."]
    assert table.signatures == [compared.signature]
    row = next(iter(for_programs(table).rows))
    assert row.values["verdict"] == "compliancy: not known; style: ranks"
    assert [column.name for column in for_programs(table).columns][-2:] == ["verdict", "signature"]


def test_differences_say_of_how_many_headlines_they_are(compared, of_few):
    table = differences_alone(of_few, "half", ranking())
    assert [column.name for column in table.columns][-2:] == ["n", "events"]
    assert {(row.values["n"], row.values["events"]) for row in table.rows} == {(16, 8)}
    assert differences_table(of_few, "half", ranking()).title == (
        "Differences from half, 16 headlines of 8 events"
    )
    assert score_tables.tests_are_of(compared) == "120 headlines of 60 events, 2,100 trials"
    assert len(of_few.systems) == 6  # 15 pairs: Holm makes at least 15 / 128 of 2 / 256
    assert score_tables.tests_are_of(of_few) == (
        "16 headlines of 8 events, 2,000 trials. With so few events no p can be below about .1"
    )


def test_the_least_p_is_that_of_the_paired_test(of_few):
    """Gold and a copy differ in all eight events: of 256 ways to swap, two are as extreme."""
    places = [of_few.systems.index(name) for name in ("gold", "copy")]
    raw = of_few.p_values["compliancy"][*places]
    assert raw == pytest.approx(2 / 256, abs=0.004)
    assert least_p(1, 8) == 2 / 256
    assert least_p(3, 8) == 6 / 256
    assert least_p(200, 8) == 1


def test_where_interval_and_test_disagree_few_events_prove_nothing(of_few):
    """Half of eight events differ: the interval excludes 0, and no p of four differing events is small."""
    found = difference_of(of_few, "half", "gold")
    assert found.interval[1] < 0
    assert found.p > 0.05
    assert found.is_contradictory
    notes = differences_table(of_few, "gold", ranking()).notes
    assert notes[0].startswith("Interval and test disagree in compliancy (half")
    # five comparisons: Holm makes 5 / 128 of 2 / 256
    assert notes[0].endswith(": with 8 events believe neither. After Holm no p here can be below about .04.")


def test_where_interval_and_test_disagree_on_many_events_both_count(compared):
    assert not difference_of(compared, "more", "half").is_contradictory
    unsure = {name: np.full_like(table, 0.2) for name, table in compared.p_values.items()}
    notes = differences_table(replace(compared, p_values=unsure), "half", ranking()).notes
    others = len(compared.systems) - 1
    assert notes[0].startswith("Interval and test disagree in compliancy (more, ")
    assert notes[0].endswith(
        f": count only what both find, for p alone is corrected for {others} comparisons."
    )
