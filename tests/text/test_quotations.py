import pytest

from change_it.text.quotations import Words, has_paired_marks, quotations


def quoted(text, language="it"):
    found = quotations(text, language)
    return [text[quotation.start : quotation.end] for quotation in found]


@pytest.mark.parametrize("marks", ["«»", "“”", '""', "''", "‘’"])
def test_words_between_marks(marks):
    quotation = f"{marks[0]}Questa strada resta chiusa{marks[1]}"
    for text in (quotation, f"Il sindaco: {quotation}", f"{quotation}, dice il sindaco"):
        assert quoted(text) == ["Questa strada resta chiusa"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("«Mai detto “basta così”, anzi»", ["Mai detto “basta così”, anzi"]),
        ("«Prima ora e poi mai», «Tutti insieme adesso»", ["Prima ora e poi mai", "Tutti insieme adesso"]),
        ("'L'ora dell'orto è suonata': il via", ["L'ora dell'orto è suonata"]),
        ("La 'ndrangheta in città, un po' ovunque", []),
        ("Un po' di sole, poi l'acqua un po' ovunque", []),
        ('Tubi da 12" e da 6" ai cantieri del porto', []),
        ("Rossi: basta così con le buche", []),
        ("Il «caso» della «bella politica»", []),
        ("Muore l'autore di «La Grande Estate»", []),
        ("Rossi: «La Grande Estate»", ["La Grande Estate"]),  # capitals say nothing where no small word is
        ("Muore l'autore di «La grande estate»", ["La grande estate"]),
        ("«...»: il sindaco tace", []),
        ("", []),
    ],
)
def test_marks_that_quote_and_marks_that_do_not(text, expected):
    assert quoted(text) == expected


@pytest.mark.parametrize(
    ("text", "paired"),
    [
        ("«Mai detto “basta così”, anzi»", True),
        ('Il sindaco: "Basta". E l\'ex: "Mai"', True),
        ("»Basta«, „sofort“, ”genast”", True),
        ('Un tubo da 12" ai cantieri', True),
        ('"Erano 12", dice il sindaco', True),
        ("Il sindaco: «Basta", False),
        ('Il sindaco: "Basta»', False),
        ('Il sindaco: «Basta". E l\'ex: "Mai»', False),
        ('"Erano 12, dice il sindaco', False),
        ("«Uno «due «tre» due» uno»", True),
        ("«Uno «due «tre «quattro» tre» due» uno»", False),  # no newspaper's
    ],
)
def test_marks_that_pair_with_one_of_their_kind(text, paired):
    assert has_paired_marks(text) is paired


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mayor's 'town of the lakes' isn't Boston's", ["town of the lakes"]),
        ("Mayor reads from 'Shut Up and Row' at noon", []),
        ("Mayor Reads: 'Shut Up and Row'", ["Shut Up and Row"]),
        ("Rock 'n' roll and the singers' last show", []),
    ],
)
def test_english_apostrophes_and_titles(text, expected):
    assert quoted(text, "en") == expected


@pytest.mark.parametrize(
    ("headline", "said"),
    [
        ("«Non torneremo MAI più indietro»", True),
        ("«Non torneremo… indietro domani»", False),
        ("«Non torneremo mai... lo prometto a tutti»", True),
        ("«Non torneremo mai [...] lo prometto»", True),
        ("«Non [...] indietro... tutti»", False),  # any text may have single words
        ("«...torneremo mai piu’ indietro...»", True),
        ("«Torneremo mai più indietro»", True),
        ("«Non andremo mai più indietro»", False),
        ("«Lo prometto a tutti quanti voi»", False),
        ("«Prometto a voi tutti»", False),
    ],
)
def test_what_a_text_says(headline, said):
    text = Words("«Non torneremo mai più indietro», ha detto. «Lo prometto, qui, a tutti voi».")
    (quotation,) = quotations(headline, "it")
    assert all(map(text.says, quotation.parts)) == said


def test_words_between_are_few_and_no_negation():
    part = ("il", "ponte", "crolla")
    assert Words("Il ponte crolla.").says(part)
    assert Words("Il ponte ora crolla.").says(part)
    assert not Words("Il ponte ora qui crolla.").says(part)
    assert not Words("Il ponte non crolla.").says(part)
    assert not Words("Il ponte").says(part)
    assert Words("Il ponte, il ponte nuovo crolla").says(part)


def test_single_words_are_no_parts():
    (quotation,) = quotations("«Il... ponte... crolla...»", "it")
    assert quotation.parts == (("il", "ponte", "crolla"),)
