"""Whether the judges' probabilities mean what they say, and how many headlines distinguish two systems."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import NormalDist, median
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from change_it.audit.probes import drawn
from change_it.audit.resources import Resources
from change_it.corpus.folder import read_table
from change_it.scoring.columns import GOLD
from change_it.scoring.item import Item
from change_it.stats import Bools, EventIds, Floats, Ints
from change_it.text.damage import FAMILIES, damage

if TYPE_CHECKING:  # loads torch
    from change_it.judges.judge import Judge, Judges

BINS = 10
#: Examples of each judge; articles take long to read.
EXAMPLES = {"main": 2000, "hh": 1000, "ah": 300, "fluency": 800}
#: Differences of compliancy that are to be detected.
DIFFERENCES = (0.01, 0.02, 0.03, 0.05, 0.10)
#: Two-sided error of the first kind, and the chance to find a difference that is there.
ALPHA, POWER = 0.05, 0.8
#: Two systems are compared where they have as many headlines in common.
COMMON = 50


@dataclass(frozen=True)
class Bin:
    """Answers that a judge was about equally sure of."""

    n: int  # their number
    confidence: float  # mean probability of the class decided for, 0.5-1
    right: float  # share of right decisions


@dataclass(frozen=True)
class Calibration:
    """How a judge's probabilities compare with how often it is right."""

    judge: str  # main, hh, ah or fluency
    n: int  # examples
    accuracy: float  # share of right decisions
    confidence: float  # mean probability of the class decided for
    ece: float  # expected calibration error: mean distance of confidence and accuracy over `BINS` bins, by their size
    bins: tuple[Bin, ...]  # those with examples, rising
    # by which to divide the log-odds, fitted on one half of the events; None where not asked for
    temperature: float | None = None
    ece_before: float | None = None  # of the other half
    ece_after: float | None = None  # of the other half, with the temperature


@dataclass(frozen=True)
class Power:
    """How many headlines distinguish two systems, by a paired test of their compliancy that draws events."""

    measure: str  # whose verdicts were compared
    # design effect: how many times as many headlines it takes as if each were an event of its own, since the
    # headlines of an event fare alike; the median over the pairs of audited systems, at least 1
    design: float
    differing: float  # median share of headlines on which verdicts differ between two of the audited systems
    unrelated: float  # the same share of two systems as good as gold whose verdicts have nothing to do with each other
    needed: dict[str, tuple[int, int]]  # difference to the headlines needed for each share, `differing` first
    items: int  # headlines that the corpus has
    events: int  # that they are of
    smallest: tuple[float, float]  # the difference that these distinguish, for each share


def calibrate(
    judges: "Judges",
    corpus: str,
    items: Sequence[Item],
    resources: Resources,
    *,
    temperature: bool = False,
    seed: int = 1,
    batch_size: int | None = None,
) -> list[Calibration]:
    """Calibration of each judge that a corpus has test examples for; with `temperature` one is fitted on half of the events.

    The configs `hh` and `ah` of the corpus are the examples of these judges; the original headlines of the items are those of
    main, and with one kind of damage each those of fluency.
    """
    calibrations = []
    for task, judge in judges.by_task.items():
        texts, pairs, labels, events = _examples(judge, corpus, items, resources, seed)
        if not texts:
            continue
        answers = judge.probabilities(texts, pairs, batch_size=batch_size, progress=False)
        half = np.array([zlib.crc32(event.encode()) % 2 for event in events], dtype=bool)
        calibrations.append(calibration(task, answers, labels, half if temperature else None))
    return calibrations


