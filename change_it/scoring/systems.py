"""The systems that are scored: those in every table (gold, clause, copy, lead, random-target), and prediction files.

A prediction file has `id, headline` and perhaps `target`, one new headline for every item of the test set. `change-it transfer` adds
`error`, why an item has no headline, and `reranker`, the judges that chose it.
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

#: What a prediction file must have, and what it may have.
MUST_HAVE = ("id", "headline")
MAY_HAVE = ("target", "error", "reranker", "candidates")
#: Ending of files that may have a headline in each line, and no ids.
TEXT = ".txt"


class PredictionFile(NamedTuple):
    """A system's headlines as they were read."""

    name: str
    file: Path
    rows: list[dict[str, str]]  # cells by our names


def read_prediction_files(specs: Sequence[str], columns: str = "") -> list[PredictionFile]:
    """Read prediction files (`NAME=FILE`); one that lacks a column or has the name of a built-in system is refused. `columns` is a map `ours=theirs`."""
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
    """New headlines for every item."""

    name: str  # in tables
    headlines: tuple[str | None, ...]  # empty where it has failed, None where its file lacks one
    reranker: "Reranker | None" = None  # the judges that chose among candidates
    run_of: str = ""  # the system that this is one of several runs of, trained with another seed each
    # of `clause` and `floor`: all cuts of each article, those of `floor` the best first; the score of `clause` is the mean over them
    cuts: tuple[tuple[str, ...], ...] = ()
    candidates: float | None = None  # mean number of headlines that one was chosen of, where it is known


def built_in_systems(test: TestSet, *, seed: int = 1) -> list[ScoredSystem]:
    """The systems that need no model, without `gold` where an item has no reference.

    `gold` is the aligned headline of the target outlet (the papers' upper bound); `copy` the original headline
    (content kept, style not), `clause` each of the `clauses` of the article in turn, `lead` its first words at the median length of
    the target outlet's training headlines, `random-target` a random one of these (style, no content).
    """
    training, draw = test.training_headlines, random.Random(seed)
    if lacking := [outlet for outlet in test.outlets if not training[outlet]]:
        raise InputError(
            f"the corpus {test.name} has no training headlines of {listed(lacking)}: build it from more articles"
        )
    lengths = {name: median_low(map(length, texts)) for name, texts in training.items()}
    headlines = {
        GOLD: [item.reference for item in test.items],
        "copy": [item.source for item in test.items],
        "lead": [lead(item.article, lengths[item.target]) for item in test.items],
        "random-target": [draw.choice(training[item.target]) for item in test.items],
    }
    if not all(headlines[GOLD]):
        del headlines[GOLD]
    cut = tuple(map(tuple, clauses(test)))
    clause = ScoredSystem(CLAUSE, tuple(texts[0] for texts in cut), cuts=cut)
    return [*(ScoredSystem(name, tuple(texts)) for name, texts in headlines.items()), clause]


def lead(article: str, most: int) -> str:
    """The first words of an article as a headline, at most `most`, without a dangling comma, colon or full stop at the end.

    Examples:
        >>> lead("Il governo ha deciso, nella notte, di rinviare.", 4)
        'Il governo ha deciso'
    """
    text = beginning(article, max(1, most))
    return without_end(text) or text


def clauses(test: TestSet) -> list[list[str]]:
    """For each item the first sentences of its article and their clauses, as the outlet aimed at would print them; the original where there are none."""
    typography = {outlet: _typography_of(texts) for outlet, texts in test.training_headlines.items()}
    return [cuts(item.article, typography[item.target]) or [item.source] for item in test.items]


@lru_cache(maxsize=8)  # `clause` and `floor` of every table print as the same outlets do
def _typography_of(headlines: tuple[str, ...]) -> Typography:
    """Return the most frequent typography of an outlet's headlines."""
    return Typography.of(headlines)


