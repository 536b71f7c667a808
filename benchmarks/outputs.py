"""Headlines of systems without their inputs: what can be said of them without a judge that reads an original, as JSON.

    python benchmarks/outputs.py --predictions repubblica-to-ilgiornale=one.txt ilgiornale-to-repubblica=other.txt

Each file has a headline a line, or is a table with a column headline. Of each: length, repeats, readability (HEvAS; its own
tagger), each with a 95% bootstrap interval, and with --fluency the share that a judge takes for printed. Of the first two,
which aim at different outlets: mean F1 of character n-grams in five folds, as printed and without marks; a headline that is in
both is left out. No headline is held against its article, which nobody has here.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from sklearn.model_selection import StratifiedKFold

from change_it.hevas.analysis import mean_intervals
from change_it.hevas.readability import readability
from change_it.io import SUFFIXES, named_files, read_records, text_lines
from change_it.judges.baselines import character_ngrams, scores
from change_it.judges.data import Examples
from change_it.stats import Floats
from change_it.text.stopwords import stop_words
from change_it.text.tokens import words

FOLDS = 5


@dataclass(kw_only=True)
class Options:
    """Measure headlines that nobody has the inputs of."""

    predictions: tuple[str, ...]
    """Systems as NAME=FILE; the first two aim at different outlets."""
    language: str = "it"
    """Of the headlines."""
    fluency: str | None = None
    """Folder or Hub id of a fluency judge of that language."""
    resamples: int = 1000
    """Of the intervals."""
    seed: int = 1
    """Of folds and intervals."""


def headlines_of(file: Path) -> list[str]:
    """The headlines of a file, those that are empty left out."""
    if file.suffix.lower() in SUFFIXES:
        lines = [record.cells["headline"] for record in read_records(file, required=["headline"])]
    else:
        lines = text_lines(file)
    return [" ".join(line.split()) for line in lines if line.strip()]


def repeats(headlines: Sequence[str], language: str) -> dict[str, Floats]:
    """Which headlines have a content word twice, two words in a row twice, or stand in the file again."""
    common, whole = stop_words(language), Counter(headlines)
    found: dict[str, list[bool]] = {"content word twice": [], "word pair twice": [], "headline twice": []}
    for headline in headlines:
        written = words(headline.lower())
        content = [word for word in written if word not in common]
        pairs = list(pairwise(written))
        found["content word twice"].append(len(set(content)) < len(content))
        found["word pair twice"].append(len(set(pairs)) < len(pairs))
        found["headline twice"].append(whole[headline] > 1)
    return {name: np.array(values, dtype=np.float64) for name, values in found.items()}


def without_marks(headline: str) -> str:
    """Its words alone."""
    return " ".join(words(headline))


def separability(first: Sequence[str], second: Sequence[str], seed: int) -> dict[str, float | int]:
    """Mean F1 of character n-grams that tell two systems apart, in five folds."""
    shared = {*first} & {*second}
    kept = [[text for text in dict.fromkeys(texts) if text not in shared] for texts in (first, second)]
    labels = np.repeat([0, 1], list(map(len, kept)))
    texts = kept[0] + kept[1]
    found: dict[str, float | int] = {"headlines": len(texts), "in both": len(shared)}
    for name, change in {"as printed": str, "without marks": without_marks}.items():
        answers = np.zeros_like(labels)
        for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(texts, labels):
            known, asked = (
                Examples([change(texts[place]) for place in places], None, labels[places])
                for places in (train, test)
            )
            answers[test] = character_ngrams(known, seed=seed)(asked)
        found[name] = round(scores(labels, answers, ("first", "second"))["macro_f1"], 4)
    return found


def measure(options: Options) -> dict[str, Any]:
    """All figures by system, and how well two are told apart."""
    files = named_files(options.predictions, option="--predictions", example="mine=mine.txt")
    systems = {name: headlines_of(file) for name, file in files}
    judge = None
    if options.fluency:
        from change_it.judges.judge import Judge

        judge = Judge.from_pretrained(options.fluency)
        if judge.task != "fluency":
            raise SystemExit(f"--fluency {options.fluency} is a judge of {judge.task}")
    report: dict[str, Any] = {}
    for name, headlines in systems.items():
        columns = {
            "words": np.array([len(words(headline)) for headline in headlines], dtype=np.float64),
            "characters": np.array(list(map(len, headlines)), dtype=np.float64),
            **repeats(headlines, options.language),
            **readability(headlines, options.language),
        }
        if judge is not None:
            columns["fluency"] = (judge.probabilities(headlines)[:, 1] >= 0.5).astype(np.float64)
        table = np.stack([*columns.values()], axis=1)
        ends = mean_intervals(table, [*columns], resamples=options.resamples, seed=options.seed)
        report[name] = {"headlines": len(headlines)} | {
            column: {
                "mean": round(float(values.mean()), 4),
                "interval": np.round(ends[column], 4).tolist(),
            }
            for column, values in columns.items()
        }
    if len(systems) > 1:
        first, second, *_ = systems.values()
        report["told apart"] = separability(first, second, options.seed)
    return report


if __name__ == "__main__":
    print(json.dumps(measure(tyro.cli(Options)), indent=2, ensure_ascii=False))
