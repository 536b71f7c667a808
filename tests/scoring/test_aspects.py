"""Style, acceptability and edited: how they are measured, choose a headline, and stand in tables."""

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from scipy.special import expit
from scoring_fakes import (
    AH,
    FLUENCY,
    HH,
    OUTLETS,
    SCALE,
    FakeJudges,
    larger,
    scored,
    toy_test_set,
    write_toy_corpus,
)

from change_it.corpus.test_set import read_test_set
from change_it.files.records import to_json
from change_it.judges.options import MARKS, NGRAMS
from change_it.report.score_tables import remarks
from change_it.scoring import aspects
from change_it.scoring import scores as scores_module
from change_it.scoring.choosing import floor
from change_it.scoring.scores import chances
from change_it.scoring.systems import ScoredSystem, on_same_items

#: Acceptability of a headline that hh, ah and evidence accept, without a repeated word and with one.
ACCEPTED = HH.yes * AH.yes * FLUENCY.yes
REPEATING = HH.yes * AH.yes * FLUENCY.no


@pytest.fixture
def judges():
    return FakeJudges(fluency=True)


@pytest.fixture
def unpaired(tmp_path):
    """A corpus with one test article of each outlet in no pair."""
    folder = write_toy_corpus(tmp_path / "corpus")
    file = folder / "articles" / "test.parquet"
    more = [
        (f"{outlet}-alone", outlet, headline, f"{headline}, dicono.", "a3")
        for outlet, headline in (("rep", "Il sindaco inaugura la piscina"), ("gio", "Piscina inaugurata!"))
    ]
    table = pl.read_parquet(file)
    pl.concat([table, pl.DataFrame(more, schema=table.schema, orient="row")]).write_parquet(file)
    return read_test_set(str(folder))


def of_gold(test, name="same"):
    """Return a system that writes the partner's headline, or copies where there is no partner."""
    return ScoredSystem(name, tuple(item.reference or item.source for item in test.items))


def test_style_is_measured_from_the_clause_to_gold_of_its_direction():
    """Style is 0 at a clause's step (2 from A to B, -2 from B to A), 1 at gold's (4), within -1 and 2."""
    scale = SCALE._replace(gold=4.0, clause=(2.0, -2.0))

    def style(steps, is_from_b, original_log_odds=0.0):
        new = expit(np.array(steps) + original_log_odds)
        original = np.full(len(steps), expit(original_log_odds))
        return aspects.style(new, original, scale, np.full(len(steps), is_from_b))

    assert style([0, 2, 4], is_from_b=False) == pytest.approx([-1, 0, 1])
    assert style([0, 1, 4], is_from_b=True) == pytest.approx([2 / 6, 3 / 6, 1])
    assert style([9, -9], is_from_b=False) == pytest.approx([2, -1])
    # What original and new headline share makes no difference.
    assert style([4], is_from_b=False, original_log_odds=-3) == pytest.approx([1])


def test_style_is_finite_where_main_is_certain():
    certain, never = np.array([1.0]), np.array([0.0])
    assert np.isfinite(aspects.style(certain, never, SCALE, np.array([True]))).all()


#: Changes of a scale that measures, to the outlets aimed at whose style it then cannot measure, and why.
SCALES = {
    "as it is": ({}, [], ""),
    "few pairs": (
        {"pairs": 19},
        ["gio", "rep"],
        "main measured its scale on 19 aligned training pairs, fewer than 20",
    ),
    "rep as clauses": (
        {"low": (1.0, 0.0)},
        ["rep"],
        "style of gio2rep is n/a: main does not surely tell rep's own headlines from clauses of gio's "
        "articles (median steps 3.58 and 0.00 on 29 pairs)",
    ),
    "gio below clauses": (
        {"low": (-0.1, 1.0)},
        ["gio"],
        "gio's own headlines from clauses of rep's articles",
    ),
    "as marks": (
        {"leads": {MARKS: (0.0, 0.2), NGRAMS: (0.1, 0.2)}},
        ["gio", "rep"],
        "on 29 training pairs main is not surely better than marks, capitals, length within an event "
        "(ahead by .000 to .200)",
    ),
    "below n-grams": (
        {"leads": {MARKS: (0.1, 0.2), NGRAMS: (-0.3, -0.1)}},
        ["gio", "rep"],
        "main is surely worse than n-grams within an event (ahead by -.300 to -.100)",
    ),
    "as n-grams": ({"leads": {MARKS: (0.1, 0.2), NGRAMS: (-0.3, 0.1)}}, [], ""),
}


