"""The builder of `datasets` gives, row for row, what `change-it corpus build` writes."""

from pathlib import Path

import datasets
import pytest
from corpus_fakes import articles, options, write_articles

import change_it
from change_it import ChangeItSplits
from change_it.cli import corpus as corpus_commands
from change_it.corpus.folder import CONFIGS

CHOICES = {"seed": 7, "loose": 0.2, "language": "it", "test_articles": 2}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A CSV, and the corpus folder that the command makes of it."""
    where = tmp_path_factory.mktemp("script")
    files = str(write_articles(where / "news.csv", articles()))
    corpus_commands.build(options(where / "corpus", files=(files,), **CHOICES))
    return files, str(where / "corpus")


def same_rows(made, read):
    assert made.keys() == read.keys()
    for side in made:
        assert made[side].features == read[side].features
        assert list(made[side]) == list(read[side])


def test_direct_use_gives_the_rows_of_the_command(built, tmp_path):
    files, folder = built
    for config in ("articles", "test_articles", "hh"):
        options = {"data_files": files, "cache_dir": str(tmp_path / "made"), **CHOICES}
        direct = ChangeItSplits(config_name=config, **options)
        direct.download_and_prepare()
        place = Path(direct.cache_dir).relative_to(tmp_path / "made").parts[::2]
        assert place == ("change_it_splits", change_it.version.__version__)
        same_rows(
            direct.as_dataset(), datasets.load_dataset(folder, config, cache_dir=str(tmp_path / "read"))
        )
    with pytest.raises(ValueError, match="data_files"):
        ChangeItSplits(config_name="pairs").download_and_prepare()
    with pytest.raises(ValueError, match="'many'"):
        ChangeItSplits(config_name="pairs", many=True)


@pytest.mark.skipif(
    datasets.__version__ >= "4", reason="datasets 4 runs no script; `make test-lowest` has 3.6"
)
def test_datasets_3_runs_the_script(built, tmp_path):
    files, folder = built
    script = str(Path(change_it.files.shipped.dataset_script_path()) / "change_it_splits.py")
    options = {"data_files": files, "trust_remote_code": True, **CHOICES}
    for config in CONFIGS:
        made = datasets.load_dataset(script, config, cache_dir=str(tmp_path / "made"), **options)
        same_rows(made, datasets.load_dataset(folder, config, cache_dir=str(tmp_path / "read")))
    streamed = datasets.load_dataset(script, "hh", streaming=True, **options)
    assert next(iter(streamed["test"]))["label"] in (0, 1)
