"""Make the systems that are scored.

They are those in every table (gold, clause, copy, lead, random-target), and those of prediction files. A
prediction file has `id, headline` and perhaps `target`, one new headline for every item of the test set.
`change-it transfer` adds `error`, why an item has no headline, and `reranker`, the judges that chose it.
"""

import random
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import compress
from pathlib import Path
from statistics import mean, median_low
from typing import TYPE_CHECKING, NamedTuple

from change_it.corpus.test_set import BUILT_IN, CLAUSE, GOLD, TestSet
from change_it.errors import InputError
from change_it.files.predictions import Predictions, headlines_of, named_files
from change_it.files.rows import read_records
from change_it.files.texts import listed
from change_it.scoring.signature import parse_reranker
from change_it.text.sentences import cuts, without_end
from change_it.text.tokens import beginning, length
from change_it.text.typography import Typography

if TYPE_CHECKING:
    from change_it.scoring.signature import Reranker

#: Columns that a prediction file must have.
MUST_HAVE = ("id", "headline")
#: Columns that it may have.
MAY_HAVE = ("target", "error", "reranker", "candidates")
#: Ending of files that may have a headline in each line, and no ids.
TEXT = ".txt"


class PredictionFile(NamedTuple):
    """A system's headlines as they were read.

    Attributes:
        name: of the system.
        file: where they are from.
        rows: their cells by our names.
    """

    name: str
    file: Path
    rows: list[dict[str, str]]


def read_prediction_files(specs: Sequence[str], columns: str = "") -> list[PredictionFile]:
    """Read prediction files.

    Args:
        specs: `NAME=FILE` each.
        columns: a map `ours=theirs`.

    Raises:
        InputError: a file lacks a column, or has the name of a built-in system.
    """
    named = named_files(specs, option="--predictions", example="mine=mine.csv", taken=BUILT_IN, repeated=True)
    files = []
    for name, file in named:
        try:
            records = read_records(file, required=MUST_HAVE, optional=MAY_HAVE, columns=columns)
        except InputError as error:
            if file.suffix.lower() != TEXT or not file.is_file():
                raise
            raise InputError(_without_ids(file)) from error
        files.append(PredictionFile(name, file, [record.cells for record in records]))
    return files


def _without_ids(file: Path) -> str:
    """Return why a text file with a headline in each line is refused, and what to do."""
    fault = f"{file} is a text file, and its lines have no ids of the originals"
    command = "change-it corpus items --corpus CORPUS --out todo.csv"
    return f"{fault}: {command} lists these; write a CSV file with the columns id and headline"


@dataclass(frozen=True)
class ScoredSystem:
    """A system's new headlines for every item.

    Attributes:
        name: in tables.
        headlines: empty where the system has failed, None where its file lacks one.
        reranker: the judges that chose among candidates.
        run_of: the system that this is one of several runs of, trained with another seed each.
        cuts: of `clause` and `floor`, all cuts of each article, those of `floor` the best first. The score of
            `clause` is the mean over them.
        candidates: mean number of headlines that one was chosen of; None where it is not known.
    """

    name: str
    headlines: tuple[str | None, ...]
    reranker: "Reranker | None" = None
    run_of: str = ""
    cuts: tuple[tuple[str, ...], ...] = ()
    candidates: float | None = None


