"""Joint and compliancy on a pair of outlets, every aligned pair tested once: JSON for `tables.py --keep outlets`.

    python benchmarks/outlets.py --name Vox --corpus runs/vox/corpus --out runs/vox/parts
    python benchmarks/outlets.py --name sample --corpus runs/quickstart/corpus --out runs/quickstart/parts --parts 1
    python benchmarks/outlets.py --name Vox --corpus runs/vox/corpus --out runs/vox/minilm --encoder FOLDER --minutes 10

The corpora are those of `change-it corpus build`. The events are dealt to parts. For each part a corpus is built whose test set it is, judges of both folds are trained, and each
fold scores what the other one has chosen (floor); a headline's figures are the mean of both. Attacks are the audit's
perturbations, relative to gold on the same items. What is finished in `--out` is kept, so an interrupted run goes on.
"""

import json
import sys
import time
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import tyro
from judged import gap_z, means, relative

from change_it.audit.measure import read_corpus
from change_it.audit.perturbations import PERTURBATIONS, perturbed
from change_it.commands import corpus_build, train_judge
from change_it.corpus.corpus_options import BuildOptions
from change_it.corpus.folder import read_language, read_outlets, read_table
from change_it.generators.rerank import floor
from change_it.judges.judge_options import Fold, JudgeOptions, Task
from change_it.scoring.compliancy import COMPLIANCY_MEASURES, judge_items
from change_it.scoring.floors_and_predictions import built_in_systems, on_same_items
from change_it.scoring.item import Item, read_test_set
from change_it.scoring.judges import Judges

TASKS: tuple[Task, ...] = ("main", "hh", "ah", "fluency")
FOLDS: tuple[Fold, ...] = ("1", "0")


@dataclass(kw_only=True)
class Options:
    """Train, score, summarise."""

    name: str
    """The pair of outlets, in tables."""
    corpus: Path
    """Corpus folder of `change-it corpus build`."""
    out: Path
    """Folder of corpora, judges and verdicts."""
    parts: int = 5
    """Parts of the events; 1 takes the corpus with its own test set."""
    encoder: str | None = None
    """Pre-trained encoder of the judges that score; linear ones choose, and score when not given."""
    minutes: float | None = None
    """Training time of each judge with an encoder, at most."""
    items: int = 400
    """Headlines of each perturbation and part, at most."""
    seed: int = 1
    """Of parts, judges and perturbations."""
    brief: bool = False
    """main, HH and AH of fold 1 alone, and neither floor nor perturbations."""


def main(options: Options) -> dict[str, Any]:
    """Score all parts, and summarise them."""
    started = time.perf_counter()
    options.out.mkdir(parents=True, exist_ok=True)
    articles = pl.concat([read_table(str(options.corpus), "articles", side) for side in ("train", "test")])
    pairs = pl.concat([read_table(str(options.corpus), "pairs", side) for side in ("train", "test")])
    tested = pairs.filter(pl.col("alignment").is_in(["A1", "A2"]))["event"].unique().sort()
    shuffled = np.random.default_rng(options.seed).permutation(len(tested))
    tables, steps = [], []
    for part, rows in enumerate(np.array_split(shuffled, options.parts)):
        folder = options.out / f"part-{part}"
        corpus = options.corpus if options.parts == 1 else folder / "corpus"
        if not (corpus / "README.md").exists():
            _build(options, articles, {*tested[rows]}, folder)
        for fold, other in (FOLDS, FOLDS[::-1])[: 1 if options.brief else 2]:
            judges = _judges(options, corpus, folder, fold, options.encoder)
            choosers = None if options.brief else _judges(options, corpus, folder, other, None)
            steps.append(judges.main.style_step._asdict() if judges.main.style_step else {})
            done = folder / f"items-{fold}{'-encoder' if options.encoder else ''}.parquet"
            if not done.exists():
                _verdicts(options, str(corpus), judges, choosers).write_parquet(done)
            tables.append(pl.read_parquet(done))
    keys = ["system", "id", "direction"]
    events = articles.select("id", "event")
    items = pl.concat(tables).group_by(keys, maintain_order=True).agg(pl.col(COMPLIANCY_MEASURES).mean())
    items = items.join(events, on="id", how="left", maintain_order="left")
    found = summary(items)
    return {
        "outlets": rows_of(options.name, found),
        "parts": options.parts,
        "encoder": Path(options.encoder).name if options.encoder else "linear",
        "steps": steps,
        **found,
        "seconds": round(time.perf_counter() - started),
    }


