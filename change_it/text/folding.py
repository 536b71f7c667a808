"""One spelling for texts that look alike: accents, full-width and superscript forms, look-alikes of other scripts."""

import re
import unicodedata

#: Control and invisible characters; those that join emojis and letters are none of them.
INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x9f\xad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffc\ufffe\uffff\ud800-\udfff]"
)
#: Letters of other scripts that are drawn like Latin ones.
_LOOK_ALIKES = dict(
    zip(
        "АВЕЅІЈКМНОРСТУХԜаеѕіјкмнорсԁһухԝвтΑΒΕΖΗΙΚΜΝΟΡΤΥΧαεικνορτυχłŁđĐıøØ",
        "ABESIJKMHOPCTYXWaesijkmhopcdhyxwbtABEZHIKMNOPTYXaeikvoptuxlLdDioO",
        strict=True,
    )
)
_MARKS = {"½": ".5", "¼": ".25", "¾": ".75", "ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "…": ". "}
#: Kinds of one mark; Arabic separators of decimals and thousands.
MARKS = {
    **dict.fromkeys("‘’‚‛`´ʼ′", "'"),
    **dict.fromkeys("“”„‟«»‹›″", '"'),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    **dict(zip("٫٬", ".,", strict=True)),
}
_FIXED = {ord(a): b for a, b in {**_LOOK_ALIKES, **_MARKS, **MARKS}.items()}


class _Folding(dict[int, str]):
    """For `str.translate`; filled as characters are met."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = self._fold(chr(code))
        return folded

    def _fold(self, character: str) -> str:
        if ord(character) in _FIXED:
            return _FIXED[ord(character)]
        if character.isspace():
            return " "
        if character.isdecimal():
            return str(unicodedata.decimal(character))
        if unicodedata.category(character) in ("Cf", "Mn", "Me") or character == "ـ":
            return ""
        pieces = unicodedata.normalize("NFKD", character)
        return "".join(self[ord(piece)] for piece in pieces) if pieces != character else character


_TABLE = _Folding()


def nfc(text: str) -> str:
    """A text in Unicode's NFC; of more combining marks on a letter the first 30, as in its stream-safe format: many take the square of their time."""
    marks = "" if unicodedata.is_normalized("NFC", text) else "".join(filter(unicodedata.combining, {*text}))
    text = re.sub(f"([{marks}]{{30}})[{marks}]+", r"\1", text) if marks else text
    return unicodedata.normalize("NFC", text)


def composed(text: str) -> str:
    """A text as it looks: accents part of their letters (NFC), no control and invisible characters."""
    return text if text.isascii() and text.isprintable() else nfc(INVISIBLE.sub("", text))


def fold(text: str) -> str:
    """A text without accents, invisible characters and look-alikes; capitals stay, all white space is a space."""
    return text.translate(_TABLE)


def fold_with_offsets(text: str) -> tuple[str, list[int]]:
    """A folded text, and for each of its characters and for its end the offset in `text`."""
    pieces = [_TABLE[ord(character)] for character in text]
    offsets = [offset for offset, piece in enumerate(pieces) for _ in piece]
    return "".join(pieces), [*offsets, len(text)]
