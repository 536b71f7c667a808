"""Tests of main where topic does not help: the two headlines of one event."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import polars as pl

from change_it.corpus.folder import read_table
from change_it.judges.data import Examples
from change_it.judges.judge_options import MARKS, NGRAMS, StyleScale
from change_it.judges.linear import surface_features
from change_it.judges.linear_training import fit_main
from change_it.judges.metrics import f1_lead, scores
from change_it.stats import AVERAGE, Events, Floats, Ints, log_odds, measure
from change_it.text.evidence import unsupported
from change_it.text.sentences import cuts
from change_it.text.typography import Typography

#: From n headlines to (n, 2) probabilities of outlets A and B.
Ask = Callable[[Sequence[str]], Floats]

#: Fits that `style_scale` compares, and pairs of events that were not learnt below which it fits at all.
PARTS, PAIRS = 5, 100
#: Pairs that a scale is measured on, at most, those that evidence is looked up for, and resamples of intervals.
SCALED, EVIDENCE, RESAMPLES = 2000, 500, 500


def accuracy(first: Floats, second: Floats, events: Events) -> dict[str, float]:
    """Share of events, 0-1, in which B's headline has higher log odds (n,) of outlet B than A's; a tie counts a half: `value`, and `low` and `high` of its 95% interval, drawn by event."""
    return _mean((np.sign(second - first) + 1) / 2, events, {"mean": "n"})


def fit_marks(examples: Examples, *, seed: int) -> Ask:
    """A logistic regression on marks, capitals and length alone."""
    from sklearn.linear_model import LogisticRegression  # loads pandas
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000, random_state=seed))
    model.fit(surface_features(examples.texts), examples.labels)
    return lambda texts: np.asarray(model.predict_proba(surface_features(texts)), np.float64)


def lead(judge: Floats, baseline: Floats, events: Events) -> dict[str, float]:
    """Accuracy of a judge less that of a baseline within the same n events, of their steps (n,), like `accuracy`."""
    return _mean((np.sign(judge) - np.sign(baseline)) / 2, events)


def _mean(values: Floats, events: Events, shares: Mapping[str, str] | None = None) -> dict[str, float]:
    columns = {"n": np.ones(len(values)), "sum": values}
    how: dict[str, Any] = {"shares": shares} if shares else {}
    scored = measure(columns, lambda sums: {"mean": sums["sum"] / sums["n"]}, events=events, **how)
    return scored[AVERAGE]["mean"]._asdict()


def fit_baselines(examples: Examples, *, seed: int) -> dict[str, Ask]:
    """The baselines of main, fitted on its examples: n-grams alone; marks, capitals and length."""
    ngrams = fit_main(examples, seed=seed, ngrams_alone=True).predict_proba
    return {NGRAMS: ngrams, MARKS: fit_marks(examples, seed=seed)}


def style_scale(
    corpus: str,
    outlets: tuple[str, str],
    judge: Ask,
    learnt: Examples,
    *,
    baselines: Callable[[], dict[str, Ask]] | None = None,
    refit: Callable[[Examples], Ask] | None = None,
    seed: int = 1,
) -> StyleScale:
    """Measure main and its baselines on the strictly aligned training pairs (A1) from whose events they have not learnt.

    The baselines learn what `judge` has learnt; `baselines` gives those of `learnt` where they are wanted elsewhere, too. Where fewer
    than 100 pairs are of other events, `refit` fits a judge like it without each fifth of the events that it has learnt, which judges
    the pairs of that fifth.
    """
    articles = read_table(corpus, "articles", "train", ["headline", "label", "event"])
    texts_of_pairs = [f"{side}_{part}" for side in "ab" for part in ("headline", "article")]
    pairs = read_table(corpus, "pairs", "train", [*texts_of_pairs, "event", "alignment"])
    pairs = pairs.filter(alignment="A1").head(SCALED)
    texts = pl.Series(learnt.texts, dtype=pl.String)
    known = articles.filter(pl.col("headline").is_in(texts.implode()))["event"]
    is_known = pl.col("event").is_in(known.implode())
    parts: list[tuple[Ask, Examples, pl.DataFrame]] = [(judge, learnt, pairs.filter(~is_known))]
    if refit is not None and parts[0][2].height < PAIRS:
        events = pairs.filter(is_known)["event"].unique().sort()
        for part in np.array_split(np.random.default_rng(seed).permutation(len(events)), PARTS):
            held = events[part].implode()
            apart = articles.filter(pl.col("event").is_in(held))["headline"]
            kept = learnt.select(np.flatnonzero(~texts.is_in(apart.implode()).to_numpy()))
            if len(part) and len(set(kept.labels.tolist())) == 2:
                parts.append((refit(kept), kept, pairs.filter(pl.col("event").is_in(held))))
    if not (parts := [part for part in parts if part[2].height]):
        return StyleScale(0, 0, 0.0, (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), 0.0, dict.fromkeys((NGRAMS, MARKS), (0.0, 0.0)), 1.0)  # fmt: skip
    headlines = [articles.filter(label=outlet)["headline"].to_list() for outlet in outlets]
    typography = [Typography.of(texts) for texts in headlines]
    steps, clause_steps, others = [], list[list[list[Floats]]](), dict[str, list[Floats]]()
    for ask, examples, rows in parts:
        steps.append(_steps(ask, rows))
        clause_steps.append([_clause_steps(ask, rows, side, typography) for side in (0, 1)])
        fitted = baselines() if baselines and examples is learnt else fit_baselines(examples, seed=seed)
        for name, baseline in fitted.items():
            others.setdefault(name, []).append(_steps(baseline, rows))
    judged = pl.concat(rows for _, _, rows in parts)
    gold, number = np.concatenate(steps), np.unique(judged["event"].to_numpy(), return_inverse=True)[1]
    sides = [list(chain.from_iterable(part[side] for part in clause_steps)) for side in (0, 1)]
    clause, low, high = zip(*(_medians(gold, side, number, seed) for side in sides), strict=True)
    leads = {name: lead(gold, np.concatenate(of), number) for name, of in others.items()}
    return StyleScale(
        pairs=judged.height,
        events=judged["event"].n_unique(),
        gold=float(np.median(gold)),
        clause=clause,
        low=low,
        high=high,
        accuracy=float((np.sign(gold) + 1).mean() / 2),
        leads={name: (of["low"], of["high"]) for name, of in leads.items()},
        evidence=_evidence(judged),
    )


def _clause_steps(ask: Ask, pairs: pl.DataFrame, side: int, typography: Sequence[Typography]) -> list[Floats]:
    """For each pair the steps of all clauses of A's article (side 0) as B would print them, or of B's (1) as A would; of its headline where there are none."""
    rows = pairs.select("a_headline", "a_article") if side == 0 else pairs.select("b_headline", "b_article")
    texts = [cuts(article, typography[1 - side]) or [headline] for headline, article in rows.iter_rows()]
    sources, every = rows.to_series().to_list(), list(chain.from_iterable(texts))
    odds = log_odds(ask([*sources, *every])[:, 1]) * (1 if side == 0 else -1)
    parts = np.split(odds[len(sources) :], np.cumsum(list(map(len, texts)))[:-1])
    return [part - source for part, source in zip(parts, odds, strict=False)]


def _medians(gold: Floats, clauses: Sequence[Floats], events: Ints, seed: int) -> tuple[float, float, float]:
    """The median step of a random clause of n articles, and the ends of the 95% interval of the difference of gold's (n,) from it, drawn by event."""
    count = int(events.max()) + 1
    draws = np.random.default_rng(seed).integers(0, count, (RESAMPLES, count))
    times = np.stack([np.ones(count), *(np.bincount(draw, minlength=count) for draw in draws)])[:, events]
    every, sizes = np.concatenate(clauses), np.array(list(map(len, clauses)))
    of_clause = _weighted_medians(every, np.repeat(times / sizes, sizes, axis=1))
    low, high = np.quantile((_weighted_medians(gold, times) - of_clause)[1:], [0.025, 0.975])
    return float(of_clause[0]), float(low), float(high)


