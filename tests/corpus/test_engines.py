import filecmp
import os
import subprocess
import sys
import threading
from importlib.util import find_spec

import pytest
from corpus_fakes import articles, options, write_articles

from change_it.cli import corpus as corpus_commands
from change_it.corpus.pairing import engines, matching
from change_it.corpus.pairing.engines import map_ordered, use_engine
from change_it.errors import InputError


def test_results_come_in_the_order_of_the_items(monkeypatch):
    monkeypatch.setattr(engines, "THREADS", 2)
    later = threading.Event()

    def work(number):
        assert number or later.wait(30)
        later.set()
        return number * 10

    assert map_ordered(work, range(50)) == [10 * number for number in range(50)]


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_few_items_from_an_iterator_have_a_result_each(count):
    assert map_ordered(str, iter(range(count))) == ["0", "1", "2"][:count]


@pytest.mark.parametrize(
    ("choices", "is_installed", "says"),
    [
        (("local", "auto"), True, "requires --engine ray"),
        (("ray",), False, r"pip install '\.\[ray\]'"),
        (("ray", "127.0.0.1:1"), True, r"no Ray cluster answers at 127\.0\.0\.1:1"),
    ],
)
def test_engines_that_are_not_there_are_refused(choices, is_installed, says, monkeypatch):
    if is_installed and "ray" in choices:
        pytest.importorskip("ray")
    if not is_installed:
        monkeypatch.setattr(engines, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=says), use_engine(*choices):
        pass


@pytest.mark.slow
def test_a_cluster_writes_the_same_corpus_byte_for_byte(tmp_path, monkeypatch):
    clusters = pytest.importorskip("ray.cluster_utils")
    machine = {"num_cpus": 2, "object_store_memory": 80 << 20, "include_dashboard": False}
    cluster = clusters.Cluster(head_node_args=machine, initialize_head=True)
    news = str(write_articles(tmp_path / "news.csv", articles(close=60, loose=40, alone=60)))
    corpus_commands.build(options(tmp_path / "local", files=(news,)))
    monkeypatch.setattr(matching, "ROWS_A_BLOCK", 16)
    try:
        corpus_commands.build(options(tmp_path / "ray", files=(news,), engine="ray", address=cluster.address))
    finally:
        cluster.shutdown()
    files = [
        {path.relative_to(out) for path in out.rglob("*") if path.is_file()}
        for out in (tmp_path / "local", tmp_path / "ray")
    ]
    assert files[0] == files[1] > set()
    assert filecmp.cmpfiles(tmp_path / "local", tmp_path / "ray", files[0], shallow=False)[1:] == ([], [])


#: Starts a cluster without an address, and lets another process, which has no RAY_ variable, join it by its
#: address.
JOIN = """
import os, subprocess, sys
from change_it.corpus.pairing.engines import map_ordered, use_engine

with use_engine("ray", *sys.argv[1:]):
    import ray

    print(*map_ordered(abs, [-1, -2]), flush=True)
    if not sys.argv[1:]:
        address = ray.get_runtime_context().gcs_address
        others = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
        subprocess.run([sys.executable, __file__, address], env=others)
"""


@pytest.mark.slow(seconds=45)
def test_no_other_process_works_on_a_cluster_that_a_command_starts(tmp_path):
    if find_spec("ray") is None:  # imported here, it would take no token in the tests behind
        pytest.skip("Ray is not installed")
    script = tmp_path / "join.py"
    script.write_text(JOIN)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, script], env=env, capture_output=True, text=True, timeout=240)
    assert done.stdout == "1 2\n"
    assert "with this RAY_AUTH_TOKEN" in done.stderr
