"""Features and answers of linear judges, on arrays of numpy and scipy alone: hashed n-grams, and what texts share.

main: logistic regression on word n-grams, marks, capitals and length. HH and AH: gradient boosting on what two texts share. Fluency:
gradient boosting on how often a corpus joins words as a headline does.

Nothing of the package is imported, since this file goes to the Hub with the weights, beside `linear.py` and `bilstm.py`.
"""

import re
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack

Array = NDArray[Any]
Arrays = dict[str, Array]

#: Columns that n-grams and words are hashed to; those of fluency's counts.
SIZE, COUNTS = 2**18, 2**19
#: Texts that are read at once.
TEXTS = 4096
#: Words of a phrase that may appear twice in a row.
LONGEST_REPEAT = 6
#: Flags of a word.
CAPITAL, NUMBER, NEGATION = 1, 2, 4
#: Combining marks, which belong to the letter before them.
COMBINING = "".join(
    chr(code)
    for code in range(0x300, 0x10000)
    if unicodedata.category(chr(code)) in ("Mn", "Mc") and not 0xFE00 <= code < 0xFE10
)
#: Marks that are counted in headlines, and further ones, last of all columns, which earlier judges lack.
MARKS = ".,:;!?'’\"“”‘«»()[]-–—/|…&%$€£#@*"
ADDED = "„‚‹›「」『』¿¡،؛؟۔।、。"
#: The weight of a standard deviation of what is counted, and that beyond which none counts.
WEIGHT, FAR = 0.3, 4.0
_LETTERS = rf"[^\W\d_]+(?:[{COMBINING}]+[^\W\d_]*)*"
_WORD = re.compile(rf"\d+(?:[.,:]\d+)*|{_LETTERS}")
_PIECE = re.compile(rf"\d+(?:[.,:]\d+)*|{_LETTERS}['’]?|[^\w\s]")


def bucket(text: str) -> int:
    """A number for a text, the same in every process."""
    return zlib.crc32(text.encode())


def _sum(matrix: csr_matrix) -> Array:
    return np.asarray(matrix.sum(axis=1)).ravel()


def _most(matrix: csr_matrix) -> Array:
    return np.asarray(matrix.max(axis=1).todense()).ravel()


def _weighted(matrix: csr_matrix, weights: Array | None = None) -> csr_matrix:
    """Each column that a row has, once, with the column's weight."""
    matrix = matrix.copy()
    matrix.data = np.ones_like(matrix.data) if weights is None else weights[matrix.indices]
    return matrix


def tfidf(counts: csr_matrix, idf: Array) -> csr_matrix:
    """Rows of length 1, (1 + log count) * idf."""
    from sklearn.feature_extraction.text import TfidfTransformer  # loads pandas

    transformer = TfidfTransformer(sublinear_tf=True)
    transformer.idf_ = idf
    return transformer.transform(counts)


def inverse_frequency(counts: csr_matrix, least: int = 0) -> Array:
    """Smooth idf of each column, also of those that no row has; 0 of those that fewer than `least` rows have."""
    from sklearn.feature_extraction.text import TfidfTransformer  # loads pandas

    rare = np.bincount(counts.indices, minlength=counts.shape[1]) < least
    return np.where(rare, 0, TfidfTransformer().fit(counts).idf_).astype(np.float32)


def ngrams(texts: Sequence[str]) -> csr_matrix:
    """Counts of 1 and 2 words and marks, cased, (n, SIZE)."""
    from sklearn.feature_extraction.text import HashingVectorizer  # loads pandas

    tokens = rf"\w+(?:[{COMBINING}]+\w*)*|[^\w\s]"
    plain: dict[str, Any] = {"ngram_range": (1, 2), "lowercase": False, "norm": None, "alternate_sign": False}
    return HashingVectorizer(n_features=SIZE, token_pattern=tokens, dtype=np.float32, **plain).transform(
        texts
    )


