"""The Score tab without its components: an uploaded table in, `scoring.score` with a moving bar, tables and files out."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from change_it.corpus.article import KNOWN_LABELS
from change_it.errors import InputError
from change_it.judges.judge import Judges
from change_it.report.charts import Drawing
from change_it.report.files import without_formulas
from change_it.scoring.compliancy import Reversal
from change_it.scoring.item import Item, TestSet
from change_it.scoring.score import AVERAGE, MEASURES, Scores, score
from change_it.scoring.signature import parse_reranker
from change_it.scoring.systems import System
from change_it.space.limits import LIMITS
from change_it.space.results import write_charts
from change_it.space.uploads import Row, Say, listed, read_rows, refuse_lines
from change_it.tables import figure, p_value

#: What an uploaded table must have.
COLUMNS = ("id", "headline", "article", "label", "prediction")
#: What it may have: several systems; the target outlet's headline about the same event; the judges that chose.
OPTIONAL = ("system", "gold", "reranker")
#: Measures that need `gold`.
OF_GOLD = ("bleu", "rougeL")

#: What is being done after the judges.
STATISTICS = "statistics"

_JUDGING = 0.9  # share of the work that judges do
_SYSTEM = 60  # letters of a system's name

#: Called with what is being done and the share of all work that is done, 0-1.
Moved = Callable[[str, float], None]


@dataclass(frozen=True)
class Upload:
    """A table that can be scored.

    Attributes:
        test: its items.
        systems: new headlines for all of them.
        gold: whether it has the column `gold`.
    """

    test: TestSet
    systems: tuple[System, ...]
    gold: bool


@dataclass(frozen=True)
class Scored:
    """A table that was scored.

    Attributes:
        scores: the table of systems.
        measures: those that could be computed.
    """

    scores: Scores
    measures: tuple[str, ...]

    @property
    def items(self) -> pl.DataFrame:
        """One row an item and system: system, id, direction, texts, verdicts, probabilities, ROUGE-L."""
        lacking = [] if "bleu" in self.measures else ["gold", "rougeL"]
        return pl.concat(
            table.drop(lacking).select(pl.lit(name).alias("system"), pl.all())
            for name, table in self.scores.items.items()
        )

    @property
    def table(self) -> pl.DataFrame:
        """One row a system and direction: every measure with the ends of its interval, and the signature."""
        unknown = [name for name in MEASURES if name not in self.measures]
        dropped = [f"{name}{end}" for name in unknown for end in ("", "_low", "_high")]
        return pl.DataFrame([row.flat() for row in self.scores.rows]).drop(dropped)

    def as_dict(self) -> dict[str, Any]:
        """Everything but the items, ready for JSON."""
        found = self.scores.as_dict()
        found["file"] = found.pop("corpus")
        for directions in found["systems"].values():
            for row in directions.values():
                for name in (name for name in MEASURES if name not in self.measures):
                    del row[name], row["intervals"][name]
        return found


def read_upload(path: Path, outlets: tuple[str, str], *, say: Say) -> Upload:
    """Read a table of new headlines.

    Args:
        path: CSV with the columns `COLUMNS` and perhaps `OPTIONAL`; a row an item and system, `label` the outlet that the
            original comes from. An empty prediction is one that the system failed to write.
        outlets: of the judges.
        say: words of the reader's language.

    Returns:
        The items in the order in which they first stand, and the systems.

    Raises:
        InputError: the file cannot be read, a text is missing or too long, a label is no outlet of the judges, an id
            stands twice or with other texts, or a system lacks items that another one has.
    """
    rows = read_rows(path, COLUMNS, OPTIONAL, say=say)
    labels = {name: name for name in outlets} | {
        label: name for label, name in KNOWN_LABELS.items() if name in outlets
    }
    _refuse_cells(path, rows, labels, outlets, say)
    items: dict[str, Item] = {}
    systems: dict[str, dict[str, str]] = {}
    rerankers: dict[str, set[str]] = {}
    differing, double = [], []
    for line, cells in rows:
        label = labels[cells["label"]]
        target = outlets[1 - outlets.index(label)]
        old, text, gold = (" ".join(cells.get(name, "").split()) for name in ("headline", "article", "gold"))
        item = Item(cells["id"], label, target, old, text, gold)
        if items.setdefault(item.id, item) != item:
            differing.append(line)
        name = cells.get("system", "") or path.stem[:_SYSTEM]
        headlines = systems.setdefault(name, {})
        if item.id in headlines:
            double.append(line)
        headlines[item.id] = " ".join(cells["prediction"].split())
        rerankers.setdefault(name, set()).update(filter(None, [cells.get("reranker", "")]))
    faults = (say("score.fault_double"), double), (say("score.fault_differs"), differing)
    refuse_lines(path, faults, say)
    if len(systems) > LIMITS.systems:
        raise InputError(say("score.systems", file=path.name, most=LIMITS.systems, found=len(systems)))
    for name, headlines in systems.items():
        missing = [id_ for id_ in items if id_ not in headlines]
        if missing:
            raise InputError(
                say(
                    "score.missing", file=path.name, system=name, count=len(missing), ids=listed(missing, say)
                )
            )
    ordered = sorted(items.values(), key=lambda item: item.label != outlets[0])
    return Upload(
        TestSet(tuple(ordered), outlets, dict.fromkeys(outlets, ()), path.name),
        tuple(
            System(name, tuple(headlines[item.id] for item in ordered), _reranker(name, rerankers[name], say))
            for name, headlines in systems.items()
        ),
        "gold" in rows[0][1],
    )


def score_upload(
    upload: Upload, judges: Judges, *, reversal: Reversal = "relative", moved: Moved | None = None
) -> Scored:
    """Score an uploaded table with `scoring.score`.

    Args:
        upload: from `read_upload`.
        judges: the three judges.
        reversal: when style counts as reversed, see `compliancy.verdicts`.
        moved: called with `main`, `hh` or `ah` and the share that is done, every few dozen texts; with `statistics` at the end.

    Returns:
        The table of systems. A system that the same judges have chosen is scored too, and its signature says so.
    """

    def report(judge: str, share: float) -> None:
        if moved:
            moved(STATISTICS if share == 1 else judge, share * _JUDGING)

    found = score(
        upload.test,
        judges,
        upload.systems,
        reversal=reversal,
        allow_same_judges=True,
        progress=report,
    )
    return Scored(found, MEASURES if upload.gold else tuple(name for name in MEASURES if name not in OF_GOLD))


def table_rows(scored: Scored, say: Say) -> tuple[list[str], list[list[str]]]:
    """The table of systems as it is shown.

    Args:
        scored: the table.
        say: words of the reader's language.

    Returns:
        Header and rows; for each system the average, then its directions where there are two.
    """
    names = {"bleu": "BLEU", "rougeL": "ROUGE-L", "bleu_source": "BLEU", "rougeL_source": "ROUGE-L"}
    header = [
        say("score.system"),
        say("score.direction"),
        "n",
        say("score.compliancy"),
        "95%",
        "HH",
        "AH",
        "main",
    ]
    for measure in scored.measures[4:]:
        against = say("score.to_source") if measure.endswith("_source") else say("score.to_gold")
        header.append(f"{names[measure]} {against}")
    rows = []
    directions = scored.scores.directions
    shown = directions[:1] if len(directions) == 2 else [AVERAGE, *directions[:-1]]
    for system in scored.scores.systems:
        for direction in shown:
            row = scored.scores.row(system, direction)
            low, high = row.intervals["compliancy"]
            values = [figure(row.values[name]) for name in scored.measures]
            rows.append(
                [
                    system,
                    say("score.average") if direction == AVERAGE else direction,
                    str(row.n),
                    values[0],
                    f"{figure(low)}–{figure(high)}",
                    *values[1:],
                ]
            )
    return header, rows


def test_rows(scored: Scored, say: Say) -> tuple[list[str], list[list[str]]]:
    """The paired tests of the average compliancy as they are shown.

    Args:
        scored: the table.
        say: words of the reader's language.

    Returns:
        Header and a row for each two systems; none for one system.
    """
    scores = scored.scores
    header = [say("score.first"), say("score.second"), say("score.difference"), "p"]
    value = {system: scores.row(system).values["compliancy"] for system in scores.systems}
    rows = [
        [one, other, figure(value[one] - value[other]), p_value(float(scores.p_values[i, j]))]
        for i, one in enumerate(scores.systems)
        for j, other in enumerate(scores.systems)
        if i < j
    ]
    return header, rows


def write_results(out: Path, scored: Scored, drawn: Sequence[Drawing]) -> list[Path]:
    """Write what can be downloaded.

    Args:
        out: an empty folder.
        scored: the table.
        drawn: its charts.

    Returns:
        `items.csv`, `systems.csv`, `scores.json` and a PNG for each chart.
    """
    paths = [out / "items.csv", out / "systems.csv", out / "scores.json"]
    without_formulas(scored.items).write_csv(paths[0])
    scored.table.write_csv(paths[1])
    paths[2].write_text(json.dumps(scored.as_dict(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return [*paths, *write_charts(out, drawn)]


def remarks(scored: Scored, say: Say) -> list[str]:
    """What a reader of the table must know.

    Args:
        scored: the table.
        say: words of the reader's language.

    Returns:
        A sentence for each system with missing headlines, each that the same judges chose, and for a missing column gold.
    """
    scores = scored.scores
    rows = [scores.row(system) for system in scores.systems]
    told = [say("score.failed", system=row.system, count=row.errors, n=row.n) for row in rows if row.errors]
    told += [say("score.same_judges", system=system) for system in scores.same_judges]
    return told if "bleu" in scored.measures else [*told, say("score.no_gold")]


def _refuse_cells(
    path: Path, rows: Sequence[Row], labels: dict[str, str], outlets: tuple[str, str], say: Say
) -> None:
    """Tell of texts that are missing or too long and of unknown labels, all at once."""
    needed = [name for name in (*COLUMNS[:3], "gold") if name in rows[0][1]]
    longest = dict.fromkeys(("headline", "prediction", "gold"), LIMITS.headline) | {
        "article": LIMITS.article,
        "id": LIMITS.headline,
        "system": _SYSTEM,
    }

    def lines(wrong: Callable[[dict[str, str]], bool]) -> list[int]:
        return [line for line, cells in rows if wrong(cells)]

    def faults() -> Iterator[tuple[str, list[int]]]:
        for name in needed:
            yield say("score.fault_empty", column=name), lines(lambda cells, name=name: not cells[name])  # type: ignore[misc]
        for name, most in longest.items():
            yield (
                say("score.fault_long", column=name, most=f"{most:,}"),
                lines(lambda cells, name=name, most=most: len(cells.get(name, "")) > most),  # type: ignore[misc]
            )
        yield (
            say("score.fault_label", a=outlets[0], b=outlets[1]),
            lines(lambda cells: cells["label"] not in labels),
        )

    refuse_lines(path, faults(), say)


def _reranker(system: str, named: set[str], say: Say) -> Any:
    """The judges that chose a system's headlines."""
    if len(named) > 1:
        raise InputError(say("score.rerankers", system=system))
    return parse_reranker(named.pop()) if named else None
