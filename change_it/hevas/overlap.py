"""ROUGE-N, ROUGE-SU and ROUGE-WSU of headlines against references (HEvAS 2019, section 2.1).

All are recalls: what share of the reference a candidate holds. Texts are strings, or lists of words where they have
been taken already (`change_it.text.tokens.words`).
"""

from collections.abc import Sequence
from itertools import repeat
from typing import Literal, NamedTuple

import numpy as np

from change_it.errors import InputError
from change_it.hevas.texts import Matched, Text
from change_it.stats import Floats, Ints
from change_it.text.ngrams import Coded, bag, code, common, ngrams, pairs, skip_bag
from change_it.text.rouge import rouge_l

#: The measures of HEvAS, under the names that `headline_rouge` gives them.
MEASURES = ("rouge1", "rouge2", "rougeSU", "rougeWSU")


def headline_rouge(
    candidates: Sequence[Text],
    references: Sequence[Sequence[Text]],
    *,
    measures: Sequence[str] = MEASURES,
    counts: Literal["set", "clipped"] = "set",
) -> dict[str, Floats]:
    """Several ROUGE measures at once; texts are split and numbered once for all of them.

    ROUGE-N is the share of the reference's n-grams that the candidate has; ROUGE-SU that of its words and ordered word pairs, at
    any gap. In ROUGE-WSU near pairs count more: each common word or pair counts 2 / (distance in the reference + distance in the
    candidate), each of the reference 1 / distance in it. The distance is the difference of positions, the smallest over repeats; 1
    for single words.

    Args:
        candidates: headlines.
        references: one or several reference headlines for each; the best of several counts, for each measure.
        measures: `rougeSU`, `rougeWSU`, `rouge` with the length of an n-gram, and `rougeL` (recall of the longest common
            subsequence), which is none of HEvAS's own.
        counts: `set` counts different n-grams (HEvAS); `clipped` counts occurrences, each at most as often as
            the candidate has it (Lin 2004).

    Returns:
        (n,) scores in 0-1 under the name of each measure; rougeWSU is slightly above 1 where the candidate brings pairs nearer. 0
        where a side has no words or n-grams.

    Raises:
        InputError: the lists do not fit each other, an unknown measure or way of counting.

    Examples:
        The reference has a, b, c, a-b, a-c and b-c; the candidate has a, c and a-c of them. For WSU a and c count 1 each and
        a-c, two apart on both sides, 1/2; the reference sums to 3 + 1 + 1 + 1/2.

        >>> scores = headline_rouge(["a x c"], [["a b c"]])
        >>> {name: values.round(3).tolist() for name, values in scores.items()}
        {'rouge1': [0.667], 'rouge2': [0.0], 'rougeSU': [0.5], 'rougeWSU': [0.455]}

        Of several references the best counts, for each measure.

        >>> scores = headline_rouge(["a x c"], [["a b c", "c a"]])
        >>> {name: values.round(3).tolist() for name, values in scores.items()}
        {'rouge1': [1.0], 'rouge2': [0.0], 'rougeSU': [0.667], 'rougeWSU': [0.667]}
    """
    if counts not in ("set", "clipped"):
        raise InputError(f"counts is {counts!r}: choose set or clipped")
    orders = {name: _order(name) for name in measures if name != "rougeL"}
    rows = Matched(candidates, references)
    scores = {name: np.zeros(len(rows)) for name in measures}
    for part, wanted, given in rows.slices(1 if all(orders.values()) else 2):
        if "rougeL" in scores:
            scores["rougeL"][part] = rouge_l(wanted, given)[:, 1]
        coded = code(wanted, given) if any(orders.values()) else []
        skips = _skips(wanted, given) if not all(orders.values()) else None
        for name, n in orders.items():
            if n:
                scores[name][part] = _grams(coded[0], coded[1], len(wanted), n, clipped=counts == "clipped")
            elif skips:
                scores[name][part] = skips.score(weighted=name == "rougeWSU")
    return {name: rows.best(values) for name, values in scores.items()}


def _order(measure: str) -> int:
    """Length of a measure's n-grams, 0 for skip-bigrams."""
    if measure in ("rougeSU", "rougeWSU"):
        return 0
    number = measure.removeprefix("rouge")
    if not (number.isdecimal() and measure.startswith("rouge") and int(number)):
        raise InputError(f"no measure called {measure!r}: choose from {', '.join(MEASURES)}")
    return int(number)


def _grams(reference: Coded, candidate: Coded, rows: int, n: int, *, clipped: bool) -> Floats:
    """ROUGE-N of each row."""
    ours, theirs = (bag(side) for side in ngrams([reference, candidate], n))
    found, at = common(ours, theirs)
    if not clipped:
        return _ratio(ours.rows, None, ours.rows[found], None, rows)
    return _ratio(
        ours.rows, ours.values, ours.rows[found], np.minimum(ours.values[found], theirs.values[at]), rows
    )


