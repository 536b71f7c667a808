"""A chat model that fills in sheets: what it is shown, what is kept, and how its file is read."""

import json
import re

import pytest
from chat_server import serve
from csv_files import read_csv, write_csv, write_rows

from change_it.cli import main
from change_it.files.growing import only_run
from change_it.readers.questions import HEADINGS, QUESTIONS, SHEETS

SHOWN, ASKED = SHEETS["sources"]
YES = dict.fromkeys(ASKED, "yes")


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("change_it.models.chat_server.FIRST_WAIT_SECONDS", 0.0)
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
    def run(file=sheet, model="tiny"):
        arguments = ["--endpoint", server.url, "--out", str(tmp_path / "model.csv"), "--concurrency", "2"]
        named = ["--model", model] if model else []
        return main(["annotate", "read", str(file), *arguments, *named])

    return run


def test_a_model_sees_what_people_see_and_nothing_else(server, read, tmp_path):
    assert read() == 0
    prompts = sorted(request["messages"][0]["content"] for request in server.requests)
    assert len(prompts) == 6
    assert "headline: Nuovo 3\n\noriginal: -3 gradi\n\narticle: Articolo 3 {x}\n\n" in prompts[3]
    assert all(HEADINGS[name] in prompts[3] for name in ASKED)
    assert not any(hidden in prompts[3] for hidden in ("h3", "id-3", "gold", "condition"))
    assert prompts[3].count("no)") == 3  # the answers that there are, and not what somebody has filled in
    rows = read_csv(tmp_path / "model.csv")
    assert [row["item"] for row in rows] == [f"h{n}" for n in range(6)]
    answers = {(row["reader"], row["error"], row[HEADINGS["accept"]]) for row in rows}
    assert answers == {("model tiny", "", "yes")}
    assert server.requests[0]["temperature"] == 0
    schema = server.requests[0]["response_format"]["json_schema"]["schema"]
    assert schema["required"] == list(ASKED)
    assert schema["properties"]["supported"]["enum"] == ["yes", "partly", "no", "contradicted"]


def test_a_sheet_that_asks_for_an_outlet_shows_both(server, read, tmp_path):
    header = ["item", *SHEETS[""][0], HEADINGS["answer"]]
    file = write_csv(tmp_path / "sheet.csv", [["h1", "Nuovo", "colle", "faro", ""]], header)
    server.reply = lambda prompt, number: '{"answer": 2}'
    assert read(file=file) == 0
    prompt = server.requests[0]["messages"][0]["content"]
    assert "choice1: colle\n\nchoice2: faro" in prompt
    assert QUESTIONS["answer"].text in prompt
    assert read_csv(tmp_path / "model.csv")[0][HEADINGS["answer"]] == "2"


def test_answers_in_other_text_then_one_more_try_then_an_error_and_the_same_command_asks_again(
    server, read, tmp_path, capsys
):
    partly = {"story": "Yes", "supported": " partly", "printable": "no", "accept": "no"}
    replies = {
        "Nuovo 0": f"Well: ```json\n{json.dumps(partly)}\n```",
        "Nuovo 1": "I cannot say",
        "Nuovo 2": json.dumps(YES | {"supported": "maybe"}),
        "Nuovo 3": f'<think>{{"story": "no"}}</think> {json.dumps(partly)}.',
        "Nuovo 4": 400,
    }
    second = "no such object"

    def reply(prompt, number):
        if "Nuovo 5" in prompt:
            return json.dumps(YES) if second in prompt else "{}"
        return next(answer for text, answer in replies.items() if text in prompt)

    server.reply = reply
    assert read() == 0
    shown = capsys.readouterr().out
    assert "3 rows without an answer (" in shown
    assert "h1: no such JSON object (stop): I cannot say" in shown
    rows = read_csv(tmp_path / "model.csv")
    assert [bool(row["error"]) for row in rows] == [False, True, True, False, True, False]
    assert [row[HEADINGS["supported"]] for row in rows] == ["partly", "", "", "partly", "", "yes"]
    again = [request for request in server.requests if second in request["messages"][0]["content"]]
    assert len(again) == 4
    assert not any("response_format" in request for request in again)  # which a server may not know
    server.requests.clear()
    server.reply = lambda prompt, number: "I cannot say"
    assert read() == 2  # none of those that waited has an answer
    assert "3 rows without an answer (" in capsys.readouterr().err
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
    assert read() == 0
    rows, out = read_csv(sheet), tmp_path / "model.csv"
    moved = write_rows(tmp_path / "moved.csv", [row | {"headline": "Altro"} for row in rows])
    assert (read(model="large"), read(file=moved)) == (2, 2)
    write_rows(out, rows)  # of a person
    assert read() == 2
    sentences = capsys.readouterr().err.strip().splitlines()
    fault = "is not of this sheet, model and wording: name another --out"
    assert [fault in sentence for sentence in sentences] == [True] * 3
    assert read_csv(out) == rows
    assert len(server.requests) == 6


