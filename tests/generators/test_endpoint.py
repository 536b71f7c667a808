"""A model behind a server: every row has a headline or a reason, and an interrupted run asks for the rest alone."""

import json
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from chat_server import serve
from csv_files import write_csv
from tiny_generators import transferred

from change_it.commands import transfer as transfer_command
from change_it.commands.transfer import TransferOptions
from change_it.errors import InputError
from change_it.scoring.signature import Writer

SECRET = "sk-very-secret"


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setenv("CHANGE_IT_API_KEY", SECRET)
    with serve() as state:
        yield state


@pytest.fixture
def articles(tmp_path):
    rows = [[f"x{n}", f"Crolla il ponte {n}", f"Il ponte {n} è crollato.", "colle"] for n in range(12)]
    return str(write_csv(tmp_path / "in.csv", rows, ["id", "headline", "article", "label"]))


@pytest.fixture
def options(server, corpus, articles, tmp_path):
    def given(**changes):
        usual = {"endpoint": server.url, "generator": "tiny", "corpus": corpus, "concurrency": 3}
        return TransferOptions(**usual | {"input": articles, "out": tmp_path / "new.csv"} | changes)

    return given


def test_each_row_is_asked_for_once_with_the_prompt_of_the_corpus(server, options, tmp_path):
    server.reply = lambda prompt, number: time.sleep(0.05) or f'**"Ponte giù {number}"**'
    rows = transferred(options(shots=2, generation=("max_new_tokens=2000",)))
    assert (len(server.requests), len(rows), server.most_at_work) == (12, 12, 3)
    assert all(row["headline"].startswith("Ponte giù ") and not row["error"] for row in rows)
    request = server.requests[0]
    asked = [request[name] for name in ("path", "model", "temperature", "max_tokens")]
    assert asked == ["/v1/chat/completions", "tiny", 0.0, 2000]
    prompt = request["messages"][0]["content"]
    assert prompt.startswith("Riscrivi il titolo")
    assert prompt.count("Titolo su faro:") == 3
    assert prompt.endswith("Titolo su faro:")
    writer = Writer.parse(rows[0]["generator"])
    assert (writer.weights_hash, writer.base) == ("endpoint", "tiny-2026")
    assert rows[0]["generator"].startswith("endpoint|tiny-2026|prompt:it+")
    assert "|shots:2+nearest|v:" in rows[0]["generator"]
    assert not list(tmp_path.glob("*.partial"))


def test_drawn_headlines_are_asked_for_as_they_are_said(server, options):
    transferred(options(generation=("do_sample=true", "temperature=0.7", "top_p=0.5"), seed=4))
    request = server.requests[0]
    assert [request[name] for name in ("temperature", "top_p", "seed")] == [0.7, 0.5, 4]
    with pytest.raises(InputError, match="a server takes do_sample, max_new_tokens, temperature, top_p al"):
        transferred(options(generation=("repetition_penalty=1.2",)))


def test_items_are_kept_as_soon_as_they_are_there(server, options, tmp_path):
    server.reply = lambda prompt, number: 500 if "ponte 5 è" in prompt else f"Ponte giù {number}"
    with pytest.raises(InputError, match="status 500: mend that") as error:
        transferred(options())
    [partial] = tmp_path.glob("*.partial")
    kept = len(partial.read_text().splitlines()) - 1
    assert kept >= 7  # those before it, the longest first
    assert f"({kept} of 12 headlines are kept, and the same command goes on" in str(error.value)
    asked = len(server.requests)
    server.reply = lambda prompt, number: "Ponte giù"
    assert len(transferred(options())) == 12
    assert len(server.requests) == asked + 12 - kept


def test_the_key_is_sent_and_never_shown_or_written(server, options, tmp_path, capsys, caplog):
    server.reply = lambda prompt, number: refusal(401, f"no such key: {SECRET}")
    with pytest.raises(InputError, match=r"answers with status 401 \(no such key: …\)") as error:
        transferred(options())
    assert server.headers[0]["authorization"] == f"Bearer {SECRET}"
    written = [path.read_text() for path in tmp_path.iterdir()]
    told = [str(error.value), caplog.text, *capsys.readouterr(), *written]
    assert not any(SECRET in text for text in told)


def test_the_token_of_the_hub_is_never_sent(server, options, monkeypatch):
    monkeypatch.delenv("CHANGE_IT_API_KEY")
    monkeypatch.setenv("HF_TOKEN", "hf_of_the_hub")
    transferred(options())
    assert not any("hf_of_the_hub" in str(headers) for headers in server.headers)


def refusal(status, message, *, listed=False):
    body = {"error": {"message": message, "code": status}}
    return status, json.dumps([body] if listed else body).encode()


