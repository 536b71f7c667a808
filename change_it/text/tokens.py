"""Words of a text: the Unicode tokenizer that every score and signature names `tok:unicode`."""

import re
import unicodedata
from collections.abc import Sequence

from change_it.text.folding import nfc

#: A text, or its words where they have been taken already.
Text = str | Sequence[str]

#: Scripts written without spaces between words, each letter of which counts as one: Thai, Lao, Burmese, Khmer, kana, Han.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uaa60-\uaa7f\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
#: A word between spaces, or a letter of a script without spaces, with the marks after it.
_PIECE = re.compile(rf"[{_UNSPACED}][^\w\s]*|[^\s{_UNSPACED}]+")
_LETTER, _MARK = rf"[^\W{_UNSPACED}]", r"[^\w\s]"
#: A word of a text in which only combining marks stand between letters and spaces.
_WORD = re.compile(rf"(?!{_LETTER})\w{_MARK}*|{_LETTER}(?:{_LETTER}|{_MARK})*")


def is_unspaced(word: str) -> bool:
    """Return whether a word is a letter of a script without spaces."""
    return _IS_UNSPACED.match(word) is not None


def length(text: str) -> int:
    """Count the words between spaces; scripts without spaces count by letters."""
    return len(_PIECE.findall(text))


def beginning(text: str, most: int) -> str:
    """Return the first words of a text between spaces, at most so many; of scripts without spaces the first letters.

    Examples:
        >>> beginning("Dell'Italia si parla", 2), beginning("桥梁倒塌，无人受伤", 4)
        ("Dell'Italia si", '桥梁倒塌，')
    """
    text = " ".join(text.split())
    ends = [match.end() for match in _PIECE.finditer(text)]
    return text[: ends[most - 1]] if len(ends) > most else text


class _LettersAndMarks(dict[int, str]):
    """Translation table: keeps letters, digits and combining marks, puts a NUL before those that do not split at spaces, drops invisible characters, maps the rest to a space."""

    def __missing__(self, code: int) -> str:
        character, category = chr(code), unicodedata.category(chr(code))
        if category in ("Mn", "Mc") and "VARIATION SELECTOR" not in unicodedata.name(character, ""):
            mapped = f"\0{character}"
        elif character.isalnum() or character == "_":
            mapped = f"\0{character}" if is_unspaced(character) else character
        else:
            mapped = "" if category == "Cf" else " "
        return self.setdefault(code, mapped)


_TABLE = _LettersAndMarks()


def words(text: str, *, underscores: bool = False) -> list[str]:
    """Return lower-cased maximal runs of letters and digits with their combining marks; apostrophes and other marks separate.

    Scripts without spaces between words count by letters. Canonically equal texts (NFC, NFD) have equal words; the Turkish İ is an i.

    Examples:
        >>> words("Perché l'Italia dice «sì» a 3 riforme?")
        ['perché', 'l', 'italia', 'dice', 'sì', 'a', '3', 'riforme']
        >>> words("पुल टूटा, 日本")
        ['पुल', 'टूटा', '日', '本']
    """
    text = nfc(text).lower().replace("i\u0307", "i")
    text = unicodedata.normalize("NFC", text).translate(_TABLE)
    text = text if underscores else text.replace("_", " ")
    return _WORD.findall(text.replace("\0", "")) if "\0" in text else text.split()


def words_of(texts: Sequence[Text]) -> list[Sequence[str]]:
    """Return the words of each text; lists of words stay as they are."""
    return [words(text) if isinstance(text, str) else text for text in texts]
