import pytest
from scoring_fakes import FakeSupport

from change_it.scoring.facts import FactChecker, check_all_facts
from change_it.text.names import Casing

ITALIAN = (
    "ROMA - Il premier Giuseppe Conte ha incontrato ieri a Palazzo Chigi il segretario del Partito democratico Nicola "
    "Zingaretti. Due ore di colloquio, alle 10.30, poi il voto: 151 a 3. La manovra vale 5 milioni di euro, il 7 per "
    "cento in più del 2017. Papa Benedetto XVI tace. Secondo l'Istat dodici italiani su cento hanno freddo: 4 gradi."
)
ENGLISH = (
    "WASHINGTON - President Donald Trump told the Federal Bureau of Investigation on Monday that 21 American soldiers "
    "had been wounded. Republicans in the House voted 52 to 48 for a $1.5 billion bill, up 5 percent from the 1980s. "
    "Mr. Trump thanked Sen. John McCain, the third senator to visit. Dozens of protesters were arrested."
)
#: What a corpus knows of names.
CASING = Casing.from_texts(
    ["Il sindaco di Milano vede il premier a Milano, poi a Milano con Salvini, e Salvini con Salvini."] * 2
    + [
        "The mayor of Boston saw the president, then Boston slept, as Boston does; he smirks when he meets them."
    ]
)


def unsupported(prediction, article=ITALIAN, language="it", casing=None, source=""):
    found = FactChecker(language, casing).check(prediction, source=source, article=article)
    assert found.supported == (not found.unsupported)
    assert all(prediction[each.start : each.end] == each.text for each in found.unsupported)
    return [each.text for each in found.unsupported]


@pytest.mark.parametrize(
    ("prediction", "expected"),
    [
        ("Conte vede Zingaretti a Roma: 2 ore", []),
        ("CONTE A PALAZZO CHIGI", []),
        ("Il Pd da Conte", []),
        ("Manovra da 5 mln, +7%", []),
        ("Voto finale 151-3, poi Conte tace", []),
        ("Dal '17 a oggi: Conte e Ratzinger no".replace("Ratzinger", "Benedetto"), []),
        ("Uno a uno tutti da Conte, prima la manovra", []),
        ("Conté e Zìngaretti", []),
        ("Conte vede Zingaretti: 3.000 ore", ["3.000"]),
        ("Manovra da 6 milioni", ["6 milioni"]),
        ("Manovra da 5 miliardi", ["5 miliardi"]),
        ("Manovra da 5 milioni di dollari", ["5 milioni di dollari"]),
        ("Conte, zero voti", ["zero"]),
        ("Conte al gelo: -4 gradi", ["-4"]),
        ("Voto finale a Conte: 151-48", ["48"]),
        ("Il premier Renzi vede Zingaretti", ["Renzi"]),
        ("Il premier vede D'Alema", ["Alema"]),
        ("Vertice sul Mes: «Qui comanda Salvini»", ["Mes", "Qui comanda Salvini"]),
        ("Vertice tra Conte-Salvini", ["Salvini"]),
        ("Papa Benedetto XIV tace", ["XIV"]),
        ("Il vertice di Conte con l'M5S e il G8", ["M5S", "G8"]),
    ],
)
def test_what_is_unsupported_in_italian(prediction, expected):
    assert unsupported(prediction) == expected


@pytest.mark.parametrize(
    ("prediction", "expected"),
    [
        ("Trump tells FBI: twenty-one Americans wounded", []),
        ("GOP votes 52-48 for $1.5B bill", []),
        ("TRUMP'S BILL UP 5%", []),
        ("U.S. soldiers wounded, says Mr. Trump", []),
        ("McCain is 3rd senator to visit, first in the '80s", []),
        ("Trump tells FBI 22 soldiers were wounded", ["22"]),
        ("House passes $1.6 billion bill", ["1.6 billion"]),
        ("House passes €1.5 billion bill", ["1.5 billion"]),
        ("McCain is fifth senator to visit", ["fifth"]),
        ("Thousands of protesters were arrested", ["Thousands"]),
        ("The FBI visits Obama in Chicago", ["Obama", "Chicago"]),
    ],
)
def test_what_is_unsupported_in_english(prediction, expected):
    assert unsupported(prediction, ENGLISH, "en") == expected


@pytest.mark.parametrize(
    "disguised",
    [
        "Мilаno",  # Cyrillic
        "Ｍｉｌａｎｏ",
        "Mil\u200bano",
        "Mil\u00adano",
        "MILANO",
        "Milàno",
        "𝐌𝐢𝐥𝐚𝐧𝐨",
        "M1lano",
        "Milano-Conte",
    ],
)
def test_disguised_names_are_seen(disguised):
    assert unsupported(f"Il premier Conte vola a {disguised}", casing=CASING)


