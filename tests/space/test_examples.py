"""The page's examples: what is right and accepted, what is wrong and refused, and where the judges err."""

from scoring_fakes import FakeJudges

from change_it.generators.rerank import JudgedCandidate
from change_it.scoring.compliancy import VERDICT_NAMES
from change_it.scoring.facts import Unsupported
from change_it.scoring.item import Item, read_test_set
from change_it.space.examples import _chosen, corpus_examples


def judged(text, *refused_by, rather=""):
    """A headline that these judges refuse."""
    wrong = (Unsupported(text[:4], 0, 4, "name", rather),) if "facts" in refused_by else ()
    good = not refused_by
    marks = {name: name not in refused_by for name in VERDICT_NAMES}
    return JudgedCandidate(
        text, 0.0, good, good, marks, {"source": 0.1}, 0.9, 0.9, 0.9 if good else 0.0, wrong
    )


def item(name):
    return Item(name, "rep", "gio", f"{name}, il titolo", f"{name}, l'articolo.", f"{name}!")


def chosen(*items):
    return _chosen([(one, {answer.text: answer for answer in answers}) for one, *answers in items])


def test_one_of_each_kind_the_first_that_there_is():
    first, second, third, fourth = map(item, ("Uno", "Due", "Tre", "Quattro"))
    found = chosen(
        (first, judged("Uno!"), judged("Altro!", "facts", rather="Uno")),
        (second, judged("Due!", "hh", "main_normalised"), judged("Altro!", "facts", rather="Due")),
        (third, judged("Tre!"), judged("1 solo!", "facts")),
        (fourth, judged("Quattro!"), judged("Altri!", "facts", rather="Quattro")),
    )
    assert [(one.headline, one.own) for one in found] == [
        ("Uno, il titolo", "Uno!"),
        ("Quattro, il titolo", "Altri!"),  # of the third no source says anything else
        ("Due, il titolo", "Due!"),
    ]
    assert [one.label for one in found] == [
        "Right and accepted by all judges",
        "A name or number changed on purpose, and refused",
        "Printed by gio, yet refused by hh, main normalised",
    ]
    assert {one.direction for one in found} == {"rep2gio"}


def test_a_changed_headline_that_facts_accept_is_no_example():
    first, second = item("Uno"), item("Due")
    found = chosen(
        (first, judged("Uno!"), judged("Altro!")), (second, judged("Due!"), judged("Altri!", "hh"))
    )
    assert [one.own for one in found] == ["Uno!"]
    [right, wrong] = chosen((first, judged("Uno!"), judged("Altro!", "facts")))
    assert right.headline == wrong.headline


def test_examples_of_a_corpus_are_always_the_same(corpus, tmp_path):
    judges = FakeJudges(("colle", "faro"), digits="abcd")
    found = corpus_examples(judges, corpus, "it")
    assert found == corpus_examples(judges, corpus, "it")
    assert found[-1].label.startswith("Printed by ")
    assert len({one.label for one in found}) == len(found)
    printed = {one.reference for one in read_test_set(corpus).items}
    assert [one.own in printed for one in found] == ["changed on purpose" not in one.label for one in found]
    assert corpus_examples(judges, str(tmp_path / "none"), "it") == ()
