"""Compute features and answers of linear judges, on arrays of numpy and scipy.

main is a logistic regression on n-grams of words, marks, capitals and length. HH and AH are gradient boosting
on what two texts share. Fluency is gradient boosting on how often a corpus joins words as a headline does.

Nothing of the package is imported, since this file goes to the Hub with the weights, beside `linear.py` and
`bilstm.py`.
"""

import re
import unicodedata
import zlib
from array import array
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import mmh3
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack

Array = NDArray[Any]
Arrays = dict[str, Array]

#: Columns that words and n-grams of words are hashed to.
WORD_COLUMNS = 2**18
#: Columns that fluency's n-grams of pieces and of letters are hashed to.
COUNT_COLUMNS = 2**19
#: Texts that are read at once.
TEXTS_AT_ONCE = 1024
#: Words of the longest phrase that is looked for twice in a row.
LONGEST_REPEAT = 6
#: Flag of a word that begins with a capital.
CAPITAL = 1
#: Flag of a word that begins with a digit.
NUMBER = 2
#: Flag of a negation.
NEGATION = 4
#: Combining marks, which belong to the letter before them.
COMBINING = "".join(
    chr(code)
    for code in range(0x300, 0x10000)
    if unicodedata.category(chr(code)) in ("Mn", "Mc") and not 0xFE00 <= code < 0xFE10
)
#: Marks that are counted in headlines.
COUNTED_MARKS = ".,:;!?'’\"“”‘«»()[]-–—/|…&%$€£#@*"
#: Further marks. They are counted in the last columns, which earlier judges lack.
FURTHER_MARKS = "„‚‹›「」『』¿¡،؛؟۔।、。"
#: Weight of one standard deviation of a column of `surface_features`, beside the tf-idf of n-grams.
DEVIATION_WEIGHT = 0.3
#: Standard deviations from its mean beyond which such a column is cut.
MOST_DEVIATIONS = 4.0
_LETTER_RUN = rf"[^\W\d_]+(?:[{COMBINING}]+[^\W\d_]*)*"
_TOKEN = re.compile(rf"\w+(?:[{COMBINING}]+\w*)*|[^\w\s]")
_WORD = re.compile(rf"\d+(?:[.,:]\d+)*|{_LETTER_RUN}")
_PIECE = re.compile(rf"\d+(?:[.,:]\d+)*|{_LETTER_RUN}['’]?|[^\w\s]")


def bucket(text: str) -> int:
    """Hash a text to a number of 32 bits, the same in every process."""
    return zlib.crc32(text.encode())


def _row_sums(matrix: csr_matrix) -> Array:
    """Return the sum of each row, (n,)."""
    return np.asarray(matrix.sum(axis=1)).ravel()


def _row_maxima(matrix: csr_matrix) -> Array:
    """Return the largest value of each row, (n,)."""
    return np.asarray(matrix.max(axis=1).todense()).ravel()


def _weighted(matrix: csr_matrix, weights: Array) -> csr_matrix:
    """Put the weight of its column in the place of each stored value."""
    weighted = matrix.copy()
    weighted.data = weights[matrix.indices]
    return weighted


def tfidf(counts: csr_matrix, idf: Array) -> csr_matrix:
    """Weight counts (n, columns) by (1 + log count) * idf, and scale each row to length 1.

    Args:
        counts: Counts of n-grams or words.
        idf: Inverse document frequency of each column, (columns,).
    """
    weights = ((np.log(counts.data) + 1) * idf[counts.indices]).astype(counts.dtype)
    row_of_weight = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    # this sums up from the left and in double precision, as scikit-learn does
    squares = np.bincount(row_of_weight, weights * weights, counts.shape[0])
    lengths = np.sqrt(np.where(squares > 0, squares, 1))
    unit = (weights / lengths[row_of_weight]).astype(counts.dtype)
    return csr_matrix((unit, counts.indices, counts.indptr), counts.shape)


def inverse_frequency(counts: csr_matrix, least: int = 0) -> Array:
    """Return the smooth idf of each column, (columns,), from counts (n, columns).

    Columns that fewer than `least` rows have get 0. Where `least` is 0, all columns get an idf.
    """
    from sklearn.feature_extraction.text import TfidfTransformer  # loads pandas

    rows_of_column = np.bincount(counts.indices, minlength=counts.shape[1])
    idf = TfidfTransformer().fit(counts).idf_
    return np.where(rows_of_column < least, 0, idf).astype(np.float32)


