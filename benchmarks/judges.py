"""Judges beside `transformers.pipeline("text-classification", batch_size=32)` with the same texts and weights, as JSON.

    python benchmarks/judges.py --judges runs/real/judges --corpus runs/real/corpus

For float32 and bf16: times as fast, and the share of verdicts that are the pipeline's. Then what scoring ten systems costs beside
scoring one. Seconds are of processor time in one thread, so other programs blur them little.
"""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar, get_args

import numpy as np
import torch
import tyro
from transformers import pipeline

from change_it.judges.judge import Judge, Judges
from change_it.judges.options import SINGLE_TEXT, Task
from change_it.scoring.compliancy import judge_items
from change_it.scoring.item import Item, read_test_set
from change_it.training.options import Arithmetic

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


def timed(run: Callable[[], Found], repeats: int) -> tuple[Found, float]:
    """What it returns, and the processor seconds of the fastest run."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        found = run()
        seconds.append(time.process_time() - start)
    return found, min(seconds)


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


def compare(judges: dict[Arithmetic, Judge], items: list[Item], repeats: int) -> dict[str, Any]:
    """One judge in each precision beside the pipeline."""
    task = judges["float32"].task
    texts = [item.reference for item in items]
    pairs = {"hh": [item.source for item in items], "ah": [item.article for item in items]}.get(task)
    if task in SINGLE_TEXT:
        texts = texts + [item.source for item in items]
    expected, plain = timed(as_pipeline(judges["float32"], texts, pairs), repeats)
    found: dict[str, Any] = {"texts": len(texts), "pipeline_seconds": round(plain, 2)}
    for precision, judge in judges.items():

        def ask(judge: Judge = judge) -> list[int]:
            given: list[int] = judge.probabilities(texts, pairs, progress=False).argmax(axis=1).tolist()
            return given

        answers, seconds = timed(ask, repeats)
        found[precision] = {
            "seconds": round(seconds, 2),
            "times_as_fast": round(plain / seconds, 2),
            "equal_verdicts": round(float(np.mean(np.equal(answers, expected))), 4),
        }
    return found


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
    torch.set_num_threads(1)
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
        judges = {name: found.by_task[task] for name, found in loaded.items()}
        report[task] = compare(judges, items, options.repeats)
    some = items[: max(1, len(items) // 3)]
    report["systems"] = {"systems": options.systems, "items": len(some)} | {
        name: cost_of_systems(judges, some, options.systems, options.repeats)
        for name, judges in loaded.items()
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main(tyro.cli(Options))
