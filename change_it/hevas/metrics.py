"""The metrics of HEvAS by name, the options that their values depend on, and how they are measured: those together that share their work."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from change_it.errors import InputError
from change_it.hevas.documents import Documents
from change_it.hevas.readability import average_word_length, fog, tag_ratios
from change_it.stats import Floats
from change_it.text.stopwords import stop_words
from change_it.text.tagging import load_tagger

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


#: The words of some texts.
Words = list[list[str]]
#: Metrics that are computed together, and the function that returns the (n,) values of each for headlines and their words.
Family = tuple[tuple[str, ...], Callable[[Sequence[str], Words], Iterable[Floats]]]


def families(
    texts: Words,
    references: Sequence[Words],
    metrics: Sequence[str],
    options: MetricOptions,
    notes: list[str],
) -> Iterator[Family]:
    """Yield families of metrics, what takes work only where `metrics` has one of them; those that may refuse their input come first.

    Texts and references are words; what the values depend on is added to `notes`.
    """
    from change_it.hevas import spaces  # loads scipy's and scikit-learn's decompositions
    from change_it.text.rouge import headline_rouge

    language, stop, seed = options.language, options.stop_words or options.language, options.seed
    wanted = {metric.partition("-")[0] for metric in metrics}

    def cosines(name: str, space: "TextSpace") -> Iterator[Family]:
        yield (f"{name}-C",), lambda _, words: [space.coverage(words)]
        yield (f"{name}-S",), lambda _, words: [space.to_references(words, references)]

    if wanted & {"PNR", "NR", "PR"}:
        tagger = load_tagger(language)
        notes.append("tagger:perceptron")
        yield ("PNR", "NR", "PR"), lambda headlines, _: tag_ratios(headlines, tagger, language)
    yield ("Fog",), lambda _, words: [fog(words, language)]
    yield ("AWL",), lambda _, words: [average_word_length(words)]
    if "WE" in wanted:
        path = options.vectors
        vectors = spaces.load_vectors(path) if path else spaces.train_vectors(texts, seed=seed)
        notes.append(f"vectors:{path.name if path else 'trained'},{len(vectors)}x{vectors.vector_size}")
        yield from cosines("WE", spaces.WordEmbeddings(texts, vectors))
    if "R" in wanted:

        def rouge(*measures: str) -> Callable[[Sequence[str], Words], Iterable[Floats]]:
            return lambda _, words: headline_rouge(words, references, measures=measures).values()

        notes.append("counts:set")
        yield ("R-1", "R-2"), rouge("rouge1", "rouge2")
        yield ("R-SU", "R-WSU"), rouge("rougeSU", "rougeWSU")
    if wanted & {"KL", "JS"}:
        notes.append(f"weights:{options.weights}")
        idf = spaces.inverse_frequencies(texts) if options.weights == "tf-idf" else None
        articles = [[text] for text in texts]
        yield ("KL-C", "JS-C"), lambda _, words: spaces.divergences(words, articles, idf=idf)
        yield ("KL-S", "JS-S"), lambda _, words: spaces.divergences(words, references, idf=idf)
    if "LSA" in wanted:
        name, value = parse_lsi(options.lsi)
        latent = spaces.LatentSemantic(texts, keep=(name, value), language=stop)
        notes.append(f"lsi:{name}={value:g},{len(latent.eigenvalues)}")
        yield from cosines("LSA", latent)
    if "TM" in wanted:
        notes.append(f"lda:{options.topics}")
        yield from cosines("TM", spaces.TopicModel(texts, topics=options.topics, seed=seed, language=stop))
