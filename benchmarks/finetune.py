"""Fine-tuning and decoding of a pre-trained model beside what nobody can avoid.

    python benchmarks/finetune.py --model FOLDER [--corpus DIR]

A step is that of `change-it train generator --lora`: forward, backward, clipping and update. Beside it stand the forward and
backward pass of the bare model, without adapters, in the same arithmetic and on the same batch, with logits where a headline
is: its gradient goes back to the embeddings of the tokens, since its weights are frozen. `step_ratio` is the quotient of
the medians, both run in turn, in seconds of the processors, which other processes disturb least; `everywhere_ratio` is a step as transformers makes it, with logits at every position.
`memory_ratio` is the peak of the resident memory during steps, libraries apart, divided by the weights and what the bare
pass saves for its backward pass. Decoding is timed too.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import tyro
from torch import Tensor, nn
from torch.autograd.graph import saved_tensors_hooks
from transformers import GenerationConfig

from change_it.generators import search
from change_it.generators.folder import prompt_of
from change_it.generators.generator import add_adapters, kind_of, load_model, load_tokenizer
from change_it.generators.generator_options import GeneratorOptions, GeneratorSettings, preset
from change_it.generators.recipes import load_recipe
from change_it.networks.formats import CausalFormat, Format
from change_it.networks.pretrained_loss import HeadlineLoss
from change_it.training.trainer import RunTrainer, training_arguments
from change_it.training.training_options import Arithmetic, resolve

WORDS = [
    "the",
    "council",
    "voted",
    "on",
    "a",
    "new",
    "plan",
    "for",
    "the",
    "old",
    "harbour",
    "after",
    "months",
    "of",
    "talks",
    "with",
    "its",
    "owners",
    "and",
]


@dataclass(kw_only=True)
class Options:
    """Time and weigh a training step, and time decoding."""

    model: str
    """Folder or Hub id of a causal model or an encoder-decoder."""
    corpus: str | None = None
    """Corpus folder whose articles of its first outlet are read; made-up words when not given."""
    language: str = "en"
    """Language of the prompt."""
    source: int = 160
    """Tokens of a source."""
    target: int = 32
    """Tokens of a headline, at most; made-up ones have half."""
    batch: int = 8
    """Examples a step."""
    headlines: int = 16
    """Headlines that are decoded."""
    decoding_batch: int = 8
    """Sources that are decoded at once."""
    beams: int = 4
    """Beams of the search."""
    precision: Arithmetic = "float32"
    """Of the weights that are not trained."""
    repeat: int = 5
    """Times that everything runs, in turn; medians count."""


def texts(options: Options) -> tuple[list[str], list[str]]:
    """Sources and headlines: of the corpus, or made up."""
    count = max(options.batch, options.headlines)
    if options.corpus:
        from change_it.corpus.folder import read_outlets

        to = read_outlets(options.corpus)[0]
        train = load_recipe(options.corpus, "sum", to, validation_share=0.05, seed=1).train
        return train.sources[:count], train.targets[:count]
    sources = [" ".join(WORDS[(row + word) % len(WORDS)] for word in range(200)) for row in range(count)]
    return sources, [source[: 4 * options.target // 2] for source in sources]


def memory(name: str) -> int:
    """Bytes of `VmRSS` or `VmHWM` of this process."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return 1024 * int(line.split()[1])
    raise SystemExit("the peak of the memory is known on Linux alone")


def bare_pass(model: Any, batch: dict[str, Tensor]) -> Callable[[], None]:
    """Forward and backward pass of the model without adapters, to the embeddings of its tokens."""
    loss = HeadlineLoss(model)
    embeddings = model.get_input_embeddings()

    def run() -> None:
        hook = embeddings.register_forward_hook(lambda module, given, states: states.requires_grad_())
        try:
            loss(**batch).loss.backward()
        finally:
            hook.remove()

    return run


def training_step(trained: Any, batch: dict[str, Tensor], settings: GeneratorSettings) -> Callable[[], None]:
    """As the training loop makes it."""
    kind, rates = RunTrainer.get_optimizer_cls_and_kwargs(training_arguments(settings, Path()))
    optimizer = kind([each for each in trained.parameters() if each.requires_grad], **rates)

    def run() -> None:
        trained(**batch).loss.backward()
        nn.utils.clip_grad_norm_(trained.parameters(), settings.max_grad_norm)
        optimizer.step()
        optimizer.zero_grad()

    return run


