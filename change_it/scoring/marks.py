"""What judges say of a headline: the mark of each, its probability, and what the marks come to."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import ArrayLike

from change_it.corpus.article import outlet_names
from change_it.errors import InputError
from change_it.io import texts_by_name
from change_it.scoring.compliancy import PROBABILITIES, VERDICT_NAMES, Progress, Reversal, judge_items
from change_it.scoring.facts import Unsupported
from change_it.scoring.item import Item
from change_it.stats import Floats

if TYPE_CHECKING:  # loads torch
    from change_it.judges.judge import Judges


@dataclass(frozen=True)
class JudgedHeadline:
    """What judges say of a new headline.

    Attributes:
        text: the headline.
        compliant: HH and AH say match, main's decision is reversed, as `reversal` takes it.
        strict: compliant, also where set alike, fluent and supported; None without a fluency judge.
        marks: each of `VERDICT_NAMES` to whether it holds; fluency is None without a fluency judge.
        probabilities: hh and ah (match), main (the new headline is of the outlet aimed at), source (the original is),
            fluency (printed; None without a fluency judge), facts (supported; None where no model was asked), each in 0-1.
        style: probability that main's decision is reversed, in 0-1.
        joint: probability that HH, AH and main are satisfied, in 0-1.
        strict_joint: the same with main deciding for the outlet aimed at, times the probability of fluency, if there is such a
            judge; 0 with an unsupported number, name or quotation, or where `main_normalised` does not hold.
        unsupported: numbers, names and quotations that no text supports, with their places in `text`.
    """

    text: str
    compliant: bool
    strict: bool | None
    marks: dict[str, bool | None]
    probabilities: dict[str, float | None]
    style: float
    joint: float
    strict_joint: float
    unsupported: tuple[Unsupported, ...]


def marks_of(row: dict[str, Any], *, reversal: Reversal = "relative") -> dict[str, Any]:
    """The fields of `JudgedHeadline` but its text, from a row of `judge_items` that was asked with the same `reversal`."""
    style, aimed = (
        float(
            joint_probability(1, 1, row["p_target"], row["p_target_source"], reversal=reversal, strict=strict)
        )
        for strict in (False, True)
    )
    matches = row["p_hh"] * row["p_ah"]
    fluent = 1.0 if row["p_fluency"] is None else row["p_fluency"]
    return {
        "compliant": row["compliancy"],
        "strict": row["strict_compliancy"],
        "marks": {name: row[name] for name in VERDICT_NAMES},
        "probabilities": {name: row[column] for name, column in PROBABILITIES.items()},
        "style": style,
        "joint": matches * style,
        "strict_joint": matches * aimed * fluent * (row["facts"] and row["main_normalised"]),
        "unsupported": tuple(Unsupported(**words) for words in json.loads(row["unsupported"])),
    }


def judge_headlines(
    judges: "Judges",
    headlines: Sequence[str],
    originals: Sequence[str],
    articles: Sequence[str],
    to: str | int | Sequence[str] | Sequence[int] | None = None,
    *,
    reversal: Reversal = "relative",
    language: str | None = None,
    batch_size: int | None = None,
    progress: Progress = False,
) -> list[JudgedHeadline]:
    """What a call of `Judges` gives."""
    texts = texts_by_name(headlines=headlines, originals=originals, articles=articles)
    if to is None:
        targets = other_outlets(judges, texts["originals"])
    else:
        targets = outlet_names("to", to, judges.outlets, len(texts["headlines"]))
    items = [
        Item("", judges.outlets[1 - judges.outlets.index(target)], target, source, article, prediction=text)
        for text, source, article, target in zip(*texts.values(), targets, strict=True)
    ]
    judged = judge_items(
        judges, items, reversal=reversal, language=language, batch_size=batch_size, progress=progress
    )
    rows = judged.iter_rows(named=True)
    return [
        JudgedHeadline(text, **marks_of(row, reversal=reversal))
        for text, row in zip(texts["headlines"], rows, strict=True)
    ]


def other_outlets(judges: "Judges", headlines: Sequence[str]) -> list[str]:
    """For each headline the outlet that main does not take it for."""
    style = judges.main.probabilities(headlines, progress=False)
    return [judges.outlets[int(a >= b)] for a, b in style]


def joint_probability(
    hh: ArrayLike,
    ah: ArrayLike,
    new: ArrayLike,
    source: ArrayLike,
    *,
    reversal: Reversal = "relative",
    strict: bool = False,
) -> Floats:
    """(n,) probability that a headline satisfies all three judges, taken for independent.

    `hh` and `ah` are (n,) probabilities of a match, `new` and `source` that main takes the new headline and the original
    for the target outlet's. Reversal `relative`: main decides otherwise than on the original, and with `strict` for the target;
    `target`: for the target.

    Examples:
        >>> joint_probability([0.5], [0.8], [0.9], [0.2]).round(3).tolist()
        [0.296]
        >>> joint_probability([0.5], [0.8], [0.9], [0.2], reversal="target").round(3).tolist()
        [0.36]
    """
    if reversal not in get_args(Reversal):
        raise InputError(f"reversal {reversal!r} is unknown: choose relative or target")
    match, fits, p_new, p_source = (np.asarray(values, dtype=np.float64) for values in (hh, ah, new, source))
    style = p_new if reversal == "target" else (1 - p_source) * p_new
    if reversal == "relative" and not strict:
        style = style + p_source * (1 - p_new)
    return match * fits * style
