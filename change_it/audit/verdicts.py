"""What to make of all judges together and of each, in words: from the figures that training left beside it, and from the audit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from change_it.audit.perturbation_results import FEW, Result
from change_it.audit.probes import AS_IT_IS, SETTING, Probe
from change_it.io import read_json, record_errors
from change_it.scoring.columns import GOLD
from change_it.tables import Figure
from change_it.translation import Joined, Message, Word

if TYPE_CHECKING:  # loads torch
    from change_it.judges.judge import Judges

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
#: F1 that main may lose with the typography before it listens to that.
LOSS = 0.05
#: Systems that a verdict names, at most.
NAMED = 3


@dataclass(frozen=True)
class Verdict:
    """What to make of a judge."""

    judge: str  # main, hh, ah, fluency or facts
    level: Level  # how far to rely on it
    reasons: tuple[Message, ...]  # why

    @property
    def text(self) -> str:
        """Why, in English: one sentence or two."""
        return "; ".join(self.reasons)

    @property
    def words(self) -> str:
        """The verdict: rely on it, with care, do not rely on it."""
        return WORDS[self.level]

    def as_dict(self) -> dict[str, str]:
        """What JSON holds."""
        return {"judge": self.judge, "level": self.level, "text": self.text}

    def __str__(self) -> str:
        return f"{self.judge}: {self.words}. {self.text[:1].upper()}{self.text[1:]}."


def read_metrics(judges: str | Path) -> dict[str, dict[str, Any]]:
    """Judge to the `metrics.json` that training wrote beside it, in a folder with one for each; judges without one are left out."""
    metrics = {}
    for judge in JUDGE_NAMES:
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
                for name in record["classes"]:
                    figures += [tests[test][name][key] for key in ("precision", "recall", "f1")]
                if not all(0 <= each <= 1 for each in figures):
                    raise ValueError
        if not record["results"] or not isinstance(record.get("options", {}), dict):
            raise ValueError


@dataclass(frozen=True)
class Together:
    """What all judges together let through of systems that must fail: of strict compliancy, where there is a fluency judge."""

    tried: int  # systems that must fail
    # those that pass, the worst first, and the share of their headlines that does
    passing: tuple[tuple[str, float], ...]
    gold: float | None  # share of the other newspaper's own headlines that passes; None where there are none

    @classmethod
    def of(cls, systems: Sequence[Result]) -> "Together":
        """What the systems of an audit come to."""
        passing = [(system.system, system.values["passed"] or 0.0) for system in systems if system.passes]
        return cls(
            sum(bool(system.breaks) for system in systems),
            tuple(sorted(passing, key=lambda pair: -pair[1])),
            next((system.values["passed"] for system in systems if system.system == GOLD), None),
        )

    @property
    def reasons(self) -> tuple[Message, ...]:
        """How many pass, the worst of them, and what passes of gold."""
        worst = [
            Message("verdict.named", name=Word(name), share=Figure(share))
            for name, share in self.passing[:NAMED]
        ]
        values = {"tried": self.tried, "passing": len(self.passing)}
        if worst:
            reason = Message("verdict.together", names=Joined(worst), **values)
        else:
            reason = Message("verdict.together_none", **values)
        return (reason,) if self.gold is None else (reason, Message("verdict.gold", value=Figure(self.gold)))

    @property
    def text(self) -> str:
        """The reasons in English, as one sentence."""
        return "; ".join(self.reasons) + "."

    def as_dict(self) -> dict[str, Any]:
        """What JSON holds."""
        return {"text": self.text, "tried": self.tried, "passing": self.passing, "gold": self.gold}


@dataclass(frozen=True)
class Summary:
    """An audit in short, for every report."""

    verdicts: tuple[Verdict, ...]  # what to make of each judge; nothing where nothing is known
    # what all of them let through; None where there was no audit and the verdicts are of `metrics.json` alone
    together: Together | None = None

    def as_dict(self) -> dict[str, Any]:
        """What JSON holds."""
        return {
            "together": self.together and self.together.as_dict(),
            "verdicts": [verdict.as_dict() for verdict in self.verdicts],
        }


#: Nothing is known of the judges.
NO_AUDIT = Summary(())


def read_summary(judges: "Judges", folder: Path) -> Summary:
    """Judges in short: by the `metrics.json` in their folder, and by `audit.json` in the folder `audit` beside it if it is of the same models."""
    path = folder.resolve().parent / "audit" / "audit.json"
    audit = read_json(path)
    metrics, fluency, reader = read_metrics(folder), judges.fluency is not None, judges.reader is not None
    if audit is None or audit.get("hashes") != hashes(judges):
        return Summary(tuple(verdicts(metrics, fluency=fluency, reader=reader)))
    with record_errors(path):
        systems = [Result.from_dict(system) for system in audit["systems"]]
        probes = [Probe(**probe) for probe in audit["probes"]]
        return Summary(
            tuple(verdicts(metrics, systems, probes, fluency=fluency, reader=reader)), Together.of(systems)
        )


def hashes(judges: "Judges") -> dict[str, str]:
    """Judge to the hash of its model."""
    by_task: dict[str, str] = {task: judge.model_hash for task, judge in judges.by_task.items()}
    return by_task | ({"facts": judges.reader.model_hash} if judges.reader else {})


def verdicts(
    metrics: Mapping[str, Mapping[str, Any]],
    systems: Sequence[Result] = (),
    probes: Sequence[Probe] = (),
    *,
    fluency: bool,
    reader: bool,
) -> list[Verdict]:
    """What to make of each judge, in the order of `JUDGE_NAMES`: by what `read_metrics` gives, by an audit where there was one, and by whether there is a fluency judge and a reader."""
    judged = []
    for judge in JUDGE_NAMES:
        parts = [*_beside_baselines(judge, metrics.get(judge)), *_let_through(judge, systems)]
        if judge == "main":
            parts += _listens_to(probes)
        if judge == "fluency" and not fluency:
            parts = [("distrust", Message("verdict.none"))]
        if judge == "facts" and not reader:
            parts.append(("care", Message("verdict.no_reader")))
        if parts:
            level: Level = max((level for level, _ in parts), key=("rely", "care", "distrust").index)
            judged.append(Verdict(judge, level, tuple(reason for _, reason in parts)))
    return judged


def _beside_baselines(judge: str, record: Mapping[str, Any] | None) -> list[tuple[Level, Message]]:
    """The test on which the judge is least ahead of its best baseline."""
    if record is None:
        return []
    gaps = []
    for test, result in record["results"].items():
        others = {name: tests[test]["macro_f1"] for name, tests in record["baselines"].items()}
        best = max(others, key=others.__getitem__, default="")
        gaps.append((result["macro_f1"] - others.get(best, 0.0), test, result["macro_f1"], best, others))
    gap, test, f1, best, others = min(gaps)
    key = "alone" if not best else "have" if best.endswith("s") else "has"
    values: dict[str, object] = {"value": Figure(f1)}
    if test != "gold":
        key, values["test"] = f"on_{key}", Word(MISMATCHES.get(test, test))
    if best:
        values |= {"baseline": Word(best), "other": Figure(others[best])}
    level: Level = "care" if not best else "distrust" if gap <= 0 else "care" if gap < MARGIN else "rely"
    return [(level, Message(f"verdict.{key}", **values))]


def _listens_to(probes: Sequence[Probe]) -> list[tuple[Level, Message]]:
    """Whether main is lost without the typography."""
    f1 = {probe.name: probe.f1 for probe in probes}
    if SETTING not in f1 or f1[AS_IT_IS] - f1[SETTING] < LOSS:
        return []
    values = {"value": Figure(f1[SETTING]), "other": Figure(f1[AS_IT_IS])}
    return [("care", Message("verdict.typography", **values))]


def _let_through(judge: str, systems: Sequence[Result]) -> list[tuple[Level, Message]]:
    """The systems that it ought to have refused and did not, the worst first; and whether it takes gold."""
    accepted = {system.system: share for system in systems if (share := system.values[judge]) is not None}
    entrusted = [system for system in systems if system.n >= FEW and judge in system.guards]
    guilty = sorted(
        (system.system for system in entrusted if judge in system.to_blame and system.system in accepted),
        key=lambda name: -accepted[name],
    )
    parts: list[tuple[Level, Message]] = []
    if guilty:
        named = [
            Message("verdict.named", name=Word(name), share=Figure(accepted[name])) for name in guilty[:NAMED]
        ]
        more = len(guilty) - NAMED
        key = "verdict.lets_more" if more > 0 else "verdict.lets"
        blind = 2 * sum(accepted[name] > 0.5 for name in guilty) > len(entrusted)
        parts.append(("distrust" if blind else "care", Message(key, names=Joined(named), count=more)))
    elif entrusted and accepted:
        parts.append(("rely", Message("verdict.refuses")))
    if judge in ("fluency", "facts") and GOLD in accepted:
        level: Level = "rely" if accepted[GOLD] >= ACCEPTS else "care"
        parts.append((level, Message("verdict.accepts", value=Figure(accepted[GOLD]))))
    return parts
