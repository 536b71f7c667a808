"""Train the generator that ships with the package and write it into `change_it/data/writer`.

python -m tools.writer.train --work runs/writer
"""

import json
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro
from safetensors.torch import load_file, save_file

from change_it.cli import corpus as corpus_commands
from change_it.cli import exit_on_input_error
from change_it.cli import train as train_commands
from change_it.cli.quickstart import SHIPPED
from change_it.corpus.reading.options import BuildOptions
from change_it.files.atomic import read_json, write_json, write_text
from change_it.generators.options import GeneratorOptions
from change_it.report.report_files import provenance
from tools.sample import write
from tools.sample.write import WriteOptions

#: Seed of the splits and of the training.
SEED = 1
#: Articles that the grammar of the sample writes for the training.
ARTICLES = 50_000
#: Seed of these articles; the sample itself is of seed 1 and is not read.
SAMPLE_SEED = 2
#: Small enough for 9 MB in bfloat16 and for an hour of a slow processor: in that time more updates gain more
#: than more cells.
SIZE: dict[str, Any] = {"cells": 192, "vocabulary": 5000, "source_tokens": 120, "target_tokens": 44}
TRAINING: dict[str, Any] = {
    "batch_size": 16,
    "arg": ("learning_rate=2e-3", "max_steps=20000", "eval_steps=1000", "early_stopping=6"),
    "checkpoint_minutes": 4.0,
}
#: What is copied as it is; the code of the model is the package's.
FILES = ("generator.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json", "corpus.json")

CARD = """\
# The generator that ships with change-it

A generator of the recipe `rewrite`: it reads an outlet, a headline and the beginning of its article, and \
writes a headline
in that outlet's style. `change-it quickstart` begins from it.

| | |
|---|---|
| data | {articles:,} articles of two invented Italian newspapers, which the grammar of the embedded sample \
wrote with another seed (`python -m tools.sample.write --articles {articles} --seed {sample_seed}`); \
no article of the sample was read |
| split | the training split of `change-it corpus build` with seed {seed}: {train:,} \
examples, {validation:,} for validation |
| model | Transformer that copies: {parameters:,} parameters, {cells} cells, {vocabulary:,} words; stored in \
bfloat16, computed in float32 |
| training | `python -m tools.writer.train`: {updates:,} updates of {batch}, best of \
{evaluations} evaluations at update {best:,}, validation loss {loss:.3f} a token |
| time | {minutes:.0f} minutes of one thread of {hardware}, beside other work |
| weights before rounding | `{weights}` |
| license | Apache-2.0, as the package |

**What it is not for.** It knows two invented newspapers and their grammar alone: for real newspapers \
train a generator of your own
(docs/newspapers.md). It invents details now and then: nothing that it writes should be published unread.
"""


@dataclass(kw_only=True)
class ShippedOptions:
    """Train the generator `rewrite` on articles that the grammar of the sample writes.

    It is stored in bfloat16 with its card. An interrupted run goes on.
    """

    work: Path
    """Folder for the sample, its corpus and the trained generator."""
    out: Path = SHIPPED
    """Folder of the generator that ships."""
    minutes: float = 60.0
    """Minutes of training."""


def main(options: ShippedOptions) -> None:
    """Write articles, build a corpus of them, train on it, and write what ships."""
    sample, corpus, generator = (options.work / name for name in ("sample.csv", "corpus", "generator"))
    if not corpus.exists():
        write.run(WriteOptions(out=sample, articles=ARTICLES, seed=SAMPLE_SEED))
        corpus_commands.build(BuildOptions(files=(str(sample),), out=corpus, seed=SEED, test_articles=0))
    run: dict[str, Any] = {"corpus": str(corpus), "out": generator, "max_minutes": options.minutes}
    train_commands.generator(
        GeneratorOptions(recipe="rewrite", **SIZE, **TRAINING, **run, seed=SEED, resume=True)
    )
    ship(generator, options.out)


def ship(generator: Path, out: Path) -> None:
    """Write a trained generator in bfloat16, without its code, with its card."""
    out.mkdir(parents=True, exist_ok=True)
    weights = {name: tensor.bfloat16() for name, tensor in load_file(generator / "model.safetensors").items()}
    save_file(weights, out / "model.safetensors", metadata={"format": "pt"})
    for name in FILES:
        shutil.copy(generator / name, out)
    write_json(out / "config.json", {**(read_json(generator / "config.json") or {}), "dtype": "bfloat16"})
    metrics = json.loads((generator / "metrics.json").read_text(encoding="utf-8"))
    training, sizes, options = (metrics[name] for name in ("training", "sizes", "options"))
    card = CARD.format(
        **{name: sizes[name] for name in ("train", "validation", "parameters", "vocabulary")},
        seed=options["seed"],
        articles=ARTICLES,
        sample_seed=SAMPLE_SEED,
        cells=options["cells"],
        batch=options["batch_size"],
        updates=training["updates"],
        best=training["best_update"],
        evaluations=len(training["history"]),
        loss=metrics["validation_loss"],
        minutes=training["seconds"] / 60,
        hardware=provenance()["hardware"].partition("× ")[2],
        weights=metrics["weights_hash"],
    )
    write_text(out / "README.md", card)


if __name__ == "__main__":
    sys.exit(exit_on_input_error(lambda: main(tyro.cli(ShippedOptions))))
