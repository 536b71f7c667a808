"""Whether a measure can rank systems, by what it makes of headlines that nobody should write."""

import json

import pytest

from change_it.audit.verdict import Kind, KindShare, MeasureVerdict, verdict_of
from change_it.files.records import from_json, to_json

LEAD = Kind("lead", ("not written for this",), "the article's first words", plural=True)
COPY = Kind("copy", ("not written for this", "unchanged style"), "the unchanged original")
SHUFFLED = Kind("shuffled", ("no sentence",), "gold's words in random order", plural=True)
NUMBER = Kind("number mistaken", ("wrong content",), "a number replaced by another one of the article")
CAPITALS = Kind("capitals", ("unchanged style",), "the original in capitals")
KINDS = (LEAD, COPY, SHUFFLED, NUMBER, CAPITALS)

STOPPED = KindShare(0.05, 0.01, 0.10, 100, 90)
SEEN = KindShare(0.40, 0.30, 0.50, 100, 90)
MISSED = KindShare(0.95, 0.90, 1.00, 100, 90)
UNDECIDED = KindShare(0.60, 0.40, 0.80, 100, 90)


def verdict(measure="acceptability", pairs=100, **shares):
    """Decide with every kind seen but the given ones."""
    kept = {kind.name: SEEN for kind in KINDS}
    kept.update({name.replace("_", " "): share for name, share in shares.items()})
    return verdict_of(measure, KINDS, kept, pairs=pairs)


def test_a_measure_that_sees_all_ranks():
    found = verdict()
    assert found.verdict == "ranks"
    assert found.sentence == "can rank systems here"
    assert found.can_rank


def test_a_missed_kind_that_is_not_written_for_this_forbids_ranking():
    found = verdict(lead=MISSED, shuffled=MISSED)
    assert found.verdict == "cannot rank"
    assert found.sentence == "cannot rank systems here: the article's first words keep .95 of gold"
    assert not found.can_rank


def test_a_missed_kind_that_is_no_sentence_leaves_sentences():
    found = verdict(shuffled=MISSED)
    assert found.verdict == "ranks sentences"
    assert (
        "only systems that write sentences: gold's words in random order keep .95 of gold" in found.sentence
    )


def test_an_undecided_kind_says_how_many_pairs_would_do():
    # The upper end is .2 above .6 and has to come down to .75, .15 above: (.2 / .15) squared of 90.
    found = verdict(lead=UNDECIDED, pairs=90)
    assert found.verdict == "not known"
    assert (
        "90 test pairs are too few, about 160 would do (undecided: the article's first words)"
        in found.sentence
    )


def test_beyond_ten_times_the_pairs_no_number_is_named():
    # The upper end is .5 above .6: (.5 / .15) squared is eleven times the pairs.
    wide = KindShare(0.6, 0.1, 1.1, 200, 150)
    found = verdict(lead=wide, pairs=90)
    assert "90 test pairs are too few, more than ten times as many may be needed (undecided" in found.sentence
    assert "900" not in found.sentence
    assert found.pairs_needed is None


def test_a_kind_of_few_events_is_not_known():
    few = KindShare(0.1, 0.0, 0.2, 10, 10)
    found = verdict(lead=few, pairs=30)
    assert found.verdict == "not known"
    assert "30 test pairs are too few, about 60 would do" in found.sentence


def test_a_missed_kind_decides_though_another_is_not_known():
    found = verdict(lead=UNDECIDED, shuffled=MISSED)
    assert found.verdict == "ranks sentences"
    assert "not known of the article's first words" in found.sentence


def test_missed_wrong_content_is_named_and_decides_nothing():
    found = verdict(number_mistaken=MISSED)
    assert found.verdict == "ranks"
    assert found.misses == ("number mistaken",)
    assert found.sentence == (
        "can rank systems here; misses 1 of 1 kinds of wrong content, "
        "e.g. a number replaced by another one of the article (keeps .95)"
    )


@pytest.mark.parametrize(
    ("measure", "names"),
    [
        ("acceptability", {"lead", "shuffled", "number mistaken"}),
        ("style", {"lead", "copy", "capitals"}),
        ("compliancy", {"lead", "copy", "shuffled", "number mistaken", "capitals"}),
    ],
)
def test_each_measure_has_its_business(measure, names):
    assert set(verdict(measure).kinds) == names


def test_a_measure_that_is_not_available_cannot_rank():
    absent = KindShare(None, None, None, 100, 90)
    found = verdict_of("style", KINDS, {kind.name: absent for kind in KINDS}, pairs=100)
    assert found.verdict == "cannot rank"
    assert "n/a" in found.sentence


@pytest.mark.parametrize(
    ("low", "high", "events", "outcome"),
    [
        (0.0, 0.25, 20, "stops"),
        (0.0, 0.26, 20, "sees"),
        (0.0, 0.75, 20, "sees"),
        (0.0, 0.76, 20, "not known"),
        (0.75, 1.0, 20, "not known"),
        (0.76, 1.0, 20, "misses"),
        (0.76, 1.0, 19, "not known"),
    ],
)
def test_outcomes_at_their_bounds(low, high, events, outcome):
    assert KindShare((low + high) / 2, low, high, events, events).outcome == outcome


def test_a_verdict_survives_its_file():
    found = verdict(lead=UNDECIDED, number_mistaken=MISSED, copy=STOPPED)
    record = json.loads(json.dumps(to_json(found)))
    assert record["kinds"]["number mistaken"]["outcome"] == "misses"
    assert from_json(MeasureVerdict, record) == found


def test_a_sentence_names_three_undecided_kinds_and_counts_the_others():
    kinds = [Kind(f"salad {number}", ("no sentence",), f"salad {number}") for number in range(5)]
    kept = {kind.name: UNDECIDED for kind in kinds}
    found = verdict_of("compliancy", kinds, kept, pairs=90)
    assert found.sentence.endswith("(undecided: salad 0, salad 1, salad 2 and 2 more)")
