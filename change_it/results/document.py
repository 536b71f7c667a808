"""Tables under a title, as Markdown and JSON."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from change_it.io import write_json, write_text
from change_it.tables import Table, formatted, records, to_markdown


@dataclass(frozen=True)
class Section:
    """A table with a name for its files and, above it, what it shows."""

    name: str
    table: Table
    text: str = ""


@dataclass(frozen=True)
class Document:
    """Tables under a title."""

    title: str
    lead: str
    sections: Sequence[Section]
    signatures: Sequence[str]


def markdown(document: Document) -> str:
    """The document in Markdown."""
    parts = [f"# {document.title}", document.lead]
    for section in document.sections:
        table = to_markdown(_with_intervals(section.table.with_groups()))
        parts += [f"## {section.table.title}", section.text, table, *section.table.notes]
    return "\n\n".join(filter(None, [*parts, *(f"`{each}`" for each in document.signatures)])) + "\n"


def _with_intervals(table: Table) -> Table:
    """The table with what stands below a value in brackets after it."""
    rows = []
    for row in table.rows:
        values = dict(row.values)
        for column in table.columns:
            below = column.below
            if below is not None and row.values.get(below.name) is not None:
                value, under = (formatted(row.values.get(each.name), each.format) for each in (column, below))
                values[column.name] = f"{value} ({under})"
        rows.append(replace(row, values=values))
    return replace(table, rows=tuple(rows))


def as_json(document: Document) -> dict[str, Any]:
    """Name of a table to its rows, each a JSON object, and its notes; an interval is `_low` and `_high`, and `marks` are what stands behind values."""
    tables = {}
    for section in document.sections:
        header, rows = _cells(section.table)
        objects = [
            dict(zip(header, cells, strict=True)) | ({"marks": dict(row.marks)} if row.marks else {})
            for row, cells in zip(section.table.rows, rows, strict=True)
        ]
        tables[section.name] = {
            "title": section.table.title,
            "rows": objects,
            "notes": list(section.table.notes),
        }
    return {"title": document.title, "tables": tables, "signatures": list(document.signatures)}


def _cells(table: Table) -> tuple[list[str], list[list[str | int | float | None]]]:
    """Header and rows of plain values, with the group first where rows have one."""
    header, rows = records(table)
    groups = [row.group for row in table.rows]
    if not any(groups):
        return header, rows
    return ["group", *header], [[group, *row] for group, row in zip(groups, rows, strict=True)]


def write_document(folder: Path, document: Document, name: str = "tables") -> None:
    """Write `<name>.md` and `<name>.json` into a folder."""
    write_text(folder / f"{name}.md", markdown(document))
    write_json(folder / f"{name}.json", as_json(document))
