"""One training step of the papers' networks beside the parts of it that nobody can avoid, and the speed of beam search.

    python benchmarks/generator.py

A step is forward, backward, clipping and update as the training loop makes them, on sources whose lengths are those of
articles cut to `--source` tokens (most of them full). Its unavoidable parts are run alone, forward and backward, in the
same process and in turn with the steps: the encoder's LSTM in the fastest way there is (on a CPU: padded), one decoder cell
for each step, the projection to the vocabulary for each target word (alone: neither softmax nor loss), and the update. `step_ratios` are the
median times of steps divided by the sums of the medians of their parts. Operations are counted without a clock.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
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
#: Target tokens of the step whose operations are counted, and operators that only look at what is there or make room.
COUNTED = 20
VIEWS = {
    *(
        "as_strided",
        "view",
        "reshape",
        "transpose",
        "t",
        "permute",
        "select",
        "slice",
        "narrow",
        "chunk",
        "split",
        "unbind",
    ),
    *(
        "split_with_sizes",
        "unsqueeze",
        "squeeze",
        "expand",
        "expand_as",
        "flatten",
        "unflatten",
        "detach",
        "resolve_conj",
    ),
    *(
        "alias",
        "empty",
        "empty_strided",
        "empty_like",
        "new_empty",
        "resize_",
        "to",
        "stack",
        "matmul",
        "linear",
        "view_as",
    ),
}


@dataclass(kw_only=True)
class Options:
    """Time a training step, its unavoidable parts, and beam search."""

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
    """Times that everything runs, in turn; medians count."""
    seed: int = 1
    """Seed of weights and words."""


def source_lengths(options: Options) -> list[int]:
    """Three sources in four are full, the others evenly shorter."""
    short = options.batch // 4
    return [options.source] * (options.batch - short) + [
        max(1, options.source * (index + 1) // (short + 1)) for index in reversed(range(short))
    ]


def make_batch(options: Options) -> dict[str, Tensor]:
    """Sources and labels of words as rare as words are; one source word in twenty has a temporary id."""
    ranks = torch.rand(options.batch, options.source)
    ids = 4 + torch.exp(ranks * torch.log(torch.tensor(float(options.vocabulary - 5)))).long()
    temporary = torch.rand(ids.shape) < 0.05
    ids = torch.where(temporary, options.vocabulary + ids % 100, ids)
    mask = (torch.arange(options.source) < torch.tensor(source_lengths(options)).unsqueeze(1)).long()
    labels = ids[:, : options.target].clone()
    labels[:, -1] = 3
    return {"input_ids": ids * mask, "attention_mask": mask, "labels": labels}


def make_model(options: Options, **settings: Any) -> PointerGeneratorForConditionalGeneration:
    return PointerGeneratorForConditionalGeneration(
        PointerGeneratorConfig(
            vocab_size=options.vocabulary + 100,
            reserved=100,
            embedding_size=options.embedding,
            hidden_size=options.cells,
            **settings,
        )
    ).train()


def optimizer_of(model: nn.Module) -> torch.optim.Optimizer:
    """The papers' Adagrad, as the training loop makes it."""
    options = TrainingOptions(batch_size=1, arg=("optim=adagrad", "learning_rate=0.15"))
    kind, given = adagrad(training_arguments(options, Path()))
    return kind(model.parameters(), **given)


def training_step(
    model: PointerGeneratorForConditionalGeneration, batch: dict[str, Tensor]
) -> Callable[[], None]:
    optimizer = optimizer_of(model)

    def run() -> None:
        model(**batch).loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), MAX_NORM)
        optimizer.step()
        optimizer.zero_grad()

    return run


