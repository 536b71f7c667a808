"""What readers say of headlines, beside the key, each other and the judges (LREC 2020, section 4), and which aligned pairs report one event (section 4.1)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from change_it.corpus.pairing.matching import GOOD
from change_it.corpus.test_set import GOLD, Item
from change_it.errors import InputError
from change_it.judges.spec import MAIN
from change_it.readers import published
from change_it.readers.questions import MODEL, QUESTIONS, judges_of
from change_it.readers.sheets import JUDGE, PEOPLE, Ratings
from change_it.render.tables import Column, Row, Table, Value, figure, records, with_interval
from change_it.stats import AVERAGE, DECIMALS, Aggregate, EventIds, Floats, Score, Statistics, measure
from change_it.version import __version__

if TYPE_CHECKING:
    from change_it.scoring.panel import Judges


def judge_decisions(judges: "Judges", key: pl.DataFrame) -> Ratings:
    """Judge to (n,) decisions: main's outlet, of the others 1 for yes and 2 for no. Sources are those that readers see."""
    outlets, learnt = " and ".join(key.row(0)[-4:-2]), " and ".join(judges.outlets)
    if outlets != learnt:
        raise InputError(f"the key has {outlets}, the judges {learnt}: give judges of this corpus")
    columns = ("id", "label", "outlet", "original", "article", "headline")
    rows = key.select(columns).iter_rows()
    judged = judges.judge([replace(Item(*texts), prediction=new) for *texts, new in rows])
    p_target, at_second = judged["p_target"].to_numpy(), (key["outlet"] != key["choice1"]).to_numpy()
    p_first = np.where(at_second, 1 - p_target, p_target)
    decisions = {MAIN: np.where(p_first >= 0.5, 1.0, 2.0)}
    for name in (name for question in QUESTIONS for name in judges_of(question) if name != MAIN):
        decisions[name] = np.array([{True: 1, False: 2}.get(yes, np.nan) for yes in judged[name]])
    return decisions


def coincidences(ratings: Floats, values: Sequence[int]) -> dict[str, Floats]:
    """Counts of coincidences of each two values within each of n items (n, readers), to be summed for `alpha` (Krippendorff 2011)."""
    counts = np.stack([(ratings == value).sum(axis=1) for value in values], axis=1).astype(np.float64)
    pairs = np.maximum(counts.sum(axis=1) - 1, 1)
    pairs[counts.sum(axis=1) < 2] = np.inf
    return {
        f"{first},{second}": counts[:, i] * (counts[:, j] - (i == j)) / pairs + 0.0
        for (i, first), (j, second) in product(enumerate(values), repeat=2)
    }


def alpha(sums: Statistics, values: Sequence[int]) -> Floats:
    """Krippendorff's ordinal alpha of summed `coincidences` of ordered values: 1 for perfect agreement, 0 for that of chance, nan where fewer than two occur."""
    observed = np.stack([np.stack([sums[f"{row},{column}"] for column in values]) for row in values])
    totals = observed.sum(axis=1)
    places = totals.cumsum(axis=0) - totals / 2
    distance = (places[:, None] - places[None]) ** 2
    disagreement = (observed * distance).sum(axis=(0, 1))
    expected = (totals[:, None] * totals[None] * distance).sum(axis=(0, 1))
    expected = np.where(expected > 0, expected, np.nan)
    return np.asarray(1 - (totals.sum(axis=0) - 1) * disagreement / expected)


def score_cells(scores: Mapping[str, Score]) -> dict[str, Value]:
    """The cells of scores and their intervals, None where they are undefined."""
    cells: dict[str, Value] = {}
    for name, (value, low, high) in scores.items():
        cells[name] = value if isfinite(value) else None
        cells[f"{name}_interval"] = (low, high) if isfinite(low + high) else None
    return cells


def share(hits: Floats, counts: Floats, events: EventIds, seed: int) -> Score:
    """The share of n hits in (n,) numbers of answers, or their weights; intervals draw events."""
    columns, shares = {"hits": hits, "n": counts}, {"share": "n"}
    return _measured(columns, lambda sums: {"share": sums["hits"] / sums["n"]}, events, seed, shares)["share"]


def mean_f1(answers: Floats, truth: Floats, events: EventIds, seed: int) -> Score:
    """The mean F1 of both outlets (LREC 2020, Tables 1 and 5) of (n, readers) answers, 1 or 2, and the (n,) right ones."""
    columns: dict[str, Floats] = {}
    for value in (1, 2):
        chosen, true = answers == value, (truth[:, None] == value) & np.isfinite(answers)
        columns[f"right {value}"] = (chosen & true).sum(axis=1).astype(np.float64)
        columns[f"all {value}"] = (chosen.sum(axis=1) + true.sum(axis=1)).astype(np.float64)

    def aggregate(sums: Statistics) -> dict[str, Floats]:
        return {"f1": np.asarray(sum(sums[f"right {value}"] / sums[f"all {value}"] for value in (1, 2)))}

    return _measured(columns, aggregate, events, seed)["f1"]


