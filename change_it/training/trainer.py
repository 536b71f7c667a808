"""Training of judges and generators: transformers' `Trainer`, and `--max-minutes`.

A run that is killed and resumed ends with the same weights, bit for bit on a CPU, as one that was not.
"""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.optim.lr_scheduler import LambdaLR
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
from transformers.trainer_utils import IntervalStrategy

from change_it.errors import InputError
from change_it.io import listed, read_json, write_json
from change_it.progress import bar
from change_it.training.training_options import TrainingOptions
from change_it.training.training_run import (
    TokenIds,
    TrainingResult,
    TrainingRun,
    of_main_process,
    process_state,
)

#: Evaluations of a whole run, equally spaced, unless `--arg eval_steps` says otherwise; the last one is at its end.
EVALUATIONS = 10
#: Where Adagrad's sums of squared gradients start (See et al. 2017).
INITIAL_ACCUMULATOR = 0.1
#: Of AdamW: decay of weight matrices, and the share of the updates in which the learning rate rises.
WEIGHT_DECAY, WARMUP = 0.01, 0.1
#: Written into a checkpoint last: one without it was being written when the run died. BEST are the best weights so far.
COMPLETE, BEST = "complete", "best.safetensors"
#: What Trainer's log has and the bar shows.
LOSSES = ("loss", "eval_validation loss")


@dataclass
class RunArguments(TrainingArguments):
    """Arguments of a process that trains on one device; the others are for further processes."""

    early_stopping: int = field(
        default=0, metadata={"help": "Evaluations without a better score; 0: no end."}
    )

    @property
    def n_gpu(self) -> int:
        """One device, or none."""
        return min(1, int(super().n_gpu))


def training_arguments(options: TrainingOptions, out: Path) -> RunArguments:
    """The arguments of a run: its own, then those of `--arg`, then those of options, then the preset's; InputError for one that the run sets itself or that transformers refuses."""
    usual = {
        "optim": "adamw_torch_fused",
        "weight_decay": WEIGHT_DECAY,
        "warmup_steps": WARMUP,
        "logging_nan_inf_filter": False,  # it waits for the device at each update
        "save_total_limit": 2,
        "report_to": "none",
        "disable_tqdm": True,  # `TrainingBar` is the bar
        "max_steps": 0,
        **options.preset,
    }
    of_run = {
        "output_dir": str(out),
        "seed": options.seed,
        "eval_strategy": "steps",
        "save_strategy": "no",  # by the clock
        "metric_for_best_model": "score",
        "greater_is_better": True,
        "restore_callback_states_from_checkpoint": True,
        "remove_unused_columns": False,
        "ddp_find_unused_parameters": False,
        "use_cpu": not torch.accelerator.is_available(),
    }
    if options.batch_size is not None:
        of_run["per_device_train_batch_size"] = options.batch_size
    if options.epochs is not None:  # updates would win over them
        usual |= {"num_train_epochs": options.epochs, "max_steps": 0}
    refused = {*of_run, "fsdp", "deepspeed", "push_to_hub", "save_steps", "load_best_model_at_end"}
    if theirs := sorted((refused | {"auto_find_batch_size"}) & options.given.keys()):
        raise InputError(
            f"--arg {listed(theirs)}: that is set by the run, or --batch-size, --seed, --checkpoint-minutes and --out"
        )
    with argument_errors(options):
        known: Any = RunArguments
        parser = HfArgumentParser(known, exit_on_error=False, allow_abbrev=False)
        parser.set_defaults(**usual | {"eval_steps": 0} | of_run)
        given = [f"--{each}" for each in options.arg]
        [arguments, unknown] = parser.parse_args_into_dataclasses(given, return_remaining_strings=True)
        if unknown:
            near = get_close_matches(unknown[0].strip("-").partition("=")[0], vars(arguments), n=1)
            mend = f": did you mean {near[0]}?" if near else ""
            raise ValueError(f"transformers' TrainingArguments has no {listed(unknown)}{mend}")
    if arguments.fp16 and not torch.cuda.is_available():
        raise InputError("--arg fp16=true requires a CUDA device: use bf16=true")
    return arguments


