import numpy as np
import pytest
from corpus_fakes import random_texts

from change_it.corpus.pairing import matching
from change_it.corpus.pairing.matching import (
    EDGES,
    UNDATED,
    Lag,
    Likeness,
    Pairs,
    align,
    lowest_strict,
    nearest_wrong,
    one_to_one,
    pairs_by_lag,
    share_of_one_event,
)
from change_it.corpus.pairing.vectors import tfidf

N = 90
A, B = np.arange(N), np.arange(N, 2 * N)


@pytest.fixture(params=[500, 20], ids=["one block", "many blocks"])
def corpus(request, monkeypatch):
    """Vectors and days of two outlets; some undated, some texts repeated so that similarities tie."""
    monkeypatch.setattr(matching, "ROWS_A_BLOCK", request.param)
    monkeypatch.setattr(matching, "COLUMNS_A_BLOCK", request.param)
    texts = random_texts(2 * N, seed=3)
    texts[5] = texts[9] = texts[N + 7] = texts[N + 30] = texts[2]
    texts[N + 11] = ""
    random = np.random.default_rng(4)
    days = random.integers(736000, 736040, size=2 * N)
    days[random.choice(2 * N, size=20, replace=False)] = UNDATED
    return tfidf(texts), days


def brute_force(corpus, window, floor, sides=(A, B)):
    vectors, days = corpus
    cosines = np.minimum((vectors @ vectors.T).toarray().round(9), 1.0)
    expected = []
    for a in sides[0].tolist():
        for b in sides[1].tolist():
            dated = days[a] != UNDATED and days[b] != UNDATED
            near = window is None or (dated and abs(days[a] - days[b]) <= window)
            if near and cosines[a, b] > floor:
                expected.append((-cosines[a, b], a, b))
    return sorted(expected)


@pytest.mark.parametrize(("window", "floor"), [(None, 0.3), (0, 0.02), (3, 0.02)])
def test_align_is_the_masked_product(corpus, window, floor):
    pairs = align(*corpus, (A, B), window_days=window, floor=floor)
    expected = brute_force(corpus, window, floor)
    aligned = list(zip(pairs.a_index.tolist(), pairs.b_index.tolist(), strict=True))
    assert aligned == [(a, b) for _, a, b in expected]
    np.testing.assert_allclose(pairs.similarity, [-minus for minus, _, _ in expected], atol=1e-9)
    above = [-minus for minus, _, _ in brute_force(corpus, window, 0.05)]
    assert pairs.counts.sum() == len(above)
    assert pairs.counts[100:].sum() == sum(similarity > EDGES[100] for similarity in above)


def test_one_to_one_is_greedy_from_the_top(corpus):
    pairs = align(*corpus, (A, B), window_days=3, floor=0.1)
    free_a, free_b, expected = {*A.tolist()}, {*B.tolist()}, []
    for minus, a, b in brute_force(corpus, 3, 0.1):
        if a in free_a and b in free_b:
            free_a.remove(a)
            free_b.remove(b)
            expected.append((a, b, -minus))
    kept = one_to_one(pairs)
    assert list(zip(kept.a_index.tolist(), kept.b_index.tolist(), strict=True)) == [
        (a, b) for a, b, _ in expected
    ]
    assert len(kept) < len(pairs)


def allowed_columns(day, days, candidates, window, at_least):
    """Candidates in the window, or the nearest in time (the earlier day among equals), or all of them."""
    dated = [j for j in candidates if days[j] != UNDATED]
    if window is None or day == UNDATED or len(dated) < at_least:
        return set(candidates)
    near = [j for j in dated if abs(days[j] - day) <= window]
    # The interval rule: among days equally far, the earlier; on one day, the last of the earlier days, the
    # first of the later.
    dated.sort(key=lambda j: (abs(days[j] - day), days[j] > day, -j if days[j] <= day else j))
    return set(near) if len(near) >= at_least else set(dated[:at_least])


