import random

import numpy as np
from scoring_fakes import FakeJudges, RuleJudge

from change_it.generators.rerank import choose, joint_probability
from change_it.scoring.compliancy import verdicts
from change_it.scoring.item import Item
from change_it.scoring.judges import Judges

ITEMS = [
    Item("", "rep", "gio", "Crolla il ponte sulla statale", "Il ponte sulla statale, ieri a Roma."),
    Item("", "gio", "rep", "Ecco: Approvata la riforma!", "La riforma, approvata."),
]
CANDIDATES = [
    ["Tutto bene", "Ponte sulla statale", "Ponte sulla statale: vergogna!", "Ecco ponte statale!"],
    ["La riforma passa!", "Passa la riforma"],
]


def test_the_candidate_that_satisfies_all_three_wins():
    assert choose(FakeJudges(), CANDIDATES, ITEMS) == [2, 1]


def at_random(task):
    """A judge whose probabilities are random numbers that depend on the question."""
    return RuleJudge(task, lambda *question: round(random.Random(f"{task} {question}").random(), 1))


def test_the_article_judge_is_asked_only_while_it_can_matter_and_the_choice_is_that_of_all_questions():
    candidates = [[f"candidate {item} {place}" for place in range(8)] for item in range(40)]
    sources, articles = ([f"{kind} {item}" for item in range(40)] for kind in ("source", "article"))
    judges = Judges(at_random("main"), at_random("hh"), at_random("ah"))
    texts = zip(sources, articles, strict=True)
    choice = choose(judges, candidates, [Item("", "rep", "gio", *each) for each in texts])
    asked = len(judges.ah.asked)
    for item, some in enumerate(candidates):
        old = judges.main.probabilities(sources[item : item + 1])[0, 1]
        hh = judges.hh.probabilities([sources[item]] * 8, some)[:, 1]
        new = judges.main.probabilities(some)[:, 1]
        ah = judges.ah.probabilities(some, [articles[item]] * 8)[:, 1]
        joint = joint_probability(hh, 1.0, new, old) * ah
        assert choice[item] == joint.argmax()
    assert 40 <= asked < 40 * 8 / 2


def test_joint_probability_agrees_with_the_verdicts_when_judges_are_certain():
    hh, ah, new, source = (bits.astype(float) for bits in np.indices((2, 2, 2, 2)).reshape(4, -1))
    both = [np.column_stack([1 - values, values]) for values in (hh, ah, new, source)]
    expected, aimed = (
        verdicts(*both, np.ones(16, dtype=int), reversal=reversal)["compliancy"]
        for reversal in ("relative", "target")
    )
    assert (joint_probability(hh, ah, new, source) == expected).all()
    assert (joint_probability(hh, ah, new, source, strict=True) == expected & aimed).all()


def test_strict_multiplies_by_fluency_and_refuses_what_no_text_supports():
    twice = "Ponte sulla statale, vergogna e vergogna!"
    candidates = [["Zagarolo, ponte sulla statale: vergogna!", twice, "Un ponte, che statale!"]]
    judges = FakeJudges(digits="abcd")
    assert choose(FakeJudges(), candidates, ITEMS[:1]) == [0]
    assert choose(judges, candidates, ITEMS[:1], language="it") == [2]
    fluent = [[text for text in candidates[0] if "Zagarolo" not in text]]
    judges.fluency.rule = lambda text, _: 0.9 if "e vergogna" in text else 0.4
    assert choose(judges, fluent, ITEMS[:1], language="it") == [0]


def test_where_all_are_unsupported_the_most_fluent_one_is_taken():
    candidates = [["Zagarolo, ponte e ponte!", "", "Zagarolo, il ponte!"], []]
    assert choose(FakeJudges(digits="abcd"), candidates, ITEMS) == [2, -1]
