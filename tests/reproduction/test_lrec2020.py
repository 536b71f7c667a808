"""LREC 2020: its sets for classifiers and generators, and how its expectations are answered."""

import json
from collections import Counter

import numpy as np
import polars as pl
import pytest
from space_runs import save_judge

from change_it import published_figures
from change_it.commands.reproduce import ReproduceOptions
from change_it.corpus.folder import read_table
from change_it.generators.recipes import load_recipe
from change_it.io import write_json
from change_it.judges.data import load_task
from change_it.reproduction import lrec2020
from change_it.reproduction.lrec2020 import (
    AGNOSTIC,
    GENERATED,
    GOLD,
    NETWORKS,
    PNC,
    SETS,
    answer,
    condition,
    together,
)
from change_it.reproduction.paper_tables import bootstrapped
from change_it.scoring.item import read_test_set


@pytest.mark.parametrize("recipe", SETS)
def test_generators_learn_the_articles_of_the_training_sets(corpus, recipe):
    data = load_recipe(corpus, recipe, "faro", validation_share=0.05, seed=1)
    articles = read_table(corpus, "articles", "train")
    for part, split in ((data.train, "train"), (data.validation, "validation")):
        chosen = read_table(corpus, recipe, split, ["id"])
        own = articles.join(chosen, on="id", how="semi").filter(pl.col("label") == "faro")
        pairs = set(zip(part.sources, part.targets, strict=True))
        assert pairs <= set(own.select("article", "headline").iter_rows())
        assert len(pairs) > 0.9 * own.height


def test_the_random_split_is_four_fifths_of_all_articles(corpus):
    settings = {"fold": "all", "negatives": "random", "validation_share": 0.1, "seed": 1}
    data = load_task("main", corpus, train_on="random", **settings)
    parts = (data.train, data.validation, data.tests["gold"])
    count = sum(read_table(corpus, "articles", side, ["id"]).height for side in ("train", "test"))
    assert sum(map(len, parts)) == count
    assert len(data.tests["gold"]) == round(0.2 * count)
    test = read_table(corpus, "articles", "test", ["headline"])["headline"].to_list()
    assert set(data.train.texts) & set(test)  # alignment plays no part
    assert len(data.train) > 6 * len(data.validation)


def test_answers():
    """An interval just below 0 is no of one question, and of eight no more than chance has in store."""
    above, below, around = (np.linspace(low, low + 0.1, 1001) for low in (0.01, -0.2, -0.05))
    assert [answer(each)[0] for each in (above, below, around)] == ["yes", "no", "undecided"]
    assert together([above, above]) == "yes"
    assert together([above, around]) == "undecided"
    assert together([above, below, around]) == "no"
    just_below = np.append(np.full(980, -0.1), np.full(20, 0.1))
    assert together([just_below]) == "no"
    assert together([just_below] * 8) == "undecided"


def test_answers_that_know_nothing_are_at_chance(corpus, tmp_path):
    """A classifier that takes nine of ten headlines of either outlet for the same: mean F1 is .38."""
    blind = [(event, truth, int(event % 10 == 0)) for truth in (0, 1) for event in range(1000)]
    tests = (*GOLD, *(condition(test, PNC) for test in GENERATED))
    found = {"answers": {name: dict.fromkeys(tests, blind) for name in SETS}}
    options = ReproduceOptions(paper="lrec2020", corpus=corpus, out=tmp_path, scale="smoke")
    rows = lrec2020.expectations(options, found, PNC).rows
    chance = [row.values for row in rows if "less .5" in row.values["what"]]
    assert len(chance) == 6
    assert all(values["interval"][0] <= 0 <= values["interval"][1] for values in chance)
    assert {values["answer"] for values in chance} == {"undecided"}


def answers_of(f1, n=3000):
    """Answers of a classifier with the same share of right ones for both outlets, those of the first events."""
    right = round(f1 * n)
    return [(event, truth, truth if event < right else 1 - truth) for truth in (0, 1) for event in range(n)]


