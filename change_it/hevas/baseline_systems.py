"""Write the headlines of HEvAS' five baseline systems, which any other system should beat.

They are those of HEvAS 2019, section 3.3.
TextRank is Mihalcea and Tarau's (2004): words are linked where they are adjacent, sentences by the words that
they share. They take nouns and adjectives as vertices; here all words but stop words are vertices.

Where the papers are silent: of equal scores the earlier one wins. A headline ends after exactly the n words
of `text.tokens`, in the writing of the article where it is a piece of it.
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
#: Share of a vertex's rank that it gives to its neighbours, as in both papers of TextRank and PageRank.
_DAMPING = 0.85
#: Decimals of scores. Scores that differ only behind them are equal.
_SCORE_DECIMALS = 6
#: Marks at the end of a headline that is cut, which lead on to a word that it does not have.
_OPEN_MARKS = " ,;:–—-("


def baseline(
    name: str, documents: Sequence[str], *, n_words: int = 9, seed: int = 1, language: str = "none"
) -> list[str]:
    """Write the headlines of a baseline system.

    Args:
        name: one of `BASELINES`: `first`, the first words of the document; `random`, those of a random
            sentence; `tfidf`, the words of highest tf-idf; `wtextrank`, those of highest TextRank;
            `stextrank`, the first words of the sentence of highest TextRank.
        documents: texts of any length.
        n_words: words in a headline, at most.
        seed: seed of `random`.
        language: the stop words of this language are left out by `tfidf` and TextRank; `none` leaves them in.

    Returns:
        One headline a document; empty for a document without words, and where all its words are left out.

    Raises:
        InputError: an unknown name or language, less than one word.

    Examples:
        >>> baseline("first", ["Il governo cade. Si vota a maggio.", ""], n_words=2)
        ['Il governo', '']
        >>> baseline("wtextrank", ["Cade il governo tecnico. Governo nuovo?"], n_words=1, language="it")
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
    worded_sentences = [_sentences(text) for text in documents]
    if name == "stextrank":
        chosen = [_top_sentence(several, stop) for several in worded_sentences]
    else:
        chosen = _random_sentences(worded_sentences, seed)
    return [_beginning(sentence, n_words) for sentence in chosen]


def _without(text: Sequence[str], stop: frozenset[str]) -> list[str]:
    """Return the words of a text that are no stop words."""
    return [word for word in text if word not in stop]


def _sentences(text: str) -> list[str]:
    """Return the sentences of a text that have words; a single empty one where none has."""
    return [sentence for sentence in sentences(text) if words(sentence)] or [""]


def _random_sentences(documents: Sequence[Sequence[str]], seed: int) -> list[str]:
    """Draw a sentence of each document. One number is drawn for each, however many sentences there are."""
    draws = np.random.default_rng(seed).random(len(documents)).tolist()
    chosen = []
    for several, draw in zip(documents, draws, strict=True):
        chosen.append(several[int(draw * len(several))])
    return chosen


def _tfidf(texts: Sequence[Sequence[str]], n_words: int) -> list[str]:
    """Return the words of highest tf-idf of each text."""
    from sklearn.feature_extraction.text import TfidfVectorizer  # loads pandas

    if not any(texts):
        return [""] * len(texts)
    vectorizer = TfidfVectorizer(analyzer=list)
    weights = vectorizer.fit_transform(texts)
    headlines = []
    for text, row in zip(texts, weights, strict=True):
        distinct = list(dict.fromkeys(text))
        columns = [vectorizer.vocabulary_[word] for word in distinct]
        headlines.append(_top(distinct, row.toarray()[0, columns], n_words))
    return headlines


def _wtextrank(text: Sequence[str], stop: frozenset[str], n_words: int) -> str:
    """Return the words of highest TextRank; words are linked, without weights, where they are adjacent."""
    import networkx as nx  # takes long

    graph = nx.Graph()
    graph.add_nodes_from(_without(text, stop))
    for first, second in pairwise(text):
        if first != second and first in graph and second in graph:
            graph.add_edge(first, second)
    return _top(list(graph), _text_rank(graph), n_words)


def _top_sentence(several: Sequence[str], stop: frozenset[str]) -> str:
    """Return the sentence of highest TextRank; of equal ones the first."""
    from networkx import from_scipy_sparse_array

    texts = [_without(words(sentence), stop) for sentence in several]
    if not any(texts):
        return several[0]
    graph = from_scipy_sparse_array(_sentence_links(texts))
    ranks = _text_rank(graph).round(_SCORE_DECIMALS)
    return several[int(ranks.argmax())]


def _sentence_links(texts: Sequence[Sequence[str]]) -> Any:
    """Return the weights of the links between n sentences, a sparse (n, n) matrix.

    A weight is the number of common words, divided by the sum of the logarithms of both lengths. A sentence
    has no link to itself.
    """
    from sklearn.feature_extraction.text import CountVectorizer  # loads pandas

    has_word = CountVectorizer(analyzer=list, binary=True).fit_transform(texts)
    links = (has_word @ has_word.T).tocoo()
    lengths = np.array([len(text) for text in texts])
    products = lengths[links.row] * lengths[links.col]
    is_itself = links.row == links.col
    # two sentences of one word have no similarity
    is_linked = ~is_itself & (products > 1)
    no_links = np.zeros(links.nnz)
    links.data = np.divide(links.data, np.log(products), out=no_links, where=is_linked)
    return links


def _text_rank(graph: Any) -> Floats:
    """Return the TextRank of the n vertices of a graph, (n,): PageRank times n."""
    from networkx import pagerank

    ranks = pagerank(graph, alpha=_DAMPING, tol=1e-10, max_iter=1000)
    return np.array(list(ranks.values())) * len(ranks)


def _top(names: Sequence[str], scores: Floats, n_words: int) -> str:
    """Return the `n_words` words of highest score as a headline, best first; of equal ones the earlier."""
    order = np.argsort(-scores.round(_SCORE_DECIMALS), kind="stable")[:n_words].tolist()
    return " ".join(names[index] for index in order)


def _beginning(text: str, n_words: int) -> str:
    """Return the text up to its n-th word, as it is written; empty for a text without words.

    A piece between spaces may hold several words, like "l'Italia". One that holds too many is cut.
    """
    pieces: list[str] = []
    left = n_words
    for piece in text.split():
        if not left:
            break
        in_piece = words(piece)
        if len(in_piece) > left:
            gap = "" if is_unspaced(piece) else " "
            piece = gap.join(in_piece[:left])
        pieces.append(piece)
        left -= min(len(in_piece), left)
    has_words = left < n_words
    if not has_words:
        return ""
    return " ".join(pieces).rstrip(_OPEN_MARKS)
