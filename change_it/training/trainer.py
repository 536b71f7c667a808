"""Train judges and generators by transformers' `Trainer`, with a limit of time and checkpoints by the clock.

A run that is killed and resumed ends with the same weights, bit for bit on a CPU, as one that was not.
"""

import hashlib
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from logging import getLogger
from pathlib import Path
from typing import Any, cast

import torch
from accelerate.utils import broadcast_object_list
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from transformers import (
    EarlyStoppingCallback,
    HfArgumentParser,
    PrinterCallback,
    Trainer,
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)

from change_it.errors import InputError
from change_it.files.atomic import write_json
from change_it.files.records import read_record, to_json
from change_it.files.texts import join_truncated
from change_it.progress import bar, minutes_bar, note
from change_it.training.record import COMPLETE, Checkpoint, TrainingResult
from change_it.training.run import TokenIds, TrainingRun, process_state
from change_it.training.training_options import TrainingOptions
from change_it.training.updates import EVALUATIONS, plan_updates

logger = getLogger(__name__)

#: Where Adagrad's sums of squared gradients start (See et al. 2017).
INITIAL_ACCUMULATOR = 0.1
#: Decay of weight matrices by AdamW.
WEIGHT_DECAY = 0.01
#: Share of the updates in which the learning rate of AdamW rises.
WARMUP_SHARE = 0.1
#: Number of the updates in which it rises, where minutes end a run.
TIMED_WARMUP_UPDATES = 20
#: File of a checkpoint with the best weights so far.
BEST = "best.safetensors"
#: Further arguments that a run does not take: it saves by the clock, and trains whole models.
REFUSED = {"fsdp", "deepspeed", "push_to_hub", "save_steps", "load_best_model_at_end", "auto_find_batch_size"}
#: What Trainer's log has and the bar shows.
LOSSES = ("loss", "eval_validation loss")


class EarlyStopping(EarlyStoppingCallback):
    """Stop where no evaluation brings a better score; the best weights are kept by our trainer."""

    def on_train_begin(self, *_: Any, **__: Any) -> None:
        """Leave out the warning of transformers that the best weights were lost, which they are not."""


@dataclass
class RunArguments(TrainingArguments):
    """Arguments of a process that trains on one device; the others are for further processes."""

    early_stopping: int = field(
        default=0, metadata={"help": "Evaluations without a better score; 0: no end."}
    )

    @property
    def n_gpu(self) -> int:
        """Return 1 where there is a GPU: a process has one device."""
        return min(1, int(super().n_gpu))


def training_arguments(options: TrainingOptions, out: Path) -> RunArguments:
    """Return the arguments of a run.

    What the run sets itself, `--arg` may not give. Elsewhere `--arg` wins over options, and options win over
    the preset.

    Raises:
        InputError: `--arg` has one that the run sets itself, or that transformers does not know.
    """
    warmup = WARMUP_SHARE if options.max_minutes is None else TIMED_WARMUP_UPDATES
    usual = {
        "optim": "adamw_torch_fused",
        "weight_decay": WEIGHT_DECAY,
        "warmup_steps": warmup,
        "logging_nan_inf_filter": False,  # it waits for the device at each update
        "save_total_limit": 2,
        "report_to": "none",
        "disable_tqdm": True,  # the clock has a bar
        **options.preset,
    }
    of_run = {
        "output_dir": str(out),
        "seed": options.seed,
        "eval_strategy": "steps",
        "save_strategy": "no",  # the clock saves
        "metric_for_best_model": "score",
        "greater_is_better": True,
        "restore_callback_states_from_checkpoint": True,
        "remove_unused_columns": False,
        "ddp_find_unused_parameters": False,
        "use_cpu": not torch.accelerator.is_available(),
    }
    if options.batch_size is not None:
        of_run["per_device_train_batch_size"] = options.batch_size
    if options.epochs is not None:
        # The updates of a preset would win over them.
        usual["num_train_epochs"] = options.epochs
        usual["max_steps"] = 0
    refused = sorted((of_run.keys() | REFUSED) & options.given.keys())
    if refused:
        raise InputError(
            f"--arg {join_truncated(refused)}: that is set by the run, "
            "or --batch-size, --seed, --checkpoint-minutes and --out"
        )
    with argument_errors(options):
        arguments = _parse_arguments(options, {**usual, **of_run})
    # `accelerate launch` may have set it.
    if arguments.mixed_precision == "fp16" and arguments.use_cpu:
        raise InputError("fp16 requires a GPU: give --arg bf16=true")
    return arguments


