"""Measure BLEU and ROUGE-L of headlines, and how they go with the judges.

They compare with the aligned headline of the other outlet, and with the original. The latter is ours. Both
measures are in 0-1, over the words of `text.tokens`. Statistics per item come first (n-gram counts by
sacrebleu), aggregates from their sums, so that intervals and paired tests need no recount.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import polars as pl

from change_it.judges.spec import compliancy_tasks
from change_it.scoring.aspects import probability_columns
from change_it.stats import AVERAGE, EventIds, Floats, Score, Statistics, measure
from change_it.text.rouge import rouge_l
from change_it.text.tokens import words

#: What `aggregate` returns, in this order.
OVERLAP_MEASURES = ("bleu", "rougeL", "bleu_source", "rougeL_source")
#: The measures that compare with the reference.
OF_REFERENCE = OVERLAP_MEASURES[:2]

#: Words of the longest n-gram that BLEU counts.
_ORDERS = 4
#: Statistics that BLEU needs, in sacrebleu's order: words of the candidate and of the reference, then the
#: n-grams of orders 1-4 that match, then all n-grams of the candidate. `corpus_bleu` cuts them by place.
_COUNTS = (
    "length",
    "reference_length",
    "matching1",
    "matching2",
    "matching3",
    "matching4",
    "ngrams1",
    "ngrams2",
    "ngrams3",
    "ngrams4",
)
#: Ending of the names of what compares with the original. What compares with the reference has no ending.
_OF_SOURCE = "_source"


def statistics(
    predictions: Sequence[str], references: Sequence[str], sources: Sequence[str]
) -> dict[str, Floats]:
    """Return statistics of n items, (n,) each, whose sums `aggregate` understands (see `change_it.stats`).

    They are `compared` (1 where there is a text to compare with), ROUGE-L and the counts of BLEU. Each stands
    twice: against the references, and with `_source` at the end of its name against the originals. An empty
    text counts as none.
    """
    words_of_texts = {text: words(text) for text in {*predictions, *references, *sources}}
    new = [words_of_texts[text] for text in predictions]
    columns = {}
    for side, texts in (("", references), (_OF_SOURCE, sources)):
        compared = [words_of_texts[text] for text in texts]
        has_text = np.array([bool(text) for text in texts], np.float64)
        # the columns are precision, recall and F1
        f_scores = rouge_l(compared, new)[:, 2]
        columns[f"compared{side}"] = has_text
        columns[f"rougeL{side}"] = f_scores * has_text
        counts = [
            _bleu_counts(" ".join(one), " ".join(other)) for one, other in zip(new, compared, strict=True)
        ]
        table = np.array(counts, np.float64).reshape(-1, len(_COUNTS)) * has_text[:, None]
        for column, name in enumerate(_COUNTS):
            columns[f"{name}{side}"] = table[:, column]
    return columns


def _bleu_counts(candidate: str, reference: str) -> tuple[int, ...]:
    """Return the `_COUNTS` of a candidate, both texts being words with blanks between them."""
    new, length = _ngrams(candidate)
    other, reference_length = _ngrams(reference)
    matching = [0] * _ORDERS
    for ngram in new.keys() & other.keys():
        matching[len(ngram) - 1] += min(new[ngram], other[ngram])
    possible = [max(0, length - shorter) for shorter in range(_ORDERS)]
    return length, reference_length, *matching, *possible


@lru_cache(maxsize=16)
def _ngrams(text: str) -> tuple[Counter[tuple[str, ...]], int]:
    """Count the n-grams of words between blanks, and the words.

    They are kept, for several headlines in a row are often compared with one text.
    """
    from sacrebleu.metrics.helpers import extract_all_word_ngrams  # takes a twentieth of `change-it judge`

    return extract_all_word_ngrams(text, 1, _ORDERS)


def aggregate(sums: Statistics) -> dict[str, Floats]:
    """Return corpus BLEU and mean ROUGE-L, each in 0-1, from summed `statistics`.

    Only items with a text to compare with count. Where no item has one, both are NaN.
    """
    measures = {}
    for side in ("", _OF_SOURCE):
        compared = np.asarray(sums[f"compared{side}"], dtype=np.float64)
        counts = [sums[f"{name}{side}"] for name in _COUNTS]
        bleu = corpus_bleu(np.stack(counts, axis=-1))
        measures[f"bleu{side}"] = np.where(compared > 0, bleu, np.nan)
        with np.errstate(invalid="ignore"):
            measures[f"rougeL{side}"] = sums[f"rougeL{side}"] / compared
    return measures


def corpus_bleu(sums: Floats) -> Floats:
    """Return (...,) BLEU in 0-1 of (..., 10) summed `_COUNTS`, by sacrebleu's formula and smoothing.

    It is 0 where nothing matches or no candidate has four words.
    """
    length = sums[..., 0]
    reference_length = sums[..., 1]
    matching, possible = np.split(sums[..., 2:], 2, axis=-1)
    # each order without a match counts as half of what the one before it did
    halvings = np.cumsum(matching == 0, axis=-1)
    smoothed = np.where(matching > 0, matching, 0.5**halvings)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = smoothed / possible
        penalty = np.exp(1 - reference_length / length)
        brevity = np.where(length < reference_length, penalty, 1.0)
        geometric_mean = np.exp(np.log(precision).mean(axis=-1))
        score = brevity * geometric_mean
    has_all_orders = (possible > 0).all(axis=-1)
    has_match = (matching > 0).any(axis=-1)
    return np.where(has_all_orders & has_match, score, 0.0)


def correlations(items: pl.DataFrame) -> dict[str, dict[str, Score]]:
    """Return Spearman's correlation of BLEU and ROUGE-L with main, hh and ah, headline by headline.

    As EvalNLGEval 2020, section 5, does it.

    Args:
        items: tables of `Scores.items` of one system or several; items without a reference are left out.

    Returns:
        Measure to judge to correlation with the judge's probabilities, its interval over events.
    """
    items = items.filter(pl.col("gold").fill_null("") != "")
    headlines = items["headline"].fill_null("").to_list()
    sources = items["source"].fill_null("").to_list()
    references = items["gold"].to_list()
    overlaps = aggregate(statistics(headlines, references, sources))
    events = items["event"].to_numpy()
    columns = probability_columns()
    found: dict[str, dict[str, Score]] = {}
    for name in OF_REFERENCE:
        found[name] = {}
        for task in compliancy_tasks():
            probabilities = items[columns[task]].to_numpy()
            found[name][task] = spearman(overlaps[name], probabilities, events)
    return found


def spearman(one: Floats, other: Floats, events: EventIds) -> Score:
    """Return Spearman's correlation of (n,) values and its interval over events.

    Resamples keep the ranks that the values have among all n. The correlation is NaN where one side does not
    vary.

    Args:
        one: (n,) values.
        other: (n,) values of the same items.
        events: (n,) event of each item; the interval draws events.
    """
    x = _centred_ranks(one)
    y = _centred_ranks(other)

    def aggregate(sums: Statistics) -> dict[str, Floats]:
        n = sums["n"]
        sum_x = sums["x"]
        sum_y = sums["y"]
        covariance = sums["xy"] - sum_x * sum_y / n
        variance_x = sums["xx"] - sum_x * sum_x / n
        variance_y = sums["yy"] - sum_y * sum_y / n
        product = variance_x * variance_y
        # ranks are multiples of .5, so a smaller product is an error of rounding
        varies = product > 1e-6
        return {"rho": covariance / np.sqrt(np.where(varies, product, np.nan))}

    columns = {
        "n": np.ones(len(x)),
        "x": x,
        "y": y,
        "xx": x * x,
        "yy": y * y,
        "xy": x * y,
    }
    scores = measure(columns, aggregate, events=events)
    return scores[AVERAGE]["rho"]


def _centred_ranks(values: Floats) -> Floats:
    """Return the ranks of (n,) values, equal ones sharing their mean, with a mean of 0."""
    ranks = pl.Series(values).rank("average").to_numpy()
    mean_rank = (len(values) + 1) / 2
    return np.asarray(ranks - mean_rank, np.float64)
