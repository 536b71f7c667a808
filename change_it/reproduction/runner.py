"""The plan of a paper, and what runs it: a finished step is kept while it and those before it are planned as they were."""

import hashlib
import json
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import files
from inspect import signature
from itertools import product
from typing import TYPE_CHECKING, Any

from change_it import __version__
from change_it.commands import score, train_generator, train_judge, transfer
from change_it.corpus.folder import read_outlets
from change_it.errors import InputError
from change_it.generators.generator_options import GeneratorOptions
from change_it.io import named_files, read_json, write_json
from change_it.judges.judge_options import SCRATCH, JudgeOptions
from change_it.published_figures import CITATIONS
from change_it.reproduction import hevas2019, lrec2020, systems
from change_it.results.document import Document, Section
from change_it.scoring.columns import BUILT_IN
from change_it.scoring.item import read_test_set
from change_it.scoring.systems import read_scored_systems
from change_it.tables import Column, Row, Table, console

if TYPE_CHECKING:
    from change_it.commands.reproduce import ReproduceOptions
    from change_it.reproduction.paper_tables import Result

SCALES = ("smoke", "cpu", "full")
#: In the folder of a run: the finished steps.
RECORD = "steps.json"
#: What runs a step, by its name in `plans.toml`, and the dataclass of its options where it is a command.
COMMANDS: dict[str, tuple[Callable[..., None], Callable[..., Any] | None]] = {
    "train judge": (train_judge.run, JudgeOptions),
    "train generator": (train_generator.run, GeneratorOptions),
    "transfer": (transfer.run, transfer.TransferOptions),
    "score": (score.run, score.ScoreOptions),
    "figure 2": (lrec2020.draw_curve, None),
    "test articles": (lrec2020.write_inputs, None),
    "classification": (lrec2020.classify, None),
    "metrics of the baselines": (hevas2019.measure, None),
}
#: The file of a folder that a step makes which is there once it is finished.
_LAST = {"train judge": "metrics.json", "train generator": "metrics.json", "score": "scores.json"}
TABLES: "dict[str, Callable[[ReproduceOptions], Result]]" = {
    "evalnlgeval2020": systems.evalnlgeval,
    "changeit2020": systems.changeit,
    "hevas2019": hevas2019.tables,
    "lrec2020": lrec2020.tables,
}


@dataclass(frozen=True)
class Step:
    """A command with its settings, in which `{run}` stands for the folder of the run."""

    out: str  # what it makes, below that folder; its name
    command: str
    settings: Mapping[str, Any]
    seconds: float
    key: str = (
        ""  # digest of all that its result depends on but the corpus: its settings, and the steps before it
    )


def _plans() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("plans.toml").read_text("utf-8"))


def plan(options: "ReproduceOptions") -> list[Step]:
    """The steps of a paper at a scale, each after those that it reads."""
    outlets = read_outlets(options.corpus)
    encoder = options.encoder or (JudgeOptions.encoder if options.scale == "full" else SCRATCH)
    steps = []
    for entry in _plans()["step"]:
        if options.paper not in entry["papers"] or options.scale not in entry.get("scales", SCALES):
            continue
        of_scale = entry.get(f"{options.scale}_encoder") if options.encoder else None
        settings = entry.get("options", {}) | (of_scale or entry.get(options.scale, {}))
        sides = [outlets if name in entry["out"] else ("",) for name in ("{to}", "{of}")]
        for each, to, of in product(entry.get("each", [{}]), *sides):
            names = {**each, "to": to, "of": of, "encoder": encoder}
            seconds = entry["seconds"][SCALES.index(options.scale)]
            out, given = _filled(entry["out"], names), _filled(settings, names)
            steps.append(Step(out, entry["command"], given, seconds))
    digests = []
    if options.submissions:
        taken = (*BUILT_IN, systems.BASELINE)
        named = named_files(options.submissions, option="--submissions", example="team=team.csv", taken=taken)
        digests = [hashlib.sha256(file.read_bytes()).hexdigest() for _, file in named]
        read_scored_systems(options.submissions, read_test_set(options.corpus))  # refused before the training
        predictions = [*steps[-1].settings["predictions"], *options.submissions]
        steps[-1] = replace(steps[-1], settings={**steps[-1].settings, "predictions": predictions})
    return with_keys(steps, digests)


