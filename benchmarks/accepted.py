"""The share that readers accept, from labels of some headlines: how often its interval holds the truth.

    python benchmarks/accepted.py

Invented worlds: a headline is accepted by what its event and itself add to it, in equal parts, and a judge's
scores correlate with that. Labels are of the first events, or miss single headlines.
"""

import json
from dataclasses import dataclass

import numpy as np
import scipy
import tyro

from change_it.scoring.accepted import Accepted, accepted

#: The correlation of the judge's scores with what decides a headline.
CORRELATION = 0.8
#: Headlines of an event, at most.
MOST = 3


@dataclass(frozen=True)
class World:
    """Headlines of events, some of which have labels.

    Attributes:
        events: their number.
        unread: how many of the events have no label, or how many headlines where `is_single`.
        accepted: the true share of accepted headlines.
        correlation: of the judge's scores with what decides a headline; below 0 it says the opposite.
        is_single: whether single headlines have no label, and not whole events.
    """

    events: int
    unread: int
    accepted: float = 0.5
    correlation: float = CORRELATION
    is_single: bool = False

    def drawn(self, random: np.random.Generator) -> Accepted:
        """Draw a world and estimate its share."""
        event = np.repeat(np.arange(self.events), random.integers(1, MOST + 1, self.events))
        of_event = random.standard_normal(self.events)[event]
        quality = np.sqrt(0.5) * (of_event + random.standard_normal(len(event)))
        labels = (quality > scipy.stats.norm.isf(self.accepted)).astype(float)
        noise = np.sqrt(1 - self.correlation**2) * random.standard_normal(len(event))
        judge = self.correlation * quality + noise
        if self.is_single:
            labels[random.choice(len(event), self.unread, replace=False)] = np.nan
        else:
            labels[event >= self.events - self.unread] = np.nan
        return accepted(labels, judge, event)


#: What the rows are called, and their worlds.
WORLDS = {
    "39 of 40 events": World(40, 1),
    "38 of 40 events": World(40, 2),
    "99 of 100 events": World(100, 1),
    "98 of 100 events": World(100, 2),
    "249 of 250 events": World(250, 1),
    "11 of 12 events": World(12, 1),
    "10 of 12 events": World(12, 2),
    "40 events, one headline unread": World(40, 1, is_single=True),
    "40 events, two headlines unread": World(40, 2, is_single=True),
    "8 of 200 events": World(200, 192),
    "40 of 200 events": World(200, 160),
    "80 of 200 events": World(200, 120),
    "200 of 200 events": World(200, 0),
    "40 of 200 events, .1 accepted": World(200, 160, accepted=0.1),
    "40 of 200 events, .9 accepted": World(200, 160, accepted=0.9),
    "40 of 200 events, judge reversed": World(200, 160, correlation=-CORRELATION),
    "40 of 200 events, judge says nothing": World(200, 160, correlation=0.0),
}


def coverage(worlds: int, seed: int) -> dict[str, dict[str, float]]:
    """Measure how often intervals hold the truth in worlds that are drawn.

    There are so many `worlds` of each kind. Beside the share of intervals that hold the truth stands how far
    the estimate is from it.
    """
    rows = {}
    for name, world in WORLDS.items():
        random = np.random.default_rng(seed)
        found = [world.drawn(random) for _ in range(worlds)]
        held = [each.interval[0] <= world.accepted <= each.interval[1] for each in found]
        of_labels = [each.plain_interval[0] <= world.accepted <= each.plain_interval[1] for each in found]
        rows[name] = {
            "held": float(np.mean(held)),
            "held by labels alone": float(np.mean(of_labels)),
            "mean error": float(np.mean([each.share for each in found]) - world.accepted),
            "standard error": float(np.std([each.share for each in found])),
            "of labels alone": float(np.std([each.plain for each in found])),
        }
    return rows


def main(worlds: int = 2000, seed: int = 1) -> None:
    """Simulate so many worlds of each kind and print JSON."""
    print(json.dumps({"accepted": coverage(worlds, seed)}, indent=2))


if __name__ == "__main__":
    tyro.cli(main)