def systems_of(
    files: Sequence[PredictionFile], test: TestSet, *, needed: Collection[str] | None = None
) -> list[ScoredSystem]:
    """The systems of prediction files in this order; files of one name are its runs: `mine.1`, `mine.2`, …. `needed`: see `system_of`."""
    total, systems = Counter(file.name for file in files), list[ScoredSystem]()
    for file, name in zip(files, names_of_runs(files), strict=True):
        run_of = file.name if total[file.name] > 1 else ""
        system = system_of(file._replace(name=name), test, needed=needed)
        systems.append(replace(system, run_of=run_of))
    names = Counter(system.name.lower() for system in systems)
    if twice := [name for name, count in names.items() if count > 1]:
        raise InputError(f"--predictions: {listed(twice)} would be the name of a run, choose another")
    return systems


def names_of_runs(files: Sequence[PredictionFile]) -> list[str]:
    """Return the name of the system of each file; files of one name are its runs, `mine.1`, `mine.2` and so on."""
    total, runs, names = Counter(file.name for file in files), Counter[str](), []
    for file in files:
        runs[file.name] += 1
        names.append(f"{file.name}.{runs[file.name]}" if total[file.name] > 1 else file.name)
    return names


def check_against(against: str, systems: Sequence[str]) -> None:
    """Refuse a name that no system of the table has."""
    if against not in systems:
        raise InputError(f"--against {against} is no system of the table: give one of {listed(systems)}")


def on_same_items(
    test: TestSet, systems: Sequence[ScoredSystem], *, with_partner: bool = True
) -> tuple[TestSet, list[ScoredSystem]]:
    """Return the items that every system has a headline for, and the systems on them.

    `with_partner` leaves out the items that have none, and so no `gold`.

    Raises:
        InputError: there is no such item.
    """
    shared = [
        (bool(item.reference) or not with_partner)
        and all(system.headlines[place] is not None for system in systems)
        for place, item in enumerate(test.items)
    ]
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
    """The directions in which every file has a row; all of them without files."""
    shared = {item.direction for item in test.items}
    for file in files:
        ids = {row["id"] for row in file.rows}
        shared &= {item.direction for item in test.items if item.id in ids}
    return shared


def system_of(
    system: PredictionFile, test: TestSet, *, needed: Collection[str] | None = None
) -> ScoredSystem:
    """Check the rows of a system against the test set.

    The headline of a row with an error is empty, whatever its cell has; that of an item that may be left out, since it is not among
    those `needed`, is None. Ids that are missing, extra or duplicate, or that aim at the wrong outlet or have an empty headline
    without an error, are refused in one message.
    """
    path, rows = system.file, system.rows
    wanted = {item.id: item.target for item in test.items}
    headlines = headlines_of(rows, lambda text: " ".join(text.split()))
    matched = Predictions.match([row["id"] for row in rows], headlines, wanted)
    known = [row for row in rows if row["id"] in wanted]
    empty = [row["id"] for row in known if not row["headline"] and not row.get("error")]
    elsewhere = [row["id"] for row in known if (row.get("target") or wanted[row["id"]]) != wanted[row["id"]]]
    if needed is not None and matched.headlines:
        matched = replace(matched, missing=[id_ for id_ in matched.missing if id_ in needed])
    faults = {"with an empty headline": empty, "with the wrong target": elsewhere}
    if problems := matched.problems("not in the test set", faults):
        if matched.missing and matched.headlines:
            problems += "; --shared-items scores all systems on what every file has"
        if empty:
            problems += "; where a system wrote nothing, say why in a column error (it counts against the system), or delete the row and give --shared-items"
        raise InputError(
            f"{path} does not fit the test set ({len(wanted)} ids, targets {' and '.join(test.outlets)}): {problems}"
        )
    choosers = [
        parse_reranker(text, path) for text in sorted({row.get("reranker", "") for row in rows} - {""})
    ]
    if len(choosers) > 1:
        raise InputError(
            f"{path} was reranked by several sets of judges ({' and '.join(chooser.short for chooser in choosers)}): write it again in one run of change-it transfer"
        )
    in_order = tuple(matched.headlines.get(id_) for id_ in wanted)
    offered = [int(row["candidates"]) for row in rows if row.get("candidates", "").isdecimal()]
    number = mean(offered) if offered else None
    return ScoredSystem(system.name, in_order, choosers[0] if choosers else None, candidates=number)
