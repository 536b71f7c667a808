"""CHANGE-IT 2020: judges, examples and scores of the baseline, and a ranking of any number of submissions."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from change_it import published_figures
from change_it.corpus.article import KNOWN_LABELS
from change_it.corpus.folder import read_outlets
from change_it.errors import InputError
from change_it.io import Predictions, named_files, read_records, write_table
from change_it.reproduction.paper_tables import judges_table, read_results, systems_table, weights_of
from change_it.reproduction.reproduce_options import ReproduceOptions
from change_it.reproduction.scales import (
    OUR_WRITER,
    generator_step,
    judge_steps,
    score_step,
    transfer_step,
    writer_note,
    writer_steps,
)
from change_it.results.document import Document, Section
from change_it.scoring.columns import BUILT_IN, PREDICTION_COLUMNS
from change_it.stats import holm
from change_it.steps import Step
from change_it.tables import Column, Row, Table, Value, with_interval

BASELINE = "baseline"
#: Systems whose p-value is below, after Holm's correction, differ.
LEVEL = 0.05
_EXAMPLES = 2


@dataclass(frozen=True)
class Submission:
    """A file in the task's format and where it goes in ours."""

    file: Path
    corpus: str
    out: Path


def plan(options: ReproduceOptions) -> list[Step]:
    """The task's judges, its baseline (PN), the submissions, and the scores of all."""
    judges = judge_steps(options, "papers")
    # Named as in EvalNLGEval 2020, so that a run of it can be reused.
    trained = [generator_step(options, "sum", "sum", "pn", to) for to in read_outlets(options.corpus)]
    transferred = transfer_step(options, "sum", tuple(step.name for step in trained))
    files, submitted = {BASELINE: transferred.makes}, []
    if tuned := writer_steps(options):
        files[OUR_WRITER] = tuned[-1].makes
    taken = (*BUILT_IN, BASELINE, OUR_WRITER)
    for name, file in named_files(
        options.submissions, option="--submissions", example="team=team.csv", taken=taken
    ):
        out = options.out / "submissions" / f"{name}.csv"
        submission = Submission(file, options.corpus, out)
        convert(submission, check=True)
        submitted.append(
            Step(f"submission {name}", f"{__name__}:convert", submission, out, inputs=(file,), seconds=1)
        )
        files[name] = out
    before = tuple(step.name for step in [*judges, transferred, *tuned, *submitted])
    steps = [*judges, *trained, transferred, *tuned, *submitted]
    return [*steps, score_step(options, "papers", files, before)]


def convert(submission: Submission, *, check: bool = False) -> None:
    """Write a submission as a prediction file; with `check` see only that it can be.

    The task's columns are id, headline (the new one), article and label (the outlet of the original); article is not read.
    """
    from change_it.scoring.item import read_test_set

    records = read_records(submission.file, required=("id", "headline"), optional=("label",))
    items = {item.id: item for item in read_test_set(submission.corpus).items}
    rows = [(record.cells["id"], record.cells["headline"], record.cells.get("label")) for record in records]
    ids, headlines, _ = zip(*rows, strict=True)
    others = {
        "without a headline": [id_ for id_, headline, _ in rows if not headline],
        "with the label of another outlet": [
            id_
            for id_, _, label in rows
            if label and id_ in items and KNOWN_LABELS.get(label, label) != items[id_].label
        ],
    }
    if wrong := Predictions.match(ids, headlines, items).faults("not in the test set", others):
        raise InputError(f"{submission.file} is no submission for {submission.corpus}: {wrong}")
    if not check:
        table = ([id_, headline, items[id_].target] for id_, headline, _ in rows)
        write_table(submission.out, (*PREDICTION_COLUMNS, "target"), table)


def document(options: ReproduceOptions) -> Document:
    """Tables 2 to 4 and the ranking."""
    scores = read_results(options.out / "scores" / "papers" / "scores.json")
    systems, title = {"gold": "gold", BASELINE: "SUM"}, "Table 4: the baseline, and gold as upper bound"
    if options.writer:
        systems[OUR_WRITER] = ""
    sections = [
        Section("table2", judges_table(options, ["papers"], "Table 2: judges on gold data")),
        Section("table3", examples(options), "The first headlines of the baseline in each direction."),
        Section(
            "table4", systems_table(options, scores, published_figures.PUBLISHED_SYSTEMS, systems, title)
        ),
        Section(
            "ranking",
            ranking(scores),
            "By the average compliancy of both directions. Systems share a rank where the paired test finds no difference between "
            f"them and the best of the rank (p of {LEVEL:g} or more, Holm's correction for all pairs).",
        ),
    ]
    lead = f"{published_figures.CITATIONS['changeit2020']} Scale: {options.scale}. Weights of the judges: {weights_of(options, 'papers')}."
    lead += writer_note(options)
    return Document("CHANGE-IT 2020, published and measured", lead, sections, [scores["signature"]])


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
    average = {name: rows["average"] for name, rows in scores["systems"].items()}
    ranked = [name for name in average if name not in BUILT_IN]
    pairs = list(combinations(ranked, 2))
    corrected = holm([scores["p_values"][first][second] for first, second in pairs])
    compliancy = {name: average[name]["compliancy"] for name in ranked}
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


def examples(options: ReproduceOptions) -> Table:
    """Headlines of the baseline (Table 3)."""
    import polars as pl

    items = pl.read_csv(options.out / "scores" / "papers" / "items" / f"{BASELINE}.csv", infer_schema=False)
    rows = [
        Row({"source": row["source"], "headline": row["headline"] or ""}, row["direction"])
        for part in items.partition_by("direction", maintain_order=True)
        for row in part.head(_EXAMPLES).to_dicts()
    ]
    columns = (Column("source", "text", title="original"), Column("headline", "text", title="baseline"))
    return Table(columns, tuple(rows), "Table 3: examples of the baseline")
