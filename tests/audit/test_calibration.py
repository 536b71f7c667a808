import numpy as np
import polars as pl
import pytest
from scoring_fakes import FakeJudges, RuleJudge

from change_it.audit.calibration import (
    calibrate,
    calibration,
    cooled,
    expected_error,
    fit_temperature,
    headlines_needed,
    power,
    smallest_difference,
)
from change_it.audit.measure import read_corpus
from change_it.results.audit_tables import power_table


def answers_of(rng, count, temperature):
    """Answers of a judge that would be calibrated if its log-odds were divided by the temperature, and the truth."""
    odds = rng.normal(0, 2, count)
    labels = (rng.random(count) < 1 / (1 + np.exp(-odds))).astype(np.int64)
    one = 1 / (1 + np.exp(-odds * temperature))
    return np.column_stack([1 - one, one]), labels


def test_the_temperature_of_a_judge_that_is_too_sure_is_found():
    answers, labels = answers_of(np.random.default_rng(1), 20_000, 3.0)
    fitted = fit_temperature(answers, labels)
    assert fitted == pytest.approx(3, rel=0.1)
    assert expected_error(cooled(answers, fitted), labels) < 0.02 < 0.1 < expected_error(answers, labels)


def test_a_temperature_keeps_every_decision():
    answers, _ = answers_of(np.random.default_rng(2), 100, 1.0)
    assert (cooled(answers, 7.0).argmax(axis=1) == answers.argmax(axis=1)).all()


def test_error_is_the_distance_of_confidence_and_accuracy_by_bins():
    answers = np.array([[0.1, 0.9]] * 10 + [[0.4, 0.6]] * 10)
    labels = np.array([1] * 8 + [0] * 2 + [1] * 6 + [0] * 4)
    found = calibration("main", answers, labels)
    assert found.ece == pytest.approx((10 * 0.1 + 10 * 0.0) / 20)
    assert [(one.n, one.right) for one in found.bins] == [(10, 0.6), (10, 0.8)]
    assert (found.temperature, found.accuracy, found.confidence) == (None, 0.7, pytest.approx(0.75))


def test_a_temperature_is_fitted_on_one_half_and_judged_on_the_other():
    answers, labels = answers_of(np.random.default_rng(3), 4000, 3.0)
    half = np.arange(4000) < 2000
    found = calibration("hh", answers, labels, half)
    assert found.temperature == fit_temperature(answers[:2000], labels[:2000])
    assert found.ece_before == expected_error(answers[2000:], labels[2000:])
    assert found.ece_after < found.ece_before
    assert calibration("hh", answers, labels, np.ones(4000, bool)).temperature is None


def test_every_judge_is_tested_on_its_own_examples(corpus):
    known = read_corpus(corpus)
    judges = FakeJudges(known.test.outlets, digits="abcd")
    found = {one.judge: one for one in calibrate(judges, corpus, known.test.items, known.resources)}
    assert set(found) == {"main", "hh", "ah", "fluency"}
    assert found["main"].n == len(known.test.items)
    assert {pair is None for _, pair in judges.main.asked} == {True}
    assert found["hh"].accuracy > 0.6
    sources = {item.source for item in known.test.items}
    printed = [text in sources for text, _ in judges.fluency.asked]
    assert 0.4 < np.mean(printed) < 0.6  # each headline as printed and damaged


@pytest.mark.parametrize(("difference", "differing"), [(0.03, 0.2), (0.1, 0.3)])
def test_so_many_headlines_find_the_difference_four_times_in_five(difference, differing):
    rng = np.random.default_rng(4)
    count = headlines_needed(difference, differing)
    better = (differing + difference) / 2
    draws = rng.multinomial(count, [better, differing - better, 1 - differing], 4000)
    wins, losses = draws[:, 0], draws[:, 1]
    found = (wins - losses) / np.sqrt(wins + losses) > 1.96
    assert found.mean() == pytest.approx(0.8, abs=0.02)


def test_the_smallest_difference_is_the_one_that_needs_no_more_headlines():
    least = smallest_difference(1262, 0.2)
    assert headlines_needed(least, 0.2) <= 1262 < headlines_needed(least - 0.001, 0.2)
    assert smallest_difference(1, 0.2) == 1


def test_power_goes_by_how_often_the_audited_verdicts_differ():
    rows = [
        {
            "system": system,
            "item": item,
            "event": item,
            "compliancy": bool((item + shift) % 2),
            "passed": False,
        }
        for system, shift in (("gold", 0), ("same", 0), ("other", 1))
        for item in range(60)
    ]
    found = power(pl.DataFrame(rows), 500, 300)
    assert (found.measure, found.differing, found.unrelated) == ("compliancy", 1.0, 0.5)
    assert found.needed["0.10"] == (headlines_needed(0.1, 1.0), headlines_needed(0.1, 0.5))
    assert (found.design, found.items, found.events) == (1, 500, 300)
    assert power(pl.DataFrame(rows[:20]), 500, 300) is None


def test_power_is_of_compliancy_where_no_two_systems_pass_all_judges():
    rows = [
        {
            "system": system,
            "item": item,
            "event": item,
            "fluency": True,
            "compliancy": bool((item + shift) % 2),
            "passed": passes and bool(item % 3),
        }
        for system, shift, passes in (("gold", 0, True), ("other", 1, False))
        for item in range(60)
    ]
    found = power(pl.DataFrame(rows), 500, 300)
    assert (found.measure, found.differing) == ("compliancy", 1.0)
    assert [row.values["difference"] for row in power_table(found).rows] == list(found.needed)
    assert (
        power(pl.DataFrame([row | {"passed": bool(row["item"] % 2)} for row in rows]), 500, 300).measure
        == "passed"
    )


def test_power_draws_events():
    """Where both headlines of an event fare alike, it takes twice as many."""
    rows = [
        {"system": system, "item": item, "event": item // 2, "compliancy": bool((item // 2 + shift) % 2)}
        for system, shift in (("gold", 0), ("other", 1))
        for item in range(60)
    ]
    found = power(pl.DataFrame(rows), 500, 250)
    assert found.design == pytest.approx(2)
    assert found.needed["0.10"] == (headlines_needed(0.1, 1.0, 2.0), headlines_needed(0.1, 0.5, 2.0))
    assert abs(found.needed["0.10"][0] - 2 * headlines_needed(0.1, 1.0)) <= 1
    assert found.smallest[0] == smallest_difference(500, 1.0, 2.0) > smallest_difference(500, 1.0)


def test_an_event_is_in_one_half(corpus, monkeypatch):
    """Texts of one event, told apart as texts, must not be fitted and tested on."""
    known = read_corpus(corpus)
    asked, halves = {}, {}

    def answer(judge, texts, *_, **__):
        asked[judge.task] = texts
        return np.full((len(texts), 2), 0.5)

    monkeypatch.setattr(RuleJudge, "probabilities", answer)
    monkeypatch.setattr(
        "change_it.audit.calibration.calibration", lambda task, *rest: halves.update({task: rest[-1]})
    )
    judges = FakeJudges(known.test.outlets, digits="abcd")
    calibrate(judges, corpus, known.test.items, known.resources, temperature=True)
    event_of = {item.source: item.event for item in known.test.items}
    assert set(halves) == {"main", "hh", "ah", "fluency"}
    for task in ("main", "hh", "ah"):
        sides = {}
        for text, side in zip(asked[task], halves[task], strict=True):
            sides.setdefault(event_of[text], set()).add(bool(side))
        assert len(set(asked[task])) > len(sides)  # several texts of an event are asked about
        assert {tuple(of_event) for of_event in sides.values()} == {(False,), (True,)}
