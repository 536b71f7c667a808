"""Measure systems by the metrics of HEvAS: values an item, means, overall average and ranks (HEvAS 2019)."""

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

#: The metrics that a signature calls `all`. Beside them it names every other one that is measured.
NAMED_ALL = frozenset(
    (
        "R-1",
        "R-2",
        "R-SU",
        "R-WSU",
        "LSA-C",
        "LSA-S",
        "TM-C",
        "TM-S",
        "WE-C",
        "WE-S",
        "KL-C",
        "KL-S",
        "JS-C",
        "JS-S",
        "PNR",
        "NR",
        "PR",
        "Fog",
        "AWL",
    )
)
#: Means of systems that differ by at most this share of the largest do not tell systems apart (ours).
ALIKE = 0.05


@dataclass(frozen=True)
class Evaluation:
    """Systems measured on the same documents.

    Attributes:
        metrics: names in the order of `METRICS`.
        values: system to (n, k) values, rows documents, columns metrics.
        empty: system to (n,) whether the headline is without words. Such a headline has 0 in every metric and
            counts as the worst in averages and ranks.
        ids: (n,) ids of the documents.
        signature: what the numbers depend on, in one line.
        events: (n,) event of each document; None where they are unknown.
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
        """Return the names of the systems in the order given."""
        return list(self.values)

    @property
    def written(self) -> NDArray[np.bool_]:
        """Return whether each headline has words, (n, m): rows are n documents, columns m systems."""
        return ~np.column_stack(list(self.empty.values()))

    @property
    def means(self) -> dict[str, dict[str, float]]:
        """Return the mean over the documents, by system and metric."""
        means = {}
        for system, values in self.values.items():
            means[system] = dict(zip(self.metrics, values.mean(axis=0).tolist(), strict=True))
        return means

    def scores(self, metric: str) -> Floats:
        """Return the (n, m) values of one metric: rows are n documents, columns m systems."""
        column = self.metrics.index(metric)
        return np.column_stack([values[:, column] for values in self.values.values()])

    @property
    def indistinct(self) -> list[str]:
        """Return the metrics by which all systems are alike; none for a single system.

        Systems are alike where their means differ by at most the share `ALIKE` of the largest. Means are over
        headlines with words; systems without any are not compared.
        """
        if len(self.systems) < 2:
            return []
        counts = self.written.sum(axis=0)
        has_headlines = counts > 0
        if not has_headlines.any():
            return []
        names = []
        for name in self.metrics:
            totals = self.scores(name).sum(axis=0)
            means = totals[has_headlines] / counts[has_headlines]
            if np.ptp(means) <= ALIKE * np.abs(means).max():
                names.append(name)
        return names

    @cached_property
    def normalised(self) -> dict[str, Floats]:
        """Return the (n, m) values in 0 to 1, more is better, of each metric that enters the average.

        Metrics whose entry says so are left out, and with `distinct` also those that are `indistinct`.

        Most metrics have this range by themselves; what is outside it (R-WSU, cosines) becomes its end. Those
        without an upper end (Fog, AWL) are stretched so that their lowest value over all documents and
        systems is 0 and their highest 1 (ours: the paper does not say how), 1/2 where all values are equal.
        Then the metrics in which less is better are inverted, including the divergence KL. An empty headline
        has 0.
        """
        written = self.written
        left_out = self.indistinct if self.distinct else []
        normalised = {}
        for name in self.metrics:
            metric = METRICS[name]
            if not metric.averaged or name in left_out:
                continue
            values = self.scores(name)
            if metric.range[1] is None and written.any():
                values = _stretched(values, values[written])
            values = values.clip(0, 1)
            if metric.better == "less":
                values = 1 - values
            normalised[name] = np.where(written, values, 0.0)
        return normalised

    @property
    def overall_items(self) -> Floats:
        """Return the (n, m) averages over all metrics in `normalised`: rows documents, columns systems."""
        return np.stack(list(self.normalised.values()), axis=-1).mean(axis=-1)

    @cached_property
    def overall(self) -> dict[str, float | None]:
        """Return each system's average over all averaged metrics and documents, in 0 to 1, more is better.

        The best system comes first, of equal ones the earlier. Averages are None where no metric is averaged.
        """
        if not self.normalised:
            return dict.fromkeys(self.systems)
        means = dict(zip(self.systems, self.overall_items.mean(axis=0).tolist(), strict=True))
        best_first = sorted(means, key=lambda system: -round(means[system], DECIMALS))
        return {system: means[system] for system in best_first}

    @property
    def ranks(self) -> dict[str, dict[str, int]]:
        """Return each system's rank by the mean of each averaged metric, 1 the best.

        Equal systems share the better rank.
        """
        means = {name: values.mean(axis=0).round(DECIMALS) for name, values in self.normalised.items()}
        ranks: dict[str, dict[str, int]] = {system: {} for system in self.systems}
        for name, of_systems in means.items():
            for system, mean in zip(self.systems, of_systems.tolist(), strict=True):
                ranks[system][name] = 1 + int((of_systems > mean).sum())
        return ranks


def _stretched(values: Floats, known: Floats) -> Floats:
    """Stretch values so that the lowest of `known` becomes 0 and the highest 1.

    Where all known values are equal, every value becomes 1/2.
    """
    low = known.min()
    high = known.max()
    if high == low:
        return np.full(values.shape, 0.5)
    return np.asarray((values - low) / (high - low))


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
    options = options or MetricOptions()
    wanted = chosen_metrics(metrics)
    check_input(documents, wanted, options)
    if not systems:
        raise InputError("no system: give files of headlines or baselines")
    refuse_lengths(**{f"documents of {documents.name}": documents.texts, **systems})
    measured = MeasuredDocuments(documents, options)
    headlines = {system: SystemHeadlines(texts, measured) for system, texts in systems.items()}
    columns = _measure(headlines, wanted, progress=progress)
    empty = {}
    values = {}
    for system in systems:
        empty[system] = np.array([not text for text in headlines[system].words])
        table = np.column_stack([columns[system][name] for name in wanted])
        values[system] = np.where(empty[system][:, None], 0.0, table)
    return Evaluation(
        metrics=wanted,
        values=values,
        empty=empty,
        ids=documents.ids,
        signature=_signature(documents, systems, wanted, measured, distinct=distinct),
        events=documents.events,
        distinct=distinct,
    )


def _measure(
    headlines: Mapping[str, SystemHeadlines], metrics: Sequence[str], *, progress: bool
) -> dict[str, dict[str, Floats]]:
    """Return system to metric to (n,) values; metrics of less effort are measured first."""
    columns: dict[str, dict[str, Floats]] = {system: {} for system in headlines}
    with bar("measuring", len(metrics), shown=progress) as shown:
        for name in sorted(metrics, key=lambda name: METRICS[name].effort):
            for system, of_system in headlines.items():
                columns[system][name] = METRICS[name].compute(of_system)
            shown.update(1)
    return columns


def _signature(
    documents: Documents,
    systems: Mapping[str, Sequence[str]],
    metrics: Sequence[str],
    measured: MeasuredDocuments,
    *,
    distinct: bool,
) -> str:
    """Return what the numbers depend on, in one line; metrics have added their part to `measured.notes`."""
    options = measured.options
    compared = [list(map(str, headlines)) for headlines in systems.values()]
    notes = [
        "hevas",
        f"documents:{digest_of(documents.texts, documents.references)}",
        f"systems:{len(systems)},{digest_of(compared)}",
        f"metrics:{_named_metrics(metrics)}",
        f"lang:{options.language}",
        f"stop:{_stop_words_note(options)}",
        *measured.notes,
        "tok:unicode",
    ]
    if distinct:
        notes.append("average:distinct")
    notes += [f"n:{len(documents)}", f"seed:{options.seed}", f"v:{__version__}"]
    return "|".join(notes)


def _named_metrics(metrics: Sequence[str]) -> str:
    """Return the names of the metrics for a signature, joined by `+`.

    Averages, ranks and the metrics that are left out of them depend on which metrics are measured.
    """
    if not NAMED_ALL.issubset(metrics):
        return "+".join(metrics)
    others = [name for name in metrics if name not in NAMED_ALL]
    return "+".join(["all", *others])


def _stop_words_note(options: MetricOptions) -> str:
    """Return the list of stop words for a signature; a file is named with a digest of its words."""
    name = options.stop_words or options.language
    if name in (*LISTED, "none"):
        return name
    return f"{Path(name).name},{digest_of(sorted(stop_words(name)))}"


def chosen_metrics(names: Sequence[str]) -> tuple[str, ...]:
    """Return the metrics of names and categories in the order of `METRICS`, each once.

    All are chosen when none is named.
    """
    if not names:
        return tuple(METRICS)
    categories = families()
    unknown = [name for name in names if name not in METRICS and name not in categories]
    if unknown:
        known = ", ".join([*categories, *METRICS])
        raise InputError(f"no metric called {', '.join(unknown)}: choose from {known}")
    wanted: set[str] = set()
    for name in names:
        wanted.update(categories.get(name, [name]))
    return tuple(name for name in METRICS if name in wanted)


def check_input(documents: Documents, metrics: Sequence[str], options: MetricOptions) -> None:
    """Refuse input that would fail only after minutes, or would not fail and give wrong values."""
    lacking = [name for name in metrics if METRICS[name].needs_references]
    if lacking and documents.references is None:
        raise InputError(
            f"{documents.name} has no column headline, which {', '.join(lacking)} need as references: "
            "name that column, or choose metrics without them"
        )
    parse_lsi(options.lsi)
    try:
        stop_words(options.stop_words or options.language)
    except InputError as error:
        raise InputError(f"{error}; for another language give stop_words none") from None