def ngrams(texts: Sequence[str]) -> csr_matrix:
    """Count n-grams of one and two words and marks, cased, float32 (n, WORD_COLUMNS).

    They are those of scikit-learn's `HashingVectorizer`, which hashes alike. Loading it takes longer than
    many answers.
    """
    every: list[str] = []
    ends = [0]
    for text in texts:
        tokens = _TOKEN.findall(text)
        every += tokens
        every += map(" ".join, pairwise(tokens))
        ends.append(len(every))
    hashes = np.array([mmh3.hash(ngram) for ngram in every], np.int64)
    columns = np.abs(hashes) % WORD_COLUMNS
    counts = csr_matrix((np.ones(len(every), np.float32), columns, ends), (len(texts), WORD_COLUMNS))
    counts.sum_duplicates()
    return counts


def surface_features(texts: Sequence[str]) -> Array:
    """Return what headlines look like, float32 (n, features).

    Columns are the numbers of the marks of `COUNTED_MARKS`, the shares of words with a capital and in
    capitals, the length in characters and in words, and the numbers of the marks of `FURTHER_MARKS`.
    """
    rows = [_surface_of(text) for text in texts]
    columns = len(_surface_of(""))
    return np.array(rows, np.float32).reshape(-1, columns)


def _surface_of(text: str) -> list[float]:
    """Return a row of `surface_features`."""
    words = [word for word in text.split() if word[0].isalpha()]
    divisor = max(1, len(words))
    with_capital = sum(word[0].isupper() for word in words)
    in_capitals = sum(map(str.isupper, words))
    row: list[float] = [text.count(mark) for mark in COUNTED_MARKS]
    row.append(with_capital / divisor)
    row.append(in_capitals / divisor)
    row.append(len(text))
    row.append(len(words))
    row.extend(map(text.count, FURTHER_MARKS))
    return row


def features_of_headlines(counts: csr_matrix, surface: Array, arrays: Arrays) -> csr_matrix:
    """Return the features of main, (n, features).

    Args:
        counts: What `ngrams` counts.
        surface: What `surface_features` returns.
        arrays: `idf` of the n-grams; and of the columns of `surface` their `mean` and `scale`, 1 over the
            standard deviation. Without these two a judge sees n-grams alone.
    """
    parts = [tfidf(counts, arrays["idf"])]
    if "mean" in arrays:
        # earlier judges lack the last columns
        known = surface[:, : len(arrays["mean"])]
        deviations = (known - arrays["mean"]) * arrays["scale"]
        cut = np.clip(deviations, -MOST_DEVIATIONS, MOST_DEVIATIONS)
        parts.append(csr_matrix(DEVIATION_WEIGHT * cut))
    return hstack(parts, format="csr")


class WordCodes(dict[str, int]):
    """Numbers words, hashes each when it is met, and reads each text once: a dictionary of words.

    Args:
        negations: Words that are flagged as negations.
    """

    def __init__(self, negations: frozenset[str]):
        super().__init__()
        self._negations = negations
        self._numbers_of_texts: dict[str, array[int]] = {}
        self._columns = array("q")
        self._flags = array("q")

    def __missing__(self, word: str) -> int:
        """Return the number of a word that was not met before, and keep its column and flags."""
        self._columns.append(bucket(word.lower()) % WORD_COLUMNS)
        self._flags.append(_flags_of(word, self._negations))
        number = len(self)
        self[word] = number
        return number

    def read(self, text: str) -> "array[int]":
        """Return the numbers of the words of a text."""
        numbers = self._numbers_of_texts.get(text)
        if numbers is None:
            words = _WORD.findall(unicodedata.normalize("NFC", text))
            numbers = array("i", [self[word] for word in words])
            self._numbers_of_texts[text] = numbers
        return numbers

    def columns(self) -> Array:
        """Return the column that each word is hashed to, in lower case, (distinct words,)."""
        return np.array(self._columns)

    def flags(self) -> Array:
        """Return the sum of the flags of each word, (distinct words,)."""
        return np.array(self._flags)


