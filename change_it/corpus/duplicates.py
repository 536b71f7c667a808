"""Near-duplicates: texts that share most of their word 5-grams."""

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from change_it.engines import map_ordered

SHINGLE = 5
BANDS, ROWS = 12, 2
NEIGHBOURS = 8
#: Numbers of their signatures in which two texts that are compared agree.
AGREEING = 8
THRESHOLD = 0.7
TEXTS_A_BLOCK, PAIRS_A_BLOCK = 4096, 20_000


def near_duplicates(texts: Sequence[str]) -> NDArray[np.int64]:
    """Cluster ids, int64 (texts,), from 0, of texts whose sets of word 5-grams have a Jaccard index of at least .7.

    Candidates are texts that agree in one band of a minhash signature (Broder 1997; 12 bands of 2) and in 8 of its 24 numbers: a
    pair at the threshold is missed with probability .0003. Each candidate pair is verified. A cluster holds whatever a
    chain of verified pairs connects. A text of fewer than five words counts as one 5-gram; a text without words is
    nobody's duplicate.
    """
    n = len(texts)
    signatures, wordy = _signatures(texts)
    pairs = wordy[_candidates(signatures)]
    pairs = pairs[_jaccard(texts, pairs) >= THRESHOLD]
    edges = coo_array((np.ones(len(pairs), np.int8), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    return connected_components(edges, directed=False)[1].astype(np.int64)


def _shingles(texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Hashed 5-grams of a block of texts: their number for each text (0 without a word), and all of them in order."""
    words = pl.Series(texts, dtype=pl.String).str.to_lowercase().str.extract_all(r"[^\W_]+")
    lengths = words.list.len().to_numpy().astype(np.int64)
    hashes = words.filter(words.list.len() > 0).explode().hash(seed=1).to_numpy()
    ends = np.repeat(np.cumsum(lengths), lengths)
    position = np.arange(len(hashes))
    total = np.zeros(len(hashes), np.uint64)
    for ahead in range(min(SHINGLE, len(hashes))):
        inside = position[: len(hashes) - ahead] + ahead < ends[: len(hashes) - ahead]
        mixed = _mixed(hashes[ahead:] + np.uint64(ahead))
        total[: len(hashes) - ahead] += np.where(inside, mixed, np.uint64(0))
    whole = (position + SHINGLE <= ends) | (position == ends - np.repeat(lengths, lengths))
    return np.where(lengths > 0, np.maximum(lengths - SHINGLE + 1, 1), 0), _mixed(total[whole])


def _blocks(texts: Sequence[str]) -> Iterator[tuple[Sequence[str]]]:
    return ((texts[start : start + TEXTS_A_BLOCK],) for start in range(0, len(texts), TEXTS_A_BLOCK))


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread every input bit over the 64 bits (the finaliser of splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _signatures(texts: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Minhash signatures, uint32 (m, BANDS * ROWS), of the m texts that have words, and the indices of those texts."""
    parts = [(np.empty((0, BANDS * ROWS), np.uint32), np.empty(0, bool))]
    parts += map_ordered(_signed, _blocks(texts))
    signatures, wordy = zip(*parts, strict=True)
    return np.concatenate(signatures), np.flatnonzero(np.concatenate(wordy))


def _signed(texts: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
    """Signatures of a block's texts that have words, and which have."""
    lengths, hashes = _shingles(texts)
    drawn = np.random.default_rng(0).integers(0, 2**63, BANDS * ROWS, np.uint64)
    factors = drawn * np.uint64(2) + np.uint64(1)
    signatures = np.empty((np.count_nonzero(lengths), len(factors)), np.uint32)
    if len(hashes):
        starts = np.concatenate([[0], np.cumsum(lengths[lengths > 0])[:-1]])
        for column, factor in enumerate(factors):
            signatures[:, column] = np.minimum.reduceat(hashes * factor, starts) >> np.uint64(32)
    return signatures, lengths > 0


def _candidates(signatures: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Pairs of rows that agree in a band and in AGREEING numbers, int64 (pairs, 2): each row with its next NEIGHBOURS in a bucket."""
    n = len(signatures)
    wide = signatures.astype(np.uint64)
    bands = (wide[:, 0::ROWS] << np.uint64(32)) | wide[:, 1::ROWS]
    pairs = [np.empty(0, np.int64)]
    for band in range(BANDS):
        keys = _mixed(bands[:, band])
        order = np.lexsort((bands[:, (band + 1) % BANDS], keys))
        keys = keys[order]
        for step in range(1, min(NEIGHBOURS, n - 1) + 1):
            same = keys[step:] == keys[:-step]
            first, second = order[:-step][same], order[step:][same]
            alike = (signatures[first] == signatures[second]).sum(axis=1) >= AGREEING
            first, second = first[alike], second[alike]
            pairs.append(np.minimum(first, second) * n + np.maximum(first, second))
    return np.stack(np.divmod(np.unique(np.concatenate(pairs)), max(n, 1)), axis=1)


def _jaccard(texts: Sequence[str], pairs: NDArray[np.int64]) -> NDArray[np.float64]:
    """Jaccard index of the two texts' sets of 5-grams (hashed to 31 bits) for each pair, float64 in [0, 1]."""
    members, rows = np.unique(pairs, return_inverse=True)
    if not len(members):
        return np.empty(0)
    rows = rows.reshape(-1, 2)
    blocks = [
        (counts, (hashes >> np.uint64(33)).astype(np.int32))
        for counts, hashes in map_ordered(_shingles, _blocks([texts[i] for i in members]))
    ]
    offsets = np.concatenate([[0], np.cumsum(np.concatenate([counts for counts, _ in blocks]))])
    columns = np.concatenate([hashes for _, hashes in blocks])
    sets = csr_array((np.ones(len(columns), np.int32), columns, offsets), shape=(len(members), 2**31 - 1))
    sets.sum_duplicates()
    sets.data[:] = 1
    sizes = np.diff(sets.indptr)
    result = np.empty(len(rows))
    for start in range(0, len(rows), PAIRS_A_BLOCK):
        first, second = rows[start : start + PAIRS_A_BLOCK].T
        shared = sets[first].multiply(sets[second]).sum(axis=1)
        result[start : start + PAIRS_A_BLOCK] = shared / (sizes[first] + sizes[second] - shared)
    return result
