"""The one model of a table: named columns with formats, rows of values, shown on a terminal, as Markdown, HTML or CSV."""

import csv
import json
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import StringIO
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal, TextIO

from change_it.errors import escaped
from change_it.render.templates import without_markup

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class UnderlinedText:
    """A text with underlined parts."""

    text: str
    places: tuple[tuple[int, int], ...]  # start and end of each, rising


#: What a cell may hold; a pair is an interval, three numbers are a value with its interval.
Value = str | int | float | tuple[float, float] | tuple[float, float, float] | UnderlinedText | None
#: How a value is written: as it is, with thousands separated, `.743`, `.743` on a heat map, `+.743`, `.7–.8`, `.74 (.71–.78)`, `< .001`.
Format = Literal["text", "count", "figure", "correlation", "difference", "interval", "estimate", "p"]
#: Forms of a table alone, for a paper or a program.
TableForm = Literal["markdown", "latex", "csv", "json"]
#: Characters that LaTeX reads as commands or lacks, and what is written in their place.
_LATEX = {
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "–": "--",
    "†": r"\dag{}",
    "≤": r"$\leq$",
    "≈": r"$\approx$",
}


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str  # key of its values, and its name in CSV and JSON
    format: Format = "figure"
    title: str = ""  # the name when empty
    #: Second value of a cell: below or behind it, a column of its own in CSV, left out on a terminal.
    secondary: "Column | None" = None
    bold: bool = False  # on a terminal and in HTML

    @property
    def heading(self) -> str:
        """The title, or the name."""
        return self.title or self.name


def with_interval(name: str, title: str = "", *, bold: bool = False) -> Column:
    """A figure with its interval, `<name>_interval`, below."""
    return Column(name, title=title, secondary=Column(f"{name}_interval", "interval"), bold=bold)


@dataclass(frozen=True)
class Row:
    """A row of a table."""

    values: Mapping[str, Value]  # by the name of the column
    group: str = ""  # rows of one group are neighbours, in HTML below its name where there are several groups
    highlight: bool = False
    best: Collection[str] = ()  # names of the columns in which it is the best
    marks: Mapping[str, str] = field(default_factory=dict)  # name of a column to what follows its value
    #: Name of a column to why its value says nothing here; the value is grey.
    grey: Mapping[str, str] = field(default_factory=dict)
    remark: str = ""  # one more line in the first cell

    def text(self, column: Column) -> str:
        """The cell as it is shown."""
        return formatted(self.values.get(column.name), column.format) + self.marks.get(column.name, "")

    def secondary(self, column: Column, brackets: str = "{}") -> str:
        """The secondary value of the cell, in brackets; empty without one."""
        second = column.secondary
        value = self.values.get(second.name) if second else None
        return brackets.format(formatted(value, second.format)) if second and value is not None else ""


@dataclass(frozen=True)
class Table:
    """A table of results; the first column says what a row is about."""

    columns: Sequence[Column]
    rows: Sequence[Row]
    title: str = ""
    notes: Sequence[str] = ()  # sentences below the table

    @property
    def header(self) -> list[str]:
        """Headings of the columns."""
        return [column.heading for column in self.columns]

    @property
    def groups(self) -> list[tuple[str, list[Row]]]:
        """Names of groups and their rows."""
        return [(name, list(rows)) for name, rows in groupby(self.rows, lambda row: row.group)]

    def with_groups(self) -> "Table":
        """The table with its groups as first column, for what shows no headings between rows; as it is where the rows name theirs."""
        named = all(
            any(isinstance(value, str) and value.startswith(row.group) for value in row.values.values())
            for row in self.rows
        )
        if named or len({row.group for row in self.rows} - {""}) < 2:
            return self
        rows = [replace(row, values={"group": row.group, **row.values}) for row in self.rows]
        return replace(self, columns=[Column("group", "text", title=" "), *self.columns], rows=rows)


def figure(value: float | None) -> str:
    """Three digits as the papers print them (.743); a dash for None."""
    if value is None:
        return "–"
    text = f"{round(value, 3) + 0.0:.3f}"
    return text.replace("0.", ".", 1) if abs(value) < 0.9995 else text


def two_decimals(value: float) -> str:
    """Return a figure with two decimals, without a zero before the point.

    Examples:
        >>> [two_decimals(value) for value in (0.756, -1.0, -0.001, 1.2)]
        ['.76', '-1.00', '.00', '1.20']
    """
    text = f"{round(value, 2) + 0.0:.2f}"
    return text.replace("0.", ".", 1) if abs(value) < 0.995 else text


