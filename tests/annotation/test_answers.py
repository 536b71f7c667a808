"""Answers on the disk: appended at once, read back, safe against a cut-off row, a damaged file and several servers."""

import os
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from csv_files import read_csv
from space_runs import pressed

from change_it.annotation import answers as module
from change_it.annotation.answers import Answers
from change_it.annotation.sheets import SheetRow, annotator_name
from change_it.cli import main
from change_it.errors import InputError

ITEMS = [*(f"a{n}" for n in range(1, 4)), *(f"i{n}" for n in range(40))]
HEADER = "item,answer,content,fluency,time\n"
TIME = "2026-03-06T10:00:00+00:00"


@pytest.fixture
def answers(tmp_path):
    return Answers(tmp_path, ITEMS)


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_the_last_answer_holds_and_others_stay(tmp_path, answers):
    answers.add("Anna", "a1", "answer", 2)
    answers.add("anna ", "a1", "content", 5)
    answers.add("anna", "a1", "answer", 1)
    assert Answers(tmp_path, ITEMS).read("ANNA") == {"a1": {"answer": 1, "content": 5}}
    assert (tmp_path / "anna.csv").read_text(encoding="utf-8").count("\n") == 4
    assert answers.read("ben") == {}


def test_an_answer_is_synced_before_it_is_confirmed(tmp_path, answers, monkeypatch):
    synced = []
    monkeypatch.setattr(
        module.os, "fsync", lambda number: synced.append((tmp_path / "anna.csv").read_bytes())
    )
    answers.add("anna", "a1", "answer", 2)
    assert b"a1,2,,," in synced[0]


@pytest.mark.parametrize("rest", [b"a2,1", b"a2,1,,,2026-03-06T1", b"a", b"\0\0\0"])
def test_a_row_that_was_cut_off_is_dropped(tmp_path, answers, rest):
    answers.add("anna", "a1", "answer", 2)
    with (tmp_path / "anna.csv").open("ab") as file:
        file.write(rest)
    assert answers.read("anna") == {"a1": {"answer": 2}}
    answers.add("anna", "a3", "answer", 1)
    assert answers.read("anna") == {"a1": {"answer": 2}, "a3": {"answer": 1}}
    assert Answers(tmp_path, ITEMS).read("anna") == answers.read("anna")


def test_a_last_row_that_lacks_its_line_break_alone_is_kept(tmp_path, answers):
    write(tmp_path / "anna.csv", f"{HEADER}a1,2,,,{TIME}\r\na2,1,,,{TIME}")
    answers.add("anna", "a3", "answer", 1)
    wanted = {"a1": {"answer": 2}, "a2": {"answer": 1}, "a3": {"answer": 1}}
    assert answers.read("anna") == Answers(tmp_path, ITEMS).read("anna") == wanted
    assert [row["item"] for row in read_csv(tmp_path / "anna.csv")] == ["a1", "a2", "a3"]


def test_people_answer_at_once(answers):
    with ThreadPoolExecutor(8) as threads:
        for name in ("anna", "ben"):
            for n in range(40):
                threads.submit(answers.add, name, f"i{n}", "answer", 1 + n % 2)
    wanted = {f"i{n}": {"answer": 1 + n % 2} for n in range(40)}
    assert answers.read("anna") == answers.read("ben") == wanted


def test_what_another_server_appends_is_read_on_and_nothing_twice(tmp_path, answers, monkeypatch):
    other = Answers(tmp_path, ITEMS)
    for n in range(20):
        answers.add("anna", f"i{n}", "answer", 1)
    read = []
    take = module._File._fault
    monkeypatch.setattr(module._File, "_fault", lambda known, line: read.append(line) or take(known, line))
    answers.add("anna", "a1", "answer", 2)
    assert len(read) == 1  # its own row, however long the file is
    other.add("anna", "a1", "content", 3)
    assert len(read) == 1 + 22 + 1
    assert answers.read("anna")["a1"] == {"answer": 2, "content": 3}
    assert len(read) == 1 + 23 + 1


