"""How processes wait and keep memory: set for programs, never for those who import the package, never over the user."""

import os
import platform
import sys

import pytest
from processes import run_python

from change_it import process
from change_it.cli import main


@pytest.fixture(autouse=True)
def unset(monkeypatch):
    monkeypatch.setattr(
        os, "environ", {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    )


def test_the_command_line_waits_passively(capsys):
    assert main(["--version"]) == 0
    assert os.environ["OMP_WAIT_POLICY"] == "PASSIVE"


@pytest.mark.parametrize("name", process.WAITING)
def test_what_the_user_set_stays(name):
    os.environ[name] = "1"
    process.wait_passively()
    assert [os.environ.get(other) for other in process.WAITING] == [
        "1" if other == name else None for other in process.WAITING
    ]


@pytest.mark.parametrize(("program", "expected"), [("-m", "PASSIVE"), ("theirs.py", "None")])
def test_a_module_that_is_run_waits_passively_and_an_import_does_not(program, expected):
    script = f"import os, sys; sys.argv = [{program!r}]; import change_it; print(os.environ.get('OMP_WAIT_POLICY'))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = run_python("-c", script, env=environment, check=True)
    assert done.stdout.strip() == expected


def test_memory_is_left_alone_where_the_user_set_it(monkeypatch):
    called = []

    class Library:
        mallopt = staticmethod(lambda *arguments: called.append(arguments))

    monkeypatch.setattr(process.ctypes, "CDLL", lambda _name: Library)
    os.environ["MALLOC_TRIM_THRESHOLD_"] = "1"
    process.keep_memory()
    assert called == []
    del os.environ["MALLOC_TRIM_THRESHOLD_"]
    process.keep_memory()
    assert [parameter for parameter, _ in called] == [process.TRIM_THRESHOLD, process.MMAP_THRESHOLD]


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="others keep what they like")
def test_what_was_trained_leaves_no_memory():
    script = """
from change_it.process import keep_memory, release_memory

def pages():
    return int(open("/proc/self/statm").read().split()[1])

keep_memory()
before = pages()
blocks = [b"x" * (1 << 20) for _ in range(200)]
kept = [b"x" * 100 for _ in range(10)]  # behind them
del blocks
held = pages() - before
release_memory()
print(held, pages() - before)
"""
    done = run_python("-c", script, check=True)
    held, left = map(int, done.stdout.split())
    assert left < held / 10