@pytest.mark.parametrize(("change", "aims", "said"), SCALES.values(), ids=SCALES)
def test_a_scale_that_cannot_measure_says_why(change, aims, said):
    faults = SCALE._replace(**change).faults(OUTLETS)
    assert sorted(faults) == aims
    assert all(said in fault for fault in faults.values())


def test_style_is_scored_of_the_direction_that_has_it():
    """The scale tells gio's headlines from clauses, and not rep's."""
    judges = FakeJudges(scale=SCALE._replace(low=(1.0, 0.0)))
    test = larger(toy_test_set(), 2)
    to_gio = replace(test, items=tuple(item for item in test.items if item.target == "gio"))

    both = scored(test, judges, resamples=1000)
    alone = scored(to_gio, judges, resamples=1000)

    row = both.row("gold", "rep2gio")
    average = both.row("gold")
    assert "style" not in both.row("gold", "gio2rep").values
    assert average.values["style"] == row.values["style"] == pytest.approx(1)
    assert average.intervals["style"] == row.intervals["style"]
    assert both.p_values["style"].min() < 1
    assert both.style_fault.startswith("style of gio2rep is n/a")
    assert alone.style_fault == ""
    assert "style" in alone.row("copy").values


@pytest.mark.parametrize(
    ("headline", "counts", "edited"),
    [
        ("CROLLA IL PONTE SULLA STATALE?!", (0, 5), True),
        ("Crolla il ponte", (0, 3), True),
        ("Crolla il ponte oggi", (1, 4), True),
        ("Crolla il viadotto, oggi", (2, 4), False),
        ("Giù, giù", (1, 1), False),
        ("!!!", (0, 0), False),
    ],
)
def test_a_headline_of_which_a_quarter_of_the_different_words_are_new_is_edited(headline, counts, edited):
    original = "Crolla il ponte sulla statale"
    assert aspects.new_words(headline, original) == counts
    assert aspects.is_edited(headline, original) == edited


def test_what_chooses_is_acceptability_times_style_cut_and_edited_comes_last():
    """Five headlines of acceptability .4, but for the fourth, which lacks evidence; the last is edited."""
    p = {"hh": np.full(5, 0.8), "ah": np.full(5, 0.5)}
    has_evidence = np.array([True, True, True, False, True])
    style = np.array([0.5, 2.0, -1.0, 1.0, 1.0])
    edited = np.array([False, False, False, False, True])

    with_style = aspects.choosing(p, has_evidence, style, edited)
    without_style = aspects.choosing(p, has_evidence, None, edited)

    assert with_style == pytest.approx([0.4 * 0.5, 0.4 * 1, 0.4 * 0, 0, 0.4 - 1])
    assert without_style == pytest.approx([0.4, 0.4, 0.4, 0, 0.4 - 1])


def test_each_headline_has_its_aspects_and_reasons(toy_test, judges):
    """Main takes an exclamation mark for gio's, and fluency refuses a word that is repeated.

    The first four items are rep's headlines for gio, the fifth is gio's for rep.
    """
    headlines = [item.reference for item in toy_test.items]
    headlines[0] += " un ponte"  # the second ponte
    headlines[1] = "Ecco: a Zagarolo; approvata la riforma fiscale!"
    headlines[2] = "Sciopero generale dei treni"  # the original
    headlines[4] = ""

    rows = judges.judge(toy_test.predicted(headlines), progress=False)

    found = []
    for row in rows.head(5).iter_rows(named=True):
        measures = [row[name] for name in ("compliancy", "style", "acceptability", "edited")]
        found.append((*measures, aspects.refusals(row["refused_by"])))
    assert found == [
        (True, pytest.approx(1), pytest.approx(REPEATING), False, "fluency"),
        (True, pytest.approx(1), 0, False, "evidence: Zagarolo"),
        (False, 0, pytest.approx(ACCEPTED), True, "main; edited: 0 of 4 words new"),
        (True, pytest.approx(1), pytest.approx(ACCEPTED), False, ""),
        (False, -1, 0, True, "no headline"),
    ]
    assert rows["unsupported"][1].to_list() == [{"text": "Zagarolo", "start": 8, "end": 16, "kind": "name"}]
    assert rows["choosing"][4] == rows["choosing"].min() < -1


