"""What judges say of candidates, and which one they choose: by the probability that all are satisfied, three of them (compliancy), or fluency and facts too."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from change_it.errors import InputError
from change_it.generators.decoding import Candidate
from change_it.judges.judge import Judges
from change_it.scoring.compliancy import JUDGES, PROBABILITIES, Progress, Reversal, judge_items
from change_it.scoring.facts import Unsupported, check_all_facts
from change_it.scoring.item import Item
from change_it.stats import Floats, Ints
from change_it.text.stopwords import guess_language

#: What candidates are chosen for: `strict` multiplies by the fluency judge's probability and refuses a candidate with a number
#: or name that neither the original nor its article has, unless all of the item's have one.
Objective = Literal["compliancy", "strict"]


@dataclass(frozen=True)
class JudgedCandidate(Candidate):
    """A headline that a generator offers, with what the judges say of it.

    Attributes:
        compliant: HH and AH say match, main's decision is reversed, as `reversal` takes it.
        strict: compliant, fluent and supported; None without a fluency judge.
        marks: hh, ah, main, fluency and facts to whether each holds; fluency is None without a fluency judge.
        probabilities: hh and ah (match), main (the new headline is of the outlet aimed at), source (the original is),
            fluency (printed; None without a fluency judge), each in 0-1.
        style: probability that main's decision is reversed, in 0-1.
        joint: probability that HH, AH and main are satisfied, in 0-1.
        strict_joint: the same times that of fluency, if there is such a judge; 0 with an unsupported number, name or quotation.
        unsupported: numbers, names and quotations that no text supports, with their places in `text`.
    """

    compliant: bool
    strict: bool | None
    marks: dict[str, bool | None]
    probabilities: dict[str, float | None]
    style: float
    joint: float
    strict_joint: float
    unsupported: tuple[Unsupported, ...]

    @classmethod
    def of(
        cls, candidate: Candidate, row: dict[str, Any], *, reversal: Reversal = "relative"
    ) -> "JudgedCandidate":
        """A candidate and its row of `judge_items`, which was asked with the same `reversal`."""
        probabilities = {name: row[column] for name, column in PROBABILITIES.items()}
        style = float(joint_probability(1, 1, row["p_target"], row["p_target_source"], reversal=reversal))
        joint = row["p_hh"] * row["p_ah"] * style
        fluent = 1.0 if row["p_fluency"] is None else row["p_fluency"]
        return cls(
            **vars(candidate),
            compliant=row["compliancy"],
            strict=row["strict_compliancy"],
            marks={name: row[name] for name in JUDGES},
            probabilities=probabilities,
            style=style,
            joint=joint,
            strict_joint=joint * fluent * row["facts"],
            unsupported=tuple(Unsupported(**words) for words in json.loads(row["unsupported"])),
        )


def judge_candidates(
    judges: Judges,
    candidates: Sequence[Sequence[Candidate]],
    sources: Sequence[str],
    articles: Sequence[str],
    targets: Sequence[str],
    *,
    reversal: Reversal = "relative",
    language: str | None = None,
    style_weight: float | Sequence[float] = 0.5,
    progress: Progress = False,
) -> list[list[JudgedCandidate]]:
    """The candidates of n headlines as judges see them, without empty ones, in the order in which `choose` would take them.

    Those whose facts are supported come first, then the higher `joint` times the probability of fluency. With a style
    weight w, one or n of them in 0-1, the joint probability is (HH · AH)^(2 - 2w) · style^(2w). Facts are those of
    `language`, guessed from the articles when None.
    """
    asked = [[candidate for candidate in some if candidate.text.strip()] for some in candidates]
    label_of = dict(zip(judges.outlets[::-1], judges.outlets, strict=True))
    items = [
        Item("", label_of[target], target, source, article, prediction=candidate.text)
        for some, source, article, target in zip(asked, sources, articles, targets, strict=True)
        for candidate in some
    ]
    judged = judge_items(judges, items, reversal=reversal, language=language, progress=progress)
    rows = judged.iter_rows(named=True)
    weights = np.broadcast_to(style_weight, len(asked)).tolist()

    def rank(weight: float, judged: JudgedCandidate) -> tuple[bool, float]:
        hh, ah, fluency = (
            (1.0 if (p := judged.probabilities[name]) is None else p) for name in ("hh", "ah", "fluency")
        )
        weighted = (hh * ah) ** (2 - 2 * weight) * judged.style ** (2 * weight)
        return not judged.marks["facts"], -weighted * fluency

    ordered = []
    for some, weight in zip(asked, weights, strict=True):
        judged_some = [JudgedCandidate.of(each, next(rows), reversal=reversal) for each in some]
        ordered.append(sorted(judged_some, key=partial(rank, weight)))
    return ordered


def choose(
    judges: Judges,
    candidates: Sequence[Sequence[str]],
    sources: Sequence[str],
    articles: Sequence[str],
    targets: Sequence[int] | Ints,
    *,
    reversal: Reversal = "relative",
    objective: Objective = "compliancy",
    language: str | None = None,
) -> Ints:
    """(n,) position of each item's candidate with the highest joint probability, the earlier of equal ones; -1 for none."""
    aims = np.asarray(targets, dtype=np.int64)
    if not len(candidates) == len(sources) == len(articles) == len(aims):
        raise ValueError(
            "candidates, sources, articles and targets differ in length: give one of each an item"
        )
    if not np.isin(aims, (0, 1)).all():
        raise ValueError("targets are 0 for outlet A and 1 for outlet B")
    # AH, which reads whole articles, is asked last and only while it can change the choice: what HH and main say is an
    # upper bound of the joint probability, so an item is settled once its best candidate is above the bounds of the rest.
    bounds = _bounds(judges, candidates, sources, aims, reversal)
    if objective == "strict":
        factors = _strict(judges, candidates, sources, articles, aims, language)
        bounds = [bound * factor for bound, factor in zip(bounds, factors, strict=True)]
    # candidates still to be asked about
    order = [np.argsort(-some, kind="stable").tolist() for some in bounds]
    index = np.array([0 if some else -1 for some in candidates], dtype=np.int64)
    joint = np.zeros(len(candidates))
    while rows := [row for row, rest in enumerate(order) if rest and bounds[row][rest[0]] > 0]:
        asked = [(row, order[row].pop(0)) for row in rows]
        fits = judges.ah.probabilities(
            [candidates[row][number] for row, number in asked],
            [articles[row] for row, _ in asked],
            progress=False,
        )[:, 1]
        for (row, number), fit in zip(asked, fits, strict=True):
            probability = bounds[row][number] * fit
            if (probability, -number) > (joint[row], -index[row]):
                index[row], joint[row] = number, probability
            order[row] = [rest for rest in order[row] if bounds[row][rest] >= joint[row]]
    return index


