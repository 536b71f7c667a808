r"""What text that is no sentence scores, as a share of gold's score: JSON for `tables.py --keep word_order`.

    python benchmarks/word_order.py --name sample --run runs/quickstart
    python benchmarks/word_order.py --name "CNN, Fox" --run runs/cnnfox \
        --build "data/allsides.parquet --columns label=outlet --labels 'CNN (Web News):cnn,Fox Online
        News:fox' --other-outlets --language en"

With `--build` the corpus is built and linear judges are trained on fold 1; what is finished in `--run` is
kept. Three systems are scored on the test pairs: `gold`, gold's own words in random order, and the longest
word of the original, five times.
"""

import json
import random
import shlex
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import polars as pl
import tyro

from change_it.cli import main as command
from change_it.corpus.test_set import GOLD, Item, read_test_set
from change_it.scoring.panel import Judges
from change_it.scoring.scores import score
from change_it.scoring.settings import ScoreSettings
from change_it.scoring.systems import ScoredSystem, on_same_items
from change_it.stats import AVERAGE, Floats, Statistics, measure

SHUFFLED, REPEATED = "gold's words in random order", "one word five times"
MEASURES = ("compliancy", "acceptability")


def main(name: str, run: Path, build: str = "", seed: int = 1, resamples: int = 1000) -> dict[str, Any]:
    """Return the row of a corpus: gold's scores, and the share of them that each other system keeps."""
    if build:
        prepare(run, build, seed)
    test, _ = on_same_items(read_test_set(str(run / "corpus")), [])
    draw = random.Random(seed)
    headlines = {
        GOLD: [item.reference for item in test.items],
        SHUFFLED: [shuffled(item, draw) for item in test.items],
        REPEATED: [repeated(item) for item in test.items],
    }
    systems = [ScoredSystem(system, tuple(texts)) for system, texts in headlines.items()]
    judges = Judges.from_pretrained(run / "judges")
    settings = ScoreSettings(resamples=resamples, seed=seed)
    scores = score(test, judges, systems, settings, progress=False)
    gold = scores.items[GOLD]
    cells: dict[str, Any] = {"pairs, events": f"{gold.height // 2}, {gold['event'].n_unique()}"}
    cells["gold"] = [scores.row(GOLD).values[name] for name in MEASURES]
    for system in (SHUFFLED, REPEATED):
        kept = (share_kept(scores.items[system], gold, name, resamples) for name in MEASURES)
        cells[system] = list(kept)
    return {"word_order": {name: cells}}


def prepare(run: Path, build: str, seed: int) -> None:
    """Build a corpus and train linear judges on its fold 1, unless they are there."""
    corpus = run / "corpus"
    if not (corpus / "README.md").exists():
        given = [*shlex.split(build), "--test-articles", "0", "--out", str(corpus), "--seed", str(seed)]
        call("corpus", "build", *given)
    if not (run / "judges").exists():
        of_fold = ("--task", "all", "--fold", "1", "--seed", str(seed))
        call("train", "judge", *of_fold, "--corpus", str(corpus), "--out", str(run / "judges"))


def call(*arguments: str) -> None:
    """Run a command of `change-it`."""
    if code := command(list(arguments)):
        raise SystemExit(code)


def shuffled(item: Item, draw: random.Random) -> str:
    """Return the words of the other newspaper's headline in random order."""
    words = item.reference.split()
    return " ".join(draw.sample(words, len(words)))


def repeated(item: Item) -> str:
    """Return the longest word of the original, five times."""
    return " ".join([max(item.source.split(), key=len)] * 5)


def share_kept(system: pl.DataFrame, gold: pl.DataFrame, name: str, resamples: int) -> list[float]:
    """Return a system's mean over gold's on the same items, with the ends of its interval.

    The interval draws events.
    """
    columns = {
        "system": system[name].cast(pl.Float64).to_numpy(),
        "gold": gold[name].cast(pl.Float64).to_numpy(),
    }

    def ratio(sums: Statistics) -> dict[str, Floats]:
        return {"kept": sums["system"] / sums["gold"]}

    found = measure(columns, ratio, None, gold["event"].to_list(), resamples=resamples)
    return [round(end, 4) for end in found[AVERAGE]["kept"]]


if __name__ == "__main__":
    with redirect_stdout(sys.stderr):
        result = tyro.cli(main, description=__doc__)
    print(json.dumps(result, indent=1))
