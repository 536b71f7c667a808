"""Fit linear judges: scikit-learn on the arrays that `linear_features` reads, in seconds."""

import sys
from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, hstack
from scipy.special import expit
from threadpoolctl import threadpool_limits

from change_it.judges.data import Examples, TaskData
from change_it.judges.linear import LinearJudgeForSequenceClassification as LinearJudge
from change_it.judges.linear_features import (
    CAPITAL,
    COUNT_COLUMNS,
    LETTERS,
    MONOTONICITY,
    WORD_COLUMNS,
    Array,
    Arrays,
    PieceCodes,
    Pieces,
    PieceTimes,
    WordCodes,
    Words,
    bucket,
    features_of_headlines,
    features_of_pairs,
    fluency_features,
    inverse_frequency,
    ngrams,
    split_pieces,
    sum_leaves,
    surface_features,
)
from change_it.judges.options import MARKS, NGRAMS
from change_it.judges.registration import register_judges
from change_it.judges.spec import FLUENCY_ACCEPTS, JUDGES, Task, resolve
from change_it.stats import Floats

register_judges()

#: Returns probabilities of outlets A and B, (n, 2), of n headlines.
PredictProba = Callable[[Sequence[str]], Floats]

#: Examples of pairs that are learnt from, at most.
MAX_PAIRS = 8000
#: Texts that the words of pairs are counted in, at most.
MAX_COUNTED_TEXTS = 10_000
#: Headlines that have an n-gram of main, at least.
LEAST_HEADLINES = 2
#: A word of which more than this share has a capital is a name.
NAME_SHARE = 0.8
#: Share of its step that each tree takes.
LEARNING_RATE = 0.12
#: Pieces that are classes of their own, the most frequent ones.
FREQUENT_PIECES = 200
#: Pieces that are grouped by their neighbours, at most, the most frequent ones.
GROUPED_PIECES = 8000
#: Times that a grouped piece appears, at least.
LEAST_TIMES = 4
#: Pieces that count as neighbours, the most frequent ones.
NEIGHBOURS = 500
#: Dimensions of the vectors by which pieces are grouped.
DIMENSIONS = 50
#: Groups of each of the two groupings.
GROUPS = (200, 60)
#: Words that HH and AH take for negations.
NEGATIONS = [
    "cannot",
    "mai",
    "nessun",
    "nessuna",
    "nessuno",
    "never",
    "niente",
    "no",
    "nobody",
    "non",
    "none",
    "nor",
    "not",
    "nulla",
    "né",
    "senza",
    "t",
    "without",
]


def fit_linear(task: Task, data: TaskData, *, seed: int) -> LinearJudge:
    """Fit the linear judge of a task by the function of its entry."""
    judge: LinearJudge = resolve(JUDGES[task].fit)(task, data, seed=seed)
    return judge


def fit_task_of_outlets(task: Task, data: TaskData, *, seed: int) -> LinearJudge:
    """Fit a judge of headlines by their outlets on its training and validation examples."""
    return fit_main(data.train_and_validation, seed=seed)


def fit_task_of_pairs(task: Task, data: TaskData, *, seed: int) -> LinearJudge:
    """Fit a judge of pairs of texts on its training and validation examples."""
    return fit_pairs(task, data.train_and_validation, data.headlines + data.articles, seed=seed)


def fit_task_of_printed(task: Task, data: TaskData, *, seed: int) -> LinearJudge:
    """Fit a judge of printed and broken headlines, which chooses its threshold on the validation examples."""
    return fit_fluency(data, seed=seed)


# A judge and its baselines read the same headlines.
@lru_cache(maxsize=1)
def _read(headlines: tuple[str, ...]) -> tuple[csr_matrix, Array]:
    """Return the n-grams and the surface features of headlines, (n, columns) each."""
    return ngrams(headlines), surface_features(headlines)


