"""Print the five tests that were written down before labels/fresh.csv was read.

It prints JSON for `tables.py --keep fresh_labels`.

    python benchmarks/fresh_labels.py

It has the tables `fresh_systems` and `fresh_thresholds`, too.

labels/fresh.csv has what two readings, and a third where they differ, say of headlines, beside the measures
that `change-it audit --labels` writes into labels.csv, without the texts, which are newspapers'. An answer is
that of two readings; *supported* is yes alone. Intervals are over events, those of a mean with the events of
each corpus drawn apart.
"""

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import tyro
from sklearn.metrics import cohen_kappa_score

from change_it.readers.labels import auc_counts, auc_of
from change_it.stats import AVERAGE, Aggregate, Floats, Statistics, measure

LABELS = Path(__file__).with_name("labels") / "fresh.csv"
QUESTIONS = {
    "story": "same story",
    "supported": "supported",
    "printable": "printable",
    "accept": "accepted",
    "preferred": "preferred",
}
#: Measures and what they are called; the judge of a question is tested on it.
MEASURES = {
    "p_hh": "HH",
    "p_ah": "AH",
    "p_fluency": "fluency",
    "acceptability": "acceptability",
    "rougeL_source": "ROUGE-L",
    "length": "words",
    "p_hh_minilm": "HH by MiniLM",
    "p_hh_e5": "HH by e5",
    "p_fluency_minilm": "fluency by MiniLM",
    "acceptability_minilm": "acceptability, fluency by MiniLM",
}
OWN = {"hh": "story", "ah": "supported", "fluency": "printable"}
SENTINELS = ("rougeL_source", "length")
#: Corpus, or `mean`, to a value and its interval.
Cells = dict[str, list[float]]


def read() -> pl.DataFrame:
    """The labels and measures; an answer is null where the question was not asked."""
    rows = pl.read_csv(LABELS, infer_schema_length=None)
    for name in QUESTIONS:
        yes = [(pl.col(f"{name}{reading}") == "yes").cast(pl.Int8) for reading in (1, 2, 3)]
        asked = pl.col(f"{name}1").is_not_null()
        rows = rows.with_columns(pl.when(asked).then(pl.sum_horizontal(yes) >= 2).alias(name))
    rest = pl.col("p_hh") * pl.col("p_ah") * pl.col("evidence")
    return rows.with_columns(acceptability_minilm=rest * pl.col("p_fluency_minilm"))


def figures(rows: pl.DataFrame, statistics: Statistics, aggregate: Aggregate, resamples: int) -> Cells:
    """The measure `value` of an aggregate on each corpus, and their mean."""
    corpora, events = rows["corpus"].to_list(), (rows["corpus"] + "|" + rows["event"]).to_numpy()
    with np.errstate(invalid="ignore", divide="ignore"):  # 0 of 0
        found = measure(statistics, aggregate, corpora, events, resamples=resamples)
    cells = {name: [*scores["value"]] for name, scores in found.items()}
    mean = cells.pop(AVERAGE)
    return cells if len(cells) == 1 else cells | {"mean": mean}


def auc(rows: pl.DataFrame, question: str, measures: tuple[str, ...], resamples: int) -> Cells:
    """The AUC of a measure for a question; of two what the first has more."""
    rows = rows.drop_nulls([question, *measures])
    right = rows[question].to_numpy()
    counts = [auc_counts(right, rows[name].to_numpy()) for name in measures]
    columns = {
        f"{place} {name}": values for place, part in enumerate(counts) for name, values in part.items()
    }
    ends = np.cumsum([len(part) for part in counts])[:-1]

    def aggregate(sums: Statistics) -> dict[str, Floats]:
        names = np.split(np.array([*sums]), ends)
        values = [auc_of({name: sums[name] for name in part}) for part in names]
        return {"value": values[0] - values[1] if len(values) > 1 else values[0]}

    return figures(rows, columns, aggregate, resamples)


def difference(rows: pl.DataFrame, column: str, groups: tuple[pl.Expr, pl.Expr], resamples: int) -> Cells:
    """The mean of a column in one group less that in another."""
    rows = rows.drop_nulls(column)
    statistics: dict[str, Floats] = {}
    for name, group in zip("ab", groups, strict=True):
        chosen = rows.select(chosen=group.cast(pl.Float64))["chosen"].to_numpy()
        statistics |= {f"sum {name}": chosen * rows[column].cast(pl.Float64).to_numpy(), name: chosen}

    def aggregate(sums: Statistics) -> dict[str, Floats]:
        return {"value": np.asarray(sums["sum a"] / sums["a"] - sums["sum b"] / sums["b"])}

    return figures(rows, statistics, aggregate, resamples)


def halves(name: str) -> tuple[pl.Expr, pl.Expr]:
    """The better half of each corpus by a measure, and the other."""
    better = pl.col(name).rank("ordinal", descending=True).over("corpus") <= pl.len().over("corpus") // 2
    return better, ~better