class Words:
    """The words of texts, hashed, with a flag for capitals, digits and negations.

    Attributes:
        count: Number of texts.
        row: Number of the text that each word is in, (words,).
        word: The column that each word is hashed to, in lower case, (words,).
        flags: Sum of the flags of each word, (words,).
    """

    def __init__(self, texts: Sequence[str], codes: WordCodes):
        number = array("i")
        lengths = []
        for text in texts:
            numbers = codes.read(text)
            number += numbers
            lengths.append(len(numbers))
        numbers_of_words = np.array(number)
        self.count = len(texts)
        self.row = np.repeat(np.arange(len(lengths)), lengths)
        self.word = codes.columns()[numbers_of_words]
        self.flags = codes.flags()[numbers_of_words]

    def matrix(self, flag: int | None = None) -> csr_matrix:
        """Count each word in each text, (count, WORD_COLUMNS); with a flag only the words that have it."""
        rows = self.row
        columns = self.word
        if flag is not None:
            has_flag = (self.flags & flag) > 0
            rows = rows[has_flag]
            columns = columns[has_flag]
        ones = np.ones(len(rows), np.float32)
        matrix = csr_matrix((ones, (rows, columns)), shape=(self.count, WORD_COLUMNS))
        matrix.sum_duplicates()
        return matrix


def _flags_of(word: str, negations: frozenset[str]) -> int:
    """Return the sum of the flags of a word."""
    lower = word.lower()
    flags = 0
    if word[0].isupper():
        flags += CAPITAL
    if lower[0].isdigit():
        flags += NUMBER
    if lower in negations:
        flags += NEGATION
    return flags


#: Monotonicity of each of `features_of_pairs`: a larger value makes a better match (1) or a worse one (-1).
#: The cosine is followed by the eight columns of `_overlap`, four times.
MONOTONICITY = [1, *[1, -1, -1, 1, 1, 1, -1, -1] * 4]


def features_of_pairs(texts: Sequence[str], pairs: Sequence[str], codes: WordCodes, arrays: Arrays) -> Array:
    """Return what n texts share with their n second texts, float32 (n, features).

    The first column is the tf-idf cosine. The eight columns of `_overlap` follow four times: for words and
    names, which are weighted by idf, and for numbers and negations, which all have the weight 1. Each
    distinct text is read once.
    """
    rows = {text: row for row, text in enumerate(dict.fromkeys([*texts, *pairs]))}
    words = Words(list(rows), codes)
    first = np.array([rows[text] for text in texts], np.int64)
    second = np.array([rows[text] for text in pairs], np.int64)
    counts = words.matrix()
    unit = tfidf(counts, arrays["idf"])
    cosine = _row_sums(unit[first].multiply(unit[second]))
    ones = np.ones(WORD_COLUMNS, np.float32)
    features = [
        cosine,
        *_overlap(counts, arrays["idf"], first, second),
        *_overlap(counts, arrays["name"], first, second),
        *_overlap(words.matrix(NUMBER), ones, first, second),
        *_overlap(words.matrix(NEGATION), ones, first, second),
    ]
    return np.column_stack(features).astype(np.float32)


def _overlap(counts: csr_matrix, weights: Array, first: Array, second: Array) -> list[Array]:
    """Compare the words of pairs of texts, eight columns (n,).

    Args:
        counts: Words of texts, (texts, WORD_COLUMNS). A word counts once, however often a text has it.
        weights: Weight of each word, (WORD_COLUMNS,).
        first: The rows of n first texts.
        second: The rows of n second texts.

    Returns:
        The summed weights of the words that both texts have, the first alone, and the second alone. Then the
        smoothed share of the first text, and of the second, that both have. Then the largest weight of a word
        that both have, the first alone, and the second alone.
    """
    weighted = _weighted(counts, weights)
    of_first = weighted[first]
    of_second = weighted[second]
    is_in_second = _weighted(counts, np.ones(WORD_COLUMNS, np.float32))[second]
    of_both = of_first.multiply(is_in_second).tocsr()
    both = _row_sums(of_both)
    all_first = _row_sums(of_first)
    all_second = _row_sums(of_second)
    return [
        both,
        all_first - both,
        all_second - both,
        (both + 1) / (all_first + 1),
        (both + 1) / (all_second + 1),
        _row_maxima(of_both),
        _row_maxima(of_first - of_both),
        _row_maxima(of_second - of_both),
    ]


