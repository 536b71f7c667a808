"""`change-it train generator`, also `accelerate launch -m change_it.generators.train` and `torchrun -m change_it.generators.train`.

What is unfinished, and how a finished generator replaces an older one: `training.work`.
"""

import math
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console

from change_it.command import main_of
from change_it.errors import InputError
from change_it.generators.building import (
    add_adapters,
    base_of,
    kind_of,
    load_adapters,
    load_model,
    load_tokenizer,
    new_network,
    room,
)
from change_it.generators.card import GeneratorCard
from change_it.generators.formats import IGNORED, CausalFormat, Format, make_format
from change_it.generators.loading import COMMAND
from change_it.generators.options import NETWORKS, READS, GeneratorOptions, Kind, preset
from change_it.generators.recipes import Examples, RecipeData, load_recipe
from change_it.training.loop import process_state, resolve, train
from change_it.training.models import hash_of_weights, quiet
from change_it.training.work import (
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
#: Updates between evaluations: an epoch, within these limits.
EVALUATION_STEPS = (100, 1000)
LIBRARIES = ("torch", "transformers", "tokenizers", "accelerate", "datasets")


def run(options: GeneratorOptions) -> None:
    """Train a generator and say what came of it.

    Args:
        options: see `GeneratorOptions`.

    Raises:
        InputError: as `train_generator`.
    """
    metrics = train_generator(options)
    if process_state().is_main_process:
        sizes, training = metrics["sizes"], metrics["training"]
        console.print(
            f"{sizes['train']:,} training and {sizes['validation']:,} validation examples, "
            f"{sizes['trained']:,} of {sizes['parameters']:,} parameters trained; {training['updates']:,} updates "
            f"({training['epochs']:.1f} epochs, stopped: {training['stopped']}) in {metrics['seconds']['training']:.0f} s; "
            f"validation loss {metrics['validation_loss']:.3f} a token (update {training['best_update']:,}); "
            f"weights {metrics['weights_hash'][:6]}",
            soft_wrap=True,
        )
        console.print(f"[green]✓[/] generator in [bold]{options.out}[/]", soft_wrap=True)


def train_generator(options: GeneratorOptions) -> dict[str, Any]:
    """Train and save a generator.

    Args:
        options: see `GeneratorOptions`.

    Returns:
        What `metrics.json` holds: the card, validation loss (nats a token), sizes, seconds, the training's history,
        options, versions, hash of the weights. Empty in every process but the main one.

    Raises:
        InputError: no such corpus, outlet or model, nothing to train on, options that do not fit the architecture, a
            run of other options to resume.
    """
    kind = kind_of(options.architecture)
    _check(options, kind)
    given = options.source_tokens
    options = resolve(options, preset(options, kind))
    state = process_state()
    with state.main_process_first():
        data = load_recipe(
            options.corpus,
            options.recipe,
            options.to,
            validation_share=options.validation_share,
            seed=options.seed,
        )
    if options.evaluation_steps is None:
        options = replace(options, evaluation_steps=_evaluation_steps(options, len(data.train)))
    work = options.out / WORK
    if options.resume and not work.exists() and (known := finished(options)):
        return known
    if state.is_main_process:
        open_work(options, "generator")
    state.wait_for_everyone()
    started = time.monotonic()
    try:
        with quiet():
            model, tokenizer = _start(options, kind, data, work)
        card = _card(options, kind, data)
        card, format_ = _fit(card, tokenizer, model, given)
    except InputError:
        if not options.resume:  # what was there to resume stays
            leave_nothing(work)
        raise

    def collate(rows: list[int]) -> dict[str, torch.Tensor]:
        some = data.train.select(rows)
        return format_.collate(some.sources, some.targets)

    validation = _some(data.validation, options.seed)

    def evaluate(model: Any) -> dict[str, float]:
        loss = loss_of(model, format_, validation, batch_size=options.batch_size or 1)
        return {"score": -loss, "validation loss": loss}

    result = train(
        model,
        range(len(data.train)),
        collate,
        options,
        out=work / "generator",
        name=f"{options.recipe} generator" + (f" of {options.to}" if options.to else ""),
        evaluate=evaluate,
        lengths=format_.lengths(data.train.sources, data.train.targets),
    )
    if not state.is_main_process:
        return {}
    seconds = time.monotonic() - started
    final = work / "final"
    with quiet():
        model.save_pretrained(final)
        tokenizer.save_pretrained(final)
    card.save(final)
    metrics = {
        "card": asdict(card),
        "weights_hash": hash_of_weights(final, command=COMMAND),
        "validation_loss": -(result.best_score or 0.0),
        "sizes": {
            "train": len(data.train),
            "validation": len(data.validation),
            "vocabulary": len(tokenizer),
            "parameters": sum(parameter.numel() for parameter in model.parameters()),
            "trained": sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad),
        },
        "seconds": {"training": round(result.seconds, 1), "all": round(seconds, 1)},
        "training": asdict(result),
        "options": recorded(options),
        "versions": versions(LIBRARIES + (("peft",) if options.lora else ())),
    }
    write_metrics(metrics, final)
    publish(final, options.out, logs=work / "generator" / "logs")
    return metrics