def agreement(rated: Floats, events: EventIds, seed: int) -> dict[str, Value]:
    """The share of pairs of (n, readers) answers that are alike, and alpha."""
    values = range(1, int(np.nanmax(rated, initial=1)) + 1)

    def aggregate(sums: Statistics) -> dict[str, Floats]:
        alike = sum(sums[f"{value},{value}"] for value in values)
        return {"agreement": np.asarray(alike / sum(sums.values())), "alpha": alpha(sums, values)}

    return score_cells(_measured(coincidences(rated, values), aggregate, events, seed))


def _measured(
    columns: Statistics,
    aggregate: Aggregate,
    events: EventIds,
    seed: int,
    shares: Mapping[str, str] | None = None,
) -> dict[str, Score]:
    with np.errstate(invalid="ignore"):  # 0 of 0
        return measure(columns, aggregate, events=events, shares=shares, seed=seed)[AVERAGE]


def agreement_table(rated: Mapping[str, Ratings], events: EventIds, seed: int) -> dict[str, Table]:
    """How far each two readers of n items agree on each question, and readers with judges on yes or not; none of one reader."""
    rows = []
    for question, values in rated.items():
        for pair in combinations(values, 2):
            answers = np.column_stack([values[name] for name in pair])
            is_rated = np.isfinite(answers).all(axis=1)
            are_judges = [name.startswith(JUDGE) for name in pair]
            if is_rated.any() and not all(are_judges):
                answers = np.minimum(answers, 2) if any(are_judges) else answers
                cells: dict[str, Value] = {"readers": ", ".join(pair), "n": int(is_rated.sum())}
                rows.append(Row(cells | agreement(answers[is_rated], events[is_rated], seed), question))
    figures = (with_interval("agreement"), with_interval("alpha", "α, ordinal"))
    shown = (Column("readers", "text"), Column("n", "count"), *figures)
    note = f"Who is no {MODEL.strip()} and no {JUDGE.strip()} is a person."
    return {"agreement": Table(shown, rows, "Agreement of each two readers", (note,))} if rows else {}


def signature_of(key: pl.DataFrame, rated: Mapping[str, Ratings], seed: int, judges: str = "") -> str:
    """What the figures depend on, among others the signature of the judges."""
    readers = {reader for ratings in rated.values() for reader in ratings}
    counts = f"readers:{len(readers)}|items:{len(key)}|events:{key['event'].n_unique()}"
    asked = f"|judges:{judges}" if judges else ""
    return f"annotation|{counts}{asked}|resamples:1000|seed:{seed}|v:{__version__}"


def tables_as_json(tables: Mapping[str, Table], signature: str) -> dict[str, Any]:
    """The tables for JSON; an interval is `_low` and `_high`."""
    shown = {}
    for name, table in tables.items():
        header, cells = records(table)
        groups = (row.group for row in table.rows)
        rows = [
            {"group": group, **dict(zip(header, row, strict=True))}
            for group, row in zip(groups, cells, strict=True)
        ]
        shown[name] = {"title": table.title, "rows": rows, "notes": list(table.notes)}
    return {"title": "What readers say", "tables": shown, "signatures": [signature]}


def study_tables(
    key: pl.DataFrame, rated: Mapping[str, Ratings], judged: Ratings, seed: int = 1
) -> dict[str, Table]:
    """A table for each question that was answered, and the agreement of readers; `judged` is of `judge_decisions`, empty without judges."""
    everyone = {}
    for question, ratings in rated.items():
        asked = (judge for judge in judges_of(question) if judge in judged)
        decisions = {f"{JUDGE}{judge}": judged[judge] for judge in asked if np.isfinite(judged[judge]).any()}
        everyone[question] = ratings | decisions
    tables = {question: _shares(question, key, ratings, seed) for question, ratings in everyone.items()}
    return tables | agreement_table(everyone, key["event"].to_numpy(), seed)


