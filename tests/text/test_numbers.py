import pytest

from change_it.text.folding import fold, fold_with_offsets
from change_it.text.numbers import find_numbers


def values(text, language):
    found = [number.values for number in find_numbers(fold(text), language) if number.values]
    return [sorted(value for value in some if isinstance(value, float)) for some in found]


ITALIAN = (
    "due = 2 | ventitré = 23 | duecentocinquantatré = 253 | mille = 1e3 | mille miliardi = 1e12 | trentaseimila = 36e3 | 1,5 milioni = 1.5e6 | mezzo milione = 5e5 | "
    "un milione e mezzo = 1.5e6 | 10 mila = 1e4 | una ventina = 20 | 1.200 = 1200 | 1 200 = 1200 | 1.234.567,5 = 1234567.5 | terzo = 3 | "
    "3° = 3 | 5 per cento = 5 | meno cinque = -5 | -5 gradi = -5"
)
ENGLISH = (
    "twenty-one = 21 | a hundred = 100 | two hundred and fifty-one thousand = 251e3 | two and a half = 2.5 | half a million = 5e5 | a thousand billion = 1e12 | $3bn = 3e9 | "
    "100k = 1e5 | $20-million = 2e7 | 1,200 = 1200 | 1 200 = 1200 | 22nd = 22 | 1980s = 1980 | minus three = -3 | 3½ = 3.5 | ３００ = 300 | "
    "³⁰ = 30 | 3\u200b0 = 30"
)


@pytest.mark.parametrize(("language", "cases"), [("it", ITALIAN), ("en", ENGLISH)])
def test_numbers(language, cases):
    given = [case.split(" = ") for case in cases.split(" | ")]
    assert {text: values(text, language) for text, _ in given} == {text: [[float(n)]] for text, n in given}


def test_short_years_may_belong_to_both_centuries():
    assert values("nel '17", "it") == [[17, 1917, 2017]]
    assert values("gli anni '80", "it") == values("gli anni ottanta", "it") == [[80, 1980, 2080]]
    assert values("the '80s", "en") == values("the eighties", "en") == [[80, 1980, 2080]]


def test_a_range_shares_scale_and_unit():
    low, high = find_numbers("from 5 to 10 percent", "en")
    assert "%" in low.units & high.units
    assert values("2-3 milioni", "it") == [[2, 2e6], [3e6]]


@pytest.mark.parametrize(
    ("text", "unit"),
    [("5%", "%"), ("5 punti", "points"), ("5 euro", "€"), ("$5", "$"), ("terzo", "ordinal"), ("5 cani", "")],
)
def test_units(text, unit):
    (number,) = find_numbers(fold(text), "it")
    assert number.units == {unit}


def test_unspecified_amounts_are_ranges():
    dozens, thousands = find_numbers("dozens, tens of thousands", "en")
    assert (dozens.least, dozens.values) == (20, frozenset())
    assert thousands.least == 20_000


def test_articles_and_prepositions_are_no_claims():
    assert not any(number.claimed for number in find_numbers("Uno di noi, secondo la prima", "it"))
    assert not any(number.claimed for number in find_numbers("One of us, first and second", "en"))
    assert not find_numbers("un cane e una casa", "it")
    assert not find_numbers("due to a dog", "en")


def test_times_are_not_read_as_two_numbers():
    assert [number.values for number in find_numbers("10:30", "it")] == [{"10:30"}]
    assert "10:30" in find_numbers("alle 10.30", "it")[0].values


def test_another_language_has_digits_only():
    assert values("due Männer, drei Frauen, 12 Kinder", "de") == [[12]]


def test_offsets_lead_back_to_the_text_as_given():
    text = "È ½ «Rо\u200bma»"
    folded, offsets = fold_with_offsets(text)
    start = folded.index("Roma")
    assert text[offsets[start] : offsets[start + 3] + 1] == "Rо\u200bma"
    assert folded == fold(text)
    assert len(offsets) == len(folded) + 1
