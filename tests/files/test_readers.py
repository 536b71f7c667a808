"""The reader of tables; `tests/corpus/test_reading.py` has what becomes of rejected rows."""

import bz2
import csv
import gzip
import io as memory
import json
from contextlib import suppress
from datetime import datetime
from uuid import UUID

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from datasets import ClassLabel, Dataset, Features, Value
from hypothesis import given
from hypothesis import strategies as st

from change_it.errors import InputError
from change_it.files import rows, texts


def table(tmp_path, content, name="x.csv"):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


HEAD, ROW = "id,headline\n1,a\n", '{"id": 1, "headline": "a"}\n'
PLAIN = 'id,Headline,other\n1,"a, b",x\n2,c,y\n'
ROWS = '[{"id": 1, "headline": "a, b"}, {"headline": "c", "id": 2.0}]'
CONTENTS = {
    "comma.csv": PLAIN,
    "semicolon.csv": "ID; headline; a,b\n1;a, b;\n2; c ;\n",
    "tabs.csv": "\n\nother\theadline\tid\r\nx\ta, b\t1\r\n\t\t\r\ny\tc\t2\r\n",
    "bars.csv": "id|headline\n1|a, b\n2|c\n",
    "said.csv": "sep=;\n\nid;headline;a,b,c\n1;a, b;\n2;c;\n",
    "x.tsv": "id\theadline\n1\ta, b\n2\tc\n",
    "mark.csv": b"\xef\xbb\xbf" + PLAIN.encode(),
    "excel.csv": PLAIN.replace('"a, b"', "a{} b").replace(",", "\t").format(",").encode("utf-16"),
    "x.csv.gz": gzip.compress(PLAIN.encode()),
    "x.CSV.bz2": bz2.compress(PLAIN.encode()),
    "x.jsonl.zst": pa.compress(b'{"id": 1, "headline": "a, b"}\n{"id": 2, "headline": "c"}', "zstd", asbytes=True),
    "x.jsonl": '{"id": 1, "headline": "a, b"}\n\n{"headline": "c", "id": 2.0}\n',
    "x.json": '[\n {"id": "1", "headline": "a, b"},\n {"id": 2, "headline": "c\\u0007"}\n]\n',
}  # fmt: skip


@pytest.mark.parametrize("name", CONTENTS)
def test_one_table_in_every_form(tmp_path, name):
    file = table(tmp_path, CONTENTS[name], name)
    records = rows.read_records(file, required=("id", "headline"), optional=("error",))
    cells = [record.cells for record in records]
    assert cells == [{"id": "1", "headline": "a, b"}, {"id": "2", "headline": "c"}]


def test_parquet_with_lists_bytes_and_a_column_nobody_asked_for(tmp_path):
    path = tmp_path / "x.parquet"
    columns = {"id": [b"1", b"\xc3\xa8"], "headlines": [["a", "b"], []], "seen": [datetime(2020, 1, 1), None]}
    pq.write_table(pa.table(columns), path)
    records = rows.read_records(path, required={"id": ("id",), "headline": ("headline", "headlines")})
    assert [list(record.cells.values()) for record in records] == [["1", "a\nb"], ["è", ""]]
    assert [record.values["headlines"] for record in records] == [["a", "b"], []]


def test_class_labels_have_their_names(tmp_path):
    features = Features(headline=Value("string"), label=ClassLabel(names=["colle", "faro"]))
    data = Dataset.from_list([{"headline": "a", "label": 1}, {"headline": "b", "label": -1}], features)
    data.to_parquet(tmp_path / "x.parquet")
    records = rows.read_records(tmp_path / "x.parquet", required=("headline", "label"))
    assert [record.cells["label"] for record in records] == ["faro", ""]
    data.save_to_disk(tmp_path / "saved")
    with pytest.raises(InputError, match="write one of save_to_disk with to_parquet"):
        rows.read_tables([str(tmp_path / "saved")])


def test_lines_are_those_that_rows_start_on(tmp_path):
    path = table(tmp_path, 'id,headline\n1,"a\nb"\n\n2,c\n')
    assert [record.line for record in rows.read_records(path, required=("id",))] == [2, 5]
    path = table(tmp_path, '[{"id": 1,\n"x": 2},\n\n{"id": 3}]', "x.json")
    assert [record.line for record in rows.read_records(path, required=("id",))] == [1, 2]


