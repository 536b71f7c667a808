"""Show tables of results on a terminal, and write them as Markdown, LaTeX, CSV or JSON.

`Table` is the one model of a table: named columns with formats, and rows of values. Pages in HTML draw from
it too.
"""

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
    from rich.table import Table as RichTable
    from rich.text import Text


@dataclass(frozen=True)
class UnderlinedText:
    """A text with underlined parts.

    Attributes:
        text: the whole text.
        places: start and end of each underlined part, in the order of the text.
    """

    text: str
    places: tuple[tuple[int, int], ...]


#: What a cell may hold. A pair is an interval, three numbers are a value with its interval.
Value = str | int | float | tuple[float, float] | tuple[float, float, float] | UnderlinedText | None
#: What a cell holds in CSV and JSON.
PlainValue = str | int | float | None
#: How a value is written: `text` as it is, `count` with thousands separated, `figure` as `.743`,
#: `correlation` as `.743` on a heat map, `difference` as `+.743`, `interval` as `.7–.8`, `estimate` as `.74
#: (.71–.78)`, `p` as `< .001`.
Format = Literal["text", "count", "figure", "correlation", "difference", "interval", "estimate", "p"]
#: Forms of a table alone, for a paper or a program.
TableForm = Literal["markdown", "latex", "csv", "json"]
#: What is shown in the place of a value that is not known.
_NO_VALUE = "–"
#: Columns of a terminal, where standard output is none.
_FILE_WIDTH = 120
#: Columns of the lines of a sentence, at least, on however narrow a terminal.
_LEAST_WRAPPED_WIDTH = 40
#: Columns of a column of text on a terminal, at least, where it needs more than a fifth of the width.
_LEAST_TEXT_WIDTH = 13
#: What follows the name of a column in CSV and JSON, for each of its values, by the column's format.
_PLAIN_SUFFIXES = {"interval": ("_low", "_high"), "estimate": ("", "_low", "_high")}
#: Characters that LaTeX reads as commands or lacks, and what is written in their place.
_LATEX = {
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "–": "--",
    "−": "$-$",
    "†": r"\dag{}",
    "≤": r"$\leq$",
    "≈": r"$\approx$",
}


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: key of its values, and its name in CSV and JSON.
        format: how its values are written.
        title: its heading; the name where it is empty.
        secondary: the second value of each cell. It is shown below or behind the first, is a column of its
            own in CSV, and is left out on a terminal.
        bold: whether it is bold on a terminal and in HTML. A bold column always has room on a terminal.
    """

    name: str
    format: Format = "figure"
    title: str = ""
    secondary: "Column | None" = None
    bold: bool = False

    @property
    def heading(self) -> str:
        """Return the title, or the name."""
        return self.title or self.name

    @property
    def side(self) -> Literal["left", "right"]:
        """Return the side on which its values stand: text left, figures right, so that their points align."""
        return "left" if self.format == "text" else "right"


def with_interval(name: str, title: str = "", *, bold: bool = False) -> Column:
    """Return a column of figures with their intervals, `<name>_interval`, below."""
    return Column(name, title=title, secondary=Column(f"{name}_interval", format="interval"), bold=bold)


@dataclass(frozen=True)
class Row:
    """A row of a table.

    Attributes:
        values: value by the name of the column.
        group: rows of one group are neighbours. In HTML they stand below its name where there are several
            groups.
        highlight: whether it is bold on a terminal.
        best: names of the columns in which it is the best.
        marks: what follows a value, by the name of the column.
        grey: why a value says nothing here, by the name of the column. Such a value is grey.
        remark: one more line in the first cell.
    """

    values: Mapping[str, Value]
    group: str = ""
    highlight: bool = False
    best: Collection[str] = ()
    marks: Mapping[str, str] = field(default_factory=dict)
    grey: Mapping[str, str] = field(default_factory=dict)
    remark: str = ""

    def text(self, column: Column) -> str:
        """Return the cell as it is shown."""
        text = formatted(self.values.get(column.name), column.format)
        return text + self.marks.get(column.name, "")

    def secondary(self, column: Column, brackets: str = "{}") -> str:
        """Return the secondary value of the cell, in brackets; empty without one."""
        if column.secondary is None:
            return ""
        value = self.values.get(column.secondary.name)
        if value is None:
            return ""
        return brackets.format(formatted(value, column.secondary.format))

    def names_group(self) -> bool:
        """Return whether a value of the row begins with the name of its group."""
        texts = [value for value in self.values.values() if isinstance(value, str)]
        return any(text.startswith(self.group) for text in texts)


@dataclass(frozen=True)
class Table:
    """A table of results.

    Attributes:
        columns: the first says what a row is about.
        rows: the rows in the order in which they are shown.
        title: above the table on a terminal.
        notes: sentences below the table.
        signatures: what its figures depend on, a line for each set of items. A terminal shows them below all
            tables.
    """

    columns: Sequence[Column]
    rows: Sequence[Row]
    title: str = ""
    notes: Sequence[str] = ()
    signatures: Sequence[str] = ()

    @property
    def header(self) -> list[str]:
        """Return the headings of the columns."""
        return [column.heading for column in self.columns]

    @property
    def groups(self) -> list[tuple[str, list[Row]]]:
        """Return the names of groups, each with its rows."""
        return [(name, list(rows)) for name, rows in groupby(self.rows, lambda row: row.group)]

    def with_groups(self) -> "Table":
        """Return the table with its groups as first column, for what shows no headings between rows.

        The table stays as it is where all rows name their groups, or where there are fewer than two.
        """
        groups = {row.group for row in self.rows if row.group}
        if len(groups) < 2 or all(row.names_group() for row in self.rows):
            return self
        rows = [replace(row, values={"group": row.group, **row.values}) for row in self.rows]
        columns = [Column("group", format="text", title=" "), *self.columns]
        return replace(self, columns=columns, rows=rows)


def figure(value: float | None) -> str:
    """Return a figure with three digits, as the papers print them (.743); a dash for None."""
    if value is None:
        return _NO_VALUE
    return _short(value, 3)


def two_decimals(value: float) -> str:
    """Return a figure with two decimals, without a zero before the point.

    Examples:
        >>> [two_decimals(value) for value in (0.756, -1.0, -0.001, 1.2)]
        ['.76', '-1.00', '.00', '1.20']
    """
    return _short(value, 2)


def _short(value: float, decimals: int) -> str:
    """Return a figure with so many decimals, without a zero before its point."""
    # adding 0 takes the sign of a rounded -0 off
    rounded = round(value, decimals) + 0.0
    text = f"{rounded:.{decimals}f}"
    if text.startswith("0."):
        return text.removeprefix("0")
    if text.startswith("-0."):
        return "-" + text.removeprefix("-0")
    return text


def _between(low: float) -> str:
    """Return what stands between the ends of an interval: a dash, or `to` behind a negative end.

    Behind a negative end a dash would be read as a sign.
    """
    if low < 0:
        return " to "
    return "–"


def short_interval(low: float, high: float) -> str:
    """Return an interval with two decimals.

    Examples:
        >>> short_interval(0.714, 0.803), short_interval(-0.07, 0.14)
        ('.71–.80', '-.07 to .14')
    """
    return f"{two_decimals(low)}{_between(low)}{two_decimals(high)}"


def estimate(value: float, low: float, high: float) -> str:
    """Return a value with its interval; the value alone where the interval is a single point.

    Examples:
        >>> estimate(0.76, 0.714, 0.803), estimate(0.03, -0.07, 0.14), estimate(-1.0, -1.0, -1.0)
        ('.76 (.71–.80)', '.03 (-.07 to .14)', '-1.00')
    """
    if low == high:
        return two_decimals(value)
    return f"{two_decimals(value)} ({short_interval(low, high)})"


def p_value(value: float | None) -> str:
    """Return a p-value with three digits."""
    if value is not None and value < 0.001:
        return "< .001"
    return figure(value)


def formatted(value: Value, format_: Format) -> str:
    """Return a value as it is shown."""
    if value is None:
        return _NO_VALUE
    if isinstance(value, UnderlinedText):
        return value.text
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return _formatted_interval(value)
    if format_ == "text":
        return str(value)
    if format_ == "count":
        return f"{value:,}"
    if format_ == "difference" and value > 0:
        return f"+{figure(value)}"
    if format_ == "p":
        return p_value(value)
    if format_ == "estimate":
        return two_decimals(value)
    return figure(value)


def _formatted_interval(value: tuple[float, float] | tuple[float, float, float]) -> str:
    """Return an interval, or a value with its interval, as it is shown."""
    if len(value) == 3:
        return estimate(*value)
    first, second = value
    return f"{figure(first)}{_between(min(value))}{figure(second)}"


def records(table: Table) -> tuple[list[str], list[list[PlainValue]]]:
    """Return the header and rows of plain values, for CSV and JSON.

    A column's `secondary` follows it. An interval is two columns, `_low` and `_high`.
    """
    columns = _all_columns(table)
    header: list[str] = []
    for column in columns:
        for suffix in _PLAIN_SUFFIXES.get(column.format, ("",)):
            header.append(column.name + suffix)
    rows = []
    for row in table.rows:
        cells: list[PlainValue] = []
        for column in columns:
            cells += _plain_values(row.values.get(column.name), column.format)
        rows.append(cells)
    return header, rows


def _all_columns(table: Table) -> list[Column]:
    """Return the columns of a table, each followed by its secondary one."""
    columns = []
    for column in table.columns:
        columns.append(column)
        if column.secondary:
            columns.append(column.secondary)
    return columns


def _plain_values(value: Value, format_: Format) -> Sequence[PlainValue]:
    """Return a value without its format, one for each column that its format has in CSV and JSON.

    An estimate without an interval has no ends; a text in a column of intervals stands in both.
    """
    if isinstance(value, tuple):
        return value
    plain = value.text if isinstance(value, UnderlinedText) else value
    if format_ == "estimate":
        return plain, None, None
    if format_ == "interval":
        return plain, plain
    return (plain,)


def to_markdown(table: Table) -> str:
    """Write the table in Markdown, secondary values in brackets, without title, notes and signatures.

    What is grey elsewhere is in italics.
    """
    import pandas as pd

    rows = []
    for row in table.rows:
        rows.append([_markdown_cell(row, column) for column in table.columns])
    sides = None
    # tabulate fails at the sides of columns where there are no rows.
    if rows:
        sides = [column.side for column in table.columns]
    frame = pd.DataFrame(rows, columns=table.header)
    return str(frame.to_markdown(index=False, disable_numparse=True, colalign=sides))


def _markdown_cell(row: Row, column: Column) -> str:
    """Return a cell of a table in Markdown."""
    text = row.text(column) + row.secondary(column, " ({})")
    if column.name in row.grey:
        text = f"*{text}*"
    return text.replace("|", r"\|")


def to_latex(table: Table) -> str:
    """Write the table as a `tabular` with the rules of booktabs.

    Secondary values stand in brackets; the best value of a column is bold. Notes follow in small print, the
    signatures as comments. Grey cells need the package xcolor.
    """
    letters = [column.side[0] for column in table.columns]
    header = [latex(heading) for heading in table.header]
    lines = [
        rf"\begin{{tabular}}{{{''.join(letters)}}}",
        r"\toprule",
        _latex_row(header),
        r"\midrule",
    ]
    for row in table.rows:
        cells = [_latex_cell(row, column) for column in table.columns]
        lines.append(_latex_row(cells))
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\par{{\footnotesize {latex(note)}\par}}" for note in table.notes]
    lines += [f"% Signature: {signature}" for signature in table.signatures]
    return "\n".join(lines)


def latex(text: str) -> str:
    r"""Write a text so that LaTeX prints it.

    Examples:
        >>> print(latex("my_system 50%"))
        my\_system 50\%
    """
    return "".join(_LATEX.get(character, character) for character in text)


def _latex_row(cells: Iterable[str]) -> str:
    """Return a row of a `tabular`."""
    return " & ".join(cells) + r" \\"


def _latex_cell(row: Row, column: Column) -> str:
    """Return a cell of a `tabular`."""
    value = latex(row.text(column))
    if column.name in row.best:
        value = rf"\textbf{{{value}}}"
    text = value + latex(row.secondary(column, " ({})"))
    if column.name in row.grey:
        return rf"\textcolor{{gray}}{{{text}}}"
    return text


def to_text(table: Table, form: TableForm) -> str:
    """Write the table alone in one of the forms.

    In CSV and JSON an interval is two values, `_low` and `_high`, and there are no notes and signatures.
    """
    if form == "latex":
        return to_latex(table)
    if form == "markdown":
        signatures = [f"Signature: `{signature}`" for signature in table.signatures]
        return "\n\n".join([to_markdown(_with_bold_best(table)), *table.notes, *signatures])
    header, rows = records(table)
    if form == "json":
        objects = [dict(zip(header, row, strict=True)) for row in rows]
        return json.dumps(objects, indent=2, ensure_ascii=False)
    lines = StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return lines.getvalue().rstrip("\n")


def _with_bold_best(table: Table) -> Table:
    """Return the table for Markdown, the best values of a column between asterisks."""
    rows = []
    for row in table.rows:
        if not row.best:
            rows.append(row)
            continue
        values = dict(row.values)
        for column in table.columns:
            if column.name in row.best:
                values[column.name] = f"**{row.text(column)}**"
        rows.append(replace(row, values=values, marks={}))
    return replace(table, rows=rows)


def card_markdown(table: Table) -> str:
    """Write a table for a card with its notes as a list, in which a stranger's text is no markup."""
    columns = [replace(column, title=without_markup(column.heading)) for column in table.columns]
    rows = []
    for row in table.rows:
        values = dict(row.values)
        for name, value in row.values.items():
            if isinstance(value, str):
                values[name] = without_markup(value)
        rows.append(replace(row, values=values))
    lines = [to_markdown(replace(table, columns=columns, rows=rows)), ""]
    lines += [f"* {without_markup(note)}" for note in table.notes]
    return "\n".join(lines).rstrip()


