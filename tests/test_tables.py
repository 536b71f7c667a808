import io

import pytest
from rich.console import Console

from change_it.tables import (
    Column,
    Row,
    Table,
    UnderlinedText,
    formatted,
    print_table,
    records,
    to_markdown,
)

MEASURES = [f"measure_{number}" for number in range(12)]


@pytest.fixture
def table():
    columns = [
        Column(name, title=name.replace("_", " "), secondary=Column(f"{name} rank", "count"))
        for name in MEASURES
    ]
    rows = [
        Row(
            {
                "system": f"{name}-of-a-very-long-name",
                "interval": (-0.25, 0.5),
                **{measure: (at + place * 20) / 1000 for at, measure in enumerate(MEASURES)},
                "measure_3 rank": place + 1,
            },
            group=name,
            highlight=place == 0,
            best={"measure_3"} if place == 0 else (),
        )
        for place, name in enumerate(("[red]one", "two"))
    ]
    first = (Column("system", "text"), Column("interval", "interval", "95% interval"))
    return Table((*first, *columns), tuple(rows), "Twelve [measures]", ("the note",))


def printed(table, width):
    out = io.StringIO()
    print_table(table, Console(file=out, width=width))
    return out.getvalue()


@pytest.mark.parametrize("width", [40, 80, 200])
def test_columns_without_room_are_left_out_from_the_right_and_named(table, width):
    text = printed(table, width)
    assert "…" not in text
    lines = text.splitlines()
    *shown, absent = "\n".join(lines[:-1]).partition("no room for ")[::2]
    assert max(map(len, shown[0].splitlines())) <= width
    left_out = [
        name.replace("_", " ") for name in MEASURES if f".0{MEASURES.index(name) + 20:02}" not in shown[0]
    ]
    assert absent.split(", ") == (left_out or [""])
    assert [name for name in left_out if MEASURES.index(name.replace(" ", "_")) < 12 - len(left_out)] == []
    assert bool(left_out) == (width < 200)
    assert "-.250 to .500" in text
    assert text.count("Twelve [measures]") == text.count("the note") == 1


def test_markdown_keeps_its_columns_apart():
    table = Table((Column("system", "text"), Column("F1")), (Row({"system": "a|b", "F1": 0.5}),))
    assert to_markdown(table).splitlines()[2] == r"| a\|b     | .500 |"


@pytest.mark.parametrize(
    ("value", "format_", "shown"),
    [
        (0.7431, "figure", ".743"),
        (-0.05, "figure", "-.050"),
        (4.2, "figure", "4.200"),
        (0.0312, "p", ".031"),
        (1e-9, "p", "< .001"),
        ((0.25, 0.5), "interval", ".250–.500"),
        (1234, "count", "1,234"),
        (None, "text", "–"),
    ],
)
def test_formats(value, format_, shown):
    assert formatted(value, format_) == shown


def test_underlined_parts():
    headline = UnderlinedText("Roma, tre feriti", ((6, 9),))
    table = Table([Column("new", "text")], [Row({"new": headline})])
    assert records(table)[1] == [["Roma, tre feriti"]]
    out = io.StringIO()
    print_table(table, Console(file=out, width=80, force_terminal=True, color_system="standard"))
    assert "\x1b[4mtre\x1b[0m" in out.getvalue()
