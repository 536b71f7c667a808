"""What an unfinished run left is checked before another one goes on with it."""

import pytest

from change_it.errors import InputError
from change_it.files.atomic import write_json
from change_it.training.record import BEGUN, BegunRun
from change_it.training.run_folder import _open
from change_it.training.trainer import read_checkpoint

RUN = BegunRun(options={"seed": 1}, processes=1, files={"corpus.json": {"digest": "a"}})


def test_a_run_of_another_version_is_not_gone_on_with(tmp_path):
    write_json(tmp_path / "checkpoints" / BEGUN, {"options": {"seed": 1}, "files": {}})
    with pytest.raises(
        InputError, match=r"options\.json is not as .* \(it lacks processes\): choose another"
    ):
        _open(tmp_path / "checkpoints", "judge", RUN, resume=True)


def test_a_checkpoint_of_another_version_is_named_with_what_to_do(tmp_path):
    write_json(tmp_path / "complete", {"files": {}})
    with pytest.raises(
        InputError, match=r"complete is not as .* \(it lacks seconds\): remove that checkpoint"
    ):
        read_checkpoint(tmp_path)
    with pytest.raises(InputError, match="no whole checkpoint"):
        read_checkpoint(tmp_path / "none")