@contextmanager
def argument_errors(options: TrainingOptions, begun: Callable[[], bool] = bool) -> Iterator[None]:
    """Turn what libraries raise over a value of `--arg`, before the first update of a run has `begun`, into one sentence."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        if not options.arg or begun():
            raise
        raise InputError(f"--arg {' '.join(options.arg)}: {' '.join(str(error).split())}") from error


def trained_tensors(model: nn.Module) -> dict[str, Tensor]:
    """The trained weights and the buffers of a model, by name."""
    trained = {name: each for name, each in model.named_parameters() if each.requires_grad}
    return {**trained, **dict(model.named_buffers())}


class Clock(TrainerCallback):
    """When a run is evaluated, writes checkpoints and ends, in time; and the order of the examples, which is each epoch's own.

    With `--max-minutes` a last evaluation as long as the one before has to fit in, and the learning rate falls with the time where
    that passes sooner than the updates.
    """

    def __init__(self, options: TrainingOptions, started: float, about: str, *, evaluates: bool):
        self.about, self.evaluates, self.every = about, evaluates, 60 * options.checkpoint_minutes
        self.best: dict[str, Tensor] = {}  # the best weights so far, in the main process
        self.limit = math.inf if options.max_minutes is None else 60 * options.max_minutes
        self.started = self.begun = started
        self.before = self.seconds = self.saved = self.last_evaluation = 0.0
        self.stopped = ""

    @property
    def share(self) -> float:
        """Share of the time that is used up; 0 without a limit."""
        training = self.limit - (self.begun - self.started)
        return min(1.0, self.seconds / training) if training > 0 else 0.0

    def read(self) -> float:
        """Seconds of training, those before a run was resumed among them."""
        self.seconds = of_main_process(self.before + time.monotonic() - self.begun)
        return self.seconds

    def on_train_begin(self, *_: Any, **__: Any) -> None:
        """Begin to count."""
        self.begun = self.started + of_main_process(time.monotonic() - self.started)
        self.saved = self.before

    def on_epoch_begin(self, args: TrainingArguments, state: TrainerState, *_: Any, **__: Any) -> None:
        """Draw the order of the examples from the seed and the epoch alone."""
        seed = args.seed if args.data_seed is None else args.data_seed
        drawn = np.random.SeedSequence((seed, int(state.epoch or 0))).generate_state(1)
        torch.manual_seed(int(drawn[0]))

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Decide what follows an update."""
        if float(state.epoch or 0).is_integer():  # a checkpoint of now goes on with the next epoch
            self.on_epoch_begin(args, state)
        self.read()
        total, ended = self.begun - self.started + self.seconds, state.global_step >= state.max_steps
        if not ended and total + self.last_evaluation > self.limit:
            control.should_training_stop, self.stopped = True, "time"
        if control.should_training_stop:
            control.should_log, control.should_evaluate = True, self.evaluates
        control.should_save = not control.should_training_stop and self.seconds - self.saved >= self.every

    def on_log(self, args: Any, state: TrainerState, control: Any, **more: Any) -> None:
        """Refuse to go on with weights that are no numbers."""
        if not math.isfinite(more["logs"].get("loss", 0.0)):
            raise InputError(
                f"the loss is no number after {state.global_step} updates: give a lower --arg learning_rate, or bf16 in the place of fp16"
            )

    def on_save(self, args: Any, state: TrainerState, control: Any, **_: Any) -> None:
        """Mark a checkpoint as complete, with what its run needs to go on."""
        process_state().wait_for_everyone()
        self.saved = self.seconds
        if state.is_world_process_zero:
            folder = Path(str(args.output_dir)) / f"checkpoint-{state.global_step}"
            if self.best:
                save_file(self.best, folder / BEST)
            write_json(folder / COMPLETE, {"run": self.about, "seconds": self.seconds})