@torch.no_grad()
def loss_of(model: Any, format_: Format, examples: Examples, *, batch_size: int) -> float:
    """Loss per token, in nats (coverage loss included where the model has one).

    Args:
        model: used on its own device, in the mode that it is in.
        format_: the model's.
        examples: at least one.
        batch_size: examples a batch; those of like length share one.
    """
    order = np.argsort(format_.lengths(examples.sources, examples.targets), kind="stable")
    total, tokens = 0.0, 0
    for start in range(0, len(order), batch_size):
        some = examples.select(order[start : start + batch_size])
        batch = format_.collate(some.sources, some.targets)
        count = int((batch["labels"] != IGNORED).sum())
        device = next(model.parameters()).device
        loss = model(**{name: tensor.to(device) for name, tensor in batch.items()}).loss
        total, tokens = total + float(loss) * count, tokens + count
    return total / tokens


def _check(options: GeneratorOptions, kind: Kind) -> None:
    """Refuse options that do not fit the architecture."""
    if options.recipe not in READS:
        raise InputError(f"there is no recipe {options.recipe!r}: choose one of {', '.join(READS)}")
    if options.lora and kind == "words":
        raise InputError(
            f"--lora is for pre-trained models: {options.architecture} is trained as a whole, drop --lora"
        )
    if options.quick and kind != "words":
        raise InputError(
            f"--quick is for s2s, pn and pnc: {options.architecture} has its own values, drop --quick"
        )
    if options.architecture not in NETWORKS and (options.vocabulary or options.cells):
        raise InputError(
            f"--vocabulary and --cells are for s2s, pn and pnc: {options.architecture} has its own, drop them"
        )
    lengths = {"--source-tokens": options.source_tokens, "--target-tokens": options.target_tokens}
    for name, value in lengths.items():
        if value is not None and value < 2:
            raise InputError(f"{name} {value} leaves nothing to read or write: give at least 2")


def _evaluation_steps(options: GeneratorOptions, examples: int) -> int:
    """An epoch's updates, within limits."""
    batch = (options.batch_size or 1) * options.gradient_accumulation * process_state().num_processes
    least, most = EVALUATION_STEPS
    return min(max(math.ceil(examples / batch), least), most)


def _card(options: GeneratorOptions, kind: Kind, data: RecipeData) -> GeneratorCard:
    return GeneratorCard(
        recipe=options.recipe,
        reads=READS[options.recipe],
        to=options.to,
        outlets=data.outlets,
        kind=kind,
        architecture=Path(options.architecture).name,
        base=base_of(options.architecture) if options.lora else None,
        language=options.language,
        source_tokens=options.source_tokens or 0,
        target_tokens=options.target_tokens or 0,
        seed=options.seed,
        corpus=Path(options.corpus).name,
    )


def _fit(card: GeneratorCard, tokenizer: Any, model: Any, given: int | None) -> tuple[GeneratorCard, Format]:
    """The card and the format with sources no longer than the model has positions for."""
    format_ = make_format(card, tokenizer, model)
    overhead = format_.overhead if isinstance(format_, CausalFormat) else 0
    space = room(model, card.kind, target_tokens=card.target_tokens, overhead=overhead)
    if space is None or space >= card.source_tokens:
        return card, format_
    if given is not None or space < 2:
        raise InputError(
            f"{card.architecture} has positions for {max(space, 0)} tokens of the source beside {card.target_tokens} of the "
            f"headline and {overhead} of the prompt: give a smaller --source-tokens or --target-tokens"
        )
    card = replace(card, source_tokens=space)
    return card, make_format(card, tokenizer, model)


def _some(examples: Examples, seed: int) -> Examples:
    """At most `VALIDATION` examples, drawn at random."""
    if len(examples) <= VALIDATION:
        return examples
    return examples.select(np.sort(np.random.default_rng(seed).permutation(len(examples))[:VALIDATION]))


def _start(options: GeneratorOptions, kind: Kind, data: RecipeData, work: Path) -> tuple[Any, Any]:
    """The model before training; what is random in it is made once, so that a resumed run and every process agree."""
    if options.architecture in NETWORKS:

        def network(folder: Path) -> None:
            model, tokenizer = new_network(options, [*data.train.sources, *data.train.targets])
            model.save_pretrained(folder)
            tokenizer.save_pretrained(folder)

        folder = stage(work / "start", network, seed=options.seed)
        tokenizer = load_tokenizer(folder)
        return load_model(folder, kind, tokenizer), tokenizer
    tokenizer = load_tokenizer(options.architecture)
    model = load_model(options.architecture, kind, tokenizer)
    if not options.lora:
        return model, tokenizer

    def adapters(folder: Path) -> None:
        base = load_model(options.architecture, kind, tokenizer)
        add_adapters(base, options, kind).save_pretrained(folder)

    folder = stage(work / "start", adapters, seed=options.seed)
    return load_adapters(model, folder, trainable=True), tokenizer


if __name__ == "__main__":
    sys.exit(main_of(GeneratorOptions, run))
