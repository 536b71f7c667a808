"""The loop: it learns, stops, keeps the best weights, and a killed run ends where an unbroken one does."""

import signal
import sys
from itertools import chain, repeat
from pathlib import Path

import pytest
import torch
from processes import run_program
from runs import Classifier, accuracy, collate, examples, main, options

from change_it.errors import InputError
from change_it.training.clock import Clock
from change_it.training.loop import EpochBatches, train
from change_it.training.settings import TrainingOptions, TrainingSettings, resolve

RUNS = str(Path(__file__).with_name("runs.py"))
#: Accumulated batches, and the last update of a run that is killed.
KILLED = {1: 7, 2: 12}


def run(*arguments, launcher=(sys.executable,), check=True):
    command = [*launcher, RUNS, *map(str, arguments)]
    result = run_program(command)
    assert not check or result.returncode == 0, result.stderr
    return result


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """A folder of runs that were killed, named by their accumulated batches."""
    folder = tmp_path_factory.mktemp("killed")
    for batches, update in KILLED.items():
        settings = ["--accumulation", str(batches), "--die-after", str(update)]
        done = run(folder / str(batches), *settings, check=False)
        assert done.returncode == -signal.SIGKILL, done.stderr
    return folder


@pytest.mark.parametrize("accumulation", KILLED)
def test_a_killed_and_resumed_run_ends_with_the_same_bytes(tmp_path, capsys, killed, accumulation):
    whole, broken = tmp_path / "whole", killed / str(accumulation)
    settings = ["--accumulation", str(accumulation)]
    main([str(whole), *settings])
    assert not (broken / "model.safetensors").exists()
    main([str(broken), *settings, "--resume"])
    assert capsys.readouterr().out.count("RESULT") == 2
    assert (broken / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()


def test_a_checkpoint_that_was_being_written_is_passed_over(tmp_path, interrupted_at):
    whole, broken = Classifier(), Classifier()
    train(whole, examples(), collate, options(), out=tmp_path / "whole", min_updates=1)
    with interrupted_at(12):
        train(Classifier(), examples(), collate, options(), out=tmp_path / "broken", min_updates=1)
    newest = tmp_path / "broken/checkpoints/checkpoint_1"
    (newest / "complete").unlink()
    (newest / "optimizer.bin").write_bytes(b"half")
    train(broken, examples(), collate, options(resume=True), out=tmp_path / "broken", min_updates=1)
    assert all(torch.equal(value, whole.state_dict()[key]) for key, value in broken.state_dict().items())


def test_it_learns_and_keeps_the_best_weights(tmp_path):
    model = Classifier()
    before = accuracy(model)["score"]
    result = train(
        model, examples(), collate, options(epochs=10), out=tmp_path, evaluate=accuracy, min_updates=1
    )
    assert result.updates == 120
    assert result.epochs == 10
    assert not model.training
    assert result.best_score == max(record["score"] for record in result.history)
    assert accuracy(model)["score"] == result.best_score > max(before, 0.9)
    assert result.history[0]["update"] == 0
    assert "loss" not in result.history[0]
    assert result.history[-1]["loss"] < result.history[1]["loss"]


def test_bfloat16_trains_and_leaves_a_plain_model(tmp_path):
    model = Classifier()
    result = train(
        model,
        examples(),
        collate,
        options(mixed_precision="bf16", gradient_accumulation=2),
        out=tmp_path,
        evaluate=accuracy,
        min_updates=1,
    )
    assert result.updates == 24
    assert result.best_score > 0.6
    assert {value.dtype for value in model.state_dict().values()} == {torch.float32}
    assert model(**collate(examples(4))).logits.dtype == torch.float32
    assert model.forward.__func__ is Classifier.forward


def test_epochs_rise_to_the_least_number_of_updates(tmp_path):
    result = train(Classifier(), examples(), collate, options(epochs=1), out=tmp_path, min_updates=30)
    assert result.updates == 30
    assert result.epochs == 2.5
    assert result.best_score is None


def test_early_stopping_goes_back_to_the_best(tmp_path):
    scores, seen = iter([0.1, 0.7, 0.2, 0.3, 0.9]), []

    def evaluate(model):
        seen.append({key: value.clone() for key, value in model.state_dict().items()})
        return next(scores)

    model = Classifier()
    result = train(
        model, examples(), collate, options(epochs=10, early_stopping=2), out=tmp_path, evaluate=evaluate
    )
    assert (result.stopped, result.best_score, len(seen)) == ("early", 0.7, 4)
    assert all(torch.equal(value, seen[1][key]) for key, value in model.state_dict().items())


def test_only_the_newest_checkpoints_stay_and_a_new_run_drops_them(tmp_path):
    train(Classifier(), examples(), collate, options(), out=tmp_path, min_updates=1)
    assert sorted(path.name for path in (tmp_path / "checkpoints").iterdir()) == [
        "checkpoint_7",
        "checkpoint_8",
    ]
    train(Classifier(), examples(), collate, options(checkpoint_steps=0), out=tmp_path, min_updates=1)
    assert not (tmp_path / "checkpoints").exists()


def test_bad_input(tmp_path):
    with pytest.raises(InputError, match="training set is empty"):
        train(Classifier(), [], collate, options(), out=tmp_path)
    train(Classifier(), examples(), collate, options(), out=tmp_path, min_updates=1)
    with pytest.raises(InputError, match=r"learning rate was 0\.003, is 0\.1.*remove that folder"):
        train(
            Classifier(),
            examples(),
            collate,
            options(learning_rate=0.1, resume=True),
            out=tmp_path,
            min_updates=1,
        )


@pytest.mark.slow
def test_two_processes_under_torchrun_and_accelerate_launch(tmp_path):
    torchrun = (sys.executable, "-m", "torch.distributed.run", "--nproc_per_node", "2")
    result = run(tmp_path / "two", launcher=torchrun)
    assert "RESULT 2 24 " in result.stdout
    assert float(result.stdout.split()[-1]) > 0.7
    run(tmp_path / "again", "--die-after", 12, launcher=torchrun, check=False)
    run(tmp_path / "again", "--resume", launcher=torchrun)
    assert (tmp_path / "again/model.safetensors").read_bytes() == (
        tmp_path / "two/model.safetensors"
    ).read_bytes()
    launched = run(tmp_path / "one", launcher=(sys.executable, "-m", "accelerate.commands.launch", "--cpu"))
    assert "RESULT 1 48 " in launched.stdout


def test_batches_cover_everything_and_group_by_length():
    lengths = list(range(100, 0, -1))
    batches = EpochBatches(100, batch_size=8, seed=1, lengths=lengths)
    first = list(batches)
    assert len(first) == len(batches) == 13
    assert sorted(index for batch in first for index in batch) == list(range(100))
    assert all(max(batch) - min(batch) < 8 for batch in first)
    assert len(first[-1]) == 4
    assert first == list(batches)
    batches.set_epoch(1)
    assert first != list(batches)


def test_resolve_keeps_what_was_given_and_lacks_nothing():
    preset = {"epochs": 6, "learning_rate": 1e-5, "batch_size": 4}
    found = resolve(TrainingOptions(epochs=1), preset, TrainingSettings)
    assert (found.epochs, found.learning_rate, found.batch_size, found.optimizer) == (1, 1e-5, 4, "adamw")
    with pytest.raises(TypeError, match="batch_size"):
        resolve(TrainingOptions(), {"learning_rate": 1e-5}, TrainingSettings)


class Ticking:
    """A clock that a test moves."""

    def __init__(self, monkeypatch):
        self.now = 100.0
        monkeypatch.setattr("change_it.training.clock.time.monotonic", lambda: self.now)

    def slow(self, monkeypatch, *, evaluation):
        """A model that takes a second for a batch, and an evaluation of so many seconds."""
        model = Classifier()
        forward = type(model).forward

        def slow_forward(self_, **batch):
            self.now += 1.0 if self_.training else 0.0
            return forward(self_, **batch)

        def evaluate(model):
            self.now += evaluation
            return 0.5

        monkeypatch.setattr(type(model), "forward", slow_forward)
        return model, evaluate


def test_loading_and_evaluations_count_among_the_minutes(monkeypatch, tmp_path):
    clock = Ticking(monkeypatch)
    model, evaluate = clock.slow(monkeypatch, evaluation=5.0)
    chosen = options(max_minutes=1.0, updates=1000, evaluation_steps=2)
    started = clock.now - 10.0
    result = train(model, examples(), collate, chosen, out=tmp_path, evaluate=evaluate, started=started)
    assert result.stopped == "time"
    assert 60.0 <= clock.now - started <= 61.0 + 5.0
    assert [record["update"] for record in result.history] == [0, result.updates]  # 5 s of 6 are spent


def test_evaluations_between_the_first_and_the_last_have_a_share_of_the_minutes(monkeypatch, tmp_path):
    clock = Ticking(monkeypatch)
    model, evaluate = clock.slow(monkeypatch, evaluation=1.0)
    chosen = options(max_minutes=1.0, updates=1000, evaluation_steps=5)
    result = train(model, examples(), collate, chosen, out=tmp_path, evaluate=evaluate)
    assert len(result.history) == 6  # six seconds of sixty
    assert result.history[-1]["update"] == result.updates


def test_the_learning_rate_falls_with_the_time_that_is_left(monkeypatch):
    clock = Ticking(monkeypatch)
    watch = Clock(max_minutes=1.0, started=clock.now)
    watch.begin(0.0)
    assert watch.share == 0.0
    clock.now += 30.0
    watch.read()
    assert watch.share == 0.5
    assert [watch.updates(done, 100) for done in (0, 10, 80)] == [0, 20, 100]
    forever = Clock(max_minutes=None, started=clock.now)
    forever.begin(1e6)
    assert (forever.share, forever.is_up, forever.allows_evaluation) == (0.0, False, True)
    assert forever.updates(10, 100) == 100


def test_the_best_weights_are_kept_of_what_is_trained_alone(tmp_path):
    model, seen = Classifier(), []
    frozen = next(iter(model.parameters())).requires_grad_(False)
    before = frozen.clone()
    scores = chain([0.1, 0.9], repeat(0.2))

    def evaluate(model):
        seen.append({key: value.clone() for key, value in model.state_dict().items()})
        return next(scores)

    train(model, examples(), collate, options(epochs=10, evaluation_steps=3), out=tmp_path, evaluate=evaluate)
    assert all(torch.equal(value, seen[1][key]) for key, value in model.state_dict().items())
    assert torch.equal(frozen, before)
