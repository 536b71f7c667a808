import sys

from change_it.progress import bar, minutes_bar, note
from change_it.training import run_folder


def test_a_sentence_is_broken_between_words_on_a_terminal_alone(capsys, monkeypatch):
    sentence = "4 minutes are enough for about 30 of 1,270 updates; give more --max-minutes"
    note(sentence)
    assert capsys.readouterr().err == f"{sentence}\n"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    note(sentence)
    lines = capsys.readouterr().err.splitlines()
    assert max(map(len, lines)) <= 40
    assert " ".join(lines) == sentence


def test_a_log_gets_whole_lines_and_a_short_one_none(capsys):
    with bar("hh", 1000) as shown:
        for _ in range(500):
            shown.update()
        assert capsys.readouterr().err == ""
        shown.refresh()
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("hh:  50% 500/1000")


def test_a_bar_of_minutes_says_what_was_done_in_them(capsys):
    with minutes_bar("training", 4, initial=0.25) as shown:
        shown.set_postfix({"updates": "30 of 1,270", "loss": 6.5}, refresh=False)
        shown.update(1.5 - shown.n)
        shown.refresh()
    [line] = capsys.readouterr().err.splitlines()
    assert line == "training:  38% 1.5 of 4 minutes, updates=30 of 1,270, loss=6.5"


def test_the_examples_that_are_tokenized_are_counted(monkeypatch):
    counts = []

    class Bar:
        """A bar that notes in `counts` what it is told: its making, each count and its end."""

        n = 0

        def __init__(self, description, total, *, shown):
            counts.append((description, total, shown))

        def __enter__(self):
            return self

        def __exit__(self, *_):
            counts.append("closed")

        def update(self, more):
            self.n += more
            counts.append(self.n)

    monkeypatch.setattr(run_folder, "bar", Bar)
    monkeypatch.setattr(run_folder, "EXAMPLES_AT_ONCE", 2)
    rows = run_folder.tokenized(lambda numbers: {"ids": [[number] for number in numbers]}, 5)
    assert [row["ids"].tolist() for row in rows] == [[0], [1], [2], [3], [4]]
    assert counts == [("tokenizing", 5, True), 2, 4, 5, "closed"]