def test_without_any_answer_or_question_is_one_sentence(server, read, tmp_path, capsys):
    server.reply = lambda prompt, number: 400
    assert read() == 2
    assert "6 rows without an answer" in capsys.readouterr().err
    assert read(file=write_csv(tmp_path / "x.csv", [["h1", "Nuovo"]], ["item", "headline"])) == 2
    assert "asks nothing: give a sheet of change-it annotate" in capsys.readouterr().err


def test_the_model_is_named_by_a_server_that_has_one_and_its_cost_is_said(server, read, capsys):
    server.models = ["small", "large"]
    assert read(model=None) == 2
    assert "does not name one model alone: give one with --model" in capsys.readouterr().err
    server.models = ["small"]
    assert read(model=None) == 0
    assert {request["model"] for request in server.requests} == {"small"}
    assert re.search(
        "6 rows of 6 for small: about [1-9][0-9,]+ tokens to read and 168", capsys.readouterr().out
    )


CUT = {"content": f"<think>First idea: {json.dumps(YES)} But wait: the number", "finish_reason": "length"}
PLAIN_CUT = {"content": f"First idea: {json.dumps(YES)} But wait: the number", "finish_reason": "length"}
NO = dict.fromkeys(ASKED, "no")
DIFFERENT = f"{json.dumps(NO)}\n\nFor example, a good headline would get {json.dumps(YES)}"


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        (CUT, "the answer was cut off (length): <think>First idea"),
        (PLAIN_CUT, "the answer was cut off (length): First idea"),
        (PLAIN_CUT | {"finish_reason": "stop"}, "thoughts without an answer (stop): First idea"),
        (DIFFERENT, 'objects that differ (stop): {"story": "no"'),
    ],
)
def test_a_draft_or_an_example_is_no_answer_and_is_asked_again_once(reply, fault, server, read, tmp_path):
    server.reply = lambda prompt, number: reply if "Nuovo 3" in prompt else json.dumps(NO)
    assert read() == 0
    rows = read_csv(tmp_path / "model.csv")
    assert [row[HEADINGS["accept"]] for row in rows] == ["no", "no", "no", "", "no", "no"]
    assert rows[3]["error"].startswith(fault)
    assert len(server.requests) == 7


def test_booleans_and_comments_are_read_at_the_first_request(server, read, tmp_path):
    said = '{"story": true, // the same story\n"supported": "partly", "printable": true, "accept": false,}'
    server.reply = lambda prompt, number: said
    assert read() == 0
    assert len(server.requests) == 6
    answers = {tuple(row[HEADINGS[name]] for name in ASKED) for row in read_csv(tmp_path / "model.csv")}
    assert answers == {("yes", "partly", "yes", "no")}


def test_an_output_with_an_empty_last_line_goes_on(server, read, tmp_path):
    assert read() == 0
    out = tmp_path / "model.csv"
    out.write_bytes(out.read_bytes() + b"\n")
    assert read() == 0
    assert len(server.requests) == 6
    assert [row["item"] for row in read_csv(out)] == [f"h{n}" for n in range(6)]


def test_where_none_of_the_rows_that_waited_is_answered_the_command_says_so(server, read, capsys):
    server.reply = lambda prompt, number: "Hm" if "Nuovo 5" in prompt else json.dumps(YES)
    assert read() == 0
    assert read() == 2
    assert "1 row without an answer (h5: no such JSON object (stop): Hm)" in capsys.readouterr().err


def test_a_second_run_into_one_file_is_refused(server, read, tmp_path, capsys):
    with only_run(tmp_path / "model.csv"):
        assert read() == 2
    assert "another run writes" in capsys.readouterr().err
    assert server.requests == []
