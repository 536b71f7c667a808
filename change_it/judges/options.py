"""Options of `change-it train judge`, and what a saved judge records of itself."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import isfinite
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from change_it.errors import InputError
from change_it.files.model_folders import suggest_folder
from change_it.judges.spec import JUDGES, MAIN, Task, arguments, compliancy_tasks, trained_tasks
from change_it.render.tables import figure
from change_it.training.lora import LORA_RATE, LoraFields, check_adapters
from change_it.training.training_options import CONSTANT, TrainingOptions

Fold = Literal["all", "0", "1"]
TrainingSet = Literal["main", "train_d", "train_m", "random"]

COMMAND = "change-it train judge"
#: Tokens that a judge reads, at most.
LONGEST = 1_000_000
#: What `--encoder` may be besides the name of a pre-trained model: a linear judge; the classifier of LREC 2020.
LINEAR, BILSTM = "linear", "bilstm"
#: Further baselines of main.
NGRAMS, MARKS = "n-grams", "marks, capitals, length"
#: Aligned training pairs below which main has no scale of style.
SCALE_PAIRS = 20
#: Minutes that a preset's updates may take on a processor, by measured ones.
MINUTES_ON_CPU = 60.0
#: The papers' encoder (EvalNLGEval 2020, section 4).
PAPERS = "bert-base-multilingual-cased"
#: Tokens of other encoders, bytes of the Bi-LSTM, and its training: LREC 2020 gives the optimiser alone.
TOKENS = {BILSTM: 256, LINEAR: LONGEST}
OF_BILSTM = arguments(64, 5, 1e-3, early_stopping=4, **CONSTANT)


@dataclass(kw_only=True)
class JudgeFields:
    """The options of one judge but for those of its training."""

    task: Task
    """The judge, a trained entry of `spec.JUDGES`."""
    corpus: str
    """Corpus folder written by `change-it corpus build`, or the id of such a data set on the Hub."""
    out: Path
    """Folder of the judge. What it holds is replaced only when the run is finished."""
    encoder: str = LINEAR
    """linear: n-grams and shared words; or a transformer: the Hub id or folder of a pre-trained encoder; or, for main, bilstm: the classifier of LREC 2020."""
    train_on: TrainingSet = "main"
    """Training set of main: main (R, A3 and A1), train_d or train_m (LREC 2020), or random (80% of all articles, tested on the others)."""
    vectors: Path | None = None
    """Word vectors of bilstm: a word2vec file, with .bin in its name if it is binary, .gz or not; they stay as they are. Without it words learn theirs."""
    as_published: bool = False
    """The papers' judge: bert-base-multilingual-cased unless --encoder says another one, random wrong partners (hh_random, ah_random), AH read as article and headline, no token types."""
    fold: Fold = "all"
    """Train on one fold only; judges that choose candidates and judges that score them take different ones."""
    max_tokens: int = 0
    """Longer inputs are cut; 0 is the preset's."""


@dataclass(kw_only=True)
class JudgeOptions(TrainingOptions, LoraFields, JudgeFields):
    """The options of one judge."""

    @property
    def inputs(self) -> tuple[str | Path | None, ...]:
        """The files and folders that it reads."""
        return self.corpus, self.encoder, self.vectors

    @property
    def preset(self) -> dict[str, Any]:
        """See `TrainingOptions`; by task and encoder."""
        spec = JUDGES[self.task]
        of_transformer = spec.arguments
        if self.as_published:
            of_transformer = spec.published_arguments or spec.arguments
        rate = {"learning_rate": LORA_RATE} if self.lora else {}
        return {LINEAR: {}, BILSTM: OF_BILSTM}.get(self.encoder, {**of_transformer, **rate})

    def about(self, outlets: Sequence[str]) -> dict[str, Any]:
        """The part of a judge's configuration under `change_it`: what it was trained for."""
        about = {name: getattr(self, name) for name in ("task", "fold", "seed", "max_tokens")}
        if self.as_published:
            about |= JUDGES[self.task].published
        names = {"corpus": Path(self.corpus).name, "encoder": Path(self.encoder).name}
        return {**about, "outlets": list(outlets), **names}


def settings_of(options: JudgeOptions) -> JudgeOptions:
    """The options with the encoder and the tokens that are meant; refused where they contradict each other."""
    task, encoder = options.task, options.encoder
    published = compliancy_tasks()
    if options.as_published and task not in published:
        raise InputError(f"--as-published requires one of the tasks {', '.join(published)}")
    if options.as_published and encoder == LINEAR:
        encoder = PAPERS
    if options.arg and encoder == LINEAR:
        raise InputError("--arg requires an --encoder: a linear judge is fitted without a Trainer")
    if encoder == LINEAR:
        for name in ("epochs", "batch_size", "max_minutes", "checkpoint_minutes"):
            if getattr(options, name) != getattr(TrainingOptions, name):
                option = name.replace("_", "-")
                raise InputError(
                    f"--{option} requires an --encoder: a linear judge is fitted without a Trainer"
                )
    if options.max_tokens and encoder == LINEAR:
        raise InputError("--max-tokens requires an --encoder: a linear judge reads whole texts")
    if options.vectors and encoder != BILSTM:
        raise InputError(f"--vectors requires --encoder {BILSTM}")
    for_main = {f"encoder {BILSTM}": encoder == BILSTM, "train-on": options.train_on != "main"}
    for name, is_given in for_main.items():
        if is_given and task != MAIN:
            raise InputError(f"--{name} requires --task {MAIN}, not {task}")
    _check_lora(options, encoder)
    spec = JUDGES[task]
    usual = spec.tokens
    if options.as_published:
        usual = spec.published_tokens or spec.tokens
    tokens = options.max_tokens or TOKENS.get(encoder, usual)
    return replace(options, encoder=encoder, max_tokens=tokens)


