"""Compare readers' answers with the key, with each other and with the judges.

Headlines are those of LREC 2020, section 4; pairs of articles that may report one event those of section 4.1.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from change_it.corpus.pairing.matching import WANTED_ONE_EVENT
from change_it.corpus.test_set import GOLD, Item
from change_it.errors import InputError
from change_it.judges.spec import MAIN
from change_it.readers import published
from change_it.readers.questions import MODEL, QUESTIONS, judges_of
from change_it.readers.sheets import JUDGE, PEOPLE, Ratings
from change_it.render.tables import Column, Row, Table, Value, figure, records, with_interval
from change_it.stats import AVERAGE, DECIMALS, Aggregate, Bools, EventIds, Floats, Score, Statistics, measure
from change_it.version import __version__

if TYPE_CHECKING:
    from change_it.scoring.panel import Judges


def judge_decisions(judges: "Judges", key: pl.DataFrame) -> Ratings:
    """Ask the judges about the n headlines of a key, with the sources that readers see.

    Returns:
        Judge to (n,) decisions. Those of main are the number of the outlet that it decides for, 1 or 2. Those
        of other judges are 1 for yes, 2 for no and NaN where a judge does not answer.

    Raises:
        InputError: the judges were trained on other outlets than the key's.
    """
    first_row = key.row(0, named=True)
    outlets = f"{first_row['choice1']} and {first_row['choice2']}"
    learnt = " and ".join(judges.outlets)
    if outlets != learnt:
        raise InputError(f"the key has {outlets}, the judges {learnt}: give judges of this corpus")
    items = []
    for row in key.iter_rows(named=True):
        item = Item(
            id=row["id"],
            label=row["label"],
            target=row["outlet"],
            source=row["original"],
            article=row["article"],
            prediction=row["headline"],
        )
        items.append(item)
    judged = judges.judge(items)

    p_target = judged["p_target"].to_numpy()
    is_second_the_target = (key["outlet"] != key["choice1"]).to_numpy()
    p_first = np.where(is_second_the_target, 1 - p_target, p_target)
    decisions = {MAIN: np.where(p_first >= 0.5, 1.0, 2.0)}
    numbers = {True: 1.0, False: 2.0, None: np.nan}
    for question in QUESTIONS:
        for name in judges_of(question):
            if name != MAIN:
                decisions[name] = np.array([numbers[verdict] for verdict in judged[name]])
    return decisions


def coincidences(ratings: Floats, values: Sequence[int]) -> dict[str, Floats]:
    """Count how often each two answers are given to the same item by two readers (Krippendorff 2011).

    `alpha` needs the sums of these counts over items. An item that r readers answered counts r in all.

    Args:
        ratings: (n, readers) answers, NaN where a reader gave none.
        values: the answers that may be given, 1, 2 and so on.

    Returns:
        Two answers, as `1,2`, to (n,) counts; 0 for items that fewer than two readers answered.
    """
    times_given = [(ratings == value).sum(axis=1) for value in values]
    counts = np.stack(times_given, axis=1).astype(np.float64)
    answers = counts.sum(axis=1)
    # an item with a single answer has no coincidence
    others = np.where(answers < 2, np.inf, np.maximum(answers - 1, 1))
    columns = {}
    for i, first in enumerate(values):
        for j, second in enumerate(values):
            of_other_readers = counts[:, j]
            if i == j:
                of_other_readers = of_other_readers - 1
            coincident = counts[:, i] * of_other_readers / others
            # + 0.0 makes -0.0, which 0 times -1 gives, a 0.0
            columns[f"{first},{second}"] = coincident + 0.0
    return columns


def alpha(sums: Statistics, values: Sequence[int]) -> Floats:
    """Return Krippendorff's ordinal alpha of summed `coincidences`.

    1 is perfect agreement, 0 that of chance. It is NaN where fewer than two of the ordered `values` occur. It
    has the shape of the sums.
    """
    rows = []
    for first in values:
        row = [sums[f"{first},{second}"] for second in values]
        rows.append(np.stack(row))
    # (values, values, …), of which the last axes are those of the sums
    observed = np.stack(rows)
    totals = observed.sum(axis=1)
    # the place of a value on the ordinal scale: its mean rank among all answers
    positions = totals.cumsum(axis=0) - totals / 2
    distance = (positions[:, None] - positions[None]) ** 2
    by_chance = totals[:, None] * totals[None]
    disagreement = (observed * distance).sum(axis=(0, 1))
    expected = (by_chance * distance).sum(axis=(0, 1))
    expected = np.where(expected > 0, expected, np.nan)
    answers = totals.sum(axis=0)
    return np.asarray(1 - (answers - 1) * disagreement / expected)


def score_cells(scores: Mapping[str, Score]) -> dict[str, Value]:
    """Return the cells of a table's row for scores and their intervals, None where they are undefined."""
    cells: dict[str, Value] = {}
    for name, (value, low, high) in scores.items():
        cells[name] = value if isfinite(value) else None
        cells[f"{name}_interval"] = (low, high) if isfinite(low + high) else None
    return cells


