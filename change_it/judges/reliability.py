"""What each judge sees and misses, by the tests of its training and 95% intervals; and the tables of a training."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from change_it.corpus.reading.issues import tells_outlets
from change_it.files.atomic import record_errors
from change_it.files.records import record_to_json
from change_it.files.texts import join_truncated
from change_it.judges.options import MARKS, StyleScale
from change_it.judges.record import JudgeMetrics, JudgeResults, WithinEvent, read_judge_metrics
from change_it.judges.spec import EVIDENCE, FACTS, JUDGES, Task, resolve, trained_tasks
from change_it.render.tables import Column, Row, Table, Value, figure, with_interval
from change_it.stats import share_interval
from change_it.training.record import METRICS

if TYPE_CHECKING:  # loads polars and scipy
    from change_it.judges.judge import Judge

#: How far a judge can be relied on for what it is for: fully, with care, not at all. Colours follow it, no sentence says it.
Level = Literal["rely", "care", "distrust"]
#: What a judge makes of a test.
Outcome = Literal["sees", "sees in part", "misses"]
#: A judge sees a test of which its share of right answers is surely above GOOD, halfway from chance to perfect; it misses one
#: whose share may be CHANCE.
GOOD = 0.75
CHANCE = 0.5

#: What follows the name of a baseline of main among its tests.
BASELINE = " (baseline)"
#: What to know of all verdicts.
NOTES = (
    "sees: the share of right answers is surely above .75; misses: it may be chance, .5; 95% intervals",
    "evidence looks every number, name and quotation up in the sources; who did or said it is not checked",
)


@dataclass(frozen=True)
class Verdict:
    """What a judge sees and misses of what it is for.

    Attributes:
        judge: one of `spec.JUDGES`.
        level: how far it can be relied on.
        text: what else to know; no full stop.
        shares: a test to the share that the judge gets right, 0-1, and the ends of its 95% interval.
    """

    judge: str
    level: Level
    text: str = ""
    shares: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)

    def outcome(self, test: str) -> Outcome:
        """Return what the judge makes of a test.

        Examples:
            >>> shares = {"a": (0.9, 0.8, 1.0), "b": (0.7, 0.6, 0.8), "c": (0.3, 0.2, 0.4)}
            >>> [Verdict("hh", "care", shares=shares).outcome(test) for test in shares]
            ['sees', 'sees in part', 'misses']
        """
        _, low, _ = self.shares[test]
        return "sees" if low > GOOD else "sees in part" if low > CHANCE else "misses"

    def tests(self, outcome: Outcome) -> list[str]:
        """Return the judge's own tests with this outcome, without those of its baselines."""
        own = [test for test in self.shares if not test.endswith(BASELINE)]
        return [test for test in own if self.outcome(test) == outcome]

    @property
    def words(self) -> str:
        """Return what the judge sees and misses, by its tests.

        Examples:
            >>> shares = {"refuses wrong stories": (0.9, 0.8, 1.0), "refuses changed facts": (0.3, 0.2, 0.4)}
            >>> Verdict("hh", "rely", shares=shares).words
            'sees: refuses wrong stories; misses: refuses changed facts (.300)'
        """
        parts = []
        for outcome in ("sees", "sees in part", "misses"):
            tests = self.tests(outcome)
            if outcome != "sees":
                tests = [f"{test} ({figure(self.shares[test][0])})" for test in tests]
            if tests:
                parts.append(f"{outcome}: {', '.join(tests)}")
        return "; ".join(parts)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object that is written, with the outcome of each test beside its share."""
        outcomes = {test: self.outcome(test) for test in self.shares}
        return record_to_json(self) | {"outcomes": outcomes}


def verdicts_table(verdicts: Sequence[Verdict]) -> Table:
    """Return what each judge sees and misses, a row for each test."""
    columns = [
        Column("judge", "text"),
        Column("test", "text", "what it should do"),
        Column("outcome", "text", ""),
        with_interval("share", "right"),
    ]
    rows = []
    for verdict in verdicts:
        heading = JUDGES[verdict.judge].heading
        cells: list[dict[str, Value]] = []
        for test, (share, low, high) in verdict.shares.items():
            is_baseline = test.endswith(BASELINE)
            outcome = "" if is_baseline else verdict.outcome(test)
            cells.append({"test": test, "outcome": outcome, "share": share, "share_interval": (low, high)})
        if verdict.text:
            cells.append({"test": verdict.text, "outcome": "", "share": ""})
        for number, cell in enumerate(cells):
            rows.append(Row({"judge": "" if number else heading, **cell}, verdict.judge))
    return Table(columns, rows, "What each judge sees and misses", NOTES)


def hashes(judges: Mapping[Task, "Judge"]) -> dict[str, str]:
    """Judge to the hash of its model."""
    return {task: judge.model_hash for task, judge in judges.items()}


def read_metrics(judges: str | Path) -> dict[str, JudgeMetrics]:
    """Read the `metrics.json` of each judge, in a folder with one for each; judges without one are left out."""
    metrics: dict[str, JudgeMetrics] = {}
    for judge in trained_tasks():
        folder = Path(judges) / judge
        record = read_judge_metrics(folder)
        if record is not None:
            with record_errors(folder / METRICS):  # where the figures are used
                rate_by_tests(judge, None, record)
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
    made = []
    for task in trained_tasks():
        if task in judges:
            made.append(resolve(JUDGES[task].rate)(task, judges[task], metrics.get(task)))
        else:
            so = ", so that acceptability is n/a" if JUDGES[task].in_acceptability else ""
            made.append(Verdict(task, "distrust", f"there is none{so}"))
    if gold is not None:
        made.append(_rate_evidence(*gold, has_capitals=has_capitals))
    return [verdict for verdict in made if verdict.text or verdict.shares]


def _level(lows: Sequence[float]) -> Level:
    """By the lowest end of the shares that decide; with care where there are none."""
    low = min(lows, default=GOOD)
    return "rely" if low > GOOD else "care" if low > CHANCE else "distrust"


def rate_main(task: Task, main: "Judge", metrics: JudgeResults | None) -> Verdict:
    """Rate main by what it gets right within an event, beside its baselines; with care where it may tell how files were exported."""
    systems = metrics.within_event.systems if metrics and metrics.within_event else {}
    names = {"judge": "says which of two headlines of one event is whose"}
    shares = {
        names.get(name, f"{name}{BASELINE}"): (share.value, share.low, share.high)
        for name, share in systems.items()
    }
    judge, *baselines = shares or [""]
    ahead = [name for name in baselines if shares[name][1] > shares[judge][2]]
    remarks = [f"{join_truncated(ahead)} is ahead of it"] if ahead else []
    leads = systems[MARKS].lead if MARKS in systems else None
    why = [f"{MARKS} alone are as good"] if leads and leads.within_event.low <= 0 else []
    issues = [issue for issue in main.corpus.looks or [] if tells_outlets(issue.name)]
    why += [f"{issue.outlet}: {issue.name}" for issue in issues]
    remarks += [f"it may read the export ({join_truncated(why)})"] if why else []
    level = _level([shares[judge][1]] if shares else [])
    level = "care" if remarks and level == "rely" else level
    faults = dict.fromkeys(main.style.faults(main.outlets).values() if main.style else ())
    return Verdict(task, "distrust" if faults else level, "; ".join([*remarks, *faults]), shares)


def rate_by_tests(task: Task, judge: "Judge | None", metrics: JudgeResults | None) -> Verdict:
    """Rate a judge by what it gets right of `JudgeSpec.tests`, and by where it is no better than a baseline."""
    if metrics is None:
        return Verdict(task, _level([]))
    spec, results = JUDGES[task], metrics.results
    shares, lows = {}, []
    for test, name, words in spec.tests:
        if test in results:
            of_class = results[test].classes[name]
            low, high = share_interval(of_class.recall, max(1, of_class.support / spec.per_event))
            shares[words] = of_class.recall, low, high
            lows += [low] if test != FACTS else []
    beaten = {test: no_better_than(metrics, test) for test in results if test != FACTS}
    text = [
        f"no better than {join_truncated(names)} on the test {test}"
        for test, names in beaten.items()
        if names
    ]
    return Verdict(task, _level(lows), "; ".join(text), shares)


def _rate_evidence(share: float | None, events: int, *, has_capitals: bool) -> Verdict:
    """By the share of the newspapers' own headlines that it accepts."""
    if share is None:
        return Verdict(
            EVIDENCE, "distrust", "articles are too short for it, so that acceptability leaves it out"
        )
    low, high = share_interval(share, events)
    level, shares = _level([low]), {"accepts the newspapers' own headlines": (share, low, high)}
    only = "it looks up numbers and quotations only, since this script has no capitals to tell names by"
    is_limited = level == "rely" and not has_capitals
    return Verdict(EVIDENCE, "care" if is_limited else level, "" if has_capitals else only, shares)


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
    columns += [
        Column("interval", "interval", "95% interval"),
        Column("lead", "interval", "judge is ahead by"),
    ]
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
    tests = metrics.results
    counts = ", ".join(f"{name} {sizes[name]:,}" for name in tests)
    notes = [
        f"{sizes['train']:,} training and {sizes['validation']:,} validation examples, test: {counts}; "
        f"{updates if training.updates else 'fitted'} in {metrics.seconds.all:.0f} s; "
        f"{best}fold {metrics.fold}; hash {metrics.model_hash[:6]}"
    ]
    if metrics.thresholds:
        loose, strict = figure(metrics.thresholds.loose), figure(metrics.thresholds.strict)
        near = f"; near: from {loose} to {strict}, two days apart or more" if "near" in tests else ""
        notes.append(f"hard: of the most similar wrong article below a cosine of {loose}{near}")
    rows = []
    for test, result in tests.items():
        baselines = {name: others[test] for name, others in metrics.baselines.items()}
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
            notes.append(
                f"on {test} the judge is no better than {' and '.join(names)}: it may be ahead by nothing"
            )
    columns = [Column("test", "text", "negatives" if spec.pairs else "test"), Column("system", "text")]
    columns += [Column(f"{name} {short}") for name in metrics.classes for short in ("P", "R", "F1")]
    return Table([*columns, Column("mean F1")], rows, f"{spec.heading} · gold A2", notes)
