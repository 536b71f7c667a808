import os

import pytest

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


@pytest.fixture(scope="session")
def mine(tmp_path_factory):
    """A run: corpus, judges, a generator for gio; its report knows the generator as sum."""
    from corpus_fakes import articles, write_csv
    from hub_runs import save_judge, write_report
    from tiny_generators import save_generator

    from change_it.corpus import builder
    from change_it.corpus.options import BuildOptions

    run = tmp_path_factory.mktemp("runs") / "mine"
    run.mkdir()
    made = articles()
    write_csv(run / "articles.csv", [*made, made[0]])  # one of them twice
    builder.run(BuildOptions(files=(str(run / "articles.csv"),), out=run / "corpus"))
    for task in ("main", "hh", "ah"):
        save_judge(run / "judges" / task, task)
    save_generator(run / "generators" / "sum-gio")
    write_report(run, {"gold": 0.75, "copy": 0.0, "sum": 0.43, "other": 0.9})
    return run


@pytest.fixture
def options():
    """`PushOptions` from a kind and a folder."""
    from change_it.hub.options import PushOptions

    def make(kind, folder, repo_id="me/thing", **more):
        return PushOptions(kind=kind, folder=str(folder), repo_id=repo_id, **more)

    return make
