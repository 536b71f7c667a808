"""The systems that are scored: those that stand in every table (gold, copy, lead, random-target), and prediction files.

A prediction file has `id, headline, target`, one new headline for every item of the test set. `change-it transfer` adds
`error`, why an item has no headline, and `reranker`, the judges that chose it.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median_low

from change_it.errors import InputError
from change_it.io import Predictions, headlines_of, named_files, read_records
from change_it.scoring.columns import BUILT_IN, PREDICTION_COLUMNS
from change_it.scoring.item import TestSet
from change_it.scoring.signature import Reranker, Writer, parse_reranker


@dataclass(frozen=True)
class System:
    """New headlines for every item.

    Attributes:
        name: as it stands in tables.
        headlines: (n,) in the order of the items; empty where the system has failed, which is never compliant; None for
            an item that it has no part in, as `gold` where there is no reference.
        reranker: the judges that chose among candidates, None where none did.
        writers: the generators, where the file names them.
    """

    name: str
    headlines: tuple[str | None, ...]
    reranker: Reranker | None = None
    writers: tuple[Writer, ...] = ()


def built_in_systems(test: TestSet, *, seed: int = 1) -> list[System]:
    """The four systems that need no model.

    `gold` is the aligned headline of the target outlet (the papers' upper bound), where there is one; `copy` the original headline
    (content kept, style not), `lead` the article's first words at the median length of the target outlet's
    training headlines, `random-target` a random training headline of the target outlet (style, no content).

    Args:
        test: the items and the training headlines.
        seed: seed of `random-target`.

    Returns:
        The systems in the order of `BUILT_IN`, without `gold` where no item has a reference.

    Raises:
        InputError: an outlet has no training headlines.
    """
    for outlet in test.outlets:
        if not test.training_headlines[outlet]:
            raise InputError(
                f"the corpus {test.name} has no training headlines of {outlet}: build it from more articles"
            )
    lengths = {
        name: median_low(len(text.split()) for text in texts)
        for name, texts in test.training_headlines.items()
    }
    draw = random.Random(seed)
    headlines: dict[str, Sequence[str | None]] = {
        "gold": [item.reference or None for item in test.items],
        "copy": [item.source for item in test.items],
        "lead": [lead(item.article, lengths[item.target]) for item in test.items],
        "random-target": [draw.choice(test.training_headlines[item.target]) for item in test.items],
    }
    return [System(name, tuple(headlines[name])) for name in BUILT_IN if any(headlines[name])]


def lead(article: str, length: int) -> str:
    """The first words of an article as a headline.

    Args:
        article: the text.
        length: number of words, at least 1.

    Returns:
        At most `length` words, without a dangling comma, colon or full stop at the end.

    Examples:
        >>> lead("Il governo ha deciso, nella notte, di rinviare.", 4)
        'Il governo ha deciso'
    """
    text = " ".join(article.split()[: max(1, length)])
    return text.rstrip(" ,;:.-–—") or text


def read_systems(specs: Sequence[str], test: TestSet) -> list[System]:
    """Read the prediction files of several systems.

    Args:
        specs: `NAME=FILE` each.
        test: the items that every file must cover.

    Returns:
        The systems in the order given.

    Raises:
        InputError: a spec without a name, a name that is taken or unfit for a file name, or a file at fault.
    """
    named = named_files(specs, option="--predictions", example="mine=mine.csv", taken=BUILT_IN)
    return [read_predictions(file, test, name=name) for name, file in named]


def read_predictions(file: Path, test: TestSet, *, name: str = "") -> System:
    """Read one prediction file and check it against the test set.

    Args:
        file: CSV, TSV, JSON lines or parquet with the columns id, headline and target, optionally error and reranker
            (others are ignored), in any order of rows.
        test: the items to cover.
        name: of the system; the file's name without its ending when not given.

    Returns:
        The system, headlines in the order of the items with white space at the ends removed; the headline of a
        row with an error is empty, whatever stands there.

    Raises:
        InputError: unreadable file, missing column, malformed line, a reranker that cannot be read or more than
            one, or ids that are missing, extra or duplicate or that aim at the wrong outlet or have an empty
            headline without an error: all of them in one message.
    """
    records = read_records(file, required=PREDICTION_COLUMNS, optional=("error", "reranker", "generator"))
    rows = [record.cells for record in records]
    wanted = {item.id: item.target for item in test.items}
    headlines = headlines_of(rows, lambda text: " ".join(text.split()))
    found = Predictions.match([row["id"] for row in rows], headlines, wanted)
    known = [row for row in rows if row["id"] in wanted]
    others = {
        "with an empty headline": [
            row["id"] for row in known if not row["headline"] and not row.get("error")
        ],
        "with the wrong target": [row["id"] for row in known if row["target"] != wanted[row["id"]]],
    }
    if wrong := found.faults("not in the test set", others):
        raise InputError(
            f"{file} does not fit the test set ({len(wanted)} ids, targets {' and '.join(test.outlets)}): {wrong}"
        )
    named = sorted({row.get("reranker", "") for row in rows} - {""})
    cells = sorted({row.get("generator", "") for row in rows})
    writers = tuple(writer for text in cells if (writer := Writer.parse(text)))
    return System(name or file.stem, tuple(found.headlines.values()), _reranker(file, named), writers)


def _reranker(file: Path, named: Sequence[str]) -> Reranker | None:
    """The judges that chose the headlines of a file; rows without a headline may name none."""
    if not named:
        return None
    try:
        rerankers = [parse_reranker(text) for text in named]
    except InputError as error:
        raise InputError(f"{file}: {error}") from error
    if len(rerankers) > 1:
        both = " and ".join(reranker.short for reranker in rerankers)
        raise InputError(
            f"{file} was reranked by more than one set of judges ({both}): write it again in one run of change-it transfer"
        )
    return rerankers[0]
