"""The tables of a study, with what LREC 2020 published beside them."""

from change_it import published
from change_it.annotation.sheets import GOLD
from change_it.annotation.study import JUDGE, MAJORITY, MEASURES, PEOPLE, Estimate, Study
from change_it.results.document import Document, Section
from change_it.tables import Column, Row, Table, Value

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
    if study.ratings and study.judged and study.conditions != [GOLD]:
        sections.append(
            Section(
                "correlations", correlations(study), "How far judges and metrics can stand in for people."
            )
        )
    if study.judged:
        sections.append(Section("differences", differences(study)))
    return Document(
        "Which newspaper wrote this headline?",
        f"{len(study.annotators)} annotators and {len(study.key)} headlines. Intervals: 95%, bootstrap over the headlines.",
        sections,
        [study.signature],
    )


def _cells(measures: dict[str, Estimate]) -> dict[str, Value]:
    """Values and intervals of measures."""
    cells: dict[str, Value] = {name: found.value for name, found in measures.items()}
    return cells | {f"{name}_interval": found.interval for name, found in measures.items()}


def _column(name: str, title: str = "") -> Column:
    """A figure with its interval below."""
    return Column(name, title=title, below=Column(f"{name}_interval", "interval"))


def agreement(study: Study) -> Table:
    """LREC 2020, Table 4: accuracy of the annotators and Krippendorff's alpha."""
    names = [annotator.name for annotator in study.annotators]
    rows = []
    for condition in study.conditions:
        found = study.raters(condition)
        people = found[PEOPLE]
        single: dict[str, Value] = {name: found[name]["accuracy"].value for name in names}
        count = sum(row.condition == condition for row in study.key)
        cells = _cells({"accuracy": people["accuracy"], "alpha": people["alpha"]})
        rows.append(Row({"condition": condition, "n": count, **single, **cells}))
    for condition, printed in published.ANNOTATORS.items():
        mean = sum(printed.accuracy) / len(printed.accuracy)
        values: dict[str, Value] = {
            "condition": f"{condition}, published",
            "n": published.ANNOTATED,
            "accuracy": mean,
            "alpha": printed.alpha,
        }
        rows.append(Row(values, "published"))
    columns = [
        Column("condition", "text"),
        Column("n", "count"),
        *(Column(name) for name in names),
        _column("accuracy", "mean accuracy"),
        _column("alpha", "Krippendorff's α"),
    ]
    singles = "; ".join(
        f"{name} {' '.join(f'{value:.2f}'.lstrip('0') for value in printed.accuracy)}"
        for name, printed in published.ANNOTATORS.items()
    )
    return Table(
        tuple(columns),
        tuple(rows),
        "Accuracy and agreement (LREC 2020, Table 4)",
        (f"Published accuracy of the three annotators: {singles}.", published.CITATIONS["lrec2020"]),
    )


def classification(study: Study) -> Table:
    """LREC 2020, Tables 1 and 5: accuracy and F1 of people and of the judge."""
    first, second = study.outlets
    rows = []
    for condition in study.conditions:
        found, counts = study.raters(condition), study.counts(condition)
        order = [name for name in found if name not in (PEOPLE, MAJORITY, JUDGE, "difference")]
        order += [name for name in (PEOPLE, MAJORITY, JUDGE) if name in found]
        for name in order:
            cells: dict[str, Value] = {"rater": name, "n": counts.get(name), **_cells(found[name])}
            rows.append(Row(cells, condition, strong=name in (PEOPLE, JUDGE)))
        if "difference" in found:
            rows.append(Row({"rater": _DIFFERENCE, **_cells(found["difference"])}, condition))
    printed = {f"{PEOPLE}, {name}": row for name, row in published.PEOPLE.items()}
    printed |= {f"{kind}, random split (Table 1)": row for kind, row in published.RANDOM_SPLIT.items()} | {
        f"classifier of {name}, gold": tests["test gold"] for name, tests in published.CLASSIFIER.items()
    }
    for name, f1 in printed.items():
        values = dict(zip(("f1_1", "f1_2", "f1"), f1, strict=True))
        rows.append(Row({"rater": f"{name}, published", **values}, "published"))
    titles = dict(zip(MEASURES, ("accuracy", f"F1 {first}", f"F1 {second}", "mean F1"), strict=True))
    columns = [
        Column("rater", "text"),
        Column("n", "count"),
        *(_column(name, title) for name, title in titles.items()),
    ]
    notes = (
        ["n: headlines with an answer; the majority has none where votes are even."]
        if len(study.annotators) > 1
        else []
    )
    return Table(tuple(columns), tuple(rows), "People and judge (LREC 2020, Tables 1 and 5)", tuple(notes))


def ratings(study: Study) -> Table:
    """Mean ratings of content and fluency by condition, with ordinal alpha."""
    rows = []
    for condition in [*study.conditions, *([None] if len(study.conditions) > 1 else [])]:
        cells: dict[str, Value] = {}
        for question in study.ratings:
            found = study.rating(condition, question)
            cells |= _cells({question: found["mean"], f"{question}_alpha": found["alpha"]})
        rows.append(Row({"condition": condition or "all", **cells}, strong=condition is None))
    columns = [Column("condition", "text")]
    for question in study.ratings:
        columns += [_column(question), _column(f"{question}_alpha", f"α of {question}")]
    return Table(tuple(columns), tuple(rows), "Ratings", ("α: Krippendorff's, ordinal.",))


def correlations(study: Study) -> Table:
    """Correlation of mean ratings with judges and metrics."""
    rows: dict[str, dict[str, Value]] = {}
    for found in study.correlations():
        row = rows.setdefault(found.metric, {"metric": found.metric, "n": found.n})
        row |= _cells(
            {f"{found.question}_pearson": found.pearson, f"{found.question}_spearman": found.spearman}
        )
    columns = [Column("metric", "text"), Column("n", "count")]
    for question in study.ratings:
        columns += [
            _column(f"{question}_{kind}", f"{question}: {name}")
            for kind, name in (("pearson", "r"), ("spearman", "ρ"))
        ]
    left = f"Headlines of all systems, without {GOLD}; " if GOLD in study.conditions else ""
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
    found = []
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
        found.append(record)
    return found
