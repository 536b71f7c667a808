"""A Hub id that cannot be had is one sentence, offline or where no Hub answers."""

import os

import pytest
from processes import run_python

pytestmark = pytest.mark.slow(seconds=10)

CODE = """
from change_it import HeadlineTransfer, InputError, Judges
from change_it.corpus.folder import read_outlets
from change_it.files.rows import read_tables

for load, name in (
    (HeadlineTransfer.from_pretrained, "nobody/sum"),
    (Judges.from_pretrained, "nobody/judges"),
    (read_outlets, "nobody/headlines"),
    (lambda name: read_tables([name]), "hf://datasets/nobody/headlines"),
):
    try:
        load(name)
    except InputError as error:
        print(str(error).startswith(f"{name} is no folder here, and the Hub cannot be reached"), error)
"""


@pytest.mark.parametrize("variables", [{"HF_HUB_OFFLINE": "1"}, {"HF_ENDPOINT": "http://127.0.0.1:9"}])
def test_a_machine_that_is_offline_says_so(tmp_path, variables):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    environment |= {"HF_HOME": str(tmp_path / "home"), "HF_HUB_DISABLE_XET": "1"} | variables
    done = run_python("-c", CODE, env=environment, cwd=tmp_path, check=True)
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["True"] * 4, done.stdout
