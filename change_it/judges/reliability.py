"""Say what each judge sees and misses, by the tests of its training, and make the tables of a training."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from change_it.corpus.reading.issues import tells_outlets
from change_it.corpus.record import Thresholds
from change_it.files.atomic import record_errors
from change_it.files.records import IF_KNOWN, record_to_json
from change_it.files.texts import join_truncated
from change_it.judges.options import MARKS, StyleScale
from change_it.judges.record import (
    JudgeMetrics,
    JudgeResults,
    TestScores,
    WithinEvent,
    WithinEventShare,
    learnt_from_few,
    read_judge_metrics,
)
from change_it.judges.spec import EVIDENCE, FACTS, JUDGES, Task, resolve, trained_tasks
from change_it.render.tables import Column, Row, Table, Value, figure, with_interval
from change_it.stats import share_interval
from change_it.training.record import METRICS

if TYPE_CHECKING:  # loads polars and scipy
    from change_it.judges.judge import Judge

#: How far a judge can be relied on for what it is for: fully, with care, not at all. Colours follow it, no
#: sentence says it.
Level = Literal["rely", "care", "distrust"]
#: What a judge makes of a test.
Outcome = Literal["sees", "sees at least in part", "misses", "not known"]
#: The outcomes in the order in which a sentence names them.
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
#: A judge sees a test of which its share of right answers is surely above this, halfway from chance to
#: perfect.
GOOD = 0.75
#: A judge sees a test at least in part of which its share of right answers is surely above this.
CHANCE = 0.5

#: What follows the name of a baseline of main among its tests.
BASELINE = " (baseline)"
#: The test of main within an event.
WITHIN_EVENT = "says which of two headlines of one event is whose"
#: What to know of all verdicts.
NOTES = (
    "sees: the share of right answers is surely above .75, as its 95% interval below says; "
    "sees at least in part: surely above chance, .5",
    "misses: it may be chance, and is surely at most .75; "
    "not known: it may be chance or above .75, for the tests are few",
    "evidence looks every number, name and quotation up in the sources; who did or said it is not checked",
)


@dataclass(frozen=True)
class Verdict:
    """What a judge sees and misses of what it is for.

    Attributes:
        judge: One of `spec.JUDGES`.
        level: How far it can be relied on.
        text: What else to know; no full stop.
        shares: Test to the share that the judge gets right, 0-1, and the ends of its 95% interval.
        matches: Matches that the judge learnt from, where they are fewer than `JudgeSpec.few_matches`.
    """

    judge: str
    level: Level
    text: str = ""
    shares: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    matches: int | None = field(default=None, metadata=IF_KNOWN)

    def outcome(self, test: str) -> Outcome:
        """Return what the judge makes of a test.

        Examples:
            >>> shares = {"a": (0.9, 0.8, 1.0), "b": (1.0, 0.6, 1.0)}
            >>> shares |= {"c": (0.3, 0.2, 0.4), "d": (0.9, 0.4, 1.0)}
            >>> [Verdict("hh", "care", shares=shares).outcome(test) for test in shares]
            ['sees', 'sees at least in part', 'misses', 'not known']
        """
        _, low, high = self.shares[test]
        if low > GOOD:
            return "sees"
        if low > CHANCE:
            return "sees at least in part"
        if high <= GOOD:
            return "misses"
        return "not known"

    def tests(self, outcome: Outcome) -> list[str]:
        """Return the judge's own tests with this outcome, without the tests of its baselines."""
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
        for outcome in OUTCOMES:
            tests = self.tests(outcome)
            if outcome != "sees":
                tests = [f"{test} ({figure(self.shares[test][0])})" for test in tests]
            if tests:
                parts.append(f"{outcome}: {', '.join(tests)}")
        return "; ".join(parts)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object that is written, with the outcome of each test beside its share."""
        written = record_to_json(self)
        written["outcomes"] = {test: self.outcome(test) for test in self.shares}
        return written


def verdicts_table(verdicts: Sequence[Verdict]) -> Table:
    """Return what each judge sees and misses, a row for each test."""
    columns = [
        Column("judge", format="text"),
        Column("test", format="text", title="what it should do"),
        Column("outcome", format="text", title=""),
        with_interval("share", title="right"),
    ]
    rows = []
    for verdict in verdicts:
        heading = JUDGES[verdict.judge].heading
        for cells in _cells_of_verdict(verdict):
            rows.append(Row({"judge": heading, **cells}, group=verdict.judge))
            heading = ""  # stands in the first row alone
    return Table(columns, rows, title="What each judge sees and misses", notes=NOTES)


def _cells_of_verdict(verdict: Verdict) -> list[dict[str, Value]]:
    """Return the cells of one row for each test, and of a last row for the text of the verdict."""
    rows: list[dict[str, Value]] = []
    for test, (share, low, high) in verdict.shares.items():
        outcome = "" if test.endswith(BASELINE) else verdict.outcome(test)
        rows.append({"test": test, "outcome": outcome, "share": share, "share_interval": (low, high)})
    if verdict.text:
        rows.append({"test": verdict.text, "outcome": "", "share": ""})
    return rows


def hashes(judges: Mapping[Task, "Judge"]) -> dict[str, str]:
    """Return the hash of each judge's model."""
    return {task: judge.model_hash for task, judge in judges.items()}


