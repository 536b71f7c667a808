"""The five baseline systems of HEvAS: headlines that any other system should beat (HEvAS 2019, section 3.3).

TextRank is Mihalcea and Tarau's (2004): words are linked where they stand side by side, sentences by the words that they
share. Unlike theirs, whose words are nouns and adjectives, vertices are the words that are no stop words. Where the papers
are silent: of equal scores the earlier one wins; a headline ends after exactly the n words of `text.tokens`, in the writing of the article where it is a piece of it.
"""

from collections.abc import Callable, Sequence

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix, diags_array
from sklearn.feature_extraction.text import TfidfVectorizer

from change_it.errors import InputError
from change_it.stats import Floats, Ints
from change_it.text.sentences import sentences
from change_it.text.stopwords import stop_words
from change_it.text.tokens import words

#: A function of documents, words in a headline, seed and language of the stop words.
Baseline = Callable[[Sequence[str], int, int, str], list[str]]

#: Share of a vertex's score that its neighbours decide.
_DAMPING = 0.85
#: The scores are final when none changes by more than this.
_TOLERANCE = 1e-8
#: Documents whose graphs are held at once.
_DOCUMENTS = 500


def baseline(
    name: str, documents: Sequence[str], *, n_words: int = 9, seed: int = 1, language: str = "none"
) -> list[str]:
    """Headlines of a baseline system.

    Args:
        name: one of `BASELINES`: `first`, the first words of the document; `random`, those of a random sentence; `tfidf`, the
            words of highest tf-idf; `wtextrank`, those of highest TextRank; `stextrank`, the first words of the sentence of
            highest TextRank.
        documents: texts of any length.
        n_words: words in a headline, at most.
        seed: of `random`.
        language: whose stop words `tfidf` and TextRank leave out; `none` leaves them in.

    Returns:
        One headline a document; empty for a document without words, and where all its words are left out.

    Raises:
        InputError: an unknown name or language, less than one word.

    Examples:
        >>> baseline("first", ["Il governo cade. Si vota a maggio.", ""], n_words=2)
        ['Il governo', '']
        >>> baseline("wtextrank", ["Cade il governo tecnico. Governo nuovo? Governo Rossi."], n_words=1, language="it")
        ['governo']
    """
    if name not in BASELINES:
        raise InputError(f"no baseline {name!r}: choose one of {', '.join(BASELINES)}")
    if n_words < 1:
        raise InputError(f"a headline of {n_words} words is none: choose 1 or more")
    stop_words(language)  # an unknown language is bad input for all baselines
    return BASELINES[name](documents, n_words, seed, language)


def _first(documents: Sequence[str], n_words: int, seed: int, language: str) -> list[str]:
    return [_beginning(text, n_words) for text in documents]


def _random(documents: Sequence[str], n_words: int, seed: int, language: str) -> list[str]:
    """The first words of a random sentence that has words; one draw a document."""
    draws = np.random.default_rng(seed).random(len(documents))
    chosen = []
    for text, draw in zip(documents, draws, strict=True):
        several = _worded_sentences(text)
        chosen.append(_beginning(several[int(draw * len(several))], n_words) if several else "")
    return chosen


def _tfidf(documents: Sequence[str], n_words: int, seed: int, language: str) -> list[str]:
    texts = [_kept(words(text), stop_words(language)) for text in documents]
    if not any(texts):
        return [""] * len(texts)
    vectorizer = TfidfVectorizer(analyzer=list)
    matrix = vectorizer.fit_transform(texts)
    columns = vectorizer.vocabulary_
    headlines = []
    for row, text in enumerate(texts):
        part = slice(matrix.indptr[row], matrix.indptr[row + 1])
        weights = dict(zip(matrix.indices[part].tolist(), matrix.data[part].tolist(), strict=True))
        distinct = list(dict.fromkeys(text))
        headlines.append(_top(distinct, np.array([weights[columns[word]] for word in distinct]), n_words))
    return headlines


def _wtextrank(documents: Sequence[str], n_words: int, seed: int, language: str) -> list[str]:
    """The words of highest TextRank: linked, without weights, where they stand side by side."""
    headlines = []
    for part in _parts(documents):
        vertices: list[list[str]] = []
        links: list[Ints] = []
        offset = 0
        for text in part:
            every = words(text)
            number = {word: at for at, word in enumerate(dict.fromkeys(_kept(every, stop_words(language))))}
            codes = np.array([number.get(word, -1) for word in every], np.int64)
            left, right = codes[:-1], codes[1:]
            linked = (left >= 0) & (right >= 0) & (left != right)
            links.append(np.stack([left[linked], right[linked]]) + offset)
            vertices.append(list(number))
            offset += len(number)
        left, right = np.concatenate(links, axis=1)
        graph = coo_matrix((np.ones(len(left)), (left, right)), shape=(offset, offset)).tocsr()
        graph = graph + graph.T
        graph.data[:] = 1
        scores = np.split(_text_rank(graph), np.cumsum([len(names) for names in vertices])[:-1])
        headlines += [_top(names, score, n_words) for names, score in zip(vertices, scores, strict=True)]
    return headlines


