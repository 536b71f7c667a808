import random

import numpy as np
import pytest
from scoring_fakes import FakeJudges, RuleJudge

from change_it import InputError
from change_it.generators.rerank import choose, joint_probability, judge_candidates
from change_it.generators.search import Candidate
from change_it.scoring.compliancy import verdicts
from change_it.scoring.judges import Judges

SOURCES = ["Crolla il ponte sulla statale", "Ecco: Approvata la riforma!"]
ARTICLES = ["Il ponte sulla statale, ieri a Roma.", "La riforma, approvata."]
CANDIDATES = [
    ["Tutto bene", "Ponte sulla statale", "Ponte sulla statale: vergogna!", "Ecco ponte statale!"],
    ["La riforma passa!", "Passa la riforma"],
]


def test_the_candidate_that_satisfies_all_three_wins():
    choice = choose(FakeJudges(), CANDIDATES, SOURCES, ARTICLES, [1, 0])
    assert choice.tolist() == [2, 1]


def at_random(task):
    """A judge whose probabilities are random numbers that depend on the question."""
    return RuleJudge(task, lambda *question: round(random.Random(f"{task} {question}").random(), 1))


def test_the_article_judge_is_asked_only_while_it_can_matter_and_the_choice_is_that_of_all_questions():
    candidates = [[f"candidate {item} {place}" for place in range(8)] for item in range(40)]
    sources, articles = ([f"{kind} {item}" for item in range(40)] for kind in ("source", "article"))
    judges = Judges(at_random("main"), at_random("hh"), at_random("ah"))
    choice = choose(judges, candidates, sources, articles, [1] * 40)
    asked = len(judges.ah.asked)
    for item, some in enumerate(candidates):
        old = judges.main.probabilities(sources[item : item + 1])[0, 1]
        hh = judges.hh.probabilities([sources[item]] * 8, some)[:, 1]
        new = judges.main.probabilities(some)[:, 1]
        ah = judges.ah.probabilities(some, [articles[item]] * 8)[:, 1]
        joint = joint_probability(hh, 1.0, new, old) * ah
        assert choice[item] == joint.argmax()
    assert 40 <= asked < 40 * 8 / 2


def test_reversal_towards_the_target_differs_where_the_original_looks_like_it():
    judges = FakeJudges()
    source = "Ponte sulla statale, che vergogna!"  # main takes it for gio's already
    candidates = [["Un ponte sulla statale", "Un ponte sulla statale!"]]
    relative = choose(judges, candidates, [source], ARTICLES[:1], [1])
    target = choose(judges, candidates, [source], ARTICLES[:1], [1], reversal="target")
    assert (relative.tolist(), target.tolist()) == ([0], [1])
    with pytest.raises(InputError, match="reversal 'both' is unknown"):
        choose(judges, candidates, [source], ARTICLES[:1], [1], reversal="both")


@pytest.mark.parametrize("reversal", ["relative", "target"])
def test_joint_probability_agrees_with_the_verdicts_when_judges_are_certain(reversal):
    hh, ah, new, source = (bits.astype(float) for bits in np.indices((2, 2, 2, 2)).reshape(4, -1))
    both = [np.column_stack([1 - values, values]) for values in (hh, ah, new, source)]
    expected = verdicts(*both, np.ones(16, dtype=int), reversal=reversal)["compliancy"]
    assert (joint_probability(hh, ah, new, source, reversal=reversal) == expected).all()


def test_strict_multiplies_by_fluency_and_refuses_what_no_text_supports():
    candidates = [
        [
            "Zagarolo, ponte sulla statale: vergogna!",
            "Ponte sulla statale, vergogna e vergogna!",
            "Un ponte sulla statale!",
        ]
    ]
    judges = FakeJudges(digits="abcd")
    arguments = candidates, SOURCES[:1], ARTICLES[:1], [1]
    assert choose(FakeJudges(), *arguments).tolist() == [0]
    assert choose(judges, *arguments, language="it").tolist() == [2]
    fluent = [[text for text in candidates[0] if "Zagarolo" not in text]]
    judges.fluency.rule = lambda text, _: 0.9 if "e vergogna" in text else 0.4
    assert choose(judges, fluent, *arguments[1:], language="it").tolist() == [0]


def test_where_all_are_unsupported_the_most_fluent_one_is_taken():
    candidates = [["Zagarolo, ponte e ponte!", "", "Zagarolo, il ponte!"], []]
    choice = choose(FakeJudges(digits="abcd"), candidates, SOURCES, ARTICLES, [1, 0])
    assert choice.tolist() == [2, -1]


def test_what_judges_say_of_a_candidate_follows_the_reversal():
    """The original is taken for the target's already: relatively nothing is reversed, for the target all is well."""
    sources, candidates = ["Crolla il ponte sulla statale!"], [[Candidate("Il ponte sulla statale!", -1.0)]]
    found = {}
    for reversal in ("relative", "target"):
        [[found[reversal]]] = judge_candidates(
            FakeJudges(), candidates, sources, ARTICLES[:1], ["gio"], reversal=reversal
        )
    assert found["relative"].style == pytest.approx(0.9 * 0.1 * 2)
    assert found["target"].style == pytest.approx(0.9)
    assert found["target"].joint == pytest.approx(0.8 * 0.7 * 0.9)
    assert [one.compliant for one in found.values()] == [False, True]