def _parse_arguments(options: TrainingOptions, defaults: dict[str, Any]) -> RunArguments:
    """Return the arguments that `--arg` gives, and the defaults for all others.

    Raises:
        ValueError: transformers does not know an argument, or refuses its value.
    """
    parser = HfArgumentParser(cast(Any, RunArguments), exit_on_error=False, allow_abbrev=False)
    parser.set_defaults(**defaults)
    given = [f"--{argument}" for argument in options.arg]
    [arguments, unknown] = parser.parse_args_into_dataclasses(given, return_remaining_strings=True)
    if unknown:
        name = unknown[0].strip("-").partition("=")[0]
        fault = f"transformers' TrainingArguments has no {join_truncated(unknown)}"
        near = get_close_matches(name, vars(arguments), n=1)
        if near:
            fault = f"{fault}: did you mean {near[0]}?"
        raise ValueError(fault)
    return arguments


@contextmanager
def argument_errors(
    options: TrainingOptions, is_at_fault: Callable[[], bool] = lambda: True
) -> Iterator[None]:
    """Turn what libraries raise over a value of `--arg` into one sentence.

    Args:
        options: the user's options.
        is_at_fault: asked after an error; where it returns False, the error is raised as it is.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, InputError) or not options.arg or not is_at_fault():
            raise
        raise InputError(f"--arg {' '.join(options.arg)}: {' '.join(str(error).split())}") from error


def trained_tensors(model: nn.Module) -> dict[str, Tensor]:
    """Return the trained weights and the buffers of a model, by name."""
    trained = {name: weight for name, weight in model.named_parameters() if weight.requires_grad}
    return {**trained, **dict(model.named_buffers())}


class Clock(TrainerCallback):
    """Ends a run and writes checkpoints by the time, and shows a bar with the last losses.

    Attributes:
        evaluates: whether the run is evaluated.
        every: seconds between checkpoints.
        limit: seconds after which the run ends; infinite where minutes do not end it.
        started: when the command began, in `time.monotonic()`.
        before: seconds before the run was resumed.
        saved: seconds of the run at the last checkpoint.
        is_saved: whether there is a checkpoint.
        losses: what the bar shows beside its count.
        best: the best weights so far, in the main process.
        stopped: `time` where the run was out of time; empty before.
    """

    def __init__(self, options: TrainingOptions, started: float, *, evaluates: bool):
        self.evaluates = evaluates
        self.every = 60 * options.checkpoint_minutes
        self.limit = math.inf if options.max_minutes is None else 60 * options.max_minutes
        self.started = started
        self.before = 0.0
        self.saved = 0.0
        self.is_saved = False
        self.losses: dict[str, Any] = {}
        self.best: dict[str, Tensor] = {}
        self.stopped = ""

    @property
    def seconds(self) -> float:
        """Return the seconds of the run in the main process, those before it was resumed among them."""
        here = self.before + time.monotonic() - self.started
        return float(broadcast_object_list([here])[0])

    @property
    def minutes(self) -> float:
        """Return the minutes of the run for its bar, at most the limit: a bar has no more than its total."""
        return min(self.seconds, self.limit) / 60

    def on_train_begin(self, args: Any, state: TrainerState, *_: Any, **__: Any) -> None:
        """Show the bar. It counts minutes where these end the run, else updates."""
        shown = state.is_world_process_zero
        if math.isfinite(self.limit):
            self.bar = minutes_bar("training", self.limit / 60, initial=self.minutes, shown=shown)
        else:
            self.bar = bar("training", state.max_steps, initial=state.global_step, shown=shown)

    def on_step_end(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        """Decide whether the run ends after an update, and whether a checkpoint is written."""
        seconds = self.seconds
        if seconds > self.limit and state.global_step < state.max_steps:
            self.stopped = "time"
            control.should_training_stop = True
            control.should_log = True
            control.should_evaluate = self.evaluates
        if self.stopped == "time":
            # --resume may go on from here.
            control.should_save = True
        else:
            is_due = seconds - self.saved >= self.every
            control.should_save = is_due and not control.should_training_stop
        if math.isfinite(self.limit):
            self.losses["updates"] = f"{state.global_step:,} of {state.max_steps:,}"
            self.bar.set_postfix(self.losses, refresh=False)
            self.bar.update(self.minutes - self.bar.n)
        else:
            self.bar.update(state.global_step - self.bar.n)

    def on_log(self, args: Any, state: TrainerState, control: Any, **more: Any) -> None:
        """Show the losses.

        Raises:
            InputError: the loss is not finite.
        """
        logs = more["logs"]
        if not math.isfinite(logs.get("loss", 0.0)):
            raise InputError(
                f"the loss is not finite after {state.global_step} updates: "
                "give a lower --arg learning_rate, or bf16 in the place of fp16"
            )
        for name in LOSSES:
            if name in logs:
                self.losses[name.removeprefix("eval_")] = logs[name]
        self.bar.set_postfix(self.losses)

    def on_train_end(self, *_: Any, **__: Any) -> None:
        """Take the bar off."""
        self.bar.close()

    def on_save(self, args: Any, state: TrainerState, control: Any, **_: Any) -> None:
        """Complete a checkpoint with the best weights and the record of its files."""
        # Each process writes its random state.
        process_state().wait_for_everyone()
        self.saved = self.seconds
        self.is_saved = True
        if state.is_world_process_zero:
            folder = Path(args.output_dir) / f"checkpoint-{state.global_step}"
            if self.best:
                save_file(self.best, folder / BEST)
            record = Checkpoint(seconds=self.saved, files=digests(folder))
            write_json(folder / COMPLETE, to_json(record))

    def what_is_lost(self) -> str:
        """Say what an interruption costs, and what goes on."""
        minutes = (self.before + time.monotonic() - self.started - self.saved) / 60
        lost = "less than a minute is lost"
        if minutes >= 1:
            lost = f"{minutes:.0f} minutes of training are lost"
        if self.is_saved:
            return f"{lost}; --resume goes on with the newest checkpoint"
        return f"{lost}, since there is no checkpoint yet (one each {self.every / 60:g} minutes)"


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file of a checkpoint, hexadecimal, by name."""
    found = {}
    for path in sorted(folder.iterdir()):
        if path.is_file() and path.name != COMPLETE:
            with path.open("rb") as file:
                found[path.name] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def read_checkpoint(folder: Path) -> Checkpoint:
    """Read the record of a whole checkpoint.

    Raises:
        InputError: it is none.
    """
    record = read_record(folder / COMPLETE, Checkpoint, "remove that checkpoint")
    if record is None:
        raise InputError(f"{folder} is no whole checkpoint: remove it")
    return record


