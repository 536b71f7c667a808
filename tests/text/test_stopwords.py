import pytest

from change_it.errors import InputError
from change_it.text.stopwords import stop_words
from change_it.text.tokens import words


@pytest.mark.parametrize("language", ["it", "en"])
def test_every_entry_is_one_token_of_ours(language):
    assert all(words(word) == [word] for word in stop_words(language))
    assert len(stop_words(language)) >= 250


def test_none_is_empty_and_an_unknown_language_is_an_input_error():
    assert stop_words("none") == frozenset()
    with pytest.raises(InputError, match=r"'fr'.*it, en, none"):
        stop_words("fr")