def _weighted_medians(values: Floats, weights: Floats) -> Floats:
    """(r,) medians of n values with (r, n) weights."""
    order = np.argsort(values)
    below = weights[:, order].cumsum(axis=1)
    return values[order][(below * 2 >= below[:, -1:]).argmax(axis=1)]


def _evidence(pairs: pl.DataFrame) -> float:
    """Share of the headlines of pairs, of at most `EVIDENCE` of them, whose numbers, names and quotations the other headline or an article has."""
    rows = pairs.gather_every(max(1, -(-pairs.height // EVIDENCE)))
    articles = [rows["a_article"], rows["b_article"]]
    sides = zip(rows["a_headline"], rows["b_headline"], *articles, strict=True)
    return float(
        np.mean([not unsupported(new, (old, *of)) for a, b, *of in sides for new, old in ((a, b), (b, a))])
    )


def _steps(ask: Ask, pairs: pl.DataFrame) -> Floats:
    """(n,) log odds of B's headlines less those of A's."""
    first, second = np.split(log_odds(ask([*pairs["a_headline"], *pairs["b_headline"]])[:, 1]), 2)
    return np.asarray(second - first, np.float64)


def measure_main(corpus: str, outlets: tuple[str, str], asked: Mapping[str, Ask]) -> dict[str, Any]:
    """Main and its baselines on A2, by their names, the judge first.

    `within_event` has pairs and events of A2, and of each judge its accuracy within an event and its F1 on A2; of baselines
    also the judge's `lead` over them in both.
    """
    pairs = read_table(corpus, "pairs", "test", ["a_headline", "b_headline", "event"])
    if pairs.is_empty():
        return {}
    articles = read_table(corpus, "articles", "test", ["headline", "label", "event"])
    labels = (articles["label"] == outlets[1]).to_numpy().astype(np.int64)
    texts = [*articles["headline"], *pairs["a_headline"], *pairs["b_headline"]]
    events, events_of_articles = pairs["event"].to_list(), articles["event"].to_list()
    systems: dict[str, dict[str, Any]] = {}
    for name, ask in asked.items():
        odds = log_odds(ask(texts)[:, 1])
        first, second = np.split(odds[len(labels) :], 2)
        decided, step = (odds[: len(labels)] > 0).astype(np.int64), second - first
        systems[name] = accuracy(first, second, events)
        systems[name]["macro_f1"] = scores(labels, decided, outlets)["macro_f1"]
        if len(systems) == 1:
            judge, judge_step = decided, step
        else:
            systems[name]["lead"] = {
                "within_event": lead(judge_step, step, events),
                "macro_f1": f1_lead(labels, judge, decided, events_of_articles),
            }
    return {"within_event": {"pairs": pairs.height, "events": pairs["event"].n_unique(), "systems": systems}}
