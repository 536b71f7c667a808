"""Score systems on a test set: compliancy and overlap with intervals, per-item verdicts, paired tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, compress
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from change_it.corpus.test_set import BUILT_IN, CLAUSE, FLOOR, GOLD, Item, TestSet
from change_it.errors import InputError
from change_it.files.texts import join_truncated
from change_it.judges.options import StyleScale
from change_it.scoring import aspects, overlap
from change_it.scoring.accepted import Accepted
from change_it.scoring.aspects import compared_aspects
from change_it.scoring.record import CurvePoint, ScoresRecord, SystemScores
from change_it.scoring.settings import ScoreSettings
from change_it.scoring.signature import Basis, Reranker, signature
from change_it.scoring.systems import ScoredSystem
from change_it.stats import AVERAGE, LEAST_EVENTS, Floats, Ints, Resampling, Statistics
from change_it.text.folding import composed

if TYPE_CHECKING:  # loads polars and scipy
    from change_it.scoring.panel import Judges

#: Columns of a row that say what its figures rest on, between its direction and its measures.
ABOUT = ("chosen", "candidates", "n", "events", "runs", "references", "errors")
#: Least number of trials of a paired test for each comparison of two systems. The least p-value, which Holm's
#: correction multiplies by the number of comparisons, then stays below .05.
TRIALS = 100
#: Numbers of clauses that the curve of `floor` has.
CURVE_CANDIDATES = (1, 2, 3, 4, 6, 8, 12)


def score_measures() -> tuple[str, ...]:
    """Return the columns of a table of systems."""
    return (*aspects.compliancy_measures(), "accepted", *overlap.OVERLAP_MEASURES)


@dataclass(frozen=True)
class ScoreRow:
    """One system in one direction, or on average; of several runs of a system their mean.

    Attributes:
        system: name of the system.
        direction: `rep2gio` and the like, or `average`.
        n: number of items.
        events: number of distinct events among them; intervals and tests draw events.
        references: items that have a reference, which `bleu` and `rougeL` compare with.
        errors: items without a headline, added up over all runs; they count as not compliant.
        values: measure to its value. It lacks what needs a judge that is not there (see `Judges.judge`), and
            `bleu` and `rougeL` without references and of `gold`, which is its own.
        intervals: measure to the ends of its 95% interval. Below 5 events what is no share, such as style,
            has none.
        signature: what the figures depend on.
        runs: training runs that the values are means of.
        chosen: whether judges chose the headlines, or the headlines that the system learnt from.
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
        """Return the row's cells by column: system, direction, `ABOUT`, measures with intervals, signature.

        The ends of a measure's interval have its name with `_low` and `_high`; None where it has no interval.
        """
        cells: dict[str, Any] = {name: getattr(self, name) for name in ("system", "direction", *ABOUT)}
        for name in measures:
            low, high = self.intervals.get(name, (None, None))
            cells[name] = self.values.get(name)
            cells[f"{name}_low"] = low
            cells[f"{name}_high"] = high
        cells["signature"] = self.signature
        return cells

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
        corpus: the corpus as it was given.
        rerankers: system to the judges that chose its headlines, where judges did.
        trained: digest of the judges' corpus where that is another one, see `Judges.check_corpus`.
        style: scale of main, which style is measured by.
        style_fault: why style is n/a; empty where it is not.
        accepted: system with labels to the share of its headlines that readers accept, the measure `accepted`
            of its average.
        statistics: system to the statistics of its items.
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
        """Return the names among `score_measures` that at least one row has."""
        found: set[str] = set()
        for row in self.rows:
            found.update(row.values)
        return found

    @property
    def measures(self) -> list[str]:
        """Return the names among `score_measures` that the table has columns for, compliancy first.

        `bleu` and `rougeL` are among them only where there are references.
        """
        shown = self.known.union(aspects.compliancy_measures())
        return [name for name in score_measures() if name in shown]

    @property
    def signature(self) -> str:
        """Return the signature of the last system, which stands for the table.

        Where baselines are scored it is one of these, and so names no judges that chose.
        """
        return self.row(self.systems[-1]).signature

    def row(self, system: str, direction: str = AVERAGE) -> ScoreRow:
        """Return the row of one system in one direction; InputError where there is none."""
        for row in self.rows:
            if row.system == system and row.direction == direction:
                return row
        systems = join_truncated(self.names)
        directions = join_truncated(self.directions)
        raise InputError(
            f"there is no row of {system} in {direction}: choose one of {systems} in {directions}"
        )

    def with_accepted(self, accepted: Mapping[str, Accepted], labels: str) -> "Scores":
        """Return the scores with the share of headlines that readers accept.

        Args:
            accepted: system to its share; systems without labels are not in it.
            labels: hash of the labels, of which the signatures get six digits.
        """
        of_labels = f"|labels:{labels[:6]}|resamples:"
        rows = []
        for row in self.rows:
            values = dict(row.values)
            intervals = dict(row.intervals)
            if row.direction == AVERAGE and row.system in accepted:
                values["accepted"] = accepted[row.system].share
                intervals["accepted"] = accepted[row.system].interval
            row_signature = row.signature.replace("|resamples:", of_labels)
            rows.append(replace(row, values=values, intervals=intervals, signature=row_signature))
        return replace(self, rows=rows, accepted=accepted)

    @property
    def record(self) -> ScoresRecord:
        """Return the scores without their items, as files have them."""
        systems: dict[str, dict[str, SystemScores]] = {}
        for row in self.rows:
            systems.setdefault(row.system, {})[row.direction] = row.record(self.measures)
        p_values = {name: self._named(table) for name, table in self.p_values.items()}
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
            p_values=p_values,
        )

    def _named(self, p_values: Floats) -> dict[str, dict[str, float]]:
        """Return system to each other system to the p of their test, from an (m, m) matrix of `systems`."""
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
    [scores] = score_tables([(test, systems)], judges, settings, progress=progress)
    return scores


