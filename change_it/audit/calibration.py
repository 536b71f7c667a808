"""Whether the judges' probabilities mean what they say."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from change_it.audit.cues import drawn
from change_it.audit.perturbations import Resources
from change_it.corpus.folder import read_table
from change_it.stats import Ints
from change_it.text.corruptions import CORRUPTIONS, corrupt

if TYPE_CHECKING:  # loads torch
    from change_it.judges.judge import Judge
    from change_it.scoring.judges import Judges

#: Points of a curve, of as many answers each.
POINTS = 10
#: Examples of each judge; articles take long to read.
EXAMPLES = {"main": 2000, "hh": 1000, "ah": 300, "fluency": 800}


@dataclass(frozen=True)
class Reliability:
    """The reliability curve of a judge: mean probabilities and observed shares."""

    judge: str  # main, hh, ah or fluency
    n: int  # examples
    # mean probability of the second class in each bin of equally many answers, rising
    probability: tuple[float, ...]
    share: tuple[float, ...]  # share of the second class among them


def reliabilities(judges: "Judges", corpus: Resources, *, seed: int = 1) -> list[Reliability]:
    """The reliability curve of each judge that a corpus has test examples for.

    The configs `hh` and `ah` of the corpus are the examples of these judges; the original headlines of the items are those of
    main, and with one corruption each those of fluency.
    """
    from sklearn.calibration import calibration_curve

    curves = []
    for task, judge in judges.by_task.items():
        texts, pairs, labels = _examples(judge, corpus, seed)
        if not texts:
            continue
        answers = judge.probabilities(texts, pairs, progress=False)
        share, probability = calibration_curve(labels, answers[:, 1], n_bins=POINTS, strategy="quantile")
        curves.append(Reliability(task, len(labels), tuple(probability.tolist()), tuple(share.tolist())))
    return curves


def _examples(judge: "Judge", corpus: Resources, seed: int) -> tuple[list[str], list[str] | None, Ints]:
    """Texts, their pairs and classes."""
    most, items = EXAMPLES[judge.task], corpus.test.items
    if judge.task == "main":
        chosen = drawn(items, most, seed)
        labels = [judge.outlets.index(item.label) for item in chosen]
        return [item.source for item in chosen], None, np.array(labels, dtype=np.int64)
    if judge.task in ("hh", "ah"):
        columns = ["headline1", "headline2"] if judge.task == "hh" else ["headline", "article"]
        rows = read_table(corpus.test.name, judge.task, "test", [*columns, "label"])
        rows = rows.sample(min(most, rows.height), seed=seed, shuffle=True)
        texts, pairs = (rows[name].to_list() for name in columns)
        return texts, pairs, rows["label"].cast(pl.Int64).to_numpy()
    random = np.random.default_rng(seed)
    texts, classes = [], []
    for item in drawn(items, most // 2, seed):
        broken = corrupt(item.source, str(random.choice([*CORRUPTIONS])), random, corpus.lexicon)
        for text, label in ((item.source, 1), (broken, 0)):
            if text:
                texts.append(text)
                classes.append(label)
    return texts, None, np.array(classes, dtype=np.int64)