def surface_features(texts: Sequence[str]) -> Array:
    """Features of each text: marks, shares of words with a capital and in capitals, length in characters and words."""
    rows = []
    for text in texts:
        words = [word for word in text.split() if word[0].isalpha()]
        many = max(1, len(words))
        capitals = sum(word[0].isupper() for word in words) / many, sum(map(str.isupper, words)) / many
        rows.append([*map(text.count, MARKS), *capitals, len(text), len(words), *map(text.count, ADDED)])
    return np.array(rows, np.float32).reshape(-1, len(MARKS) + 4 + len(ADDED))


def features_of_headlines(counts: csr_matrix, marks: Array, arrays: Arrays) -> csr_matrix:
    """Features of main from `ngrams` and `surface_features`; without `mean` and `scale` n-grams alone."""
    parts = [tfidf(counts, arrays["idf"])]
    if "mean" in arrays:
        marks = marks[:, : len(arrays["mean"])]
        parts.append(csr_matrix(WEIGHT * np.clip((marks - arrays["mean"]) * arrays["scale"], -FAR, FAR)))
    return hstack(parts, format="csr")


class Words:
    """The words of texts, hashed, and whether each is a name's, digits or a negation."""

    def __init__(self, texts: Sequence[str], negations: frozenset[str]):
        def number(word: str) -> tuple[int, int]:
            low = word.lower()
            flags = CAPITAL * word[0].isupper() + NEGATION * (low in negations)
            return bucket(low) % SIZE, flags + NUMBER * low[0].isdigit()

        words = [_WORD.findall(unicodedata.normalize("NFC", text)) for text in texts]
        self.count = len(texts)
        self.row = np.repeat(np.arange(len(words)), [len(row) for row in words])
        places = {word: place for place, word in enumerate(dict.fromkeys(chain.from_iterable(words)))}
        numbers = np.array([*map(number, places)], np.int64).reshape(-1, 2)
        self.word, self.flags = numbers[[places[word] for word in chain.from_iterable(words)]].T

    def matrix(self, flag: int | None = None) -> csr_matrix:
        """Counts of each word in each text; with a flag, of the words that have it."""
        flagged = slice(None) if flag is None else (self.flags & flag) > 0
        rows, columns = self.row[flagged], self.word[flagged]
        matrix = csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), shape=(self.count, SIZE))
        matrix.sum_duplicates()
        return matrix


#: Monotonicity of each of `features_of_pairs`: a larger value makes a better match (1) or a worse one (-1).
RISING = [1, *[1, -1, -1, 1, 1, 1, -1, -1] * 4]


def features_of_pairs(texts: Sequence[str], pairs: Sequence[str], config: Any, arrays: Arrays) -> Array:
    """Features of the overlap of n texts and their n second ones, float32 (n, features); each distinct text is read once.

    The tf-idf cosine, then of words, names, numbers and negations the idf that is shared and that each text has alone, the
    share of each text's, and the rarest one that is shared and missed.
    """
    rows = {text: row for row, text in enumerate(dict.fromkeys([*texts, *pairs]))}
    words = Words(list(rows), frozenset(config.negations or ()))
    first, second = (np.array([rows[text] for text in side], np.int64) for side in (texts, pairs))
    word = words.matrix()
    unit = tfidf(word, arrays["idf"])
    features = [_sum(unit[first].multiply(unit[second]))]
    flagged = [(words.matrix(flag), np.ones(SIZE, np.float32)) for flag in (NUMBER, NEGATION)]
    for matrix, weights in ((word, arrays["idf"]), (word, arrays["name"]), *flagged):
        bare, weighted = _weighted(matrix), _weighted(matrix, weights)
        a, b = weighted[first], weighted[second]
        both = a.multiply(bare[second]).tocsr()
        shared, all_a, all_b = _sum(both), _sum(a), _sum(b)
        features += [shared, all_a - shared, all_b - shared]
        features += [(shared + 1) / (all_a + 1), (shared + 1) / (all_b + 1)]
        features += [_most(both), _most(a - both), _most(b - both)]
    return np.column_stack(features).astype(np.float32)


