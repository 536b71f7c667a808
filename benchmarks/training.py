"""Speed of training, the time that does not go into forward, backward and optimizer, and bytes written, as JSON.

    python benchmarks/training.py --corpus runs/quickstart/corpus --encoder intfloat/multilingual-e5-small

Each case runs in a process of its own, through the functions that the commands call. `bare` is the model of main under
transformers' `Trainer` with its default arguments. Run it with PYTHONPATH at an older checkout to measure that one.
The clock of updates starts with the first one and stops when training ends, evaluations among it. `seconds before the first
update` are of the functions alone, `first update at` of the process.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import tyro

#: Of each case the command, its options and, where it is a generator, its recipe.
CASES: dict[str, dict[str, Any]] = {
    "main": {"task": "main"},
    "HH": {"task": "hh"},
    "AH": {"task": "ah"},
    "fluency": {"task": "fluency"},
    "PN": {"recipe": "sum"},
    "rewrite": {"recipe": "rewrite"},
    "LoRA": {"recipe": "sum", "lora": True, "source_tokens": 128, "target_tokens": 32},
    "bare": {"task": "main"},
}


@dataclass(kw_only=True)
class Options:
    """Train a little of each judge and generator and measure it."""

    corpus: str
    """Corpus folder."""
    encoder: str
    """Encoder of the judges."""
    writer: str | None = None
    """Model that LoRA trains; a BART of four layers with random weights when not given."""
    cases: tuple[str, ...] = tuple(CASES)
    """Those to run."""
    updates: int = 60
    """Updates of each."""
    batch: int | None = None
    """Batch size of the judges; the presets' when not given."""
    arg: tuple[str, ...] = ()
    """Further --arg of every run."""
    case: str | None = None
    """Run this one in this process."""


class Watch:
    """Seconds of forward, backward, clipping and optimizer, between the first update and the end of training."""

    def __init__(self) -> None:
        self.begun = self.ended = self.inside = 0.0
        self.updates = 0

    def counted(self, function: Callable[..., Any], *, begins: bool = False) -> Callable[..., Any]:
        """The function, its time counted; `begins` starts the clock at its first call."""

        def run(*arguments: Any, **options: Any) -> Any:
            start = now()
            self.begun = self.begun or (start if begins else 0.0)
            result = function(*arguments, **options)
            self.ended = now()
            self.inside += self.ended - start
            return result

        return run

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch transformers' Trainer."""
        from accelerate import Accelerator
        from accelerate.optimizer import AcceleratedOptimizer
        from transformers import Trainer

        Trainer.training_step = self.counted(Trainer.training_step, begins=True)
        Accelerator.clip_grad_norm_ = self.counted(Accelerator.clip_grad_norm_)
        AcceleratedOptimizer.step = self.counted(AcceleratedOptimizer.step)
        train = Trainer.train

        def measured(trainer: Any, *arguments: Any, **options: Any) -> Any:
            result = train(trainer, *arguments, **options)
            self.ended, self.updates = now(), trainer.state.global_step
            return result

        Trainer.train = measured
        yield


def now() -> float:
    """The clock, once the accelerator is done."""
    import torch

    if torch.accelerator.is_available():
        torch.accelerator.synchronize()
    return time.perf_counter()


def written() -> int:
    """Bytes that this process has written."""
    lines = Path("/proc/self/io").read_text(encoding="utf-8").splitlines()
    return int(next(line for line in lines if line.startswith("wchar")).split()[1])


def make_writer(folder: Path, tokens: str) -> str:
    """A BART with random weights and the tokenizer of an encoder."""
    from transformers import AutoTokenizer, BartConfig, BartForConditionalGeneration

    tokenizer = AutoTokenizer.from_pretrained(tokens)
    tokenizer.eos_token = tokenizer.eos_token or tokenizer.sep_token
    size = {"d_model": 256, "encoder_ffn_dim": 1024, "decoder_ffn_dim": 1024}
    layers = {
        "encoder_layers": 2,
        "decoder_layers": 2,
        "encoder_attention_heads": 4,
        "decoder_attention_heads": 4,
    }
    ends = {"pad_token_id": tokenizer.pad_token_id, "eos_token_id": tokenizer.eos_token_id}
    config = BartConfig(
        vocab_size=len(tokenizer), decoder_start_token_id=tokenizer.eos_token_id, **size, **layers, **ends
    )
    BartForConditionalGeneration(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def train_bare(options: Options, out: Path) -> None:
    """The judge main under transformers' Trainer with default arguments: as its documentation trains a classifier."""
    from datasets import load_dataset
    from transformers import (
        AutoModelForSequenceClassification,
        AutoTokenizer,
        DataCollatorWithPadding,
        Trainer,
        TrainingArguments,
    )

    from change_it.judges.spec import JUDGES

    tokenizer = AutoTokenizer.from_pretrained(options.encoder)
    rows = load_dataset(options.corpus, "main", split="train")
    rows = rows.map(lambda batch: tokenizer(batch["headline"], truncation=True, max_length=32), batched=True)
    size = {
        "per_device_train_batch_size": options.batch
        or JUDGES["main"].arguments["per_device_train_batch_size"]
    }
    arguments = TrainingArguments(str(out), max_steps=options.updates, report_to="none", **size)
    model = AutoModelForSequenceClassification.from_pretrained(options.encoder)
    trainer = Trainer(model, arguments, DataCollatorWithPadding(tokenizer), rows)
    trainer.train()
    trainer.save_model(str(out))


def run_case(options: Options, name: str) -> dict[str, Any]:
    """Run a case in this process."""
    begun, watch, case = time.perf_counter(), Watch(), CASES[name]
    before_it = time.time() - psutil.Process().create_time()
    with tempfile.TemporaryDirectory() as folder, watch.watching():
        out = Path(folder) / "out"
        arg = (f"max_steps={options.updates}", *options.arg)
        given: dict[str, Any] = {"corpus": options.corpus, "out": out, "arg": arg} | case
        if name == "LoRA":
            given["architecture"] = options.writer or make_writer(Path(folder) / "writer", options.encoder)
        before = written()
        if name == "bare":
            train_bare(options, out)
        elif "task" in case:
            from change_it.judges.judge_options import JudgeOptions
            from change_it.judges.train import train_judge

            train_judge(JudgeOptions(**given, encoder=options.encoder, batch_size=options.batch))
        else:
            from change_it.corpus.folder import read_outlets
            from change_it.generators.generator_options import GeneratorOptions
            from change_it.generators.train import train_generator

            to = None if name == "rewrite" else read_outlets(options.corpus)[0]
            train_generator(GeneratorOptions(**given, to=to))
        total = written() - before
        weights = sum(file.stat().st_size for file in out.glob("*.safetensors"))
    seconds = watch.ended - watch.begun
    return {
        "updates a second": round(watch.updates / seconds, 2),
        "share outside": round(1 - watch.inside / seconds, 3),
        "bytes / weights": round(total / weights, 2),
        "MB written": round(total / 1e6, 1),
        "seconds before the first update": round(watch.begun - begun, 1),
        "first update at": round(before_it + watch.begun - begun, 1),
        "peak GiB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
    }


def main(options: Options) -> None:
    """Measure and print."""
    if options.case:
        print(json.dumps(run_case(options, options.case)))
        return
    rows = {}
    for name in options.cases:
        command = [sys.executable, __file__, *sys.argv[1:], "--case", name]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        rows[name] = json.loads(done.stdout.splitlines()[-1])
        print(name, rows[name], file=sys.stderr)
    print(json.dumps({"training": rows}, indent=1))


if __name__ == "__main__":
    main(tyro.cli(Options))