def built_in_systems(test: TestSet, *, seed: int = 1) -> list[ScoredSystem]:
    """Return the systems that need no model, without `gold` where an item has no reference.

    * `gold` is the aligned headline of the target outlet, the papers' upper bound;
    * `copy` is the original headline: content kept, style not;
    * `lead` is the first words of the article, at the median length of the target outlet's training
      headlines;
    * `random-target` is a random one of these: style, no content;
    * `clause` is each of the `clauses` of the article in turn.

    Raises:
        InputError: the corpus has no training headlines of an outlet.
    """
    training = test.training_headlines
    draw = random.Random(seed)
    lacking = [outlet for outlet in test.outlets if not training[outlet]]
    if lacking:
        fault = f"the corpus {test.name} has no training headlines of {listed(lacking)}"
        raise InputError(f"{fault}: build it from more articles")
    lengths = {outlet: median_low(length(text) for text in texts) for outlet, texts in training.items()}
    headlines = {
        GOLD: [item.reference for item in test.items],
        "copy": [item.source for item in test.items],
        "lead": [lead(item.article, lengths[item.target]) for item in test.items],
        "random-target": [draw.choice(training[item.target]) for item in test.items],
    }
    if not all(headlines[GOLD]):
        del headlines[GOLD]
    systems = [ScoredSystem(name, tuple(texts)) for name, texts in headlines.items()]
    cut = tuple(tuple(texts) for texts in clauses(test))
    systems.append(ScoredSystem(CLAUSE, tuple(texts[0] for texts in cut), cuts=cut))
    return systems


def lead(article: str, most: int) -> str:
    """Return the first words of an article as a headline, at most so many.

    A comma, colon or full stop that would dangle at the end is left out.

    Examples:
        >>> lead("Il governo ha deciso, nella notte, di rinviare.", 4)
        'Il governo ha deciso'
    """
    text = beginning(article, max(1, most))
    return without_end(text) or text


def clauses(test: TestSet) -> list[list[str]]:
    """Return for each item the first sentences of its article and their clauses.

    Where there are none, it is the original. They have the typography of the outlet aimed at.
    """
    typography = {outlet: _typography_of(texts) for outlet, texts in test.training_headlines.items()}
    candidates = []
    for item in test.items:
        found = cuts(item.article, typography[item.target])
        candidates.append(found or [item.source])
    return candidates


@lru_cache(maxsize=8)  # `clause` and `floor` of every table print as the same outlets do
def _typography_of(headlines: tuple[str, ...]) -> Typography:
    """Return the most frequent typography of an outlet's headlines."""
    return Typography.from_headlines(headlines)


def systems_of(
    files: Sequence[PredictionFile], test: TestSet, *, needed: Collection[str] | None = None
) -> list[ScoredSystem]:
    """Return the systems of prediction files in this order.

    Files of one name are runs of it: `mine.1`, `mine.2`, ….

    Args:
        files: of the systems.
        test: the test set.
        needed: ids, see `system_of`.

    Raises:
        InputError: a file does not fit the test set, or a run would have the name of another system.
    """
    files_of_name = Counter(file.name for file in files)
    systems = []
    for file, name in zip(files, names_of_runs(files), strict=True):
        system = system_of(file._replace(name=name), test, needed=needed)
        if files_of_name[file.name] > 1:
            system = replace(system, run_of=file.name)
        systems.append(system)
    names = Counter(system.name.lower() for system in systems)
    twice = [name for name, count in names.items() if count > 1]
    if twice:
        raise InputError(f"--predictions: {listed(twice)} would be the name of a run, choose another")
    return systems


def names_of_runs(files: Sequence[PredictionFile]) -> list[str]:
    """Return the name of the system of each file.

    Files of one name are runs of it: `mine.1`, `mine.2` and so on.
    """
    files_of_name = Counter(file.name for file in files)
    runs: Counter[str] = Counter()
    names = []
    for file in files:
        runs[file.name] += 1
        is_run = files_of_name[file.name] > 1
        names.append(f"{file.name}.{runs[file.name]}" if is_run else file.name)
    return names


def check_against(against: str, systems: Sequence[str]) -> None:
    """Refuse a name that no system of the table has."""
    if against not in systems:
        raise InputError(f"--against {against} is no system of the table: give one of {listed(systems)}")


