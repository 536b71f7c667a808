"""BLEU and ROUGE-L against the target outlet's aligned headline and against the original (ours), and how they go with the judges.

Both on a 0-1 scale over the words of `text.tokens`. Statistics per item first (n-gram counts by
sacrebleu), aggregates from their sums, so that intervals and paired tests need no recount.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import polars as pl
import scipy  # its parts are loaded when they are used
from sacrebleu.metrics import BLEU

from change_it.judges.spec import compliancy_tasks
from change_it.scoring.aspects import probability_columns
from change_it.stats import AVERAGE, EventIds, Floats, Score, Statistics, measure
from change_it.text.rouge import rouge_l
from change_it.text.tokens import words

#: What `aggregate` returns, in this order.
OVERLAP_MEASURES = ("bleu", "rougeL", "bleu_source", "rougeL_source")
#: Those that compare with the reference.
OF_REFERENCE = OVERLAP_MEASURES[:2]

_ORDERS = range(1, 5)
_BLEU = BLEU(tokenize="none", effective_order=True)
#: Per side: texts to compare with, ROUGE-L F1, words of the candidate and of the reference, matching and all n-grams of orders 1-4.
_COLUMNS = (
    *("compared", "rougeL", "length", "reference_length"),
    *(f"matching{order}" for order in _ORDERS),
    *(f"ngrams{order}" for order in _ORDERS),
)
_SIDES = ("", "_source")


def statistics(
    predictions: Sequence[str], references: Sequence[str], sources: Sequence[str]
) -> dict[str, Floats]:
    """Per-item statistics, (n,) each, whose sums `aggregate` understands (see `change_it.stats`).

    How many texts there are to compare with (an empty reference does not count), ROUGE-L and the counts of BLEU against the references,
    and the same against the originals with names in `_source`.
    """
    new, columns = [words(text) for text in predictions], dict[str, Floats]()
    for side, texts in zip(_SIDES, (references, sources), strict=True):
        compared = [words(text) for text in texts]
        counts = [_bleu(" ".join(one), " ".join(other)) for one, other in zip(new, compared, strict=True)]
        rows = np.ones((len(new), len(_COLUMNS)))
        rows[:, 1] = rouge_l(compared, new)[:, 2]
        rows[:, 2:] = np.reshape(counts, (len(new), -1)) if counts else 0
        rows[[not text for text in texts]] = 0
        columns |= {name + side: rows[:, column] for column, name in enumerate(_COLUMNS)}
    return columns


@lru_cache(maxsize=2**17)  # a report asks of its headlines twice
def _bleu(candidate: str, reference: str) -> tuple[int, ...]:
    """Lengths, matches and totals of BLEU."""
    score = _BLEU.sentence_score(candidate, [reference])
    return score.sys_len, score.ref_len, *score.counts, *score.totals


def aggregate(sums: Statistics) -> dict[str, Floats]:
    """Corpus BLEU and mean ROUGE-L, each in 0-1, from summed `statistics` of the items that have a text to compare with; NaN where none has."""
    measures = {}
    for side in _SIDES:
        compared = np.asarray(sums[f"compared{side}"], dtype=np.float64)
        counts = np.stack([sums[name + side] for name in _COLUMNS[2:]], axis=-1)
        measures[f"bleu{side}"] = np.where(compared > 0, corpus_bleu(counts), np.nan)
        with np.errstate(invalid="ignore"):
            measures[f"rougeL{side}"] = sums[f"rougeL{side}"] / compared
    return measures


def corpus_bleu(sums: Floats) -> Floats:
    """(...,) BLEU in 0-1 of (..., 10) counts of `_COLUMNS`, from `length` on: sacrebleu's formula and smoothing; 0 where nothing matches or no candidate has four words."""
    length, wanted = sums[..., 0], sums[..., 1]
    matching, possible = np.split(sums[..., 2:], 2, axis=-1)
    halvings = np.cumsum(matching == 0, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(matching > 0, matching, 0.5**halvings) / possible
        brevity = np.where(length < wanted, np.exp(1 - wanted / length), 1.0)
        score = brevity * np.exp(np.log(precision).mean(axis=-1))
    return np.where((possible > 0).all(axis=-1) & (matching > 0).any(axis=-1), score, 0.0)


def correlations(items: pl.DataFrame) -> dict[str, dict[str, Score]]:
    """Spearman's correlation of BLEU and ROUGE-L with the probabilities of main, hh and ah, headline by headline (EvalNLGEval 2020, section 5).

    `items` are of `Scores.items`, of one system or several; those without a reference are left out. Returns measure to judge to
    score, its interval over events.
    """
    items = items.filter(pl.col("gold").fill_null("") != "")
    texts = (items[name].fill_null("").to_list() for name in ("headline", "gold", "source"))
    overlaps, events = aggregate(statistics(*texts)), items["event"].to_numpy()
    columns, found = probability_columns(), dict[str, dict[str, Score]]()
    for name in OF_REFERENCE:
        found[name] = {
            task: spearman(overlaps[name], items[columns[task]].to_numpy(), events)
            for task in compliancy_tasks()
        }
    return found


def spearman(one: Floats, other: Floats, events: EventIds) -> Score:
    """Spearman's correlation of (n,) values and its interval over events, whose ranks are those of all; NaN where one does not vary."""
    x, y = (scipy.stats.rankdata(values) - (len(values) + 1) / 2 for values in (one, other))

    def aggregate(sums: Statistics) -> dict[str, Floats]:
        n, x, y = (sums[name] for name in ("n", "x", "y"))
        spread = (sums["xx"] - x * x / n) * (sums["yy"] - y * y / n)
        return {"rho": (sums["xy"] - x * y / n) / np.sqrt(np.where(spread > 1e-6, spread, np.nan))}

    columns = {"n": np.ones(len(x)), "x": x, "y": y, "xx": x * x, "yy": y * y, "xy": x * y}
    return measure(columns, aggregate, events=events)[AVERAGE]["rho"]