@pytest.mark.parametrize("how", ["replaced", "shortened", "gone", "rewritten"])
def test_a_file_that_somebody_changed_is_read_again(tmp_path, answers, how):
    answers.add("anna", "a1", "answer", 2)
    answers.add("anna", "a2", "answer", 2)
    path = tmp_path / "anna.csv"
    text = f"{HEADER}a3,1,,,{TIME}\n"
    if how == "replaced":
        os.replace(write(tmp_path / "new", text), path)
    elif how == "gone":
        path.unlink()
    else:
        write(path, text if how == "shortened" else text + text.splitlines()[1] * 9 + "\n" + text[-5:])
    if how == "rewritten":
        with pytest.raises(InputError, match="line 3: "):
            answers.read("anna")
        return
    assert answers.read("anna") == ({} if how == "gone" else {"a3": {"answer": 1}})
    answers.add("anna", "a1", "answer", 1)
    assert answers.read("anna") == Answers(tmp_path, ITEMS).read("anna")
    assert ("a2" in answers.read("anna")) is False


DAMAGED = {
    "letters": (f"{HEADER}a1,2,,,{TIME}\na2,two,,,{TIME}\n", 3, "answer is 'two', not a number from 1 to 2"),
    "out of range": (f"{HEADER}a1,2,7,,{TIME}\n", 2, "content is '7', not a number from 1 to 5"),
    "no header": (f"a1,2,,,{TIME}\n", 1, "the header is not item,answer,content,fluency,time"),
    "semicolons": (
        f"{HEADER}a1,2,,,{TIME}\n".replace(",", ";").replace("\n", "\r\n"),
        1,
        "the header is not",
    ),
    "latin-1": (f"{HEADER}à1,2,,,{TIME}\n".encode("latin-1"), 2, "this is not UTF-8"),
    "utf-16": (f"{HEADER}a1,2,,,{TIME}\n".encode("utf-16"), 1, "this is not UTF-8"),
    "stray quote": (f'{HEADER}a1,"2,,,{TIME}\na2,1,,,{TIME}\n', 2, "this is not CSV"),
    "columns": (f"{HEADER}a1,2,{TIME}\n", 2, "3 cells and 5 columns"),
    "another sheet": (f"{HEADER}b1,2,,,{TIME}\n", 2, "the item 'b1' is not in this sheet"),
    "a number": (f"{HEADER}1.2345E+71,2,,,{TIME}\n", 2, "the item '1.2345E+71' is not in this sheet"),
    "notes": ("call Anna on Monday", 1, "the header is not"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_is_one_sentence_and_is_not_written(tmp_path, name):
    text, line, words = DAMAGED[name]
    answers = Answers(tmp_path, ITEMS)
    path = write(tmp_path / "anna.csv", text)
    before = path.read_bytes()
    for ask in (
        lambda: Answers(tmp_path, ITEMS),
        lambda: answers.read("anna"),
        lambda: answers.add("anna", "a1", "answer", 1),
    ):
        with pytest.raises(InputError) as caught:
            ask()
        assert f"anna.csv, line {line}: {words}" in str(caught.value)
        assert "\n" not in str(caught.value)
    assert path.read_bytes() == before
    write(path, f"\ufeff{HEADER}a1,2,,,{TIME}\r\n\r\n")
    answers.add("anna", "a2", "answer", 1)
    assert answers.read("anna") == {"a1": {"answer": 2}, "a2": {"answer": 1}}


@pytest.mark.parametrize(
    "name", ["", "  ", "../anna", ".hidden", "a" * 41, "a/b", "-", "a\0b", "a\u0301/", "=a"]
)
def test_a_name_that_is_no_file(answers, name):
    with pytest.raises(InputError, match="letters and digits"):
        answers.add(name, "a1", "answer", 1)


def test_names_are_people(tmp_path, answers):
    people = [
        "anna maria",
        "anna-maria",
        "anna_maria",
        "annamaria",
        "D'Angelo",
        "Ánna",
        "Anna",
        "con",
        "nul.x",
        "अनिता",
    ]
    for n, name in enumerate(people):
        answers.add(name, f"i{n}", "answer", 1)
    again = Answers(tmp_path, ITEMS)
    for n, name in enumerate(people):
        assert list(again.read(name)) == [f"i{n}"]
        assert annotator_name(answers.file(name)) == name.casefold()
    for one, other in [("d’angelo", "D'Angelo"), (unicodedata.normalize("NFD", "ÁNNA"), "Ánna")]:
        assert answers.file(one) == answers.file(other)
    files = {path.name for path in tmp_path.iterdir()}
    assert {
        "anna maria.csv",
        "anna=maria.csv",
        "anna_maria.csv",
        "ánna.csv",
        "=con.csv",
        "=nul.x.csv",
    } < files
    assert len(files) == len(people)


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("anna-maria.csv", "rename it to 'anna maria.csv' or 'anna=maria.csv'"),
        ("con.csv", "rename it to '=con.csv'"),
        ("Anna.csv", "rename it to 'anna.csv'"),
        ("sheet (1).csv", "is no file of answers: move it elsewhere"),
    ],
)
def test_files_of_earlier_versions_are_named_where_their_owner_is_not_clear(tmp_path, file, words):
    write(tmp_path / "anna.csv", f"{HEADER}a1,2,,,{TIME}\n")
    write(tmp_path / "b.2+c.csv", f"{HEADER}a2,1,,,{TIME}\n")
    answers = Answers(tmp_path, ITEMS)
    assert (answers.read("Anna"), answers.read("B.2+c")) == ({"a1": {"answer": 2}}, {"a2": {"answer": 1}})
    write(tmp_path / file, f"{HEADER}a1,2,,,{TIME}\n")
    with pytest.raises(InputError) as caught:
        Answers(tmp_path, ITEMS)
    assert words in str(caught.value)


