"""Say first whether the measures can rank systems here, then what came out for the systems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from change_it.audit.record import Summary
from change_it.audit.verdict import MEASURES, Measure, MeasureVerdict
from change_it.corpus.test_set import BUILT_IN, CLAUSE, GOLD
from change_it.files.texts import counted
from change_it.scoring.aspects import ASPECTS
from change_it.scoring.scores import Scores
from change_it.stats import AVERAGE, Floats, Statistics, holm, measure

#: What the verdicts answer.
QUESTION = "Can these measures rank systems here?"
#: A system whose fluency is surely below gold's by more than this does not write sentences.
FLUENCY_GAP = 0.1
#: A difference is sure below this p, corrected after Holm.
SURE = 0.05
#: Own systems that have a sentence each.
NAMED_SYSTEMS = 3
#: On which side of another system one is, in words that its name can follow.
ABOVE, BELOW, LEVEL = "above", "below", "not surely different from"
NO_AUDIT_REASON = "not known: these judges have no audit"
NOT_BETTER = "That does not make it better: read the headlines."
NOT_AS_GOOD = "Not different is not as good: read the headlines."


@dataclass(frozen=True)
class Ranking:
    """What the measures of a table can say of its systems.

    Attributes:
        summary: of the judges that score.
        unwritten: system to why it is taken for one that does not write sentences.
    """

    summary: Summary
    unwritten: Mapping[str, str]

    @classmethod
    def of(cls, scores: Scores, summary: Summary) -> "Ranking":
        """Find the systems that do not write sentences."""
        return cls(summary, find_unwritten(scores))

    @classmethod
    def of_all(cls, all_articles: Scores, pairs: Scores, summary: Summary) -> "Ranking":
        """Take the systems that do not write sentences from the pairs: without gold, all articles cannot tell."""
        unwritten = find_unwritten(pairs)
        of_these = {name: reason for name, reason in unwritten.items() if name in all_articles.names}
        return cls(summary, of_these)

    @property
    def verdicts(self) -> Mapping[Measure, MeasureVerdict]:
        """Measure to its verdict; empty without an audit."""
        return self.summary.verdicts

    @property
    def measures(self) -> list[Measure]:
        """The measures that can rank systems, or systems that write sentences, in the order of tables."""
        return sorted(self.summary.rank, key=ASPECTS.index)

    def reason(self, name: Measure, system: str) -> str:
        """Return why the figure of a measure says nothing of a system; empty where it does."""
        verdict = self.verdicts.get(name)
        if verdict is None:
            return NO_AUDIT_REASON
        if not verdict.can_rank:
            return verdict.sentence
        return self.unwritten.get(system, "") if verdict.verdict == "ranks sentences" else ""

    def grey(self, system: str) -> dict[str, str]:
        """Return the measures whose figures say nothing of a system, and why."""
        reasons = {name: self.reason(name, system) for name in MEASURES}
        return {name: reason for name, reason in reasons.items() if reason}


def find_unwritten(scores: Scores) -> dict[str, str]:
    """Return the systems whose fluency is surely below gold's by more than a tenth, and a sentence that says so."""
    if GOLD not in scores.items or "fluency" not in scores.known:
        return {}
    gold = _fluency_of_items([scores.items[GOLD]])
    found = {}
    for name in scores.names:
        runs = [scores.items[run] for run in runs_of(scores, name)]
        both = gold.join(_fluency_of_items(runs), on="id", suffix="_system", maintain_order="left")
        gaps = (both["fluency_system"] - both["fluency"]).to_numpy()
        columns = {"n": np.ones(both.height), "gap": gaps}
        strata, events = both["direction"].to_list(), both["event"].to_list()
        found_gap = measure(columns, _mean_gap, strata, events, resamples=scores.resamples)[AVERAGE]["gap"]
        if name != GOLD and found_gap.high < -FLUENCY_GAP:
            below = f"{-found_gap.value:.2f}".removeprefix("0")
            found[name] = f"its fluency is {below} below gold's: it does not write sentences"
    return found


def runs_of(scores: Scores, name: str) -> list[str]:
    """Return the systems that a row of a table is of: itself, or its runs."""
    if name in scores.items:
        return [name]
    return [system for system in scores.items if system.rpartition(".")[0] == name]


