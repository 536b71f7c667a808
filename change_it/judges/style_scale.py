"""Measure how far a main judge moves between the two newspapers' headlines: the scale of style."""

from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np
import polars as pl

from change_it.corpus.folder import read_table
from change_it.judges.data import Examples
from change_it.judges.linear_training import Ask, fit_baselines
from change_it.judges.metrics import _steps, lead
from change_it.judges.options import MARKS, NGRAMS, StyleScale
from change_it.stats import Floats, Ints, log_odds
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
    typography = [
        Typography.from_headlines(articles.filter(label=outlet)["headline"].to_list()) for outlet in outlets
    ]
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
        leads={name: ahead.interval for name, ahead in leads.items()},
        evidence=_evidence(judged),
    )


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
