"""What is transferred: rows of a corpus or a file. No row is dropped; one that cannot be used carries its reason."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from change_it.corpus import cleaning
from change_it.corpus.article import KNOWN_LABELS
from change_it.corpus.reading import COLUMNS
from change_it.errors import InputError
from change_it.io import cell_text, listed, parse_columns, read_tables
from change_it.scoring.item import read_test_set


@dataclass(frozen=True, slots=True)
class Row:
    """One headline to transfer.

    Attributes:
        id: of the input, or `<file stem>-<row>`.
        headline: the original, may be empty.
        article: may be empty.
        target: outlet aimed at; empty where it cannot be told.
        error: why there will be no new headline, or the empty string.
    """

    id: str
    headline: str
    article: str
    target: str
    error: str = ""


def corpus_rows(
    corpus: str, outlets: tuple[str, str], targets: Sequence[str], *, needs: Sequence[str] = ()
) -> list[Row]:
    """The A2 headlines of a corpus, all of direction A to B first.

    Args:
        corpus: folder or Hub id.
        outlets: those of the generator.
        targets: outlets to write for; other items are left out.
        needs: as in `file_rows`.

    Raises:
        InputError: the corpus cannot be read, has no A2 pairs, or is of other outlets.
    """
    test = read_test_set(corpus)
    if set(test.outlets) != set(outlets):
        raise InputError(
            f"the generator is for {' and '.join(outlets)}, the corpus {corpus} has {' and '.join(test.outlets)}: "
            "take a generator that was trained on this corpus"
        )
    return [
        _checked(Row(item.id, item.source, item.article, item.target), needs)
        for item in test.items
        if item.target in targets
    ]


def file_rows(
    file: str,
    outlets: tuple[str, str],
    targets: Sequence[str],
    *,
    columns: str = "",
    to: str | None = None,
    needs: Sequence[str] = (),
) -> list[Row]:
    """Rows of a file, cleaned as a corpus is.

    Args:
        file: as `io.read_tables` takes it.
        outlets: short names of A and B; CHANGE-IT's labels R and G stand for rep and gio.
        targets: outlets that the generator writes for.
        columns: map `ours=theirs`, as `corpus.reading.read_articles` takes it.
        to: aim all rows at this outlet, whatever their label; None: each at the outlet that its label is not, or, in a
            file without labels, at the only one of `targets`.
        needs: `headline` and `article`, as far as they are read; empty ones are errors.

    Returns:
        One row for each row of the file, in its order, unreadable ones included.

    Raises:
        InputError: the file cannot be read, holds no rows, or lacks a column that is needed.
    """
    names = parse_columns(columns, COLUMNS)
    only = to or (targets[0] if len(targets) == 1 else None)
    rows: list[Row] = []
    seen: dict[str, None] = {}
    labelled = False
    for table in read_tables([file]):
        for number, line in enumerate(table.rows, start=1):
            cells = {ours: _cell(line.values, names[ours]) for ours in ("headline", "article", "label")}
            labelled = labelled or any(name in line.values for name in names["label"])
            aim, fault = (to, "") if to else _aim(cells["label"], outlets, targets)
            id_ = cleaning.visible(cell_text(line.values.get(names["id"][0]) if names["id"] else None))
            row = Row(
                id_ or f"{table.stem}-{number}",
                cells["headline"],
                cells["article"],
                aim,
                line.fault or fault,
            )
            rows.append(row)
        seen.update(table.columns)
    if not rows or not seen:
        raise InputError(
            f"{file} holds no rows that can be read: give CSV with a header, or JSON with one object a line"
        )
    wanted = [*needs, *(() if only else ("label",))]
    given = [ours for ours in names if names[ours] != COLUMNS[ours] and names[ours]]
    for ours in dict.fromkeys([*wanted, *given]):
        if not any(name in seen for name in names[ours]):
            fix = "or give --to" if ours == "label" else "as in --columns headline=title,article=body"
            raise InputError(
                f"{file} has no column {' or '.join(names[ours]) or ours} (its columns are {listed(list(seen), 20)}): "
                f"name yours {fix}"
            )
    if not labelled and only and not to:
        rows = [replace(row, target=only, error="" if row.error == _NO_LABEL else row.error) for row in rows]
    return [_checked(row, needs) for row in rows]


_NO_LABEL = "empty label"


def _aim(label: str, outlets: tuple[str, str], targets: Sequence[str]) -> tuple[str, str]:
    """The outlet that a row of this label is rewritten for, and why it is not."""
    if not label:
        return "", _NO_LABEL
    name = label if label in outlets else KNOWN_LABELS.get(label)
    if name not in outlets:
        return "", f"unknown label: {label}"
    target = outlets[1 - outlets.index(name)]
    return target, "" if target in targets else f"no generator for {target}"


def _cell(values: Mapping[str, object], names: Sequence[str]) -> str:
    """The clean text of the first of these columns that is there."""
    return cleaning.clean(cell_text(next((values[name] for name in names if name in values), None)))


def _checked(row: Row, needs: Sequence[str]) -> Row:
    """The row, with an error for a text that is needed and empty."""
    empty = [name for name in needs if not getattr(row, name)]
    return replace(row, error=f"empty {' and '.join(empty)}") if empty and not row.error else row


def rows_hash(rows: Sequence[Row]) -> str:
    """SHA-256 of everything the rows say, hexadecimal."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update(json.dumps([row.id, row.headline, row.article, row.target, row.error]).encode() + b"\n")
    return digest.hexdigest()
