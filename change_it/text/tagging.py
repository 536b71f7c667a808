"""Universal part-of-speech tags of headlines: words with capitals and marks, and a tagger of a language.

The package's own taggers for Italian and English are averaged perceptrons (Collins 2002), trained by `tools/tagger`. A word
of the running text gets one tag, that of the first where Universal Dependencies see several (Italian "della", "farlo"). What
capitals look like enters only together with the case of the whole sentence.
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
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM"),
    *("PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
)

#: Tags of function words and marks: a word has one of these if it had it in the treebank or is a stop word.
CLOSED = ("ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "PUNCT", "SCONJ")

Case = Literal["sentence", "lower", "title", "upper"]

#: Where the weights of the package's own taggers are, `<language>.npz`.
WEIGHTS = Path(__file__).parent / "weights"

_LETTER = r"[^\W\d_]"
_COMMON_BEFORE = rf"[@#]\w+|(?:{_LETTER}\.){{2,}}|(?<!\w)['’]\d\d(?!\d)|\d+(?:[.,:/]\d+)*{_LETTER}*"
_COMMON_AFTER = r"\.{2,}|-{2,}|\S"
_TOKEN = {
    # An elided word keeps its apostrophe (l' dell' po'); a compound with a hyphen is one word.
    "it": re.compile(
        rf"{_COMMON_BEFORE}|{_LETTER}+['’](?={_LETTER})|\b(?:po|mo|be|fa|va|da|di|sta)['’](?!\w)"
        rf"|{_LETTER}+(?:\d\w*)?(?:-\w+)*|{_COMMON_AFTER}",
        re.IGNORECASE,
    ),
    # Contractions and the genitive are words (do n't, Rome 's), compounds are split but for prefixes (co-founder).
    "en": re.compile(
        rf"{_COMMON_BEFORE}|n['’]t\b|(?<=\w)['’](?:s|re|ve|ll|d|m)\b|can(?=not\b)|\b(?:mr|mrs|ms|dr|st|jr|sr|no|gov|sen|rep|gen)\."
        rf"|{_LETTER}+?(?=n['’]t\b)|\b(?:anti|co|e|ex|extra|inter|mid|multi|non|pre|pro|re|un|wi)-\w+"
        rf"|{_LETTER}+(?:\d\w*)?(?:['’](?!(?:s|re|ve|ll|d|m)\b){_LETTER}+)*|{_COMMON_AFTER}",
        re.IGNORECASE,
    ),
}

_DIGIT = re.compile(r"\d")
_MARKS = str.maketrans(MARKS)
#: What a sentence may begin after, inside a headline.
_OPENING = frozenset(':.!?"-')


def tokens(text: str, language: str) -> list[str]:
    """Return words and marks as the taggers expect them, close to Universal Dependencies' own."""
    return _TOKEN.get(language, _TOKEN["it"]).findall(text)


def forms(words: Sequence[str]) -> list[str]:
    """Return words as the features see them: lower case, one kind of quotes and dashes, zero for every digit."""
    return [_DIGIT.sub("0", word.lower().translate(_MARKS)) for word in words]


def _case(words: Sequence[str], language: str) -> Case:
    """Return the capitalisation of a sentence; function words may stay small in a Title."""
    spelled = [word for word in words if any(map(str.isalpha, word))]
    if all(word == word.lower() for word in spelled):
        return "lower"
    if len(spelled) > 1 and all(word == word.upper() for word in spelled):
        return "upper"
    functions = function_words(language)
    content = [word[0].isupper() for word in spelled if len(word) > 3 and word.lower() not in functions]
    return "title" if sum(content) >= max(3, 0.9 * len(content)) else "sentence"


def _shape(word: str) -> str:
    """Return the shape of a word: lower case, a capital, capitals, mixed, digits, both, or the kind of mark."""
    if word.isalpha() or (word[:-1].isalpha() and word[-1] in "'’"):
        if word == word.lower():
            return "x"
        if word == word.upper():
            return "X" if len(word.rstrip("'’")) == 1 else "XX"
        return "Xx" if word[1:] == word[1:].lower() else "xX"
    has_letters = any(map(str.isalpha, word))
    if any(map(str.isdigit, word)):
        return "0a" if has_letters else "0"
    if has_letters:
        return ("X" if word[0].isupper() else "x") + ("-" if "-" in word else ".")
    return unicodedata.category(word[0]) if word else "none"


