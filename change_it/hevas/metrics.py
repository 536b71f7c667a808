"""The metrics of HEvAS by name, and what computes them: families of metrics that share their work."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from sys import intern
from typing import TYPE_CHECKING, NamedTuple

from change_it import __version__
from change_it.hevas.documents import Documents, System
from change_it.hevas.metric_options import MetricOptions, parse_lsi
from change_it.hevas.text_space import TextSpace
from change_it.stats import Floats
from change_it.text.references import words_of

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

Words = Sequence[Sequence[str]]
#: Measures the headlines of a system, given as words too: metric to (n,) values.
Measure = Callable[[System, Words], Mapping[str, Floats]]
#: Called with what is being done, the steps of it that are done, and its steps in all.
Progress = Callable[[str, int, int], None]


class Metric(NamedTuple):
    """A metric: its family and use."""

    family: str  # of metrics that are computed together
    references: bool = False  # whether it compares with reference headlines
    averaged: bool = True  # whether it enters averages and ranks, as all metrics of the paper do


#: The metrics by name, in the order of tables: informativeness, ours (JS), readability.
METRICS: dict[str, Metric] = {
    **{name: Metric("ROUGE", references=True) for name in ("R-1", "R-2", "R-SU", "R-WSU")},
    "LSA-C": Metric("LSI"),
    "LSA-S": Metric("LSI", references=True),
    "TM-C": Metric("LDA"),
    "TM-S": Metric("LDA", references=True),
    "WE-C": Metric("embeddings"),
    "WE-S": Metric("embeddings", references=True),
    "KL-C": Metric("divergence"),
    "KL-S": Metric("divergence", references=True),
    "JS-C": Metric("divergence", averaged=False),
    "JS-S": Metric("divergence", references=True, averaged=False),
    "PNR": Metric("tags"),
    "NR": Metric("tags"),
    "PR": Metric("tags"),
    "Fog": Metric("length"),
    "AWL": Metric("length"),
}


def split(texts: Sequence[str]) -> list[list[str]]:
    """Words of each text; equal words are one object."""
    return [list(map(intern, words)) for words in words_of(texts)]


@dataclass
class Work:
    """Data that the families share."""

    documents: Documents
    metrics: tuple[str, ...]  # in the order of `METRICS`
    options: MetricOptions
    vectors: "KeyedVectors | None"  # for WE, in place of those that the options name
    progress: Progress
    notes: dict[str, str] = field(default_factory=dict)  # parts of the signature that only the work shows

    @cached_property
    def words(self) -> Words:
        """Words of the documents."""
        return split(self.documents.texts)

    @cached_property
    def references(self) -> list[Words]:
        """Words of the references of each document."""
        return [split(several) for several in self.documents.references or ()]

    @property
    def stop_words(self) -> str:
        """Whose stop words are left out."""
        return self.options.stop_words or self.options.language

    def names(self, family: str) -> list[str]:
        """The metrics of a family that are wanted."""
        return [name for name in self.metrics if METRICS[name].family == family]


def _rouge(work: Work) -> Measure:
    from change_it.text.rouge import headline_rouge

    keys = {f"rouge{name.removeprefix('R-')}": name for name in work.names("ROUGE")}

    def measure(system: System, headlines: Words) -> dict[str, Floats]:
        scores = headline_rouge(headlines, work.references, measures=list(keys))
        return {keys[key]: values for key, values in scores.items()}

    return measure


def _space(space: TextSpace, prefix: str, work: Work, family: str) -> Measure:
    """-C and -S of a space."""
    of = {
        f"{prefix}-C": space.coverage,
        f"{prefix}-S": lambda headlines: space.to_references(headlines, work.references),
    }
    names = work.names(family)
    return lambda system, headlines: {name: of[name](headlines) for name in names}


def _lsi(work: Work) -> Measure:
    from change_it.hevas.latent import LatentSemantic

    space = LatentSemantic.fit(work.words, keep=work.options.lsi, language=work.stop_words)
    name, value = parse_lsi(work.options.lsi)
    work.notes["lsi"] = ",".join(
        [*([f"{name}={value:g}"] if work.options.lsi else []), str(len(space.eigenvalues))]
    )
    return _space(space, "LSA", work, "LSI")


def _lda(work: Work) -> Measure:
    from change_it.hevas.latent import TopicModel

    space = TopicModel.fit(
        work.words,
        topics=work.options.topics,
        seed=work.options.seed,
        language=work.stop_words,
    )
    work.notes["lda"] = str(work.options.topics)
    return _space(space, "TM", work, "LDA")


def _embeddings(work: Work) -> Measure:
    from change_it.hevas.embeddings import WordEmbeddings, load_vectors, train_vectors

    options, vectors, origin = work.options, work.vectors, "given"
    if vectors is None and options.vectors:
        vectors, origin = load_vectors(options.vectors), options.vectors.name
    elif vectors is None:
        vectors = train_vectors(work.words, seed=options.seed)
        origin = "trained"
    work.notes["vectors"] = f"{origin},{len(vectors)}x{vectors.vector_size}"
    return _space(WordEmbeddings(work.words, vectors), "WE", work, "embeddings")


def _divergence(work: Work) -> Measure:
    from change_it.hevas.divergence import divergences, inverse_frequencies

    idf = inverse_frequencies(work.words) if work.options.weights == "tf-idf" else None
    documents = [[text] for text in work.words]
    names = work.names("divergence")

    def measure(system: System, headlines: Words) -> dict[str, Floats]:
        values = {}
        for kind, others in (("C", documents), ("S", work.references)):
            if any(name.endswith(kind) for name in names):
                values[f"KL-{kind}"], values[f"JS-{kind}"] = divergences(headlines, others, idf=idf)
        return values

    return measure


def _tags(work: Work) -> Measure:
    from change_it.hevas import readability
    from change_it.text.tagging import load_tagger

    language = work.options.language
    tagger = load_tagger(language)
    work.notes["tagger"] = "perceptron"

    def measure(system: System, headlines: Words) -> dict[str, Floats]:
        tagged = readability.tag_headlines(system.headlines, tagger, language)
        return {name: readability.tag_ratio(tagged, readability.RATIOS[name]) for name in work.names("tags")}

    return measure


def _length(work: Work) -> Measure:
    from change_it.hevas import readability

    of: dict[str, Callable[[Sequence[str]], Floats]] = {
        "Fog": partial(readability.fog, language=work.options.language),
        "AWL": readability.average_word_length,
    }
    names = work.names("length")
    if "Fog" in names:
        of["Fog"]([])  # refuses a language without patterns
    return lambda system, headlines: {name: of[name](system.headlines) for name in names}


#: What makes the measure of a family. Those whose making may refuse its input without much work come first.
FAMILIES: dict[str, Callable[[Work], Measure]] = {
    "tags": _tags,
    "length": _length,
    "embeddings": _embeddings,
    "ROUGE": _rouge,
    "divergence": _divergence,
    "LSI": _lsi,
    "LDA": _lda,
}


def signature(work: Work) -> str:
    """The options that the values depend on, in one line; the work must be done."""
    options, families = work.options, {METRICS[name].family for name in work.metrics}
    parts = ["hevas", f"lang:{options.language}"]
    if families & {"LSI", "LDA"}:
        parts.append(f"stop:{work.stop_words}")
    if "ROUGE" in families:
        parts.append("counts:set")
    if "divergence" in families:
        parts.append(f"weights:{options.weights}")
    parts += [f"{key}:{work.notes[key]}" for key in ("lsi", "lda", "vectors", "tagger") if key in work.notes]
    return "|".join(
        [*parts, "tok:unicode", f"n:{len(work.documents)}", f"seed:{options.seed}", f"v:{__version__}"]
    )
