import pytest

from change_it import progress
from change_it.progress import tracked


@pytest.fixture
def clock(monkeypatch):
    """The time that bars see, in seconds; a test moves it."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_a_pipe_gets_a_line_every_ten_seconds(clock, capsys):
    for step, _ in enumerate(tracked(range(1000), "hh")):
        clock[0] = step / 10  # 10 steps a second
    lines = [line for line in capsys.readouterr().err.splitlines() if line.strip()]
    assert lines == [f"hh: {10 * seconds + 1:,} of 1,000, {seconds} s" for seconds in range(10, 100, 10)]


def test_nothing_is_logged_where_no_bar_is_wanted(clock, capsys):
    for step, _ in enumerate(tracked(range(1000), "hh", shown=False)):
        clock[0] = step
    assert capsys.readouterr().err == ""
