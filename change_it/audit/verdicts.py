"""How far to believe judges: what they let through of the perturbations, and a verdict on each judge by the tests of its training.

Verdicts are decided by 95% intervals, never by a share alone.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
import polars as pl

from change_it.audit.agreement import ENOUGH
from change_it.audit.perturbations import PERTURBATIONS, Aspect, Resources, perturbed
from change_it.corpus.looks import MARKED
from change_it.io import listed, read_json, record_errors
from change_it.judges.judge_options import MARKS, no_better_than
from change_it.progress import Progress
from change_it.scoring.columns import GOLD
from change_it.scoring.compliancy import COMPLIANCY_MEASURES, JUDGE_NAMES
from change_it.stats import AVERAGE, Floats, Statistics, measure, share_interval
from change_it.tables import figure

if TYPE_CHECKING:  # loads torch
    from change_it.scoring.judges import Judges

#: What judges make of a perturbation.
Outcome = Literal["stopped", "let through", "too few to tell"]
#: Good for what it is for; with care; not at all.
Level = Literal["rely", "care", "distrust"]
WORDS: dict[Level, str] = {"rely": "reliable", "care": "with care", "distrust": "not reliable"}
#: A perturbation is stopped where it keeps at most this share of gold's acceptability, or has at most this style: half the way.
STOPPED, HALFWAY = 0.10, 0.5
#: A share of right answers whose interval is above this is reliable, halfway from chance to perfect; one that reaches chance is not.
GOOD, CHANCE = 0.75, 0.5
#: Examples of each perturbation that are shown, and perturbations that the one sentence names.
EXAMPLES, NAMED = 3, 3
#: A test that decides no verdict: no judge is made for it.
FACTS = "facts"
_PAIRS = (
    ("random", "no_match", "refuses random wrong stories"),
    ("hard", "no_match", "refuses the nearest wrong stories"),
    ("hard", "match", "accepts right stories"),
    (FACTS, "no_match", "refuses headlines with one changed fact"),
)
#: Judge to its tests: a test of `metrics.json`, a class of it, and what its recall is.
TESTS = {
    "hh": _PAIRS,
    "ah": _PAIRS,
    "fluency": (
        ("unseen damage", "printed", "accepts printed headlines"),
        ("seen damage", "broken", "refuses damage as in its training"),
        ("unseen damage", "broken", "refuses other damage"),
    ),
}
#: What to know of all verdicts.
NOTES = (
    "reliable: all shares of right answers are above .75 with their whole 95% intervals; not reliable: one reaches chance, .5",
    "no judge is made to see changed facts: this test decides no verdict",
    "evidence looks every number, name and quotation up in the sources; who did or said it is not checked",
)


@dataclass(frozen=True)
class Result:
    """What the judges make of a perturbation, or of gold.

    Attributes:
        system: its name.
        seen: whether a judge is trained on headlines that are made in the same way.
        description: what it does.
        n: headlines.
        events: that they are of.
        aspect: the one that should notice it.
        kept: their mean acceptability over gold's on the same items; None for gold, and where gold has none.
        interval: the ends of the 95% interval of `kept`.
        style_interval: of their mean style; None where that is n/a.
        values: the mean of each of `COMPLIANCY_MEASURES`; None where it is n/a.
        examples: some headlines, those with the highest value of the aspect first: id, direction, source, true (the headline that
            was changed, or empty), headline, and the verdicts.
    """

    system: str
    seen: bool
    description: str
    aspect: Aspect
    n: int
    events: int
    kept: float | None
    interval: tuple[float, float] | None
    style_interval: tuple[float, float] | None
    values: dict[str, float | None]
    examples: tuple[dict[str, Any], ...] = ()

    @property
    def outcome(self) -> Outcome:
        """Stopped or let through where the interval of the aspect that should notice is on one side of `STOPPED` or `HALFWAY`; of few events it says nothing."""
        if self.events < ENOUGH:
            return "too few to tell"
        of_style = self.aspect == "style"
        most = HALFWAY if of_style else STOPPED
        low, high = (self.style_interval if of_style else self.interval) or (-1.0, 2.0)
        return "stopped" if high <= most else "let through" if low > most else "too few to tell"

    def as_dict(self) -> dict[str, Any]:
        """The result as a JSON object."""
        return asdict(self) | ({"outcome": self.outcome} if self.system != GOLD else {})


def measure_systems(
    judges: "Judges",
    resources: Resources,
    *,
    at_most: int,
    resamples: int,
    seed: int,
    progress: Progress = False,
) -> list[Result]:
    """Judge gold and every perturbation that applies to an item: gold, then the perturbations, what keeps most first.

    A perturbation has at most `at_most` headlines, of the first items that it applies to, in one random order of events for
    all, both directions of an event together. It keeps the ratio of its mean acceptability to gold's on the same items, of
    compliancy where that is n/a.
    """
    items = resources.test.items
    names, numbers = np.unique([item.event for item in items], return_inverse=True)
    rank = np.random.default_rng(seed).permutation(len(names))[numbers]
    in_order = (items[index] for index in np.argsort(rank, kind="stable").tolist())
    ordered = [item for item in in_order if item.reference]
    made = {
        name: perturbed(ordered, kind, resources, seed=seed, at_most=at_most)
        for name, kind in PERTURBATIONS.items()
        if resources.has_names or "name" not in name
    }
    golds = {place for headlines in made.values() for place, _ in headlines}
    golds |= {*range(min(at_most, len(ordered)))}
    asked = [(GOLD, place, ordered[place].reference) for place in sorted(golds)]
    asked += [(name, place, text) for name, headlines in made.items() for place, text in headlines]
    predicted = [replace(ordered[place], prediction=text) for _, place, text in asked]
    table = judges.judge(predicted, progress=progress)
    score = score_of(judges)
    table = table.with_columns(
        pl.Series("system", [name for name, _, _ in asked]),
        pl.Series("place", [place for _, place, _ in asked]),
        pl.Series("event", [item.event for item in predicted]),
        pl.Series("headline", [item.prediction for item in predicted]),
        score=pl.col(score).cast(pl.Float64),
    )
    gold = table.filter(system=GOLD)
    of_gold = gold.select("place", gold="score")
    results = []
    for name in made:
        kind = PERTURBATIONS[name]
        rows = table.filter(system=name).join(of_gold, on="place", maintain_order="left")
        if len(rows):
            kept, interval = _kept(rows, resamples, seed)
            examples = []
            graded = "style" if kind.aspect == "style" else "score"
            for row in (
                rows.sort(graded, descending=True, maintain_order=True).head(EXAMPLES).iter_rows(named=True)
            ):
                item = ordered[row["place"]]
                example = {"id": item.id, "direction": item.direction, "source": item.source}
                example |= {"true": kind.true_headline(item), "headline": row["headline"]}
                examples.append(example | {"verdicts": {name: row[name] for name in COMPLIANCY_MEASURES}})
            about = (
                kind.name,
                bool(kind.seen),
                kind.description,
                kind.aspect,
                len(rows),
                rows["event"].n_unique(),
            )
            of_style = _style(rows, resamples, seed)
            results.append(Result(*about, kept, interval, of_style, _means(rows), tuple(examples)))
    results.sort(key=lambda result: -1.0 if result.kept is None else -result.kept)
    own = "The other newspaper's own headline, of all items that a perturbation has."
    about = (GOLD, False, own, "acceptability", len(gold), gold["event"].n_unique())
    of_style = _style(gold, resamples, seed)
    return [Result(*about, None, None, of_style, _means(gold)), *results]


def score_of(judges: "Judges") -> str:
    """What a perturbation keeps: acceptability, or compliancy where that is n/a."""
    return "compliancy" if judges.fluency is None else "acceptability"


def _style(rows: pl.DataFrame, resamples: int, seed: int) -> tuple[float, float] | None:
    """The 95% interval of the mean style, which draws events."""
    rows = rows.filter(pl.col("style").is_not_null())  # of directions in which it can be measured
    if rows.is_empty():
        return None
    columns = {"n": np.ones(len(rows)), "style": rows["style"].to_numpy()}

    def aggregate(sums: Statistics) -> dict[str, Floats]:
        return {"style": sums["style"] / sums["n"]}

    return measure(columns, aggregate, None, rows["event"].to_numpy(), resamples=resamples, seed=seed)[
        AVERAGE
    ]["style"].interval


def _means(rows: pl.DataFrame) -> dict[str, float | None]:
    return {
        name: None
        if rows[name].is_null().all()
        else float(np.nanmean(rows[name].cast(pl.Float64).to_numpy()))
        for name in COMPLIANCY_MEASURES
    }


def _kept(rows: pl.DataFrame, resamples: int, seed: int) -> tuple[float | None, tuple[float, float] | None]:
    """The ratio of both scores' means with its interval, which draws events; None where gold has no score."""

    def aggregate(sums: Statistics) -> dict[str, Floats]:
        return {"kept": sums["score"] / np.where(sums["gold"] > 0, sums["gold"], np.nan)}

    columns = {name: rows[name].to_numpy() for name in ("score", "gold")}
    found = measure(
        columns,
        aggregate,
        None,
        rows["event"].to_numpy(),
        shares={"kept": "gold"},
        resamples=resamples,
        seed=seed,
    )
    value, low, high = found[AVERAGE]["kept"]
    if np.isnan(value):
        return None, None
    return value, None if np.isnan(low + high) else (low, high)