#: Columns of the codes of a piece: the piece itself.
WORD = 0
#: The last three letters of a word that is not frequent.
ENDING = 1
#: Its last two letters and how long it is.
SHORT_ENDING = 2
#: Its group among many groups of words that appear in similar places, or its ending.
CLUSTER = 3
#: Its group among fewer groups, or its ending.
WIDE_CLUSTER = 4


class NgramTable(NamedTuple):
    """A table of counts of n-grams of pieces.

    Attributes:
        coding: How pieces are told apart, `WORD` to `WIDE_CLUSTER`.
        offsets: How many places before the last piece of an n-gram each of its pieces stands.
        context: The table in `TABLES` of the n-grams without their last piece, which the count is divided by.
    """

    coding: int
    offsets: tuple[int, ...]
    context: int | None = None


#: The tables of fluency, in the order in which a judge saves their counts.
TABLES = (
    NgramTable(WORD, (0,)),
    NgramTable(WORD, (1, 0), context=0),
    NgramTable(WORD, (2, 0)),
    NgramTable(WORD, (2, 1, 0), context=1),
    NgramTable(ENDING, (1, 0)),
    NgramTable(ENDING, (2, 1, 0), context=4),
    NgramTable(ENDING, (3, 2, 1, 0), context=5),
    NgramTable(SHORT_ENDING, (2, 1, 0)),
    NgramTable(SHORT_ENDING, (3, 2, 1, 0), context=7),
    NgramTable(SHORT_ENDING, (4, 3, 2, 1, 0), context=8),
    NgramTable(CLUSTER, (1, 0)),
    NgramTable(CLUSTER, (2, 1, 0), context=10),
    NgramTable(CLUSTER, (3, 2, 1, 0), context=11),
    NgramTable(WIDE_CLUSTER, (2, 1, 0)),
    NgramTable(WIDE_CLUSTER, (3, 2, 1, 0), context=13),
    NgramTable(WIDE_CLUSTER, (4, 3, 2, 1, 0), context=14),
    NgramTable(ENDING, (0,)),
    NgramTable(CLUSTER, (0,)),
)
#: Tables of pairs of pieces whose counts are compared with chance, each with the table of its single pieces.
PAIRED = ((1, 0), (4, 16), (10, 17))
#: The counts behind those of `TABLES`: of n-grams of letters.
LETTERS = len(TABLES)
#: Letters of the n-grams that tell whether a word is spelt like others.
LETTERS_OF_NGRAM = 4
#: Numbers that mix the codes of an n-gram: 2**64 divided by the golden ratio, and bits to the right.
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)
#: Number of the two places before a headline.
_BEGINNING = 0
#: Number of the place after a headline.
_END = 1
#: Columns of the codes of a piece, `WORD` to `WIDE_CLUSTER`.
_CODES = 5