def read_metrics(judges: str | Path) -> dict[str, JudgeMetrics]:
    """Read the `metrics.json` of each judge in a folder of judges; those without one are left out."""
    metrics: dict[str, JudgeMetrics] = {}
    for judge in trained_tasks():
        folder = Path(judges) / judge
        record = read_judge_metrics(folder)
        if record is not None:
            # a file that lacks a figure is refused here, and not where the figure is used
            with record_errors(folder / METRICS):
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
    """Rate the judges by the results of `read_metrics`, and evidence by the newspapers' own headlines.

    Args:
        judges: Task to judge.
        metrics: Task to what its training measured.
        gold: The share of gold that evidence accepts, None where articles are too short for it, and the
            number of events; without it evidence is not rated.
        has_capitals: Whether the script has capitals to tell names by.

    Returns:
        The verdicts that say something, evidence last.
    """
    verdicts = []
    for task in trained_tasks():
        if task in judges:
            verdicts.append(resolve(JUDGES[task].rate)(task, judges[task], metrics.get(task)))
        else:
            consequence = ", so that acceptability is n/a" if JUDGES[task].in_acceptability else ""
            verdicts.append(Verdict(task, "distrust", f"there is none{consequence}"))
    if gold is not None:
        share, events = gold
        verdicts.append(_rate_evidence(share, events, has_capitals=has_capitals))
    return [verdict for verdict in verdicts if verdict.text or verdict.shares]


def _level(lows: Sequence[float]) -> Level:
    """Return how far a judge can be relied on.

    Args:
        lows: lower ends of the intervals of the shares that it gets right in the tests that rate it. Without
            any test it is used with care.
    """
    low = min(lows, default=GOOD)
    if low > GOOD:
        return "rely"
    if low > CHANCE:
        return "care"
    return "distrust"


def rate_main(task: Task, main: "Judge", metrics: JudgeResults | None) -> Verdict:
    """Rate main by what it gets right within an event, beside its baselines.

    Its level is at most `care` where it may tell outlets apart by how their files were exported. It is
    `distrust` where main cannot measure style.
    """
    systems: Mapping[str, WithinEventShare] = {}
    if metrics is not None and metrics.within_event is not None:
        systems = metrics.within_event.systems
    shares = {}
    for name, share in systems.items():
        test = WITHIN_EVENT if name == "judge" else f"{name}{BASELINE}"
        shares[test] = (share.value, share.low, share.high)
    level = _level([])
    remarks = []
    if shares:
        judge, *baselines = shares
        _, low, high = shares[judge]
        level = _level([low])
        ahead = [name for name in baselines if shares[name][1] > high]
        if ahead:
            remarks.append(f"{join_truncated(ahead)} is ahead of it")
    signs = _signs_of_export(main, systems)
    if signs:
        remarks.append(f"it may read the export ({join_truncated(signs)})")
    if remarks and level == "rely":
        level = "care"
    if main.style:
        faults = dict.fromkeys(main.style.faults(main.outlets).values())
        remarks.extend(faults)
        if faults:
            level = "distrust"
    return Verdict(task, level, "; ".join(remarks), shares)


