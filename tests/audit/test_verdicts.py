from dataclasses import replace

import pytest
from scoring_fakes import FakeJudges, FakeSupport

from change_it.audit import perturbations
from change_it.audit import verdicts as audit_verdicts
from change_it.audit.measure import audit, read_corpus
from change_it.audit.verdicts import (
    GOLD,
    JointPassRate,
    Result,
    Summary,
    about_judges,
    measure_systems,
    verdicts,
)
from change_it.tables import figure


@pytest.fixture(scope="module")
def sample(corpus):
    return read_corpus(corpus)


def measured(sample, judges, at_most=20):
    how = {"at_most": at_most, "resamples": 20, "seed": 1}
    found = measure_systems(judges, sample, **how)
    return {result.system: result for result in found}


@pytest.fixture(scope="module")
def results(sample):
    judges = FakeJudges(sample.test.outlets)
    judges.main.rule = lambda text, _: 0.9 if len(text) > 100 else 0.2  # the second outlet writes longer ones
    return measured(sample, judges)


@pytest.fixture
def registry(monkeypatch):
    """No system but those that a test makes."""
    registry = {}
    for module in (perturbations, audit_verdicts):
        monkeypatch.setattr(module, "PERTURBATIONS", registry)
    return registry


def test_what_is_set_otherwise_passes_nobody_and_gold_is_no_system_that_must_fail(results):
    assert results["typography"].values["passed"] == 0
    assert results["typography"].values["facts"] == 1
    assert not results[GOLD].passes
    assert not results[GOLD].missed_by
    assert all(result.values["fluency"] is None for result in results.values())
    assert all(result.n <= 20 for result in results.values())


def test_only_headlines_whose_gold_passes_say_whether_a_system_is_stopped(sample, registry):
    """The judges accept few golds, and half of what is spoilt of just these: the plain share is near nothing."""

    @perturbations.breaks("content")
    def spoilt(item, random, known):
        """Gold or nothing like it."""
        return item.reference if len(item.reference) % 2 else "Tutto altro"

    judges = FakeJudges(sample.test.outlets)
    judges.main.rule = lambda text, _: 0.9 if len(text) > 100 else 0.2
    gold, result = measured(sample, judges, 200).values()
    plain = result.values["passed"]
    assert plain < gold.values["passed"] < 0.7
    accepted = round(gold.values["passed"] * gold.n)
    assert abs(result.given_gold - accepted) <= 0.2 * accepted
    assert result.passed_given_gold > 1.3 * plain
    assert result.upper_bound > result.passed_given_gold
    assert result.passes


def test_gold_is_judged_of_every_item_that_a_system_has_a_headline_of(sample, registry):
    items = [item for item in sample.test.items if item.reference]

    @perturbations.breaks("fluency")
    def rare(item, random, known):
        """Nothing but the last items of the audit's order."""
        return f"{item.reference} altro" if item.id in late else None

    late = {item.id for item in items}
    order = [example["id"] for example in measured(sample, FakeJudges(sample.test.outlets), 5)[GOLD].examples]
    late -= set(order)
    judges = FakeJudges(sample.test.outlets)
    result = measured(sample, judges, 5)["rare"]
    references = {item.reference for item in items if item.id in late}
    assert result.n == 5
    assert len({text for text, _ in judges.ah.asked} & references) >= 5


def record(f1, baseline, test="gold"):
    def table(value):
        return {test: {"macro_f1": value}}

    baselines = {"character n-grams": table(baseline), "weak": table(0.1)}
    return {"classes": [], "results": table(f1), "baselines": baselines}


@pytest.mark.parametrize(
    ("f1", "baseline", "level"),
    [(0.64, 0.65, "distrust"), (0.65, 0.65, "distrust"), (0.66, 0.65, "care"), (0.7, 0.65, "rely")],
)
def test_a_judge_is_held_against_its_best_baseline(f1, baseline, level):
    main = verdicts({"main": record(f1, baseline)}, fluency=True, validated=True)[0]
    assert (main.judge, main.level) == ("main", level)
    assert f"F1 .{f1 * 1000:.0f} where character n-grams have .650" in main.text


@pytest.mark.parametrize(("low", "level"), [(0.5, "care"), (0.501, "rely")])
def test_main_is_relied_on_where_it_beats_chance_within_an_event(low, level):
    judge = {"value": 0.6, "low": low, "high": 0.7, "macro_f1": 0.8}
    metrics = record(0.8, 0.65) | {"within_event": {"pairs": 9, "events": 9, "systems": {"judge": judge}}}
    [main] = verdicts({"main": metrics}, fluency=True, validated=True)
    assert (main.judge, main.level) == ("main", level)
    assert main.reasons[0].startswith("of two headlines of one event")


