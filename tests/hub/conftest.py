"""The loopback server, processes of clients, a run to push, and `change-it push`."""

import json
import os

import pytest
from hub_client import ARTICLES, HEADLINES, Client, ClientError
from hub_server import TOKEN, Hub

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
OUTLETS = ("rep", "gio")


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    """A run: corpus, judges, a generator for each outlet; its report knows a generator as sum."""
    from corpus_fakes import articles, write_articles
    from saved_judges import save_untrained
    from tiny_generators import save_generator

    from change_it.commands import corpus_build
    from change_it.corpus.corpus_options import BuildOptions
    from change_it.corpus.folder import MODEL_CORPUS, describe_corpus
    from change_it.io import write_json

    folder = tmp_path_factory.mktemp("runs") / "mine"
    folder.mkdir()
    made = articles()
    write_articles(folder / "articles.csv", [*made, made[0]])  # one of them twice
    corpus_build.run(BuildOptions(files=(str(folder / "articles.csv"),), out=folder / "corpus"))
    for task in ("main", "hh", "ah"):
        save_untrained(folder / "judges" / task, task, [*HEADLINES, *ARTICLES], OUTLETS)
    for to in OUTLETS:
        save_generator(folder / "generators" / f"sum-{to}", to=to)
    for model in folder.glob("*/*/config.json"):
        write_json(model.with_name(MODEL_CORPUS), describe_corpus(str(folder / "corpus")))
    write_report(folder, {"gold": 0.75, "copy": 0.0, "sum": 0.43, "other": 0.9})
    return folder


def write_report(run, systems):
    """`scores.json` of a report; every system complies in the share given."""
    numbers = {
        name: {
            direction: {
                **dict.fromkeys(("hh", "ah", "main", "bleu", "rougeL"), 0.5),
                "compliancy": share,
                "intervals": {"compliancy": [share - 0.1, share + 0.1]},
                "signature": f"compliancy|judges:abc|{direction}",
            }
            for direction in ("rep2gio", "gio2rep", "average")
        }
        for name, share in systems.items()
    }
    (run / "report").mkdir()
    record = {"outlets": list(OUTLETS), "systems": numbers}
    (run / "report" / "scores.json").write_text(json.dumps(record), encoding="utf-8")


@pytest.fixture
def options():
    """`PushOptions` from a kind and a folder."""
    from change_it.hub.push_options import PushOptions

    def make(kind, folder, repo_id="me/thing", **more):
        return PushOptions(kind=kind, folder=str(folder), repo_id=repo_id, **more)

    return make


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
def client(_hub, bare_forks, tmp_path_factory):
    folder = tmp_path_factory.mktemp("client")
    with Client(bare_forks, _hub.environment(folder / "home"), folder) as client:
        yield client


#: Whether code is trusted is not asked on a terminal, which would be waited for.
NOBODY_ANSWERS = """
from transformers import dynamic_module_utils
dynamic_module_utils.TIME_OUT_REMOTE_CODE = 0
"""


@pytest.fixture(scope="session")
def stranger(_hub, bare_forks, tmp_path_factory):
    """Somebody without this package."""
    folder = tmp_path_factory.mktemp("stranger")
    environment = _hub.environment(folder / "home", token=None)
    with Client(bare_forks, environment, folder, without_change_it=True) as client:
        with pytest.raises(ClientError, match="No module named 'change_it'"):
            client.run("import change_it")
        client.run(NOBODY_ANSWERS)
        yield client


@pytest.fixture
def alone(_hub, stranger):
    """Somebody without this package, who asks the Hub for nothing."""
    _hub.forget()
    yield stranger
    assert not _hub.seen


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