def share(hits: Floats, counts: Floats, events: EventIds, seed: int) -> Score:
    """Return the share of hits among answers, with an interval that draws events.

    Args:
        hits: (n,) number of an item's answers that are hits, or their weight.
        counts: (n,) number of its answers, or their weight.
        events: (n,) event of each item.
        seed: seed of the interval.
    """

    def aggregate(sums: Statistics) -> dict[str, Floats]:
        return {"share": sums["hits"] / sums["n"]}

    columns = {"hits": hits, "n": counts}
    scores = _measured(columns, aggregate, events, seed, shares={"share": "n"})
    return scores["share"]


def mean_f1(answers: Floats, truth: Floats, events: EventIds, seed: int) -> Score:
    """Return the mean F1 of both outlets (LREC 2020, Tables 1 and 5); the interval draws events.

    Args:
        answers: (n, readers), 1 or 2 for an outlet, NaN for none.
        truth: (n,) right answers.
        events: (n,) event of each item.
        seed: seed of the interval.
    """
    columns: dict[str, Floats] = {}
    is_answered = np.isfinite(answers)
    for outlet in (1, 2):
        is_chosen = answers == outlet
        is_true = (truth[:, None] == outlet) & is_answered
        right = (is_chosen & is_true).sum(axis=1)
        chosen = is_chosen.sum(axis=1)
        true = is_true.sum(axis=1)
        columns[f"right {outlet}"] = right.astype(np.float64)
        columns[f"all {outlet}"] = (chosen + true).astype(np.float64)

    def aggregate(sums: Statistics) -> dict[str, Floats]:
        # F1 is 2 x right / all, and the mean of two F1 half of their sum.
        of_first = sums["right 1"] / sums["all 1"]
        of_second = sums["right 2"] / sums["all 2"]
        return {"f1": np.asarray(of_first + of_second)}

    return _measured(columns, aggregate, events, seed)["f1"]


def agreement(rated: Floats, events: EventIds, seed: int) -> dict[str, Value]:
    """Return the share of equal pairs of (n, readers) answers, and alpha, as cells with their intervals."""
    values = range(1, int(np.nanmax(rated, initial=1)) + 1)

    def aggregate(sums: Statistics) -> dict[str, Floats]:
        equal = sum(sums[f"{value},{value}"] for value in values)
        share_equal = equal / sum(sums.values())
        return {"agreement": np.asarray(share_equal), "alpha": alpha(sums, values)}

    columns = coincidences(rated, values)
    return score_cells(_measured(columns, aggregate, events, seed))


def _measured(
    columns: Statistics,
    aggregate: Aggregate,
    events: EventIds,
    seed: int,
    shares: Mapping[str, str] | None = None,
) -> dict[str, Score]:
    """Return measure to score for all items together; a share of nothing is NaN and raises no warning.

    The arguments are those of `stats.measure`.
    """
    with np.errstate(invalid="ignore"):
        return measure(columns, aggregate, events=events, shares=shares, seed=seed)[AVERAGE]