def test_the_papers_compliancy_and_its_parts_are_as_published(toy_test, judges):
    """EvalNLGEval 2020, section 4: HH and AH say match, and main decides otherwise than on the original."""
    random = np.random.default_rng(1)
    answers = {}

    def drawn(*question):
        """Answer at random, near the middle too, and the same question always alike."""
        return answers.setdefault(question, random.choice([0.2, 0.5, 0.5000001, 0.8]))

    for judge in judges.by_task.values():
        judge.rule = lambda *texts, task=judge.task: drawn(task, *texts)
    headlines = tuple(f"Titolo {number}" for number in range(8))

    scores = scored(toy_test, judges, ScoredSystem("mine", headlines))

    expected = []
    for item, headline in zip(toy_test.items, headlines, strict=True):
        hh = drawn("hh", item.source, headline) > 0.5
        ah = drawn("ah", headline, item.article) > 0.5
        is_second = drawn("main", headline, None) > 0.5
        was_second = drawn("main", item.source, None) > 0.5
        turned = is_second != was_second
        expected.append((hh and ah and turned, hh, ah, turned))
    names = ("compliancy", "hh", "ah", "main")
    assert scores.items["mine"].select(names).rows() == expected
    directions, items_of_each = 2, 4
    by_direction = np.array(expected).reshape(directions, items_of_each, len(names)).mean(axis=1)
    values = scores.row("mine").values
    assert [values[name] for name in names] == pytest.approx(by_direction.mean(axis=0).tolist(), abs=1e-12)


def test_the_other_outlet_s_article_is_evidence_and_its_headline_is_not(toy_test, judges):
    item = replace(toy_test.items[0], prediction="Crolla il ponte a Zagarolo, 17 feriti")
    items = [
        item,
        replace(item, reference=item.prediction),
        replace(item, reference_article="A Zagarolo."),
        replace(item, reference_article=""),
    ]

    rows = judges.judge(items, progress=False)

    unsupported = []
    for parts in rows["unsupported"]:
        unsupported.append([part["text"] for part in parts])
    both = ["Zagarolo", "17"]
    assert unsupported == [both, both, ["17"], both]


@pytest.mark.parametrize(
    ("changes", "unknown", "signed", "said"),
    [
        ({"fluency": False}, {"acceptability", "fluency"}, "|fold:all|reversal", "have no fluency judge"),
        ({"scale": SCALE._replace(pairs=19)}, {"style"}, "|style:none|", "its scale on 19 aligned"),
        (
            {"scale": SCALE._replace(evidence=0.4)},
            {"evidence"},
            "|evidence:none|",
            "too short to be evidence",
        ),
    ],
)
def test_what_cannot_be_computed_is_null_and_said(toy_test, changes, unknown, signed, said):
    judges = FakeJudges(**{"fluency": True} | changes)
    scores = scored(toy_test, judges)
    record = json.loads(json.dumps(to_json(scores.record), allow_nan=False))
    values = record["systems"]["gold"]["average"]
    assert {name for name in aspects.compliancy_measures() if values[name] is None} == unknown
    assert scores.items["gold"][next(iter(unknown))].null_count() == 8
    assert {*record["p_values"]} == {*aspects.compared_aspects()} - unknown
    assert signed in scores.signature
    assert sum(said in line for line in remarks(scores)) == 1


def test_systems_are_compared_by_each_aspect(toy_test, judges):
    """`broken` repeats a word, which fluency refuses and no other judge sees; `half` does in two of eight."""
    gold = of_gold(toy_test, "gold")
    broken = ScoredSystem("broken", tuple(f"{text} ponte ponte" for text in gold.headlines))
    half = ScoredSystem("half", (*broken.headlines[:2], *gold.headlines[2:]))

    scores = scored(toy_test, judges, broken, half)

    assert scores.systems == ["broken", "half", "clause", "gold", "lead", "copy", "random-target"]
    assert scores.row("broken").values["compliancy"] == 1
    assert scores.row("half").values["acceptability"] == pytest.approx((6 * ACCEPTED + 2 * REPEATING) / 8)
    place = scores.systems.index("gold"), scores.systems.index("broken")
    found = {name: table[place] for name, table in scores.p_values.items()}
    assert list(found) == ["compliancy", "style", "acceptability"]
    assert found["compliancy"] == 1
    assert found["acceptability"] < 0.2
    assert scores.record.p_values["acceptability"]["gold"]["broken"] == found["acceptability"]


@pytest.mark.parametrize("number", [1, 2, 3, 5, 9])
def test_chances_of_the_best_of_a_number_that_are_drawn(number):
    """By counting: every set of so many of five ranked texts is as likely, and its first is taken."""
    sets = list(combinations(range(5), min(number, 5)))
    counted = [sum(one[0] == rank for one in sets) / len(sets) for rank in range(5)]
    assert chances(number, 5) == pytest.approx(counted)
    assert chances(number, 5).sum() == pytest.approx(1)