def score_tables(
    tables: Sequence[tuple[TestSet, Sequence[ScoredSystem]]],
    judges: "Judges",
    settings: ScoreSettings | None = None,
    *,
    progress: bool = True,
) -> list[Scores]:
    """Score the systems of several tables, each as `score` does.

    The judges are asked about all tables at once, and so only once about a headline of several tables.
    """
    settings = settings or ScoreSettings()
    aspects.check_reversal(settings.reversal)
    trained = []
    for test, systems in tables:
        trained.append(judges.check_corpus(test))
        _check_independent(judges, _rerankers(systems))
    predicted = [[_predicted(test, system) for system in systems] for test, systems in tables]
    every_item = list(chain.from_iterable(chain.from_iterable(predicted)))
    verdicts = judges.judge(every_item, reversal=settings.reversal, progress=progress)
    parts = aspects.split_by_counts(verdicts, [sum(map(len, of_table)) for of_table in predicted])
    scores = []
    for (test, systems), items, part, learnt in zip(tables, predicted, parts, trained, strict=True):
        draws = Resampling(
            strata=[item.direction for item in test.items],
            events=test.events.tolist(),
            resamples=settings.resamples,
            seed=settings.seed,
        )
        scoring = _Scoring(test=test, judges=judges, settings=settings, draws=draws, trained=learnt)
        scores.append(_scores(systems, items, part, scoring))
    return scores


def _scores(
    systems: Sequence[ScoredSystem],
    predicted: Sequence[Sequence[Item]],
    verdicts: pl.DataFrame,
    scoring: "_Scoring",
) -> Scores:
    """Return the scores of one table.

    Args:
        systems: the systems.
        predicted: the items of each system with its headlines, see `_predicted`.
        verdicts: the verdicts on all of them, one system after the other.
        scoring: what the rows of the table have in common.
    """
    test = scoring.test
    draws = scoring.draws
    tables, statistics = _measured(systems, predicted, verdicts)
    rows_by_name = {}
    for name, runs in _runs_by_name(systems).items():
        rows_by_name[name] = _rows(name, runs, statistics, scoring)
    rows = []
    ordered_tables = {}
    for name in sorted(rows_by_name, key=lambda name: _place(name, rows_by_name[name])):
        rows += rows_by_name[name]
        if name in tables:
            ordered_tables[name] = tables[name]
    ordered_statistics = {name: statistics[name] for name in ordered_tables}
    known = _known_aspects(statistics)
    curve: list[CurvePoint] = []
    for system in systems:
        if system.name == FLOOR and CLAUSE in tables:
            curve = _curve(tables[CLAUSE], system.cuts, known, draws)
    return Scores(
        rows=rows,
        items=ordered_tables,
        p_values=_paired_tests(ordered_statistics, known, scoring),
        curve=curve,
        outlets=test.outlets,
        settings=scoring.settings,
        draws=draws,
        corpus=test.name,
        statistics=ordered_statistics,
        trained=scoring.trained,
        rerankers=_rerankers(systems),
        style=scoring.judges.main.style,
        style_fault=_style_fault(scoring.judges, test),
    )


