"""Escapes and erased letters in texts, and what only looks like them."""

import pytest

from change_it.text.cleaning import remark
from change_it.text.escapes import erased_in, escape_in, unescaped

ESCAPED = {
    r"La citt\u00e0": "La città",
    r"perch\xe9 cos\xc3\xac": "perché così",
    r"\ud83d\ude00": "😀",
    r"\U0001f600": "😀",
    "fine._x000D_\n": "fine.\r\n",
    r"Fine.\nDopo": "Fine.\nDopo",
    r"Fine.\r\nDopo": "Fine.\nDopo",
    r"«Fine»\nil resto": "«Fine»\nil resto",
    r"uno\nDue": "uno\nDue",
    r"dice \"no\" all\'Italia": 'dice "no" all\'Italia',
}


@pytest.mark.parametrize("text", ESCAPED)
def test_what_an_escape_stands_for(text):
    assert unescaped(text) == ESCAPED[text]
    assert escape_in(text)
    assert escape_in(text) in text


@pytest.mark.parametrize(
    "text", [r"C:\new", r"D:\docs\new\uno", r"\o/", "a_x_b", "x_xyz1_", r"50\%", "è già così", r"\u12"]
)
def test_what_is_no_escape_stays(text):
    assert unescaped(text) == text
    assert escape_in(text) == ""


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("il piano: Obama?s plan", "Obama?s"),
        ("?Senza credito?, dice", "?Senza"),
        ("non ? vero", "non ? vero"),
        ("cos\ufffd? no", "cos\ufffd?"),
        ("Chi? Dove?", ""),
        ("«Come? dove?»", ""),
        ("Pourquoi ? Parce que", ""),
        ("debate?The end", ""),
        ("https://a.it/b?c=1", ""),
        ("a.it?c=d", ""),
    ],
)
def test_question_marks_in_the_place_of_letters(text, place):
    assert erased_in(text) == place


def test_headlines_of_a_system_are_looked_at_for_both():
    texts = [r"La citt\u00e0 cade", "Obama?s plan", "Cade il ponte"]
    [said] = remark("mine", texts, "are scored as they are")
    assert "1 of 3 have escapes in the place of characters, as 'citt\\\\u00e0'" in said
    assert "1 of 3 have a question mark in the place of a letter, as 'Obama?s'" in said
    assert remark("mine", texts[2:], "are scored as they are") == []
