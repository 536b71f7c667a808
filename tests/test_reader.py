"""A chat model that fills in sheets: what it is shown, what is kept, and how its file is read."""

import json
import re

import pytest
from chat_server import serve
from csv_files import read_csv, write_csv, write_rows

from change_it.cli import main
from change_it.questions import HEADINGS, QUESTIONS, SHEETS

SHOWN, ASKED = SHEETS["sources"]
YES = dict.fromkeys(ASKED, "yes")


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    with serve() as state:
        state.reply = lambda prompt, number: json.dumps(YES)
        yield state


@pytest.fixture
def sheet(tmp_path):
    header = ["item", *SHOWN, *(HEADINGS[name] for name in ASKED), "condition"]
    rows = [
        [f"h{n}", f"id-{n}", f"Nuovo {n}", f"'-{n} gradi", f"Articolo {n} {{x}}", "no", "", "", "", "gold"]
        for n in range(6)
    ]
    return write_csv(tmp_path / "sheet-sources.csv", rows, header)


@pytest.fixture
def read(server, sheet, tmp_path):
    def run(*more, file=sheet, model="tiny"):
        arguments = ["--endpoint", server.url, "--out", str(tmp_path / "model.csv"), "--concurrency", "2"]
        named = ["--model", model] if model else []
        return main(["annotate", "read", str(file), *arguments, *named, *more])

    return run


def prompts(server):
    return [request["messages"][0]["content"] for request in server.requests]


def test_a_model_sees_what_people_see_and_nothing_else(server, sheet, read, tmp_path, capsys):
    assert read() == 0
    assert len(server.requests) == 6
    prompt = next(text for text in prompts(server) if "Nuovo 3" in text)
    assert "headline: Nuovo 3\n\noriginal: -3 gradi\n\narticle: Articolo 3 {x}\n\n" in prompt
    assert all(HEADINGS[name] in prompt for name in ASKED)
    assert not any(hidden in prompt for hidden in ("h3", "id-3", "gold", "condition"))
    assert (
        prompt.count("no)") == 3
    )  # what somebody has filled in is not shown, only the answers that there are
    rows = read_csv(tmp_path / "model.csv")
    assert [row["item"] for row in rows] == [f"h{n}" for n in range(6)]
    assert [row["headline"] for row in rows] == [f"Nuovo {n}" for n in range(6)]
    assert {(row["reader"], row["error"], row[HEADINGS["accept"]]) for row in rows} == {
        ("model tiny", "", "yes")
    }
    assert re.search(
        "6 rows of 6 for tiny: about [1-9][0-9,]+ tokens to read and 168 to", capsys.readouterr().out
    )
    assert server.requests[0]["temperature"] == 0
    schema = server.requests[0]["response_format"]["json_schema"]["schema"]
    assert schema["required"] == list(ASKED)
    assert schema["properties"]["supported"]["enum"] == ["yes", "partly", "no", "contradicted"]


@pytest.mark.parametrize(
    "said",
    [
        'Well: ```json\n{"story": "Yes", "supported": " partly", "printable": "no", "accept": "no"}\n```',
        '<think>{"story": "no"}</think> {"story": "yes", "supported": "partly", "printable": "no", "accept": "no"}.',
    ],
)
def test_answers_are_found_in_what_stands_around_them(server, read, tmp_path, said):
    server.reply = lambda prompt, number: said
    assert read() == 0
    row = read_csv(tmp_path / "model.csv")[0]
    assert [row[HEADINGS[name]] for name in ASKED] == ["yes", "partly", "no", "no"]