def _bounds(
    judges: Judges,
    candidates: Sequence[Sequence[str]],
    sources: Sequence[str],
    aims: Ints,
    reversal: Reversal,
) -> list[Floats]:
    """For each item the probability of HH and style for its candidates; 0 for an empty one."""
    pairs = [(row, text) for row, some in enumerate(candidates) for text in some if text.strip()]
    texts = [text for _, text in pairs]
    style = judges.main.probabilities([*sources, *texts], progress=False)
    old, new = style[: len(sources)], style[len(sources) :]
    match = judges.hh.probabilities([sources[row] for row, _ in pairs], texts, progress=False)
    owner = np.array([row for row, _ in pairs], dtype=np.int64)
    aim = aims[owner]
    given = joint_probability(
        match[:, 1], 1.0, new[np.arange(len(new)), aim], old[owner, aim], reversal=reversal
    )
    rest = iter(given.tolist())
    return [np.array([next(rest) if text.strip() else 0.0 for text in some]) for some in candidates]


def _strict(
    judges: Judges,
    candidates: Sequence[Sequence[str]],
    sources: Sequence[str],
    articles: Sequence[str],
    aims: Ints,
    language: str | None,
) -> list[Floats]:
    """For each item the probabilities that its candidates were printed; 0 for unsupported ones where another is supported."""
    if judges.fluency is None:
        raise InputError(
            "the objective strict needs a fluency judge beside the others: change-it train judge --task fluency"
        )
    pairs = [(row, text) for row, some in enumerate(candidates) for text in some]
    texts = [text for _, text in pairs]
    printed = iter(judges.fluency.probabilities(texts, progress=False)[:, 1])
    facts = check_all_facts(
        texts,
        sources=[sources[row] for row, _ in pairs],
        articles=[articles[row] for row, _ in pairs],
        language=language or guess_language(articles),
        casing=judges.casing,
        reader=judges.reader,
        targets=[judges.outlets[aims[row]] for row, _ in pairs],
    )
    supported = (bool(text.strip()) and fact.supported for text, fact in zip(texts, facts, strict=True))
    factors = []
    for some in candidates:
        fluent = np.array([next(printed) for _ in some])
        kept = np.array([next(supported) for _ in some], dtype=bool)
        factors.append(np.where(kept | ~kept.any(), fluent, 0.0))
    return factors


def joint_probability(
    hh: ArrayLike, ah: ArrayLike, new: ArrayLike, source: ArrayLike, *, reversal: Reversal = "relative"
) -> Floats:
    """(n,) probability that a headline satisfies all three judges, taken for independent.

    `hh` and `ah` are (n,) probabilities of a match, `new` and `source` that main takes the new headline and the original
    for the target outlet's. Reversal `relative`: main decides otherwise than on the original; `target`: for the target.

    Examples:
        >>> joint_probability([0.5], [0.8], [0.9], [0.2]).round(3).tolist()
        [0.296]
        >>> joint_probability([0.5], [0.8], [0.9], [0.2], reversal="target").round(3).tolist()
        [0.36]
    """
    if reversal not in get_args(Reversal):
        raise InputError(f"reversal {reversal!r} is unknown: choose relative or target")
    match, fits, p_new, p_source = (np.asarray(values, dtype=np.float64) for values in (hh, ah, new, source))
    style = p_source * (1 - p_new) + (1 - p_source) * p_new if reversal == "relative" else p_new
    return match * fits * style


def other_outlet(judges: Judges, headline: str) -> str:
    """The outlet that main does not take a headline for."""
    style = judges.main.probabilities([headline], progress=False)[0]
    return judges.outlets[int(style[0] >= style[1])]