@pytest.mark.parametrize("number", ["９９", "⁹⁹", "9\u200b9", "9\u00ad9", "novanta\u200bnove", "9O", "٩٩"])
def test_disguised_numbers_are_seen(number):
    assert len(unsupported(f"Conte e altri {number} da Zingaretti")) == 1


def test_title_case_is_decided_by_the_corpus():
    assert unsupported("Trump Smirks When He Meets Boston", ENGLISH, "en", CASING) == ["Boston"]


def test_a_number_of_another_measure_is_another_number():
    assert unsupported("Colloquio di due giorni") == ["due"]
    assert unsupported("Colloquio di due ore, 4 gradi") == []
    assert unsupported("Due giorni di colloquio", article=ITALIAN + " Due i feriti.") == []
    article = "The 10-year deal is 300 miles away."
    assert unsupported("A 10-month deal", article=article, language="en") == ["10"]
    assert unsupported("Deal of ten years", article=article, language="en") == []


def test_a_first_name_that_the_corpus_gives_to_most_bearers_of_the_surname():
    text = "It was Donata Tromba, then Donata Tromba, and Donata Tromba; once Ivana Tromba."
    casing = Casing.from_texts([text])
    article = "All rise for Mrs. Tromba."
    assert unsupported("Donata Tromba rises", article, "en", casing) == []
    assert unsupported("All rise for Donata Tromba", article, "en", casing) == []
    assert unsupported("Ivana Tromba rises", article, "en", casing) == ["Ivana"]


def test_every_text_counts():
    claim = "Salvini a Torino: 8 arresti"
    assert unsupported(claim) == ["Salvini", "Torino", "8"]
    assert unsupported(claim, source="Salvini vola a Torino") == ["8"]
    texts = {"source": "Salvini", "article": "", "reference_article": "Otto arresti a Torino"}
    assert FactChecker("it").check(claim, **texts).unsupported == ()


def test_a_quotation_stands_in_one_of_the_texts():
    article = "Il premier Conte: «Non firmo niente, per ora». Poi aggiunge: «Nessuno me lo ha chiesto»."
    checker = FactChecker("it")

    def found(prediction, **texts):
        return checker.check(prediction, **{"source": "", "article": article, **texts}).unsupported

    assert found("Conte: “Non firmo niente”") == ()
    assert found("Conte: «Non firmo niente… nessuno me lo ha chiesto»") == ()
    assert found("Conte: «Firmo tutto»") == ()  # two words
    (fabricated,) = found("Conte: «Firmo tutto domani»")
    assert (fabricated.text, fabricated.kind) == ("Firmo tutto domani", "quotation")
    (negated,) = found("Conte: «Nessuno non me lo ha chiesto»")
    assert negated.kind == "quotation"
    said = "«Firmo tutto domani», dice Conte"
    assert [each.kind for each in found(said)] == ["quotation"]
    assert found(said, source="Conte: firmo tutto domani") == ()
    assert found(said, reference_article="Firmo tutto, domani") == ()


def test_in_a_quotation_that_nobody_said_numbers_and_names_are_not_given_again():
    headline = "Il premier Salvini: «Vedrò Renzi 3 volte a Bari» e 8 arresti"
    found = FactChecker("it").check(headline, source="", article="Parla.")
    kinds = {each.text: each.kind for each in found.unsupported}
    assert kinds == {"Salvini": "name", "Vedrò Renzi 3 volte a Bari": "quotation", "8": "number"}


