"""A model behind a server: every row has a headline or a reason, and nothing is paid for twice."""

import json
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from threading import Barrier

import pytest
from chat_server import serve
from csv_files import read_csv, write_csv
from transformers import AutoTokenizer

from change_it import engines
from change_it.commands import transfer as transfer_command
from change_it.commands.transfer import TransferOptions
from change_it.errors import InputError
from change_it.generators import endpoint
from change_it.scoring.signature import Writer

SECRET = "sk-very-secret"


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr(endpoint, "WAIT", (0.01, 0.02))
    monkeypatch.setenv("CHANGE_IT_API_KEY", SECRET)
    with serve() as state:
        yield state


@pytest.fixture
def articles(tmp_path):
    rows = [[f"x{n}", f"Crolla il ponte {n}", f"Il ponte {n} è crollato.", "colle"] for n in range(12)]
    return str(write_csv(tmp_path / "in.csv", rows, ["id", "headline", "article", "label"]))


def options(server, corpus, tmp_path, **changes):
    given = {"endpoint": server.url, "model": "tiny", "corpus": corpus, "out": tmp_path / "new.csv"}
    return TransferOptions(**given | changes)


def transferred(chosen):
    transfer_command.run(chosen)
    return read_csv(chosen.out)


def test_each_row_is_asked_for_once_with_the_prompt_of_the_corpus(server, corpus, articles, tmp_path, capsys):
    server.reply = lambda prompt, number: f'**"Ponte giù {number}"**'
    rows = transferred(options(server, corpus, tmp_path, input=articles, shots=2, price=(1.0, 2.0)))
    assert len(server.requests) == len(rows) == 12
    assert all(row["headline"].startswith("Ponte giù ") and not row["error"] for row in rows)
    request = server.requests[0]
    assert (request["path"], request["model"], request["temperature"]) == (
        "/v1/chat/completions",
        "tiny",
        0.0,
    )
    prompt = request["messages"][0]["content"]
    assert prompt.startswith("Riscrivi il titolo")
    assert prompt.count("Titolo su faro:") == 3
    assert prompt.endswith("Titolo su faro:")
    writer = Writer.parse(rows[0]["generator"])
    assert (writer.weights_hash, writer.base) == ("endpoint", "tiny-2026")
    assert rows[0]["generator"].startswith("endpoint|tiny-2026|prompt:it+")
    assert "|shots:2+nearest|v:" in rows[0]["generator"]
    printed = " ".join(capsys.readouterr().out.split())
    assert "12 answers of tiny-2026: 1,200 tokens read, 120 written, cost 0.0014" in printed
    assert not list(tmp_path.glob("*.partial"))


def test_the_headline_of_an_example_is_no_answer(server, corpus, articles, tmp_path):
    def reply(prompt, number):
        examples = [line for line in prompt.splitlines() if line.startswith("Titolo su faro: ")]
        return examples[0].partition(": ")[2] if "ponte 3 è" in prompt else "Ponte giù"

    server.reply = reply
    rows = transferred(options(server, corpus, tmp_path, input=articles, shots=2))
    assert (rows[3]["headline"], rows[3]["error"]) == ("", endpoint.EXAMPLE)
    assert {row["headline"] for row in rows if row["id"] != "x3"} == {"Ponte giù"}


def test_the_key_is_sent_and_written_nowhere(server, corpus, articles, tmp_path, capsys, caplog):
    def stop(prompt, number):
        return 401 if number > 3 else "Titolo"

    server.reply = stop
    with pytest.raises(InputError, match="refuses the key") as error:
        transferred(options(server, corpus, tmp_path, input=articles, concurrency=1))
    assert server.headers[0]["authorization"] == f"Bearer {SECRET}"
    written = [path.read_text() for path in tmp_path.iterdir()]
    assert len(written) >= 3  # the input, what is unfinished, its answers
    told = [str(error.value), caplog.text, *capsys.readouterr(), *written]
    assert not any(SECRET in text for text in told)


def test_the_token_of_the_hub_is_never_sent(server, corpus, articles, tmp_path, monkeypatch):
    monkeypatch.delenv("CHANGE_IT_API_KEY")
    monkeypatch.setenv("HF_TOKEN", "hf_of_the_hub")
    transferred(options(server, corpus, tmp_path, input=articles))
    assert not any("hf_of_the_hub" in str(headers) for headers in server.headers)


