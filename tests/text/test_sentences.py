import pytest

from change_it.text.sentences import sentences
from change_it.text.tokens import words


@pytest.mark.parametrize(
    "parts",
    [
        ["Il premier cade.", "Il Colle tace.", "Si vota a maggio?", "Forse!"],
        ["Lo dice l'on. Bianchi.", "Il dott. Verdi nega."],
        ["La Enel S.p.A. Holding cresce.", "Arriva la Fiat S.p.A.", "Il titolo vola."],
        ["Mr. Rahami left at 5 p.m. Friday.", "He returned at 6 p.m.", "The police waited."],
        ["George W. Bush and J. K. Rowling met Gen. Lee.", "Nobody knew."],
        ["Visit www.example.org now.", "Then decide."],
        ["“Is it over?” she asked.", "“No.”", "He left."],
        ["«Basta!» grida la piazza.", "«Andiamo via.»", "(Ma nessuno si muove.)", "Poi piove."],
        ["Wait... what?!", "È tardi…", "Nessuno risponde."],
        ["The judge moved on.", "Trump fell ill.", "Boston, Mass. Mayor Hill was not."],
    ],
)
def test_sentences_come_back_as_they_were_joined(parts):
    text = " ".join(parts)
    assert sentences(text) == parts


def test_a_blank_line_ends_a_sentence_and_a_single_break_does_not():
    found = sentences("A title without a stop\n\nThe text goes\non here.\n \n\nEnd")
    assert found == ["A title without a stop", "The text goes\non here.", "End"]


def test_a_text_without_capitals_is_split_at_its_end_marks():
    parts = ["il dott. rossi tace.", "la u.s. navy parte!", "è finita?", "sì"]
    assert sentences(" ".join(parts)) == parts


@pytest.mark.parametrize("text", ["...", "No stop at all", "?! … .", "A. B. C.", "x." * 300])
def test_no_word_is_lost(text):
    text = text + " Fine. " + text
    assert [word for sentence in sentences(text) for word in words(sentence)] == words(text)