def _rerankers(systems: Sequence[ScoredSystem]) -> dict[str, Reranker]:
    """Return the judges that chose the headlines of those systems whose headlines judges chose."""
    return {system.name: system.reranker for system in systems if system.reranker}


def _check_independent(judges: "Judges", rerankers: Mapping[str, Reranker]) -> None:
    """Refuse systems, by name, whose headlines were chosen by judges of the same fold or weights."""
    scoring = Reranker.from_judges(judges)
    overlaps = []
    for name, reranker in rerankers.items():
        shared = reranker.shared_with(scoring)
        if shared:
            overlaps.append(f"{name}: {', '.join(shared)}")
    if overlaps:
        raise InputError(
            "the judges that score are not independent of those that chose the headlines "
            f"({'; '.join(overlaps)}): score with judges trained with the other --fold"
        )


def _runs_by_name(systems: Sequence[ScoredSystem]) -> dict[str, list[ScoredSystem]]:
    """Return each name of the table with its systems: one, or all runs of a name."""
    runs: dict[str, list[ScoredSystem]] = {}
    for system in systems:
        runs.setdefault(system.name, []).append(system)
        if system.run_of:
            runs.setdefault(system.run_of, []).append(system)
    return runs


def _place(name: str, rows: Sequence[ScoreRow]) -> tuple[int, bool, float]:
    """Return what systems are sorted by.

    Prediction files come before `BUILT_IN`. Among prediction files those that judges chose come last, and
    higher compliancy comes first.

    Args:
        name: name of the system.
        rows: its rows, the average last.
    """
    # prediction files
    number = 0
    if name in BUILT_IN:
        number = BUILT_IN.index(name) + 1
    average = rows[-1]
    return number, rows[0].chosen, -average.values["compliancy"]


def _known_aspects(statistics: Mapping[str, Statistics]) -> list[str]:
    """Return the names among `compared_aspects` that every system has."""
    known = list(compared_aspects())
    for columns in statistics.values():
        known = [name for name in known if name in columns]
    return known


def _paired_tests(
    statistics: Mapping[str, Statistics], measures: Sequence[str], scoring: "_Scoring"
) -> dict[str, Floats]:
    """Test each two of m systems against each other, see `Scores.p_values`.

    Args:
        statistics: system to the statistics of its items, in the order of the matrix.
        measures: the measures to test.
        scoring: how tests are drawn.

    Returns:
        Measure to an (m, m) symmetric matrix of p-values, with 1 on the diagonal.
    """
    compared = []
    for columns in statistics.values():
        compared.append({name: columns[name] for name in ("n", *measures)})
    count = len(compared)
    number = trials(count, scoring.settings.resamples)
    p_values = {name: np.ones((count, count)) for name in measures}
    for i, j in combinations(range(count), 2):
        tested = scoring.draws.p_values(compared[i], compared[j], aspects.aggregate, trials=number)
        for name, table in p_values.items():
            # the rows are the directions and, last, their average
            of_average = tested[name][-1]
            table[i, j] = of_average
            table[j, i] = of_average
    return p_values


def _style_fault(judges: "Judges", test: TestSet) -> str:
    """Return why style is n/a in the directions of the test set; empty where it is not."""
    targets = {item.target for item in test.items}
    faults = []
    for target, fault in judges.style_faults.items():
        if target in targets and fault not in faults:
            faults.append(fault)
    return "; ".join(faults)


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