def console(file: TextIO | None = None) -> "Console":
    """Return a console that writes to a file, or to what is standard output when it prints.

    It is as wide as the terminal, or 120 columns when standard output is no terminal.
    """
    from rich.console import Console
    from rich.segment import Segment

    class EscapingConsole(Console):
        """A console that shows control characters of texts and does not obey them."""

        def render(self, renderable: Any, options: Any = None) -> Iterator[Segment]:
            for text, style, control in super().render(renderable, options):
                shown = text if control else escaped(text)
                yield Segment(shown, style, control)

    width = None if sys.stdout.isatty() else _FILE_WIDTH
    return EscapingConsole(file=file, width=width)


class _Grid:
    """A table as it is laid out on a console.

    Attributes:
        table: what is shown.
        to: the console.
        has_best: whether a value of the table is the best of its column, so that cells have room for a star.
    """

    def __init__(self, table: Table, to: "Console") -> None:
        self.table = table
        self.to = to
        self.has_best = any(row.best for row in table.rows)

    def is_fixed(self, column: Column) -> bool:
        """Return whether the cells of a column are never broken into lines.

        Columns of figures are not broken, but for the first column of a table.
        """
        return column.format != "text" and column != self.table.columns[0]

    def heading(self, column: Column) -> "Text":
        """Return the heading of a column, which has a line for each word where the column is fixed."""
        from rich.text import Text

        heading = column.heading
        if self.is_fixed(column):
            heading = heading.replace(" ", "\n")
        return Text(heading)

    def cell(self, row: Row, column: Column) -> "Text":
        """Return a cell: underlined, grey, and with a star where it is the best of its column."""
        from rich.text import Text

        text = Text(row.text(column))
        value = row.values.get(column.name)
        if isinstance(value, UnderlinedText):
            for start, end in value.places:
                text.stylize("underline", start, end)
        if column.name in row.grey:
            text.stylize("dim")
        if column.name in row.best:
            text.append("*")
        elif self.has_best and column.format != "text":
            text.append(" ")
        return text

    def least_width(self, column: Column) -> int:
        """Return how many columns of the console a column needs; text can be broken into lines."""
        texts = [self.heading(column)]
        texts += [self.cell(row, column) for row in self.table.rows]
        width = max(self.to.measure(text).maximum for text in texts)
        if self.is_fixed(column):
            return width
        return min(width, max(_LEAST_TEXT_WIDTH, self.to.width // 5))

    def columns_with_room(self) -> list[Column]:
        """Return the columns that have room on the console.

        Where there is too little, the last ones are left out first; the first two and bold ones never are.
        """
        widths = {column: self.least_width(column) for column in self.table.columns}
        shown = list(self.table.columns)
        for column in reversed(self.table.columns[2:]):
            # one between columns, and one at each side
            needed = 1 + sum(widths[other] + 1 for other in shown)
            if needed > self.to.width and not column.bold:
                shown.remove(column)
        return shown

    def drawn(self, columns: Sequence[Column]) -> "RichTable":
        """Return these columns of the table as rich draws them, with a gap between groups."""
        from rich.box import SIMPLE_HEAD
        from rich.table import Table as RichTable

        grid = RichTable(box=SIMPLE_HEAD, padding=0)
        rows = self.table.rows
        for column in columns:
            is_grey = bool(rows) and all(column.name in row.grey for row in rows)
            style = "bold" if column.bold else ""
            header_style = "dim" if is_grey else ""
            grid.add_column(
                self.heading(column),
                style=style,
                header_style=header_style,
                justify=column.side,
                no_wrap=self.is_fixed(column),
                overflow="fold",
            )
        for _, rows_of_group in self.table.groups:
            for row in rows_of_group:
                cells = [self.cell(row, column) for column in columns]
                style = ""
                if row.highlight and not row.grey:
                    style = "bold"
                grid.add_row(*cells, style=style)
            grid.add_section()
        return grid


def print_table(table: Table, to: "Console") -> None:
    """Print a table and its notes.

    Where there is no room, columns are left out and named below: the last ones first, bold ones never. No
    column is cut.
    """
    grid = _Grid(table, to)
    columns = grid.columns_with_room()
    if table.title:
        print_wrapped(table.title, to, style="italic")
    to.print(grid.drawn(columns))
    left_out = [column.heading for column in table.columns if column not in columns]
    if left_out:
        print_wrapped(f"no room for {', '.join(left_out)}", to)
    for note in table.notes:
        print_wrapped(note, to, after="  ")


def print_wrapped(
    text: str, to: "Console", *, first: str = "", after: str = "", width: int = 80, style: str = ""
) -> None:
    """Print a sentence in lines of at most 80 columns, broken between words; a longer word has its own line.

    Args:
        text: the sentence.
        to: where it is printed.
        first: what the first line begins with.
        after: what the others begin with.
        width: columns of a line; a narrower terminal has fewer.
        style: style of the text, as rich names it.
    """
    from textwrap import wrap

    columns = max(_LEAST_WRAPPED_WIDTH, min(width, to.width))
    lines = wrap(
        text,
        columns,
        initial_indent=first,
        subsequent_indent=after,
        break_on_hyphens=False,
        break_long_words=False,
    )
    for line in lines:
        to.print(line, soft_wrap=True, markup=False, highlight=False, style=style or None)


def print_lines(lines: Iterable[str], to: "Console") -> None:
    """Print sentences as they are, each on a line of its own."""
    for line in lines:
        to.print(line, soft_wrap=True, markup=False, highlight=False)
