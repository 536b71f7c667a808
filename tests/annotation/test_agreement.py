"""Krippendorff's alpha against a case computed by hand and against values of the package `krippendorff`."""

import numpy as np
import pytest

from change_it.annotation.agreement import alpha, coincidences

N = None
#: Krippendorff's own example (Computing Krippendorff's alpha-reliability, 2011, section C): 4 observers, 12 units.
OBSERVERS = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3),
    (N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N),
)


def of(ratings, values, level):
    return float(
        alpha({name: column.sum() for name, column in coincidences(ratings, values).items()}, values, level)
    )


def test_the_published_example():
    ratings = list(zip(*OBSERVERS, strict=True))
    assert of(ratings, range(1, 6), "nominal") == pytest.approx(0.743, abs=5e-4)
    assert of(ratings, range(1, 6), "ordinal") == pytest.approx(0.815, abs=5e-4)


def test_by_hand():
    """Three raters, three items, one rating missing."""
    ratings = [(1, 1, 2), (2, 2, 2), (1, N, 2)]
    # item 1: 1-1 2/2 = 1, 1-2 2/2 = 1, 2-1 1; item 2: 2-2 6/2 = 3; item 3: 1-2 1, 2-1 1
    # o11 = 1, o12 = o21 = 2, o22 = 3; n1 = 3, n2 = 5, n = 8
    assert of(ratings, (1, 2), "nominal") == pytest.approx(1 - 7 * 4 / (2 * 3 * 5))


def drawn(seed, values, raters, items):
    """Ratings that agree half of the time, a fifth of them missing."""
    draw = np.random.default_rng(seed)
    common = draw.integers(1, values + 1, items)
    given = np.where(
        draw.random((raters, items)) < 0.5, common, draw.integers(1, values + 1, (raters, items))
    )
    missing = draw.random((raters, items)) < 0.2
    return [
        tuple(None if lost else int(value) for value, lost in zip(column, gone, strict=True))
        for column, gone in zip(given.T, missing.T, strict=True)
    ]


@pytest.mark.parametrize(
    ("seed", "values", "raters", "items", "nominal", "ordinal"),
    [
        (1, 2, 3, 200, 0.20686043466876136, 0.20686043466876136),
        (2, 2, 5, 40, 0.1686655405405405, 0.1686655405405405),
        (3, 5, 3, 60, 0.16705202312138723, 0.16835408603229962),
        (4, 5, 2, 30, 0.20486815415821502, 0.3014799154334037),
        (5, 3, 4, 25, 0.17892800840777723, 0.26020255126526703),
    ],
)
def test_values_of_the_package_krippendorff(seed, values, raters, items, nominal, ordinal):
    """Written down from version 0.9.0, which is GPL and so no dependency of the tests."""
    ratings = drawn(seed, values, raters, items)
    assert of(ratings, range(1, values + 1), "nominal") == pytest.approx(nominal, abs=1e-12)
    assert of(ratings, range(1, values + 1), "ordinal") == pytest.approx(ordinal, abs=1e-12)


def test_perfect_agreement_is_one_and_a_single_value_is_not_defined():
    assert of([(1, 1), (2, 2)], (1, 2), "nominal") == 1
    assert np.isnan(of([(1, 1), (1, 1)], (1, 2), "nominal"))
    assert np.isnan(of([(1, N), (2, N)], (1, 2), "nominal"))
