"""Training of a generator: called by `change-it train generator`, also a program as `accelerate launch -m change_it.generators.train` and `torchrun -m change_it.generators.train`.

What is unfinished, and how a finished generator replaces an older one: `training.run_folder`.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from functools import cache, partial
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
from change_it.generators.folder import GeneratorInfo, corpus_language, prompt_of
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

#: Validation examples an evaluation reads, at most; and of a pre-trained model that has --max-minutes.
VALIDATION, FEW = 1000, 100
#: Tokens of a source and of a headline, at least.
SHORTEST = 2


def train_generator(options: GeneratorOptions) -> GeneratorMetrics | None:
    """Train and save a generator.

    Args:
        options: see `GeneratorOptions`.

    Returns:
        The content of `metrics.json`; None in every process but the main one.

    Raises:
        InputError: no such corpus, outlet or model, nothing to train on, options that do not fit the architecture, a
            run of other options to resume.
    """
    _check(options)
    usual = options.values
    settings = replace(
        options,
        architecture=architecture_of(options),
        source_tokens=options.source_tokens or usual.source_tokens,
        target_tokens=options.target_tokens or usual.target_tokens,
        vocabulary=options.vocabulary or usual.vocabulary,
        cells=options.cells or usual.cells,
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
    """The loss of a model, of a causal one or an encoder-decoder with logits for the positions of the headlines alone where it knows `logits_to_keep`.

    With a vocabulary of 262,144 those of a prompt would take most of a training step's time and memory. `labels`, (rows, tokens),
    are -100 where nothing is learnt, as transformers has them. Adapters may be around the model.
    """
    inner = extract_model_from_parallel(model)
    inner = inner.get_base_model() if hasattr(inner, "get_base_model") else inner  # in adapters
    known, batch = signature(type(inner).forward).parameters, dict(batch)
    if "logits_to_keep" in known:
        first = int((batch["labels"] != IGNORED).any(0).nonzero()[0])
        keep = batch["labels"].shape[1] - first + 1  # a token is predicted from the one before
        batch |= {"labels": batch["labels"][:, -keep:], "logits_to_keep": keep}
        if "position_ids" in known:  # padding is on the left
            batch["position_ids"] = (batch["attention_mask"].cumsum(1) - 1).clamp(min=0)
    loss: Tensor = model(use_cache=False, **batch).loss
    return loss


@torch.no_grad()
def loss_per_token(model: nn.Module, batches: Iterable[Mapping[str, Tensor]]) -> float:
    """Mean loss of a model over the tokens of batches whose label counts; over their rows where it trains on that."""
    by_row = getattr(getattr(model, "config", None), "loss_by_sequence", False)
    device = next(model.parameters()).device
    total, tokens = torch.zeros((), dtype=torch.float64, device=device), 0
    for batch in batches:
        learnt = batch["labels"] != IGNORED
        count = int((learnt.any(1) if by_row else learnt).sum())
        on_device = {name: tensor.to(device) for name, tensor in batch.items()}
        total += count * headline_loss(model, on_device).double()
        tokens += count
    return float(total) / tokens


def unknown_signs(tokenizer: PreTrainedTokenizerBase, headlines: Iterable[str]) -> dict[str, int]:
    """The signs of headlines that a tokenizer has no token for, and in how many headlines they are, most first."""
    unknown = tokenizer.unk_token_id
    counts = Counter(sign for headline in headlines for sign in sorted(set(headline)) if not sign.isspace())
    lacking = (sign for sign in counts if unknown in tokenizer(sign, add_special_tokens=False)["input_ids"])
    return dict(Counter({sign: counts[sign] for sign in lacking}).most_common())


def _prepare(settings: GeneratorOptions, data: RecipeData, arguments: Any) -> TrainingRun:
    """The generator before training, and how it is trained and described."""
    bf16 = arguments.mixed_precision == "bf16"
    model, tokenizer = _start(settings, data, bf16=bf16)
    info = _info(settings, data, tokenizer, bf16=bf16)
    format_ = make_format(info, tokenizer, model.config)
    _check_positions(info, format_, model.config)
    most = FEW if settings.kind != "words" and settings.max_minutes else VALIDATION
    order = np.random.default_rng(settings.seed).permutation(len(data.validation))
    validation = data.validation[order[:most]]
    size = settings.batch_size or settings.preset["per_device_train_batch_size"]
    batches = cache(partial(batches_of, format_, validation, batch_size=size))

    def evaluate(model: Any) -> dict[str, float]:
        value = loss_per_token(model, batches())
        return {"score": -value, "validation loss": value}

    def describe(result: TrainingResult) -> GeneratorResults:
        parameters = list(model.parameters())
        sizes = GeneratorSizes(
            train=len(data.train),
            validation=len(data.validation),
            evaluated=len(validation),
            vocabulary=len(tokenizer),
            parameters=sum(parameter.numel() for parameter in parameters),
            trained=sum(parameter.numel() for parameter in parameters if parameter.requires_grad),
        )
        writes_words = settings.kind == "words"
        return GeneratorResults(
            card=asdict(info),
            validation_loss=-(result.best_score or 0.0),
            sizes=sizes,
            precision="bf16" if bf16 else "float32",
            unknown_signs={} if writes_words else unknown_signs(tokenizer, data.train["target"]),
        )

    return TrainingRun(
        model=model,
        examples=_token_ids(format_, data.train),
        collate=format_.pad,
        evaluate=evaluate,
        save=lambda folder: save_generator(folder, model, tokenizer, info),
        describe=describe,
        loss=headline_loss,
    )


def batches_of(format_: Format, examples: pl.DataFrame, *, batch_size: int) -> list[dict[str, Tensor]]:
    """Batches of examples of like length."""
    rows = sorted(_token_ids(format_, examples), key=lambda row: len(row["input_ids"]))
    return [format_.pad(rows[start : start + batch_size]) for start in range(0, len(rows), batch_size)]


def _token_ids(format_: Format, examples: pl.DataFrame) -> TokenIds:
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
    for name, size in (("vocabulary", options.vocabulary), ("cells", options.cells)):
        if size and architecture_of(options) not in NETWORKS:
            known = ", ".join(NETWORKS)
            raise InputError(f"--{name} requires a new network ({known}), not {architecture_of(options)}")
    for name, tokens in (("source", options.source_tokens), ("target", options.target_tokens)):
        if tokens and tokens < SHORTEST:
            raise InputError(f"--{name}-tokens {tokens} is too few: give at least {SHORTEST}")


def _info(
    settings: GeneratorOptions, data: RecipeData, tokenizer: PreTrainedTokenizerBase, *, bf16: bool
) -> GeneratorInfo:
    reads = RECIPES[settings.recipe].reads
    language = corpus_language(settings.corpus)
    name, folder = str(settings.architecture), Path(str(settings.architecture))
    rule = {"no_repeat_ngram_size": settings.values.no_repeat_ngram_size}
    if settings.kind == "words":  # of a network that is trained on
        rule |= read_json(folder / GENERATOR_FILE) or {}
    prompt, chat_end = None, None
    if settings.kind == "causal":
        prompt = prompt_of(language, reads, settings.to)
        if has_chat_template(tokenizer) and not settings.no_chat_template:
            before, after, chat_end = in_chat_template(tokenizer, prompt, name=name)
            prompt = (before, after)
    return GeneratorInfo(
        recipe=settings.recipe,
        reads=reads,
        to=settings.to,
        outlets=data.outlets,
        kind=settings.kind,
        architecture=folder.name,
        base=(str(folder.resolve()) if folder.is_dir() else name) if settings.lora else None,
        language=language,
        source_tokens=settings.source_tokens,
        target_tokens=settings.target_tokens,
        no_repeat_ngram_size=rule["no_repeat_ngram_size"],
        seed=settings.seed,
        corpus=Path(settings.corpus).name,
        base_dtype="bfloat16" if settings.lora and bf16 else "float32",
        prompt=prompt,
        chat_end=chat_end,
    )


def _check_positions(info: GeneratorInfo, format_: Format, config: Any) -> None:
    """Refuse sources that are longer than what the model has positions for; a causal one's are of prompt and headline, too."""
    positions = getattr(config, "max_position_embeddings", None)
    besides = info.target_tokens + format_.overhead if info.kind == "causal" else 0
    if info.kind != "words" and isinstance(positions, int) and positions < info.source_tokens + besides:
        raise InputError(
            f"{info.architecture} has positions for {max(positions - besides, 0)} tokens of the source beside {info.target_tokens} of "
            f"the headline and {format_.overhead} of the prompt: give a smaller --source-tokens or --target-tokens"
        )


def _start(settings: GeneratorOptions, data: RecipeData, *, bf16: bool) -> tuple[Any, Any]:
    """The model before training; what is random in it depends on torch's random state."""
    architecture = str(settings.architecture)
    if architecture in NETWORKS:
        sources = data.train["source"].to_list()
        if RECIPES[settings.recipe].reads == "both":
            # headlines and outlets: other words of a source can only be copied
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
