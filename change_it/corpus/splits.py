"""A1, A2, A3 and R, the two folds, what must leave the corpus so that nothing of the test set is trained on, and the check.

The unit of all of it is the *event*: articles linked by near-duplicate clusters and by kept pairs, transitively. It is stored
with articles and pairs, and intervals draw it. What is close to a test article, in one step and not transitively, leaves.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from change_it.corpus.pairing.groups import NO_POSITIONS, components, rng_for
from change_it.corpus.pairing.vectors import near_duplicates, tfidf
from change_it.corpus.reading.article import Alignment
from change_it.errors import InputError
from change_it.files.texts import counted
from change_it.stats import Bools, Floats, Ints

NEAR_DUPLICATE = "near-duplicate of a test article"
CLOSE = "close to a test article"  # above the strict cosine, inside the guard
OTHER_OUTLET = "another outlet's article close to a test article"
REMOVED = ""  #: in `Splits.alignment`, of an article that left the corpus
ALONE = "T"  #: a test article without a partner, where folds are dealt
_ORDER = ("R", "A3", "A1", "A2")  # weakest claim on an article first
#: Test articles of an outlet up to which those without a partner are added, and the share of its articles that these are at most.
TESTED = 300
LARGEST_SHARE_ALONE = 0.1
#: Share of the strict pairs up to which pairs that are close to each other are dealt together.
TOGETHER = 0.1


@dataclass(frozen=True, slots=True)
class Splits:
    """The split of every article and pair."""

    alignment: NDArray[np.str_]  # (articles,) `A1`, `A2`, `A3`, `R`, or `REMOVED`
    event: Ints  # (articles,) number of the event
    fold: Ints  # (articles,) 0 or 1, constant within an event
    pairs: Ints  # (kept pairs,) positions in the candidate pairs, best first
    pair_alignment: NDArray[np.str_]  # (kept pairs,) `A1`, `A2` or `A3`
    removed: dict[int, str]  # position of each article that left the corpus → why
    dropped: int  # pairs above the thresholds that would tie training to test or one fold to the other
    others: Ints  # (kept pairs of other outlets,) positions in those given
    alone: Bools  # (articles,) whether it is a test article without a partner; its alignment is `R`


def events_of(articles: Sequence[str], partners: Sequence[str]) -> Ints:
    """Number the events of n articles, (n,): each with its partner, an article on the same event (empty for none), and near-duplicates.

    Examples:
        >>> events_of(["The bridge fell.", "A bridge is down.", "The rain goes on."], ["A bridge is down.", "", ""]).tolist()
        [0, 0, 1]
    """
    texts = {text: number for number, text in enumerate(dict.fromkeys([*articles, *filter(None, partners)]))}
    linked = [(texts[a], texts[b]) for a, b in zip(articles, partners, strict=True) if b]
    a, b = np.array(linked, dtype=np.int64).reshape(-1, 2).T
    clusters = np.arange(len(texts))
    with suppress(InputError):  # there is no word in them
        clusters = near_duplicates(tfidf(list(texts), min_df=1))
    return components(clusters, a, b)[[texts[text] for text in articles]]


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
    close: tuple[Ints, Ints] = (NO_POSITIONS, NO_POSITIONS),
    others: tuple[Ints, Ints] = (NO_POSITIONS, NO_POSITIONS),
    test_articles: int | None = 0,
) -> Splits:
    """Split articles into A1, A2, A3 and R, and into two folds.

    `pairs` (positions, cosines) are best first. Those above `strict` are dealt evenly at random to A1 and A2, event by event,
    those in (loose, strict] make A3; with `sizes` by rank. With `alignments`, the input's splits decide (None counts as R).
    Training articles `close` to a test article leave, but with `alignments`. `labels` (0 for A, 1 for B) balance the folds; from 2
    on they are of other outlets, which are never tested, and `others` are pairs with one of them, kept where both stay.
    `test_articles` of each outlet without a partner are tested, too, see `draw_alone`; None: see `wanted_alone`.
    """
    a, b, similarity = pairs
    alignment = _wanted_by_input(len(clusters), alignments)
    if alignments is None:
        top, next_best = _ranked(similarity, strict, loose, sizes)
        event = components(clusters, a[top], b[top])
        together = _dealt_together(event, (a[top], b[top]), close)
        in_test = np.isin(event, event[a[top]][_deal_test(together, sizes, seed, strict)])
        tested = in_test & np.isin(np.arange(len(clusters)), np.r_[a[top], b[top]])
    else:
        top, next_best = np.zeros(len(a), dtype=bool), np.ones(len(a), dtype=bool)
        tested = alignment == "A2"
        in_test = np.isin(clusters, clusters[tested])
    first, second = close if alignments is None else (NO_POSITIONS, NO_POSITIONS)
    is_close = np.zeros(len(clusters), dtype=bool)
    is_close[np.r_[second[tested[first]], first[tested[second]]]] = True
    not_trained_on = in_test | is_close
    free = ~not_trained_on[a] & ~not_trained_on[b]

    if alignments is not None:
        pair_alignment = np.where(free, alignment[a], REMOVED)
        pair_alignment[tested[a] & tested[b]] = "A2"
    else:
        cases = {"A1": top & free, "A2": top & in_test[a], "A3": next_best & free}
        pair_alignment = np.select([*cases.values()], [*cases], REMOVED)
        if sizes is not None:  # lower ranks replace those that touched the test set
            missing = sizes["A3"] - int((pair_alignment == "A3").sum())
            pair_alignment[np.flatnonzero(free & ~next_best & ~top)[:missing]] = "A3"

    is_kept = pair_alignment != REMOVED
    for name in _ORDER[1:]:
        alignment[a[pair_alignment == name]] = name
        alignment[b[pair_alignment == name]] = name
    leaving = np.flatnonzero(not_trained_on & ~tested)
    reasons = np.select([labels[leaving] > 1, in_test[leaving]], [OTHER_OUTLET, NEAR_DUPLICATE], CLOSE)
    alignment[leaving] = REMOVED
    other_a, other_b = others
    is_other_kept = ~not_trained_on[other_a] & ~not_trained_on[other_b]

    event = components(
        clusters, np.r_[a[is_kept], other_a[is_other_kept]], np.r_[b[is_kept], other_b[is_other_kept]]
    )
    paired = np.r_[a[is_kept], b[is_kept], other_a[is_other_kept], other_b[is_other_kept]]
    present = alignment != REMOVED
    wanted_articles = wanted_alone(labels, tested, test_articles)
    alone = draw_alone(event, labels, present, paired, close, wanted_articles, rng_for(seed, "test articles"))
    is_near = np.zeros(len(clusters), dtype=bool)
    is_near[np.r_[second[alone[first]], first[alone[second]]]] = True
    leaving_too = np.flatnonzero(is_near & present & ~alone)
    alignment[leaving_too] = REMOVED
    removed = dict(zip(leaving.tolist(), reasons.tolist(), strict=True))
    removed |= {row: OTHER_OUTLET if labels[row] > 1 else CLOSE for row in leaving_too.tolist()}
    kinds = np.where(alone, ALONE, alignment)
    fold = _folds(event, kinds, np.minimum(labels, 2), rng_for(seed, "folds"))
    wanted = int((top | next_best).sum())
    return Splits(
        alignment=alignment,
        event=event,
        fold=fold,
        pairs=np.flatnonzero(is_kept).astype(np.int64),
        pair_alignment=pair_alignment[is_kept],
        removed=removed,
        dropped=wanted - int(is_kept.sum()),
        others=np.flatnonzero(is_other_kept).astype(np.int64),
        alone=alone,
    )


def wanted_alone(labels: Ints, tested: Bools, number: int | None) -> tuple[int, int]:
    """Return how many articles without a partner are tested of outlet A and of B.

    Without a number as many as bring each outlet to `TESTED` test articles, at most a tenth of its articles. The articles
    of one outlet are the originals of one direction.
    """
    if number is not None:
        return number, number
    wanted = []
    for outlet in (0, 1):
        total = int((labels == outlet).sum())
        missing = TESTED - int((tested & (labels == outlet)).sum())
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
    """Draw whole events without a partner for the test, up to the wanted numbers of articles of A and B, (articles,).

    No article of such an event is in a pair, `close` to one that is (positions `paired`), or of a further outlet. So no
    pair leaves the corpus for them.

    Examples:
        >>> nothing = np.array([], dtype=np.int64)
        >>> event, labels, paired = np.array([0, 0, 1, 2, 3]), np.array([0, 1, 0, 1, 0]), np.array([0, 1])
        >>> drawn = draw_alone(event, labels, event >= 0, paired, (nothing, nothing), (1, 5), np.random.default_rng(1))
        >>> drawn.sum(), bool(drawn[:2].any()), bool(drawn[3])
        (np.int64(2), False, True)
    """
    is_paired = np.zeros(len(event), dtype=bool)
    is_paired[paired] = True
    first, second = close
    is_barred = is_paired | (labels > 1)
    is_barred[np.r_[first[is_paired[second]], second[is_paired[first]]]] = True
    has_barred = np.zeros(int(event.max(initial=-1)) + 1, dtype=bool)
    has_barred[event[is_barred]] = True
    rows = np.flatnonzero(present & ~has_barred[event])
    members = {number: [0, 0] for number in event[rows].tolist()}
    for row in rows.tolist():
        members[int(event[row])][labels[row]] += 1
    left, drawn = list(wanted), list[int]()
    numbers = np.array(sorted(members), dtype=np.int64)
    for number in rng.permutation(numbers).tolist():
        counts = members[number]
        if all(count <= room for count, room in zip(counts, left, strict=True)):
            left = [room - count for count, room in zip(counts, left, strict=True)]
            drawn.append(number)
    alone = np.zeros(len(event), dtype=bool)
    alone[rows] = np.isin(event[rows], drawn)
    return alone


def _wanted_by_input(count: int, alignments: Sequence[Alignment | None] | None) -> NDArray[np.str_]:
    """The split of each article as the input gives it, `R` where it does not."""
    if alignments is None:
        return np.full(count, "R", dtype="<U2")
    if "A2" not in alignments:
        mend = "drop the column so that pairs are found, or add A2"
        raise InputError(f"the alignment column names no A2 article: {mend}")
    return np.array([name or "R" for name in alignments], dtype="<U2")


def _ranked(
    similarity: Floats, strict: float, loose: float, sizes: dict[str, int] | None
) -> tuple[Bools, Bools]:
    """The pairs that are dealt to A1 and A2, and those that make A3."""
    if sizes is None:
        return similarity > strict, (similarity > loose) & (similarity <= strict)
    rank, total = np.arange(len(similarity)), sum(sizes.values())
    if len(rank) < total:
        raise InputError(f"--sizes asks for {total:,} pairs, there are {len(rank):,}: ask for fewer")
    most = sizes["A1"] + sizes["A2"]
    return rank < most, (rank >= most) & (rank < total)


def _dealt_together(event: Ints, pairs: tuple[Ints, Ints], close: tuple[Ints, Ints]) -> Ints:
    """Number the units, (pairs,), that go to one side: events that are close to each other; single ones where these are many."""
    paired = np.zeros(len(event), dtype=bool)
    paired[np.r_[pairs]] = True
    first, second = close
    both = paired[first] & paired[second]
    unit = components(event, first[both], second[both])[pairs[0]]
    is_large = np.bincount(unit)[unit] > TOGETHER * len(unit) if len(unit) else unit > 0
    return np.where(is_large, len(event) + event[pairs[0]], unit)


def _deal_test(unit: Ints, sizes: dict[str, int] | None, seed: int, strict: float) -> Bools:
    """Deal the units of the top pairs to A1 and A2 (True, (pairs,)) at random, each towards its number of pairs or to even halves."""
    members, sizes_of = np.unique(unit, return_counts=True)
    if len(members) < 2:
        mend = "give more months of articles, or lower --strict"
        if len(unit) > 1:
            mend = "raise --strict, or give more articles"
        events = f"the pairs above {strict} ({len(unit):,}) are of {counted(len(members), 'event')}"
        raise InputError(f"{events}, and A1 and A2 need one each: {mend}")
    half = len(unit) // 2
    targets = (len(unit) - half, half) if sizes is None else (sizes["A1"], sizes["A2"])
    rng = rng_for(seed, "A1/A2")
    order = rng.permutation(len(members))
    filled, tested = [0, 0], []
    for position in order[
        np.argsort(-sizes_of[order], kind="stable")
    ]:  # large units first, the last even out
        share = [filled[side] / targets[side] for side in (0, 1)]
        side = int(share[1] < share[0]) if share[0] != share[1] else int(rng.integers(2))
        filled[side] += int(sizes_of[position])
        if side == 1:
            tested.append(members[position])
    return np.isin(unit, tested)


def _folds(event: Ints, alignment: NDArray[np.str_], labels: Ints, rng: np.random.Generator) -> Ints:
    """Fold of each article: events of a kind (best split, outlets) are shuffled and dealt 0, 1, 1, 0, largest first."""
    count = int(event.max(initial=-1)) + 1
    strength = np.zeros(count, dtype=np.int64)
    kinds = [alignment == name for name in (*_ORDER, ALONE)]
    np.maximum.at(strength, event, np.select(kinds, range(len(kinds)), 0))
    outlets = np.zeros(count, dtype=np.int64)
    np.bitwise_or.at(outlets, event, 1 << labels)
    size = np.bincount(event, minlength=count)
    kind = strength * 8 + outlets
    order = np.lexsort((rng.permutation(count), -size, kind))
    starts = np.flatnonzero(np.r_[True, np.diff(kind[order]) != 0]) if count else np.zeros(0, dtype=np.int64)
    rank = np.arange(count) - np.repeat(starts, np.diff(np.r_[starts, count]))
    fold = np.zeros(count, dtype=np.int64)
    fold[order] = np.array([0, 1, 1, 0])[rank % 4]
    return fold[event]
