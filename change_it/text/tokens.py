"""Split texts into words: the Unicode tokenizer that every score and signature names `tok:unicode`."""

import re
import unicodedata
from collections.abc import Sequence

from change_it.text.folding import nfc

#: A text, or its words where they have been taken already.
Text = str | Sequence[str]

#: Scripts written without spaces between words, each letter of which counts as one: Thai, Lao, Burmese,
#: Khmer, kana, Han.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uaa60-\uaa7f\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
#: A word between spaces, or a letter of a script without spaces, with the marks after it.
_PIECE = re.compile(rf"[{_UNSPACED}][^\w\s]*|[^\s{_UNSPACED}]+")
#: A letter or digit of a script with spaces.
_LETTER = rf"[^\W{_UNSPACED}]"
#: A combining mark, in a text that has no other marks.
_MARK = r"[^\w\s]"
#: A word of a text in which only combining marks stand between letters and spaces.
_WORD = re.compile(rf"(?!{_LETTER})\w{_MARK}*|{_LETTER}(?:{_LETTER}|{_MARK})*")


def is_unspaced(word: str) -> bool:
    """Tell whether a word is a letter of a script without spaces."""
    return _IS_UNSPACED.match(word) is not None


def count_unspaced(text: str) -> int:
    """Count the letters of scripts without spaces."""
    return len(_IS_UNSPACED.findall(text))


def length(text: str) -> int:
    """Count the words between spaces; scripts without spaces count by letters."""
    return len(_PIECE.findall(text))


def beginning(text: str, most: int) -> str:
    """Return the first words of a text between spaces, at most so many.

    Scripts without spaces count by letters.

    Examples:
        >>> beginning("Dell'Italia si parla", 2), beginning("桥梁倒塌，无人受伤", 4)
        ("Dell'Italia si", '桥梁倒塌，')
    """
    text = " ".join(text.split())
    ends = [match.end() for match in _PIECE.finditer(text)]
    return text[: ends[most - 1]] if len(ends) > most else text


class _LettersAndMarks(dict[int, str]):
    """A table for `str.translate` that leaves letters, digits, combining marks and spaces of a text.

    Invisible characters are dropped, and all others become a space. A NUL is put before combining marks and
    before letters of scripts without spaces, which spaces alone do not split right.
    """

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if category in ("Mn", "Mc") and "VARIATION SELECTOR" not in unicodedata.name(character, ""):
            mapped = f"\0{character}"
        elif character.isalnum() or character == "_":
            mapped = f"\0{character}" if is_unspaced(character) else character
        else:
            mapped = "" if category == "Cf" else " "
        return self.setdefault(code, mapped)


_TABLE = _LettersAndMarks()


def words(text: str, *, underscores: bool = False) -> list[str]:
    """Return the words of a text: lower-cased runs of letters and digits with their combining marks.

    Apostrophes and other marks separate words. Scripts without spaces between words count by letters.
    Canonically equal texts (NFC, NFD) have equal words; the Turkish İ is an i.

    Args:
        text: the text.
        underscores: whether an underscore belongs to a word; else it separates words.

    Examples:
        >>> words("Perché l'Italia dice «sì» a 3 riforme?")
        ['perché', 'l', 'italia', 'dice', 'sì', 'a', '3', 'riforme']
        >>> words("पुल टूटा, 日本")
        ['पुल', 'टूटा', '日', '本']
    """
    text = nfc(text).lower().replace("i\u0307", "i")
    text = unicodedata.normalize("NFC", text).translate(_TABLE)
    if not underscores:
        text = text.replace("_", " ")
    # `_TABLE` writes a NUL before letters and marks that spaces alone do not split right.
    if "\0" in text:
        return _WORD.findall(text.replace("\0", ""))
    return text.split()


def words_of(texts: Sequence[Text]) -> list[Sequence[str]]:
    """Return the words of each text; lists of words stay as they are."""
    return [words(text) if isinstance(text, str) else text for text in texts]
