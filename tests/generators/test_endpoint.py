"""A model behind a server: every row has a headline or a reason, and an interrupted run goes on."""

import json
import re
from pathlib import Path
from threading import Barrier, Event

import pytest
from chat_server import DROP, serve
from csv_files import write_csv
from tiny_generators import transferred

from change_it.cli import transfer as transfer_command
from change_it.cli.transfer import TransferOptions
from change_it.errors import InputError
from change_it.files.growing import only_run

SECRET = "sk-very-secret"


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("change_it.models.chat_server.FIRST_WAIT_SECONDS", 0.0)
    monkeypatch.setenv("CHANGE_IT_API_KEY", SECRET)
    with serve() as state:
        yield state


@pytest.fixture
def options(server, corpus, tmp_path):
    rows = []
    for n in range(12):
        rows.append([f"x{n}", f"Crolla il ponte {{to}} {n}", f"Il ponte {n} è crollato.", "colle"])
    articles = str(write_csv(tmp_path / "in.csv", rows, ["id", "headline", "article", "label"]))

    def changed(**changes):
        usual = {"endpoint": server.url, "generator": "tiny", "corpus": corpus, "concurrency": 3}
        return TransferOptions(**usual | {"input": articles, "out": tmp_path / "new.csv"} | changes)

    return changed


def test_each_row_is_asked_for_once_with_the_prompt_of_the_corpus(server, options):
    three = Barrier(3)
    server.reply = lambda prompt, number: three.wait(60) < 3 and f'**"Ponte giù {number}"**'
    rows = transferred(options(generation=("max_new_tokens=2000",)))
    assert (len(server.requests), len(rows)) == (12, 12)
    assert all(row["headline"].startswith("Ponte giù ") and not row["error"] for row in rows)
    request = min(server.requests, key=lambda request: request["messages"][0]["content"])
    sent = [request[name] for name in ("path", "model", "temperature", "max_tokens")]
    assert sent == ["/v1/chat/completions", "tiny", 0.0, 2000]
    prompt = request["messages"][0]["content"]
    assert prompt.startswith("Riscrivi il titolo di un articolo come lo stamperebbe il giornale faro.")
    assert prompt.endswith("è crollato.\n\nTitolo su colle: Crolla il ponte {to} 0\nTitolo su faro:")
    assert rows[0]["generator"].startswith("endpoint|tiny-2026|prompt:it+")
    transferred(options(generation=("do_sample=true", "temperature=0.7", "top_p=0.5"), seed=4))
    assert [server.requests[-1][name] for name in ("temperature", "top_p", "seed")] == [0.7, 0.5, 4]


def test_the_key_is_sent_and_never_shown_or_written(server, options, tmp_path, capsys, caplog, monkeypatch):
    server.reply = lambda prompt, number: refusal(401, f"no such key: {SECRET}")
    with pytest.raises(InputError, match=r"answers with status 401 \(.*no such key: …") as error:
        transferred(options())
    assert server.headers[0]["authorization"] == f"Bearer {SECRET}"
    written = [path.read_text() for path in tmp_path.iterdir()]
    shown = [str(error.value), caplog.text, *capsys.readouterr(), *written]
    assert not any(SECRET in text for text in shown)
    monkeypatch.delenv("CHANGE_IT_API_KEY")
    monkeypatch.setenv("HF_TOKEN", "hf_of_the_hub")
    with pytest.raises(InputError, match="401"):
        transferred(options())
    assert "hf_of_the_hub" not in str(server.headers)


def refusal(status, message):
    return status, json.dumps({"error": {"message": message}}).encode()


#: Answers, and the error of the row.
FAULTS = [
    (400, "server refused: status 400"),
    (
        (400, f"Too long,\n by the key {SECRET}".encode()),
        "server refused: status 400 (Too long, by the key …)",
    ),
    (refusal(200, f"No model, {SECRET}"), 'server refused: {"error": {"message": "No model, …"}}'),
    (b"no JSON" + b"!" * 300, f"server refused: no JSON{'!' * 193}"),
    (b'{"choices": []}', 'server refused: {"choices": []}'),
    ({"content": [{"type": "text", "text": "Ponte giù"}]}, ""),  # in parts
    (f"Purtroppo\nnon posso {'a' * 80}", f"no headline in the answer (stop): Purtroppo non posso {'a' * 60}"),
    ({"finish_reason": "content_filter"}, "refused by the model"),
    ({"content": "", "finish_reason": "length"}, "empty answer (length)"),
    (
        {"content": "Cade il ponte. Due", "usage": {"completion_tokens": 96}},
        "the answer was cut off (length): Cade il ponte. Due",
    ),
    (
        {"content": "Cade il ponte", "usage": {"prompt_tokens": 9}},
        "the server read 9 tokens, and the prompt has more words: give it a longer context",
    ),
]


