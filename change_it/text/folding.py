"""Fold texts that look alike to one spelling: accents, full-width and superscript forms, look-alikes."""

import re
import unicodedata

#: Control and invisible characters; those that join emojis and letters are none of them.
INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x9f\xad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffc\ufffe\uffff\ud800-\udfff]"
)
#: Quotes, dashes and Arabic separators of decimals and thousands, and the one mark that stands for each.
MARKS = {
    **dict.fromkeys("‘’‚‛`´ʼ′", "'"),
    **dict.fromkeys("“”„‟«»‹›″", '"'),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    "٫": ".",
    "٬": ",",
}
#: Characters that are spelled by others.
_SPELLINGS = {
    "½": ".5",
    "¼": ".25",
    "¾": ".75",
    "ß": "ss",
    "æ": "ae",
    "Æ": "AE",
    "œ": "oe",
    "Œ": "OE",
    "…": ". ",
}
#: Letters that are drawn like plain Latin ones, most of them of other scripts.
_LOOK_ALIKES = str.maketrans(
    "АВЕЅІЈКМНОРСТУХԜаеѕіјкмнорсԁһухԝвтΑΒΕΖΗΙΚΜΝΟΡΤΥΧαεικνορτυχłŁđĐıøØ",
    "ABESIJKMHOPCTYXWaesijkmhopcdhyxwbtABEZHIKMNOPTYXaeikvoptuxlLdDioO",
)


class _Folding(dict[int, str]):
    """Maps a character to its folded form, for `str.translate`; filled as characters are met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        pieces = unicodedata.normalize("NFKD", character)
        if character.isspace():
            folded = " "
        elif character.isdecimal():
            folded = str(unicodedata.decimal(character))
        elif unicodedata.category(character) in ("Cf", "Mn", "Me") or character == "ـ":
            folded = ""
        elif pieces == character:
            folded = character
        else:
            folded = "".join(self[ord(piece)] for piece in pieces)
        return self.setdefault(code, folded)


_TABLE = _Folding({code: chr(plain) for code, plain in _LOOK_ALIKES.items()})
_TABLE.update(str.maketrans(_SPELLINGS))
_TABLE.update(str.maketrans(MARKS))


def nfc(text: str) -> str:
    """Return a text in Unicode's NFC, with at most 30 combining marks in a row.

    The time that a longer row takes grows with the square of its length.
    """
    if unicodedata.is_normalized("NFC", text):
        return text
    marks = "".join(character for character in set(text) if unicodedata.combining(character))
    if marks:
        text = re.sub(f"([{marks}]{{30}})[{marks}]+", r"\1", text)
    return unicodedata.normalize("NFC", text)


def composed(text: str) -> str:
    """Return a text in NFC without control and invisible characters."""
    if text.isascii() and text.isprintable():
        return text
    return nfc(INVISIBLE.sub("", text))


def fold(text: str) -> str:
    """Return a text without accents, invisible characters and look-alikes.

    Capitals stay, and white space becomes spaces.
    """
    return text.translate(_TABLE)


def fold_with_offsets(text: str) -> tuple[str, list[int]]:
    """Fold a text, and return for each folded character and for the end its offset in `text`."""
    pieces = []
    offsets = []
    for offset, character in enumerate(text):
        piece = _TABLE[ord(character)]
        pieces.append(piece)
        offsets += [offset] * len(piece)
    return "".join(pieces), [*offsets, len(text)]
