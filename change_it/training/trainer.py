"""Training of judges and generators: transformers' `Trainer`, and `--max-minutes`.

A run that is killed and resumed ends with the same weights, bit for bit on a CPU, as one that was not.
"""

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
    Trainer,
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)
from transformers.trainer_utils import IntervalStrategy

from change_it.errors import InputError
from change_it.io import listed, read_json, write_json
from change_it.training.training_options import OPTIONS, TrainingSettings
from change_it.training.training_run import (
    TokenIds,
    TrainingResult,
    TrainingRun,
    of_main_process,
    process_state,
)

#: Evaluations of a whole run by default, equally spaced; the last one is at its end, none before the first update.
EVALUATIONS = 10
#: Share of the time that evaluations take, where the last one alone does not take more; and what an example costs in
#: an evaluation, without a way back, of what it costs in training.
EVALUATING, FORWARD = 0.1, 1 / 3
#: Where Adagrad's sums of squared gradients start (See et al. 2017).
INITIAL_ACCUMULATOR = 0.1
#: Of AdamW: decay of weight matrices, and the share of the updates in which the learning rate rises.
WEIGHT_DECAY, WARMUP = 0.01, 0.1
#: Updates between the agreements of several processes on the time, which make them wait for one another.
AGREEING = 10
#: Written into a checkpoint last: one without it was being written when the run died. BEST are the best weights so far.
COMPLETE, BEST = "complete", "best.safetensors"


class RunArguments(TrainingArguments):
    """Arguments of a process that trains on one device; the others are for further processes."""

    @property
    def n_gpu(self) -> int:
        """One device, or none."""
        return min(1, int(super().n_gpu))


def training_arguments(settings: TrainingSettings, out: Path) -> RunArguments:
    """The arguments of a run, those of `--arg` among them; InputError for one that the run sets itself or that transformers refuses."""
    constant = settings.optimizer != "adamw"
    usual = {
        "learning_rate": settings.learning_rate,
        "max_grad_norm": settings.max_grad_norm,
        "optim": "adagrad" if settings.optimizer == "adagrad" else "adamw_torch_fused",
        "weight_decay": 0.0 if constant else WEIGHT_DECAY,
        "lr_scheduler_type": "constant" if constant else "linear",
        "warmup_steps": 0 if constant else WARMUP,
        "logging_nan_inf_filter": False,  # it waits for the device at each update
        "save_total_limit": 2,
        "report_to": "none",
        "disable_tqdm": not sys.stderr.isatty(),
    }
    of_run = {
        "output_dir": str(out),
        "per_device_train_batch_size": settings.batch_size,
        "seed": settings.seed,
        "eval_strategy": "steps",
        "eval_steps": 500,
        "save_strategy": "no",  # by the clock
        "metric_for_best_model": "score",
        "greater_is_better": True,
        "restore_callback_states_from_checkpoint": True,
        "remove_unused_columns": False,
        "ddp_find_unused_parameters": False,
        "use_cpu": not torch.accelerator.is_available(),
    }
    given = settings.arguments
    refused = {*of_run, "num_train_epochs", "fsdp", "deepspeed", "push_to_hub", "save_steps"} - OPTIONS.keys()
    refused |= {"load_best_model_at_end", "auto_find_batch_size"}
    if theirs := sorted(refused & given.keys()):
        raise InputError(
            f"--arg {listed(theirs)}: that is set by the run, or --epochs, --batch-size, --seed, --checkpoint-minutes and --out"
        )
    if given.get("fp16") and not torch.cuda.is_available():
        raise InputError("--arg fp16=true requires a CUDA device: use bf16=true")
    kept = [each for each in settings.arg if each.partition("=")[0] not in OPTIONS]
    with argument_errors(settings):
        known: Any = TrainingArguments
        parser = HfArgumentParser(known, exit_on_error=False, allow_abbrev=False)
        typed, unknown = parser.parse_known_args([f"--{each}" for each in kept])
        if unknown:
            raise ValueError(f"transformers' TrainingArguments has no {listed(unknown)}")
        names = [each.partition("=")[0] for each in kept]
        return RunArguments(**{**usual, **of_run, **{name: getattr(typed, name) for name in names}})


