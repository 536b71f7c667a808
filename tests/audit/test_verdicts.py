from dataclasses import replace

import pytest
from scoring_fakes import SCALE, FakeJudges

from change_it.audit import verdicts as audit_verdicts
from change_it.audit.measure import audit, read_corpus
from change_it.audit.perturbations import Perturbation
from change_it.audit.verdicts import GOLD, Result, Summary, Together, measure_systems, verdicts
from change_it.corpus.looks import END
from change_it.judges.judge_options import MARKS


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
    monkeypatch.setattr(audit_verdicts, "PERTURBATIONS", registry)
    found = measure_systems(judges, sample, at_most=at_most, resamples=200, seed=1)
    return {result.system: result for result in found}


def test_what_is_kept_is_the_score_over_gold_s_of_the_same_items(sample, judges, monkeypatch):
    """Fluency refuses all of one kind, none of another, and about half of a third."""
    kinds = {
        "refused": lambda item: f"{item.reference}?!",
        "accepted": lambda item: f"{item.reference},",
        "half": lambda item: item.reference + (",", "?!")[len(item.article) % 2],
        "rare": lambda item: f"{item.reference}?!" if item.id in few else None,
    }
    few = {item.id for item in sample.test.items if item.reference}
    few = {*sorted(few)[:2]}
    monkeypatch.setattr("change_it.audit.verdicts.STOPPED", 0.2)  # of so few events
    found = measured(sample, judges, kinds, monkeypatch)
    outcomes = {name: result.outcome for name, result in found.items() if name != GOLD}
    assert replace(found["accepted"], events=9).outcome == "too few to tell"
    assert outcomes == {
        "accepted": "let through",
        "half": "let through",
        "refused": "stopped",
        "rare": "too few to tell",
    }
    assert list(found)[:3] == [GOLD, "accepted", "half"]  # the worst first
    assert found["accepted"].kept == pytest.approx(1)
    assert found["refused"].kept == 0
    assert found["refused"].interval[1] > 0  # nothing of so many is not nothing of all
    half = found["half"]
    assert 0.2 < half.interval[0] < half.kept < half.interval[1] < 0.8
    assert half.examples[0]["verdicts"]["acceptability"] > 0
    assert half.examples[0]["true"] in half.examples[0]["headline"]
    assert found[GOLD].kept is None
    assert "outcome" not in found[GOLD].as_dict()


def test_without_a_fluency_judge_compliancy_is_kept(sample, monkeypatch):
    judges = FakeJudges(sample.test.outlets)
    judges.main.rule = lambda text, _: 0.9 if len(text) > 80 else 0.2  # the second outlet writes longer ones
    found = measured(sample, judges, {"same": lambda item: f"{item.reference},"}, monkeypatch, at_most=40)
    assert found["same"].values["acceptability"] is found["same"].values["fluency"] is None
    assert found["same"].kept == pytest.approx(1)


def test_where_gold_has_no_score_nothing_can_be_told(sample, judges, monkeypatch):
    judges.hh.rule = lambda text, pair: 0.0
    result = measured(sample, judges, {"any": lambda item: f"{item.reference},"}, monkeypatch)["any"]
    assert (result.kept, result.interval, result.outcome) == (None, None, "too few to tell")


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
    assert result("x", 0.1, interval, aspect).outcome == outcome


def result(name, kept, interval, aspect="acceptability", **values):
    ends = (None, interval) if aspect == "style" else (interval, None)
    values = dict.fromkeys(("evidence", "acceptability")) | values
    return Result(name, False, "", aspect, 20, 20, kept, *ends, values)


def test_a_sentence_counts_for_each_aspect_and_names_the_worst():
    shares = {"a": 0.5, "b": 0.9, "c": 0.7, "d": 0.6}
    systems = [result(name, share, (0.3, 1.0)) for name, share in shares.items()]
    systems += [result("e", 0.0, (0.0, 0.05)), result("f", 0.0, (0.0, 0.5))]
    systems += [result("g", 1.0, (-0.4, 0.2), "style"), result("h", 1.0, (0.6, 0.9), "style")]
    found = Together.of([result(GOLD, None, None), *systems])
    assert found.text == (
        "Acceptability stops 1 of 6 kinds of headlines that are wrong on purpose and lets 4 through, 1 had too few examples; "
        "style stops 1 of 2 kinds of headlines that keep the original's style and lets 1 through. "
        "6 kinds more need names that capitals show, numbers, or Italian or English. "
        "Worst: b (keeps .900 of gold's acceptability), c (.700), d (.600)."
    )
    assert found.counts == {"acceptability": (1, 4, 1), "style": (1, 1, 0)}
    assert Together.of([]).text == ""
    assert Summary(()).as_dict() == {"together": None, "verdicts": []}


