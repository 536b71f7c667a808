from dataclasses import replace

import pytest
from scoring_fakes import FakeJudges

from change_it.audit import perturbation_results, perturbations
from change_it.audit.measure import audit, read_corpus
from change_it.audit.perturbation_results import GOLD, Result, measure_systems
from change_it.audit.probes import AS_IT_IS, SETTING, Probe
from change_it.audit.verdicts import Summary, Together, read_metrics, verdicts
from change_it.corpus import splits
from change_it.errors import InputError
from change_it.io import write_json
from change_it.tables import figure


@pytest.fixture(scope="module")
def sample(corpus):
    return read_corpus(corpus)


@pytest.fixture(scope="module")
def results(sample):
    judges = FakeJudges(sample.test.outlets)
    judges.main.rule = lambda text, _: 0.9 if len(text) > 100 else 0.2  # the second outlet writes longer ones
    found, table = measure_systems(
        judges, sample.test.items, sample.test.events, sample.resources, at_most=20, resamples=50, seed=1
    )
    return {result.system: result for result in found}, table


def test_the_copy_never_passes_and_gold_is_no_system_that_must_fail(results):
    found, _ = results
    assert found["copy"].values["passed"] == found["copy"].values["main"] == 0
    assert found["copy"].values["facts"] == found["copy"].values["hh"] == 1
    assert not found[GOLD].passes
    assert not found[GOLD].to_blame


def test_passed_is_what_all_judges_that_there_are_let_through(results):
    found, table = results
    assert (table["passed"] == (table["compliancy"] & table["facts"])).all()
    assert all(result.values["fluency"] is None for result in found.values())
    assert all(result.n <= 20 for result in found.values())


def test_a_missing_fluency_judge_is_to_blame_for_what_breaks_fluency(sample, monkeypatch):
    registry = {}
    monkeypatch.setattr(perturbations, "PERTURBATIONS", registry)
    monkeypatch.setattr(perturbation_results, "PERTURBATIONS", registry)

    @perturbations.breaks("fluency")
    def shouted(item, random, known):
        """The original with the mark that the judge listens to, or without it."""
        return item.source.replace("!", "") if "!" in item.source else item.source + "!"

    gold, result = measure_systems(
        FakeJudges(sample.test.outlets),
        sample.test.items,
        sample.test.events,
        sample.resources,
        at_most=20,
        resamples=50,
        seed=1,
    )[0]

    assert (gold.system, result.system) == (GOLD, "shouted")
    assert result.values["compliancy"] > 0.9
    assert result.passes
    assert result.to_blame == ("fluency",)
    assert result.examples[0].verdicts["passed"]


def test_facts_are_to_blame_for_nothing_while_they_refuse(results):
    found, _ = results
    assert found["numbers changed"].values["facts"] <= 0.1
    assert found["numbers changed"].to_blame == ()


def test_both_directions_of_an_event_are_judged_together(sample, results):
    found, table = results
    gold = table.filter(system=GOLD)
    assert found[GOLD].n == 20
    assert gold["event"].n_unique() <= 11  # all of their headlines but those of the last
    assert gold["event"].to_list() == sample.test.events[gold["item"].to_list()].tolist()


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
    main = verdicts({"main": record(f1, baseline)}, fluency=True, reader=True)[0]
    assert (main.judge, main.level) == ("main", level)
    assert f"F1 .{f1 * 1000:.0f} where character n-grams have .650" in main.text


def test_the_test_set_with_the_smallest_lead_decides():
    hard = record(0.8, 0.85, "hard")
    easy = record(0.95, 0.85, "random")
    both = {
        "results": hard["results"] | easy["results"],
        "baselines": {name: hard["baselines"][name] | easy["baselines"][name] for name in hard["baselines"]},
    }
    hh = verdicts({"hh": both}, fluency=True, reader=True)[0]
    assert hh.level == "distrust"
    assert "on hard mismatches" in hh.text


def test_verdicts_name_what_was_let_through_and_the_judge_that_is_missing(results):
    found = {
        verdict.judge: verdict
        for verdict in verdicts({}, list(results[0].values()), fluency=False, reader=True)
    }
    assert found["fluency"].level == "distrust"
    assert "none" in found["fluency"].text
    assert "lets through what it should refuse" in found["facts"].text  # rules alone read no story
    assert str(found["fluency"]).startswith("fluency: do not rely on it. There is none")


def system(name, share, *, n=20, guards=("hh",), blamed=True, judge="hh"):
    values = dict.fromkeys(("hh", "ah", "main", "fluency", "facts", "passed")) | {
        judge: share,
        "passed": share,
    }
    return Result(name, ("content",), "", n, values, {}, 0.1, guards, guards if blamed else (), ())


