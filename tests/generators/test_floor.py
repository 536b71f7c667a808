import json
from dataclasses import replace

from scoring_fakes import FakeJudges

from change_it.cli import main
from change_it.generators.floor import cuts, floor
from change_it.text.tokens import words
from change_it.text.typography import Typography


def test_cuts_are_sentences_and_clauses_of_the_article():
    article = "Ieri a Roma il ponte è crollato: due feriti gravi in ospedale. Poi. " + "Parole " * 30
    made = cuts(article, Typography(titles=True))
    assert "Ieri a Roma il Ponte è Crollato" in made
    assert "Due Feriti Gravi in Ospedale" in made
    assert all(4 <= len(text.split()) <= 20 for text in made)


def test_judges_choose_for_strict_what_fools_them(toy_test):
    """Capitals are gio's, and they are gone once both headlines are set alike; a word is not."""
    judges = FakeJudges(fold="0", digits="abcd")
    judges.main.rule = lambda text, _: 0.9 if "poi" in text.lower() or text.isupper() else 0.2
    items = tuple(
        replace(item, article=f"{item.article} Poi sul tema del {words(item.source)[-1]} si litiga.")
        for item in toy_test.items
    )
    test = replace(toy_test, items=items)
    system = floor(test, judges)
    assert system.reranker.fold == "0"
    aimed = [text for item, text in zip(items, system.headlines, strict=True) if item.target == "gio"]
    assert all("poi" in text.lower() for text in aimed)


def test_the_command_asks_judges_of_the_other_fold(judges_of_folds, toy_corpus, capsys):
    one, other = judges_of_folds["1"], judges_of_folds["0"]
    given = f"score --corpus {toy_corpus} --judges {one} --resamples 5 --json".split()
    assert main([*given, "--floor", str(other)]) == 0
    record = json.loads(capsys.readouterr().out)
    assert list(record["systems"])[-1] == "floor"  # apart from the others: judges chose it
    assert record["rerankers"]["floor"]["fold"] == "0"
    assert main([*given, "--floor", str(one)]) == 2
    assert "not independent" in capsys.readouterr().err
    assert main(given) == 0
    assert "floor" not in json.loads(capsys.readouterr().out)["systems"]
