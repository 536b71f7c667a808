"""Training of a judge: called by `change-it train judge`, also a program as `accelerate launch -m change_it.judges.train` and `torchrun -m change_it.judges.train`."""

import math
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numpy as np
from transformers import (
    AutoModelForSequenceClassification,
    ByT5Tokenizer,
    DataCollatorWithPadding,
    PreTrainedTokenizerBase,
)

from change_it.corpus.folder import MODEL_CORPUS, describe_corpus, read_report, training_article_hashes
from change_it.errors import InputError
from change_it.files.records import to_json
from change_it.judges.bilstm import build_bilstm
from change_it.judges.data import Examples, TaskData, load_task
from change_it.judges.judge import Judge
from change_it.judges.linear_training import Ask, fit_baselines, fit_linear, fit_main
from change_it.judges.metrics import f1_lead, measure_main, scores
from change_it.judges.options import (
    BILSTM,
    LINEAR,
    LONGEST,
    MINUTES_ON_CPU,
    JudgeOptions,
    StyleScale,
    settings_of,
)
from change_it.judges.record import (
    BesideLinear,
    JudgeMetrics,
    JudgeResults,
    TestScores,
    read_judge_metrics,
)
from change_it.judges.registration import register_judges
from change_it.judges.spec import JUDGES, MAIN
from change_it.judges.style_scale import style_scale
from change_it.models.pretrained import load_weights, read_config, read_tokenizer
from change_it.models.saved import load_errors
from change_it.stats import Ints, log_odds
from change_it.training.adapters import put_adapters
from change_it.training.record import MIN_UPDATES
from change_it.training.run import TrainingRun, process_state
from change_it.training.run_folder import tokenized, train_in_folder
from change_it.training.training_options import Arithmetic

register_judges()

#: Dropout before the linear layer of a transformer: the shared task organisers'.
DROPOUT = 0.3


def train_judge(options: JudgeOptions) -> JudgeMetrics | None:
    """Train, test and save a judge.

    Args:
        options: see `JudgeOptions`.

    Returns:
        What `metrics.json` holds; `baselines` are empty for a linear judge. None in every process but the main one.

    Raises:
        InputError: no such corpus or encoder, nothing to train on, a run of other options to resume.
    """
    settings = settings_of(options)
    task, corpus = settings.task, settings.corpus
    with process_state().main_process_first():
        data = load_task(
            task,
            corpus,
            fold=settings.fold,
            seed=settings.seed,
            train_on=settings.train_on,
            as_published=settings.as_published,
        )
    trained_on = describe_corpus(corpus, learnt=training_article_hashes(corpus, settings.fold))
    is_here = train_in_folder(
        settings,
        settings.out,
        "judge",
        partial(_prepare, settings, data),
        files={MODEL_CORPUS: to_json(trained_on)},
        fitted=settings.encoder == LINEAR,
    )
    return read_judge_metrics(settings.out) if is_here else None


