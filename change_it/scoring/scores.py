"""Scores systems on a test set: compliancy and overlap with intervals, per-item verdicts, paired tests."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, combinations, compress
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from change_it.corpus.test_set import BUILT_IN, CLAUSE, FLOOR, GOLD, TestSet
from change_it.errors import InputError
from change_it.files.texts import listed
from change_it.judges.options import StyleScale
from change_it.scoring import aspects, overlap
from change_it.scoring.accepted import Accepted
from change_it.scoring.aspects import ASPECTS, Reversal
from change_it.scoring.signature import Reranker, signature
from change_it.scoring.systems import ScoredSystem
from change_it.stats import AVERAGE, LEAST_EVENTS, Floats, Ints, Score, Statistics, measure, paired_p_values
from change_it.text.folding import composed

if TYPE_CHECKING:  # loads polars and scipy
    from change_it.scoring.panel import Judges

#: Numbers of a row in files, and how headlines were chosen.
ABOUT = ("chosen", "candidates", "n", "events", "runs", "references", "errors")
#: Trials of a paired test, at least, for each comparison of two of the systems: no p-value is then too large for Holm's correction.
TRIALS = 100
#: Numbers of clauses that the curve of `floor` has.
CANDIDATES = (1, 2, 3, 4, 6, 8, 12)


def score_measures() -> tuple[str, ...]:
    """Return the columns of a table of systems."""
    return (*aspects.compliancy_measures(), "accepted", *overlap.OVERLAP_MEASURES)


@dataclass(frozen=True)
class ScoreRow:
    """One system in one direction, or on average; of several runs of a system their mean."""

    system: str  # name
    direction: str  # `rep2gio` and the like, or `average`
    n: int  # number of items
    events: int  # that they are of; intervals and tests draw events
    references: int  # how many of them have a reference, which is what `bleu` and `rougeL` are of
    errors: int  # how many have no headline, of all runs together; they count as not compliant
    # measure to value in 0-1 without what is unknown: what lacks a judge (see `Judges.judge`), `bleu` and `rougeL` without references
    # and of `gold`, which is its own
    values: dict[str, float]
    # measure to the ends of its 95% interval; below 5 events what is no share, such as style, has none
    intervals: dict[str, tuple[float, float]]
    signature: str  # what the numbers depend on
    runs: int = 1  # of which the values are means
    chosen: bool = False  # whether judges chose the headlines, or those that the system learnt from
    candidates: float | None = None  # mean number of headlines that one was chosen of, where it is known

    def flat(self, measures: Sequence[str]) -> dict[str, Any]:
        """The row as columns: system, direction, `ABOUT`, each measure with `_low` and `_high`, signature."""
        cells: dict[str, Any] = {name: getattr(self, name) for name in ("system", "direction", *ABOUT)}
        for name in measures:
            low, high = self.intervals.get(name, (None, None))
            cells |= {name: self.values.get(name), f"{name}_low": low, f"{name}_high": high}
        return cells | {"signature": self.signature}


@dataclass(frozen=True, eq=False)
class Scores:
    """A table of systems."""

    # systems, and of several runs of one (`ScoredSystem.run_of`) also their mean: those of prediction files by their compliancy,
    # below these the ones that judges chose, then `BUILT_IN`; for each the directions and then the average
    rows: list[ScoreRow]
    # per system, a table with one row an item, of `clause` with one row a clause: its event, headlines, verdicts, probabilities, ROUGE-L
    items: dict[str, pl.DataFrame] = field(repr=False)
    # of those of `ASPECTS` that are known, (m, m) paired tests of the average, in the order of `systems`; 1 on the diagonal
    p_values: dict[str, Floats] = field(repr=False)
    # of `floor`, the score of the best of so many clauses, for rising numbers: `candidates`, and of each of `ASPECTS` its value and
    # `_interval`; empty without it
    curve: list[dict[str, Any]] = field(repr=False)
    outlets: tuple[str, str]  # A and B
    reversal: Reversal  # as scored
    resamples: int  # of the intervals
    corpus: str  # as it was given
    rerankers: dict[str, Reranker]  # system to the judges that chose its headlines, where judges did
    trained: str = ""  # digest of the corpus of the judges, where that is another one (`Judges.check_corpus`)
    style: StyleScale | None = None  # main's, which style is measured by
    style_fault: str = ""  # why style is n/a, if it is
    # of systems with labels, the share of headlines that readers accept; it is the measure `accepted` of their average
    accepted: Mapping[str, Accepted] = field(default_factory=dict)
    statistics: Mapping[str, Statistics] = field(default_factory=dict, repr=False)  # per system, of its items
    strata: Sequence[str] = field(default=(), repr=False)  # (n,) directions of these items
    events: Sequence[str] = field(default=(), repr=False)  # (n,) and their events
    seed: int = 1  # of intervals and tests

    @property
    def systems(self) -> list[str]:
        """Names in the order of the table, each run for itself."""
        return list(self.items)

    @property
    def trials(self) -> int:
        """Number of trials of each paired test."""
        return trials(len(self.items), self.resamples)

    @property
    def names(self) -> list[str]:
        """Names in the order of the table, the means of several runs among them."""
        return list(dict.fromkeys(row.system for row in self.rows))

    @property
    def directions(self) -> list[str]:
        """The directions that occur, then `average`."""
        return list(dict.fromkeys(row.direction for row in self.rows))

    @property
    def known(self) -> set[str]:
        """Those of `score_measures` that a row has."""
        return {name for row in self.rows for name in row.values}

    @property
    def measures(self) -> list[str]:
        """Those of `score_measures` that the table has, compliancy first; `bleu` and `rougeL` only where there are references."""
        shown = self.known.union(aspects.compliancy_measures())
        return [name for name in score_measures() if name in shown]

    @property
    def signature(self) -> str:
        """Signature of the whole table: of its last system, which no judge chose unless all were chosen."""
        return self.row(self.systems[-1]).signature

    def row(self, system: str, direction: str = AVERAGE) -> ScoreRow:
        """Return the row of one system in one direction; InputError where there is none."""
        for row in self.rows:
            if (row.system, row.direction) == (system, direction):
                return row
        systems, directions = listed(self.names), listed(self.directions)
        raise InputError(
            f"there is no row of {system} in {direction}: choose one of {systems} in {directions}"
        )

    def with_accepted(self, accepted: Mapping[str, Accepted], labels: str) -> "Scores":
        """Add the share of headlines that readers accept of some systems, by labels with this hash."""
        rows = []
        for row in self.rows:
            of_labels = f"|labels:{labels[:6]}|resamples:"
            row = replace(row, signature=row.signature.replace("|resamples:", of_labels))
            if row.direction == AVERAGE and (share := accepted.get(row.system)):
                values = row.values | {"accepted": share.share}
                row = replace(row, values=values, intervals=row.intervals | {"accepted": share.interval})
            rows.append(row)
        return replace(self, rows=rows, accepted=accepted)

    def as_dict(self) -> dict[str, Any]:
        """The scores without their items, as a JSON object."""
        systems: dict[str, dict[str, Any]] = {}
        for row in self.rows:
            systems.setdefault(row.system, {})[row.direction] = {
                **{name: row.values.get(name) for name in self.measures},
                **{name: getattr(row, name) for name in ABOUT},
                "intervals": {name: list(ends) for name, ends in row.intervals.items()},
                "signature": row.signature,
            }
        tests = {}
        for measure_, table in self.p_values.items():
            rows = (dict(zip(self.systems, row, strict=True)) for row in table.tolist())
            named = dict(zip(self.systems, rows, strict=True))
            tests[measure_] = {
                name: {other: p for other, p in row.items() if other != name} for name, row in named.items()
            }
        return {
            "corpus": self.corpus,
            "outlets": list(self.outlets),
            "signature": self.signature,
            "systems": systems,
            "rerankers": {
                system: {"fold": reranker.fold, "hashes": dict(reranker.hashes)}
                for system, reranker in self.rerankers.items()
            },
            "style": self.style and self.style._asdict(),
            "style_fault": self.style_fault,
            "floor": self.curve,
            "accepted": {system: share._asdict() for system, share in self.accepted.items()},
            "p_values": tests,
        }


def score(
    test: TestSet,
    judges: "Judges",
    systems: Sequence[ScoredSystem],
    *,
    reversal: Reversal = "relative",
    resamples: int = 1000,
    seed: int = 1,
    progress: bool = True,
) -> Scores:
    """Score systems that have a headline for every item, see `on_same_items`; `resamples` and `seed` are of intervals and paired tests.

    Systems whose headlines judges of the same fold or weights have chosen are refused, and judges that have learnt from test articles.
    """
    aspects.check_reversal(reversal)
    trained = judges.check_corpus(test)
    rerankers = {system.name: system.reranker for system in systems if system.reranker}
    shared = {name: reranker.shared_with(Reranker.of(judges)) for name, reranker in rerankers.items()}
    if overlaps := "; ".join(f"{name}: {', '.join(common)}" for name, common in shared.items() if common):
        raise InputError(
            f"the judges that score are not independent of those that chose the headlines ({overlaps}): score with judges "
            "trained with the other --fold"
        )
    tables, statistics = _judged(test, judges, systems, reversal=reversal, progress=progress)
    runs: dict[str, list[ScoredSystem]] = {}  # of each name in the table
    for system in systems:
        for name in filter(None, (system.name, system.run_of)):
            runs.setdefault(name, []).append(system)
    strata = [item.direction for item in test.items]
    interval = partial(measure, strata=strata, events=test.events, resamples=resamples, seed=seed)
    signed = partial(signature, judges, reversal=reversal, trained=trained, resamples=resamples, seed=seed)
    rows = {name: _rows(name, of_name, statistics, test, interval, signed) for name, of_name in runs.items()}

    def place(name: str) -> tuple[int, bool, float]:
        number = BUILT_IN.index(name) + 1 if name in BUILT_IN else 0
        return number, rows[name][0].chosen, -rows[name][-1].values["compliancy"]

    names = sorted(rows, key=place)
    tables = {name: tables[name] for name in names if name in tables}
    known = [name for name in ASPECTS if all(name in of_items for of_items in statistics.values())]
    p_values = {name: np.ones((len(tables), len(tables))) for name in known}
    compared = [{name: statistics[system][name] for name in ("n", *known)} for system in tables]
    how: dict[str, int] = {"trials": trials(len(tables), resamples), "seed": seed}
    for i, j in combinations(range(len(compared)), 2):
        tested = paired_p_values(compared[i], compared[j], aspects.aggregate, strata, test.events, **how)
        for name, p in p_values.items():
            p[i, j] = p[j, i] = tested[name][-1]
    floors = [system for system in systems if system.name == FLOOR and CLAUSE in tables]
    targets = {item.target for item in test.items}
    return Scores(
        rows=[row for name in names for row in rows[name]],
        items=tables,
        p_values=p_values,
        curve=_curve(tables[CLAUSE], floors[0].cuts, known, interval) if floors else [],
        outlets=test.outlets,
        reversal=reversal,
        resamples=resamples,
        corpus=test.name,
        statistics={name: statistics[name] for name in tables},
        strata=strata,
        events=test.events.tolist(),
        seed=seed,
        trained=trained,
        rerankers=rerankers,
        style=judges.main.style,
        style_fault="; ".join(dict.fromkeys(why for to, why in judges.style_faults.items() if to in targets)),
    )


def _judged(
    test: TestSet, judges: "Judges", systems: Sequence[ScoredSystem], **how: Any
) -> tuple[dict[str, pl.DataFrame], dict[str, dict[str, Floats]]]:
    """The items of each system with their verdicts, see `Scores.items`, and their statistics: of `clause` the means over the cuts of each item."""
    predicted = [test.predicted(system.headlines) for system in systems]
    for place, system in enumerate(systems):
        if system.name == CLAUSE:
            cuts = zip(test.items, system.cuts, strict=True)
            predicted[place] = [replace(item, prediction=text) for item, texts in cuts for text in texts]
    verdicts = judges.judge(list(chain(*predicted)), **how)
    parts = aspects.split_by_counts(verdicts, map(len, predicted))
    tables, statistics = dict[str, pl.DataFrame](), dict[str, dict[str, Floats]]()
    for system, items, part in zip(systems, predicted, parts, strict=True):
        columns: dict[str, Any] = {
            name: [getattr(item, name) for item in items] for name in ("id", "direction", "event", "source")
        }
        columns |= {
            "headline": [item.prediction for item in items],
            "gold": [item.reference for item in items],
        }
        likeness = overlap.statistics(columns["headline"], columns["gold"], columns["source"])
        columns |= part.to_dict() | {name: likeness[name] for name in ("rougeL", "rougeL_source")}
        tables[system.name] = table = pl.DataFrame(columns)
        of_items = {**aspects.statistics(table), **likeness}
        of_items["missing"] = np.array([not text.strip() for text in table["headline"]], np.float64)
        if system.name == CLAUSE:
            counts = np.array([len(texts) for texts in system.cuts])
            starts = np.cumsum(counts) - counts
            of_items = {name: np.add.reduceat(values, starts) / counts for name, values in of_items.items()}
        statistics[system.name] = of_items
    return tables, statistics


def _rows(
    name: str,
    runs: Sequence[ScoredSystem],
    statistics: Mapping[str, Statistics],
    test: TestSet,
    interval: Callable[..., Mapping[str, Mapping[str, Score]]],
    signed: Callable[..., str],
) -> list[ScoreRow]:
    """Rows of one system, the mean of its runs: its directions and the average."""
    of_runs = [statistics[run.name] for run in runs]
    columns = {key: np.stack([of_run[key] for of_run in of_runs], axis=1) for key in of_runs[0]}
    missing = columns.pop("missing").sum(axis=1)
    rows, unknown = [], overlap.OF_REFERENCE if name == GOLD else ()
    shares = aspects.share_measures()

    def aggregate(sums: Statistics) -> dict[str, Floats]:
        return {**aspects.aggregate(sums), **overlap.aggregate(sums)}

    reranker = "+".join(dict.fromkeys(run.reranker.short for run in runs if run.reranker))
    numbers = [run.candidates for run in runs if run.candidates is not None]
    candidates = sum(numbers) / len(numbers) if len(numbers) == len(runs) else None
    about: dict[str, Any] = {"runs": len(runs), "candidates": candidates}
    for direction, scores in interval(columns, aggregate, shares=shares).items():
        is_here = [direction in (item.direction, AVERAGE) for item in test.items]
        items = list(compress(test.items, is_here))
        partners, counts = sum(bool(item.reference_article) for item in items), {"n": len(items)}
        counts["events"] = len({item.event for item in items})
        known = {
            key: score for key, score in scores.items() if key not in unknown and np.isfinite(score.value)
        }
        row = ScoreRow(
            name,
            direction,
            references=sum(bool(item.reference) for item in items),
            errors=int(missing[is_here].sum()),
            values={key: score.value for key, score in known.items()},
            intervals={
                key: score.interval
                for key, score in known.items()
                if np.isfinite(score).all() and (key in shares or counts["events"] >= LEAST_EVENTS)
            },
            signature=signed(reranker=reranker, partners=partners, **counts, **about),
            chosen=bool(reranker),
            **counts,
            **about,
        )
        rows.append(row)
    return rows


def _curve(
    clause: pl.DataFrame,
    ranked: Sequence[Sequence[str]],
    measures: Sequence[str],
    interval: Callable[..., Mapping[str, Mapping[str, Score]]],
) -> list[dict[str, Any]]:
    """The score of the best of `CANDIDATES` clauses that are drawn at random, in expectation; `ranked` are the clauses of each item, the best first."""
    counts = [len(texts) for texts in ranked]
    parts, places, start = aspects.split_by_counts(clause, counts), list[Ints](), 0
    for part, texts in zip(parts, ranked, strict=True):
        headlines = part["headline"].to_list()
        places.append(start + np.array([headlines.index(composed(text)) for text in texts], np.int64))
        start += len(headlines)
    rows = []
    for number in (n for n in CANDIDATES if n == 1 or n <= max(counts)):
        statistics, row = {"n": np.ones(len(counts))}, dict[str, Any](candidates=number)
        for name in measures:
            values = clause[name].cast(pl.Float64).to_numpy()
            statistics[name] = np.array([chances(number, len(at)) @ values[at] for at in places], np.float64)
        for name, score in interval(statistics, aspects.aggregate)[AVERAGE].items():
            row[name] = score.value
            if name in aspects.share_measures() or len(set(clause["event"])) >= LEAST_EVENTS:
                row[f"{name}_interval"] = score.interval
        rows.append(row)
    return rows


def chances(number: int, count: int) -> Floats:
    """(count,) how probably each of so many ranked texts, the best first, is the best of a number of them that are drawn at random.

    Examples:
        >>> chances(2, 3).round(2).tolist()
        [0.67, 0.33, 0.0]
    """
    number = min(number, count)
    return np.array([comb(count - 1 - rank, number - 1) / comb(count, number) for rank in range(count)])


def trials(systems: int, resamples: int) -> int:
    """Trials of each paired test between any two of so many systems."""
    return max(resamples, TRIALS * comb(systems, 2))
