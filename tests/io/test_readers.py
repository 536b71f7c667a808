"""The reader of tables; `tests/corpus/test_reading.py` has what becomes of rejected rows."""

from datetime import datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from change_it import io
from change_it.errors import InputError


def table(tmp_path, content, name="x.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


CONTENTS = {
    "comma.csv": 'id,Headline,other\n1,"a, b",x\n2,c,y\n',
    "semicolon.csv": "ID; headline; a,b,c,d\n1;a, b;\n2; c ;\n",
    "tabs.csv": "\n\nother\theadline\tid\r\nx\ta, b\t1\r\n\t\t\r\ny\tc\t2\r\n",
    "x.tsv": "id\theadline\n1\ta, b\n2\tc\n",
    "mark.csv": b'\xef\xbb\xbfid,headline\n1,"a, b"\n2,c\n',
    "x.jsonl": '{"id": 1, "headline": "a, b"}\n\n{"headline": "c", "id": 2.0}\n',
    "x.json": '[\n {"id": "1", "headline": "a, b"},\n {"id": 2, "headline": "c\\u0007"}\n]\n',
}


@pytest.mark.parametrize("name", CONTENTS)
def test_one_table_in_every_form(tmp_path, name):
    file = table(tmp_path, CONTENTS[name], name)
    records = io.read_records(file, required=("id", "headline"), optional=("error",))
    cells = [record.cells for record in records]
    assert cells == [{"id": "1", "headline": "a, b"}, {"id": "2", "headline": "c"}]


def test_parquet_with_lists_and_a_column_nobody_asked_for(tmp_path):
    path = tmp_path / "x.parquet"
    rows = {"id": [1, 2], "headlines": [["a", "b"], []], "seen": [datetime(2020, 1, 1), None]}
    pq.write_table(pa.table(rows), path)
    records = io.read_records(path, required={"id": ("id",), "headline": ("headline", "headlines")})
    assert [record.cells["headline"] for record in records] == ["a\nb", ""]
    assert [record.values["headlines"] for record in records] == [["a", "b"], []]


def test_lines_are_those_that_rows_start_on(tmp_path):
    path = table(tmp_path, 'id,headline\n1,"a\nb"\n\n2,c\n')
    assert [record.line for record in io.read_records(path, required=("id",), max_rows=2)] == [2, 5]
    with pytest.raises(InputError, match="more than 1 rows"):
        io.read_records(path, required=("id",), max_rows=1)
    path = table(tmp_path, '[{"id": 1,\n"x": 2},\n\n{"id": 3}]', "x.json")
    assert [record.line for record in io.read_records(path, required=("id",))] == [1, 2]


def test_a_column_that_is_not_there_is_found_before_the_rows_are_read(tmp_path):
    with pytest.raises(InputError, match="has no column id"):
        io.read_records(table(tmp_path, "name,headline\na,b\nc,d,too many\n"), required=["id", "headline"])


def test_empty_lines_of_a_single_column_are_empty_cells(tmp_path):
    records = io.read_records(table(tmp_path, "headline\na\n\nb\n"), required=("headline",))
    assert [record.cells["headline"] for record in records] == ["a", "", "b"]