def encoder_part(options: Options) -> Callable[[], None]:
    """Padded: a packed call takes many times as long on a CPU (its way back copies the batch's gradient at each token)."""
    lstm = nn.LSTM(options.embedding, options.cells // 2, bidirectional=True, batch_first=True)
    embedded = torch.randn(options.batch, options.source, options.embedding, requires_grad=True)
    back = torch.randn(options.batch, options.source, options.cells)

    def run() -> None:
        lstm(embedded)[0].backward(back)
        lstm.zero_grad()
        embedded.grad = None

    return run


def decoder_part(options: Options) -> Callable[[], None]:
    size = options.embedding + options.cells
    cell = nn.LSTMCell(size, options.cells)
    inputs = torch.randn(options.target, options.batch, size, requires_grad=True)
    first = torch.zeros(options.batch, options.cells)
    back = torch.randn(options.batch, options.cells)

    def run() -> None:
        hidden, state = first, first
        for word in inputs:
            hidden, state = cell(word, (hidden, state))
        hidden.backward(back)
        cell.zero_grad()
        inputs.grad = None

    return run


def projection_part(options: Options) -> Callable[[], None]:
    rows = options.batch * options.target
    projection = nn.Linear(options.embedding, options.vocabulary)
    states = torch.randn(rows, options.embedding, requires_grad=True)
    back = torch.randn(rows, options.vocabulary)

    def run() -> None:
        projection(states).backward(back)
        projection.zero_grad()
        states.grad = None

    return run


def update_part(model: nn.Module) -> Callable[[], None]:
    """Adagrad over parameters of the model's shapes."""
    copies = nn.ParameterList(nn.Parameter(parameter.detach().clone()) for parameter in model.parameters())
    optimizer = optimizer_of(copies)
    for parameter in copies:
        parameter.grad = torch.randn_like(parameter)
    return optimizer.step


def beam_search(
    model: PointerGeneratorForConditionalGeneration, batch: dict[str, Tensor], options: Options
) -> Callable[[], None]:
    sources = {name: tensor for name, tensor in batch.items() if name != "labels"}

    def run() -> None:
        model.eval()
        model.generate(
            **sources,
            num_beams=options.beams,
            min_new_tokens=options.target,
            max_new_tokens=options.target,
            no_repeat_ngram_size=3,
        )
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


def operations(step: Callable[[], None]) -> dict[str, int]:
    """Calls of PyTorch's operators in a step, those inside others among them, and how many of them compute something."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        step()
    names = [event.name for event in profile.events() if event.name.startswith("aten::")]
    return {"calls": len(names), "computing": sum(name.removeprefix("aten::") not in VIEWS for name in names)}


def measure(options: Options) -> dict[str, Any]:
    torch.manual_seed(options.seed)
    batch = make_batch(options)
    models = {
        "pnc": make_model(options, copy=True, coverage=True),
        "pn": make_model(options, copy=True),
        "s2s": make_model(options, copy=False),
    }
    parts = {
        "encoder": encoder_part(options),
        "decoder": decoder_part(options),
        "projection": projection_part(options),
        **{f"update_{name}": update_part(model) for name, model in models.items()},
    }
    seconds = medians(
        parts | {name: training_step(model, batch) for name, model in models.items()}, options.repeat
    )
    beams = medians({"beams": beam_search(models["pnc"], batch, options)}, max(1, options.repeat // 5))
    longer = make_batch(replace(options, target=COUNTED))
    counts = {name: operations(training_step(model, longer)) for name, model in models.items()}
    shared = seconds["encoder"] + seconds["decoder"] + seconds["projection"]
    step = seconds["pnc"]
    return {
        "step_ratios": {
            name: round(seconds[name] / (shared + seconds[f"update_{name}"]), 3) for name in models
        },
        f"operations_of_{COUNTED}_tokens": counts,
        "step_seconds": {name: round(seconds[name], 4) for name in models},
        "unavoidable_seconds": {name: round(seconds[name], 4) for name in parts},
        "source_tokens_per_second": round(sum(source_lengths(options)) / step),
        "target_tokens_per_second": round(options.batch * options.target / step),
        f"beam_{options.beams}_headlines_per_second": round(options.batch / beams["beams"], 1),
        "threads": torch.get_num_threads(),
    }


def main(options: Options) -> None:
    """Measure and print."""
    print(json.dumps(measure(options), indent=2))


if __name__ == "__main__":
    main(tyro.cli(Options))
