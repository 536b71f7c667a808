"""Frozen encoders beside linear judges: JSON for `tables.py --keep encoders`.

    python benchmarks/encoders.py --corpus runs/vox/corpus --judges runs/vox/judges --vectors runs/vectors --encoders MiniLM=FOLDER e5=FOLDER

HH and AH are the cosine of two mean-pooled vectors with a threshold that is fitted on training pairs (AH: of a headline and an
article's first 128 tokens), main a logistic regression on vectors; nothing is fine-tuned. `--judges` begins the names of the
folders of linear judges of both folds, which end in -0 and -1. Both folds score all of A2: an example counts twice, and
intervals draw events. Vectors are kept.
"""

import json
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
import tyro
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from transformers import AutoModel, AutoTokenizer

from change_it.corpus.folder import read_table
from change_it.judges.data import Examples, TaskData, load_task
from change_it.judges.judge import Judge
from change_it.judges.metrics import accuracy, f1_lead, lead, scores
from change_it.stats import Floats, Ints, log_odds

#: What e5 has before a headline and an article; texts between two saves of vectors, and those encoded at once.
PREFIXES, SAVED, BATCH = ("query: ", "passage: "), 128, 32
#: Tokens of headlines and articles, and characters of an article that are read.
TOKENS, OPENING = (64, 128), 1200
#: Training pairs that a threshold is fitted on.
FITTED = {"hh": 400, "ah": 150}
#: The candidates of the regularisation of main.
STRENGTHS = (1e-4, 1e-3, 1e-2, 1e-1, 1.0)
SEED = 1


@dataclass(kw_only=True)
class Options:
    """Encode, fit and compare."""

    name: str
    """The pair of outlets, in tables."""
    corpus: str
    """Corpus folder."""
    judges: str
    """Folders of linear judges, without -0 and -1."""
    vectors: Path
    """Folder of vectors."""
    encoders: tuple[str, ...]
    """NAME=FOLDER; main and AH read the vectors of the last one."""
    tasks: tuple[str, ...] = ("hh", "main", "ah")
    """What is measured."""


class Vectors:
    """Mean-pooled vectors of unit length, kept in a file."""

    def __init__(self, name: str, folder: str, file: Path) -> None:
        self.e5, self.file = name.startswith("e5"), file
        self.tokenizer, self.model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder)
        self.known: dict[str, Any] = {}
        if file.exists():
            with np.load(file) as saved:
                self.known = dict(zip(saved["texts"].tolist(), saved["vectors"], strict=True))

    def __call__(self, texts: Sequence[str], article: bool = False) -> Floats:
        """(n, width) vectors of headlines or of articles."""
        texts = [text[: OPENING if article else None] for text in texts]
        texts = [f"{PREFIXES[article]}{text}" if self.e5 else text for text in texts]
        new = sorted({*texts} - {*self.known}, key=len)
        for at in range(0, len(new), SAVED):
            part = new[at : at + SAVED]
            for first in range(0, len(part), BATCH):
                some = part[first : first + BATCH]
                self.known |= dict(zip(some, self._encode(some, TOKENS[article]), strict=True))
            print(f"{self.file.name}: {at + len(part)} of {len(new)}", file=sys.stderr, flush=True)
            self.file.parent.mkdir(parents=True, exist_ok=True)
            np.savez(self.file, texts=np.array([*self.known]), vectors=np.stack([*self.known.values()]))
        return np.stack([self.known[text] for text in texts]).astype(np.float64)

    @torch.inference_mode()
    def _encode(self, texts: list[str], tokens: int) -> Any:
        read = self.tokenizer(texts, padding=True, truncation=True, max_length=tokens, return_tensors="pt")
        states, mask = self.model(**read).last_hidden_state, read["attention_mask"][..., None]
        return torch.nn.functional.normalize((states * mask).sum(1) / mask.sum(1)).half().numpy()

    def cosines(self, task: str, examples: Examples) -> Floats:
        """(n,) cosines of the texts of each example."""
        first, second = self(examples.texts), self(examples.pairs or [], article=task == "ah")
        return np.asarray((first * second).sum(axis=1))


def threshold(cosines: Floats, labels: Ints) -> float:
    """The cosine from which on pairs match, by mean F1."""
    candidates = np.unique(cosines)
    f1 = [
        scores(labels, (cosines >= each).astype(np.int64), ("no", "yes"))["macro_f1"] for each in candidates
    ]
    return float(candidates[int(np.argmax(f1))])


def sample(examples: Examples, most: int) -> Examples:
    """Some of the examples."""
    return examples.select(np.sort(np.random.default_rng(SEED).permutation(len(examples))[:most]))


