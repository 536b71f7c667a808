import numpy as np
import pytest
from scoring_fakes import FakeJudges

from change_it.audit.calibration import reliabilities
from change_it.audit.measure import read_corpus


def test_every_judge_is_tested_on_its_own_examples(corpus):
    known = read_corpus(corpus)
    judges = FakeJudges(known.test.outlets, digits="abcd")
    found = {one.judge: one for one in reliabilities(judges, known)}
    assert set(found) == {"main", "hh", "ah", "fluency"}
    assert found["main"].n == len(known.test.items)
    assert {pair is None for _, pair in judges.main.asked} == {True}
    sources = {item.source for item in known.test.items}
    printed = [text in sources for text, _ in judges.fluency.asked]
    assert 0.4 < np.mean(printed) < 0.6  # each headline as printed and damaged


def test_a_point_is_the_mean_probability_and_how_often_it_was_right(corpus):
    known = read_corpus(corpus)
    judges = FakeJudges(known.test.outlets)
    judges.main.rule = lambda text, _: 0.9 if len(text) > 70 else 0.2
    items = known.test.items
    main = reliabilities(judges, known)[0]
    second = known.test.outlets[1]
    of = {True: [], False: []}
    for item in items:
        of[len(item.source) > 70].append(item.label == second)
    assert main.probability == pytest.approx((0.2, 0.9))
    assert main.share == pytest.approx((np.mean(of[False]), np.mean(of[True])))
