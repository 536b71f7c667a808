"""The one training loop, on Accelerate: judges and generators go through `train`.

A run that is killed and resumed ends with the same weights, bit for bit on CPU, as one that was not: the order of
the batches depends on (seed, epoch) alone, and a checkpoint holds everything else (weights, optimizer, scheduler,
random states, place in the epoch, best weights so far).
"""

import logging
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from accelerate import Accelerator, PartialState, skip_first_batches
from accelerate.state import AcceleratorState, GradientState
from accelerate.utils import (
    ProjectConfiguration,
    broadcast_object_list,
    parse_flag_from_env,
    set_seed,
)
from torch import Tensor, nn
from torch.utils.data import DataLoader, Sampler

from change_it.errors import InputError
from change_it.progress import bar
from change_it.training.checkpoints import (
    CHECKPOINTS_KEPT,
    clear_checkpoints,
    leave_out_frozen,
    resume,
    save_checkpoint,
    untrained_weights,
)
from change_it.training.clock import Clock
from change_it.training.optimizer import make_optimizer, schedule
from change_it.training.settings import TrainingSettings

#: Evaluations of a whole run when nothing else is asked, equally spaced; the last one is at its end.
EVALUATIONS = 10
#: Epochs rise until there are this many updates (small corpora).
MIN_UPDATES = 300

Evaluate = Callable[[nn.Module], float | Mapping[str, float]]


@dataclass
class TrainingResult:
    """How a run ended."""

    updates: int  # optimizer steps
    epochs: float  # passes over the data, fractional
    seconds: float  # training time, earlier parts of a resumed run included
    stopped: str  # all updates done, no better score (`early`), or out of time
    best_score: float | None  # validation score of the weights that it now has; None without an evaluation
    best_update: int
    # for each evaluation `update`, `loss` (mean since the last one) and its numbers; the first before training
    history: list[dict[str, float]]