def test_refusals_and_timeouts_are_rows_with_an_error(server, options, monkeypatch, capsys):
    monkeypatch.setattr("change_it.models.chat_server.TIMEOUT_SECONDS", 1.0)
    given_up, replies = Event(), [reply for reply, _ in FAULTS]

    def reply(prompt, number):
        row = int(prompt.rpartition("Il ponte ")[2].split()[0])
        if row == len(replies):
            given_up.wait(60)
        return replies[row] if row < len(replies) else ""

    server.reply = reply
    rows = transferred(options())
    given_up.set()
    assert [row["error"] for row in rows] == [*(error for _, error in FAULTS), "server timeout"]
    assert (
        "11 rows with an error (5 server refused, 1 no headline in the answer (stop), "
        in capsys.readouterr().out
    )


def test_an_interrupted_run_goes_on_with_what_is_missing(server, options):
    server.reply = lambda prompt, number: f"Titolo {number}" if number <= 7 else refusal(429, "busy")
    with pytest.raises(
        InputError, match=r"still answers with status 429 \(.*busy.*\) after 13 tries: .* \(7 of 12 rows"
    ):
        transferred(options())
    server.reply = lambda prompt, number: f"Titolo {number}"
    before = len(server.requests)
    rows = transferred(options())
    assert len(server.requests) == before + 5  # each answer is kept
    assert len({row["headline"] for row in rows}) == 12
    assert {row["error"] for row in rows} == {""}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"corpus": None}, "--endpoint requires --corpus"),
        ({"generation": ("repetition_penalty=1.2",)}, "a server takes do_sample, max_new_tokens, tem"),
        ({"endpoint": "localhost:8000"}, "is no address of a server"),
        ({"endpoint": "http://localhost:abc/v1"}, "is no address of a server"),
        ({"endpoint": "http://[::1/v1"}, "is no address of a server"),
        ({"endpoint": "http://local host/v1"}, "is no address of a server"),
        ({"endpoint": "http://me:secret@localhost:abc/v1"}, "put it into the environment"),
        ({"recipe": "sum"}, "^--recipe and --endpoint exclude each other"),
        ({"batch_size": 4}, "^--batch-size and --endpoint exclude each other"),
        ({"precision": "bf16"}, "^--precision and --endpoint exclude each other"),
        ({"candidates": 5}, "^--candidates requires --rerank"),
        ({"endpoint": "http://me:secret@localhost/v1"}, "put it into the environment as CHANGE_IT_API_KEY"),
        ({"endpoint": "http://127.0.0.1:9/v1"}, "cannot be reached .*: start the server, or give another"),
    ],
)
def test_options_that_do_not_fit_leave_nothing(changes, message, options, tmp_path):
    with pytest.raises(InputError, match=message):
        transfer_command.run(options(**changes))
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


@pytest.fixture
def waits(monkeypatch):
    """Return the list of seconds that requests would have waited before they were sent again; none passes."""
    seconds = []

    class NotesWaits(Event):
        """An event that notes how long it would be waited for."""

        def wait(self, timeout=None):
            seconds.append(timeout)
            return self.is_set()

    monkeypatch.setattr("change_it.models.chat_server.Event", NotesWaits)
    monkeypatch.setattr("change_it.models.chat_server.FIRST_WAIT_SECONDS", 1.0)
    return seconds


def test_a_long_wait_that_a_server_asks_for_ends_the_run_with_its_reason(server, options, waits):
    quota = (*refusal(429, "daily quota is used up"), {"Retry-After": "86400"})
    server.reply = lambda prompt, number: quota if number > 4 else f"Titolo {number}"
    fault = (
        r"status 429 \(.*daily quota is used up.*\) and asks to wait 1,440 minutes: .* "
        r"\(4 of 12 rows are kept"
    )
    with pytest.raises(InputError, match=fault):
        transferred(options(concurrency=1))
    assert waits == []
    server.reply = lambda prompt, number: f"Titolo {number}"
    assert len(transferred(options(concurrency=1))) == 12
    assert len(server.requests) == 4 + 1 + 8


