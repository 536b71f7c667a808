"""Printed and damaged headlines by judges of fluency and by a causal language model as it is: JSON for `tables.py --keep fluency`.

    python benchmarks/fluency.py --name Vox --corpus runs/vox/corpus --headlines data/vox --judges linear=runs/vox/judges-1/fluency
        --model Gemma=FOLDER --scores runs/vox/gemma.csv

Printed headlines and damaged ones (`--headlines` holds `attacks/NAME.csv`), the share that each judge accepts. The model accepts what has
at least as high a mean log p a token (the end of the line among them) as 95 % of training headlines; or a mean, and a mean of the three
lowest, as 97.5 % have. Scores are kept.
"""

import csv
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import torch
import tyro
from transformers import AutoModelForCausalLM, AutoTokenizer

from change_it.corpus.folder import read_table
from change_it.judges.judge import Judge
from change_it.scoring.item import read_test_set
from change_it.scoring.systems import built_in_systems, on_same_items
from change_it.stats import AVERAGE, Floats, measure

#: The damaged headlines of the table, and what they are called.
DAMAGED = {
    "gold_words_reversed": "words reversed",
    "key_words": "key words",
    "looped": "looped",
    "bigram_soup": "bigram soup",
    "3_added": "three style words added",
    "3_exchanged": "three exchanged",
    "3_exchanged_best_by_judges": "three exchanged, best by judges",
}
PREFIX, BATCH, SEED = "News headline: ", 16, 1
#: Share of training headlines that a threshold refuses, and training headlines that are read.
REFUSED, TRAINING = 0.05, 150


@dataclass(kw_only=True)
class Options:
    """Ask everything, and print shares."""

    name: str
    """The pair of outlets, in tables."""
    corpus: str
    """Corpus folder."""
    headlines: Path
    """Folder of damaged headlines, `attacks/NAME.csv`."""
    judges: tuple[str, ...]
    """NAME=FOLDER of judges of fluency."""
    model: str | None = None
    """NAME=FOLDER of a causal language model."""
    scores: Path = Path("scores.csv")
    """File in which the model's scores are kept."""
    items: int = 80
    """Headlines of each kind."""


def score(name: str, texts: Sequence[str], file: Path) -> Floats:
    """(n, 2) mean log p a token, and the mean of the three lowest."""
    known = {}
    if file.exists():
        with file.open(newline="", encoding="utf-8") as opened:
            known = {text: (float(mean), float(low)) for text, mean, low in csv.reader(opened)}
    new = sorted({*texts} - {*known}, key=len)
    if new:
        tokenizer = AutoTokenizer.from_pretrained(name, padding_side="right")
        model = AutoModelForCausalLM.from_pretrained(name, dtype=torch.float32).eval()
        with file.open("a", newline="", encoding="utf-8") as opened:
            for at in range(0, len(new), BATCH):
                part = new[at : at + BATCH]
                found = list(_score(model, tokenizer, part))
                csv.writer(opened).writerows([text, *two] for text, two in zip(part, found, strict=True))
                opened.flush()
                known |= dict(zip(part, found, strict=True))
                print(f"{at + len(part)} of {len(new)}", file=sys.stderr, flush=True)
    return np.array([known[text] for text in texts])


@torch.inference_mode()
def _score(model: Any, tokenizer: Any, texts: Sequence[str]) -> Iterator[tuple[float, float]]:
    read = tokenizer([f"{PREFIX}{text}\n" for text in texts], padding=True, return_tensors="pt")
    start = len(tokenizer(PREFIX.rstrip())["input_ids"])
    ids, mask = read["input_ids"], read["attention_mask"]
    states = model.model(input_ids=ids, attention_mask=mask).last_hidden_state[:, start - 1 : -1]
    for row, targets, kept in zip(states, ids[:, start:], mask[:, start:].bool(), strict=True):
        logits = model.lm_head(row[kept])
        log_p = torch.log_softmax(logits, dim=-1).gather(1, targets[kept][:, None])[:, 0]
        yield float(log_p.mean()), float(log_p.sort().values[:3].mean())


def headlines_of(options: Options) -> dict[str, tuple[list[str], list[str]]]:
    """Kind to headlines and their events."""
    test, _ = on_same_items(read_test_set(options.corpus), [])
    items = list(test.items)
    rng = np.random.default_rng(SEED)
    chosen = [items[row] for row in np.sort(rng.permutation(len(items))[: options.items])]
    clauses = next(system for system in built_in_systems(test) if system.name == "clause")
    clause = dict(zip((item.id for item in items), clauses.headlines, strict=True))
    shuffled = [" ".join(rng.permutation(item.reference.split())) for item in chosen]
    events = [str(item.event) for item in chosen]
    kinds = {
        "printed": ([item.reference for item in chosen], events),
        "a clause of the article": ([clause[item.id] or "" for item in chosen], events),
        "words shuffled": (shuffled, events),
    }
    for file, title in DAMAGED.items():
        rows = pl.read_csv(options.headlines / "attacks" / f"{file}.csv", schema_overrides={"id": pl.String})
        text = dict(rows.select("id", "headline").rows())
        kept = [item for item in chosen if text.get(item.id)]
        kinds[title] = ([text[item.id] for item in kept], [str(item.event) for item in kept])
    return kinds


def main(options: Options) -> dict[str, Any]:
    """The rows of a corpus: kind to the share that each judge accepts."""
    kinds = headlines_of(options)
    texts = [text for several, _ in kinds.values() for text in several]
    accepted: dict[str, Any] = {}
    for name, folder in (each.split("=", 1) for each in options.judges):
        accepted[name] = Judge.from_pretrained(folder).probabilities(texts, progress=False)[:, 1] > 0.5
    if options.model:
        name, folder = options.model.split("=", 1)
        training = read_table(options.corpus, "main", "train", ["headline"])["headline"]
        known = score(folder, training.sample(TRAINING, seed=SEED).to_list(), options.scores)
        found = score(folder, texts, options.scores)
        accepted[f"{name}, mean"] = found[:, 0] >= np.quantile(known[:, 0], REFUSED)
        both = found >= np.quantile(known, REFUSED / 2, axis=0)
        accepted[f"{name}, mean and lowest"] = both.all(axis=1)
    rows: dict[str, dict[str, Any]] = {}
    ends = np.cumsum([len(several) for several, _ in kinds.values()])
    for judge, answers in accepted.items():
        for (kind, (several, events)), given in zip(kinds.items(), np.split(answers, ends[:-1]), strict=True):
            columns = {"n": np.ones(len(several)), "yes": given.astype(np.float64)}
            share = measure(
                columns, lambda sums: {"yes": sums["yes"] / sums["n"]}, None, events, shares={"yes": "n"}
            )
            rows.setdefault(kind, {})[f"{options.name}: {judge}"] = list(share[AVERAGE]["yes"])
    return {"fluency": rows}


if __name__ == "__main__":
    given = tyro.cli(Options, description=__doc__)
    with redirect_stdout(sys.stderr):
        result = main(given)
    print(json.dumps(result, indent=1, ensure_ascii=False))
