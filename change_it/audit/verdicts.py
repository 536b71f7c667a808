"""Pass rates of the perturbations, and a verdict on each judge in words, from an audit and from the scores of its training."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from change_it.audit.agreement import Agreement
from change_it.audit.perturbations import (
    PERTURBATIONS,
    Perturbation,
    Resources,
    chosen_headlines,
    perturbed,
)
from change_it.io import read_json, record_errors
from change_it.progress import Progress
from change_it.scoring.columns import GOLD
from change_it.scoring.compliancy import VERDICT_NAMES, facts_are_validated, judge_items
from change_it.scoring.item import Item
from change_it.stats import AVERAGE, Floats, Statistics, measure, upper_bound
from change_it.tables import figure

if TYPE_CHECKING:  # loads torch
    from change_it.scoring.judges import Judges

#: The verdicts on a headline, in the order of tables; `passed`: all judges that there are.
AUDIT_MEASURES = ("passed", "compliancy", *VERDICT_NAMES)
#: Those that must hold for a headline to pass.
PASSING = ("compliancy", "main_normalised", "fluency", "facts")
#: A system with fewer headlines is no evidence about a judge, and counts neither as stopped nor as tried.
FEW = 20
#: Stopped is a system of whose headlines, where the judges accept gold, they accept so few: 95% one-sided upper bound.
STOPPED = 0.10
#: Examples of each system that are shown.
EXAMPLES = 4
#: Good enough; with care; not at all.
Level = Literal["rely", "care", "distrust"]
WORDS: dict[Level, str] = {"rely": "rely on it", "care": "with care", "distrust": "do not rely on it"}
JUDGE_NAMES = ("main", "hh", "ah", "fluency", "facts")
#: Kinds of non-matching examples in words.
MISMATCHES = {"random": "random mismatches", "hard": "hard mismatches", "facts": "changed facts"}
#: A judge must be this much better than its baselines, in F1, to be relied on.
MARGIN = 0.02
#: A judge that takes fewer printed headlines for printed, or supported, refuses good work.
ACCEPTS = 0.85
#: Of facts.
RULES_ALONE = "rules alone: what is invented without a new name, number or quotation passes"
NOT_VALIDATED = "not validated: no labels of this language have set the threshold of the model that is asked, or it told them apart no better than chance"
#: Systems that a verdict names, at most.
NAMED = 3

_OWN = "The other newspaper's own headline, which should pass."
_GOLD = Perturbation(GOLD, (), "", _OWN, lambda item, random, resources: item.reference)
#: Gold of the items of which it is asked only because a system has a headline of theirs.
_FURTHER = "further gold"


@dataclass(frozen=True)
class Result:
    """Pass rates of one perturbation or of gold."""

    system: str  # its name
    breaks: tuple[str, ...]  # the criteria that it breaks; none for gold
    trained: bool  # whether a judge has learnt from headlines made alike
    description: str  # what it does
    n: int  # headlines judged
    # measure to the share of headlines for which it holds, 0-1; None for a judge that is not there
    values: dict[str, float | None]
    intervals: dict[str, tuple[float, float]]  # measure to the ends of its 95% interval
    given_gold: int  # headlines of items whose gold passes
    passed_given_gold: float | None  # share of them that passes; None without any
    upper_bound: float  # its 95% one-sided upper bound, events counted once; 1 without any
    judges: tuple[str, ...]  # of which one at least should refuse
    # those of them that accept more than `STOPPED` of its headlines; none of a system that is stopped
    missed_by: tuple[str, ...]
    # some headlines, those that passed first: id and direction of the item, source, headline, and its verdicts, None for a
    # judge that is not there
    examples: tuple[dict[str, Any], ...]

    @property
    def counts(self) -> bool:
        """Whether it is a perturbation with at least `FEW` headlines."""
        return bool(self.breaks) and self.n >= FEW

    @property
    def passes(self) -> bool:
        """Whether it is a perturbation that the judges do not reliably reject."""
        return self.counts and self.upper_bound > STOPPED

    @property
    def passed(self) -> float:
        """Share of its headlines that passes where gold does, or of all where gold never does."""
        return (self.values["passed"] if self.passed_given_gold is None else self.passed_given_gold) or 0.0

    def as_dict(self) -> dict[str, Any]:
        """The result as a JSON object."""
        return asdict(self) | {"passes": self.passes}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Result":
        """A result as `as_dict` gives it."""
        return cls(**{name: value for name, value in record.items() if name != "passes"})


def measure_systems(
    judges: "Judges",
    resources: Resources,
    *,
    at_most: int,
    resamples: int,
    seed: int,
    progress: Progress = False,
    chooser: "Judges | None" = None,
) -> list[Result]:
    """Judge gold and every perturbation, in the order of `PERTURBATIONS`, then those that a chooser chooses, without those that apply to no item.

    A system has at most `at_most` headlines, of the first items with a reference that it applies to, in one random order of
    events for all, both directions of an event together: so systems share articles, and events are whole. Gold is asked about
    every item that a system has a headline of: a spoilt headline can only pass where the item's own would.
    """
    items = resources.test.items
    names, numbers = np.unique([item.event for item in items], return_inverse=True)
    rank = np.random.default_rng(seed).permutation(len(names))[numbers]
    in_order = (items[index] for index in np.argsort(rank, kind="stable").tolist())
    ordered = [item for item in in_order if item.reference]
    made = {
        system: perturbed(ordered, system, resources, seed=seed, at_most=at_most)
        for system in (_GOLD, *PERTURBATIONS.values())
    }
    if chooser:
        made |= chosen_headlines(ordered[:at_most], resources, chooser)
    headlines = [(system.name, place, text) for system, texts in made.items() for place, text in texts]
    further = {place for _, place, _ in headlines} - {place for place, _ in made[_GOLD]}
    headlines += [(_FURTHER, place, ordered[place].reference) for place in sorted(further)]
    columns = ("id", "direction", "source", "event")
    rows = [
        (system, text, *(getattr(ordered[place], name) for name in columns))
        for system, place, text in headlines
    ]
    predicted = [replace(ordered[place], prediction=text) for _, place, text in headlines]
    table = pl.DataFrame(rows, ["system", "headline", *columns], orient="row")
    table = table.hstack(judged(judges, predicted, resources, progress=progress))
    accepted = table.filter(pl.col("system").is_in([GOLD, _FURTHER]), "passed")["id"]
    by_system = {name: rows for (name,), rows in table.group_by("system", maintain_order=True)}
    return [
        _result(system, by_system[system.name], accepted, resamples=resamples, seed=seed)
        for system in made
        if system.name in by_system
    ]


def judged(
    judges: "Judges", items: Sequence[Item], resources: Resources, *, progress: Progress = False
) -> pl.DataFrame:
    """The verdicts on items with predictions, those of a judge that is not there null, and probabilities."""
    judges = judges.with_casing(resources.casing)
    table = judge_items(judges, items, language=resources.language, progress=progress)
    return table.with_columns(
        passed=pl.all_horizontal(name for name in PASSING if not table[name].has_nulls())
    )


def _result(
    system: Perturbation, rows: pl.DataFrame, accepted: pl.Series, *, resamples: int, seed: int
) -> Result:
    """The pass rates of a system: averages of the directions; `accepted` are the ids whose gold passes."""
    present = [name for name in AUDIT_MEASURES if not rows[name].has_nulls()]
    columns = {name: rows[name].cast(pl.Float64).to_numpy() for name in present}

    def aggregate(sums: Statistics) -> dict[str, Floats]:
        return {name: sums[name] / np.maximum(sums["n"], 1) for name in present}

    scores = measure(
        columns | {"n": np.ones(rows.height)},
        aggregate,
        rows["direction"].to_list(),
        rows["event"].to_numpy(),
        shares=dict.fromkeys(present, "n"),
        resamples=resamples,
        seed=seed,
    )[AVERAGE]
    values = {name: scores[name].value if name in present else None for name in AUDIT_MEASURES}
    likely = rows.filter(pl.col("id").is_in(accepted.implode()))
    passed = likely["passed"].cast(pl.Float64).to_numpy()
    bound = upper_bound(passed, likely["event"].to_numpy())
    is_stopped = not system.breaks or rows.height < FEW or bound <= STOPPED
    missed_by = (judge for judge in system.judges if (share := values[judge]) is None or share > STOPPED)
    examples = rows.sort("passed", descending=True, maintain_order=True).head(EXAMPLES)
    return Result(
        system.name,
        system.breaks,
        bool(system.trained),
        system.description,
        rows.height,
        values,
        {name: scores[name].interval for name in present},
        len(passed),
        float(passed.mean()) if len(passed) else None,
        bound,
        system.judges,
        () if is_stopped else tuple(missed_by),
        tuple(
            {name: row[name] for name in ("id", "direction", "source", "headline")}
            | {"verdicts": {name: row[name] for name in AUDIT_MEASURES}}
            for row in examples.iter_rows(named=True)
        ),
    )


@dataclass(frozen=True)
class Verdict:
    """A verdict on a judge: how far to rely on it, and why."""

    judge: str  # main, hh, ah, fluency or facts
    level: Level  # how far to rely on it
    reasons: tuple[str, ...]  # why

    @property
    def text(self) -> str:
        """Why: one sentence or two."""
        return "; ".join(self.reasons)

    @property
    def words(self) -> str:
        """The verdict: rely on it, with care, do not rely on it."""
        return WORDS[self.level]

    def as_dict(self) -> dict[str, str]:
        """The same as a JSON object."""
        return {"judge": self.judge, "level": self.level, "text": self.text}

    def __str__(self) -> str:
        return f"{self.judge}: {self.words}. {self.text[:1].upper()}{self.text[1:]}."


def read_metrics(judges: str | Path) -> dict[str, dict[str, Any]]:
    """Judge to the `metrics.json` that training wrote in its folder, in a folder with one for each; judges without one are left out, and that of facts, which is asked."""
    metrics = {}
    for judge in JUDGE_NAMES[:-1]:
        path = Path(judges) / judge / "metrics.json"
        if (record := read_json(path)) is not None:
            check_metrics(record, path)
            metrics[judge] = record
    return metrics


def check_metrics(record: Mapping[str, Any], path: Path) -> None:
    """Refuse the `metrics.json` of a judge that lacks a figure of a test and class, or has one out of [0, 1]."""
    with record_errors(path):
        for tests in (record["results"], *record["baselines"].values()):
            for test in record["results"]:
                figures = [tests[test]["macro_f1"]]
                for each in record.get("within_event", {}).get("systems", {}).values():
                    figures += [each[key] for key in ("value", "low", "high", "macro_f1")]
                for name in record["classes"]:
                    figures += [tests[test][name][key] for key in ("precision", "recall", "f1")]
                if not all(0 <= each <= 1 for each in figures):
                    raise ValueError
        if not record["results"] or not isinstance(record.get("options", {}), dict):
            raise ValueError


@dataclass(frozen=True)
class JointPassRate:
    """Numbers of perturbations that all judges together reject: by strict compliancy, where there is a fluency judge."""

    trained: tuple[int, int]  # systems whose like a judge has learnt from, and how many of them are stopped
    unseen: tuple[int, int]  # the same of the others
    # those that are not stopped, the worst first, and the share of headlines that passes where gold does
    passing: tuple[tuple[str, float], ...]
    gold: float | None  # share of the other newspaper's own headlines that passes; None where there are none

    @classmethod
    def of(cls, systems: Sequence[Result]) -> "JointPassRate":
        """The joint pass rates of the perturbations of an audit that have at least `FEW` headlines."""
        counted = [system for system in systems if system.counts]
        trained, unseen = (
            [system.passes for system in counted if system.trained is learnt] for learnt in (True, False)
        )
        shares = [(system.system, system.passed) for system in counted if system.passes]
        return cls(
            (len(trained), trained.count(False)),
            (len(unseen), unseen.count(False)),
            tuple(sorted(shares, key=lambda pair: -pair[1])),
            next((system.values["passed"] for system in systems if system.system == GOLD), None),
        )

    @property
    def reasons(self) -> tuple[str, ...]:
        """Clauses: how many are rejected, the worst of the others, the share of gold that passes."""
        (trained, trained_stopped), (unseen, unseen_stopped) = self.trained, self.unseen
        reasons = [
            f"All judges together stop {trained_stopped} of {trained} ways to spoil a headline whose like they learnt from, and "
            f"{unseen_stopped} of {unseen} that none of them has seen"
        ]
        if worst := self.passing[:NAMED]:
            reasons.append(
                f"the worst of the others, where the newspapers' own headline passes: {_named(worst)}"
            )
        if self.gold is not None:
            reasons.append(f"of the newspapers' own headlines they accept {figure(self.gold)}")
        return tuple(reasons)

    @property
    def text(self) -> str:
        """The reasons as one sentence."""
        return "; ".join(self.reasons) + "."

    def as_dict(self) -> dict[str, Any]:
        """The same as a JSON object."""
        return {"text": self.text, **asdict(self)}


def _named(shares: Sequence[tuple[str, float]]) -> str:
    """Names of perturbations with the share of their headlines that passes."""
    return ", ".join(f"{name} {figure(share)}" for name, share in shares)


@dataclass(frozen=True)
class Summary:
    """An audit in short, for every report."""

    verdicts: tuple[Verdict, ...]  # of each judge; empty where nothing is known
    # pass rates of all of them; None without an audit, when the verdicts come from `metrics.json` alone
    together: JointPassRate | None = None

    def as_dict(self) -> dict[str, Any]:
        """The same as a JSON object."""
        return {
            "together": self.together and self.together.as_dict(),
            "verdicts": [verdict.as_dict() for verdict in self.verdicts],
        }


#: Nothing is known of the judges.
NO_AUDIT = Summary(())


def read_summary(judges: "Judges", folder: Path, language: str) -> Summary:
    """Judges in short, for headlines of a language: by the `metrics.json` in their folder, and by `audit.json` in the folder `audit` next to it if it is of the same models."""
    path = folder.resolve().parent / "audit" / "audit.json"
    audit = read_json(path)
    metrics, known = read_metrics(folder), about_judges(judges, language)
    if audit is None or audit.get("hashes") != hashes(judges):
        return Summary(tuple(verdicts(metrics, **known)))
    with record_errors(path):
        systems = [Result.from_dict(system) for system in audit["systems"]]
        readers = Agreement(**audit["agreement"]) if audit.get("agreement") else None
        return Summary(with_clauses(verdicts(metrics, systems, **known), readers), JointPassRate.of(systems))


def with_clauses(verdicts: Iterable[Verdict], readers: Agreement | None) -> tuple[Verdict, ...]:
    """The verdicts, each with the clause on its judge of the agreement with readers."""
    clauses = readers.clauses if readers else {}
    of_judge = ((verdict, clauses.get(verdict.judge)) for verdict in verdicts)
    return tuple(
        replace(verdict, reasons=(*verdict.reasons, clause)) if clause else verdict
        for verdict, clause in of_judge
    )


def hashes(judges: "Judges") -> dict[str, str]:
    """Judge to the hash of its model."""
    by_task: dict[str, str] = {task: judge.model_hash for task, judge in judges.by_task.items()}
    return by_task | ({"facts": judges.support.model_hash} if judges.support else {})


def about_judges(judges: "Judges", language: str) -> dict[str, Any]:
    """What `verdicts` asks about judges, besides their results, for headlines of a language."""
    labelled = judges.support.settings.outlets if judges.support else None
    return {
        "fluency": judges.fluency is not None,
        "validated": facts_are_validated(judges, language),
        "elsewhere": " and ".join(labelled) if labelled and {*labelled} != {*judges.outlets} else "",
    }


def verdicts(
    metrics: Mapping[str, Mapping[str, Any]],
    systems: Sequence[Result] = (),
    *,
    fluency: bool,
    validated: bool | None,
    elsewhere: str = "",
) -> list[Verdict]:
    """Verdicts in the order of `JUDGE_NAMES`, from the results of `read_metrics`, of an audit if there was one, and of `facts_are_validated`; `elsewhere` are the outlets of the labels that have set the threshold of facts, where they are others."""
    judged = []
    for judge in JUDGE_NAMES:
        parts = [*_against_baselines(judge, metrics.get(judge)), *_let_through(judge, systems)]
        if judge == "main":
            parts = [*_within_event(metrics.get(judge, {})), *parts]
        if judge == "fluency" and not fluency:
            parts = [("distrust", "there is none: nothing asks whether it is a headline at all")]
        if judge == "facts" and not validated:
            parts.append(("care", NOT_VALIDATED if validated is False else RULES_ALONE))
        if judge == "facts" and validated and elsewhere:
            parts.append(("care", f"labels of {elsewhere}, not of these outlets, have set its threshold"))
        if parts:
            level: Level = max((level for level, _ in parts), key=("rely", "care", "distrust").index)
            judged.append(Verdict(judge, level, tuple(reason for _, reason in parts)))
    return judged


def _against_baselines(judge: str, record: Mapping[str, Any] | None) -> list[tuple[Level, str]]:
    """The test on which the judge is least ahead of its best baseline."""
    if record is None:
        return []
    gaps = []
    for test, result in record["results"].items():
        others = {name: tests[test]["macro_f1"] for name, tests in record["baselines"].items()}
        best = max(others, key=others.__getitem__, default="")
        gaps.append((result["macro_f1"] - others.get(best, 0.0), test, result["macro_f1"], best, others))
    gap, test, f1, best, others = min(gaps)
    on = "" if test == "gold" else f" on {MISMATCHES.get(test, test)}"
    has = "have" if best.endswith("s") else "has"
    than = (
        f" where {best} {has} {figure(others[best])}" if best else ": a linear judge, compared with no other"
    )
    level: Level = "care" if not best else "distrust" if gap <= 0 else "care" if gap < MARGIN else "rely"
    return [(level, f"F1 {figure(f1)}{on}{than}")]


def _within_event(metrics: Mapping[str, Any]) -> list[tuple[Level, str]]:
    """Clause on main: does it tell the two headlines of one event apart?"""
    if not (found := metrics.get("within_event")):
        return []
    judge = found["systems"]["judge"]
    value, low, high = (figure(judge[name]) for name in ("value", "low", "high"))
    text = f"of two headlines of one event it knows whose is whose {value} of the time (95% interval {low}–{high}; chance .5)"
    return [("rely" if judge["low"] > 0.5 else "care", text)]


def _let_through(judge: str, systems: Sequence[Result]) -> list[tuple[Level, str]]:
    """The systems that it ought to have refused and did not, the worst first; and whether it takes gold."""
    accepted = {system.system: share for system in systems if (share := system.values[judge]) is not None}
    asked = [system for system in systems if system.n >= FEW and judge in system.judges]
    names = [system.system for system in asked if judge in system.missed_by and system.system in accepted]
    missed = sorted(((name, accepted[name]) for name in names), key=lambda pair: -pair[1])
    parts: list[tuple[Level, str]] = []
    if missed:
        more = len(missed) - NAMED
        further = f" and {more} more" if more > 0 else ""
        blind = 2 * sum(share > 0.5 for _, share in missed) > len(asked)
        text = f"lets through what it should refuse: {_named(missed[:NAMED])}{further}"
        parts.append(("distrust" if blind else "care", text))
    elif asked and accepted:
        parts.append(("rely", "refuses what it should"))
    if judge in ("fluency", "facts") and GOLD in accepted:
        level: Level = "rely" if accepted[GOLD] >= ACCEPTS else "care"
        parts.append((level, f"accepts {figure(accepted[GOLD])} of the newspapers' own headlines"))
    return parts
