"""The metrics of HEvAS by name, the options that their values depend on, and families of metrics that share their work."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING, Literal

from change_it.errors import InputError
from change_it.hevas.documents import Documents, System
from change_it.stats import Floats
from change_it.text.stopwords import stop_words
from change_it.text.tokens import words_of

if TYPE_CHECKING:
    from change_it.hevas.spaces import TextSpace

#: The metrics of each category of the paper, in the order of tables; JS is ours.
CATEGORIES = {
    "informativeness": [
        *("R-1", "R-2", "R-SU", "R-WSU"),
        *(f"{name}-{kind}" for name in ("LSA", "TM", "WE", "KL", "JS") for kind in "CS"),
    ],
    "readability": ["PNR", "NR", "PR", "Fog", "AWL"],
}
METRICS = [*CATEGORIES["informativeness"], *CATEGORIES["readability"]]
#: The metrics that compare with reference headlines.
WITH_REFERENCES = [name for name in METRICS if name.startswith("R-") or name.endswith("-S")]


@dataclass(kw_only=True)
class MetricOptions:
    """Options that the values of the metrics depend on."""

    language: str = "it"
    """Language of documents and headlines: it or en; others, such as de, with --stop-words and without PNR, NR and PR."""
    stop_words: str = ""
    """Words that LSI, LDA and baselines leave out: it, en or none; those of the language when not given."""
    weights: Literal["tf", "tf-idf"] = "tf"
    """Word weights of KL and JS; tf-idf learns from the documents."""
    lsi: str = "ratio:0.1"
    """Eigenvalues that LSI keeps: 50 the largest ones, ratio:0.1 this share of them, ratio:1 all, threshold:0.1 those of at least this value."""
    topics: int = 10
    """LDA topics."""
    vectors: Path | None = None
    """Word vectors for WE: a word2vec file, with .bin in its name if it is binary, .gz or not; trained on the documents when not given, which takes thousands to be worth it."""
    seed: int = 1
    """Seed of LDA, trained word vectors, the baseline random and bootstrap intervals."""


def parse_lsi(text: str) -> tuple[str, float]:
    """Return `number`, `ratio` or `threshold` and its value, of `MetricOptions.lsi`."""
    match = re.fullmatch(r"(?:(ratio|threshold):)?(\d+(?:\.\d+)?)", text)
    name, value = (match[1] or "number", float(match[2])) if match else ("", 0.0)
    fits = {"number": value.is_integer() and value > 0, "ratio": 0 < value <= 1, "threshold": True}
    if not fits.get(name):
        raise InputError(
            f"LSI cannot keep eigenvalues by {text!r}: give a number as 50, a share as ratio:0.1 or a least value as threshold:0.1"
        )
    return name, value


def chosen_metrics(names: Sequence[str]) -> tuple[str, ...]:
    """Return the metrics of names and categories in the order of `METRICS`, each once; all when none is named."""
    if unknown := [name for name in names if name not in {*METRICS, *CATEGORIES}]:
        known = ", ".join([*CATEGORIES, *METRICS])
        raise InputError(f"no metric called {', '.join(unknown)}: choose from {known}")
    wanted = {metric for name in names for metric in CATEGORIES.get(name, [name])}
    return tuple(name for name in METRICS if name in wanted or not names)


def check_input(documents: Documents, metrics: Sequence[str], options: MetricOptions) -> None:
    """Refuse what would fail only after minutes, or not at all."""
    lacking = [name for name in metrics if name in WITH_REFERENCES and documents.references is None]
    if lacking:
        raise InputError(
            f"{documents.name} has no column headline, which {', '.join(lacking)} need as references: name that column, or "
            "choose metrics without them"
        )
    parse_lsi(options.lsi)
    try:
        stop_words(options.stop_words or options.language)
    except InputError as error:
        raise InputError(f"{error}; for another language give stop_words none") from None


class Work:
    """Data that the families share: words of documents, of their references and of the headlines of each system, and notes for the signature."""

    def __init__(self, documents: Documents, systems: Sequence[System], options: MetricOptions) -> None:
        self.texts = {system.name: system.headlines for system in systems}
        self.words = _interned(documents.texts)
        self.references = [_interned(several) for several in documents.references or ()]
        self.headlines = {name: _interned(headlines) for name, headlines in self.texts.items()}
        self.options, self.stop_words = options, options.stop_words or options.language
        self.notes: list[str] = []


def _interned(texts: Sequence[str]) -> list[list[str]]:
    """Return the words of each text; equal words are one object."""
    return [list(map(intern, words)) for words in words_of(texts)]


#: Metrics that are computed at once, and what gives the (n,) values of each for a system by its name.
Measures = dict[tuple[str, ...], Callable[[str], Iterable[Floats]]]


def _readability(work: Work) -> Measures:
    from change_it.hevas.readability import average_word_length, fog

    return {
        ("Fog",): lambda system: [fog(work.headlines[system], work.options.language)],
        ("AWL",): lambda system: [average_word_length(work.headlines[system])],
    }


def _tags(work: Work) -> Measures:
    from change_it.hevas.readability import tag_ratios
    from change_it.text.tagging import load_tagger

    language, tagger = work.options.language, load_tagger(work.options.language)
    work.notes.append("tagger:perceptron")
    return {("PNR", "NR", "PR"): lambda system: tag_ratios(work.texts[system], tagger, language)}


def _rouge(work: Work) -> Measures:
    from change_it.text.rouge import headline_rouge

    def measure(*names: str) -> Callable[[str], Iterable[Floats]]:
        return lambda system: headline_rouge(work.headlines[system], work.references, measures=names).values()

    work.notes.append("counts:set")
    return {("R-1", "R-2"): measure("rouge1", "rouge2"), ("R-SU", "R-WSU"): measure("rougeSU", "rougeWSU")}


def _divergence(work: Work) -> Measures:
    from change_it.hevas.spaces import divergences, inverse_frequencies

    work.notes.append(f"weights:{work.options.weights}")
    idf = inverse_frequencies(work.words) if work.options.weights == "tf-idf" else None
    documents = [[text] for text in work.words]
    return {
        ("KL-C", "JS-C"): lambda system: divergences(work.headlines[system], documents, idf=idf),
        ("KL-S", "JS-S"): lambda system: divergences(work.headlines[system], work.references, idf=idf),
    }


def _embeddings(work: Work) -> Measures:
    from change_it.hevas.spaces import WordEmbeddings, load_vectors, train_vectors

    path = work.options.vectors
    vectors = load_vectors(path) if path else train_vectors(work.words, seed=work.options.seed)
    work.notes.append(f"vectors:{path.name if path else 'trained'},{len(vectors)}x{vectors.vector_size}")
    return _cosines("WE", WordEmbeddings(work.words, vectors), work)


def _lsi(work: Work) -> Measures:
    from change_it.hevas.spaces import LatentSemantic

    name, value = parse_lsi(work.options.lsi)
    space = LatentSemantic(work.words, keep=(name, value), language=work.stop_words)
    work.notes.append(f"lsi:{name}={value:g},{len(space.eigenvalues)}")
    return _cosines("LSA", space, work)


def _lda(work: Work) -> Measures:
    from change_it.hevas.spaces import TopicModel

    topics, seed = work.options.topics, work.options.seed
    work.notes.append(f"lda:{topics}")
    return _cosines("TM", TopicModel(work.words, topics=topics, seed=seed, language=work.stop_words), work)


def _cosines(name: str, space: "TextSpace", work: Work) -> Measures:
    return {
        (f"{name}-C",): lambda system: [space.coverage(work.headlines[system])],
        (f"{name}-S",): lambda system: [space.to_references(work.headlines[system], work.references)],
    }


#: Metrics that share their work, and what measures them; those that may refuse their input without much work come first.
FAMILIES: list[tuple[set[str], Callable[[Work], Measures]]] = [
    ({"PNR", "NR", "PR"}, _tags),
    ({"Fog", "AWL"}, _readability),
    ({"WE-C", "WE-S"}, _embeddings),
    ({"R-1", "R-2", "R-SU", "R-WSU"}, _rouge),
    ({"KL-C", "KL-S", "JS-C", "JS-S"}, _divergence),
    ({"LSA-C", "LSA-S"}, _lsi),
    ({"TM-C", "TM-S"}, _lda),
]
