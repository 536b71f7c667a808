import json
from dataclasses import replace
from pathlib import Path

import pytest
from scoring_fakes import SCALE, FakeJudges, write_stand_ins

from change_it.cli import main
from change_it.corpus.test_set import Item
from change_it.scoring.baselines import built_in_systems, clauses
from change_it.scoring.choosing import floor, judge_candidates, order
from change_it.text.tokens import words

ITEM = Item("", "rep", "gio", "Crolla il ponte sulla statale", "Il ponte sulla statale, ieri a Roma.")


@pytest.mark.parametrize("measured", [True, False])
def test_acceptability_times_style_decides_then_probabilities_and_edited_and_empty_ones_are_last(measured):
    """Where style is n/a acceptability decides alone.

    hh wants a long word of the original, which all have. Fluency refuses a word that is repeated.
    """
    like_gio = {"Ecco, statale!": 0.9, "Giù la statale!": 0.8, "Addio ponte ponte!": 0.9}
    judges = FakeJudges(fluency=True, scale=SCALE if measured else SCALE._replace(pairs=3))
    judges.main.rule = lambda headline, _: like_gio.get(headline, 0.2)
    judges.ah.rule = lambda headline, article: 0.6 if "Ecco" in headline else 0.7
    most_style = "Ecco, statale!"
    most_acceptable = "Giù la statale!"
    repeating = "Addio ponte ponte!"
    without_evidence = "Zagarolo, Statale a Zagarolo!"
    edited = "Crolla il ponte sulla statale!"
    headlines = ["", without_evidence, most_acceptable, edited, repeating, most_style]

    [ranked] = order(judges, [headlines], [ITEM])

    best = [most_style, most_acceptable] if measured else [most_acceptable, most_style]
    assert [headlines[place] for place in ranked] == [*best, repeating, without_evidence, edited, ""]


def test_what_chooses_sees_no_partner_s_article():
    item = replace(ITEM, reference_article="A Zagarolo.")
    offered = ["Giù il ponte a Zagarolo!", "Giù il ponte!"]
    [[best, other]] = judge_candidates(FakeJudges(fluency=True), [offered], [item])
    assert (best.text, best.refused_by) == ("Giù il ponte!", "")
    assert [part.text for part in other.unsupported] == ["Zagarolo"]


def test_the_floor_is_the_best_of_the_clauses_that_clause_has_in_turn(toy_test):
    """For gio the best clause is the one that main takes for gio's: that with `litiga`."""
    judges = FakeJudges(fold="0", fluency=True)
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
    clause = built_in_systems(test)[-1]
    assert (clause.name, [list(texts) for texts in clause.cuts]) == ("clause", clauses(test))
    assert system.headlines == tuple(texts[0] for texts in system.cuts)
    assert [sorted(texts) for texts in system.cuts] == [sorted(texts) for texts in clause.cuts]
    assert system.candidates == sum(map(len, system.cuts)) / len(test.items)


def test_the_command_asks_judges_of_the_other_fold(toy_corpus, tmp_path, monkeypatch, capsys):
    one, other = (write_stand_ins(tmp_path / fold).resolve() for fold in "10")
    fakes = {
        one: FakeJudges(fold="1", fluency=True, hashes="wxyz"),
        other: FakeJudges(fold="0", fluency=True),
    }
    load = "change_it.scoring.panel.Judges.from_pretrained"
    monkeypatch.setattr(load, lambda name, *_, **__: fakes[Path(name)])
    command = f"score --corpus {toy_corpus} --judges {one} --resamples 5 --json".split()
    assert main([*command, "--floor", str(other)]) == 0
    record = json.loads(capsys.readouterr().out)
    assert list(record["systems"])[:2] == ["floor", "clause"]
    assert [record["systems"][name]["average"]["chosen"] for name in ("floor", "clause")] == [True, False]
    assert record["rerankers"]["floor"]["fold"] == "0"
    assert main([*command, "--floor", str(one)]) == 2
    assert "not independent" in capsys.readouterr().err
    assert main(command) == 0
    assert "floor" not in json.loads(capsys.readouterr().out)["systems"]