def _prepare(settings: JudgeOptions, data: TaskData, arguments: Any) -> TrainingRun:
    """The judge before training, and how it is trained and tested; a linear one is fitted here."""
    task, linear, seed = settings.task, settings.encoder == LINEAR, settings.seed
    spec = JUDGES[task]
    model, tokenizer = _start(settings, data)
    model.config.problem_type = "single_label_classification"  # transformers would write it in training alone
    model.config.change_it = settings.about(data.outlets)
    if settings.lora:
        model = put_adapters(model, settings.encoder, "SEQ_CLS", settings.adapters, whole=_new_modules(model))
    precision: Arithmetic = "bf16" if arguments and arguments.mixed_precision == "bf16" else "float32"
    judge = Judge.of(model, tokenizer, precision=precision)
    order = np.random.default_rng(seed).permutation(len(data.validation))
    validation = data.validation.select(np.sort(order[: spec.validation]))
    # a random split learns from test events too, and tests on other headlines than A2
    has_style = task == MAIN and settings.train_on != "random"
    # The papers train to the end; they stop early in HH alone.
    evaluates = not linear and (not settings.as_published or arguments.early_stopping)

    def encode(rows: range) -> dict[str, Any]:
        part = data.train.select(rows)
        read = judge.encode(part.texts, part.pairs, settings.max_tokens, padded=False)
        return {**read, "labels": part.labels}

    def evaluate(_: Any) -> dict[str, float]:
        answers = judge.probabilities(validation.texts, validation.pairs, progress=False)
        right = answers[np.arange(len(validation)), validation.labels]
        return {
            "score": scores(validation.labels, answers.argmax(axis=1), data.outlets).macro_f1,
            "validation loss": float(-np.log(np.maximum(right, 1e-12)).mean()),
        }

    def save(folder: Path) -> None:
        if settings.lora:
            # PEFT's merged model is a plain one, which opens like any other
            judge.model = judge.model.merge_and_unload()
        about, ask = model.config.change_it, partial(judge.probabilities, progress=False)
        if spec.accepts is not None and not linear:
            # this share of the good validation examples gets more than a half
            good = data.validation.select(np.flatnonzero(data.validation.labels))
            odds = log_odds(ask(good.texts, good.pairs)[:, 1])
            about["shift"] = judge.shift = float(np.quantile(odds, 1 - spec.accepts))
        if has_style:
            # Over events that it has not learnt: of the other fold, of validation, or held out by further fits.
            learnt = data.train if settings.fold == "all" and not linear else data.known
            refit = (lambda examples: fit_main(examples, seed=seed).predict_proba) if linear else None
            scale = style_scale(settings.corpus, data.outlets, ask, learnt, refit=refit, seed=seed)
            about["style"] = scale._asdict()
        for part in (judge.model, tokenizer):
            part.save_pretrained(folder)

    def describe(_: Any) -> JudgeResults:
        baselines = {} if linear else {LINEAR: fit_linear(task, data, seed=seed).predict_proba}
        metrics = _tested(settings, data, judge, baselines)
        if not linear and len(validation):
            metrics = replace(metrics, validation=_beside_linear(settings, data, judge, validation))
        if spec.pairs:
            report = read_report(settings.corpus)
            metrics = replace(metrics, thresholds=report.thresholds if report else None)
        if has_style:
            baselines |= fit_baselines(data.known, seed=seed)
            within_event = measure_main(settings.corpus, {"judge": judge.probabilities, **baselines})
            scale = StyleScale(**model.config.change_it["style"])
            metrics = replace(metrics, within_event=within_event, style=scale)
        return metrics

    is_the_papers = settings.as_published and settings.encoder != BILSTM
    minutes_on_cpu: float | None = math.inf if is_the_papers else MINUTES_ON_CPU
    if settings.encoder == BILSTM:  # it takes milliseconds an update
        minutes_on_cpu = None
    return TrainingRun(
        model=model,
        examples=None if linear else tokenized(encode, len(data.train)),
        collate=DataCollatorWithPadding(tokenizer),
        evaluate=evaluate if evaluates else None,
        save=save,
        describe=describe,
        min_updates=1 if is_the_papers else MIN_UPDATES,
        minutes_on_cpu=minutes_on_cpu,
        evaluated=len(validation) if evaluates else 0,
    )


def _beside_linear(
    settings: JudgeOptions, data: TaskData, judge: Judge, validation: Examples
) -> BesideLinear:
    """Compare a trained judge on validation examples with a linear one that has learnt from the same training examples."""
    spec = JUDGES[settings.task]
    # one that accepts a share of them needs validation examples, as the judge does, and for its threshold alone
    known = data.without_validation() if spec.accepts is None else data
    linear = fit_linear(settings.task, known, seed=settings.seed).predict_proba
    classes = tuple(judge.model.config.id2label.values())
    answers = [
        judge.probabilities(validation.texts, validation.pairs),
        linear(validation.texts, validation.pairs),
    ]
    decided = [answer.argmax(axis=1) for answer in answers]
    of_judge, of_linear = (scores(validation.labels, each, classes).macro_f1 for each in decided)
    lead = f1_lead(validation.labels, decided[0], decided[1], validation.texts)
    return BesideLinear(judge=of_judge, linear=of_linear, lead=lead)


