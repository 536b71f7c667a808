"""The systems that stand in every table: gold, copy, lead and random-target."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median_low

from change_it.errors import InputError
from change_it.scoring.item import TestSet
from change_it.scoring.reranker import Reranker

#: Names that prediction files cannot take.
BUILT_IN = ("gold", "copy", "lead", "random-target")


@dataclass(frozen=True)
class System:
    """New headlines for every item.

    Attributes:
        name: as it stands in tables.
        headlines: (n,) in the order of the items; empty where the system has failed, which is never compliant.
        reranker: the judges that chose among candidates, None where none did.
    """

    name: str
    headlines: tuple[str, ...]
    reranker: Reranker | None = None


def built_in_systems(test: TestSet, *, seed: int = 1) -> list[System]:
    """The four systems that need no model.

    `gold` is the aligned headline of the target outlet (the papers' upper bound), `copy` the original headline
    (content kept, style not), `lead` the article's first words at the median length of the target outlet's
    training headlines, `random-target` a random training headline of the target outlet (style, no content).

    Args:
        test: the items and the training headlines.
        seed: seed of `random-target`.

    Returns:
        The systems in the order of `BUILT_IN`.

    Raises:
        InputError: an outlet has no training headlines.
    """
    for outlet in test.outlets:
        if not test.training_headlines[outlet]:
            raise InputError(
                f"the corpus {test.name} has no training headlines of {outlet}: build it from more articles"
            )
    lengths = {
        name: median_low(len(text.split()) for text in texts)
        for name, texts in test.training_headlines.items()
    }
    draw = random.Random(seed)
    headlines: dict[str, Sequence[str]] = {
        "gold": [item.reference for item in test.items],
        "copy": [item.source for item in test.items],
        "lead": [lead(item.article, lengths[item.target]) for item in test.items],
        "random-target": [draw.choice(test.training_headlines[item.target]) for item in test.items],
    }
    return [System(name, tuple(headlines[name])) for name in BUILT_IN]


def lead(article: str, length: int) -> str:
    """The first words of an article as a headline.

    Args:
        article: the text.
        length: number of words, at least 1.

    Returns:
        At most `length` words, without a dangling comma, colon or full stop at the end.

    Example:
        >>> lead("Il governo ha deciso, nella notte, di rinviare.", 4)
        'Il governo ha deciso'
    """
    text = " ".join(article.split()[: max(1, length)])
    return text.rstrip(" ,;:.-–—") or text