def _signs_of_export(main: "Judge", systems: Mapping[str, WithinEventShare]) -> list[str]:
    """List the signs that main tells the outlets apart by how their files were exported, not by their style.

    They are a baseline of marks, capitals and length that is as good, and issues of the corpus that differ
    between the outlets.
    """
    signs = []
    leads = systems[MARKS].lead if MARKS in systems else None
    if leads is not None and leads.within_event.low <= 0:
        signs.append(f"{MARKS} alone are as good")
    for issue in main.corpus.looks or []:
        if tells_outlets(issue.name):
            signs.append(f"{issue.outlet}: {issue.name}")
    return signs


def rate_by_tests(task: Task, judge: "Judge | None", metrics: JudgeResults | None) -> Verdict:
    """Rate a judge by what it gets right of `JudgeSpec.tests`, and name baselines that it is no better than.

    What it makes of changed facts is shown and does not count for its level. The level is at most `care`
    where the judge learnt from few matches.
    """
    if metrics is None:
        return Verdict(task, _level([]))
    spec = JUDGES[task]
    shares = {}
    lows = []
    for test, name, words in spec.tests:
        if test in metrics.results:
            of_class = metrics.results[test].classes[name]
            # the support counts examples, of which an event has several
            events = max(1, of_class.support / spec.per_event)
            low, high = share_interval(of_class.recall, events)
            shares[words] = (of_class.recall, low, high)
            if test != FACTS:
                lows.append(low)
    level = _level(lows)
    remarks = []
    if metrics.few_matches is not None:
        remarks.append(learnt_from_few(task, metrics.few_matches))
        level = "care" if level == "rely" else level
    for test in metrics.results:
        baselines = no_better_than(metrics, test)
        if baselines and test != FACTS:
            remarks.append(f"no better than {join_truncated(baselines)} on the test {test}")
    return Verdict(task, level, "; ".join(remarks), shares, metrics.few_matches)


def _rate_evidence(share: float | None, events: int, *, has_capitals: bool) -> Verdict:
    """Rate evidence by the share of the newspapers' own headlines that it accepts."""
    if share is None:
        fault = "articles are too short for it, so that acceptability leaves it out"
        return Verdict(EVIDENCE, "distrust", fault)
    low, high = share_interval(share, events)
    shares = {"accepts the newspapers' own headlines": (share, low, high)}
    level = _level([low])
    if has_capitals:
        return Verdict(EVIDENCE, level, shares=shares)
    if level == "rely":
        level = "care"
    remark = "it looks up numbers and quotations only, since this script has no capitals to tell names by"
    return Verdict(EVIDENCE, level, remark, shares)


def no_better_than(metrics: JudgeResults, test: str) -> tuple[str, ...]:
    """Return the baselines that the judge is not surely ahead of on a test.

    The interval of the judge's lead over such a baseline reaches 0 or less.
    """
    names = []
    for name, results in metrics.baselines.items():
        lead = results[test].lead
        if lead is not None and lead.low <= 0:
            names.append(name)
    return tuple(names)


