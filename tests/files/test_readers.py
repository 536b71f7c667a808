"""The reader of tables; `tests/corpus/test_reading.py` has what becomes of rejected rows."""

import bz2
import csv
import gzip
import io as memory
import json
import tarfile
from contextlib import suppress
from datetime import datetime
from functools import partial
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
    "x.jsonl.zst": pa.compress(
        b'{"id": 1, "headline": "a, b"}\n{"id": 2, "headline": "c"}', "zstd", asbytes=True
    ),
    "x.jsonl": '{"id": 1, "headline": "a, b"}\n\n{"headline": "c", "id": 2.0}\n',
    "x.json": '[\n {"id": "1", "headline": "a, b"},\n {"id": 2, "headline": "c\\u0007"}\n]\n',
}


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


def tar_of(content):
    """Return a tar archive of one file."""
    written = memory.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as archive:
        member = tarfile.TarInfo("x.csv")
        member.size = len(content)
        archive.addfile(member, memory.BytesIO(content.encode()))
    return written.getvalue()


#: Content of a file by its name, and what the refusal says.
REFUSED = {
    "open.csv": (HEAD + '2,"never closed\n3,c\n', "line 3: a quote is never closed"),
    "inside.csv": (HEAD + '2,"a"b\n', "line 3: a quote is never closed or not doubled"),
    "more.csv": (HEAD + "2,a, too many\n", "line 3: 3 cells and 2 columns; put texts with commas"),
    "fewer.csv": (HEAD + '"2","a\nb"\n\n3\n', "line 6: 1 cells and 2 columns; write empty cells, too"),
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
    "data.json": (
        json.dumps({"data": json.loads(ROWS)}),
        "holds its rows in the field data: write that list alone, as jq .data does",
    ),
    "pretty.json": (
        json.dumps({"data": json.loads(ROWS)}, indent=1),
        "holds its rows in the field data: write that list alone",
    ),
    "table.json": (
        pd.read_json(memory.StringIO(ROWS)).to_json(orient="table"),
        "holds its rows in the field data",
    ),
    "titles.json": ('{"status": "ok", "articles": [{"title": "a"}]}', "holds its rows in the field articles"),
    "split.json": (
        pd.read_json(memory.StringIO(ROWS)).to_json(orient="split"),
        'by pandas with orient="split": write it with DataFrame.to_json(orient="records")',
    ),
    "pictures.json": (
        '{"titre": "a", "pictures": [{"url": "b"}]}',
        "no column id and no column headline (its columns are titre, pictures)",
    ),
    "x.tar.gz": (gzip.compress(tar_of(PLAIN)), "is a tar archive: unpack it"),
    "x.tar": (tar_of(PLAIN), "is a tar archive: unpack it"),
    "digits.json": ('{"id": ' + "9" * 5000 + "}", "line 1: broken JSON (Exceeds the limit"),
    "record.jsonl": (
        '{"id": 1, "headline": {"main": "a", "kicker": "b"}}',
        "line 1: headline is no text: a dict with the fields main, kicker",
    ),
    "records.json": (
        '[{"id": 1, "headline": [{"text": "a"}]}]',
        "line 1: headline is no text: a dict with the fields text",
    ),
}


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


def test_fields_of_records_are_no_columns_and_the_refusal_says_what_makes_them_so(tmp_path):
    file = table(tmp_path, '{"id": 1, "headline": {"main": "a"}}', "x.jsonl")
    with pytest.raises(InputError, match=r"fields of headline are no columns; .* pandas\.json_normalize"):
        rows.read_records(file, required=("id", "headline"), columns="headline=headline.main")
    flat = pd.json_normalize([json.loads(file.read_text())])
    flat.to_json(tmp_path / "flat.jsonl", orient="records", lines=True)
    read = partial(rows.read_records, required=("id", "headline"), columns="headline=headline.main")
    [record] = read(tmp_path / "flat.jsonl")
    assert record.cells == {"id": "1", "headline": "a"}


def test_rows_have_the_outlet_of_a_folder_of_hive(tmp_path, monkeypatch):
    for folder in ("label=colle", "Label=La%20Stampa", "paper=faro"):
        table(tmp_path, PLAIN, f"news/{folder}/part-0.csv")
    monkeypatch.chdir(tmp_path)
    names = {"headline": ("headline",), "label": ("label",)}
    tables = rows.read_tables(["news/*/*.csv"], names)
    assert [each.outlet for each in tables] == ["La Stampa", "colle", None]
    tables = rows.read_tables(["news/*/*.csv"], names | {"label": ("paper",)})
    assert [each.outlet for each in tables] == [None, None, "faro"]
    with pytest.raises(InputError, match=r"news is a folder: name its files, as in 'news/\*/\*\.csv'"):
        rows.read_tables(["news"])


def test_ids_of_rows_without_one_do_not_depend_on_the_order_of_the_files(tmp_path):
    """Ids begin with the stem of a file: its name, and of its folders what tells it from another one."""
    files = [str(table(tmp_path, PLAIN, name)) for name in ("2020/n.csv", "2021/n.csv", "2021/m.csv")]
    stems = dict(zip(files, ["2020-n", "2021-n", "m"], strict=True))
    assert stems_of(files) == stems
    assert stems_of(files[::-1]) == stems


def test_an_id_never_means_another_row_when_a_file_is_added(tmp_path):
    files = [str(table(tmp_path, PLAIN, name)) for name in ("2020/n.csv", "2021/n.csv")]
    before = stems_of(files)
    after = stems_of([*files, str(table(tmp_path, PLAIN, "a/2021/n.csv"))])
    assert not {after[file] for file in files} & {*before.values()}


def test_ids_of_files_that_differ_in_their_ending_have_it(tmp_path):
    files = [str(table(tmp_path, PLAIN, "b/n.csv")), str(table(tmp_path, ROW, "b/n.jsonl"))]
    assert list(stems_of(files).values()) == ["n.csv", "n.jsonl"]


def stems_of(files):
    """Return what the ids of rows without an id begin with, by file."""
    return {each.name: each.stem for each in rows.read_tables(files)}


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


@given(
    st.binary(max_size=80),
    st.sampled_from(sorted({name.partition(".")[2].lower() for name in CONTENTS} | {"parquet", "csv.zst"})),
    st.sampled_from([b"", b"id,headline\n", b"\xff\xfe", b"{", b'[{"id": ']),
)
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