class TrainingBar(TrainerCallback):
    """A bar of the updates, with the last losses."""

    def on_train_begin(self, args: Any, state: TrainerState, *_: Any, **__: Any) -> None:
        """Show it in the main process."""
        shown = state.is_world_process_zero
        self.bar = bar("training", state.max_steps, initial=state.global_step, shown=shown)

    def on_step_end(self, args: Any, state: TrainerState, *_: Any, **__: Any) -> None:
        """Count an update."""
        self.bar.update(state.global_step - self.bar.n)

    def on_log(self, *_: Any, **more: Any) -> None:
        """Show the last losses."""
        losses = {name.removeprefix("eval_"): more["logs"][name] for name in LOSSES if name in more["logs"]}
        self.bar.set_postfix(losses)

    def on_train_end(self, *_: Any, **__: Any) -> None:
        """Take it off."""
        self.bar.close()


class RunTrainer(Trainer):
    """transformers' `Trainer` over a `TrainingRun`, which is evaluated by its own function."""

    def __init__(self, run: TrainingRun, examples: TokenIds, arguments: RunArguments, clock: Clock):
        patience = arguments.early_stopping if run.evaluate else 0
        config = vars(getattr(run.model, "config", SimpleNamespace()))
        before = dict(config)
        super().__init__(
            model=run.model,
            args=arguments,
            data_collator=run.collate,
            train_dataset=cast(Any, examples),  # a list is one, too
            eval_dataset=cast(Any, examples),  # Trainer wants one
            callbacks=[clock, TrainingBar(), *([EarlyStoppingCallback(patience)] if patience else [])],
            optimizer_cls_and_kwargs=adagrad(arguments) if arguments.optim == "adagrad" else None,
        )
        config.clear()  # Trainer writes into it that nothing is cached
        config.update(before)
        self.run, self.clock, self.model_accepts_loss_kwargs = run, clock, False  # the loss is a batch's mean
        self.remove_callback(PrinterCallback)  # of dictionaries

    def create_scheduler(self, num_training_steps: int, optimizer: Any = None) -> Any:
        """The schedule of the arguments, by the updates or the time, whichever is further."""
        scheduler = super().create_scheduler(num_training_steps, optimizer)
        if isinstance(scheduler, LambdaLR):

            def by_time(factor: Callable[[Any], float], update: int) -> float:
                return factor(max(update, num_training_steps * self.clock.share))

            scheduler.lr_lambdas = [partial(by_time, factor) for factor in scheduler.lr_lambdas]
        return scheduler

    def compute_loss(self, model: nn.Module, inputs: Any, *rest: Any, **more: Any) -> Any:
        """The loss of the run, or that of the model."""
        loss = self.run.loss
        return loss(model, inputs) if loss else super().compute_loss(model, inputs, *rest, **more)

    def evaluate(self, *_: Any, **__: Any) -> dict[str, float]:
        """Score the model in the main process, and keep its weights where they are the best."""
        before, numbers = self.clock.read(), None
        if self.is_world_process_zero():
            assert self.run.evaluate is not None
            model = self.accelerator.unwrap_model(self.model_wrapped)
            model.eval()
            with torch.no_grad(), self.accelerator.autocast():
                found = self.run.evaluate(model)
            numbers = {f"eval_{name}": float(value) for name, value in found.items()}
        metrics: dict[str, float] = of_main_process(numbers)
        self.log(metrics)
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
        score, state = metrics["eval_score"], self.state
        if state.best_metric is None or score > state.best_metric:
            state.best_metric, state.best_global_step = score, state.global_step
            if self.is_world_process_zero():
                tensors = trained_tensors(self.run.model)
                self.clock.best = {name: one.detach().to("cpu", copy=True) for name, one in tensors.items()}
        self.clock.last_evaluation = self.clock.read() - before
        return metrics