def test_style_is_measured_apart_with_its_own_interval_and_examples(sample, judges, monkeypatch):
    """Half of the headlines are the other newspaper's own: style tells them from originals, acceptability does not."""
    half = {*sorted({*sample.test.events})[::2]}
    kinds = {"half": lambda item: f"{item.reference if item.event in half else item.source},"}
    found = measured(sample, judges, kinds, monkeypatch, aspect="style")
    mixed, gold = found["half"], found[GOLD]
    assert mixed.kept == pytest.approx(1, abs=0.05)
    assert mixed.style_interval[0] < mixed.values["style"] < mixed.style_interval[1] < gold.style_interval[0]
    assert mixed.examples[0]["verdicts"]["style"] > 0.9
    judges.main.style = SCALE._replace(pairs=3)
    found = measured(sample, judges, kinds, monkeypatch, aspect="style")["half"]
    assert (found.style_interval, found.values["style"], found.outcome) == (None, None, "too few to tell")


def metrics_of(**recalls):
    """A `metrics.json`: test and class to a recall of 100."""
    results = {}
    for name, recall in recalls.items():
        test, _, cell = name.partition("__")
        results.setdefault(test, {})[cell] = {"recall": recall, "support": 100}
    return {"results": results, "baselines": {}}


@pytest.mark.parametrize(
    ("hard", "level"), [(0.9, "rely"), (0.8, "care"), (0.62, "care"), (0.55, "distrust"), (0.4, "distrust")]
)
def test_hh_is_judged_by_wrong_stories_and_not_by_changed_facts(hard, level):
    record = metrics_of(random__no_match=0.99, hard__no_match=hard, hard__match=0.95, facts__no_match=0.1)
    hh = verdicts(FakeJudges(digits="abcd"), {"hh": record})[0]
    assert (hh.judge, hh.level) == ("hh", level)
    first, *_, facts = hh.shares
    assert first.test == "refuses random wrong stories"
    assert first[1:4] == pytest.approx((0.99, 0.946, 1), abs=0.001)
    assert (facts.test, facts.value, facts.decides) == ("refuses headlines with one changed fact", 0.1, False)


def test_a_baseline_that_hh_is_not_surely_ahead_of_is_named():
    record = metrics_of(hard__no_match=0.99, hard__match=0.99)
    record["baselines"] = {"linear": {"hard": {"lead": {"low": -0.01}}}}
    assert "no better than linear on the test hard" in verdicts(FakeJudges(), {"hh": record})[0].text


@pytest.mark.parametrize(
    ("low", "baseline", "level"),
    [(0.76, 0.7, "rely"), (0.76, 0.95, "care"), (0.7, 0.7, "care"), (0.5, 0.7, "distrust")],
)
def test_main_is_judged_within_an_event_beside_its_baselines(judges, low, baseline, level):
    def cell(value, low, high):
        return {"value": value, "low": low, "high": high, "macro_f1": 0.8}

    systems = {"judge": cell(0.8, low, 0.85), "marks alone": cell(baseline, baseline - 0.05, 1.0)}
    main = verdicts(judges, {"main": {"within_event": {"systems": systems}}})[0]
    assert (main.judge, main.level) == ("main", level)
    assert (main.shares[0].value, main.shares[1].test) == (0.8, "marks alone (baseline)")
    assert ("marks alone (baseline) is ahead" in main.text) == (baseline > 0.9)
    judges.main.style = SCALE._replace(pairs=19)
    main = verdicts(judges, {"main": {"within_event": {"systems": systems}}})[0]
    assert main.level == "distrust"
    assert "style is n/a: main measured its scale on 19" in main.text


def test_fluency_that_is_missing_and_evidence_say_what_they_mean():
    gold = result(GOLD, None, None, evidence=0.9)
    fluency, evidence = verdicts(FakeJudges(), {}, [gold])
    assert (fluency.words, fluency.text) == ("not reliable", "there is none, so that acceptability is n/a")
    assert (evidence.level, evidence.shares[0].value) == ("care", 0.9)
    assert Summary((fluency, evidence)).text == "not reliable: Fluency; with care: Evidence"
    [_, none] = verdicts(FakeJudges(), {}, [replace(gold, values={"evidence": None})])
    assert none.level == "distrust"


def test_an_audit_has_the_events_of_the_corpus(sample, judges):
    found = audit(sample, judges, {}, at_most=5, resamples=5)
    count, events = len(sample.test.items), len(set(sample.test.events.tolist()))
    assert events < count
    how = f"items:5 of {count}|events:{events}|seed:1"
    assert found.signature == f"audit|judges:{judges.signature}|trained:unknown|score:acceptability|{how}"
    assert (found.items, found.events) == (count, events)
    record = found.as_dict()
    assert next(iter(record)) == "together"


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
    cell = {"value": 0.9, "low": 0.85, "high": 0.95, "macro_f1": 0.9}
    systems = {"judge": cell, MARKS: cell | {"lead": {"within_event": {"low": low}}}}
    judges.main.corpus = {"looks": [{"outlet": "rep", "name": name} for name in looks]}
    main = verdicts(judges, {"main": {"within_event": {"systems": systems}}})[0]
    assert (main.level, main.text) == (("care", f"it may read the export ({why})") if why else ("rely", ""))
