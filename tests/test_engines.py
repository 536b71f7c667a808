import filecmp
import os
import subprocess
import sys
import threading

import pytest
from corpus_fakes import articles, options, write_articles

from change_it import engines
from change_it.cli import main
from change_it.commands import corpus as corpus_commands
from change_it.corpus import alignment
from change_it.engines import EngineOptions, map_ordered, use_engine
from change_it.errors import InputError
from change_it.judges import judge

MACHINE = {"num_cpus": 2, "object_store_memory": 80 << 20}


@pytest.fixture(scope="module")
def cluster():
    """A cluster of one machine with two cores."""
    ray_cluster = pytest.importorskip("ray.cluster_utils")
    machine = {**MACHINE, "include_dashboard": False}
    cluster = ray_cluster.Cluster(head_node_args=machine, initialize_head=True)
    yield cluster
    cluster.shutdown()


def same_files(one, other):
    """Whether two folders hold the same files, byte for byte."""
    files = {path.relative_to(one) for path in one.rglob("*") if path.is_file()}
    assert files == {path.relative_to(other) for path in other.rglob("*") if path.is_file()}
    assert files
    return all(filecmp.cmp(one / file, other / file, shallow=False) for file in files)


def test_results_come_in_the_order_of_the_items(monkeypatch):
    monkeypatch.setattr(engines, "THREADS", 2)
    later = threading.Event()

    def work(number):
        assert number or later.wait(30)
        later.set()
        return number * 10

    found = map_ordered(work, ((number,) for number in range(50)))
    assert list(found) == [10 * number for number in range(50)]


def test_options_that_cannot_be_followed_are_refused(monkeypatch):
    with pytest.raises(InputError, match="requires --engine ray"):
        EngineOptions(address="auto").check_engine()
    monkeypatch.setattr(engines, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="pip install ray"):
        EngineOptions(engine="ray").check_engine()


@pytest.mark.slow
def test_commands_write_the_same_bytes_on_a_cluster(
    cluster, tmp_path, corpus, saved_models, monkeypatch, capsys
):
    on_cluster = {"engine": "ray", "address": cluster.address}
    news = str(write_articles(tmp_path / "news.csv", articles(close=60, loose=40, alone=60)))
    corpus_commands.build(options(tmp_path / "local", files=(news,)))
    monkeypatch.setattr(alignment, "ROWS", 16)
    corpus_commands.build(options(tmp_path / "ray", files=(news,), **on_cluster))
    assert same_files(tmp_path / "local", tmp_path / "ray")

    def call(command, name, *more):
        given = [command, "--corpus", corpus, "--device", "cpu", *more]
        assert main([*given, "--out", str(tmp_path / "local" / name)]) == 0
        cluster_options = ["--engine", "ray", "--address", cluster.address]
        assert main([*given, *cluster_options, "--out", str(tmp_path / "ray" / name)]) == 0

    monkeypatch.setattr(judge, "LARGEST_BATCH", 16)
    capsys.readouterr()
    call("score", "report", "--judges", f"{saved_models}/judges", "--resamples", "50", "--json")
    assert "raylet" not in capsys.readouterr().out
    assert same_files(tmp_path / "local/report/items", tmp_path / "ray/report/items")


def test_a_cluster_that_does_not_answer_is_named():
    pytest.importorskip("ray")
    with (
        pytest.raises(
            InputError, match=r"no Ray cluster answers at 127\.0\.0\.1:1 with this RAY_AUTH_TOKEN: start one"
        ),
        use_engine(EngineOptions(engine="ray", address="127.0.0.1:1")),
    ):
        pass


#: Starts a cluster without an address, and lets another process, which has no RAY_ variable, join it by its address.
JOIN = """
import os, subprocess, sys
from change_it.engines import EngineOptions, map_ordered, use_engine, use_engine

with use_engine(EngineOptions(engine="ray", address=sys.argv[1] if sys.argv[1:] else None)):
    import ray

    print(*map_ordered(abs, [(-1,), (-2,)]), flush=True)
    if not sys.argv[1:]:
        address = ray.get_runtime_context().gcs_address
        others = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
        subprocess.run([sys.executable, __file__, address], env=others)
"""


@pytest.mark.slow(seconds=45)
def test_no_other_process_works_on_a_cluster_that_a_command_starts(tmp_path):
    pytest.importorskip("ray")
    script = tmp_path / "join.py"
    script.write_text(JOIN)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, script], env=env, capture_output=True, text=True, timeout=240)
    assert done.stdout == "1 2\n"
    assert "with this RAY_AUTH_TOKEN" in done.stderr
