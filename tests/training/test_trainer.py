"""Training: it learns, stops, keeps the best weights, and a killed run ends where an unbroken one does."""

import math
import os
import sys
import time
from itertools import chain, repeat
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from toy_runs import Classifier, accuracy, same, trained

from change_it.errors import InputError
from change_it.training import trainer
from change_it.training.run import process_state
from change_it.training.trainer import training_arguments
from change_it.training.training_options import TrainingOptions, check_numbers

#: A checkpoint after each update.
ALWAYS = {"checkpoint_minutes": 0.0}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The model of a run that nothing broke."""
    return trained(tmp_path_factory.mktemp("whole"))[0]


@pytest.mark.parametrize(
    ("broken", "given"), [(7, {}), (12, {"arg": ("gradient_accumulation_steps=2",), "epochs": 4})]
)
def test_a_run_that_broke_off_ends_with_the_same_weights(tmp_path, interrupted_at, broken, given):
    whole, result = trained(tmp_path / "whole", **given)
    with interrupted_at(broken):
        trained(tmp_path / "broken", **ALWAYS, **given)
    (tmp_path / "broken").rename(tmp_path / "moved")
    resumed, again = trained(tmp_path / "moved", resume=True, **given)
    assert same(whole, resumed)
    assert again.best_update == result.best_update
    scores = [[record["score"] for record in each.history] for each in (again, result)]
    assert scores[0] == scores[1]


def test_a_checkpoint_that_was_being_written_is_passed_over(tmp_path, interrupted_at):
    whole, _ = trained(tmp_path / "whole", evaluate=None)
    with interrupted_at(13):
        trained(tmp_path / "broken", evaluate=None, **ALWAYS)
    newest = tmp_path / "broken/checkpoint-12"
    (newest / "complete").unlink()
    (newest / "optimizer.pt").write_bytes(b"half")
    (newest / "trainer_state.json").write_text("{")
    assert same(whole, trained(tmp_path / "broken", evaluate=None, resume=True)[0])


@pytest.mark.parametrize("damage", ["cut", "overwritten", "gone"])
def test_a_damaged_checkpoint_is_named_and_the_one_before_taken(
    whole, tmp_path, interrupted_at, damage, caplog
):
    with interrupted_at(13):
        trained(tmp_path / "broken", **ALWAYS)
    newest = tmp_path / "broken/checkpoint-12"
    weights = newest / "model.safetensors"
    content = weights.read_bytes()
    if damage == "gone":
        (newest / "trainer_state.json").unlink()
    else:
        half = len(content) // 2
        weights.write_bytes(content[:half] + (b"" if damage == "cut" else bytes(len(content) - half)))
    resumed, _ = trained(tmp_path / "broken", resume=True, arg=("max_grad_norm=1.0",))
    assert same(whole, resumed)
    assert f"the checkpoint {newest} is damaged" in caplog.text


def test_a_run_that_had_no_more_time_goes_on_where_it_ended(tmp_path):
    whole, _ = trained(tmp_path / "whole", arg=("warmup_steps=2",))
    timed = {"arg": ("warmup_steps=2",)}
    _, first = trained(tmp_path / "timed", started=time.monotonic() - 100, max_minutes=1.0, **timed)
    assert (first.updates, first.planned, first.stopped) == (1, 24, "time")
    resumed, result = trained(tmp_path / "timed", resume=True, **timed)
    assert (result.updates, result.stopped) == (24, "updates")
    assert same(whole, resumed)


def test_a_fault_of_a_library_is_not_blamed_on_an_option(tmp_path, monkeypatch):
    def fail(*_):
        raise ValueError("renamed in the newest release")

    monkeypatch.setattr(trainer.RunTrainer, "training_step", fail)
    with pytest.raises(ValueError, match="renamed in the newest release") as caught:
        trained(tmp_path, arg=("max_steps=4",))
    assert not isinstance(caught.value, InputError)


def test_an_interruption_says_what_it_costs(tmp_path, monkeypatch):
    decide, now = trainer.Clock.on_step_end, [0.0]

    def interrupt(clock, args, state, control, **more):
        now[0] += 120.0
        if state.global_step == 4:
            raise KeyboardInterrupt
        decide(clock, args, state, control, **more)

    monkeypatch.setattr(trainer, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(trainer.Clock, "on_step_end", interrupt)
    for minutes, note in (
        (15.0, "8 minutes of training are lost, since there is no checkpoint yet (one each 15 minutes)"),
        (4.0, "4 minutes of training are lost; --resume goes on with the newest checkpoint"),
    ):
        now[0] = 0.0
        with pytest.raises(KeyboardInterrupt) as caught:
            trained(tmp_path, started=0.0, checkpoint_minutes=minutes)
        assert caught.value.__notes__ == [note]


def test_early_stopping_goes_on_counting(tmp_path, interrupted_at):
    def scores():
        each = chain([0.1, 0.7, 0.2, 0.3], repeat(0.9))
        return lambda model: next(each)

    given = {"epochs": 4, "early_stopping": 2}
    model, result = trained(tmp_path / "whole", evaluate=scores(), **given)
    assert (result.stopped, result.best_score, result.best_update) == ("early", 0.7, 8)
    evaluate = scores()
    with interrupted_at(10):
        trained(tmp_path / "broken", evaluate=evaluate, **ALWAYS, **given)
    again, found = trained(tmp_path / "broken", evaluate=evaluate, **given, resume=True)
    assert same(model, again)
    assert found.stopped == "early"
    assert [each["score"] for each in found.history] == [0.1, 0.7, 0.2, 0.3]


def test_it_learns_and_keeps_the_best_weights(tmp_path, capsys):
    model, result = trained(tmp_path, epochs=5, learning_rate=1e-2, **ALWAYS)
    assert capsys.readouterr().out == ""  # Trainer's dictionaries
    assert (result.updates, result.epochs, result.stopped) == (60, 5, "updates")
    assert not model.training
    assert result.best_score == max(record["score"] for record in result.history)
    assert accuracy(model) == result.best_score > 0.8
    assert [record["update"] for record in result.history] == list(range(6, 61, 6))
    assert all(record.keys() == {"update", "loss", "score"} for record in result.history)
    assert result.history[-1]["loss"] < result.history[0]["loss"]
    assert len(list(tmp_path.glob("checkpoint-*"))) == 2


def test_frozen_weights_are_not_trained(tmp_path):
    model = Classifier()
    frozen = model.layers[0].weight.requires_grad_(False)
    before = frozen.clone()
    trained(tmp_path, model, epochs=1, **ALWAYS)
    assert torch.equal(frozen, before)
    kept = trainer.load_file(next(tmp_path.glob("checkpoint-*")) / trainer.BEST)
    assert sorted(kept) == ["layers.0.bias", "layers.3.bias", "layers.3.weight"]


def test_adagrad_starts_as_see_et_al_have_it(tmp_path):
    options = TrainingOptions(arg=("learning_rate=0.15", "optim=adagrad"))
    kind, given = trainer.adagrad(training_arguments(options, tmp_path))
    assert kind is torch.optim.Adagrad
    assert (given["lr"], given["initial_accumulator_value"]) == (0.15, 0.1)


def test_bad_input(tmp_path, monkeypatch):
    for given, words in {
        "learning_rat=1": "has no --learning_rat=1: did you mean learning_rate?",
        "adam_beta1=much": "invalid float value: 'much'",
        "output_dir=x": "set by the run, or --batch-size",
        "report_to=nobody": "nobody is not supported",
        "adam_beta1=2": "Invalid beta parameter",
        "gradient_accumulation_steps=0": "gradient_accumulation_steps=0",
        "dataloader_num_workers=-1": "num_workers option should be non-negative",
    }.items():
        with pytest.raises(InputError, match=words):
            trained(tmp_path, arg=(given,))
    with pytest.raises(InputError, match="--max-minutes nan is out of range"):
        check_numbers(TrainingOptions(max_minutes=math.nan))
    monkeypatch.setenv("ACCELERATE_MIXED_PRECISION", "fp16")
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: False)
    with pytest.raises(InputError, match="fp16 requires a GPU: give --arg bf16=true"):
        trained(tmp_path)


def test_a_loss_that_is_not_finite_ends_the_run(tmp_path):
    model = Classifier()
    model.layers[0].register_forward_hook(lambda *given: given[2] * torch.nan)
    with pytest.raises(InputError, match="not finite after 2 updates"):
        trained(tmp_path, model)


def test_arguments_win_over_options_and_options_over_the_preset(tmp_path):
    class Preset(TrainingOptions):
        @property
        def preset(self):
            return {"num_train_epochs": 6, "learning_rate": 1e-5, "max_steps": 50, "early_stopping": 3}

    usual = training_arguments(Preset(), tmp_path)
    assert (usual.max_steps, usual.learning_rate, usual.early_stopping) == (50, 1e-5, 3)
    found = training_arguments(
        Preset(epochs=1, batch_size=4, arg=("learning_rate=0.1", "bf16=True")), tmp_path
    )
    assert (found.max_steps, found.num_train_epochs, found.per_device_train_batch_size) == (0, 1, 4)
    assert (found.learning_rate, found.bf16, found.optim) == (0.1, True, "adamw_torch_fused")


def test_loading_and_evaluations_count_among_the_minutes(monkeypatch, tmp_path):
    """On a clock on which a batch takes a second, and an evaluation five."""
    now, step = [100.0], trainer.RunTrainer.training_step

    def slow(*given):
        now[0] += 1.0
        return step(*given)

    def evaluate(model):
        now[0] += 5.0
        return 0.5

    monkeypatch.setattr(trainer, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(trainer.RunTrainer, "training_step", slow)
    limits = {"max_minutes": 1.0, "max_steps": 1000, "eval_steps": 30}
    _, result = trained(tmp_path, evaluate=evaluate, started=90.0, **limits)
    assert result.stopped == "time"
    scored = [record["update"] for record in result.history if "score" in record]
    assert scored == [30, result.updates] == [30, 60 - 10 - 5 + 1]


@pytest.mark.slow
def test_two_processes_under_torchrun_and_accelerate_launch(tmp_path):
    from processes import run_program  # this file is a program too

    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}

    def run(out, *more, launcher=("torch.distributed.run", "--nproc_per_node", "2")):
        command = [sys.executable, "-m", *launcher, __file__, str(tmp_path / out), *more]
        done = run_program(command, env=environment)
        return [line for line in done.stdout.splitlines() if line.startswith("RESULT")]

    [whole] = run("whole")
    assert whole.startswith("RESULT 2 24 ")
    assert run("broken", "break") == []
    assert run("broken", "resume") == [whole]
    [one] = run("one", launcher=("accelerate.commands.launch", "--cpu"))
    assert one.startswith("RESULT 1 48 ")


def main(out, what=""):
    torch.set_num_threads(1)
    decide = trainer.Clock.on_step_end
    if what == "break":
        trainer.Clock.on_step_end = lambda pace, args, state, control, **_: (
            sys.exit(3) if state.global_step == 13 else decide(pace, args, state, control)
        )
    model, result = trained(Path(out), resume=what == "resume", epochs=4, **ALWAYS)
    if process_state().is_main_process:
        weights = sum(value.double().sum().item() for value in model.state_dict().values())
        print("RESULT", process_state().num_processes, result.updates, result.best_update, weights)


if __name__ == "__main__":
    main(*sys.argv[1:])
