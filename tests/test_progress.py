from change_it.progress import bar


def test_a_log_gets_whole_lines_and_a_short_one_none(capsys):
    with bar("hh", 1000) as shown:
        for _ in range(500):
            shown.update()
        assert capsys.readouterr().err == ""
        shown.refresh()
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("hh:  50% 500/1000")
