"""Texts are cut into sentences and clauses, and quotation marks are read.

They are in Italian, English and six languages that the package has no list of.
"""

from pathlib import Path

import pytest

from change_it.text.evidence import unsupported
from change_it.text.sentences import cuts, sentences
from change_it.text.stopwords import guess_language
from change_it.text.tokens import words
from change_it.text.typography import Typography


@pytest.mark.parametrize(
    "parts",
    [
        ["Il premier cade.", "Il Colle tace.", "Si vota a maggio?", "Forse!"],
        ["Lo dice l'on. Bianchi.", "Il dott. Verdi nega."],
        ["On. Rossi e Mrs. Hill partono.", "Fine."],
        ["La Enel S.p.A. Holding cresce.", "Arriva la Fiat S.p.A.", "Il titolo vola."],
        ["Mr. Rahami left at 5 p.m. Friday.", "He returned at 6 p.m.", "The police waited."],
        ["George W. Bush and J. K. Rowling met Gen. Lee.", "Nobody knew."],
        ["Visit www.example.org now.", "Then decide."],
        ["“Is it over?” she asked.", "“No.”", "He left."],
        ["«Basta!» grida la piazza.", "«Andiamo via.»", "(Ma nessuno si muove.)", "Poi piove."],
        ["Wait... what?!", "È tardi…", "Nessuno risponde."],
        ["The judge moved on.", "Trump fell ill.", "Boston, Mass. Mayor Hill was not."],
        ["il dott. rossi tace.", "la u.s. navy parte!", "è finita?", "sì"],  # without capitals
    ],
)
def test_sentences_come_back_as_they_were_joined(parts):
    assert sentences(" ".join(parts)) == parts


def test_a_blank_line_ends_a_sentence_and_a_single_break_does_not():
    parts = ["A title without a stop", "The text goes\non here.", "End"]
    assert sentences(f"{parts[0]}\n\n{parts[1]}\n \n\n{parts[2]}") == parts


@pytest.mark.parametrize("text", ["...", "No stop at all", "?! … .", "A. B. C.", "x." * 300])
def test_no_word_is_lost(text):
    text = text + " Fine. " + text
    assert [word for sentence in sentences(text) for word in words(sentence)] == words(text)


_SECTIONS = Path(__file__).with_name("languages.txt").read_text("utf-8").split("[")[1:]
SENTENCES = {section[:2]: section.splitlines()[1:] for section in _SECTIONS}


@pytest.mark.parametrize("language", ["de", "fr", "es", "pl", "tr", "hi"])
def test_thirty_sentences_of_a_language(language):
    lines = SENTENCES[language]
    article, other = " ".join(lines), " ".join(line for line in lines if "1" not in line)
    assert len(lines) == 30
    assert sentences(article) == lines
    assert guess_language(lines) == "none"
    for line in lines:
        assert unsupported(line, [article]) == ()
        for text in cuts(line, Typography()):
            assert {*words(text)} <= {*words(line)}
            assert text[-1] not in ",;:،।."
    [crowd] = [line for line in lines if {"200", "1200"} & {*words(line)} or "1 200" in line]
    assert "number" in {part.kind for part in unsupported(crowd, [other])}


@pytest.mark.parametrize(
    ("sentence", "cut"),
    [
        ("The troops went back to the U.S.", "The troops went back to the U.S."),
        ("Il titolo sale per la Fiat S.p.A.:", "Il titolo sale per la Fiat S.p.A."),
        ("Il debito sale a 1.200.", "Il debito sale a 1.200"),
        ("He wrote to example.org.", "He wrote to example.org"),
    ],
)
def test_an_abbreviation_keeps_its_own_stop(sentence, cut):
    for typography in (Typography(), Typography(stop=True)):
        [found] = cuts(sentence, typography)
        assert found == cut + "." * (typography.stop and cut[-1] != ".")


#: Each kind of quotation marks around the same words.
QUOTATIONS = {
    "„“": "Der Minister sagt „Nein danke“ und geht",
    "„”": "Minister mówi „Nie dziękuję” i wychodzi",
    "»«": "Der Minister sagt »Nein danke« und geht",
    "«»": "Il ministro dice «No grazie» e va",
    "«  »": "Le ministre dit « Non merci » et part",
    "“”": "The minister says “No thanks” and goes",
    "””": "Ministern säger ”Nej tack” och går",
    "‚‘": "Der Minister sagt ‚Nein danke‘ und geht",
    "‹›": "Le ministre dit ‹Non merci› et part",
    "「」": "大臣は「いいえ」と言う",
}


@pytest.mark.parametrize("marks", QUOTATIONS)
def test_quotations_of_all_languages_are_read_and_set(marks):
    headline = QUOTATIONS[marks]
    assert Typography.from_headlines([headline, headline]).quotes == marks
    plain = Typography().apply(headline)
    assert plain.count('"') == 2
    assert Typography(quotes=marks).apply(plain) == headline


@pytest.mark.parametrize("text", ["«Sì» o «no»", "„Ja“ und „nein“", "»Ja« und »nein«", "« Oui » ou « non »"])
def test_a_mark_between_two_quotations_opens_none(text):
    headline = Typography(quotes="「」").apply(text)
    assert [mark for mark in headline if mark in "「」«»„“"] == ["「", "」", "「", "」"]