def _stextrank(documents: Sequence[str], n_words: int, seed: int, language: str) -> list[str]:
    """The first words of the sentence of highest TextRank."""
    headlines = []
    for part in _parts(documents):
        texts = [_worded_sentences(text) for text in part]
        kept = [[_kept(words(sentence), stop_words(language)) for sentence in text] for text in texts]
        graph = _sentence_graph(kept)
        scores = np.split(_text_rank(graph), np.cumsum([len(text) for text in texts])[:-1])
        headlines += [
            _beginning(text[int(score.round(6).argmax())], n_words)
            if text
            else ""  # of equal scores the earlier
            for text, score in zip(texts, scores, strict=True)
        ]
    return headlines


#: The baselines by name; `baseline` checks what it is given first.
BASELINES: dict[str, Baseline] = {
    "first": _first,
    "random": _random,
    "tfidf": _tfidf,
    "wtextrank": _wtextrank,
    "stextrank": _stextrank,
}


def _sentence_graph(texts: Sequence[Sequence[Sequence[str]]]) -> csr_matrix:
    """Sentences × sentences: common words over log of one length + log of the other, 0 between documents."""
    columns: list[int] = []
    sizes: list[int] = []
    lengths: list[int] = []
    offset = 0
    for text in texts:
        numbers: dict[str, int] = {}
        for sentence in text:
            distinct = dict.fromkeys(sentence)
            columns += [offset + numbers.setdefault(word, len(numbers)) for word in distinct]
            sizes.append(len(distinct))
            lengths.append(len(sentence))
        offset += len(numbers)  # so that no two documents share a column
    has = csr_matrix((np.ones(len(columns)), columns, np.r_[0, np.cumsum(sizes)]), shape=(len(sizes), offset))
    graph = (has @ has.T).tocoo()
    logs = np.log(np.maximum(lengths, 1))
    sums = logs[graph.row] + logs[graph.col]
    kept = (graph.row != graph.col) & (sums > 0)  # two sentences of one word have no similarity
    weights = graph.data[kept] / sums[kept]
    return csr_matrix((weights, (graph.row[kept], graph.col[kept])), shape=graph.shape)


def _text_rank(graph: csr_matrix) -> Floats:
    """TextRank of all vertices of a weighted undirected graph: s = (1 - d) + d · Σ_j w_ij / Σ_k w_jk · s_j."""
    degrees = np.asarray(graph.sum(axis=0)).ravel()
    step = graph @ diags_array(np.divide(_DAMPING, degrees, out=np.zeros(len(degrees)), where=degrees > 0))
    scores, change = np.ones(len(degrees)), np.inf
    while change > _TOLERANCE:  # each step shrinks the change by the damping
        new = (1 - _DAMPING) + step @ scores
        change = np.abs(new - scores).max(initial=0)
        scores = new
    return scores


def _top(names: Sequence[str], scores: Floats, n_words: int) -> str:
    """The names of highest score, best first; of equal ones the earlier."""
    order = np.argsort(-scores.round(6), kind="stable")[:n_words]
    return " ".join(names[at] for at in order)


def _beginning(text: str, n_words: int) -> str:
    """The text up to its n-th word, as it is written; a piece like "l'Italia" that holds one word too many is cut."""
    pieces: list[str] = []
    left = n_words
    for piece in text.split():
        if not left:
            break
        in_piece = words(piece)
        pieces.append(piece if len(in_piece) <= left else " ".join(in_piece[:left]))
        left -= min(len(in_piece), left)
    return " ".join(pieces).rstrip(" ,;:–—-(") if left < n_words else ""


def _worded_sentences(text: str) -> list[str]:
    """The sentences of a text that have words."""
    return [sentence for sentence in sentences(text) if words(sentence)]


def _kept(every: Sequence[str], stop: frozenset[str]) -> list[str]:
    """The words that are no stop words."""
    return [word for word in every if word not in stop]


def _parts(documents: Sequence[str]) -> list[Sequence[str]]:
    """The documents in slices."""
    return [documents[start : start + _DOCUMENTS] for start in range(0, len(documents), _DOCUMENTS)]
