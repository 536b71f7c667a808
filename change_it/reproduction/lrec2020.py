"""LREC 2020: Tables 1, 2, 5 to 7, Figure 2, the newspaper-agnostic generator, and the expectations E1 to E4."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from change_it import __version__, published_figures
from change_it.corpus.folder import read_outlets, read_report
from change_it.corpus.splits import events_of
from change_it.errors import InputError
from change_it.generators.generator_options import TRANSFORMER, Recipe
from change_it.io import read_records, write_json, write_table
from change_it.reproduction.paper_tables import (
    PUBLISHED,
    balanced_accuracy,
    bootstrapped,
    compared,
    counts_of,
    draw_cells,
    f1_of,
    outlets_note,
    read_results,
)
from change_it.reproduction.reproduce_options import ReproduceOptions, Scale
from change_it.reproduction.scales import RESAMPLES, classifier_step, generator_step, transfer_step
from change_it.results.document import Document, Section
from change_it.stats import Floats, Ints
from change_it.steps import Step
from change_it.tables import Column, Row, Table, Value, with_interval

SETS: tuple[Recipe, ...] = ("train_d", "train_m")
#: Ours to the paper's name of a training set.
NAMES = {"train_d": "train-D", "train_m": "train-M"}
#: Tests of a classifier; the paper's Table 5 has them in this order.
GOLD = ("validation gold", "test gold")
GENERATED = ("in-generated", "cross-generated")
AGNOSTIC: Recipe = "agnostic"
#: A classifier's prediction for a headline: the event of its article, the right outlet, the predicted one (0 or 1).
Prediction = tuple[int, int, int]
#: The paper's network, and ours, which learns to write within minutes and stands beside it where the paper's is not trained to its end.
PNC = "pnc"
NETWORKS: dict[Scale, tuple[str, ...]] = {
    "smoke": (PNC, TRANSFORMER),
    "cpu": (PNC, TRANSFORMER),
    "full": (PNC,),
}
_EXAMPLES = 2


@dataclass(frozen=True)
class Inputs:
    """A corpus, and what is written of it."""

    corpus: str
    out: Path


@dataclass(frozen=True)
class Classifying:
    """What the classifiers are asked about, and where the counts go."""

    corpus: str
    run: Path
    out: Path
    networks: tuple[str, ...]


def plan(options: ReproduceOptions) -> list[Step]:
    """Three classifiers, five generators a network, their headlines in- and cross-newspaper, and their classification."""
    outlets = read_outlets(options.corpus)
    curve = options.out / "figure2.png"
    inputs = Step(
        "test articles", f"{__name__}:write_inputs", Inputs(options.corpus, options.out / "inputs"),
        options.out / "inputs" / f"{outlets[1]}.csv", seconds=1,
    )  # fmt: skip
    steps = [
        Step(
            "Figure 2",
            f"{__name__}:write_curve",
            Inputs(options.corpus, curve),
            curve,
            seconds=3,
        ),
        inputs,
        *(classifier_step(options, name) for name in ("random", "train_d", "train_m")),
    ]
    networks = NETWORKS[options.scale]
    for network in networks:
        for recipe in SETS:
            for to in outlets:
                trained = generator_step(options, f"{network}-{recipe}", recipe, network, to)
                steps.append(trained)
                for of in outlets:
                    steps.append(_headlines(options, network, recipe, to, of, trained))
        trained = generator_step(options, f"{network}-{AGNOSTIC}", AGNOSTIC, network, None)
        steps.append(trained)
        steps += [_headlines(options, network, AGNOSTIC, of, of, trained) for of in outlets]
    out = options.out / "classified.json"
    before = tuple(step.name for step in steps)
    settings = Classifying(options.corpus, options.out, out, networks)
    return [*steps, Step("classification", f"{__name__}:classify", settings, out, needs=before, seconds=20)]


def _headlines(options: ReproduceOptions, network: str, recipe: str, to: str, of: str, trained: Step) -> Step:
    """Headlines of a generator of one outlet for the test articles of one."""
    settings = {
        "generator": str(options.out / "generators" / f"{network}-{recipe}"),
        "corpus": None,
        "input": str(options.out / "inputs" / f"{of}.csv"),
        "to": to,
    }
    return transfer_step(options, _file(network, recipe, to, of), (trained.name, "test articles"), **settings)


def _file(network: str, recipe: str, to: str, of: str) -> str:
    return f"{network}-{recipe}-of-{of}" if recipe == AGNOSTIC else f"{network}-{recipe}-{to}-of-{of}"


def write_curve(settings: Inputs) -> None:
    """Draw Figure 2."""
    from change_it.results.charts import draw_curve

    draw_curve(read_report(Path(settings.corpus)), settings.out)


def write_inputs(settings: Inputs) -> None:
    """Write the A2 articles of each outlet."""
    from change_it.corpus.folder import read_table

    columns = ["id", "label", "headline", "article"]
    for (label,), rows in read_table(settings.corpus, "articles", "test", columns).group_by("label"):
        write_table(settings.out / f"{label}.csv", columns, rows.sort("id").iter_rows())


def classify(settings: Classifying) -> None:
    """Ask the classifiers about all headlines; keep their answers, each with the event of its article."""
    from change_it.corpus.folder import read_table
    from change_it.judges.judge import Judge

    outlets = read_outlets(settings.corpus)
    events = _events(settings.corpus)
    answers: dict[str, dict[str, list[Prediction]]] = {}
    shown: list[dict[str, Any]] = []
    hashes = []

    def written(network: str, recipe: str, to: str, of: str) -> list[tuple[str, str, int]]:
        """Headlines, and the outlet that they are to be taken for; those that failed are left out."""
        file = settings.run / "predictions" / f"{_file(network, recipe, to, of)}.csv"
        records = read_records(file, required=("id", "headline"))
        texts = [(record.cells["id"], record.cells["headline"]) for record in records]
        return [(id_, text, outlets.index(to)) for id_, text in texts if text]

    for name in SETS:
        judge = Judge.from_pretrained(settings.run / "classifiers" / name)
        hashes.append(judge.weights_hash[:6])
        parts: dict[str, list[tuple[str, str, int]]] = {}
        for part, split in zip(GOLD, ("validation", "test"), strict=True):
            parts[part] = list(
                read_table(settings.corpus, name, split, ["id", "headline", "label"]).iter_rows()
            )
        for network in settings.networks:
            inside, crossed = (condition(test, network) for test in GENERATED)
            a, b = outlets
            parts[inside] = [*written(network, name, a, a), *written(network, name, b, b)]
            parts[crossed] = [*written(network, name, a, b), *written(network, name, b, a)]
            if name == "train_m":
                both = [written(network, AGNOSTIC, of, of) for of in outlets]
                parts[condition(AGNOSTIC, network)] = [*both[0], *both[1]]
        answers[name] = {}
        for part, rows in parts.items():
            truth = np.array([label for _, _, label in rows])
            answer = judge.probabilities([text for _, text, _ in rows], progress=False).argmax(axis=1)
            answers[name][part] = [
                (events[id_], label, given)
                for (id_, _, label), given in zip(rows, answer.tolist(), strict=True)
            ]
            if part != GOLD[0]:
                for outlet in (0, 1):
                    for at in np.flatnonzero(truth == outlet)[:_EXAMPLES]:
                        shown.append(
                            {
                                "headline": rows[at][1],
                                "condition": f"{NAMES[name]}, {part}",
                                "outlet": outlets[outlet],
                                "classifier": outlets[int(answer[at])],
                            }
                        )
    write_json(settings.out, {"answers": answers, "examples": shown, "classifiers": hashes})


def _events(corpus: str) -> dict[str, int]:
    """Id of each article that classifiers are asked about to the number of its event."""
    import polars as pl

    from change_it.corpus.folder import read_table

    asked = pl.concat(
        read_table(corpus, name, split, ["id"]) for name in SETS for split in ("validation", "test")
    ).unique()
    columns = ["a_id", "b_id", "a_article", "b_article"]
    articles, pairs = (
        pl.concat(read_table(corpus, config, side, names) for side in ("train", "test"))
        for config, names in (("articles", ["id", "article"]), ("pairs", columns))
    )
    partners = pl.concat(
        pairs.select(id=f"{one}_id", partner=f"{other}_article") for one, other in ("ab", "ba")
    ).unique("id", keep="first", maintain_order=True)
    rows = articles.join(asked, on="id", how="semi").join(partners, on="id", how="left").fill_null("")
    events = events_of(rows["article"].to_list(), rows["partner"].to_list())
    return dict(zip(rows["id"], events.tolist(), strict=True))


def _cells(answers: Sequence[Prediction], events: Sequence[int]) -> Ints:
    """(events, 2, 2) how often each outlet was taken for each, by event."""
    place = {event: at for at, event in enumerate(events)}
    cells = np.zeros((len(place), 2, 2), np.int64)
    for event, truth, given in answers:
        cells[place[event], truth, given] += 1
    return cells


def _drawn_from(*answers: Sequence[Prediction]) -> list[int]:
    """The events of some answers."""
    if not any(answers):
        raise InputError("a test set has no headline to classify: give a corpus of more articles")
    return sorted({event for some in answers for event, _, _ in some})


def condition(test: str, network: str) -> str:
    """Name of headlines that a network wrote."""
    return f"{test} by {network}"


def document(options: ReproduceOptions) -> Document:
    """All tables."""
    classified = read_results(options.out / "classified.json")
    sections = [
        Section("table1", random_split(options), "All articles, whatever their alignment; the person's figures are the paper's."),
        Section("table2", aligned(options), "The number of alignments against the threshold, Figure 2, is figure2.png."),
        Section("table5", classification(options, classified), "Validation, test and generated headlines by newspaper."),
        Section("agnostic", agnostic(options, classified), "A generator of both newspapers cannot know the style of one: F1 is that of chance."),
        *(
            Section(f"expectations-{network}", expectations(options, classified, network), "yes: the interval is above 0; no: it is below; undecided: it has 0 in it. E1 to E4 ask for all their rows: yes where each is, no where one interval is below 0 after Holm's correction for their number.")
            for network in NETWORKS[options.scale]
        ),
        Section("table6", generated(classified), "The first headlines of each condition and what the classifier takes them for."),
        Section("table7", settings_by_article(options), "The first article of each newspaper: its own headline, and what the generators of both newspapers write above it."),
    ]  # fmt: skip
    lead = f"{published_figures.CITATIONS['lrec2020']} Scale: {options.scale}."
    signature = f"lrec2020|classifiers:{'+'.join(classified['classifiers'])}|resamples:{RESAMPLES[options.scale]}|seed:{options.seed}|v:{__version__}"
    return Document("LREC 2020, published and measured", lead, sections, [signature])


#: A difference of mean F1, from F1 by training set and test.
Formula = Callable[..., Floats]
_MEASURES = ("first", "second", "mean")
#: What chance is measured by.
BALANCED = "balanced accuracy"


def _f1(options: ReproduceOptions, counts: ArrayLike) -> dict[str, Value]:
    """Cells of the F1 of both outlets and their mean, with intervals; counts as `draw_cells` takes them."""
    scores = bootstrapped(counts, RESAMPLES[options.scale], options.seed)
    cells: dict[str, Value] = {key: scores[key]["f1"][0] for key in _MEASURES}
    return cells | {f"{key}_interval": scores[key]["f1"][1] for key in _MEASURES}


def _published(f1: published_figures.PublishedF1 | None) -> dict[str, float | None]:
    """Cells of the same, published."""
    return dict(zip(_MEASURES, f1, strict=True)) if f1 else {}


def _table(options: ReproduceOptions, rows: list[Row], title: str, *notes: str) -> Table:
    first, second = read_outlets(options.corpus)
    titles = dict(zip(_MEASURES, (f"F1 {first}", f"F1 {second}", "mean F1"), strict=True))
    columns = (Column("row", "text", title="headlines"), *map(with_interval, titles, titles.values()))
    return Table(columns, tuple(rows), title, (*notes, outlets_note(options)))


def random_split(options: ReproduceOptions) -> Table:
    """Table 1."""
    metrics = read_results(options.out / "classifiers" / "random" / "metrics.json")
    printed, measured = published_figures.RANDOM_SPLIT["classifier"], _f1(options, counts_of(metrics, "gold"))
    rows = compared("classifier", "classifier", "", _published(printed), measured)
    rows.append(Row({"row": f"human, {PUBLISHED}", **_published(published_figures.RANDOM_SPLIT["human"])}))
    return _table(options, rows, "Table 1: classification on a random split")


def aligned(options: ReproduceOptions) -> Table:
    """Table 2: pairs near .96 and both thresholds."""
    import polars as pl

    from change_it.corpus.folder import read_table

    thresholds = read_report(Path(options.corpus))["thresholds"]
    columns = ["pair_id", "similarity", "a_headline", "b_headline"]
    pairs = pl.concat([read_table(options.corpus, "pairs", side, columns) for side in ("train", "test")])
    chosen = []
    for near in (0.96, thresholds["strict"], thresholds["loose"]):  # no pair twice
        order = (pl.col("similarity") - near).abs()
        pairs = pairs.sort(order, "pair_id", maintain_order=True)
        chosen.append(pairs.head(1))
        pairs = pairs[1:]
    first, second = read_outlets(options.corpus)
    texts = (Column("a_headline", "text", title=first), Column("b_headline", "text", title=second))
    rows = tuple(map(Row, pl.concat(chosen).select("similarity", "a_headline", "b_headline").to_dicts()))
    return Table((Column("similarity"), *texts), rows, "Table 2: aligned headlines")


def classification(options: ReproduceOptions, classified: Mapping[str, Any]) -> Table:
    """Table 5, without the annotators."""
    rows = []
    for name in SETS:
        printed = published_figures.CLASSIFIER[NAMES[name]]
        shown = {test: printed[test] for test in GOLD}
        shown |= {condition(test, PNC): printed[test] for test in GENERATED}
        for test, answers in classified["answers"][name].items():
            if not test.startswith(AGNOSTIC):
                measured = _f1(options, _cells(answers, _drawn_from(answers)))
                rows += compared(test, test, NAMES[name], _published(shown.get(test)), measured)
    return _table(
        options,
        rows,
        "Table 5: classification of gold and generated headlines",
        "train-D: settings 1 (in-generated) and 3 (cross-generated); train-M: settings 2 and 4.",
    )


def agnostic(options: ReproduceOptions, classified: Mapping[str, Any]) -> Table:
    """The control."""
    rows = []
    for network in NETWORKS[options.scale]:
        answers = classified["answers"]["train_m"][condition(AGNOSTIC, network)]
        measured = _f1(options, _cells(answers, _drawn_from(answers)))
        printed: dict[str, float | None] = {"mean": published_figures.AGNOSTIC_F1} if network == PNC else {}
        rows += compared(network, network, network, printed, measured)
    return _table(options, rows, "The newspaper-agnostic generator")


def answer(low: float, high: float) -> str:
    """Whether something is above 0, by its interval."""
    return "yes" if low > 0 else "no" if high < 0 else "undecided"


def together(drawn: Sequence[Floats]) -> str:
    """The answer to all of several questions, by (resamples,) differences each.

    It is yes where every answer is, which as an intersection of tests needs no correction. No is said of the worst of them,
    so its interval has Holm's level, that of the smallest p-value: .05 by their number.
    """
    if all(answer(*_ends(each)) == "yes" for each in drawn):
        return "yes"
    return "no" if any(_ends(each, len(drawn))[1] < 0 for each in drawn) else "undecided"


def _ends(drawn: Floats, comparisons: int = 1) -> tuple[float, float]:
    """The 95% interval of (resamples,) differences, corrected for a number of comparisons."""
    tail = 0.025 / comparisons
    low, high = np.quantile(drawn, [tail, 1 - tail]).tolist()
    return low, high


def expectations(options: ReproduceOptions, classified: Mapping[str, Any], network: str) -> Table:
    """E1 to E4 (section 5.3) for generators of a network, each as differences of mean F1 that should be above 0.

    Chance is .5 of balanced accuracy; the mean F1 of answers that know nothing is anything from .33 to .5. What is compared on the test set is of the same articles: a resample draws events, once for all conditions.
    """
    inside, crossed = (condition(test, network) for test in GENERATED)
    values: dict[tuple[str, ...], Floats] = {}
    drawn: dict[tuple[str, ...], Floats] = {}
    for tests in ((GOLD[0],), (GOLD[1], inside, crossed)):
        of_tests = {(name, test): classified["answers"][name][test] for name in SETS for test in tests}
        events = _drawn_from(*of_tests.values())
        for key, some in of_tests.items():
            cells = _cells(some, events)
            resampled = draw_cells(cells, RESAMPLES[options.scale], options.seed)
            for found, counts in ((values, cells.sum(axis=0)), (drawn, resampled)):
                found[key] = f1_of(counts)["mean"]
                found[(*key, BALANCED)] = balanced_accuracy(counts)
    setting = dict(enumerate(((name, test) for test in (inside, crossed) for name in SETS), start=1))
    valid, gold = ({name: (name, test) for name in SETS} for test in GOLD)

    asked: dict[str, dict[str, Formula]] = {
        "E1: generated headlines are distinguished above chance, and less well than gold": {
            **{
                f"setting {n} less .5, {BALANCED}": lambda f, key=key: f[(*key, BALANCED)] - 0.5
                for n, key in setting.items()
            },
            **{f"gold less setting {n}": lambda f, k=k: f[gold[k[0]]] - f[k] for n, k in setting.items()},
        },
        "E2: better in setting 2 than in setting 1": {
            "setting 2 less setting 1": lambda f: f[setting[2]] - f[setting[1]]
        },
        "E3: worse on gold of the test set than on validation, with train-D most": {
            **{
                f"validation less test, {NAMES[name]}": lambda f, name=name: f[valid[name]] - f[gold[name]]
                for name in SETS
            },
            "the gap of train-D less that of train-M": lambda f: (
                f[valid["train_d"]] - f[gold["train_d"]] - f[valid["train_m"]] + f[gold["train_m"]]
            ),
        },
        "E4: cross-generated headlines above chance, and below in-newspaper ones": {
            **{
                f"setting {n} less .5, {BALANCED}": lambda f, key=setting[n]: f[(*key, BALANCED)] - 0.5
                for n in (3, 4)
            },
            "setting 1 less setting 3": lambda f: f[setting[1]] - f[setting[3]],
            "setting 2 less setting 4": lambda f: f[setting[2]] - f[setting[4]],
        },
    }
    rows = []
    for expectation, formulas in asked.items():
        parts = {name: formula(drawn) for name, formula in formulas.items()}
        every = together(list(parts.values()))
        rows.append(Row({"what": "all", "answer": every}, expectation, strong=True))
        for name, differences in parts.items():
            value, ends = float(formulas[name](values)), _ends(differences)
            row: dict[str, Value] = {"what": name, "value": value, "interval": ends, "answer": answer(*ends)}
            rows.append(Row(row, expectation))
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
    rows = (Row(row, row["condition"]) for row in classified["examples"])
    columns = (Column(name, "text") for name in ("headline", "outlet", "classifier"))
    return Table(tuple(columns), tuple(rows), "Table 6: examples")


def settings_by_article(options: ReproduceOptions) -> Table:
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
                    file = options.out / "predictions" / f"{_file(network, recipe, to, of)}.csv"
                    records = read_records(file, required=("id", "headline"))
                    [new] = [each.cells["headline"] for each in records if each.cells["id"] == gold["id"]]
                    rows.append(Row({"model": name, "headline": new}, of))
    columns = (Column("model", "text"), Column("headline", "text"))
    return Table(columns, tuple(rows), "Table 7: one article in all settings")