#: Content of a file by its name, and what the refusal says.
REFUSED = {
    "open.csv": (HEAD + '2,"never closed\n3,c\n', "line 3: a quote is never closed"),
    "inside.csv": (HEAD + '2,"a"b\n', "line 3: a quote is never closed or not doubled"),
    "more.csv": (HEAD + "2,a, too many\n", "line 3: 3 cells and 2 columns; put texts with commas"),
    "fewer.csv": (HEAD + '"2","a\nb"\n\n3\n', "line 6: 1 cells and 2 columns; put texts with commas"),
    "double.csv": ("id,id\n1,2\n", "has more than one column id: keep one"),
    "none.csv": ("", "has no rows"),
    "open.jsonl": (ROW + '{"id": 2, "headline": \n', "line 2: broken JSON"),
    "list.jsonl": (ROW + "\n[1, 2]\n", "line 3: this is no JSON object"),
    "deep.jsonl": (ROW + "[" * 100_000, "line 2: broken JSON (maximum recursion depth"),
    "text.parquet": ("no parquet", "cannot be read"),
    "latin.csv": (b"id,headline\n1,a\n2,perch\xe9\n", "line 3: the byte 0xe9 after '2,perch' is not UTF-8"),
    "half.csv": ("id,headline\n1,è".encode("utf-16")[:-1], "no whole text in UTF-16"),
    "book.csv": (b"PK\x03\x04\xff", "is no text but a spreadsheet"),
    "cut.csv.gz": (gzip.compress(PLAIN.encode() * 99)[:-20], "cannot be unpacked"),
    "columns.json": (pd.read_json(memory.StringIO(ROWS)).to_json(), "line 1: id is no text: a dict"),
    "data.json": (json.dumps({"data": json.loads(ROWS)}), "no column id and no column headline (its columns are data)"),
    "pretty.json": (json.dumps({"data": json.loads(ROWS)}, indent=1), "no column id and no column headline (its columns are data)"),
    "digits.json": ('{"id": ' + "9" * 5000 + "}", "line 1: broken JSON (Exceeds the limit"),
    "record.jsonl": ('{"id": 1, "headline": {"main": "a", "kicker": "b"}}', "line 1: headline is no text: a dict with the fields main, kicker"),
    "records.json": ('[{"id": 1, "headline": [{"text": "a"}]}]', "line 1: headline is no text: a dict with the fields text"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_said_as_what_it_is(tmp_path, name):
    content, says = REFUSED[name]
    file = table(tmp_path, content, name)
    with pytest.raises(InputError) as refused:
        rows.read_records(file, required=("id", "headline"))
    assert says in str(refused.value)
    assert str(file) in str(refused.value)


def test_dates_of_a_time_zone_that_nobody_knows_are_refused(tmp_path):
    times = pa.array([0], pa.timestamp("ms", tz="Mars/Phobos"))
    pq.write_table(pa.table({"id": ["a"], "date": times}), tmp_path / "x.parquet")
    with pytest.raises(InputError, match=r"cannot be read .*Mars/Phobos.*: export it again"):
        rows.read_records(tmp_path / "x.parquet", required=("id",))


def test_columns_are_found_by_any_capitals_and_commas(tmp_path):
    content = '{"ID": 1, "Titolo, lungo": "a", "a.b": ["b", "c"]}'
    file, names = table(tmp_path, content, "x.jsonl"), ("id", "headline", "article")
    [record] = rows.read_records(file, required=names, columns="headline=titolo, lungo, article=A.b")
    assert record.cells == {"id": "1", "headline": "a", "article": "b\nc"}
    with pytest.raises(InputError, match="no column Titolo, corto"):
        rows.read_records(file, required=("id",), optional=names, columns="headline=Titolo, corto")


def test_outlets_have_names_with_spaces_and_files_equals_signs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table(tmp_path, PLAIN, "label=a/x.csv")
    assert rows.outlet_and_file("La Stampa=a b.csv") == ("La Stampa", "a b.csv")
    assert rows.outlet_and_file("left=https://huggingface.co/datasets/o/n/c") == (
        "left",
        "hf://datasets/o/n/c",
    )
    for name in ("label=a/x.csv", "in/label=a.csv"):
        assert rows.outlet_and_file(name) == ("", name)
    assert [each.label for each in rows.read_tables(["left=*/x.csv"])] == ["left"]


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT])
def test_a_missing_value_is_no_text(missing):
    assert texts.cell_text(missing) == ""
    assert texts.texts_of("x", pd.Series(["a", missing], dtype=object)) == ["a", ""]
    assert texts.references_of("references", ["a", ["b", missing]]) == [["a"], ["b"]]
    with pytest.raises(InputError, match="references has none for 1"):
        texts.references_of("references", ["a", missing])


def test_numbers_dates_and_ids_are_text():
    cells = [2.0, 0.5, datetime(2024, 5, 6), pd.Timedelta("1D"), UUID(int=1), b"b"]
    lines = ["2", "0.5", "2024-05-06 00:00:00", "1 days 00:00:00", str(UUID(int=1)), "b"]
    assert texts.cell_text(cells) == "\n".join(lines)


@pytest.mark.parametrize("value", [object(), {"a"}, ("a",), ["a", {}]])
def test_a_cell_that_is_no_text_is_refused_and_not_printed_as_python(value):
    with pytest.raises(InputError, match=r"headline is no text: a (object|set|tuple|dict)$"):
        texts.cell_text(value, "headline")


@given(st.binary(max_size=80), st.sampled_from(sorted({name.partition(".")[2].lower() for name in CONTENTS} | {"parquet", "csv.zst"})), st.sampled_from([b"", b"id,headline\n", b"\xff\xfe", b"{", b'[{"id": ']))  # fmt: skip
def test_any_bytes_are_rows_or_refused(tmp_path_factory, content, ending, start):
    file = table(tmp_path_factory.mktemp("any"), start + content, f"x.{ending}")
    with suppress(InputError):
        records = rows.read_records(file, required=("id",), optional=("headline",))
        assert all(isinstance(cell, str) for record in records for cell in record.cells.values())


@given(
    st.lists(st.tuples(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1)), min_size=1),
    st.sampled_from(",;\t|"),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_any_text_comes_back_with_any_delimiter(tmp_path_factory, texts, delimiter, encoding):
    written = memory.StringIO()
    cells = [(text, f"a{delimiter}b\n") for (text,) in texts]
    csv.writer(written, delimiter=delimiter).writerows([("headline", "other"), *cells])
    file = table(tmp_path_factory.mktemp("any"), written.getvalue().encode(encoding))
    records = rows.read_records(file, required=("headline",), optional=("other",))
    assert [record.cells["headline"] for record in records] == [text.strip() for (text,) in texts]
    assert {record.cells["other"] for record in records} == {f"a{delimiter}b"}
