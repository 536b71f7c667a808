"""The words of the papers' generators: nothing is lost, and unknown words have temporary ids."""

import unicodedata

import pytest
from transformers import AutoTokenizer

from change_it.generators.networks.pointer_generator import PointerGeneratorConfig
from change_it.generators.networks.tokenizer import HeadlineTokenizer, train_tokenizer
from change_it.generators.registration import register_generators

ODD = [
    "Il sindaco: «Non c'è più tempo»",
    "L’assessore all’Urbanistica «tace», l'opposizione no",
    'Disse "basta" e se ne andò',
    "Un po' di tutto, gli anni '80 e '90",
    "Costa 1.000,50 euro, -3,5% in un anno",
    "Festa 🎉 in piazza 👨‍👩‍👧 e 🇮🇹!",
    "(Forse) [sì] {no} <unk> </s> <pad>",
    "email@esempio.it #titolo @utente & co. 50%",
    "dell' ",
    "un' altra prova dell 'apostrofo",
    "São Paulo, Łódź, Ὀδυσσεύς, Москва, 東京",
    "'",
    "1,2,3 .5 5. ,5",
    "ﬁne della ½ corsa, m²",
]
#: What comes back: NFC, single spaces.
PLAIN = [" ".join(unicodedata.normalize("NFC", text).split()) for text in ODD]


@pytest.fixture(scope="module", autouse=True)
def registered():
    """Make the tokenizer known to the Auto classes of transformers."""
    register_generators()


@pytest.fixture(scope="module")
def ignorant():
    """Knows hardly a word."""
    return train_tokenizer(["il la e di, di. la"], size=50, reserved=50)


def test_headlines_come_back_exactly_also_from_a_saved_tokenizer(ignorant, tmp_path):
    knowing = train_tokenizer(ODD, size=10_000, reserved=50)
    knowing.save_pretrained(tmp_path)
    PointerGeneratorConfig(vocab_size=len(knowing) + 50, reserved=50).save_pretrained(tmp_path)
    loaded = AutoTokenizer.from_pretrained(tmp_path)
    assert type(loaded) is HeadlineTokenizer
    assert loaded.reserved == 50
    assert loaded.get_vocab() == knowing.get_vocab()
    for tokenizer in (knowing, ignorant, loaded):
        rows, unknown = tokenizer.sources(ODD, max_tokens=200)
        labels = tokenizer.targets(ODD, unknown, max_tokens=200)
        assert tokenizer.headlines(labels, unknown) == tokenizer.headlines(rows, unknown) == PLAIN
    texts = [*ODD, "Parole mai viste da nessuno"]
    assert loaded.sources(texts, max_tokens=30) == knowing.sources(texts, max_tokens=30)


def test_vocabulary_is_the_most_frequent_words_ties_by_alphabet():
    tokenizer = train_tokenizer(["b a c a", "d c"], size=7)
    assert tokenizer.convert_ids_to_tokens(list(range(7))) == ["<pad>", "<unk>", "<s>", "</s>", "a", "c", "b"]
    assert len(tokenizer) == 7


def test_unknown_words_have_ids_in_order_and_targets_copy_what_their_own_source_has():
    tokenizer = train_tokenizer(["il la"], size=10, reserved=5)
    rows, unknown = tokenizer.sources(["Rossi e il Bianchi e la Rossi", "la la"], max_tokens=20)
    assert unknown == [["Rossi", "e", "Bianchi"], []]
    il, la = tokenizer.convert_tokens_to_ids(["il", "la"])
    base = len(tokenizer)
    assert rows == [[base, base + 1, il, base + 2, base + 1, la, base], [la, la]]
    unknown = [["Rossi"], ["Bianchi", "Verdi"]]
    labels = tokenizer.targets(["il Rossi Verdi", "il Verdi"], unknown, max_tokens=9)
    assert labels == [[il, base, 1, 3], [il, base + 1, 3]]
    assert tokenizer.headlines(labels, unknown) == ["il Rossi", "il Verdi"]
    assert tokenizer.targets(["il Rossi Verdi"], None, max_tokens=9) == [[il, 1, 1, 3]]
    with pytest.raises(NotImplementedError, match="use pipeline\\('headline-generation'\\)"):
        tokenizer(["il Rossi"])
