"""`change-it demo`: which models it takes, when it trains some, and that it serves."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from threading import Thread

import pytest
from gradio import Blocks
from processes import run_python

from change_it.commands import demo
from change_it.commands.demo import DemoOptions
from change_it.errors import InputError
from change_it.space import serving


@pytest.fixture
def launched(monkeypatch):
    """What would have been served."""
    found = {}

    def launch(page, **places):
        found.update(page=page, **places)
        return None, f"http://{places['server_name']}:{places['server_port']}/", None

    import change_it.space.app  # noqa: F401 (imported while the patch is on, it would keep it)

    monkeypatch.setattr(serving, "launch", launch)
    monkeypatch.setattr(serving, "wait", lambda page: None)
    return found


@pytest.fixture
def empty_page(monkeypatch):
    """What would be served has nothing on it, where a test looks at other things."""
    monkeypatch.setattr("change_it.space.app.build", lambda *_: Blocks())


def test_the_models_of_a_run_are_used(tiny_run, launched, monkeypatch, capsys):
    monkeypatch.setattr(demo, "_train", lambda run: pytest.fail("it trained"))
    demo.run(DemoOptions(run=tiny_run, port=7001, language="en"))
    assert (launched["server_port"], launched["server_name"], launched["share"]) == (7001, "127.0.0.1", False)
    printed = capsys.readouterr().out
    assert "Open http://127.0.0.1:7001/ in a browser" in printed
    assert "API: http://127.0.0.1:7001/gradio_api (transfer, judge, score)\n" in printed
    assert "curl -s http://127.0.0.1:7001/gradio_api/run/judge -H" in printed


@pytest.mark.usefixtures("empty_page")
def test_port_0_takes_a_free_one(tiny_run, launched):
    demo.run(DemoOptions(run=tiny_run, port=0))
    assert 1024 <= launched["server_port"] <= 65_535


@pytest.mark.usefixtures("empty_page")
@pytest.mark.parametrize("lacking", ["judges/hh", "generators"])
def test_the_quickstart_runs_first_where_models_are_missing(
    tiny_run, tmp_path, launched, monkeypatch, lacking
):
    run = tmp_path / "run"
    shutil.copytree(tiny_run, run)
    shutil.rmtree(run / lacking)
    (run / "run.json").write_text("{}", encoding="utf-8")
    (run / "corpus" / "articles").mkdir(parents=True)
    trained = []

    def quickstart(options):
        trained.append(options.out)
        shutil.copytree(tiny_run, options.out, dirs_exist_ok=True)
        shutil.rmtree(run / "corpus")

    monkeypatch.setattr("change_it.commands.quickstart.run", quickstart)
    demo.run(DemoOptions(run=run, port=0))
    assert trained == [run]
    assert launched["page"] is not None


def test_a_folder_that_is_no_quickstart_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr("change_it.commands.quickstart.run", lambda options: pytest.fail("it trained"))
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="lacks judges, or generators and a corpus"):
        demo.run(DemoOptions(run=tmp_path, port=0))


@pytest.mark.parametrize("port", [-1, 65_536])
def test_ports_that_are_none(port):
    with pytest.raises(InputError, match="give a number from 0 to 65535"):
        demo.run(DemoOptions(port=port))


def served(arguments, variables, run, *, before=lambda address: None):
    """Start a program that serves, ask for its page, interrupt it: the page, the exit code and what it printed."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "GRADIO_ANALYTICS_ENABLED": "False", **variables}
    program = subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
        cwd=run,
    )
    printed = []
    try:
        for line in program.stdout:
            printed.append(line)
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                with urllib.request.urlopen(f"{found[0]}/config", timeout=60) as reply:
                    page = reply.read().decode()
                before(found[0])
                break
        else:
            pytest.fail("".join(printed))
        program.send_signal(signal.SIGINT)
        rest, _ = program.communicate(timeout=60)
    finally:
        program.kill()
    return page, program.returncode, "".join(printed) + rest


@pytest.mark.slow
def test_the_program_serves_until_it_is_interrupted(tiny_run):
    arguments = ["-m", "change_it.cli", "demo", "--run", str(tiny_run), "--port", "0", "--language", "en"]
    page, code, printed = served(arguments, {}, tiny_run)
    assert "Headlines that change their style" in page
    assert "rep2gio" in page
    assert code in (0, 130)
    assert "Traceback" not in printed


BUSY = """
import time
import gradio as gr
from change_it.space.address import AddressOptions
from change_it.space.serving import serve

with gr.Blocks() as page:
    gr.Button().click(lambda: time.sleep(600), api_name="wait")
serve(page, AddressOptions(port=0))
"""


@pytest.mark.slow
def test_an_interrupt_does_not_wait_for_requests(tmp_path):
    def ask(address, **more):
        asked = urllib.request.Request(f"{address}/gradio_api/call/wait", **more)
        with urllib.request.urlopen(asked, timeout=60) as reply:
            return json.load(reply)["event_id"]

    def waiting(address):
        for _ in range(3):  # one is at work, two stand in the queue
            event = ask(address, data=b'{"data": []}', headers={"Content-Type": "application/json"})
            Thread(target=hold, args=(f"{address}/gradio_api/call/wait/{event}",), daemon=True).start()

    def hold(address):
        with suppress(OSError, HTTPException), urllib.request.urlopen(address, timeout=600) as reply:
            reply.read()

    _, code, printed = served(["-c", BUSY], {}, tmp_path, before=waiting)
    assert code == 0
    assert "Traceback" not in printed


def test_a_run_that_is_not_there_is_not_made(tmp_path, monkeypatch):
    monkeypatch.setattr("change_it.commands.quickstart.run", lambda options: pytest.fail("it trained"))
    with pytest.raises(InputError, match=r"there is no run .*nope: give the folder of one"):
        demo.run(DemoOptions(run=tmp_path / "nope", port=0))


@pytest.mark.usefixtures("empty_page")
def test_the_default_run_is_made_where_it_is_not_there(tiny_run, tmp_path, launched, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("change_it.commands.quickstart.run", lambda made: shutil.copytree(tiny_run, made.out))
    demo.run(DemoOptions(port=0))
    assert launched["page"] is not None


@pytest.mark.slow
def test_a_port_that_is_taken_is_one_sentence(tiny_run):
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        arguments = ["-m", "change_it.cli", "demo", "--run", str(tiny_run), "--port", port]
        found = run_python(*arguments)
    assert found.returncode == 2
    assert f"--port {port}" in found.stderr
    assert len(found.stderr.strip().splitlines()) == 1


@pytest.mark.slow
def test_the_space_serves_without_models_and_with_those_that_variables_name(tiny_run):
    from change_it import space_path

    app = str(Path(space_path()) / "app.py")
    port = {"GRADIO_SERVER_PORT": str(serving.free_port("127.0.0.1"))}
    page, _, _ = served([app], {"CHANGE_IT_JUDGES": "", **port}, tiny_run)
    assert "CHANGE_IT_GENERATORS" in page
    variables = {
        "CHANGE_IT_JUDGES": str(tiny_run / "judges"),
        "CHANGE_IT_GENERATORS": f"mine={tiny_run / 'generators'}",
        "CHANGE_IT_LANGUAGE": "en",
    }
    page, _, _ = served([app], {**variables, **port}, tiny_run)
    assert '"mine"' in page
    assert "Headlines that change their style" in page
