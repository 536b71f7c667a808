"""The one model of a table: named columns with formats, rows of values, shown on a terminal, as Markdown, LaTeX, HTML or CSV."""

import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class Marked:
    """A text of which some parts are underlined."""

    text: str
    places: tuple[tuple[int, int], ...]  # start and end of each, rising


#: What a cell may hold; a pair is an interval.
Value = str | int | float | tuple[float, float] | Marked | None
#: How a value is written: as it is, with thousands separated, `.743`, `≤ .743`, `.743` on a heat map, `.7–.8`, `< .001`, ✓ or ✗.
Format = Literal["text", "count", "figure", "at most", "correlation", "interval", "p", "mark"]

_PIPE_WIDTH = 120  # letters of a line where there is no terminal
_HEADING_LEAST = 10  # letters of a heading before it goes on in a second line
_KEY_LEAST = 13  # letters of the first column, at least, before it is folded


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str  # key of its values, and its name in CSV and JSON
    format: Format = "figure"
    title: str = ""  # the name when empty
    below: "Column | None" = (
        None  # second value of a cell: below in HTML, a column in CSV, left out elsewhere
    )

    @property
    def heading(self) -> str:
        """The title, or the name."""
        return self.title or self.name


def with_interval(name: str, title: str = "", *, at_most: bool = False) -> Column:
    """A figure, or the most that one may be, with its interval, `<name>_interval`, below."""
    return Column(
        name, "at most" if at_most else "figure", title, below=Column(f"{name}_interval", "interval")
    )


@dataclass(frozen=True)
class Row:
    """A row of a table."""

    values: Mapping[str, Value]  # by the name of the column
    group: str = ""  # neighbours of one group stand together, in HTML below its name where there are several
    strong: bool = False
    faint: bool = False  # of too few items to conclude from
    best: Collection[str] = ()  # names of the columns in which it is the best
    marks: Mapping[str, str] = field(default_factory=dict)  # name of a column to what stands behind its value
    tags: Sequence[str] = ()  # short remarks beside the first cell, such as `published`
    remark: str = ""  # one more line in the first cell


@dataclass(frozen=True)
class Table:
    """A table of results; the first column says what a row is about."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    title: str = ""
    notes: tuple[str, ...] = ()  # sentences below the table

    @property
    def header(self) -> list[str]:
        """Headings of the columns."""
        return [column.heading for column in self.columns]

    @property
    def groups(self) -> list[tuple[str, list[Row]]]:
        """Names of groups and their rows."""
        return [(name, list(rows)) for name, rows in groupby(self.rows, lambda row: row.group)]

    @property
    def texts(self) -> list[list[str]]:
        """The cells as they are shown, row by row."""
        return [
            [
                formatted(row.values.get(column.name), column.format) + row.marks.get(column.name, "")
                for column in self.columns
            ]
            for row in self.rows
        ]

    def with_groups(self) -> "Table":
        """The table with its groups as first column, for what shows no headings between rows; as it is where the rows name theirs."""
        named = all(
            any(isinstance(value, str) and value.startswith(row.group) for value in row.values.values())
            for row in self.rows
        )
        if named or len({row.group for row in self.rows} - {""}) < 2:
            return self
        rows = (replace(row, values={"group": row.group, **row.values}) for row in self.rows)
        return replace(self, columns=(Column("group", "text", title=" "), *self.columns), rows=tuple(rows))

    def only(self, names: Iterable[str]) -> "Table":
        """The table with some of its columns, in the order of the names."""
        by_name = {column.name: column for column in self.columns}
        return replace(self, columns=tuple(by_name[name] for name in names))


def figure(value: float | None) -> str:
    """Three digits as the papers print them (.743); a dash for None."""
    if value is None:
        return "–"
    text = f"{round(value, 3) + 0.0:.3f}"
    return text.replace("0.", ".", 1) if abs(value) < 0.9995 else text


def p_value(value: float | None) -> str:
    """A p-value to three digits."""
    return "< .001" if value is not None and value < 0.001 else figure(value)


def formatted(value: Value, format_: Format) -> str:
    """A value as it is shown."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if isinstance(value, Marked):
        return value.text
    if format_ == "mark":
        return "✓" if value else "✗"
    if isinstance(value, tuple):
        return ("–" if min(value) >= 0 else " to ").join(map(figure, value))
    if format_ == "count":
        return f"{value:,}"
    if format_ == "p":
        return p_value(value)
    if format_ == "at most":
        return f"≤ {figure(value)}"
    return str(value) if format_ == "text" else figure(value)