def test_a_wait_that_a_server_asks_for_is_kept_and_told(server, options, waits, capsys):
    busy = (*refusal(429, "slow down"), {"Retry-After": "17"})
    server.reply = lambda prompt, number: busy if number == 2 else f"Titolo {number}"
    assert len(transferred(options(concurrency=1))) == 12
    assert waits == [17.0]
    assert "slow down" in capsys.readouterr().err


def test_a_date_may_say_when_to_ask_again(server, options, waits):
    past = (*refusal(503, "loading"), {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"})
    never = (*refusal(503, "loading"), {"Retry-After": "Wed, 21 Oct 2115 07:28:00 GMT"})
    server.reply = lambda prompt, number: {2: past, 4: never}.get(number, f"Titolo {number}")
    with pytest.raises(InputError, match=r"loading.* asks to wait .* minutes"):
        transferred(options(concurrency=1))
    assert waits == [0.0]


DROPPED = [DROP, b'{"choices": [{"mess']


@pytest.mark.parametrize("fault", [500, 502, 503, 504, 529, *DROPPED])
def test_one_fault_of_a_server_is_asked_again(fault, server, options, waits):
    """A fault is a status, a closed connection, or half of a body, which is announced as longer."""
    reply = (200, fault, {"Content-Length": "500"}) if isinstance(fault, bytes) else fault
    server.reply = lambda prompt, number: reply if number % 5 == 0 else f"Titolo {number}"
    rows = transferred(options(concurrency=1))
    assert [bool(row["headline"]) for row in rows] == [True] * 12
    assert waits == [1.0] * 2


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (
            refusal(500, "CUDA out of memory"),
            r"still answers with status 500 \(.*CUDA out of memory.*\) after 5 tries",
        ),
        (DROP, r"still drops the connection \(RemoteProtocolError\) after 5 tries"),
    ],
)
def test_a_fault_that_stays_is_named(fault, message, server, options, waits):
    server.reply = lambda prompt, number: fault if number > 3 else f"Titolo {number}"
    with pytest.raises(InputError, match=rf"{message}: .* \(3 of 12 rows are kept"):
        transferred(options(concurrency=1))
    assert waits == [1.0, 2.0, 4.0, 8.0]


def test_openings_that_recur_are_told_with_an_example(server, options, capsys):
    refusals = ["Preferisco di gran lunga tacere", "Ponte giù"]
    server.reply = lambda prompt, number: f"{refusals[number % 2]} {number}"
    transferred(options(concurrency=1))
    printed = " ".join(capsys.readouterr().out.split())
    assert "6 of 12 headlines begin with 'Preferisco di gran', as 'Preferisco di gran lunga tacere" in printed


def test_a_second_run_into_one_file_is_refused_and_nothing_is_asked(server, options, tmp_path):
    chosen = options()
    with only_run(chosen.out), pytest.raises(InputError, match=r"another run writes .*new\.csv"):
        transfer_command.run(chosen)
    assert server.requests == []
    assert len(transferred(chosen)) == 12
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("change", [b"\n", b"x,y\n"])
def test_a_partial_with_a_blank_line_goes_on_and_one_that_was_changed_is_refused(
    change, server, options, tmp_path
):
    server.reply = lambda prompt, number: f"Titolo {number}" if number <= 7 else refusal(401, "key")
    with pytest.raises(InputError, match="401"):
        transferred(options(concurrency=1))
    [partial] = tmp_path.glob("*.partial")
    partial.write_bytes(partial.read_bytes() + change)
    server.reply = lambda prompt, number: f"Titolo {number}"
    if change == b"\n":
        assert len({row["headline"] for row in transferred(options(concurrency=1))}) == 12
    else:
        with pytest.raises(InputError, match=r"\.partial was changed: delete it"):
            transferred(options(concurrency=1))


def test_as_much_of_an_article_is_sent_as_the_page_of_questions_says(server, options, tmp_path):
    page = (Path(__file__).parents[2] / "docs/faq.md").read_text(encoding="utf-8")
    sent = int(re.search(r"the first ([\d,]+) characters of its article", page)[1].replace(",", ""))
    articles = write_csv(
        tmp_path / "long.csv",
        [["x1", "Crolla il ponte", "ponte " * 500, "colle"]],
        ["id", "headline", "article", "label"],
    )
    server.reply = lambda prompt, number: "Ponte giù"
    transferred(options(input=str(articles)))
    words = server.requests[0]["messages"][0]["content"].count("ponte ")
    assert sent - len("ponte ") <= words * len("ponte ") <= sent