@pytest.mark.parametrize(
    ("window", "at_least", "own", "floor", "apart"),
    [
        (None, 5, True, 0, 0),
        (3, 1, False, 0, 0),
        (1, 8, True, 0, 0),
        (3, 60, False, 0, 0),
        (3, 25, False, 0.3, 7),
    ],
)
def test_nearest_wrong_is_the_best_allowed_row(corpus, window, at_least, own, floor, apart):
    vectors, days = corpus
    y = A if own else B
    random = np.random.default_rng(5)
    # Days that are all different leave no choice at the edges of a widened window.
    days[y] = np.where(days[y] == UNDATED, UNDATED, 736000 + 3 * random.permutation(N))
    groups, clusters = np.tile(random.integers(0, 2, size=N), 2), np.tile(A // 2, 2)
    index = nearest_wrong(
        *(vectors, days, groups, clusters, (A, y)),
        window_days=window,
        likeness=Likeness(0.6, floor, apart),
        at_least=at_least,
    )
    cosines = (vectors @ vectors.T).toarray()
    for i in range(N):
        group = [j for j in y.tolist() if groups[j] == groups[i]]
        columns = allowed_columns(days[i], days, group, window, at_least)
        columns = [j for j in columns if abs(days[i] - days[j]) >= apart]
        fit = [cosines[i, j] for j in columns if clusters[j] != clusters[i] and floor < cosines[i, j] < 0.6]
        if not fit:
            assert index[i] == -1
            continue
        assert index[i] in columns
        assert clusters[index[i]] != clusters[i]
        assert cosines[i, index[i]] == pytest.approx(max(fit), abs=1e-9)


def test_the_share_of_one_event_by_hand():
    """Article 0 has its best partner on another day; of 3 pairs matched on the same day alone 7/5 are
    expected by chance.
    """
    days = np.array([10, 10, 10, 13, 10, 10, 13, UNDATED])
    first, second = np.array([0, 0, 1, 2, 3, 1]), np.array([6, 4, 5, 4, 6, 6])
    pairs = Pairs(first, second, np.array([0.9, 0.85, 0.8, 0.7, 0.4, 0.1]), np.zeros(0))
    lags = pairs_by_lag(pairs, one_to_one(pairs), days, (np.arange(4), np.arange(4, 8)))
    assert [lag.compared for lag in lags] == [3 * 2 + 1, 0, 0, 3 + 2]
    assert [lag.matched.tolist() for lag in lags] == [[0.8, 0.7], [], [], [0.9]]
    assert [lag.alone.tolist() for lag in lags] == [[0.85, 0.8, 0.4], [], [], [0.9]]
    assert share_of_one_event(lags, 0, 0.3) == pytest.approx(1 - 1 / 5 * 7 / 3)
    assert share_of_one_event(lags, 0, 0.5) == pytest.approx(1 - 1 / 5 * 7 / 2)
    assert share_of_one_event(lags, 0, 0.3, 0.82) == 1.0  # none of these three days apart
    assert np.isnan(share_of_one_event(lags, 1, 0.3))
    assert share_of_one_event(lags, 3, 0.3) == 0.0
    lags[1] = Lag(1, compared=4, matched=np.zeros(0), alone=np.array([0.6, 0.5]))
    assert share_of_one_event(lags, 1, 0.3) == pytest.approx(1 - 1 / 5 * 4 / 2)


def test_the_lowest_threshold_of_pairs_that_are_one_event():
    """Above .6 none three days apart, from .3 to .6 as many for each comparison as on the same day."""
    same, later = np.linspace(0.9, 0.3, 61), np.linspace(0.595, 0.3, 30)
    none = np.zeros(0)
    lags = [Lag(days, 100, none, alone) for days, alone in enumerate((same, none, none, later))]
    lowest = lowest_strict(lags, 0, 0.185)
    shares = [share_of_one_event(lags, 0, edge) for edge in (lowest, lowest - 0.01)]
    assert shares[0] >= 0.9 > shares[1]
    assert lowest_strict(lags, 2, 0.185) == lowest
    assert lowest_strict(lags, None, 0.185) is None
    assert lowest_strict([*lags[:3], Lag(3, 100, none, none)], 0, 0.185) is None  # nothing to compare with
    few = Lag(0, 100, none, same[:10])
    assert lowest_strict([few, *lags[1:]], 0, 0.185) is None