def compared(labels: Ints, new: Ints, old: Ints, events: Sequence[str]) -> list[float]:
    """F1 of linear and of another judge, and its lead with its interval."""
    f1 = [scores(labels, given, ("no", "yes"))["macro_f1"] for given in (old, new)]
    return [*f1, *f1_lead(labels, new, old, events).values()]


def pairs_of(task: Any, options: Options, encoders: dict[str, Vectors]) -> dict[str, list[float]]:
    """Row to cell of HH or AH: of each encoder its cosine, and the cosine with linear's log odds."""
    data = [load_task(task, options.corpus, fold=fold, seed=SEED) for fold in ("0", "1")]
    judges = [Judge.from_pretrained(f"{options.judges}-{fold}/{task}") for fold in (0, 1)]
    rows: dict[str, list[float]] = {}
    for name, vectors in encoders.items():
        given: dict[str, list[Any]] = {}
        for fold, judge in enumerate(judges):
            learnt, other = (sample(data[each].known, FITTED[task]) for each in (fold, 1 - fold))
            cut = threshold(vectors.cosines(task, learnt), learnt.labels)

            def features(examples: Examples, judge: Judge = judge, vectors: Vectors = vectors) -> Floats:
                p = judge.probabilities(examples.texts, examples.pairs, progress=False)[:, 1]
                return np.column_stack([log_odds(p), vectors.cosines(task, examples)])

            # linear has not learnt the pairs of the other fold
            seen = features(other)
            both = make_pipeline(StandardScaler(), LogisticRegression()).fit(seen, other.labels)
            for test in ("random", "hard"):
                examples = data[fold].tests[test]
                found = features(examples)
                answers = (found[:, 0] > 0, found[:, 1] >= cut, both.predict(found))
                given.setdefault(test, []).append(
                    [examples.labels, *(each.astype(np.int64) for each in answers)]
                )
        for test, folds in given.items():
            labels, linear, cosine, joined = (np.concatenate(each) for each in zip(*folds, strict=True))
            events = data[0].events[test] * 2
            row = f"{task.upper()}, {test}: cosine of {name}"
            rows[row] = compared(labels, cosine, linear, events)
            rows[f"{row}, and linear"] = compared(labels, joined, linear, events)
    return rows


def main_of(options: Options, name: str, vectors: Vectors) -> dict[str, list[Any]]:
    """Row to cell of main."""
    tested = read_table(options.corpus, "pairs", "test", ["a_headline", "b_headline", "event"])
    sides, events = (
        (tested["a_headline"].to_list(), tested["b_headline"].to_list()),
        tested["event"].to_list(),
    )
    labels, new, old, of, steps = [], [], [], [], []
    for fold in ("0", "1"):
        data: TaskData = load_task("main", options.corpus, fold=fold, seed=SEED)
        judge = Judge.from_pretrained(f"{options.judges}-{fold}/main")
        model = make_pipeline(
            StandardScaler(), LogisticRegressionCV(Cs=STRENGTHS, class_weight="balanced", max_iter=1000)
        )
        model.fit(vectors(data.known.texts), data.known.labels)
        asks = (
            lambda texts, model=model: model.predict_proba(vectors(texts)),
            partial(judge.probabilities, progress=False),
        )
        examples = data.tests["gold"]
        labels.append(examples.labels)
        of += data.events["gold"]
        for answers, ask in zip((new, old), asks, strict=True):
            answers.append((ask(examples.texts)[:, 1] > 0.5).astype(np.int64))
        steps.append([log_odds(ask(sides[1])[:, 1]) - log_odds(ask(sides[0])[:, 1]) for ask in asks])
    of_new, of_old = (np.concatenate(each) for each in zip(*steps, strict=True))
    within = [accuracy(each, events * 2)["value"] for each in (of_old, of_new)]
    return {
        f"main: vectors of {name}": compared(*map(np.concatenate, (labels, new, old)), of),
        f"main within an event: vectors of {name}": [*within, *lead(of_new, of_old, events * 2).values()],
    }


def main(options: Options) -> dict[str, Any]:
    """The rows of a corpus."""
    encoders = {}
    for name, folder in (each.split("=", 1) for each in options.encoders):
        encoders[name] = Vectors(name, folder, options.vectors / f"{options.name}-{name}.npz")
    name, vectors = list(encoders.items())[-1]
    measured = {
        "hh": lambda: pairs_of("hh", options, encoders),
        "main": lambda: main_of(options, name, vectors),
        "ah": lambda: pairs_of("ah", options, {name: vectors}),
    }
    rows = {row: cell for task in options.tasks for row, cell in measured[task]().items()}
    return {"encoders": {row: {options.name: cell} for row, cell in rows.items()}}


if __name__ == "__main__":
    given = tyro.cli(Options, description=__doc__)
    with redirect_stdout(sys.stderr):
        result = main(given)
    print(json.dumps(result, indent=1, ensure_ascii=False))
