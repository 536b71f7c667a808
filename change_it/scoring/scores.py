"""Scores systems on a test set: compliancy and overlap with intervals, per-item verdicts, paired tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
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
from change_it.scoring.aspects import Reversal, compared_aspects
from change_it.scoring.record import CurvePoint, ScoresRecord, SystemScores
from change_it.scoring.settings import ScoreSettings
from change_it.scoring.signature import Basis, Reranker, signature
from change_it.scoring.systems import ScoredSystem
from change_it.stats import AVERAGE, LEAST_EVENTS, Floats, Ints, Resampling, Statistics
from change_it.text.folding import composed

if TYPE_CHECKING:  # loads polars and scipy
    from change_it.scoring.panel import Judges

#: Numbers of a row in files, and how headlines were chosen.
ABOUT = ("chosen", "candidates", "n", "events", "runs", "references", "errors")
#: Trials of a paired test, at least, for each comparison of two of the systems: no p-value is then too large
#: for Holm's correction.
TRIALS = 100
#: Numbers of clauses that the curve of `floor` has.
CANDIDATES = (1, 2, 3, 4, 6, 8, 12)


def score_measures() -> tuple[str, ...]:
    """Return the columns of a table of systems."""
    return (*aspects.compliancy_measures(), "accepted", *overlap.OVERLAP_MEASURES)


@dataclass(frozen=True)
class ScoreRow:
    """One system in one direction, or on average; of several runs of a system their mean.

    Attributes:
        system: its name.
        direction: `rep2gio` and the like, or `average`.
        n: number of items.
        events: number of distinct events among them; intervals and tests draw events.
        references: items that have a reference, which `bleu` and `rougeL` compare with.
        errors: items without a headline, of all runs together; they count as not compliant.
        values: measure to its value. It lacks what needs a judge that is not there (see `Judges.judge`), and
            `bleu` and `rougeL` without references and of `gold`, which is its own.
        intervals: measure to the ends of its 95% interval. Below 5 events what is no share, such as style,
            has none.
        signature: what the figures depend on.
        runs: training runs that the values are means of.
        chosen: whether judges chose the headlines, or those that the system learnt from.
        candidates: mean number of headlines that one was chosen of; None where it is not known.
    """

    system: str
    direction: str
    n: int
    events: int
    references: int
    errors: int
    values: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    signature: str
    runs: int = 1
    chosen: bool = False
    candidates: float | None = None

    def flat(self, measures: Sequence[str]) -> dict[str, Any]:
        """Return the row as columns: system, direction, `ABOUT`, measures with `_low` and `_high`, signature."""
        cells: dict[str, Any] = {name: getattr(self, name) for name in ("system", "direction", *ABOUT)}
        for name in measures:
            low, high = self.intervals.get(name, (None, None))
            cells |= {name: self.values.get(name), f"{name}_low": low, f"{name}_high": high}
        return cells | {"signature": self.signature}

    def record(self, measures: Sequence[str]) -> SystemScores:
        """Return the row as files have it, with these measures."""
        return SystemScores(
            values={name: self.values.get(name) for name in measures},
            chosen=self.chosen,
            candidates=self.candidates,
            n=self.n,
            events=self.events,
            runs=self.runs,
            references=self.references,
            errors=self.errors,
            intervals=self.intervals,
            signature=self.signature,
        )


@dataclass(frozen=True, eq=False)
class Scores:
    """A table of systems.

    Attributes:
        rows: systems, and of several runs of one (`ScoredSystem.run_of`) also their mean. Those of prediction
            files stand first by their compliancy, then the ones that judges chose, then `BUILT_IN`; of each
            the directions and then the average.
        items: system to a table with one row an item, of `clause` with one row a clause: its event,
            headlines, verdicts, probabilities and ROUGE-L.
        p_values: for each of `compared_aspects` that is known an (m, m) matrix of paired tests of the
            average, in the order of `systems`, with 1 on the diagonal.
        curve: score of the best of rising numbers of clauses; empty without the baseline `floor`.
        outlets: names of A and B.
        settings: how they were scored.
        draws: how intervals are drawn, by direction and event of the items.
        corpus: as it was given.
        rerankers: system to the judges that chose its headlines, where judges did.
        trained: digest of the judges' corpus where that is another one, see `Judges.check_corpus`.
        style: scale of main, which style is measured by.
        style_fault: why style is n/a; empty where it is not.
        accepted: system with labels to the share of its headlines that readers accept, the measure `accepted`
        of its average. statistics: system to the statistics of its items.
    """

    rows: list[ScoreRow]
    items: dict[str, pl.DataFrame] = field(repr=False)
    p_values: dict[str, Floats] = field(repr=False)
    curve: list[CurvePoint] = field(repr=False)
    outlets: tuple[str, str]
    settings: ScoreSettings
    draws: Resampling = field(repr=False)
    corpus: str
    rerankers: dict[str, Reranker]
    trained: str = ""
    style: StyleScale | None = None
    style_fault: str = ""
    accepted: Mapping[str, Accepted] = field(default_factory=dict)
    statistics: Mapping[str, Statistics] = field(default_factory=dict, repr=False)

    @property
    def systems(self) -> list[str]:
        """Return the names in the order of the table, each run for itself."""
        return list(self.items)

    @property
    def trials(self) -> int:
        """Return the number of trials of each paired test."""
        return trials(len(self.items), self.settings.resamples)

    @property
    def names(self) -> list[str]:
        """Return the names in the order of the table, the means of several runs among them."""
        return list(dict.fromkeys(row.system for row in self.rows))

    @property
    def directions(self) -> list[str]:
        """Return the directions that occur, then `average`."""
        return list(dict.fromkeys(row.direction for row in self.rows))

    @property
    def known(self) -> set[str]:
        """Return those of `score_measures` that a row has."""
        return {name for row in self.rows for name in row.values}

    @property
    def measures(self) -> list[str]:
        """Return those of `score_measures` that the table has, compliancy first.

        `bleu` and `rougeL` are among them only where there are references.
        """
        shown = self.known.union(aspects.compliancy_measures())
        return [name for name in score_measures() if name in shown]

    @property
    def signature(self) -> str:
        """Return the signature of the table: of its last system, which judges chose only if they chose all."""
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

    @property
    def record(self) -> ScoresRecord:
        """Return the scores without their items, as files have them."""
        systems: dict[str, dict[str, SystemScores]] = {}
        for row in self.rows:
            systems.setdefault(row.system, {})[row.direction] = row.record(self.measures)
        return ScoresRecord(
            corpus=self.corpus,
            outlets=self.outlets,
            signature=self.signature,
            systems=systems,
            rerankers=self.rerankers,
            style=self.style,
            style_fault=self.style_fault,
            floor=self.curve,
            accepted=dict(self.accepted),
            p_values={name: self._named(table) for name, table in self.p_values.items()},
        )

    def _named(self, p_values: Floats) -> dict[str, dict[str, float]]:
        """Return each system to every other one to the p of their test."""
        named = {}
        for system, row in zip(self.systems, p_values.tolist(), strict=True):
            of_system = dict(zip(self.systems, row, strict=True))
            del of_system[system]
            named[system] = of_system
        return named


def score(
    test: TestSet,
    judges: "Judges",
    systems: Sequence[ScoredSystem],
    settings: ScoreSettings | None = None,
    *,
    progress: bool = True,
) -> Scores:
    """Score systems that have a headline for every item, see `on_same_items`.

    Systems whose headlines judges of the same fold or weights have chosen are refused, and judges that have
    learnt from test articles.
    """
    settings = settings or ScoreSettings()
    aspects.check_reversal(settings.reversal)
    trained = judges.check_corpus(test)
    rerankers = {system.name: system.reranker for system in systems if system.reranker}
    shared = {
        name: reranker.shared_with(Reranker.from_judges(judges)) for name, reranker in rerankers.items()
    }
    if overlaps := "; ".join(f"{name}: {', '.join(common)}" for name, common in shared.items() if common):
        raise InputError(
            f"the judges that score are not independent of those that chose the headlines ({overlaps}): score with judges "
            "trained with the other --fold"
        )
    tables, statistics = _judged(test, judges, systems, settings.reversal, progress=progress)
    runs: dict[str, list[ScoredSystem]] = {}  # of each name in the table
    for system in systems:
        for name in filter(None, (system.name, system.run_of)):
            runs.setdefault(name, []).append(system)
    draws = Resampling(
        strata=[item.direction for item in test.items],
        events=test.events.tolist(),
        resamples=settings.resamples,
        seed=settings.seed,
    )
    scoring = _Scoring(test=test, judges=judges, settings=settings, draws=draws, trained=trained)
    rows = {name: _rows(name, of_name, statistics, scoring) for name, of_name in runs.items()}

    def place(name: str) -> tuple[int, bool, float]:
        number = BUILT_IN.index(name) + 1 if name in BUILT_IN else 0
        return number, rows[name][0].chosen, -rows[name][-1].values["compliancy"]

    names = sorted(rows, key=place)
    tables = {name: tables[name] for name in names if name in tables}
    known = [name for name in compared_aspects() if all(name in of_items for of_items in statistics.values())]
    p_values = {name: np.ones((len(tables), len(tables))) for name in known}
    compared = [{name: statistics[system][name] for name in ("n", *known)} for system in tables]
    number = trials(len(tables), settings.resamples)
    for i, j in combinations(range(len(compared)), 2):
        tested = draws.p_values(compared[i], compared[j], aspects.aggregate, trials=number)
        for name, p in p_values.items():
            p[i, j] = p[j, i] = tested[name][-1]
    floors = [system for system in systems if system.name == FLOOR and CLAUSE in tables]
    targets = {item.target for item in test.items}
    return Scores(
        rows=[row for name in names for row in rows[name]],
        items=tables,
        p_values=p_values,
        curve=_curve(tables[CLAUSE], floors[0].cuts, known, draws) if floors else [],
        outlets=test.outlets,
        settings=settings,
        draws=draws,
        corpus=test.name,
        statistics={name: statistics[name] for name in tables},
        trained=trained,
        rerankers=rerankers,
        style=judges.main.style,
        style_fault="; ".join(dict.fromkeys(why for to, why in judges.style_faults.items() if to in targets)),
    )


@dataclass(frozen=True, kw_only=True)
class _Scoring:
    """What the rows of a table have in common.

    Attributes:
        test: the items.
        judges: the judges that score.
        settings: how they score.
        draws: how intervals are drawn.
        trained: digest of the judges' corpus where that is another one.
    """

    test: TestSet
    judges: "Judges"
    settings: ScoreSettings
    draws: Resampling
    trained: str

    def signature(self, basis: Basis) -> str:
        """Return the signature of a row."""
        return signature(self.judges, self.settings, basis, trained=self.trained)


def _judged(
    test: TestSet,
    judges: "Judges",
    systems: Sequence[ScoredSystem],
    reversal: Reversal,
    *,
    progress: bool,
) -> tuple[dict[str, pl.DataFrame], dict[str, dict[str, Floats]]]:
    """Return the items of each system with their verdicts, see `Scores.items`, and their statistics.

    The statistics of `clause` are the means over the cuts of each item.
    """
    predicted = [test.predicted(system.headlines) for system in systems]
    for place, system in enumerate(systems):
        if system.name == CLAUSE:
            cuts = zip(test.items, system.cuts, strict=True)
            predicted[place] = [replace(item, prediction=text) for item, texts in cuts for text in texts]
    verdicts = judges.judge(list(chain(*predicted)), reversal=reversal, progress=progress)
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
    scoring: _Scoring,
) -> list[ScoreRow]:
    """Return the rows of one system, the mean of its runs: its directions and the average."""
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
    for direction, scores in scoring.draws.measure(columns, aggregate, shares).items():
        is_here = [direction in (item.direction, AVERAGE) for item in scoring.test.items]
        items = list(compress(scoring.test.items, is_here))
        basis = Basis(
            n=len(items),
            events=len({item.event for item in items}),
            partners=sum(bool(item.reference_article) for item in items),
            runs=len(runs),
            candidates=candidates,
            reranker=reranker,
        )
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
                if np.isfinite(score).all() and (key in shares or basis.events >= LEAST_EVENTS)
            },
            signature=scoring.signature(basis),
            chosen=bool(reranker),
            n=basis.n,
            events=basis.events,
            runs=basis.runs,
            candidates=basis.candidates,
        )
        rows.append(row)
    return rows


def _curve(
    clause: pl.DataFrame,
    ranked: Sequence[Sequence[str]],
    measures: Sequence[str],
    draws: Resampling,
) -> list[CurvePoint]:
    """Return the score of the best of `CANDIDATES` clauses that are drawn at random, in expectation.

    Args:
        clause: the items of `clause`.
        ranked: the clauses of each item, the best first.
        measures: what is scored.
        draws: how intervals are drawn.
    """
    counts = [len(texts) for texts in ranked]
    places: list[Ints] = []
    start = 0
    for part, texts in zip(aspects.split_by_counts(clause, counts), ranked, strict=True):
        headlines = part["headline"].to_list()
        places.append(start + np.array([headlines.index(composed(text)) for text in texts], np.int64))
        start += len(headlines)
    points = []
    for number in (n for n in CANDIDATES if n == 1 or n <= max(counts)):
        statistics = {"n": np.ones(len(counts))}
        for name in measures:
            values = clause[name].cast(pl.Float64).to_numpy()
            statistics[name] = np.array([chances(number, len(at)) @ values[at] for at in places], np.float64)
        point = CurvePoint(candidates=number, values={}, intervals={})
        for name, score in draws.measure(statistics, aspects.aggregate)[AVERAGE].items():
            point.values[name] = score.value
            if name in aspects.share_measures() or len(set(clause["event"])) >= LEAST_EVENTS:
                point.intervals[name] = score.interval
        points.append(point)
    return points


def chances(number: int, count: int) -> Floats:
    """Return how probably each of ranked texts, the best first, is the best of some that are drawn at random.

    Args:
        number: of texts that are drawn.
        count: of ranked texts.

    Examples:
        >>> chances(2, 3).round(2).tolist()
        [0.67, 0.33, 0.0]
    """
    number = min(number, count)
    return np.array([comb(count - 1 - rank, number - 1) / comb(count, number) for rank in range(count)])


def trials(systems: int, resamples: int) -> int:
    """Return the number of trials of each paired test between any two of so many systems."""
    return max(resamples, TRIALS * comb(systems, 2))
