"""Options of `change-it train judge`, and what a saved judge records of itself."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
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

#: The command that trains judges, as messages name it.
COMMAND = "change-it train judge"
#: Tokens that a judge reads, at most.
LONGEST = 1_000_000
#: The `--encoder` of a linear judge.
LINEAR = "linear"
#: The `--encoder` of the classifier of LREC 2020.
BILSTM = "bilstm"
#: The baseline of main that reads n-grams alone.
NGRAMS = "n-grams"
#: Its baseline that reads no words.
MARKS = "marks, capitals, length"
#: Aligned training pairs below which main has no scale of style.
SCALE_PAIRS = 20
#: Minutes that a preset's updates may take on a processor, by measured ones.
MINUTES_ON_CPU = 60.0
#: The papers' encoder (EvalNLGEval 2020, section 4).
PAPERS = "bert-base-multilingual-cased"
#: What the encoders that are no transformers read: bytes of the Bi-LSTM, and whole texts.
TOKENS_BY_ENCODER = {BILSTM: 256, LINEAR: LONGEST}
#: Arguments with which the Bi-LSTM is trained. LREC 2020 gives the optimiser alone.
BILSTM_ARGUMENTS = arguments(batch_size=64, epochs=5, learning_rate=1e-3, early_stopping=4, **CONSTANT)


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
    """linear: n-grams and shared words; or a transformer: the Hub id or folder of a pre-trained encoder; or,
    for main, bilstm: the classifier of LREC 2020."""
    train_on: TrainingSet = "main"
    """Training set of main: main (R, A3 and A1), train_d or train_m (LREC 2020), or random (80% of all
    articles, tested on the others)."""
    vectors: Path | None = None
    """Word vectors of bilstm: a word2vec file, with .bin in its name if it is binary, .gz or not; they stay
    as they are. Without it words learn theirs."""
    as_published: bool = False
    """The papers' judge: bert-base-multilingual-cased unless --encoder says another one, random wrong
    partners (hh_random, ah_random), AH read as article and headline, no token types."""
    fold: Fold = "all"
    """Train on one fold only; judges that choose candidates and judges that score them take different
    ones."""
    max_tokens: int = 0
    """Longer inputs are cut; 0 is the preset's."""


@dataclass(kw_only=True)
class JudgeOptions(TrainingOptions, LoraFields, JudgeFields):
    """The options of one judge."""

    @property
    def inputs(self) -> tuple[str | Path | None, ...]:
        """Return the files and folders that it reads."""
        return self.corpus, self.encoder, self.vectors

    @property
    def preset(self) -> dict[str, Any]:
        """Return the arguments of its task and encoder; see `TrainingOptions`."""
        if self.encoder == LINEAR:
            return {}
        if self.encoder == BILSTM:
            return BILSTM_ARGUMENTS
        spec = JUDGES[self.task]
        preset = dict(spec.arguments)
        if self.as_published and spec.published_arguments:
            preset = dict(spec.published_arguments)
        if self.lora:
            preset["learning_rate"] = LORA_RATE
        return preset

    def configuration(self, outlets: Sequence[str]) -> dict[str, Any]:
        """Return what a judge's configuration has under `change_it`: what it was trained for."""
        entry: dict[str, Any] = {
            "task": self.task,
            "fold": self.fold,
            "seed": self.seed,
            "max_tokens": self.max_tokens,
        }
        if self.as_published:
            entry.update(JUDGES[self.task].published)
        entry["outlets"] = list(outlets)
        entry["corpus"] = Path(self.corpus).name
        entry["encoder"] = Path(self.encoder).name
        return entry


def settings_of(options: JudgeOptions) -> JudgeOptions:
    """Return the options with the encoder and the tokens that are meant.

    Raises:
        InputError: options contradict each other.
    """
    encoder = options.encoder
    if options.as_published:
        published = compliancy_tasks()
        if options.task not in published:
            raise InputError(f"--as-published requires one of the tasks {', '.join(published)}")
        if encoder == LINEAR:
            encoder = PAPERS
    if encoder == LINEAR:
        _check_linear(options)
    if options.vectors and encoder != BILSTM:
        raise InputError(f"--vectors requires --encoder {BILSTM}")
    if options.task != MAIN:
        if encoder == BILSTM:
            raise InputError(f"--encoder {BILSTM} requires --task {MAIN}, not {options.task}")
        if options.train_on != "main":
            raise InputError(f"--train-on requires --task {MAIN}, not {options.task}")
    _check_lora(options, encoder)
    spec = JUDGES[options.task]
    tokens = spec.tokens
    if options.as_published and spec.published_tokens:
        tokens = spec.published_tokens
    tokens = options.max_tokens or TOKENS_BY_ENCODER.get(encoder, tokens)
    return replace(options, encoder=encoder, max_tokens=tokens)


