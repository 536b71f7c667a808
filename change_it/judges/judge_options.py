"""Options of `change-it train judge`, and the presets that stand for values not given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast, get_args

from tyro.conf import Fixed

from change_it.errors import InputError
from change_it.io import check_model, read_json, weight_files
from change_it.training.settings import DEFAULTS, Arithmetic, TrainingOptions, TrainingSettings

Task = Literal["main", "hh", "ah", "fluency", "facts"]
Size = Literal["tiny", "small", "base"]
Fold = Literal["all", "0", "1"]
Negatives = Literal["random", "hard", "facts", "mixed"]
Head = Literal["pair", "ngrams", "cross-encoder"]
TrainingSet = Literal["main", "train_d", "train_m", "random"]

#: The judges that compliancy asks, and those that read one text and not a pair.
TASKS: tuple[Task, ...] = ("main", "hh", "ah")
SINGLE_TEXT: tuple[Task, ...] = ("main", "fluency")
COMMAND = "change-it train judge"
#: Tokens that a judge reads, at most.
LONGEST = 1_000_000
SCRATCH = "scratch"
#: The classifier of LREC 2020, which is no encoder with a head above it.
BILSTM = "bilstm-char-cnn"
CROSS_ENCODER: Head = "cross-encoder"
NGRAMS: Head = "ngrams"
#: What may stand above the encoder, our own first; the papers' judges are cross-encoders.
HEADS: dict[Task, tuple[Head, ...]] = {
    "main": ("ngrams", "cross-encoder"),
    "hh": ("pair", "cross-encoder"),
    "ah": ("pair", "cross-encoder"),
    "fluency": (),
    "facts": (),
}


@dataclass(kw_only=True)
class JudgeOptions(TrainingOptions):
    """Train a judge of style (main), content (hh, ah), fluency or facts and compare it with plain baselines on A2.

    Examples:
        change-it train judge --task main --corpus runs/quickstart/corpus --encoder scratch --out runs/mine/judges/main
        change-it train judge --task hh --corpus runs/mine/corpus --encoder scratch --out runs/mine/judges/hh
        change-it train judge --task hh --corpus runs/mine/corpus --as-published --out runs/mine/papers/hh
        change-it train judge --task main --corpus runs/mine/corpus --encoder bilstm-char-cnn --train-on train_d --out runs/mine/lrec/main
        change-it train judge --task fluency --corpus runs/mine/corpus --encoder scratch --out runs/mine/judges/fluency
        change-it train judge --task facts --corpus runs/mine/corpus --encoder scratch --out runs/mine/judges/facts
        accelerate launch -m change_it.judges.train --task ah --corpus runs/mine/corpus --out runs/mine/judges/ah
    """

    task: Task
    """main: which outlet wrote a headline; hh: do two headlines match; ah: do headline and article match; fluency: would a newspaper print it; facts: do its sources tell what it says."""
    corpus: str
    """Corpus folder written by `change-it corpus build`, or the id of such a data set on the Hub."""
    out: Path
    """Folder of the judge. What it holds is replaced only when the run is finished."""
    encoder: str = "bert-base-multilingual-cased"
    """Pre-trained encoder: Hub id or local folder; scratch: a BERT of our own trained on the corpus alone; or, for main, bilstm-char-cnn: the classifier of LREC 2020. For facts a language model, causal or encoder-decoder, which is taken as it is unless --epochs or --arg max_steps is given, or scratch."""
    train_on: TrainingSet = "main"
    """What main learns from: main, the papers' R, A3 and A1; train_d or train_m, those of LREC 2020, or random, its 80% of all articles, tested on the others."""
    head: Fixed[Head | None] = None
    """What stands above the encoder: pair (hh, ah), shared words and facts too; ngrams (main), those of characters and words too; cross-encoder (main, hh, ah), the papers' linear layer."""
    as_published: bool = False
    """The papers' judge: a pre-trained encoder and a linear layer, random negatives, their lengths, batches, epochs and rate; with bilstm-char-cnn that of LREC 2020."""
    size: Fixed[Size] = "tiny"
    """Size of a scratch encoder."""
    fold: Fold = "all"
    """Train on one fold only; judges that choose candidates and judges that score them take different ones."""
    negatives: Negatives | None = None
    """Non-matching examples of hh and ah in training; mixed (random, hard, a tenth facts) for the head pair, random (the papers') for cross-encoder."""
    max_tokens: int | None = None
    """Longer inputs are cut."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """What it reads, where it is a file or folder."""
        return self.corpus, self.encoder


@dataclass(kw_only=True)
class JudgeSettings(TrainingSettings, JudgeOptions):
    """`JudgeOptions` once presets stand for what was not given; no head stands above a judge of fluency."""

    negatives: Negatives = field()
    max_tokens: int = field()

    @property
    def arithmetic(self) -> Arithmetic:
        """The arithmetic of the judge's answers in validation and tests: bf16 where it trains in it."""
        return "bf16" if self.bf16 else "float32"

    def about(self, outlets: Sequence[str]) -> dict[str, Any]:
        """What the configuration of a judge keeps of its training, under `change_it`."""
        kept = {name: getattr(self, name) for name in ("task", "head", "fold", "seed", "max_tokens")}
        if self.task == "ah" and as_in_the_papers(vars(self)):
            kept["article_first"] = True
        names = {"corpus": Path(self.corpus).name, "encoder": Path(self.encoder).name}
        return {**kept, "outlets": list(outlets), **names}


