"""The five baseline systems of HEvAS: headlines that any other system should beat (HEvAS 2019, section 3.3).

TextRank is Mihalcea and Tarau's (2004): words are linked where they are adjacent, sentences by the words that they
share. They take nouns and adjectives as vertices; here all words but stop words are vertices. Where the papers
are silent: of equal scores the earlier one wins; a headline ends after exactly the n words of `text.tokens`, in the writing of the article where it is a piece of it.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np

from change_it.errors import InputError
from change_it.stats import Floats
from change_it.text.sentences import sentences
from change_it.text.stopwords import stop_words
from change_it.text.tokens import is_unspaced, words

Baseline = Literal["first", "random", "tfidf", "wtextrank", "stextrank"]
#: The systems by name.
BASELINES = get_args(Baseline)


def baseline(
    name: str, documents: Sequence[str], *, n_words: int = 9, seed: int = 1, language: str = "none"
) -> list[str]:
    """Write the headlines of a baseline system.

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
    if name == "tfidf":
        return _tfidf([_without(words(text), stop) for text in documents], n_words)
    if name == "wtextrank":
        return [_wtextrank(words(text), stop, n_words) for text in documents]
    if name == "first":
        return [_beginning(text, n_words) for text in documents]
    several = [list(filter(words, sentences(text))) or [""] for text in documents]
    if name == "stextrank":
        return [_beginning(_top_sentence(texts, stop), n_words) for texts in several]
    draws = np.random.default_rng(seed).random(len(documents)).tolist()  # one a document
    texts = [parts[int(draw * len(parts))] for parts, draw in zip(several, draws, strict=True)]
    return [_beginning(text, n_words) for text in texts]


def _without(text: Sequence[str], stop: frozenset[str]) -> list[str]:
    return [word for word in text if word not in stop]


def _tfidf(texts: Sequence[Sequence[str]], n_words: int) -> list[str]:
    """Return the words of highest tf-idf of each text."""
    from sklearn.feature_extraction.text import TfidfVectorizer  # loads pandas

    if not any(texts):
        return [""] * len(texts)
    vectorizer = TfidfVectorizer(analyzer=list)
    rows, columns = vectorizer.fit_transform(texts), vectorizer.vocabulary_
    distinct = (list(dict.fromkeys(text)) for text in texts)
    return [
        _top(names, row.toarray()[0, [columns[word] for word in names]], n_words)
        for names, row in zip(distinct, rows, strict=True)
    ]


def _wtextrank(text: Sequence[str], stop: frozenset[str], n_words: int) -> str:
    """Return the words of highest TextRank: linked, without weights, where they are adjacent."""
    import networkx as nx  # takes long

    graph = nx.Graph()
    graph.add_nodes_from(_without(text, stop))
    graph.add_edges_from([pair for pair in pairwise(text) if pair[0] != pair[1] and graph.nodes >= {*pair}])
    return _top(list(graph), _text_rank(graph), n_words)


def _top_sentence(several: Sequence[str], stop: frozenset[str]) -> str:
    """Return the sentence of highest TextRank, of equal ones the first: weights are common words over log of one length + log of the other."""
    from networkx import from_scipy_sparse_array
    from sklearn.feature_extraction.text import CountVectorizer  # loads pandas

    texts = [_without(words(sentence), stop) for sentence in several]
    if not any(texts):
        return several[0]
    having = CountVectorizer(analyzer=list, binary=True).fit_transform(texts)
    links = (having @ having.T).tocoo()
    lengths = np.array([*map(len, texts)])
    products = lengths[links.row] * lengths[links.col]
    linked = (links.row != links.col) & (products > 1)  # two sentences of one word have no similarity
    links.data = np.divide(links.data, np.log(products), out=np.zeros(links.nnz), where=linked)
    return several[int(_text_rank(from_scipy_sparse_array(links)).round(6).argmax())]


def _text_rank(graph: Any) -> Floats:
    """Return the TextRank of the n vertices of a graph: PageRank times n."""
    from networkx import pagerank

    ranks = pagerank(graph, alpha=0.85, tol=1e-10, max_iter=1000)
    return np.array([*ranks.values()]) * len(ranks)


def _top(names: Sequence[str], scores: Floats, n_words: int) -> str:
    """Return the names of highest score, best first; of equal ones the earlier."""
    order = np.argsort(-scores.round(6), kind="stable")[:n_words].tolist()
    return " ".join(names[index] for index in order)


def _beginning(text: str, n_words: int) -> str:
    """Return the text up to its n-th word, as it is written; a piece like "l'Italia" that holds one word too many is cut."""
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