class PieceCodes(dict[str, int]):
    """Numbers pieces, and codes each when it is met: a dictionary of pieces.

    A frequent word is a class of its own, and so is a mark. Other words are classed by their last letters,
    and all numbers are one class. All but rare pieces are also grouped with those that appear in similar
    places.

    Args:
        frequent: Words that are classes of their own.
        clusters: Group of each column that a piece is hashed to, by both groupings, (2, COUNT_COLUMNS).
    """

    def __init__(self, frequent: frozenset[str], clusters: Array):
        super().__init__()
        self._frequent = frequent
        self._clusters = clusters
        # arrays hold a tenth of the memory of lists; a beginning has the codes 1, and an end 2
        self._codes = array("Q", [1] * _CODES + [2] * _CODES)
        self._letters = array("q")
        self._lengths = array("q", [0, 0])

    def __missing__(self, piece: str) -> int:
        """Return the number of a piece that was not met before, and keep its codes."""
        is_word = piece[0].isalpha()
        ending = piece
        short_ending = piece
        if piece[0].isdigit():
            # all numbers are one class
            ending = "~0"
            short_ending = "~0"
        elif is_word and piece not in self._frequent:
            # 0 for up to three letters, 1 for up to seven, 2 for more
            length = min(len(piece), 9) // 4
            ending = f"~{piece[-3:]}"
            short_ending = f"~{piece[-2:]}{length}"
        word_code = bucket(piece)
        ending_code = bucket(ending)
        # group 0 is that of words without a group
        groups = [int(group) or ending_code for group in self._clusters[:, word_code % COUNT_COLUMNS]]
        self._codes.extend((word_code, ending_code, bucket(short_ending), *groups))
        letters = _letter_columns(piece) if is_word else []
        self._letters.extend(letters)
        number = len(self._lengths)
        self._lengths.append(len(letters))
        self[piece] = number
        return number

    def codes(self, coding: int, numbers: Array) -> Array:
        """Return how a coding, `WORD` to `WIDE_CLUSTER`, tells pieces apart, uint64 (pieces,).

        Args:
            coding: The coding.
            numbers: Number of each piece, (pieces,).
        """
        # a view, which is gone before further pieces are met: the array cannot grow under it
        every = np.frombuffer(self._codes, np.uint64).reshape(-1, _CODES)
        return np.asarray(every[numbers, coding])

    def letters(self) -> tuple[Array, Array]:
        """Return the columns of the n-grams of letters of all pieces, and how many each piece has."""
        return np.array(self._letters), np.array(self._lengths)


def _letter_columns(word: str) -> list[int]:
    """Return the columns of a word's n-grams of letters, with a mark at either end of the word."""
    marked = f"^{word}$"
    starts = range(len(marked) - LETTERS_OF_NGRAM + 1)
    return [bucket(marked[start : start + LETTERS_OF_NGRAM]) % COUNT_COLUMNS for start in starts]


class Pieces:
    """Words and marks of headlines, numbered, between two beginnings and an end each.

    Texts are headlines or their `split_pieces`.

    Attributes:
        lengths: Number of pieces of each headline, with its beginnings and its end, (n,).
        numbers: Number of each piece in `PieceCodes`, int32 (pieces,).
    """

    def __init__(self, texts: Sequence[str | list[str]], codes: PieceCodes):
        self._codes = codes
        lengths = []
        numbers = array("i")
        for text in texts:
            pieces = split_pieces(text) if isinstance(text, str) else text
            numbers.extend([_BEGINNING, _BEGINNING, *[codes[piece] for piece in pieces], _END])
            lengths.append(len(pieces) + 3)
        self.lengths = np.array(lengths, np.int64)
        self.numbers = np.array(numbers)

    def codes(self, coding: int) -> Array:
        """Return how a coding, `WORD` to `WIDE_CLUSTER`, tells each piece apart, uint64 (pieces,)."""
        return self._codes.codes(coding, self.numbers)

    def columns(self, number: int, offsets: tuple[int, ...]) -> Array:
        """Hash n-grams to columns of a table, int64 (pieces,).

        Args:
            number: The table in `TABLES`.
            offsets: How many places before each piece the pieces of its n-gram stand. Before a headline there
                are beginnings, never another headline.
        """
        codes = self.codes(TABLES[number].coding)
        places = np.arange(len(codes))
        beginnings = np.cumsum(self.lengths) - self.lengths
        first = np.repeat(beginnings, self.lengths)
        # each table begins with another number, so that n-grams that share a column in one do not in others
        hashed = np.full(len(codes), 7919 * number + 1, np.uint64)
        for offset in offsets:
            hashed ^= codes[np.maximum(places - offset, first)] if offset else codes
            hashed *= _MULTIPLIER
            hashed ^= hashed >> _SHIFT
        # the remainder of a power of 2
        hashed &= np.uint64(COUNT_COLUMNS - 1)
        return hashed.astype(np.int64)

    def count(self, number: int) -> Array:
        """Count the n-grams of a table, or of `LETTERS`, int32 (COUNT_COLUMNS,)."""
        if number != LETTERS:
            columns = self.columns(number, TABLES[number].offsets)
            return np.bincount(columns, minlength=COUNT_COLUMNS).astype(np.int32)
        letter_columns, lengths = self._codes.letters()
        # the letters of a distinct piece count as often as it stands in the texts
        times_of_pieces = np.bincount(self.numbers, minlength=len(lengths))
        times = np.repeat(times_of_pieces, lengths)
        return np.bincount(letter_columns, times, COUNT_COLUMNS).astype(np.int32)

    def rarest(self, letter_counts: Array) -> Array:
        """Return how often the rarest n-gram of each piece's letters was counted, at most 1000, (pieces,).

        A piece without letters has 1000.
        """
        letter_columns, lengths = self._codes.letters()
        has_letters = lengths > 0
        first = np.cumsum(lengths) - lengths
        least = np.full(len(lengths), 1000.0)
        if len(letter_columns):
            least[has_letters] = np.minimum.reduceat(letter_counts[letter_columns], first[has_letters])
        return np.minimum(least, 1000.0)[self.numbers]


