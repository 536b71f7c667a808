"""Every metric of HEvAS on every system: values an item, means, overall average and ranks (HEvAS 2019)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from change_it import __version__
from change_it.errors import InputError
from change_it.hevas.documents import Documents, System
from change_it.hevas.metrics import FAMILIES, MetricOptions, Work, check_input, chosen_metrics
from change_it.hevas.readability import LOWER_IS_BETTER
from change_it.io import refuse_lengths
from change_it.progress import bar
from change_it.stats import DECIMALS, Floats

#: Metrics without an upper end, which the documents decide before any average.
UNBOUNDED = frozenset({"Fog", "AWL"})
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
    """

    metrics: tuple[str, ...]
    values: dict[str, Floats] = field(repr=False)
    empty: dict[str, NDArray[np.bool_]] = field(repr=False)
    ids: tuple[str, ...] = field(repr=False)
    signature: str
    events: tuple[int | str, ...] | None = field(default=None, repr=False)

    @property
    def systems(self) -> list[str]:
        """Names of the systems in the order given."""
        return list(self.values)

    @property
    def written(self) -> NDArray[np.bool_]:
        """(n, m) whether a headline has words, rows documents, columns systems."""
        return ~np.column_stack(list(self.empty.values()))

    @property
    def empty_headlines(self) -> dict[str, int]:
        """System to the number of its headlines without words."""
        return {system: int(flags.sum()) for system, flags in self.empty.items()}

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
    def averaged(self) -> list[str]:
        """The metrics that enter averages and ranks: all but JS, which is ours."""
        return [name for name in self.metrics if not name.startswith("JS")]

    @cached_property
    def normalised(self) -> dict[str, Floats]:
        """Averaged metric to (n, m) values in 0-1, more is better.

        Most metrics have this range by themselves; what is outside it (R-WSU, cosines) becomes its end. Fog and AWL are stretched so
        that their lowest value over all documents and systems is 0 and their highest 1 (ours: the paper does not say
        how), 1/2 where all values are equal. Then the metrics in which less is better are inverted, including the divergence KL. An empty headline has 0.
        """
        written, result = self.written, {}
        for name in self.averaged:
            values = self.scores(name)
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

    @property
    def overall(self) -> dict[str, float]:
        """System to its average over all averaged metrics and documents, in 0-1, more is better; empty without such a metric."""
        means = self.overall_items.mean(axis=0).tolist() if self.averaged else []
        return dict(zip(self.systems, means, strict=False))

    @property
    def ranks(self) -> dict[str, dict[str, int]]:
        """System to averaged metric to its rank by the mean, 1 the best; equal ones share the better rank."""
        means = {name: values.mean(axis=0).round(DECIMALS) for name, values in self.normalised.items()}
        return {
            system: {name: 1 + int((several > several[column]).sum()) for name, several in means.items()}
            for column, system in enumerate(self.systems)
        }

    @property
    def ranking(self) -> list[str]:
        """Systems by overall average, the best first; of equal ones the earlier."""
        overall = self.overall
        return sorted(self.systems, key=lambda system: -round(overall.get(system, 0.0), DECIMALS))


def evaluate(
    documents: Documents,
    systems: Sequence[System],
    *,
    metrics: Sequence[str] = (),
    options: MetricOptions | None = None,
    progress: bool = False,
) -> Evaluation:
    """Measure systems.

    Args:
        documents: n documents with their reference headlines.
        systems: n headlines each.
        metrics: names of `METRICS` or of `CATEGORIES`; all when empty.
        options: what the values depend on; the defaults when None.
        progress: show a bar.

    Returns:
        Values an item, with means and ranks.

    Raises:
        InputError: what is given does not fit the metrics, or each other.

    Examples:
        >>> from change_it.hevas.documents import Documents, System
        >>> documents = Documents(("1",), ("Il governo cade a Roma.",), (("Cade il governo",),), "example")
        >>> result = evaluate(documents, [System("mine", ("Roma, cade il governo",))], metrics=["R-1", "AWL"])
        >>> result.means["mine"]
        {'R-1': 1.0, 'AWL': 4.25}
    """
    options, wanted = options or MetricOptions(), chosen_metrics(metrics)
    check_input(documents, wanted, options)
    work = Work(documents, systems, options)
    if not len(systems) == len(work.texts) > 0:
        raise InputError("no system, or two of one name: give systems, each its own name, or baselines")
    refuse_lengths(documents=documents.texts, **work.texts)
    empty = {system: np.array([not text for text in texts]) for system, texts in work.headlines.items()}
    values = {system: np.zeros((len(documents), len(wanted))) for system in empty}
    families = [measures for names, measures in FAMILIES if names.intersection(wanted)]
    for measures in bar("measuring", items=families, shown=progress):
        for names, measure in measures(work).items():
            for system in values if {*names}.intersection(wanted) else ():
                for name, scores in zip(names, measure(system), strict=True):
                    if name in wanted:
                        values[system][:, wanted.index(name)] = np.where(empty[system], 0.0, scores)
    notes = ["hevas", f"lang:{options.language}", f"stop:{work.stop_words}", *work.notes, "tok:unicode"]
    notes += [f"n:{len(documents)}", f"seed:{options.seed}", f"v:{__version__}"]
    return Evaluation(wanted, values, empty, documents.ids, "|".join(notes), documents.events)
