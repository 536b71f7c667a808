"""How a judge is trained: what `change-it train judge` calls, also a program as `accelerate launch -m change_it.judges.train` and `torchrun -m change_it.judges.train`.

What is unfinished, and how a finished judge replaces an older one: `training.run_folder`.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numpy as np
import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from change_it.corpus.folder import MODEL_CORPUS, describe_corpus
from change_it.corpus.training_sets import VALIDATION_SHARE
from change_it.errors import InputError
from change_it.io import check_writable
from change_it.judges import baselines, reader_training
from change_it.judges.bilstm_training import build_bilstm
from change_it.judges.data import Examples, TaskData, load_task
from change_it.judges.encoders import build, load_encoder_weights, warm_start
from change_it.judges.fluency_data import load_fluency
from change_it.judges.fluency_training import acceptance_table, prepare
from change_it.judges.judge import Judge
from change_it.judges.judge_options import (
    BILSTM,
    HEADS,
    NGRAMS,
    SCRATCH,
    VOCABULARY,
    JudgeOptions,
    JudgeSettings,
    Task,
    as_in_the_papers,
    no_better_than,
    preset,
)
from change_it.judges.style import StyleJudgeForSequenceClassification
from change_it.judges.style_training import fit_ngrams, mix_branches
from change_it.networks.pretrained import load_weights, pick_device, read_tokenizer
from change_it.published_figures import PUBLISHED_JUDGES
from change_it.stats import Ints
from change_it.tables import Column, Row, Table
from change_it.text.typography import plain
from change_it.training.run_folder import stage_pretrained, train_in_folder
from change_it.training.settings import resolve
from change_it.training.trainer import MIN_UPDATES, TrainingResult, TrainingRun, process_state

PUBLISHED = "published"
TITLES = {"main": "main: which outlet", "hh": "HH: headline and headline", "ah": "AH: headline and article"}

#: Validation examples an evaluation reads, at most; those of main also say how much n-grams and encoder count.
VALIDATION: dict[Task, int] = {"main": 3000, "hh": 1000, "ah": 1000}
#: In the work folder: logits of the n-grams on the validation examples, from the other training examples.
NGRAM_LOGITS = "ngram-logits.npy"
LIBRARIES = ("torch", "transformers", "tokenizers", "accelerate", "datasets", "scikit-learn")


def train_judge(options: JudgeOptions) -> dict[str, Any]:
    """Train, test and save a judge.

    Args:
        options: see `JudgeOptions`.

    Returns:
        What `metrics.json` holds: `results` (test set → class → precision, recall, f1, support; in [0, 1]),
        `baselines` (name → the same and the judge's `lead` over it, see `baselines.lead`), sizes, seconds, the training's history, options, versions, hash of the weights.
        Empty in every process but the main one.

    Raises:
        InputError: no such corpus or encoder, nothing to train on, a run of other options to resume.
    """
    settings = resolve(options, preset(options), JudgeSettings)
    if settings.encoder == BILSTM and settings.task != "main":
        raise InputError(f"--encoder {BILSTM} is for main: give another encoder for {settings.task}")
    if settings.train_on != "main" and settings.task != "main":
        raise InputError(f"--train-on is for main: leave it out for {settings.task}")
    heads = HEADS[settings.task] if settings.encoder != BILSTM else ()
    if options.head not in (None, *heads):
        what = settings.task if settings.encoder != BILSTM else BILSTM
        raise InputError(f"the head {options.head} is not for {what}: {' or '.join(heads) or 'none'} is")
    check_writable(settings.out, kind="run", inputs=settings.inputs)
    if settings.task == "fluency":
        return _train_fluency(settings)
    if settings.task == "facts":
        return _train_reader(settings)
    with process_state().main_process_first():
        data = load_task(
            settings.task,
            settings.corpus,
            fold=settings.fold,
            negatives=settings.negatives,
            validation_share=VALIDATION_SHARE,
            seed=settings.seed,
            train_on=settings.train_on,
        )
    return _train_in_folder(settings, lambda work: _prepare(settings, data, work))


def _train_fluency(settings: JudgeSettings) -> dict[str, Any]:
    """Train, test and save a judge of fluency."""
    with process_state().main_process_first():
        data = load_fluency(
            settings.corpus,
            fold=settings.fold,
            validation_share=VALIDATION_SHARE,
            seed=settings.seed,
        )
    return _train_in_folder(settings, lambda work: prepare(settings, data, work))


def _train_in_folder(settings: JudgeSettings, prepare: Callable[[Path], TrainingRun]) -> dict[str, Any]:
    files = {MODEL_CORPUS: describe_corpus(settings.corpus)}
    return train_in_folder(settings, settings.out, "judge", prepare, libraries=LIBRARIES, files=files)


def _train_reader(settings: JudgeSettings) -> dict[str, Any]:
    """Train, test and save the reader, which judges facts."""
    with process_state().main_process_first():
        data = reader_training.load_reading(
            settings.corpus,
            fold=settings.fold,
            validation_share=VALIDATION_SHARE,
            seed=settings.seed,
        )
    return _train_in_folder(settings, lambda work: reader_training.prepare(settings, data, work))


def _prepare(settings: JudgeSettings, data: TaskData, work: Path) -> TrainingRun:
    """The judge before training, and how it is trained and tested."""
    model, tokenizer = _start(settings, data, work)
    model.config.change_it = settings.about(data.outlets)
    judge = Judge.of(model, tokenizer, precision=settings.arithmetic)
    rows = baselines.some_rows(len(data.validation), seed=settings.seed, at_most=VALIDATION[settings.task])
    validation = data.validation.select(rows)
    ngrams = np.load(work / NGRAM_LOGITS)[rows] if settings.head == NGRAMS else None

    def collate(rows: list[int]) -> dict[str, torch.Tensor]:
        some = data.train.select(rows)
        batch = judge.encode(some.texts, some.pairs, settings.max_tokens)
        return {**batch, "labels": torch.from_numpy(some.labels)}

    def evaluate(model: Any) -> dict[str, float]:
        if ngrams is None:
            given = Judge.of(model, tokenizer).probabilities(
                validation.texts, validation.pairs, progress=False
            )
        else:
            given = mix_branches(
                model, tokenizer, validation.texts, validation.labels, ngrams, settings.max_tokens
            )
        right = given[np.arange(len(validation)), validation.labels]
        return {
            "score": baselines.scores(validation.labels, given.argmax(axis=1), data.outlets)["macro_f1"],
            "validation loss": float(-np.log(np.maximum(right, 1e-12)).mean()),
        }

    def describe(_: TrainingResult) -> dict[str, Any]:
        classes = tuple((model.config.id2label or {}).values())

        every, sizes = data.tested, [len(test) for test in data.tests.values()]

        def predicted(predict: baselines.Predict) -> dict[str, Ints]:
            return dict(zip(data.tests, np.split(predict(every), np.cumsum(sizes)[:-1]), strict=True))

        given = predicted(lambda test: judge.probabilities(test.texts, test.pairs).argmax(axis=1))

        def beside(other: dict[str, Ints]) -> dict[str, Any]:
            return {
                name: baselines.scores(test.labels, other[name], classes)
                | {"lead": baselines.lead(test.labels, given[name], other[name], data.events[name])}
                for name, test in data.tests.items()
            }

        return {
            "task": settings.task,
            "classes": classes,
            "fold": settings.fold,
            "precision": settings.arithmetic,
            "results": {
                name: baselines.scores(test.labels, given[name], classes) for name, test in data.tests.items()
            },
            "baselines": {name: beside(predicted(predict)) for name, predict in _baselines(settings, data)},
            "sizes": {"train": len(data.train), "validation": len(data.validation)}
            | {name: len(test) for name, test in data.tests.items()}
            | {"parameters": sum(parameter.numel() for parameter in model.parameters())},
        }

    # The papers train to the end; they stop early in HH alone.
    evaluates = not as_in_the_papers(asdict(settings)) or settings.early_stopping
    return TrainingRun(
        model=model,
        dataset=range(len(data.train)),
        collate=collate,
        evaluate=evaluate if evaluates else None,
        lengths=_lengths(data.train, settings.max_tokens),
        name=f"{settings.task} judge",
        save=judge.save_pretrained,
        describe=describe,
        min_updates=MIN_UPDATES if settings.encoder in (SCRATCH, BILSTM) else 0,
    )


def table_of(metrics: dict[str, Any]) -> Table:
    """What `train_judge` gives as a table: the judge beside its baselines, as in the papers' Table 1.

    The published row stands beside a judge of the papers' kind alone.
    """
    if metrics["task"] == "fluency":
        return acceptance_table(metrics)
    if metrics["task"] == "facts":
        return reader_training.acceptance_table(metrics)
    classes, sizes, training = metrics["classes"], metrics["sizes"], metrics["training"]
    keys = {"precision": "P", "recall": "R", "f1": "F1"}

    def row(group: str, system: str, result: Mapping[str, Any], mean: float, *, strong: bool = False) -> Row:
        numbers = {f"{name} {short}": result[name][key] for name in classes for key, short in keys.items()}
        about = {"test": group if group != PUBLISHED else "", "system": system}
        return Row({**about, **numbers, "mean F1": mean}, group, strong)

    rows = []
    for test, result in metrics["results"].items():
        rows.append(row(test, "judge", result, result["macro_f1"], strong=True))
        for name, tests in metrics["baselines"].items():
            rows.append(row(test, name, tests[test], tests[test]["macro_f1"]))
    if as_in_the_papers(metrics["options"]):
        published = [
            published_row._asdict()
            for published_row in PUBLISHED_JUDGES
            if published_row.judge == metrics["task"]
        ]
        mean = float(np.mean([published_row["f1"] for published_row in published]))
        rows.append(row(PUBLISHED, PUBLISHED, dict(zip(classes, published, strict=True)), mean))
    best = f"best validation F1 {training['best_score']:.3f}; " if training["best_score"] is not None else ""
    tests = ", ".join(f"{name} {sizes[name]:,}" for name in metrics["results"])
    unbeaten = [
        f"on {test} the judge is no better than {' and '.join(names)}: its lead in mean F1 has a 95% interval that reaches 0"
        for test in metrics["results"]
        if (names := no_better_than(metrics, test))
    ]
    note = (
        f"{sizes['train']:,} training and {sizes['validation']:,} validation examples, test: {tests}; "
        f"{training['updates']:,} updates ({training['epochs']:.1f} epochs) in {metrics['seconds']['training']:.0f} s; "
        f"{best}fold {metrics['fold']}; hash {metrics['model_hash'][:6]}"
    )
    return Table(
        (
            Column("test", "text", "negatives" if metrics["task"] != "main" else "test"),
            Column("system", "text"),
            *(Column(f"{name} {short}") for name in classes for short in keys.values()),
            Column("mean F1"),
        ),
        tuple(rows),
        f"{TITLES[metrics['task']]} · gold A2",
        (note, *unbeaten),
    )


def _lengths(examples: Examples, max_tokens: int) -> list[int]:
    """Rough length of each example: characters, up to what is certainly cut."""
    pairs = examples.pairs or [""] * len(examples)
    return [min(len(a) + len(b), 8 * max_tokens) for a, b in zip(examples.texts, pairs, strict=True)]


def _start(
    settings: JudgeSettings, data: TaskData, work: Path
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """The model before training, made once: a resumed run and every process load the same one."""
    from transformers import AutoModelForSequenceClassification

    import change_it.auto  # noqa: F401 (registers our models)

    def load(folder: Path) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
        model = load_weights(AutoModelForSequenceClassification, folder)
        return model, read_tokenizer(folder)

    def built() -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
        if settings.encoder == BILSTM:
            return build_bilstm(
                data.train.texts,
                data.outlets,
                max_tokens=settings.max_tokens,
            )
        return build(
            settings.task,
            settings.encoder,
            data.texts,
            outlets=data.outlets,
            head=settings.head,
            size=settings.size,
            vocabulary_size=VOCABULARY[settings.size],
            max_tokens=settings.max_tokens,
        )

    folder = stage_pretrained(work / "built", built, seed=settings.seed)
    if settings.encoder == BILSTM:
        return load(folder)

    def warmed() -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
        model, tokenizer = load(folder)
        if isinstance(model, StyleJudgeForSequenceClassification):
            learnt = data.known
            held_out = np.arange(len(data.train), len(learnt))
            # each once more without its outlet's typography, so that main knows words and order by themselves
            logits = fit_ngrams(
                model,
                tokenizer,
                [*learnt.texts, *map(plain, data.train.texts)],
                np.concatenate([learnt.labels, data.train.labels]),
                held_out=held_out,
                max_tokens=settings.max_tokens,
            )
            np.save(work / NGRAM_LOGITS, logits)
            return model, tokenizer
        part = baselines.some_of(data.train, seed=settings.seed, at_most=4000)
        warm_start(model, tokenizer, part.texts, part.pairs, part.labels, max_tokens=settings.max_tokens)
        return model, tokenizer

    return load(stage_pretrained(work / "start", warmed, seed=settings.seed))


def _baselines(settings: JudgeSettings, data: TaskData) -> list[tuple[str, baselines.Predict]]:
    """Baselines that learn from the judge's training and validation examples."""
    learnt = data.known
    if settings.task == "main":
        return [("character n-grams", baselines.character_ngrams(learnt, seed=settings.seed))]
    some = baselines.some_of(learnt, seed=settings.seed)
    predictors = [("tf-idf cosine", baselines.threshold(some, baselines.tfidf_cosine(data.texts)))]
    if settings.encoder != SCRATCH:
        encoder, tokenizer = load_encoder_weights(settings.encoder), read_tokenizer(settings.encoder)
        encoder = encoder.to(pick_device("auto"))
        predictors.append(
            ("frozen encoder cosine", baselines.threshold(some, baselines.frozen_cosine(encoder, tokenizer)))
        )
    return predictors


if __name__ == "__main__":
    sys.exit(resolve_name("change_it.cli:main")(["train", "judge", *sys.argv[1:]]))
