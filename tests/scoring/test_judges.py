import pytest
from scoring_fakes import FakeJudges

ORIGINAL, ARTICLE = "Crolla il ponte", "Il ponte sulla statale è crollato."


def test_fluency_weighs_what_is_compliant_in_any_typography():
    judges = FakeJudges(digits="abcd")
    judges.main.rule = lambda text, _: 0.9 if "crolla" in text.split() else 0.2
    (judged,) = judges(["Il ponte crolla"], originals=["Cade il ponte"], articles=[ARTICLE])
    assert judged.marks["main_normalised"]
    assert judged.marks["facts"]
    assert judged.style == pytest.approx(0.9 * 0.8 + 0.1 * 0.2)
    assert judged.strict_joint == pytest.approx(0.6 * judged.joint / judged.style * 0.9 * 0.8)
    assert judged.joint > 0


def test_a_headline_between_two_outlets_is_rewritten_for_the_second():
    judges = FakeJudges()
    judges.main.rule = lambda text, _: 0.5
    assert judges.opposite_outlets([ORIGINAL]) == [judges.outlets[1]]
