"""What a stranger's text, file, model or server cannot do: take all memory or time, or reach a terminal."""

import gzip
import json
import logging
import shutil
import time
from pathlib import Path
from random import Random
from types import SimpleNamespace

import numpy as np
import pytest
from chat_server import completion, serve
from huggingface_hub.utils import filter_repo_objects
from malformed import edit
from processes import Handler, listening

from change_it import HeadlineTransfer, InputError
from change_it.cli import exit_on_input_error, main
from change_it.corpus.tasks.negatives import negate
from change_it.files import atomic, predictions, rows
from change_it.files import rows as reader
from change_it.hub import cards
from change_it.judges.linear_features import sum_leaves
from change_it.models import chat_server as servers
from change_it.models.chat_answers import headline_of
from change_it.models.chat_server import Server
from change_it.models.saved import local_folder
from change_it.text.cleaning import clean, encoded_twice
from change_it.text.evidence import unsupported
from change_it.text.rouge import headline_rouge
from change_it.text.sentences import sentences
from change_it.text.spans import name_runs

ESC = "\x1b]0;pwned\x07\x1b[2J"
N = 200_000


def test_texts_that_took_the_square_of_their_length_are_read():
    assert encoded_twice("Ã " + "a" * N + " perchÃ\x83\xa9x!") == "perchÃ\x83\xa9x!"
    assert encoded_twice("Ã " + "a" * N) == ""
    assert sentences("a" + "." * N + "x") == ["a" + "." * N + "x"]
    assert sentences("a" + " " * N + "b" + "\n \n" * N + "c") == ["a" + " " * N + "b", "c"]
    assert len(unsupported("Rossi 12", ["1" + ",11" * N])) == 1
    assert len(name_runs("uno due " + "il toro nel Rione " * (N // 18))) == N // 18
    assert headline_of("\n" * N + "Crolla il ponte") == "Crolla il ponte"
    assert negate("a" + " " * N + "is not b", Random(1), "en") is None
    marks = clean("a" + "\u0300" * N + "\u0323" * N)
    assert len(marks) == 30
    assert clean("a\u0323\u0300") == "ạ\u0300"
    many = " ".join(f"w{n}" for n in range(N // 8))
    assert headline_rouge([many], [[many]], measures=["rougeSU"])["rougeSU"].tolist() == [1.0]
    with pytest.raises(InputError, match="give a list of references"):
        headline_rouge(["a"], ["a"])


def test_a_text_that_is_too_long_for_a_headline_is_none(tmp_path):
    long = "Il ponte " + "'a " * 500
    assert [part.text for part in unsupported(long, [long])] == [long]
    assert headline_of(long) == ""
    for name, header, read in (
        ("a.csv", "headline", lambda path: rows.read_records(path, required=["headline"])),
        ("a.txt", "Il ponte", predictions.text_lines),
    ):
        (tmp_path / name).write_text(f"{header}\n{long}\n")
        with pytest.raises(InputError, match=rf"{name}, line 2: headline of more than 1,000 characters"):
            read(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("a.csv.gz", "headline\n" + "a" * 200, r"line \d has more than 100 characters"),
        ("a.jsonl.gz", '{"headline": "' + "a" * 200, r"line \d has more than 100 characters"),
        ("a.json.gz", json.dumps([{"headline": "a" * 40}] * 9), "has more than 400 characters"),
    ],
)
def test_a_line_and_a_text_are_read_to_a_limit(tmp_path, monkeypatch, name, text, fault):
    monkeypatch.setattr(reader, "LONGEST_LINE", 100)
    monkeypatch.setattr(reader, "LARGEST_TEXT", 400)
    (tmp_path / name).write_bytes(gzip.compress(text.encode()))
    with pytest.raises(InputError, match=fault):
        rows.read_records(tmp_path / name, required=["headline"])
    (tmp_path / "a.txt").write_text("a" * 500)
    with pytest.raises(InputError, match="has more than 400 characters"):
        rows.read_text(tmp_path / "a.txt")
    (tmp_path / "b.json").write_text(json.dumps([{"headline": "a" * 40}] * 5))
    assert len(rows.read_records(tmp_path / "b.json", required=["headline"])) == 5  # one long line


@pytest.mark.parametrize("about", ["[]", '{"info": 3}', '{"info": {"features": [1]}}', "[" * 100_000])
def test_metadata_of_any_shape_is_a_sentence(tmp_path, about):
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"headline": ["a"]}).replace_schema_metadata({b"huggingface": about.encode()})
    pq.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(InputError, match="cannot be read"):
        rows.read_records(tmp_path / "a.parquet", required=["headline"])


def test_too_little_memory_is_a_sentence(capsys):
    def fail():
        raise MemoryError

    assert exit_on_input_error(fail) == 2
    assert "not enough memory" in capsys.readouterr().err


def test_control_characters_do_not_reach_the_terminal(tmp_path, capsys):
    from change_it.cli.common import print_json
    from change_it.render.tables import Column, Row, Table, console, print_table

    (tmp_path / "a.csv").write_text(f"id,head{ESC}line\n1,a\n")
    assert main(["score", "--corpus", "x/y", "--judges", "x/y", "--predictions", f"a={tmp_path}/a.csv"]) == 2
    print_table(Table([Column("a", "text")], [Row({"a": ESC})], title=ESC, notes=[ESC]), console())
    console().print(ESC, markup=False)
    print_json({"a": f"{ESC}\x9b\u202e"})
    out, error = capsys.readouterr()
    assert not {*"\x1b\x07\x9b\u202e"} & {*out, *error}
    assert "\\u001b]0;pwned" in error
    assert out.count("\\u001b]0;pw") == 5
    assert json.loads(out[out.index("{") :]) == {"a": f"{ESC}\x9b\u202e"}


@pytest.fixture
def online(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)


def test_an_answer_is_read_to_a_limit_of_bytes(online, monkeypatch):
    monkeypatch.setattr(servers, "MAX_ANSWER_BYTES", 1000)
    with serve() as state:
        bomb = gzip.compress(completion("a" * 5_000_000))
        replies = [(200, bomb, {"Content-Encoding": "gzip"}), (200, completion("a" * 5000))]
        state.reply = lambda prompt, number: replies[number - 1]
        for _ in replies:
            fault = "server refused: the answer has more than 1,000 bytes"
            assert Server(state.url, "tiny").complete("x") == (None, fault)


def test_an_answer_that_never_ends_is_a_timeout(online, monkeypatch):
    monkeypatch.setattr(servers, "TIMEOUT_SECONDS", 0.5)

    class Drips(Handler):
        def do_POST(self):
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for _ in range(300):
                try:
                    self.wfile.write(b"1\r\n \r\n")
                except OSError:  # the client has given up
                    return
                time.sleep(0.1)

    with listening(Drips) as url:
        assert Server(url, "tiny").complete("x") == (None, "server timeout")


def test_no_redirect_is_followed(online):
    with serve() as other, serve() as state:
        state.reply = lambda prompt, number: (307, b"", {"Location": f"{other.url}/chat/completions"})
        with pytest.raises(InputError, match=rf"answers with status 307 \({other.url}"):
            Server(state.url, "tiny").complete("x")
        assert other.requests == []


def test_trees_with_a_cycle_end():
    cycle = {"root": [0], "feature": [0, 0], "left": [1, 0], "right": [1, 0], "value": [0, 0]}
    cycle["threshold"] = [1.0, 1.0]
    with pytest.raises(ValueError, match="cycle"):
        sum_leaves(np.zeros((1, 1)), {name: np.array(values) for name, values in cycle.items()})


def test_the_base_that_is_fetched_is_named(saved_models, tmp_path, caplog, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    folder = Path(shutil.copytree(saved_models / "generator", tmp_path / "generator"))
    edit(folder / "generator.json", lambda record: record.update(base="other/model"))
    (folder / "config.json").unlink()
    with caplog.at_level(logging.WARNING), pytest.raises(InputError):
        HeadlineTransfer.from_pretrained(folder, device="cpu")
    assert "loading other/model, the base of the adapters" in caplog.text


def test_no_module_of_adapters_is_imported(tmp_path):
    from change_it.generators.generator import load_adapters

    pytest.importorskip("peft")
    (tmp_path / "adapter_model.safetensors").touch()
    atomic.write_json(
        tmp_path / "adapter_config.json", {"megatron_config": {"a": 1}, "megatron_core": "evil"}
    )
    with pytest.raises(InputError, match="names a module of Python"):
        load_adapters(None, tmp_path)


@pytest.mark.parametrize("size", [10**6, 10**12])
def test_of_a_repository_on_the_hub_the_files_of_models_alone_are_fetched(monkeypatch, size):
    there = ["config.json", "hh/config.json", "hh/model.safetensors", "main/tokenizer.json"]
    strange = ["junk/huge.bin", "pytorch_model.bin", "hh/linear.py", "secret.txt", "data.parquet"]
    fetched = []

    def download(name, *, repo_type, allow_patterns, dry_run=False, **source):
        fetched.append([*filter_repo_objects(there + strange, allow_patterns=allow_patterns)])
        return [SimpleNamespace(file_size=size, will_download=True)] if dry_run else "/somewhere"

    monkeypatch.setattr("huggingface_hub.is_offline_mode", lambda: False)
    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    if size > 10**9:
        with pytest.raises(InputError, match="has 1,000 GB: fetch it by hf download"):
            local_folder("nina/judges", command="x")
        assert len(fetched) == 1  # the list alone
    else:
        assert local_folder("nina/judges", command="x") == Path("/somewhere")
        assert fetched == [there, there]


def test_an_outlet_cannot_leave_its_literal_on_a_card():
    for name in ('faro"); print("x") #', "```\n<img>", "\x1b[2J", "perché"):
        literal = cards.literal(name)
        assert eval(literal, {"__builtins__": {}}) == name
        assert not {*"`<>\x1b\n"} & {*literal}


def test_the_page_takes_no_files_no_other_names_and_no_large_bodies():
    gr = pytest.importorskip("gradio")
    import httpx

    from change_it.space.app import launch

    with gr.Blocks(analytics_enabled=False) as page:
        box = gr.Textbox()
        box.submit(lambda text: text, box, box, api_name="echo")
    hosts = ("127.0.0.1", "localhost")
    _, url, _ = launch(page.queue(), hosts=hosts, quiet=True, prevent_thread_lock=True, inbrowser=False)
    client, call = httpx.Client(base_url=url, timeout=120), "gradio_api/call/echo"
    try:
        assert client.get("config").status_code == 200
        assert client.get("config", headers={"Host": "evil.com"}).status_code == 400
        assert client.post("gradio_api/upload", files={"files": b"ab"}).status_code == 413
        assert client.post(call, json={"data": ["a" * 200_000]}).status_code == 200
        assert client.post(call, json={"data": ["a" * 300_000]}).status_code == 413
    finally:
        page.close()
