"""`change-it demo`: that it serves."""

import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from unittest.mock import Mock

import pytest

from change_it.cli import main
from change_it.files.shipped import space_path


@pytest.mark.slow
@pytest.mark.parametrize("name", ["demo", "app.py"])
def test_the_page_is_served_until_it_is_interrupted(tiny_run, name):
    demo = ["-m", "change_it.cli", "demo", "--run", str(tiny_run), "--port", "0"]
    command = [sys.executable, *(demo if name == "demo" else [str(Path(space_path()) / name)])]
    variables = {"PYTHONUNBUFFERED": "1", "GRADIO_ANALYTICS_ENABLED": "False"}
    variables["CHANGE_IT_JUDGES"] = str(tiny_run / "judges")
    variables["CHANGE_IT_GENERATORS"] = f"mine={tiny_run / 'generators'}"
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command, env=os.environ | variables, cwd=tiny_run, **output) as program:
        try:
            found = (re.search(r"http://127\.0\.0\.1:\d+", line) for line in program.stdout)
            with urllib.request.urlopen(f"{next(filter(None, found))[0]}/config", timeout=60) as reply:
                page = reply.read().decode()
            program.send_signal(signal.SIGINT)
            rest, _ = program.communicate(timeout=60)
        finally:
            program.kill()
    assert "Headlines that change their style" in page
    assert "rep2gio" in page
    assert ('"mine"' in page) == (name == "app.py")
    assert name == "app.py" or (program.returncode in (0, 130) and "Traceback" not in rest)


def test_judges_of_any_name_are_found_or_given(tmp_path, monkeypatch, capsys):
    from_run = Mock()
    monkeypatch.setattr("change_it.space.models.Models.from_run", from_run)
    monkeypatch.setattr("change_it.space.app.build", Mock())
    monkeypatch.setattr("change_it.space.app.launch", Mock(side_effect=OSError("taken")))
    (tmp_path / "judges-1").mkdir()
    for options in ([], ["--judges", "owner/judges"]):
        assert main(["demo", "--run", str(tmp_path), *options]) == 2
        assert "--port 7860 cannot be used: --port 0 takes a free one" in capsys.readouterr().err
    assert [call.args[1] for call in from_run.mock_calls] == [str(tmp_path / "judges-1"), "owner/judges"]
