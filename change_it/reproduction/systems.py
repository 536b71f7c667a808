"""EvalNLGEval 2020 and CHANGE-IT 2020: judges and systems, published beside measured; a ranking."""

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import kendalltau

from change_it.judges.judge_options import TASKS
from change_it.published_figures import PUBLISHED_JUDGES, PUBLISHED_SYSTEMS
from change_it.reproduction.paper_tables import (
    DIFFERENCE,
    MEASURED,
    PUBLISHED,
    RESAMPLES,
    Result,
    bootstrapped,
    compared,
    counts_of,
    outlets_note,
    read_results,
)
from change_it.scoring.columns import BUILT_IN
from change_it.stats import AVERAGE, holm
from change_it.tables import Column, Row, Table, Value, with_interval

if TYPE_CHECKING:
    from change_it.commands.reproduce import ReproduceOptions

#: The papers' judges are cross-encoders; ours have heads of their own.
KINDS = ("papers", "ours")
BASELINE = "baseline"
#: Our systems to the paper's names, empty where it has none; those of the second line are in its order of systems.
NAMES = {"gold": "gold", "sum": "SUM", "sum-pnc": "SUM", "s2s1": "S2S1", "s2s2": "S2S2", "s2s3": "S2S3"}
COMPARED = {name: NAMES[name] for name in ("sum", "s2s1", "s2s2", "s2s3")}
#: Measures of Table 2 of EvalNLGEval 2020, in its order.
PAPER_MEASURES = ("hh", "ah", "main", "compliancy", "bleu", "rougeL")
#: Systems whose p-value is below, after Holm's correction, differ.
LEVEL = 0.05


def evalnlgeval(options: "ReproduceOptions") -> Result:
    """Tables 1 and 2 by the papers' kind of judges, and Table 2 by ours."""
    names = NAMES if options.scale == "full" else {**NAMES, "sum-transformer": ""}
    found = {"table1": judges_table(options, KINDS, "Table 1: judges on gold data")}
    signatures = []
    for kind in KINDS:
        scores = read_results(options.out / "scores" / kind / "scores.json")
        by = f"by the judges, {kind}"
        found[f"table2-{kind}"] = systems_table(options, scores, names, f"Table 2: systems, {by}")
        found[f"order-{kind}"] = order_table(scores, COMPARED, f"Order of the systems, {by}")
        signatures.append(scores["signature"])
    return found, signatures, {kind: _weights(options, kind) for kind in KINDS}


def changeit(options: "ReproduceOptions") -> Result:
    """Tables 2 to 4 and the ranking."""
    folder = options.out / "scores" / "changeit2020"
    scores = read_results(folder / "scores.json")
    names = {"gold": "gold", BASELINE: "SUM"}
    found = {
        "table2": judges_table(options, KINDS[:1], "Table 2: judges on gold data"),
        "table3": examples(folder),
        "table4": systems_table(options, scores, names, "Table 4: the baseline, and gold as upper bound"),
        "ranking": ranking(scores),
    }
    return found, [scores["signature"]], {"papers": _weights(options, "papers")}


def _metrics(options: "ReproduceOptions", kind: str) -> dict[str, dict[str, Any]]:
    return {task: read_results(options.out / "judges" / kind / task / "metrics.json") for task in TASKS}


def _weights(options: "ReproduceOptions", kind: str) -> str:
    return "+".join(metrics["weights_hash"][:6] for metrics in _metrics(options, kind).values())


def judges_table(options: "ReproduceOptions", kinds: tuple[str, ...], title: str) -> Table:
    """The judges on gold test data, the mismatches of HH and AH random."""
    rows = []
    keys = ("precision", "recall", "f1")
    judges = {kind: _metrics(options, kind) for kind in kinds}
    for task in TASKS:
        printed = [row for row in PUBLISHED_JUDGES if row.judge == task]
        for kind in kinds:
            metrics = judges[kind][task]
            counts = counts_of(metrics, "gold" if task == "main" else "random")
            scores = bootstrapped(counts, RESAMPLES[options.scale], options.seed)
            for which, name, row in zip(("first", "second"), metrics["classes"], printed, strict=True):
                cells: dict[str, Value] = {"class": name, "judge": f"{task}, {kind}"}
                for key in keys:
                    value, ends = scores[which][key]
                    cells |= {f"published_{key}": getattr(row, key), key: value, f"{key}_interval": ends}
                    cells[f"difference_{key}"] = value - getattr(row, key)
                rows.append(Row(cells, task, strong=kind == "papers"))
    columns = [Column("judge", "text"), Column("class", "text")]
    for key in keys:
        columns.append(Column(f"published_{key}", title=f"{key} {PUBLISHED}"))
        columns.append(with_interval(key, MEASURED))
        columns.append(Column(f"difference_{key}", title=DIFFERENCE))
    return Table(tuple(columns), tuple(rows), title, (outlets_note(options.corpus),))