def newest_checkpoint(work: Path) -> Path | None:
    """Return the newest whole checkpoint of a run, or None.

    Each damaged one that is passed over is named.
    """
    complete = [file.parent for file in work.glob(f"checkpoint-*/{COMPLETE}")]
    complete.sort(key=lambda folder: -int(folder.name.rpartition("-")[2]))
    for folder in complete:
        with suppress(InputError):
            if read_checkpoint(folder).files == digests(folder):
                return folder
        if process_state().is_main_process:
            logger.warning("the checkpoint %s is damaged and is passed over for an older one", folder)
    if complete and process_state().is_main_process:
        logger.warning("%s has no whole checkpoint: training begins anew", work)
    return None


class RunTrainer(Trainer):
    """The `Trainer` of transformers over a `TrainingRun`, which is evaluated by its own function.

    Attributes:
        run: the run.
        clock: ends it, and keeps its best weights.
    """

    def __init__(self, run: TrainingRun, examples: TokenIds, arguments: RunArguments, clock: Clock):
        callbacks: list[TrainerCallback] = [clock]
        if run.evaluate and arguments.early_stopping:
            callbacks.append(EarlyStopping(arguments.early_stopping))
        optimizer = None
        if arguments.optim == "adagrad":
            optimizer = adagrad(arguments)
        use_cache = getattr(getattr(run.model, "config", None), "use_cache", None)
        super().__init__(
            model=run.model,
            args=arguments,
            data_collator=run.collate,
            train_dataset=cast(Any, examples),  # a list serves as a data set
            eval_dataset=cast(Any, examples),  # Trainer wants one, and `evaluate` does not read it
            callbacks=callbacks,
            optimizer_cls_and_kwargs=optimizer,
        )
        if use_cache is not None:
            # Trainer has changed the configuration that is saved with the model.
            run.model.config.use_cache = use_cache
        self.run = run
        self.clock = clock
        # `compute_loss` returns the mean of a batch.
        self.model_accepts_loss_kwargs = False
        # This callback prints dictionaries.
        self.remove_callback(PrinterCallback)

    def compute_loss(self, model: nn.Module, inputs: Any, *rest: Any, **more: Any) -> Any:
        """Return the loss of the run, or that of the model."""
        if self.run.loss:
            return self.run.loss(model, inputs)
        return super().compute_loss(model, inputs, *rest, **more)

    def evaluate(self, *_: Any, **__: Any) -> dict[str, float]:
        """Score the model in the main process, and keep its weights where they are the best."""
        state = self.state
        figures: dict[str, float] | None = None
        if state.is_world_process_zero:
            figures = self._validation_figures()
        metrics: dict[str, float] = broadcast_object_list([figures])[0]
        self.log(metrics)
        self.control = self.callback_handler.on_evaluate(self.args, state, self.control, metrics)
        if state.best_metric is None or metrics["eval_score"] > state.best_metric:
            state.best_metric = metrics["eval_score"]
            state.best_global_step = state.global_step
            if state.is_world_process_zero:
                self._keep_weights()
        return metrics

    def _validation_figures(self) -> dict[str, float]:
        """Return the score and the other numbers of the validation, by the names that Trainer gives them."""
        assert self.run.evaluate is not None
        model = self.accelerator.unwrap_model(self.model_wrapped).eval()
        with torch.no_grad(), self.accelerator.autocast():
            figures = self.run.evaluate(model)
        return {f"eval_{name}": float(value) for name, value in figures.items()}

    def _keep_weights(self) -> None:
        """Keep a copy of the weights as the best so far."""
        best = {}
        for name, tensor in trained_tensors(self.run.model).items():
            best[name] = tensor.detach().to("cpu", copy=True)
        self.clock.best = best


