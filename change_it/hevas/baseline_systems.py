"""The five baseline systems of HEvAS: headlines that any other system should beat (HEvAS 2019, section 3.3).

TextRank is Mihalcea and Tarau's (2004): words are linked where they stand side by side, sentences by the words that they
share. Unlike theirs, whose words are nouns and adjectives, vertices are the words that are no stop words. Where the papers
are silent: of equal scores the earlier one wins; a headline ends after exactly the n words of `text.tokens`, in the writing of the article where it is a piece of it.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise
from math import log
from typing import get_args

import numpy as np

from change_it.errors import InputError
from change_it.hevas.metric_options import Baseline
from change_it.stats import Floats
from change_it.text.sentences import sentences
from change_it.text.stopwords import stop_words
from change_it.text.tokens import words

#: The systems by name.
BASELINES = get_args(Baseline)
#: Share of a vertex's score that its neighbours decide.
_DAMPING = 0.85
#: The scores are final when they change by no more than this on average.
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
    """The words of highest TextRank: linked, without weights, where they stand side by side."""
    every = words(text)
    kept = dict.fromkeys(_kept(every, stop))
    links = [(a, b, 1.0) for a, b in pairwise(every) if a != b and a in kept and b in kept]
    return _top(list(kept), _text_rank(kept, links), n_words)


def _stextrank(text: str, stop: frozenset[str], n_words: int) -> str:
    """The first words of the sentence of highest TextRank, of equal ones the first: weights are common words over log of one length + log of the other."""
    several = _worded_sentences(text)
    kept = [_kept(words(sentence), stop) for sentence in several]
    links = [
        (i, j, common / log(len(one) * len(other)))
        for (i, one), (j, other) in combinations(enumerate(kept), 2)
        # two sentences of one word have no similarity
        if (common := len({*one} & {*other})) and len(one) * len(other) > 1
    ]
    ranks = _text_rank(range(len(kept)), links)
    return _beginning(several[ranks.round(6).argmax()], n_words) if several else ""


def _text_rank(vertices: Iterable[object], links: Sequence[tuple[object, object, float]]) -> Floats:
    """TextRank of all vertices: PageRank of the weighted links, times their number."""
    try:
        import networkx
    except ImportError as error:
        raise InputError("TextRank requires networkx: pip install networkx") from error
    graph = networkx.Graph()
    graph.add_nodes_from(vertices)
    graph.add_weighted_edges_from(links)
    scores = networkx.pagerank(graph, alpha=_DAMPING, tol=_TOLERANCE, max_iter=1000)
    return np.array(list(scores.values())) * len(scores)


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