def test_what_is_compared_is_drawn_together(corpus, tmp_path):
    """Two settings that differ on a few articles alone: their difference is sure, however uncertain each F1 is."""
    parts = {test: answers_of(0.7, n=200) for test in (*GOLD, *(condition(test, PNC) for test in GENERATED))}
    found = {"answers": {name: dict(parts) for name in SETS}}
    found["answers"]["train_m"][condition("in-generated", PNC)] = answers_of(0.75, n=200)
    options = ReproduceOptions(paper="lrec2020", corpus=corpus, out=tmp_path, scale="smoke")
    rows = {row.values["what"]: row.values for row in lrec2020.expectations(options, found, PNC).rows}
    low, high = rows["setting 2 less setting 1"]["interval"]
    assert 0 < low < 0.05 < high < 0.1
    assert rows["setting 1 less setting 3"]["interval"] == (0, 0)
    first, last = rows["setting 1 less .5, balanced accuracy"]["interval"]
    assert last - first > high - low


def test_intervals_are_drawn_by_event(corpus, tmp_path):
    """Both headlines of an event stand or fall together, so they are as much evidence as one."""
    parts = {test: answers_of(0.7, n=200) for test in (*GOLD, *(condition(test, PNC) for test in GENERATED))}
    parts |= {condition(AGNOSTIC, network): answers_of(0.7, n=200) for network in NETWORKS["smoke"]}
    options = ReproduceOptions(paper="lrec2020", corpus=corpus, out=tmp_path, scale="smoke")
    found = {"answers": dict.fromkeys(SETS, parts)}
    single = bootstrapped([[140, 60], [60, 140]], 200, 1)["mean"]["f1"]
    tables = lrec2020.classification(options, found), lrec2020.agnostic(options, found)
    for table in tables:
        measured = [row.values for row in table.rows if row.values["row"].endswith("measured")]
        assert [values["mean"] for values in measured] == pytest.approx([single[0]] * len(measured))
        assert all(np.ptp(values["mean_interval"]) > 1.25 * np.ptp(single[1]) for values in measured)


def test_events_are_those_that_scoring_draws(corpus):
    test = read_test_set(corpus)
    events = lrec2020._events(corpus)
    together = set(zip(test.events.tolist(), (events[item.id] for item in test.items), strict=True))
    assert len(together) == len(np.unique(test.events))
    asked = {row for name in SETS for row in read_table(corpus, name, "validation", ["id"])["id"]}
    assert asked <= events.keys()


def test_the_papers_own_figures_confirm_its_expectations(corpus, tmp_path):
    """Symmetric counts with the published averages, and so many headlines that nothing is undecided."""
    ours = {test: test for test in GOLD} | {test: condition(test, PNC) for test in GENERATED}
    found = {
        "answers": {
            name: {
                ours[test]: answers_of(figures.average)
                for test, figures in published_figures.CLASSIFIER[lrec2020.NAMES[name]].items()
            }
            for name in SETS
        }
    }
    options = ReproduceOptions(paper="lrec2020", corpus=corpus, out=tmp_path, scale="smoke")
    rows = lrec2020.expectations(options, found, PNC).rows
    answers = {row.group[:2]: row.values["answer"] for row in rows if row.values["what"] == "all"}
    assert answers["E1"] == answers["E3"] == answers["E4"] == "yes"
    value = next(row.values for row in rows if row.values["what"] == "setting 2 less setting 1")
    assert value["value"] == pytest.approx(0.672 - 0.666, abs=1e-3)
    found["answers"]["train_d"][condition("in-generated", PNC)] = answers_of(0.45)
    rows = lrec2020.expectations(options, found, PNC).rows
    answers = {row.group[:2]: row.values["answer"] for row in rows if row.values["what"] == "all"}
    assert answers["E1"] == "no"