def adagrad(arguments: TrainingArguments) -> tuple[Any, dict[str, Any]]:
    """Adagrad as See et al. (2017) have it."""
    # One pass over each parameter: a fifth of the time. Elsewhere there is none for Adagrad.
    options = {"initial_accumulator_value": INITIAL_ACCUMULATOR, "fused": arguments.device.type == "cpu"}
    return torch.optim.Adagrad, {"lr": arguments.learning_rate, **options}


def newest_checkpoint(out: Path) -> Path | None:
    """The newest checkpoint that was not being written when the run died."""
    found = [folder for folder in out.glob("checkpoint-*") if (folder / COMPLETE).exists()]
    return max(found, key=lambda folder: int(folder.name.rpartition("-")[2]), default=None)


def train(
    run: TrainingRun,
    examples: TokenIds,
    options: TrainingOptions,
    arguments: RunArguments,
    *,
    started: float,
) -> TrainingResult:
    """Train the model of a run in place; afterwards it has the best weights by validation score (the last without one).

    Every process calls it with the same options and `arguments` of `training_arguments`, which are completed. What was done since
    `started`, in `time.monotonic()`, counts among the minutes.
    """
    n = len(examples)
    if not n:
        raise InputError(f"there is nothing to train the {run.name} on: the training set is empty")
    with argument_errors(options):
        batches = math.ceil(math.ceil(n / arguments.per_device_train_batch_size) / arguments.world_size)
        an_epoch = math.ceil(batches / arguments.gradient_accumulation_steps)
    epochs = math.ceil(arguments.num_train_epochs * an_epoch)
    total = arguments.max_steps if arguments.max_steps > 0 else max(epochs, run.min_updates)
    arguments.max_steps = total
    if "eval_steps" not in options.given:
        arguments.eval_steps = max(1, total // EVALUATIONS)
    if "logging_steps" not in options.given:
        arguments.logging_steps = arguments.eval_steps or 1
    out = Path(str(arguments.output_dir))
    checkpoint = newest_checkpoint(out) if options.resume else None
    if run.evaluate is None:
        arguments.eval_strategy, arguments.eval_on_start = IntervalStrategy.NO, False

    about = f"{n} examples, {total} updates, {arguments.world_size} processes"
    clock = Clock(options, started, about, evaluates=run.evaluate is not None)
    if checkpoint:
        record = read_json(checkpoint / COMPLETE) or {}
        if record["run"] != about:
            raise InputError(
                f"{out} is of an unfinished run with other data or options ({record['run']}, now {about}): "
                "use the same ones to finish it, or remove that folder to begin again"
            )
        clock.before = clock.seconds = record["seconds"]
        if (checkpoint / BEST).exists():
            clock.best = load_file(checkpoint / BEST)
    with argument_errors(options):
        trainer = RunTrainer(run, examples, arguments, clock)
    with argument_errors(options, lambda: trainer.state.global_step > 0):
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    state = trainer.state
    tensors = trained_tensors(run.model)
    with torch.no_grad():
        for name, kept in clock.best.items():
            tensors[name].copy_(kept)
    trainer.accelerator.unwrap_model(trainer.model_wrapped, keep_fp32_wrapper=False).eval()
    history: dict[float, dict[str, float]] = {}
    for logs in state.log_history:
        names = [name for name in logs if name.startswith(("loss", "eval_"))]
        if names:
            row = history.setdefault(logs["step"], {"update": logs["step"]})
            row |= {name.removeprefix("eval_"): logs[name] for name in names}
    stopped = clock.stopped or ("updates" if state.global_step >= total else "early")
    best_update, records = state.best_global_step or 0, list(history.values())
    result = state.global_step, state.epoch or 0.0, clock.seconds, stopped, state.best_metric
    return TrainingResult(*result, best_update, records)