def _shares(question: str, key: pl.DataFrame, rated: Ratings, seed: int) -> Table:
    """Shares in which each reader is right, prefers the new headline or says yes; alpha of people (LREC 2020, Table 4)."""
    titles = {"answer": "accuracy", "preferred": "new preferred"}
    seconds = {"answer": ("outlet", "choice2"), "preferred": ("headline", "second")}
    truth, events = np.ones(len(key)), key["event"].to_numpy()
    if question in seconds:
        wanted, second = seconds[question]
        truth += (key[wanted] == key[second]).to_numpy()
    people = [name for name in rated if not name.startswith((MODEL, JUDGE))]
    votes = {name: column[:, None] for name, column in rated.items()}
    if len(people) > 1:
        votes[PEOPLE] = np.column_stack([rated[name] for name in people])
    rows, conditions = [], key["condition"].to_numpy()
    for condition in sorted({*conditions}, key=lambda name: (name != GOLD, name)):
        is_here = conditions == condition
        true, of_events = truth[is_here], events[is_here]
        for name, ratings in votes.items():
            answers = ratings[is_here]
            counts = np.isfinite(answers).sum(axis=1).astype(np.float64)
            if not counts.any():
                continue
            right = (answers == true[:, None]).sum(axis=1).astype(np.float64)
            cells: dict[str, Value] = {"reader": name, "n": int(counts.sum())}
            cells |= score_cells({"share": share(right, counts, of_events, seed)})
            if question == "answer":
                cells |= score_cells({"f1": mean_f1(answers, true, of_events, seed)})
            if name == PEOPLE:
                cells |= agreement(answers, of_events, seed)
            values = enumerate(QUESTIONS[question].answers, 1)
            if not name.startswith(JUDGE):
                cells["answers"] = ", ".join(f"{value}: {(answers == n).sum()}" for n, value in values)
            rows.append(Row(cells, condition, highlight=name == PEOPLE))
    notes = [QUESTIONS[question].text]
    if question == "answer":
        notes.append(published.CITATIONS["lrec2020"])
        for condition, printed in published.ANNOTATORS.items():
            reader = PEOPLE if "alpha" in printed else "a person"
            rows.append(Row({"reader": reader, **printed}, f"{condition}, published"))
    figures = [with_interval("share", titles.get(question, "yes")), with_interval("alpha", "α, ordinal")]
    if question == "answer":
        figures.insert(1, with_interval("f1", "mean F1"))
    shown = (Column("reader", "text"), Column("n", "count"), *figures, Column("answers", "text"))
    return Table(shown, rows, f"{question}: readers and judges", notes)


def lowest_threshold(similarity: Floats, yes: Floats, weight: Floats) -> float | None:
    """The lowest cosine, cut to three decimals, such that `GOOD` of the pairs from there on are one event; None without any."""
    for cosine in np.unique(np.floor(similarity * 1000) / 1000).tolist():
        above = similarity >= cosine
        if round(yes[above].sum() / weight[above].sum(), DECIMALS) >= GOOD:
            return cosine
    return None


def pair_tables(key: pl.DataFrame, answers: Mapping[str, Ratings], seed: int = 1) -> dict[str, Table]:
    """Share of one event of all pairs, by band, by days apart and above the lowest threshold, and agreement of readers; intervals draw events."""
    try:
        key = key.cast({"similarity": pl.Float64, "band": pl.Int64, "band_pairs": pl.Int64})
    except pl.exceptions.InvalidOperationError as error:
        raise InputError("the key has texts where numbers belong: draw the pairs again") from error
    rated = answers["same"]
    is_read = np.isfinite(np.column_stack([*rated.values()])).any(axis=1)
    rated, key = {name: column[is_read] for name, column in rated.items()}, key.filter(pl.Series(is_read))
    opinions = np.column_stack([*rated.values()])
    similarity, events = key["similarity"].to_numpy(), key["event"].to_numpy()
    weight = key.select(pl.col("band_pairs") / pl.len().over("band")).to_series().to_numpy()
    yes = weight * ((opinions == 1).sum(axis=1) > (opinions == 2).sum(axis=1))
    parts = {"all": np.full(len(key), True)}
    for band in key["band"].unique().sort():
        parts[f"cosine {band / 10} to {(band + 1) / 10}"] = key["band"] == band
    days = key["days"].replace_strict({"": "unknown"} | {n: n for n in "0123"}, default="4 or more")
    if days.n_unique() > 1:
        parts |= {f"days apart: {number}": days == number for number in days.unique().sort()}
    note = f"No threshold keeps {figure(GOOD)} one event."
    if (lowest := lowest_threshold(similarity, yes, weight)) is not None:
        parts[f"threshold {figure(lowest)}"] = similarity >= lowest
        note = f"{figure(lowest)} is the lowest threshold that keeps {figure(GOOD)} one event on these pairs: confirm it on others."
    rows = []
    for name, part in parts.items():
        in_part = np.asarray(part)
        one_event = share(yes[in_part], weight[in_part], events[in_part], seed)
        cells = score_cells({"one_event": one_event})
        rows.append(Row({"pairs": name, "n": int(in_part.sum()), **cells}, name.split()[0]))
    weighted = "One event: most readers say so. Shares are of the corpus: a pair stands for all in its band of cosine."
    figures = Column("one_event", title="one event"), Column("one_event_interval", "interval", "interval")
    shown = (Column("pairs", "text"), Column("n", "count"), *figures)
    shares = Table(shown, rows, f"same: {QUESTIONS['same'].text}", (weighted, note))
    return {"same": shares} | agreement_table({"same": rated}, events, seed)
