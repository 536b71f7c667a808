"""Metrics of judges: precision, recall and F1; and of main, where topic does not help: the two headlines of one event, and the scale of style."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import polars as pl

from change_it.corpus.folder import read_table
from change_it.judges.data import Examples
from change_it.judges.options import MARKS, NGRAMS, StyleScale
from change_it.judges.linear_training import Ask, fit_baselines
from change_it.stats import AVERAGE, Events, Floats, Ints, Statistics, log_odds, measure
from change_it.text.evidence import unsupported
from change_it.text.sentences import cuts
from change_it.text.typography import Typography

#: Fits that `style_scale` compares, and pairs of events that were not learnt below which it fits at all.
PARTS = 5
PAIRS = 100
#: Pairs that a scale is measured on, at most, those that evidence is looked up for, and resamples of intervals.
SCALED = 2000
EVIDENCE = 500
RESAMPLES = 500


def scores(labels: np.ndarray, predicted: np.ndarray, classes: tuple[str, ...]) -> dict[str, Any]:
    """Precision, recall and F1 of classes 0 and 1 (EvalNLGEval 2020, Table 1) by their names, their mean, and accuracy."""
    from sklearn.metrics import precision_recall_fscore_support  # loads pandas

    columns = precision_recall_fscore_support(labels, predicted, labels=[0, 1], zero_division=0)
    table: dict[str, Any] = {}
    for name, *figures, support in zip(classes, *columns, strict=True):
        table[name] = dict(zip(("precision", "recall", "f1"), map(float, figures), strict=True))
        table[name]["support"] = int(support)
    return {**table, "macro_f1": float(np.mean(columns[2])), "accuracy": float((labels == predicted).mean())}


def f1_lead(labels: Ints, judge: Ints, baseline: Ints, events: Sequence[str]) -> dict[str, float]:
    """Mean F1 of a judge less that of a baseline on the same (n,) examples: `value`, and `low` and `high` of its 95% interval, drawn by event."""
    columns: dict[str, Floats] = {}
    for name, decided in (("judge", judge), ("baseline", baseline)):
        for label in (0, 1):
            columns[f"{name} hits {label}"] = ((decided == label) & (labels == label)).astype(np.float64)
            columns[f"{name} sizes {label}"] = (decided == label) + (labels == label).astype(np.float64)

    def mean_f1(sums: Statistics, name: str) -> Floats:
        f1 = [2 * sums[f"{name} hits {i}"] / np.maximum(sums[f"{name} sizes {i}"], 1) for i in (0, 1)]
        return (f1[0] + f1[1]) / 2

    def leads(sums: Statistics) -> dict[str, Floats]:
        return {"lead": mean_f1(sums, "judge") - mean_f1(sums, "baseline")}

    return measure(columns, leads, events=events)[AVERAGE]["lead"]._asdict()


def accuracy(steps: Floats, events: Events) -> dict[str, float]:
    """Share of n pairs, 0-1, whose step (n,), the log odds of outlet B of B's headline less those of A's, is above 0; a tie counts a half: `value`, and `low` and `high` of its 95% interval, drawn by event."""
    return _mean((np.sign(steps) + 1) / 2, events, {"mean": "n"})


def lead(judge: Floats, baseline: Floats, events: Events) -> dict[str, float]:
    """Accuracy of a judge less that of a baseline on the same n pairs, of their steps (n,), like `accuracy`."""
    return _mean((np.sign(judge) - np.sign(baseline)) / 2, events, {})


def _mean(values: Floats, events: Events, shares: Mapping[str, str]) -> dict[str, float]:
    columns = {"n": np.ones(len(values)), "sum": values}
    means = measure(columns, lambda sums: {"mean": sums["sum"] / sums["n"]}, events=events, shares=shares)
    return means[AVERAGE]["mean"]._asdict()


def style_scale(
    corpus: str,
    outlets: tuple[str, str],
    judge: Ask,
    learnt: Examples,
    *,
    refit: Callable[[Examples], Ask] | None = None,
    seed: int = 1,
) -> StyleScale:
    """Measure main, and baselines that are fitted on what it has `learnt`, on the strictly aligned training pairs (A1) of other events.

    Where fewer than 100 pairs are of other events, `refit` fits a judge like it without each fifth of the events that it has
    learnt, which judges the pairs of that fifth.
    """
    articles = read_table(corpus, "articles", "train", ["headline", "label", "event"])
    texts_of_pairs = [f"{side}_{part}" for side in "ab" for part in ("headline", "article")]
    pairs = read_table(corpus, "pairs", "train", [*texts_of_pairs, "event", "alignment"])
    pairs = pairs.filter(alignment="A1").head(SCALED)
    texts = pl.Series(learnt.texts, dtype=pl.String)
    is_known = pl.col("event").is_in(
        articles.filter(pl.col("headline").is_in(texts.implode()))["event"].implode()
    )
    parts: list[tuple[dict[str, Ask], pl.DataFrame]] = []
    if (apart := pairs.filter(~is_known)).height:
        parts.append(({"judge": judge, **fit_baselines(learnt, seed=seed)}, apart))
    if refit is not None and apart.height < PAIRS:
        events = pairs.filter(is_known)["event"].unique().sort()
        for part in np.array_split(np.random.default_rng(seed).permutation(len(events)), PARTS):
            held = pl.col("event").is_in(events[part].implode())
            headlines = articles.filter(held)["headline"]
            rest = learnt.select(np.flatnonzero(~texts.is_in(headlines.implode()).to_numpy()))
            if len(part) and len(set(rest.labels.tolist())) == 2:
                parts.append(({"judge": refit(rest), **fit_baselines(rest, seed=seed)}, pairs.filter(held)))
    if not parts:
        return StyleScale(0, 0, 0.0, (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), 0.0, dict.fromkeys((NGRAMS, MARKS), (0.0, 0.0)), 1.0)  # fmt: skip
    typography = [Typography.of(articles.filter(label=outlet)["headline"].to_list()) for outlet in outlets]
    steps: dict[str, list[Floats]] = {name: [] for name in parts[0][0]}
    clause_steps: tuple[list[Floats], list[Floats]] = ([], [])
    for systems, rows in parts:
        for name, ask in systems.items():
            steps[name].append(_steps(ask, rows))
        for side in (0, 1):
            clause_steps[side].extend(_clause_steps(systems["judge"], rows, side, typography))
    judged = pl.concat(rows for _, rows in parts)
    gold, *others = map(np.concatenate, steps.values())
    number = np.unique(judged["event"].to_numpy(), return_inverse=True)[1]
    clause, low, high = zip(*(_medians(gold, side, number, seed) for side in clause_steps), strict=True)
    leads = {name: lead(gold, step, number) for name, step in zip(list(steps)[1:], others, strict=True)}
    return StyleScale(
        pairs=judged.height,
        events=judged["event"].n_unique(),
        gold=float(np.median(gold)),
        clause=clause,
        low=low,
        high=high,
        accuracy=float((np.sign(gold) + 1).mean() / 2),
        leads={name: (ahead["low"], ahead["high"]) for name, ahead in leads.items()},
        evidence=_evidence(judged),
    )


def _steps(ask: Ask, pairs: pl.DataFrame) -> Floats:
    """The log odds of outlet B of B's headline less those of A's, (n,)."""
    first, second = np.split(log_odds(ask([*pairs["a_headline"], *pairs["b_headline"]])[:, 1]), 2)
    return np.asarray(second - first)


def _clause_steps(ask: Ask, pairs: pl.DataFrame, side: int, typography: Sequence[Typography]) -> list[Floats]:
    """For each pair the steps of all clauses of A's article (side 0) as B would print them, or of B's (1) as A would; of its headline where there are none."""
    rows = pairs.select(f"{'ab'[side]}_headline", f"{'ab'[side]}_article")
    texts = [cuts(article, typography[1 - side]) or [headline] for headline, article in rows.iter_rows()]
    sources, clauses = rows.to_series().to_list(), list(chain.from_iterable(texts))
    odds = log_odds(ask([*sources, *clauses])[:, 1]) * (1 - 2 * side)
    parts = np.split(odds[len(sources) :], np.cumsum(list(map(len, texts)))[:-1])
    return [part - source for part, source in zip(parts, odds, strict=False)]


def _medians(gold: Floats, clauses: Sequence[Floats], events: Ints, seed: int) -> tuple[float, float, float]:
    """The median step of a random clause of n articles, and the ends of the 95% interval of the difference of gold's (n,) from it, drawn by event."""
    count = int(events.max()) + 1
    draws = np.random.default_rng(seed).integers(0, count, (RESAMPLES, count))
    times = np.stack([np.ones(count), *(np.bincount(draw, minlength=count) for draw in draws)])[:, events]

    def medians(values: Floats, weights: Floats) -> Floats:
        order = np.argsort(values)
        below = weights[:, order].cumsum(axis=1)
        return values[order][(below * 2 >= below[:, -1:]).argmax(axis=1)]

    sizes = np.array(list(map(len, clauses)))
    clause = medians(np.concatenate(clauses), np.repeat(times / sizes, sizes, axis=1))
    low, high = np.quantile((medians(gold, times) - clause)[1:], [0.025, 0.975])
    return float(clause[0]), float(low), float(high)