def test_one_more_try_then_an_error_and_the_same_command_asks_again(server, read, tmp_path, capsys):
    bad = {"Nuovo 1": "I cannot say", "Nuovo 2": json.dumps(YES | {"supported": "maybe"}), "Nuovo 4": 400}
    second = "no such object"

    def reply(prompt, number):
        if "Nuovo 0" in prompt:
            return json.dumps(YES) if second in prompt else "{}"
        return next((said for text, said in bad.items() if text in prompt), json.dumps(YES))

    server.reply = reply
    assert read() == 0
    shown = capsys.readouterr().out
    assert "3 rows without an answer (" in shown
    assert "h1: no such JSON object (stop): I cannot say" in shown
    rows = read_csv(tmp_path / "model.csv")
    assert [bool(row["error"]) for row in rows] == [False, True, True, False, True, False]
    assert [row[HEADINGS["story"]] for row in rows] == ["yes", "", "", "yes", "", "yes"]
    again = [request for request in server.requests if second in request["messages"][0]["content"]]
    assert len(again) == 4
    assert not any("response_format" in request for request in again)  # which a server may not know
    server.requests.clear()
    server.reply = lambda prompt, number: json.dumps(YES)
    assert read() == 0
    assert len(server.requests) == 3  # those rows alone
    assert not any(row["error"] for row in read_csv(tmp_path / "model.csv"))


def test_a_run_that_ended_goes_on(server, read, tmp_path, capsys):
    server.reply = lambda prompt, number: json.dumps(YES) if number < 4 else 500
    assert read() == 2
    assert "rows are kept, and the same command goes on" in capsys.readouterr().err
    out = tmp_path / "model.csv"
    kept = len(read_csv(out))
    assert 1 <= kept <= 3
    out.write_bytes(out.read_bytes() + b"h5,id-5,Nuo")  # killed in the middle of a line
    server.requests.clear()
    server.reply = lambda prompt, number: json.dumps(YES)
    assert read() == 0
    assert len(server.requests) == 6 - kept
    assert [row["item"] for row in read_csv(out)] == [f"h{n}" for n in range(6)]


def test_other_answers_are_never_overwritten(server, sheet, read, tmp_path, capsys):
    out = tmp_path / "model.csv"
    assert read() == 0
    before = out.read_bytes()
    moved = write_rows(tmp_path / "moved.csv", [row | {"headline": "Altro"} for row in read_csv(sheet)])
    assert (read(model="large"), read(file=moved)) == (2, 2)
    person = write_rows(out, read_csv(sheet))
    assert read() == 2
    sentences = capsys.readouterr().err.strip().splitlines()
    assert all("is not of this sheet, model and wording: name another --out" in one for one in sentences)
    assert len(sentences) == 3
    assert person.read_bytes() != before
    assert read_csv(out) == read_csv(sheet)
    assert len(server.requests) == 6


def test_without_any_answer_or_question_is_one_sentence(server, sheet, read, tmp_path, capsys):
    server.reply = lambda prompt, number: 400
    assert read() == 2
    assert "6 rows without an answer" in capsys.readouterr().err
    assert read(file=write_csv(tmp_path / "x.csv", [["h1", "Nuovo"]], ["item", "headline"])) == 2
    assert "asks nothing: give a sheet of change-it annotate" in capsys.readouterr().err


def test_the_model_is_named_by_a_server_that_has_one(server, read, tmp_path, capsys):
    server.models = ["small", "large"]
    assert read(model=None) == 2
    assert "names small, large: give one with --model" in capsys.readouterr().err
    server.models = ["small"]
    assert read(model=None) == 0
    assert {request["model"] for request in server.requests} == {"small"}
    assert {row["reader"] for row in read_csv(tmp_path / "model.csv")} == {"model small"}


def test_every_sheet_can_be_read(server, read, tmp_path):
    """A sheet that asks for an outlet shows both."""
    header = ["item", *SHEETS[""][0], HEADINGS["answer"]]
    file = write_csv(tmp_path / "sheet.csv", [["h1", "Nuovo", "colle", "faro", ""]], header)
    server.reply = lambda prompt, number: '{"answer": 2}'
    assert read(file=file) == 0
    assert "choice1: colle\n\nchoice2: faro" in prompts(server)[0]
    assert read_csv(tmp_path / "model.csv")[0][HEADINGS["answer"]] == "2"
    assert QUESTIONS["answer"].text in prompts(server)[0]
