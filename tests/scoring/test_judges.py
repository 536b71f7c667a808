import math

import pytest
from scoring_fakes import STEP, FakeJudges

ORIGINAL, ARTICLE = "Crolla il ponte", "Il ponte sulla statale è crollato."


def test_a_headline_has_style_joint_marks_and_what_no_source_has():
    judges = FakeJudges(digits="abcd", step=STEP._replace(value=5.0))
    new = ["Giù il ponte!", "Giù il ponte di Bari!"]
    one, other = judges(new, originals=[ORIGINAL] * 2, articles=[ARTICLE] * 2)
    step = math.log(0.9 / 0.1) - math.log(0.2 / 0.8)
    assert one.style == one.joint == pytest.approx(step / 5)
    assert one.marks == dict.fromkeys(("hh", "ah", "main", "fluency", "evidence"), True) | {"support": None}
    assert (other.joint, other.marks["evidence"], other.compliant) == (0, False, True)
    assert [part.text for part in other.unsupported] == ["Bari"]


def test_a_headline_between_two_outlets_is_rewritten_for_the_second():
    judges = FakeJudges()
    judges.main.rule = lambda text, _: 0.5
    assert judges.opposite_outlets([ORIGINAL]) == [judges.outlets[1]]