def test_refusals_and_timeouts_are_rows_with_an_error(server, corpus, articles, tmp_path):
    replies = {
        "ponte 0": 400,
        "ponte 1": {"content": "No.", "refusal": "I cannot"},
        "ponte 2": {"content": "", "finish_reason": "length"},
        "ponte 3": {"content": None, "finish_reason": "content_filter"},
        "ponte 4": b"no JSON",
        "ponte 5": b'{"choices": []}',
        "ponte 8": (200, b'{"error": {"message": "too many flowers", "code": 0}}'),
        "ponte 7": {"content": "Ecco il titolo:\n\nCade il ponte. Due feri", "finish_reason": "length"},
    }

    def reply(prompt, number):
        if "ponte 6 " in prompt:
            time.sleep(0.6)
        return next((value for text, value in replies.items() if f"{text} è" in prompt), "Titolo")

    server.reply = reply
    chosen = options(server, corpus, tmp_path, input=articles, timeout=0.3)
    rows = transferred(chosen)
    assert rows[7]["headline"] == "Cade il ponte."
    assert [row["error"] for row in rows] == [
        "refused: status 400",
        "refused by the model",
        "empty answer (length)",
        "refused by the model",
        "refused: the answer is no chat completion",
        "refused: the answer is no chat completion",
        "timeout",
        "",
        "refused: status 200 (too many flowers)",
        *[""] * 3,
    ]


def test_an_error_in_an_answer_of_status_200_is_waited_for_like_any_other(
    server, corpus, articles, tmp_path, monkeypatch
):
    monkeypatch.setattr(endpoint, "WAIT", (0.01, 0.02))
    busy = (200, b'{"error": {"message": "rate limit", "code": 429}, "user_id": "x"}')
    server.reply = lambda prompt, number: busy if number <= 2 else "Titolo"
    rows = transferred(options(server, corpus, tmp_path, input=articles, concurrency=1))
    assert {row["headline"] for row in rows} == {"Titolo"}
    assert len(server.requests) == len(rows) + 2