def on_same_items(
    test: TestSet, systems: Sequence[ScoredSystem], *, with_partner: bool = True
) -> tuple[TestSet, list[ScoredSystem]]:
    """Return the items that every system has a headline for, and the systems on them.

    Args:
        test: the test set.
        systems: with None for headlines that they lack.
        with_partner: leaves out the items that have no partner, and so no `gold`.

    Raises:
        InputError: there is no such item.
    """
    shared = []
    for place, item in enumerate(test.items):
        has_all = all(system.headlines[place] is not None for system in systems)
        shared.append(has_all and (bool(item.reference) or not with_partner))
    if not any(shared):
        raise InputError(
            "the files of --predictions have no headline in common: give files of the same headlines"
        )
    same = [select_items(system, shared) for system in systems]
    return replace(test, items=tuple(compress(test.items, shared))), same


def select_items(system: ScoredSystem, is_selected: Sequence[bool]) -> ScoredSystem:
    """Return a system of n items on the selected ones."""
    headlines = tuple(compress(system.headlines, is_selected))
    cuts = tuple(compress(system.cuts, is_selected))
    candidates = system.candidates
    if cuts and candidates is not None:
        candidates = mean(len(texts) for texts in cuts)
    return replace(system, headlines=headlines, cuts=cuts, candidates=candidates)


def shared_directions(files: Sequence[PredictionFile], test: TestSet) -> set[str]:
    """Return the directions in which every file has a row; all of them without files."""
    shared = {item.direction for item in test.items}
    for file in files:
        ids = {row["id"] for row in file.rows}
        shared &= {item.direction for item in test.items if item.id in ids}
    return shared


def system_of(
    system: PredictionFile, test: TestSet, *, needed: Collection[str] | None = None
) -> ScoredSystem:
    """Check the rows of a system against the test set.

    The headline of a row with an error is empty, whatever its cell has.

    Args:
        system: its rows.
        test: the test set.
        needed: ids that may not be left out; None stands for all. The headline of one that is left out is
            None.

    Raises:
        InputError: ids are missing, extra or duplicate, aim at the wrong outlet or have an empty headline
            without an error, all in one message; or several sets of judges chose the headlines.
    """
    rows = system.rows
    wanted = {item.id: item.target for item in test.items}
    headlines = headlines_of(rows, lambda text: " ".join(text.split()))
    matched = Predictions.match([row["id"] for row in rows], headlines, wanted)
    if needed is not None and matched.headlines:
        matched = replace(matched, missing=[id_ for id_ in matched.missing if id_ in needed])
    empty = []
    elsewhere = []
    for row in rows:
        id_ = row["id"]
        if id_ not in wanted:
            continue
        if not row["headline"] and not row.get("error"):
            empty.append(id_)
        if row.get("target") and row["target"] != wanted[id_]:
            elsewhere.append(id_)
    faults = {"with an empty headline": empty, "with the wrong target": elsewhere}
    problems = matched.problems("not in the test set", faults)
    if problems:
        if matched.missing and matched.headlines:
            problems += "; --shared-items scores all systems on what every file has"
        if empty:
            problems += (
                "; where a system wrote nothing, say why in a column error (it counts against the system), "
                "or delete the row and give --shared-items"
            )
        expected = f"{len(wanted)} ids, targets {' and '.join(test.outlets)}"
        raise InputError(f"{system.file} does not fit the test set ({expected}): {problems}")
    offered = [int(row["candidates"]) for row in rows if row.get("candidates", "").isdecimal()]
    return ScoredSystem(
        system.name,
        headlines=tuple(matched.headlines.get(id_) for id_ in wanted),
        reranker=_reranker_of(system),
        candidates=mean(offered) if offered else None,
    )


def _reranker_of(system: PredictionFile) -> "Reranker | None":
    """Return the judges that chose a system's headlines; None where none did."""
    cells = {row.get("reranker", "") for row in system.rows} - {""}
    rerankers = [parse_reranker(text, system.file) for text in sorted(cells)]
    if not rerankers:
        return None
    if len(rerankers) > 1:
        sets = " and ".join(reranker.short for reranker in rerankers)
        raise InputError(
            f"{system.file} was reranked by several sets of judges ({sets}): "
            "write it again in one run of change-it transfer"
        )
    return rerankers[0]