# More threads sum in another order, and give other weights.
@threadpool_limits.wrap(limits=1)
def fit_main(examples: Examples, *, seed: int, ngrams_alone: bool = False) -> LinearJudge:
    """Fit main on n-grams, marks, capitals and length; or on n-grams alone."""
    from sklearn.linear_model import LogisticRegression  # loads pandas

    counts, surface = _read(tuple(examples.texts))
    arrays = {"idf": inverse_frequency(counts, LEAST_HEADLINES)}
    if not ngrams_alone:
        deviation = surface.std(axis=0)
        arrays["mean"] = surface.mean(axis=0)
        arrays["scale"] = 1 / np.where(deviation > 0, deviation, np.float32(1))
    matrix = features_of_headlines(counts, surface, arrays)
    # Columns that no headline has are left out, and their weights stay 0.
    known = np.flatnonzero(np.bincount(matrix.indices, matrix.data != 0, matrix.shape[1]))
    model = LogisticRegression(C=10.0, class_weight="balanced", max_iter=1000, random_state=seed)
    model.fit(matrix[:, known], examples.labels)
    weight = np.zeros(matrix.shape[1], np.float32)
    weight[known] = model.coef_[0]
    arrays["weight"] = weight
    return LinearJudge.from_arrays(arrays, float(model.intercept_[0]), judges="main")


# They are kept, since they are asked about training pairs and then about A2.
@lru_cache(maxsize=1)
@threadpool_limits.wrap(limits=1)
def fit_baselines(examples: Examples, *, seed: int) -> dict[str, PredictProba]:
    """Fit the baselines of main on its examples: n-grams alone; marks, capitals and length."""
    from sklearn.linear_model import LogisticRegression  # loads pandas
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    _, surface = _read(tuple(examples.texts))
    marks = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000, random_state=seed))
    marks.fit(surface, examples.labels)

    def ask_marks(texts: Sequence[str]) -> Floats:
        return np.asarray(marks.predict_proba(surface_features(texts)), np.float64)

    on_ngrams = fit_main(examples, seed=seed, ngrams_alone=True)
    return {NGRAMS: on_ngrams.predict_proba, MARKS: ask_marks}


def fit_pairs(task: str, examples: Examples, texts: Sequence[str], *, seed: int) -> LinearJudge:
    """Fit HH or AH.

    Args:
        task: hh or ah.
        examples: Pairs of texts that match (1) or not (0); at most `MAX_PAIRS` of them are drawn.
        texts: Texts of the training side, which say how rare words are, and which are names; at most
            `MAX_COUNTED_TEXTS` of them are drawn.
        seed: Seed of what is drawn and of the trees.
    """
    rng = np.random.default_rng(seed)
    drawn_examples = np.sort(rng.permutation(len(examples))[:MAX_PAIRS])
    drawn_texts = rng.permutation(len(texts))[:MAX_COUNTED_TEXTS]
    examples = examples.select(drawn_examples)
    # most texts of the examples are among those that are counted
    codes = WordCodes(frozenset(NEGATIONS))
    words = Words([texts[row] for row in drawn_texts], codes)
    has_capital = words.flags & CAPITAL > 0
    with_capital = np.bincount(words.word[has_capital], minlength=WORD_COLUMNS)
    every = np.bincount(words.word, minlength=WORD_COLUMNS)
    is_name = (with_capital > NAME_SHARE * every).astype(np.float32)
    idf = inverse_frequency(words.matrix())
    arrays = {"idf": idf, "name": idf * is_name}
    features = features_of_pairs(examples.texts, examples.pairs or [], codes, arrays)
    trees = _boost(
        features,
        examples.labels,
        leaves=8,
        rounds=75,
        feature_share=0.3,
        monotonicity=MONOTONICITY,
        seed=seed,
    )
    return LinearJudge.from_arrays(arrays | trees, 0.0, judges=task, negations=NEGATIONS)


@threadpool_limits.wrap(limits=1)
def fit_fluency(data: TaskData, *, seed: int) -> LinearJudge:
    """Fit fluency: counts of n-grams in printed texts, and trees on what they say of headlines.

    The trees see a training headline by counts that leave out its own part of the texts. The threshold is
    set so that the share `FLUENCY_ACCEPTS` of the printed validation headlines gets more than .5.
    """
    counted: list[list[str]] = []
    for text in data.headlines + data.articles:
        # a piece that appears a thousand times is one object
        counted.append(list(map(sys.intern, split_pieces(text))))
    times = Counter(chain.from_iterable(counted))
    frequent = frozenset(piece for piece, _ in times.most_common(FREQUENT_PIECES))
    clusters = _clusters(counted, times, seed=seed)
    codes = PieceCodes(frequent, clusters)
    # articles follow headlines, and each is in the part of its headline
    rows_of_counted = _rows_of_parts(np.tile(np.asarray(data.counted_parts), 2))
    pieces = {part: Pieces([counted[row] for row in rows], codes) for part, rows in rows_of_counted.items()}
    del counted
    saved, features = _count(pieces, data.train, np.asarray(data.parts), codes)
    del times
    trees = _boost(
        features,
        data.train.labels,
        leaves=16,
        rounds=150,
        feature_share=0.06,
        row_share=0.5,
        seed=seed,
    )
    printed = data.validation.select(np.flatnonzero(data.validation.labels)).texts
    odds = sum_leaves(fluency_features(Pieces(printed, codes), saved), trees)
    threshold = float(np.quantile(odds, 1 - FLUENCY_ACCEPTS))
    arrays = {"counts": saved, "clusters": clusters, **trees}
    return LinearJudge.from_arrays(arrays, -threshold, judges="fluency", frequent=sorted(frequent))


