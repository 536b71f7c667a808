"""Train a generator.

`change-it train generator` calls it; it is a program, too: `accelerate launch -m change_it.generators.train`
or `torchrun -m change_it.generators.train`. `training.run_folder` says what is unfinished, and how a finished
generator replaces an older one.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from functools import cached_property, partial
from inspect import signature
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numpy as np
import polars as pl
import torch
from accelerate.utils import extract_model_from_parallel
from torch import Tensor, nn
from transformers import PreTrainedTokenizerBase

from change_it.corpus.folder import MODEL_CORPUS, describe_corpus
from change_it.errors import InputError
from change_it.files.atomic import read_json
from change_it.files.model_folders import GENERATOR_FILE
from change_it.files.records import to_json
from change_it.generators.chat_template import has_chat_template, in_chat_template
from change_it.generators.data import RecipeData, load_recipe
from change_it.generators.folder import Dtype, GeneratorInfo, corpus_language, prompt_of
from change_it.generators.generator import (
    add_adapters,
    load_model,
    load_tokenizer,
    make_format,
    new_network,
    save_generator,
)
from change_it.generators.networks.formats import Format
from change_it.generators.networks.tokenizer import IGNORED
from change_it.generators.options import NETWORKS, GeneratorOptions, architecture_of
from change_it.generators.recipes import RECIPES
from change_it.generators.record import (
    GeneratorMetrics,
    GeneratorResults,
    GeneratorSizes,
    read_generator_metrics,
)
from change_it.training.lora import check_adapters
from change_it.training.record import TrainingResult
from change_it.training.run import TokenIds, TrainingRun, process_state
from change_it.training.run_folder import tokenized, train_in_folder

#: Validation examples that an evaluation reads, at most.
EVALUATED = 1000
#: The same of a pre-trained model that has --max-minutes.
EVALUATED_IN_TIME = 100
#: Tokens of a source and of a headline, at least.
LEAST_TOKENS = 2


def train_generator(options: GeneratorOptions) -> GeneratorMetrics | None:
    """Train and save a generator.

    Args:
        options: see `GeneratorOptions`.

    Returns:
        The content of `metrics.json`; None in every process but the main one.

    Raises:
        InputError: there is no such corpus, outlet or model, or nothing to train on; options do not fit the
            architecture, or those of the run that is resumed.
    """
    _check(options)
    preset = options.values
    settings = replace(
        options,
        architecture=architecture_of(options),
        source_tokens=options.source_tokens or preset.source_tokens,
        target_tokens=options.target_tokens or preset.target_tokens,
        vocabulary=options.vocabulary or preset.vocabulary,
        cells=options.cells or preset.cells,
    )
    with process_state().main_process_first():
        data = load_recipe(
            settings.corpus,
            settings.recipe,
            settings.to,
            seed=settings.seed,
            balanced=settings.kind != "words",
        )
    is_here = train_in_folder(
        settings,
        settings.out,
        "generator",
        partial(_prepare, settings, data),
        files={MODEL_CORPUS: to_json(describe_corpus(settings.corpus))},
    )
    return read_generator_metrics(settings.out) if is_here else None


def headline_loss(model: Any, batch: Mapping[str, Any]) -> Tensor:
    """Return the loss of a model on a batch, with logits for the positions of the headlines alone.

    With a vocabulary of 262,144 the logits of a prompt would take most of a training step's time and memory.
    They are left out for a causal model or an encoder-decoder that knows `logits_to_keep`.

    Args:
        model: a generator's model, perhaps with adapters around it.
        batch: arguments of the model. `labels` (rows, tokens) are -100 where nothing is learnt, as
            transformers has them.
    """
    inner = extract_model_from_parallel(model)
    if hasattr(inner, "get_base_model"):
        # The model is inside adapters.
        inner = inner.get_base_model()
    known = signature(type(inner).forward).parameters
    arguments = dict(batch)
    if "logits_to_keep" in known:
        labels = batch["labels"]
        # the first position at which any row learns
        first = int((labels != IGNORED).any(0).nonzero()[0])
        # A token is predicted from the one before.
        kept = labels.shape[1] - first + 1
        arguments["labels"] = labels[:, -kept:]
        arguments["logits_to_keep"] = kept
        if "position_ids" in known:
            # Padding is on the left.
            arguments["position_ids"] = (batch["attention_mask"].cumsum(1) - 1).clamp(min=0)
    loss: Tensor = model(use_cache=False, **arguments).loss
    return loss


@torch.no_grad()
def loss_per_token(model: nn.Module, batches: Iterable[Mapping[str, Tensor]]) -> float:
    """Return the mean loss of a model over the tokens that it learns, in nats.

    It is the mean over rows for a model whose loss is a mean over headlines.

    Args:
        model: a generator's model.
        batches: arguments of the model. `labels` (rows, tokens) are -100 where nothing is learnt.
    """
    counts_rows = getattr(getattr(model, "config", None), "loss_by_sequence", False)
    device = next(model.parameters()).device
    total = torch.zeros((), dtype=torch.float64, device=device)
    counted = 0
    for batch in batches:
        learnt = batch["labels"] != IGNORED
        if counts_rows:
            learnt = learnt.any(1)
        count = int(learnt.sum())
        on_device = {name: tensor.to(device) for name, tensor in batch.items()}
        total += count * headline_loss(model, on_device).double()
        counted += count
    return float(total) / counted


def unknown_signs(tokenizer: PreTrainedTokenizerBase, headlines: Iterable[str]) -> dict[str, int]:
    """Return each sign that a tokenizer has no token for to the number of headlines that have it.

    The most frequent sign stands first.
    """
    counts: Counter[str] = Counter()
    for headline in headlines:
        signs = [sign for sign in sorted(set(headline)) if not sign.isspace()]
        counts.update(signs)
    unknown: Counter[str] = Counter()
    for sign, count in counts.items():
        if tokenizer.unk_token_id in tokenizer(sign, add_special_tokens=False)["input_ids"]:
            unknown[sign] = count
    return dict(unknown.most_common())


def _prepare(settings: GeneratorOptions, data: RecipeData, arguments: Any) -> TrainingRun:
    """Make the generator before training, and say how it is trained and described.

    Args:
        settings: the options with all lengths and sizes.
        data: what it learns from.
        arguments: the run's `RunArguments`.
    """
    training = _GeneratorTraining(settings, data, bf16=arguments.mixed_precision == "bf16")
    return TrainingRun(
        model=training.model,
        examples=_token_ids(training.format, data.train),
        collate=training.format.pad,
        evaluate=training.evaluate,
        save=training.save,
        describe=training.describe,
        loss=headline_loss,
    )


class _GeneratorTraining:
    """A generator in training: it is evaluated, saved and described.

    Attributes:
        settings: the options with all lengths and sizes.
        data: what it learns from.
        bf16: whether its matrix products are in bfloat16.
        model: the model that is trained.
        tokenizer: its tokenizer.
        info: what is saved beside it.
        format: how it reads and writes.
        validation: the validation examples that an evaluation reads.
    """

    def __init__(self, settings: GeneratorOptions, data: RecipeData, *, bf16: bool):
        self.settings = settings
        self.data = data
        self.bf16 = bf16
        self.model, self.tokenizer = _start(settings, data, bf16=bf16)
        self.info = _info(settings, data, self.tokenizer, bf16=bf16)
        self.format = make_format(self.info, self.tokenizer, self.model.config)
        _check_positions(self.info, self.format, self.model.config)
        self.validation = self._draw_validation()

    def _draw_validation(self) -> pl.DataFrame:
        """Draw the validation examples that an evaluation reads, by the seed."""
        most = EVALUATED
        if self.settings.kind != "words" and self.settings.max_minutes:
            most = EVALUATED_IN_TIME
        rows = np.random.default_rng(self.settings.seed).permutation(len(self.data.validation))
        return self.data.validation[rows[:most]]

    @cached_property
    def _validation_batches(self) -> list[dict[str, Tensor]]:
        """Return the validation examples in batches, which are made once, at the first evaluation."""
        size = self.settings.batch_size or self.settings.preset["per_device_train_batch_size"]
        return batches_of(self.format, self.validation, batch_size=size)

    def evaluate(self, model: Any) -> dict[str, float]:
        """Return the validation loss of a model, and the score that is the higher the better it is."""
        loss = loss_per_token(model, self._validation_batches)
        return {"score": -loss, "validation loss": loss}

    def save(self, folder: Path) -> None:
        """Save the generator."""
        save_generator(folder, self.model, self.tokenizer, self.info)

    def describe(self, result: TrainingResult) -> GeneratorResults:
        """Return what was measured on the generator."""
        parameters = list(self.model.parameters())
        trained = [parameter for parameter in parameters if parameter.requires_grad]
        sizes = GeneratorSizes(
            train=len(self.data.train),
            validation=len(self.data.validation),
            evaluated=len(self.validation),
            vocabulary=len(self.tokenizer),
            parameters=sum(parameter.numel() for parameter in parameters),
            trained=sum(parameter.numel() for parameter in trained),
        )
        unknown: dict[str, int] = {}
        if self.settings.kind != "words":
            unknown = unknown_signs(self.tokenizer, self.data.train["target"])
        return GeneratorResults(
            card=asdict(self.info),
            validation_loss=-(result.best_score or 0.0),
            sizes=sizes,
            precision="bf16" if self.bf16 else "float32",
            unknown_signs=unknown,
        )


def batches_of(format_: Format, examples: pl.DataFrame, *, batch_size: int) -> list[dict[str, Tensor]]:
    """Return examples in batches as the model reads them, those of like length together."""
    rows = sorted(_token_ids(format_, examples), key=lambda row: len(row["input_ids"]))
    return [format_.pad(rows[start : start + batch_size]) for start in range(0, len(rows), batch_size)]


def _token_ids(format_: Format, examples: pl.DataFrame) -> TokenIds:
    """Return the token ids of examples, in their order."""

    def encode(rows: range) -> dict[str, list[Any]]:
        part = examples[rows.start : rows.stop]
        return format_.encode(part["source"].to_list(), part["target"].to_list())

    return tokenized(encode, len(examples))


def _check(options: GeneratorOptions) -> None:
    """Refuse options that do not fit the architecture."""
    if "label_smoothing_factor" in options.given:
        raise InputError(
            "--arg label_smoothing_factor requires a judge: the losses of generators have no such term"
        )
    check_adapters(options)
    if options.lora and options.kind == "words":
        raise InputError(f"--lora requires a pre-trained --architecture, not {architecture_of(options)}")
    if options.no_chat_template and options.kind != "causal":
        raise InputError(
            f"--no-chat-template requires a causal language model, not {architecture_of(options)}"
        )
    architecture = architecture_of(options)
    if architecture not in NETWORKS:
        for option, size in {"--vocabulary": options.vocabulary, "--cells": options.cells}.items():
            if size:
                known = ", ".join(NETWORKS)
                raise InputError(f"{option} requires a new network ({known}), not {architecture}")
    lengths = {"--source-tokens": options.source_tokens, "--target-tokens": options.target_tokens}
    for option, tokens in lengths.items():
        if tokens and tokens < LEAST_TOKENS:
            raise InputError(f"{option} {tokens} is too few: give at least {LEAST_TOKENS}")


def _info(
    settings: GeneratorOptions, data: RecipeData, tokenizer: PreTrainedTokenizerBase, *, bf16: bool
) -> GeneratorInfo:
    """Return the info that is saved beside a generator."""
    reads = RECIPES[settings.recipe].reads
    language = corpus_language(settings.corpus)
    name = str(settings.architecture)
    folder = Path(name)
    no_repeat_ngram_size = settings.values.no_repeat_ngram_size
    if settings.kind == "words":
        # A saved network that is trained on keeps its own.
        saved = read_json(folder / GENERATOR_FILE) or {}
        no_repeat_ngram_size = saved.get("no_repeat_ngram_size", no_repeat_ngram_size)
    prompt = None
    chat_end = None
    if settings.kind == "causal":
        prompt = prompt_of(language, reads, settings.to)
        if has_chat_template(tokenizer) and not settings.no_chat_template:
            before, after, chat_end = in_chat_template(tokenizer, prompt, name=name)
            prompt = (before, after)
    base = None
    base_dtype: Dtype = "float32"
    if settings.lora:
        base = str(folder.resolve()) if folder.is_dir() else name
        if bf16:
            base_dtype = "bfloat16"
    return GeneratorInfo(
        recipe=settings.recipe,
        reads=reads,
        to=settings.to,
        outlets=data.outlets,
        kind=settings.kind,
        architecture=folder.name,
        base=base,
        language=language,
        source_tokens=settings.source_tokens,
        target_tokens=settings.target_tokens,
        no_repeat_ngram_size=no_repeat_ngram_size,
        seed=settings.seed,
        corpus=Path(settings.corpus).name,
        base_dtype=base_dtype,
        prompt=prompt,
        chat_end=chat_end,
    )


def _check_positions(info: GeneratorInfo, format_: Format, config: Any) -> None:
    """Refuse sources that are longer than what the model has positions for.

    A causal model has positions for prompt and headline, too.
    """
    positions = getattr(config, "max_position_embeddings", None)
    if info.kind == "words" or not isinstance(positions, int):
        return
    others = 0
    if info.kind == "causal":
        others = info.target_tokens + format_.overhead
    if positions < info.source_tokens + others:
        raise InputError(
            f"{info.architecture} has positions for {max(positions - others, 0)} tokens of the source "
            f"beside {info.target_tokens} of the headline and {format_.overhead} of the prompt: "
            "give a smaller --source-tokens or --target-tokens"
        )


def _start(settings: GeneratorOptions, data: RecipeData, *, bf16: bool) -> tuple[Any, Any]:
    """Return the model before training and its tokenizer; what is random depends on torch's random state."""
    architecture = str(settings.architecture)
    if architecture in NETWORKS:
        sources = data.train["source"].to_list()
        if RECIPES[settings.recipe].reads == "both":
            # The vocabulary is learnt from headlines and outlets: other words of a source can only be copied.
            sources = [source.partition("| ")[0] + "| " for source in sources]
        return new_network(
            architecture,
            [*sources, *data.train["target"]],
            vocabulary=settings.vocabulary,
            cells=settings.cells,
            as_published=settings.as_published,
        )
    tokenizer = load_tokenizer(architecture)
    dtype = torch.bfloat16 if settings.lora and bf16 else torch.float32
    model = load_model(architecture, settings.kind, tokenizer, use="base", dtype=dtype)
    if settings.lora:
        model = add_adapters(model, architecture, settings.kind, settings.adapters)
    return model, tokenizer


if __name__ == "__main__":
    sys.exit(resolve_name("change_it.cli:main")(["train", "generator", *sys.argv[1:]]))
