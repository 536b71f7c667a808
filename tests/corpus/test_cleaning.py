import random

import numpy as np
import pytest

from change_it.corpus.cleaning import clean, normalise_typography
from change_it.corpus.duplicates import near_duplicates
from change_it.text.tokens import words


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
        ("rotto \ud800 qui", "rotto qui"),
        ("<p>&nbsp;</p>\u200b", ""),
    ],
)
def test_clean(raw, expected):
    assert clean(raw) == expected


def test_cleaning_twice_changes_nothing():
    pieces = [
        "&amp;",
        "amp;",
        "<",
        "b",
        ">",
        "&lt;",
        "/p",
        " ",
        "\x00",
        "e",
        "\u0301",
        "#60;",
        "&",
        "<<i>",
        "\u200b",
    ]
    chance = random.Random(3)
    for _ in range(2000):
        text = clean("".join(chance.choices(pieces, k=12)))
        assert clean(text) == text


def test_typography_of_two_houses_becomes_one():
    assert normalise_typography("Renzi: «Ecco l’Italia» — E ora…") == normalise_typography(
        "Renzi: “Ecco l'Italia” – e ora..."
    )


def text_of(chance, n):
    return [f"parola{chance.randrange(5000)}" for _ in range(n)]


def exact_jaccard(one, other):
    one, other = ({tuple(w[i : i + 5]) for i in range(len(w) - 4)} for w in map(words, (one, other)))
    return len(one & other) / len(one | other)


def test_near_duplicates_are_those_of_the_exact_jaccard():
    chance = random.Random(1)
    texts = [" ".join(text_of(chance, 200)) for _ in range(150)]
    for k in range(150):
        edited = texts[k].split()
        for place in chance.sample(range(200), k // 6):
            edited[place] = "altro"
        texts.append(" ".join(edited))
    clusters = near_duplicates(texts)
    for k in range(150):
        similarity = exact_jaccard(texts[k], texts[150 + k])
        assert (clusters[k] == clusters[150 + k]) == (similarity >= 0.7), similarity
    assert len(set(clusters[:150].tolist())) == 150


def test_many_copies_are_one_cluster_and_case_and_punctuation_do_not_matter():
    text = "Errore: la pagina che cerchi non esiste più sul sito"
    clusters = near_duplicates([text] * 500 + [text.upper() + " !"] + ["un altro articolo breve"])
    assert clusters.dtype == np.int64
    assert clusters.tolist() == [0] * 501 + [1]


def test_short_wordless_and_no_texts():
    assert near_duplicates([]).shape == (0,)
    assert near_duplicates(["solo"]).tolist() == [0]
    assert near_duplicates(["due parole", "…", "Due parole!", "", "tre", "..."]).tolist() == [
        0,
        1,
        0,
        2,
        3,
        4,
    ]


def test_chunks_do_not_change_the_result():
    chance = random.Random(2)
    texts = [" ".join(text_of(chance, 12)) for _ in range(5000)]
    texts[4999] = texts[0]
    clusters = near_duplicates(texts)
    assert clusters[0] == clusters[4999]
    assert len(set(clusters.tolist())) == 4999


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("<!--" * 200_000, 800_000),
        ("--><style>" * 100_000, 400_000 - 1),
        ("&" + "amp;" * 100_000, 400_000 - 80),
    ],
)
def test_hostile_markup_takes_linear_time(text, length):
    """Quadratic work on these would take hours."""
    once = clean(text)
    assert clean(once) == once
    assert abs(len(once) - length) <= 1


@pytest.mark.parametrize(
    ("text", "clean_text"),
    [
        ("a<!-- b <p> -->c<!-- d", "a c<!-- d"),
        ("a<script x='<b>'>no</SCRIPT >b<script>c", "a b c"),
        ("<b>x</b><p>y<script", "x y<script"),
    ],
)
def test_comments_and_scripts_end_where_they_are_closed(text, clean_text):
    assert clean(text) == clean_text
