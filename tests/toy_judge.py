"""Register a toy judge by one entry: it reads the end of a headline alone, and guesses whose it is."""

from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from change_it.judges.data import Examples, load_main
from change_it.judges.linear_training import fit_main
from change_it.judges.reliability import Verdict
from change_it.judges.spec import JUDGES, MAIN, JudgeSpec, Wording
from change_it.stats import share_interval

ENDING = "ending"


def end_of(headline):
    """Return the last word of a headline, with the mark behind it."""
    return " ".join(headline.split()[-1:])


def load_endings(task, corpus, options):
    """Load the data of main, and keep of every headline its end alone."""
    data = load_main(MAIN, corpus, options)

    def ends(examples):
        return Examples([end_of(text) for text in examples.texts], None, examples.labels)

    tests = {name: ends(examples) for name, examples in data.tests.items()}
    return replace(data, train=ends(data.train), validation=ends(data.validation), tests=tests)


def fit_endings(task, data, *, seed):
    """Fit a regression on the letters and marks of the ends."""
    return fit_main(data.train_and_validation, seed=seed)


def rate_endings(task, judge, metrics):
    """Say how far to rely on the judge, by its recall of both outlets."""
    classes = [metrics.results["gold"].classes[outlet] for outlet in judge.outlets]
    recall = float(np.mean([one.recall for one in classes]))
    ends = share_interval(recall, sum(one.support for one in classes))
    return Verdict(task, "care", shares={"tells the newspapers' endings apart": (recall, *ends)})


SPEC = JudgeSpec(
    heading="Ending",
    short="ending",
    question="does it end like {target}'s?",
    wording=Wording(
        decides="how does a headline end",
        column="Reads the last word of the new headline: does it end otherwise than the original?",
        passes="it ends like {new}",
        refuses="it ends like {old}",
        figure="The figure is the probability that a headline with this end is the other newspaper's.",
        label="ending: the last word is the other newspaper's",
        glossary="how it ends, decided by a classifier of its last word",
    ),
    reads=lambda headline, item: (end_of(headline), None),
    classes=None,
    load=load_endings,
    fit=fit_endings,
    rate=rate_endings,
)


@contextmanager
def registered():
    """Keep the toy judge in the registry while the block runs."""
    JUDGES[ENDING] = SPEC
    try:
        yield
    finally:
        del JUDGES[ENDING]