#: Tables of fluency: the coding (0 words, 1 and 2 endings, 3 and 4 clusters) and the offsets of an n-gram's pieces, and the table of its context.
TABLES: tuple[tuple[int, tuple[int, ...], int | None], ...] = (
    (0, (0,), None), (0, (1, 0), 0), (0, (2, 0), None), (0, (2, 1, 0), 1),
    (1, (1, 0), None), (1, (2, 1, 0), 4), (1, (3, 2, 1, 0), 5),
    (2, (2, 1, 0), None), (2, (3, 2, 1, 0), 7), (2, (4, 3, 2, 1, 0), 8),
    (3, (1, 0), None), (3, (2, 1, 0), 10), (3, (3, 2, 1, 0), 11),
    (4, (2, 1, 0), None), (4, (3, 2, 1, 0), 13), (4, (4, 3, 2, 1, 0), 14),
    (1, (0,), None), (3, (0,), None),
)  # fmt: skip
#: Tables of pairs that are held against chance, each with the table of its single pieces.
PAIRED = ((1, 0), (4, 16), (10, 17))
#: Letters of the n-grams that tell whether a word is spelt like others.
LETTERS = 4


class Pieces:
    """Words and marks of headlines (or their `pieces`) between two beginnings and an end, as themselves and as classes.

    A class is a frequent word itself, and of others their last letters, or the words that appear in similar places (`clusters`).
    """

    def __init__(self, texts: Sequence[str | list[str]], frequent: frozenset[str], clusters: Array):
        known: dict[str, tuple[int, ...]] = {}
        self.spelt: list[list[int]] = []  # for each different piece the columns of its letters

        def number(piece: str) -> tuple[int, ...]:
            if piece not in known:
                fine = coarse = piece
                if piece[0].isdigit():
                    fine = coarse = "~0"
                elif piece[0].isalpha() and piece not in frequent:
                    fine, coarse = "~" + piece[-3:], f"~{piece[-2:]}{min(len(piece), 9) // 4}"
                whole, ending, short = bucket(piece), bucket(fine), bucket(coarse)
                groups = [int(group) or ending for group in clusters[:, whole % COUNTS]]
                known[piece] = (whole, ending, short, *groups, len(self.spelt))
                letters = f"^{piece}$" if piece[0].isalpha() else ""
                runs = (letters[start : start + LETTERS] for start in range(len(letters) - LETTERS + 1))
                self.spelt.append([bucket(run) % COUNTS for run in runs])
            return known[piece]

        begin, end = (1, 1, 1, 1, 1, 0), (2, 2, 2, 2, 2, 0)
        self.spelt.append([])
        split = (pieces(text) if isinstance(text, str) else text for text in texts)
        rows = [[begin] * 2 + [number(piece) for piece in row] + [end] for row in split]
        self.lengths = np.array([len(row) for row in rows])
        self.codes = np.array([codes for row in rows for codes in row], np.uint64).reshape(-1, 6)

    def buckets(self) -> Iterator[Array]:
        """For each table the column of the n-gram that ends at each piece, one table at a time in memory."""
        return (self.columns(table, offsets) for table, (_, offsets, _) in enumerate(TABLES))

    def columns(self, table: int, offsets: tuple[int, ...]) -> Array:
        """For each piece the column in a table of the pieces so many places before it; before a headline there are beginnings, never another one."""
        first = np.repeat(np.cumsum(self.lengths) - self.lengths, self.lengths)
        mixed = np.full(len(self.codes), 7919 * table + 1, np.uint64)
        for offset in offsets:
            before = np.maximum(np.arange(len(first)) - offset, first)
            mixed = (mixed ^ self.codes[before, TABLES[table][0]]) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
        return (mixed % np.uint64(COUNTS)).astype(np.int64)

    def counts(self) -> Array:
        """Counts of the n-grams of pieces, and of letters, in the texts, (tables + 1, COUNTS)."""
        times = np.bincount(self.codes[:, -1].astype(np.int64), minlength=len(self.spelt))
        times = np.repeat(times, [len(columns) for columns in self.spelt])
        letters = np.array(list(chain.from_iterable(self.spelt)), np.int64)
        counts = np.empty((len(TABLES) + 1, COUNTS), np.int32)
        for table, columns in zip(counts, self.buckets(), strict=False):
            table[:] = np.bincount(columns, minlength=COUNTS)
        counts[-1] = np.bincount(letters, times, COUNTS)
        return counts

    def rarest(self, counts: Array) -> Array:
        """The least count of each piece's letter n-grams."""
        least = [counts[columns].min() if columns else np.inf for columns in self.spelt]
        return np.minimum(np.array(least), 1000.0)[self.codes[:, -1].astype(np.int64)]