def _measured(
    systems: Sequence[ScoredSystem], predicted: Sequence[Sequence[Item]], verdicts: pl.DataFrame
) -> tuple[dict[str, pl.DataFrame], dict[str, dict[str, Floats]]]:
    """Return the items of each system with their verdicts, see `Scores.items`, and their statistics.

    The statistics of `clause` are the means over the cuts of each item. The arguments are those of `_scores`.
    """
    parts = aspects.split_by_counts(verdicts, map(len, predicted))
    tables: dict[str, pl.DataFrame] = {}
    statistics: dict[str, dict[str, Floats]] = {}
    for system, items, part in zip(systems, predicted, parts, strict=True):
        headlines = [item.prediction for item in items]
        references = [item.reference for item in items]
        sources = [item.source for item in items]
        likeness = overlap.statistics(headlines, references, sources)
        table = pl.DataFrame(
            {
                "id": [item.id for item in items],
                "direction": [item.direction for item in items],
                "event": [item.event for item in items],
                "source": sources,
                "headline": headlines,
                "gold": references,
                **part.to_dict(),
                "rougeL": likeness["rougeL"],
                "rougeL_source": likeness["rougeL_source"],
            }
        )
        of_items = {**aspects.statistics(table), **likeness}
        of_items["missing"] = np.array([not text.strip() for text in headlines], np.float64)
        if system.name == CLAUSE:
            of_items = _means_of_cuts(of_items, system.cuts)
        tables[system.name] = table
        statistics[system.name] = of_items
    return tables, statistics


def _predicted(test: TestSet, system: ScoredSystem) -> list[Item]:
    """Return the items with a system's headlines; of `clause` with every cut of their articles."""
    if system.name != CLAUSE:
        return list(test.predicted(system.headlines))
    items = []
    for item, texts in zip(test.items, system.cuts, strict=True):
        items += [replace(item, prediction=text) for text in texts]
    return items


def _means_of_cuts(statistics: Statistics, cuts: Sequence[Sequence[str]]) -> dict[str, Floats]:
    """Return the mean of each statistic over the cuts of each item.

    Args:
        statistics: columns with one value for each cut; the cuts of an item follow each other.
        cuts: the cuts of n items, at least one for each.

    Returns:
        The columns with one value for each item, (n,).
    """
    counts = np.array([len(texts) for texts in cuts])
    # reduceat adds up from each item's first cut to that of the next item
    starts = np.cumsum(counts) - counts
    return {name: np.add.reduceat(values, starts) / counts for name, values in statistics.items()}


def _rows(
    name: str,
    runs: Sequence[ScoredSystem],
    statistics: Mapping[str, Statistics],
    scoring: _Scoring,
) -> list[ScoreRow]:
    """Return the rows of one system: one for each direction, then the average.

    Args:
        name: name of the system.
        runs: its runs, of which the rows have the mean; one for a system that was trained once.
        statistics: each run to the statistics of the n items, (n,) each.
        scoring: what all rows of the table have in common.
    """
    # (n, runs) each
    columns = {}
    for key in statistics[runs[0].name]:
        of_runs = [statistics[run.name][key] for run in runs]
        columns[key] = np.stack(of_runs, axis=1)
    missing = columns.pop("missing").sum(axis=1)
    shares = aspects.share_measures()
    rerankers = [run.reranker.short for run in runs if run.reranker]
    reranker = "+".join(dict.fromkeys(rerankers))
    numbers = [run.candidates for run in runs if run.candidates is not None]
    candidates = None
    if len(numbers) == len(runs):
        candidates = sum(numbers) / len(numbers)
    measured = scoring.draws.measure(columns, _aggregate, shares)
    rows = []
    for direction, scores in measured.items():
        is_here = [direction in (item.direction, AVERAGE) for item in scoring.test.items]
        items = list(compress(scoring.test.items, is_here))
        events = {item.event for item in items}
        with_partner = [item for item in items if item.reference_article]
        with_reference = [item for item in items if item.reference]
        basis = Basis(
            n=len(items),
            events=len(events),
            partners=len(with_partner),
            runs=len(runs),
            candidates=candidates,
            reranker=reranker,
        )
        known = {key: score for key, score in scores.items() if np.isfinite(score.value)}
        if name == GOLD:
            # it is the reference itself
            for key in overlap.OF_REFERENCE:
                known.pop(key, None)
        intervals = {}
        for key, score in known.items():
            has_events = key in shares or basis.events >= LEAST_EVENTS
            if has_events and np.isfinite(score).all():
                intervals[key] = score.interval
        row = ScoreRow(
            name,
            direction,
            references=len(with_reference),
            errors=int(missing[is_here].sum()),
            values={key: score.value for key, score in known.items()},
            intervals=intervals,
            signature=scoring.signature(basis),
            chosen=bool(reranker),
            n=basis.n,
            events=basis.events,
            runs=basis.runs,
            candidates=basis.candidates,
        )
        rows.append(row)
    return rows


