"""Every metric of HEvAS on every system: values an item, means, overall average and ranks (HEvAS 2019)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from sys import intern

import numpy as np
from numpy.typing import NDArray

from change_it import __version__
from change_it.errors import InputError
from change_it.hevas.documents import Documents
from change_it.hevas.metrics import MetricOptions, check_input, chosen_metrics, families
from change_it.hevas.readability import LOWER_IS_BETTER
from change_it.io import refuse_lengths
from change_it.progress import bar
from change_it.stats import DECIMALS, Floats
from change_it.text.tokens import words

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
        """Averaged metric to (n, m) values in 0-1, more is better; all metrics are averaged and ranked but JS, which is ours.

        Most metrics have this range by themselves; what is outside it (R-WSU, cosines) becomes its end. Fog and AWL are stretched so
        that their lowest value over all documents and systems is 0 and their highest 1 (ours: the paper does not say
        how), 1/2 where all values are equal. Then the metrics in which less is better are inverted, including the divergence KL. An empty headline has 0.
        """
        written, result = self.written, {}
        for name in self.metrics:
            values = self.scores(name)
            if name.startswith("JS"):
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
    progress: bool = False,
) -> Evaluation:
    """Measure systems.

    Args:
        documents: n documents with their reference headlines.
        systems: name to n headlines, empty where the system has none.
        metrics: names of `METRICS` or of `CATEGORIES`; all when empty.
        options: what the values depend on; the defaults when None.
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
    refuse_lengths(documents=documents.texts, **systems)
    of_systems = {system: _words(headlines) for system, headlines in systems.items()}
    empty = {system: np.array([not text for text in texts]) for system, texts in of_systems.items()}
    columns: dict[str, dict[str, Floats]] = {system: {} for system in systems}
    notes = ["hevas", f"lang:{options.language}", f"stop:{options.stop_words or options.language}"]
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
    notes += ["tok:unicode", f"n:{len(documents)}", f"seed:{options.seed}", f"v:{__version__}"]
    return Evaluation(wanted, values, empty, documents.ids, "|".join(notes), documents.events)


def _words(texts: Sequence[str]) -> list[list[str]]:
    """Return the words of each text; equal words are one object."""
    return [list(map(intern, words(text))) for text in texts]