def test_refusals_and_timeouts_are_rows_with_an_error(server, options, monkeypatch, capsys):
    monkeypatch.setattr("change_it.networks.server.TIMEOUT", 0.3)
    replies = {
        "ponte 0": 400,
        "ponte 1": {"content": "No.", "refusal": "I cannot"},
        "ponte 2": {"content": "", "finish_reason": "length"},
        "ponte 3": {"content": None, "finish_reason": "content_filter"},
        "ponte 4": b"no JSON",
        "ponte 5": b'{"choices": []}',
        "ponte 7": {"content": "Ecco il titolo:\n\nCade il ponte. Due feri", "finish_reason": "length"},
        "ponte 8": (200, b'{"error": {"message": "too many flowers", "code": 0}}'),
        "ponte 9": refusal(400, f"Too long,\n by the key {SECRET}", listed=True),
        "ponte 10": "<think>Un titolo, forse",
        "ponte 11": {
            "content": [{"type": "thinking", "thinking": "Cade?"}, {"type": "text", "text": "Cade"}]
        },
    }

    def reply(prompt, number):
        if "ponte 6 " in prompt:
            time.sleep(0.6)
        return next((value for text, value in replies.items() if f"{text} è" in prompt), "Titolo")

    server.reply = reply
    rows = transferred(options())
    assert rows[7]["headline"] == "Cade il ponte."
    assert [row["error"] for row in rows] == [
        "server refused: status 400",
        "refused by the model",
        "empty answer (length)",
        "refused by the model",
        "server refused: the answer is no chat completion",
        "server refused: the answer is no chat completion",
        "server timeout",
        "",
        "server refused: too many flowers",
        "server refused: status 400 (Too long, by the key …)",
        "no headline in the answer (stop)",
        "",
    ]
    assert rows[11]["headline"] == "Cade"
    assert (
        "10 rows have an error (5 server refused, 2 refused by the model, 1 empty" in capsys.readouterr().out
    )


def in_half_a_minute():
    return format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)


@pytest.mark.parametrize(
    ("status", "headers", "least", "most"),
    [
        (429, lambda: {"Retry-After": "7"}, 0, 7),
        (503, lambda: {"Retry-After": in_half_a_minute()}, 7, 30),
        (429, dict, 0, 4),  # longer each time
        (503, lambda: {"Retry-After": "soon"}, 0, 4),
    ],
)
def test_a_busy_server_is_waited_for(server, options, monkeypatch, status, headers, least, most):
    waits = []
    monkeypatch.setattr("change_it.networks.server.sleep", waits.append)
    server.reply = lambda prompt, number: (
        (status, b"{}", headers()) if number in (2, 3, 5) else f"Titolo {number}"
    )
    rows = transferred(options(concurrency=1))
    assert {row["error"] for row in rows} == {""}
    assert len(server.requests) == 12 + 3
    assert least < max(waits) <= most


@pytest.mark.parametrize("listed", [False, True])
def test_an_interrupted_run_goes_on_with_what_is_missing(server, options, listed):
    server.reply = lambda prompt, number: (
        f"Titolo {number}"
        if number <= 7
        else (*refusal(429, "busy", listed=listed), {"Retry-After": "86400"})
    )
    with pytest.raises(
        InputError, match=r"429 \(busy\) and is to be asked again after 86400 s: .* then \(7 of 12 headlines"
    ):
        transferred(options())
    server.reply = lambda prompt, number: f"Titolo {number}"
    before = len(server.requests)
    rows = transferred(options())
    assert len(server.requests) == before + 5  # each answer is kept
    assert len({row["headline"] for row in rows}) == 12
    assert {row["error"] for row in rows} == {""}


def test_a_server_that_is_not_there_leaves_nothing_in_the_way(options):
    with pytest.raises(InputError, match=r"cannot be reached .*: start the server, or give another --endp"):
        transferred(options(endpoint="http://127.0.0.1:9/v1"))
    assert {row["error"] for row in transferred(options())} == {""}


def test_the_address_is_taken_as_other_clients_take_it(server, options):
    root = server.url.removesuffix("/v1")
    paths = {"": "/v1", "/v1/": "/v1", "/v1/chat/completions": "/v1", "/proxy": "/proxy/v1"}
    for path, asked in {**paths, "/v1beta/openai/": "/v1beta/openai"}.items():
        server.requests.clear()
        transferred(options(endpoint=f"{root}{path}"))
        assert {request["path"] for request in server.requests} == {f"{asked}/chat/completions"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"corpus": None}, "--prompt and --endpoint require --corpus"),
        ({"items": 5}, "--items requires a --corpus without --input"),
        ({"concurrency": 0}, "--concurrency 0 is too few"),
        ({"endpoint": "localhost:8000"}, "is no address of a server"),
        ({"endpoint": "http://me:secret@localhost/v1"}, "put it into the environment as CHANGE_IT_API_KEY"),
        ({"shots": -1}, "give --shots from 0 to"),
    ],
)
def test_options_that_do_not_fit(changes, message, options):
    with pytest.raises(InputError, match=message):
        transfer_command.run(options(**changes))
