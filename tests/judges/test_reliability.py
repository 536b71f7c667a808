import json
from dataclasses import replace

import pytest
from corpus_fakes import an_issue
from saved_judges import a_judges_metrics
from scoring_fakes import SCALE, FakeJudges, judges_that_know

from change_it.audit.record import Summary
from change_it.corpus.reading.issues import END
from change_it.corpus.record import TrainedOn
from change_it.files.records import from_json, to_json
from change_it.judges.options import MARKS
from change_it.judges.record import ClassScores, Leads, TestScores, WithinEvent, WithinEventShare
from change_it.judges.reliability import Verdict, rate_judges, verdicts_table
from change_it.stats import Score


@pytest.fixture
def judges(sample):
    return judges_that_know(sample.test)


def metrics_of(**recalls):
    """A `metrics.json`: test and class to a recall of 100."""
    classes = {}
    for name, recall in recalls.items():
        test, _, label = name.partition("__")
        figures = ClassScores(precision=0.5, recall=recall, f1=0.5, support=100)
        classes.setdefault(test, {})[label] = figures
    results = {test: TestScores(classes=found, macro_f1=0.5, accuracy=0.5) for test, found in classes.items()}
    linear = {}
    for test, found in results.items():
        low = -0.01 if test == "hard" else 0.01
        linear[test] = replace(found, lead=Score(0.02, low, 0.03))
    return a_judges_metrics(task="hh", results=results, baselines={"linear": linear})


@pytest.mark.parametrize(
    ("hard", "level"), [(0.9, "rely"), (0.8, "care"), (0.62, "care"), (0.55, "distrust"), (0.4, "distrust")]
)
def test_hh_is_judged_by_wrong_stories_and_not_by_changed_facts(hard, level):
    record = metrics_of(random__no_match=0.99, hard__no_match=hard, hard__match=0.95, facts__no_match=0.1)
    hh = rate_judges(FakeJudges(fluency=True).by_task, {"hh": record})[0]
    assert (hh.judge, hh.level, hh.text) == ("hh", level, "no better than linear on the test hard")
    assert hh.shares["refuses random wrong stories"] == pytest.approx((0.99, 0.946, 1), abs=0.001)
    assert hh.shares["refuses headlines with one changed fact"][0] == 0.1
    assert hh.outcome("refuses headlines with one changed fact") == "misses"
    assert "misses: " in hh.words
    assert "refuses headlines with one changed fact (.100)" in hh.words


@pytest.mark.parametrize(("examples", "level", "matches"), [(399, "care", 199), (400, "rely", None)])
def test_a_judge_that_learnt_from_few_matches_says_so_and_is_used_with_care(examples, level, matches):
    record = metrics_of(random__no_match=0.99, hard__no_match=0.95, hard__match=0.95)
    record = replace(record, baselines={}, sizes={"train": examples})
    hh = rate_judges(FakeJudges(fluency=True).by_task, {"hh": record})[0]
    assert (hh.level, hh.matches) == (level, matches)
    assert hh.text == ("learnt from 199 matches, fewer than 200" if matches else "")
    written = json.loads(json.dumps(to_json(hh)))
    assert ("matches" in written) == (matches is not None)
    assert from_json(Verdict, written) == hh
    known = Summary((hh, Verdict("ah", "rely")))
    says = "HH learnt from 199 matches, fewer than 200: scores are less sure than their intervals say"
    assert known.few_matches == (says if matches else "")
    assert (says in known.caveat) == (matches is not None)


def test_a_judge_sees_and_misses_and_is_never_called_reliable():
    shares = {"refuses wrong stories": (0.9, 0.8, 1.0), "refuses changed facts": (0.3, 0.2, 0.4)}
    verdict = Verdict("hh", "rely", "no better than tf-idf", shares)
    rows = [row.values for row in verdicts_table([verdict]).rows]
    assert [(row["test"], row["outcome"]) for row in rows] == [
        ("refuses wrong stories", "sees"),
        ("refuses changed facts", "misses"),
        ("no better than tf-idf", ""),
    ]
    written = to_json(verdict)
    assert written["outcomes"] == {"refuses wrong stories": "sees", "refuses changed facts": "misses"}
    assert from_json(Verdict, json.loads(json.dumps(written))) == verdict


@pytest.mark.parametrize(
    ("share", "outcome"),
    [
        ((0.929, 0.499, 1.0), "not known"),
        ((1.0, 0.59, 1.0), "sees at least in part"),
        ((0.93, 0.751, 0.99), "sees"),
        ((0.0, 0.0, 0.84), "not known"),
        ((0.48, 0.2, 0.75), "misses"),
        ((0.62, 0.501, 0.7), "sees at least in part"),
    ],
)
def test_few_right_answers_are_not_known_and_not_missed(share, outcome):
    verdict = Verdict("hh", "distrust", shares={"accepts right stories": share})
    assert verdict.outcome("accepts right stories") == outcome
    assert verdict.words.startswith(f"{outcome}: accepts right stories")


def main_of(judges, start, **marks):
    """The verdict on main, of a `metrics.json` in which its interval within an event begins here."""
    share = WithinEventShare(value=0.8, low=start, high=0.85)
    within = WithinEvent(pairs=9, events=9, systems={"judge": share, MARKS: replace(share, **marks)})
    return rate_judges(judges.by_task, {"main": a_judges_metrics(within_event=within)})[0]


@pytest.mark.parametrize(
    ("low", "baseline", "level"),
    [(0.76, 0.7, "rely"), (0.76, 0.9, "care"), (0.7, 0.7, "care"), (0.5, 0.7, "distrust")],
)
def test_main_is_judged_within_an_event_beside_its_baselines(judges, low, baseline, level):
    main = main_of(judges, low, value=baseline, low=baseline)
    name = "marks, capitals, length (baseline)"
    assert (main.judge, main.level, main.shares[name][0]) == ("main", level, baseline)
    assert (f"{name} is ahead of it" in main.text) == (baseline == 0.9)
    judges.main.style = SCALE._replace(pairs=19)
    main = main_of(judges, low)
    assert main.level == "distrust"
    assert "style is n/a: main measured its scale on 19" in main.text


@pytest.mark.parametrize(
    ("low", "looks", "why"),
    [
        (0.1, [], ""),
        (0.0, [], "marks, capitals, length alone are as good"),
        (0.1, [END], "rep: headlines end alike"),
        (0.1, ["articles share a passage"], ""),
    ],
)
def test_main_that_may_read_the_export_is_not_reliable(judges, low, looks, why):
    judges.main.corpus = TrainedOn(looks=[an_issue(name, "rep") for name in looks])
    main = main_of(judges, 0.8, lead=Leads(within_event=Score(0.1, low, 0.2)))
    assert (main.level, main.text) == (("care", f"it may read the export ({why})") if why else ("rely", ""))


def test_fluency_that_is_missing_and_evidence_say_what_they_mean():
    fluency, evidence = rate_judges(FakeJudges().by_task, {}, (0.9, 20))
    assert (fluency.level, fluency.text) == ("distrust", "there is none, so that acceptability is n/a")
    [(share, _, _)] = evidence.shares.values()
    assert (evidence.level, share) == ("care", 0.9)
    assert evidence.words.startswith("sees at least in part: accepts the newspapers' own headlines")
    assert rate_judges(FakeJudges().by_task, {}, (None, 20))[1].level == "distrust"
