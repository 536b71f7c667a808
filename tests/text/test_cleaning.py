import random

import pytest

from change_it.text.cleaning import alike, clean


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("Pi&ugrave; tasse &#8211; e l&#x2019;Europa", "Più tasse – e l’Europa"),
        ("&amp;quot;Basta&amp;quot;", '"Basta"'),
        ("R&D, AT&T; e &pippo; restano", "R&D, AT&T; e &pippo; restano"),
        ("uno<br/>due<p class='x'>tre</p>", "uno due tre"),
        ("par<b>ola</b> <a href='http://x.it/?a=1'>qui</a>", "parola qui"),
        ("a<script>var x = '<p>';</script>b<!-- nota\n -->c", "a b c"),
        ("5 < 6 e 7 > 2, <3", "5 < 6 e 7 > 2, <3"),
        ("&lt;p&gt;Ciao&lt;/p&gt;", "Ciao"),
        ("perche\u0301", "perché"),
        ("l\x92Italia\x00 \x07va\u200b\ufeff avanti\xad", "l’Italia va avanti"),
        ("  a\r\n\tb\u00a0\u2028c ", "a b c"),
        ("a<!-- b <p> -->c<!-- d", "a c<!-- d"),
        ("a<script x='<b>'>no</SCRIPT >b<script>c", "a b c"),
    ],
)
def test_clean(raw, expected):
    assert clean(raw) == expected


def test_cleaning_twice_changes_nothing():
    pieces = "&amp; amp; < b > &lt; /p \x00 e\u0301 #60; & <<i> \u200b"
    chance = random.Random(3)
    for _ in range(2000):
        text = clean("".join(chance.choices([*pieces.split(" "), " "], k=12)))
        assert clean(text) == text


@pytest.mark.parametrize("text", ["<!--" * 200_000, "--><style>" * 100_000, "&" + "amp;" * 100_000])
def test_hostile_markup_takes_linear_time(text):
    """Quadratic work on these would take hours."""
    once = clean(text)
    assert clean(once) == once
    assert len(once) > 399_900


@pytest.mark.parametrize(
    ("wrapped", "count", "remark"),
    [
        ("Giù il {}", 12, ""),
        ('"Giù il {}"', 12, "12 of 12 begin with"),
        ("“Giù il {}”", 3, "3 of 12 stand wholly in quot"),
        ("“Giù” il “{}”", 3, ""),
        ("Giù il {}<|im_end|>", 12, "end with '>'"),
        (". . .", 11, "11 of 12 headlines have no word"),
        ("Giù", 12, "12 of 12 are 'Giù'"),
        ("Crolla il {}", 12, "12 of 12 are the original"),
    ],
)
def test_headlines_that_say_nothing_or_are_wrapped_alike_are_said(wrapped, count, remark):
    headlines = [(wrapped if n < count else "Cade il {}").format(f"ponte {n}") for n in range(12)]
    originals = [f"Crolla il ponte {n}" for n in range(12)]
    sentences = alike("mine", list(zip(headlines, originals, strict=True)))
    assert [remark in sentence for sentence in sentences] == [True] * bool(remark)
