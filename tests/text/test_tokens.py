"""Words, function words and the guess of the language."""

from unicodedata import normalize

import pytest

from change_it.errors import InputError
from change_it.text.stopwords import guess_language, stop_words
from change_it.text.tokens import words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Perché l'Italia dice «sì» a 3 riforme?", "perché l italia dice sì a 3 riforme"),
        ("बंदरगाह का पुल टूटा।", "बंदरगाह का पुल टूटा"),
        ("สะพาน 3 แห่ง", "ส ะ พ า น 3 แ ห่ ง"),
        ("日本3テスト ab漢c", "日 本 3 テ ス ト ab 漢 c"),
        ("İSTANBUL, İstanbul'da Đặng 한국어", "istanbul istanbul da đặng 한국어"),
        ("scuo\u00adla\u00a01\u202f200 a_b", "scuola 1 200 a b"),
        ("❤️ 1️⃣ x \u0301 b\u0301", "1 x b\u0301"),
        ("_ — «»", ""),
    ],
)
def test_words_of_any_script(text, expected):
    for form in ("NFC", "NFD"):
        assert words(normalize(form, text)) == expected.split()
    assert words("a_b _ c", underscores=True) == ["a_b", "_", "c"]


@pytest.mark.parametrize("language", ["it", "en"])
def test_every_stop_word_is_one_word(language):
    assert all(words(word) == [word] for word in stop_words(language))
    assert len(stop_words(language)) >= 250
    assert stop_words("none") == frozenset()
    with pytest.raises(InputError, match=r"'fr'.*it, en, none"):
        stop_words("fr")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Il sindaco della città ha detto che il ponte non si farà e che i soldi sono per le scuole", "it"),
        ("The mayor of the city said that the bridge will not be built and the money is for schools", "en"),
        ("O prefeito da cidade disse que a ponte não será feita e que o dinheiro é para as escolas", "none"),
        ("Primarul orașului a spus că podul nu se va face și că banii sunt pentru școli", "none"),
        ("Kryetari i qytetit tha se ura nuk do të ndërtohet dhe se paratë janë për shkollat", "none"),
        ("De burgemeester van de stad zei dat de brug er niet komt en dat het geld voor scholen is", "none"),
    ],
)
def test_only_texts_of_a_listed_language_are_taken_for_it(text, language):
    assert guess_language([text]) == language


def test_a_third_language_can_be_listed(monkeypatch):
    monkeypatch.setattr("change_it.text.stopwords.LISTED", ("it", "en", "none"))
    assert guess_language(["The mayor of the city said that it is"]) == "en"
