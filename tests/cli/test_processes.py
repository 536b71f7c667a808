"""Jobs in several processes: their order, errors, interruption, and the same results as in one."""

import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path

import pool_jobs
import pytest
from processes import run_python

from change_it import InputError
from change_it.cli import main, processes
from change_it.cli.jobs import Job, JobQueue, in_order
from change_it.cli.processes import run_jobs, usable_processes
from change_it.corpus.reading.reading import RefusedError

TESTS = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def _few_modules_preloaded(monkeypatch):
    monkeypatch.setattr(processes, "PRELOADED", pool_jobs.PRELOADED)


def a_pipe(folder):
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


def run(jobs, folder, at_once=2):
    return run_jobs(jobs, at_once, lambda name: folder / f"{name}.log")


def test_jobs_run_beside_each_other_after_those_that_they_need(tmp_path):
    pipe = a_pipe(tmp_path)  # each of two jobs waits for the other one
    jobs = [
        Job("corpus", ((pool_jobs.say, "built"),), loads_itself=True),
        Job("main", ((pool_jobs.wait_for_other, pipe), (pool_jobs.say, "done")), frozenset({"corpus"})),
        Job("hh", ((pool_jobs.meet_other, pipe),), frozenset({"corpus"})),
        Job("audit", ((pool_jobs.say, "of both"),), frozenset({"main", "hh"})),
    ]
    times = dict(run(jobs, tmp_path))
    assert next(iter(times)) == "corpus"
    assert [*times][-1] == "audit"
    assert (tmp_path / "main.log").read_text().splitlines() == ["waits", "done"]
    assert {times["main"].process, times["hh"].process} == {1, 2}
    assert times["audit"].start >= max(times["main"].end, times["hh"].end)


def test_the_job_with_most_seconds_to_the_end_is_taken_first():
    long = Job("long", (), seconds=5)
    short = Job("short", (), seconds=1)
    before_last = Job("before last", (), seconds=2)
    last = Job("last", (), frozenset({"before last"}), seconds=4)
    queue = JobQueue([short, long, before_last, last])
    assert [queue.take() for _ in range(4)] == [before_last, long, short, None]
    queue.note(before_last, None)
    assert queue.take() == last


def test_nothing_is_taken_that_comes_after_a_job_that_failed():
    first, failing, last = (Job(name, ()) for name in ("first", "failing", "last"))
    queue = JobQueue([first, failing, last])
    error = InputError("no")
    queue.note(failing, error)
    assert [queue.take(), queue.take()] == [first, None]
    assert queue.error is error


def test_each_job_gives_its_memory_back(tmp_path):
    """With a new process for each, which ends with it."""
    jobs = [Job(name, ((pool_jobs.say_process, None),)) for name in "abc"]
    list(run(jobs, tmp_path))
    assert len({(tmp_path / f"{job.name}.log").read_text() for job in jobs}) == 3


def test_a_process_that_loads_its_modules_itself_is_used_again(tmp_path, monkeypatch):
    monkeypatch.setattr(processes, "START", "spawn")
    jobs = [
        Job("a", ((pool_jobs.say_process, None),)),
        Job("b", ((pool_jobs.say_process, None),), frozenset({"a"})),
    ]
    list(run(jobs, tmp_path))
    assert (tmp_path / "a.log").read_text() == (tmp_path / "b.log").read_text()


def test_results_are_taken_in_the_order_of_the_jobs():
    jobs = [Job(name, ()) for name in "abcd"]
    ended = iter([("c", None), ("a", None), ("d", None), ("b", None)])
    taken = in_order(jobs, ended)
    assert next(taken) == "a"
    assert next(ended) == ("d", None)
    assert [*in_order(jobs, [("c", None), ("b", None), ("a", None)])] == ["a", "b", "c"]


def test_one_process_runs_jobs_here_in_their_order(tmp_path):
    jobs = [Job(name, ((pool_jobs.say, name),), seconds=seconds) for name, seconds in (("a", 1), ("b", 9))]
    ended = [*run(jobs, tmp_path, at_once=1)]
    assert [(name, time.process) for name, time in ended] == [("a", 0), ("b", 0)]


