"""How far to rely on each judge: by the tests of its training, and of an audit if there was one; decided by 95% intervals; and the tables of a training."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from change_it.corpus.reading.issues import MARKED
from change_it.files.atomic import read_json, record_errors
from change_it.files.texts import listed
from change_it.judges.options import MARKS, StyleScale
from change_it.judges.record import JudgeMetrics, JudgeResults, WithinEvent, read_judge_metrics
from change_it.judges.spec import FACTS, JUDGES, TRAINED, Task
from change_it.render.tables import Column, Row, Table, Value, figure, with_interval
from change_it.stats import share_interval

if TYPE_CHECKING:  # loads torch
    from change_it.judges.judge import Judge

#: Good for what it is for; with care; not at all.
Level = Literal["rely", "care", "distrust"]
WORDS: dict[Level, str] = {"rely": "reliable", "care": "with care", "distrust": "not reliable"}
#: A share of right answers whose interval is above this is reliable, halfway from chance to perfect; one that reaches chance is not.
GOOD, CHANCE = 0.75, 0.5

#: What HH and AH get right of changed facts: it decides no level, but is said with it.
OF_FACTS = next(words for test, _, words in JUDGES["hh"].tests if test == FACTS)

#: What to know of all verdicts.
NOTES = (
    "reliable: all shares of right answers are above .75 with their whole 95% intervals; not reliable: one reaches chance, .5, or, for main, style is n/a",
    "no judge is made to see changed facts: this test decides no level, and a judge that misses them is not for them",
    "evidence looks every number, name and quotation up in the sources; who did or said it is not checked",
)


@dataclass(frozen=True)
class Verdict:
    """How far to rely on a judge for what it is for."""

    judge: str  # one of `spec.JUDGES`
    level: Level
    text: str = ""  # what else to know; no full stop
    # what it gets right: a test to the share, 0-1, and the ends of its 95% interval
    shares: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """Return the level in words, and that changed facts are missed where the share that is seen may be chance."""
        words = WORDS[self.level]
        if self.level == "distrust" or OF_FACTS not in self.shares:
            return words
        _, low, _ = self.shares[OF_FACTS]
        return words if low > CHANCE else f"{words} for wrong stories, not for changed facts"


@dataclass(frozen=True)
class Summary:
    """An audit in short, for every report."""

    verdicts: tuple[Verdict, ...] = ()  # on each judge; empty where nothing is known
    together: str = ""  # what all make of deliberately wrong headlines; empty without an audit
    page: Path | None = field(default=None, compare=False)  # the audit's

    @property
    def text(self) -> str:
        """The judges by how far to rely on them."""
        by_words: dict[str, list[str]] = {}
        for verdict in self.verdicts:
            by_words.setdefault(verdict.words, []).append(JUDGES[verdict.judge].heading)
        return "; ".join(f"{words}: {', '.join(judges)}" for words, judges in by_words.items())

    def as_dict(self) -> dict[str, Any]:
        """The same as a JSON object."""
        return {"together": self.together, "verdicts": [asdict(verdict) for verdict in self.verdicts]}


#: Nothing is known of the judges.
NO_AUDIT = Summary()


def verdicts_table(verdicts: Sequence[Verdict]) -> Table:
    """What each judge gets right, and the verdict on it."""
    columns = [Column(name, "text") for name in ("judge", "verdict")]
    columns += [Column("test", "text", "what it does"), with_interval("share", "right")]
    rows = []
    for verdict in verdicts:
        named: dict[str, Value] = {"judge": JUDGES[verdict.judge].heading, "verdict": verdict.words}
        cells: list[dict[str, Value]] = [
            {"test": test, "share": share, "share_interval": (low, high)}
            for test, (share, low, high) in verdict.shares.items()
        ]
        cells += [{"test": verdict.text, "share": ""}] if verdict.text else []
        for cell in cells:
            rows.append(Row({**named, **cell}, verdict.judge))
            named = {"judge": "", "verdict": ""}
    return Table(columns, rows, "What each judge is good for", NOTES)


def read_summary(judges: Mapping[Task, "Judge"], folder: Path) -> Summary:
    """Judges in short: by `audit.json` in the folder `audit` next to theirs, if it is of the same models, else by the `metrics.json` of each."""
    path = folder.resolve().parent / "audit" / "audit.json"
    audit = read_json(path)
    if audit is None or audit.get("hashes") != hashes(judges) or not isinstance(audit["together"], str):
        return Summary(tuple(rate_judges(judges, read_metrics(folder))))
    with record_errors(path):
        return read_verdicts(audit, path.with_suffix(".html"))


def read_verdicts(audit: Mapping[str, Any], page: Path | None = None) -> Summary:
    """The verdicts in an audit, a JSON object."""
    verdicts = []
    for row in audit["verdicts"]:
        shares = {test: (value, low, high) for test, (value, low, high) in row["shares"].items()}
        verdicts.append(Verdict(row["judge"], row["level"], row["text"], shares))
    return Summary(tuple(verdicts), audit["together"], page)


def hashes(judges: Mapping[Task, "Judge"]) -> dict[str, str]:
    """Judge to the hash of its model."""
    return {task: judge.model_hash for task, judge in judges.items()}


def read_metrics(judges: str | Path) -> dict[str, JudgeMetrics]:
    """Read the `metrics.json` of each judge, in a folder with one for each; judges without one are left out."""
    metrics: dict[str, JudgeMetrics] = {}
    for judge in TRAINED:
        record = read_judge_metrics(Path(judges) / judge)
        if record is not None:
            metrics[judge] = record
    return metrics


def rate_judges(
    judges: Mapping[Task, "Judge"],
    metrics: Mapping[str, JudgeMetrics],
    gold: tuple[float | None, int] | None = None,
    *,
    has_capitals: bool = True,
) -> list[Verdict]:
    """Verdicts on the judges by the results of `read_metrics`; and on evidence by the share of gold that it accepts, of so many events."""
    made = [_rate_main(judges["main"], metrics.get("main"))]
    made += [_rate_by_tests(judge, metrics.get(judge)) for judge in ("hh", "ah")]
    lacks_fluency = Verdict("fluency", "distrust", "there is none, so that acceptability is n/a")
    made.append(_rate_by_tests("fluency", metrics.get("fluency")) if "fluency" in judges else lacks_fluency)
    if gold is not None:
        made.append(_rate_evidence(*gold, has_capitals=has_capitals))
    return [verdict for verdict in made if verdict.text or verdict.shares]


def _level(lows: Sequence[float]) -> Level:
    """By the lowest end of the shares that decide; with care where there are none."""
    low = min(lows, default=GOOD)
    return "rely" if low > GOOD else "care" if low > CHANCE else "distrust"


def _rate_main(main: "Judge", metrics: JudgeResults | None) -> Verdict:
    """By main within an event, beside its baselines; with care where it may tell how files were exported, and not style."""
    systems = metrics.within_event.systems if metrics and metrics.within_event else {}
    names = {"judge": "says which of two headlines of one event is whose"}
    shares = {
        names.get(name, f"{name} (baseline)"): (share.value, share.low, share.high)
        for name, share in systems.items()
    }
    judge, *baselines = shares or [""]
    ahead = [name for name in baselines if shares[name][1] > shares[judge][2]]
    remarks = [f"{listed(ahead)} is ahead of it"] if ahead else []
    leads = systems[MARKS].lead if MARKS in systems else None
    why = [f"{MARKS} alone are as good"] if leads and leads.within_event.low <= 0 else []
    issues = [issue for issue in main.corpus.looks or [] if issue.name in MARKED]
    why += [f"{issue.outlet}: {issue.name}" for issue in issues]
    remarks += [f"it may read the export ({listed(why)})"] if why else []
    level = _level([shares[judge][1]] if shares else [])
    level = "care" if remarks and level == "rely" else level
    faults = dict.fromkeys(main.style.faults(main.outlets).values() if main.style else ())
    return Verdict("main", "distrust" if faults else level, "; ".join([*remarks, *faults]), shares)


def _rate_by_tests(judge: str, metrics: JudgeResults | None) -> Verdict:
    """By what it gets right of `JudgeSpec.tests`, and where it is no better than a baseline."""
    of_event = 1 if judge == "hh" else 2  # both headlines of an event are in the tests of the others
    if metrics is None:
        return Verdict(judge, _level([]))
    results, shares, lows = metrics.results, {}, []
    for test, name, words in JUDGES[judge].tests:
        if test in results:
            of_class = results[test].classes[name]
            low, high = share_interval(of_class.recall, max(1, of_class.support / of_event))
            shares[words] = of_class.recall, low, high
            lows += [low] if test != FACTS else []
    beaten = {test: no_better_than(metrics, test) for test in results if test != FACTS}
    text = [f"no better than {listed(names)} on the test {test}" for test, names in beaten.items() if names]
    return Verdict(judge, _level(lows), "; ".join(text), shares)


def _rate_evidence(share: float | None, events: int, *, has_capitals: bool) -> Verdict:
    """By the share of the newspapers' own headlines that it accepts."""
    if share is None:
        return Verdict(
            "evidence", "distrust", "articles are too short for it, so that acceptability leaves it out"
        )
    low, high = share_interval(share, events)
    level, shares = _level([low]), {"accepts the newspapers' own headlines": (share, low, high)}
    only = "it looks up numbers and quotations only, since this script has no capitals to tell names by"
    is_limited = level == "rely" and not has_capitals
    return Verdict("evidence", "care" if is_limited else level, "" if has_capitals else only, shares)


