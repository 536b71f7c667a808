"""A tiny run on disk, models of it, and a client of their page."""

import pytest
from space_runs import models_of, served, write_run


@pytest.fixture(scope="session")
def tiny_run(tmp_path_factory):
    return write_run(tmp_path_factory.mktemp("space") / "run")


@pytest.fixture(scope="session")
def models(tiny_run):
    return models_of(tiny_run)


@pytest.fixture(scope="module")
def client(models):
    """A client of a served page."""
    from gradio_client import Client

    with served(models) as url:
        yield Client(url, verbose=False)
