"""The metrics of HEvAS by name, and what computes them: families of metrics that share their work."""

from collections.abc import Callable, Iterable, Sequence
from sys import intern
from typing import TYPE_CHECKING

from change_it.hevas.documents import Documents, System
from change_it.hevas.metric_options import MetricOptions, parse_lsi
from change_it.stats import Floats
from change_it.text.references import words_of

if TYPE_CHECKING:
    from change_it.hevas.spaces import TextSpace

#: Metrics that are computed at once, and what gives the (n,) values of each for a system by its number.
Measures = dict[tuple[str, ...], Callable[[int], Iterable[Floats]]]


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


class Work:
    """Data that the families share: words of documents, of their references and of the headlines of each system, and notes for the signature."""

    def __init__(self, documents: Documents, systems: Sequence[System], options: MetricOptions) -> None:
        self.texts = [system.headlines for system in systems]
        self.words = _split(documents.texts)
        self.references = [_split(several) for several in documents.references or ()]
        self.headlines = [_split(system.headlines) for system in systems]
        self.options, self.stop_words = options, options.stop_words or options.language
        self.notes: list[str] = []


def _split(texts: Sequence[str]) -> list[list[str]]:
    """Words of each text; equal words are one object."""
    return [list(map(intern, words)) for words in words_of(texts)]


def _tags(work: Work) -> Measures:
    from change_it.hevas.readability import tag_ratios
    from change_it.text.tagging import load_tagger

    language, tagger = work.options.language, load_tagger(work.options.language)
    work.notes.append("tagger:perceptron")
    return {("PNR", "NR", "PR"): lambda at: tag_ratios(work.texts[at], tagger, language)}


def _length(work: Work) -> Measures:
    from change_it.hevas.readability import average_word_length, fog

    return {
        ("Fog",): lambda at: [fog(work.headlines[at], work.options.language)],
        ("AWL",): lambda at: [average_word_length(work.headlines[at])],
    }


def _embeddings(work: Work) -> Measures:
    from change_it.hevas.spaces import WordEmbeddings, load_vectors, train_vectors

    path = work.options.vectors
    vectors = load_vectors(path) if path else train_vectors(work.words, seed=work.options.seed)
    work.notes.append(f"vectors:{path.name if path else 'trained'},{len(vectors)}x{vectors.vector_size}")
    return _cosines("WE", WordEmbeddings(work.words, vectors), work)


def _rouge(work: Work) -> Measures:
    from change_it.text.rouge import headline_rouge

    work.notes.append("counts:set")

    def measure(at: int, *keys: str) -> Iterable[Floats]:
        return headline_rouge(work.headlines[at], work.references, measures=keys).values()

    return {
        ("R-1", "R-2"): lambda at: measure(at, "rouge1", "rouge2"),
        ("R-SU", "R-WSU"): lambda at: measure(at, "rougeSU", "rougeWSU"),
    }


def _divergence(work: Work) -> Measures:
    from change_it.hevas.divergence import divergences, inverse_frequencies

    work.notes.append(f"weights:{work.options.weights}")
    idf = inverse_frequencies(work.words) if work.options.weights == "tf-idf" else None
    documents = [[text] for text in work.words]
    return {
        ("KL-C", "JS-C"): lambda at: divergences(work.headlines[at], documents, idf=idf),
        ("KL-S", "JS-S"): lambda at: divergences(work.headlines[at], work.references, idf=idf),
    }


def _lsi(work: Work) -> Measures:
    from change_it.hevas.spaces import LatentSemantic

    space = LatentSemantic(work.words, keep=work.options.lsi, language=work.stop_words)
    name, value = parse_lsi(work.options.lsi)
    work.notes.append(f"lsi:{name}={value:g},{len(space.eigenvalues)}")
    return _cosines("LSA", space, work)


def _lda(work: Work) -> Measures:
    from change_it.hevas.spaces import TopicModel

    topics, seed = work.options.topics, work.options.seed
    work.notes.append(f"lda:{topics}")
    return _cosines("TM", TopicModel(work.words, topics=topics, seed=seed, language=work.stop_words), work)


def _cosines(name: str, space: "TextSpace", work: Work) -> Measures:
    """-C and -S of a space."""
    return {
        (f"{name}-C",): lambda at: [space.coverage(work.headlines[at])],
        (f"{name}-S",): lambda at: [space.to_references(work.headlines[at], work.references)],
    }


#: Metrics that share their work, and what measures them; those that may refuse their input without much work come first.
FAMILIES: list[tuple[set[str], Callable[[Work], Measures]]] = [
    ({"PNR", "NR", "PR"}, _tags),
    ({"Fog", "AWL"}, _length),
    ({"WE-C", "WE-S"}, _embeddings),
    ({"R-1", "R-2", "R-SU", "R-WSU"}, _rouge),
    ({"KL-C", "KL-S", "JS-C", "JS-S"}, _divergence),
    ({"LSA-C", "LSA-S"}, _lsi),
    ({"TM-C", "TM-S"}, _lda),
]
