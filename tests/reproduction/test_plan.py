"""Plans: what is finished is kept, what depends on something new is not, an interrupted run goes on."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from change_it.errors import InputError
from change_it.reproduction.plan import PlannedRun
from change_it.steps import Step

CALLS: list[str] = []


@dataclass(frozen=True)
class Settings:
    text: str
    out: Path
    reads: Path | None = None


def write(settings):
    """A step: writes its text after what it reads."""
    CALLS.append(settings.text)
    if settings.text == "fails":
        raise InterruptedError
    before = settings.reads.read_text() if settings.reads else ""
    settings.out.write_text(before + settings.text)


def steps(out, texts=("a", "b", "c"), file=None):
    """Two steps that need nothing, and one that reads the second."""
    one, two, three = (out / name for name in ("one", "two", "three"))
    command = f"{__name__}:write"
    return [
        Step("one", command, Settings(texts[0], one), one, seconds=60),
        Step("two", command, Settings(texts[1], two), two, inputs=(file,) if file else (), seconds=60),
        Step("three", command, Settings(texts[2], three, two), three, needs=("two",), seconds=3000),
    ]


@pytest.fixture
def out(tmp_path):
    CALLS.clear()
    return tmp_path / "run"


def called():
    found = list(CALLS)
    CALLS.clear()
    return found


def test_a_finished_run_runs_nothing(out):
    PlannedRun(out, {}).run_plan(steps(out))
    assert called() == ["a", "b", "c"]
    PlannedRun(out, {}).run_plan(steps(out))
    assert called() == []
    assert (out / "three").read_text() == "bc"


def test_an_interrupted_run_goes_on(out):
    with pytest.raises(InterruptedError):
        PlannedRun(out, {}).run_plan(steps(out, ("a", "fails", "c")))
    called()
    PlannedRun(out, {}).run_plan(steps(out))
    assert called() == ["b", "c"]


def test_what_reads_something_new_is_run_again(out):
    PlannedRun(out, {}).run_plan(steps(out))
    called()
    PlannedRun(out, {}).run_plan(steps(out, ("a", "B", "c")))
    assert called() == ["B", "c"]
    assert (out / "three").read_text() == "Bc"


def test_a_run_that_is_cut_off_does_not_keep_what_read_the_old_result(out):
    PlannedRun(out, {}).run_plan(steps(out))
    with pytest.raises(InterruptedError):
        PlannedRun(out, {}).run_plan(steps(out, ("a", "fails", "c")))
    called()
    PlannedRun(out, {}).run_plan(steps(out))
    assert called() == ["b", "c"]


def test_a_file_of_the_user_that_changed_is_read_again(out, tmp_path):
    file = tmp_path / "file"
    file.write_text("1")
    PlannedRun(out, {}).run_plan(steps(out, file=file))
    called()
    file.write_text("2")
    PlannedRun(out, {}).run_plan(steps(out, file=file))
    assert called() == ["b", "c"]


def test_a_result_that_is_gone_is_made_again(out):
    PlannedRun(out, {}).run_plan(steps(out))
    called()
    (out / "one").unlink()
    PlannedRun(out, {}).run_plan(steps(out))
    assert called() == ["a"]


def test_the_plan_says_what_is_left(out):
    run = PlannedRun(out, {})
    with pytest.raises(InterruptedError):
        run.run_plan(steps(out, ("a", "fails", "c")))
    table = PlannedRun(out, {}).table(steps(out))
    assert [row.values["state"] for row in table.rows] == ["finished", "to do", "to do"]
    assert table.notes == ("To do: 2 of 3 steps, about 51 min on two idle cores.",)


def test_what_another_run_has_is_copied(out, tmp_path):
    other = tmp_path / "other"
    PlannedRun(other, {"paper": "one", "seed": 1}).run_plan(steps(other))
    called()
    changed = steps(out, ("a", "B", "c"))  # the second is not the other run's, so what reads it is not either
    run = PlannedRun(out, {"paper": "two", "seed": 1}, reuse=other)
    assert [row.values["state"] for row in run.table(changed).rows] == ["to copy", "to do", "to do"]
    run.run_plan(changed)
    assert called() == ["B", "c"]
    assert [(out / name).read_text() for name in ("one", "two", "three")] == ["a", "B", "Bc"]
    again = PlannedRun(out, {"paper": "two", "seed": 1}, reuse=other)
    assert {row.values["state"] for row in again.table(changed).rows} == {"finished"}
    again.run_plan(steps(out))  # what is stale here is copied too
    assert called() == []
    assert (out / "three").read_text() == "bc"


def test_a_run_goes_on_where_it_was_moved_to(out, tmp_path):
    PlannedRun(out, {}).run_plan(steps(out))
    called()
    out.rename(tmp_path / "moved")
    PlannedRun(tmp_path / "moved", {}).run_plan(steps(tmp_path / "moved"))
    assert called() == []


def test_reuse_of_what_is_no_such_run(out, tmp_path):
    PlannedRun(tmp_path / "other", {"paper": "one", "seed": 2}).run_plan([])
    with pytest.raises(InputError, match=r"--reuse .*seed was 2, is 1"):
        PlannedRun(out, {"paper": "two", "seed": 1}, reuse=tmp_path / "other")
    with pytest.raises(InputError, match=r"--reuse .* holds no run"):
        PlannedRun(out, {}, reuse=tmp_path / "none")


def test_another_run_is_refused(out, tmp_path):
    PlannedRun(out, {"scale": "smoke"}).run_plan([])
    with pytest.raises(InputError, match="scale was smoke, is cpu"):
        PlannedRun(out, {"scale": "cpu"})
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").touch()
    with pytest.raises(InputError, match="holds other files"):
        PlannedRun(tmp_path / "mine", {})
