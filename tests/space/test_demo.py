"""`change-it demo`: that it serves."""

import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from change_it import space_path
from change_it.cli import main


def served(arguments, variables, run):
    """Start a program that serves, ask for its page, interrupt it: the page, the exit code and what it printed."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "GRADIO_ANALYTICS_ENABLED": "False", **variables}
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    program = subprocess.Popen([sys.executable, *arguments], env=environment, cwd=run, **output)
    printed = []
    try:
        for line in program.stdout:
            printed.append(line)
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                with urllib.request.urlopen(f"{found[0]}/config", timeout=60) as reply:
                    page = reply.read().decode()
                break
        else:
            pytest.fail("".join(printed))
        program.send_signal(signal.SIGINT)
        rest, _ = program.communicate(timeout=60)
    finally:
        program.kill()
    return page, program.returncode, "".join(printed) + rest


@pytest.mark.slow
@pytest.mark.parametrize("program", ["demo", "app.py"])
def test_the_page_is_served_until_it_is_interrupted(tiny_run, program):
    demo = ["-m", "change_it.cli", "demo", "--run", str(tiny_run), "--port", "0"]
    arguments = demo if program == "demo" else [str(Path(space_path()) / program)]
    variables = {"CHANGE_IT_JUDGES": str(tiny_run / "judges")}
    variables["CHANGE_IT_GENERATORS"] = f"mine={tiny_run / 'generators'}"
    page, code, printed = served(arguments, variables, tiny_run)
    assert "Headlines that change their style" in page
    assert "rep2gio" in page
    assert ('"mine"' in page) == (program == "app.py")
    assert code in (0, 130) or program != "demo"
    assert "Traceback" not in printed or program != "demo"


def test_judges_of_any_name_are_found_or_given(tmp_path, monkeypatch, capsys):
    opened = []
    monkeypatch.setattr("change_it.space.models.Models.from_run", lambda _, judges: opened.append(judges))
    monkeypatch.setattr("change_it.space.app.build", lambda models: models)
    monkeypatch.setattr(
        "change_it.space.app.launch", lambda *_, **__: (_ for _ in ()).throw(OSError("taken"))
    )
    (tmp_path / "judges-1").mkdir()
    for given in ([], ["--judges", "owner/judges"]):
        assert main(["demo", "--run", str(tmp_path), *given]) == 2
        assert "--port 7860 cannot be used: --port 0 takes a free one" in capsys.readouterr().err
    assert opened == [str(tmp_path / "judges-1"), "owner/judges"]