@contextmanager
def argument_errors(settings: TrainingSettings, begun: Callable[[], bool] = bool) -> Iterator[None]:
    """Turn what libraries raise over a value of `--arg`, before the first update of a run has `begun`, into one sentence."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        if not settings.arg or begun():
            raise
        raise InputError(f"--arg {' '.join(settings.arg)}: {' '.join(str(error).split())}") from error


class BestWeights:
    """A copy in memory of the trained weights and the buffers of a model."""

    def __init__(self, model: nn.Module):
        self.model, self.kept = model, dict[str, Tensor]()

    @property
    def tensors(self) -> dict[str, Tensor]:
        """Of the model, where it is now."""
        trained = {name: each for name, each in self.model.named_parameters() if each.requires_grad}
        return {**trained, **dict(self.model.named_buffers())}

    def keep(self) -> None:
        """Take the weights as they are."""
        self.kept = {name: each.detach().to("cpu", copy=True) for name, each in self.tensors.items()}

    @torch.no_grad()
    def restore(self) -> None:
        """Give the model the copy."""
        for name, each in self.tensors.items():
            each.copy_(self.kept[name])


class Clock(TrainerCallback):
    """When a run is evaluated, writes checkpoints and ends, in time; and the order of the examples, which is each epoch's own.

    With `--max-minutes` the last evaluation has to fit in, the learning rate falls with the time where that passes sooner than the
    updates, and evaluations before the last one are left out when they would take more than `EVALUATING` of it. Until there was
    one, it is taken to cost as much time as `cost` updates.
    """

    def __init__(
        self, settings: TrainingSettings, started: float, about: str, best: BestWeights | None, cost: float
    ):
        self.about, self.best, self.every = about, best, 60 * settings.checkpoint_minutes
        self.cost = cost if best else 0.0
        self.limit = math.inf if settings.max_minutes is None else 60 * settings.max_minutes
        self.started = self.begun = started
        self.before = self.seconds = self.saved = self.evaluating = self.last_evaluation = 0.0
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
        alone, decided = args.world_size == 1, control.should_evaluate or control.should_training_stop
        if not (alone or decided or self.limit < math.inf or state.global_step % AGREEING == 0):
            return
        self.read()
        total, ended = self.begun - self.started + self.seconds, state.global_step >= state.max_steps
        evaluation = self.last_evaluation or self.cost * self.seconds / state.global_step
        if not ended and total + evaluation > self.limit:
            control.should_training_stop, self.stopped = True, "time"
        if self.evaluating + 2 * evaluation > EVALUATING * self.limit:
            control.should_evaluate = False
        if control.should_training_stop:
            control.should_log, control.should_evaluate = True, self.best is not None
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
            if self.best and self.best.kept:
                save_file(self.best.kept, folder / BEST)
            write_json(folder / COMPLETE, {"run": self.about, "seconds": self.seconds})


class RunTrainer(Trainer):
    """transformers' `Trainer` over a `TrainingRun`, which is evaluated by its own function."""

    def __init__(
        self, run: TrainingRun, examples: TokenIds, arguments: RunArguments, clock: Clock, patience: int
    ):
        config = vars(getattr(run.model, "config", SimpleNamespace()))
        before = dict(config)
        super().__init__(
            model=run.model,
            args=arguments,
            data_collator=run.collate,
            train_dataset=cast(Any, examples),  # a list is one, too
            eval_dataset=cast(Any, examples),  # Trainer wants one
            callbacks=[clock, *([EarlyStoppingCallback(patience)] if patience and run.evaluate else [])],
            optimizer_cls_and_kwargs=adagrad(arguments) if arguments.optim == "adagrad" else None,
        )
        config.clear()  # Trainer writes into it that nothing is cached
        config.update(before)
        self.run, self.clock, self.model_accepts_loss_kwargs = run, clock, False  # the loss is a batch's mean

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
            if self.clock.best and self.is_world_process_zero():
                self.clock.best.keep()
        self.clock.last_evaluation = self.clock.read() - before
        self.clock.evaluating += self.clock.last_evaluation
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
    settings: TrainingSettings,
    arguments: RunArguments,
    *,
    started: float,
) -> TrainingResult:
    """Train the model of a run in place; afterwards it has the best weights by validation score (the last without one).

    Every process calls it with the same settings and `arguments` of `training_arguments`, which are completed. What was done since
    `started`, in `time.monotonic()`, counts among the minutes.
    """
    n = len(examples)
    if not n:
        raise InputError(f"there is nothing to train the {run.name} on: the training set is empty")
    batches = math.ceil(math.ceil(n / settings.batch_size) / arguments.world_size)
    an_epoch = math.ceil(batches / arguments.gradient_accumulation_steps)
    total = settings.updates or max(math.ceil((settings.epochs or 0) * an_epoch), run.min_updates)
    cost = FORWARD * max(run.evaluated, 1) / settings.batch_size / arguments.gradient_accumulation_steps
    affordable = min(EVALUATIONS, int(EVALUATING * total / cost))
    every = settings.evaluation_steps or max(1, total // max(1, affordable))
    arguments.max_steps, arguments.eval_steps = total, every
    if "logging_steps" not in settings.arguments:
        arguments.logging_steps = every
    out = Path(str(arguments.output_dir))
    checkpoint = newest_checkpoint(out) if settings.resume else None
    if run.evaluate is None:
        arguments.eval_strategy, arguments.eval_on_start = IntervalStrategy.NO, False

    about = f"{n} examples, {total} updates, {arguments.world_size} processes"
    best = BestWeights(run.model) if run.evaluate else None
    clock = Clock(settings, started, about, best, cost)
    if checkpoint:
        record = read_json(checkpoint / COMPLETE) or {}
        if record["run"] != about:
            raise InputError(
                f"{out} is of an unfinished run with other data or options ({record['run']}, now {about}): "
                "use the same ones to finish it, or remove that folder to begin again"
            )
        clock.before = clock.seconds = record["seconds"]
        if best and (checkpoint / BEST).exists():
            best.kept = load_file(checkpoint / BEST)
    with argument_errors(settings):
        trainer = RunTrainer(run, examples, arguments, clock, settings.early_stopping)
    with argument_errors(settings, lambda: trainer.state.global_step > 0):
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    state = trainer.state
    if best and trainer.is_world_process_zero():
        best.restore()
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
