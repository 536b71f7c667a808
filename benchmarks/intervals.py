"""Intervals and tests drawn by item and by event: how often those of a known system hold the truth.

    python benchmarks/intervals.py

An invented system is right on .5 of the headlines; on a share of the events, `alike`, both directions fare alike. False alarms
are p-values below .05 between two systems that are equally good. Runs of a system differ in their share with a deviation.
"""

import json
from dataclasses import dataclass

import numpy as np
import tyro

from change_it.stats import bootstrap_intervals, paired_p_values

RIGHT = 0.5
ALIKE = (0.0, 0.5, 1.0)
DEVIATIONS = (0.03, 0.06)


@dataclass(kw_only=True)
class Options:
    """Measure coverage, and print JSON."""

    events: int = 600
    """Events of a simulated test set."""
    trials: int = 1000
    """Simulated test sets."""
    resamples: int = 400
    """Of an interval of a simulated test set, and trials of its test."""


def share(sums):
    return {"share": sums["right"] / sums["n"]}


def drawn(alike: float, options: Options, random: np.random.Generator) -> dict[str, np.ndarray]:
    """What a system got right: one direction of all events, then the other."""
    first, second = random.random((2, options.events)) < RIGHT
    second = np.where(random.random(options.events) < alike, first, second)
    return {"n": np.ones(2 * options.events), "right": np.concatenate([first, second]).astype(float)}


def coverage(options: Options) -> dict[str, dict[str, float]]:
    """Share of intervals that hold the truth, and of tests that find a difference where there is none."""
    directions = ["a2b"] * options.events + ["b2a"] * options.events
    rows = {}
    for alike in ALIKE:
        random = np.random.default_rng(1)
        counts = {"item": np.zeros(2), "event": np.zeros(2)}
        for trial in range(options.trials):
            one, other = drawn(alike, options, random), drawn(alike, options, random)
            for by, numbers in (("item", None), ("event", [*range(options.events)] * 2)):
                low, high = bootstrap_intervals(
                    one, share, directions, numbers, resamples=options.resamples, seed=trial
                )["share"][-1]
                p = paired_p_values(
                    one, other, share, directions, numbers, trials=options.resamples, seed=trial
                )["share"][-1]
                counts[by] += low <= RIGHT <= high, p < 0.05
        rows[f"on {alike:.0%} of the events"] = {
            f"{what} by {by}": float(count[at] / options.trials)
            for at, what in enumerate(("held", "false alarms"))
            for by, count in counts.items()
        }
    return rows


def of_runs(options: Options) -> dict[str, dict[str, float]]:
    """Share of intervals that hold the truth where runs differ: of one run, and of the mean of several over events and over both."""
    rows = {}
    for deviation in DEVIATIONS:
        for runs in (3, 5):
            random = np.random.default_rng(1)
            held = np.zeros(3)
            for trial in range(options.trials):
                rates = RIGHT + deviation * random.standard_normal(runs)
                ease = np.where(
                    random.random((options.events, 1)) < ALIKE[1],
                    random.random((options.events, 1)),
                    random.random((options.events, runs)),
                )
                right = (ease < rates).astype(float)
                asked = {
                    "one run": right[:, 0],
                    "over events": right.mean(axis=1),
                    "over runs and events": right,
                }
                ends = [
                    bootstrap_intervals(
                        {"n": np.ones_like(values), "right": values},
                        share,
                        resamples=options.resamples,
                        seed=trial,
                    )["share"][-1]
                    for values in asked.values()
                ]
                held += [low <= RIGHT <= high for low, high in ends]
            shares = (held / options.trials).tolist()
            rows[f"{runs} runs, deviation {deviation}"] = dict(zip(asked, shares, strict=True))
    return rows


def main(options: Options) -> None:
    print(json.dumps({"coverage": coverage(options), "runs": of_runs(options)}, indent=2))


if __name__ == "__main__":
    main(tyro.cli(Options))