def agreement_table(rated: Mapping[str, Ratings], events: EventIds, seed: int) -> dict[str, Table]:
    """Show how far each two readers agree on each question, and readers with judges on yes or no.

    Returns:
        The table by its name, `agreement`; nothing where no two readers answered the same items.
    """
    rows = []
    for question, ratings in rated.items():
        for pair in combinations(ratings, 2):
            judges_in_pair = sum(name.startswith(JUDGE) for name in pair)
            answers = np.column_stack([ratings[name] for name in pair])
            is_rated = np.isfinite(answers).all(axis=1)
            if judges_in_pair == 2 or not is_rated.any():
                continue
            if judges_in_pair:
                # a judge knows yes and no alone: a reader's other answers are a no
                answers = np.minimum(answers, 2)
            cells: dict[str, Value] = {"readers": ", ".join(pair), "n": int(is_rated.sum())}
            cells |= agreement(answers[is_rated], events[is_rated], seed)
            rows.append(Row(cells, question))
    if not rows:
        return {}
    columns = [
        Column("readers", format="text"),
        Column("n", format="count"),
        with_interval("agreement"),
        with_interval("alpha", "α, ordinal"),
    ]
    note = f"Who is no {MODEL.strip()} and no {JUDGE.strip()} is a person."
    return {"agreement": Table(columns, rows, "Agreement of each two readers", (note,))}


def signature_of(key: pl.DataFrame, rated: Mapping[str, Ratings], seed: int, judges: str = "") -> str:
    """Return what the figures depend on in one line; `judges` is the judges' own signature."""
    readers: set[str] = set()
    for ratings in rated.values():
        readers.update(ratings)
    parts = [
        "annotation",
        f"readers:{len(readers)}",
        f"items:{len(key)}",
        f"events:{key['event'].n_unique()}",
    ]
    if judges:
        parts.append(f"judges:{judges}")
    parts += ["resamples:1000", f"seed:{seed}", f"v:{__version__}"]
    return "|".join(parts)


def tables_as_json(tables: Mapping[str, Table], signature: str) -> dict[str, Any]:
    """Return the tables as a JSON object; an interval becomes the columns `_low` and `_high`."""
    shown = {}
    for name, table in tables.items():
        header, rows_of_cells = records(table)
        rows = []
        for row, cells in zip(table.rows, rows_of_cells, strict=True):
            by_column = dict(zip(header, cells, strict=True))
            rows.append({"group": row.group, **by_column})
        shown[name] = {"title": table.title, "rows": rows, "notes": list(table.notes)}
    return {"title": "What readers say", "tables": shown, "signatures": [signature]}


def study_tables(
    key: pl.DataFrame, rated: Mapping[str, Ratings], judged: Ratings, seed: int = 1
) -> dict[str, Table]:
    """Make a table for each question that was answered, and one of the agreement of readers.

    Args:
        key: the key of the sheets, n rows.
        rated: question to the answers of each reader.
        judged: decisions of `judge_decisions`; empty without judges.
        seed: seed of the intervals.
    """
    everyone: dict[str, Ratings] = {}
    for question, ratings in rated.items():
        everyone[question] = dict(ratings)
        for judge in judges_of(question):
            if judge in judged and np.isfinite(judged[judge]).any():
                everyone[question][f"{JUDGE}{judge}"] = judged[judge]
    tables = {}
    for question, ratings in everyone.items():
        tables[question] = _shares(question, key, ratings, seed)
    tables.update(agreement_table(everyone, key["event"].to_numpy(), seed))
    return tables


def _right_answers(question: str, key: pl.DataFrame) -> Floats:
    """Return the (n,) answers that count as hits: the right outlet, the new headline, or yes.

    The second choice is answer 2. A question without choices is answered by yes, which is answer 1.
    """
    if question == "answer":
        is_second = key["outlet"] == key["choice2"]
    elif question == "preferred":
        is_second = key["headline"] == key["second"]
    else:
        return np.ones(len(key))
    return 1.0 + is_second.to_numpy()