def within_event_table(within: WithinEvent | None, scale: StyleScale | None = None) -> Table | None:
    """Make a table of main within an event, with a note on its scale of style; None without a measurement."""
    if within is None:
        return None
    rows = []
    notes = []
    for name, share in within.systems.items():
        interval = (share.low, share.high)
        cells: dict[str, Value] = {"system": name, "value": share.value, "interval": interval}
        if share.lead:
            cells["lead"] = share.lead.within_event.interval
            if share.lead.within_event.high < 0:
                notes.append(f"{name} is better than this judge within an event: do not score style with it")
        rows.append(Row(cells, highlight=name == "judge"))
    columns = [
        Column("system", format="text"),
        Column("value", title="within an event"),
        Column("interval", format="interval", title="95% interval"),
        Column("lead", format="interval", title="judge is ahead by"),
    ]
    notes.append("within an event: main assigns both headlines of an event to their outlets; chance is .5")
    if scale:
        notes.append(_note_on_style(scale))
    title = f"main within an event · {within.pairs:,} pairs of {within.events:,} events of A2"
    return Table(columns, rows, title=title, notes=notes)


def _note_on_style(scale: StyleScale) -> str:
    """Say what main's scale of style was measured on, and what it is."""
    from_a, from_b = scale.clause
    return (
        f"style: on {scale.pairs:,} training pairs of {scale.events:,} events that it did not learn from, "
        f"the median step of the log odds is {scale.gold:.2f} to the other newspaper's headline and "
        f"{from_a:.2f} and {from_b:.2f} to clauses of the original's article; "
        f"main is right in {figure(scale.accuracy)} of these pairs"
    )


def results_table(metrics: JudgeMetrics) -> Table:
    """Make a table of a judge and its baselines in each test, as in the papers' Table 1."""
    spec = JUDGES[metrics.task]
    notes = [_note_on_training(metrics)]
    if metrics.thresholds:
        notes.append(_note_on_partners(metrics.thresholds, has_near="near" in metrics.results))
    rows = []
    for test, result in metrics.results.items():
        rows.append(Row(_cells_of_test(test, "judge", result), group=test, highlight=True))
        for baseline, results in metrics.baselines.items():
            rows.append(Row(_cells_of_test(test, baseline, results[test]), group=test, highlight=False))
        names = no_better_than(metrics, test)
        if names:
            notes.append(
                f"on {test} the judge is no better than {' and '.join(names)}: it may be ahead by nothing"
            )
    columns = [
        Column("test", format="text", title="negatives" if spec.pairs else "test"),
        Column("system", format="text"),
    ]
    for name in metrics.classes:
        columns += [Column(f"{name} P"), Column(f"{name} R"), Column(f"{name} F1")]
    columns.append(Column("mean F1"))
    return Table(columns, rows, title=f"{spec.heading} · gold A2", notes=notes)


def _cells_of_test(test: str, system: str, scores: TestScores) -> dict[str, Value]:
    """Return the cells of what a judge or a baseline gets right in a test."""
    cells: dict[str, Value] = {"test": test, "system": system, "mean F1": scores.macro_f1}
    for name, figures in scores.classes.items():
        cells[f"{name} P"] = figures.precision
        cells[f"{name} R"] = figures.recall
        cells[f"{name} F1"] = figures.f1
    return cells


def _note_on_training(metrics: JudgeMetrics) -> str:
    """Say how many examples a judge learnt from and was tested on, how long it took, and which one it is."""
    sizes = metrics.sizes
    training = metrics.training
    tests = ", ".join(f"{name} {sizes[name]:,}" for name in metrics.results)
    how = "fitted"
    if training.updates:
        how = f"{training.updates:,} updates ({training.epochs:.1f} epochs)"
    parts = [
        f"{sizes['train']:,} training and {sizes['validation']:,} validation examples, test: {tests}",
        f"{how} in {metrics.seconds.all:.0f} s",
    ]
    if training.best_score is not None:
        parts.append(f"best validation F1 {training.best_score:.3f}")
    parts.append(f"fold {metrics.fold}")
    parts.append(f"hash {metrics.model_hash[:6]}")
    return "; ".join(parts)


def _note_on_partners(thresholds: Thresholds, *, has_near: bool) -> str:
    """Say which wrong partners are hard, and which are near."""
    loose = figure(thresholds.loose)
    note = f"hard: of the most similar wrong article below a cosine of {loose}"
    if has_near:
        note += f"; near: from {loose} to {figure(thresholds.strict)}, two days apart or more"
    return note
