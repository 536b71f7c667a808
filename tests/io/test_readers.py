"""The reader of tables; `tests/corpus/test_reading.py` has what becomes of rejected rows."""

from datetime import date, datetime, timedelta, timezone

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
    "any.name": 'id,headline\n1,"a, b"\n2,c\n',
    "x.jsonl": '{"id": 1, "headline": "a, b"}\n\n{"headline": "c", "id": 2.0}\n',
    "x.json": '[\n {"id": "1", "headline": "a, b"},\n {"id": 2, "headline": "c\\u0007"}\n]\n',
    "short.json": '[{"id": 1, "headline": "a, b"}, {"id": 2, "headline": "c"}]',
}


@pytest.mark.parametrize("name", CONTENTS)
def test_one_table_in_every_form(tmp_path, name):
    records = io.read_records(
        table(tmp_path, CONTENTS[name], name), required=("id", "headline"), optional=("error",)
    )
    assert [record.cells for record in records] == [
        {"id": "1", "headline": "a, b"},
        {"id": "2", "headline": "c"},
    ]


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
    assert [record.line for record in io.read_records(path, required=("id",))] == [1, 4]


def test_a_column_that_is_not_there_is_found_before_the_rows_are_read(tmp_path):
    with pytest.raises(io.TableError, match="lacks the column id"):
        io.read_records(table(tmp_path, "name,headline\na,b\nc,d,too many\n"), required=["id", "headline"])


def test_empty_lines_of_a_single_column_are_empty_cells(tmp_path):
    path = table(tmp_path, "headline\na\n\nb\n")
    assert [record.cells["headline"] for record in io.read_records(path, required=("headline",))] == [
        "a",
        "",
        "b",
    ]


def test_a_column_map(tmp_path):
    path = table(tmp_path, "id,title,headline\n1,a,b\n")
    names = {"id": ("id",), "headline": ("headline",)}
    read = io.read_records(path, required=names, columns="headline=Title")
    assert read[0].cells == {"id": "1", "headline": "a"}
    assert io.read_records(path, required=("headline",), optional=("id",), columns="id=")[0].cells == {
        "headline": "b"
    }


@pytest.mark.parametrize(
    ("content", "key", "words"),
    [
        ("", "empty", "x.csv is empty"),
        ("id,headline\n", "no_rows", "no rows"),
        ("id,title\n1,a\n", "columns", r"lacks the column headline \(it has id, title\)"),
        ("id,headline,ID\n1,a,b\n", "double", "more than one column id"),
        ("id,headline\n1,a\n2,b,c\n", "fields", "x.csv, line 3: 3 cells and 2 columns"),
        ("id,headline\n1,a\n2\n", "fields", "x.csv, line 3: 1 cells and 2 columns"),
        ('id,headline\n1,"a\n2,b\n', "csv", "x.csv, line 2: a quote is never closed"),
        (
            'id,headline\n1,a\n2,"b\n' + "3,c\n" * 9 + '4,d"\n',
            "csv",
            "x.csv, line 3: a quote is never closed",
        ),
        ('id,headline\n1,"a\n2,"b\n', "csv", "x.csv, line 2: a quote is never closed"),
        ("id,headline\n1,a\n2," + "b" * 10_000_001, "long", "x.csv, line 3: more than 10,000,000 characters"),
        ('id,headline\n1,"a"b\n', "csv", "line 2"),
        ("id,headline\n1,a\0\n", "nulls", "null bytes"),
        (b"id,headline\n1,\xff\n", "encoding", "UTF-8"),
    ],
)
def test_every_fault_of_a_small_table_has_a_key_and_a_sentence(tmp_path, content, key, words):
    with pytest.raises(io.TableError, match=words) as caught:
        io.read_records(table(tmp_path, content), required=("id", "headline"))
    assert caught.value.key == key
    assert caught.value.values["file"] == "x.csv"
    assert str(caught.value) == io.faults.FAULTS[key].format(
        **caught.value.values | {"file": tmp_path / "x.csv"}
    )


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("x.jsonl", '{"id": 1}\n{"id": \n', "line 2: broken JSON"),
        ("x.jsonl", '{"id": 1}\n[1]\n', "line 2: line is not a JSON object"),
        ("x.json", '[{"id": 1},\n{"id"', "line 2: broken JSON"),
        ("x.json", '[{"id": 1}]\n{"id": 2}\n', "line 1: broken JSON"),
        ("x.json", '[{"id": 1}, [2]]', "item is not a JSON object"),
        ("x.json", '[{"id": 1}\n {"id": 2}]', "line 2: broken JSON"),
        ("x.json", "\n\n", "is empty"),
        ("x.jsonl", '{"id": ' + "[" * 900 + "]" * 900 + "}", "nested too deeply"),
        ("x.parquet", "no parquet", "is not a parquet file"),
    ],
)
def test_faults_of_other_kinds(tmp_path, name, content, words):
    with pytest.raises(io.TableError, match=words):
        io.read_records(table(tmp_path, content, name), required=("id",))


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(io.TableError, match=r"none\.csv does not exist"):
        io.read_records(tmp_path / "none.csv", required=("id",))
    with pytest.raises(InputError, match="is a folder"):
        io.read_records(tmp_path, required=("id",))
    with pytest.raises(io.TableError, match="has no column title"):
        io.read_records(
            table(tmp_path, "id\n1\n"), required=("id",), optional=("headline",), columns="headline=title"
        )
    with pytest.raises(InputError, match="does not exist"):
        io.read_text(tmp_path / "none.txt")


def test_times_that_python_has_none_for_are_cells_that_say_so(tmp_path):
    path = tmp_path / "x.parquet"
    columns = {
        "far": pa.array([0, 10**15], pa.timestamp("s")),
        "zone": pa.array([0, 0], pa.timestamp("us", "Mars/Olympus")),
        "offset": pa.array([0, None], pa.timestamp("ns", "+02:00")),
        "day": pa.array([0, 10**8], pa.date32()),
    }
    pq.write_table(pa.table(columns), path)
    first, second = (dict(row.values) for row in io.read_tables([str(path)])[0].rows)
    assert first["far"] == datetime(1970, 1, 1)
    assert first["offset"] == datetime(1970, 1, 1, 2, tzinfo=timezone(timedelta(hours=2)))
    assert first["day"] == date(1970, 1, 1)
    assert str(second["far"]).startswith("<timestamp")
    assert {first["zone"], second["zone"]} == {"<timestamp[us, tz=Mars/Olympus]>"}
    assert (second["offset"], second["day"]) == (None, "<date32[day]>")


def test_tables_say_their_columns_and_deep_json_is_a_fault_of_its_row(tmp_path):
    path = table(
        tmp_path, '{"a": 1}\n{"b": ' + '{"c":' * 900 + "1" + "}" * 900 + '}\n{"d": [1]}\n', "x.jsonl"
    )
    source = io.read_tables([str(path)])[0]
    assert [row.fault for row in source.rows] == ["", "JSON nested too deeply", ""]
    assert list(source.columns) == ["a", "d"]
