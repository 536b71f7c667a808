import pytest

from change_it.hevas.readability import average_word_length, fog, syllables, tag_ratios


class TableTagger:
    """A tagger that looks each word up in a table; any other word is a verb."""

    def tag(self, words):
        table = {"Roma": "PROPN", "sindaco": "NOUN", "lui": "PRON", ",": "PUNCT", "€": "SYM"}
        return [table.get(word, "VERB") for word in words]


def test_ratios_by_hand():
    # Roma , il sindaco e lui € : five words and two marks
    ratios = tag_ratios(["Roma, il sindaco e lui €", "sindaco", "", "…"], TableTagger(), "it")
    assert ratios.tolist() == [[1 / 5, 0, 0, 0], [1 / 5, 1, 0, 0], [1 / 5, 0, 0, 0]]


@pytest.mark.parametrize(
    ("language", "counts"),
    [
        ("it", "è 1 tre 1 città 2 perché 2 amico 3 opera 3 camera 3 economia 4 università 5 2016 1 l 1"),
        ("en", "strength 1 people 2 president 3 policy 3 economy 4 administration 5 t 1 2016 1"),
    ],
)
def test_syllables(language, counts):
    known = counts.split()
    assert [str(syllables(word, language)) for word in known[::2]] == known[1::2]


def test_fog_and_word_length_by_hand():
    # il pre-si-den-te par-la al-la ca-me-ra og-gi; the pres-i-dent helps the e-con-o-my; nine plain words
    assert fog(["Il presidente parla alla camera oggi"], "it") == pytest.approx(0.4 * (6 + 8 * 2 / 6))
    english = fog(["The president helps the economy", "a b c d e f g h i"], "en")
    assert english == pytest.approx([0.4 * (5 + 8 * 2 / 5), 3.6])
    assert average_word_length(["Un'idea: «sì»", "È", "", "?!"]).tolist() == [(2 + 4 + 2) / 3, 1, 0, 0]
