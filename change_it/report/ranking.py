"""Say first whether the measures can rank systems here, then what came out for the systems."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import polars as pl

from change_it.audit.record import Summary
from change_it.audit.verdict import MEASURES, Measure, MeasureVerdict
from change_it.corpus.report import DENSER_NEEDS_FEWER
from change_it.corpus.test_set import BUILT_IN, CLAUSE, GOLD, PRINTED
from change_it.files.texts import enumerated, join_truncated, pluralise
from change_it.render.tables import two_decimals
from change_it.scoring.aspects import ASPECTS, compared_aspects
from change_it.scoring.comparison import SURE
from change_it.scoring.scores import Scores
from change_it.stats import AVERAGE, Floats, Score, Statistics, holm, measure

#: The question that the verdicts on the measures answer.
QUESTION = "Can these measures rank systems here?"
#: A system whose fluency is surely below gold's by more than this is taken for one that writes no sentences.
FLUENCY_GAP = 0.1
#: Own systems that have a sentence each, at most.
NAMED_SYSTEMS = 3
#: Why a measure is grey where nothing is known of it.
NO_AUDIT_REASON = "not known: these judges have no audit"
#: Why an aspect is grey for which no rule says which wrong headlines it should notice.
NOT_AUDITED_REASON = "not known: the audit says nothing of it"
#: What follows where a system is above gold.
NOT_BETTER = "That does not make it better: read the headlines."
#: What follows where a system is not surely different from gold, and none is above it.
NOT_AS_GOOD = "Not different is not as good: read the headlines."

#: On which side of another system a system is.
Side = Literal["above", "below", "not surely different from"]
#: The sides in the order in which a sentence names them.
SIDES: tuple[Side, ...] = get_args(Side)


@dataclass(frozen=True)
class Ranking:
    """What the measures of a table can say of its systems.

    Attributes:
        summary: what is known of the judges that score.
        unwritten: each system that is taken for one that writes no sentences to what the judge fluency made
            of its headlines.
    """

    summary: Summary
    unwritten: Mapping[str, str]

    @classmethod
    def from_scores(cls, scores: Scores, summary: Summary) -> "Ranking":
        """Return what the measures can say of the systems of a table, with those of `find_unwritten`."""
        return cls(summary, find_unwritten(scores))

    @classmethod
    def from_pairs(cls, all_articles: Scores, pairs: Scores, summary: Summary) -> "Ranking":
        """Return what the measures can say of the systems on all test articles.

        What fluency makes of systems is taken from the pairs, since not all articles have a gold headline.
        """
        unwritten = find_unwritten(pairs)
        of_these = {name: reason for name, reason in unwritten.items() if name in all_articles.names}
        return cls(summary, of_these)

    @property
    def verdicts(self) -> Mapping[Measure, MeasureVerdict]:
        """Return the verdict on each measure; empty without an audit."""
        return self.summary.verdicts

    @property
    def measures(self) -> list[Measure]:
        """Return the measures that can rank at least systems that write sentences, in table order."""
        return sorted(self.summary.rankable, key=list(ASPECTS).index)

    def reason(self, name: Measure, system: str) -> str:
        """Return why the figure of a measure says nothing of a system; empty where it does."""
        verdict = self.verdicts.get(name)
        if verdict is None:
            return NO_AUDIT_REASON
        if not verdict.can_rank:
            return verdict.sentence
        if verdict.verdict == "ranks sentences":
            # such a measure says nothing of systems that may write no sentences
            return self.unwritten.get(system, "")
        return ""

    def grey(self, system: str) -> dict[str, str]:
        """Return the measures whose figures say nothing of a system, and why."""
        reasons: dict[str, str] = {}
        for measure_name in MEASURES:
            reason = self.reason(measure_name, system)
            if reason:
                reasons[measure_name] = reason
        for aspect in compared_aspects():
            if aspect not in MEASURES:
                reasons[aspect] = NOT_AUDITED_REASON
        return reasons

    def grey_beside(self, system: str, other: str) -> dict[str, str]:
        """Return the measures whose differences of two systems say nothing, and why."""
        return {**self.grey(other), **self.grey(system)}

    def standing(self, name: str, systems: Sequence[str]) -> str:
        """Return the verdict on an aspect in a word or two, or `refused by fluency` where a system mostly is.

        It stands beside the figures of these systems in files for programs.
        """
        by_name = {str(measure_name): verdict for measure_name, verdict in self.verdicts.items()}
        verdict = by_name.get(name)
        if verdict is None:
            return "not known"
        if verdict.verdict == "ranks sentences" and not self.unwritten.keys().isdisjoint(systems):
            return "refused by fluency"
        return verdict.verdict

    def caution(self, measures: Collection[str], systems: Sequence[str]) -> str:
        """Say by which of these measures no systems may be compared; empty where all can be.

        It stands at tables that people may read, copy or print without the verdicts.
        """
        names_by_verdict: dict[str, list[str]] = {}
        for name in compared_aspects():
            if name in measures:
                names_by_verdict.setdefault(self.standing(name, ()), []).append(name)
        sentences = []
        not_known = names_by_verdict.get("not known")
        if not_known:
            fault = f"{_they_are(not_known)} not known to rank them here"
            if not self.verdicts:
                fault = "these judges have no audit"
            sentences.append(f"Compare no systems by {enumerated(not_known)}: {fault}.")
        cannot_rank = names_by_verdict.get("cannot rank")
        if cannot_rank:
            they = "it" if len(cannot_rank) == 1 else "they"
            sentences.append(
                f"Compare no systems by {enumerated(cannot_rank)}: {they} cannot rank them here."
            )
        of_sentences = names_by_verdict.get("ranks sentences")
        unwritten = [system for system in systems if system in self.unwritten]
        if of_sentences and unwritten:
            they = "it" if len(unwritten) == 1 else "them"
            figures = f"{enumerated(of_sentences)} of {join_truncated(unwritten)}"
            sentences.append(f"Compare no {figures}: the judge fluency refuses {they} more often than gold.")
        return " ".join(sentences)


def _they_are(names: Sequence[str]) -> str:
    """Return what stands for so many names, with its verb."""
    return "it is" if len(names) == 1 else "they are"


def find_unwritten(scores: Scores) -> dict[str, str]:
    """Return the systems that are taken for ones that write no sentences, each with what was measured.

    Their fluency is surely below gold's by more than `FLUENCY_GAP`. Fluency can be wrong, and of `PRINTED` it
    is. Nothing is found without gold or without a fluency judge.
    """
    if GOLD not in scores.items or "fluency" not in scores.known:
        return {}
    gold = _fluency_of_items([scores.items[GOLD]])
    found = {}
    for name in scores.names:
        if name == GOLD:
            continue
        system = _fluency_of_items([scores.items[run] for run in runs_of(scores, name)])
        gap = _fluency_gap(system, gold, scores.settings.resamples)
        if gap.high < -FLUENCY_GAP:
            found[name] = _say_unwritten(name, -gap.value)
    return found


def _say_unwritten(system: str, gap: float) -> str:
    """Say how many more of a system's headlines than of gold's fluency refuses, and that it can be wrong."""
    measured = f"the judge fluency refuses {two_decimals(gap)} more of its headlines than of gold's"
    if system in PRINTED:
        return f"{measured}, wrongly: a newspaper printed them"
    return f"{measured}, and fluency can be wrong"


def _fluency_gap(system: pl.DataFrame, gold: pl.DataFrame, resamples: int) -> Score:
    """Return the mean difference of a system's fluency from gold's on the same items, with its interval.

    Both tables are of `_fluency_of_items`.
    """
    both = gold.join(system, on="id", suffix="_system", maintain_order="left")
    gaps = (both["fluency_system"] - both["fluency"]).to_numpy()
    measured = measure(
        {"n": np.ones(both.height), "gap": gaps},
        _mean_gap,
        both["direction"].to_list(),
        both["event"].to_list(),
        resamples=resamples,
    )
    return measured[AVERAGE]["gap"]


def runs_of(scores: Scores, name: str) -> list[str]:
    """Return the systems that a row of a table describes: the system of this name, or its runs."""
    if name in scores.items:
        return [name]
    # runs are called name.1, name.2 and so on
    return [system for system in scores.items if system.rpartition(".")[0] == name]


def _fluency_of_items(tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return one row an item, with the mean fluency of its headlines."""
    columns = ["id", "direction", "event", "fluency"]
    rows = pl.concat(table.select(columns) for table in tables)
    mean = pl.col("fluency").cast(pl.Float64).mean()
    return rows.group_by("id", "direction", "event", maintain_order=True).agg(mean)


