import pytest
from scoring_fakes import FakeJudges

from change_it.scoring.facts import Unsupported
from change_it.scoring.marks import judge_headlines, other_outlets
from change_it.scoring.signature import signature

ORIGINAL, ARTICLE = "Crolla il ponte", "Il ponte sulla statale è crollato."
NEW = "Il ponte crolla!"


@pytest.mark.parametrize(("digits", "fluent"), [("abc", 1.0), ("abcd", 0.6)])
def test_the_probability_of_strict_compliancy_asks_the_fluency_judge_that_there_is(digits, fluent):
    (judged,) = judge_headlines(FakeJudges(digits=digits), [NEW], [ORIGINAL], [ARTICLE])
    normalised = judged.marks["main_normalised"]
    assert judged.joint == pytest.approx(0.8 * 0.7 * judged.style)
    target = judged.probabilities["main"] * (1 - judged.probabilities["source"])
    assert judged.strict_joint == pytest.approx(
        0.8 * 0.7 * target * fluent * bool(normalised and judged.marks["facts"])
    )


def test_fluency_weighs_what_is_compliant_in_any_typography():
    judges = FakeJudges(digits="abcd")
    judges.main.rule = lambda text, _: 0.9 if "crolla" in text.split() else 0.2
    (judged,) = judge_headlines(judges, ["Il ponte crolla"], ["Cade il ponte"], [ARTICLE])
    assert judged.marks["main_normalised"]
    assert judged.marks["facts"]
    assert judged.style == pytest.approx(0.9 * 0.8 + 0.1 * 0.2)
    assert judged.strict_joint == pytest.approx(0.6 * judged.joint / judged.style * 0.9 * 0.8)
    assert judged.joint > 0


def test_a_headline_between_two_outlets_is_rewritten_for_the_second():
    judges = FakeJudges()
    judges.main.rule = lambda text, _: 0.5
    assert other_outlets(judges, [ORIGINAL]) == [judges.outlets[1]]


def test_tables_say_what_sources_rather_say_only_where_something_is_said():
    unsupported = {"text": "Draghi", "start": 0, "end": 6, "kind": "name"}
    assert Unsupported(**unsupported).as_dict() == unsupported
    assert Unsupported(**unsupported, rather="Il ponte").as_dict() == unsupported | {"rather": "Il ponte"}


def test_the_signature_counts_runs_from_two_on():
    options = {"language": "it", "reversal": "relative", "n": 8, "partners": 8, "events": 4}
    texts = [signature(FakeJudges(), **options, resamples=9, seed=1, runs=runs) for runs in (1, 2)]
    assert ["runs:" in text for text in texts] == [False, True]
