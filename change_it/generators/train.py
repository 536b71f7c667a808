"""Training of a generator: called by `change-it train generator`, also a program as `accelerate launch -m change_it.generators.train` and `torchrun -m change_it.generators.train`.

What is unfinished, and how a finished generator replaces an older one: `training.run_folder`.
"""

import math
import sys
from dataclasses import asdict, replace
from functools import cache, partial
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numpy as np
import torch
from transformers import PreTrainedTokenizerBase

from change_it.corpus.folder import MODEL_CORPUS, describe_corpus
from change_it.errors import InputError
from change_it.generators.folder import Dtype, GeneratorInfo, corpus_language, prompt_of
from change_it.generators.generator import (
    add_adapters,
    kind_of,
    load_model,
    load_tokenizer,
    make_format,
    new_network,
    save_generator,
)
from change_it.generators.generator_options import (
    NETWORKS,
    READS,
    SHORTEST,
    GeneratorOptions,
    GeneratorSettings,
    ModelKind,
    architecture_of,
    check_published,
    preset,
)
from change_it.generators.recipes import RecipeData, SourcesAndTargets, load_recipe
from change_it.networks.formats import Format
from change_it.networks.pretrained_loss import headline_loss, loss_per_token, own_loss
from change_it.training.run_folder import train_in_folder
from change_it.training.training_options import resolve
from change_it.training.training_run import (
    TokenIds,
    TrainingResult,
    TrainingRun,
    process_state,
    tokenized,
)

#: Validation examples an evaluation reads, at most; and of a pre-trained model that has --max-minutes.
VALIDATION, FEW = 1000, 100
#: Updates between evaluations: an epoch, within these limits; a model that knows a language is soon past its best on few pairs.
EVALUATION_STEPS = {"scratch": (100, 1000), "pretrained": (20, 1000)}
LIBRARIES = ("torch", "transformers", "tokenizers", "accelerate", "datasets")


def train_generator(options: GeneratorOptions) -> dict[str, Any]:
    """Train and save a generator.

    Args:
        options: see `GeneratorOptions`.

    Returns:
        The content of `metrics.json`: the info of the generator, validation loss (nats a token), sizes, seconds, the training's history,
        options, versions, hash of the weights. Empty in every process but the main one.

    Raises:
        InputError: no such corpus, outlet or model, nothing to train on, options that do not fit the architecture, a
            run of other options to resume.
    """
    check_published(options)
    options = replace(options, architecture=architecture_of(options))
    kind = kind_of(str(options.architecture))
    _check(options, kind)
    settings = resolve(options, preset(options, kind), GeneratorSettings)
    with process_state().main_process_first():
        chosen = settings.corpus, settings.recipe, settings.to
        data = load_recipe(*chosen, seed=settings.seed, balanced=kind != "words")
    if settings.evaluation_steps is None:
        settings = replace(settings, evaluation_steps=_evaluation_steps(settings, kind, len(data.train)))
    return train_in_folder(
        settings,
        settings.out,
        "generator",
        partial(_prepare, settings, kind, data, options.source_tokens),
        libraries=(*LIBRARIES, *(["peft"] if settings.lora else [])),
        files={MODEL_CORPUS: describe_corpus(settings.corpus)},
    )


def _prepare(
    settings: GeneratorSettings, kind: ModelKind, data: RecipeData, given: int | None
) -> TrainingRun:
    """The generator before training, and how it is trained and described."""
    info = _info(settings, kind, data)
    model, tokenizer = _start(settings, kind, data)
    info, format_ = _fit(info, tokenizer, model, given)
    most = FEW if kind != "words" and settings.max_minutes else VALIDATION
    order = np.random.default_rng(settings.seed).permutation(len(data.validation))
    validation = data.validation.select(order[:most])
    examples = _token_ids(format_, data.train)
    loss = own_loss if kind == "words" else headline_loss
    batches = cache(partial(batches_of, format_, validation, batch_size=settings.batch_size))

    def evaluate(model: Any) -> dict[str, float]:
        value = loss_per_token(model, batches(), loss)
        return {"score": -value, "validation loss": value}

    def save(folder: Path) -> None:
        save_generator(folder, model, tokenizer, info)

    def describe(result: TrainingResult) -> dict[str, Any]:
        parameters = list(model.parameters())
        sizes = {
            "train": len(data.train),
            "validation": len(data.validation),
            "evaluated": len(validation),
            "vocabulary": len(tokenizer),
            "parameters": sum(parameter.numel() for parameter in parameters),
            "trained": sum(parameter.numel() for parameter in parameters if parameter.requires_grad),
        }
        return {"card": asdict(info), "validation_loss": -(result.best_score or 0.0), "sizes": sizes}

    return TrainingRun(
        model=model,
        examples=examples,
        collate=format_.pad,
        evaluate=evaluate,
        evaluated=len(validation),
        name=f"{settings.recipe} generator" + (f" of {settings.to}" if settings.to else ""),
        save=save,
        describe=describe,
        loss=loss,
    )