def _examples(
    judge: "Judge", corpus: str, items: Sequence[Item], resources: Resources, seed: int
) -> tuple[list[str], list[str] | None, Ints, list[str]]:
    """Texts, their pairs, classes and events; of two headlines, or of a headline and an article, that of the first."""
    most = EXAMPLES[judge.task]
    if judge.task == "main":
        some = drawn(items, most, seed)
        labels = [judge.outlets.index(item.label) for item in some]
        events = [item.event for item in some]
        return [item.source for item in some], None, np.array(labels, dtype=np.int64), events
    if judge.task in ("hh", "ah"):
        columns = ["headline1", "headline2"] if judge.task == "hh" else ["headline", "article"]
        rows = read_table(corpus, judge.task, "test", [*columns, "label"])
        rows = rows.sample(min(most, rows.height), seed=seed, shuffle=True)
        texts, pairs = (rows[name].to_list() for name in columns)
        articles = read_table(corpus, "articles", "test", ["headline", "event"])
        event_of = dict(articles.iter_rows())
        events = [event_of[text] for text in texts]
        return texts, pairs, rows["label"].cast(pl.Int64).to_numpy(), events
    random = np.random.default_rng(seed)
    texts, classes, events = [], [], []
    families = [name for name in FAMILIES if name != "generated"]
    for item in drawn(items, most // 2, seed):
        broken = damage(item.source, str(random.choice(families)), random, resources.material)
        for text, label in ((item.source, 1), (broken, 0)):
            if text:
                texts.append(text)
                classes.append(label)
                events.append(item.event)
    return texts, None, np.array(classes, dtype=np.int64), events


def calibration(judge: str, answers: Floats, labels: Ints, half: Bools | None = None) -> Calibration:
    """How (n, 2) probabilities compare with how often they are right of (n,) classes (Guo et al. 2017).

    A temperature is fitted on `half`, (n,), and tested on the rest, where both have examples.
    """
    confidence, right = answers.max(axis=1), answers.argmax(axis=1) == labels
    bins = [
        Bin(int(here.sum()), float(confidence[here].mean()), float(right[here].mean()))
        for here in _binned(confidence)
    ]
    uncooled = Calibration(
        judge,
        len(labels),
        float(right.mean()),
        float(confidence.mean()),
        expected_error(answers, labels),
        tuple(bins),
    )
    if half is None or half.all() or not half.any():
        return uncooled
    fitted = fit_temperature(answers[half], labels[half])
    rest, truth = answers[~half], labels[~half]
    return replace(
        uncooled,
        temperature=fitted,
        ece_before=expected_error(rest, truth),
        ece_after=expected_error(cooled(rest, fitted), truth),
    )


def _binned(confidence: Floats) -> list[Bools]:
    """Members of each bin of equal width from 0.5 to 1 that has any."""
    number = np.minimum(((confidence - 0.5) * 2 * BINS).astype(np.int64), BINS - 1)
    return [number == bin_ for bin_ in range(BINS) if (number == bin_).any()]


def expected_error(answers: Floats, labels: Ints) -> float:
    """Expected calibration error, in 0-1, of (n, 2) probabilities of (n,) classes; 0 for a judge that is right as often as it is sure.

    Examples:
        >>> expected_error(np.array([[0.25, 0.75]] * 4), np.array([1, 1, 1, 0]))
        0.0
    """
    confidence, right = answers.max(axis=1), answers.argmax(axis=1) == labels
    gaps = [here.sum() * abs(confidence[here].mean() - right[here].mean()) for here in _binned(confidence)]
    return float(sum(gaps) / max(1, len(labels)))


def cooled(answers: Floats, temperature: float) -> Floats:
    """Probabilities with their log-odds divided by a temperature.

    Examples:
        >>> cooled(np.array([[0.1, 0.9]]), 2.0).round(3).tolist()
        [[0.25, 0.75]]
    """
    second = 1 / (1 + np.exp(-_log_odds(answers) / temperature))
    return np.column_stack([1 - second, second])


def fit_temperature(answers: Floats, labels: Ints) -> float:
    """The temperature, in 0.05-20, at which (n, 2) probabilities make the right of (n,) classes most probable; above 1 for a judge that is too sure."""
    from scipy.optimize import minimize_scalar

    signed = np.where(labels == 1, 1.0, -1.0) * _log_odds(answers)

    def loss(log_temperature: float) -> float:
        return float(np.logaddexp(0, -signed / np.exp(log_temperature)).mean())

    return float(np.exp(minimize_scalar(loss, bounds=(np.log(0.05), np.log(20)), method="bounded").x))


def _log_odds(answers: Floats) -> Floats:
    clipped = np.clip(answers, 1e-12, 1)
    return np.asarray(np.log(clipped[:, 1]) - np.log(clipped[:, 0]))


def headlines_needed(difference: float, differing: float, design: float = 1.0) -> int:
    """Headlines that distinguish two systems by McNemar's test at an error of 5%, two-sided, and a power of 80% (Connor 1987).

    Args:
        difference: of the two shares, above 0.
        differing: share of headlines on which the two verdicts differ, at least the difference.
        design: design effect, see `Power`.

    Examples:
        >>> headlines_needed(0.05, 0.2)
        626
    """
    normal = NormalDist()
    differing = max(differing, difference)
    error = normal.inv_cdf(1 - ALPHA / 2) * differing**0.5
    power = normal.inv_cdf(POWER) * (differing - difference**2) ** 0.5
    return int(np.ceil(design * ((error + power) / difference) ** 2 - 1e-9))


def smallest_difference(items: int, differing: float, design: float = 1.0) -> float:
    """The smallest difference, to a tenth of a point, for which so many items are enough, see `headlines_needed`; 1 where none is detected."""
    steps = np.arange(1, 1001) / 1000
    return next((float(d) for d in steps if headlines_needed(float(d), differing, design) <= items), 1.0)


def design_effect(differences: Floats, events: EventIds) -> float:
    """Variance of the mean of (n,) differences drawn by (n,) events, as a multiple of that drawn one by one.

    Examples:
        >>> design_effect(np.array([1.0, 1.0, -1.0, -1.0]), np.array(["x", "x", "y", "y"]))
        2.0
    """
    centred = differences - differences.mean()
    total = float((centred**2).sum())
    numbers = np.unique(events, return_inverse=True)[1]
    return float((np.bincount(numbers, centred) ** 2).sum()) / total if total else 1.0


def power(table: pl.DataFrame, items: int, events: int) -> Power | None:
    """How many headlines distinguish systems, by how often the verdicts on two of the audited systems differ.

    Of all judges together, or of compliancy where no two systems pass them often enough; None where that holds of compliancy
    too. The table is that of `perturbation_results.measure_systems`; `items` are the headlines of the corpus, of so many `events`.
    """
    fluency = "fluency" in table.columns and not table["fluency"].has_nulls()
    measures = ("passed", "compliancy")[not fluency :]
    return next(filter(None, (_power(table, items, events, measure) for measure in measures)), None)


def _power(table: pl.DataFrame, items: int, events: int, measure: str) -> Power | None:
    wide = table.pivot("system", index=["item", "event"], values=measure)
    names = [name for name in wide.columns if name not in ("item", "event")]
    shares = {name: float(wide[name].drop_nulls().cast(pl.Float64).to_numpy().mean()) for name in names}
    top = shares.get(GOLD, 0.5)
    # two systems of which neither is hopeless
    rivals = [name for name in names if shares[name] >= top / 2]
    differing, designs = [], []
    for first, second in combinations(rivals, 2):
        both = wide.select("event", first, second).drop_nulls()
        if both.height >= COMMON:
            gap = (both[first].cast(pl.Int8) - both[second].cast(pl.Int8)).to_numpy().astype(np.float64)
            differing.append(float(np.abs(gap).mean()))
            designs.append(design_effect(gap, both["event"].to_numpy()))
    if not differing or not top:
        return None
    typical, unrelated, design = median(differing), 2 * top * (1 - top), max(1.0, median(designs))
    return Power(
        measure,
        design,
        typical,
        unrelated,
        {
            f"{difference:.2f}": (
                headlines_needed(difference, typical, design),
                headlines_needed(difference, unrelated, design),
            )
            for difference in DIFFERENCES
        },
        items,
        events,
        (smallest_difference(items, typical, design), smallest_difference(items, unrelated, design)),
    )
