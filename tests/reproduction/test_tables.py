"""The tables of the papers from figures that are given: counts, orders, ranks, flags, expectations."""

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support

from change_it.commands.reproduce import ReproduceOptions
from change_it.io import write_json
from change_it.published_figures import HEVAS_MEANS, PUBLISHED
from change_it.reproduction.runner import (
    DAGGER,
    Tables,
    answer,
    bootstrapped,
    counts_of,
    measures_of,
    together,
)
from change_it.tables import to_markdown

MEASURES = ("compliancy", "hh", "ah", "main", "bleu", "rougeL")


@pytest.fixture
def tables(corpus, tmp_path):
    """The tables of a paper from files of a run: `tables(paper, {name: content})`, by name."""

    def made(paper, files):
        for name, content in files.items():
            write_json(tmp_path / name, content)
        found = Tables(ReproduceOptions(paper=paper, corpus=corpus, out=tmp_path, scale="smoke"))
        specs = {entry["name"]: found.spec(entry) for entry in found.about["tables"]}
        return lambda name: found.table(specs[name])

    return made


def by_first(table):
    return {next(iter(row.values.values())): row for row in table.rows}


def test_intervals_of_judges_from_their_counts():
    truth, given = [0] * 10 + [1] * 10, [0] * 9 + [1] + [0] * 3 + [1] * 7
    precision, recall, f1, support = precision_recall_fscore_support(truth, given)
    both = enumerate(("no", "yes"))
    result = {name: {"recall": recall[at], "support": int(support[at])} for at, name in both}
    counts = counts_of({"classes": ["no", "yes"], "results": {"t": result}}, "t")
    assert counts == [[9, 1], [3, 7]]
    found = bootstrapped(counts, 500, 1)
    for key, values in (("precision", precision), ("recall", recall), ("f1", f1)):
        for name, value in zip(("first", "second", "mean"), (*values, values.mean()), strict=True):
            low, high = found[key][f"{name}_interval"]
            assert found[key][name] == pytest.approx(value)
            assert low < value < high
    drawn = measures_of(counts, 2000, 1)["f1"][1:, 2]
    assert drawn.mean() == pytest.approx(f1.mean(), abs=0.02)


def test_the_order_of_the_systems_stands_beside_the_papers(tables):
    def order(**values):
        systems = {name: {"average": dict.fromkeys(MEASURES, value)} for name, value in values.items()}
        table = tables("evalnlgeval2020", {"scores/ours/scores.json": {"systems": systems}})("order-ours")
        return {name: row.values for name, row in by_first(table).items()}

    rows = order(sum=0.2, s2s1=0.3, s2s2=0.5, s2s3=0.4)
    assert rows["compliancy"]["published"] == "S2S2 > S2S3 > S2S1 > SUM"
    assert rows["compliancy"]["measured"] == "S2S2 > S2S3 > S2S1 > SUM"
    assert rows["compliancy"]["tau"] == pytest.approx(1)
    assert rows["ah"]["published"].startswith("SUM > ")
    assert rows["ah"]["tau"] < 0
    assert order(sum=0.5, s2s1=0.5, s2s2=0.5, s2s3=0.5)["hh"]["tau"] is None


def ranking(tables, averages, p_values):
    measures = ("compliancy", "hh", "ah", "main")
    intervals = {key: [0.1, 0.9] for key in measures}
    systems = {}
    for name, value in averages.items():
        systems[name] = {"average": {"intervals": intervals, **dict.fromkeys(measures, value)}}
    p = {first: {} for first in averages}
    for (first, second), value in p_values.items():
        p[first][second] = p[second][first] = value
    scores = {"scores/changeit2020/scores.json": {"systems": systems, "p_values": p}}
    table = tables("changeit2020", scores)("ranking")
    return {row.values["system"]: row.values["rank"] for row in table.rows}


