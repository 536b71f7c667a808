"""Training of linear judges: scikit-learn on the arrays that `linear_features` reads, in seconds."""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import chain
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, hstack
from scipy.special import expit
from threadpoolctl import threadpool_limits

from change_it.judges import linear_features
from change_it.judges.data import Examples, TaskData
from change_it.judges.linear import LinearJudgeConfig
from change_it.judges.linear import LinearJudgeForSequenceClassification as LinearJudge
from change_it.judges.linear_features import Array, Arrays
from change_it.judges.options import MARKS, NGRAMS
from change_it.judges.registration import register_judges
from change_it.judges.spec import FLUENCY_ACCEPTS, JUDGES, Task, resolve
from change_it.stats import Floats

register_judges()

#: From n headlines to (n, 2) probabilities of outlets A and B.
Ask = Callable[[Sequence[str]], Floats]

#: Examples of pairs that are learnt from, and texts that words are counted in, at most.
PAIRS, COUNTED = 8000, 10_000
#: Headlines that have an n-gram of main, at least; a word is a name where this share of it has a capital; a tree's share of its step.
FOUND, NAME, RATE = 2, 0.8, 0.12
#: Frequent pieces that are classes of their own.
FREQUENT = 200
#: Words that are grouped by their neighbours, at most, how often they appear at least, the neighbours that count, dimensions, groups.
CLUSTERED, LEAST, CONTEXTS, DIMENSIONS, GROUPS = 8000, 4, 500, 50, (200, 60)
NEGATIONS = ["cannot", "mai", "nessun", "nessuna", "nessuno", "never", "niente", "no", "nobody", "non", "none", "nor", "not", "nulla", "né", "senza", "t", "without"]  # fmt: skip


def fit_linear(task: Task, data: TaskData, *, seed: int) -> LinearJudge:
    """Fit the linear judge of a task by the function of its entry."""
    judge: LinearJudge = resolve(JUDGES[task].fit)(task, data, seed=seed)
    return judge


def fit_task_of_outlets(task: Task, data: TaskData, *, seed: int) -> LinearJudge:
    """Fit a judge of headlines by their outlets on its training and validation examples."""
    return fit_main(data.known, seed=seed)


def fit_task_of_pairs(task: Task, data: TaskData, *, seed: int) -> LinearJudge:
    """Fit a judge of pairs of texts on its training and validation examples."""
    return fit_pairs(task, data.known, data.headlines + data.articles, seed=seed)


def fit_task_of_printed(task: Task, data: TaskData, *, seed: int) -> LinearJudge:
    """Fit a judge of printed and broken headlines, which chooses its threshold on the validation examples."""
    return fit_fluency(data, seed=seed)


@lru_cache(maxsize=1)  # a judge and its baselines read the same headlines
def _read(headlines: tuple[str, ...]) -> tuple[csr_matrix, Array]:
    return linear_features.ngrams(headlines), linear_features.surface_features(headlines)


@threadpool_limits.wrap(limits=1)  # more threads sum in another order, and give other weights
def fit_main(examples: Examples, *, seed: int, ngrams_alone: bool = False) -> LinearJudge:
    """Fit main on n-grams, marks, capitals and length; or on n-grams alone."""
    from sklearn.linear_model import LogisticRegression  # loads pandas

    counts, marks = _read(tuple(examples.texts))
    arrays = {"idf": linear_features.inverse_frequency(counts, FOUND)}
    if not ngrams_alone:
        deviation = marks.std(axis=0)
        arrays |= {"mean": marks.mean(axis=0), "scale": 1 / np.where(deviation > 0, deviation, np.float32(1))}
    matrix = linear_features.features_of_headlines(counts, marks, arrays)
    known = np.flatnonzero(np.bincount(matrix.indices, matrix.data != 0, matrix.shape[1]))
    model = LogisticRegression(C=10.0, class_weight="balanced", max_iter=1000, random_state=seed)
    model.fit(matrix[:, known], examples.labels)
    weight = np.zeros(matrix.shape[1], np.float32)
    weight[known] = model.coef_[0]
    return LinearJudge.of(arrays | {"weight": weight}, float(model.intercept_[0]), judges="main")


