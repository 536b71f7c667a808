"""Judges beside `transformers.pipeline("text-classification", batch_size=32)` with the same texts and weights, as JSON.

    python benchmarks/judges.py --judges runs/quickstart/judges --corpus runs/quickstart/corpus --neighbours 2

For float32 and bf16: texts a second, times as fast as the pipeline, and the share of verdicts that are the pipeline's; the same
beside one and more processes that compute something else all the time. Then what scoring ten systems costs beside scoring one.
Seconds are those of the clock: nothing else may run. `--repeats 1 --items 100` gives a first look.
"""

import json
import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar, get_args

import numpy as np
import tyro
from transformers import pipeline

from change_it.judges.judge import Judge, Judges
from change_it.judges.judge_options import SINGLE_TEXT, Task
from change_it.scoring.compliancy import judge_items
from change_it.scoring.item import Item, read_test_set
from change_it.training.settings import Arithmetic

Found = TypeVar("Found")


@dataclass(kw_only=True)
class Options:
    """Time judges against a pipeline."""

    judges: str
    """Folder of judges."""
    corpus: str
    """Corpus folder that they are of; its A2 pairs are read."""
    items: int = 300
    """A2 items that have a partner, at most, in turn from both directions."""
    repeats: int = 2
    """Times that each side runs; the fastest counts."""
    systems: int = 10
    """Systems that are scored beside one."""
    neighbours: int = 0
    """Measure once more beside each number of busy processes up to this one."""


def timed(run: Callable[[], Found], repeats: int) -> tuple[Found, float]:
    """What it returns, and the seconds of the fastest run."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        results = run()
        seconds.append(time.perf_counter() - start)
    return results, min(seconds)


def compute_for_ever() -> None:
    """What a busy neighbour does."""
    while True:
        pass


@contextmanager
def busy(count: int) -> Iterator[None]:
    """So many processes that compute all the time."""
    processes = [multiprocessing.Process(target=compute_for_ever, daemon=True) for _ in range(count)]
    for process in processes:
        process.start()
    try:
        yield
    finally:
        for process in processes:
            process.terminate()
            process.join()


def as_pipeline(judge: Judge, texts: list[str], pairs: list[str] | None) -> Callable[[], list[int]]:
    """The classes that the pipeline gives."""
    ask: Any = pipeline(
        "text-classification", model=judge.model, tokenizer=judge.tokenizer, batch_size=32, device="cpu"
    )
    inputs = [
        {"text": text} if pair is None else {"text": text, "text_pair": pair}
        for text, pair in zip(texts, pairs or [None] * len(texts), strict=True)
    ]
    numbers = judge.model.config.label2id

    def run() -> list[int]:
        # A list is read batch by batch in its order, as a data set would be.
        return [
            numbers[one["label"]]
            for one in ask(inputs, truncation=True, max_length=judge.max_tokens, padding=True)
        ]

    return run


def texts_of(task: Task, items: list[Item]) -> tuple[list[str], list[str] | None]:
    """What a judge is asked about."""
    texts = [item.reference for item in items]
    if task in SINGLE_TEXT:
        return texts + [item.source for item in items], None
    return texts, [item.source if task == "hh" else item.article for item in items]


def rates(loaded: dict[Arithmetic, Judges], items: list[Item], repeats: int) -> dict[str, dict[str, float]]:
    """Texts a second of each judge in each precision."""
    results: dict[str, dict[str, float]] = {}
    for precision, judges in loaded.items():
        for task, judge in judges.by_task.items():
            texts, pairs = texts_of(task, items)
            _, seconds = timed(partial(judge.probabilities, texts, pairs, progress=False), repeats)
            results.setdefault(task, {})[precision] = round(len(texts) / seconds)
    return results


def compare(judges: dict[Arithmetic, Judge], items: list[Item], repeats: int) -> dict[str, Any]:
    """One judge in each precision beside the pipeline."""
    texts, pairs = texts_of(judges["float32"].task, items)
    expected, plain = timed(as_pipeline(judges["float32"], texts, pairs), repeats)
    results: dict[str, Any] = {"texts": len(texts), "pipeline_a_second": round(len(texts) / plain)}
    for precision, judge in judges.items():
        given, seconds = timed(partial(judge.probabilities, texts, pairs, progress=False), repeats)
        results[precision] = {
            "a_second": round(len(texts) / seconds),
            "times_as_fast": round(plain / seconds, 2),
            "equal_verdicts": round(float(np.mean(np.equal(given.argmax(axis=1), expected))), 4),
        }
    return results


def cost_of_systems(judges: Judges, items: list[Item], systems: int, repeats: int) -> dict[str, Any]:
    """Seconds of one system and of several, each the other newspaper's headline without another word."""

    def headline(item: Item, system: int) -> str:
        words = item.reference.split()
        at = system % len(words)
        return " ".join([*words[:at], *words[at + 1 :]]) or item.reference

    made = [[replace(item, prediction=headline(item, system)) for item in items] for system in range(systems)]
    _, one = timed(lambda: judge_items(judges, made[0], progress=False), repeats)
    _, all_ = timed(lambda: judge_items(judges, [item for some in made for item in some], progress=False), 1)
    return {"one_seconds": round(one, 2), "all_seconds": round(all_, 2), "times_one": round(all_ / one, 2)}


def main(options: Options) -> None:
    precisions: tuple[Arithmetic, ...] = get_args(Arithmetic)
    loaded = {
        name: Judges.from_pretrained(options.judges, precision=name, device="cpu") for name in precisions
    }
    test = read_test_set(options.corpus)
    sides = [[item for item in test.items if item.reference and item.label == side] for side in test.outlets]
    items = [item for pair in zip(*sides, strict=False) for item in pair][: options.items]
    report: dict[str, Any] = {"items": len(items)}
    tasks: tuple[Task, ...] = tuple(loaded["float32"].by_task)
    for task in tasks:
        print(task, file=sys.stderr)
        judges = {name: results.by_task[task] for name, results in loaded.items()}
        report[task] = compare(judges, items, options.repeats)
    for count in range(1, options.neighbours + 1):
        print(f"beside {count}", file=sys.stderr)
        with busy(count):
            beside = rates(loaded, items, options.repeats)
        for task in tasks:
            for name in precisions:
                alone = report[task][name]["a_second"]
                report[task][name][f"of_idle_beside_{count}"] = round(beside[task][name] / alone, 2)
    some = items[: max(1, len(items) // 3)]
    report["systems"] = {"systems": options.systems, "items": len(some)} | {
        name: cost_of_systems(judges, some, options.systems, options.repeats)
        for name, judges in loaded.items()
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main(tyro.cli(Options))