def split_pieces(text: str) -> list[str]:
    """Split a text into words and marks, in lower case."""
    return _PIECE.findall(unicodedata.normalize("NFC", text).lower())


class _Summary:
    """Sums up values of pieces over each headline, without its two beginnings but with its end.

    Attributes:
        begin: Place of the first beginning of each headline, (n,).

    Args:
        lengths: Number of pieces of each headline with its beginnings and its end, (n,).
    """

    def __init__(self, lengths: Array):
        self.begin = np.cumsum(lengths) - lengths
        self._lengths = lengths
        self._counts = np.ones(lengths.sum(), bool)
        self._counts[self.begin] = False
        self._counts[self.begin + 1] = False

    def mean(self, values: Array) -> Array:
        """Return the mean of each headline, (n,) from (pieces,)."""
        sums = np.add.reduceat(np.where(self._counts, values, 0.0), self.begin)
        return np.asarray(sums / (self._lengths - 2))

    def features(self, values: Array) -> list[Array]:
        """Return the mean, least, soft least, first and last value of each headline, five columns (n,).

        The last value is that of the end. The soft least one follows all small values, not only the least.
        """
        exponentials = np.exp(-np.clip(values, -12, 12))
        soft = np.add.reduceat(np.where(self._counts, exponentials, 0.0), self.begin)
        least = np.minimum.reduceat(np.where(self._counts, values, np.inf), self.begin)
        first = values[self.begin + 2]
        last = values[self.begin + self._lengths - 1]
        return [self.mean(values), least, -np.log(soft), first, last]


