"""What the figures about the code count."""

from tools import density

MODULE = (
    '"""The module."""\n'
    + '''
WORDS = ["a"]  # a list
#: A sentence.
first, second = 1, 2
both = first, second
(third, fourth) = both


def counted(n):
    """The number of words."""
    # a comment
    return [word for word in WORDS] if n else None


def count(n):
    """Return the number of words.

    A second paragraph.
    """
    text = """no docstring
    # no comment"""
    return {word: text for word in WORDS}
'''
)


def test_lines_and_forms_of_a_module_are_counted():
    found = density.count(MODULE)
    assert found["lines"] == 10
    assert found["trailing comments"] == 1
    assert found["tuples assigned"] == 1
    assert found["comprehensions"] == 2
    assert found["inline ifs"] == 1
    assert (found["docstrings"], found["no verb"]) == (2, 1)
    assert found["long lines"] == 0
    assert density.count("x = 1 + 2  # " + "long " * 30)["long lines"] == 1
    assert density.count("x = 1 + 2")["nodes"] == 8


def test_a_room_is_a_line_of_the_table(tmp_path, capsys):
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "one.py").write_text(MODULE)
    (tmp_path / "top.py").write_text("x = 1 + 2")
    density.main(tmp_path)
    heading, every, room, top, _ = capsys.readouterr().out.splitlines()
    assert heading.split()[:1] == [str(tmp_path)]
    assert every.split()[:2] == ["all", "11"]
    assert room.split() == ["room", "10", *room.split()[2:3], "200.0", "100.0", "100.0", "100.0", "50.0", "0"]
    assert top.split() == ["(no", "folder)", "1", "8.0", "0.0", "0.0", "0.0", "0.0", "0.0", "0"]
