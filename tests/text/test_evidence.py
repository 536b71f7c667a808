import pytest

from change_it.text.evidence import unsupported

ARTICLE = (
    "Das Rathaus in Altweiler bleibt für 1.200 Tage geschlossen, sagt Müller: „Das Haus, 7 Etagen, ist alt.“"
)
GERMAN = (
    "Der Minister besucht die Fabrik in Hamburg. Die Masken aus der Fabrik gehen an Schulen, sagte ein"
    " Sprecher der Partei. Die Stadt plant im Herbst neue Regeln für Schulen und Vereine, und die Bürger"
    " warten auf den Beschluss des Senats am Dienstag."
) * 2


@pytest.mark.parametrize(
    ("headline", "source", "lacking"),
    [
        ("Altweiler: Rathaus für 1200 Tage geschlossen", ARTICLE, []),
        ("Rathaus in Grünmoos für 13 Tage zu", ARTICLE, ["Grünmoos", "13"]),
        ("Das Gemeindehaus bleibt zu", ARTICLE, ["Gemeindehaus"]),  # in German every noun has a capital
        ("Rathaus für zwölf Tage geschlossen", ARTICLE, []),  # number words: Italian and English alone
        ("Barr named, nineteen million protest", "Barr: 19 protest", ["nineteen million"]),
        ("Barr named, nineteen million protest", "diciannove milioni per Barr", []),
        ("Affare da diciannove milioni, 19 milioni", "un affare", ["diciannove milioni", "19 milioni"]),
        ("Twenty-one hurt, 505 safe", "21 hurt, five hundred and five safe", []),
        ("In 5mila, 7mila e trecentomila in piazza", "5.000 o 300 000", ["7mila"]),
        ("Dozens die, thousands flee, millions lost", "dozens or 12 million", ["thousands"]),
        ("One man, un milione, up to 12", "A million; a dozen", []),
        ("I due e i tre, 4", "Le due donne e i quattro uomini sono qui", ["tre"]),
        ("Two due to pay 2", "It was due to the mayor of the town", ["Two", "2"]),  # due: Italian alone
        ("Więcej niż ten, sei tu", "Więcej", []),
        ("Il 5 per cento", "100 euro", ["5"]),
        ("Sono TRENTA, non Quaranta", "30 morti", ["Quaranta"]),
        ("Verdi, Rossi e Bianchi", "Rossi", ["Bianchi"]),
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
        ("Встреча с Путиным в Москве", "Путин приехал в Москву", []),
        ("Встреча с Меркель в Москве", "Путин приехал в Москву", ["Меркель"]),
        ("Spotkanie z Tuskiem w Warszawie", "Tusk jest dziś w Warszawa", []),
        ("Ministri tapasi Stubbin Helsingissä", "Stubb oli Helsinki", []),
        ("Takimi i Hotit me Thaçit", "Hoti dhe Thaçi", []),
        ("Im Streit um Maskenangebot: Minister verteidigt Beschlüsse der Fabriken", GERMAN, ["Streit"]),
        ("Kanzlerin wirbt für Jens Spahn als Parteichef", GERMAN, ["Jens", "Spahn"]),  # no Title Case
        (
            "Ieri Marco Rossini parla ancora in Romagna",
            "Il sindaco di Roma e la giunta: con Marco Rossi che è lì",
            ["Rossini", "Romagna"],
        ),
        ("Ja, ¿Quién? y ¡Nadie!", "nada", []),  # these marks open a sentence
        ("الاستثمار بـ200 مليون و٥٫٤ و٣٠", "استثمار 200 مليون، 5.4 و", ["٣٠"]),
        ("وزير يزور محمد علي", "وزير يزور أحمد سعيد", []),  # no capitals, no names
        ("", "anything", []),
    ],
)
def test_numbers_names_and_quotations_are_looked_up_literally(headline, source, lacking):
    found = unsupported(headline, ["", source])
    assert [part.text for part in found] == lacking
    assert all(headline[part.start : part.end] == part.text for part in found)
