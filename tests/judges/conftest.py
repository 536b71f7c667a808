"""A small corpus, built once as a user would build it."""

import os

import pytest

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


@pytest.fixture(scope="session")
def corpus(tmp_path_factory):
    from change_it.corpus import sample
    from change_it.corpus.command import run_build
    from change_it.corpus.options import BuildOptions, SampleOptions

    folder = tmp_path_factory.mktemp("judges")
    sample.run(SampleOptions(out=folder / "sample.csv", articles=800))
    run_build(BuildOptions(files=(str(folder / "sample.csv"),), out=folder / "corpus"))
    return str(folder / "corpus")
