"""What judges say of candidates, and which one they choose: by the probability that all are satisfied, three of them (compliancy), or all (strict)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from change_it.generators.search import Candidate
from change_it.judges.judge import Judges
from change_it.scoring.compliancy import Progress, Reversal, judge_items, strictly_reversed
from change_it.scoring.facts import check_all_facts
from change_it.scoring.item import Item
from change_it.scoring.marks import JudgedHeadline, joint_probability, marks_of
from change_it.stats import Floats, Ints
from change_it.text.stopwords import guess_language
from change_it.text.typography import set_all_alike

#: Weight of a style that is gone once both headlines are set alike.
TYPOGRAPHY = 1e-6


@dataclass(frozen=True)
class JudgedCandidate(JudgedHeadline, Candidate):
    """A headline that a generator offers, with what the judges say of it.

    Attributes:
        score: as of a `Candidate`; all others are those of `scoring.marks.JudgedHeadline`.
    """


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
    weight w, one or n of them in 0-1, the joint probability is (HH · AH)^(2 - 2w) · style^(2w). A style that is typography alone counts next to nothing. Facts are those of
    `language`, guessed from the articles when None.
    """
    offered = [[candidate for candidate in some if candidate.text.strip()] for some in candidates]
    label_of = dict(zip(judges.outlets[::-1], judges.outlets, strict=True))
    items = [
        Item("", label_of[target], target, source, article, prediction=candidate.text)
        for some, source, article, target in zip(offered, sources, articles, targets, strict=True)
        for candidate in some
    ]
    judged = judge_items(judges, items, reversal=reversal, language=language, progress=progress)
    rows = judged.iter_rows(named=True)
    weights = np.broadcast_to(style_weight, len(offered)).tolist()

    def rank(weight: float, judged: JudgedCandidate) -> tuple[bool, float]:
        hh, ah, fluency = (
            (1.0 if (p := judged.probabilities[name]) is None else p) for name in ("hh", "ah", "fluency")
        )
        style = judged.style if judged.marks["main_normalised"] else TYPOGRAPHY * judged.style
        weighted = (hh * ah) ** (2 - 2 * weight) * style ** (2 * weight)
        return not judged.marks["facts"], -weighted * fluency

    ordered = []
    for some, weight in zip(offered, weights, strict=True):
        judged_some = [
            JudgedCandidate(**vars(each), **marks_of(next(rows), reversal=reversal)) for each in some
        ]
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
    language: str | None = None,
) -> Ints:
    """(n,) position of each item's candidate with the highest joint probability, the earlier of equal ones; -1 for none.

    With a fluency judge that is its probability too, and a candidate with a number or name that neither the original nor its
    article has, or whose style is gone once both headlines are set alike, is refused, unless that is so of all of the item's.
    """
    aims = np.asarray(targets, dtype=np.int64)
    if not len(candidates) == len(sources) == len(articles) == len(aims):
        raise ValueError(
            "candidates, sources, articles and targets differ in length: give one of each an item"
        )
    if not np.isin(aims, (0, 1)).all():
        raise ValueError("targets are 0 for outlet A and 1 for outlet B")
    # AH, which reads whole articles, is asked last and only while it can change the choice: what HH and main say is an
    # upper bound of the joint probability, so an item is settled once its best candidate is above the bounds of the rest.
    bounds = _bounds(judges, candidates, sources, aims, reversal, strict=judges.fluency is not None)
    if judges.fluency is not None:
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
    *,
    strict: bool,
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
        match[:, 1], 1.0, new[np.arange(len(new)), aim], old[owner, aim], reversal=reversal, strict=strict
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
    """For each item the probabilities that its candidates were printed; 0 for those that are unsupported or whose style is typography, unless all are."""
    assert judges.fluency is not None
    pairs = [(row, text) for row, some in enumerate(candidates) for text in some]
    originals, texts = [sources[row] for row, _ in pairs], [text for _, text in pairs]
    printed = iter(judges.fluency.probabilities(texts, progress=False)[:, 1])
    facts = check_all_facts(
        texts,
        sources=originals,
        articles=[articles[row] for row, _ in pairs],
        language=language or guess_language(articles),
        casing=judges.casing,
        reader=judges.reader,
        targets=[judges.outlets[aims[row]] for row, _ in pairs],
    )
    originals_alike, texts_alike = set_all_alike(originals, texts)
    old, new = np.split(judges.main.probabilities(originals_alike + texts_alike, progress=False), 2)
    normalised = strictly_reversed(new, old, aims[[row for row, _ in pairs]])
    supported = (
        bool(text.strip()) and fact.supported and style
        for text, fact, style in zip(texts, facts, normalised, strict=True)
    )
    factors = []
    for some in candidates:
        fluent = np.array([next(printed) for _ in some])
        kept = np.array([next(supported) for _ in some], dtype=bool)
        factors.append(np.where(kept | ~kept.any(), fluent, 0.0))
    return factors