@pytest.mark.parametrize(
    ("systems", "level", "text"),
    [
        ([system("one", 0.7), system("two", 0.9)], "distrust", "lets through what it should refuse: two .900, one .700"),
        ([system("one", 0.7), system("two", 0.1, blamed=False)], "care", "lets through what it should refuse: one .700"),
        ([system("one", 0.5)], "care", "lets through what it should refuse: one .500"),
        (
            [system(name, share) for name, share in zip("abcd", (0.6, 0.7, 0.8, 0.9), strict=True)],
            "distrust",
            "lets through what it should refuse: d .900, c .800, b .700 and 1 more",
        ),
        ([system(name, 0.6) for name in "abc"], "distrust", "lets through what it should refuse: a .600, b .600, c .600"),
        ([system("one", 0.05, blamed=False)], "rely", "refuses what it should"),
        ([system("one", 0.9), system("two", 0.9, n=19)], "distrust", "lets through what it should refuse: one .900"),
    ],
)  # fmt: skip
def test_a_judge_that_lets_through_what_it_guards(systems, level, text):
    [found] = verdicts({}, systems, fluency=True, reader=True)
    assert (found.judge, found.level, found.text) == ("hh", level, text)


def test_too_few_headlines_and_systems_that_others_guard_say_nothing():
    assert (
        verdicts(
            {}, [system("one", 0.9, n=19), system("two", 0.9, guards=("ah",))], fluency=True, reader=True
        )
        == []
    )
    assert [system("one", share, n=n).passes for share, n in ((0.1, 20), (0.11, 20), (0.11, 19))] == [
        False,
        True,
        False,
    ]


@pytest.mark.parametrize(("share", "level"), [(0.85, "rely"), (0.84, "care")])
@pytest.mark.parametrize("judge", ["fluency", "facts"])
def test_fluency_and_facts_accept_what_newspapers_wrote(judge, share, level):
    [found] = verdicts({}, [system(GOLD, share, guards=(), judge=judge)], fluency=True, reader=True)
    assert (found.judge, found.level) == (judge, level)
    assert found.text == f"accepts {figure(share)} of the newspapers' own headlines"


@pytest.mark.parametrize(("without", "levels"), [(0.84, ["care"]), (0.86, [])])
def test_main_may_lose_little_with_the_typography(without, levels):
    probes = [Probe("headline", name, 50, f1, (f1, f1)) for name, f1 in ((AS_IT_IS, 0.9), (SETTING, without))]
    assert [found.level for found in verdicts({}, [], probes, fluency=True, reader=True)] == levels
    assert verdicts({}, [], probes[:1], fluency=True, reader=True) == []


def test_without_a_reader_nobody_asks_what_is_invented():
    [found] = verdicts({}, fluency=True, reader=False)
    assert (found.judge, found.level) == ("facts", "care")
    assert "no judge reads" in found.text


def test_all_judges_together_come_first_with_the_worst_of_what_passes():
    shares = {"c": 0.7, "a": 0.9, "b": 0.8, "d": 0.6, "none": 0.05}
    systems = [system(name, share) for name, share in shares.items()]
    gold = replace(system(GOLD, 0.5), breaks=())
    found = Together.of([gold, *systems])
    assert found == Together(5, (("a", 0.9), ("b", 0.8), ("c", 0.7), ("d", 0.6)), 0.5)
    assert found.text == (
        "Of 5 systems that must fail, 4 fool all judges together (the worst: a .900, b .800, c .700); "
        "of the newspapers' own headlines they accept .500."
    )
    assert next(iter(Summary((), found).as_dict())) == "together"
    assert Together(9, (), None).text == "Of 9 systems that must fail, none fools all judges together."
    assert Summary(()).as_dict() == {"together": None, "verdicts": []}


def test_metrics_are_read_of_the_judges_that_have_some(tmp_path):
    (tmp_path / "hh").mkdir()
    write_json(tmp_path / "hh" / "metrics.json", record(0.9, 0.8))
    assert read_metrics(tmp_path) == {"hh": record(0.9, 0.8)}


def test_an_audit_finds_events_once_and_says_that_there_is_no_fluency_judge(corpus, monkeypatch):
    calls = []
    near_duplicates = splits.near_duplicates
    monkeypatch.setattr(
        splits, "near_duplicates", lambda texts: calls.append(len(texts)) or near_duplicates(texts)
    )
    sample = read_corpus(corpus)
    judges = FakeJudges(sample.test.outlets)
    found = audit(sample, judges, {}, at_most=5, resamples=5)
    assert len(calls) == 1
    count, events = len(sample.test.items), len(set(sample.test.events.tolist()))
    assert found.signature == f"audit|judges:{judges.signature}|items:5 of {count}|events:{events}|seed:1"
    assert (found.items, found.events) == (count, events)
    assert {verdict.judge: verdict.level for verdict in found.verdicts}["fluency"] == "distrust"
    with pytest.raises(InputError, match="--items 0 are too few"):
        audit(sample, judges, {}, at_most=0)


def test_judges_of_other_outlets_are_refused(sample, fake_judges):
    with pytest.raises(InputError, match="trained on rep and gio"):
        audit(sample, fake_judges, {})


def test_every_distinct_question_is_asked_once(sample):
    judges = FakeJudges(sample.test.outlets)
    measure_systems(
        judges, sample.test.items, sample.test.events, sample.resources, at_most=4, resamples=10, seed=1
    )
    assert len(judges.ah.asked) == len(set(judges.ah.asked))
