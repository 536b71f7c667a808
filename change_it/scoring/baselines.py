"""Make the systems of every table that need no model: gold, copy, lead, random-target and clause."""

import random
from functools import lru_cache
from statistics import median_low

from change_it.corpus.test_set import CLAUSE, GOLD, TestSet
from change_it.errors import InputError
from change_it.files.texts import join_truncated
from change_it.scoring.systems import ScoredSystem
from change_it.text.sentences import cuts, without_end
from change_it.text.tokens import beginning, length
from change_it.text.typography import Typography


def built_in_systems(test: TestSet, *, seed: int = 1) -> list[ScoredSystem]:
    """Return the systems that need no model; `gold` is left out where any item has no reference.

    * `gold` is the aligned headline of the target outlet, the papers' upper bound;
    * `copy` is the original headline: content kept, style not;
    * `lead` is the first words of the article, at the median length of the target outlet's training
      headlines;
    * `random-target` is a random one of these: style, no content;
    * `clause` is every one of the `clauses` of the article: its score is the mean over them, its headline the
      first one.

    Raises:
        InputError: the corpus has no training headlines of an outlet.
    """
    training = test.training_headlines
    draw = random.Random(seed)
    lacking = [outlet for outlet in test.outlets if not training[outlet]]
    if lacking:
        fault = f"the corpus {test.name} has no training headlines of {join_truncated(lacking)}"
        raise InputError(f"{fault}: build it from more articles")
    lengths = {}
    for outlet, texts in training.items():
        lengths[outlet] = median_low(length(text) for text in texts)
    headlines = {
        GOLD: [item.reference for item in test.items],
        "copy": [item.source for item in test.items],
        "lead": [lead(item.article, lengths[item.target]) for item in test.items],
        "random-target": [draw.choice(training[item.target]) for item in test.items],
    }
    if not all(headlines[GOLD]):
        del headlines[GOLD]
    systems = [ScoredSystem(name, tuple(texts)) for name, texts in headlines.items()]
    cuts_of_items = tuple(tuple(texts) for texts in clauses(test))
    first_cuts = tuple(texts[0] for texts in cuts_of_items)
    systems.append(ScoredSystem(CLAUSE, first_cuts, cuts=cuts_of_items))
    return systems


def lead(article: str, most: int) -> str:
    """Return the first words of an article as a headline, at most so many.

    A comma, colon or full stop that would dangle at the end is left out.

    Examples:
        >>> lead("Il governo ha deciso, nella notte, di rinviare.", 4)
        'Il governo ha deciso'
    """
    text = beginning(article, max(1, most))
    return without_end(text) or text


def clauses(test: TestSet) -> list[list[str]]:
    """Return for each item the first sentences of its article and their clauses.

    Where there are none, it is the original. They have the typography of the outlet aimed at.
    """
    typography = {outlet: _typography_of(texts) for outlet, texts in test.training_headlines.items()}
    candidates = []
    for item in test.items:
        found = cuts(item.article, typography[item.target])
        candidates.append(found or [item.source])
    return candidates


@lru_cache(maxsize=8)
def _typography_of(headlines: tuple[str, ...]) -> Typography:
    """Return the most frequent typography of an outlet's headlines.

    It is kept, for each table asks for it twice.
    """
    return Typography.from_headlines(headlines)
