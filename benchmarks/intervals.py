"""Intervals and tests drawn by item and by event: how often those of a known system hold the truth.

    python benchmarks/intervals.py

An invented system is right on .5 of the headlines; on a share of the events, `alike`, both directions fare
alike. False alarms are p-values below .05 between two systems that are equally good. Runs of a system differ
in their share with a deviation.
"""

import json

import numpy as np
import tyro

from change_it.stats import bootstrap_intervals, paired_p_values

RIGHT = 0.5
ALIKE = (0.0, 0.5, 1.0)
DEVIATIONS = (0.03, 0.06)


def share(sums):
    return {"share": sums["right"] / sums["n"]}


def held(right, *where, resamples, seed):
    """Whether the interval of the share holds the truth."""
    columns = {"n": np.ones_like(right), "right": right}
    [*_, (low, high)] = bootstrap_intervals(columns, share, *where, resamples=resamples, seed=seed)["share"]
    return low <= RIGHT <= high


def coverage(events: int, trials: int, resamples: int) -> dict[str, dict[str, float]]:
    """Return the share of intervals that hold the truth where runs differ.

    The intervals are those of one run, and of the mean of several over events and over both.
    """
    directions, rows = ["a2b"] * events + ["b2a"] * events, {}
    for alike in ALIKE:
        random = np.random.default_rng(1)

        def drawn(alike=alike, random=random):
            first, second = random.random((2, events)) < RIGHT
            second = np.where(random.random(events) < alike, first, second)
            return np.concatenate([first, second]).astype(float)

        counts = {"item": np.zeros(2), "event": np.zeros(2)}
        for trial in range(trials):
            systems = [drawn(), drawn()]
            one, other = ({"n": np.ones(2 * events), "right": right} for right in systems)
            for by, numbers in (("item", None), ("event", [*range(events)] * 2)):
                p = paired_p_values(one, other, share, directions, numbers, trials=resamples, seed=trial)
                is_held = held(systems[0], directions, numbers, resamples=resamples, seed=trial)
                counts[by] += is_held, p["share"][-1] < 0.05
        rows[f"on {alike:.0%} of the events"] = {
            f"{what} by {by}": float(count[at] / trials)
            for at, what in enumerate(("held", "false alarms"))
            for by, count in counts.items()
        }
    return rows


def coverage_of_runs(events: int, trials: int, resamples: int) -> dict[str, dict[str, float]]:
    """Return the share of intervals that hold the truth where runs differ.

    The intervals are those of one run, and of the mean of several over events and over both.
    """
    rows = {}
    for deviation in DEVIATIONS:
        for runs in (3, 5):
            random, counts = np.random.default_rng(1), np.zeros(3)
            for trial in range(trials):
                rates = RIGHT + deviation * random.standard_normal(runs)
                is_shared, shared = random.random((events, 1)) < ALIKE[1], random.random((events, 1))
                right = (np.where(is_shared, shared, random.random((events, runs))) < rates).astype(float)
                asked = right[:, 0], right.mean(axis=1), right
                counts += [held(values, resamples=resamples, seed=trial) for values in asked]
            names = "one run", "over events", "over runs and events"
            rows[f"{runs} runs, deviation {deviation}"] = dict(zip(names, counts / trials, strict=True))
    return rows


def main(events: int = 600, trials: int = 1000, resamples: int = 400) -> None:
    """Simulate so many test sets of so many events, and print JSON.

    `resamples` are those of an interval, and `trials` those of its test.
    """
    sizes = events, trials, resamples
    print(json.dumps({"coverage": coverage(*sizes), "runs": coverage_of_runs(*sizes)}, indent=2))


if __name__ == "__main__":
    tyro.cli(main)