def test_what_had_no_answer_in_time_is_asked_for_again_and_nothing_else(
    server, corpus, articles, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(endpoint, "RETRIES", 0)
    server.reply = lambda prompt, number: time.sleep(0.6 * ("ponte 6 " in prompt)) or "Titolo"
    chosen = options(server, corpus, tmp_path, input=articles, timeout=0.3)
    late = [row["error"] for row in transferred(chosen)].count("timeout")
    assert late >= 1
    printed = " ".join(capsys.readouterr().out.split())
    assert f"{late} had no answer within --timeout 0.3 s: call the command again" in printed
    asked, chosen.timeout = len(server.requests), 30
    assert {row["error"] for row in transferred(chosen)} == {""}
    assert len(server.requests) == asked + late
    assert not list(tmp_path.glob("*.partial"))


def test_a_server_that_is_busy_is_asked_again_and_one_that_is_gone_ends_the_run(
    server, corpus, articles, tmp_path
):
    server.reply = lambda prompt, number: (429, 503, "Titolo")[min(number - 1, 2)] if number < 4 else "Titolo"
    rows = transferred(options(server, corpus, tmp_path, input=articles, concurrency=1))
    assert (len(server.requests), {row["error"] for row in rows}) == (14, {""})
    server.reply = lambda prompt, number: 500
    with pytest.raises(InputError, match="status 500, 6 times in a row: call the command again"):
        transferred(options(server, corpus, tmp_path, input=articles, out=tmp_path / "other.csv"))
    gone = options(server, corpus, tmp_path, input=articles, out=tmp_path / "gone.csv")
    gone.endpoint = "http://127.0.0.1:9/v1"
    with pytest.raises(InputError, match="cannot be reached"):
        transferred(gone)


def test_requests_run_side_by_side_within_the_limit(server, corpus, articles, tmp_path):
    server.reply = lambda prompt, number: time.sleep(0.05) or "Titolo"
    transferred(options(server, corpus, tmp_path, input=articles, concurrency=3))
    assert server.most_at_work == 3


def test_no_request_of_an_interrupted_run_is_paid_twice(server, corpus, articles, tmp_path, capsys):
    server.reply = lambda prompt, number: f"Titolo {number}" if number <= 7 else 401
    chosen = options(server, corpus, tmp_path, input=articles, concurrency=1)
    with pytest.raises(InputError, match="refuses the key"):
        transferred(chosen)
    server.reply = lambda prompt, number: f"Titolo {number}"
    rows = transferred(chosen)
    assert len(server.requests) == 7 + 1 + 5
    assert len({row["headline"] for row in rows}) == 12
    assert "12 answers of tiny-2026: 1,200 tokens read" in " ".join(capsys.readouterr().out.split())


def test_answers_of_another_model_are_not_taken_up(server, corpus, articles, tmp_path):
    server.reply = lambda prompt, number: "Titolo" if number <= 7 else 401
    chosen = options(server, corpus, tmp_path, input=articles, concurrency=1)
    with pytest.raises(InputError, match="refuses the key"):
        transferred(chosen)
    chosen.model = "larger"
    with pytest.raises(InputError, match=r"unfinished run with other options .*model was tiny, is larger"):
        transferred(chosen)


def test_the_address_is_taken_as_other_clients_take_it(server, corpus, articles, tmp_path):
    root = server.url.removesuffix("/v1")
    for path, asked in [
        ("", "/v1"),
        ("/v1/", "/v1"),
        ("/v1/chat/completions", "/v1"),
        ("/proxy", "/proxy/v1"),
        ("/v1beta/openai/", "/v1beta/openai"),
        ("/api/v4", "/api/v4"),
    ]:
        server.requests.clear()
        transferred(options(server, corpus, tmp_path, input=articles, endpoint=f"{root}{path}"))
        assert {request["path"] for request in server.requests} == {f"{asked}/chat/completions"}


def refusal(status, message, *, listed=False):
    body = {"error": {"message": message, "code": status}}
    return status, json.dumps([body] if listed else body).encode()


def test_a_refusal_says_why_without_the_key(server, corpus, articles, tmp_path):
    server.reply = lambda prompt, number: refusal(400, f"Too long,\n by the key {SECRET}", listed=number % 2)
    chosen = options(server, corpus, tmp_path, input=articles)
    with pytest.raises(
        InputError, match=r"no headline was written; .* says why for each: refused: status 400"
    ):
        transferred(chosen)
    assert {row["error"] for row in read_csv(chosen.out)} == {"refused: status 400 (Too long, by the key …)"}
    server.reply = lambda prompt, number: refusal(404, "no model tiny", listed=True)
    with pytest.raises(
        InputError, match=r"does not know the path or the model \(status 404: no model tiny\)"
    ):
        transferred(options(server, corpus, tmp_path, input=articles, out=tmp_path / "other.csv"))


def test_a_busy_server_is_asked_again_whatever_it_says(server, corpus, articles, tmp_path):
    server.reply = lambda prompt, number: refusal(429, "busy", listed=True) if number < 3 else "Titolo"
    rows = transferred(options(server, corpus, tmp_path, input=articles, concurrency=1))
    assert {row["error"] for row in rows} == {""}


def test_a_model_that_thinks_is_asked_as_it_wants(server, corpus, articles, tmp_path, capsys):
    together = Barrier(3)

    def reply(prompt, number):
        asked = server.requests[number - 1]
        if number <= 3:
            together.wait()
        if "max_tokens" in asked:
            return refusal(400, "'max_tokens' is not supported. Use 'max_completion_tokens' instead.")
        if "temperature" in asked:
            return refusal(400, "'temperature' does not support 0 with this model.")
        return {"content": "", "finish_reason": "length"} if "ponte 4 è" in prompt else "Titolo"

    server.reply = reply
    rows = transferred(options(server, corpus, tmp_path, input=articles, concurrency=3, answer_tokens=2000))
    assert server.requests[-1]["max_completion_tokens"] == 2000
    assert [row["id"] for row in rows if row["error"] == "empty answer (length)"] == ["x4"]
    assert {row["headline"] for row in rows} == {"Titolo", ""}
    assert "1 answers ended before their headline" in " ".join(capsys.readouterr().out.split())


def test_odd_names_and_counts(server, corpus, articles, tmp_path):
    usage = b'"usage": {"prompt_tokens": "10", "completion_tokens": null}'
    choice = b'{"message": {"role": "assistant", "content": "Titolo"}, "finish_reason": "stop", "index": 0}'
    for name, known in ((b"5", "5"), (b'"a|b\\nc"', "a_b c")):
        server.reply = lambda *_, name=name: b'{"choices": [%s], "model": %s, %s}' % (choice, name, usage)
        rows = transferred(options(server, corpus, tmp_path, input=articles, price=(1.0, 2.0)))
        assert Writer.parse(rows[0]["generator"]).base == known


def test_a_run_that_fails_does_not_wait_for_a_busy_server(server, corpus, articles, tmp_path, monkeypatch):
    monkeypatch.setattr(endpoint, "WAIT", (2.0, 2.0))
    server.reply = lambda prompt, number: 401 if "ponte 10 " in prompt else 503
    with pytest.raises(InputError, match="refuses the key"):
        transferred(options(server, corpus, tmp_path, input=articles, concurrency=2))
    assert len(server.requests) < 6


def test_no_more_threads_than_requests(server, corpus, articles, tmp_path, monkeypatch):
    started = []
    threads = engines.Threads.__init__
    monkeypatch.setattr(
        engines.Threads,
        "__init__",
        lambda self, width: started.append(width) or threads(self, min(width, 99)),
    )
    transferred(options(server, corpus, tmp_path, input=articles, concurrency=1_000_000))
    assert started == [12]


def test_a_wrong_address_leaves_nothing_in_the_way(server, corpus, articles, tmp_path):
    gone = options(server, corpus, tmp_path, input=articles, endpoint="http://127.0.0.1:9/v1")
    with pytest.raises(
        InputError, match=r"cannot be reached .*: start the server, or give another --endpoint"
    ):
        transferred(gone)
    assert {row["error"] for row in transferred(options(server, corpus, tmp_path, input=articles))} == {""}


@pytest.mark.parametrize("key", [f"{SECRET}\nmore", f"{SECRET}é", "two words"])
def test_a_key_that_no_header_holds(key, corpus, tmp_path, monkeypatch):
    monkeypatch.setenv("CHANGE_IT_API_KEY", key)
    given = {
        "endpoint": "http://127.0.0.1:9/v1",
        "model": "tiny",
        "corpus": corpus,
        "out": tmp_path / "n.csv",
    }
    with pytest.raises(InputError, match="the key in CHANGE_IT_API_KEY has") as error:
        transfer_command.check(TransferOptions(**given))
    assert key not in str(error.value)


@pytest.mark.slow
def test_a_killed_program_pays_for_nothing_twice(server, corpus, articles, tmp_path, forks):
    chosen = options(server, corpus, tmp_path, input=articles, concurrency=1)
    code = (
        "import os, signal\n"
        "import huggingface_hub.constants as constants\nconstants.HF_HUB_OFFLINE = False\n"
        "from pathlib import Path, PosixPath\n"
        "from change_it.commands import transfer\n"
        "from change_it.commands.transfer import TransferOptions\n"
        "from change_it.generators.journal import Journal\n"
        "add, added = Journal.add, []\n"
        "def dying(self, key, value):\n"
        "    add(self, key, value)\n"
        "    added.append(key)\n"
        "    if len(added) == 5: os.kill(os.getpid(), signal.SIGKILL)\n"
        "Journal.add = dying\n"
        f"transfer.run({chosen!r})\n"
    )
    result = forks.run(code)
    assert result.returncode == -signal.SIGKILL, result.stderr
    assert len(server.requests) == 5
    transferred(chosen)
    assert len(server.requests) == 12


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": None}, "--endpoint and --model belong together"),
        ({"endpoint": "localhost:8000"}, "is no address of a server"),
        ({"endpoint": "http://localhost:99999/v1"}, "is no address of a server"),
        ({"price": (-1.0, 2.0)}, "two numbers, 0 or more"),
        ({"timeout": float("inf")}, "of some seconds"),
        ({"endpoint": "http://me:secret@localhost/v1"}, "put it into the environment as CHANGE_IT_API_KEY"),
        ({"generator": "owner/name"}, "leave --generator out"),
        ({"corpus": None}, "give --corpus"),
        ({"prompt": True}, "exclude each other"),
        ({"recipe": "sum"}, "leave it out with --endpoint"),
        ({"shots": -1}, "0 or more"),
        ({"concurrency": 0}, "--concurrency of at least 1"),
    ],
)
def test_options_that_do_not_fit(changes, message, corpus, tmp_path):
    given = {
        "endpoint": "http://127.0.0.1:9/v1",
        "model": "tiny",
        "corpus": corpus,
        "out": tmp_path / "n.csv",
    }
    with pytest.raises(InputError, match=message):
        transfer_command.check(TransferOptions(**given | changes))


@pytest.mark.slow(seconds=60)
def test_a_real_server_answers(corpus, articles, tmp_path, tiny_llama, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    folder = tmp_path / "chat"
    shutil.copytree(tiny_llama, folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.chat_template = "{% for turn in messages %}{{ turn.content }}{% endfor %}"
    tokenizer.save_pretrained(folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = "from transformers.cli.transformers import main; main()"
    flags = ["serve", str(folder), "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    server = subprocess.Popen([sys.executable, "-c", program, *flags])
    try:
        for _ in range(240):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            time.sleep(0.5)
        rows = transferred(
            TransferOptions(
                endpoint=f"http://127.0.0.1:{port}/v1",
                model=str(folder),
                corpus=corpus,
                input=articles,
                out=tmp_path / "new.csv",
                concurrency=2,
            )
        )
    finally:
        server.terminate()
        server.wait(30)
    assert len(rows) == 12
    assert all(bool(row["headline"]) != row["error"].startswith("empty answer") for row in rows)
    assert any(row["headline"] for row in rows)
    assert {row["generator"].split("|")[1].partition("@")[0] for row in rows if row["headline"]} == {"chat"}