def test_the_first_error_in_the_order_is_raised_and_nothing_after_it_starts(tmp_path):
    pipe = a_pipe(tmp_path)
    jobs = [
        Job("early", ((pool_jobs.wait_for_other, pipe), (pool_jobs.refuse, "early fault"))),
        Job("late", ((pool_jobs.meet_other, pipe), (pool_jobs.refuse, "late fault"))),
        Job("last", ((pool_jobs.say, "never"),), seconds=0),
    ]
    with pytest.raises(RefusedError, match="early fault"):
        [*run(jobs, tmp_path)]
    assert (tmp_path / "early.log").read_text().splitlines() == ["waits", "looked"]
    assert not (tmp_path / "last.log").exists()


def test_an_error_of_the_input_stays_itself_in_another_process():
    again = pickle.loads(pickle.dumps(RefusedError("too few", ["row"])))
    assert (type(again), str(again), again.rejected) == (RefusedError, "too few", ["row"])


def test_a_fault_keeps_its_traceback_even_if_it_cannot_be_sent(tmp_path):
    jobs = [Job("a", ((pool_jobs.fail, "way"),)), Job("b", ((pool_jobs.say, "b"),))]
    with pytest.raises(RuntimeError, match="UnsendableError: no way") as fault:
        [*run(jobs, tmp_path)]
    assert "pool_jobs.py" in str(fault.value.__cause__)
    assert 'raise UnsendableError("no", text)' in str(fault.value.__cause__)


def test_a_process_that_the_system_ends_is_one_sentence(tmp_path):
    jobs = [Job("a", ((pool_jobs.be_killed, None),)), Job("b", ((pool_jobs.say, "b"),), frozenset({"a"}))]
    with pytest.raises(InputError, match="call the same command again with --processes 1"):
        [*run(jobs, tmp_path)]


CODE = """
import sys
from pathlib import Path
import pool_jobs
from change_it.cli import exit_on_input_error, processes
from change_it.cli.jobs import Job
from change_it.cli.processes import run_jobs
processes.PRELOADED = []
function, argument, folder = sys.argv[1:]
jobs = [Job("a", ((getattr(pool_jobs, function), argument),)), Job("b", ((pool_jobs.say, "b"),))]
sys.exit(exit_on_input_error(lambda: list(run_jobs(jobs, 2, lambda name: Path(folder) / name))))
"""


def environment():
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent)])}


def test_an_interrupted_command_lets_its_jobs_clean_up(tmp_path):
    done = run_python("-c", CODE, "interrupt_command", "a", str(tmp_path), env=environment())
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "change-it: interrupted: no result was replaced\n"
    assert (tmp_path / "a").read_text() == "cleaned up a\n"


def test_processes_end_when_the_command_is_killed(tmp_path):
    pipe = a_pipe(tmp_path)
    command = [sys.executable, "-c", CODE, "hold", str(pipe), str(tmp_path)]
    with subprocess.Popen(command, env=environment()) as started, pipe.open() as held:
        assert held.read(len("begun")) == "begun"
        started.send_signal(signal.SIGKILL)
        assert held.read() == ""  # the job's process has ended: it held the other end


def test_memory_and_cores_bound_the_number_of_processes(monkeypatch):
    monkeypatch.setattr("joblib.cpu_count", lambda: 16)
    monkeypatch.setattr(processes, "available_memory", lambda: 3 * processes.MEMORY + 1)
    assert [usable_processes(wanted) for wanted in (0, 1, 2, 5)] == [3, 1, 2, 3]
    monkeypatch.setattr(processes, "available_memory", lambda: processes.MEMORY // 2)
    assert usable_processes(0) == 1
    monkeypatch.setattr(processes, "available_memory", lambda: 100 * processes.MEMORY)
    assert usable_processes(0) == 16
    with pytest.raises(InputError, match="--processes -1 is too few"):
        usable_processes(-1)


def bytes_of(folder):
    """The weights, the configuration and the cards of judges, by their files."""
    names = ("model.safetensors", "config.json", "corpus.json")
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.name in names
    }


@pytest.mark.slow(seconds=40)
@pytest.mark.parametrize("start", ["forkserver", "spawn"])
def test_judges_of_several_processes_are_those_of_one(start, corpus, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(processes, "START", start)
    printed = []
    for at_once in (1, 2):
        out = tmp_path / str(at_once) / "judges"
        monkeypatch.setattr("change_it.cli.processes.usable_processes", lambda wanted: wanted)
        command = f"train judge --task all --fold both --processes {at_once} --corpus {corpus} --out {out}"
        assert main(command.split()) == 0
        printed.append(capsys.readouterr().out.replace(str(out), "OUT"))
    one, two = (bytes_of(tmp_path / str(at_once)) for at_once in (1, 2))
    assert len(one) == 24
    assert one == two
    assert printed[0] == printed[1]