def test_the_ranking_leaves_out_what_needs_no_model(tables):
    averages = {"gold": 0.9, "one": 0.6, "copy": 0.5, "baseline": 0.4, "two": 0.3}
    # Holm: .01 * 3, .02 * 2, .03
    p_values = {("one", "baseline"): 0.02, ("one", "two"): 0.01, ("baseline", "two"): 0.03}
    found = ranking(tables, averages, p_values)
    assert found == {"one": 1, "baseline": 2, "two": 3, "gold": None, "copy": None}


def test_systems_that_do_not_differ_share_a_rank(tables):
    averages = {"d": 0.1, "c": 0.2, "b": 0.3, "a": 0.4}
    p_values = dict.fromkeys([("a", "b"), ("b", "c"), ("b", "d"), ("c", "d")], 0.9)
    p_values |= {("a", "c"): 0.001, ("a", "d"): 0.001}
    assert ranking(tables, averages, p_values) == {"a": 1, "b": 1, "c": 3, "d": 3}


def test_a_cell_of_hevas_that_is_blind_is_flagged(tables):
    def means(**areas):
        row = {**HEVAS_MEANS["first"], "JS-C": 0.3, "JS-S": 0.3, "intervals": {"R-1": [0.2, 0.4]}}
        systems = {system: {"mean": row, "AUC": areas} for system in HEVAS_MEANS}
        return tables("hevas2019", {"measured.json": {"systems": systems}})("table1")

    table = means(**{"R-1": 0.9, "KL-S": 0.52})
    rows = by_first(table)
    assert rows["first, measured"].marks == {"KL-S": DAGGER}
    assert not rows["first, published"].marks
    assert rows["first, AUC"].values["KL-S"] == 0.52
    assert rows["first, difference"].values["R-1"] == 0
    assert rows["first, measured"].values["R-1_interval"] == (0.2, 0.4)
    assert DAGGER in table.notes[0]
    [line] = [line for line in to_markdown(table).splitlines() if "first, measured" in line]
    assert ".959†" in line.split()
    assert not means(**{"R-1": 0.9}).notes


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


TESTS = [
    f"{name}, {test}"
    for name in ("train-D", "train-M")
    for test in (
        *("validation gold", "test gold"),
        *(f"{kind}-generated by {network}" for network in ("pnc", "transformer") for kind in ("in", "cross")),
    )
] + ["train-M, agnostic by pnc", "train-M, agnostic by transformer"]


def classified(answers):
    """`classified.json` of answers by test, each an event, the right outlet and the given one."""
    rows = [(test, *each) for test, some in answers.items() for each in some]
    columns = zip(*rows, strict=True)
    return {"classified.json": dict(zip(("test", "event", "label", "answer"), columns, strict=True))}


def answers_of(f1, n=3000):
    """Answers of a classifier with the same share of right ones for both outlets, those of the first events."""
    right = round(f1 * n)
    return [(event, truth, truth if event < right else 1 - truth) for truth in (0, 1) for event in range(n)]


def test_the_papers_own_figures_confirm_its_expectations(tables):
    """Symmetric counts with the published averages, and so many headlines that nothing is undecided."""
    tests = TESTS[:4] + TESTS[6:10]
    parts = {test: answers_of(PUBLISHED[test.removesuffix(" by pnc")]["mean"]) for test in tests}

    def expected():
        rows = tables("lrec2020", classified(parts))("expectations-pnc").rows
        answers = {row.group[:2]: row.values["answer"] for row in rows if row.values["what"] == "all"}
        return answers, {row.values["what"]: row.values.get("value") for row in rows}

    answers, values = expected()
    assert answers["E1"] == answers["E3"] == answers["E4"] == "yes"
    assert values["setting 2 less setting 1"] == pytest.approx(0.672 - 0.666, abs=1e-3)
    parts["train-D, in-generated by pnc"] = answers_of(0.45)
    assert expected()[0]["E1"] == "no"
