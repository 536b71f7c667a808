import pytest

from change_it.text.evidence import unsupported

ARTICLE = (
    "Das Rathaus in Altweiler bleibt für 1.200 Tage geschlossen, sagt Müller: „Das Haus, 7 Etagen, ist alt.“"
)


@pytest.mark.parametrize(
    ("headline", "source", "lacking"),
    [
        ("Altweiler: Rathaus für 1200 Tage geschlossen", ARTICLE, []),
        ("Rathaus in Grünmoos für 13 Tage zu", ARTICLE, ["Grünmoos", "13"]),
        ("Das Gemeindehaus bleibt zu", ARTICLE, ["Gemeindehaus"]),  # in German every noun has a capital
        ("Rathaus für zwölf Tage geschlossen", ARTICLE, []),  # no capital, no digit
        ("Zu! Grünmoos klagt: «Haus ist", ARTICLE, ["«Haus ist"]),  # an open quotation runs to the end
        ("So sagt MULLER: 'Das Haus [...] ist alt'", ARTICLE, []),
        ("So sagt Müller: “Das Dorf ist alt”", ARTICLE, ["“Das Dorf ist alt”"]),  # its name is in it
        ("Paid 1,200 and 1 200 and 1'200", "of 1200", []),
        ("Paid 12,00,000", "1200000", []),
        ("Paid 1,5 and 2.50", "1.5", ["2.50"]),
        ("He: “The U.S. House. Yes”", "the US House; and yes", []),
        ("The US and the U.K. agree", "U.S. and UK", []),
        ("Perché la Città è più cara?", "la citta cara", []),
        ("Mayor Smith Opens New Bridge Today", "nothing", []),  # nearly all words have a capital
        ("Covid19 a Bari, F35 no", "a Bari, F35", ["Covid19"]),
        ("", "anything", []),
    ],
)
def test_numbers_names_and_quotations_are_looked_up_literally(headline, source, lacking):
    found = unsupported(headline, ["", source])
    assert [part.text for part in found] == lacking
    assert all(headline[part.start : part.end] == part.text for part in found)


def test_a_source_is_enough_and_none_has_nothing():
    assert unsupported("A Bari con Rossi", ["Bari", "Rossi"]) == ()
    assert [part.kind for part in unsupported("A Bari, 3 «no»", [])] == ["name", "number", "quotation"]
