"""Fluency, facts and strict compliancy, and items that have no reference."""

import json
from dataclasses import replace

import polars as pl
import pytest
from scipy.stats import binomtest
from scoring_fakes import FakeJudges, FakeSupport, scored, write_toy_corpus

from change_it.generators.rerank import choose
from change_it.results.score_tables import terminal_table
from change_it.scoring.compliancy import judge_items
from change_it.scoring.compute import compute_compliancy
from change_it.scoring.floors_and_predictions import ScoredSystem, on_same_items
from change_it.scoring.item import read_test_set
from change_it.text.names import Casing


@pytest.fixture
def strict_judges():
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


def judged(test, judges, headlines):
    return judge_items(judges, test.predicted(headlines), language="it", progress=False)


def test_strict_compliancy_is_compliancy_and_fluency_and_facts(toy_test, strict_judges):
    gold = [item.reference for item in toy_test.items]
    gold[0] += " un ponte"
    gold[1] = "Ecco: a Zagarolo approvata la riforma fiscale!"
    gold[2] = "Sciopero generale dei treni"
    rows = judged(toy_test, strict_judges, gold)
    verdicts = rows.select("compliancy", "fluency", "facts", "strict_compliancy").rows()
    assert verdicts[:4] == [
        (True, False, True, False),
        (True, True, False, False),
        (False, True, True, False),
        (True, True, True, True),
    ]
    assert rows["p_fluency"][:2].to_list() == pytest.approx([0.4, 0.6])
    assert json.loads(rows["unsupported"][1]) == [{"text": "Zagarolo", "start": 8, "end": 16, "kind": "name"}]
    assert rows["unsupported"][0] == "[]"


def test_a_model_of_facts_must_accept_what_rules_accept(toy_test):
    model = FakeSupport(lambda headline, sources: 0.1 if "Ecco" in headline else 0.9)
    headlines = [item.reference for item in toy_test.items]
    headlines[1] = "Ecco: a Zagarolo approvata la riforma fiscale!"
    headlines[2] = ""
    rows = judged(toy_test, FakeJudges(digits="abcd", support=model), headlines)
    assert rows["p_facts"][:4].to_list() == [0.1, None, None, 0.1]
    assert not any(rows["facts"][:4])
    assert rows["unsupported"][0] == "[]"
    asked = dict(model.asked)
    item = toy_test.items[0]
    assert asked[item.reference] == (item.source, item.article, item.reference_article)


def test_the_other_outlet_s_article_is_evidence_and_its_headline_is_not(toy_test, strict_judges):
    item = replace(toy_test.items[0], prediction="Crolla il ponte a Zagarolo, 17 feriti")
    changes = {"reference": item.prediction}, {"reference_article": "A Zagarolo."}, {"reference_article": ""}
    items = [item, *(replace(item, **change) for change in changes)]
    found = judge_items(strict_judges, items, language="it", progress=False)["unsupported"]
    both = ["Zagarolo", "17"]
    assert [[one["text"] for one in json.loads(row)] for row in found] == [both, both, ["17"], both]


def test_without_a_fluency_judge_facts_remain(toy_test, fake_judges):
    scores = scored(toy_test, fake_judges)
    values = scores.row("gold").values
    assert values["facts"] == 1
    assert not {"fluency", "strict_compliancy"} & {*values}
    cells = json.loads(json.dumps(scores.as_dict(), allow_nan=False))
    assert cells["systems"]["gold"]["average"]["strict_compliancy"] is None
    assert cells["strict_p_values"] is None
    assert scores.items["gold"]["strict_compliancy"].null_count() == 8
    assert "fluency:" not in scores.signature


def test_the_best_strict_compliancy_comes_first(toy_test, strict_judges):
    gold = tuple(item.reference for item in toy_test.items)
    broken = ScoredSystem("broken", tuple(f"{text} ponte ponte" for text in gold))
    half = ScoredSystem("half", (*broken.headlines[:4], *gold[4:]))
    scores = scored(toy_test, strict_judges, broken, half)
    assert scores.systems == ["gold", "half", "broken", "copy", "lead", "random-target"]
    assert scores.row("broken").values["compliancy"] == 1
    assert scores.row("half").values["strict_compliancy"] == 0.5
    exact = binomtest(2, 4).proportion_ci()  # of four events
    assert scores.row("half").intervals["strict_compliancy"] == pytest.approx((exact.low, exact.high))
    assert "|fold:all|fluency:dddddd|strict:v5|facts:v4|lang:it|" in scores.signature
    first, last = scores.systems.index("gold"), scores.systems.index("broken")
    assert scores.p_values[first, last] == 1
    assert scores.strict_p_values[first, last] < 0.2
    assert scores.strict_p_values[first, scores.systems.index("half")] < 0.5  # one direction alone differs
    without = scored(toy_test, FakeJudges(), broken, half)
    assert without.row(without.systems[-1]).values["compliancy"] == 0