def test_the_curve_of_the_floor_begins_at_the_clause_and_ends_at_the_floor(toy_test, monkeypatch):
    items = []
    for item in toy_test.items:
        more = f"Poi sul te\u00adma si litiga ancora! E {item.source.lower()}, dicono tutti."
        items.append(replace(item, article=f"{item.article} {more}"))
    test = larger(replace(toy_test, items=tuple(items)), 2)
    choosers = FakeJudges(fold="0", fluency=True, hashes="efgh")
    choosers.main.rule = lambda text, _: 0.9 if "litiga" in text else 0.2
    system = floor(test, choosers)
    most = max(map(len, system.cuts))
    monkeypatch.setattr(scores_module, "CURVE_CANDIDATES", (1, 2, most, most + 1))
    scores = scored(test, FakeJudges(fold="1", fluency=True), system)
    assert [point.candidates for point in scores.curve] == [1, 2, most]
    for name in aspects.compared_aspects():
        first, *_, last = ((point.values[name], point.intervals[name]) for point in scores.curve)
        for (value, (low, high)), system_name in ((first, "clause"), (last, "floor")):
            assert value == pytest.approx(scores.row(system_name).values[name])
            assert low - 1e-9 <= value <= high + 1e-9
    row = scores.row("floor")
    assert row.candidates == np.mean([len(texts) for texts in system.cuts])
    assert f"|candidates:{row.candidates:.3g}|" in row.signature
    assert scored(test, FakeJudges()).curve == []  # without a floor


def test_clause_is_the_mean_over_all_cuts_of_each_article(toy_test, judges):
    scores = scored(toy_test, judges)
    rows = scores.items["clause"].with_columns(pl.col("compliancy", "edited").cast(pl.Float64))
    assert rows.height > 8
    names = ("compliancy", "style", "acceptability", "edited")
    means = pl.col(*names).mean()
    averages = rows.group_by("id", "direction").agg(means).group_by("direction").agg(means).mean()
    values = scores.row("clause").values
    assert {name: values[name] for name in names} == pytest.approx(
        {name: averages[name][0] for name in names}
    )
    assert scores.row("clause").n == 8


def test_all_rows_are_of_the_items_that_have_a_reference(unpaired):
    """`same` writes gold, and copies the two articles that have no partner."""
    judges = FakeJudges(fold="1", fluency=True, hashes="abcd")
    choosers = FakeJudges(fold="0", fluency=True, hashes="efgh")
    chosen = floor(unpaired, choosers)

    test, systems = on_same_items(unpaired, [of_gold(unpaired), chosen])
    scores = scored(test, judges, *systems)

    assert {row.n for row in scores.rows if row.direction == "average"} == {8}
    gold, row = scores.row("gold"), scores.row("same")
    assert gold.values["compliancy"] == row.values["compliancy"] == row.values["bleu"] == 1
    assert "|n:8|" in scores.signature
    place = scores.systems.index("gold"), scores.systems.index("same")
    assert scores.p_values["compliancy"][place] == 1


def of_class_1(*probabilities):
    """Return the answers of a judge: the probabilities of class 0 and of class 1."""
    return np.column_stack([1 - np.array(probabilities), probabilities])


YES = of_class_1(0.9, 0.9, 0.9)


def test_with_target_the_original_does_not_matter():
    answers = {"hh": YES, "ah": YES, "main": of_class_1(0.7, 0.3, 0.3)}
    originals = {"main": of_class_1(0.9, 0.2, 0.8)}
    targets = [1, 1, 0]
    found = aspects.verdicts(answers, originals, targets, reversal="target")
    assert found["main"].tolist() == [True, False, True]
    assert found["compliancy"].tolist() == [True, False, True]


def test_a_tie_goes_to_class_0():
    tie = of_class_1(0.5, 0.5, 0.5)
    answers = {"hh": tie, "ah": YES, "main": YES}
    found = aspects.verdicts(answers, {"main": YES}, [1, 1, 0])
    assert found["hh"].tolist() == [False, False, False]


def test_a_headline_is_read_as_it_looks(toy_test):
    text = "Perche\u0301 la Ro\u00adma\u200b \x07👩\u200d🚀"
    assert replace(toy_test.items[0], prediction=text).prediction == "Perché la Roma 👩\u200d🚀"
    assert replace(toy_test.items[0], prediction="\u200b").prediction == ""