def records(table: Table) -> tuple[list[str], list[list[str | int | float | None]]]:
    """Header and rows of plain values; a column's `below` follows it, an interval is `_low` and `_high`."""
    every = [each for column in table.columns for each in (column, column.below) if each]
    ends = {"interval": ("_low", "_high")}
    header = [f"{column.name}{end}" for column in every for end in ends.get(column.format, ("",))]
    rows: list[list[str | int | float | None]] = []
    for row in table.rows:
        cells: list[str | int | float | None] = []
        for column in every:
            value = row.values.get(column.name)
            if isinstance(value, tuple):
                cells += value
            else:
                shown = value.text if isinstance(value, Marked) else value
                cells += [None, None] if column.format == "interval" else [shown]
        rows.append(cells)
    return header, rows


def to_markdown(table: Table) -> str:
    """The table in Markdown, without title and notes."""
    rule = "|".join("---" if column.format == "text" else "---:" for column in table.columns)
    rows = [[cell.replace("|", r"\|") for cell in row] for row in table.texts]
    return "\n".join(
        [f"| {' | '.join(table.header)} |", f"|{rule}|", *(f"| {' | '.join(row)} |" for row in rows)]
    )


#: What LaTeX would take for markup, or has no letter for.
_LATEX = str.maketrans(
    {
        **{mark: rf"\{mark}" for mark in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": "$<$",
        ">": "$>$",
        "–": "--",
        "−": "$-$",
        "|": r"\textbar{}",  # a dash in the letters that LaTeX begins with, which have no guillemets either
        '"': "''",
        "«": r"$\ll$",
        "»": r"$\gg$",
        "[": "{[}",  # after a line's end it would be an option
        "]": "{]}",
        "↓": r"$\downarrow$",
        "✓": r"$\surd$",
        "✗": r"$\times$",
        "†": r"$\dagger$",
        "≤": r"$\le$",
    }
)


def to_latex(table: Table, *, label: str, comments: Sequence[str] = ()) -> str:
    """The table as a LaTeX float for the package booktabs, title and notes as its caption.

    What stands below a value goes into a line of its own in small figures, the best of a column is bold. Ten columns of figures
    with intervals are as wide as a page of two columns.
    """

    def cell(row: Row, column: Column) -> str:
        text = formatted(row.values.get(column.name), column.format)
        text = (text if column.format == "text" else text.replace("-", "−")).translate(_LATEX)
        text = rf"\textbf{{{text}}}" if column.name in row.best else text
        mark = row.marks.get(column.name)
        return f"{text}$^{{{mark.translate(_LATEX).strip('$')}}}$" if mark else text

    def small(row: Row, below: Column | None) -> str:
        if below is None or row.values.get(below.name) is None:
            return ""
        return rf"{{\tiny {cell(row, below)}}}"

    def line(cells: Iterable[str]) -> str:
        return " & ".join(cells) + r" \\"

    def heading(text: str) -> str:
        lines = r"\\".join(text.translate(_LATEX).split())
        return rf"\shortstack[r]{{{lines}}}" if " " in text else lines

    columns = table.columns
    places = "".join("l" if column.format == "text" else "r" for column in columns)
    lines = [line(map(heading, table.header))]
    for group, rows in table.groups:
        lines.append(r"\midrule")
        if len(table.groups) > 1:
            lines.append(
                rf"\multicolumn{{{len(columns)}}}{{@{{}}l}}{{\emph{{{group.translate(_LATEX)}}}}} \\"
            )
        for row in rows:
            lines.append(line(cell(row, column) for column in columns))
            if any(under := [small(row, column.below) for column in columns]):
                lines.append(line(under))
    sentences = [f"{text.rstrip('.')}." for text in (table.title, *table.notes) if text]
    caption = " ".join(sentences).translate(_LATEX)
    return "\n".join(
        [
            *(f"% {comment}" for comment in comments),
            r"\begin{table*}",
            r"\centering\footnotesize\setlength{\tabcolsep}{2pt}",
            rf"\begin{{tabular}}{{@{{}}{places}@{{}}}}",
            r"\toprule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            rf"\caption{{{caption}}}",
            rf"\label{{{label}}}",
            r"\end{table*}",
        ]
    )


def console() -> "Console":
    """Standard output: as wide as the terminal, or 120 letters where there is none."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else _PIPE_WIDTH)


def print_table(table: Table, to: "Console") -> None:
    """Print a table and its notes; columns that find no room go on below the others, none is cut."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as Grid
    from rich.text import Text

    marked = any(row.best for row in table.rows)
    texts = [
        [
            text + ("*" if column.name in row.best else " ") if marked and at else text
            for at, (text, column) in enumerate(zip(cells, table.columns, strict=True))
        ]
        for row, cells in zip(table.rows, table.texts, strict=True)
    ]
    headings = [column.heading for column in table.columns]
    for at in (at for at, column in enumerate(table.columns) if at and column.format != "text"):
        room = max(_HEADING_LEAST, *(_width(row[at]) for row in texts)) if texts else _HEADING_LEAST
        headings[at] = "\n".join(part for word in headings[at].split() for part in wrap(word, room))
    for number, block in enumerate(_blocks(table, headings, texts, to.width)):
        if table.title and not number:
            to.print(Text(table.title, style="italic"), soft_wrap=True)
        grid = Grid(box=SIMPLE_HEAD, padding=0)
        for at in block:
            text = table.columns[at].format == "text"
            grid.add_column(
                Text(headings[at]),
                justify="left" if text else "right",
                no_wrap=not text,
                overflow="fold",
                min_width=_width(headings[at]) if at else None,
            )
        lines = iter(texts)
        for _, rows in table.groups:
            for row in rows:
                cells = [Text(cell) for cell in next(lines)]
                for cell, column in zip(cells, table.columns, strict=True):
                    value = row.values.get(column.name)
                    if column.format == "mark" and value is not None:
                        cell.stylize("green" if value else "red")
                    for ends in value.places if isinstance(value, Marked) else ():
                        cell.stylize("underline", *ends)
                grid.add_row(
                    *(cells[at] for at in block), style="bold" if row.strong else "dim" if row.faint else ""
                )
            grid.add_section()
        to.print(grid)
    for line in table.notes:
        to.print(line, soft_wrap=True, markup=False, highlight=False)


def _blocks(
    table: Table, headings: Sequence[str], texts: Sequence[Sequence[str]], width: int
) -> list[list[int]]:
    """Numbers of the columns that fit side by side, the first column in each block."""
    needed = [
        max(map(_width, [heading, *(row[at] for row in texts)])) + 1 for at, heading in enumerate(headings)
    ]
    texts_at = [at for at, column in enumerate(table.columns) if column.format == "text"]
    left = width - 2 - sum(each for at, each in enumerate(needed) if at not in texts_at)
    room = max(_KEY_LEAST, width // 3)
    if len(texts_at) > 1 and left // len(texts_at) >= _KEY_LEAST:
        room = left // len(texts_at)
    needed = [min(each, room) if at in texts_at else each for at, each in enumerate(needed)]
    blocks, left = [[0]], width - needed[0] - 2
    for at in range(1, len(headings)):
        if needed[at] > left and len(blocks[-1]) > 1:
            blocks.append([0])
            left = width - needed[0] - 2
        blocks[-1].append(at)
        left -= needed[at]
    return blocks


def _width(text: str) -> int:
    """Columns of a terminal that the longest line takes."""
    from rich.cells import cell_len

    return max(map(cell_len, text.split("\n")))