def _rows_of_parts(parts: Array) -> dict[int, Array]:
    """Return the rows of each part, from the part of each row, (n,)."""
    return {part: np.flatnonzero(parts == part) for part in np.unique(parts).tolist()}


def _count(
    pieces: dict[int, Pieces], examples: Examples, parts: Array, codes: PieceCodes
) -> tuple[Array, Array]:
    """Count n-grams in all texts, and look those of examples up in the texts of all other parts.

    One table after the other is counted, since all tables of all parts together take much memory.

    Args:
        pieces: Part to its texts; it is empty in the end, which gives much memory back.
        examples: n headlines, printed and broken.
        parts: The part of each, (n,). `pieces` has all of them.
        codes: Numbers their pieces.

    Returns:
        Counts of all texts, as a judge saves them, int16 (tables + 1, COUNT_COLUMNS); and the features of the
        examples by counts that are not cut to int16, float32 (n, features).
    """
    rows_of_parts = _rows_of_parts(parts)
    times_in_others: dict[int, PieceTimes] = {}
    for part, rows in rows_of_parts.items():
        times_in_others[part] = PieceTimes(Pieces(examples.select(rows).texts, codes))
    saved = np.empty((LETTERS + 1, COUNT_COLUMNS), np.int16)
    for number in range(LETTERS + 1):
        counts = {part: of_part.count(number) for part, of_part in pieces.items()}
        every = sum(counts.values(), start=np.zeros(COUNT_COLUMNS, np.int32))
        for part, times in times_in_others.items():
            times.look_up(number, every - counts[part])
        saved[number] = np.minimum(every, np.iinfo(np.int16).max)
    pieces.clear()
    features = []
    for part in rows_of_parts:
        # each gives its memory back before the next
        features.append(times_in_others.pop(part).features())
    order = np.argsort(np.concatenate([*rows_of_parts.values()]))
    return saved, np.concatenate(features)[order]


def _clusters(texts: Sequence[list[str]], times: Counter[str], *, seed: int) -> Array:
    """Group the pieces of texts twice by the pieces before and after them (Schütze 1995).

    Args:
        texts: The pieces of each text.
        times: How often they have each piece.
        seed: Seed of the vectors and the groups.

    Returns:
        The group of each column that a piece is hashed to, uint8 (2, COUNT_COLUMNS); 0 for rare pieces.
    """
    from sklearn.cluster import MiniBatchKMeans
    from sklearn.decomposition import TruncatedSVD
    from sklearn.preprocessing import normalize

    known: dict[str, int] = {}
    for piece, count in times.most_common(GROUPED_PIECES):
        if count >= LEAST_TIMES:
            known[piece] = len(known)
    # the number of all other pieces, and of the end of a text
    other = len(known)
    numbers_of_pieces = array("i")  # a quarter of the memory of a list and its array
    for text in texts:
        numbers_of_pieces.extend([known.get(piece, other) for piece in text])
        numbers_of_pieces.append(other)
    numbers = np.frombuffer(numbers_of_pieces, np.int32)
    following = _neighbour_counts(numbers[:-1], numbers[1:], other)
    preceding = _neighbour_counts(numbers[1:], numbers[:-1], other)
    dimensions = min(DIMENSIONS, len(known) - 1)
    reduced = TruncatedSVD(dimensions, random_state=seed).fit_transform(hstack([following, preceding]))
    vectors = normalize(reduced)
    columns = [bucket(piece) % COUNT_COLUMNS for piece in known]
    clusters = np.zeros((len(GROUPS), COUNT_COLUMNS), np.uint8)
    for row, groups in enumerate(GROUPS):
        model = MiniBatchKMeans(min(groups, len(known)), random_state=seed, n_init=1)
        # 0 means no group, and 1 and 2 are the codes of beginnings and ends
        clusters[row, columns] = model.fit_predict(vectors) + 3
    return clusters


