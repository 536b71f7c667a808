"""`change-it train judge`, also `accelerate launch -m change_it.judges.train` and `torchrun -m change_it.judges.train`.

What is unfinished, and how a finished judge replaces an older one: `training.work`.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from sklearn.metrics import precision_recall_fscore_support

from change_it.command import main_of
from change_it.errors import InputError
from change_it.judges import baselines
from change_it.judges.building import build, masked_language_model, warm_start
from change_it.judges.judge import Judge
from change_it.judges.options import SCRATCH, VOCABULARY, JudgeOptions, preset
from change_it.judges.pretraining import pretrain
from change_it.judges.report import show
from change_it.judges.tasks import Examples, TaskData, load_task
from change_it.training.loop import process_state, resolve, train
from change_it.training.models import hash_of_weights, pick_device, quiet
from change_it.training.work import (
    COMPLETE,
    WORK,
    finished,
    leave_nothing,
    open_work,
    publish,
    recorded,
    stage,
    versions,
    write_metrics,
)

console = Console()

#: Validation examples an evaluation reads, at most.
VALIDATION = 1000
#: Epochs rise until there are this many updates (small corpora).
MIN_UPDATES = 300
LIBRARIES = ("torch", "transformers", "tokenizers", "accelerate", "datasets", "scikit-learn")


def run(options: JudgeOptions) -> None:
    """Train a judge and print it beside its baselines.

    Args:
        options: see `JudgeOptions`.

    Raises:
        InputError: as `train_judge`.
    """
    metrics = train_judge(options)
    if process_state().is_main_process:
        show(metrics, console)
        console.print(f"[green]✓[/] judge in [bold]{options.out}[/]", soft_wrap=True)


def train_judge(options: JudgeOptions) -> dict[str, Any]:
    """Train, test and save a judge.

    Args:
        options: see `JudgeOptions`.

    Returns:
        What `metrics.json` holds: `results` (test set → class → precision, recall, f1, support; in [0, 1]),
        `baselines` (name → the same), sizes, seconds, the training's history, options, versions, hash of the weights.
        Empty in every process but the main one.

    Raises:
        InputError: no such corpus or encoder, nothing to train on, a run of other options to resume.
    """
    options = resolve(options, preset(options))
    if options.mlm_steps and options.encoder != SCRATCH:
        raise InputError(
            "--mlm-steps is for --encoder scratch: a pre-trained encoder has learnt its language"
        )
    state = process_state()
    work = options.out / WORK
    if options.resume and not work.exists() and (known := finished(options)):
        return known
    with state.main_process_first():
        data = load_task(
            options.task,
            options.corpus,
            fold=options.fold,
            negatives=options.negatives or "random",
            validation_share=options.validation_share,
            seed=options.seed,
        )
    if state.is_main_process:
        open_work(options, "judge")
    state.wait_for_everyone()
    started = time.monotonic()
    try:
        with quiet():
            model, tokenizer = _start(options, data, work)
    except InputError:
        if not options.resume:  # what was there to resume stays
            leave_nothing(work)
        raise
    max_tokens = options.max_tokens or 0
    model.config.change_it = {
        "task": options.task,
        "fold": options.fold,
        "seed": options.seed,
        "max_tokens": max_tokens,
        "outlets": list(data.outlets),
        "corpus": Path(options.corpus).name,
        "encoder": Path(options.encoder).name,
    }
    validation = baselines.some_of(data.validation, seed=options.seed, at_most=VALIDATION)

    def collate(rows: list[int]) -> dict[str, torch.Tensor]:
        some = data.train.select(rows)
        batch = tokenizer(
            some.texts, some.pairs, truncation=True, max_length=max_tokens, padding=True, return_tensors="pt"
        )
        return {**batch, "labels": torch.from_numpy(some.labels)}

    def evaluate(model: Any) -> dict[str, float]:
        judge = Judge.of(model, tokenizer)
        given = judge.probabilities(validation.texts, validation.pairs, progress=False)
        right = given[np.arange(len(validation)), validation.labels]
        return {
            "score": scores(validation.labels, given.argmax(axis=1), data.outlets)["macro_f1"],
            "validation loss": float(-np.log(np.maximum(right, 1e-12)).mean()),
        }

    result = train(
        model,
        range(len(data.train)),
        collate,
        options,
        out=work / "judge",
        name=f"{options.task} judge",
        evaluate=evaluate,
        lengths=_lengths(data.train, max_tokens),
        min_updates=MIN_UPDATES,
    )
    if not state.is_main_process:
        return {}
    seconds = time.monotonic() - started

    judge = Judge.of(model, tokenizer)
    classes = tuple(model.config.id2label[index] for index in (0, 1))
    results = {
        name: scores(test.labels, judge.probabilities(test.texts, test.pairs).argmax(axis=1), classes)
        for name, test in data.tests.items()
    }
    final = work / "final"
    judge.save_pretrained(final)
    metrics = {
        "task": options.task,
        "classes": classes,
        "fold": options.fold,
        "weights_hash": hash_of_weights(final, command="change-it train judge"),
        "results": results,
        "baselines": {
            name: {kind: scores(test.labels, predict(test), classes) for kind, test in data.tests.items()}
            for name, predict in _baselines(options, data, work)
        },
        "sizes": {"train": len(data.train), "validation": len(data.validation)}
        | {name: len(test) for name, test in data.tests.items()}
        | {"parameters": sum(parameter.numel() for parameter in model.parameters())},
        "seconds": {"training": round(seconds, 1), "all": round(time.monotonic() - started, 1)},
        "training": asdict(result),
        "options": recorded(options),
        "versions": versions(LIBRARIES),
    }
    write_metrics(metrics, final)
    publish(final, options.out, logs=work / "judge" / "logs")
    return metrics


def scores(labels: np.ndarray, predicted: np.ndarray, classes: tuple[str, ...]) -> dict[str, Any]:
    """Precision, recall and F1 of each class (EvalNLGEval 2020, Table 1), and their mean.

    Args:
        labels: (n,) true classes, 0 or 1.
        predicted: (n,) classes.
        classes: names of class 0 and 1.

    Example:
        >>> scores(np.array([0, 1, 1, 1]), np.array([0, 1, 1, 0]), ("rep", "gio"))["gio"]["recall"]
        0.6666666666666666
    """
    columns = precision_recall_fscore_support(labels, predicted, labels=[0, 1], zero_division=0)
    table: dict[str, Any] = {
        name: dict(zip(("precision", "recall", "f1"), map(float, row[:3]), strict=True))
        | {"support": int(row[3])}
        for name, row in zip(classes, zip(*columns, strict=True), strict=True)
    }
    return {**table, "macro_f1": float(np.mean(columns[2])), "accuracy": float((labels == predicted).mean())}


def _lengths(examples: Examples, max_tokens: int) -> list[int]:
    """Rough length of each example: characters, up to what is certainly cut."""
    pairs = examples.pairs or [""] * len(examples)
    return [min(len(a) + len(b), 8 * max_tokens) for a, b in zip(examples.texts, pairs, strict=True)]


def _start(options: JudgeOptions, data: TaskData, work: Path) -> tuple[Any, Any]:
    """The model before training, made once: a resumed run and every process load the same one."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    import change_it.auto  # noqa: F401 (registers our models)

    def load(folder: Path) -> tuple[Any, Any]:
        model = AutoModelForSequenceClassification.from_pretrained(folder, dtype=torch.float32)
        return model, AutoTokenizer.from_pretrained(folder)

    def made(name: str, make: Callable[[], tuple[Any, Any]]) -> Path:
        def save(folder: Path) -> None:
            model, tokenizer = make()
            model.save_pretrained(folder)
            tokenizer.save_pretrained(folder)

        return stage(work / name, save, seed=options.seed)

    def built() -> tuple[Any, Any]:
        return build(
            options.task,
            options.encoder,
            data.texts,
            outlets=data.outlets,
            size=options.size,
            vocabulary_size=VOCABULARY[options.size],
        )

    folder = made("built", built)
    if options.mlm_steps and not (work / "pretrained" / COMPLETE).exists():
        model, tokenizer = load(folder)
        pretrain(
            masked_language_model(model, tokenizer), tokenizer, data.articles, options, work / "masked-words"
        )
        made("pretrained", lambda: (model.cpu(), tokenizer))
    if options.mlm_steps:
        folder = work / "pretrained"

    def warmed() -> tuple[Any, Any]:
        model, tokenizer = load(folder)
        part = baselines.some_of(data.train, seed=options.seed, at_most=4000)
        warm_start(model, tokenizer, part.texts, part.pairs, part.labels, max_tokens=options.max_tokens or 0)
        return model, tokenizer

    return load(made("start", warmed))


