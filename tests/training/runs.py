"""A small training run as a program: `runs.py OUT [--resume] [--die-after N] [...]`; tests start and kill it."""

import argparse
import os
import signal
from pathlib import Path
from types import SimpleNamespace

import torch
from safetensors.torch import save_file
from torch import nn

from change_it.training.loop import TrainingBar, process_state, train
from change_it.training.settings import TrainingSettings


class Classifier(nn.Module):
    """Dropout makes the weights depend on the random state, length grouping on the order."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layers = nn.Sequential(nn.Linear(6, 16), nn.Dropout(0.3), nn.ReLU(), nn.Linear(16, 2))

    def forward(self, features, labels):
        logits = self.layers(features)
        return SimpleNamespace(loss=nn.functional.cross_entropy(logits, labels), logits=logits)


def examples(size=90, seed=5):
    features = torch.randn(size, 6, generator=torch.Generator().manual_seed(seed))
    return [(row, int(row.sum() > 0)) for row in features]


def collate(rows):
    return {
        "features": torch.stack([row for row, _ in rows]),
        "labels": torch.tensor([label for _, label in rows]),
    }


def accuracy(model):
    batch = collate(examples(200, seed=6))
    return {"score": (model(**batch).logits.argmax(-1) == batch["labels"]).float().mean().item()}


def options(**changes):
    settings = {
        "epochs": 4,
        "batch_size": 8,
        "learning_rate": 3e-3,
        "early_stopping": 0,
        "checkpoint_steps": 5,
        "seed": 3,
    }
    return TrainingSettings(**{**settings, **changes})


def main(given=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--die-after", type=int, default=0)
    parser.add_argument("--accumulation", type=int, default=1)
    arguments = parser.parse_args(given)
    torch.set_num_threads(1)

    def die(bar, state, **note):
        if state.update == arguments.die_after:
            os.kill(os.getpid(), signal.SIGKILL)

    if arguments.die_after:
        TrainingBar.show = die
    model, data = Classifier(), examples()
    settings = options(resume=arguments.resume, gradient_accumulation=arguments.accumulation)
    lengths = [index % 7 for index in range(len(data))]
    result = train(
        model,
        data,
        collate,
        settings,
        out=arguments.out,
        evaluate=accuracy,
        lengths=lengths,
        min_updates=1,
    )
    if process_state().is_main_process:
        save_file(model.state_dict(), arguments.out / "model.safetensors")
        print("RESULT", process_state().num_processes, result.updates, result.best_update, result.best_score)


if __name__ == "__main__":
    main()
