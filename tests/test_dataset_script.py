"""The builder of `datasets` gives, row for row, what `change-it corpus build` writes: under this `datasets` and under 3.6."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from corpus_fakes import articles, options, write_articles
from datasets import load_dataset
from processes import run_program

import change_it
from change_it import ChangeItSplits
from change_it.commands import corpus as corpus_commands
from change_it.corpus.folder import CONFIGS

CHECKOUT = Path(__file__).parent.parent
SCRIPT = Path(change_it.dataset_script_path()) / "change_it_splits.py"
CHOICES = {"seed": 7, "loose": 0.2, "language": "it"}

#: What `change_it.corpus` needs, and no more.
NEEDS = ["polars", "scipy", "scikit-learn", "python-dateutil", "rich", "jinja2", "tyro"]

PROBE = """
import json, sys
import datasets
script, files, folder, choices, configs = json.loads(sys.argv[1])
assert datasets.__version__ == "3.6.0", datasets.__version__
for config in configs:
    made = datasets.load_dataset(script, config, data_files=files, trust_remote_code=True, **choices)
    read = datasets.load_dataset(folder, config)
    assert made.keys() == read.keys(), config
    for side in made:
        assert made[side].features == read[side].features, config
        assert list(made[side]) == list(read[side]), config
    streamed = datasets.load_dataset(folder, config, split="test", streaming=True)
    assert list(streamed) == list(read["test"]), config
made = datasets.load_dataset(script, "hh", data_files=files, trust_remote_code=True, streaming=True, **choices)
assert next(iter(made["test"]))["label"] in (0, 1)
assert not {"torch", "transformers"} & set(sys.modules)
print("same rows")
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A CSV, and the corpus folder that the command makes of it."""
    where = tmp_path_factory.mktemp("script")
    files = str(write_articles(where / "news.csv", articles()))
    corpus_commands.build(options(where / "corpus", files=(files,), **CHOICES))
    return files, str(where / "corpus")


def test_direct_use_gives_the_rows_of_the_command(built, tmp_path):
    files, folder = built
    for config in ("articles", "pairs", "hh"):  # all of them under datasets 3.6, below
        given = {"data_files": files, "cache_dir": str(tmp_path / "made"), **CHOICES}
        direct = ChangeItSplits(config_name=config, **given)
        direct.download_and_prepare()
        place = Path(direct.cache_dir).relative_to(tmp_path / "made").parts[::2]
        assert place == ("change_it_splits", change_it.__version__)
        made = direct.as_dataset()
        read = load_dataset(folder, config, cache_dir=str(tmp_path / "read"))
        assert made.keys() == read.keys()
        for side in made:
            assert made[side].features == read[side].features
            assert list(made[side]) == list(read[side])


def test_it_has_every_option_of_the_command():
    known = ChangeItSplits(config_name="pairs", other_outlets=True, window_days="none")
    with pytest.raises(ValueError, match="data_files"):
        known.download_and_prepare()
    with pytest.raises(ValueError, match="'many'"):
        ChangeItSplits(config_name="pairs", many=True)


@pytest.mark.slow(seconds=40)
def test_datasets_3_runs_the_script_as_it_is_and_loads_the_folder(built, tmp_path):
    files, folder = built
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--no-compile", "datasets==3.6.0", *NEEDS], check=True)
    ours = ("HF_", "PYTHON", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    environment |= {"PYTHONPATH": str(CHECKOUT), "HF_HOME": str(tmp_path / "home"), "HF_HUB_OFFLINE": "1"}
    given = json.dumps([str(SCRIPT), files, folder, CHOICES, list(CONFIGS)])
    result = run_program([python, "-c", PROBE, given], env=environment, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-1] == "same rows"
