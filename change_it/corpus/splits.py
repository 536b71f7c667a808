"""Assign articles to A1, A2, A3 and R and to folds, and remove articles that would leak into training.

The unit of all of it is the *event*: articles linked by near-duplicate clusters and by kept pairs,
transitively. It is stored with articles and pairs, and intervals draw it. A training article that is *close*
to a test article (cosine above the strict threshold, inside the guard) leaves the corpus; one that is close
only to the leaving article stays.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from change_it.corpus.pairing.groups import NO_POSITIONS, components, rng_for
from change_it.corpus.pairing.vectors import near_duplicates, tfidf
from change_it.corpus.reading.article import Alignment
from change_it.errors import InputError
from change_it.files.texts import pluralise
from change_it.stats import Bools, Floats, Ints

#: Why an article leaves the corpus: its event has a test article.
NEAR_DUPLICATE = "near-duplicate of a test article"
#: Why it leaves: its cosine with a test article is above the strict threshold, inside the guard.
CLOSE = "close to a test article"
#: Why an article of a further outlet leaves, for either reason.
OTHER_OUTLET = "another outlet's article close to a test article"
#: In `Splits.alignment`: the article left the corpus.
REMOVED = ""
#: In the place of a split, where folds are dealt: a test article without a partner.
ALONE = "T"
#: An article in pairs of several splits gets the last of them in this order.
_WEAKEST_FIRST = ("R", "A3", "A1", "A2")
#: Test articles of an outlet up to which those without a partner are added.
WANTED_TEST_ARTICLES = 300
#: Share of an outlet's articles that its test articles without a partner are at most.
LARGEST_SHARE_ALONE = 0.1
#: Largest share of the strict pairs that are dealt to one side together, because their events are close.
LARGEST_SHARE_TOGETHER = 0.1

#: Positions of both articles of each pair.
Positions = tuple[Ints, Ints]


@dataclass(frozen=True, slots=True)
class Splits:
    """The split of every article and pair.

    Attributes:
        alignment: (articles,) `A1`, `A2`, `A3`, `R`, or `REMOVED`.
        event: (articles,) number of the event.
        fold: (articles,) 0 or 1, constant within an event.
        pairs: (kept pairs,) positions in the candidate pairs, best first.
        pair_alignment: (kept pairs,) `A1`, `A2` or `A3`.
        removed: position of each article that left the corpus, and why.
        dropped: number of pairs above the thresholds that would tie training to test or one fold to the
            other.
        others: (kept pairs of further outlets,) positions in those given.
        alone: (articles,) whether it is a test article without a partner; its alignment is `R`.
    """

    alignment: NDArray[np.str_]
    event: Ints
    fold: Ints
    pairs: Ints
    pair_alignment: NDArray[np.str_]
    removed: dict[int, str]
    dropped: int
    others: Ints
    alone: Bools


class _Dealt(NamedTuple):
    """Which pairs and articles are tested, before anything leaves the corpus.

    Attributes:
        top: (pairs,) pairs that are dealt to A1 and A2.
        next_best: (pairs,) pairs that make A3.
        tested: (articles,) articles of A2.
        in_test: (articles,) articles of an event that is tested.
    """

    top: Bools
    next_best: Bools
    tested: Bools
    in_test: Bools


def events_of(articles: Sequence[str], partners: Sequence[str]) -> Ints:
    """Number the events of n articles, (n,).

    An article, its partner and near-duplicates of both are one event.

    Args:
        articles: (n,) texts.
        partners: (n,) text of an article on the same event; empty where there is none.

    Examples:
        >>> articles = ["The bridge fell.", "A bridge is down.", "The rain goes on."]
        >>> events_of(articles, ["A bridge is down.", "", ""]).tolist()
        [0, 0, 1]
    """
    known_partners = [text for text in partners if text]
    distinct = dict.fromkeys([*articles, *known_partners])
    number_of_text = {text: number for number, text in enumerate(distinct)}
    a = []
    b = []
    for article, partner in zip(articles, partners, strict=True):
        if partner:
            a.append(number_of_text[article])
            b.append(number_of_text[partner])
    clusters = np.arange(len(distinct))
    # without any word there are no vectors
    with suppress(InputError):
        clusters = near_duplicates(tfidf(list(distinct), min_df=1))
    pairs_a = np.array(a, dtype=np.int64)
    pairs_b = np.array(b, dtype=np.int64)
    events = components(clusters, pairs_a, pairs_b)
    numbers = [number_of_text[text] for text in articles]
    return events[numbers]


def split(
    clusters: Ints,
    pairs: tuple[Ints, Ints, Floats],
    labels: Ints,
    *,
    strict: float,
    loose: float,
    seed: int,
    sizes: dict[str, int] | None = None,
    alignments: Sequence[Alignment | None] | None = None,
    close: Positions = (NO_POSITIONS, NO_POSITIONS),
    others: Positions = (NO_POSITIONS, NO_POSITIONS),
    test_articles: int | None = 0,
) -> Splits:
    """Split articles into training pairs (A1), test pairs (A2), weak pairs (A3) and the rest (R).

    They are also split into two folds. Pairs above the strict threshold are dealt evenly at random to A1 and
    A2, event by event; those between the thresholds make A3. Training articles that are close to a test
    article leave, unless the input gives the splits.

    Args:
        clusters: (articles,) numbers of the near-duplicate clusters.
        pairs: (pairs,) positions of the articles of A, (pairs,) of those of B, and (pairs,) cosines, best
            first.
        labels: (articles,) 0 for A, 1 for B, which balance the folds; further outlets, from 2 on, are never
            tested.
        strict: cosine above which pairs are dealt to A1 and A2.
        loose: cosine above which pairs make A3.
        seed: seed of all draws.
        sizes: numbers of pairs of A1, A2 and A3 by rank, in the place of the thresholds.
        alignments: (articles,) splits that the input gives; None of an article counts as R.
        close: positions of both articles of each pair with a cosine above the strict threshold, inside the
            guard; of any outlets.
        others: positions of both articles of each pair with a further outlet, which is kept where both stay.
        test_articles: number of articles of each outlet without a partner that are tested as well; with None
            `wanted_alone` chooses it.

    Raises:
        InputError: the pairs are too few, or of one event; or the input's splits have no A2.
    """
    a, b, similarity = pairs
    if alignments is None:
        alignment = np.full(len(clusters), "R", dtype="<U2")
        top, next_best = _ranked(similarity, strict, loose, sizes)
        dealt = _deal(clusters, (a, b), top, next_best, close, sizes, seed, strict)
        leaving_if_close = close
    else:
        alignment = _given_alignment(alignments)
        dealt = _dealt_by_input(clusters, alignment, len(a))
        leaving_if_close = (NO_POSITIONS, NO_POSITIONS)
    not_trained_on = dealt.in_test | _close_to(dealt.tested, leaving_if_close)
    is_free = ~not_trained_on[a] & ~not_trained_on[b]
    if alignments is None:
        pair_alignment = _alignment_of_pairs(dealt, is_free, dealt.in_test[a], sizes)
    else:
        pair_alignment = np.where(is_free, alignment[a], REMOVED)
        pair_alignment[dealt.tested[a] & dealt.tested[b]] = "A2"

    is_kept = pair_alignment != REMOVED
    # without R, which all articles had from the start
    for name in _WEAKEST_FIRST[1:]:
        is_of_split = pair_alignment == name
        alignment[a[is_of_split]] = name
        alignment[b[is_of_split]] = name
    leaving = np.flatnonzero(not_trained_on & ~dealt.tested)
    removed = _reasons_to_leave(leaving, labels, dealt.in_test)
    alignment[leaving] = REMOVED
    is_other_kept = ~not_trained_on[others[0]] & ~not_trained_on[others[1]]

    first = np.concatenate([a[is_kept], others[0][is_other_kept]])
    second = np.concatenate([b[is_kept], others[1][is_other_kept]])
    event = components(clusters, first, second)
    is_present = alignment != REMOVED
    wanted = wanted_alone(labels, dealt.tested, test_articles)
    paired = np.concatenate([first, second])
    rng = rng_for(seed, "test articles")
    alone = draw_alone(event, labels, is_present, paired, close, wanted, rng)
    leaving_too = np.flatnonzero(_close_to(alone, leaving_if_close) & is_present & ~alone)
    alignment[leaving_too] = REMOVED
    for row in leaving_too.tolist():
        removed[row] = OTHER_OUTLET if labels[row] > 1 else CLOSE
    kinds = np.where(alone, ALONE, alignment)
    # all further outlets count as one
    outlets = np.minimum(labels, 2)
    return Splits(
        alignment=alignment,
        event=event,
        fold=_folds(event, kinds, outlets, rng_for(seed, "folds")),
        pairs=np.flatnonzero(is_kept).astype(np.int64),
        pair_alignment=pair_alignment[is_kept],
        removed=removed,
        dropped=int((dealt.top | dealt.next_best).sum()) - int(is_kept.sum()),
        others=np.flatnonzero(is_other_kept).astype(np.int64),
        alone=alone,
    )


def _deal(
    clusters: Ints,
    pairs: Positions,
    top: Bools,
    next_best: Bools,
    close: Positions,
    sizes: dict[str, int] | None,
    seed: int,
    strict: float,
) -> _Dealt:
    """Deal the top pairs to A1 (training) and A2 (test), event by event.

    Events that are close to each other, in time and similarity, go together.

    Args:
        clusters: (articles,) numbers of the near-duplicate clusters.
        pairs: positions of both articles of each pair.
        top: (pairs,) whether the pair is dealt to A1 or A2.
        next_best: (pairs,) whether the pair makes A3.
        close: positions of both articles of each close pair.
        sizes: wanted numbers of pairs; None for even halves.
        seed: seed of what is dealt.
        strict: cosine above which the top pairs are, for the message.

    Returns:
        Which pairs are dealt; in `tested` the articles of test pairs, and in `in_test` these with all other
        articles of their events.
    """
    a = pairs[0][top]
    b = pairs[1][top]
    event = components(clusters, a, b)
    unit = _dealt_together(event, (a, b), close)
    tested_events = event[a][_deal_test(unit, sizes, seed, strict)]
    in_test = np.isin(event, tested_events)
    is_in_pair = np.isin(np.arange(len(clusters)), np.concatenate([a, b]))
    return _Dealt(top=top, next_best=next_best, tested=in_test & is_in_pair, in_test=in_test)


def _dealt_by_input(clusters: Ints, alignment: NDArray[np.str_], count: int) -> _Dealt:
    """Return which articles are tested where the input gives the splits; none of `count` pairs is dealt."""
    is_tested = alignment == "A2"
    in_test = np.isin(clusters, clusters[is_tested])
    # `next_best` holds all pairs, so that those that are not kept are counted as dropped
    return _Dealt(
        top=np.zeros(count, dtype=bool),
        next_best=np.ones(count, dtype=bool),
        tested=is_tested,
        in_test=in_test,
    )


def _reasons_to_leave(rows: Ints, labels: Ints, in_test: Bools) -> dict[int, str]:
    """Return why articles leave the corpus, by their positions.

    An article of a tested event that is in no test pair is a near-duplicate of one that is. Any other one is
    close, in time and similarity, to an article of the test set.

    Args:
        rows: positions of the articles that leave.
        labels: (articles,) 0 for A, 1 for B, from 2 on for further outlets.
        in_test: (articles,) whether its event is tested.
    """
    reasons = {}
    for row in rows.tolist():
        if labels[row] > 1:
            reasons[row] = OTHER_OUTLET
        elif in_test[row]:
            reasons[row] = NEAR_DUPLICATE
        else:
            reasons[row] = CLOSE
    return reasons


def _alignment_of_pairs(
    dealt: _Dealt, is_free: Bools, in_test: Bools, sizes: dict[str, int] | None
) -> NDArray[np.str_]:
    """Return the split of each pair, `REMOVED` for those that would tie training to test.

    With sizes, pairs of lower rank fill A3 up where better ones touch the test set.

    Args:
        dealt: which pairs are dealt, and which articles are tested.
        is_free: (pairs,) whether neither article touches the test set.
        in_test: (pairs,) whether the event of the pair is tested.
        sizes: wanted numbers of pairs; None where the thresholds decide.
    """
    cases = [dealt.top & is_free, dealt.top & in_test, dealt.next_best & is_free]
    pair_alignment = np.select(cases, ["A1", "A2", "A3"], REMOVED)
    if sizes is not None:
        missing = sizes["A3"] - int((pair_alignment == "A3").sum())
        lower = np.flatnonzero(is_free & ~dealt.next_best & ~dealt.top)
        pair_alignment[lower[:missing]] = "A3"
    return pair_alignment


def _close_to(which: Bools, close: Positions) -> Bools:
    """Mark the articles, (articles,), that are close to a marked one.

    Args:
        which: (articles,) whether it is marked.
        close: positions of both articles of each close pair.
    """
    first, second = close
    is_close = np.zeros(len(which), dtype=bool)
    is_close[second[which[first]]] = True
    is_close[first[which[second]]] = True
    return is_close


def wanted_alone(labels: Ints, tested: Bools, number: int | None) -> tuple[int, int]:
    """Return how many articles without a partner are tested of outlet A and of B.

    Without a number they are as many as bring each outlet to `WANTED_TEST_ARTICLES` test articles, at most a
    tenth of its articles. The articles of one outlet are the originals of one direction.
    """
    if number is not None:
        return number, number
    wanted = []
    for outlet in (0, 1):
        total = int((labels == outlet).sum())
        missing = WANTED_TEST_ARTICLES - int((tested & (labels == outlet)).sum())
        wanted.append(max(0, min(missing, int(total * LARGEST_SHARE_ALONE))))
    return wanted[0], wanted[1]


def draw_alone(
    event: Ints,
    labels: Ints,
    present: Bools,
    paired: Ints,
    close: tuple[Ints, Ints],
    wanted: tuple[int, int],
    rng: np.random.Generator,
) -> Bools:
    """Draw whole events without a partner for the test, up to the wanted numbers of articles of A and B.

    No article of such an event is in a pair, close to one that is, or of a further outlet. So no pair leaves
    the corpus for them.

    Args:
        event: (articles,) number of the event.
        labels: (articles,) 0 for A, 1 for B, from 2 on for further outlets.
        present: (articles,) whether it is in the corpus.
        paired: positions of the articles that are in a pair.
        close: positions of both articles of each pair with a cosine above the strict threshold, inside the
            guard.
        wanted: numbers of articles of A and of B, at most.
        rng: source of the draws.

    Returns:
        Whether each article is drawn, (articles,).

    Examples:
        >>> nothing = np.array([], dtype=np.int64)
        >>> event, labels = np.array([0, 0, 1, 2, 3]), np.array([0, 1, 0, 1, 0])
        >>> paired, rng = np.array([0, 1]), np.random.default_rng(1)
        >>> drawn = draw_alone(event, labels, event >= 0, paired, (nothing, nothing), (1, 5), rng)
        >>> drawn.sum(), bool(drawn[:2].any()), bool(drawn[3])
        (np.int64(2), False, True)
    """
    is_paired = np.zeros(len(event), dtype=bool)
    is_paired[paired] = True
    is_barred = is_paired | (labels > 1) | _close_to(is_paired, close)
    has_barred = np.zeros(int(event.max(initial=-1)) + 1, dtype=bool)
    has_barred[event[is_barred]] = True
    rows = np.flatnonzero(present & ~has_barred[event])
    # event to its numbers of articles of A and of B
    members = {number: [0, 0] for number in event[rows].tolist()}
    for row in rows.tolist():
        members[int(event[row])][labels[row]] += 1
    room_a, room_b = wanted
    drawn: list[int] = []
    numbers = np.array(sorted(members), dtype=np.int64)
    for number in rng.permutation(numbers).tolist():
        count_a, count_b = members[number]
        if count_a <= room_a and count_b <= room_b:
            room_a -= count_a
            room_b -= count_b
            drawn.append(number)
    alone = np.zeros(len(event), dtype=bool)
    alone[rows] = np.isin(event[rows], drawn)
    return alone


def _given_alignment(alignments: Sequence[Alignment | None]) -> NDArray[np.str_]:
    """Return the split of each article as the input gives it, `R` where it does not."""
    if "A2" not in alignments:
        mend = "drop the column so that pairs are found, or add A2"
        raise InputError(f"the alignment column names no A2 article: {mend}")
    return np.array([name or "R" for name in alignments], dtype="<U2")


def _ranked(
    similarity: Floats, strict: float, loose: float, sizes: dict[str, int] | None
) -> tuple[Bools, Bools]:
    """Mark the pairs that are dealt to A1 and A2, and those that make A3; pairs are sorted best first."""
    if sizes is None:
        is_top = similarity > strict
        return is_top, (similarity > loose) & ~is_top
    total = sum(sizes.values())
    rank = np.arange(len(similarity))
    if len(rank) < total:
        raise InputError(f"--sizes asks for {total:,} pairs, there are {len(rank):,}: ask for fewer")
    top = sizes["A1"] + sizes["A2"]
    return rank < top, (rank >= top) & (rank < total)


def _dealt_together(event: Ints, pairs: Positions, close: Positions) -> Ints:
    """Return for each pair the number of its unit, (pairs,): the events that are dealt to one side together.

    A unit is of events that are close to each other. Where they have more than a tenth of all pairs, each is
    a unit of its own.

    Args:
        event: (articles,) number of the event.
        pairs: positions of both articles of each pair.
        close: positions of both articles of each close pair.
    """
    if not len(pairs[0]):
        return NO_POSITIONS
    is_paired = np.zeros(len(event), dtype=bool)
    is_paired[np.concatenate(pairs)] = True
    first, second = close
    both_paired = is_paired[first] & is_paired[second]
    unit_of_article = components(event, first[both_paired], second[both_paired])
    event_of_pair = event[pairs[0]]
    unit = unit_of_article[pairs[0]]
    size = np.bincount(unit)[unit]
    is_large = size > LARGEST_SHARE_TOGETHER * len(unit)
    # numbers of units are below the number of articles, so an event alone gets one that no unit has
    return np.where(is_large, len(event) + event_of_pair, unit)


def _deal_test(unit: Ints, sizes: dict[str, int] | None, seed: int, strict: float) -> Bools:
    """Deal units of pairs at random to A1 (training) and A2 (test), and mark the pairs of A2, (pairs,).

    Each side grows towards its wanted number of pairs, or both to even halves.

    Args:
        unit: (pairs,) number of the unit of each strictly aligned pair: events that stay on one side.
        sizes: wanted numbers of pairs of A1 and A2; None for even halves.
        seed: seed of what is dealt.
        strict: cosine above which these pairs are, for the message.

    Raises:
        InputError: there are fewer than two units.
    """
    members, sizes_of_members = np.unique(unit, return_counts=True)
    if len(members) < 2:
        mend = "give more months of articles, or lower --strict"
        if len(unit) > 1:
            mend = "raise --strict, or give more articles"
        events = f"the pairs above {strict} ({len(unit):,}) are of {pluralise(len(members), 'event')}"
        raise InputError(f"{events}, and A1 and A2 need one each: {mend}")
    half = len(unit) // 2
    # side 0 is A1, side 1 is A2
    targets = (len(unit) - half, half)
    if sizes is not None:
        targets = (sizes["A1"], sizes["A2"])
    rng = rng_for(seed, "A1/A2")
    order = rng.permutation(len(members))
    # large units first: the last ones even out
    order = order[np.argsort(-sizes_of_members[order], kind="stable")]
    filled = [0, 0]
    tested = []
    for position in order:
        shares = [filled[side] / targets[side] for side in (0, 1)]
        # the side that is less full, or a random one
        side = int(shares[1] < shares[0])
        if shares[0] == shares[1]:
            side = int(rng.integers(2))
        filled[side] += int(sizes_of_members[position])
        if side == 1:
            tested.append(members[position])
    return np.isin(unit, tested)


def _folds(event: Ints, alignment: NDArray[np.str_], labels: Ints, rng: np.random.Generator) -> Ints:
    """Return the fold of each article, (articles,).

    Events of one kind (best split and outlets) are shuffled and dealt to 0, 1, 1, 0, the largest first.

    Args:
        event: (articles,) number of the event.
        alignment: (articles,) split, or `ALONE`.
        labels: (articles,) 0 for A, 1 for B, 2 for further outlets.
        rng: source of the draws.
    """
    count = int(event.max(initial=-1)) + 1
    kind = _kinds_of_events(count, event, alignment, labels)
    size = np.bincount(event, minlength=count)
    order = np.lexsort((rng.permutation(count), -size, kind))
    rank_in_kind = _rank_in_run(kind[order])
    # in this turn neither fold always gets the larger of two events
    folds_in_turn = np.array([0, 1, 1, 0])
    fold = np.zeros(count, dtype=np.int64)
    fold[order] = folds_in_turn[rank_in_kind % len(folds_in_turn)]
    return fold[event]


def _kinds_of_events(count: int, event: Ints, alignment: NDArray[np.str_], labels: Ints) -> Ints:
    """Number the kinds of events, (count,): those with the same best split and the same outlets are alike."""
    split_of_article = np.zeros(len(event), dtype=np.int64)
    for rank, name in enumerate((*_WEAKEST_FIRST, ALONE)):
        split_of_article[alignment == name] = rank
    best_split = np.zeros(count, dtype=np.int64)
    np.maximum.at(best_split, event, split_of_article)
    # one bit for each of A, B and further outlets, so numbers are below 8
    outlets = np.zeros(count, dtype=np.int64)
    np.bitwise_or.at(outlets, event, 1 << labels)
    return best_split * 8 + outlets


def _rank_in_run(values: Ints) -> Ints:
    """Return the position of each of some sorted values among its equals, from 0."""
    return np.arange(len(values)) - np.searchsorted(values, values)
