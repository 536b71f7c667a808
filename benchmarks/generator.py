"""Seconds of a training step of the papers' networks, and of the beam search.

    python benchmarks/generator.py --target 20

A step is forward, backward, clipping and update as the training loop makes them, on sources whose lengths are those of
articles cut to `--source` tokens (most of them full). Medians of runs in turn.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import tyro
from torch import Tensor, nn

from change_it.networks.pointer_generator import (
    PointerGeneratorConfig,
    PointerGeneratorForConditionalGeneration,
)
from change_it.training.trainer import adagrad, training_arguments
from change_it.training.training_options import TrainingOptions

MAX_NORM = 2.0


@dataclass(kw_only=True)
class Options:
    """Time training steps and beam search."""

    vocabulary: int = 40_000
    """Words, temporary ids apart."""
    source: int = 256
    """Tokens of a full source."""
    target: int = 12
    """Words of a target, `</s>` included."""
    batch: int = 32
    """Sources in a batch."""
    cells: int = 256
    """Cells of the decoder, and of both directions of the encoder together."""
    embedding: int = 128
    """Size of the word embeddings."""
    beams: int = 5
    """Beams of the search."""
    repeat: int = 15
    """Times that everything runs, in turn."""
    seed: int = 1
    """Seed of weights and words."""


def make_batch(options: Options) -> dict[str, Tensor]:
    """Sources and labels of words as rare as words are; one source word in twenty has a temporary id, three sources in four are full."""
    ranks = torch.rand(options.batch, options.source)
    ids = 4 + torch.exp(ranks * torch.log(torch.tensor(float(options.vocabulary - 5)))).long()
    temporary = torch.rand(ids.shape) < 0.05
    ids = torch.where(temporary, options.vocabulary + ids % 100, ids)
    short = options.batch // 4
    lengths = torch.full((options.batch, 1), options.source)
    lengths[-short:, 0] = options.source * torch.arange(short, 0, -1) // (short + 1)
    mask = (torch.arange(options.source) < lengths).long()
    labels = ids[:, : options.target].clone()
    labels[:, -1] = 3
    return {"input_ids": ids * mask, "attention_mask": mask, "labels": labels}


def make_model(options: Options, **settings: Any) -> PointerGeneratorForConditionalGeneration:
    sizes = {"embedding_size": options.embedding, "hidden_size": options.cells, "reserved": 100}
    config = PointerGeneratorConfig(vocab_size=options.vocabulary + 100, **sizes, **settings)
    return PointerGeneratorForConditionalGeneration(config).train()


def training_step(
    model: PointerGeneratorForConditionalGeneration, batch: dict[str, Tensor]
) -> Callable[[], None]:
    """A step with the papers' Adagrad, as the training loop makes it."""
    options = TrainingOptions(batch_size=1, arg=("optim=adagrad", "learning_rate=0.15"))
    kind, given = adagrad(training_arguments(options, Path()))
    optimizer = kind(model.parameters(), **given)

    def run() -> None:
        model(**batch).loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), MAX_NORM)
        optimizer.step()
        optimizer.zero_grad()

    return run


def beam_search(
    model: PointerGeneratorForConditionalGeneration, batch: dict[str, Tensor], options: Options
) -> Callable[[], None]:
    sources = {name: tensor for name, tensor in batch.items() if name != "labels"}
    lengths = {"min_new_tokens": options.target, "max_new_tokens": options.target}

    def run() -> None:
        model.eval()
        model.generate(**sources, num_beams=options.beams, no_repeat_ngram_size=3, **lengths)
        model.train()

    return run


def medians(pieces: dict[str, Callable[[], None]], repeat: int) -> dict[str, float]:
    """Seconds of each, run in turn after one round of warming up."""
    seconds: dict[str, list[float]] = {name: [] for name in pieces}
    for round_ in range(repeat + 1):
        for name, piece in pieces.items():
            start = time.perf_counter()
            piece()
            if round_:
                seconds[name].append(time.perf_counter() - start)
        print(f"round {round_} of {repeat}", file=sys.stderr)
    return {name: statistics.median(values) for name, values in seconds.items()}


def main(options: Options) -> None:
    """Measure and print."""
    torch.manual_seed(options.seed)
    batch = make_batch(options)
    kinds: dict[str, dict[str, bool]] = {"s2s": {"copy": False}, "pn": {}, "pnc": {"coverage": True}}
    models = {name: make_model(options, **settings) for name, settings in kinds.items()}
    steps = medians({name: training_step(model, batch) for name, model in models.items()}, options.repeat)
    beams = medians({"beams": beam_search(models["pnc"], batch, options)}, max(1, options.repeat // 5))
    record = {
        "step_seconds": {name: round(value, 4) for name, value in steps.items()},
        f"beam_{options.beams}_headlines_per_second": round(options.batch / beams["beams"], 1),
        "threads": torch.get_num_threads(),
    }
    print(json.dumps(record, indent=2))


if __name__ == "__main__":
    main(tyro.cli(Options))
