import filecmp
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat

import pytest
import torch
from corpus_fakes import articles, options, write_articles
from space_runs import save_judge
from tiny_generators import save_generator

from change_it import engines
from change_it.cli import main
from change_it.commands import corpus_build
from change_it.corpus import alignment
from change_it.corpus.corpus_options import parse_sizes
from change_it.engines import EngineOptions, map_ordered, map_threads, use_engine, workers
from change_it.errors import InputError

#: A machine that is lost is noticed after a second and a half.
HEALTH = {
    "health_check_period_ms": 500,
    "health_check_failure_threshold": 3,
    "health_check_initial_delay_ms": 0,
}
MACHINE = {"num_cpus": 1, "object_store_memory": 80 << 20}


@pytest.fixture(scope="module")
def first_machine():
    """A cluster of one machine with one core."""
    ray_cluster = pytest.importorskip("ray.cluster_utils")
    cluster = ray_cluster.Cluster(
        head_node_args={**MACHINE, "include_dashboard": False, "_system_config": HEALTH},
        initialize_head=True,
    )
    yield cluster
    cluster.shutdown()


@pytest.fixture
def cluster(first_machine, monkeypatch):
    """The cluster with a second machine, which is killed when `losing` results have come."""
    second = first_machine.add_node(**MACHINE)
    results = []
    first_machine.losing = 1
    result = engines.Ray.result

    def counted(self, call):
        results.append(result(self, call))
        if len(results) == first_machine.losing:
            assert self.width == 2
            first_machine.remove_node(second, allow_graceful=False)
        return results[-1]

    monkeypatch.setattr(engines.Ray, "result", counted)
    first_machine.results = results
    return first_machine


def same_files(one, other):
    """Whether two folders hold the same files, byte for byte."""
    files = {path.relative_to(one) for path in one.rglob("*") if path.is_file()}
    assert files == {path.relative_to(other) for path in other.rglob("*") if path.is_file()}
    assert files
    return all(filecmp.cmp(one / file, other / file, shallow=False) for file in files)


class TestLocal:
    def test_results_come_in_the_order_of_the_items(self, monkeypatch):
        later = threading.Event()

        def work(number):
            if number == 0:
                assert later.wait(30)
            later.set()
            return number * 10

        monkeypatch.setattr(engines, "THREADS", 2)
        found = map_ordered(work, ((number,) for number in range(50)))
        assert list(found) == [10 * number for number in range(50)]

    def test_items_are_taken_as_they_are_needed(self):
        taken = []

        def items():
            for number in range(1000):
                taken.append(number)
                yield (number,)

        found = map_ordered(abs, items())
        assert next(found) == 0
        assert len(taken) <= engines.AHEAD * engines.THREADS + 1
        found.close()

    def test_torch_has_one_thread_in_each_and_its_own_number_outside(self):
        def threads():
            torch.ones(1 << 16).sum()
            return torch.get_num_threads()

        def elsewhere():
            with ThreadPoolExecutor(1) as pool:
                return pool.submit(threads).result()

        before = torch.get_num_threads(), elsewhere()
        found = map_threads(threads, repeat((), 4), 2)
        assert next(found) == 1
        assert (torch.get_num_threads(), elsewhere()) == before
        assert list(found) == [1, 1, 1]

    def test_what_a_piece_raises_is_raised(self):
        with pytest.raises(ZeroDivisionError):
            list(map_ordered(lambda number: 1 // number, [(1,), (0,)]))


class TestOptions:
    def test_ray_that_is_not_installed_is_named(self, monkeypatch):
        monkeypatch.setattr(engines, "find_spec", lambda name: None)
        with pytest.raises(InputError, match="pip install ray"):
            EngineOptions(engine="ray").check_engine()

    def test_an_address_is_refused_without_ray(self):
        with pytest.raises(InputError, match="add --engine ray"):
            EngineOptions(address="auto").check_engine()


@pytest.fixture(scope="module")
def models(tmp_path_factory, corpus):
    """Untrained judges and a generator for the corpus."""
    folder = tmp_path_factory.mktemp("models")
    for task in ("main", "hh", "ah"):
        save_judge(folder / "judges" / task, task, outlets=("colle", "faro"))
    save_generator(folder / "generator", outlets=("colle", "faro"), to="faro")
    return folder


@pytest.mark.slow
class TestRay:
    def test_a_corpus_is_the_same_bytes_when_a_machine_is_lost(self, cluster, tmp_path, monkeypatch):
        file = str(write_articles(tmp_path / "news.csv", articles(close=60, loose=40, alone=60)))
        corpus_build.run(options(tmp_path / "local", files=(file,)))
        for module, name, size in (
            (alignment, "WIDTH", 16),
            (alignment, "BLOCKS", 2),
        ):
            monkeypatch.setattr(module, name, size)
        cluster.losing = 20
        corpus_build.run(options(tmp_path / "ray", files=(file,), engine="ray", address=cluster.address))
        assert len(cluster.results) > 2 * cluster.losing
        assert same_files(tmp_path / "local", tmp_path / "ray")

    def test_transfer_writes_the_same_bytes_when_a_machine_is_lost(self, cluster, tmp_path, models, corpus):
        def transfer(name, *more):
            made = ["--generator", f"{models}/generator", "--corpus", corpus, "--rerank", f"{models}/judges"]
            several = ["--candidates", "2", "--beams", "2", "--batch-size", "8", "--device", "cpu"]
            assert main(["transfer", *made, *several, "--out", str(tmp_path / name), *more]) == 0
            return (tmp_path / name).read_bytes()

        cluster.losing = 2
        assert transfer("ray.csv", "--engine", "ray", "--address", cluster.address) == transfer("local.csv")
        assert len(cluster.results) > 2 * cluster.losing

    def test_score_writes_the_same_numbers_when_a_machine_is_lost(self, cluster, tmp_path, models, corpus):
        def score(name, *more):
            several = [
                "--batch-size",
                "16",
                "--resamples",
                "50",
                "--device",
                "cpu",
                "--out",
                str(tmp_path / name),
            ]
            assert main(["score", "--corpus", corpus, "--judges", f"{models}/judges", *several, *more]) == 0
            return {
                file.name: file.read_bytes()
                for file in [*(tmp_path / name).glob("*.csv"), *(tmp_path / name).glob("items/*.csv")]
            }

        cluster.losing = 4
        found = score("ray", "--engine", "ray", "--address", cluster.address)
        assert len(cluster.results) > 2 * cluster.losing
        assert found == score("local")
        assert {"systems.csv", "gold.csv"} <= found.keys()

    def test_what_is_raised_elsewhere_is_raised_as_it_is(self, cluster):
        with use_engine(EngineOptions(engine="ray", address=cluster.address)):
            with pytest.raises(InputError, match="is not understood"):
                list(map_ordered(parse_sizes, [("many",)]))
            team = workers(str)
            assert list(team.map_ordered(str.__add__, [(end,) for end in "abc"])) == ["a", "b", "c"]
            assert list(map_ordered(abs, [(-1,), (-2,)])) == [1, 2]  # beside workers, who hold no core


@pytest.mark.parametrize("address", ["127.0.0.1:1", "nowhere", "127.0.0.1:99999"])
def test_a_cluster_that_does_not_answer_is_named(address):
    pytest.importorskip("ray")
    with (
        pytest.raises(InputError, match=f"no Ray cluster answers at {address}: start one"),
        use_engine(EngineOptions(engine="ray", address=address)),
    ):
        pass