def test_the_test_set_with_the_smallest_lead_decides():
    hard = record(0.8, 0.85, "hard")
    easy = record(0.95, 0.85, "random")
    baselines = {name: tests | easy["baselines"][name] for name, tests in hard["baselines"].items()}
    both = {"results": hard["results"] | easy["results"], "baselines": baselines}
    hh = verdicts({"hh": both}, fluency=True, validated=True)[0]
    assert hh.level == "distrust"
    assert "on hard mismatches" in hh.text


def system(name, share, *, n=20, judges=("hh",), missed=True, judge="hh", bound=None, trained=False):
    values = dict.fromkeys(("hh", "ah", "main", "fluency", "facts")) | {judge: share, "passed": share}
    missed_by = judges if missed else ()
    bound = share if bound is None else bound
    about = (name, ("content",), trained, "", n, values, {}, n, share, bound)
    return Result(*about, judges, missed_by, ())


@pytest.mark.parametrize(
    ("systems", "level", "text"),
    [
        ([system("one", 0.7), system("two", 0.9)], "distrust", "lets through what it should refuse: two .900, one .700"),
        ([system("one", 0.7), system("two", 0.1, missed=False)], "care", "lets through what it should refuse: one .700"),
        (
            [system(name, share) for name, share in zip("abcd", (0.6, 0.7, 0.8, 0.9), strict=True)],
            "distrust",
            "lets through what it should refuse: d .900, c .800, b .700 and 1 more",
        ),
        ([system("one", 0.05, missed=False)], "rely", "refuses what it should"),
        ([system("one", 0.9), system("two", 0.9, n=19)], "distrust", "lets through what it should refuse: one .900"),
    ],
)  # fmt: skip
def test_a_judge_that_lets_through_what_it_guards(systems, level, text):
    [found] = verdicts({}, systems, fluency=True, validated=True)
    assert (found.judge, found.level, found.text) == ("hh", level, text)


@pytest.mark.parametrize(("share", "level"), [(0.85, "rely"), (0.84, "care")])
@pytest.mark.parametrize("judge", ["fluency", "facts"])
def test_fluency_and_facts_accept_what_newspapers_wrote(judge, share, level):
    [found] = verdicts({}, [system(GOLD, share, judges=(), judge=judge)], fluency=True, validated=True)
    assert (found.judge, found.level) == (judge, level)
    assert found.text == f"accepts {figure(share)} of the newspapers' own headlines"


@pytest.mark.parametrize(
    ("validated", "text"), [(None, "rules alone: what is invented"), (False, "not validated")]
)
def test_facts_that_no_labels_have_validated_are_taken_with_care(validated, text):
    [found] = verdicts({}, fluency=True, validated=validated)
    assert (found.judge, found.level) == ("facts", "care")
    assert found.text.startswith(text)


@pytest.mark.parametrize(
    ("outlets", "level"), [(("x", "y"), ["care"]), (("faro", "colle"), []), (None, [])], ids=str
)
def test_a_threshold_by_labels_of_other_outlets_is_said(outlets, level):
    facts = FakeSupport(validated="it")
    facts.settings = replace(facts.settings, outlets=outlets)
    found = verdicts({}, **about_judges(FakeJudges(("colle", "faro"), digits="abcd", support=facts), "it"))
    assert [verdict.level for verdict in found] == level
    assert ["labels of x and y, not of these" in verdict.text for verdict in found] == [True] * len(level)


def test_stopped_is_what_the_upper_bound_says_and_not_the_share():
    bounds = [(0.1, 20), (0.11, 20), (0.11, 19)]
    assert [system("one", 0.0, n=n, bound=bound).passes for bound, n in bounds] == [False, True, False]


def test_all_judges_together_come_first_with_the_worst_of_what_passes():
    shares = {"c": 0.7, "a": 0.9, "b": 0.8, "d": 0.6, "none": 0.05}
    systems = [system(name, share, trained=name == "a") for name, share in shares.items()]
    gold = replace(system(GOLD, 0.5), breaks=())
    found = JointPassRate.of([gold, *systems])
    assert found == JointPassRate((1, 0), (4, 1), (("a", 0.9), ("b", 0.8), ("c", 0.7), ("d", 0.6)), 0.5)
    for part in ("stop 0 of 1 ways", "1 of 4 that none", "a .900, b .800, c .700; ", "they accept .500."):
        assert part in found.text
    assert next(iter(Summary((), found).as_dict())) == "together"
    assert "worst" not in JointPassRate((5, 5), (4, 4), (), None).text
    assert Summary(()).as_dict() == {"together": None, "verdicts": []}


def test_an_audit_has_the_events_of_the_corpus_and_says_that_there_is_no_fluency_judge(sample):
    judges = FakeJudges(sample.test.outlets)
    found = audit(sample, judges, {}, at_most=5, resamples=5)
    count, events = len(sample.test.items), len(set(sample.test.events.tolist()))
    assert events < count
    assert found.signature == f"audit|judges:{judges.signature}|items:5 of {count}|events:{events}|seed:1"
    assert (found.items, found.events) == (count, events)
    assert {verdict.judge: verdict.level for verdict in found.verdicts}["fluency"] == "distrust"