@dataclass(frozen=True)
class Together:
    """What all judges together make of the perturbations.

    Attributes:
        counts: aspect to how many of the perturbations that it should notice are stopped, let through, and have too few headlines to tell.
        worst: those that acceptability lets through, with the share of gold's that they keep, what keeps most first.
    """

    counts: Mapping[str, tuple[int, int, int]]
    worst: tuple[tuple[str, float], ...]

    @classmethod
    def of(cls, systems: Sequence[Result]) -> "Together":
        """The counts of an audit's results."""
        outcomes: tuple[Outcome, ...] = get_args(Outcome)
        kinds = [system for system in systems if system.system != GOLD]
        counts = Counter((kind.aspect, kind.outcome) for kind in kinds)
        through = [
            (kind.system, kind.kept or 0.0)
            for kind in kinds
            if (kind.aspect, kind.outcome) == ("acceptability", "let through")
        ]
        stopped, let, few = outcomes
        return cls(
            {
                aspect: (counts[aspect, stopped], counts[aspect, let], counts[aspect, few])
                for aspect in get_args(Aspect)
            },
            tuple(sorted(through, key=lambda pair: -pair[1])),
        )

    @property
    def text(self) -> str:
        """What each aspect notices, and the worst that acceptability does not."""
        said = []
        for aspect, what in (
            ("acceptability", "headlines that are wrong on purpose"),
            ("style", "headlines that keep the original's style"),
        ):
            stopped, through, few = self.counts[aspect]
            if number := stopped + through + few:
                said.append(
                    f"{aspect} stops {stopped} of {number} kinds of {what} and lets {through} through"
                    + (f", {few} had too few examples" if few else "")
                )
        text = "; ".join(said)
        text = f"{text[:1].upper()}{text[1:]}." if said else ""
        absent = len(PERTURBATIONS) - sum(map(sum, self.counts.values()))
        if said and absent > 0:
            text += f" {absent} kinds more need names that capitals show, numbers, or Italian or English."
        if not self.worst:
            return text
        (first, share), *others = self.worst[:NAMED]
        shares = "".join(f", {name} ({figure(other)})" for name, other in others)
        return f"{text} Worst: {first} (keeps {figure(share)} of gold's acceptability){shares}."

    def as_dict(self) -> dict[str, Any]:
        """The same as a JSON object."""
        return {"text": self.text, **asdict(self)}