def adagrad(arguments: TrainingArguments) -> tuple[Any, dict[str, Any]]:
    """Return the class and the arguments of Adagrad as See et al. (2017) have it."""
    options = {
        "lr": arguments.learning_rate,
        "initial_accumulator_value": INITIAL_ACCUMULATOR,
        # One pass over each parameter takes a fifth of the time. Elsewhere there is none for Adagrad.
        "fused": arguments.device.type == "cpu",
    }
    return torch.optim.Adagrad, options


def trains_without_arguments(
    run: TrainingRun, examples: TokenIds, options: TrainingOptions, out: Path
) -> bool:
    """Tell whether one update works with none of the user's `--arg`: then one of them is at fault."""
    plain = replace(options, arg=(), epochs=None, resume=False)
    try:
        arguments = training_arguments(plain, out)
        arguments.max_steps = 1
        arguments.eval_strategy = "no"
        arguments.eval_on_start = False
        if arguments.world_size > 1:
            # Another process may not have failed, and would not join.
            return False
        RunTrainer(run, examples, arguments, Clock(plain, time.monotonic(), evaluates=False)).train()
    except Exception:
        return False
    return True


def train(
    run: TrainingRun,
    examples: TokenIds,
    options: TrainingOptions,
    arguments: RunArguments,
    *,
    started: float,
) -> TrainingResult:
    """Train the model of a run in place.

    Afterwards it has the best weights by validation score, or the last ones of a run without one. Every
    process calls it with the same options and arguments.

    Args:
        run: the run.
        examples: what it is trained on.
        options: the user's options.
        arguments: what `training_arguments` returns; numbers of updates are filled in.
        started: when the command began, in `time.monotonic()`; what was done since counts among the minutes.

    Raises:
        InputError: a value of `--arg` is at fault, or the loss is not finite.
    """
    with argument_errors(options):  # none of these may be 0
        batches = math.ceil(len(examples) / arguments.per_device_train_batch_size / arguments.world_size)
        updates_an_epoch = math.ceil(batches / arguments.gradient_accumulation_steps)
    work = Path(str(arguments.output_dir))
    checkpoint = newest_checkpoint(work) if options.resume else None
    trains_without = partial(trains_without_arguments, run, examples, options, work)
    if checkpoint:
        # What was planned may have been measured.
        saved_state = TrainerState.load_from_json(str(checkpoint / "trainer_state.json"))
        arguments.max_steps = saved_state.max_steps
    else:
        with argument_errors(options, trains_without):
            plan = plan_updates(run, examples, options, arguments, updates_an_epoch=updates_an_epoch)
        arguments.max_steps = plan.updates
        if process_state().is_main_process:
            left = None
            if options.max_minutes is not None:
                left = options.max_minutes - (time.monotonic() - started) / 60
            for sentence in plan.sentences(left):
                note(sentence)
    _set_intervals(arguments, options, evaluates=run.evaluate is not None)

    clock = Clock(options, started, evaluates=run.evaluate is not None)
    if checkpoint:
        seconds = read_checkpoint(checkpoint).seconds
        clock.is_saved = True
        clock.before = seconds
        clock.saved = seconds
        if (checkpoint / BEST).exists():
            clock.best = load_file(checkpoint / BEST)
    with argument_errors(options, trains_without):
        trainer = RunTrainer(run, examples, arguments, clock)
        trainer.create_optimizer_and_scheduler(arguments.max_steps)
    # An error after the first update is no fault of the user's arguments.
    with argument_errors(options, lambda: trainer.state.global_step == 0 and trains_without()):
        try:
            trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
        except KeyboardInterrupt as error:
            error.add_note(clock.what_is_lost())
            raise
    tensors = trained_tensors(run.model)
    with torch.no_grad():
        for name, weights in clock.best.items():
            tensors[name].copy_(weights)
    trainer.accelerator.unwrap_model(trainer.model_wrapped, keep_fp32_wrapper=False).eval()
    return _result(trainer.state, clock, planned=arguments.max_steps)


