"""The page's examples: what is right and accepted, what is wrong and refused, and where the judges err."""

from scoring_fakes import FakeJudges

from change_it.scoring.item import Item, read_test_set
from change_it.space.examples import corpus_examples


def item(name):
    return Item(name, "rep", "gio", f"{name}, il titolo", f"{name}, l'articolo.", f"{name}!")


def test_examples_of_a_corpus_are_always_the_same(corpus, tmp_path):
    judges = FakeJudges(("colle", "faro"), digits="abcd")
    found = corpus_examples(judges, corpus, "it")
    assert found == corpus_examples(judges, corpus, "it")
    assert found[-1].label.startswith("Printed by ")
    assert len({one.label for one in found}) == len(found)
    printed = {one.reference for one in read_test_set(corpus).items}
    assert [one.own in printed for one in found] == ["changed on purpose" not in one.label for one in found]
    assert corpus_examples(judges, str(tmp_path / "none"), "it") == ()
