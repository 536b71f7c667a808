"""The benchmark of an old checkout beside the new one: its rows, its memory and its picture."""

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

from tools.memory import Peak, family, memory_of_family, proportional_size

PACE = runpy.run_path(str(Path(__file__).parents[1] / "benchmarks/pace.py"))
SIDES = [PACE["Side"](name, Path(), Path(sys.executable), Path()) for name in ("old", "new")]


def test_a_row_has_the_medians_and_new_as_a_share_of_old(monkeypatch):
    taken = {"old": [9.0, 1.0, 4.0], "new": [1.0, 8.0, 2.0]}
    monkeypatch.setitem(
        PACE["measure"].__globals__, "measure_seconds", lambda side, *_: taken[side.name].pop()
    )
    memory = {"old": 1.24, "new": 0.62}
    monkeypatch.setitem(PACE["measure"].__globals__, "measure_memory", lambda side, *_: memory[side.name])
    row = PACE["measure"]("score", lambda run, out: [], SIDES, 3)
    assert row == {
        "old: seconds": 4.0,
        "new: seconds": 2.0,
        "seconds, new / old": 0.5,
        "old: GB": 1.24,
        "new: GB": 0.62,
        "GB, new / old": 0.5,
    }


def test_memory_is_that_of_a_process_and_all_that_it_started():
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'print(1); input()'])"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], **pipes) as started:
        assert started.stdout.readline().strip() == b"1"
        pids = list(family(started.pid))
        assert pids[0] == started.pid
        assert len(pids) == 2
        assert min(map(proportional_size, pids)) > 10**6
        assert memory_of_family(started.pid) > proportional_size(started.pid)
        started.communicate(b"\n")
    assert proportional_size(started.pid) == 0


def test_the_timeline_has_a_bar_for_each_job_in_the_row_of_its_process(tmp_path):
    jobs = {"corpus": (0, 9, 1), "main judge": (9, 15, 2), "choosing hh": (9, 10, 3), "score": (15, 19, 0)}
    times = {name: dict(zip(("start", "end", "process"), job, strict=True)) for name, job in jobs.items()}
    (tmp_path / "run.json").write_text(json.dumps({"times": times}))
    axes = PACE["draw_timeline"](tmp_path).axes[0]
    bars = [(bar.get_x(), bar.get_width(), round(bar.get_y() + bar.get_height() / 2)) for bar in axes.patches]
    assert bars == [(0, 9, 2), (9, 6, 1), (9, 1, 0), (15, 4, 3)]
    assert [label.get_text() for label in axes.texts] == ["corpus", "main judge", "score"]


def test_commands_run_the_code_of_their_checkout(tmp_path):
    (tmp_path / "change_it.py").write_text("import sys; sys.exit(3)")
    side = PACE["Side"]("old", tmp_path, Path(sys.executable), tmp_path)
    process = PACE["start"](side, PACE["commands"](500)["import"](tmp_path, tmp_path), Path(os.sep))
    assert process.wait() == 3


def test_a_peak_is_what_was_held_in_two_looks_in_a_row():
    peak = Peak()
    for held in (5, 9, 4, 6, 7, 2):
        peak.add(held)
    assert peak.bytes == 6
