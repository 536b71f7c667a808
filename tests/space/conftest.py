"""A tiny run on disk, models of it, and a client of their page."""

import shutil

import pytest
from space_runs import models_of, served, write_run


@pytest.fixture(scope="session")
def tiny_run(tmp_path_factory):
    return write_run(tmp_path_factory.mktemp("space") / "run")


@pytest.fixture(scope="session")
def models(tiny_run):
    return models_of(tiny_run)


@pytest.fixture
def corpus_run(corpus, saved_models, tmp_path):
    """A run with judges, a corpus and a generator of one direction."""
    run = shutil.copytree(saved_models, tmp_path / "run")
    shutil.copytree(corpus, run / "corpus")
    (run / "generators").mkdir()
    (run / "generator").rename(run / "generators" / "sum-faro")
    return run


@pytest.fixture(scope="module")
def client(models):
    """A client of a served page."""
    from gradio_client import Client

    with served(models) as url:
        yield Client(url, verbose=False)
