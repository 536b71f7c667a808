"""Whether aligned pairs report one event, and which HH judge can tell: JSON for `tables.py --keep pairs` and `pairs_hh`.

    python benchmarks/pairs.py --name "Vox, Washington Times" --corpus runs/vox/corpus --judges linear=runs/vox/judges-1/hh e5=runs/vox/e5/hh
        --vectors runs/vectors --encoders MiniLM=FOLDER

labels/pairs.csv has what two readers say of pairs of articles: all of the test set, and some of A1. A judge reads the headlines of
the pairs of the test set; an encoder in `--encoders` is not trained, its cosine is that of `encoders.py`.
"""

import json
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import tyro
from encoders import Vectors
from judged import read_pairs

from change_it.audit.agreement import auc
from change_it.corpus.folder import read_table
from change_it.judges.judge import Judge
from change_it.stats import Floats

#: Cosines between the bands.
BANDS = (0.42, 0.5, 0.6, 0.7)


@dataclass(kw_only=True)
class Options:
    """Count what readers say, and compare judges with it."""

    name: str
    """The pair of outlets, in tables and labels."""
    corpus: str
    """Corpus folder."""
    judges: tuple[str, ...] = ()
    """NAME=FOLDER of HH judges."""
    vectors: Path = Path("vectors")
    """Folder of vectors."""
    encoders: tuple[str, ...] = ()
    """NAME=FOLDER of encoders that are not trained."""


def counts(rows: pl.DataFrame) -> dict[str, Any]:
    """How many pairs report one event: for both readers, and for each."""
    both = int((rows["one_event"]).sum())
    first, second = (int((rows[name] == "yes").sum()) for name in ("same1", "same2"))
    return {"both readers": [both, rows.height, both / rows.height], "first, second": f"{first}, {second}"}


def main(options: Options) -> dict[str, Any]:
    """The rows of a corpus."""
    band = pl.sum_horizontal(pl.col("similarity") >= edge for edge in BANDS)
    read = read_pairs(options.name).with_columns(band=band)
    rows: dict[str, Any] = {}
    for _, of in read.sort("similarity").group_by("band", maintain_order=True):
        low, high = of["similarity"].min(), of["similarity"].max()
        rows[f"{options.name}: {low:.2f} to {high:.2f}"] = counts(of)
    rows[f"{options.name}: all of the test set"] = counts(read.filter(alignment="A2"))
    texts = ["a_id", "b_id", "a_headline", "b_headline", "event"]
    test = read.join(read_table(options.corpus, "pairs", "test", texts), on=["a_id", "b_id"])
    given: dict[str, Floats] = {"tf-idf cosine of the articles": test["similarity"].to_numpy()}
    first, second = test["a_headline"].to_list(), test["b_headline"].to_list()
    for name, folder in (each.split("=", 1) for each in options.judges):
        judge = Judge.from_pretrained(folder)
        both_ways = [
            judge.probabilities(*texts, progress=False)[:, 1] for texts in ((first, second), (second, first))
        ]
        given[f"HH, {name}"] = sum(both_ways) / 2
    for name, folder in (each.split("=", 1) for each in options.encoders):
        vectors = Vectors(name, folder, options.vectors / f"{options.name}-{name}.npz")
        given[f"cosine of {name}, not trained"] = (vectors(first) * vectors(second)).sum(axis=1)
    cells: dict[str, Any] = {}
    for name, p in given.items():
        value, ends = auc(test["one_event"].to_numpy(), p, test["event"].to_numpy())
        cells[name] = {options.name: [value, *(ends or ())]}
    return {"pairs": rows, "pairs_hh": cells}


if __name__ == "__main__":
    options = tyro.cli(Options, description=__doc__)
    with redirect_stdout(sys.stderr):
        result = main(options)
    print(json.dumps(result, indent=1, ensure_ascii=False))
