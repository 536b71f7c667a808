"""How many updates a training plans: at least some, at most those of an hour, or those that a user says."""

import time
from types import SimpleNamespace

import pytest
import torch
from judge_data import with_arg
from toy_runs import same, toy_run, trained

from change_it.training import updates
from change_it.training.trainer import train, training_arguments
from change_it.training.training_options import TrainingOptions
from change_it.training.updates import Plan, duration


class Preset(TrainingOptions):
    """A preset of two epochs of twelve updates."""

    @property
    def preset(self):
        """See `TrainingOptions`."""
        return {"num_train_epochs": 2, "per_device_train_batch_size": 8}


def planned(out, *, least=1, minutes=None, evaluated=0, **given):
    """The result of a run that plans its updates."""
    options = Preset(**with_arg({"seed": 3, **given}))
    run = toy_run(min_updates=least, minutes_on_cpu=minutes, evaluated=evaluated)
    arguments = training_arguments(options, out)
    return run.model, train(run, run.examples, options, arguments, started=time.monotonic())


@pytest.fixture
def seconds(monkeypatch):
    """Say how long an update takes."""

    def say(value):
        monkeypatch.setattr(updates, "measure_update", lambda *_: value)

    return say


@pytest.mark.parametrize(
    ("least", "given", "expected"),
    [
        (1, {}, 24),
        (40, {}, 40),
        (40, {"epochs": 1}, 12),
        (40, {"arg": ("num_train_epochs=3",)}, 36),
        (40, {"max_steps": 2}, 2),
    ],
)
def test_a_preset_rises_to_the_least_updates_and_a_users_own_number_stays(tmp_path, least, given, expected):
    assert planned(tmp_path, least=least, **given)[1].planned == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, 10),
        ({"evaluated": 12}, 5),  # an evaluation of a batch and a half takes half an update
        ({"epochs": 2}, 24),
        ({"max_steps": 20}, 20),
        ({"max_minutes": 5.0}, 24),
        ({"arg": ("gradient_accumulation_steps=2",)}, 10),
        ({"minutes": float("inf")}, 24),
    ],
)
def test_an_hour_on_a_processor_limits_a_preset_by_the_time_of_an_update(tmp_path, seconds, given, expected):
    seconds(6.0)
    assert planned(tmp_path, **{"minutes": 1.0, **given})[1].planned == expected


def test_a_run_that_an_hour_limits_goes_on_as_it_was_planned(tmp_path, seconds, interrupted_at):
    seconds(6.0)
    whole, _ = planned(tmp_path / "whole", minutes=1.0)
    with interrupted_at(6):
        planned(tmp_path / "broken", minutes=1.0, checkpoint_minutes=0.0)
    seconds(2.0)  # the machine has less to do now
    resumed, result = planned(tmp_path / "broken", minutes=1.0, resume=True)
    assert (result.planned, result.updates) == (10, 10)
    assert same(whole, resumed)


def test_measuring_changes_neither_weights_nor_random_numbers(tmp_path):
    plain, _ = trained(tmp_path / "plain", evaluate=None)
    measured, _ = planned(tmp_path / "measured", minutes=60.0, epochs=2, batch_size=8, learning_rate=3e-3)
    assert same(plain, measured)


def test_a_measured_update_is_a_mean_without_the_first_and_counts_each_batch(tmp_path, monkeypatch):
    options = Preset(**with_arg({"arg": ("gradient_accumulation_steps=3",)}))
    run = toy_run()
    clock = iter([0.0, 9.0, 10.0, 12.0, 20.0, 24.0, 30.0, 30.0])
    # not time.monotonic itself, which threads of other tests read, too
    monkeypatch.setattr(updates, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    found = updates.measure_update(run, run.examples, training_arguments(options, tmp_path))
    assert found == pytest.approx(3 * (2 + 4 + 0) / 3)
    assert all(parameter.grad is None for parameter in run.model.parameters())


def test_what_is_planned_is_said_before_the_first_update(tmp_path, seconds, capsys):
    seconds(6.0)
    planned(tmp_path / "limited", minutes=1.0)
    said = capsys.readouterr().err
    assert (
        "Planned: 10 updates, about 1 minute here.\nThe preset has 24, about 2 minutes: give --epochs" in said
    )
    planned(tmp_path / "timed", minutes=1.0, max_minutes=0.0)
    said = capsys.readouterr().err
    assert "Planned: 24 updates, about 2 minutes here.\n--max-minutes allows about 0 of them." in said
    planned(tmp_path / "unmeasured")
    assert "Planned" not in capsys.readouterr().err


def test_an_expected_time_is_in_words():
    said = [duration(minutes) for minutes in (0.4, 1.2, 59.7, 90, 230)]
    assert said == [
        "less than a minute",
        "about 1 minute",
        "about 60 minutes",
        "about 1.5 hours",
        "about 3.8 hours",
    ]


def test_minutes_allow_updates_with_the_evaluations_between_them():
    plan = Plan(updates=5000, of_preset=5000, seconds=2.0, evaluating=1000)
    assert plan.within(22) == 600  # 2.2 s each
    assert plan.sentences(22)[-1] == "--max-minutes allows about 600 of them."
    assert len(plan.sentences(22_000)) == 1


def test_the_random_state_is_not_moved(tmp_path):
    options = Preset(**with_arg({}))
    run = toy_run()
    arguments = training_arguments(options, tmp_path)
    torch.manual_seed(4)
    before = torch.get_rng_state()
    updates.measure_update(run, run.examples, arguments)
    assert torch.equal(before, torch.get_rng_state())