class Share(NamedTuple):
    """A share of right answers of a judge, or of a baseline, with its interval."""

    test: str
    value: float
    low: float
    high: float
    decides: bool = True  # the verdict on the judge


@dataclass(frozen=True)
class Verdict:
    """A verdict on a judge.

    Attributes:
        judge: main, hh, ah, fluency or evidence.
        level: how far to rely on it for what it is for.
        text: what else to know; no full stop.
        shares: what it gets right.
    """

    judge: str
    level: Level
    text: str = ""
    shares: tuple[Share, ...] = ()

    @property
    def words(self) -> str:
        """The level in words."""
        return WORDS[self.level]


@dataclass(frozen=True)
class Summary:
    """An audit in short, for every report.

    Attributes:
        verdicts: on each judge; empty where nothing is known.
        together: on all of them; None without an audit, when the verdicts come from `metrics.json` alone.
        page: the audit's page; None without one.
    """

    verdicts: tuple[Verdict, ...]
    together: Together | None = None
    page: Path | None = field(default=None, compare=False)

    @property
    def text(self) -> str:
        """The judges by how far to rely on them."""
        by_words: dict[str, list[str]] = {}
        for each in self.verdicts:
            by_words.setdefault(each.words, []).append(JUDGE_NAMES[each.judge])
        return "; ".join(f"{words}: {', '.join(judges)}" for words, judges in by_words.items())

    def as_dict(self) -> dict[str, Any]:
        """The same as a JSON object."""
        return {
            "together": self.together and self.together.as_dict(),
            "verdicts": [asdict(verdict) for verdict in self.verdicts],
        }


#: Nothing is known of the judges.
NO_AUDIT = Summary(())


def read_summary(judges: "Judges", folder: Path) -> Summary:
    """Judges in short: by `audit.json` in the folder `audit` next to theirs, if it is of the same models, else by the `metrics.json` of each."""
    path = folder.resolve().parent / "audit" / "audit.json"
    audit = read_json(path)
    if audit is None or audit.get("hashes") != hashes(judges):
        return Summary(tuple(verdicts(judges, read_metrics(folder))))
    with record_errors(path):
        counts = {aspect: (of[0], of[1], of[2]) for aspect, of in audit["together"]["counts"].items()}
        worst = tuple((str(name), float(share)) for name, share in audit["together"]["worst"])
        found = (
            Verdict(each["judge"], each["level"], each["text"], tuple(starmap(Share, each["shares"])))
            for each in audit["verdicts"]
        )
        return Summary(
            tuple(found),
            Together({aspect: counts[aspect] for aspect in get_args(Aspect)}, worst),
            path.with_suffix(".html"),
        )


