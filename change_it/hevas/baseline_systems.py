"""The five baseline systems of HEvAS: headlines that any other system should beat (HEvAS 2019, section 3.3).

TextRank is Mihalcea and Tarau's (2004): words are linked where they are adjacent, sentences by the words that they
share. They take nouns and adjectives as vertices; here all words but stop words are vertices. Where the papers
are silent: of equal scores the earlier one wins; a headline ends after exactly the n words of `text.tokens`, in the writing of the article where it is a piece of it.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import get_args

import numpy as np
from scipy.sparse import csr_matrix

from change_it.errors import InputError
from change_it.hevas.metric_options import Baseline
from change_it.stats import Floats
from change_it.text.sentences import sentences
from change_it.text.stopwords import stop_words
from change_it.text.tokens import is_unspaced, words

#: The systems by name.
BASELINES = get_args(Baseline)
#: Share of a vertex's score that its neighbours decide.
_DAMPING = 0.85
#: Sentences of a document that are ranked, at most: links are as many as their square.
_SENTENCES = 1_000
#: The scores of n vertices are final when they change by no more than n times this on average.
_TOLERANCE = 1e-10


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
        language: the stop words of this language are left out by `tfidf` and TextRank; `none` leaves them in.

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
        raise InputError(f"a headline has at least one word, not {n_words}")
    stop = stop_words(language)
    if name == "first":
        return [_beginning(text, n_words) for text in documents]
    if name == "random":
        draws = np.random.default_rng(seed).random(len(documents)).tolist()  # one a document
        return [_random(text, draw, n_words) for text, draw in zip(documents, draws, strict=True)]
    if name == "tfidf":
        return _tfidf([_kept(words(text), stop) for text in documents], n_words)
    rank = _wtextrank if name == "wtextrank" else _stextrank
    return [rank(text, stop, n_words) for text in documents]


def _random(text: str, draw: float, n_words: int) -> str:
    """The first words of a random sentence that has words."""
    several = _worded_sentences(text)
    return _beginning(several[int(draw * len(several))], n_words) if several else ""


def _tfidf(texts: Sequence[Sequence[str]], n_words: int) -> list[str]:
    """The words of highest tf-idf of each text."""
    if not any(texts):
        return [""] * len(texts)
    from sklearn.feature_extraction.text import TfidfVectorizer  # loads pandas

    vectorizer = TfidfVectorizer(analyzer=list)
    matrix = vectorizer.fit_transform(texts)
    columns = vectorizer.vocabulary_
    headlines = []
    for text, row in zip(texts, matrix, strict=True):
        distinct = list(dict.fromkeys(text))
        weights = row.toarray()[0, [columns[word] for word in distinct]]
        headlines.append(_top(distinct, weights, n_words))
    return headlines


def _wtextrank(text: str, stop: frozenset[str], n_words: int) -> str:
    """The words of highest TextRank: linked, without weights, where they are adjacent."""
    every = words(text)
    kept = {word: at for at, word in enumerate(dict.fromkeys(_kept(every, stop)))}
    pairs = (pair for pair in pairwise(every) if pair[0] != pair[1] and kept.keys() >= {*pair})
    links = {(kept[a], kept[b]) for pair in pairs for a, b in (pair, pair[::-1])}
    places = np.array([*links], np.int64).reshape(-1, 2).T
    matrix = csr_matrix((np.ones(len(links)), tuple(places)), shape=(len(kept), len(kept)))
    return _top(list(kept), _text_rank(matrix), n_words)


def _stextrank(text: str, stop: frozenset[str], n_words: int) -> str:
    """The first words of the sentence of highest TextRank, of equal ones the first: weights are common words over log of one length + log of the other."""
    from sklearn.feature_extraction.text import CountVectorizer  # loads pandas

    several = _worded_sentences(text)[:_SENTENCES]
    kept = [_kept(words(sentence), stop) for sentence in several]
    if not any(kept):
        return _beginning("".join(several[:1]), n_words)
    having = CountVectorizer(analyzer=list, binary=True).fit_transform(kept)
    links = (having @ having.T).tocoo()
    lengths = np.array([*map(len, kept)])
    products = lengths[links.row] * lengths[links.col]
    linked = (links.row != links.col) & (products > 1)  # two sentences of one word have no similarity
    links.data = np.divide(links.data, np.log(products), out=np.zeros(links.nnz), where=linked)
    return _beginning(several[_text_rank(links.tocsr()).round(6).argmax()], n_words)


def _text_rank(links: csr_matrix) -> Floats:
    """TextRank of n vertices with (n, n) weights of links, the same in both directions: PageRank by power iteration, times n."""
    n, sums = links.shape[0], links.sum(axis=1).A1
    inverse = np.divide(1, sums, out=np.zeros(n), where=sums > 0)
    ranks, change = np.ones(n), np.inf
    while change > _TOLERANCE * n**2:
        spread = links @ (ranks * inverse) + ranks[sums == 0].sum() / max(1, n)
        ranks, last = _DAMPING * spread + 1 - _DAMPING, ranks
        change = np.abs(ranks - last).sum()
    return ranks


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
        gap = "" if is_unspaced(piece) else " "
        pieces.append(piece if len(in_piece) <= left else gap.join(in_piece[:left]))
        left -= min(len(in_piece), left)
    return " ".join(pieces).rstrip(" ,;:–—-(") if left < n_words else ""


def _worded_sentences(text: str) -> list[str]:
    """The sentences of a text that have words."""
    return [sentence for sentence in sentences(text) if words(sentence)]


def _kept(every: Sequence[str], stop: frozenset[str]) -> list[str]:
    """The words that are no stop words."""
    return [word for word in every if word not in stop]
