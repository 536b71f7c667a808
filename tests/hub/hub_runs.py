"""A run as cards read it: untrained models with the records that trained ones leave."""

import json

import numpy as np
import torch

from change_it.judges.building import build
from change_it.judges.train import scores
from change_it.training.models import hash_of_weights

TEXTS = ["Il ponte crolla sulla statale", "Sciopero generale dei treni", "Festival aperto al pubblico"]
DIRECTIONS = ("rep2gio", "gio2rep")


def save_judge(folder, task, *, corpus="/home/somebody/runs/mine/corpus"):
    torch.manual_seed(0)
    model, tokenizer = build(task, "scratch", TEXTS * 9, outlets=("rep", "gio"), vocabulary_size=100)
    model.config.change_it = {
        "task": task,
        "fold": "all",
        "seed": 1,
        "max_tokens": 48,
        "outlets": ["rep", "gio"],
        "corpus": "corpus",
        "encoder": "scratch",
    }
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    classes = tuple(model.config.id2label.values())
    tests = {"main": ("gold",)}.get(task, ("random", "hard"))
    results = {test: scores(np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0]), classes) for test in tests}
    metrics = {
        "task": task,
        "weights_hash": hash_of_weights(folder, command="none"),
        "results": results,
        "baselines": {"tf-idf cosine": results},
        "sizes": {"train": 1234, "validation": 56},
        "training": {"updates": 7},
        "options": {"corpus": corpus, "out": str(folder)},
    }
    (folder / "metrics.json").write_text(json.dumps(metrics), encoding="utf-8")
    return folder


def write_report(run, systems):
    """`scores.json` of a report; every system complies in the share given."""
    numbers = {
        name: {
            direction: {
                **dict.fromkeys(("hh", "ah", "main", "bleu", "rougeL"), 0.5),
                "compliancy": share,
                "intervals": {"compliancy": [share - 0.1, share + 0.1]},
                "signature": f"compliancy|judges:abc|{direction}",
            }
            for direction in (*DIRECTIONS, "average")
        }
        for name, share in systems.items()
    }
    (run / "report").mkdir()
    record = {"outlets": ["rep", "gio"], "systems": numbers}
    (run / "report" / "scores.json").write_text(json.dumps(record), encoding="utf-8")
