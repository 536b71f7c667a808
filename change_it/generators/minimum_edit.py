"""The system `minimum-edit`: what judges can be made to accept by capitals, marks, order and cuts alone."""

import re

from change_it.generators.rerank import choose
from change_it.judges.judge import Judges
from change_it.scoring.columns import MINIMUM_EDIT
from change_it.scoring.compliancy import Reversal
from change_it.scoring.item import TestSet
from change_it.scoring.signature import Reranker
from change_it.scoring.systems import ScoredSystem
from change_it.text.typography import Typography

#: Between two clauses.
_JOINT = re.compile(r"(?<=\w)[\"”»’)]?\s*(?:[:;,]|\s[-–—])\s+")
_MARK = re.compile(r"[^\w\s'’]+")


def rearrangements(headline: str, typography: Typography) -> list[str]:
    """The headline and a dozen versions of it that add no word: the setting of an outlet, other capitals, marks, order and cuts.

    Examples:
        >>> rearrangements("Crolla il ponte: due feriti", Typography())[-3:]
        ['due feriti: Crolla il ponte', 'Crolla il ponte', 'due feriti']
    """
    words = headline.split()
    bare = " ".join(_MARK.sub(" ", headline).split())
    made = [
        headline,
        typography.apply(headline),
        headline.lower(),
        headline[:1].upper() + headline[1:].lower(),
        headline.title(),
        headline.upper(),
        bare,
        bare.lower(),
        f"{headline.rstrip('.!?…')}.",
        f"{headline.rstrip('.!?…')}!",
        f"{headline.rstrip('.!?…')}?",
    ]
    if joint := _JOINT.search(headline):
        first, rest = headline[: joint.start()], headline[joint.end() :]
        made += [f"{rest}: {first}", first, rest]
    made.append(" ".join(words[: max(1, 3 * len(words) // 4)]).rstrip(" ,;:-–—"))
    return [text for text in dict.fromkeys(map(str.strip, made)) if text]


def minimum_edit(test: TestSet, judges: Judges, *, reversal: Reversal = "relative") -> ScoredSystem:
    """For each headline the one of its `rearrangements` that judges find most compliant: a floor, since it says nothing new."""
    judges.check_outlets(test.outlets, test.name)
    setting = {outlet: Typography.of(texts) for outlet, texts in test.training_headlines.items()}
    candidates = [rearrangements(item.source, setting[item.target]) for item in test.items]
    chosen = choose(
        judges,
        candidates,
        [item.source for item in test.items],
        [item.article for item in test.items],
        [test.outlets.index(item.target) for item in test.items],
        reversal=reversal,
    )
    headlines = tuple(
        some[index] if index >= 0 else "" for some, index in zip(candidates, chosen, strict=True)
    )
    return ScoredSystem(MINIMUM_EDIT, headlines, Reranker.of(Judges(judges.main, judges.hh, judges.ah)))
