"""ROUGE-N, ROUGE-SU and ROUGE-WSU of headlines against references (HEvAS 2019, section 2.1; SPEC 6).

All are recalls: what share of the reference a candidate holds. Texts are strings, or lists of words where they have
been taken already (`change_it.text.tokens.words`).
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from change_it.errors import InputError
from change_it.hevas.texts import Matched, Text
from change_it.text.ngrams import Bag, Coded, Floats, Ints, bag, code, common, ngrams, skip_bag
from change_it.text.rouge import rouge_l_of_many

#: The measures of HEvAS, under the names that `headline_rouge` gives them.
MEASURES = ("rouge1", "rouge2", "rougeSU", "rougeWSU")

_BUDGET = 1 << 18  # words, or pairs of words, that are held at once


def rouge_n(
    candidates: Sequence[Text],
    references: Sequence[Sequence[Text]],
    n: int,
    *,
    counts: Literal["set", "clipped"] = "set",
) -> Floats:
    """ROUGE-N: share of the reference's n-grams that the candidate has.

    Args:
        candidates: headlines.
        references: one or several reference headlines for each; the best of several counts.
        n: words in an n-gram, at least 1.
        counts: `set` counts different n-grams (HEvAS); `clipped` counts occurrences, each at most as often as
            the candidate has it (Lin 2004).

    Returns:
        (n,) scores in 0-1; 0 where a side has no n-gram.

    Raises:
        InputError: the lists do not fit each other.

    Example:
        The reference has the words a, b and c, the candidate two of them; of the 4 occurrences it has 3.

        >>> rouge_n(["a b a"], [["a b c a"]], 1).round(3).tolist()
        [0.667]
        >>> rouge_n(["a b a"], [["a b c a"]], 1, counts="clipped").tolist()
        [0.75]
    """
    return headline_rouge(candidates, references, measures=[f"rouge{n}"], counts=counts)[f"rouge{n}"]


def rouge_su(candidates: Sequence[Text], references: Sequence[Sequence[Text]]) -> Floats:
    """ROUGE-SU: share of the reference's words and ordered word pairs, at any gap, that the candidate has.

    Args:
        candidates: headlines.
        references: one or several reference headlines for each; the best of several counts.

    Returns:
        (n,) scores in 0-1; 0 where a side has no words.

    Raises:
        InputError: the lists do not fit each other.

    Example:
        The reference has a, b, c, a-b, a-c and b-c; the candidate has a, c and a-c of them.

        >>> rouge_su(["a x c"], [["a b c"]]).tolist()
        [0.5]
    """
    return headline_rouge(candidates, references, measures=["rougeSU"])["rougeSU"]


def rouge_wsu(candidates: Sequence[Text], references: Sequence[Sequence[Text]]) -> Floats:
    """ROUGE-WSU: ROUGE-SU where near pairs count more than distant ones.

    Each common word or pair counts 2 / (distance in the reference + distance in the candidate), each of the reference
    1 / distance in it. The distance is the difference of positions, the smallest over repeats; 1 for single words.

    Args:
        candidates: headlines.
        references: one or several reference headlines for each; the best of several counts.

    Returns:
        (n,) scores from 0, slightly above 1 where the candidate brings pairs nearer; 0 where a side has no words.

    Raises:
        InputError: the lists do not fit each other.

    Example:
        Above, a and c count 1 each and a-c, two apart on both sides, 1/2; the reference sums to 3 + 1 + 1 + 1/2.

        >>> rouge_wsu(["a x c"], [["a b c"]]).round(4).tolist(), round(2.5 / 5.5, 4)
        ([0.4545], 0.4545)
        >>> rouge_wsu(["a b c a c"], [["a b c"]]).round(2).tolist()
        [1.03]
    """
    return headline_rouge(candidates, references, measures=["rougeWSU"])["rougeWSU"]


def headline_rouge(
    candidates: Sequence[Text],
    references: Sequence[Sequence[Text]],
    *,
    measures: Sequence[str] = MEASURES,
    counts: Literal["set", "clipped"] = "set",
) -> dict[str, Floats]:
    """Several ROUGE measures at once; texts are split and numbered once for all of them.

    Args:
        candidates: headlines.
        references: one or several reference headlines for each; the best of several counts, for each measure.
        measures: `rougeSU`, `rougeWSU`, `rouge` with the length of an n-gram, and `rougeL` (recall of the longest common
            subsequence), which is none of HEvAS's own.
        counts: how n-grams count, see `rouge_n`.

    Returns:
        (n,) scores under the name of each measure.

    Raises:
        InputError: the lists do not fit each other, an unknown measure or way of counting.

    Example:
        >>> scores = headline_rouge(["a x c"], [["a b c", "c a"]])
        >>> {name: values.round(3).tolist() for name, values in scores.items()}
        {'rouge1': [1.0], 'rouge2': [0.0], 'rougeSU': [0.667], 'rougeWSU': [0.667]}
    """
    if counts not in ("set", "clipped"):
        raise InputError(f"counts is {counts!r}: choose set or clipped")
    orders = {name: _order(name) for name in measures if name != "rougeL"}
    rows = Matched(candidates, references)
    scores = {name: np.zeros(len(rows)) for name in measures}
    for part, wanted, given in rows.slices(_BUDGET, power=1 if all(orders.values()) else 2):
        if "rougeL" in scores:
            scores["rougeL"][part] = rouge_l_of_many(wanted, given)[:, 1]
        reference, candidate = code(wanted, given)
        skips = None
        for name, n in orders.items():
            if n:
                scores[name][part] = _grams(reference, candidate, len(wanted), n, clipped=counts == "clipped")
            else:
                skips = skips or _Skips.of(reference, candidate, len(wanted))
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
    """Words and skip-bigrams of a slice of references, and where their candidates have them too."""

    rows: int
    reference: Bag
    found: Ints
    """Common ones, indices into `reference`."""
    near: Floats
    """2 / (distance in the reference + distance in the candidate) of each common one."""

    @classmethod
    def of(cls, reference: Coded, candidate: Coded, rows: int) -> "_Skips":
        size = int(reference.ids.max(initial=-1)) + 1  # references are numbered first
        ours, theirs = (
            skip_bag(side, size=size, rows=rows) for side in (reference, _shared_words(candidate, reference))
        )
        at, found = common(theirs, ours)  # the smaller side is looked up in the larger
        return cls(rows, ours, found, 2 / (ours.values[found] + theirs.values[at]))

    def score(self, *, weighted: bool) -> Floats:
        """ROUGE-SU of each row, or ROUGE-WSU if `weighted`."""
        rows, found = self.reference.rows, self.reference.rows[self.found]
        if weighted:
            return _ratio(rows, 1 / self.reference.values, found, self.near, self.rows)
        return _ratio(rows, None, found, None, self.rows)


def _shared_words(candidate: Coded, reference: Coded) -> Coded:
    """The candidate without the words that its reference does not have; the others keep their positions."""
    wanted = bag(reference).keys
    keys = candidate.rows * candidate.size + candidate.ids
    if not len(wanted):
        return candidate.only(np.zeros(len(keys), bool))
    at = np.minimum(np.searchsorted(wanted, keys), len(wanted) - 1)
    return candidate.only(wanted[at] == keys)


def _ratio(
    rows: Ints, weights: Floats | None, found_rows: Ints, found_weights: Floats | None, count: int
) -> Floats:
    """Weight of what was found over the weight of everything, for each row; 0 where there is nothing."""
    whole = np.bincount(rows, weights, minlength=count)
    part = np.bincount(found_rows, found_weights, minlength=count)
    return np.divide(part, whole, out=np.zeros(count), where=whole > 0)
