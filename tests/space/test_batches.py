"""Requests that wait are answered together, and each as if it were alone."""

from threading import Event

import numpy as np
import pytest
from scoring_fakes import EVENTS

from change_it.scoring.item import Item
from change_it.space.batches import Batches
from change_it.space.models import Models, Question


def test_all_that_wait_are_answered_in_batches_and_none_is_lost():
    started, go, sizes = Event(), Event(), []

    def doubled(numbers):
        started.set()
        go.wait()
        sizes.append(len(numbers))
        return [2 * number for number in numbers]

    batches = Batches(doubled, 32)
    first = batches.submit(0)
    started.wait()
    others = [batches.submit(number) for number in range(1, 101)]
    go.set()
    assert [one.result() for one in (first, *others)] == list(range(0, 202, 2))
    assert sizes == [1, 32, 32, 32, 4]


def test_a_bad_question_has_its_own_error_and_the_others_their_answers():
    started, go, sizes = Event(), Event(), []

    def inverse(numbers):
        started.set()
        go.wait()
        sizes.append(len(numbers))
        return [1 / number for number in numbers]

    batches = Batches(inverse, 32)
    answers = [batches.submit(1)]
    started.wait()
    answers += [batches.submit(number) for number in (2, 0, 4)]
    go.set()
    assert [answers[place].result() for place in (0, 1, 3)] == [1, 0.5, 0.25]
    with pytest.raises(ZeroDivisionError):
        answers[2].result()
    assert sizes == [1, 3, 1, 1, 1]
    assert batches.submit(8).result() == 0.125


def test_a_batch_is_answered_as_its_questions_are_one_by_one(tiny_run):
    """Of systems, directions, own headlines and weights that differ, by networks that pad what they read together."""
    questions = []
    for number, event in enumerate(EVENTS * 3):
        label, target = ("rep", "gio") if number % 2 else ("gio", "rep")
        item = Item("", label, target, event, f"{event} ieri a Roma." + f" Poi {event} e altro." * number)
        own = f"Ecco: {event}!" if number % 3 else ""
        questions.append(Question(item, "" if own and number % 4 == 2 else "sum", own, number / 12))
    together = Models.from_run(tiny_run).answer_all(questions)
    models = Models.from_run(tiny_run)
    alone = [models.answer(question) for question in questions]
    for some, others in zip(together, alone, strict=True):
        assert some
        assert [(system, one.text) for system, one in some] == [(system, one.text) for system, one in others]
        for (_, one), (_, other) in zip(some, others, strict=True):
            assert (one.marks, one.compliant, one.unsupported) == (
                other.marks,
                other.compliant,
                other.unsupported,
            )
            assert np.allclose([one.joint, one.style], [other.joint, other.style], atol=1e-6)