def _mean_gap(sums: Statistics) -> dict[str, Floats]:
    """Return the mean gap from summed statistics."""
    return {"gap": sums["gap"] / sums["n"]}


def verdict_answers(verdicts: Mapping[Measure, MeasureVerdict]) -> list[tuple[Measure, str]]:
    """Return each measure and the answer to "can it rank systems here?"."""
    answers = []
    for name in MEASURES:
        answer = verdicts[name].answer if name in verdicts else NO_AUDIT_REASON
        answers.append((name, answer))
    return answers


def best_system(scores: Scores) -> str:
    """Return the first system of the table that is not built in.

    Where all are built in it is gold, or without gold the first one.
    """
    own = systems_of_files(scores)
    if own:
        return own[0]
    return GOLD if GOLD in scores.systems else scores.systems[0]


def systems_of_files(scores: Scores) -> list[str]:
    """Return the systems that are not built in, each of several runs for itself."""
    return [system for system in scores.systems if system not in BUILT_IN]


def own_systems(scores: Scores) -> list[str]:
    """Return the systems that are not built in, with the mean of several runs in the place of the runs."""
    runs: set[str] = set()
    for name in scores.names:
        if scores.row(name).runs > 1:
            runs.update(runs_of(scores, name))
    return [name for name in scores.names if name not in BUILT_IN and name not in runs]