def hashes(judges: "Judges") -> dict[str, str]:
    """Judge to the hash of its model."""
    return {task: judge.model_hash for task, judge in judges.by_task.items()}


def read_metrics(judges: str | Path) -> dict[str, dict[str, Any]]:
    """Judge to the `metrics.json` that training wrote in its folder, in a folder with one for each; judges without one are left out."""
    metrics = {}
    for judge in ("main", *TESTS):
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


def verdicts(
    judges: "Judges",
    metrics: Mapping[str, Mapping[str, Any]],
    systems: Sequence[Result] = (),
    *,
    has_capitals: bool = True,
) -> list[Verdict]:
    """Verdicts on main, hh, ah, fluency and evidence: by the results of `read_metrics`, and of an audit if there was one."""
    found = []
    for judge in ("main", *TESTS):
        shares, remarks = _shares(judge, metrics.get(judge, {}))
        level = _level(shares)
        if judge == "main":
            ahead = [each.test for each in shares[1:] if each.low > shares[0].high]
            remarks += [f"{listed(ahead)} is ahead of it"] if ahead else []
            remarks += _may_read_the_export(metrics.get(judge, {}), judges.main.corpus.get("looks", []))
            level = "care" if remarks and level == "rely" else level
            if faults := judges.style_faults:
                level = "distrust"
                remarks += dict.fromkeys(faults.values())
        if judge == "fluency" and judges.fluency is None:
            level, shares, remarks = "distrust", (), ["there is none, so that acceptability is n/a"]
        found.append(Verdict(judge, level, "; ".join(remarks), shares))
    for gold in (system for system in systems if system.system == GOLD):
        if (share := gold.values["evidence"]) is None:
            text = "articles are too short for it, so that acceptability leaves it out"
            found.append(Verdict("evidence", "distrust", text))
        else:
            accepted = Share(
                "accepts the newspapers' own headlines", share, *share_interval(share, gold.events)
            )
            level, text = _level([accepted]), ""
            if not has_capitals:
                level = "care" if level == "rely" else level
                text = "it looks up numbers and quotations only, since this script has no capitals to tell names by"
            found.append(Verdict("evidence", level, text, (accepted,)))
    return [each for each in found if each.text or each.shares]


def _may_read_the_export(record: Mapping[str, Any], looks: Sequence[Mapping[str, Any]]) -> list[str]:
    """Why main may tell how files were exported, and not style: marks and length alone are as good, or looks say that headlines are marked."""
    systems = record.get("within_event", {}).get("systems", {})
    lead = systems.get(MARKS, {}).get("lead", {}).get("within_event", {"low": 1})
    why = [f"{MARKS} alone are as good"] if lead["low"] <= 0 else []
    why += [f"{each['outlet']}: {each['name']}" for each in looks if each["name"] in MARKED]
    return [f"it may read the export ({listed(why)})"] if why else []


def _level(shares: Sequence[Share]) -> Level:
    """By the worst of the shares that decide; with care where there are none."""
    low = min((each.low for each in shares if each.decides), default=GOOD)
    return "rely" if low > GOOD else "care" if low > CHANCE else "distrust"


def _shares(judge: str, metrics: Mapping[str, Any]) -> tuple[tuple[Share, ...], list[str]]:
    """What a judge gets right, of main within an event with its baselines behind it, of others by `TESTS`; and where it is no better than a baseline."""
    if judge == "main":
        within = metrics.get("within_event", {"systems": {}})["systems"]
        names = {"judge": "says which of two headlines of one event is whose"}
        return tuple(
            Share(
                names.get(name, f"{name} (baseline)"),
                each["value"],
                each["low"],
                each["high"],
                name == "judge",
            )
            for name, each in within.items()
        ), []
    of_event = 1 if judge == "hh" else 2  # both headlines of an event are in the tests of the others
    results, shares = metrics.get("results", {}), []
    for test, name, words in TESTS[judge]:
        if test in results:
            cell = results[test][name]
            interval = share_interval(cell["recall"], max(1, cell.get("support", 1) / of_event))
            shares.append(Share(words, cell["recall"], *interval, test != FACTS))
    beaten = {test: no_better_than(metrics, test) for test in results if test != FACTS}
    return tuple(shares), [
        f"no better than {listed(names)} on the test {test}" for test, names in beaten.items() if names
    ]
