"""Thirty sentences each of six languages that the package has no list of, read by all that claims to work in any language."""

from pathlib import Path

import pytest

from change_it.text.evidence import unsupported
from change_it.text.sentences import cuts, sentences
from change_it.text.stopwords import guess_language
from change_it.text.tokens import words
from change_it.text.typography import Typography

_SECTIONS = Path(__file__).with_name("languages.txt").read_text("utf-8").split("[")[1:]
SENTENCES = {section[:2]: section.splitlines()[1:] for section in _SECTIONS}


def test_the_table_has_thirty_sentences_each():
    assert {language: len(lines) for language, lines in SENTENCES.items()} == dict.fromkeys(
        ("de", "fr", "es", "pl", "tr", "hi"), 30
    )


@pytest.mark.parametrize("language", SENTENCES)
def test_sentences_end_where_they_end(language):
    assert sentences(" ".join(SENTENCES[language])) == SENTENCES[language]


@pytest.mark.parametrize("language", SENTENCES)
def test_the_language_is_neither_italian_nor_english(language):
    assert guess_language(SENTENCES[language]) == "none"


@pytest.mark.parametrize("language", SENTENCES)
def test_what_a_text_says_is_supported_by_it_and_other_numbers_are_not(language):
    article, other = (
        " ".join(SENTENCES[language]),
        " ".join(line for line in SENTENCES[language] if "1" not in line),
    )
    for line in SENTENCES[language]:
        assert unsupported(line, [article]) == ()
    [crowd] = [line for line in SENTENCES[language] if {"200", "1200"} & {*words(line)} or "1 200" in line]
    assert "number" in {part.kind for part in unsupported(crowd, [other])}


@pytest.mark.parametrize("language", SENTENCES)
def test_cuts_are_clauses_of_the_first_sentences(language):
    for line in SENTENCES[language]:
        for text in cuts(line, Typography()):
            assert [word for word in words(text) if word not in words(line)] == []
            assert text[-1] not in ",;:،।."