def systems(*names: str) -> tuple[pl.Expr, pl.Expr]:
    """The headlines of two systems."""
    one, other = names
    return pl.col("system") == one, pl.col("system") == other


def order(rows: pl.DataFrame, resamples: int) -> list[int]:
    """Count the pairs of systems that acceptability orders as readers do, and all that are compared.

    Compared are the systems of one corpus whose shares accepted surely differ.
    """
    right = pairs = 0
    for both in combinations(rows["system"].unique(maintain_order=True).to_list(), 2):
        [(share, low, high)] = difference(rows, "accept", systems(*both), resamples).values()
        if low * high > 0:
            [(by_measure, *_)] = difference(rows, "acceptability", systems(*both), 1).values()
            pairs, right = pairs + 1, right + (by_measure * share > 0)
    return [right, pairs]


def agreement(rows: pl.DataFrame, question: str) -> list[float]:
    """The share of headlines on which the first two readings agree, yes or not, and Cohen's kappa."""
    asked = rows.drop_nulls(f"{question}1")
    first, second = ((asked[f"{question}{reading}"] == "yes").to_numpy() for reading in (1, 2))
    return [float((first == second).mean()), float(cohen_kappa_score(first, second))]


def main(resamples: int = 1000) -> dict[str, Any]:
    """The tables."""
    rows = read()
    no_copies = rows.filter(~pl.col("copy"))
    written = no_copies.filter("written")
    tests: dict[str, Any] = {}

    def add(row: str, *columns: Cells) -> None:
        tests[row] = {name: [cells.get(name) for cells in columns] for name in columns[0]}

    for name, title in MEASURES.items():
        if name in SENTINELS:
            continue
        own = OWN[name.split("_")[1]] if name.startswith("p_") else "preferred"
        asked = (own, "accept") if name.startswith("p_") else ("accept", own)
        named = "; ".join(QUESTIONS[question] for question in asked)
        add(f"{title}: {named}", *(auc(written, question, (name,), resamples) for question in asked))
    by_sentinel = (auc(written, "accept", (sentinel,), resamples) for sentinel in SENTINELS)
    add("ROUGE-L; words: accepted", *by_sentinel)
    for sentinel in SENTINELS:
        for title, part in (("without copies", no_copies), ("written", written)):
            leads = (
                auc(part, question, ("acceptability", sentinel), resamples)
                for question in ("accept", "preferred")
            )
            add(f"acceptability − {MEASURES[sentinel]}, {title}: accepted; preferred", *leads)
    better = (
        difference(written, "accept", halves(name), resamples) for name in ("acceptability", "rougeL_source")
    )
    add("accepted, better half − other half by acceptability; ROUGE-L", *better)
    orders = (("acceptability", "gold", "clause"), ("style", "gold", "clause"), ("style", "clause", "copy"))
    gaps = (difference(rows, column, systems(*pair), resamples) for column, *pair in orders)
    add("gold − clause: acceptability; style; clause − copy: style", *gaps)
    by_corpus = {str(name): part for (name,), part in rows.group_by("corpus", maintain_order=True)}
    ordered = {name: order(part, resamples) for name, part in by_corpus.items()}
    tests["pairs of systems in the reader's order"] = ordered
    tests[f"two readings agree, kappa: {'; '.join(QUESTIONS.values())}"] = {
        name: [agreement(part, question) for question in QUESTIONS] for name, part in by_corpus.items()
    }
    counts: dict[str, dict[str, str]] = {}
    for (corpus, system), part in rows.group_by("corpus", "system", maintain_order=True):
        yes = ", ".join(str(int(part[question].sum())) for question in QUESTIONS)
        value = float(part["acceptability"].mean())  # type: ignore[arg-type]  # a number
        counts.setdefault(f"`{system}`", {})[str(corpus)] = f"{yes} of {part.height}; {value:.3f}"
    return {"fresh_labels": tests, "fresh_systems": counts, "fresh_thresholds": thresholds(rows)}


def thresholds(rows: pl.DataFrame) -> dict[str, dict[str, str]]:
    """Return what judges accept at .5 and what the reader accepts, for each system and corpus.

    HH stands beside *same story*, AH beside *supported*, compliancy beside *accepted*.
    """
    pairs = {
        "same story": (pl.col("p_hh") > 0.5, pl.col("story")),
        "supported": (pl.col("p_ah") > 0.5, pl.col("supported")),
        "accepted": (pl.col("compliancy") > 0.5, pl.col("accept")),
    }
    found: dict[str, dict[str, str]] = {}
    for (corpus, system), part in rows.group_by("corpus", "system", maintain_order=True):
        cells = []
        for by_judge, by_reader in pairs.values():
            judge, reader = (int(part.select(chosen.sum()).item()) for chosen in (by_judge, by_reader))
            cells.append(f"{judge}, {reader}")
        found.setdefault(f"`{system}`", {})[str(corpus)] = f"{'; '.join(cells)} of {part.height}"
    return found


if __name__ == "__main__":
    print(json.dumps(tyro.cli(main, description=__doc__), indent=1))
