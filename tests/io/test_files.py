"""The reader of small tables and the atomic writers; `tests/corpus/test_reading.py` has the streaming reader."""

import csv
import errno
import json
import os
import pathlib
import subprocess
import sys
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


@pytest.mark.parametrize(
    ("content", "words"), [(b"Perch\xe9\n", "not text in UTF-8"), (b"a\0b\n", "null bytes")]
)
def test_texts_that_are_none(tmp_path, content, words):
    with pytest.raises(io.TableError, match=words):
        io.read_text(table(tmp_path, content, "x.txt"))


@pytest.mark.parametrize("content", ['{"id": ', "[1]", "[" * 100_000])
def test_a_json_file_of_ours_that_is_broken_or_not_there(tmp_path, content):
    with pytest.raises(InputError, match=r"x\.json is broken: run what writes it again"):
        io.read_json(table(tmp_path, content, "x.json"))
    assert io.read_json(tmp_path / "none.json") is None


def test_names_in_a_message_are_one_line_and_not_too_long():
    assert io.listed(["a\nb", "x" * 100, "c"], most=2) == f"a b, {'x' * 79}… and 1 more"


def test_a_folder_is_no_file_to_write(tmp_path):
    with pytest.raises(InputError, match="it is a folder; name a file"):
        io.write_text(tmp_path, "text")


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


def test_written_files_and_folders_are_there_as_a_whole(tmp_path):
    io.write_text(tmp_path / "new/a.txt", "perché \ud800")
    assert (tmp_path / "new/a.txt").read_text(encoding="utf-8") == "perché \\ud800"
    io.write_json(tmp_path / "a.json", {"è": [1]})
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8")) == {"è": [1]}
    for content in ("one", "two"):
        with io.replace_folder(tmp_path / "folder") as folder:
            (folder / f"{content}.txt").write_text(content)
    assert sorted(path.name for path in tmp_path.rglob("*")) == [
        "a.json",
        "a.txt",
        "folder",
        "new",
        "two.txt",
    ]


def test_a_failed_block_changes_nothing(tmp_path):
    io.write_text(tmp_path / "a.txt", "old")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/kept.txt").write_text("old")

    def fail_in_a_file():
        with io.replace_file(tmp_path / "a.txt") as partial:
            partial.write_text("half")
            raise RuntimeError("mine")

    def stop_in_a_folder():
        with io.replace_folder(tmp_path / "folder") as partial:
            (partial / "half.txt").write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(RuntimeError, match="mine"):
        fail_in_a_file()
    with pytest.raises(KeyboardInterrupt):
        stop_in_a_folder()
    assert (tmp_path / "a.txt").read_text() == "old"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.txt", "folder", "kept.txt"]


def test_what_a_killed_run_left_is_cleared_by_the_next(tmp_path):
    for name in (".folder.partial", ".folder.old"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x").touch()
    (tmp_path / ".a.txt.partial").touch()
    (tmp_path / "folder").mkdir()
    with io.replace_folder(tmp_path / "folder") as folder:
        assert not list(folder.iterdir())
    io.write_text(tmp_path / "a.txt", "")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.txt", "folder"]


def test_a_folder_whose_replacement_was_interrupted_comes_back(tmp_path):
    (tmp_path / ".folder.old").mkdir()
    (tmp_path / ".folder.old/kept").touch()
    with pytest.raises(RuntimeError), io.replace_folder(tmp_path / "folder"):
        raise RuntimeError
    assert (tmp_path / "folder/kept").exists()


@pytest.mark.parametrize("exchanges", [True, False])
def test_a_folder_is_replaced_whether_the_system_exchanges_folders_or_not(tmp_path, monkeypatch, exchanges):
    if exchanges:  # then nothing is renamed, and the folder is there at every moment
        monkeypatch.setattr(pathlib.Path, "rename", lambda *_: pytest.fail("renamed"))
    else:
        monkeypatch.setattr(io.files, "_exchange", lambda *_: False)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/before").touch()
    with io.replace_folder(tmp_path / "folder") as folder:
        (folder / "after").touch()
    assert [path.name for path in tmp_path.rglob("*")] == ["folder", "after"]


def test_a_link_is_written_through(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with io.replace_folder(tmp_path / "link") as folder:
        (folder / "x").touch()
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real/x").exists()


def test_formulas_are_quoted_where_strangers_write(tmp_path):
    rows = [["=1+1", "+a", "-b", "@c", "\td", "plain - text", -1.5, 2]]
    io.write_table(tmp_path / "a.csv", list("abcdefgh"), rows, quote_formulas=True)
    io.write_table(tmp_path / "b.csv", list("abcdefgh"), rows)
    quoted, plain = (list(csv.reader((tmp_path / name).open(newline="")))[1] for name in ("a.csv", "b.csv"))
    assert quoted == ["'=1+1", "'+a", "'-b", "'@c", "'\td", "plain - text", "-1.5", "2"]
    assert plain[:2] == ["=1+1", "+a"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EROFS, errno.EDQUOT])
def test_faults_of_the_disk_are_one_sentence_and_leave_nothing(tmp_path, monkeypatch, number):
    def fail(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(InputError, match=r"cannot write .*a\.txt: .*another place"):
        io.write_text(tmp_path / "a.txt", "text")
    assert not list(tmp_path.iterdir())


def test_a_file_that_gets_too_large_is_one_sentence_and_leaves_nothing(tmp_path):
    code = (
        "import resource, sys; from pathlib import Path; from change_it import io\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "from change_it.command import exit_on_input_error\n"
        "sys.exit(exit_on_input_error(lambda: io.write_text(Path('big.txt'), 'x' * 5000)))"
    )
    # Files of coverage would get too large as well.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "big.txt" in done.stderr
    assert not list(tmp_path.iterdir())


def test_faults_of_libraries_are_one_sentence_and_those_of_our_own_are_not(tmp_path):
    import polars as pl
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    (tmp_path / "x.safetensors").write_bytes(b"no tensors")
    with pytest.raises(InputError, match="cannot read it: ") as caught, io.file_errors("cannot read it"):
        load_file(tmp_path / "x.safetensors")
    assert isinstance(caught.value.__cause__, SafetensorError)
    with pytest.raises(InputError, match="cannot read it: boom"), io.file_errors("cannot read it"):
        raise pl.exceptions.PanicException("boom\nmore")
    with pytest.raises(InputError, match="the disk is full"), io.file_errors("cannot write it"):
        raise Exception("No space left on device (os error 28)")  # as tokenizers does
    with pytest.raises(ZeroDivisionError), io.file_errors("cannot write it"):
        _ = 1 / 0


def test_a_place_is_tried_before_work_begins(tmp_path):
    (tmp_path / "file").touch()
    io.check_writable(tmp_path / "new/deep/out", kind="folder")
    io.check_writable(tmp_path / "new/out.csv", kind="file")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]
    for path, kind, words in [
        (tmp_path / "file", "folder", "is a file: name a folder"),
        (tmp_path, "file", "is a folder: name a file"),
        (tmp_path / "file/out", "run", "is a file"),
        (tmp_path / ("x" * 300) / "out", "folder", "too long"),
    ]:
        with pytest.raises(InputError, match=words):
            io.check_writable(path, kind=kind)


def test_a_place_that_cannot_be_written_is_refused(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(io.files.tempfile, "TemporaryFile", fail)
    with pytest.raises(InputError, match=r"cannot write --out .*read-only"):
        io.check_writable(tmp_path / "out", kind="run")
