"""Style, evidence and joint, and items that have no reference."""

import json
from dataclasses import replace

import polars as pl
import pytest
from scoring_fakes import STEP, FakeJudges, scored, write_toy_corpus

from change_it.results.score_tables import meaning, remarks
from change_it.scoring.compliancy import judge_items
from change_it.scoring.floors_and_predictions import ScoredSystem, on_same_items
from change_it.scoring.item import read_test_set


@pytest.fixture
def judges():
    return FakeJudges(digits="abcd")


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


def same_as_gold(test):
    return ScoredSystem("same", tuple(item.reference or item.source for item in test.items))


def judged(test, judges, headlines, **how):
    return judge_items(judges, test.predicted(headlines), progress=False, **how)


def test_joint_is_style_times_the_verdicts_on_content_fluency_and_evidence(toy_test, judges):
    gold = [item.reference for item in toy_test.items]
    gold[0] += " un ponte"
    gold[1] = "Ecco: a Zagarolo approvata la riforma fiscale!"
    gold[2] = "Sciopero generale dei treni"
    gold[4] = ""
    rows = judged(toy_test, judges, gold)
    names = ("compliancy", "style", "fluency", "evidence", "joint")
    assert rows.select(names).rows()[:5] == [
        (True, 1, False, True, 0),
        (True, 1, True, False, 0),
        (False, 0, True, True, 0),
        (True, 1, True, True, 1),
        (False, 0, False, False, 0),
    ]
    assert json.loads(rows["unsupported"][1]) == [{"text": "Zagarolo", "start": 8, "end": 16, "kind": "name"}]
    assert rows["unsupported"][0] == rows["unsupported"][4] == "[]"


def test_main_misreading_the_original_is_compliant_and_no_style(toy_test, judges):
    """The paper's relative reversal then asks for the outlet that the original comes from."""
    item = toy_test.items[0]
    misread = replace(item, source=f"{item.source}!", prediction=item.source)
    row = judge_items(judges, [misread], progress=False).row(0, named=True)
    assert (row["compliancy"], row["style"], row["joint"]) == (True, 0, 0)


def test_the_other_outlet_s_article_is_evidence_and_its_headline_is_not(toy_test, judges):
    item = replace(toy_test.items[0], prediction="Crolla il ponte a Zagarolo, 17 feriti")
    changes = {"reference": item.prediction}, {"reference_article": "A Zagarolo."}, {"reference_article": ""}
    items = [item, *(replace(item, **change) for change in changes)]
    found = judge_items(judges, items, progress=False)["unsupported"]
    both = ["Zagarolo", "17"]
    assert [[one["text"] for one in json.loads(row)] for row in found] == [both, both, ["17"], both]


@pytest.mark.parametrize(
    ("about", "unknown", "signed", "said"),
    [
        ({"digits": "abc"}, {"joint", "fluency"}, "|joint:none|", "have no fluency judge"),
        (
            {"step": STEP._replace(value=0.1)},
            {"joint", "style"},
            "|joint:none|",
            "main does not tell rep and gio apart within an event (median step .100 on 29 training pairs)",
        ),
        (
            {"step": STEP._replace(pairs=19)},
            {"joint", "style"},
            "|joint:none|",
            "its step is of 19 aligned training pairs, fewer than 20",
        ),
        ({"step": STEP._replace(evidence=0.4)}, {"evidence"}, "|evidence:none|", "too short to be evidence"),
    ],
)
def test_what_cannot_be_computed_is_null_and_said(toy_test, about, unknown, signed, said):
    scores = scored(toy_test, FakeJudges(**{"digits": "abcd", **about}))
    values = json.loads(json.dumps(scores.as_dict(), allow_nan=False))["systems"]["gold"]["average"]
    assert {name for name, value in values.items() if value is None} - {"bleu", "rougeL"} == unknown
    assert scores.sorted_by == ("compliancy" if "joint" in unknown else "joint")
    assert scores.items["gold"][next(iter(unknown))].null_count() == 8
    assert signed in scores.signature
    assert sum(said in line for line in remarks(scores)) == 1


def test_the_highest_joint_comes_first_and_stands_beside_a_clause_and_gold(toy_test, judges):
    gold = tuple(item.reference for item in toy_test.items)
    broken = ScoredSystem("broken", tuple(f"{text} ponte ponte" for text in gold))
    half = ScoredSystem("half", (*broken.headlines[:2], *gold[2:]))
    scores = scored(toy_test, judges, broken, half)
    assert scores.systems == ["gold", "half", "broken", "clause", "copy", "lead", "random-target"]
    assert scores.row("broken").values["compliancy"] == 1
    assert scores.row("half").values["joint"] == 0.75
    assert "|fold:all|fluency:dddddd|joint:v1|reversal:" in scores.signature
    first, last = scores.systems.index("gold"), scores.systems.index("broken")
    assert scores.p_values[first, last] == 1
    assert scores.joint_p_values[first, last] < 0.2
    said = "Joint score, percent: half 75.0; clause, a clause of the article at random, 50.0; gold, the other newspaper's own headline, 100.0."
    assert meaning(scores).startswith(f"{said} The paired test does not tell half from clause (p ")
    sure = scores.joint_p_values.copy()
    sure[scores.systems.index("half"), scores.systems.index("clause")] = 0.01
    assert "half is above clause." in meaning(replace(scores, joint_p_values=sure))


def test_an_article_without_a_partner_is_an_item_without_a_reference(unpaired):
    alone = [item for item in unpaired.items if not item.reference]
    assert [(item.id, item.target) for item in alone] == [("rep-alone", "gio"), ("gio-alone", "rep")]
    assert alone[0].article == "Il sindaco inaugura la piscina, dicono."
    assert [item.direction for item in unpaired.items] == ["rep2gio"] * 5 + ["gio2rep"] * 5


def test_all_rows_are_of_the_items_that_have_a_reference(unpaired, judges):
    test, systems = on_same_items(unpaired, [same_as_gold(unpaired)])
    scores = scored(test, judges, *systems)
    assert {row.n for row in scores.rows if row.direction == "average"} == {8}
    gold, row = scores.row("gold"), scores.row("same")
    assert gold.values["compliancy"] == row.values["compliancy"] == row.values["bleu"] == 1
    assert "|n:8|" in scores.signature
    one, other = scores.systems.index("gold"), scores.systems.index("same")
    assert scores.p_values[one, other] == 1


def test_all_items_have_no_gold_and_their_overlap_is_of_those_with_a_reference(unpaired, judges):
    test, systems = on_same_items(unpaired, [same_as_gold(unpaired)], all_items=True)
    scores = scored(test, judges, *systems)
    assert scores.systems == ["same", "clause", "copy", "lead", "random-target"]
    row = scores.row("same")
    assert (row.n, row.references, row.events) == (10, 8, 4)
    assert row.values["compliancy"] == pytest.approx(0.8)
    assert row.values["bleu"] == pytest.approx(1)