def _baselines(options: JudgeOptions, data: TaskData, work: Path) -> list[tuple[str, baselines.Predict]]:
    """Baselines that learn from the judge's training and validation examples."""
    pairs = None if data.train.pairs is None else data.train.pairs + (data.validation.pairs or [])
    labels = np.concatenate([data.train.labels, data.validation.labels])
    known = Examples(data.train.texts + data.validation.texts, pairs, labels)
    if options.task == "main":
        return [("character n-grams", baselines.character_ngrams(known, seed=options.seed))]
    found = [("tf-idf cosine", baselines.threshold(known, baselines.tfidf_cosine(data.texts)))]
    if options.encoder != SCRATCH or options.mlm_steps:
        encoder, tokenizer = _frozen(options, work)
        some = baselines.some_of(known, seed=options.seed)
        found.append(
            ("frozen encoder cosine", baselines.threshold(some, baselines.frozen_cosine(encoder, tokenizer)))
        )
    return found


def _frozen(options: JudgeOptions, work: Path) -> tuple[Any, Any]:
    """The encoder as it was before the judge was trained."""
    from transformers import AutoModel, AutoModelForSequenceClassification, AutoTokenizer

    if options.encoder == SCRATCH:
        folder = work / "start"
        model = AutoModelForSequenceClassification.from_pretrained(folder, dtype=torch.float32).base_model
    else:
        folder = Path(options.encoder)
        model = AutoModel.from_pretrained(options.encoder, dtype=torch.float32)
    return model.to(pick_device("auto")), AutoTokenizer.from_pretrained(str(folder))


if __name__ == "__main__":
    sys.exit(main_of(JudgeOptions, run))
