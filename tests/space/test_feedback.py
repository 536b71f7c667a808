"""What readers call wrong: rows of a CSV file, or a sentence where none can be written."""

import csv
from concurrent.futures import ThreadPoolExecutor

import pytest
from space_runs import pressed

from change_it.errors import InputError
from change_it.space import app, feedback
from change_it.space import transfer_tab as tab
from change_it.space.limits import Limits
from change_it.space.translation import translate

ARTICLE = "Il ponte sulla statale crolla ieri.\nSciopero generale dei treni."


@pytest.fixture
def answer(models):
    asked = ["Crolla il ponte sulla statale", ARTICLE, "rep2gio", "extract", 2, 0.5, "=Statale, che ponte!"]
    return tab.transfer_inputs(models, asked, "it")


def rows(folder):
    with (folder / feedback.NAME).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_rows_of_many_readers_at_once_are_whole(answer, tmp_path):
    headline = "=Statale, che ponte!"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: feedback.append(tmp_path, answer, headline, f"no, {n}"), range(40)))
    found = rows(tmp_path)
    assert sorted(row["remark"] for row in found) == sorted(f"no, {n}" for n in range(40))
    assert {row["headline"] for row in found} == {f"'{headline}"}  # no formula for a spreadsheet
    assert {(row["from"], row["to"], row["article"], row["system"]) for row in found} == {
        ("rep", "gio", ARTICLE, "own")
    }


def test_a_full_file_takes_no_more(answer, tmp_path, monkeypatch):
    feedback.append(tmp_path, answer, answer["candidates"][0]["headline"], "")
    monkeypatch.setattr(feedback, "LIMITS", Limits(bytes=10))
    with pytest.raises(InputError, match="is full"):
        feedback.append(tmp_path, answer, answer["candidates"][0]["headline"], "")
    assert len(rows(tmp_path)) == 1


def test_the_button_writes_and_says_so(models, answer, tmp_path):
    page = app.build(models, "en", tmp_path)
    press = pressed(page, "feedback-button")
    assert translate("en", "feedback.nothing") in press(None, None, "", "en")
    assert translate("it", "feedback.thanks") in press(
        answer, answer["candidates"][0]["headline"], "falso", "it"
    )
    assert [row["remark"] for row in rows(tmp_path)] == ["falso"]
    (tmp_path / feedback.NAME).unlink()
    (tmp_path / feedback.NAME).mkdir()
    assert translate("en", "feedback.failed") in press(answer, answer["candidates"][0]["headline"], "", "en")


def test_where_nothing_can_be_written_the_button_is_off_and_a_sentence_says_why(models, tmp_path):
    for folder in (None, tmp_path / "missing"):
        blocks = app.build(models, "en", folder).blocks.values()
        [button] = [block for block in blocks if block.elem_id == "feedback-button"]
        assert not button.interactive
        assert translate("en", "feedback.off") in [getattr(block, "value", None) for block in blocks]