def _check_linear(options: JudgeOptions) -> None:
    """Refuse options that a linear judge does not read."""
    if options.arg:
        raise InputError("--arg requires an --encoder: a linear judge is fitted without a Trainer")
    for name in ("epochs", "batch_size", "max_minutes", "checkpoint_minutes"):
        if getattr(options, name) != getattr(TrainingOptions, name):
            option = name.replace("_", "-")
            raise InputError(f"--{option} requires an --encoder: a linear judge is fitted without a Trainer")
    if options.max_tokens:
        raise InputError("--max-tokens requires an --encoder: a linear judge reads whole texts")


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
    """Refuse a folder that lacks a judge which compliancy requires; `name` is what it was called."""
    missing = [task for task in compliancy_tasks() if not (folder / task).is_dir()]
    if missing:
        mend = suggest_folder(folder, "judges") or f"train them with {COMMAND} --task all"
        raise InputError(f"{name} lacks the judge {' and '.join(missing)}: {mend}")


class StyleScale(NamedTuple):
    """What style is measured by: the steps of main on aligned training pairs that it did not learn from.

    A step is the change of main's log odds of the other outlet, from the original to a headline. The two
    headlines of a pair have the same step in both directions. Clauses have not, so `clause`, `low` and `high`
    have a figure for each direction, the one from A to B first.

    Attributes:
        pairs: Number of pairs.
        events: Number of their events.
        gold: Median step of the other newspaper's own headline.
        clause: Median steps of random clauses of the original's own article.
        low: Lower ends of the 95% intervals of gold less clause, drawn by event.
        high: Their upper ends.
        accuracy: Share of the pairs whose step is above 0, 0-1.
        leads: Baseline to the 95% interval of main's lead over it in that share.
        evidence: Share of the pairs' headlines whose numbers, names and quotations the texts of both outlets
            have, 0-1.
    """

    pairs: int
    events: int
    gold: float
    clause: tuple[float, float]
    low: tuple[float, float]
    high: tuple[float, float]
    accuracy: float
    leads: dict[str, tuple[float, float]]
    evidence: float

    def faults(self, outlets: Sequence[str]) -> dict[str, str]:
        """Return why style cannot be measured, by the outlet aimed at, in a sentence without a full stop.

        Outlets for which it can be measured are left out.
        """
        fault = self._fault_of_main()
        if fault:
            return dict.fromkeys(outlets, f"style is n/a: {fault}")
        a, b = outlets
        faults = {}
        # the first figure is of the direction from A to B
        if self.low[0] <= 0:
            faults[b] = self._fault_of_direction(a, b, self.clause[0])
        if self.low[1] <= 0:
            faults[a] = self._fault_of_direction(b, a, self.clause[1])
        return faults

    def _fault_of_main(self) -> str:
        """Return why main cannot measure style in any direction; empty where it can."""
        if self.pairs < SCALE_PAIRS:
            few = f"{self.pairs} aligned training pairs, fewer than {SCALE_PAIRS}"
            return f"main measured its scale on {few}"
        known = f"on {self.pairs} training pairs main is"
        low, high = self.leads[MARKS]
        if low <= 0:
            ahead = f"{figure(low)} to {figure(high)}"
            return f"{known} not surely better than {MARKS} within an event (ahead by {ahead})"
        low, high = self.leads[NGRAMS]
        if high < 0:
            ahead = f"{figure(low)} to {figure(high)}"
            return f"{known} surely worse than {NGRAMS} within an event (ahead by {ahead})"
        return ""

    def _fault_of_direction(self, source: str, target: str, clause: float) -> str:
        """Say that main takes clauses of the source for headlines of the target; `clause` is their step."""
        return (
            f"style of {source}2{target} is n/a: main does not surely tell {target}'s own headlines "
            f"from clauses of {source}'s articles "
            f"(median steps {self.gold:.2f} and {clause:.2f} on {self.pairs} pairs)"
        )


@dataclass(kw_only=True, eq=False)
class JudgeInfo:
    """What the configuration of a judge says of it.

    Attributes:
        task: What it decides.
        fold: The fold that it was trained on.
        outlets: Short names of A and B.
        max_tokens: Tokens that it reads. Longer inputs are cut; fluency refuses them.
        article_first: Whether ah reads article and headline, as in the organisers' notebook.
        shift: What is subtracted from the log odds of class 1, so that fluency accepts its share of printed
            headlines.
        style: Of main, its scale of style; None of an earlier version.
    """

    task: Task
    fold: Fold
    outlets: tuple[str, str]
    max_tokens: int
    article_first: bool = False
    shift: float = 0.0
    style: StyleScale | None = None


def read_judge_info(record: Any) -> JudgeInfo:
    """Read the entry `change_it` of a judge's configuration.

    Raises:
        LookupError, TypeError or ValueError: it is not as training writes it.
    """
    a, b = map(str, record["outlets"])
    fields = {name: record[name] for name in JudgeInfo.__annotations__ if name in record}
    numbers = [float(record.get("shift", 0.0))]
    scale = None
    if fields.get("style"):
        scale = StyleScale(**fields["style"])
        numbers += [scale.pairs, scale.events, scale.gold, scale.accuracy, scale.evidence]
        numbers += [*scale.clause, *scale.low, *scale.high, *scale.leads[MARKS], *scale.leads[NGRAMS]]
    fields["outlets"] = (a, b)
    fields["style"] = scale
    info = JudgeInfo(**fields)
    is_known = info.task in trained_tasks() and info.fold in get_args(Fold)
    if not is_known or not 1 <= info.max_tokens <= LONGEST or not all(map(isfinite, numbers)):
        raise ValueError("config.json is not as training writes it")
    return info
