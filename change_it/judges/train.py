"""Train a judge: called by `change-it train judge`.

It is also a program: `accelerate launch -m change_it.judges.train` and `torchrun -m change_it.judges.train`.
"""

import math
import sys
from collections.abc import Callable, Mapping
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
from change_it.judges.linear_training import PredictProba, fit_baselines, fit_linear, fit_main
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
from change_it.stats import Floats, Ints, log_odds
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
        options: See `JudgeOptions`.

    Returns:
        What `metrics.json` holds; `baselines` are empty for a linear judge. None in every process but the
        main one.

    Raises:
        InputError: no such corpus or encoder, nothing to train on, a run of other options to resume.
    """
    settings = settings_of(options)
    with process_state().main_process_first():
        data = load_task(
            settings.task,
            settings.corpus,
            fold=settings.fold,
            seed=settings.seed,
            train_on=settings.train_on,
            as_published=settings.as_published,
        )
    learnt = training_article_hashes(settings.corpus, settings.fold)
    trained_on = describe_corpus(settings.corpus, learnt=learnt)
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
    """Make the judge before training, and say how it is trained and tested; a linear one is fitted here.

    Args:
        settings: Options of `settings_of`.
        data: Examples to learn from and to be tested on.
        arguments: `RunArguments`, or None for a judge that is fitted.
    """
    model, tokenizer = _start(settings, data)
    model.config.problem_type = "single_label_classification"  # transformers would write it in training alone
    model.config.change_it = settings.configuration(data.outlets)
    if settings.lora:
        model = put_adapters(model, settings.encoder, "SEQ_CLS", settings.adapters, whole=_new_modules(model))
    precision: Arithmetic = "float32"
    if arguments and arguments.mixed_precision == "bf16":
        precision = "bf16"
    judge = Judge.from_model(model, tokenizer, precision=precision)
    training = _JudgeTraining(settings, data, judge, tokenizer)
    # The papers train to the end; they stop early in HH alone.
    evaluates = not training.is_linear and (not settings.as_published or arguments.early_stopping)
    is_the_papers = settings.as_published and settings.encoder != BILSTM
    minutes_on_cpu: float | None = MINUTES_ON_CPU
    if is_the_papers:
        minutes_on_cpu = math.inf
    elif settings.encoder == BILSTM:
        # an update takes milliseconds, so no time is measured and none is set
        minutes_on_cpu = None
    return TrainingRun(
        model=model,
        examples=None if training.is_linear else tokenized(training.encode, len(data.train)),
        collate=DataCollatorWithPadding(tokenizer),
        evaluate=training.evaluate if evaluates else None,
        save=training.save,
        describe=training.describe,
        min_updates=1 if is_the_papers else MIN_UPDATES,
        minutes_on_cpu=minutes_on_cpu,
        evaluated=len(training.validation) if evaluates else 0,
    )


class _JudgeTraining:
    """What a training does with a judge: it reads examples, evaluates, saves and tests it.

    Attributes:
        settings: The options.
        data: Examples to learn from and to be tested on.
        judge: The judge that is trained.
        tokenizer: What is saved beside it.
        validation: The examples that an evaluation reads.
    """

    def __init__(
        self, settings: JudgeOptions, data: TaskData, judge: Judge, tokenizer: PreTrainedTokenizerBase
    ):
        self.settings = settings
        self.data = data
        self.judge = judge
        self.tokenizer = tokenizer
        order = np.random.default_rng(settings.seed).permutation(len(data.validation))
        drawn = order[: JUDGES[settings.task].validation]
        self.validation = data.validation.select(np.sort(drawn))

    @property
    def is_linear(self) -> bool:
        """Return whether the judge was fitted before."""
        return self.settings.encoder == LINEAR

    @property
    def has_style(self) -> bool:
        """Return whether a scale of style is measured.

        A random split learns from test events too, and tests on other headlines than A2.
        """
        return self.settings.task == MAIN and self.settings.train_on != "random"

    def encode(self, rows: range) -> dict[str, Any]:
        """Return the token ids and labels of training examples."""
        examples = self.data.train.select(rows)
        columns = self.judge.encode(examples.texts, examples.pairs, self.settings.max_tokens, padded=False)
        return {**columns, "labels": examples.labels}

    def evaluate(self, model: Any) -> dict[str, float]:
        """Return mean F1 and loss on the validation examples."""
        labels = self.validation.labels
        answers = self.judge.probabilities(self.validation.texts, self.validation.pairs, progress=False)
        of_right_class = answers[np.arange(len(labels)), labels]
        loss = -np.log(np.maximum(of_right_class, 1e-12)).mean()
        return {
            "score": scores(labels, answers.argmax(axis=1), self.data.outlets).macro_f1,
            "validation loss": float(loss),
        }

    def save(self, folder: Path) -> None:
        """Measure the threshold of the judge and its scale of style, and save all in a folder."""
        if self.settings.lora:
            # PEFT's merged model is a plain one, which opens like any other
            self.judge.model = self.judge.model.merge_and_unload()
        configuration = self.judge.model.config.change_it
        accepts = JUDGES[self.settings.task].accepts
        if accepts is not None and not self.is_linear:
            self.judge.shift = self._threshold(accepts)
            configuration["shift"] = self.judge.shift
        if self.has_style:
            configuration["style"] = self._measure_style()._asdict()
        self.judge.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)

    def _threshold(self, share: float) -> float:
        """Return the log odds of class 1 above which this share of the good validation examples lies."""
        validation = self.data.validation
        good = validation.select(np.flatnonzero(validation.labels))
        answers = self.judge.probabilities(good.texts, good.pairs, progress=False)
        return float(np.quantile(log_odds(answers[:, 1]), 1 - share))

    def _measure_style(self) -> StyleScale:
        """Measure the scale of style over events that main has not learnt.

        A judge of one fold has not learnt those of the other fold. Of a judge of all folds, a network has not
        learnt those of validation; a linear judge is fitted again without some of them.
        """
        learnt = self.data.train_and_validation
        if self.settings.fold == "all" and not self.is_linear:
            learnt = self.data.train
        return style_scale(
            self.settings.corpus,
            self.data.outlets,
            partial(self.judge.probabilities, progress=False),
            learnt,
            refit=self._refit if self.is_linear else None,
            seed=self.settings.seed,
        )

    def _refit(self, examples: Examples) -> PredictProba:
        """Fit a main like this one on other examples."""
        return fit_main(examples, seed=self.settings.seed).predict_proba

    def describe(self, result: Any) -> JudgeResults:
        """Test the judge and its baselines."""
        settings = self.settings
        baselines: dict[str, PredictProba] = {}
        if not self.is_linear:
            linear = fit_linear(settings.task, self.data, seed=settings.seed)
            baselines[LINEAR] = linear.predict_proba
        results = _tested(settings, self.data, self.judge, baselines)
        if not self.is_linear and len(self.validation):
            beside = _beside_linear(settings, self.data, self.judge, self.validation)
            results = replace(results, validation=beside)
        if JUDGES[settings.task].pairs:
            report = read_report(settings.corpus)
            results = replace(results, thresholds=report.thresholds if report else None)
        if self.has_style:
            baselines.update(fit_baselines(self.data.train_and_validation, seed=settings.seed))
            systems = {"judge": self.judge.probabilities, **baselines}
            within_event = measure_main(settings.corpus, systems)
            scale = StyleScale(**self.judge.model.config.change_it["style"])
            results = replace(results, within_event=within_event, style=scale)
        return results


def _beside_linear(
    settings: JudgeOptions, data: TaskData, judge: Judge, validation: Examples
) -> BesideLinear:
    """Compare a trained judge with a linear one of the same training examples, on validation examples."""
    spec = JUDGES[settings.task]
    known = data
    # A linear judge learns from validation examples, too, unless it only sets its threshold by them.
    if spec.accepts is None:
        known = data.without_validation()
    linear = fit_linear(settings.task, known, seed=settings.seed)
    classes = tuple(judge.model.config.id2label.values())
    by_judge = judge.probabilities(validation.texts, validation.pairs).argmax(axis=1)
    by_linear = linear.predict_proba(validation.texts, validation.pairs).argmax(axis=1)
    return BesideLinear(
        judge=scores(validation.labels, by_judge, classes).macro_f1,
        linear=scores(validation.labels, by_linear, classes).macro_f1,
        lead=f1_lead(validation.labels, by_judge, by_linear, validation.texts),
    )


def _tested(
    settings: JudgeOptions, data: TaskData, judge: Judge, baselines: Mapping[str, PredictProba]
) -> JudgeResults:
    """Test a judge and its baselines on A2."""
    classes = tuple(judge.model.config.id2label.values())
    by_judge = _decisions(judge.probabilities, data.tests)
    results = {}
    for name, test in data.tests.items():
        results[name] = scores(test.labels, by_judge[name], classes)
    of_baselines: dict[str, dict[str, TestScores]] = {}
    for baseline, ask in baselines.items():
        by_baseline = _decisions(ask, data.tests)
        of_baselines[baseline] = {}
        for name, test in data.tests.items():
            lead = f1_lead(test.labels, by_judge[name], by_baseline[name], data.events[name])
            found = scores(test.labels, by_baseline[name], classes)
            of_baselines[baseline][name] = replace(found, lead=lead)
    sizes = {"train": len(data.train), "validation": len(data.validation)}
    for name, test in data.tests.items():
        sizes[name] = len(test)
    return JudgeResults(
        task=settings.task,
        classes=classes,
        fold=settings.fold,
        precision=judge.precision,
        results=results,
        baselines=of_baselines,
        sizes=sizes,
    )


def _decisions(ask: Callable[..., Floats], tests: Mapping[str, Examples]) -> dict[str, Ints]:
    """Return each test to the classes, (examples,), that a judge decides for.

    All tests are asked at once, since they share many examples, of which each is read only once.
    """
    every = Examples.joined(list(tests.values()))
    decided = ask(every.texts, every.pairs).argmax(axis=1)
    ends = np.cumsum([len(test) for test in tests.values()])
    return dict(zip(tests, np.split(decided, ends[:-1]), strict=True))


def _start(settings: JudgeOptions, data: TaskData) -> tuple[Any, PreTrainedTokenizerBase]:
    """Return the model before training, or a fitted linear one, and its tokenizer.

    What is random in it depends on torch's random state.
    """
    classes = JUDGES[settings.task].classes_of(data.outlets)
    labels: dict[str, Any] = {
        "id2label": dict(enumerate(classes)),
        "label2id": {name: number for number, name in enumerate(classes)},
    }
    if settings.encoder == LINEAR:
        judge = fit_linear(settings.task, data, seed=settings.seed)
        judge.config.update(labels)
        return judge, ByT5Tokenizer(model_max_length=LONGEST)
    if settings.encoder != BILSTM:
        return _transformer(settings, labels)
    if not settings.vectors:
        return build_bilstm(data.train.texts, max_tokens=settings.max_tokens, **labels)
    from change_it.hevas.spaces import load_vectors  # loads scipy's and scikit-learn's decompositions

    return build_bilstm(
        data.train.texts,
        max_tokens=settings.max_tokens,
        vectors=load_vectors(settings.vectors),
        articles=data.articles,
        **labels,
    )


def _transformer(settings: JudgeOptions, labels: dict[str, Any]) -> tuple[Any, PreTrainedTokenizerBase]:
    """Load a pre-trained encoder with a new linear layer (EvalNLGEval 2020, section 4), and its tokenizer."""
    name = settings.encoder
    fault = f"no encoder can be loaded from {name!r}: give a Hub id, a local folder, or --encoder {LINEAR}"
    with load_errors(fault):
        config: Any = read_config(name)
        tokenizer = read_tokenizer(name)
        positions = getattr(config, "max_position_embeddings", None) or LONGEST
        longest = min(tokenizer.model_max_length, positions)
        if settings.max_tokens > longest:
            raise InputError(f"{name} reads at most {longest} tokens: give --max-tokens {longest}")
        tokenizer.truncation_side = "right"
        tokenizer.padding_side = "right"
        if settings.as_published:  # the organisers' notebook gives their judges no token types
            inputs = [part for part in tokenizer.model_input_names if part != "token_type_ids"]
            tokenizer.model_input_names = inputs
            tokenizer.init_kwargs["model_input_names"] = inputs
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token
        for key in ("classifier_dropout", "seq_classif_dropout"):
            setattr(config, key, DROPOUT)
        config.update({**labels, "pad_token_id": tokenizer.pad_token_id})
        model = load_weights(AutoModelForSequenceClassification, name, use="encoder", config=config)
    return model, tokenizer


def _new_modules(model: Any) -> list[str]:
    """Return the modules of a classifier that may have random weights: its head, and its encoder's pooler."""
    names = []
    for name, module in model.named_children():
        has_weights = any(True for _ in module.parameters())
        if has_weights and name != model.base_model_prefix:
            names.append(name)
    if getattr(model.base_model, "pooler", None) is not None:
        names.append("pooler")
    return names


if __name__ == "__main__":
    sys.exit(resolve_name("change_it.cli:main")(["train", "judge", *sys.argv[1:]]))
