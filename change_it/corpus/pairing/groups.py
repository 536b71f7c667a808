"""Group articles that belong together, and make random generators by purpose."""

import zlib

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from change_it.stats import Ints

#: No articles: an empty array of positions.
NO_POSITIONS: Ints = np.zeros(0, dtype=np.int64)


def rng_for(seed: int, purpose: str) -> np.random.Generator:
    """Return a random generator of its own for each purpose, so that one choice never shifts another."""
    return np.random.default_rng([seed, zlib.crc32(purpose.encode())])


def components(clusters: Ints, a: Ints, b: Ints) -> Ints:
    """Number the connected components of articles that are linked by near-duplicate clusters and by pairs.

    Args:
        clusters: (articles,) numbers of the near-duplicate clusters.
        a: (pairs,) positions of the first article of each pair.
        b: (pairs,) positions of the second article of each pair.

    Returns:
        The number of the component of each article, (articles,).
    """
    count = len(clusters)
    _, first, inverse = np.unique(clusters, return_index=True, return_inverse=True)
    # each article is linked to the first one of its cluster, and the articles of a pair to each other
    rows = np.concatenate([np.arange(count), a])
    columns = np.concatenate([first[inverse], b])
    links = np.ones(len(rows), dtype=np.int8)
    graph = coo_array((links, (rows, columns)), shape=(count, count))
    _, numbers = connected_components(graph, directed=False)
    return numbers.astype(np.int64)
