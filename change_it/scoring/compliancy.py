"""Compliancy (EvalNLGEval 2020, section 4) and the measures beside it: the table of verdicts, and means of its columns.

A transferred headline is compliant when HH says that it matches the original headline, AH says that it matches the
article, and main's decision is reversed. The aspects beside it (ours) are in `scoring.aspects`.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import numpy as np
import polars as pl

from change_it.errors import InputError
from change_it.judges.spec import JUDGES
from change_it.stats import Bools, Floats, Ints, Statistics

Reversal = Literal["relative", "target"]

#: What a headline gets, each a verdict, a probability or style: what the papers measure, all three judges and each of them, and ours.
ASPECTS = (
    "compliancy",
    "style",
    "acceptability",
)  # readers of a table ask for these first; systems are compared by them
VERDICT_NAMES = tuple(JUDGES)  # in the order in which they are shown
COMPLIANCY_MEASURES = (*ASPECTS, "edited", *VERDICT_NAMES)
#: The means of all but style, which is signed, are shares of the items, see `measure`.
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


def decide(probabilities: Floats) -> Ints:
    """(n,) zeros and ones: the class that a two-class judge decides for, from (n, 2) probabilities; a tie goes to class 0."""
    probabilities = np.asarray(probabilities, dtype=np.float64)
    return (probabilities[:, 1] > probabilities[:, 0]).astype(np.int64)


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
    if reversal not in get_args(Reversal):
        raise InputError(f"reversal {reversal!r} is unknown: choose relative or target")
    decision = decide(main)
    reversed_ = decision != decide(main_source) if reversal == "relative" else decision == np.asarray(target)
    matches, fits = decide(hh) == 1, decide(ah) == 1
    return {"compliancy": matches & fits & reversed_, "hh": matches, "ah": fits, "main": reversed_}


def reasons(refused_by: str) -> tuple[str, ...]:
    """The names in a `refused_by`: of `VERDICT_NAMES`, `edited` or `no headline`, without what is said behind a colon."""
    return tuple(part.partition(":")[0] for part in refused_by.split("; ") if part)


def statistics(verdicts: pl.DataFrame | Mapping[str, Bools | Floats]) -> dict[str, Floats]:
    """Per-item statistics, (n,) each, of the columns of `COMPLIANCY_MEASURES` that are not missing or null: `n`, ones, and values in 0-1 (see `change_it.stats`)."""
    columns = {
        name: np.asarray(verdicts[name], np.float64) for name in COMPLIANCY_MEASURES if name in verdicts
    }
    complete = {name: values for name, values in columns.items() if not np.isnan(values).any()}
    return {"n": np.ones(len(columns["compliancy"])), **complete}


def aggregate(sums: Statistics) -> dict[str, Floats]:
    """Means, each in 0-1, from summed `statistics`: those of `COMPLIANCY_MEASURES` that they have."""
    return {name: sums[name] / np.maximum(sums["n"], 1) for name in COMPLIANCY_MEASURES if name in sums}
