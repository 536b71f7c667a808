"""Compliancy (EvalNLGEval 2020, section 4) and the aspects beside it (ours): formulas, the table of verdicts, means of its columns.

A transferred headline is compliant when HH says that it matches the original headline, AH says that it matches the
article, and main's decision is reversed. The aspects style, acceptability and edited are shown each by itself (Mir et al., NAACL 2019):
no product of them was found to order headlines as readers do. What chooses among candidates does multiply, see `choosing`.
"""

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Literal, get_args

import numpy as np
import polars as pl

from change_it.errors import InputError
from change_it.judges.options import StyleScale
from change_it.judges.spec import JUDGES
from change_it.stats import Bools, Floats, Ints, Statistics, log_odds
from change_it.text.folding import fold
from change_it.text.tokens import words

Reversal = Literal["relative", "target"]

#: Readers of a table ask for these first; systems are compared by them.
ASPECTS = ("compliancy", "style", "acceptability")
VERDICT_NAMES = tuple(JUDGES)  # in the order in which they are shown
COMPLIANCY_MEASURES = (*ASPECTS, "edited", *VERDICT_NAMES)
#: The means of all but style, which is signed, are shares of the items, see `stats.measure`.
SHARES = dict.fromkeys((name for name in COMPLIANCY_MEASURES if name != "style"), "n")
#: What no judge checks; it stands wherever their verdicts do.
NO_CHECK = "no judge reads who did what, or who said it: read the headline"
#: What they are called on every screen.
JUDGE_NAMES = {name: spec.heading for name, spec in JUDGES.items()}
#: Columns of verdicts with probabilities; `source`: of the original headline.
PROBABILITIES = {
    "hh": "p_hh",
    "ah": "p_ah",
    "main": "p_target",
    "source": "p_target_source",
    "fluency": "p_fluency",
}
#: The table of verdicts, a row for each headline (`Judges.judge`), from the judges to the report: columns and their types.
VERDICTS: dict[str, pl.DataType | type[pl.DataType]] = {
    **dict.fromkeys(COMPLIANCY_MEASURES, pl.Boolean),
    **dict.fromkeys(("style", "acceptability", "choosing"), pl.Float64),
    "unsupported": pl.List(
        pl.Struct({"text": pl.String, "start": pl.Int64, "end": pl.Int64, "kind": pl.String})
    ),
    "refused_by": pl.String,
    **dict.fromkeys(PROBABILITIES.values(), pl.Float64),
}
#: The least and the greatest style of a headline.
STYLE_RANGE = (-1.0, 2.0)
#: The least share of training pairs whose other headline has evidence: else articles are too short to be evidence.
LEAST_EVIDENCE = 0.5
#: A headline is the original, edited, if at most this share of its words are new.
MOST_NEW = 0.25


def decide(probabilities: Floats) -> Ints:
    """(n,) zeros and ones: the class that a two-class judge decides for, from (n, 2) probabilities; a tie goes to class 0."""
    return (probabilities[:, 1] > probabilities[:, 0]).astype(np.int64)


def check_reversal(reversal: str) -> None:
    """Refuse what is no `Reversal`."""
    if reversal not in get_args(Reversal):
        raise InputError(f"reversal {reversal!r} is unknown: choose relative or target")


def verdicts(
    hh: Floats,
    ah: Floats,
    main: Floats,
    main_source: Floats,
    target: Sequence[int] | Ints,
    *,
    reversal: Reversal = "relative",
) -> dict[str, Bools]:
    """The columns compliancy, hh, ah and main, (n,) each, from the judges' probabilities, (n, 2) each, and the outlets aimed at, 0 for A and 1 for B.

    With reversal `relative`, the paper's, main decides for another outlet than on the original; with `target`, ours, for the outlet aimed at.
    """
    check_reversal(reversal)
    decision = decide(main)
    reversed_ = decision != decide(main_source) if reversal == "relative" else decision == np.asarray(target)
    matches, fits = decide(hh) == 1, decide(ah) == 1
    return {"compliancy": matches & fits & reversed_, "hh": matches, "ah": fits, "main": reversed_}


