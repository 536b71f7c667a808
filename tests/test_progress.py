from change_it.progress import bar, minutes_bar


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
