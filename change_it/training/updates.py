"""Plan how many updates a training has, and measure on a few of them how long it will take."""

import math
import time
from dataclasses import dataclass

import numpy as np
import torch
from accelerate.utils import broadcast_object_list
from transformers import TrainingArguments

from change_it.models.pretrained import arithmetic
from change_it.training.run import TokenIds, TrainingRun
from change_it.training.training_options import TrainingOptions

#: Evaluations of a whole run, equally spaced, unless `--arg eval_steps` says otherwise; the last is at its
#: end.
EVALUATIONS = 10
#: Batches that are measured, at most; the first one is slower, and is left out where there are more.
MEASURED_BATCHES = 4
#: Seconds after which no further batch is measured.
MEASURED_SECONDS = 30.0
#: Share of the time of an update that an evaluation of its batch takes: it has no gradients.
EVALUATION_SHARE = 1 / 3
#: Arguments by which users say themselves how long a training is.
LENGTH_ARGUMENTS = {"num_train_epochs", "max_steps"}


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a run plans.

    Attributes:
        updates: number of optimizer steps.
        of_preset: number of optimizer steps in the preset's epochs. On a processor fewer may be planned.
        seconds: seconds of an update; None where nothing was measured.
        evaluating: seconds of all evaluations.
    """

    updates: int
    of_preset: int
    seconds: float | None = None
    evaluating: float = 0.0

    def minutes(self, updates: int) -> float:
        """Return the expected minutes of so many updates with all evaluations."""
        return (updates * (self.seconds or 0.0) + self.evaluating) / 60

    def within(self, minutes: float) -> int:
        """Return how many updates fit into so many minutes, with the evaluations between them."""
        of_one = self.minutes(self.updates) / self.updates
        return min(self.updates, max(0, int(minutes / of_one)))

    def sentences(self, minutes_left: float | None) -> list[str]:
        """Say how long the run will be; nothing where nothing was measured.

        Args:
            minutes_left: what --max-minutes leaves; None without that option.
        """
        if self.seconds is None:
            return []
        planned = duration(self.minutes(self.updates))
        sentences = [f"Planned: {self.updates:,} updates, {planned} here."]
        if self.updates < self.of_preset:
            longer = duration(self.minutes(self.of_preset))
            sentences.append(
                f"The preset has {self.of_preset:,}, {longer}: "
                "give --epochs, --arg max_steps or --max-minutes to train longer."
            )
        if minutes_left is not None:
            allowed = self.within(minutes_left)
            if allowed < self.updates:
                sentences.append(f"--max-minutes allows about {allowed:,} of them.")
        return sentences


def duration(minutes: float) -> str:
    """Return minutes in words: less than a minute, about 12 minutes, about 3.5 hours."""
    if minutes < 1:
        return "less than a minute"
    if minutes < 90:
        rounded = round(minutes)
        return "about 1 minute" if rounded == 1 else f"about {rounded} minutes"
    return f"about {minutes / 60:.1f} hours"


def is_chosen(options: TrainingOptions) -> bool:
    """Tell whether the user says how many epochs or updates a run has."""
    return options.epochs is not None or bool(LENGTH_ARGUMENTS & options.given.keys())


def plan_updates(
    run: TrainingRun,
    examples: TokenIds,
    options: TrainingOptions,
    arguments: TrainingArguments,
    *,
    updates_an_epoch: int,
) -> Plan:
    """Plan the updates of a run.

    Epochs or updates that the user chose are kept as they are. Else there are as many updates as in the
    preset's epochs, at least `run.min_updates`. On a processor there are at most as many as
    `run.minutes_on_cpu` allow by the measured time of one, unless the user gave minutes.

    Args:
        run: the run.
        examples: what it is trained on.
        options: the user's options.
        arguments: arguments of the run, of `trainer.training_arguments`.
        updates_an_epoch: number of updates in a pass over the examples.
    """
    chosen = is_chosen(options)
    updates = arguments.max_steps
    if updates <= 0:
        least = 1 if chosen else run.min_updates
        updates = max(math.ceil(arguments.num_train_epochs * updates_an_epoch), least)
    if run.minutes_on_cpu is None:
        return Plan(updates=updates, of_preset=updates)
    seconds = measure_update(run, examples, arguments)
    batches = run.evaluated / arguments.per_device_train_batch_size
    seconds_a_batch = seconds / arguments.gradient_accumulation_steps
    evaluating = EVALUATIONS * EVALUATION_SHARE * batches * seconds_a_batch
    allowed = math.inf
    if arguments.device.type == "cpu" and not chosen and options.max_minutes is None:
        allowed = max(1.0, (60 * run.minutes_on_cpu - evaluating) / seconds)
    return Plan(
        updates=int(min(updates, allowed)),
        of_preset=updates,
        seconds=seconds,
        evaluating=evaluating,
    )


def measure_update(run: TrainingRun, examples: TokenIds, arguments: TrainingArguments) -> float:
    """Return the seconds of an update as the main process measures them.

    It computes gradients of a few batches and throws them away. Neither the weights nor the random state of
    the training depend on it.
    """
    device = arguments.device
    precision = "bf16" if arguments.mixed_precision == "bf16" else "float32"
    model = run.model.to(device).train()
    size = arguments.per_device_train_batch_size
    drawn = np.random.default_rng(arguments.seed).permutation(len(examples))
    # where examples are few, they are read several times
    batches = np.resize(drawn, (MEASURED_BATCHES, size))
    measured: list[float] = []
    gpus = [device] if device.type == "cuda" else []
    with torch.random.fork_rng(devices=gpus):
        for rows in batches:
            batch = run.collate([examples[row] for row in rows])
            started = time.monotonic()
            on_device = {name: tensor.to(device) for name, tensor in batch.items()}
            with arithmetic(device, precision):
                loss = run.loss(model, on_device) if run.loss else model(**on_device).loss
            loss.backward()
            loss.item()  # waits for the device
            model.zero_grad(set_to_none=True)
            measured.append(time.monotonic() - started)
            if sum(measured) > MEASURED_SECONDS:
                break
    steady = measured[1:] or measured
    seconds = arguments.gradient_accumulation_steps * sum(steady) / len(steady)
    return float(broadcast_object_list([seconds])[0])
