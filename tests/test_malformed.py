"""Malformed files are read or refused, whatever they are: see `malformed.py`."""

import subprocess
import sys
from pathlib import Path

import malformed
import pytest


def test_a_hundred_malformed_files(tmp_path):
    assert malformed.check(tmp_path, 100, seed=1, large=0) == []


@pytest.mark.slow
def test_ten_thousand_malformed_files():
    done = subprocess.run(
        [sys.executable, str(Path(malformed.__file__))], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