def _check_lora(options: JudgeOptions, encoder: str) -> None:
    """Refuse adapters of a judge that has no pre-trained encoder, or is the papers'."""
    check_adapters(options)
    if options.lora and encoder in (LINEAR, BILSTM):
        raise InputError(
            f"--lora requires the --encoder of a pre-trained model: {encoder} has no weights to adapt"
        )
    if options.lora and options.as_published:
        raise InputError("--as-published trains the whole encoder: leave --lora out")


def check_tasks(folder: Path, name: str | Path) -> None:
    """Refuse a folder in which a judge is missing that compliancy requires; `name` is what it was called."""
    if missing := [task for task in compliancy_tasks() if not (folder / task).is_dir()]:
        mend = suggest_folder(folder, "judges") or f"train them with {COMMAND} --task all"
        raise InputError(f"{name} lacks the judge {' and '.join(missing)}: {mend}")


class StyleScale(NamedTuple):
    """What style is measured by: how main's log odds of the other outlet move on aligned training pairs that it did not learn from.

    The step of a headline is their change from the original to it. From A to B and from B to A the two headlines of a pair
    have the same step; clauses have not, so theirs and what follows are given by direction, from A first.
    """

    pairs: int
    events: int  # that they are of
    gold: float  # median step of the other newspaper's own headline
    clause: tuple[float, float]  # median steps of random clauses of the original's own article
    low: tuple[float, float]  # ends of the 95% intervals of gold - clause, drawn by event
    high: tuple[float, float]
    accuracy: float  # share of the pairs whose step is above 0, 0-1
    leads: dict[str, tuple[float, float]]  # baseline to the 95% interval of main's lead over it in that share
    evidence: float  # share of their headlines whose numbers, names and quotations the texts of both outlets have, 0-1

    def faults(self, outlets: Sequence[str]) -> dict[str, str]:
        """Outlet aimed at to why style cannot be measured, in a sentence without a full stop; without those for which it can."""
        why, known = "", f"on {self.pairs} training pairs main is"
        if self.pairs < SCALE_PAIRS:
            why = f"main measured its scale on {self.pairs} aligned training pairs, fewer than {SCALE_PAIRS}"
        elif self.leads[MARKS][0] <= 0:
            why = f"{known} not surely better than {MARKS} within an event (ahead by {' to '.join(map(figure, self.leads[MARKS]))})"
        elif self.leads[NGRAMS][1] < 0:
            why = f"{known} surely worse than {NGRAMS} within an event (ahead by {' to '.join(map(figure, self.leads[NGRAMS]))})"
        if why:
            return dict.fromkeys(outlets, f"style is n/a: {why}")
        return {
            to: f"style of {source}2{to} is n/a: main does not surely tell {to}'s own headlines from clauses of {source}'s articles "
            f"(median steps {self.gold:.2f} and {clause:.2f} on {self.pairs} pairs)"
            for low, clause, source, to in zip(self.low, self.clause, outlets, outlets[::-1], strict=True)
            if low <= 0
        }


@dataclass(kw_only=True, eq=False)
class JudgeInfo:
    """What the configuration of a judge says of it."""

    task: Task
    fold: Fold  # that it was trained on
    outlets: tuple[str, str]  # short names of A and B
    max_tokens: int  # longer inputs are cut; fluency refuses them
    article_first: bool = False  # ah reads article and headline, as in the organisers' notebook
    # subtracted from the log odds of class 1, so that fluency accepts its share of printed headlines
    shift: float = 0.0
    style: StyleScale | None = None  # of main; None of an earlier version


def read_judge_info(record: Any) -> JudgeInfo:
    """Read the entry `change_it` of a judge's configuration; a LookupError, TypeError or ValueError where it is not as training writes it."""
    a, b = map(str, record["outlets"])
    fields = {name: record[name] for name in JudgeInfo.__annotations__ if name in record}
    scale, numbers = None, [float(record.get("shift", 0.0))]
    if fields.get("style"):
        scale = StyleScale(**fields["style"])
        numbers += [*scale[:3], scale.accuracy, scale.evidence]
        numbers += chain(scale.clause, scale.low, scale.high, scale.leads[MARKS], scale.leads[NGRAMS])
    info = JudgeInfo(**fields | {"outlets": (a, b), "style": scale})
    known = info.task in trained_tasks() and info.fold in get_args(Fold) and 1 <= info.max_tokens <= LONGEST
    if not known or not all(map(isfinite, numbers)):
        raise ValueError("config.json is not as training writes it")
    return info