def _set_intervals(arguments: RunArguments, options: TrainingOptions, *, evaluates: bool) -> None:
    """Complete the arguments: how many updates lie between evaluations, and between the losses of a log."""
    if "eval_steps" not in options.given:
        arguments.eval_steps = max(1, arguments.max_steps // EVALUATIONS)
    if "logging_steps" not in options.given:
        arguments.logging_steps = arguments.eval_steps or 1
    if not evaluates:
        arguments.eval_strategy = "no"
        arguments.eval_on_start = False


def _result(state: TrainerState, clock: Clock, *, planned: int) -> TrainingResult:
    """Return the end of a run, with the losses and figures of each evaluation."""
    history: dict[float, dict[str, float]] = {}
    for logs in state.log_history:
        figures = {name: value for name, value in logs.items() if name.startswith(("loss", "eval_"))}
        if figures:
            row = history.setdefault(logs["step"], {"update": logs["step"]})
            for name, value in figures.items():
                row[name.removeprefix("eval_")] = value
    stopped = clock.stopped
    if not stopped:
        stopped = "updates" if state.global_step >= planned else "early"
    return TrainingResult(
        updates=state.global_step,
        planned=planned,
        epochs=state.epoch or 0.0,
        seconds=clock.seconds,
        stopped=stopped,
        best_score=state.best_metric,
        best_update=state.best_global_step or 0,
        history=list(history.values()),
    )