def _aggregate(sums: Statistics) -> dict[str, Floats]:
    """Return compliancy, aspects, BLEU and ROUGE-L from summed statistics, in the shape of the sums."""
    return {**aspects.aggregate(sums), **overlap.aggregate(sums)}


def _curve(
    clause: pl.DataFrame,
    ranked: Sequence[Sequence[str]],
    measures: Sequence[str],
    draws: Resampling,
) -> list[CurvePoint]:
    """Return what the best of 1, 2, 3 … clauses of an article scores, for each of `CURVE_CANDIDATES`.

    A point is the expectation over all ways to draw so many clauses of each article.

    Args:
        clause: the scored items of the system `clause`, one row a clause.
        ranked: the clauses of each of n items, the best first.
        measures: what is scored.
        draws: how intervals are drawn.
    """
    counts = [len(texts) for texts in ranked]
    places = _places_of_cuts(clause, ranked)
    values_by_measure = {name: clause[name].cast(pl.Float64).to_numpy() for name in measures}
    has_events = len(set(clause["event"])) >= LEAST_EVENTS
    shares = aspects.share_measures()
    points = []
    for number in CURVE_CANDIDATES:
        if number > max(1, *counts):
            # no article has so many clauses
            continue
        statistics = {"n": np.ones(len(counts))}
        for name, values in values_by_measure.items():
            # each clause's score times its chance to be the best that is drawn
            expected = [chances(number, len(rows)) @ values[rows] for rows in places]
            statistics[name] = np.array(expected, np.float64)
        point = CurvePoint(candidates=number, values={}, intervals={})
        for name, score in draws.measure(statistics, aspects.aggregate)[AVERAGE].items():
            point.values[name] = score.value
            if has_events or name in shares:
                point.intervals[name] = score.interval
        points.append(point)
    return points


def _places_of_cuts(clause: pl.DataFrame, ranked: Sequence[Sequence[str]]) -> list[Ints]:
    """Return for each item the row numbers of its ranked cuts in the table `clause`, best first."""
    counts = [len(texts) for texts in ranked]
    places = []
    start = 0
    for part, texts in zip(aspects.split_by_counts(clause, counts), ranked, strict=True):
        headlines = part["headline"].to_list()
        # scored headlines are in composed Unicode
        within = [headlines.index(composed(text)) for text in texts]
        places.append(start + np.array(within, np.int64))
        start += len(headlines)
    return places


def chances(number: int, count: int) -> Floats:
    """Return for each of some ranked texts the probability that it is the best of a random draw.

    Args:
        number: number of texts that are drawn, each at most once; more than there are draws all.
        count: number of ranked texts, the best first.

    Returns:
        (count,) probabilities.

    Examples:
        >>> chances(2, 3).round(2).tolist()
        [0.67, 0.33, 0.0]
    """
    number = min(number, count)
    draws = comb(count, number)
    # a text is the best where all others that are drawn rank below it
    return np.array([comb(count - 1 - rank, number - 1) / draws for rank in range(count)])


def trials(systems: int, resamples: int) -> int:
    """Return the number of trials of each paired test between any two of so many systems."""
    return max(resamples, TRIALS * comb(systems, 2))
