"""Tag headlines with universal parts of speech.

The package's own taggers for Italian and English are averaged perceptrons (Collins 2002), trained by
`tools/tagger`. A word of the running text gets one tag, that of the first where Universal Dependencies see
several (Italian "della", "farlo"). What capitals look like enters only together with the case of the whole
sentence.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from change_it.errors import InputError
from change_it.files.atomic import refuse_pointer
from change_it.text.folding import MARKS
from change_it.text.stopwords import function_words, stop_words

#: Universal part-of-speech tags, https://universaldependencies.org/u/pos/
TAGS = (
    "ADJ",
    "ADP",
    "ADV",
    "AUX",
    "CCONJ",
    "DET",
    "INTJ",
    "NOUN",
    "NUM",
    "PART",
    "PRON",
    "PROPN",
    "PUNCT",
    "SCONJ",
    "SYM",
    "VERB",
    "X",
)

#: Tags of function words and marks, which have closed lists: a word has one of them if it had it in the
#: treebank, or is a stop word.
CLOSED = ("ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "PUNCT", "SCONJ")

#: How a sentence is capitalised.
Case = Literal["sentence", "lower", "title", "upper"]

#: Where the weights of the package's own taggers are, `<language>.npz`.
WEIGHTS = Path(__file__).parent / "weights"

_LETTER = r"[^\W\d_]"
#: Tokens of both languages that are sought before words: addresses, initials, years with an apostrophe,
#: numbers.
_COMMON_BEFORE = rf"[@#]\w+|(?:{_LETTER}\.){{2,}}|(?<!\w)['’]\d\d(?!\d)|\d+(?:[.,:/]\d+)*{_LETTER}*"
#: And those that are sought after words: dots, dashes, any other mark.
_COMMON_AFTER = r"\.{2,}|-{2,}|\S"
#: Language to the pattern of its tokens.
_TOKEN = {
    # An elided word keeps its apostrophe (l' dell' po'); a compound with a hyphen is one word.
    "it": re.compile(
        rf"{_COMMON_BEFORE}|{_LETTER}+['’](?={_LETTER})|\b(?:po|mo|be|fa|va|da|di|sta)['’](?!\w)"
        rf"|{_LETTER}+(?:\d\w*)?(?:-\w+)*|{_COMMON_AFTER}",
        re.IGNORECASE,
    ),
    # Contractions and the genitive are words (do n't, Rome 's), compounds are split but for prefixes
    # (co-founder).
    "en": re.compile(
        rf"{_COMMON_BEFORE}|n['’]t\b|(?<=\w)['’](?:s|re|ve|ll|d|m)\b|can(?=not\b)"
        r"|\b(?:mr|mrs|ms|dr|st|jr|sr|no|gov|sen|rep|gen)\."
        rf"|{_LETTER}+?(?=n['’]t\b)|\b(?:anti|co|e|ex|extra|inter|mid|multi|non|pre|pro|re|un|wi)-\w+"
        rf"|{_LETTER}+(?:\d\w*)?(?:['’](?!(?:s|re|ve|ll|d|m)\b){_LETTER}+)*|{_COMMON_AFTER}",
        re.IGNORECASE,
    ),
}

_DIGIT = re.compile(r"\d")
#: One kind of quotes and dashes for all.
_MARKS = str.maketrans(MARKS)
#: What a sentence may begin after, inside a headline.
_OPENING = frozenset(':.!?"-')


def tokens(text: str, language: str) -> list[str]:
    """Return words and marks as the taggers expect them, close to Universal Dependencies' own."""
    return _TOKEN.get(language, _TOKEN["it"]).findall(text)


def forms(words: Sequence[str]) -> list[str]:
    """Return words as the features see them: lower case, one kind of marks, zero for every digit."""
    return [_DIGIT.sub("0", word.lower().translate(_MARKS)) for word in words]


def _case(words: Sequence[str], language: str) -> Case:
    """Return the capitalisation of a sentence; function words may stay small in a Title."""
    spelled = [word for word in words if _has_letters(word)]
    if all(word == word.lower() for word in spelled):
        return "lower"
    if len(spelled) > 1 and all(word == word.upper() for word in spelled):
        return "upper"
    functions = function_words(language)
    content = [word for word in spelled if len(word) > 3 and word.lower() not in functions]
    capitals = sum(word[0].isupper() for word in content)
    return "title" if capitals >= max(3, 0.9 * len(content)) else "sentence"


def _has_letters(word: str) -> bool:
    """Tell whether any character is a letter."""
    return any(character.isalpha() for character in word)


def _shape(word: str) -> str:
    """Return the shape of a word: its case, whether it has digits, or the kind of a mark."""
    if word.isalpha() or (word[:-1].isalpha() and word[-1] in "'’"):
        if word == word.lower():
            return "x"
        if word == word.upper():
            return "X" if len(word.rstrip("'’")) == 1 else "XX"
        return "Xx" if word[1:] == word[1:].lower() else "xX"
    if any(character.isdigit() for character in word):
        return "0a" if _has_letters(word) else "0"
    if _has_letters(word):
        first = "X" if word[0].isupper() else "x"
        mark = "-" if "-" in word else "."
        return first + mark
    return unicodedata.category(word[0]) if word else "none"