def batches_of(
    format_: Format, examples: SourcesAndTargets, *, batch_size: int
) -> list[dict[str, torch.Tensor]]:
    """Batches of examples of like length."""
    rows = sorted(_token_ids(format_, examples), key=lambda row: len(row["input_ids"]))
    return [format_.pad(rows[start : start + batch_size]) for start in range(0, len(rows), batch_size)]


def _token_ids(format_: Format, examples: SourcesAndTargets) -> TokenIds:
    def encode(rows: range) -> dict[str, list[Any]]:
        part = examples.select(rows)
        return format_.encode(part.sources, part.targets)

    return tokenized(encode, len(examples))


def _base_dtype(settings: GeneratorSettings) -> Dtype:
    """The type of the loaded weights: bfloat16, where it is set, of those that adapters leave unchanged."""
    return "bfloat16" if settings.lora and settings.bf16 else "float32"


def _check(options: GeneratorOptions, kind: ModelKind) -> None:
    """Refuse options that do not fit the architecture."""
    if options.arguments.get("label_smoothing_factor"):
        raise InputError(
            "--arg label_smoothing_factor requires a judge: the losses of generators have no such term"
        )
    if options.lora and kind == "words":
        raise InputError(f"--lora requires a pre-trained --architecture, not {options.architecture}")
    for name, tokens in (("source", options.source_tokens), ("target", options.target_tokens)):
        if tokens is not None and tokens < SHORTEST:
            raise InputError(f"--{name}-tokens {tokens} is too few: give at least {SHORTEST}")


def _evaluation_steps(settings: GeneratorSettings, kind: ModelKind, examples: int) -> int:
    """An epoch's updates, within limits."""
    accumulated = settings.arguments.get("gradient_accumulation_steps", 1)
    batch = settings.batch_size * accumulated * process_state().num_processes
    least, most = EVALUATION_STEPS["scratch" if kind == "words" else "pretrained"]
    return min(max(math.ceil(examples / batch), least), most)


def _info(settings: GeneratorSettings, kind: ModelKind, data: RecipeData) -> GeneratorInfo:
    reads, architecture = READS[settings.recipe], Path(settings.architecture)
    language = corpus_language(settings.corpus)
    base = str(architecture.resolve()) if architecture.is_dir() else settings.architecture
    return GeneratorInfo(
        recipe=settings.recipe,
        reads=reads,
        to=settings.to,
        outlets=data.outlets,
        kind=kind,
        architecture=architecture.name,
        base=base if settings.lora else None,
        language=language,
        source_tokens=settings.source_tokens,
        target_tokens=settings.target_tokens,
        no_repeat_ngram_size=settings.no_repeat_ngram_size,
        seed=settings.seed,
        corpus=Path(settings.corpus).name,
        base_dtype=_base_dtype(settings),
        prompt=prompt_of(language, reads, settings.to) if kind == "causal" else None,
    )


def _fit(
    info: GeneratorInfo, tokenizer: PreTrainedTokenizerBase, model: Any, given: int | None
) -> tuple[GeneratorInfo, Format]:
    """The info and the format with sources no longer than the model has positions for."""
    format_ = make_format(info, tokenizer, model)
    space = getattr(model.config, "max_position_embeddings", None)
    if info.kind == "words" or not isinstance(space, int):
        return info, format_
    if info.kind == "causal":  # they are of prompt and headline, too
        space -= info.target_tokens + format_.overhead
    if space >= info.source_tokens:
        return info, format_
    if given is not None or space < 2:
        raise InputError(
            f"{info.architecture} has positions for {max(space, 0)} tokens of the source, {info.target_tokens} of the "
            f"headline and {format_.overhead} of the prompt: give a smaller --source-tokens or --target-tokens"
        )
    info = replace(info, source_tokens=space)
    return info, make_format(info, tokenizer, model)


def _vocabulary_texts(settings: GeneratorSettings, examples: SourcesAndTargets) -> list[str]:
    """The texts whose words a network knows; of rewrite the headlines and the outlets, since other words of a source can only be copied."""
    sources = examples.sources
    if READS[settings.recipe] == "both":
        sources = [source.partition("| ")[0] + "| " for source in sources]
    return [*sources, *examples.targets]


def _start(settings: GeneratorSettings, kind: ModelKind, data: RecipeData) -> tuple[Any, Any]:
    """The model before training; what is random in it depends on torch's random state."""
    if settings.architecture in NETWORKS:
        network, words = new_network(
            settings.architecture,
            _vocabulary_texts(settings, data.train),
            vocabulary=settings.vocabulary or 0,
            cells=settings.cells or 0,
            as_published=settings.as_published,
        )
        return network, words
    tokenizer = load_tokenizer(settings.architecture)
    dtype = getattr(torch, _base_dtype(settings))
    model = load_model(settings.architecture, kind, tokenizer, use="base", dtype=dtype)
    return add_adapters(model, settings, kind) if settings.lora else model, tokenizer


if __name__ == "__main__":
    sys.exit(resolve_name("change_it.cli:main")(["train", "generator", *sys.argv[1:]]))