def _tested(
    settings: JudgeOptions, data: TaskData, judge: Judge, baselines: Mapping[str, Ask]
) -> JudgeResults:
    """Test a judge and its baselines on A2."""
    classes = tuple(judge.model.config.id2label.values())
    joined = Examples.joined(list(data.tests.values()))  # the tests share many examples
    ends = np.cumsum([len(test) for test in data.tests.values()])[:-1]

    def decisions(ask: Any) -> dict[str, Ints]:
        decided = np.split(ask(joined.texts, joined.pairs).argmax(axis=1), ends)
        return dict(zip(data.tests, decided, strict=True))

    decided = decisions(judge.probabilities)
    of_baselines: dict[str, dict[str, TestScores]] = {}
    for baseline, ask in baselines.items():
        other = decisions(ask)
        of_baselines[baseline] = {}
        for name, test in data.tests.items():
            lead = f1_lead(test.labels, decided[name], other[name], data.events[name])
            found = scores(test.labels, other[name], classes)
            of_baselines[baseline][name] = replace(found, lead=lead)
    sizes = {"train": len(data.train), "validation": len(data.validation)}
    return JudgeResults(
        task=settings.task,
        classes=classes,
        fold=settings.fold,
        precision=judge.precision,
        results={name: scores(test.labels, decided[name], classes) for name, test in data.tests.items()},
        baselines=of_baselines,
        sizes=sizes | {name: len(test) for name, test in data.tests.items()},
    )


def _start(settings: JudgeOptions, data: TaskData) -> tuple[Any, PreTrainedTokenizerBase]:
    """The model before training, or a fitted linear one; what is random in it depends on torch's random state."""
    classes = JUDGES[settings.task].classes_of(data.outlets)
    names = dict(enumerate(classes))
    labels: dict[str, Any] = {"id2label": names, "label2id": {name: number for number, name in names.items()}}
    if settings.encoder == LINEAR:
        judge = fit_linear(settings.task, data, seed=settings.seed)
        judge.config.update(labels)
        return judge, ByT5Tokenizer(model_max_length=LONGEST)
    if settings.encoder == BILSTM:
        if settings.vectors:
            from change_it.hevas.spaces import load_vectors  # loads scipy's and scikit-learn's decompositions

            labels |= {"vectors": load_vectors(settings.vectors), "articles": data.articles}
        return build_bilstm(data.train.texts, max_tokens=settings.max_tokens, **labels)
    return _transformer(settings, labels)


def _transformer(settings: JudgeOptions, labels: dict[str, Any]) -> tuple[Any, PreTrainedTokenizerBase]:
    """A pre-trained encoder with a linear layer above it (EvalNLGEval 2020, section 4), and its tokenizer."""
    name = settings.encoder
    with load_errors(
        f"no encoder can be loaded from {name!r}: give a Hub id, a local folder, or --encoder {LINEAR}"
    ):
        config: Any = read_config(name)
        tokenizer = read_tokenizer(name)
        longest = min(tokenizer.model_max_length, getattr(config, "max_position_embeddings", None) or LONGEST)
        if settings.max_tokens > longest:
            raise InputError(f"{name} reads at most {longest} tokens: give --max-tokens {longest}")
        tokenizer.truncation_side = tokenizer.padding_side = "right"
        if settings.as_published:  # the organisers' notebook gives their judges no token types
            inputs = [part for part in tokenizer.model_input_names if part != "token_type_ids"]
            tokenizer.model_input_names = tokenizer.init_kwargs["model_input_names"] = inputs
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token
        for key in ("classifier_dropout", "seq_classif_dropout"):
            setattr(config, key, DROPOUT)
        config.update({**labels, "pad_token_id": tokenizer.pad_token_id})
        model = load_weights(AutoModelForSequenceClassification, name, use="encoder", config=config)
    return model, tokenizer


def _new_modules(model: Any) -> list[str]:
    """Return the modules of a classifier that may have random weights: its head, and the pooler of its encoder."""
    head = [
        name
        for name, module in model.named_children()
        if name != model.base_model_prefix and any(True for _ in module.parameters())
    ]
    has_pooler = getattr(model.base_model, "pooler", None) is not None
    return [*head, "pooler"] if has_pooler else head


if __name__ == "__main__":
    sys.exit(resolve_name("change_it.cli:main")(["train", "judge", *sys.argv[1:]]))
