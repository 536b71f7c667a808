import json
from dataclasses import replace

import pytest
from corpus_fakes import an_issue
from saved_judges import a_judges_metrics
from scoring_fakes import SCALE, FakeJudges

from change_it.audit import measure
from change_it.audit.measure import audit, measure_systems, outcome_of, read_corpus, summary_sentence
from change_it.audit.perturbations import Perturbation
from change_it.corpus.reading.issues import END
from change_it.corpus.record import TrainedOn
from change_it.corpus.test_set import GOLD
from change_it.judges.options import MARKS
from change_it.judges.record import ClassScores, Leads, TestScores, WithinEvent, WithinEventShare
from change_it.judges.reliability import Summary, rate_judges, read_summary
from change_it.stats import Score
from change_it.version import __version__


@pytest.fixture(scope="module")
def sample(corpus):
    return read_corpus(corpus)


@pytest.fixture
def judges(sample):
    """Judges that know which outlet printed a headline; fluency refuses an exclamation mark behind it."""
    outlets = sample.test.outlets
    second = {item.source.rstrip("?!,") for item in sample.test.items if item.label == outlets[1]}
    judges = FakeJudges(outlets, digits="abcd")
    judges.main.rule = lambda text, _: 0.9 if text.rstrip("?!,") in second else 0.1
    judges.hh.rule = judges.ah.rule = lambda text, pair: 0.9
    judges.fluency.rule = lambda text, _: 0.0 if text.endswith("?!") else 0.9
    return judges


def measured(sample, judges, kinds, monkeypatch, at_most=200, aspect="acceptability"):
    """The results of kinds: name to what makes a headline of an item."""
    registry = {
        name: Perturbation(name, "", "gold", aspect, "", lambda item, *_, make=make: make(item))
        for name, make in kinds.items()
    }
    monkeypatch.setattr(measure, "PERTURBATIONS", registry)
    results = measure_systems(judges, sample, at_most=at_most, resamples=200, seed=1)
    return {result["system"]: result for result in results}


def test_what_is_kept_is_the_score_over_gold_s_of_the_same_items(sample, judges, monkeypatch):
    """Fluency refuses all of one kind, none of another, and about half of a third; a fourth has two headlines."""
    few = sorted(item.id for item in sample.test.items if item.reference)[:2]
    kinds = {
        "refused": lambda item: f"{item.reference}?!",
        "accepted": lambda item: f"{item.reference},",
        "half": lambda item: item.reference + (",", "?!")[len(item.article) % 2],
        "rare": lambda item: f"{item.reference}?!" if item.id in few else None,
    }
    monkeypatch.setattr(measure, "STOPPED", 0.2)  # of so few events
    results = measured(sample, judges, kinds, monkeypatch)
    accepted, half, refused = (results[name] for name in ("accepted", "half", "refused"))
    assert list(results)[:3] == [GOLD, "accepted", "half"]  # the worst first
    assert {accepted["outcome"], half["outcome"]} == {"let through"}
    assert (refused["outcome"], results["rare"]["outcome"]) == ("stopped", "too few to tell")
    assert outcome_of(accepted | {"events": 9}) == "too few to tell"
    assert accepted["kept"] == pytest.approx(1)
    assert refused["kept"] == 0 < refused["interval"][1]  # nothing of so many is not nothing of all
    assert 0.2 < half["interval"][0] < half["kept"] < half["interval"][1] < 0.8
    example = half["examples"][0]
    assert example["verdicts"]["acceptability"] > 0
    assert example["true"] in example["headline"]
    assert results[GOLD]["kept"] is None


def test_without_a_fluency_judge_compliancy_is_kept_and_without_a_score_nothing(sample, judges, monkeypatch):
    kinds = {"same": lambda item: f"{item.reference},"}
    three = FakeJudges(sample.test.outlets)
    three.main.rule = lambda text, _: 0.9 if len(text) > 80 else 0.2  # the second outlet writes longer ones
    same = measured(sample, three, kinds, monkeypatch, at_most=40)["same"]
    assert same["values"]["acceptability"] is same["values"]["fluency"] is None
    assert same["kept"] == pytest.approx(1)
    judges.hh.rule = lambda text, pair: 0.0
    same = measured(sample, judges, kinds, monkeypatch)["same"]
    assert (same["kept"], same["interval"], same["outcome"]) == (None, None, "too few to tell")


def result(name, kept, interval, aspect="acceptability"):
    system = {"system": name, "aspect": aspect, "events": 20, "kept": kept}
    system |= {"interval": None, "style_interval": None}
    system["style_interval" if aspect == "style" else "interval"] = interval
    return system | {"outcome": outcome_of(system)}


def test_of_fewer_than_twenty_events_nothing_is_said():
    system = {"aspect": "acceptability", "interval": (0.0, 0.05), "style_interval": None}
    assert outcome_of(system | {"events": 19}) == "too few to tell"
    assert outcome_of(system | {"events": 20}) == "stopped"


