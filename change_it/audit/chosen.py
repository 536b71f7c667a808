"""Perturbations whose headlines judges of the other fold choose for strict compliancy, as for the floor."""

from collections.abc import Iterable, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING

from change_it.audit.perturbations import Perturbation, Resources, with_cues
from change_it.scoring.item import Item
from change_it.text.sentences import sentences

if TYPE_CHECKING:  # loads torch
    from change_it.scoring.judges import Judges

#: Sentences of which one is chosen, and the fewest words of each.
MOST, WORDS = 16, 4
LEADS = Perturbation(
    f"best of {MOST} lead sentences",
    ("style",),
    "sentence",
    "Of the article's first sentences, then those that its neighbours begin with, the one that judges of the other fold choose.",
    lambda item, random, resources: None,
)
STYLED = Perturbation(
    "sentence with style words",
    ("style", "fluency"),
    "",
    "One of these sentences and three words that the other newspaper likes, chosen likewise.",
    lambda item, random, resources: None,
)


def chosen_headlines(
    items: Sequence[Item], resources: Resources, chooser: "Judges"
) -> dict[Perturbation, list[tuple[int, str]]]:
    """The headlines of both systems, each with the index of its item."""
    from change_it.generators.rerank import choose

    leads = [_leads(item, resources.leads.get(item.id, ())) for item in items]
    styled = [
        [with_cues(text.rstrip("."), resources.cues[item.target]) for text in texts]
        for item, texts in zip(items, leads, strict=True)
    ]
    made = {}
    for system, candidates in ((LEADS, leads), (STYLED, styled)):
        best = choose(chooser, candidates, items, language=resources.language)
        made[system] = [(row, candidates[row][place]) for row, place in enumerate(best) if place >= 0]
    return made


def _leads(item: Item, others: Iterable[str]) -> list[str]:
    found = chain(sentences(item.article), others)
    return list(islice(dict.fromkeys(text for text in found if len(text.split()) >= WORDS), MOST))