@lru_cache(maxsize=1)  # they are asked on training pairs and on A2
@threadpool_limits.wrap(limits=1)
def fit_baselines(examples: Examples, *, seed: int) -> dict[str, Ask]:
    """The baselines of main, fitted on its examples: n-grams alone; marks, capitals and length."""
    from sklearn.linear_model import LogisticRegression  # loads pandas
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    marks = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000, random_state=seed))
    marks.fit(_read(tuple(examples.texts))[1], examples.labels)
    return {
        NGRAMS: fit_main(examples, seed=seed, ngrams_alone=True).predict_proba,
        MARKS: lambda texts: np.asarray(
            marks.predict_proba(linear_features.surface_features(texts)), np.float64
        ),
    }


def fit_pairs(task: str, examples: Examples, texts: Sequence[str], *, seed: int) -> LinearJudge:
    """Fit HH or AH; `texts` of the training side say how rare words are, and which are names."""
    rng = np.random.default_rng(seed)
    examples = examples.select(np.sort(rng.permutation(len(examples))[:PAIRS]))
    counted = [texts[row] for row in rng.permutation(len(texts))[:COUNTED]]
    words = linear_features.Words(counted, frozenset(NEGATIONS))
    capitals = np.bincount(
        words.word[words.flags & linear_features.CAPITAL > 0], minlength=linear_features.SIZE
    )
    every = np.bincount(words.word, minlength=linear_features.SIZE)
    idf = linear_features.inverse_frequency(words.matrix())
    arrays = {"idf": idf, "name": idf * (capitals > NAME * every).astype(np.float32)}
    settings: dict[str, Any] = {"judges": task, "negations": NEGATIONS}
    config = LinearJudgeConfig(**settings)
    features = linear_features.features_of_pairs(examples.texts, examples.pairs or [], config, arrays)
    trees = _boost(
        features, examples.labels, leaves=8, rounds=75, share=0.3, seed=seed, rising=linear_features.RISING
    )
    return LinearJudge.of(arrays | trees, 0.0, **settings)


@threadpool_limits.wrap(limits=1)
def fit_fluency(data: TaskData, *, seed: int) -> LinearJudge:
    """Fit fluency: counts of n-grams in printed texts, and trees on what they say of headlines, printed and broken.

    The counts of a headline's own part of the texts are left out. `FLUENCY_ACCEPTS` of the printed validation headlines get more than a half.
    """
    examples, parts = data.train, np.asarray(data.parts)
    counted_parts = np.tile(np.asarray(data.counted_parts), 2)
    # a piece that appears a thousand times is one object
    counted = [[*map(sys.intern, linear_features.pieces(text))] for text in data.headlines + data.articles]
    frequent = frozenset(piece for piece, _ in Counter(chain.from_iterable(counted)).most_common(FREQUENT))
    clusters = _clusters(counted, seed=seed)
    read = partial(linear_features.Pieces, frequent=frequent, clusters=clusters)
    counts = np.zeros((len(linear_features.TABLES) + 1, linear_features.COUNTS), np.int32)
    own = {}
    for part in np.unique(counted_parts):
        of_part = read([counted[row] for row in np.flatnonzero(counted_parts == part)]).counts()
        counts += of_part
        own[part] = of_part.astype(np.min_scalar_type(of_part.max()))  # half of the memory, or a quarter
    del counted
    rows = [np.flatnonzero(parts == part) for part in np.unique(parts)]
    blocks = []
    for part, chosen in zip(np.unique(parts), rows, strict=True):
        counts -= own[part]
        blocks.append(linear_features.fluency_features(read(examples.select(chosen).texts), counts))
        counts += own.pop(part)  # and give its memory back
    features = np.concatenate(blocks)[np.argsort(np.concatenate(rows))]
    trees = _boost(features, examples.labels, leaves=16, rounds=150, share=0.06, rows=0.5, seed=seed)
    saved = np.minimum(counts, np.iinfo(np.int16).max).astype(np.int16)
    printed = data.validation.select(np.flatnonzero(data.validation.labels)).texts
    scores = linear_features.boosted(linear_features.fluency_features(read(printed), saved), trees)
    arrays = {"counts": saved, "clusters": clusters} | trees
    shift = float(np.quantile(scores, 1 - FLUENCY_ACCEPTS))
    return LinearJudge.of(arrays, -shift, judges="fluency", frequent=sorted(frequent))


