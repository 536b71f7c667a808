import pytest

from change_it.errors import InputError
from change_it.text.stopwords import guess_language, stop_words
from change_it.text.tokens import words


@pytest.mark.parametrize("language", ["it", "en"])
def test_every_entry_is_one_token_of_ours(language):
    assert all(words(word) == [word] for word in stop_words(language))
    assert len(stop_words(language)) >= 250


def test_none_is_empty_and_an_unknown_language_is_an_input_error():
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
