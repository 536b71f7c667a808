"""Measure how far a main judge moves between the two newspapers' headlines: the scale of style."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from math import ceil
from typing import NamedTuple

import numpy as np
import polars as pl

from change_it.corpus.folder import read_table
from change_it.judges.data import Examples
from change_it.judges.linear_training import PredictProba, fit_baselines
from change_it.judges.metrics import lead, steps_of_pairs
from change_it.judges.options import MARKS, NGRAMS, StyleScale
from change_it.stats import Floats, Ints, log_odds
from change_it.text.evidence import unsupported
from change_it.text.sentences import cuts
from change_it.text.typography import Typography

#: Parts of the events that main has learnt; it is fitted again without each of them.
REFITTED_PARTS = 5
#: Pairs of events that main has not learnt, from which on it is not fitted again.
ENOUGH_PAIRS = 100
#: Pairs that a scale is measured on, at most.
MAX_PAIRS = 2000
#: Pairs that evidence is looked up for, at most.
MAX_EVIDENCE_PAIRS = 500
#: Resamples of intervals.
RESAMPLES = 500

#: The scale of a main for which there is no pair to measure it on.
NO_SCALE = StyleScale(
    pairs=0,
    events=0,
    gold=0.0,
    clause=(0.0, 0.0),
    low=(0.0, 0.0),
    high=(0.0, 0.0),
    accuracy=0.0,
    leads={NGRAMS: (0.0, 0.0), MARKS: (0.0, 0.0)},
    evidence=1.0,
)


@dataclass(frozen=True, eq=False)
class _Part:
    """Pairs, and systems that have not learnt their events.

    Attributes:
        systems: The judge and its baselines by their names.
        pairs: Aligned training pairs.
    """

    systems: dict[str, PredictProba]
    pairs: pl.DataFrame


class _ClauseScale(NamedTuple):
    """What `StyleScale` has of clauses in one direction.

    Attributes:
        clause: Median step of a random clause.
        low: Lower end of the 95% interval of gold less clause.
        high: Its upper end.
    """

    clause: float
    low: float
    high: float


def style_scale(
    corpus: str,
    outlets: tuple[str, str],
    judge: PredictProba,
    learnt: Examples,
    *,
    refit: Callable[[Examples], PredictProba] | None = None,
    seed: int = 1,
) -> StyleScale:
    """Measure main and its baselines on strictly aligned training pairs (A1) of events that are new to it.

    Where fewer than `ENOUGH_PAIRS` pairs are of new events, pairs of learnt events are measured beside them.
    For each fifth of these events main is fitted again without it, and the new main judges its pairs.

    Args:
        corpus: Corpus folder, or its id on the Hub.
        outlets: Short names of A and B.
        judge: Main.
        learnt: The examples that main has learnt; baselines are fitted on them.
        refit: Fits a main like this one on other examples; None measures new events alone.
        seed: Seed of the baselines, the fifths and the intervals.
    """
    articles = read_table(corpus, "articles", "train", ["headline", "label", "event"])
    columns = ["a_headline", "a_article", "b_headline", "b_article", "event", "alignment"]
    pairs = read_table(corpus, "pairs", "train", columns).filter(alignment="A1").head(MAX_PAIRS)
    texts = pl.Series(learnt.texts, dtype=pl.String)
    learnt_events = articles.filter(pl.col("headline").is_in(texts.implode()))["event"]
    is_learnt = pl.col("event").is_in(learnt_events.implode())
    apart = pairs.filter(~is_learnt)
    parts: list[_Part] = []
    if apart.height:
        parts.append(_Part({"judge": judge, **fit_baselines(learnt, seed=seed)}, apart))
    if refit is not None and apart.height < ENOUGH_PAIRS:
        parts.extend(_refitted_parts(refit, learnt, articles, pairs.filter(is_learnt), seed))
    if not parts:
        return NO_SCALE
    typography = []
    for outlet in outlets:
        headlines = articles.filter(label=outlet)["headline"]
        typography.append(Typography.from_headlines(headlines.to_list()))
    return _measure_parts(parts, typography, seed)


def _refitted_parts(
    refit: Callable[[Examples], PredictProba],
    learnt: Examples,
    articles: pl.DataFrame,
    pairs: pl.DataFrame,
    seed: int,
) -> list[_Part]:
    """Divide pairs of learnt events into parts, and fit main and its baselines again for each part.

    Args:
        refit: Fits main on examples.
        learnt: The examples that main has learnt.
        articles: Training articles, with `headline` and `event`.
        pairs: Pairs of learnt events.
        seed: Seed of the division.

    Returns:
        The parts. The systems of each have learnt the examples without the headlines of its events.
    """
    texts = pl.Series(learnt.texts, dtype=pl.String)
    events = pairs["event"].unique().sort()
    order = np.random.default_rng(seed).permutation(len(events))
    parts = []
    for rows in np.array_split(order, REFITTED_PARTS):
        is_held_out = pl.col("event").is_in(events[rows].implode())
        headlines = articles.filter(is_held_out)["headline"]
        is_left = ~texts.is_in(headlines.implode()).to_numpy()
        left = learnt.select(np.flatnonzero(is_left))
        if len(rows) and len(set(left.labels.tolist())) == 2:
            systems = {"judge": refit(left), **fit_baselines(left, seed=seed)}
            parts.append(_Part(systems, pairs.filter(is_held_out)))
    return parts


def _measure_parts(parts: Sequence[_Part], typography: Sequence[Typography], seed: int) -> StyleScale:
    """Measure the scale on all parts together.

    Args:
        parts: Pairs, each with systems that have not learnt it.
        typography: The typography of A's headlines and that of B's.
        seed: Seed of the intervals.
    """
    steps: dict[str, list[Floats]] = {name: [] for name in parts[0].systems}
    clauses_of_a: list[Floats] = []
    clauses_of_b: list[Floats] = []
    for part in parts:
        for name, ask in part.systems.items():
            steps[name].append(steps_of_pairs(ask, part.pairs))
        judge = part.systems["judge"]
        clauses_of_a.extend(_clause_steps(judge, part.pairs, 0, typography))
        clauses_of_b.extend(_clause_steps(judge, part.pairs, 1, typography))
    pairs = pl.concat(part.pairs for part in parts)
    events = np.unique(pairs["event"].to_numpy(), return_inverse=True)[1]
    gold = np.concatenate(steps.pop("judge"))
    times = _draw_events(events, seed)
    from_a = _measure_clauses(gold, clauses_of_a, times)
    from_b = _measure_clauses(gold, clauses_of_b, times)
    leads = {}
    for name, of_parts in steps.items():
        leads[name] = lead(gold, np.concatenate(of_parts), events).interval
    return StyleScale(
        pairs=pairs.height,
        events=pairs["event"].n_unique(),
        gold=float(np.median(gold)),
        clause=(from_a.clause, from_b.clause),
        low=(from_a.low, from_b.low),
        high=(from_a.high, from_b.high),
        # a step of 0 counts a half
        accuracy=float((np.sign(gold) + 1).mean() / 2),
        leads=leads,
        evidence=_share_with_evidence(pairs),
    )


def _clause_steps(
    ask: PredictProba, pairs: pl.DataFrame, side: int, typography: Sequence[Typography]
) -> list[Floats]:
    """Return for each pair the steps from the headline of one outlet to the clauses of its article.

    A step is the change of the log odds of the other outlet. Clauses are written as the other outlet prints
    headlines. Where an article has no clauses, its headline stands for them.

    Args:
        ask: Main.
        pairs: n pairs.
        side: The outlet, 0 for A and 1 for B.
        typography: That of A's headlines and that of B's.
    """
    outlet = "ab"[side]
    other = typography[1 - side]
    headlines = pairs[f"{outlet}_headline"].to_list()
    articles = pairs[f"{outlet}_article"].to_list()
    clauses: list[list[str]] = []
    for headline, article in zip(headlines, articles, strict=True):
        clauses.append(cuts(article, other) or [headline])
    texts = [*headlines, *chain.from_iterable(clauses)]
    odds = log_odds(ask(texts)[:, 1])
    if side == 1:
        # the other outlet is A
        odds = -odds
    count = len(headlines)
    ends = np.cumsum([len(of_article) for of_article in clauses])
    odds_of_clauses = np.split(odds[count:], ends[:-1])
    steps = []
    for of_headline, of_clauses in zip(odds[:count], odds_of_clauses, strict=True):
        steps.append(of_clauses - of_headline)
    return steps


def _draw_events(events: Ints, seed: int) -> Floats:
    """Return how often each of n pairs is in the sample and in its resamples, (1 + RESAMPLES, n).

    The first row is the sample, with ones.

    Args:
        events: (n,) number of each pair's event; events are drawn with replacement.
        seed: Seed of the draws.
    """
    count = int(events.max()) + 1
    random = np.random.default_rng(seed)
    times_of_events: list[Floats] = [np.ones(count)]
    for draw in random.integers(0, count, (RESAMPLES, count)):
        times_of_events.append(np.bincount(draw, minlength=count).astype(np.float64))
    return np.stack(times_of_events)[:, events]


def _measure_clauses(gold: Floats, clauses: Sequence[Floats], times: Floats) -> _ClauseScale:
    """Measure the step of a random clause, and how far gold's is above it, in one direction.

    Args:
        gold: Step of the other newspaper's headline, (n,).
        clauses: For each of n pairs the steps of its clauses.
        times: How often each pair is drawn, (1 + RESAMPLES, n), as `_draw_events` returns it.
    """
    sizes = np.array([len(of_pair) for of_pair in clauses])
    # however many clauses a pair has, together they count as much as its gold
    times_of_clauses = np.repeat(times / sizes, sizes, axis=1)
    clause = _weighted_medians(np.concatenate(clauses), times_of_clauses)
    differences = _weighted_medians(gold, times) - clause
    # the first row is the sample itself
    low, high = np.quantile(differences[1:], [0.025, 0.975])
    return _ClauseScale(float(clause[0]), float(low), float(high))


def _weighted_medians(values: Floats, weights: Floats) -> Floats:
    """Return the weighted medians of n values, one for each row of weights, (rows,).

    Where two values share the middle, the median is the lower one.

    Args:
        values: (n,) values.
        weights: (rows, n) weights of the values.
    """
    order = np.argsort(values)
    below = weights[:, order].cumsum(axis=1)
    is_half = below * 2 >= below[:, -1:]
    # argmax finds the first value at which half of the weight is reached
    return values[order][is_half.argmax(axis=1)]


def _share_with_evidence(pairs: pl.DataFrame) -> float:
    """Return the share of headlines whose numbers, names and quotations have a source, 0-1.

    Sources are the other headline and both articles. At most `MAX_EVIDENCE_PAIRS` pairs are looked at.
    """
    looked_at = pairs.gather_every(max(1, ceil(pairs.height / MAX_EVIDENCE_PAIRS)))
    has_evidence = []
    columns = ("a_headline", "b_headline", "a_article", "b_article")
    for a_headline, b_headline, *articles in looked_at.select(columns).iter_rows():
        has_evidence.append(not unsupported(a_headline, (b_headline, *articles)))
        has_evidence.append(not unsupported(b_headline, (a_headline, *articles)))
    return float(np.mean(has_evidence))