class _Skips(NamedTuple):
    """Sums over the words and skip-bigrams of a slice of references, one each a row."""

    found: Floats  # number of those that the candidate has too
    near: Floats  # their 2 / (distance in the reference + distance in the candidate)
    number: Floats  # number of all
    weight: Floats  # their 1 / distance

    def score(self, *, weighted: bool) -> Floats:
        """ROUGE-SU of each row, or ROUGE-WSU if `weighted`."""
        part, whole = (self.near, self.weight) if weighted else (self.found, self.number)
        return np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)


def _skips(wanted: Sequence[Sequence[str]], given: Sequence[Sequence[str]]) -> _Skips:
    """Sums of each row; the few in which a word of the reference stands twice on a side take the longer way."""
    numbers, missing = range(max(map(len, given))), repeat(-1)
    places: list[int] = []
    repeated = {
        row for row, different in enumerate(map(len, map(set, wanted))) if different < len(wanted[row])
    }
    for row, (ours, theirs) in enumerate(zip(wanted, given, strict=True)):
        found = dict(zip(theirs, numbers, strict=False))
        places += map(found.get, ours, missing)
        if len(found) < len(theirs) and _stands_twice(ours, theirs):
            repeated.add(row)
    sums = _distinct_skips(wanted, np.array(places, np.int64))
    if repeated:
        some = sorted(repeated)
        sums[:, some] = _repeated_skips([wanted[row] for row in some], [given[row] for row in some])
    return _Skips(*sums)


def _stands_twice(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether a word of the reference stands twice in the candidate."""
    own = set(ours)
    return sum(map(own.__contains__, theirs)) > len(own.intersection(theirs))


def _distinct_skips(wanted: Sequence[Sequence[str]], places: Ints) -> Floats:
    """(4, n) sums of rows in which no word of the reference stands twice, from the places of its words in the candidate, -1 for none."""
    count = len(wanted)
    lengths = np.fromiter(map(len, wanted), np.int64, count)
    ours = np.flatnonzero(places >= 0)
    theirs, rows = places[ours], np.repeat(np.arange(count), lengths)[ours]
    first, second = pairs(rows, count)
    rising = theirs[first] < theirs[second]
    first, second = first[rising], second[rising]
    near = 2 / (ours[second] - ours[first] + theirs[second] - theirs[first])
    words = np.bincount(rows, minlength=count)
    sizes, which = np.unique(lengths, return_inverse=True)
    of = np.repeat(np.arange(len(sizes)), sizes)
    one, other = pairs(of, len(sizes))
    weights = sizes + np.bincount(of[one], 1 / (other - one), minlength=len(sizes))
    sums = [
        words + np.bincount(rows[first], minlength=count),
        words + np.bincount(rows[first], near, minlength=count),
        lengths * (lengths + 1) / 2,
        weights[which],
    ]
    return np.array(sums, np.float64)


def _repeated_skips(wanted: Sequence[Sequence[str]], given: Sequence[Sequence[str]]) -> Floats:
    """(4, n) sums of any rows."""
    count = len(wanted)
    reference, candidate = code(wanted, given)
    size = int(reference.ids.max()) + 1  # references are numbered first
    sides = (reference, _shared_words(candidate, reference))
    ours, theirs = (skip_bag(side, size=size, rows=count) for side in sides)
    at, found = common(theirs, ours)  # the smaller side is looked up in the larger
    sums = [
        np.bincount(ours.rows[found], minlength=count),
        np.bincount(ours.rows[found], 2 / (ours.values[found] + theirs.values[at]), minlength=count),
        np.bincount(ours.rows, minlength=count),
        np.bincount(ours.rows, 1 / ours.values, minlength=count),
    ]
    return np.array(sums, np.float64)


def _shared_words(candidate: Coded, reference: Coded) -> Coded:
    """The candidate without the words that its reference does not have; the others keep their positions."""
    wanted = bag(reference).keys
    keys = candidate.rows * candidate.size + candidate.ids
    at = np.minimum(np.searchsorted(wanted, keys), len(wanted) - 1)
    return candidate.only(wanted[at] == keys)


def _ratio(
    rows: Ints, weights: Floats | None, found_rows: Ints, found_weights: Floats | None, count: int
) -> Floats:
    """Weight of what was found over the weight of everything, for each row; 0 where there is nothing."""
    whole = np.bincount(rows, weights, minlength=count)
    part = np.bincount(found_rows, found_weights, minlength=count)
    return np.divide(part, whole, out=np.zeros(count), where=whole > 0)