@pytest.mark.parametrize(
    ("prediction", "article", "expected"),
    [
        # What is counted: by nouns of four letters or more, from none to 999, by their first seven letters.
        ("Altri 5 morti", "Furono 999 soldati e 5 morti.", []),
        ("Altri 999 morti", "Furono 999 soldati e 5 morti.", ["999"]),
        ("Altri 1000 morti", "Furono 1000 soldati e 5 morti.", []),
        ("Altri 5 morti", "Furono 5 soldati e 1000 morti.", []),
        ("Ora zero morti", "Erano zero soldati e 5 morti.", ["zero"]),
        ("Ora 2 morti", "Erano 2 feriti e 1 morto.", []),
        ("Ora 3 morti", "Erano 3 feriti e 2 morti.", ["3"]),
        ("Ora circa 3 morti", "Erano 3 feriti e 2 morti.", []),
        ("Altre 5 case", "Erano 3 case e 5 cani.", ["5"]),
        ("Altri 5 gol", "Erano 3 gol e 5 pali.", []),
        ("Altri 5 lavoratori", "Erano 3 lavoratrici e 5 cani.", ["5"]),
        ("Altri 5 euro", "Erano 3 euro e 5 pali.", []),
        ("Dal 5 pali", "Era il 5: 3 pali.", ["5"]),
        ("Altre sei case", "Roma", ["sei"]),
        # Amounts: a value of their size, which no year is, or another amount of the same.
        ("Decine in fila", "In fila erano 19.", ["Decine"]),
        ("Decine in fila", "In fila erano 20.", []),
        ("Decine in fila", "In fila erano 9.999.", []),
        ("Decine in fila", "In fila erano 10.000.", ["Decine"]),
        ("Migliaia in fila", "In fila erano 1.899.", []),
        ("Migliaia in fila", "Era il 1900.", ["Migliaia"]),
        ("Migliaia in fila", "Era il 2099.", ["Migliaia"]),
        ("Migliaia in fila", "In fila erano 2.100.", []),
        ("Decine in fila", "In fila erano a dozzine.", []),
        ("Decine in fila", "In fila erano a migliaia.", ["Decine"]),
        # Forms of names: endings behind three letters or more, short ones behind four; Italian plurals from five on.
        ("Arrivano gli Alani", "Arriva un Alano.", []),
        ("Arriva Polo", "Parla Poli.", ["Polo"]),
        ("Parla il Sudano", "Viene dal Sud.", []),
        ("Parla l'Uzano", "Viene da Uz.", ["Uzano"]),
        # A word in front is no name where a text has another form of it in lower case.
        ("Zorle ovunque", "Vede una Zorba.", ["Zorle"]),
        ("Zorle ovunque", "Vede una zorla.", []),
        # Units: a bare number is evidence for money, not for a share or a place; money for a bare number.
        ("Sale di 5 euro", "Sale di 5.", []),
        ("Sale di 5", "Sale di 5 euro.", []),
        ("Sale di 5 euro", "Sale di 5 dollari.", ["5 euro"]),
        ("Sale del 5%", "Sale di 5.", ["5%"]),
        ("Sale di 5", "Sale del 5%.", []),
        ("Arriva quinto", "Sono 5.", ["quinto"]),
        ("Sono 5", "Arriva quinto.", ["5"]),
        # Acronyms have two to six letters.
        ("La sfida di Alfa Beta Gamma Delta Epsilon Zeta", "ABGDEZ vota.", []),
        ("La sfida di Alfa Beta Gamma Delta Epsilon Zeta Eta", "ABGDEZE vota.", ["Alfa", "Beta", "Gamma", "Delta", "Epsilon", "Zeta", "Eta"]),
        ("La sfida di ABGDEZ", "Vota Alfa Beta Gamma Delta Epsilon Zeta.", []),
        ("La sfida di ABGDEZE", "Vota Alfa Beta Gamma Delta Epsilon Zeta Eta.", ["ABGDEZE"]),
        ("La sfida di AB", "Vota Alfa 3 Beta.", ["AB"]),
        ("Parte il G8", "Il Gruppo 8 parte.", ["G8"]),
        ("La sfida di AB", "Vota Alfa della Beta.", []),
        ("La sfida di ADB", "Vota Alfa della Beta.", []),
        ("La sfida di Alfa", "AB vota.", ["Alfa"]),
        ("La sfida di Alfa Beta Gamma", "BG vota.", ["Alfa"]),
        ("Alfa Beta vince", "AB vota.", []),
        ("La sfida di Alfa e di e di e di e Beta", "AB vota.", []),
        ("La sfida di Alfa e di e di e di e di Beta", "AB vota.", ["Alfa", "Beta"]),
        # The letters and digits of names that are written apart, from four on.
        ("Volano gli F35B", "Un F-35B vola.", []),
        ("Volano i B52", "Un B-52 vola.", ["B52"]),
        ("Arriva DJango", "Un D-jango.", []),
        ("Arriva Django", "Un D-jango.", ["Django"]),
        # Roman numerals count only behind a capital, outside headlines in capitals.
        ("Papa Pio IX tace", "Papa Pio 9 tace.", []),
        ("Papa Pio IX tace", "Papa Pio 8 tace.", ["IX"]),
        ("Nel secolo IX tace", "Papa Pio 8 tace.", ["IX"]),
    ],
)  # fmt: skip
def test_boundaries_in_italian(prediction, article, expected):
    assert unsupported(prediction, article) == expected