def estimate(value: float, low: float, high: float) -> str:
    """Return a value with its interval; the value alone where the interval is a single point.

    Examples:
        >>> estimate(0.76, 0.714, 0.803), estimate(0.03, -0.07, 0.14), estimate(-1.0, -1.0, -1.0)
        ('.76 (.71–.80)', '.03 (-.07 to .14)', '-1.00')
    """
    if low == high:
        return two_decimals(value)
    between = "–" if low >= 0 else " to "
    return f"{two_decimals(value)} ({two_decimals(low)}{between}{two_decimals(high)})"


def p_value(value: float | None) -> str:
    """A p-value to three digits."""
    return "< .001" if value is not None and value < 0.001 else figure(value)


def formatted(value: Value, format_: Format) -> str:
    """A value as it is shown."""
    if value is None:
        return "–"
    if isinstance(value, str | UnderlinedText):
        return value if isinstance(value, str) else value.text
    if isinstance(value, tuple) and len(value) == 3:
        return estimate(*value)
    if isinstance(value, tuple):
        return ("–" if min(value) >= 0 else " to ").join(map(figure, value))
    if format_ == "difference":
        return f"{'+' if value > 0 else ''}{figure(value)}"
    if format_ == "count":
        return f"{value:,}"
    if format_ == "p":
        return p_value(value)
    if format_ == "estimate":
        return two_decimals(value)
    return str(value) if format_ == "text" else figure(value)


def records(table: Table) -> tuple[list[str], list[list[str | int | float | None]]]:
    """Header and rows of plain values; a column's `secondary` follows it, an interval is `_low` and `_high`."""
    header: list[str] = []
    rows: list[list[str | int | float | None]] = [[] for _ in table.rows]
    for column in (part for first in table.columns for part in (first, first.secondary) if part):
        ends = {"interval": ("_low", "_high"), "estimate": ("", "_low", "_high")}.get(column.format, ("",))
        header += [f"{column.name}{end}" for end in ends]
        for row, cells in zip(table.rows, rows, strict=True):
            value = row.values.get(column.name)
            shown = value.text if isinstance(value, UnderlinedText) else value
            if isinstance(shown, tuple):
                cells += shown
            elif column.format == "estimate":
                cells += [shown, None, None]
            else:
                cells += [shown] * len(ends)
    return header, rows


def to_markdown(table: Table) -> str:
    """Write the table in Markdown, secondary values in brackets, without title and notes."""
    import pandas as pd

    rows = [
        [(row.text(column) + row.secondary(column, " ({})")).replace("|", r"\|") for column in table.columns]
        for row in table.rows
    ]
    sides = ["left" if column.format == "text" else "right" for column in table.columns]
    frame = pd.DataFrame(rows, columns=table.header)
    return str(frame.to_markdown(index=False, disable_numparse=True, colalign=sides if rows else None))


def to_latex(table: Table) -> str:
    """Write the table as a `tabular` with the rules of booktabs, secondary values in brackets, the best of a column bold."""
    sides = "".join("l" if column.format == "text" else "r" for column in table.columns)
    lines = [rf"\begin{{tabular}}{{{sides}}}", r"\toprule", _latex_row(map(latex, table.header)), r"\midrule"]
    for row in table.rows:
        cells = []
        for column in table.columns:
            value, interval = latex(row.text(column)), latex(row.secondary(column, " ({})"))
            cells.append((rf"\textbf{{{value}}}" if column.name in row.best else value) + interval)
        lines.append(_latex_row(cells))
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def latex(text: str) -> str:
    r"""Write a text so that LaTeX prints it.

    Examples:
        >>> print(latex("my_system 50%"))
        my\_system 50\%
    """
    return "".join(_LATEX.get(character, character) for character in text)


def _latex_row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def to_text(table: Table, form: TableForm) -> str:
    """Write the table alone in one of the forms; in CSV and JSON an interval is two values, `_low` and `_high`."""
    if form == "latex":
        return to_latex(table)
    if form == "markdown":
        return to_markdown(_with_bold_best(table))
    header, rows = records(table)
    if form == "json":
        return json.dumps([dict(zip(header, row, strict=True)) for row in rows], indent=2, ensure_ascii=False)
    lines = StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return lines.getvalue().rstrip("\n")


def _with_bold_best(table: Table) -> Table:
    """Write the values of the table, the best of a column between asterisks."""
    rows = []
    for row in table.rows:
        values = dict(row.values)
        for column in table.columns:
            if column.name in row.best:
                values[column.name] = f"**{row.text(column)}**"
        rows.append(replace(row, values=values, marks={}) if row.best else row)
    return replace(table, rows=rows)


