"""One spelling for texts that look alike: accents, full-width and superscript forms, look-alikes of other scripts."""

import re
import unicodedata

#: Control and invisible characters; those that join emojis and letters are none of them.
INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x9f\xad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffc\ufffe\uffff\ud800-\udfff]"
)
#: Kinds of one mark; Arabic separators of decimals and thousands.
MARKS = {
    **dict.fromkeys("‘’‚‛`´ʼ′", "'"),
    **dict.fromkeys("“”„‟«»‹›″", '"'),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    **dict(zip("٫٬", ".,", strict=True)),
}
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
#: Letters of other scripts that are drawn like Latin ones.
_LOOK_ALIKES = zip(
    "АВЕЅІЈКМНОРСТУХԜаеѕіјкмнорсԁһухԝвтΑΒΕΖΗΙΚΜΝΟΡΤΥΧαεικνορτυχłŁđĐıøØ",
    "ABESIJKMHOPCTYXWaesijkmhopcdhyxwbtABEZHIKMNOPTYXaeikvoptuxlLdDioO",
    strict=True,
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
        else:
            folded = character if pieces == character else "".join(self[ord(piece)] for piece in pieces)
        return self.setdefault(code, folded)


_TABLE = _Folding({ord(a): b for a, b in {**dict(_LOOK_ALIKES), **_SPELLINGS, **MARKS}.items()})


def nfc(text: str) -> str:
    """Return a text in Unicode's NFC, with the first 30 combining marks of a letter: many take the square of their time."""
    marks = "" if unicodedata.is_normalized("NFC", text) else "".join(filter(unicodedata.combining, {*text}))
    text = re.sub(f"([{marks}]{{30}})[{marks}]+", r"\1", text) if marks else text
    return unicodedata.normalize("NFC", text)


def composed(text: str) -> str:
    """Return a text in NFC without control and invisible characters."""
    return text if text.isascii() and text.isprintable() else nfc(INVISIBLE.sub("", text))


def fold(text: str) -> str:
    """Return a text without accents, invisible characters and look-alikes; capitals stay, all white space is a space."""
    return text.translate(_TABLE)


def fold_with_offsets(text: str) -> tuple[str, list[int]]:
    """Fold a text, and return for each folded character and for the end its offset in `text`."""
    pieces = [_TABLE[ord(character)] for character in text]
    offsets = [offset for offset, piece in enumerate(pieces) for _ in piece]
    return "".join(pieces), [*offsets, len(text)]