#: What the papers trained bert-base-multilingual-cased with (EvalNLGEval 2020, section 4).
PAPER: dict[Task, dict[str, Any]] = {
    "main": {"max_tokens": 32, "batch_size": 256, "epochs": 6, "learning_rate": 1e-5, "early_stopping": 0},
    "hh": {"max_tokens": 64, "batch_size": 128, "epochs": 2, "learning_rate": 1e-5, "early_stopping": 3},
    "ah": {"max_tokens": 512, "batch_size": 8, "epochs": 6, "learning_rate": 1e-5, "early_stopping": 0},
    # No paper has it: what fine-tunes a small encoder on a few ten thousand headlines.
    "fluency": {"max_tokens": 64, "batch_size": 32, "epochs": 1, "learning_rate": 1e-4, "early_stopping": 0},
    # A language model reads the sources as it is; --epochs or --arg max_steps fine-tunes it.
    "facts": {"max_tokens": 260, "batch_size": 8, "epochs": 0, "learning_rate": 1e-4, "early_stopping": 0},
}

#: Of main with n-grams beside a pre-trained encoder. Markers of case are tokens too.
BESIDE_NGRAMS: dict[str, Any] = {
    "max_tokens": 96,
    "batch_size": 32,
    "epochs": 2,
    "learning_rate": 5e-5,
    "early_stopping": 4,
}

#: For encoders without pre-training: more steps, larger ones. HH and AH start from what shared words tell (`warm_start`).
FROM_SCRATCH: dict[Task, dict[str, Any]] = {
    "main": {"max_tokens": 96, "batch_size": 64, "epochs": 2, "learning_rate": 1e-3, "early_stopping": 4},
    "hh": {"max_tokens": 96, "batch_size": 32, "epochs": 2, "learning_rate": 5e-4, "early_stopping": 4},
    "ah": {"max_tokens": 1024, "batch_size": 32, "epochs": 0.3, "learning_rate": 5e-4, "early_stopping": 4},
    "fluency": {"max_tokens": 64, "batch_size": 64, "epochs": 1, "learning_rate": 2e-3, "early_stopping": 0},
    "facts": {"max_tokens": 200, "batch_size": 32, "epochs": 10, "learning_rate": 2e-3, "early_stopping": 3},
}

#: Of the Bi-LSTM, of which LREC 2020 gives the optimiser alone; its tokens are characters.
OF_BILSTM: dict[str, Any] = {
    "max_tokens": 256,
    "batch_size": 64,
    "epochs": 5,
    "optimizer": "adam",
    "learning_rate": 1e-3,
    "early_stopping": 4,
    "head": None,
    "negatives": "random",
}

#: Larger encoders take smaller steps: factor of the learning rate.
STEP: dict[Size, float] = {"tiny": 1.0, "small": 0.5, "base": 0.1}

#: Word pieces of a scratch encoder.
VOCABULARY: dict[Size, int] = {"tiny": 16000, "small": 24000, "base": 32000}


