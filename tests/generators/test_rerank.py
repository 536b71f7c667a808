import json
from dataclasses import replace

import pytest
from scoring_fakes import STEP, FakeJudges

from change_it.cli import main
from change_it.generators.rerank import floor, judge_candidates, order
from change_it.generators.search import Candidate
from change_it.scoring.floors_and_predictions import built_in_systems, clauses
from change_it.scoring.item import Item
from change_it.text.clauses import cuts
from change_it.text.tokens import words
from change_it.text.typography import Typography

ITEMS = [
    Item("", "rep", "gio", "Crolla il ponte sulla statale", "Il ponte sulla statale, ieri a Roma."),
    Item("", "gio", "rep", "Ecco: Approvata la riforma!", "La riforma, approvata."),
]
CANDIDATES = [
    ["Tutto bene", "Ponte sulla statale", "Statale, ponte giù: vergogna!", "Ecco ponte statale!"],
    ["La riforma passa!", "Passa la riforma"],
]


def test_the_candidate_that_satisfies_all_wins():
    for digits in ("abc", "abcd"):  # by compliancy where joint is unknown
        assert [places[0] for places in order(FakeJudges(digits=digits), CANDIDATES, ITEMS)] == [2, 1]


@pytest.mark.parametrize("step", [5.0, 0.05])
def test_joint_comes_first_then_evidence_then_style_and_probabilities_and_empty_ones_last(step):
    """Of a step that is too small style is unknown, and so is joint: compliancy then comes first."""
    chances = {"Ecco, statale!": 0.9, "Statale, ponte!": 0.8, "Ponte ponte!": 0.9}
    judges = FakeJudges(digits="abcd", step=STEP._replace(value=step))
    judges.main.rule = lambda text, _: chances.get(text, 0.2)
    texts = [
        "",
        "Zagarolo, Statale a Zagarolo!",
        "Statale, ponte!",
        "Il ponte",
        "Ponte ponte!",
        "Ecco, statale!",
    ]
    [found] = order(judges, [texts], ITEMS[:1])
    assert found == (5, 2, 4, 3, 1, 0)


def test_where_no_source_has_any_the_most_fluent_is_taken_and_of_none_none():
    candidates = [["Zagarolo a Zagarolo, ponte e ponte!", "", "Dicono a Zagarolo: giù il ponte!"], []]
    assert order(FakeJudges(digits="abcd"), candidates, ITEMS) == [(2, 0, 1), ()]
    assert order(FakeJudges(), [[], []], ITEMS) == [(), ()]


def test_what_chooses_sees_no_partner_s_article_and_keeps_scores():
    item = replace(ITEMS[0], reference_article="A Zagarolo.")
    offered = [
        Candidate("Giù il ponte a Zagarolo!", -1.0),
        Candidate(" ", -2.0),
        Candidate("Giù il ponte!", -3.0),
    ]
    [[best, other]] = judge_candidates(FakeJudges(digits="abcd"), [offered], [item])
    assert (best.text, best.score, best.joint) == ("Giù il ponte!", -3.0, 1)
    assert [part.text for part in other.unsupported] == ["Zagarolo"]


def test_cuts_are_sentences_and_clauses_of_the_article():
    article = "Ieri a Roma il ponte è crollato: due feriti gravi in ospedale. Poi. " + "Parole " * 30
    made = cuts(article, Typography(titles=True))
    assert "Ieri a Roma il Ponte è Crollato" in made
    assert "Due Feriti Gravi in Ospedale" in made
    assert len(made) == 3  # none is cut
    [cut] = cuts("Parole " * 30, Typography(titles=True))  # but where all are too long
    assert len(cut.split()) == 20


def test_the_floor_is_chosen_among_the_clauses_of_which_chance_draws_one(toy_test):
    judges = FakeJudges(fold="0", digits="abcd")
    judges.main.rule = lambda text, _: 0.9 if "litiga" in text else 0.2
    items = tuple(
        replace(item, article=f"{item.article} Poi sul tema del {words(item.source)[-1]} si litiga.")
        for item in toy_test.items
    )
    test = replace(toy_test, items=items)
    system = floor(test, judges)
    assert system.reranker.fold == "0"
    aimed = [text for item, text in zip(items, system.headlines, strict=True) if item.target == "gio"]
    assert all("litiga" in text for text in aimed)
    drawn = [built_in_systems(test, seed=seed)[-1] for seed in (1, 1, 2)]
    assert drawn[0].name == "clause"
    assert drawn[0] == drawn[1] != drawn[2]
    for texts, *of_item in zip(clauses(test), system.headlines, drawn[0].headlines, strict=True):
        assert {*of_item} <= {*texts}


def test_the_command_asks_judges_of_the_other_fold(judges_of_folds, toy_corpus, capsys):
    one, other = judges_of_folds["1"], judges_of_folds["0"]
    given = f"score --corpus {toy_corpus} --judges {one} --resamples 5 --json".split()
    assert main([*given, "--floor", str(other)]) == 0
    record = json.loads(capsys.readouterr().out)
    assert list(record["systems"])[-1] == "floor"  # apart from the others: judges chose it
    assert record["systems"]["clause"]["average"]["group"] == ""
    assert record["rerankers"]["floor"]["fold"] == "0"
    assert main([*given, "--floor", str(one)]) == 2
    assert "not independent" in capsys.readouterr().err
    assert main(given) == 0
    assert "floor" not in json.loads(capsys.readouterr().out)["systems"]
