from unicodedata import normalize

import pytest

from change_it.text.tokens import words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Perché l'Italia dice «sì» a 3 riforme?", "perché l italia dice sì a 3 riforme"),
        ("बंदरगाह का पुल टूटा।", "बंदरगाह का पुल टूटा"),
        ("สะพาน 3 แห่ง", "ส ะ พ า น 3 แ ห่ ง"),
        ("日本3テスト ab漢c", "日 本 3 テ ス ト ab 漢 c"),
        ("İSTANBUL, İstanbul'da", "istanbul istanbul da"),
        ("한국어 뉴스", "한국어 뉴스"),
        ("Đặng Thị Ngọc", "đặng thị ngọc"),
        ("scuo\u00adla\u00a01\u202f200 a_b", "scuola 1 200 a b"),
        ("❤️ 1️⃣ x \u0301 b\u0301", "1 x b\u0301"),
        ("_ — «»", ""),
    ],
)
def test_words_of_any_script(text, expected):
    for form in ("NFC", "NFD"):
        assert words(normalize(form, text)) == expected.split()


def test_an_underscore_may_be_a_letter():
    assert words("a_b _ c", underscores=True) == ["a_b", "_", "c"]
