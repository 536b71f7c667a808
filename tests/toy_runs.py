"""Train a small classifier in no time."""

import time

import torch
from judge_data import with_arg
from torch import nn
from transformers.modeling_outputs import SequenceClassifierOutput

from change_it.training.run import TrainingRun
from change_it.training.run_folder import tokenized
from change_it.training.trainer import train, training_arguments
from change_it.training.training_options import TrainingOptions

FEATURES = torch.randn(90, 6, generator=torch.Generator().manual_seed(5))
LABELS = (FEATURES.sum(1) > 0).long()


class Classifier(nn.Module):
    """Two layers whose weights depend on the random state, by dropout, and on the order of the batches."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layers = nn.Sequential(nn.Linear(6, 16), nn.Dropout(0.3), nn.ReLU(), nn.Linear(16, 2))

    def forward(self, features, labels):
        logits = self.layers(features)
        return SequenceClassifierOutput(nn.functional.cross_entropy(logits, labels), logits)


def accuracy(model):
    """Return the share of all rows that the model gets right."""
    return float((model(FEATURES, LABELS).logits.argmax(-1) == LABELS).float().mean())


def toy(rows):
    """Return examples in which the number of a row of the features stands for a token."""
    return {"input_ids": [[row] * (1 + row % 7) for row in rows], "labels": LABELS[list(rows)].tolist()}


def toy_batch(rows):
    """Return the features and labels of examples; a process that loads batches finds it by its name."""
    numbers = [int(row["input_ids"][0]) for row in rows]
    return {"features": FEATURES[numbers], "labels": LABELS[numbers]}


def toy_run(model=None, *, evaluate=None, **limits):
    """Return a run of 90 examples; `limits` are those of its updates."""
    return TrainingRun(
        model=model or Classifier(),
        examples=tokenized(toy, 90),
        collate=toy_batch,
        evaluate=evaluate and (lambda model: {"score": evaluate(model)}),
        save=lambda folder: None,
        describe=lambda result: {},
        **limits,
    )


def trained(out, model=None, *, evaluate=accuracy, started=None, **changes):
    """Train, and return the model and the result."""
    given = {"epochs": 2, "batch_size": 8, "seed": 3}
    options = TrainingOptions(**with_arg({**given, "learning_rate": 3e-3, **changes}))
    run = toy_run(model, evaluate=evaluate)
    started = time.monotonic() if started is None else started
    return run.model, train(run, run.examples, options, training_arguments(options, out), started=started)


def same(one, other):
    """Return whether two models have the same weights to the last bit."""
    return all(torch.equal(value, other.state_dict()[name]) for name, value in one.state_dict().items())