class PieceTimes:
    """Looks up, table by table, how often a corpus has the n-grams that end at each piece of headlines.

    Args:
        texts: The headlines.
    """

    def __init__(self, texts: Pieces):
        self._texts = texts
        # all pieces that were counted
        self._total = 1.0
        # for each table, (pieces,)
        self._times: list[Array] = []
        # for each table of `PAIRED` the pair of the pieces around the one before each piece, (pieces,)
        self._times_around: dict[int, Array] = {}
        # the rarest n-gram of each piece's letters, (pieces,)
        self._rarest_letters = np.empty(0)

    def look_up(self, number: int, counts: Array) -> None:
        """Look up the n-grams of the next table, or of `LETTERS`, which is the last one.

        Tables come in the order of `TABLES`.

        Args:
            number: The table in `TABLES`.
            counts: Its counts in the corpus, (COUNT_COLUMNS,).
        """
        if number == LETTERS:
            self._rarest_letters = self._texts.rarest(counts)
            return
        if number == 0:
            self._total = max(1.0, float(counts.sum()))
        self._times.append(counts[self._texts.columns(number, TABLES[number].offsets)])
        if any(number == pair for pair, _ in PAIRED):
            self._times_around[number] = counts[self._texts.columns(number, (2, 0))]

    def features(self) -> Array:
        """Return features of n headlines, float32 (n, features).

        They sum up what counts say of each piece, and add the length and the shares of unknown and of
        repeated words and pairs.
        """
        texts = self._texts
        times = [of_table.astype(np.float64) for of_table in self._times]
        summary = _Summary(texts.lengths)
        features: list[Array] = []
        for values in self._values_of_pieces(times):
            features += summary.features(values)
        unknown_words = summary.mean(times[0] == 0)
        unknown_pairs = summary.mean(times[1] == 0)
        # lengths count two beginnings and an end; the end stays, so that an empty headline has 1
        length = np.log(texts.lengths - 2.0)
        features += [length, unknown_words, unknown_pairs]
        words_and_endings = np.column_stack([texts.codes(WORD), texts.codes(ENDING)])
        repetitions = []
        for codes in np.split(words_and_endings, summary.begin[1:]):
            # without the two beginnings and the end
            own_pieces = codes[2:-1].tolist()
            repetitions.append(_repetitions(own_pieces))
        # four figures each; the shape stands here for the case of no headlines
        features.extend(np.array(repetitions, np.float64).reshape(-1, 4).T)
        return np.column_stack(features).astype(np.float32)

    def _values_of_pieces(self, times: Sequence[Array]) -> Iterator[Array]:
        """Yield what counts say of each piece, arrays (pieces,), in the order of the comments below.

        Args:
            times: For each table how often the corpus has the n-gram that ends at each piece, (pieces,).
        """
        words = times[0]
        pairs_of_words = times[1]
        total = self._total
        # A headline's first place gets the last one of the headline before, but no figure reads the
        # beginnings.
        words_before = np.roll(words, 1)
        by_chance = (words + 1) * (words_before + 1)
        # how much more often than by chance the word follows the one before
        yield np.log((pairs_of_words + 0.5) * total / by_chance)
        # how often the corpus has the pair of words, and each other n-gram
        for count in times[1:]:
            yield np.log1p(count)
        # how often it has the rarest n-gram of the piece's letters
        yield np.log1p(self._rarest_letters)
        # how often the n-gram follows its context; of words as compared with their frequency
        frequency = np.log((words + 0.5) / total)
        for table, count in zip(TABLES, times, strict=True):
            if table.context is not None:
                context_count = np.roll(times[table.context], 1)
                ratio = np.log((count + 0.3) / (context_count + 1))
                if table.coding == WORD:
                    ratio = ratio - frequency
                yield ratio
        # how much more often than by chance two pieces stand side by side
        for pair, piece in PAIRED:
            single = times[piece]
            beside = _lift(times[pair], single, 1, total)
            times_around = self._times_around[pair].astype(np.float64)
            around = _lift(times_around, single, 2, total)
            # small where the pieces around this one's left neighbour would join better without it
            with_neighbour = beside + np.roll(beside, 1)
            yield beside
            yield with_neighbour - around


def fluency_features(texts: Pieces, counts: Array) -> Array:
    """Return features of n headlines from the counts of a corpus, float32 (n, features).

    Args:
        texts: The headlines.
        counts: Counts of n-grams in a corpus, a row for each of `TABLES`, and one for `LETTERS`.
    """
    times = PieceTimes(texts)
    for number, of_table in enumerate(counts):
        times.look_up(number, of_table)
    return times.features()


def _lift(pairs: Array, pieces: Array, offset: int, total: float) -> Array:
    """Return how much more often than by chance pieces stand `offset` places apart, as a logarithm (pieces,).

    Args:
        pairs: How often each piece was counted with the one so many places before it, (pieces,).
        pieces: How often each piece was counted, (pieces,).
        offset: Places between them.
        total: All pieces that were counted.
    """
    by_chance = pieces * np.roll(pieces, offset) / total
    return np.asarray(np.log((pairs + 1) / (by_chance + 1)))


def _repetitions(codes: list[list[int]]) -> tuple[float, float, int, int]:
    """Measure what a headline says twice.

    Args:
        codes: For each piece its own code and that of its ending. They differ where it is not frequent.

    Returns:
        The share of its words that are repetitions, the same share of its pairs of words, the number of its
        rare words that are, and the number of phrases that appear twice in a row.
    """
    words = [word for word, _ in codes]
    pairs = list(pairwise(words))
    rare = [word for word, ending in codes if word != ending]
    different = len(set(words))
    repeated_words = 1 - different / max(1, len(words))
    repeated_pairs = 1 - len(set(pairs)) / max(1, len(pairs))
    repeated_rare = len(rare) - len(set(rare))
    phrases = 0
    if different < len(words):  # a phrase appears twice in a row only where a word appears twice
        phrases = _count_phrases_twice(words)
    return repeated_words, repeated_pairs, repeated_rare, phrases


