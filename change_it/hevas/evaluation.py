"""Every metric of HEvAS on every system: values an item, means, overall average and ranks (HEvAS 2019)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from change_it.errors import InputError
from change_it.files.texts import refuse_lengths
from change_it.hevas.documents import Documents
from change_it.hevas.measuring import (
    MeasuredDocuments,
    MetricOptions,
    SystemHeadlines,
    digest_of,
    parse_lsi,
)
from change_it.hevas.metrics import METRICS, families
from change_it.progress import bar
from change_it.stats import DECIMALS, Floats
from change_it.text.stopwords import LISTED, stop_words
from change_it.version import __version__

#: The metrics that a signature calls `all`. It names any other one beside it: one that came later, or that somebody
#: registered.
NAMED_ALL = frozenset(
    {
        *("R-1", "R-2", "R-SU", "R-WSU", "LSA-C", "LSA-S", "TM-C", "TM-S", "WE-C", "WE-S"),
        *("KL-C", "KL-S", "JS-C", "JS-S", "PNR", "NR", "PR", "Fog", "AWL"),
    }
)
#: Means that differ by less than this share of the largest do not tell systems apart (ours).
ALIKE = 0.05


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
        """Averaged metric to (n, m) values in 0-1, more is better; without those that an entry leaves out, and perhaps those that are `indistinct`.

        Most metrics have this range by themselves; what is outside it (R-WSU, cosines) becomes its end. Those without
        an upper end (Fog, AWL) are stretched so that their lowest value over all documents and systems is 0 and their
        highest 1 (ours: the paper does not say how), 1/2 where all values are equal. Then the metrics in which less is
        better are inverted, including the divergence KL. An empty headline has 0.
        """
        written, result = self.written, {}
        left_out = self.indistinct if self.distinct else []
        for name in self.metrics:
            values = self.scores(name)
            metric = METRICS[name]
            if not metric.averaged or name in left_out:
                continue
            if metric.range[1] is None and written.any():
                low, high = values[written].min(), values[written].max()
                values = (values - low) / (high - low) if high > low else np.full(values.shape, 0.5)
            values = values.clip(0, 1)
            result[name] = np.where(written, 1 - values if metric.better == "less" else values, 0.0)
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
        metrics: names of `METRICS` or of categories; all when empty.
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
    measured = MeasuredDocuments(documents, options)
    of_systems = {system: SystemHeadlines(headlines, measured) for system, headlines in systems.items()}
    empty = {system: np.array([not text for text in of.words]) for system, of in of_systems.items()}
    columns: dict[str, dict[str, Floats]] = {system: {} for system in systems}
    with bar("measuring", len(wanted), shown=progress) as shown:
        for name in sorted(wanted, key=lambda name: METRICS[name].effort):
            for system, headlines in of_systems.items():
                columns[system][name] = METRICS[name].compute(headlines)
            shown.update(1)
    values = {
        system: np.where(empty[system][:, None], 0.0, np.column_stack([scores[name] for name in wanted]))
        for system, scores in columns.items()
    }
    compared = [list(map(str, headlines)) for headlines in systems.values()]
    notes = ["hevas", f"documents:{digest_of(documents.texts, documents.references)}"]
    notes += [f"systems:{len(systems)},{digest_of(compared)}", f"metrics:{_named_metrics(wanted)}"]
    notes += [f"lang:{options.language}", f"stop:{_stop_words_note(options)}", *measured.notes]
    notes += ["tok:unicode", *(["average:distinct"] if distinct else [])]
    notes += [f"n:{len(documents)}", f"seed:{options.seed}", f"v:{__version__}"]
    return Evaluation(wanted, values, empty, documents.ids, "|".join(notes), documents.events, distinct)


def _named_metrics(metrics: Sequence[str]) -> str:
    """Return the metrics for a signature; averages, ranks and what tells no systems apart depend on them."""
    if NAMED_ALL.issubset(metrics):
        return "+".join(["all", *(name for name in metrics if name not in NAMED_ALL)])
    return "+".join(metrics)


def _stop_words_note(options: MetricOptions) -> str:
    """Return the list of stop words for a signature, of a file with a digest of its words."""
    name = options.stop_words or options.language
    is_file = name not in (*LISTED, "none")
    return f"{Path(name).name},{digest_of(sorted(stop_words(name)))}" if is_file else name


def chosen_metrics(names: Sequence[str]) -> tuple[str, ...]:
    """Return the metrics of names and categories in the order of `METRICS`, each once; all when none is named."""
    categories = families()
    unknown = [name for name in names if name not in METRICS and name not in categories]
    if unknown:
        known = ", ".join([*categories, *METRICS])
        raise InputError(f"no metric called {', '.join(unknown)}: choose from {known}")
    wanted = {metric for name in names for metric in categories.get(name, [name])}
    return tuple(name for name in METRICS if name in wanted or not names)


def check_input(documents: Documents, metrics: Sequence[str], options: MetricOptions) -> None:
    """Refuse what would fail only after minutes, or not at all."""
    lacking = [name for name in metrics if METRICS[name].needs_references]
    if lacking and documents.references is None:
        raise InputError(
            f"{documents.name} has no column headline, which {', '.join(lacking)} need as references: name that column, or "
            "choose metrics without them"
        )
    parse_lsi(options.lsi)
    try:
        stop_words(options.stop_words or options.language)
    except InputError as error:
        raise InputError(f"{error}; for another language give stop_words none") from None