@pytest.mark.parametrize(
    ("aspect", "interval", "outcome"),
    [
        ("acceptability", (0.0, 0.1), "stopped"),
        ("acceptability", (0.1, 0.9), "too few to tell"),
        ("acceptability", (0.11, 0.9), "let through"),
        ("acceptability", None, "too few to tell"),
        ("style", (-0.5, 0.5), "stopped"),
        ("style", (0.4, 0.6), "too few to tell"),
        ("style", (0.51, 1.2), "let through"),
    ],
)
def test_the_interval_of_the_aspect_that_should_notice_decides(aspect, interval, outcome):
    assert result("x", 0.1, interval, aspect)["outcome"] == outcome


def test_a_sentence_counts_for_each_aspect_and_names_the_worst():
    shares = {"a": 0.5, "b": 0.9, "c": 0.7, "d": 0.6}
    systems = [result(name, share, (0.3, 1.0)) for name, share in shares.items()]
    systems += [result("e", 0.0, (0.0, 0.05)), result("f", 0.0, (0.0, 0.5))]
    systems += [result("g", 1.0, (-0.4, 0.2), "style"), result("h", 1.0, (0.6, 0.9), "style")]
    assert summary_sentence([result(GOLD, None, None), *systems]) == (
        "Acceptability stops 1 of 6 kinds of headlines that are wrong on purpose and lets 4 through, 1 had too few examples; "
        "style stops 1 of 2 kinds of headlines that keep the original's style and lets 1 through. "
        "6 kinds more need names that capitals show, numbers, or Italian or English. "
        "Worst: b (keeps .900 of gold's acceptability), c (.700), d (.600)."
    )
    without_style = [system | {"style_interval": None} for system in systems]
    assert "; style, which should notice 2 more, is n/a. " in summary_sentence([{}, *without_style])
    assert summary_sentence([]) == ""


def test_style_is_measured_apart_with_its_own_interval_and_examples(sample, judges, monkeypatch):
    """Half of the headlines are the other newspaper's own: style tells them from originals, acceptability does not."""
    half = {*sorted({*sample.test.events})[::2]}
    kinds = {"half": lambda item: f"{item.reference if item.event in half else item.source},"}
    results = measured(sample, judges, kinds, monkeypatch, aspect="style")
    mixed, gold = results["half"], results[GOLD]
    assert mixed["kept"] == pytest.approx(1, abs=0.05)
    low, high = mixed["style_interval"]
    assert low < mixed["values"]["style"] < high < gold["style_interval"][0]
    assert mixed["examples"][0]["verdicts"]["style"] > 0.9
    judges.main.style = SCALE._replace(pairs=3)
    mixed = measured(sample, judges, kinds, monkeypatch, aspect="style")["half"]
    assert (mixed["style_interval"], mixed["values"]["style"]) == (None, None)
    assert mixed["outcome"] == "too few to tell"


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
    hh = rate_judges(FakeJudges(digits="abcd").by_task, {"hh": record})[0]
    assert (hh.judge, hh.level, hh.text) == ("hh", level, "no better than linear on the test hard")
    assert hh.shares["refuses random wrong stories"] == pytest.approx((0.99, 0.946, 1), abs=0.001)
    assert hh.shares["refuses headlines with one changed fact"][0] == 0.1
    assert ("not for changed facts" in hh.words) == (level != "distrust")
    seen = metrics_of(random__no_match=0.99, hard__no_match=hard, hard__match=0.95, facts__no_match=0.9)
    assert "changed facts" not in rate_judges(FakeJudges(digits="abcd").by_task, {"hh": seen})[0].words


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
    assert (fluency.words, fluency.text) == ("not reliable", "there is none, so that acceptability is n/a")
    [(share, _, _)] = evidence.shares.values()
    assert (evidence.level, share) == ("care", 0.9)
    assert Summary((fluency, evidence)).text == "not reliable: Fluency; with care: Evidence"
    assert rate_judges(FakeJudges().by_task, {}, (None, 20))[1].level == "distrust"


def test_an_audit_has_the_events_of_the_corpus_and_is_read_again(sample, judges, tmp_path):
    found, labels = audit(sample, judges, {}, at_most=5, resamples=5)
    assert labels is None
    count, events = len(sample.test.items), len({*sample.test.events})
    how = f"items:5 of {count}|events:{events}|resamples:5|seed:1|v:{__version__}"
    assert found["signature"] == f"audit|judges:{judges.signature}|trained:unknown|score:acceptability|{how}"
    (tmp_path / "audit").mkdir()
    (tmp_path / "audit" / "audit.json").write_text(json.dumps(found))
    again = read_summary(judges.by_task, tmp_path / "judges")
    assert again.as_dict() == {name: found[name] for name in ("together", "verdicts")}
    assert again.page == tmp_path / "audit" / "audit.html"
    judges.main.model_hash = "other"
    assert read_summary(judges.by_task, tmp_path / "judges").page is None