def word_features(words: Sequence[str], language: str) -> list[list[str]]:
    """Return for each word its features that do not depend on other words' tags.

    A feature begins with a letter or digit of its kind, as it is written in the weights.
    """
    # What a shape says depends on the case of the sentence, so its first letter goes before each shape.
    case = _case(words, language)[0]
    # two words of padding on each side
    low = ["<s2>", "<s1>", *forms(words), "</s1>", "</s2>"]
    shapes = ["<s>", "<s>", *(f"{case}{_shape(word)}" for word in words), "</s>", "</s>"]
    rows = []
    for i in range(2, len(low) - 2):
        before_last, last, word, following, second_following = low[i - 2 : i + 3]
        last_shape, shape, following_shape = shapes[i - 1 : i + 2]
        begins = i == 2 or last in _OPENING
        of_word = [f"w{word}", f"p{word[:1]}", f"q{word[:2]}", f"r{word[:3]}"]
        of_word += [f"{length}{word[-length:]}" for length in range(1, 6)]
        of_shape = [
            f"s{shape}{begins:d}",
            f"S{shape}{word[-2:]}",
            f"z{shape} {last_shape}",
            f"y{shape} {following_shape}",
        ]
        of_neighbours = [
            f"l{last}",
            f"m{before_last}",
            f"n{following}",
            f"o{second_following}",
            f"L{last[-3:]}",
            f"N{following[-3:]}",
            f"M{following[-2:]} {word[-2:]}",
            f"k{last} {word}",
            f"j{word} {following}",
        ]
        rows.append(["b", *of_word, *of_shape, *of_neighbours])
    return rows


def tag_features(form: str, following: str, last: str, before: str) -> list[str]:
    """Return the features of a word that depend on the tags of the two words before it.

    Args:
        form: the word, as `forms` returns it.
        following: the next word, as `forms` returns it.
        last: tag of the word before it.
        before: tag of the word before that one.
    """
    return [
        f"t{last}",
        f"u{last} {before}",
        f"v{last} {form}",
        f"T{last} {form[-3:]}",
        f"x{last} {following}",
    ]


class PerceptronTagger:
    """Tags words from left to right, each by the highest sum of its features' weights.

    Attributes:
        language: `it` or `en`.
        index: the row of each feature in the weights.
        weights: (features, 17) whole multiples of 1/32, columns as `TAGS`.
        closed: "word TAG" of the treebank's function words and marks, words as of `forms`.
    """

    def __init__(
        self, language: str, index: dict[str, int], weights: NDArray[np.int32], closed: Iterable[str]
    ) -> None:
        self.language = language
        self.index = index
        self.weights = weights
        self.closed = frozenset(closed)
        no_weights = np.zeros((1, len(TAGS)), np.int32)
        #: The weights, and as the last row those of unknown features.
        self._rows = np.vstack([weights, no_weights])

    def tag(self, words: Sequence[str]) -> list[str]:
        """Return the universal tag of each word and mark of one sentence, capitals kept."""
        # the last word is followed by an empty one
        low = [*forms(words), ""]
        tags: list[str] = []
        last = ""
        before_last = ""
        for i, features in enumerate(word_features(words, self.language)):
            all_features = [*features, *tag_features(low[i], low[i + 1], last, before_last)]
            rows = [self.index.get(name, -1) for name in all_features]
            best = self._best(self._rows[rows].sum(axis=0), low[i])
            before_last = last
            last = best
            tags.append(best)
        return tags

    def _best(self, scores: NDArray[np.int64], form: str) -> str:
        """Return the tag with the highest of the (17,) scores that a word may have.

        A word has a tag of `CLOSED` only if it has it in the treebank or is a stop word. A mark is PUNCT or
        SYM, or what it is in the treebank.
        """
        best = TAGS[int(scores.argmax())]
        is_word = any(character.isalnum() for character in form)
        is_stop_word = best != "PUNCT" and form.rstrip("'") in stop_words(self.language)
        if f"{form} {best}" in self.closed or (is_word and (best not in CLOSED or is_stop_word)):
            return best
        allowed = []
        for tag in TAGS:
            is_open = tag not in CLOSED if is_word else tag in ("PUNCT", "SYM")
            allowed.append(is_open or f"{form} {tag}" in self.closed)
        lowest = np.iinfo(np.int64).min
        return TAGS[int(np.where(allowed, scores, lowest).argmax())]

    @classmethod
    def load(cls, path: Path, language: str) -> Self:
        """Read a file of weights, as `tools/tagger` writes it."""
        refuse_pointer(path)
        with np.load(path) as arrays:
            features = arrays["features"].tobytes().decode().split("\n")
            closed = arrays["closed"].tobytes().decode().split("\n")
            weights = arrays["weights"].astype(np.int32)
        index = {feature: row for row, feature in enumerate(features)}
        return cls(language, index, weights, closed)


def languages() -> list[str]:
    """Return the languages that the package's own taggers exist for."""
    return sorted(path.stem for path in WEIGHTS.glob("*.npz"))


@cache
def load_tagger(language: str) -> PerceptronTagger:
    """Return the package's own tagger of `it` or `en`."""
    if language not in languages():
        mend = f"choose one of {', '.join(languages())}, or name other metrics than PNR, NR and PR"
        raise InputError(f"no part-of-speech tagger for {language!r}: {mend}")
    return PerceptronTagger.load(WEIGHTS / f"{language}.npz", language)
