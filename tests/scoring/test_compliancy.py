import numpy as np

from change_it.scoring import compliancy
from change_it.stats import estimate


def two(*ones):
    one = np.array(ones)
    return np.column_stack([1 - one, one])


def hand_case(reversal):
    """Six items; outlets A = 0, B = 1; the last two go from B to A."""
    return compliancy.verdicts(
        hh=two(0.9, 0.9, 0.4, 0.9, 0.9, 0.9),
        ah=two(0.8, 0.8, 0.8, 0.2, 0.8, 0.8),
        main=two(0.7, 0.7, 0.7, 0.7, 0.3, 0.6),
        main_source=two(0.2, 0.9, 0.2, 0.2, 0.8, 0.1),
        target=[1, 1, 1, 1, 0, 0],
        reversal=reversal,
    )


def test_relative_reversal_compares_with_the_decision_on_the_original():
    items = hand_case("relative")
    assert items["main"].tolist() == [True, False, True, True, True, True]
    assert items["compliancy"].tolist() == [True, False, False, False, True, True]


def test_target_reversal_ignores_the_original():
    items = hand_case("target")
    assert items["main"].tolist() == [True, True, True, True, True, False]
    assert items["compliancy"].tolist() == [True, True, False, False, True, False]


def values(directions):
    columns = compliancy.statistics(hand_case("relative"))
    found = estimate(columns, compliancy.aggregate, directions)
    return {measure: ends.tolist() for measure, ends in found.items()}


def test_average_is_the_mean_of_the_directions_not_of_the_items():
    assert values(["rep2gio"] * 4 + ["gio2rep"] * 2) == {
        "compliancy": [0.25, 1.0, 0.625],  # pooled it would be 3/6
        "hh": [0.75, 1.0, 0.875],
        "ah": [0.75, 1.0, 0.875],
        "main": [0.75, 1.0, 0.875],
    }


def test_a_tie_goes_to_class_0():
    assert compliancy.decide(two(0.5)).tolist() == [0]
    half = two(0.5)
    assert not compliancy.verdicts(half, half, two(0.9), two(0.1), [1])["hh"].any()