def test_the_tables_of_classifiers_and_headlines(corpus, tmp_path):
    """Classifiers that are not trained, and generators that write the gold headlines."""
    outlets, networks = ("colle", "faro"), NETWORKS["smoke"]
    for seed, name in enumerate(SETS):
        save_judge(tmp_path / "classifiers" / name, "main", outlets=outlets, seed=seed)
    result = {name: {"recall": 0.8, "support": 100} for name in outlets}
    (tmp_path / "classifiers" / "random").mkdir()
    write_json(
        tmp_path / "classifiers" / "random" / "metrics.json",
        {"classes": outlets, "results": {"gold": result}},
    )
    lrec2020.write_inputs(corpus, tmp_path / "inputs")
    sizes = {}
    for of in outlets:
        rows = pl.read_csv(tmp_path / "inputs" / f"{of}.csv", infer_schema=False)
        sizes[of] = rows.height
        (tmp_path / "predictions").mkdir(exist_ok=True)
        for system in (*(f"{name}-{to}" for name in SETS for to in outlets), AGNOSTIC):
            for network in networks:
                file = tmp_path / "predictions" / f"{network}-{system}-of-{of}.csv"
                rows.reverse().select("id", "headline").write_csv(file)
    lrec2020.classify(corpus, tmp_path / "classified.json", networks)
    found = json.loads((tmp_path / "classified.json").read_text())
    own, crossed = (condition(test, PNC) for test in GENERATED)
    found_d, found_m = found["answers"]["train_d"], found["answers"]["train_m"]
    assert {len(found_d[test]) for test in (GOLD[1], own, crossed)} == {sum(sizes.values())}
    assert sorted(found_m[own]) == sorted(found_m[GOLD[1]])
    events = [{event for event, _, _ in found_d[test]} for test in (GOLD[1], own, crossed)]
    assert events[0] == events[1] == events[2]
    assert len(events[0]) < sum(sizes.values())  # partners are one event
    assert sorted(found_m[condition(AGNOSTIC, PNC)]) == sorted(found_m[own])
    assert Counter(truth for _, truth, _ in found_m[crossed]) == {0: sizes["faro"], 1: sizes["colle"]}
    options = ReproduceOptions(paper="lrec2020", corpus=corpus, out=tmp_path, scale="smoke")
    sections, _, _ = lrec2020.tables(options)
    assert list(sections) == [
        *("table1", "table2", "table5", "agnostic"),
        *(f"expectations-{network}" for network in networks),
        *("table6", "table7"),
    ]
    rows = {row.values["row"]: row.values for row in sections["table1"].rows}
    assert rows["classifier, measured"]["mean"] == pytest.approx(0.8)
    assert rows["classifier, difference"]["mean"] == pytest.approx(0.8 - 0.813)
    assert rows["human, published"]["second"] == 0.640
    assert [row.values["similarity"] for row in sections["table2"].rows] == sorted(
        (row.values["similarity"] for row in sections["table2"].rows), reverse=True
    )
    of_pnc, of_transformer = 3, 1  # published, measured, difference; measured alone
    assert len(sections["table5"].rows) == 2 * (2 * 3 + len(GENERATED) * (of_pnc + of_transformer))
    agnostic = [row.values["row"] for row in sections["agnostic"].rows]
    assert agnostic == ["pnc, published", "pnc, measured", "pnc, difference", "transformer, measured"]
    first, *others = sections["table7"].rows
    gold = pl.read_csv(tmp_path / "inputs" / "colle.csv")["headline"][0]
    assert (first.values, first.group) == ({"model": "gold", "headline": gold}, "colle")
    models = [row.values["model"] for row in others if row.group == first.group]
    assert models[:4] == [
        *(f"pnc, {lrec2020.NAMES[name]} of colle" for name in SETS),
        *(f"pnc, {lrec2020.NAMES[name]} of faro (crossed)" for name in SETS),
    ]
    assert {row.values["headline"] for row in others if row.group == first.group} == {gold}
    assert len({row.group for row in others}) == 2
