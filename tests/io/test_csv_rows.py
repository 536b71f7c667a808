"""Records of CSV with quotes that are never closed; `tests/corpus/test_reading.py` and `tests/io/test_readers.py` read whole tables."""

import csv
import io
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from change_it.io import csv_rows
from change_it.io.csv_rows import NEVER_CLOSED, TOO_LONG, csv_records, read_lines

WIDTH = 4


def records(text, *, delimiter=",", width=WIDTH, strict=False):
    lines = read_lines(io.StringIO(text, newline=""))
    return list(csv_records(lines, delimiter=delimiter, width=width, line=1, strict=strict))


def written(rows, *, delimiter=",", end="\r\n"):
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter, lineterminator=end).writerows(rows)
    return file.getvalue()


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("strays", [1, 2, 10, 1000])
def test_a_quote_that_is_never_closed_costs_its_own_line(strays, end, delimiter):
    """Between the strays stand quoted cells, empty ones in quotes, doubled quotes and articles of several lines."""
    cells = ["Titolo", f"Prima{delimiter} poi", '"Ecco" disse', f"uno\ndue{delimiter} tre\n\nquattro", ""]
    rows = [[str(n), cells[n % 5], "Testo", "R"] for n in range(1500)]
    lines = [written([row], delimiter=delimiter, end=end) for row in rows]
    broken = set(random.Random(strays).sample(range(1500), strays))
    for n in broken:
        lines[n] = delimiter.join([str(n), '"Titolo rotto', "Testo", "R"]) + end
    found = records("".join(lines), delimiter=delimiter)
    assert [record.cells for record in found if not record.fault] == [
        row for n, row in enumerate(rows) if n not in broken
    ]
    firsts = [1]
    for line in lines:
        firsts.append(firsts[-1] + len(io.StringIO(line, newline="").readlines()))
    assert [(record.line, record.fault) for record in found if record.fault] == [
        (firsts[n], NEVER_CLOSED) for n in sorted(broken)
    ]


@pytest.mark.parametrize(
    ("text", "kept", "faults"),
    [
        ('1,"a,b,R\n2,c,d,R\n3,e","f,R\n', ["2"], [1, 3]),
        ('1,a,b,"R\n2,c,d,R\n', ["2"], [1]),
        ('"1","a","b","R\n"2","c","d","R"\n', ["2"], [1]),
        ('1,"a,b,R\n2,c di "d",e,R\n3,f,g,R\n', ["2", "3"], [1]),
        ('1,"a,b,R\n2,",d,R\n3,f,g,R\n', ["3"], [1, 2]),
        ('1,"a,b,R\n2,too,many,cells,R\n3,"f,g,R\n4,h,i,R\n', ["2", "4"], [1, 3]),
        ('1,"a,b,R\n' + "2,c,d,R\n" * 9 + '3,e",f,R\n', ["2"] * 9 + ["3"], [1]),
        ('1,"a\nsenza fine\ncome un articolo\n', [], [1]),  # cut off: no line is a row
    ],
)
def test_quotes_in_other_places(text, kept, faults):
    found = records(text)
    assert [record.cells[0] for record in found if not record.fault] == kept
    assert [record.line for record in found if record.fault] == faults


@given(
    paragraphs=st.lists(
        st.text("ab ,\"'", max_size=12) | st.sampled_from(["", "a, b, c", '"a"', "a,b"]), max_size=5
    ),
    place=st.integers(0, WIDTH - 1),
    doubled=st.booleans(),
)
def test_cells_of_several_lines_are_read_as_they_were_written(paragraphs, place, doubled):
    """A sound cell of up to five lines is never taken apart, whatever its lines are."""
    row = ["1", "Titolo", "Testo", "R"]
    row[place] = "x" + "\n".join(paragraphs) + "x"
    assert [record[1:] for record in records(written([row] * (1 + doubled)))] == [(row, "")] * (1 + doubled)


def test_long_articles_with_commas_are_read_as_they_were_written():
    chance = random.Random(1)
    rows = [
        [str(n), "Titolo", "\n".join("a" + ", b" * chance.randrange(7) for _ in range(40)), "R"]
        for n in range(300)
    ]
    assert [record.cells for record in records(written(rows))] == rows


def test_lines_that_each_open_a_quote_take_linear_time():
    """Reading on to the end of the file from each of them would take minutes."""
    found = records('1,a","b,R\n' * 30_000)
    assert [record.line for record in found if record.fault] == list(range(1, 30_001))


def test_what_is_too_long_costs_its_row(monkeypatch):
    monkeypatch.setattr(csv_rows, "LONGEST", 50)
    inside = '2,"' + "lungo, " * 30 + '",b,R\n'
    article = '3,"' + "uno due\n" * 20 + "fine"
    text = f"1,a,b,R\n{inside}{article}"
    found = records(text)
    assert (found[0].fault, found[1].line, found[1].fault) == ("", 2, TOO_LONG)
    assert (found[2].line, found[2].fault) == (3, TOO_LONG)
    assert [record.fault for record in records('1,"a,b,R\n' + "2,c,d,R\n" * 30)] == [NEVER_CLOSED] + [""] * 30
    assert [record.fault for record in records(text, strict=True)] == ["", TOO_LONG]
