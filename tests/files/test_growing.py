"""A table that grows row by row: what an interrupted run has left, and two runs that write one file."""

import csv
import io

import pytest

from change_it.errors import InputError
from change_it.files.growing import earlier_rows, only_run, write_growing

ROWS = [["row", "text"], ["0", 'one "quoted"\nline, and\n\nanother'], ["1", "two"], ["2", '"\n"']]


def table(rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def test_rows_come_back_as_they_were_with_their_line_breaks(tmp_path):
    path = tmp_path / "new.csv"
    path.write_bytes(table(ROWS))
    assert earlier_rows(path) == ROWS


def test_of_a_file_that_was_cut_anywhere_the_whole_rows_come_back(tmp_path):
    path = tmp_path / "new.csv"
    data = table(ROWS)
    ends = [len(table(ROWS[:count])) for count in range(len(ROWS) + 1)]
    for cut in range(len(data) + 1):
        path.write_bytes(data[:cut])
        whole = max(count for count, end in enumerate(ends) if end <= cut)
        assert earlier_rows(path) == ROWS[:whole]


def test_blank_lines_are_no_rows(tmp_path):
    path = tmp_path / "new.csv"
    path.write_bytes(table(ROWS[:2]) + b"\n" + table(ROWS[2:]) + b"\n\n")
    assert earlier_rows(path) == ROWS


def test_one_file_is_written_by_one_run(tmp_path):
    out = tmp_path / "folder" / "new.csv"
    with only_run(out), pytest.raises(InputError, match=f"^another run writes {out}: wait"), only_run(out):
        pass
    with only_run(out):  # it has ended
        pass


def test_a_fault_before_the_first_row_leaves_no_file(tmp_path):
    path = tmp_path / "new.csv"

    def answer(part):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_growing(path, ["row"], {}, [1], answer, pool=None, total=1, work="testing")
    assert list(tmp_path.iterdir()) == []
