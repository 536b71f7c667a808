"""What a corpus is worth: its pairs, events, leaks and judges, over several seeds. JSON for `tables.py --keep corpora`.

    python benchmarks/corpora.py --name "CNN, Fox: same day" --runs runs/cnn/1 runs/cnn/2 runs/cnn/3

A run is a folder with `corpus/` (of `change-it corpus build --seed N`) and `parts/` (of `outlets.py --corpus corpus --out
parts --parts 1 --brief --seed N`). Corpora of earlier versions are read too. Cells are the mean
over the seeds, with the least and the most.
"""

import json
import sys
from collections import defaultdict
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import tyro
from judged import read_pairs

from change_it.corpus.alignment import test_neighbours
from change_it.corpus.build import one_event
from change_it.corpus.corpus_options import BuildOptions
from change_it.corpus.folder import read_report, read_table
from change_it.corpus.vectors import tfidf
from change_it.text.stopwords import stop_words


@dataclass(kw_only=True)
class Options:
    """Read runs and summarise them."""

    name: str
    """CORPUS: VERSION; the corpus as in labels/pairs.csv where it is there."""
    runs: tuple[Path, ...]
    """Folders of runs, a seed each."""


def of_corpus(corpus: Path, labelled: pl.DataFrame) -> dict[str, float | None]:
    """Counts of pairs and events, the shares of one event by estimate and by labels, and test articles beside training ones."""
    report = read_report(corpus)
    articles = {side: read_table(str(corpus), "articles", side) for side in ("train", "test", "other")}
    test = read_table(str(corpus), "pairs", "test", ["event", "a_id", "b_id"])
    strict = pl.concat(
        [read_table(str(corpus), "pairs", "train").filter(alignment="A1").select(test.columns), test]
    )
    read = strict.join(labelled, on=["a_id", "b_id"])
    every = pl.concat(rows for rows in articles.values() if rows.height)
    counts = test["event"].value_counts()["count"].to_numpy().astype(float)
    vectors = tfidf(every["article"].to_list(), stop_words=stop_words(report["options"]["language"]))
    options = BuildOptions(files=(), out=corpus, strict=report["thresholds"]["strict"])
    filled = {side: rows for side, rows in articles.items() if rows.height}
    close = test_neighbours(filled, every["id"].to_list(), vectors, options)["articles"]
    return {
        "test pairs": test.height,
        "one event, estimated": one_event(report, "strict") if report.get("days_apart") else None,
        "one event, read": float(read["one_event"].mean()) if read.height else None,
        "pairs read": read.height,
        "largest event": int(every["event"].value_counts()["count"].max()),
        "test pairs are worth": float(counts.sum() ** 2 / (counts**2).sum()),
        "test articles beside training": close / articles["test"].height,
    }


def of_judges(part: Path) -> dict[str, float]:
    """F1 of the judges of fold 1, main's accuracy within an event, and how much they call compliant of gold and clauses."""
    found: dict[str, float] = {}
    for task in ("main", "hh", "ah"):
        metrics = json.loads((part / "judges-1" / task / "metrics.json").read_text())
        found |= {f"{task} {test}": scores["macro_f1"] for test, scores in metrics["results"].items()}
        if within := metrics.get("within_event"):
            found["main within an event"] = within["systems"]["judge"]["value"]
    items = pl.read_parquet(part / "items-1.parquet").group_by("system").agg(pl.col("compliancy").mean())
    shares = dict(items.iter_rows())
    return found | {f"compliancy of {system}": shares[system] for system in ("gold", "clause")}


def main(options: Options) -> dict[str, Any]:
    """The row of a corpus."""
    labelled = read_pairs(options.name.partition(":")[0]).select("a_id", "b_id", "one_event")
    columns: dict[str, list[float]] = defaultdict(list)
    for run in options.runs:
        cells = of_corpus(run / "corpus", labelled) | of_judges(run / "parts" / "part-0")
        for name, value in cells.items():
            if value is not None:
                columns[name].append(value)
    return {
        "corpora": {
            options.name: {
                name: [float(np.mean(values)), min(values), max(values)] for name, values in columns.items()
            }
        },
        "seeds": len(options.runs),
    }


if __name__ == "__main__":
    given = tyro.cli(Options, description=__doc__)
    with redirect_stdout(sys.stderr):
        result = main(given)
    print(json.dumps(result, indent=1, ensure_ascii=False))
