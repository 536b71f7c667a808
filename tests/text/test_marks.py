"""Quotation marks of several languages: one table for typography, damage, clauses and sentences."""

import pytest

from change_it.text.typography import Typography

#: Each kind of marks around the same words.
QUOTATIONS = {
    "„“": "Der Minister sagt „Nein danke“ und geht",
    "„”": "Minister mówi „Nie dziękuję” i wychodzi",
    "»«": "Der Minister sagt »Nein danke« und geht",
    "«»": "Il ministro dice «No grazie» e va",
    "«  »": "Le ministre dit « Non merci » et part",
    "“”": "The minister says “No thanks” and goes",
    "””": "Ministern säger ”Nej tack” och går",
    '""': 'The minister says "No thanks" and goes',
    "‚‘": "Der Minister sagt ‚Nein danke‘ und geht",
    "‹›": "Le ministre dit ‹Non merci› et part",
    "「」": "大臣は「いいえ」と言う",
}


@pytest.mark.parametrize("marks", QUOTATIONS)
def test_quotations_of_all_languages_are_read_and_set(marks):
    headline = QUOTATIONS[marks]
    assert Typography.of([headline, headline]).quotes == marks
    plain = Typography().apply(headline)
    assert plain.count('"') == 2
    assert Typography(quotes=marks).apply(plain) == headline


@pytest.mark.parametrize(
    "text", ["«Sì» o «no»", "„Ja“ und „nein“", "»Ja« und »nein«", "“Yes” or “no”", "« Oui » ou « non »"]
)
def test_a_mark_between_two_quotations_opens_none(text):
    found = Typography(quotes="「」").apply(text)
    assert [mark for mark in found if mark in "「」"] == ["「", "」", "「", "」"]
    assert not {*"«»„“”"} & {*found}
