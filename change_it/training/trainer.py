"""Training of judges and generators: transformers' `Trainer`, and `--max-minutes`.

A run that is killed and resumed ends with the same weights, bit for bit on a CPU, as one that was not.
"""

import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from accelerate import PartialState
from accelerate.utils import broadcast_object_list, parse_flag_from_env
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.optim.lr_scheduler import LambdaLR
from transformers import (
    EarlyStoppingCallback,
    Trainer,
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)
from transformers.integrations import get_reporting_integration_callbacks
from transformers.trainer_pt_utils import LengthGroupedSampler
from transformers.trainer_utils import IntervalStrategy

from change_it.errors import InputError
from change_it.io import listed, read_json, write_json
from change_it.training.training_options import OPTIONS, TrainingSettings

#: Evaluations of a whole run when nothing else is asked, equally spaced; the last one is at its end.
EVALUATIONS = 10
#: Epochs rise until there are this many updates (small corpora).
MIN_UPDATES = 300
#: Share of --max-minutes that evaluations take, where the first and the last one alone do not take more.
EVALUATING = 0.1
#: Where Adagrad's sums of squared gradients start (See et al. 2017).
INITIAL_ACCUMULATOR = 0.1
#: Of AdamW: decay of weight matrices, and the share of the updates in which the learning rate rises.
WEIGHT_DECAY, WARMUP = 0.01, 0.1
#: Written into a checkpoint or a stage last: one without it was being written when the run died.
COMPLETE = "complete"
WEIGHTS, STATE = "model.safetensors", "trainer_state.json"


@dataclass
class TrainingResult:
    """The end of a run."""

    updates: int  # optimizer steps
    epochs: float  # passes over the data, fractional
    seconds: float  # training time, earlier parts of a resumed run included
    stopped: str  # all updates done, no better score (`early`), or out of time
    best_score: float | None  # validation score of the weights that it now has; None without an evaluation
    best_update: int
    # for each evaluation `update`, `loss` (mean since the last one) and its numbers; the first before training
    history: list[dict[str, float]]


@dataclass(frozen=True)
class TrainingRun:
    """A model and all that its training needs."""

    model: nn.Module  # returns an output with `.loss` when called with a batch
    collate: Callable[[list[int]], dict[str, Any]]  # makes a batch of the examples with these numbers
    # in the main process the validation `score` of the model (higher is better) and further numbers; None keeps the last weights
    evaluate: Callable[[nn.Module], Mapping[str, float]] | None
    lengths: Sequence[int]  # of each example, to batch like with like
    name: str
    save: Callable[[Path], None]  # saves the trained model in a folder
    describe: Callable[[TrainingResult], dict[str, Any]]  # metrics of the model, with the sizes of the data
    min_updates: int = MIN_UPDATES


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


def training_arguments(settings: TrainingSettings, out: Path) -> TrainingArguments:
    """The arguments of a run, those of `--arg` among them; InputError for one that the run sets itself or that transformers refuses."""
    constant = settings.optimizer != "adamw"
    usual = {
        "learning_rate": settings.learning_rate,
        "max_grad_norm": settings.max_grad_norm,
        "optim": "adagrad" if settings.optimizer == "adagrad" else "adamw_torch_fused",
        "weight_decay": 0.0 if constant else WEIGHT_DECAY,
        "lr_scheduler_type": "constant" if constant else "linear",
        "warmup_steps": 0 if constant else WARMUP,
        "save_total_limit": 2,
        "report_to": "none",
        "disable_tqdm": not sys.stderr.isatty(),
    }
    of_run = {
        "output_dir": str(out),
        "per_device_train_batch_size": settings.batch_size,
        "seed": settings.seed,
        "eval_strategy": "steps",
        "save_strategy": "steps",
        "eval_on_start": True,
        "load_best_model_at_end": True,
        "metric_for_best_model": "score",
        "greater_is_better": True,
        "restore_callback_states_from_checkpoint": True,
        "remove_unused_columns": False,
        "ddp_find_unused_parameters": False,
        "use_cpu": not torch.accelerator.is_available(),
    }
    given = settings.arguments
    refused = {*of_run, "num_train_epochs", "fsdp", "deepspeed", "push_to_hub"}
    if theirs := sorted(refused & given.keys()):
        raise InputError(
            f"--arg {listed(theirs)}: that is set by the run, or --epochs, --batch-size, --seed and --out"
        )
    if given.get("fp16") and not torch.cuda.is_available():
        raise InputError("--arg fp16=true requires a CUDA device: use bf16=true")
    kept = {name: value for name, value in given.items() if name not in OPTIONS}
    try:
        arguments = TrainingArguments(**{**usual, **of_run, **kept, "save_steps": 500, "eval_steps": 500})
        for tracker in get_reporting_integration_callbacks(arguments.report_to):
            tracker()
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputError(f"--arg {' '.join(settings.arg)}: {' '.join(str(error).split())}") from error
    arguments._n_gpu = min(1, arguments.n_gpu)  # the others are for further processes
    return arguments