def _evidence(pairs: pl.DataFrame) -> float:
    """Share of the headlines of pairs, of at most `EVIDENCE` of them, whose numbers, names and quotations the other headline or an article has."""
    rows = pairs.gather_every(max(1, -(-pairs.height // EVIDENCE)))
    names = ("a_headline", "b_headline", "a_article", "b_article")
    missing = [
        unsupported(new, (source, *articles))
        for a, b, *articles in rows.select(names).iter_rows()
        for new, source in ((a, b), (b, a))
    ]
    return float(np.mean([not words for words in missing]))


def measure_main(corpus: str, systems: Mapping[str, Ask]) -> dict[str, Any]:
    """Main and its baselines on the pairs of A2, by their names, the judge first.

    `within_event` has numbers of pairs and events, and of each its accuracy within an event; of baselines also the judge's `lead`.
    """
    pairs = read_table(corpus, "pairs", "test", ["a_headline", "b_headline", "event"])
    if pairs.is_empty():
        return {}
    steps, events = {name: _steps(ask, pairs) for name, ask in systems.items()}, pairs["event"].to_list()
    measured: dict[str, Any] = {name: accuracy(step, events) for name, step in steps.items()}
    judge, *baselines = steps
    for name in baselines:
        measured[name]["lead"] = {"within_event": lead(steps[judge], steps[name], events)}
    return {"within_event": {"pairs": pairs.height, "events": pairs["event"].n_unique(), "systems": measured}}