def _count_phrases_twice(words: list[int]) -> int:
    """Count the phrases that appear twice in a row, by their places."""
    twice = 0
    for length in range(1, LONGEST_REPEAT + 1):
        for place in range(len(words) - 2 * length + 1):
            middle = place + length
            # the first words alone decide mostly, and no list is cut for them
            is_likely = words[place] == words[middle]
            if is_likely and words[place:middle] == words[middle : middle + length]:
                twice += 1
    return twice


def sum_leaves(features: Array, arrays: Arrays) -> Array:
    """Return the sum of the leaves that trees lead rows to, float64 (n,).

    A row goes left where a feature is at most the threshold.

    Args:
        features: Features of n rows, (n, features).
        arrays: `root` has the first node of each tree. `feature`, `threshold`, `left`, `right` and `value`
            describe all nodes of all trees. A leaf leads to itself.

    Raises:
        ValueError: the trees contain a cycle.
    """
    roots = arrays["root"]
    feature = arrays["feature"]
    threshold = arrays["threshold"]
    left = arrays["left"]
    right = arrays["right"]
    rows = np.arange(len(features))[:, None]
    # the node of each row in each tree
    nodes = np.broadcast_to(roots, (len(features), len(roots)))
    for _ in range(len(feature)):  # no path is longer than the nodes are many
        goes_left = features[rows, feature[nodes]] <= threshold[nodes]
        next_nodes = np.where(goes_left, left[nodes], right[nodes])
        if (next_nodes == nodes).all():
            leaves = arrays["value"][nodes]
            return np.asarray(leaves.sum(axis=1, dtype=np.float64))
        nodes = next_nodes
    raise ValueError("the saved trees contain a cycle")


def _headline_odds(texts: Sequence[str], pairs: Sequence[str], config: Any, arrays: Arrays) -> Array:
    """Return the log odds of class 1 by a regression on n-grams, marks, capitals and length."""
    features = features_of_headlines(ngrams(texts), surface_features(texts), arrays)
    return np.asarray(features @ arrays["weight"], np.float64)


def _printed_odds(texts: Sequence[str], pairs: Sequence[str], config: Any, arrays: Arrays) -> Array:
    """Return the log odds of class 1 by trees on what counts of n-grams in printed texts say."""
    codes = PieceCodes(frozenset(config.frequent or ()), arrays["clusters"])
    headlines = Pieces(texts, codes)
    return sum_leaves(fluency_features(headlines, arrays["counts"]), arrays)


def _pair_odds(texts: Sequence[str], pairs: Sequence[str], config: Any, arrays: Arrays) -> Array:
    """Return the log odds of class 1 by trees on what two texts have in common."""
    codes = WordCodes(frozenset(config.negations or ()))
    return sum_leaves(features_of_pairs(texts, pairs, codes, arrays), arrays)


#: The features that a configuration names, by the judge that they were made for. Another judge may name any
#: of them.
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
    answers = [np.empty(0)]
    for start in range(0, len(texts), TEXTS_AT_ONCE):
        part = slice(start, start + TEXTS_AT_ONCE)
        second_texts = pairs[part] if pairs else ()
        answers.append(odds(texts[part], second_texts, config, arrays))
    return np.concatenate(answers) + constant


def probabilities(odds: Array) -> Array:
    """Return both classes' probabilities, float64 (n, 2), of the log odds of class 1."""
    second = 1 / (1 + np.exp(-np.clip(odds, -30, 30)))
    return np.column_stack([1 - second, second])


def decode_texts(input_ids: Any) -> list[tuple[str, str]]:
    """Decode each row of ids, (rows, bytes), to its two texts; the second is empty where there is none.

    As in `ByT5Tokenizer` an id of 1 ends a text, and the ids 3 to 258 are the bytes 0 to 255.
    """
    rows = []
    for row in input_ids.tolist():
        parts: tuple[list[int], list[int]] = ([], [])
        part = 0
        for number in row:
            if number == 1:
                part += 1
            elif 3 <= number < 259 and part < 2:
                parts[part].append(number - 3)
        first, second = parts
        rows.append((bytes(first).decode(errors="ignore"), bytes(second).decode(errors="ignore")))
    return rows