def test_an_article_without_a_partner_is_an_item_without_a_reference(unpaired):
    alone = [item for item in unpaired.items if not item.reference]
    assert [(item.id, item.target) for item in alone] == [("rep-alone", "gio"), ("gio-alone", "rep")]
    assert alone[0].article == "Il sindaco inaugura la piscina, dicono."
    assert [item.direction for item in unpaired.items] == ["rep2gio"] * 5 + ["gio2rep"] * 5


def test_all_rows_are_of_the_items_that_have_a_reference(unpaired, strict_judges):
    test, systems = on_same_items(unpaired, [same_as_gold(unpaired)])
    scores = scored(test, strict_judges, *systems)
    assert {row.n for row in scores.rows if row.direction == "average"} == {8}
    gold, row = scores.row("gold"), scores.row("same")
    assert gold.values["compliancy"] == row.values["compliancy"] == row.values["bleu"] == 1
    assert "|n:8|" in scores.signature
    one, other = scores.systems.index("gold"), scores.systems.index("same")
    assert scores.p_values[one, other] == 1


def test_all_items_have_no_gold_and_their_overlap_is_of_those_with_a_reference(unpaired, strict_judges):
    test, systems = on_same_items(unpaired, [same_as_gold(unpaired)], all_items=True)
    scores = scored(test, strict_judges, *systems)
    assert scores.systems == ["same", "copy", "lead", "random-target"]
    row = scores.row("same")
    assert (row.n, row.references, row.events) == (10, 8, 4)
    assert row.values["compliancy"] == pytest.approx(0.8)
    assert row.values["bleu"] == pytest.approx(1)


def test_a_reversal_towards_the_wrong_outlet_is_compliant_and_not_strict(toy_test, strict_judges):
    """main misreads the original, so that the paper's relative reversal asks for the outlet that it comes from."""
    item = toy_test.items[0]
    misread = replace(item, source=f"{item.source}!", prediction=item.source)
    row = judge_items(strict_judges, [misread], language="it", progress=False).row(0, named=True)
    assert (row["main"], row["main_normalised"]) == (True, False)
    assert (row["compliancy"], row["strict_compliancy"]) == (True, False)


@pytest.mark.parametrize(
    ("headline", "own"),
    [
        ("Crolla il ponte sulla statale!", False),
        ("Ecco, crolla il ponte sulla statale!", False),  # one word of six
        ("Statale, il ponte crolla!", False),
        ("Statale, ponte ponte ponte!", False),
        ("Crolla il ponte, ecco!", False),  # one word of four
        ("Ecco, crolla il ponté sulla statale: ecco, ecco!", False),
        ("Crolla ponte, ecco!", True),  # one word of three
        ("Ecco, giù il ponte sulla statale!", True),  # two words of six
    ],
)
def test_an_original_that_is_edited_or_cut_is_not_strict(toy_test, strict_judges, headline, own):
    """Whatever main says of it, as it does of the exclamation mark: more than a quarter of the words must be its own."""
    item = replace(toy_test.items[0], prediction=headline)
    row = judge_items(strict_judges, [item], language="it", progress=False).row(0, named=True)
    assert (row["compliancy"], row["main_normalised"]) == (True, own)
    assert row["strict_compliancy"] == (own and row["fluency"])


