"""What the pages refuse: foreign hosts and origins, frames, scripts, uploads to nowhere or without end; and what they clear away."""

import atexit
import multiprocessing
import os
import re
import time

import gradio as gr
import pytest
from gradio.utils import get_upload_folder
from starlette.testclient import TestClient

from change_it.space import app, guard, serving
from change_it.space.uploads import own_folder

FOREIGN = {"Host": "news.example:7860"}
UPLOAD = "/gradio_api/upload"


@pytest.fixture
def opened(monkeypatch):
    """A page in this process, as `launch` would serve it: a client of it."""

    def open_page(page, **settings):
        kept = {}
        monkeypatch.setattr(gr.Blocks, "launch", lambda page, **given: kept.update(given))
        serving.launch(page, **settings)
        page.max_file_size, page.share = kept["max_file_size"], False
        made = gr.routes.App.create_app(page, app_kwargs=kept["app_kwargs"])
        page.config["body_css"] = {}
        return TestClient(made, base_url="http://127.0.0.1:7860")

    return open_page


@pytest.fixture(scope="module")
def space():
    return app.build(None, "en")


@pytest.fixture(scope="module")
def kept():
    """What was sent to `plain`."""
    return []


@pytest.fixture(scope="module")
def plain(kept):
    """A page that nothing is uploaded to."""
    with gr.Blocks() as page:
        text = gr.Textbox()
        text.submit(kept.append, text)
    return page


def answer_of(client, **headers):
    """What a text sent past the page gets."""
    data = {"data": ["eve"], "fn_index": 0, "session_hash": "x"}
    return client.post("/gradio_api/run/predict", json=data, headers=headers).status_code


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost:7860", "Origin": "http://localhost:7860"}, 200),
        ({"Host": "[::1]:7860"}, 200),
        (FOREIGN, 403),
        ({"Host": "127.0.0.1.news.example"}, 403),
        ({"Host": "[::1"}, 403),
        ({"Host": ""}, 403),
        ({"Origin": "https://news.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
def test_a_foreign_host_gets_no_answer_on_loopback(opened, plain, kept, headers, status):
    kept.clear()
    assert answer_of(opened(plain), **headers) == status
    assert kept == (["eve"] if status == 200 else [])


def test_hosts_of_a_proxy_and_pages_for_other_machines(opened, plain, monkeypatch):
    assert opened(plain, hosts=["news.example"]).get("/", headers=FOREIGN).status_code == 200
    assert opened(plain, server_name="0.0.0.0").get("/", headers=FOREIGN).status_code == 200
    assert opened(plain, share=True).get("/", headers=FOREIGN).status_code == 200
    assert opened(plain, server_name="::1").get("/", headers=FOREIGN).status_code == 403
    monkeypatch.setenv("GRADIO_SERVER_NAME", "0.0.0.0")
    assert opened(plain).get("/", headers=FOREIGN).status_code == 200


def policy_of(answer):
    return dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))


def test_headers_keep_others_out_and_the_hub_shows_its_spaces(opened, space, plain, monkeypatch):
    for page in (space, plain):
        client = opened(page)
        found = client.get("/")
        policy = policy_of(found)
        assert policy["default-src"] == "'none'"
        assert policy["frame-ancestors"] == policy["base-uri"] == policy["connect-src"] == "'self'"
        assert "unsafe-inline" not in policy["script-src"]
        assert policy["script-src"].count("'sha256-") == len(
            set(re.findall(r"<script(?! t)[^>]*>(.+?)</script>", found.text, re.S))
        )
        assert found.headers["x-frame-options"] == "SAMEORIGIN"
        assert found.headers["x-content-type-options"] == "nosniff"
        assert "'sha256-" not in policy_of(client.get("/config"))["script-src"]
    monkeypatch.setenv("SPACE_ID", "nina/headlines")
    monkeypatch.setenv("SYSTEM", "spaces")
    found = opened(space).get("/", headers=FOREIGN)
    assert found.status_code == 200
    assert "https://huggingface.co" in policy_of(found)["frame-ancestors"]
    assert "x-frame-options" not in found.headers


@pytest.mark.parametrize("path", [UPLOAD, "/gradio_api/process_recording", "/gradio_api/run-history/connect"])
def test_nothing_is_uploaded_where_there_is_nothing_to_upload(opened, plain, path):
    sent = opened(plain).post(path, files={"files": ("x.bin", b"0" * 9_000)})
    assert sent.status_code == 404


def test_what_is_uploaded_stands_in_a_folder_of_the_process(opened, space):
    client = opened(space)
    folder = own_folder()
    assert str(folder) == get_upload_folder()
    assert folder.stat().st_mode & 0o077 == 0
    [path] = client.post(UPLOAD, files={"files": ("x.csv", b"a,b")}).json()
    assert path.startswith(str(folder))
    assert [one for one in folder.iterdir() if one.is_file()] == []
    assert client.get("/gradio_api/deep_link?session_hash=x").status_code == 404


def test_an_upload_that_is_given_up_or_too_large_leaves_nothing(opened, space, monkeypatch):
    monkeypatch.setattr(guard, "_LARGEST", 50_000)
    client = opened(space)
    before = set(own_folder().rglob("*"))
    start = b'--b\r\nContent-Disposition: form-data; name="files"; filename="x.csv"\r\n\r\n'

    def pieces():
        yield start
        for _ in range(100):
            yield b"0" * 1_000

    kind = {"Content-Type": "multipart/form-data; boundary=b"}
    with pytest.raises(Exception, match=r"."):  # nobody waits for an answer
        client.post(UPLOAD, content=pieces(), headers=kind)
    assert set(own_folder().rglob("*")) == before
    assert client.post(UPLOAD, content=b"0" * 50_001, headers=kind).status_code == 413


def test_the_oldest_files_make_room(tmp_path):
    for n in range(4):
        file = tmp_path / f"folder{n}" / "x.csv"
        file.parent.mkdir()
        file.write_bytes(b"0" * 10_000)
        os.utime(file, (1_000 + n, 1_000 + n))
    guard.make_room(tmp_path, 25_000)
    assert sorted(path.parent.name for path in tmp_path.rglob("x.csv")) == ["folder2", "folder3"]


def live(base, pipe):
    """What a process does that has a folder, until it hears whether it ends in order or at once."""
    atexit._clear()  # what is to be done at the end of the process that it parted from
    own_folder.cache_clear()
    os.environ["GRADIO_TEMP_DIR"] = str(base)
    pipe.send(own_folder().name)
    if pipe.recv() == "in order":
        atexit._run_exitfuncs()
    os._exit(0)


def test_folders_of_processes_that_ended_go(tmp_path):
    def start():
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.get_context("fork").Process(target=live, args=(tmp_path, theirs))
        process.start()
        folder = tmp_path / ours.recv()
        (folder / "tmpx").write_bytes(b"0")
        long_ago = time.time() - 3_600
        os.utime(folder, (long_ago, long_ago))
        return process, folder, ours

    def end(process, pipe, how):
        pipe.send(how)
        process.join()

    killed, of_killed, _ = start()
    running, of_running, to_running = start()
    assert of_killed.exists()
    killed.kill()
    killed.join()
    ended, of_ended, to_ended = start()
    assert (of_killed.exists(), of_running.exists()) == (False, True)
    end(ended, to_ended, "in order")
    assert not of_ended.exists()
    end(running, to_running, "at once")
    assert of_running.exists()  # the next one's to clear