@dataclass
class Progressed:
    """Where a run is: saved in each checkpoint beside the model, optimizer, scheduler and random states."""

    fingerprint: dict[str, Any]
    update: int = 0
    epoch: int = 0
    batch: int = 0
    seconds: float = 0.0
    loss_sum: float | Tensor = 0.0  # a tensor where it was computed: reading it there waits for the device
    losses: int = 0
    patience: int = 0
    best_score: float | None = None
    best_update: int = 0
    best_weights: dict[str, Tensor] | None = None
    history: list[dict[str, float]] = field(default_factory=list)

    @property
    def mean_loss(self) -> float:
        """Mean training loss since the last evaluation, or before it; NaN before the first batch."""
        if self.losses:
            return float(self.loss_sum) / self.losses
        return self.history[-1].get("loss", math.nan) if self.history else math.nan

    def state_dict(self) -> dict[str, Any]:
        """The state for Accelerate's checkpoint."""
        return {**vars(self), "loss_sum": float(self.loss_sum)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from `state`; an `InputError` says what differs when it is of a run with other data or options."""
        saved, now = state["fingerprint"], self.fingerprint
        if changed := [name for name in now if saved.get(name) != now[name]]:
            raise InputError(", ".join(f"{name} was {saved.get(name)}, is {now[name]}" for name in changed))
        vars(self).update(state)


class EpochBatches(Sampler[list[int]]):
    """Batches of indices, a function of the seed and the epoch alone; optionally texts of like length share a batch.

    With `lengths`, shuffled examples are sorted by length inside stretches of 50 batches: padding shrinks while the
    order stays random. A batch that is not full always comes last.
    """

    STRETCH = 50
    drop_last = False

    def __init__(self, size: int, *, batch_size: int, seed: int, lengths: Sequence[int] | None = None):
        self.size, self.batch_size, self.seed = size, batch_size, seed
        self.lengths = None if lengths is None else np.asarray(lengths)
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Take the order of this epoch (from 0)."""
        self.epoch = epoch

    def __len__(self) -> int:
        return -(-self.size // self.batch_size)

    def __iter__(self) -> Iterator[list[int]]:
        random = np.random.default_rng((self.seed, self.epoch))
        order = random.permutation(self.size)
        if self.lengths is not None:
            stretch = self.STRETCH * self.batch_size
            parts = [order[start : start + stretch] for start in range(0, self.size, stretch)]
            order = np.concatenate([part[np.argsort(-self.lengths[part], kind="stable")] for part in parts])
        batches = [
            order[start : start + self.batch_size].tolist() for start in range(0, self.size, self.batch_size)
        ]
        if self.lengths is not None:
            full = self.size // self.batch_size
            batches = [batches[index] for index in random.permutation(full)] + batches[full:]
        yield from batches


class TrainingBar:
    """Updates, loss, score and time left; in a log file notes are lines."""

    def __init__(self, name: str, total: int, state: Progressed, *, shown: bool):
        self.bar = bar(name, total, initial=state.update, shown=shown)

    def show(self, state: Progressed, *, total: int, note: bool = False) -> None:
        """Show a state, of so many updates; with `note` also in a log file."""
        self.bar.total = total
        score = "…"
        if state.best_score is not None:
            score = f"{state.history[-1]['score']:.3f} (best {state.best_score:.3f})"
        self.bar.set_postfix({"loss": f"{state.mean_loss:.3f}", "score": score}, refresh=False)
        self.bar.update(state.update - self.bar.n)
        if note:
            self.bar.refresh()


def process_state() -> PartialState:
    """The process group that `torchrun` or `accelerate launch` set up; one process on its own otherwise."""
    return PartialState(cpu=not torch.accelerator.is_available())


def check_launch() -> None:
    """Refuse a launch by FSDP or DeepSpeed, which shard the model: the main process validates and saves it whole."""
    for name in ("FSDP", "DeepSpeed"):
        if parse_flag_from_env(f"ACCELERATE_USE_{name.upper()}"):
            raise InputError(
                f"{name} shards the model, which is validated and saved whole: launch without it"
                " (a large model trains with --lora)"
            )


def train(
    model: nn.Module,
    dataset: Any,
    collate: Callable[[list[Any]], Mapping[str, Tensor]],
    settings: TrainingSettings,
    *,
    out: Path,
    name: str = "training",
    evaluate: Evaluate | None = None,
    lengths: Sequence[int] | None = None,
    min_updates: int = MIN_UPDATES,
    started: float | None = None,
) -> TrainingResult:
    """Train `model` in place; afterwards it has the best weights by validation score (the last without one).

    Works as a plain call, under `accelerate launch` and under `torchrun`; every process calls it with the same
    arguments. Checkpoints go to `<out>/checkpoints`, TensorBoard logs to `<out>/logs`.

    Args:
        model: returns an output with `.loss` when called with a batch.
        dataset: map-style. If it has `set_epoch`, that is called before each epoch; an item may depend on the epoch and
            its index, but on no random state.
        collate: examples to a batch of tensors, keyword arguments of the model.
        settings: with `epochs` or `updates`.
        out: folder for checkpoints and logs.
        name: shown at the progress bar and used as the TensorBoard run.
        evaluate: validation score of the model (higher is better), or a mapping with `score` and further numbers;
            called by the main process with the model in `eval` mode, gradients off and the arithmetic of the training.
        lengths: length of each example, to batch like with like; None leaves the order alone.
        min_updates: epochs rise until there are this many updates.
        started: when the run began, in `time.monotonic()`: what was done since counts among the minutes; None is now.
    """
    if len(dataset) == 0:
        raise InputError(f"there is nothing to train the {name} on: the training set is empty")
    accelerator = _accelerator(settings, out)
    set_seed(settings.seed, device_specific=True)
    if settings.epochs is None and settings.updates is None:
        raise ValueError("neither epochs nor updates: the length of the run is not known")
    batches = EpochBatches(len(dataset), batch_size=settings.batch_size, seed=settings.seed, lengths=lengths)
    # A generator of its own: each pass over a loader draws a number, which must not come out of the dropout's.
    loader = DataLoader(dataset, batch_sampler=batches, collate_fn=collate, generator=torch.Generator())
    optimizer = make_optimizer(model, settings)
    prepared, optimizer, loader = accelerator.prepare(model.train(), optimizer, loader)
    updates_an_epoch = math.ceil(len(loader) / settings.gradient_accumulation)
    total = settings.updates or max(math.ceil((settings.epochs or 0) * updates_an_epoch), min_updates)
    clock, factor = Clock(settings.max_minutes, started), schedule(settings, total)
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer.optimizer, lambda update: factor(max(update, total * clock.share))
    )
    fingerprint = {
        "examples": len(dataset),
        "updates": total,
        "batch size": settings.batch_size,
        "processes": accelerator.num_processes,
        "gradient accumulation": settings.gradient_accumulation,
        "optimizer": settings.optimizer,
        "learning rate": settings.learning_rate,
        "precision": settings.mixed_precision,
        "seed": settings.seed,
    }
    state = Progressed(fingerprint)
    accelerator.register_for_checkpointing(scheduler, state)
    accelerator.register_save_state_pre_hook(leave_out_frozen)
    resume(accelerator, out) if settings.resume else clear_checkpoints(accelerator, out)

    clock.begin(state.seconds)
    evaluate_every = settings.evaluation_steps or max(1, total // EVALUATIONS)
    stopped = "early" if _exhausted(settings, state) else "updates"
    shown = TrainingBar(name, total, state, shown=accelerator.is_main_process)
    with shown.bar:
        if state.update == 0 and evaluate is not None:  # a model that starts well may stay the best
            with clock.evaluation():
                _evaluate(accelerator, prepared, evaluate, state, float(scheduler.get_last_lr()[0]))
        while state.update < total and stopped == "updates":
            loader.set_epoch(state.epoch)
            batches.set_epoch(state.epoch)
            if hasattr(dataset, "set_epoch"):
                dataset.set_epoch(state.epoch)
            for batch in skip_first_batches(loader, state.batch) if state.batch else loader:
                with accelerator.accumulate(prepared):
                    loss = prepared(**batch).loss
                    accelerator.backward(loss)
                    if accelerator.sync_gradients and settings.max_grad_norm:
                        accelerator.clip_grad_norm_(prepared.parameters(), settings.max_grad_norm)
                    optimizer.step()
                    optimizer.zero_grad()
                state.batch += 1
                state.loss_sum = state.loss_sum + loss.detach().float()
                state.losses += 1
                if not accelerator.sync_gradients:
                    continue
                scheduler.step()
                state.update += 1
                state.seconds = clock.read()
                shown.show(state, total=clock.updates(state.update, total))
                due = state.update % evaluate_every == 0 and clock.allows_evaluation
                out_of_time = clock.is_up
                if due or state.update == total or out_of_time:
                    with clock.evaluation():
                        _evaluate(accelerator, prepared, evaluate, state, float(scheduler.get_last_lr()[0]))
                    state.seconds = clock.seconds
                    shown.show(state, total=clock.updates(state.update, total), note=True)
                if out_of_time:
                    stopped = "time"
                elif _exhausted(settings, state):
                    stopped = "early"
                if settings.checkpoint_steps and state.update % settings.checkpoint_steps == 0:
                    save_checkpoint(accelerator, out)
                if state.update == total or stopped != "updates":
                    break
            else:
                state.epoch, state.batch = state.epoch + 1, 0

    accelerator.wait_for_everyone()
    model = accelerator.unwrap_model(prepared, keep_fp32_wrapper=False)
    if state.best_weights is not None:
        model.load_state_dict(state.best_weights, strict=False)
    model.eval()
    epochs = state.epoch + state.batch / len(loader)
    return TrainingResult(
        state.update, epochs, state.seconds, stopped, state.best_score, state.best_update, state.history
    )


def _accelerator(settings: TrainingSettings, out: Path) -> Accelerator:
    """A fresh Accelerator; earlier runs of the same process may have had another precision."""
    if settings.mixed_precision == "fp16" and not torch.cuda.is_available():
        raise InputError("--mixed-precision fp16 needs a CUDA device: use bf16 or no")
    logging.getLogger("accelerate").setLevel(logging.ERROR)
    AcceleratorState._reset_state()
    GradientState._reset_state()
    return Accelerator(
        cpu=not torch.accelerator.is_available(),
        mixed_precision=settings.mixed_precision,
        gradient_accumulation_steps=settings.gradient_accumulation,
        step_scheduler_with_optimizer=False,
        project_config=ProjectConfiguration(
            project_dir=str(out),
            automatic_checkpoint_naming=True,
            total_limit=CHECKPOINTS_KEPT,
        ),
    )


def _exhausted(settings: TrainingSettings, state: Progressed) -> bool:
    return bool(settings.early_stopping) and state.patience >= (settings.early_stopping or 0)


def _evaluate(
    accelerator: Accelerator, model: nn.Module, evaluate: Evaluate | None, state: Progressed, rate: float
) -> None:
    """Score the model, keep its weights if they are the best so far, and log."""
    numbers: dict[str, float] = {}
    if evaluate is not None and accelerator.is_main_process:
        bare = accelerator.unwrap_model(model)
        bare.eval()
        with torch.no_grad(), accelerator.autocast():
            score = evaluate(bare)
        bare.train()
        numbers = {
            key: float(value)
            for key, value in (score if isinstance(score, Mapping) else {"score": score}).items()
        }
    if accelerator.num_processes > 1:
        numbers = broadcast_object_list([numbers])[0]
    record = {"update": state.update, **({"loss": state.mean_loss} if state.losses else {}), **numbers}
    state.history.append(record)
    state.loss_sum, state.losses = 0.0, 0
    if accelerator.trackers:
        accelerator.log(
            {**{key: value for key, value in record.items() if key != "update"}, "rate": rate}, state.update
        )
    if "score" not in numbers:
        return
    state.patience += 1
    if state.best_score is None or numbers["score"] > state.best_score:
        bare = accelerator.unwrap_model(model)
        frozen = untrained_weights(bare)
        state.best_weights = {
            key: value.detach().cpu().clone() for key, value in bare.state_dict().items() if key not in frozen
        }
        state.best_score, state.best_update, state.patience = numbers["score"], state.update, 0
