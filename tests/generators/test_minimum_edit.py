import json

import pytest
from scoring_fakes import FakeJudges, write_stand_ins

from change_it import InputError
from change_it.generators.minimum_edit import minimum_edit, rearrangements
from change_it.scoring.scores import score
from change_it.scoring.systems import built_in_systems
from change_it.text.tokens import words
from change_it.text.typography import Typography

HEADLINES = ["Crolla il ponte: «due feriti»", "Sì", "A, B e C – ma non D", "?!", "Che vergogna!"]


@pytest.mark.parametrize("headline", HEADLINES)
def test_versions_of_a_headline_add_no_word(headline):
    made = rearrangements(headline, Typography(quotes="“”", titles=True))
    assert made[0] == headline
    assert len(set(made)) == len(made) <= 16
    known = {word.lower() for word in words(headline)}
    assert all({word.lower() for word in words(text)} <= known for text in made)
    assert all(made)


def test_judges_choose_what_fools_them(toy_test):
    system = minimum_edit(toy_test, FakeJudges(fold="0"))
    # an exclamation mark is gio's
    for item, headline in zip(toy_test.items, system.headlines, strict=True):
        assert ("!" in headline) == (item.target == "gio")
        assert {word.lower() for word in words(headline)} <= {word.lower() for word in words(item.source)}
    scores = score(
        toy_test, FakeJudges(fold="1", digits="xyz"), [*built_in_systems(toy_test), system], resamples=5
    )
    assert scores.row("minimum-edit").values["compliancy"] == 1
    assert "reranker:aaaaaa" in scores.row("minimum-edit").signature


def test_judges_that_chose_do_not_score(toy_test):
    system = minimum_edit(toy_test, FakeJudges(fold="0"))
    with pytest.raises(InputError, match="not independent"):
        score(toy_test, FakeJudges(fold="0", digits="xyz"), [system], resamples=5)


def test_the_system_has_a_row_of_its_own_name(toy_test):
    assert minimum_edit(toy_test, FakeJudges()).name == "minimum-edit"


def test_the_command_asks_judges_of_the_other_fold(tmp_path, toy_corpus, monkeypatch, capsys):
    from change_it.cli import main
    from change_it.judges.judge import Judges

    folders = {fold: write_stand_ins(tmp_path / fold) for fold in "01"}

    def load(name, *_, **__):
        fold = next(fold for fold, folder in folders.items() if str(folder.resolve()) == str(name))
        return FakeJudges(fold=fold, digits={"0": "abc", "1": "xyz"}[fold])

    monkeypatch.setattr(Judges, "from_pretrained", load)
    given = [
        "score",
        "--corpus",
        str(toy_corpus),
        "--judges",
        str(folders["1"]),
        "--resamples",
        "5",
        "--json",
    ]
    assert main([*given, "--minimum-edit", str(folders["0"])]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["systems"]["minimum-edit"]["average"]["compliancy"] == 1
    assert record["rerankers"]["minimum-edit"]["fold"] == "0"
    assert main([*given, "--minimum-edit", str(folders["1"])]) == 2
    assert "not independent" in capsys.readouterr().err
    assert main(given) == 0
    assert "minimum-edit" not in json.loads(capsys.readouterr().out)["systems"]
