"""Every metric of HEvAS on every system: values an item, means, overall average and ranks (HEvAS 2019)."""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from change_it.errors import InputError
from change_it.files.texts import refuse_lengths
from change_it.hevas.documents import Documents
from change_it.hevas.readability import LOWER_IS_BETTER, average_word_length, fog, tag_ratios
from change_it.progress import bar
from change_it.stats import DECIMALS, Floats
from change_it.text.rouge import headline_rouge
from change_it.text.stopwords import LISTED, stop_words
from change_it.text.tagging import load_tagger
from change_it.text.tokens import words
from change_it.version import __version__

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
#: The metrics of word vectors, which need gensim.
WITH_VECTORS = [name for name in METRICS if name.startswith("WE-")]
#: The metrics that compare with reference headlines.
WITH_REFERENCES = [name for name in METRICS if name.startswith("R-") or name.endswith("-S")]
#: Metrics without an upper end, which the documents decide before any average.
UNBOUNDED = frozenset({"Fog", "AWL"})
#: Means that differ by less than this share of the largest do not tell systems apart (ours).
ALIKE = 0.05


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


@dataclass(frozen=True)
class Evaluation:
    """Systems measured on the same documents.

    Attributes:
        metrics: names in the order of `METRICS`.
        values: system to (n, k) values, rows documents, columns metrics.
        empty: system to (n,) whether the headline is without words; such a one has 0 in every metric and counts as
            the worst in averages and ranks.
        ids: (n,) of the documents.
        signature: what the numbers depend on.
        events: (n,) of the documents, see `Documents`.
        distinct: whether averages and ranks leave out the metrics that are `indistinct`.
    """

    metrics: tuple[str, ...]
    values: dict[str, Floats] = field(repr=False)
    empty: dict[str, NDArray[np.bool_]] = field(repr=False)
    ids: tuple[str, ...] = field(repr=False)
    signature: str
    events: tuple[int | str, ...] | None = field(default=None, repr=False)
    distinct: bool = False

    @property
    def systems(self) -> list[str]:
        """Names of the systems in the order given."""
        return list(self.values)

    @property
    def written(self) -> NDArray[np.bool_]:
        """(n, m) whether a headline has words, rows documents, columns systems."""
        return ~np.column_stack(list(self.empty.values()))

    @property
    def means(self) -> dict[str, dict[str, float]]:
        """System to metric to the mean over the documents."""
        means = {system: values.mean(axis=0).tolist() for system, values in self.values.items()}
        return {system: dict(zip(self.metrics, several, strict=True)) for system, several in means.items()}

    def scores(self, metric: str) -> Floats:
        """Return the (n, m) values of one of `metrics`, rows documents, columns systems."""
        column = self.metrics.index(metric)
        return np.column_stack([values[:, column] for values in self.values.values()])

    @property
    def indistinct(self) -> list[str]:
        """The metrics in which the means of all systems, over their headlines with words, differ by less than `ALIKE` of the largest; empty for a single system."""
        count = self.written.sum(axis=0)
        shown = count > 0 if len(self.systems) > 1 else np.zeros(1, bool)
        means = {name: self.scores(name).sum(axis=0)[shown] / count[shown] for name in self.metrics}
        return [name for name, m in means.items() if m.size and np.ptp(m) <= ALIKE * np.abs(m).max()]

    @cached_property
    def normalised(self) -> dict[str, Floats]:
        """Averaged metric to (n, m) values in 0-1, more is better; all metrics are averaged and ranked but JS, which is ours, and perhaps those that are `indistinct`.

        Most metrics have this range by themselves; what is outside it (R-WSU, cosines) becomes its end. Fog and AWL are stretched so
        that their lowest value over all documents and systems is 0 and their highest 1 (ours: the paper does not say
        how), 1/2 where all values are equal. Then the metrics in which less is better are inverted, including the divergence KL. An empty headline has 0.
        """
        written, result = self.written, {}
        left_out = self.indistinct if self.distinct else []
        for name in self.metrics:
            values = self.scores(name)
            if name.startswith("JS") or name in left_out:
                continue
            if name in UNBOUNDED and written.any():
                low, high = values[written].min(), values[written].max()
                values = (values - low) / (high - low) if high > low else np.full(values.shape, 0.5)
            values = values.clip(0, 1)
            result[name] = np.where(written, 1 - values if name in LOWER_IS_BETTER else values, 0.0)
        return result

    @property
    def overall_items(self) -> Floats:
        """(n, m) average over all averaged metrics after normalisation, rows documents, columns systems."""
        return np.stack([*self.normalised.values()], axis=-1).mean(axis=-1)

    @cached_property
    def overall(self) -> dict[str, float | None]:
        """System to its average over all averaged metrics and documents, in 0-1, more is better, None without such a metric; the best first, of equal ones the earlier."""
        means = self.overall_items.mean(axis=0).tolist() if self.normalised else [None] * len(self.values)
        pairs = zip(self.values, means, strict=True)
        return dict(sorted(pairs, key=lambda pair: -round(pair[1] or 0.0, DECIMALS)))

    @property
    def ranks(self) -> dict[str, dict[str, int]]:
        """System to averaged metric to its rank by the mean, 1 the best; equal ones share the better rank."""
        means = {name: values.mean(axis=0).round(DECIMALS) for name, values in self.normalised.items()}
        return {
            system: {name: 1 + int((several > several[column]).sum()) for name, several in means.items()}
            for column, system in enumerate(self.systems)
        }


