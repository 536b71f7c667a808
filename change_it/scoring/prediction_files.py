"""Read prediction files and check them against the test set.

A prediction file has `id, headline` and perhaps `target`, one new headline for every item of the test set.
`change-it transfer` adds `error`, why an item has no headline, and `reranker`, the judges that chose it.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, NamedTuple

from change_it.corpus.test_set import BUILT_IN, TestSet
from change_it.errors import InputError
from change_it.files.predictions import Predictions, headlines_of, named_files
from change_it.files.rows import read_records
from change_it.files.texts import join_truncated
from change_it.scoring.signature import parse_reranker
from change_it.scoring.systems import ScoredSystem

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
        name: name of the system.
        file: the file that they are from.
        rows: for each row its cells by our names of columns, whatever names the file has.
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
        rows = [record.cells for record in records]
        files.append(PredictionFile(name, file, rows))
    return files


def _without_ids(file: Path) -> str:
    """Return why a text file with a headline in each line is refused, and what to do."""
    fault = f"{file} is a text file, and its lines have no ids of the originals"
    command = "change-it corpus items --corpus CORPUS --out todo.csv"
    return f"{fault}: {command} lists these; write a CSV file with the columns id and headline"


def systems_of(
    files: Sequence[PredictionFile], test: TestSet, *, needed: Collection[str] | None = None
) -> list[ScoredSystem]:
    """Return the systems of prediction files in this order.

    Files of one name are runs of it: `mine.1`, `mine.2`, ….

    Args:
        files: the files of the systems.
        test: the test set.
        needed: ids of the items that must have a row; None stands for all.

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
    counts = Counter(system.name.lower() for system in systems)
    twice = [name for name, count in counts.items() if count > 1]
    if twice:
        raise InputError(f"--predictions: {join_truncated(twice)} would be the name of a run, choose another")
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
        name = file.name
        if files_of_name[file.name] > 1:
            name = f"{file.name}.{runs[file.name]}"
        names.append(name)
    return names


def shared_directions(files: Sequence[PredictionFile], test: TestSet) -> set[str]:
    """Return the directions, as in `colle2faro`, in which every file has a row; all of them without files."""
    shared = {item.direction for item in test.items}
    for file in files:
        ids = {row["id"] for row in file.rows}
        directions = {item.direction for item in test.items if item.id in ids}
        shared &= directions
    return shared


def system_of(
    system: PredictionFile, test: TestSet, *, needed: Collection[str] | None = None
) -> ScoredSystem:
    """Check the rows of a prediction file against the test set, and return them as a system.

    The headline of a row with an error is empty, whatever its cell has. An item without a row has None.

    Args:
        system: the prediction file.
        test: the test set.
        needed: ids of the items that must have a row; None stands for all.

    Raises:
        InputError: ids are missing, extra or duplicate, aim at the wrong outlet or have an empty headline
            without an error, all in one message; or several sets of judges chose the headlines.
    """
    rows = system.rows
    wanted = {item.id: item.target for item in test.items}
    ids = [row["id"] for row in rows]
    headlines = headlines_of(rows, lambda text: " ".join(text.split()))
    matched = Predictions.match(ids, headlines, wanted)
    if needed is not None and matched.headlines:
        missing = [id_ for id_ in matched.missing if id_ in needed]
        matched = replace(matched, missing=missing)
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
    offered = []
    for row in rows:
        number = row.get("candidates", "")
        if number.isdecimal():
            offered.append(int(number))
    in_order = [matched.headlines.get(id_) for id_ in wanted]
    return ScoredSystem(
        system.name,
        headlines=tuple(in_order),
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