def _votes(rated: Ratings) -> Ratings:
    """Return reader to (n, 1) answers, and `PEOPLE` to (n, people) answers where there are several people."""
    votes = {name: answers[:, None] for name, answers in rated.items()}
    people = [name for name in rated if not name.startswith((MODEL, JUDGE))]
    if len(people) > 1:
        votes[PEOPLE] = np.column_stack([rated[name] for name in people])
    return votes


def _shares(question: str, key: pl.DataFrame, rated: Ratings, seed: int) -> Table:
    """Show the share in which each reader is right, prefers the new headline or says yes.

    The rows are grouped by condition: gold, then the systems. Where several people answered, they have a row
    together, with alpha, as in LREC 2020, Table 4.
    """
    is_about_outlets = question == "answer"
    right_answers = _right_answers(question, key)
    events = key["event"].to_numpy()
    conditions = key["condition"].to_numpy()
    votes = _votes(rated)
    rows = []
    for condition in sorted({*conditions}, key=lambda name: (name != GOLD, name)):
        is_here = conditions == condition
        right = right_answers[is_here]
        events_here = events[is_here]
        for name, ratings in votes.items():
            answers = ratings[is_here]
            counts = np.isfinite(answers).sum(axis=1).astype(np.float64)
            if not counts.any():
                continue
            is_hit = answers == right[:, None]
            hits = is_hit.sum(axis=1).astype(np.float64)
            cells: dict[str, Value] = {"reader": name, "n": int(counts.sum())}
            cells |= score_cells({"share": share(hits, counts, events_here, seed)})
            if is_about_outlets:
                cells |= score_cells({"f1": mean_f1(answers, right, events_here, seed)})
            if name == PEOPLE:
                cells |= agreement(answers, events_here, seed)
            if not name.startswith(JUDGE):
                cells["answers"] = _counted_answers(question, answers)
            rows.append(Row(cells, condition, highlight=name == PEOPLE))
    notes = [QUESTIONS[question].text]
    if is_about_outlets:
        notes.append(published.CITATIONS["lrec2020"])
        rows += _published_rows()
    columns = _columns_of_shares(question)
    return Table(columns, rows, f"{question}: readers and judges", notes)


def _counted_answers(question: str, answers: Floats) -> str:
    """Return how often each answer was given, such as `yes: 12, no: 3`."""
    counted = []
    for number, answer in enumerate(QUESTIONS[question].answers, 1):
        counted.append(f"{answer}: {(answers == number).sum()}")
    return ", ".join(counted)


def _published_rows() -> list[Row]:
    """Return the rows of what LREC 2020 printed about its readers."""
    rows = []
    for condition, printed in published.ANNOTATORS.items():
        reader = PEOPLE if "alpha" in printed else "a person"
        rows.append(Row({"reader": reader, **printed}, f"{condition}, published"))
    return rows


def _columns_of_shares(question: str) -> list[Column]:
    """Return the columns of a question's table, with mean F1 where it asks for the outlet."""
    share_titles = {"answer": "accuracy", "preferred": "new preferred"}
    columns = [
        Column("reader", format="text"),
        Column("n", format="count"),
        with_interval("share", share_titles.get(question, "yes")),
    ]
    if question == "answer":
        columns.append(with_interval("f1", "mean F1"))
    return [*columns, with_interval("alpha", "α, ordinal"), Column("answers", format="text")]