def outcome(scores: Scores, ranking: Ranking) -> str:
    """Say in a sentence or two what came out for one's own systems; empty where all systems are built in."""
    own = own_systems(scores)
    if not own:
        return ""
    if not ranking.measures:
        return f"Report nothing from this table. What would help: {what_helps(ranking.summary)}."
    sentences = []
    sides_of_gold: set[Side] = set()
    for name in own[:NAMED_SYSTEMS]:
        sentence, sides = compare_with_gold(scores, ranking, name, own)
        sentences.append(sentence)
        sides_of_gold |= sides
    if len(own) > NAMED_SYSTEMS:
        sentences.append(f"{len(own) - NAMED_SYSTEMS} systems more are in the table.")
    if "above" in sides_of_gold:
        sentences.append(NOT_BETTER)
    elif "not surely different from" in sides_of_gold:
        sentences.append(NOT_AS_GOOD)
    return " ".join(sentences)


def compare_with_gold(
    scores: Scores, ranking: Ranking, system: str, own: Sequence[str]
) -> tuple[str, set[Side]]:
    """Compare a system with gold, or without it with a clause, in the measures that can rank it.

    Args:
        scores: the table.
        ranking: what the measures can say of its systems.
        system: the system.
        own: all systems that are compared in this way; p-values are corrected for them.

    Returns:
        A sentence, and the sides of gold on which the system is; none without gold.
    """
    other = GOLD if GOLD in scores.names else CLAUSE
    measures_by_side: dict[Side, list[str]] = {side: [] for side in SIDES}
    for name in ranking.measures:
        if name in scores.known and not ranking.reason(name, system):
            side = _side(scores, name, system, other, own)
            measures_by_side[side].append(name)
    sides = {side for side, names in measures_by_side.items() if names}
    if not sides:
        reason = ranking.unwritten.get(system, "none is known of it")
        return f"No measure ranks {system}: {reason}.", set()
    parts = []
    for side, names in measures_by_side.items():
        if names:
            parts.append(f"{side} {other} in {enumerated(names)}")
    sentence = f"{system} is {', '.join(parts)}."
    if other != GOLD:
        return sentence, set()
    return sentence, sides


