import io
import json
from dataclasses import replace

import pytest
from rich.console import Console

from change_it.render.tables import (
    Column,
    Row,
    Table,
    UnderlinedText,
    formatted,
    latex,
    print_table,
    records,
    to_latex,
    to_markdown,
    to_text,
)

MEASURES = [f"measure_{number}" for number in range(12)]


@pytest.fixture
def table():
    columns = [Column("system", "text"), Column("interval", "interval", "95% interval")]
    columns += [Column(name, title=name.replace("_", " ")) for name in MEASURES]
    rows = [
        Row(
            {"system": f"{name}-of-a-very-long-name", "interval": (-0.25, 0.5)}
            | dict.fromkeys(MEASURES, 0.5),
            name,
        )
        for name in ("[red]one", "two")
    ]
    return Table(columns, rows, "Twelve [measures]", ["the note"])


@pytest.mark.parametrize("width", [40, 80, 200])
def test_columns_without_room_are_left_out_from_the_right_and_named(table, width):
    out = io.StringIO()
    print_table(table, Console(file=out, width=width))
    grid, _, rest = out.getvalue().partition("no room for ")
    names = [name.replace("_", " ") for name in MEASURES]
    sentence = " ".join(rest.removesuffix("the note\n").split())
    left_out = sentence.split(", ") if rest else []
    assert left_out == names[len(names) - len(left_out) :]
    assert grid.count(".500") == 2 * (1 + len(names) - len(left_out))  # of the intervals, too
    assert bool(left_out) == (width < 200)
    assert max(map(len, grid.splitlines())) <= width
    assert "…" not in grid
    assert "-.250 to .500" in grid
    assert out.getvalue().count("Twelve [measures]") == out.getvalue().count("the note") == 1


def test_sentences_beside_a_table_are_broken_between_words():
    note = (
        "a long note on this table, " * 6 + "and a|signature|that|is|longer|than|a|whole|line|of|a|terminal"
    )
    out = io.StringIO()
    print_table(Table((Column("a"),), (), note, [note]), Console(file=out, width=40))
    lines = [line.strip() for line in out.getvalue().splitlines()]
    assert [line for line in lines if len(line) > 40] == [note.split()[-1]] * 2
    assert " ".join(out.getvalue().split()).count(note) == 2


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


@pytest.fixture
def paper():
    """Two systems, the second of which is the best, with an interval behind its figure."""
    columns = [Column("system", "text"), Column("style", secondary=Column("style_interval", "interval"))]
    rows = [
        Row({"system": "a_b & 5%", "style": 0.5, "style_interval": (-0.25, 0.5)}),
        Row({"system": "best", "style": 0.75, "style_interval": (0.5, 1.0)}, best=("style",)),
    ]
    return Table(columns, rows)


def test_latex_has_rules_of_booktabs_and_escapes_names(paper):
    assert to_latex(paper).splitlines() == [
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"system & style \\",
        r"\midrule",
        r"a\_b \& 5\% & .500 (-.250 to .500) \\",
        r"best & \textbf{.750} (.500--1.000) \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_a_table_alone_in_each_form(paper):
    assert "| best     | **.750** (.500–1.000) |" in to_text(paper, "markdown")
    assert to_text(paper, "csv").splitlines()[1:] == ["a_b & 5%,0.5,-0.25,0.5", "best,0.75,0.5,1.0"]
    rows = json.loads(to_text(paper, "json"))
    assert rows[1] == {"system": "best", "style": 0.75, "style_interval_low": 0.5, "style_interval_high": 1.0}


def test_what_is_grey_is_marked_in_each_form_and_notes_follow(paper):
    grey = {"style": "not known", "style_interval": "not known"}
    first, second = paper.rows
    cautious = replace(
        paper, rows=[replace(first, grey=grey), second], notes=["Read 5%."], signatures=["a|n:2"]
    )
    latex_lines = to_text(cautious, "latex").splitlines()
    assert latex_lines[4] == r"a\_b \& 5\% & \textcolor{gray}{.500 (-.250 to .500)} \\"
    assert latex_lines[-3:] == [
        r"\end{tabular}",
        r"\par{\footnotesize Read 5\%.\par}",
        "% Signature: a|n:2",
    ]
    markdown = to_text(cautious, "markdown")
    assert "| *.500 (-.250 to .500)* |" in markdown
    assert markdown.endswith("\n\nRead 5%.\n\nSignature: `a|n:2`")
    assert to_text(cautious, "csv") == to_text(paper, "csv")


def test_latex_has_a_minus_of_its_own():
    assert latex("other − mine") == "other $-$ mine"


@pytest.mark.parametrize(("value", "shown"), [(0.1234, "+.123"), (-0.1234, "-.123"), (0.0, ".000")])
def test_a_difference_has_a_sign(value, shown):
    assert formatted(value, "difference") == shown
