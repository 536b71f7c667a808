"""The wheel that pushed metrics carry: whole, the same again from installed files, and enough for an empty environment."""

import csv
import io
import os
import subprocess
import sys
import venv
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import PathDistribution
from pathlib import Path
from threading import Thread
from zipfile import ZipFile

import pytest

from change_it.errors import InputError
from change_it.hub.wheel import build, repack, wheel

CHECKOUT = Path(__file__).parents[2]
PROBE = "import change_it, pathlib; print(change_it.__version__, pathlib.Path(change_it.metric_path('compliancy')).is_dir())"


@pytest.fixture(scope="module")
def built():
    return build(CHECKOUT)


def install(content, folder):
    """What an installer leaves of a wheel."""
    with ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)
    (about,) = folder.glob("*.dist-info")
    (about / "INSTALLER").write_text("somebody")
    (folder / "change_it/__pycache__").mkdir()
    (folder / "change_it/__pycache__/cli.pyc").write_bytes(b"compiled")
    with (about / "RECORD").open("a", encoding="utf-8") as record:
        record.write(f"{about.name}/INSTALLER,,\nchange_it/__pycache__/cli.pyc,,\n../../bin/change-it,,\n")
    return PathDistribution(about)


def test_a_checkout_builds_its_wheel(built):
    name, content = built
    assert wheel() == built  # the tests run from a checkout, and a wheel is the same each time
    assert name.startswith("change_it-")
    assert name.endswith("-py3-none-any.whl")
    names = ZipFile(io.BytesIO(content)).namelist()
    assert {"change_it/cli.py", "change_it/hub/templates/judge.md.jinja"} < set(names)
    assert "change_it/_shipped/metrics/hevas/hevas.py" in names


def test_installed_files_make_the_same_wheel_again(built, tmp_path):
    name, content = repack(install(built[1], tmp_path))
    assert name == built[0]
    original, again = (ZipFile(io.BytesIO(wheel)) for wheel in (built[1], content))
    assert set(again.namelist()) == set(original.namelist())
    record = next(member for member in again.namelist() if member.endswith("/RECORD"))
    for member in set(again.namelist()) - {record}:
        assert again.read(member) == original.read(member)
    rows = [
        {tuple(row) for row in csv.reader(io.StringIO(wheel.read(record).decode()))}
        for wheel in (original, again)
    ]
    assert rows[0] == rows[1]


def test_no_list_of_files_no_wheel(built, tmp_path):
    installed = install(built[1], tmp_path)
    next(tmp_path.glob("*.dist-info/RECORD")).unlink()
    with pytest.raises(InputError, match="without a list of its files"):
        repack(installed)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.mark.slow
def test_a_metric_s_requirements_install_into_an_empty_environment(tmp_path):
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(tmp_path)))
    Thread(target=server.serve_forever, daemon=True).start()
    metric = tmp_path / "spaces/me/compliancy/resolve/main"  # where the Hub has the files of the Space
    metric.parent.mkdir(parents=True)
    environment = os.environ | {
        "HF_ENDPOINT": f"http://127.0.0.1:{server.server_port}",
        "NO_PROXY": "127.0.0.1",
    }
    push = ["push", "metric", "compliancy", "me/compliancy", "--dry-run", "--out", str(metric)]
    subprocess.run([sys.executable, "-m", "change_it.cli", *push], env=environment, check=True)
    venv.create(tmp_path / "empty", with_pip=False)
    python = tmp_path / "empty/bin/python"
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
    ]
    subprocess.run([*pip, "-r", str(metric / "requirements.txt")], env=environment, check=True)
    server.shutdown()
    probe = subprocess.run([python, "-c", PROBE], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert probe.stdout.split() == [metric.glob("*.whl").__next__().name.split("-")[1], "True"]