def _fluency_of_items(tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return one row an item, with the mean fluency of its headlines."""
    columns = ["id", "direction", "event", "fluency"]
    rows = pl.concat(table.select(columns) for table in tables)
    mean = pl.col("fluency").cast(pl.Float64).mean()
    return rows.group_by("id", "direction", "event", maintain_order=True).agg(mean)


def _mean_gap(sums: Statistics) -> dict[str, Floats]:
    """Return the mean difference."""
    return {"gap": sums["gap"] / sums["n"]}


def verdict_answers(verdicts: Mapping[Measure, MeasureVerdict]) -> list[tuple[Measure, str]]:
    """Return each measure and the answer to "can it rank systems here?"."""
    return [(name, verdicts[name].answer if name in verdicts else NO_AUDIT_REASON) for name in MEASURES]


def best_system(scores: Scores) -> str:
    """Return the first system of the table that is not built in; gold, or the first one, where there is none."""
    own = [system for system in scores.systems if system not in BUILT_IN]
    return next(iter([*own, *({GOLD} & {*scores.systems}), *scores.systems]))


def own_systems(scores: Scores) -> list[str]:
    """Return the names of rows that are not built in, the mean of several runs in their place."""
    runs = {run for name in scores.names if scores.row(name).runs > 1 for run in runs_of(scores, name)}
    return [name for name in scores.names if name not in BUILT_IN and name not in runs]


def outcome(scores: Scores, ranking: Ranking) -> str:
    """Say in a sentence or two what came out for one's own systems; empty where all systems are built in."""
    own = own_systems(scores)
    if not own:
        return ""
    if not ranking.measures:
        return f"Report nothing from this table. What would help: {what_helps(ranking.summary)}."
    sentences, sides = [], set()
    for name in own[:NAMED_SYSTEMS]:
        sentence, found = compared(scores, ranking, name, own)
        sentences.append(sentence)
        sides |= found
    if len(own) > NAMED_SYSTEMS:
        sentences.append(f"{len(own) - NAMED_SYSTEMS} systems more are in the table.")
    if ABOVE in sides:
        sentences.append(NOT_BETTER)
    elif LEVEL in sides:
        sentences.append(NOT_AS_GOOD)
    return " ".join(sentences)


def compared(scores: Scores, ranking: Ranking, system: str, own: Sequence[str]) -> tuple[str, set[str]]:
    """Compare a system with gold, or without it with a clause, in the measures that can rank it.

    Returns:
        A sentence, and the sides of gold on which the system is; none without gold.
    """
    other = GOLD if GOLD in scores.names else CLAUSE
    measures = [name for name in ranking.measures if name in scores.known]
    counting = [name for name in measures if not ranking.reason(name, system)]
    if not counting:
        return f"No measure ranks {system}: {ranking.unwritten.get(system, 'none is known of it')}.", set()
    sides: dict[str, list[str]] = {ABOVE: [], BELOW: [], LEVEL: []}
    for name in counting:
        sides[_side(scores, name, system, other, own)].append(name)
    parts = [f"{side} {other} in {_joined(names)}" for side, names in sides.items() if names]
    taken = {side for side, names in sides.items() if names and other == GOLD}
    return f"{system} is {', '.join(parts)}.", taken


def _joined(names: Sequence[str]) -> str:
    """Return `a, b and c`."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _side(scores: Scores, name: str, system: str, other: str, own: Sequence[str]) -> str:
    """Return whether a system is surely above or below another one, by the paired test or, of several runs, by its interval."""
    value, of_other = scores.row(system).values[name], scores.row(other).values[name]
    if system in scores.items:
        tested = [one for one in own if one in scores.items]
        place = scores.systems.index(other)
        p_values = [float(scores.p_values[name][scores.systems.index(one), place]) for one in tested]
        is_sure = holm(p_values)[tested.index(system)] < SURE
    else:
        low, high = scores.row(system).intervals.get(name, (-np.inf, np.inf))
        is_sure = not low <= of_other <= high
    if not is_sure:
        return LEVEL
    return ABOVE if value > of_other else BELOW


def still_needed(ranking: Ranking) -> str:
    """Say what would help to know of a measure; empty where none ranks, for `outcome` says it there."""
    unknown = [name for name, verdict in ranking.verdicts.items() if verdict.verdict == "not known"]
    if not unknown or not ranking.measures:
        return ""
    return f"What would help to know of {_joined(unknown)}: {what_helps(ranking.summary)}."


def what_helps(summary: Summary) -> str:
    """Say what would make a measure rank: an audit, more test pairs, or readers."""
    if not summary.verdicts:
        return "an audit, which says whether the measures can rank systems here (change-it audit)"
    needed = [verdict.pairs_needed for verdict in summary.verdicts.values() if verdict.verdict == "not known"]
    helps = []
    pairs = min((number for number in needed if number is not None), default=None)
    if pairs is not None and pairs <= summary.test_pairs:
        helps.append(f"an audit of more headlines (change-it audit --items {2 * pairs})")
    elif pairs is not None:
        helps.append(
            f"about {pairs:,} test pairs in the place of {summary.test_pairs:,}{_articles(summary, pairs)}"
        )
    elif needed:
        helps.append(f"more than ten times the {summary.pairs:,} test pairs that were tried")
    helps.append("people who read the headlines (change-it annotate sheets)")
    return ", or ".join(helps)


def _articles(summary: Summary, pairs: int) -> str:
    """Say how many articles have so many test pairs, at the rate of this corpus."""
    if not summary.articles or not summary.test_pairs:
        return ""
    number = int(round(summary.articles * pairs / summary.test_pairs, -2))
    return f", which is some {number:,} articles at this corpus's rate"


def headline(scores: Scores) -> str:
    """Return what a table is of: `300 headlines of 251 events`."""
    row = scores.row(scores.systems[0])
    return f"{counted(row.n, 'headline')} of {counted(row.events, 'event')}"