def with_keys(steps: Sequence[Step], digests: Sequence[str] = ()) -> list[Step]:
    """The steps with their keys; the last reads files of the user with these digests."""
    before, found = "", []
    for step in steps:
        read = list(digests) if step is steps[-1] else []
        text = json.dumps([before, step.out, step.command, step.settings, read], sort_keys=True)
        before = hashlib.sha256(text.encode()).hexdigest()
        found.append(replace(step, key=before))
    return found


def _filled(value: Any, names: Mapping[str, str]) -> Any:
    """A value of a plan with texts for the names in it."""
    if isinstance(value, dict):
        return {key: _filled(each, names) for key, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, names) for each in value]
    for name, text in names.items():
        value = value.replace(f"{{{name}}}", text) if isinstance(value, str) else value
    return value


def document(options: "ReproduceOptions") -> Document:
    """The tables of a paper, once its steps are finished."""
    about = _plans()[options.paper]
    tables, signatures, facts = TABLES[options.paper](options)
    texts = {name: text.format(**facts) for name, text in about["texts"].items()}
    lead = [CITATIONS[options.paper], f"Scale: {options.scale}.", about.get("lead", "").format(**facts)]
    sections = [Section(name, table, texts.get(name, "")) for name, table in tables.items()]
    return Document(about["title"], " ".join(filter(None, lead)), sections, signatures)


class Run:
    """The finished steps of a folder; papers share one, and what several of them need is made once."""

    def __init__(self, options: "ReproduceOptions", *, corpus: str) -> None:
        """Open the folder; InputError where it holds something else than a run on that corpus (a hash)."""
        self.options, self.out = options, options.out
        self.about = {"scale": options.scale, "seed": options.seed, "corpus": corpus, "version": __version__}
        record = read_json(self.out / RECORD)
        if record is None and self.out.is_dir() and any(self.out.iterdir()):
            raise InputError(
                f"--out {self.out} holds other files and no run: choose a folder that is new or empty"
            )
        if record is not None and record["about"] != self.about:
            raise InputError(f"{self.out} holds another run ({record['about']}): choose another --out")
        self.finished: dict[str, Any] = {} if record is None else record["finished"]

    def left(self, steps: Sequence[Step]) -> list[Step]:
        """The first step that is not finished with these settings, or whose result is gone, and all after it."""
        for at, step in enumerate(steps):
            made = (self.out / step.out / _LAST.get(step.command, "")).exists()
            if self.finished.get(step.out, {}).get("key") != step.key or not made:
                return list(steps[at:])
        return []

    def table(self, steps: Sequence[Step]) -> Table:
        """The plan, with the time that finished steps took and an estimate of the others'."""
        left = self.left(steps)
        rows = []
        for step in steps:
            seconds = step.seconds if step in left else self.finished[step.out]["seconds"]
            state = "to do" if step in left else "finished"
            rows.append(Row({"step": step.out, "state": state, "time": duration(seconds)}))
        total = duration(sum(step.seconds for step in left))
        note = f"To do: {len(left)} of {len(steps)} steps, about {total} on two idle cores."
        columns = tuple(Column(name, "text") for name in ("step", "state", "time"))
        return Table(columns, tuple(rows), "Plan", (note,))

    def run(self, steps: Sequence[Step]) -> None:
        """Run what is left, and record each step once it is finished."""
        left = self.left(steps)
        for step in left:
            self.finished.pop(step.out, None)
        self._write()
        for number, step in enumerate(left, start=1):
            console().rule(f"{number} of {len(left)}: {step.out}", align="left", style="dim")
            start = time.perf_counter()
            self.call(step)()
            seconds = round(time.perf_counter() - start, 1)
            self.finished[step.out] = {"key": step.key, "seconds": seconds}
            self._write()

    def call(self, step: Step) -> Callable[[], None]:
        """What runs a step, with its options."""
        function, of_command = COMMANDS[step.command]
        settings = _filled(dict(step.settings), {"run": str(self.out)})
        common = {name: getattr(self.options, name) for name in ("corpus", "seed", "device")}
        common |= {"resume": True, "out": self.out / step.out}
        if "input" in settings:  # in the place of the corpus
            del common["corpus"]
        accepted = signature(of_command or function).parameters.keys() - settings.keys()
        settings |= {name: value for name, value in common.items() if name in accepted}
        return partial(function, of_command(**settings)) if of_command else partial(function, **settings)

    def _write(self) -> None:
        write_json(self.out / RECORD, {"about": self.about, "finished": self.finished})


def duration(seconds: float) -> str:
    """Seconds as people say them."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"