def _side(scores: Scores, name: str, system: str, other: str, own: Sequence[str]) -> Side:
    """Return whether a system is above or below another one in a measure, or not surely different.

    Where it is the mean of several runs, its interval decides. Else the paired test does, whose p-value is
    corrected after Holm for all of `own`.
    """
    value = scores.row(system).values[name]
    value_of_other = scores.row(other).values[name]
    if system in scores.items:
        tested = [one for one in own if one in scores.items]
        p_values = p_values_beside(scores, name, other, tested)
        is_sure = holm(p_values)[tested.index(system)] < SURE
    else:
        intervals = scores.row(system).intervals
        low, high = intervals.get(name, (-np.inf, np.inf))
        is_sure = not low <= value_of_other <= high
    if not is_sure:
        return "not surely different from"
    return "above" if value > value_of_other else "below"


def p_values_beside(scores: Scores, measure_name: str, system: str, others: Sequence[str]) -> list[float]:
    """Return the p-values of the paired tests of a system with each of the others, not corrected."""
    place = scores.systems.index(system)
    places_of_others = [scores.systems.index(other) for other in others]
    p_values: list[float] = scores.p_values[measure_name][place, places_of_others].tolist()
    return p_values


def still_needed(ranking: Ranking) -> str:
    """Say what would help to know of a measure; empty where none ranks, for `outcome` says it there."""
    unknown = [name for name, verdict in ranking.verdicts.items() if verdict.verdict == "not known"]
    if not unknown or not ranking.measures:
        return ""
    return f"What would help to know of {enumerated(unknown)}: {what_helps(ranking.summary)}."


def what_helps(summary: Summary) -> str:
    """Say what would make a measure rank: an audit, more test pairs, or readers."""
    if not summary.verdicts:
        return "an audit, which says whether the measures can rank systems here (change-it audit)"
    not_known = [verdict for verdict in summary.verdicts.values() if verdict.verdict == "not known"]
    helps = []
    if not_known:
        needed = [verdict.pairs_needed for verdict in not_known if verdict.pairs_needed is not None]
        helps.append(_more_pairs(summary, min(needed, default=None)))
    helps.append("people who read the headlines (change-it annotate sheets)")
    return ", or ".join(helps)


def _more_pairs(summary: Summary, pairs: int | None) -> str:
    """Say how to come by so many test pairs; None stands for more than ten times those that were tried."""
    if pairs is None:
        return f"more than ten times the {summary.pairs:,} test pairs that were tried"
    if pairs <= summary.test_pairs:
        return f"an audit of more headlines (change-it audit --items {2 * pairs})"
    articles = _articles_needed(summary, pairs)
    return f"about {pairs:,} test pairs in the place of {summary.test_pairs:,}{articles}"


def _articles_needed(summary: Summary, pairs: int) -> str:
    """Say how many articles have so many test pairs, at the rate of this corpus."""
    if not summary.articles or not summary.test_pairs:
        return ""
    number = int(round(summary.articles * pairs / summary.test_pairs, -2))
    return f", which is some {number:,} articles at this corpus's rate ({DENSER_NEEDS_FEWER})"


def headline(scores: Scores) -> str:
    """Return what a table is measured on: `300 headlines of 251 events`."""
    row = scores.row(scores.systems[0])
    return f"{pluralise(row.n, 'headline')} of {pluralise(row.events, 'event')}"