def test_a_disk_that_cannot_be_written_is_a_sentence(tmp_path, answers):
    (tmp_path / "anna.csv").mkdir()
    with pytest.raises(IsADirectoryError):
        answers.add("anna", "a1", "answer", 1)


def test_answers_do_not_go_where_other_tables_are(sheet, tmp_path, capsys):
    before = sheet.read_bytes()
    serve = ["annotate", "serve", str(sheet), "--port", "0", "--answers"]

    def refused(folder):
        assert main([*serve, str(folder)]) == 2
        return capsys.readouterr().err

    assert "is the folder of the sheet: name another" in refused(sheet.parent / "x" / "..")
    (tmp_path / "study").mkdir()
    write(tmp_path / "study" / "sheet.csv", before)
    assert "sheet.csv, line 1: the header is not item,answer" in refused(tmp_path / "study")
    assert sheet.read_bytes() == before


def test_a_sheet_whose_ids_do_not_tell_its_items_apart_is_refused(sheet, capsys):
    lines = sheet.read_text(encoding="utf-8").splitlines()
    for wrong in (lines[1].partition(",")[0], "", '"a\nb"'):
        lines[2] = wrong + lines[2][lines[2].index(",") :]
        write(sheet, "\n".join(lines))
        assert main(["annotate", "serve", str(sheet), "--port", "0"]) == 2
        assert "items without an id, or of one id" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("button", "sent", "words"),
    [
        ("start", [None], "a name has letters and digits"),
        ("start", ["['a']"], "a name has letters and digits"),
        ("choice-1", ["a1:answer", None], "a name has letters and digits"),
        ("choice-1", [None, "anna"], "the sheet has no such question"),
        ("choice-1", ["['a1:answer']", "anna"], "the sheet has no such question"),
        ("choice-3", ["a1:answer", "anna"], "Which newspaper"),
        ("back", [None, None], "a name has letters and digits"),
    ],
)
def test_what_a_program_sends_is_refused_in_one_sentence(tmp_path, answers, button, sent, words):
    import gradio as gr

    from change_it.annotation.page import build

    page = build([SheetRow("a1", "Crolla il ponte", "rep", "gio")], ["answer"], answers, "en")
    with pytest.raises(gr.Error, match=words):
        pressed(page, button)(*sent)
    assert list(tmp_path.iterdir()) == []