def of_main_process(value: Any) -> Any:
    """The object of the main process, broadcast to all."""
    return value if PartialState().num_processes == 1 else broadcast_object_list([value])[0]


class Pace(TrainerCallback):
    """When a run evaluates, writes checkpoints and ends, in time: the last evaluation has to fit in.

    With `--max-minutes` the learning rate falls with the time where that passes sooner than the updates, and evaluations between
    the first and the last one are left out when they would take more than `EVALUATING` of it.
    """

    def __init__(self, run: TrainingRun, settings: TrainingSettings, started: float, about: str):
        self.run, self.settings, self.about = run, settings, about
        self.limit = math.inf if settings.max_minutes is None else 60 * settings.max_minutes
        self.started = self.begun = started
        self.before = self.seconds = self.evaluating = self.last_evaluation = 0.0
        self.stopped = ""
        self.order = torch.Generator()

    @property
    def share(self) -> float:
        """Share of the time that is used up; 0 without a limit."""
        training = self.limit - (self.begun - self.started)
        return min(1.0, self.seconds / training) if training > 0 else 0.0

    def read(self) -> float:
        """Seconds of training, those before a run was resumed among them."""
        self.seconds = self.before + time.monotonic() - self.begun
        if self.limit < math.inf:
            self.seconds = of_main_process(self.seconds)
        return self.seconds

    def on_train_begin(self, *_: Any, **__: Any) -> None:
        """Begin to count."""
        self.begun = self.started + of_main_process(time.monotonic() - self.started)

    def on_epoch_begin(self, args: TrainingArguments, state: TrainerState, *_: Any, **__: Any) -> None:
        """Draw the order of the examples from the seed and the epoch alone."""
        seeds = np.random.SeedSequence((args.seed, int(state.epoch or 0)))
        self.order.manual_seed(int(seeds.generate_state(1)[0]))

    def on_step_end(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        """Decide what follows an update."""
        self.read()
        total = self.begun - self.started + self.seconds
        if state.global_step < state.max_steps and total + self.last_evaluation > self.limit:
            control.should_training_stop, self.stopped = True, "time"
        if self.evaluating + 2 * self.last_evaluation > EVALUATING * self.limit:
            control.should_evaluate = False
        if control.should_training_stop:
            control.should_log = control.should_save = True
            control.should_evaluate = self.run.evaluate is not None
        at_checkpoint = state.global_step % self.settings.checkpoint_steps == 0
        control.should_save |= control.should_evaluate or at_checkpoint

    def on_save(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        """Mark a checkpoint as complete, with what its run needs to go on."""
        process_state().wait_for_everyone()
        if control.should_training_stop and not self.stopped:
            self.stopped = "updates" if state.global_step >= state.max_steps else "early"
        if state.is_world_process_zero:
            record = {"run": self.about, "seconds": self.seconds, "stopped": self.stopped}
            write_json(Path(str(args.output_dir)) / f"checkpoint-{state.global_step}" / COMPLETE, record)


class ShuffledBatches(LengthGroupedSampler):
    """Batches of like length in random order, the one that is not full last.

    transformers leaves them from the longest to the shortest within each fifty, which costs .05 nats a token of the small writer.
    """

    def __iter__(self) -> Iterator[int]:
        batches = torch.tensor(list(super().__iter__())).split(self.batch_size)
        full = len(self.lengths) // self.batch_size
        order = torch.randperm(full, generator=self.generator).tolist()
        yield from torch.cat([*(batches[index] for index in order), *batches[full:]]).tolist()


class RunTrainer(Trainer):
    """transformers' `Trainer` over a `TrainingRun`, which is evaluated by its own function."""

    def __init__(self, run: TrainingRun, arguments: TrainingArguments, pace: Pace, patience: int):
        config = vars(getattr(run.model, "config", SimpleNamespace()))
        before = dict(config)
        super().__init__(
            model=run.model,
            args=arguments,
            data_collator=run.collate,
            train_dataset=range(len(run.lengths)),
            eval_dataset=range(len(run.lengths)),
            callbacks=[pace, *([EarlyStoppingCallback(patience)] if patience and run.evaluate else [])],
        )
        config.clear()  # Trainer writes into it that nothing is cached
        config.update(before)
        self.run, self.pace, self.model_accepts_loss_kwargs = run, pace, False  # the loss is a batch's mean

    @staticmethod
    def get_optimizer_cls_and_kwargs(args: TrainingArguments, model: Any = None) -> tuple[Any, Any]:
        """Adagrad as See et al. (2017) have it."""
        kind, options = Trainer.get_optimizer_cls_and_kwargs(args, model)
        if args.optim == "adagrad":
            # One pass over each parameter: a fifth of the time. Elsewhere there is none for Adagrad.
            options |= {"initial_accumulator_value": INITIAL_ACCUMULATOR, "fused": args.device.type == "cpu"}
        return kind, options

    def create_scheduler(self, num_training_steps: int, optimizer: Any = None) -> Any:
        """The schedule of the arguments, by the updates or the time, whichever is further."""
        scheduler = super().create_scheduler(num_training_steps, optimizer)
        if isinstance(scheduler, LambdaLR):

            def by_time(factor: Callable[[Any], float], update: int) -> float:
                return factor(max(update, num_training_steps * self.pace.share))

            scheduler.lr_lambdas = [partial(by_time, factor) for factor in scheduler.lr_lambdas]
        return scheduler

    def _get_train_sampler(self, train_dataset: Any = None) -> ShuffledBatches:
        return ShuffledBatches(
            self.args.train_batch_size, lengths=list(self.run.lengths), generator=self.pace.order
        )

    def compute_loss(self, model: nn.Module, inputs: Any, *_: Any, **__: Any) -> Any:
        """The loss that the model gives."""
        return model(**inputs).loss

    def evaluate(self, *_: Any, **__: Any) -> dict[str, float]:
        """Score the model in the main process, and before training keep its weights: a model that starts well may stay the best."""
        before, numbers = self.pace.read(), None
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
        if self.state.global_step == 0:
            folder = str(Path(str(self.args.output_dir)) / "checkpoint-0")
            self.save_model(folder)
            self.state.best_metric, self.state.best_global_step = metrics["eval_score"], 0
            self.state.best_model_checkpoint = folder
        self.pace.last_evaluation = self.pace.read() - before
        self.pace.evaluating += self.pace.last_evaluation
        return metrics

    def save_model(self, output_dir: str | None = None, _internal_call: bool = False) -> None:
        """Write the weights, without what a run that is resumed loads anyway: the base of adapters."""
        if self.args.should_save and output_dir:
            Path(output_dir).mkdir(parents=True, exist_ok=True)
            save_file(_trained(self.run.model), Path(output_dir) / WEIGHTS)

    def _load_from_checkpoint(self, resume_from_checkpoint: str, model: Any = None) -> None:
        self.run.model.load_state_dict(load_file(Path(resume_from_checkpoint) / WEIGHTS), strict=False)

    def _load_best_model(self) -> None:
        self._load_from_checkpoint(str(self.state.best_model_checkpoint))


def _trained(model: nn.Module) -> dict[str, Tensor]:
    """The trained weights of a model, tied ones once, and its buffers."""
    untrained = {name for name, _ in model.named_parameters(remove_duplicate=False)}
    untrained -= {name for name, parameter in model.named_parameters() if parameter.requires_grad}
    return {name: value.contiguous() for name, value in model.state_dict().items() if name not in untrained}


def _newest(out: Path) -> Path | None:
    """The newest checkpoint that was not being written when the run died."""
    found = [folder for folder in out.glob("checkpoint-*") if (folder / COMPLETE).exists()]
    return max(found, key=lambda folder: int(folder.name.rpartition("-")[2]), default=None)


def train(
    run: TrainingRun, settings: TrainingSettings, arguments: TrainingArguments, *, started: float
) -> TrainingResult:
    """Train the model of a run in place; afterwards it has the best weights by validation score (the last without one).

    Every process calls it with the same settings and `arguments` of `training_arguments`, which are completed. What was done since
    `started`, in `time.monotonic()`, counts among the minutes.
    """
    if not run.lengths:
        raise InputError(f"there is nothing to train the {run.name} on: the training set is empty")
    batches = math.ceil(math.ceil(len(run.lengths) / settings.batch_size) / arguments.world_size)
    an_epoch = math.ceil(batches / arguments.gradient_accumulation_steps)
    total = settings.updates or max(math.ceil((settings.epochs or 0) * an_epoch), run.min_updates)
    if total == 0:
        run.model.to(arguments.device).eval()
        return TrainingResult(0, 0.0, 0.0, "updates", None, 0, [])
    every = settings.evaluation_steps or max(1, total // EVALUATIONS)
    arguments.max_steps, arguments.eval_steps, arguments.save_steps = total, every, every
    if "logging_steps" not in settings.arguments:
        arguments.logging_steps = every
    out = Path(str(arguments.output_dir))
    checkpoint = _newest(out) if settings.resume else None
    if run.evaluate is None:
        arguments.eval_strategy = IntervalStrategy.NO
        arguments.load_best_model_at_end = False
    arguments.eval_on_start = run.evaluate is not None and checkpoint is None

    about = f"{len(run.lengths)} examples, {total} updates, {arguments.world_size} processes"
    pace = Pace(run, settings, started, about)
    trainer = RunTrainer(run, arguments, pace, settings.early_stopping)
    if checkpoint is None:
        trainer.train()
    else:
        begun = read_json(checkpoint / COMPLETE) or {}
        if begun["run"] != about:
            raise InputError(
                f"{out} is of an unfinished run with other data or options ({begun['run']}, now {about}): "
                "use the same ones to finish it, or remove that folder to begin again"
            )
        with process_state().main_process_first():
            state = TrainerState.load_from_json(str(checkpoint / STATE))
            if state.best_metric is not None:  # the folder may have been moved
                state.best_model_checkpoint = str(out / f"checkpoint-{state.best_global_step}")
            if arguments.should_save:
                state.save_to_json(str(checkpoint / STATE))
        pace.before = pace.seconds = begun["seconds"]
        if begun["stopped"]:  # nothing but the saving is left
            trainer.state, pace.stopped = state, begun["stopped"]
            trainer._load_from_checkpoint(state.best_model_checkpoint or str(checkpoint))
        else:
            trainer.train(resume_from_checkpoint=str(checkpoint))
    trainer.accelerator.unwrap_model(trainer.model_wrapped, keep_fp32_wrapper=False).eval()
    state = trainer.state
    history: dict[float, dict[str, float]] = {}
    for logs in state.log_history:
        names = [name for name in logs if name.startswith(("loss", "eval_"))]
        if names:
            record = history.setdefault(logs["step"], {"update": logs["step"]})
            record |= {name.removeprefix("eval_"): logs[name] for name in names}
    return TrainingResult(
        state.global_step,
        state.epoch or 0.0,
        pace.seconds,
        pace.stopped,
        state.best_metric,
        state.best_global_step or 0,
        list(history.values()),
    )