def pieces(text: str) -> list[str]:
    """Words and marks, in lower case."""
    return _PIECE.findall(unicodedata.normalize("NFC", text).lower())


def fluency_features(texts: Pieces, counts: Array) -> Array:
    """Features of n headlines from the counts of a corpus, float32 (n, features).

    Mean, least, soft least, first and last of each table's counts, of their ratio to the context's, and of how much more often than by
    chance two pieces stand side by side; length; shares of unknown and of repeated words and pairs.
    """
    buckets = zip(counts[:-1], texts.buckets(), strict=True)
    times = [table[columns].astype(np.float64) for table, columns in buckets]  # of each table
    total = max(1.0, float(counts[0].sum()))
    single = np.log((times[0] + 0.5) / total)
    values = [np.log((times[1] + 0.5) * total / ((times[0] + 1) * (np.roll(times[0], 1) + 1)))]
    values += [np.log1p(count) for count in (*times[1:], texts.rarest(counts[-1]))]
    for (coding, _, context), count in zip(TABLES, times, strict=True):
        if context is not None:
            ratio = np.log((count + 0.3) / (np.roll(times[context], 1) + 1))
            values.append(ratio - single if coding == 0 else ratio)
    for pair, piece in PAIRED:
        beside = _lift(times[pair], times[piece], 1, total)
        # small where the pieces around this one's left neighbour would join better without it
        without = _lift(counts[pair][texts.columns(pair, (2, 0))].astype(np.float64), times[piece], 2, total)
        values += [beside, beside + np.roll(beside, 1) - without]
    lengths = texts.lengths
    begin = np.cumsum(lengths) - lengths
    is_piece = np.ones(len(single), bool)
    is_piece[begin] = is_piece[begin + 1] = False
    features: list[Array] = []

    def mean(value: Array) -> Array:
        return np.add.reduceat(np.where(is_piece, value, 0.0), begin) / (lengths - 2)

    for value in values:
        soft = np.add.reduceat(np.where(is_piece, np.exp(-np.clip(value, -12, 12)), 0.0), begin)
        least = np.minimum.reduceat(np.where(is_piece, value, np.inf), begin)
        features += [mean(value), least, -np.log(soft), value[begin + 2], value[begin + lengths - 1]]
    rows = np.split(texts.codes[:, :2], begin[1:])
    repeated = np.array([_repeats(row[2:-1].tolist()) for row in rows], np.float64).reshape(-1, 4)
    features += [np.log(lengths - 2.0), mean(times[0] == 0), mean(times[1] == 0), *repeated.T]
    return np.column_stack(features).astype(np.float32)


def _lift(pairs: Array, pieces: Array, offset: int, total: float) -> Array:
    """Log of how often a piece and the one so many places before it appear side by side, over how often by chance."""
    return np.asarray(np.log((pairs + 1) / (pieces * np.roll(pieces, offset) / total + 1)))


def _repeats(codes: list[list[int]]) -> tuple[float, ...]:
    """The shares of a headline's words and pairs that it had before, its rare words that it had, and its phrases that appear twice in a row."""
    words = [word for word, _ in codes]
    pairs = list(pairwise(words))
    rare = [word for word, kind in codes if word != kind]
    different = len(set(words))
    # Only a headline that has a word twice can have a phrase twice in a row.
    twice = _phrases_twice(words) if different < len(words) else 0
    shares = (1 - different / max(1, len(words)), 1 - len(set(pairs)) / max(1, len(pairs)))
    return *shares, len(rare) - len(set(rare)), twice