def lowest_threshold(similarity: Floats, yes: Floats, weight: Floats) -> float | None:
    """Return the lowest cosine above which `WANTED_ONE_EVENT` of the pairs report one event, or None.

    Args:
        similarity: (n,) cosines of the pairs that were read.
        yes: (n,) the weight of a pair that reports one event, 0 for another one.
        weight: (n,) number of pairs of the corpus that each read pair stands for.

    Returns:
        The cosine, cut to three decimals.
    """
    for cosine in np.unique(np.floor(similarity * 1000) / 1000).tolist():
        above = similarity >= cosine
        share_of_yes = yes[above].sum() / weight[above].sum()
        if round(share_of_yes, DECIMALS) >= WANTED_ONE_EVENT:
            return cosine
    return None


def _groups_of_pairs(key: pl.DataFrame) -> dict[str, Bools]:
    """Return the name of each group of pairs that is shown to its (n,) marks.

    The groups are all pairs, those of each band (a tenth of the cosine), and those so many days apart.
    """
    groups = {"all": np.full(len(key), True)}
    for band in key["band"].unique().sort():
        name = f"cosine {band / 10} to {(band + 1) / 10}"
        groups[name] = (key["band"] == band).to_numpy()
    names_of_days = {"": "unknown", "0": "0", "1": "1", "2": "2", "3": "3"}
    days = key["days"].replace_strict(names_of_days, default="4 or more")
    names = days.unique().sort()
    if len(names) > 1:
        for name in names:
            groups[f"days apart: {name}"] = (days == name).to_numpy()
    return groups


def pair_tables(key: pl.DataFrame, answers: Mapping[str, Ratings], seed: int = 1) -> dict[str, Table]:
    """Show the share of pairs that report one event, and the agreement of readers.

    Shares are of all pairs, by band of cosine, by days apart and above the lowest threshold that keeps
    `WANTED_ONE_EVENT`. Intervals draw events.

    Raises:
        InputError: the key has texts in a column of numbers.
    """
    try:
        key = key.cast({"similarity": pl.Float64, "band": pl.Int64, "band_pairs": pl.Int64})
    except pl.exceptions.InvalidOperationError as error:
        raise InputError("the key has texts where numbers belong: draw the pairs again") from error
    all_answers = np.column_stack(list(answers["same"].values()))
    is_read = np.isfinite(all_answers).any(axis=1)
    rated = {name: column[is_read] for name, column in answers["same"].items()}
    key = key.filter(pl.Series(is_read))
    opinions = np.column_stack(list(rated.values()))
    times_yes = (opinions == 1).sum(axis=1)
    times_no = (opinions == 2).sum(axis=1)
    is_one_event = times_yes > times_no
    similarity = key["similarity"].to_numpy()
    events = key["event"].to_numpy()
    # the pairs of a band that were read stand for all of them
    read_of_band = pl.len().over("band")
    weights = key.select(weight=pl.col("band_pairs") / read_of_band)
    weight = weights["weight"].to_numpy()
    yes = np.where(is_one_event, weight, 0.0)

    groups = _groups_of_pairs(key)
    lowest = lowest_threshold(similarity, yes, weight)
    if lowest is None:
        note = f"No threshold keeps {figure(WANTED_ONE_EVENT)} one event."
    else:
        groups[f"threshold {figure(lowest)}"] = similarity >= lowest
        note = (
            f"{figure(lowest)} is the lowest threshold that keeps {figure(WANTED_ONE_EVENT)} one event "
            "on these pairs: confirm it on others."
        )
    rows = []
    for name, is_here in groups.items():
        one_event = share(yes[is_here], weight[is_here], events[is_here], seed)
        cells: dict[str, Value] = {"pairs": name, "n": int(is_here.sum())}
        cells |= score_cells({"one_event": one_event})
        rows.append(Row(cells, name.split()[0]))
    meaning = (
        "One event: most readers say so. "
        "Shares are of the corpus: a pair stands for all in its band of cosine."
    )
    columns = [
        Column("pairs", format="text"),
        Column("n", format="count"),
        Column("one_event", title="one event"),
        Column("one_event_interval", format="interval", title="interval"),
    ]
    table = Table(columns, rows, f"same: {QUESTIONS['same'].text}", (meaning, note))
    return {"same": table, **agreement_table({"same": rated}, events, seed)}
