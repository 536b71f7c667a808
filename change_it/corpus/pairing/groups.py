"""Groups of articles that belong together, and random generators by purpose."""

import zlib

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from change_it.stats import Ints

NONE: Ints = np.zeros(0, dtype=np.int64)


def rng_for(seed: int, purpose: str) -> np.random.Generator:
    """A random generator of its own for each purpose, so that one choice never shifts another."""
    return np.random.default_rng([seed, zlib.crc32(purpose.encode())])


def components(clusters: Ints, a: Ints, b: Ints) -> Ints:
    """Number the connected components, (articles,), of articles linked by near-duplicate clusters and pairs."""
    count = len(clusters)
    _, first, inverse = np.unique(clusters, return_index=True, return_inverse=True)
    rows = np.concatenate([np.arange(count), a])
    columns = np.concatenate([first[inverse], b])
    graph = coo_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(count, count))
    return connected_components(graph, directed=False)[1].astype(np.int64)