def saved_bytes(run: Callable[[], None], model: nn.Module) -> int:
    """Bytes that a pass saves for its backward pass, weights apart."""
    weights = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
    seen: dict[int, int] = {}

    def pack(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in weights:
            seen[storage.data_ptr()] = storage.nbytes()
        return tensor

    with saved_tensors_hooks(pack, lambda tensor: tensor):
        run()
    return sum(seen.values())


def medians(pieces: dict[str, Callable[[], Any]], repeat: int) -> tuple[dict[str, float], dict[str, float]]:
    """Seconds of the processors and of the clock that each takes, run in turn after one round of warming up."""
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in pieces}
    for round_ in range(repeat + 1):
        for name, piece in pieces.items():
            start = time.process_time(), time.perf_counter()
            piece()
            if round_:
                seconds[name].append((time.process_time() - start[0], time.perf_counter() - start[1]))
        print(
            f"round {round_} of {repeat}",
            {name: values[-1:] for name, values in seconds.items()},
            file=sys.stderr,
        )
    computed, passed = (
        {name: statistics.median(value[part] for value in values) for name, values in seconds.items()}
        for part in (0, 1)
    )
    return computed, passed


def decoder(model: Any, format_: Format, sources: list[str], options: Options) -> Callable[[], None]:
    """Decode all sources."""

    def run() -> None:
        for start in range(0, len(sources), options.decoding_batch):
            some = sources[start : start + options.decoding_batch]
            search.generate(
                model,
                format_,
                some,
                search.Search(GenerationConfig(num_beams=options.beams, no_repeat_ngram_size=3)),
            )

    return run


def measure(options: Options) -> dict[str, Any]:
    torch.manual_seed(1)
    kind = kind_of(options.model)
    given = GeneratorOptions(
        recipe="sum", corpus="", out=Path(), architecture=options.model, lora=True,
        source_tokens=options.source, target_tokens=options.target, batch_size=options.batch,
    )  # fmt: skip
    settings = resolve(given, preset(given, kind), GeneratorSettings)
    sources, targets = texts(options)
    tokenizer = load_tokenizer(options.model)
    lengths = {"max_source_tokens": options.source, "max_target_tokens": options.target}
    prompt = prompt_of(options.language, "article", "the Harbour Post")
    format_: Format = (
        CausalFormat(tokenizer, **lengths, prompt=prompt)
        if kind == "causal"
        else Format(tokenizer, **lengths)
    )
    batch = format_.collate(sources[: options.batch], targets[: options.batch])
    dtype = torch.bfloat16 if options.precision == "bf16" else torch.float32
    libraries = memory("VmRSS")
    model = load_model(options.model, kind, tokenizer, use="base", dtype=dtype).requires_grad_(False).train()
    weights = sum(parameter.numel() * parameter.element_size() for parameter in model.parameters())
    bare = bare_pass(model, batch)
    bare()
    activations = saved_bytes(bare, model)
    adapted = add_adapters(model, settings, kind).train()
    step = training_step(HeadlineLoss(adapted), batch, settings)
    everywhere = training_step(adapted, batch, settings)
    Path("/proc/self/clear_refs").write_text("5")  # begins the peak anew
    step(), step()
    peak = memory("VmHWM") - libraries

    def bare_again() -> None:
        with adapted.disable_adapter() if hasattr(adapted, "disable_adapter") else nullcontext():
            bare()

    seconds, by_clock = medians({"bare": bare_again, "step": step, "everywhere": everywhere}, options.repeat)
    adapted.eval()
    some = sources[: options.headlines]
    decoded, decoded_by_clock = medians(
        {"decoding": decoder(adapted, format_, some, options)},
        max(1, options.repeat // 3),
    )
    return {
        "step_ratio": round(seconds["step"] / seconds["bare"], 3),
        "everywhere_ratio": round(seconds["everywhere"] / seconds["bare"], 3),
        "memory_ratio": round(peak / (weights + activations), 3),
        f"beam_{options.beams}_headlines_per_second": round(len(some) / decoded_by_clock["decoding"], 2),
        "headlines_per_processor_second": round(len(some) / decoded["decoding"], 2),
        "processor_seconds": {name: round(value, 3) for name, value in (seconds | decoded).items()},
        "clock_seconds": {name: round(value, 3) for name, value in (by_clock | decoded_by_clock).items()},
        "gib": {name: round(value / 2**30, 2) for name, value in (("weights", weights), ("activations", activations), ("peak", peak))},
        "tokens": {"positions": batch["input_ids"].numel(), "learnt": int((batch["labels"] != -100).sum())},
        "dtype": str(dtype),
        "threads": torch.get_num_threads(),
    }  # fmt: skip


def main(options: Options) -> None:
    """Measure and print."""
    print(json.dumps(measure(options), indent=2))


if __name__ == "__main__":
    main(tyro.cli(Options))
