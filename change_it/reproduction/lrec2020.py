"""LREC 2020: Tables 1, 2, 5 to 7, Figure 2, the newspaper-agnostic generator, and the expectations E1 to E4."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from change_it import __version__
from change_it.corpus.folder import read_outlets, read_report, read_table
from change_it.errors import InputError
from change_it.io import read_records, write_json, write_table
from change_it.published_figures import AGNOSTIC_F1, CLASSIFIER, RANDOM_SPLIT, PublishedF1
from change_it.reproduction.paper_tables import (
    PUBLISHED,
    RESAMPLES,
    Result,
    bootstrapped,
    compared,
    counts_of,
    draw_cells,
    measures_of,
    outlets_note,
    read_results,
)
from change_it.stats import Floats, Ints
from change_it.tables import Column, Row, Table, Value, with_interval

if TYPE_CHECKING:
    from change_it.commands.reproduce import ReproduceOptions

#: Our names of the training sets to the paper's.
NAMES = {"train_d": "train-D", "train_m": "train-M"}
SETS = tuple(NAMES)
#: Tests of a classifier; the paper's Table 5 has them in this order.
GOLD = ("validation gold", "test gold")
GENERATED = ("in-generated", "cross-generated")
AGNOSTIC = "agnostic"
#: The paper's network, and ours, which learns to write within minutes and stands beside it where the paper's is not trained to its end.
PNC = "pnc"
NETWORKS = {"smoke": (PNC, "transformer"), "cpu": (PNC, "transformer"), "full": (PNC,)}
#: What chance is measured by.
BALANCED = "balanced accuracy"
_MEASURES = ("first", "second", "mean")
#: A classifier's answer for a headline: the event of its article, the right outlet, the given one (0 or 1).
Answer = tuple[int, int, int]


def _file(network: str, recipe: str, to: str, of: str) -> str:
    """The name that `plans.toml` gives headlines of a generator of one outlet for the articles of one."""
    return f"{network}-{recipe}-of-{of}.csv" if recipe == AGNOSTIC else f"{network}-{recipe}-{to}-of-{of}.csv"


def condition(test: str, network: str) -> str:
    """Name of headlines that a network wrote."""
    return f"{test} by {network}"


def draw_curve(corpus: str, out: Path) -> None:
    """Draw the number of alignments against the threshold."""
    from change_it.results import charts

    charts.draw_curve(read_report(Path(corpus)), out)


def write_inputs(corpus: str, out: Path) -> None:
    """Write the A2 articles of each outlet."""
    columns = ["id", "label", "headline", "article"]
    for (label,), rows in read_table(corpus, "articles", "test", columns).group_by("label"):
        write_table(out / f"{label}.csv", columns, rows.sort("id").iter_rows())


def classify(corpus: str, out: Path, networks: Sequence[str]) -> None:
    """Ask the classifiers about all headlines; keep their answers, each with the event of its article."""
    from change_it.judges.judge import Judge

    outlets = read_outlets(corpus)
    a, b = outlets
    events = _events(corpus)
    answers: dict[str, dict[str, list[Answer]]] = {}
    shown: list[dict[str, Any]] = []
    hashes = []

    def written(network: str, recipe: str, *directions: tuple[str, str]) -> list[tuple[str, str, int]]:
        """Headlines (to, of), and the outlet that they are to be taken for; those that failed are left out."""
        found = []
        for to, of in directions:
            file = out.parent / "predictions" / _file(network, recipe, to, of)
            records = read_records(file, required=("id", "headline"))
            texts = [(record.cells["id"], record.cells["headline"]) for record in records]
            found += [(id_, text, outlets.index(to)) for id_, text in texts if text]
        return found

    for name in SETS:
        judge = Judge.from_pretrained(out.parent / "classifiers" / name)
        hashes.append(judge.weights_hash[:6])
        parts: dict[str, list[tuple[str, str, int]]] = {}
        for part, split in zip(GOLD, ("validation", "test"), strict=True):
            parts[part] = list(read_table(corpus, name, split, ["id", "headline", "label"]).iter_rows())
        for network in networks:
            inside, crossed = (condition(test, network) for test in GENERATED)
            parts[inside] = written(network, name, (a, a), (b, b))
            parts[crossed] = written(network, name, (a, b), (b, a))
            if name == "train_m":
                parts[condition(AGNOSTIC, network)] = written(network, AGNOSTIC, (a, a), (b, b))
        answers[name] = {}
        for part, rows in parts.items():
            given = judge.probabilities([text for _, text, _ in rows], progress=False).argmax(axis=1).tolist()
            both = list(zip(rows, given, strict=True))
            answers[name][part] = [(events[id_], label, answer) for (id_, _, label), answer in both]
            for outlet in (0, 1) if part != GOLD[0] else ():
                shown += [
                    {
                        "headline": text,
                        "condition": f"{NAMES[name]}, {part}",
                        "outlet": outlets[outlet],
                        "classifier": outlets[answer],
                    }
                    for (_, text, label), answer in [each for each in both if each[0][2] == outlet][:2]
                ]
    write_json(out, {"answers": answers, "examples": shown, "classifiers": hashes})


def _events(corpus: str) -> dict[str, int]:
    """Id of each article that classifiers are asked about to the number of its event."""
    import polars as pl

    parts = [(name, split) for name in SETS for split in ("validation", "test")]
    asked = pl.concat(read_table(corpus, name, split, ["id"]) for name, split in parts)
    articles = pl.concat(read_table(corpus, "articles", side, ["id", "event"]) for side in ("train", "test"))
    events = dict(articles.join(asked, on="id", how="semi").iter_rows())
    numbers = {event: number for number, event in enumerate(dict.fromkeys(events.values()))}
    return {id_: numbers[event] for id_, event in events.items()}


def tables(options: "ReproduceOptions") -> Result:
    """All tables."""
    classified = read_results(options.out / "classified.json")
    found = {
        "table1": random_split(options),
        "table2": aligned(options.corpus),
        "table5": classification(options, classified),
        "agnostic": agnostic(options, classified),
    }
    for network in NETWORKS[options.scale]:
        found[f"expectations-{network}"] = expectations(options, classified, network)
    found |= {"table6": generated(classified), "table7": settings_by_article(options)}
    signature = f"lrec2020|classifiers:{'+'.join(classified['classifiers'])}|resamples:{RESAMPLES[options.scale]}|seed:{options.seed}|v:{__version__}"
    return found, [signature], {}


def _f1(options: "ReproduceOptions", counts: ArrayLike) -> dict[str, Value]:
    """Cells of the F1 of both outlets and their mean, with intervals; counts as `draw_cells` takes them."""
    scores = bootstrapped(counts, RESAMPLES[options.scale], options.seed)
    cells: dict[str, Value] = {key: scores[key]["f1"][0] for key in _MEASURES}
    return cells | {f"{key}_interval": scores[key]["f1"][1] for key in _MEASURES}


def _published(f1: PublishedF1 | None) -> dict[str, float | None]:
    return dict(zip(_MEASURES, f1, strict=True)) if f1 else {}


def _table(corpus: str, rows: list[Row], title: str, *notes: str) -> Table:
    first, second = read_outlets(corpus)
    columns = map(with_interval, _MEASURES, (f"F1 {first}", f"F1 {second}", "mean F1"))
    headlines = Column("row", "text", title="headlines")
    return Table((headlines, *columns), tuple(rows), title, (*notes, outlets_note(corpus)))


def random_split(options: "ReproduceOptions") -> Table:
    """Table 1."""
    metrics = read_results(options.out / "classifiers" / "random" / "metrics.json")
    measured = _f1(options, counts_of(metrics, "gold"))
    rows = compared("classifier", "", _published(RANDOM_SPLIT["classifier"]), measured)
    rows.append(Row({"row": f"human, {PUBLISHED}", **_published(RANDOM_SPLIT["human"])}))
    return _table(options.corpus, rows, "Table 1: classification on a random split")


def aligned(corpus: str) -> Table:
    """Table 2: the pairs nearest to .96, as in the paper, and to both thresholds."""
    import polars as pl

    thresholds = read_report(Path(corpus))["thresholds"]
    columns = ["pair_id", "similarity", "a_headline", "b_headline"]
    pairs = pl.concat([read_table(corpus, "pairs", side, columns) for side in ("train", "test")])
    rows = []
    for target in (0.96, thresholds["strict"], thresholds["loose"]):
        pairs = pairs.sort((pl.col("similarity") - target).abs(), "pair_id", maintain_order=True)
        rows += [Row(row) for row in pairs[:1].drop("pair_id").to_dicts()]
        pairs = pairs[1:]
    first, second = read_outlets(corpus)
    texts = (Column("a_headline", "text", title=first), Column("b_headline", "text", title=second))
    return Table((Column("similarity"), *texts), tuple(rows), "Table 2: aligned headlines")


def classification(options: "ReproduceOptions", classified: Mapping[str, Any]) -> Table:
    """Table 5, without the annotators."""
    rows = []
    for name in SETS:
        printed = CLASSIFIER[NAMES[name]]
        shown = {test: printed[test] for test in GOLD}
        shown |= {condition(test, PNC): printed[test] for test in GENERATED}
        for test, answers in classified["answers"][name].items():
            if not test.startswith(AGNOSTIC):
                measured = _f1(options, _cells(answers, _drawn_from(answers)))
                rows += compared(test, NAMES[name], _published(shown.get(test)), measured)
    title = "Table 5: classification of gold and generated headlines"
    note = "train-D: settings 1 (in-generated) and 3 (cross-generated); train-M: settings 2 and 4."
    return _table(options.corpus, rows, title, note)


def agnostic(options: "ReproduceOptions", classified: Mapping[str, Any]) -> Table:
    """The control."""
    rows = []
    for network in NETWORKS[options.scale]:
        answers = classified["answers"]["train_m"][condition(AGNOSTIC, network)]
        printed: dict[str, float | None] = {"mean": AGNOSTIC_F1} if network == PNC else {}
        rows += compared(network, network, printed, _f1(options, _cells(answers, _drawn_from(answers))))
    return _table(options.corpus, rows, "The newspaper-agnostic generator")


def _cells(answers: Sequence[Answer], events: Sequence[int]) -> Ints:
    """(events, 2, 2) how often each outlet was taken for each, by event."""
    cells = np.zeros((len(events), 2, 2), np.int64)
    event, truth, given = np.array(answers).T
    np.add.at(cells, (np.searchsorted(events, event), truth, given), 1)
    return cells


def _drawn_from(*answers: Sequence[Answer]) -> list[int]:
    """The events of some answers."""
    if not all(answers):
        raise InputError("a test set has no headline to classify: give a corpus of more articles")
    return sorted({event for some in answers for event, _, _ in some})


def answer(drawn: Floats, comparisons: int = 1) -> tuple[str, tuple[float, float]]:
    """Whether drawn values are above 0, and their 95% interval, corrected for a number of comparisons."""
    tail = 0.025 / comparisons
    low, high = np.quantile(drawn, [tail, 1 - tail]).tolist()
    return "yes" if low > 0 else "no" if high < 0 else "undecided", (low, high)


def together(drawn: Sequence[Floats]) -> str:
    """The answer to all of several questions, by (resamples,) differences each.

    It is yes where every answer is, which as an intersection of tests needs no correction. No is said of the worst of them,
    so its interval has Holm's level, that of the smallest p-value: .05 by their number.
    """
    if all(answer(each)[0] == "yes" for each in drawn):
        return "yes"
    return "no" if any(answer(each, len(drawn))[0] == "no" for each in drawn) else "undecided"


def expectations(options: "ReproduceOptions", classified: Mapping[str, Any], network: str) -> Table:
    """E1 to E4 (section 5.3) for generators of a network, each as differences of mean F1 that should be above 0.

    Chance is .5 of balanced accuracy; the mean F1 of answers that know nothing is anything from .33 to .5. What is compared on the test set is of the same articles: a resample draws events, once for all conditions.
    """
    inside, crossed = (condition(test, network) for test in GENERATED)
    f1: dict[tuple[str, str], Floats] = {}  # each the value and then what was drawn
    chance: dict[tuple[str, str], Floats] = {}
    for tests in ((GOLD[0],), (GOLD[1], inside, crossed)):
        answers = {(name, test): classified["answers"][name][test] for name in SETS for test in tests}
        events = _drawn_from(*answers.values())
        for key, some in answers.items():
            cells = _cells(some, events)
            drawn = draw_cells(cells, RESAMPLES[options.scale], options.seed)
            measures = measures_of(np.concatenate([cells.sum(axis=0, keepdims=True), drawn]))
            f1[key] = measures["mean"]["f1"]
            chance[key] = (measures["first"]["recall"] + measures["second"]["recall"]) / 2 - 0.5
    setting = dict(enumerate(((name, test) for test in (inside, crossed) for name in SETS), start=1))
    gold = {name: f1[name, GOLD[1]] for name in SETS}
    gap = {name: f1[name, GOLD[0]] - gold[name] for name in SETS}
    above = {n: {f"setting {n} less .5, {BALANCED}": chance[key]} for n, key in setting.items()}
    asked: dict[str, dict[str, Floats]] = {
        "E1: generated headlines are distinguished above chance, and less well than gold": {
            **{what: values for n in setting for what, values in above[n].items()},
            **{f"gold less setting {n}": gold[key[0]] - f1[key] for n, key in setting.items()},
        },
        "E2: better in setting 2 than in setting 1": {
            "setting 2 less setting 1": f1[setting[2]] - f1[setting[1]]
        },
        "E3: worse on gold of the test set than on validation, with train-D most": {
            **{f"validation less test, {NAMES[name]}": gap[name] for name in SETS},
            "the gap of train-D less that of train-M": gap["train_d"] - gap["train_m"],
        },
        "E4: cross-generated headlines above chance, and below in-newspaper ones": {
            **above[3],
            **above[4],
            "setting 1 less setting 3": f1[setting[1]] - f1[setting[3]],
            "setting 2 less setting 4": f1[setting[2]] - f1[setting[4]],
        },
    }
    rows = []
    for expectation, parts in asked.items():
        every = together([values[1:] for values in parts.values()])
        rows.append(Row({"what": "all", "answer": every}, expectation, strong=True))
        for what, (value, *others) in parts.items():
            said, ends = answer(np.array(others))
            cell: dict[str, Value] = {"what": what, "value": float(value), "interval": ends, "answer": said}
            rows.append(Row(cell, expectation))
    columns = (
        Column("what", "text", title="difference of mean F1"),
        Column("value"),
        Column("interval", "interval", "95% interval"),
        Column("answer", "text"),
    )
    note = "Paired: each resample draws events of the test set, the same for all settings."
    return Table(columns, tuple(rows), f"Expectations E1 to E4, generators: {network}", (note,))


def generated(classified: Mapping[str, Any]) -> Table:
    """Table 6: examples."""
    rows = tuple(Row(row, row["condition"]) for row in classified["examples"])
    columns = tuple(Column(name, "text") for name in ("headline", "outlet", "classifier"))
    return Table(columns, rows, "Table 6: examples")


def settings_by_article(options: "ReproduceOptions") -> Table:
    """Table 7: gold and generated headlines of one article of each newspaper, in all settings."""
    outlets = read_outlets(options.corpus)
    rows = []
    for of in outlets:
        gold = read_records(options.out / "inputs" / f"{of}.csv", required=("id", "headline"))[0].cells
        rows.append(Row({"model": "gold", "headline": gold["headline"]}, of, strong=True))
        for network in NETWORKS[options.scale]:
            for to in (of, *(other for other in outlets if other != of)):
                for recipe in SETS:
                    name = f"{network}, {NAMES[recipe]} of {to}{'' if to == of else ' (crossed)'}"
                    file = options.out / "predictions" / _file(network, recipe, to, of)
                    records = read_records(file, required=("id", "headline"))
                    [new] = [each.cells["headline"] for each in records if each.cells["id"] == gold["id"]]
                    rows.append(Row({"model": name, "headline": new}, of))
    columns = (Column("model", "text"), Column("headline", "text"))
    return Table(columns, tuple(rows), "Table 7: one article in all settings")
