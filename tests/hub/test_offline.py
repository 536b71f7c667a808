"""A Hub id that cannot be had is one sentence, offline or where the Hub has nothing of that name."""

import os

import pytest
from processes import run_python

pytestmark = pytest.mark.slow(seconds=10)

CODE = """
import sys
from change_it import HeadlineTransfer, InputError, Judges
from change_it.corpus.folder import read_outlets
from change_it.io import read_tables

calls = {
    "nobody/sum": HeadlineTransfer.from_pretrained,
    "nobody/judges": Judges.from_pretrained,
    "nobody/headlines": read_outlets,
    "hf://datasets/nobody/headlines": lambda name: read_tables([name]),
}
for name, load in calls.items():
    try:
        load(name)
    except InputError as error:
        assert str(error).startswith(name), error
        print(str(error).removeprefix(name))
"""


@pytest.mark.parametrize("variables", [{"HF_HUB_OFFLINE": "1"}, {"HF_ENDPOINT": "http://127.0.0.1:9"}])
def test_a_machine_that_is_offline_says_so(tmp_path, variables):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    environment |= {"HF_HOME": str(tmp_path / "home"), "HF_HUB_DISABLE_XET": "1"} | variables
    done = run_python("-c", CODE, env=environment, cwd=tmp_path, check=True)
    for sentence in done.stdout.splitlines():
        assert "the Hub cannot be reached or has none that can be read" in sentence
