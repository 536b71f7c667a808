"""n-grams and skip-bigrams of many texts at once, as sorted integers that numpy compares quickly.

References and candidates are coded with one vocabulary, `code`; a `Bag` then has one number for each text and feature.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from change_it.stats import Floats, Ints


class Coded(NamedTuple):
    """The words (or n-grams) of n texts, one entry a word, in order."""

    ids: Ints
    """(w,) number of each word, in 0 … size - 1."""
    rows: Ints
    """(w,) number of its text, rising."""
    positions: Ints
    """(w,) its place in the text, from 0."""
    size: int
    """Number of different words of both sides together."""

    def only(self, keep: NDArray[np.bool_]) -> "Coded":
        """The entries that are kept, (w,), numbered as before."""
        return self._replace(ids=self.ids[keep], rows=self.rows[keep], positions=self.positions[keep])


class Bag(NamedTuple):
    """What each of n texts contains: one entry for every text and feature that occurs in it."""

    keys: Ints
    """(k,) text and feature in one number, rising and distinct."""
    rows: Ints
    """(k,) number of the text."""
    features: Ints
    """(k,) number of the feature."""
    values: Floats
    """(k,) how often it occurs, or its smallest distance."""


def code(*sides: Sequence[Sequence[str]]) -> list[Coded]:
    """Number the words of several lists of texts with one vocabulary, in order of first appearance."""
    vocabulary: dict[str, int] = defaultdict()
    vocabulary.default_factory = vocabulary.__len__  # type: ignore[attr-defined]
    numbered = []
    for texts in sides:
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        ids = map(vocabulary.__getitem__, chain.from_iterable(texts))
        starts = np.cumsum(lengths) - lengths
        total = int(lengths.sum())
        numbered.append(
            (
                np.fromiter(ids, np.int64, total),
                np.repeat(np.arange(len(texts)), lengths),
                np.arange(total) - np.repeat(starts, lengths),
            )
        )
    return [Coded(*side, size=len(vocabulary)) for side in numbered]


def ngrams(sides: Sequence[Coded], n: int) -> list[Coded]:
    """The n-grams of texts that `code` numbered, each with its own number."""
    sides = list(sides)
    for _ in range(n - 1):
        if sides[0].size > 1 << 21:  # two of them and the row must fit 63 bits
            sides = _renumbered(sides)
        sides = [_longer(side) for side in sides]
    return sides


def bag(text: Coded) -> Bag:
    """Distinct words or n-grams of each text with their counts."""
    keys, counts = np.unique(text.rows * text.size + text.ids, return_counts=True)
    rows, features = np.divmod(keys, max(1, text.size))
    return Bag(keys, rows, features, counts.astype(np.float64))


def skip_bag(text: Coded, *, size: int, rows: int) -> Bag:
    """Distinct words and ordered pairs of words at any gap of each text, with their smallest distance.

    Args:
        text: one side, from `code`.
        size: greater than every id.
        rows: greater than every row, the same for the sides that are to be compared.

    Returns:
        Values are differences of positions, the smallest over repeats, and 1 for single words.

    Examples:
        >>> skips = skip_bag(code([["a", "b", "c", "a", "c"]])[0], size=3, rows=1)
        >>> pairs = ["-a", "-b", "-c", "aa", "ab", "ac", "ba", "bc", "ca", "cc"]
        >>> dict(zip(pairs, skips.values.astype(int).tolist(), strict=True))
        {'-a': 1, '-b': 1, '-c': 1, 'aa': 3, 'ab': 1, 'ac': 1, 'ba': 2, 'bc': 1, 'ca': 1, 'cc': 2}
    """
    first, second = pairs(text.rows, rows)
    bits = size.bit_length()  # 0 stands for no word, so that single words are pairs too
    features = np.concatenate([text.ids + 1, (text.ids[first] + 1) << bits | (text.ids[second] + 1)])
    at = np.concatenate([text.rows, text.rows[first]])
    distances = np.concatenate([np.ones_like(text.ids), text.positions[second] - text.positions[first]])
    distance_bits = int(distances.max(initial=0)).bit_length()
    packed = ((at << 2 * bits | features) << distance_bits) | distances
    packed.sort()
    keys = packed >> distance_bits
    fresh = np.ones(len(keys), bool)
    fresh[1:] = keys[1:] != keys[:-1]
    keys, packed = keys[fresh], packed[fresh]
    values = (packed & ((1 << distance_bits) - 1)).astype(np.float64)
    return Bag(keys, keys >> 2 * bits, keys & ((1 << 2 * bits) - 1), values)


def pairs(of: Ints, rows: int) -> tuple[Ints, Ints]:
    """Indices of every two entries of the same row: `of` is the row of each, rising and below `rows`."""
    ends = np.cumsum(np.bincount(of, minlength=rows))
    followers = ends[of] - np.arange(len(of)) - 1
    first = np.repeat(np.arange(len(of)), followers)
    offsets = np.arange(len(first)) - np.repeat(np.cumsum(followers) - followers, followers)
    return first, first + 1 + offsets


def common(one: Bag, other: Bag) -> tuple[Ints, Ints]:
    """Indices, rising, at which two bags have the same feature in the same row."""
    if not len(one.keys) or not len(other.keys):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    at = np.minimum(np.searchsorted(other.keys, one.keys), len(other.keys) - 1)
    found = np.flatnonzero(other.keys[at] == one.keys)
    return found, at[found]


def chunks(costs: Ints, budget: int) -> Iterator[slice]:
    """Slices of rows, in order, whose costs add up to about the budget; a single row may cost more.

    Examples:
        >>> list(chunks(np.array([1, 1, 5, 1, 1]), 3))
        [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    ends = np.flatnonzero(np.diff(np.cumsum(costs) // budget, append=-1)) + 1
    start = 0
    for end in ends.tolist():
        yield slice(start, end)
        start = end


def _longer(text: Coded) -> Coded:
    """Each entry joined with the one after it in the same text."""
    inside = np.flatnonzero(text.rows[:-1] == text.rows[1:])
    ids = text.ids[inside] * text.size + text.ids[inside + 1]
    return Coded(ids, text.rows[inside], text.positions[inside], text.size**2)


def _renumbered(sides: Sequence[Coded]) -> list[Coded]:
    """The same entries, numbered without gaps."""
    distinct, ids = np.unique(np.concatenate([side.ids for side in sides]), return_inverse=True)
    parts = np.split(ids, np.cumsum([len(side.ids) for side in sides])[:-1])
    return [side._replace(ids=part, size=len(distinct)) for side, part in zip(sides, parts, strict=True)]