@pytest.mark.parametrize(
    ("headline", "well_set"),
    [
        ("Che scena: «Giù il ponte»!", True),
        ("Titolo: giù il ponte, che scena!", False),
        ("- Giù il ponte, che scena!", False),
        ("Che scena: «Giù il ponte!", False),
        ('Che scena: «Giù il ponte"!', False),
        ("Giù il ponte (che scena!", False),
        ("Giù il ponte! Che scena,", False),
        ("Che scena! Giù il ponte della", False),
        ("Giù il ponte, che scena!!!", False),
        ("Giù il ponte, , che scena!", False),
        ("Ponte, giù, scena, statale!", False),
        ("Ponte, 1,200,000 giù!", True),
        ("Giù il ponte, che scena! 😱", False),
        ("Giù il ponte, che scena! | notizie", False),
        ("Giù il ponte, che scena! #crollo", True),  # the article has the mark
        ("Giù il pOnTe, che scena!", False),
        ("Giù il il ponte, che scena!", False),
        ("Giù il ponte, che iScena!", True),  # the article spells it so
    ],
)
def test_a_headline_that_no_newspaper_would_set_is_not_fluent(toy_test, strict_judges, headline, well_set):
    item = toy_test.items[0]
    item = replace(item, article=f"{item.article} #ponte, iScena", prediction=headline)
    row = judge_items(strict_judges, [item], language="it", progress=False).row(0, named=True)
    assert (row["main"], row["fluency"]) == (True, well_set)
    assert row["p_fluency"] == (0.6 if well_set else 0)
    [chosen] = choose(
        strict_judges, [[headline, "Il ponte sulla statale, che scena!"]], [item], language="it"
    )
    assert chosen == (0 if row["strict_compliancy"] else 1)


def test_a_word_that_neither_the_corpus_nor_a_text_has_is_misspelt():
    """Of words of four letters or more behind the first; not where the corpus knows too little of the texts."""
    casing = Casing.from_texts(["oggi crolla il ponte sulla strada statale, che scena tremenda"])
    texts = ["Crolla il ponte", "oggi crolla sulla strada statale il ponte di Brodova"]
    spelt = {
        headline: casing.spells(headline, texts, "it")
        for headline in (
            "Crolla il pnote",
            "Che scene tremende",
            "Crolla ilponte",
            "Pnote giù",
            "Ecco Brodova",
        )
    }
    assert [*spelt.values()] == [False, True, False, True, True]
    assert casing.spells("Crolla il pnote", texts, "de")
    assert casing.spells("Crolla il pnote", [*texts, "vento forte ovunque stamattina"], "it")


def test_strict_is_an_upper_bound_where_facts_are_checked_by_rules(toy_test, strict_judges):
    scores = scored(toy_test, strict_judges)
    assert scores.as_dict()["strict_compliancy_is_upper_bound"] is True
    shown = terminal_table(scores)
    assert shown.rows[0].text(shown.columns[1]) == "≤ 1.000"
    assert any("upper bound" in note for note in terminal_table(scores).notes)
    without = scored(toy_test, FakeJudges())
    assert without.as_dict()["strict_compliancy_is_upper_bound"] is False


def test_the_ceiling_is_what_main_reads_right_of_both_outlets(toy_test, strict_judges):
    """Half of rep's originals and three of four of gio's: both must be read right, .5 x .75."""
    scores = scored(toy_test, strict_judges)
    read = {"direction": ["rep2gio"] * 2 + ["gio2rep"] * 4, "p_target_source": [0.2, 0.9, 0.1, 0.1, 0.4, 0.6]}
    known = replace(scores, items={name: pl.DataFrame(read) for name in scores.items})
    [said] = [note for note in terminal_table(known).notes if "perfect transfer" in note]
    assert ".500 of rep's originals and .750 of gio's" in said
    assert "about .375" in said
    one = replace(scores, items={name: pl.DataFrame(read).head(2) for name in scores.items})
    assert not any("perfect transfer" in note for note in terminal_table(one).notes)


def test_the_function_without_a_corpus(toy_test, strict_judges):
    items = toy_test.items[:2]
    arguments = {
        "predictions": ["Ecco: giù il ponte!", "Ecco: a Zagarolo la riforma fiscale!"],
        "sources": [item.source for item in items],
        "articles": [item.article for item in items],
        "labels": [item.label for item in items],
        "resamples": 5,
    }
    found = compute_compliancy(judges=strict_judges, **arguments)
    values = [found[name] for name in ("compliancy", "strict_compliancy", "facts", "fluency")]
    assert values == [1, 0.5, 0.5, 1]
    assert [row["unsupported"] for row in found["verdicts"]] == [[], ["Zagarolo"]]
    evidence = ["", "Siamo a Zagarolo."]
    found = compute_compliancy(judges=strict_judges, **arguments, reference_articles=evidence)
    assert found["facts"] == 1
    without = compute_compliancy(judges=FakeJudges(), **arguments)
    assert without["strict_compliancy"] is without["intervals"]["average"]["fluency"] is None
    assert without["facts"] == 0.5
    assert [each["strict_compliancy_is_upper_bound"] for each in (found, without)] == [True, False]
    one = compute_compliancy(judges=strict_judges, **arguments, events=["same", "same"])
    assert "|events:1|" in one["signature"]