@pytest.mark.parametrize(
    ("prediction", "article", "expected"),
    [
        # Sums of a million or more: those of which they are the rounded form, at most a twentieth away.
        ("Deal for 1 million", "The deal is for 1,040,000.", []),
        ("Deal for 1 million", "The deal is for 1,060,000.", ["1 million"]),
        ("Deal for 12 million", "The deal is for 12,400,000.", []),
        ("Deal for 12 million", "The deal is for 12,600,000.", ["12 million"]),
        ("Deal for 900 thousand", "The deal is for 904,000.", ["900 thousand"]),
        ("Deal for $1 million", "The deal is for €1,040,000.", ["1 million"]),
        # With "about": all at most a tenth away.
        ("About 100 people", "There were 110.", []),
        ("About 100 people", "There were 90.", []),
        ("About 100 people", "There were 111.", ["100"]),
        ("About the 100 people", "There were 104.", []),
        ("About all the 100 people", "There were 104.", ["100"]),
        ("About the €100", "It was €104.", ["100"]),
        # Forms of names.
        ("The Cuban dance", "Cuba dances.", []),
        ("Cuba dances", "The Cubans dance.", []),
        ("The Zubic leader", "Zuba votes.", []),
        ("The Iraqi leader", "Iraq votes.", []),
        ("The Zuki leader", "Zuk votes.", ["Zuki"]),
        # Names of three words for one, wherever the name stands.
        ("Affordable Care Act survives", "Obamacare survives.", []),
        ("The Affordable Care Act survives", "Obamacare survives.", []),
        ("Justice Department sues", "The DOJ sues.", []),
        ("DOJ sues", "The Department of Justice sues.", []),
        ("Obamacare survives", "The health care law survives.", []),
        # Abbreviations with a dot, of three letters or more.
        ("Storm hits Flo. again", "A storm hits Florida.", []),
        ("Storm hits Calif.", "A storm hits California.", []),
        ("Storm hits Fl. again", "A storm hits Florida.", ["Fl"]),
        # Acronyms of words among which small ones stand, or function words, not both.
        ("IRB warns", "The Inner review Board.", []),
        ("IRB warns", "The Inner Review of the Board.", []),
        ("IRB warns", "The Inner review of the Board.", ["IRB"]),
        # Full names.
        ("Hillary Trump speaks", "Hillary Clinton meets Donald Trump.", ["Trump"]),
        ("Hillary, Trump speak", "Hillary Clinton meets Donald Trump.", []),
        ("Trump speaks", "Hillary Clinton meets Donald Trump.", []),
        ("So Hillary Trump speaks", "Hillary Clinton meets Donald Trump.", ["Trump"]),
        ("Hillary Trump speaks", "Hillary Clinton meets The Trump campaign.", []),
        ("Hillary Trump speaks", "Hillary And Bill meet Donald Trump.", []),
        ("Hillary Donald speaks", "Hillary Clinton meets Donald Trump.", []),
        ("Hillary Trump speaks", "Hillary Clinton meets Donald Trump and Hillary Trump.", []),
    ],
)  # fmt: skip
def test_boundaries_in_english(prediction, article, expected):
    assert unsupported(prediction, article, "en") == expected


def test_a_model_is_asked_about_what_rules_accept_and_no_text_begins_with():
    source, article = "Bianchi accusa Rossi", "Rossi accusa Bianchi, il governo non cade."
    headlines = ["rossi ACCUSA «Bianchi»", "Lo dice Zuccaroni", "Il governo cade", "Bianchi accusa ora"]
    model = FakeSupport(lambda headline, sources: 0.2 if "cade" in headline else 0.5)
    texts = {"sources": [source] * 4, "articles": [article] * 4, "reference_articles": ["", "", "", "Altro."]}
    facts = check_all_facts(headlines, **texts, language="it", model=model)
    asked = {"Il governo cade": (source, article, ""), "Bianchi accusa ora": (source, article, "Altro.")}
    assert model.asked == list(asked.items())
    assert [found.supported for found in facts] == [True, False, False, True]
    assert [found.p for found in facts] == [None, None, 0.2, 0.5]
    assert [len(found.unsupported) for found in facts] == [0, 1, 0, 0]


def test_a_headline_without_words_begins_no_text():
    model = FakeSupport(lambda *_: 0.1)
    [found] = check_all_facts(["🎉 …"], sources=["Bianchi"], articles=["Rossi."], language="it", model=model)
    assert (found.supported, found.p) == (False, 0.1)
