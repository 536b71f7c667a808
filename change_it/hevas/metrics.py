"""The metrics of HEvAS by name, and what computes them: families of metrics that share their work."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from sys import intern
from typing import TYPE_CHECKING, NamedTuple

from change_it import __version__
from change_it.hevas.documents import Documents, System
from change_it.hevas.metric_options import MetricOptions, parse_lsi
from change_it.stats import Floats
from change_it.text.references import words_of

if TYPE_CHECKING:
    from change_it.hevas.spaces import TextSpace

Words = Sequence[Sequence[str]]
#: Metrics that are computed at once, and what gives the (n,) values of each for a system by its number.
Measures = dict[tuple[str, ...], Callable[[int], Iterable[Floats]]]


class Metric(NamedTuple):
    """A metric: its family and use."""

    family: str  # of metrics that are computed together
    references: bool = False  # whether it compares with reference headlines
    averaged: bool = True  # whether it enters averages and ranks, as all metrics of the paper do


#: The metrics by name, in the order of tables: informativeness, ours (JS), readability.
METRICS: dict[str, Metric] = {
    **{name: Metric("ROUGE", references=True) for name in ("R-1", "R-2", "R-SU", "R-WSU")},
    **{
        f"{name}-{kind}": Metric(family, references=kind == "S", averaged=name != "JS")
        for name, family in {
            "LSA": "LSI",
            "TM": "LDA",
            "WE": "embeddings",
            "KL": "divergence",
            "JS": "divergence",
        }.items()
        for kind in "CS"
    },
    **dict.fromkeys(("PNR", "NR", "PR"), Metric("tags")),
    **dict.fromkeys(("Fog", "AWL"), Metric("length")),
}
#: The metrics of each category of the paper.
CATEGORIES = {
    "informativeness": [name for name in METRICS if METRICS[name].family not in ("tags", "length")],
    "readability": [name for name in METRICS if METRICS[name].family in ("tags", "length")],
}


@dataclass
class Work:
    """Data that the families share."""

    documents: Documents
    systems: Sequence[System]
    metrics: Sequence[str]
    options: MetricOptions
    notes: dict[str, str] = field(default_factory=dict)  # parts of the signature that only the work shows

    @cached_property
    def words(self) -> Words:
        """Words of the documents."""
        return _split(self.documents.texts)

    @cached_property
    def references(self) -> list[Words]:
        """Words of the references of each document."""
        return [_split(several) for several in self.documents.references or ()]

    @cached_property
    def headlines(self) -> list[Words]:
        """Words of the headlines of each system."""
        return [_split(system.headlines) for system in self.systems]

    @property
    def stop_words(self) -> str:
        """Whose stop words are left out."""
        return self.options.stop_words or self.options.language

    @property
    def families(self) -> list[str]:
        """The families of the metrics that are wanted."""
        wanted = {METRICS[name].family for name in self.metrics}
        return [family for family in FAMILIES if family in wanted]

    @property
    def signature(self) -> str:
        """The options that the values depend on, in one line; the work must be done."""
        options, families = self.options, self.families
        parts = ["hevas", f"lang:{options.language}"]
        if {"LSI", "LDA"}.intersection(families):
            parts.append(f"stop:{self.stop_words}")
        parts += ["counts:set"] if "ROUGE" in families else []
        parts += [f"weights:{options.weights}"] if "divergence" in families else []
        parts += [
            f"{key}:{self.notes[key]}" for key in ("lsi", "lda", "vectors", "tagger") if key in self.notes
        ]
        parts += ["tok:unicode", f"n:{len(self.documents)}", f"seed:{options.seed}", f"v:{__version__}"]
        return "|".join(parts)


def _split(texts: Sequence[str]) -> list[list[str]]:
    """Words of each text; equal words are one object."""
    return [list(map(intern, words)) for words in words_of(texts)]


def _rouge(work: Work) -> Measures:
    from change_it.text.rouge import headline_rouge

    names = tuple(name for name in work.metrics if METRICS[name].family == "ROUGE")
    keys = [f"rouge{name.removeprefix('R-')}" for name in names]
    return {names: lambda at: headline_rouge(work.headlines[at], work.references, measures=keys).values()}


def _cosines(name: str, space: "TextSpace", work: Work) -> Measures:
    """-C and -S of a space."""
    return {
        (f"{name}-C",): lambda at: [space.coverage(work.headlines[at])],
        (f"{name}-S",): lambda at: [space.to_references(work.headlines[at], work.references)],
    }


def _lsi(work: Work) -> Measures:
    from change_it.hevas.spaces import LatentSemantic

    space = LatentSemantic(work.words, keep=work.options.lsi, language=work.stop_words)
    name, value = parse_lsi(work.options.lsi)
    work.notes["lsi"] = f"{name}={value:g},{len(space.eigenvalues)}"
    return _cosines("LSA", space, work)


def _lda(work: Work) -> Measures:
    from change_it.hevas.spaces import TopicModel

    topics, seed = work.options.topics, work.options.seed
    work.notes["lda"] = str(topics)
    return _cosines("TM", TopicModel(work.words, topics=topics, seed=seed, language=work.stop_words), work)


def _embeddings(work: Work) -> Measures:
    from change_it.hevas.spaces import WordEmbeddings, load_vectors, train_vectors

    path = work.options.vectors
    vectors = load_vectors(path) if path else train_vectors(work.words, seed=work.options.seed)
    work.notes["vectors"] = f"{path.name if path else 'trained'},{len(vectors)}x{vectors.vector_size}"
    return _cosines("WE", WordEmbeddings(work.words, vectors), work)


def _divergence(work: Work) -> Measures:
    from change_it.hevas.divergence import divergences, inverse_frequencies

    idf = inverse_frequencies(work.words) if work.options.weights == "tf-idf" else None
    documents = [[text] for text in work.words]
    return {
        ("KL-C", "JS-C"): lambda at: divergences(work.headlines[at], documents, idf=idf),
        ("KL-S", "JS-S"): lambda at: divergences(work.headlines[at], work.references, idf=idf),
    }


def _tags(work: Work) -> Measures:
    from change_it.hevas.readability import tag_ratios
    from change_it.text.tagging import load_tagger

    language, tagger = work.options.language, load_tagger(work.options.language)
    work.notes["tagger"] = "perceptron"
    return {("PNR", "NR", "PR"): lambda at: tag_ratios(work.systems[at].headlines, tagger, language)}


def _length(work: Work) -> Measures:
    from change_it.hevas.readability import average_word_length, fog

    return {
        ("Fog",): lambda at: [fog(work.headlines[at], work.options.language)],
        ("AWL",): lambda at: [average_word_length(work.headlines[at])],
    }


#: What measures a family. Those that may refuse their input without much work come first.
FAMILIES: dict[str, Callable[[Work], Measures]] = {
    "tags": _tags,
    "length": _length,
    "embeddings": _embeddings,
    "ROUGE": _rouge,
    "divergence": _divergence,
    "LSI": _lsi,
    "LDA": _lda,
}