def preset(options: JudgeOptions) -> dict[str, Any]:
    """Values for the options that are None, for `training.settings.resolve`: the task, the encoder, the head and the size decide.

    Examples:
        >>> preset(JudgeOptions(task="ah", corpus="c", out=Path("o")))["max_tokens"]
        512
    """
    heads = HEADS[options.task]
    if options.as_published:
        _check_published(options)
        heads = tuple(head for head in heads if head == CROSS_ENCODER)
    if options.encoder == BILSTM:
        return OF_BILSTM
    head = options.head or (heads[0] if heads else None)
    chosen = {"head": head, "negatives": "random" if head == CROSS_ENCODER else "mixed"}
    paper = PAPER[options.task]
    if options.encoder != SCRATCH:
        return {**(BESIDE_NGRAMS if head == NGRAMS else paper), **chosen}
    values = FROM_SCRATCH[options.task]
    if "pair" in heads and head == CROSS_ENCODER:
        values = {**values, "max_tokens": paper["max_tokens"], "epochs": paper["epochs"]}
    return {**values, "learning_rate": values["learning_rate"] * STEP[options.size], **chosen}


def _check_published(options: JudgeOptions) -> None:
    """Refuse `--as-published` for a judge that no paper has."""
    if CROSS_ENCODER not in HEADS[options.task]:
        raise InputError(f"--as-published is for {', '.join(TASKS)}: no paper has a judge of {options.task}")
    if options.encoder == SCRATCH or options.head not in (None, CROSS_ENCODER):
        raise InputError(
            "--as-published is a pre-trained encoder with a linear layer: leave it out, or give --encoder a Hub id "
            "or folder"
        )


def as_in_the_papers(options: Mapping[str, object]) -> bool:
    """Whether the `JudgeSettings` in a `metrics.json` are of the papers' kind: a pre-trained encoder with a linear layer (EvalNLGEval 2020, section 4)."""
    return options.get("head") == CROSS_ENCODER and options.get("encoder") != SCRATCH


def no_better_than(metrics: Mapping[str, Any], test: str) -> tuple[str, ...]:
    """The baselines in a `metrics.json` that the judge is not surely ahead of on a test: the interval of its lead reaches 0."""
    tests = {name: results[test] for name, results in metrics["baselines"].items()}
    return tuple(name for name, row in tests.items() if "lead" in row and row["lead"]["low"] <= 0)


def presets() -> dict[str, dict[str, Any]]:
    """Task, alone and with an encoder from scratch, to its presets, for help texts; the Bi-LSTM among them."""
    return {
        name: DEFAULTS | preset(JudgeOptions(task=task, corpus="", out=Path(), encoder=encoder))
        for task in get_args(Task)
        for name, encoder in ((task, ""), (f"{task} {SCRATCH}", SCRATCH), (BILSTM, BILSTM))
    }


def check_judges(name: str, *, to: str | None = None) -> None:
    """Refuse, before anything large loads, a folder without the judges main, hh and ah, and an outlet that they do not have.

    Nothing is known of a Hub id.
    """
    check_model(name, command=COMMAND)
    folder = Path(name)
    if not folder.is_dir():
        return
    check_tasks(folder, name)
    for task in TASKS:
        weight_files(folder / task, command=COMMAND)
    about = read_about((read_json(folder / "main" / "config.json") or {}).get("change_it"))
    if about and to is not None and to not in about.outlets:
        raise InputError(f"--to {to} is no outlet of these judges: give {' or '.join(about.outlets)}")


class About(NamedTuple):
    """What the configuration of a judge says that it was trained for."""

    task: Task
    fold: Fold
    outlets: tuple[str, str]
    max_tokens: int
    article_first: bool = False  # ah reads article and headline, as in the organisers' notebook


def read_about(record: object) -> About | None:
    """The entry `change_it` of a judge's configuration; None where it is not as training writes it."""
    match record:
        case {
            "task": str(task),
            "fold": str(fold),
            "outlets": [str(a), str(b)],
            "max_tokens": int(most),
            **rest,
        }:
            if task in get_args(Task) and fold in get_args(Fold) and 1 <= most <= LONGEST:
                return About(
                    cast(Task, task), cast(Fold, fold), (a, b), most, rest.get("article_first") is True
                )
    return None


def check_tasks(folder: Path, name: str | Path) -> None:
    """Refuse a folder in which one of the judges main, hh and ah is missing; `name` is what it was called."""
    if missing := [task for task in TASKS if not (folder / task).is_dir()]:
        commands = " and ".join(f"{COMMAND} --task {task} --out {folder / task}" for task in missing)
        raise InputError(f"{name} lacks the judge {' and '.join(missing)}: run {commands}")
