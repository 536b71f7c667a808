"""The metrics of HEvAS by name, and what computes them: families of metrics that share their work."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from sys import intern
from typing import NamedTuple

from change_it import __version__
from change_it.hevas.documents import Documents, System
from change_it.hevas.metric_options import MetricOptions, parse_lsi
from change_it.hevas.text_space import TextSpace
from change_it.stats import Floats
from change_it.text.references import words_of

Words = Sequence[Sequence[str]]
#: What a family measures: metric to (n,) values, of one system after the other.
Values = Iterator[Mapping[str, Floats]]


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
    systems: Sequence[System]
    metrics: tuple[str, ...]  # in the order of `METRICS`
    options: MetricOptions
    notes: dict[str, str] = field(default_factory=dict)  # parts of the signature that only the work shows

    @cached_property
    def words(self) -> Words:
        """Words of the documents."""
        return split(self.documents.texts)

    @cached_property
    def references(self) -> list[Words]:
        """Words of the references of each document."""
        return [split(several) for several in self.documents.references or ()]

    @cached_property
    def headlines(self) -> list[Words]:
        """Words of the headlines of each system."""
        return [split(system.headlines) for system in self.systems]

    @property
    def stop_words(self) -> str:
        """Whose stop words are left out."""
        return self.options.stop_words or self.options.language

    def names(self, family: str) -> list[str]:
        """The metrics of a family that are wanted."""
        return [name for name in self.metrics if METRICS[name].family == family]


def _rouge(work: Work) -> Values:
    from change_it.text.rouge import headline_rouge

    keys = {f"rouge{name.removeprefix('R-')}": name for name in work.names("ROUGE")}
    for headlines in work.headlines:
        scores = headline_rouge(headlines, work.references, measures=list(keys))
        yield {keys[key]: values for key, values in scores.items()}


def _cosines(space: TextSpace, work: Work, family: str) -> Values:
    """-C and -S of a space."""
    for headlines in work.headlines:
        yield {
            name: space.coverage(headlines)
            if name.endswith("C")
            else space.to_references(headlines, work.references)
            for name in work.names(family)
        }


def _lsi(work: Work) -> Values:
    from change_it.hevas.latent import LatentSemantic

    space = LatentSemantic.fit(work.words, keep=work.options.lsi, language=work.stop_words)
    name, value = parse_lsi(work.options.lsi)
    kept = [f"{name}={value:g}"] if work.options.lsi else []
    work.notes["lsi"] = ",".join([*kept, str(len(space.eigenvalues))])
    yield from _cosines(space, work, "LSI")


def _lda(work: Work) -> Values:
    from change_it.hevas.latent import TopicModel

    topics, seed = work.options.topics, work.options.seed
    space = TopicModel.fit(work.words, topics=topics, seed=seed, language=work.stop_words)
    work.notes["lda"] = str(topics)
    yield from _cosines(space, work, "LDA")


def _embeddings(work: Work) -> Values:
    from change_it.hevas.embeddings import WordEmbeddings, load_vectors, train_vectors

    options = work.options
    if options.vectors:
        vectors, origin = load_vectors(options.vectors), options.vectors.name
    else:
        vectors, origin = train_vectors(work.words, seed=options.seed), "trained"
    work.notes["vectors"] = f"{origin},{len(vectors)}x{vectors.vector_size}"
    yield from _cosines(WordEmbeddings(work.words, vectors), work, "embeddings")


def _divergence(work: Work) -> Values:
    from change_it.hevas.divergence import divergences, inverse_frequencies

    idf = inverse_frequencies(work.words) if work.options.weights == "tf-idf" else None
    others: dict[str, list[Words]] = {"C": [[text] for text in work.words], "S": work.references}
    kinds = dict.fromkeys(name[-1] for name in work.names("divergence"))
    for headlines in work.headlines:
        values = {}
        for kind in kinds:
            values[f"KL-{kind}"], values[f"JS-{kind}"] = divergences(headlines, others[kind], idf=idf)
        yield values


def _tags(work: Work) -> Values:
    from change_it.hevas.readability import RATIOS, tag_headlines, tag_ratio
    from change_it.text.tagging import load_tagger

    language = work.options.language
    tagger = load_tagger(language)
    work.notes["tagger"] = "perceptron"
    for system in work.systems:
        tagged = tag_headlines(system.headlines, tagger, language)
        yield {name: tag_ratio(tagged, RATIOS[name]) for name in work.names("tags")}


def _length(work: Work) -> Values:
    from change_it.hevas.readability import average_word_length, fog

    for system in work.systems:
        yield {
            name: fog(system.headlines, work.options.language)
            if name == "Fog"
            else average_word_length(system.headlines)
            for name in work.names("length")
        }


#: What measures a family. Those that may refuse their input without much work come first.
FAMILIES: dict[str, Callable[[Work], Values]] = {
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
