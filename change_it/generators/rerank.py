"""Candidates as judged, and the choice among them: by the probability of compliancy or of strict compliancy."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from change_it.generators.search import Candidate
from change_it.progress import Progress
from change_it.scoring.compliancy import language_of, strictly_reversed, well_set
from change_it.scoring.facts import check_all_facts
from change_it.scoring.item import Item
from change_it.scoring.judges import JudgedHeadline, Judges, joint_probability
from change_it.stats import Bools, Floats
from change_it.text.typography import normalise_pairs


@dataclass(frozen=True)
class JudgedCandidate(JudgedHeadline, Candidate):
    """A headline that a generator offers, with what the judges say of it.

    Attributes:
        score: as of a `Candidate`; all others are those of `scoring.judges.JudgedHeadline`.
    """


def judge_candidates(
    judges: Judges,
    candidates: Sequence[Sequence[Candidate]],
    items: Sequence[Item],
    *,
    language: str | None = None,
    progress: Progress = False,
) -> list[list[JudgedCandidate]]:
    """The candidates of n items as judges see them, without empty ones: the higher `strict_joint` first, then supported ones, then the higher `joint`.

    Facts are those of `language`, guessed from the articles when None.
    """
    offered = [[candidate for candidate in group if candidate.text.strip()] for group in candidates]
    asked = [
        (candidate.text, item.source, item.article, item.target)
        for group, item in zip(offered, items, strict=True)
        for candidate in group
    ]
    new, old, stories, to = map(list, zip(*asked, strict=True)) if asked else ([], [], [], [])
    judged = iter(judges(new, originals=old, articles=stories, to=to, language=language, progress=progress))

    def rank(one: JudgedCandidate) -> tuple[float, bool, float]:
        return -one.strict_joint, not one.marks["facts"], -one.joint

    of_groups = (
        [JudgedCandidate(**{**vars(next(judged)), "score": each.score}) for each in group]
        for group in offered
    )
    return [sorted(group, key=rank) for group in of_groups]


def choose(
    judges: Judges,
    candidates: Sequence[Sequence[str]],
    items: Sequence[Item],
    *,
    language: str | None = None,
) -> list[int]:
    """The position of each item's candidate with the highest joint probability, the earlier of equal ones; -1 for none.

    With a fluency judge that is its probability too, and a candidate with a number or name that neither the original nor its
    article has, or whose style is gone once both headlines are set alike, is refused, unless that is so of all of the item's.
    """
    pairs, kept, bounds = _without_ah(judges, candidates, items, language)
    owner = [row for row, _ in pairs]
    bounds = np.where(~kept & np.isin(owner, np.array(owner)[kept]), 0.0, bounds)
    # AH, which reads whole articles, is asked last and only while it can change the choice: what the others say is an upper
    # bound of the joint probability, so an item is settled once its best candidate is above the bounds of the rest.
    index = [0 if group else -1 for group in candidates]
    joint = np.zeros(len(candidates))
    waiting = [number for number in np.argsort(-bounds, kind="stable").tolist() if bounds[number] > 0]
    while waiting:
        best = {owner[number]: number for number in reversed(waiting)}
        asked = list(best.values())
        fits = _fits(judges, candidates, items, [pairs[number] for number in asked])
        for (row, number), probability in zip(best.items(), bounds[asked] * fits, strict=True):
            place = pairs[number][1]
            if (probability, -place) > (joint[row], -index[row]):
                index[row], joint[row] = place, probability
        left = ((number, owner[number]) for number in waiting)
        waiting = [number for number, row in left if number != best[row] and bounds[number] >= joint[row]]
    return index


def order(
    judges: Judges,
    candidates: Sequence[Sequence[str]],
    items: Sequence[Item],
    *,
    language: str | None = None,
) -> list[tuple[int, ...]]:
    """The positions of each item's candidates, empty ones last, the one that `choose` takes first."""
    pairs, kept, bounds = _without_ah(judges, candidates, items, language)
    joint = bounds * _fits(judges, candidates, items, pairs)
    keys = dict(zip(pairs, zip(kept.tolist(), joint.tolist(), strict=True), strict=True))
    return [
        tuple(sorted(range(len(group)), key=lambda place: keys.get((row, place), (False, -1)), reverse=True))
        for row, group in enumerate(candidates)
    ]


def _fits(
    judges: Judges,
    candidates: Sequence[Sequence[str]],
    items: Sequence[Item],
    pairs: Sequence[tuple[int, int]],
) -> Floats:
    """AH's probabilities of candidates, by item and position."""
    texts = [candidates[row][place] for row, place in pairs]
    return judges.ah.probabilities(texts, [items[row].article for row, _ in pairs], progress=False)[:, 1]


def _without_ah(
    judges: Judges, candidates: Sequence[Sequence[str]], items: Sequence[Item], language: str | None
) -> tuple[list[tuple[int, int]], Bools, Floats]:
    """Item and position of the candidates that are not empty, whether they are not refused, and the joint probabilities as if AH were sure."""
    strict = judges.fluency is not None
    pairs = [
        (row, place)
        for row, group in enumerate(candidates)
        for place, text in enumerate(group)
        if text.strip()
    ]
    owner = np.array([row for row, _ in pairs], dtype=np.int64)
    texts = [candidates[row][place] for row, place in pairs]
    sources = [item.source for item in items]
    aims = np.array([judges.outlets.index(item.target) for item in items], dtype=np.int64)
    originals, aim = [sources[row] for row in owner], aims[owner]
    style = judges.main.probabilities([*sources, *texts], progress=False)
    old, new = style[owner, aim], style[np.arange(len(sources), len(style)), aim]
    match = judges.hh.probabilities(originals, texts, progress=False)[:, 1]
    bounds = joint_probability(match, 1.0, new, old, strict=strict)
    kept = np.ones(len(pairs), dtype=bool)
    if judges.fluency is not None:
        alike = [text for texts_alike in normalise_pairs(originals, texts) for text in texts_alike]
        old_alike, new_alike = np.split(judges.main.probabilities(alike, progress=False), 2)
        kept = strictly_reversed(new_alike, old_alike, aim)
        rows = np.flatnonzero(kept)
        articles, language = [item.article for item in items], language_of(items, language)
        facts = check_all_facts(
            [texts[row] for row in rows],
            sources=[originals[row] for row in rows],
            articles=[articles[row] for row in owner[rows]],
            language=language,
            casing=judges.casing,
            model=judges.support,
        )
        kept[rows] = [fact.supported for fact in facts]
        evidence = [(sources[row], articles[row]) for row in owner]
        bounds = bounds * judges.fluency.probabilities(texts, progress=False)[:, 1]
        bounds = bounds * well_set(texts, evidence, judges.casing, language)
    return pairs, kept, bounds