def rows_of(name: str, found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The rows of the table: systems with what is between gold and floor, and what perturbations keep."""
    shown = ("n", "events", "compliancy", "style", "hh", "ah", "fluency", "evidence", "joint")
    plain = ("style", "hh", "ah", "fluency", "evidence")
    rows: dict[str, dict[str, Any]] = {}
    for system, cells in found["systems"].items():
        known = {key: cells[key] for key in shown if key in cells}
        rows[f"{name}: `{system}`"] = {key: each[0] if key in plain else each for key, each in known.items()}
    rows[f"{name}: `gold`"] |= {f"z of gold − floor: {key}": f"{z:.1f}" for key, z in found["z"].items()}
    return rows


def _build(options: Options, articles: pl.DataFrame, test: set[str], folder: Path) -> None:
    """A corpus of the same articles, whose test set are the events `test`; what was in the test set joins the strict pairs."""
    split = pl.col("alignment").replace({"A2": "A1"})
    dealt = articles.with_columns(
        alignment=pl.when(pl.col("event").is_in(test)).then(pl.lit("A2")).otherwise(split)
    )
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "articles.parquet"
    dealt.select("id", "label", "date", "headline", "article", "alignment").write_parquet(file)
    labels = ",".join(read_outlets(str(options.corpus)))
    language: Any = read_language(str(options.corpus))
    corpus_build.run(
        BuildOptions(
            files=(str(file),), out=folder / "corpus", labels=labels, language=language, seed=options.seed
        )
    )


def _judges(options: Options, corpus: Path, folder: Path, fold: Fold, encoder: str | None) -> Judges:
    """The four judges of a fold, trained where they are not there."""
    place = folder / f"judges-{fold}{'-encoder' if encoder else ''}"
    for task in TASKS[:3] if options.brief else TASKS:
        if not (place / task / "metrics.json").exists():
            train_judge.run(
                JudgeOptions(
                    task=task,
                    corpus=str(corpus),
                    out=place / task,
                    fold=fold,
                    encoder=encoder,
                    max_minutes=options.minutes if encoder else None,
                    seed=options.seed,
                    resume=encoder is not None,
                )
            )
    return Judges.from_pretrained(place)


def _verdicts(options: Options, corpus: str, judges: Judges, choosers: Judges | None) -> pl.DataFrame:
    """System, id, direction and verdicts of the built-in systems, the floor and the perturbations."""
    test, _ = on_same_items(read_test_set(corpus), [])
    systems = [*built_in_systems(test, seed=options.seed), *([floor(test, choosers)] if choosers else [])]
    named = [(system.name, item) for system in systems for item in test.predicted(system.headlines)]
    resources = read_corpus(corpus, seed=options.seed)
    for name, kind in ({} if options.brief else PERTURBATIONS).items():
        made = perturbed(test.items, kind, resources, seed=options.seed, at_most=options.items)
        by_text: list[Item] = test.predicted([dict(made).get(at) for at in range(len(test.items))])
        named += [(name, item) for item in by_text]
    judged = judge_items(judges, [item for _, item in named], progress=False)
    about = {
        "system": [name for name, _ in named],
        "id": [item.id for _, item in named],
        "direction": [item.direction for _, item in named],
    }
    return pl.DataFrame(about).hstack(judged.select(pl.col(COMPLIANCY_MEASURES).cast(pl.Float64)))


def summary(items: pl.DataFrame) -> dict[str, Any]:
    """Means with intervals of each system; gold less floor over its standard error; attacks relative to gold."""
    systems, attacks = {}, {}
    gold = items.filter(system="gold")
    for name in items["system"].unique(maintain_order=True):
        rows = items.filter(system=name)
        if name in PERTURBATIONS:
            attacks[name] = {"n": rows.height, "joint": _rounded(relative(rows, gold))}
            continue
        systems[name] = {"n": rows.height, "events": rows["event"].n_unique()}
        systems[name] |= {each: _rounded(score) for each, score in means(rows, COMPLIANCY_MEASURES).items()}
    z = {key: gap_z(items, key) for key in ("compliancy", "style", "joint")}
    return {
        "systems": systems,
        "z": {key: round(each, 2) for key, each in z.items() if each is not None},
        "attacks": attacks,
    }


def _rounded(score: Any) -> list[float]:
    return [round(value, 4) for value in score]


if __name__ == "__main__":
    given = tyro.cli(Options, description=__doc__)
    with redirect_stdout(sys.stderr):
        result = main(given)
    print(json.dumps(result, indent=1))
