"""The tables of a study, with what LREC 2020 published beside them."""

from math import isfinite

from change_it import published_figures
from change_it.annotation.sheets import GOLDS
from change_it.annotation.study import JUDGE, MAJORITY, PEOPLE, RATER_MEASURES, Study
from change_it.results.document import Document, Section
from change_it.stats import Score
from change_it.tables import Column, Row, Table, Value, with_interval

_DIFFERENCE = f"{JUDGE} less {PEOPLE}"


def document(study: Study) -> Document:
    """Everything that the study found."""
    sections = [
        Section(
            "agreement", agreement(study), "How often people choose the right outlet, and how far they agree."
        ),
        Section(
            "classification",
            classification(study),
            f"Each annotator, their mean (people), what most of them answered (majority){', and the judge main on the same headlines' if study.judged else ''}.",
        ),
    ]
    if study.ratings:
        sections.append(
            Section("ratings", ratings(study), "Mean ratings from 1 to 5, and how far annotators agree.")
        )
    if study.ratings and study.judged and not set(study.conditions) <= {*GOLDS}:
        sections.append(
            Section(
                "correlations", correlations(study), "How far judges and metrics can stand in for people."
            )
        )
    if study.judged:
        sections.append(Section("differences", differences(study)))
    return Document(
        "Which newspaper wrote this headline?",
        f"{len(study.annotators)} annotators and {len(study.key)} headlines. Intervals: 95%, bootstrap over their events.",
        sections,
        [study.signature],
    )


def _cells(scores: dict[str, Score]) -> dict[str, Value]:
    """Values and intervals of scores; None where they are not defined."""
    cells: dict[str, Value] = {}
    for name, score in scores.items():
        cells[name] = score.value if isfinite(score.value) else None
        cells[f"{name}_interval"] = score.interval if all(map(isfinite, score.interval)) else None
    return cells


def agreement(study: Study) -> Table:
    """LREC 2020, Table 4: accuracy of the annotators and Krippendorff's alpha."""
    names = [annotator.name for annotator in study.annotators]
    rows = []
    for condition in study.conditions:
        raters = study.raters(condition)
        people = raters[PEOPLE]
        count = sum(row.condition == condition for row in study.key)
        singles = _cells({name: raters[name]["accuracy"] for name in names})
        cells = _cells({"accuracy": people["accuracy"], "alpha": people["alpha"]})
        rows.append(Row({"condition": condition, "n": count, **singles, **cells}))
    for condition, printed in published_figures.ANNOTATORS.items():
        values: dict[str, Value] = {
            "condition": f"{condition}, published",
            "n": published_figures.ANNOTATED,
            "accuracy": sum(printed.accuracy) / len(printed.accuracy),
            "alpha": printed.alpha,
        }
        rows.append(Row(values, "published"))
    columns = (
        Column("condition", "text"),
        Column("n", "count"),
        *map(Column, names),
        with_interval("accuracy", "mean accuracy"),
        with_interval("alpha", "Krippendorff's α"),
    )
    accuracies = "; ".join(
        f"{name} {' '.join(f'{value:.2f}'.lstrip('0') for value in printed.accuracy)}"
        for name, printed in published_figures.ANNOTATORS.items()
    )
    return Table(
        columns,
        tuple(rows),
        "Accuracy and agreement (LREC 2020, Table 4)",
        (
            f"Published accuracy of the three annotators: {accuracies}.",
            published_figures.CITATIONS["lrec2020"],
        ),
    )


def classification(study: Study) -> Table:
    """LREC 2020, Tables 1 and 5: accuracy and F1 of people and of the judge."""
    first, second = study.outlets
    rows = []
    for condition in study.conditions:
        raters, counts = study.raters(condition), study.counts(condition)
        order = [name for name in raters if name not in (PEOPLE, MAJORITY, JUDGE, "difference")]
        order += [name for name in (PEOPLE, MAJORITY, JUDGE) if name in raters]
        for name in order:
            cells: dict[str, Value] = {"rater": name, "n": counts.get(name), **_cells(raters[name])}
            rows.append(Row(cells, condition, strong=name in (PEOPLE, JUDGE)))
        if "difference" in raters:
            rows.append(Row({"rater": _DIFFERENCE, **_cells(raters["difference"])}, condition))
    printed = {f"{PEOPLE}, {name}": row for name, row in published_figures.PEOPLE.items()}
    printed |= {
        f"{kind}, random split (Table 1)": row for kind, row in published_figures.RANDOM_SPLIT.items()
    }
    printed |= {
        f"classifier of {name}, gold": row["test gold"] for name, row in published_figures.CLASSIFIER.items()
    }
    for name, f1 in printed.items():
        values = dict(zip(("f1_1", "f1_2", "f1"), f1, strict=True))
        rows.append(Row({"rater": f"{name}, published", **values}, "published"))
    titles = dict(zip(RATER_MEASURES, ("accuracy", f"F1 {first}", f"F1 {second}", "mean F1"), strict=True))
    columns = (Column("rater", "text"), Column("n", "count"), *map(with_interval, titles, titles.values()))
    notes: tuple[str, ...] = ()
    if len(study.annotators) > 1:
        notes = ("n: headlines with an answer; the majority has none where votes are even.",)
    return Table(columns, tuple(rows), "People and judge (LREC 2020, Tables 1 and 5)", notes)