def card_markdown(table: Table) -> str:
    """A table for a card with its notes as a list, in which a stranger's text is no markup."""
    columns = [replace(column, title=without_markup(column.heading)) for column in table.columns]
    rows = []
    for row in table.rows:
        texts = {name: without_markup(text) for name, text in row.values.items() if isinstance(text, str)}
        rows.append(replace(row, values={**row.values, **texts}))
    notes = "".join(f"\n* {without_markup(note)}" for note in table.notes)
    return f"{to_markdown(replace(table, columns=columns, rows=rows))}\n{notes}".rstrip()


def console(file: TextIO | None = None) -> "Console":
    """A file, or what is standard output when it prints: as wide as the terminal, or 120 columns when it is not a terminal."""
    from rich.console import Console
    from rich.segment import Segment

    class Escaped(Console):
        """A console that shows control characters of texts."""

        def render(self, renderable: Any, options: Any = None) -> Iterator[Segment]:
            for text, style, control in super().render(renderable, options):
                yield Segment(text if control else escaped(text), style, control)

    return Escaped(file=file, width=None if sys.stdout.isatty() else 120)


def print_table(table: Table, to: "Console") -> None:
    """Print a table and its notes; where there is no room, columns are left out and named below, the last ones first, bold ones never; none is cut."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as Grid
    from rich.text import Text

    has_best = any(row.best for row in table.rows)

    def is_fixed(column: Column) -> bool:
        return column.format != "text" and column != table.columns[0]

    def head(column: Column) -> Text:
        return Text(column.heading.replace(" ", "\n") if is_fixed(column) else column.heading)

    def cell(row: Row, column: Column) -> Text:
        value, text = row.values.get(column.name), Text(row.text(column))
        for ends in value.places if isinstance(value, UnderlinedText) else ():
            text.stylize("underline", *ends)
        room = " " if has_best and column.format != "text" else ""
        if column.name in row.grey:
            text.stylize("dim")
        return text.append("*" if column.name in row.best else room)

    def least_width(column: Column) -> int:
        texts = [head(column), *(cell(row, column) for row in table.rows)]
        width = max(to.measure(text).maximum for text in texts)
        return width if is_fixed(column) else min(width, max(13, to.width // 5))

    shown, widths = list(table.columns), {column: least_width(column) for column in table.columns}
    for column in reversed(shown[2:]):
        if 1 + sum(widths[other] + 1 for other in shown) > to.width and not column.bold:
            shown.remove(column)
    to.print(Text(table.title, "italic"), soft_wrap=True, end="\n" if table.title else "")
    grid = Grid(box=SIMPLE_HEAD, padding=0)
    for column in shown:
        side: Literal["left", "right"] = "left" if column.format == "text" else "right"
        bold = "bold" if column.bold else ""
        is_grey = bool(table.rows) and all(column.name in row.grey for row in table.rows)
        grid.add_column(
            head(column),
            style=bold,
            header_style="dim" if is_grey else "",
            justify=side,
            no_wrap=is_fixed(column),
            overflow="fold",
        )
    for _, rows in table.groups:
        for row in rows:
            style = "bold" if row.highlight and not row.grey else ""
            grid.add_row(*(cell(row, column) for column in shown), style=style)
        grid.add_section()
    to.print(grid)
    left_out = ", ".join(column.heading for column in table.columns if column not in shown)
    print_lines([*([f"no room for {left_out}"] if left_out else []), *table.notes], to)


def print_wrapped(
    text: str, to: "Console", *, first: str = "", after: str = "", width: int = 80, style: str = ""
) -> None:
    """Print a sentence in lines of at most 80 columns, broken between words.

    Args:
        text: the sentence.
        to: where it is printed.
        first: what the first line begins with.
        after: what the others begin with.
        width: columns of a line; a narrower terminal has fewer.
        style: of the text, as rich names it.
    """
    from textwrap import wrap

    columns = max(40, min(width, to.width))
    for line in wrap(text, columns, initial_indent=first, subsequent_indent=after, break_on_hyphens=False):
        to.print(line, soft_wrap=True, markup=False, highlight=False, style=style or None)


def print_lines(lines: Iterable[str], to: "Console") -> None:
    """Print sentences as they are, each on a line of its own."""
    for line in lines:
        to.print(line, soft_wrap=True, markup=False, highlight=False)
