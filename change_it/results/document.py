"""Tables under a title, as Markdown and JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from change_it.io import write_json, write_text
from change_it.tables import Table, records, to_markdown


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
        table = to_markdown(section.table.with_groups())
        parts += [f"## {section.table.title}", section.text, table, *section.table.notes]
    return "\n\n".join(filter(None, [*parts, *(f"`{each}`" for each in document.signatures)])) + "\n"


def as_json(document: Document) -> dict[str, Any]:
    """Name of a table to its rows, each a JSON object, and its notes; an interval is `_low` and `_high`, and `marks` are what stands behind values."""
    tables = {}
    for name, table in ((section.name, section.table) for section in document.sections):
        header, rows = records(table)
        grouped = any(row.group for row in table.rows)
        objects = [
            ({"group": row.group} if grouped else {})
            | dict(zip(header, cells, strict=True))
            | ({"marks": dict(row.marks)} if row.marks else {})
            for row, cells in zip(table.rows, rows, strict=True)
        ]
        tables[name] = {"title": table.title, "rows": objects, "notes": list(table.notes)}
    return {"title": document.title, "tables": tables, "signatures": list(document.signatures)}


def write_document(folder: Path, document: Document, name: str = "tables") -> None:
    """Write `<name>.md` and `<name>.json` into a folder."""
    write_text(folder / f"{name}.md", markdown(document))
    write_json(folder / f"{name}.json", as_json(document))