def no_better_than(metrics: JudgeResults, test: str) -> tuple[str, ...]:
    """List the baselines that the judge is not surely ahead of on a test: the interval of its lead reaches 0."""
    leads = {name: results[test].lead for name, results in metrics.baselines.items()}
    return tuple(name for name, lead in leads.items() if lead is not None and lead.low <= 0)


def within_event_table(within: WithinEvent | None, scale: StyleScale | None = None) -> Table | None:
    """Make a table of main within an event, with a note on its scale of style; None where there is nothing."""
    if within is None:
        return None
    rows, notes = [], []
    for name, share in within.systems.items():
        cells: dict[str, Value] = {
            "system": name,
            "value": share.value,
            "interval": (share.low, share.high),
        }
        if share.lead:
            cells["lead"] = share.lead.within_event.interval
            if share.lead.within_event.high < 0:
                notes.append(f"{name} is better than this judge within an event: do not score style with it")
        rows.append(Row(cells, highlight=name == "judge"))
    columns = [Column("system", "text"), Column("value", title="within an event")]
    columns += [Column("interval", "interval", "95% interval"), Column("lead", "interval", "judge's lead")]
    notes.append("within an event: main assigns both headlines of an event to their outlets; chance is .5")
    if scale:
        first, second = scale.clause
        notes.append(
            f"style: on {scale.pairs:,} training pairs of {scale.events:,} events that it did not learn from, the median step of the log odds is "
            f"{scale.gold:.2f} to the other newspaper's headline and {first:.2f} and {second:.2f} to clauses of the original's "
            f"article; main is right in {figure(scale.accuracy)} of these pairs"
        )
    title = f"main within an event · {within.pairs:,} pairs of {within.events:,} events of A2"
    return Table(columns, rows, title, notes)