def _phrases_twice(words: list[int]) -> int:
    """Count the phrases that appear twice in a row, by their places."""
    twice = 0
    for length in range(1, LONGEST_REPEAT + 1):
        for place in range(len(words) - 2 * length + 1):
            middle = place + length
            if words[place] == words[middle]:
                twice += words[place:middle] == words[middle : middle + length]
    return twice


def boosted(features: Array, arrays: Arrays) -> Array:
    """Sum of the trees' leaves, (n,) of features (n, f): a row goes left where a feature is at most the threshold."""
    place = np.broadcast_to(arrays["root"], (len(features), len(arrays["root"])))
    rows = np.arange(len(features))[:, None]
    for _ in range(len(arrays["feature"])):  # no path is longer than the nodes are many
        left = features[rows, arrays["feature"][place]] <= arrays["threshold"][place]
        further = np.where(left, arrays["left"][place], arrays["right"][place])
        if (further == place).all():
            return np.asarray(arrays["value"][place].sum(axis=1, dtype=np.float64))
        place = further
    raise ValueError("its trees have a circle")


def _headline_odds(texts: Sequence[str], pairs: Sequence[str], config: Any, arrays: Arrays) -> Array:
    """Return the log odds of class 1 by a regression on n-grams, marks, capitals and length."""
    features = features_of_headlines(ngrams(texts), surface_features(texts), arrays)
    return np.asarray(features @ arrays["weight"], np.float64)


def _printed_odds(texts: Sequence[str], pairs: Sequence[str], config: Any, arrays: Arrays) -> Array:
    """Return the log odds of class 1 by trees on what counts of n-grams in printed texts say."""
    headlines = Pieces(texts, frozenset(config.frequent or ()), arrays["clusters"])
    return boosted(fluency_features(headlines, arrays["counts"]), arrays)


def _pair_odds(texts: Sequence[str], pairs: Sequence[str], config: Any, arrays: Arrays) -> Array:
    """Return the log odds of class 1 by trees on what two texts have in common."""
    return boosted(features_of_pairs(texts, pairs, config, arrays), arrays)


#: The features that a configuration names, by the judges that they were made for; a new judge may see those of any.
FEATURES = {"main": _headline_odds, "fluency": _printed_odds, "hh": _pair_odds, "ah": _pair_odds}


def reads_pairs(judges: str) -> bool:
    """Return whether a configuration's features are of two texts."""
    return FEATURES[judges] is _pair_odds


def decision(
    texts: Sequence[str], pairs: Sequence[str] | None, config: Any, arrays: Arrays, constant: float
) -> Array:
    """Return the log odds of class 1, float64 (n,), of n texts, or of n texts and their n second ones."""
    odds = FEATURES[config.judges]
    texts = [unicodedata.normalize("NFC", text) for text in texts]
    parts = [slice(start, start + TEXTS) for start in range(0, len(texts), TEXTS)]
    answers = [odds(texts[part], (pairs and pairs[part]) or (), config, arrays) for part in parts]
    return np.concatenate([np.empty(0), *answers]) + constant


def probabilities(odds: Array) -> Array:
    """Return both classes' probabilities, float64 (n, 2), of the log odds of class 1."""
    second = 1 / (1 + np.exp(-np.clip(odds, -30, 30)))
    return np.column_stack([1 - second, second])


def texts_of(input_ids: Any) -> list[list[str]]:
    """The two texts, the second one maybe empty, that each row of ids of bytes stands for: 1 ends a text, 3 is byte 0."""
    rows = []
    for row in input_ids.tolist():
        parts: list[list[int]] = [[], []]
        part = 0
        for number in row:
            part += number == 1
            if 3 <= number < 259 and part < 2:
                parts[part].append(number - 3)
        rows.append([bytes(text).decode(errors="ignore") for text in parts])
    return rows