def ratings(study: Study) -> Table:
    """Mean ratings of content and fluency by condition, with ordinal alpha."""
    rows = []
    for condition in [*study.conditions, *([None] if len(study.conditions) > 1 else [])]:
        cells: dict[str, Value] = {}
        for question in study.ratings:
            rating = study.rating(condition, question)
            cells |= _cells({question: rating["mean"], f"{question}_alpha": rating["alpha"]})
        rows.append(Row({"condition": condition or "all", **cells}, strong=condition is None))
    columns = [Column("condition", "text")]
    for question in study.ratings:
        columns += [with_interval(question), with_interval(f"{question}_alpha", f"α of {question}")]
    return Table(tuple(columns), tuple(rows), "Ratings", ("α: Krippendorff's, ordinal.",))


def correlations(study: Study) -> Table:
    """Correlation of mean ratings with judges and metrics."""
    rows: dict[str, dict[str, Value]] = {}
    for metric, question, n, pearson, spearman in study.correlations():
        row = rows.setdefault(metric, {"metric": metric, "n": n})
        row |= _cells({f"{question}_pearson": pearson, f"{question}_spearman": spearman})
    columns = [Column("metric", "text"), Column("n", "count")]
    for question in study.ratings:
        columns.append(with_interval(f"{question}_pearson", f"{question}: r"))
        columns.append(with_interval(f"{question}_spearman", f"{question}: ρ"))
    golds = " and ".join(name for name in GOLDS if name in study.conditions)
    left = f"Headlines of all systems, without {golds}; " if golds else ""
    return Table(
        tuple(columns),
        tuple(map(Row, rows.values())),
        "Ratings, judges and metrics",
        (f"{left}r: Pearson, ρ: Spearman, of the mean rating of a headline; P: the judges' probabilities.",),
    )


def differences(study: Study) -> Table:
    """The headlines on which most people and the judge main differ (as LREC 2020's Table 6 shows some)."""
    rows = []
    for record in items(study):
        if record["people"] and record["judge"] and record["people"] != record["judge"]:
            rows.append(Row(record, str(record["condition"])))
    texts = (Column(name, "text") for name in ("headline", "outlet", "people", "votes", "judge"))
    rows.sort(key=lambda row: study.conditions.index(row.group))
    both = sum(bool(record["people"]) for record in items(study))
    return Table(
        (*texts, Column("p", title="its p")),
        tuple(rows),
        f"Where people and judge differ: {len(rows)} of {both} headlines",
    )


def items(study: Study) -> list[dict[str, Value]]:
    """A record for each headline: what it is, what each annotator, most of them and the judge say of it."""
    names = {1: study.outlets[0], 2: study.outlets[1]}
    raters = study.answers
    records = []
    for at, row in enumerate(study.key):
        votes = [annotator.value(row.item, "answer") for annotator in study.annotators]
        most = raters[MAJORITY][at] if MAJORITY in raters else votes[0]
        record: dict[str, Value] = {
            "item": row.item,
            "condition": row.condition,
            "headline": row.headline,
            "outlet": row.outlet,
            "people": names.get(most or 0, ""),
            "votes": f"{votes.count(most)} of {sum(vote is not None for vote in votes)}" if most else "",
            "judge": "",
            "p": None,
        }
        if study.judged:
            first = float(study.judged.p_first[at])
            record |= {"judge": names[int(study.judged.answers[at])], "p": max(first, 1 - first)}
        for annotator in study.annotators:
            record[annotator.name] = names.get(annotator.value(row.item, "answer") or 0, "")
            for question in study.ratings:
                record[f"{annotator.name} {question}"] = annotator.value(row.item, question)
        records.append(record)
    return records
