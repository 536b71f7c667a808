"""Register the metrics of HEvAS, one entry each, with all that tables, charts, pages and docs say of them.

A new metric is a new entry of `METRICS`; nothing else has to name it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from change_it.hevas.measuring import SystemHeadlines
from change_it.hevas.readability import average_word_length, fog, has_syllables, has_tagger
from change_it.stats import Floats

Family = Literal["informativeness", "readability"]

#: Effort of what is counted in the headlines alone.
COUNTING = 0
#: Effort of word vectors, whose file may be refused.
WORD_VECTORS = 1
#: Effort of comparing the words of two texts.
COMPARING_WORDS = 2
#: Effort of comparing weights of words.
COMPARING_WEIGHTS = 3
#: Effort of latent semantic indexing.
LATENT_SPACE = 4
#: Effort of topics.
TOPICS = 5

_DOCUMENT = "with the document"
_REFERENCE = "with the reference headline, the best of several"
_KL = "Published averaged Kullback-Leibler divergence of words"
_ALIKE_FOR_DISJOINT = "0 for identical and also for disjoint texts"
_JS = "One less the Jensen-Shannon divergence of words"


def _every_language(language: str) -> bool:
    """Return True: a metric that uses no data of a language has values in every language."""
    return True


@dataclass(frozen=True, kw_only=True)
class Metric:
    """All there is to know of a metric.

    Attributes:
        name: heading of its column, and what `--metrics` and signatures call it.
        family: category of the paper, by which `--metrics` chooses several.
        range: lowest and highest value. A metric without a highest one (None) is stretched over all documents
            and systems before it is averaged. Values of the others that are outside 0 to 1 become the nearer
            end.
        better: whether more or less of it is better; averages invert the latter.
        averaged: whether it enters averages and has ranks; metrics that are not the paper's do not.
        explanation: what it measures, without a full stop.
        compute: returns the n values of a system's headlines.
        languages: whether it has values in a language, by the language's code.
        needs_references: whether it compares with reference headlines.
        needs_vectors: whether it needs word vectors, and thus gensim.
        says_something_alone: whether the value of a single headline can be read without those of other
            documents. The page of the `evaluate` module shows such metrics.
        effort: metrics of less effort are measured first, so that bad input is refused before long work.
            Signatures name what metrics depend on in this order.
    """

    name: str
    family: Family
    range: tuple[float, float | None]
    better: Literal["more", "less"]
    explanation: str
    compute: Callable[[SystemHeadlines], Floats]
    averaged: bool = True
    languages: Callable[[str], bool] = _every_language
    needs_references: bool = False
    needs_vectors: bool = False
    says_something_alone: bool = True
    effort: int = COUNTING

    @property
    def about(self) -> str:
        """Return what it measures, and whether it is left out of averages."""
        if self.averaged:
            return self.explanation
        return f"{self.explanation}; ours: shown, never averaged or ranked"

    @property
    def range_text(self) -> str:
        """Return its range in words."""
        lowest, highest = self.range
        if highest is None:
            return f"from {lowest:g}"
        return f"{lowest:g} to {highest:g}"


_ENTRIES = (
    Metric(
        name="R-1",
        family="informativeness",
        range=(0, 1),
        better="more",
        explanation="Share of a reference headline's words",
        compute=lambda headlines: headlines.ngram_recalls["rouge1"],
        needs_references=True,
        effort=COMPARING_WORDS,
    ),
    Metric(
        name="R-2",
        family="informativeness",
        range=(0, 1),
        better="more",
        explanation="Share of a reference headline's word pairs",
        compute=lambda headlines: headlines.ngram_recalls["rouge2"],
        needs_references=True,
        effort=COMPARING_WORDS,
    ),
    Metric(
        name="R-SU",
        family="informativeness",
        range=(0, 1),
        better="more",
        explanation="Share of a reference headline's words and pairs at any gap",
        compute=lambda headlines: headlines.skip_bigram_recalls["rougeSU"],
        needs_references=True,
        effort=COMPARING_WORDS,
    ),
    Metric(
        name="R-WSU",
        family="informativeness",
        range=(0, 1),
        better="more",
        explanation="As R-SU, near pairs counting more; may exceed 1",
        compute=lambda headlines: headlines.skip_bigram_recalls["rougeWSU"],
        needs_references=True,
        effort=COMPARING_WORDS,
    ),
    Metric(
        name="LSA-C",
        family="informativeness",
        range=(-1, 1),
        better="more",
        explanation=f"Cosine in a latent semantic space of the documents, {_DOCUMENT}",
        compute=lambda headlines: headlines.documents.latent_space.coverage(headlines.words),
        says_something_alone=False,
        effort=LATENT_SPACE,
    ),
    Metric(
        name="LSA-S",
        family="informativeness",
        range=(-1, 1),
        better="more",
        explanation=f"Cosine in a latent semantic space of the documents, {_REFERENCE}",
        compute=lambda headlines: headlines.documents.latent_space.to_references(
            headlines.words, headlines.documents.references
        ),
        needs_references=True,
        says_something_alone=False,
        effort=LATENT_SPACE,
    ),
    Metric(
        name="TM-C",
        family="informativeness",
        range=(0, 1),
        better="more",
        explanation=f"Cosine of topic vectors {_DOCUMENT}",
        compute=lambda headlines: headlines.documents.topics.coverage(headlines.words),
        says_something_alone=False,
        effort=TOPICS,
    ),
    Metric(
        name="TM-S",
        family="informativeness",
        range=(0, 1),
        better="more",
        explanation=f"Cosine of topic vectors {_REFERENCE}",
        compute=lambda headlines: headlines.documents.topics.to_references(
            headlines.words, headlines.documents.references
        ),
        needs_references=True,
        says_something_alone=False,
        effort=TOPICS,
    ),
    Metric(
        name="WE-C",
        family="informativeness",
        range=(-1, 1),
        better="more",
        explanation=f"Cosine of mean word vectors {_DOCUMENT}",
        compute=lambda headlines: headlines.documents.word_embeddings.coverage(headlines.words),
        needs_vectors=True,
        says_something_alone=False,
        effort=WORD_VECTORS,
    ),
    Metric(
        name="WE-S",
        family="informativeness",
        range=(-1, 1),
        better="more",
        explanation=f"Cosine of mean word vectors {_REFERENCE}",
        compute=lambda headlines: headlines.documents.word_embeddings.to_references(
            headlines.words, headlines.documents.references
        ),
        needs_references=True,
        needs_vectors=True,
        says_something_alone=False,
        effort=WORD_VECTORS,
    ),
    Metric(
        name="KL-C",
        family="informativeness",
        range=(0, 1),
        better="less",
        explanation=f"{_KL} {_DOCUMENT}; {_ALIKE_FOR_DISJOINT}",
        compute=lambda headlines: headlines.divergences_from_documents[0],
        says_something_alone=False,
        effort=COMPARING_WEIGHTS,
    ),
    Metric(
        name="KL-S",
        family="informativeness",
        range=(0, 1),
        better="less",
        explanation=f"{_KL} {_REFERENCE}; {_ALIKE_FOR_DISJOINT}",
        compute=lambda headlines: headlines.divergences_from_references[0],
        needs_references=True,
        says_something_alone=False,
        effort=COMPARING_WEIGHTS,
    ),
    Metric(
        name="JS-C",
        family="informativeness",
        range=(0, 1),
        better="more",
        averaged=False,
        explanation=f"{_JS} {_DOCUMENT}",
        compute=lambda headlines: headlines.divergences_from_documents[1],
        effort=COMPARING_WEIGHTS,
    ),
    Metric(
        name="JS-S",
        family="informativeness",
        range=(0, 1),
        better="more",
        averaged=False,
        explanation=f"{_JS} {_REFERENCE}",
        compute=lambda headlines: headlines.divergences_from_references[1],
        needs_references=True,
        effort=COMPARING_WEIGHTS,
    ),
    Metric(
        name="PNR",
        family="readability",
        range=(0, 1),
        better="more",
        explanation="Share of proper nouns among a headline's words",
        compute=lambda headlines: headlines.tag_shares[0],
        languages=has_tagger,
    ),
    Metric(
        name="NR",
        family="readability",
        range=(0, 1),
        better="less",
        explanation="Share of common nouns among a headline's words",
        compute=lambda headlines: headlines.tag_shares[1],
        languages=has_tagger,
    ),
    Metric(
        name="PR",
        family="readability",
        range=(0, 1),
        better="less",
        explanation="Share of pronouns among a headline's words",
        compute=lambda headlines: headlines.tag_shares[2],
        languages=has_tagger,
    ),
    Metric(
        name="Fog",
        family="readability",
        range=(0.4, None),
        better="less",
        explanation="Gunning's fog index in the paper's form",
        compute=lambda headlines: fog(headlines.words, headlines.documents.options.language),
        languages=has_syllables,
    ),
    Metric(
        name="AWL",
        family="readability",
        range=(1, None),
        better="less",
        explanation="Mean word length",
        compute=lambda headlines: average_word_length(headlines.words),
    ),
)

#: The metrics by name, in the order of tables.
METRICS: dict[str, Metric] = {metric.name: metric for metric in _ENTRIES}


def families() -> dict[str, list[str]]:
    """Return the names of the metrics of each category."""
    found: dict[str, list[str]] = {}
    for metric in METRICS.values():
        found.setdefault(metric.family, []).append(metric.name)
    return found


def is_less_better(name: str) -> bool:
    """Return whether less of a metric is better; False for what is no metric, such as the average."""
    return name in METRICS and METRICS[name].better == "less"