def _clusters(read: Sequence[list[str]], *, seed: int) -> Array:
    """Two groupings of the words of texts by the words before and after them (Schütze 1995), uint8 (2, COUNTS); 0 for rare words."""
    from sklearn.cluster import MiniBatchKMeans
    from sklearn.decomposition import TruncatedSVD
    from sklearn.preprocessing import normalize

    count = Counter(chain.from_iterable(read))
    known = {piece: row for row, (piece, times) in enumerate(count.most_common(CLUSTERED)) if times >= LEAST}
    rows = [known.get(piece, len(known)) for text in read for piece in (*text, "")]
    place = np.array(rows)
    shape = (len(known) + 1, CONTEXTS)
    sides = []
    for before, after in ((place[:-1], place[1:]), (place[1:], place[:-1])):
        frequent = after < CONTEXTS
        ones = np.ones(frequent.sum())
        sides.append(csr_matrix((ones, (before[frequent], after[frequent])), shape=shape)[:-1].log1p())
    dimensions = min(DIMENSIONS, len(known) - 1)
    vectors = normalize(TruncatedSVD(dimensions, random_state=seed).fit_transform(hstack(sides)))
    columns = [linear_features.bucket(piece) % linear_features.COUNTS for piece in known]
    clusters = np.zeros((len(GROUPS), linear_features.COUNTS), np.uint8)
    for row, groups in enumerate(GROUPS):
        model = MiniBatchKMeans(min(groups, len(known)), random_state=seed, n_init=1)
        clusters[row, columns] = model.fit_predict(vectors) + 3
    return clusters


def _boost(
    features: Array,
    labels: Array,
    *,
    leaves: int,
    rounds: int,
    share: float,
    seed: int,
    rows: float = 1.0,
    rising: Sequence[int] | None = None,
) -> Arrays:
    """The trees of a gradient boosting as arrays for `boosted`; both classes have the same weight.

    Each fits Newton's step, the gradient over the second derivative, on a share of the rows, by a share of the features a split. Ours,
    since of scikit-learn's boosting only the trees of the one without monotonicity are public.
    """
    from sklearn.tree import DecisionTreeRegressor

    features = np.ascontiguousarray(features, np.float32)  # so that it is not checked for each tree
    even = np.where(labels == 1, 0.5 / np.mean(labels), 0.5 / np.mean(1 - labels))
    least, total = max(1, min(20, len(labels) // 20)), np.zeros(len(labels))
    settings: dict[str, Any] = {"max_leaf_nodes": leaves, "min_samples_leaf": least, "max_features": share}
    trees, random = [], np.random.default_rng(seed)
    for number in range(rounds):
        p = expit(total)
        curvature = np.maximum(p * (1 - p), 1e-4)
        part = (
            slice(None) if rows == 1 else np.sort(random.permutation(len(labels))[: int(rows * len(labels))])
        )
        model = DecisionTreeRegressor(**settings, monotonic_cst=rising, random_state=seed + number)
        step, weight = ((labels - p) / curvature)[part], (even * curvature)[part]
        model.fit(features[part], step, sample_weight=weight, check_input=False)
        total += RATE * model.predict(features, check_input=False)
        trees.append(model.tree_)
    sizes = np.array([tree.node_count for tree in trees])
    names = ("feature", "threshold", "children_left", "children_right", "value")
    feature, cut, left, right, value = (
        np.concatenate([getattr(tree, name) for tree in trees]) for name in names
    )
    leaf, here, root = left < 0, np.arange(len(left)), np.cumsum(sizes) - sizes
    shift = np.repeat(root, sizes)
    exact = cut.astype(np.float32)
    above = exact > cut  # rounded up: the next one below splits float32 features alike
    exact[above] = np.nextafter(exact[above], np.float32(-np.inf))
    return {
        "root": root.astype(np.int64),
        "feature": np.where(leaf, 0, feature).astype(np.int64),
        "threshold": np.where(leaf, 0, exact).astype(np.float32),
        "left": np.where(leaf, here, left + shift).astype(np.int64),
        "right": np.where(leaf, here, right + shift).astype(np.int64),
        "value": np.where(leaf, RATE * value.ravel(), 0).astype(np.float32),
    }