def word_features(words: Sequence[str], language: str) -> list[list[str]]:
    """Return for each word its features that do not depend on other words' tags."""
    case = _case(words, language)[0]  # shapes count for what they say in this case of the sentence
    low = ["<s2>", "<s1>", *forms(words), "</s1>", "</s2>"]
    shapes = ["<s>", "<s>", *(f"{case}{_shape(word)}" for word in words), "</s>", "</s>"]
    rows = []
    for i in range(2, len(low) - 2):
        word, last, next_word, shape = low[i], low[i - 1], low[i + 1], shapes[i]
        begins = i == 2 or last in _OPENING
        rows.append([
            "b", f"w{word}", f"1{word[-1:]}", f"2{word[-2:]}", f"3{word[-3:]}", f"4{word[-4:]}", f"5{word[-5:]}",
            f"p{word[:1]}", f"q{word[:2]}", f"r{word[:3]}", f"s{shape}{begins:d}", f"S{shape}{word[-2:]}",
            f"z{shape} {shapes[i - 1]}", f"y{shape} {shapes[i + 1]}", f"l{last}", f"m{low[i - 2]}", f"n{next_word}",
            f"o{low[i + 2]}", f"L{last[-3:]}", f"N{next_word[-3:]}", f"M{next_word[-2:]} {word[-2:]}",
            f"k{last} {word}", f"j{word} {next_word}",
        ])  # fmt: skip
    return rows


def tag_features(form: str, following: str, last: str, before: str) -> list[str]:
    """Return the features of the tags of the word before (`last`) and of the one before that (`before`)."""
    return [
        f"t{last}",
        f"u{last} {before}",
        f"v{last} {form}",
        f"T{last} {form[-3:]}",
        f"x{last} {following}",
    ]


class PerceptronTagger:
    """Tags from left to right, each word by the highest sum of its features' weights.

    `index` has the row of each feature in `weights`, (features, 17) whole multiples of 1/32, columns as `TAGS`; `closed`
    has "word TAG" of the treebank's function words and marks, words as of `forms`.
    """

    def __init__(
        self, language: str, index: dict[str, int], weights: NDArray[np.int32], closed: Iterable[str]
    ) -> None:
        self.language, self.index, self.weights, self.closed = language, index, weights, frozenset(closed)
        self._rows = np.vstack(
            [weights, np.zeros((1, len(TAGS)), np.int32)]
        )  # the last: features without weights

    def tag(self, words: Sequence[str]) -> list[str]:
        """Return the universal tag of each word and mark of one sentence, capitals kept."""
        low, tags, last, before = [*forms(words), ""], list[str](), "", ""

        def scores(features: Sequence[str]) -> NDArray[np.int64]:
            rows = [self.index.get(name, -1) for name in features]
            return self._rows[rows].sum(axis=0)

        for i, features in enumerate(word_features(words, self.language)):
            total = scores([*features, *tag_features(low[i], low[i + 1], last, before)])
            before, last = last, self._best(total, low[i])
            tags.append(last)
        return tags

    def _best(self, scores: NDArray[np.int64], form: str) -> str:
        """Return the tag of the highest score that the word may have."""
        best, is_word = TAGS[int(scores.argmax())], any(map(str.isalnum, form))
        is_function = best != "PUNCT" and form.rstrip("'") in stop_words(self.language)
        if f"{form} {best}" in self.closed or (is_word and (best not in CLOSED or is_function)):
            return best
        # A word that has none of these tags in the treebank gets another; a mark is PUNCT or SYM, or as it is there.
        others = [tag for tag in TAGS if tag not in CLOSED] if is_word else ["PUNCT", "SYM"]
        allowed = [tag in others or f"{form} {tag}" in self.closed for tag in TAGS]
        return TAGS[int(np.where(allowed, scores, np.iinfo(np.int64).min).argmax())]

    @classmethod
    def load(cls, path: Path, language: str) -> Self:
        """Read a file of weights, as `tools/tagger` writes it."""
        refuse_pointer(path)
        with np.load(path) as arrays:
            features, closed = (
                arrays[name].tobytes().decode().split("\n") for name in ("features", "closed")
            )
            index = {feature: row for row, feature in enumerate(features)}
            return cls(language, index, arrays["weights"].astype(np.int32), closed)


def languages() -> list[str]:
    """Return the languages that the package's own taggers exist for."""
    return sorted(path.stem for path in WEIGHTS.glob("*.npz"))


@cache
def load_tagger(language: str) -> PerceptronTagger:
    """Return the package's own tagger of `it` or `en`."""
    if language not in languages():
        known = ", ".join(languages())
        raise InputError(
            f"no part-of-speech tagger for {language!r}: choose one of {known}, or name other metrics than PNR, NR and PR"
        )
    return PerceptronTagger.load(WEIGHTS / f"{language}.npz", language)