def style(new: Floats, source: Floats, scale: StyleScale, from_b: Bools) -> Floats:
    """Style of n new headlines, -1 to 2: 0 has what a clause of the original's article has, 1 the other newspaper's own headline.

    Args:
        new: (n,) main's probabilities that the new headlines are of the outlet aimed at.
        source: (n,) its probabilities that the originals are.
        scale: main's.
        from_b: (n,) whether the original is outlet B's.

    Examples:
        >>> scale = StyleScale(90, 80, 4.0, (2.0, 1.0), (1.5, 2.5), (2.5, 3.5), 0.9, {}, 0.9)
        >>> style(np.array([0.5, 0.5, 0.018]), np.array([0.018] * 3), scale, np.array([False, True, False])).round(1).tolist()
        [1.0, 1.0, -1.0]
    """
    clause = np.where(from_b, scale.clause[1], scale.clause[0])
    steps = log_odds(new) - log_odds(source)
    return np.clip((steps - clause) / (scale.gold - clause), *STYLE_RANGE)


def acceptability(probabilities: Mapping[str, Floats], evidence: Bools | None) -> Floats:
    """The product of the probabilities of hh, ah and fluency, (n,) each, and of evidence, 0 or 1, where it can be had: (n,) in 0-1.

    Examples:
        >>> p = {"hh": np.array([0.9, 0.9]), "ah": np.array([0.8, 0.8]), "fluency": np.array([0.5, 0.5])}
        >>> acceptability(p, np.array([True, False])).round(2).tolist()
        [0.36, 0.0]
    """
    product = reduce(np.multiply, (probabilities[name] for name in ("hh", "ah", "fluency")))
    return product if evidence is None else product * evidence


def new_words(headline: str, original: str) -> tuple[int, int]:
    """How many of a headline's different words the original does not have, and how many there are."""
    different = {*words(fold(headline))}
    return len(different - {*words(fold(original))}), len(different)


def is_edited(headline: str, original: str) -> bool:
    """Whether at most a quarter of a headline's different words are not the original's: a copy, words added or exchanged, other marks, capitals.

    Examples:
        >>> is_edited("CROLLA IL PONTE: ecco tre feriti", "Crolla il ponte, tre feriti")
        True
        >>> is_edited("Ponte giù, tre persone in ospedale", "Crolla il ponte, tre feriti")
        False
    """
    new, total = new_words(headline, original)
    return total > 0 and new <= MOST_NEW * total


def choosing(
    probabilities: Mapping[str, Floats], evidence: Bools | None, style: Floats | None, edited: Bools
) -> Floats:
    """What judges choose candidates by, (n,) in -1 to 1: acceptability times style cut to 0-1, as far as they are known; less 1 of edited headlines."""
    known = {"fluency": np.ones(len(edited)), **probabilities}
    graded = np.clip(style, 0, 1) if style is not None else 1.0
    return acceptability(known, evidence) * graded - np.asarray(edited, np.float64)


def statistics(verdicts: pl.DataFrame | Mapping[str, Bools | Floats]) -> dict[str, Floats]:
    """Per-item statistics, (n,) each, of the columns of `COMPLIANCY_MEASURES` that are known: `n`, ones, and values in 0-1, style in -1 to 2 and NaN in a direction without it (see `change_it.stats`)."""
    columns = {
        name: np.asarray(verdicts[name], np.float64) for name in COMPLIANCY_MEASURES if name in verdicts
    }
    known = {name: values for name, values in columns.items() if not np.isnan(values).all()}
    return {"n": np.ones(len(columns["compliancy"])), **known}


def aggregate(sums: Statistics) -> dict[str, Floats]:
    """Means, each in 0-1 but style, from summed `statistics`: those of `COMPLIANCY_MEASURES` that they have."""
    return {name: sums[name] / np.maximum(sums["n"], 1) for name in COMPLIANCY_MEASURES if name in sums}