def table_of(metrics: JudgeMetrics) -> Table:
    """Make a table of a judge and its baselines, as in the papers' Table 1."""
    sizes, training = metrics.sizes, metrics.training
    spec = JUDGES[metrics.task]
    updates = f"{training.updates:,} updates ({training.epochs:.1f} epochs)"
    best = f"best validation F1 {training.best_score:.3f}; " if training.best_score is not None else ""
    tests = ", ".join(f"{name} {sizes[name]:,}" for name in metrics.results)
    notes = [
        f"{sizes['train']:,} training and {sizes['validation']:,} validation examples, test: {tests}; "
        f"{updates if training.updates else 'fitted'} in {metrics.seconds.all:.0f} s; "
        f"{best}fold {metrics.fold}; hash {metrics.model_hash[:6]}"
    ]
    if metrics.thresholds:
        loose, strict = figure(metrics.thresholds.loose), figure(metrics.thresholds.strict)
        near = f"; near: from {loose} to {strict}, two days apart or more" if metrics.task == "hh" else ""
        notes.append(f"hard: of the most similar wrong article below a cosine of {loose}{near}")
    rows = []
    for test, result in metrics.results.items():
        baselines = {name: results[test] for name, results in metrics.baselines.items()}
        for system, found in {"judge": result, **baselines}.items():
            cells: dict[str, Value] = {"test": test, "system": system, "mean F1": found.macro_f1}
            for name, figures in found.classes.items():
                cells |= {
                    f"{name} P": figures.precision,
                    f"{name} R": figures.recall,
                    f"{name} F1": figures.f1,
                }
            rows.append(Row(cells, test, system == "judge"))
        if names := no_better_than(metrics, test):
            notes.append(f"on {test} the judge is no better than {' and '.join(names)}: its lead may be 0")
    columns = [Column("test", "text", "negatives" if spec.pairs else "test"), Column("system", "text")]
    columns += [Column(f"{name} {short}") for name in metrics.classes for short in ("P", "R", "F1")]
    return Table([*columns, Column("mean F1")], rows, f"{spec.heading} · gold A2", notes)
