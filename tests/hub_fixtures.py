"""What the tests of the Hub share: the loopback server, processes of clients, a run to push, `change-it push`."""

import json

import pytest
from hub_client import ARTICLES, HEADLINES, OUTLETS, Client, ClientError
from hub_server import TOKEN, Hub

import change_it


@pytest.fixture(scope="session")
def _hub():
    with Hub() as hub:
        yield hub


@pytest.fixture
def hub(_hub):
    """The server; a request to a route that it does not know fails the test."""
    _hub.forget()
    yield _hub
    assert not _hub.unknown


@pytest.fixture(scope="session")
def client(_hub, tmp_path_factory):
    folder = tmp_path_factory.mktemp("client")
    with Client(_hub.environment(folder / "home"), folder) as client:
        yield client


@pytest.fixture(scope="session")
def stranger(_hub, tmp_path_factory):
    """Somebody without this package."""
    folder = tmp_path_factory.mktemp("stranger")
    with Client(_hub.environment(folder / "home", token=None), folder, without_change_it=True) as client:
        with pytest.raises(ClientError, match="No module named 'change_it'"):
            client.run("import change_it")
        yield client


def save_judge(folder, task, corpus):
    """An untrained judge, saved as `change-it train judge` saves one."""
    import numpy as np
    import torch

    from change_it.judges.building import build
    from change_it.judges.train import scores
    from change_it.training.models import hash_of_weights

    torch.manual_seed(sum(map(ord, task)))
    model, tokenizer = build(
        task, "scratch", [*HEADLINES, *ARTICLES] * 9, outlets=OUTLETS, vocabulary_size=200
    )
    about = {"task": task, "fold": "all", "seed": 1, "max_tokens": 48, "outlets": list(OUTLETS)}
    model.config.change_it = about | {"corpus": "corpus", "encoder": "scratch"}
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    classes = tuple(model.config.id2label.values())
    result = {"random": scores(np.array([0, 1, 1]), np.array([0, 1, 0]), classes)}
    metrics = {
        "task": task,
        "classes": classes,
        "fold": "all",
        "weights_hash": hash_of_weights(folder, command="none"),
        "results": result,
        "baselines": {"tf-idf cosine": result},
        "sizes": {"train": 20, "validation": 2, "random": 3, "parameters": model.num_parameters()},
        "seconds": {"training": 1.0, "all": 2.0},
        "training": {"updates": 1, "epochs": 0.1, "seconds": 1.0, "stopped": "time", "history": []},
        "options": {"task": task, "corpus": str(corpus), "out": str(folder), "epochs": 0.1, "seed": 1},
        "versions": {"change-it": change_it.__version__, "torch": torch.__version__},
    }
    (folder / "metrics.json").write_text(json.dumps(metrics, indent=2), encoding="utf-8")


@pytest.fixture(scope="session")
def generators(tmp_path_factory):
    """`sum-colle` and `sum-faro`, which have not learnt anything, in a run's folder."""
    from tiny_generators import save_generator

    folder = tmp_path_factory.mktemp("run") / "generators"
    for to in OUTLETS:
        save_generator(folder / f"sum-{to}", to=to, outlets=OUTLETS)
    return folder


@pytest.fixture(scope="session")
def run(generators):
    """What a user has after a run: a corpus and judges beside the generators."""
    from change_it.corpus import builder, sample
    from change_it.corpus.options import BuildOptions, SampleOptions

    folder = generators.parent
    sample.run(SampleOptions(out=folder / "sample.csv", articles=300))
    builder.run(BuildOptions(files=(str(folder / "sample.csv"),), out=folder / "corpus"))
    for task in ("main", "hh", "ah"):
        save_judge(folder / "judges" / task, task, folder / "corpus")
    return folder


PUSH = """
import os, time
if not hasattr(time, "pauses"):
    time.pauses, time.sleep = [], lambda seconds: time.pauses.append(seconds)
time.pauses.clear()
os.environ["HF_TOKEN"] = given["token"]
from change_it.cli import main
try:
    code = main(["push", *map(str, given["arguments"])])
except SystemExit as error:
    code = error.code
result = code, sum(time.pauses)
"""


@pytest.fixture
def push(client):
    """`change-it push` in the client's process: exit code, what it printed, what it wrote to stderr, seconds it would have slept."""

    def push(*arguments, token=TOKEN):
        code, pauses = client.run(PUSH, arguments=arguments, token=token)
        assert TOKEN not in client.out + client.err
        assert "Traceback" not in client.err
        return code, client.out, client.err, pauses

    return push