def systems_table(
    options: "ReproduceOptions", scores: Mapping[str, Any], names: Mapping[str, str], title: str
) -> Table:
    """Systems (to the paper's names) by direction: a row published, a row measured, and their difference."""
    first, second = scores["outlets"]
    directions = {"rep2gio": f"{first}2{second}", "gio2rep": f"{second}2{first}", AVERAGE: AVERAGE}
    printed = {(row.system, row.direction): row.measures for row in PUBLISHED_SYSTEMS}
    rows: list[Row] = []
    for ours, theirs in names.items():
        for direction, of_corpus in directions.items():
            score = scores["systems"][ours][of_corpus]
            cells: dict[str, Value] = {name: score[name] for name in ("n", *PAPER_MEASURES)}
            cells |= {f"{name}_interval": tuple(ends) for name, ends in score["intervals"].items()}
            rows += compared(of_corpus, ours, printed.get((theirs, direction), {}), cells, direction)
    columns = (Column("row", "text", "direction"), *map(with_interval, PAPER_MEASURES), Column("n", "count"))
    return Table(columns, tuple(rows), title, (outlets_note(options.corpus),))


def order_table(scores: Mapping[str, Any], names: Mapping[str, str], title: str) -> Table:
    """The systems from the best average down, published and measured, by each measure."""
    printed = {row.system: row.measures for row in PUBLISHED_SYSTEMS if row.direction == AVERAGE}
    rows = []
    for measure in PAPER_MEASURES:
        values = {
            PUBLISHED: {name: printed[theirs][measure] for name, theirs in names.items()},
            MEASURED: {name: scores["systems"][name][AVERAGE][measure] for name in names},
        }
        tau = float(kendalltau(*(list(each.values()) for each in values.values())).statistic)
        cells: dict[str, Value] = {"measure": measure, "tau": None if np.isnan(tau) else tau}
        for column, each in values.items():
            cells[column] = " > ".join(
                names[name] for name in sorted(each, key=each.__getitem__, reverse=True)
            )
        rows.append(Row(cells))
    texts = (Column(name, "text") for name in ("measure", PUBLISHED, MEASURED))
    note = f"τ: Kendall's, of {len(names)} systems: 1 the same order, -1 the reverse."
    return Table((*texts, Column("tau", "correlation", "τ")), tuple(rows), title, (note,))


def ranks(compliancy: Mapping[str, float], p_values: Mapping[tuple[str, str], float]) -> dict[str, int]:
    """Ranks with ties, the best first; the p-value of two systems, in any order, is corrected.

    Examples:
        >>> p_values = {("a", "b"): 0.4, ("a", "c"): 0.01, ("b", "c"): 0.3}
        >>> ranks({"a": 0.5, "b": 0.45, "c": 0.4}, p_values)
        {'a': 1, 'b': 1, 'c': 3}
    """
    by_name: dict[str, int] = {}
    best = ""
    for position, name in enumerate(sorted(compliancy, key=lambda name: -compliancy[name]), start=1):
        p = p_values.get((best, name), p_values.get((name, best), 0.0))
        if not best or p < LEVEL:
            best, rank = name, position
        by_name[name] = rank
    return by_name


def ranking(scores: Mapping[str, Any]) -> Table:
    """Baseline and submissions; the systems that need no model stand below without a rank."""
    average = {name: rows[AVERAGE] for name, rows in scores["systems"].items()}
    compliancy = {name: row["compliancy"] for name, row in average.items() if name not in BUILT_IN}
    pairs = list(combinations(compliancy, 2))
    corrected = holm([scores["p_values"][first][second] for first, second in pairs])
    rank = ranks(compliancy, dict(zip(pairs, corrected, strict=True)))
    measures = ("compliancy", "hh", "ah", "main")
    rows = []
    for name in [*rank, *(name for name in average if name in BUILT_IN)]:
        score = average[name]
        cells: dict[str, Value] = {"system": name, "rank": rank.get(name)}
        for measure in measures:
            cells |= {measure: score[measure], f"{measure}_interval": tuple(score["intervals"][measure])}
        rows.append(Row(cells, "ranked" if name in rank else "for comparison", strong=name in rank))
    columns = (Column("system", "text"), Column("rank", "count"), *map(with_interval, measures))
    return Table(columns, tuple(rows), "Ranking")


def examples(scores: Path) -> Table:
    """The first headlines of the baseline in each direction (Table 3)."""
    import polars as pl

    items = pl.read_csv(scores / "items" / f"{BASELINE}.csv", infer_schema=False)
    first = items.group_by("direction", maintain_order=True).head(2)
    rows = [
        Row({"source": row["source"], "headline": row["headline"] or ""}, row["direction"])
        for row in first.to_dicts()
    ]
    columns = (Column("source", "text", title="original"), Column("headline", "text", title="baseline"))
    return Table(columns, tuple(rows), "Table 3: examples of the baseline")
