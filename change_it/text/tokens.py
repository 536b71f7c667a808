"""Words of a text: the Unicode tokenizer that every score and signature names `tok:unicode`."""

import re
import unicodedata

from change_it.text.folding import nfc

#: Scripts written without spaces between words, each letter of which counts as one: Thai, Lao, Burmese, Khmer, kana, Han.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uaa60-\uaa7f\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_LETTER, _MARK = rf"[^\W{_UNSPACED}]", r"[^\w\s]"
#: Words of a text in which there are only marks between letters and spaces.
_WORD = re.compile(rf"(?!{_LETTER})\w{_MARK}*|{_LETTER}(?:{_LETTER}|{_MARK})*")
_OF_UNSPACED = re.compile(rf"[{_UNSPACED}]")


def is_unspaced(word: str) -> bool:
    """Whether a word is a letter of a script without spaces."""
    return _OF_UNSPACED.match(word) is not None


#: A word between spaces, or a letter of a script without spaces, with the marks after it.
_PIECE = re.compile(rf"[{_UNSPACED}][^\w\s]*|[^\s{_UNSPACED}]+")


def length(text: str) -> int:
    """Words of a text between spaces; scripts without spaces count by letters."""
    return len(_PIECE.findall(text))


def beginning(text: str, most: int) -> str:
    """The first words of a text between spaces, at most so many; of scripts without spaces the first letters.

    Examples:
        >>> beginning("Dell'Italia si parla", 2), beginning("桥梁倒塌，无人受伤", 4)
        ("Dell'Italia si", '桥梁倒塌，')
    """
    text = " ".join(text.split())
    ends = [match.end() for match in _PIECE.finditer(text)]
    return text[: ends[most - 1]] if len(ends) > most else text


class _LettersAndMarks(dict[int, str]):
    """For `str.translate`: letters, digits and combining marks stay, those that split otherwise than by spaces behind a NUL; what is invisible goes, all else is a space; filled as characters are met."""

    def __missing__(self, code: int) -> str:
        character, category = chr(code), unicodedata.category(chr(code))
        if category in ("Mn", "Mc") and "VARIATION SELECTOR" not in unicodedata.name(character, ""):
            self[code] = f"\0{character}"
        elif character.isalnum() or character == "_":
            self[code] = f"\0{character}" if is_unspaced(character) else character
        else:
            self[code] = "" if category == "Cf" else " "
        return self[code]


_TABLE = _LettersAndMarks()


def words(text: str, *, underscores: bool = False) -> list[str]:
    """Lower-cased maximal runs of letters and digits with their combining marks; apostrophes and other marks separate.

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