def _neighbour_counts(pieces: Array, neighbours: Array, known: int) -> csr_matrix:
    """Count how often each known piece stands beside each of the most frequent ones.

    Args:
        pieces: Number of the piece at each place, (places,). The most frequent piece has 0, and all unknown
            ones have the number `known`.
        neighbours: Number of the piece beside it, (places,).
        known: How many pieces are known.

    Returns:
        log(1 + count), (known, NEIGHBOURS).
    """
    is_frequent = neighbours < NEIGHBOURS
    ones = np.ones(is_frequent.sum())
    places = (pieces[is_frequent], neighbours[is_frequent])
    counts = csr_matrix((ones, places), shape=(known + 1, NEIGHBOURS))
    # the last row is that of unknown pieces
    return counts[:-1].log1p()


def _boost(
    features: Array,
    labels: Array,
    *,
    leaves: int,
    rounds: int,
    feature_share: float,
    seed: int,
    row_share: float = 1.0,
    monotonicity: Sequence[int] | None = None,
) -> Arrays:
    """Fit a gradient boosting in which both classes have the same weight; return its trees for `sum_leaves`.

    Each tree fits Newton's step, the gradient over the second derivative. It is ours, since of scikit-learn's
    boosting only the trees of the one without monotonicity are public.

    Args:
        features: Features of n examples, (n, features).
        labels: Classes of n examples, 0 or 1.
        leaves: Leaves of a tree, at most.
        rounds: Number of trees.
        feature_share: Share of the features that a split looks at, 0-1.
        seed: Seed of the rows and features that are drawn.
        row_share: Share of the examples that a tree is fitted on, 0-1.
        monotonicity: For each feature 1 where trees may only rise with it, and -1 where they may only fall.
    """
    from sklearn.tree import DecisionTreeRegressor

    # Trees read a column after the other, and take them without a check in float32.
    columns = np.ascontiguousarray(features.T, np.float32)
    class_weights = np.where(labels == 1, 0.5 / np.mean(labels), 0.5 / np.mean(1 - labels))
    examples_of_leaf = max(1, min(20, len(labels) // 20))
    drawn_rows = int(row_share * len(labels))
    random = np.random.default_rng(seed)
    odds = np.zeros(len(labels))
    trees = []
    for number in range(rounds):
        p = expit(odds)
        curvature = np.maximum(p * (1 - p), 1e-4)
        step = (labels - p) / curvature
        weights = class_weights * curvature
        model = DecisionTreeRegressor(
            max_leaf_nodes=leaves,
            min_samples_leaf=examples_of_leaf,
            max_features=feature_share,
            monotonic_cst=monotonicity,
            random_state=seed + number,
        )
        drawn = columns
        if row_share < 1:
            rows = np.sort(random.permutation(len(labels))[:drawn_rows])
            drawn = columns.take(rows, axis=1)
            step = step[rows]
            weights = weights[rows]
        model.fit(drawn.T, step, sample_weight=weights, check_input=False)
        odds += LEARNING_RATE * model.predict(columns.T, check_input=False)
        trees.append(model.tree_)
    return _arrays_of_trees(trees)


def _arrays_of_trees(trees: Sequence[Any]) -> Arrays:
    """Join the nodes of scikit-learn's trees in arrays, as `sum_leaves` reads them."""
    sizes = np.array([tree.node_count for tree in trees])
    root = np.cumsum(sizes) - sizes
    first_node = np.repeat(root, sizes)
    feature = np.concatenate([tree.feature for tree in trees])
    left = np.concatenate([tree.children_left for tree in trees])
    right = np.concatenate([tree.children_right for tree in trees])
    value = np.concatenate([tree.value for tree in trees]).ravel()
    exact = np.concatenate([tree.threshold for tree in trees])
    threshold = exact.astype(np.float32)
    # where float32 rounds up, the next value below splits float32 features alike
    is_above = threshold > exact
    threshold[is_above] = np.nextafter(threshold[is_above], np.float32(-np.inf))
    # a leaf leads to itself
    is_leaf = left < 0
    itself = np.arange(len(left))
    return {
        "root": root.astype(np.int64),
        "feature": np.where(is_leaf, 0, feature).astype(np.int64),
        "threshold": np.where(is_leaf, 0, threshold).astype(np.float32),
        "left": np.where(is_leaf, itself, left + first_node).astype(np.int64),
        "right": np.where(is_leaf, itself, right + first_node).astype(np.int64),
        "value": np.where(is_leaf, LEARNING_RATE * value, 0).astype(np.float32),
    }
