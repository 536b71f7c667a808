"""Answers on the disk: appended at once, read back, safe against a cut-off row and several people."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from change_it.annotation import answers as module
from change_it.annotation.answers import Answers
from change_it.errors import InputError


def test_the_last_answer_holds_and_others_stay(tmp_path):
    answers = Answers(tmp_path)
    answers.add("Anna", "a1", "answer", 2)
    answers.add("anna ", "a1", "content", 5)
    answers.add("anna", "a1", "answer", 1)
    assert Answers(tmp_path).read("ANNA") == {"a1": {"answer": 1, "content": 5}}
    assert (tmp_path / "anna.csv").read_text(encoding="utf-8").count("\n") == 4
    assert answers.read("ben") == {}


def test_an_answer_is_synced_before_it_is_confirmed(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(
        module.os, "fsync", lambda number: synced.append((tmp_path / "anna.csv").read_bytes())
    )
    Answers(tmp_path).add("anna", "a1", "answer", 2)
    assert b"a1,2,,," in synced[0]


def test_a_row_that_was_cut_off_is_dropped(tmp_path):
    answers = Answers(tmp_path)
    answers.add("anna", "a1", "answer", 2)
    with (tmp_path / "anna.csv").open("ab") as file:
        file.write(b"a2,1")
    assert answers.read("anna") == {"a1": {"answer": 2}}
    answers.add("anna", "a3", "answer", 1)
    assert answers.read("anna") == {"a1": {"answer": 2}, "a3": {"answer": 1}}


def test_people_answer_at_once(tmp_path):
    answers = Answers(tmp_path)
    with ThreadPoolExecutor(8) as threads:
        for name in ("anna", "ben"):
            for n in range(40):
                threads.submit(answers.add, name, f"i{n}", "answer", 1 + n % 2)
    wanted = {f"i{n}": {"answer": 1 + n % 2} for n in range(40)}
    assert answers.read("anna") == answers.read("ben") == wanted


@pytest.mark.parametrize("name", ["", "  ", "../anna", ".hidden", "a" * 41, "a/b", "-"])
def test_a_name_that_is_no_file(tmp_path, name):
    with pytest.raises(InputError, match="letters and digits"):
        Answers(tmp_path).add(name, "a1", "answer", 1)


def test_a_disk_that_cannot_be_written_is_a_sentence(tmp_path):
    answers = Answers(tmp_path)
    (tmp_path / "anna.csv").mkdir()
    with pytest.raises(InputError, match=r"anna\.csv: it is a folder"):
        answers.add("anna", "a1", "answer", 1)
