"""The words and marks that main listens to."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from change_it.scoring.item import Item
from change_it.stats import log_odds

if TYPE_CHECKING:  # loads torch
    from change_it.judges.judge import Judge

#: Headlines that words are taken out of, at most, and their characters.
OCCLUDED, LONGEST = 400, 1000
#: Cues of each outlet, and times that a word must appear in the headlines to be one.
CUES, OFTEN = 12, 4

_TOKEN = re.compile(r"\w+(?:['’]\w+)*['’]?|[^\w\s]")


@dataclass(frozen=True)
class Cue:
    """A word or mark that speaks for an outlet."""

    outlet: str  # the one it speaks for
    text: str  # the word or mark
    weight: float  # mean change of the log-odds when it is taken out of a headline
    n: int  # headlines that it was taken out of


def main_cues(main: "Judge", items: Sequence[Item], *, seed: int = 1) -> list[Cue]:
    """For each outlet the words and marks that change main's log-odds most in its favour: each is taken out of each of 400 test headlines that has it."""
    order = np.arange(len(items))
    if len(items) > OCCLUDED:
        order = np.sort(np.random.default_rng(seed).permutation(len(items))[:OCCLUDED])
    headlines = [items[index].source[:LONGEST] for index in order.tolist()]
    occluded = [
        (row, token[0], without)
        for row, text in enumerate(headlines)
        for token in _TOKEN.finditer(text)
        if (without := " ".join(f"{text[: token.start()]} {text[token.end() :]}".split()))
    ]
    answers = main.probabilities([*headlines, *(without for _, _, without in occluded)], progress=False)
    odds = log_odds(answers[:, 1])
    changes: dict[str, list[float]] = defaultdict(list)
    for (row, token, _), after in zip(occluded, odds[len(headlines) :], strict=True):
        changes[token].append(float(odds[row] - after))
    frequent = {word: values for word, values in changes.items() if len(values) >= OFTEN}
    rising = sorted(frequent, key=lambda word: (sum(frequent[word]), word))
    return [
        Cue(outlet, word, abs(float(np.mean(frequent[word]))), len(frequent[word]))
        for outlet, sign, words in zip(main.outlets, (-1, 1), (rising, rising[::-1]), strict=True)
        for word in words[:CUES]
        if sign * sum(frequent[word]) > 0
    ]
