"""A tiny run on disk, models of it, and a client of their page."""

import shutil

import pytest
from saved_judges import save_judge
from space_runs import models_of, served, write_run
from tiny_generators import WORDS, save_generator


@pytest.fixture(scope="session")
def tiny_run(tmp_path_factory):
    return write_run(tmp_path_factory.mktemp("space") / "run")


@pytest.fixture(scope="session")
def models(tiny_run):
    return models_of(tiny_run)


@pytest.fixture
def corpus_run(corpus, tmp_path):
    """A run with judges, a corpus and a generator of one direction."""
    run = tmp_path / "run"
    shutil.copytree(corpus, run / "corpus")
    for task in ("main", "hh", "ah"):
        save_judge(run / "judges" / task, task, [WORDS], ("colle", "faro"), transformer=True)
    save_generator(run / "generators" / "sum-faro", to="faro", outlets=("colle", "faro"))
    return run


@pytest.fixture(scope="module")
def client(models):
    """A client of a served page."""
    from gradio_client import Client

    with served(models) as url:
        yield Client(url, verbose=False)