def evaluate(
    documents: Documents,
    systems: Mapping[str, Sequence[str]],
    *,
    metrics: Sequence[str] = (),
    options: MetricOptions | None = None,
    distinct: bool = False,
    progress: bool = False,
) -> Evaluation:
    """Measure systems.

    Args:
        documents: n documents with their reference headlines.
        systems: name to n headlines, empty where the system has none.
        metrics: names of `METRICS` or of `CATEGORIES`; all when empty.
        options: what the values depend on; the defaults when None.
        distinct: leave metrics that tell no two systems apart out of averages and ranks.
        progress: show a bar.

    Returns:
        Values an item, with means and ranks.

    Raises:
        InputError: what is given does not fit the metrics, or each other.

    Examples:
        >>> from change_it.hevas.documents import Documents
        >>> documents = Documents(("1",), ("Il governo cade a Roma.",), (("Cade il governo",),), "example")
        >>> result = evaluate(documents, {"mine": ["Roma, cade il governo"]}, metrics=["R-1", "AWL"])
        >>> result.means["mine"]
        {'R-1': 1.0, 'AWL': 4.25}
    """
    options, wanted = options or MetricOptions(), chosen_metrics(metrics)
    check_input(documents, wanted, options)
    if not systems:
        raise InputError("no system: give files of headlines or baselines")
    refuse_lengths(**{f"documents of {documents.name}": documents.texts, **systems})
    of_systems = {system: _words(headlines) for system, headlines in systems.items()}
    empty = {system: np.array([not text for text in texts]) for system, texts in of_systems.items()}
    columns: dict[str, dict[str, Floats]] = {system: {} for system in systems}
    notes = ["hevas", f"documents:{_digest(documents.texts, documents.references)}"]
    compared = [list(map(str, headlines)) for headlines in systems.values()]
    notes += [f"systems:{len(systems)},{_digest(compared)}", f"metrics:{_named_metrics(wanted)}"]
    notes += [f"lang:{options.language}", f"stop:{_stop_words_note(options)}"]
    references = [_words(several) for several in documents.references or ()]
    with bar("measuring", len(wanted), shown=progress) as shown:
        for names, measure in families(_words(documents.texts), references, wanted, options, notes):
            if measured := {*names}.intersection(wanted):
                for system, headlines in systems.items():
                    scores = measure(headlines, of_systems[system])
                    columns[system] |= zip(names, scores, strict=True)
                shown.update(len(measured))
    values = {
        system: np.where(empty[system][:, None], 0.0, np.column_stack([scores[name] for name in wanted]))
        for system, scores in columns.items()
    }
    notes += ["tok:unicode", *(["average:distinct"] if distinct else [])]
    notes += [f"n:{len(documents)}", f"seed:{options.seed}", f"v:{__version__}"]
    return Evaluation(wanted, values, empty, documents.ids, "|".join(notes), documents.events, distinct)


def _digest(*content: object) -> str:
    """Return six digits that are others for other texts."""
    return hashlib.sha256(repr(content).encode("utf-8", "surrogatepass")).hexdigest()[:6]


def _named_metrics(metrics: Sequence[str]) -> str:
    """Return the metrics for a signature, `all` for all; averages, ranks and what tells no systems apart depend on them."""
    return "all" if len(metrics) == len(METRICS) else "+".join(metrics)


def _stop_words_note(options: MetricOptions) -> str:
    """Return the list of stop words for a signature, of a file with a digest of its words."""
    name = options.stop_words or options.language
    is_file = name not in (*LISTED, "none")
    return f"{Path(name).name},{_digest(sorted(stop_words(name)))}" if is_file else name


def _words(texts: Sequence[str]) -> list[list[str]]:
    """Return the words of each text; equal words are one object."""
    return [list(map(intern, words(text))) for text in texts]


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
        digest = f",{_digest(vectors.index_to_key, vectors.vectors.tobytes())}" if path else ""
        name = path.name if path else "trained"
        notes.append(f"vectors:{name},{len(vectors)}x{vectors.vector_size}{digest}")
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
