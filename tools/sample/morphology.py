"""Let templates agree: Italian articles, contracted prepositions, elision, endings and numerals."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Gender = Literal["m", "f"]

_VOWEL = re.compile(r"h?[aeiouàèéìòù]", re.IGNORECASE)
_LO = re.compile(r"(s[bcdfghklmnpqrtvz]|z|chef|gn|p[sn]|x|y|i[aeou])", re.IGNORECASE)
_SPACES = re.compile(r" {2,}")
_BEFORE_MARK = re.compile(r" +([.,;:?!»])")
_BEFORE_EIGHT = re.compile(r"\b([Ii]|[Dd]e|[Aa]|da|ne|su)l (?=(?:8\d?|11|otto|undici)\b)")
_PLURAL_BEFORE_EIGHT = re.compile(r"\b([Ii]|[DdNn]ei|[AaDdSs]?[au]i) (?=(?:8[\d.]*|11|otto|undici)\b)")
_FEMININE = re.compile(r".*(a|ione|tà|tù|ice|udine)$")
_STEMS = {"di": "de", "a": "a", "da": "da", "in": "ne", "su": "su"}
_WRITTEN = (
    ("gli ", "m", True),
    ("le ", "f", True),
    ("i ", "m", True),
    ("il ", "m", False),
    ("lo ", "m", False),
    ("la ", "f", False),
)
_UNITS = [
    "zero",
    "uno",
    "due",
    "tre",
    "quattro",
    "cinque",
    "sei",
    "sette",
    "otto",
    "nove",
    "dieci",
    "undici",
    "dodici",
    "tredici",
    "quattordici",
    "quindici",
    "sedici",
    "diciassette",
    "diciotto",
    "diciannove",
    "venti",
]


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun phrase that articles, prepositions and participles can agree with.

    Attributes:
        text: the phrase without its article.
        gender: m or f.
        plural: whether it is a plural.
        proper: whether it takes no article (people, towns, streets).
        place: what stands for `a` and its article where Italian has an idiom (`in città`).

    Example:
        >>> Noun("ospedale", "m").with_preposition("di"), Noun("stadio", "m").with_preposition("in")
        ("dell'ospedale", 'nello stadio')
    """

    text: str
    gender: Gender
    plural: bool = False
    proper: bool = False
    place: str = ""

    @classmethod
    def parse(cls, written: str) -> "Noun":
        """Read a phrase written with its definite article; without one it is proper.

        After `l'` the gender is guessed from the first word's ending; a final `/m` or `/f` decides.

        Example:
            >>> Noun.parse("gli operai").plural, Noun.parse("l'assalto").gender
            (True, 'm')
            >>> Noun.parse("l'arma").indefinite
            "un'arma"
        """
        phrase, _, mark = written.strip().partition("/")
        for article, gender, plural in _WRITTEN:
            if phrase.startswith(article):
                return cls(phrase[len(article) :], "f" if gender == "f" else "m", plural)
        if phrase.startswith("l'"):
            text = phrase[2:]
            feminine = mark == "f" or (not mark and bool(_FEMININE.match(text.split()[0])))
            return cls(text, "f" if feminine else "m")
        return cls(phrase, "f" if mark == "f" else "m", proper=True)

    @property
    def definite(self) -> str:
        """Return it with the definite article: `il colpo`, `l'assalto`, `gli operai`."""
        return self.text if self.proper else definite_article(self.text, self.gender, self.plural) + self.text

    @property
    def indefinite(self) -> str:
        """Return it with the indefinite article: `uno sciopero`, `un'arma`, `alcuni operai`."""
        if self.proper:
            return self.text
        if self.plural:
            return ("alcune " if self.gender == "f" else "alcuni ") + self.text
        if self.gender == "f":
            return ("un'" if _VOWEL.match(self.text) else "una ") + self.text
        return ("uno " if _LO.match(self.text) else "un ") + self.text

    def with_preposition(self, preposition: str) -> str:
        """Return it with a preposition, contracted with the article where Italian does so, `ad` before a-."""
        if self.proper:
            if preposition == "a" and self.text[0] in "aA":
                preposition = "ad"
            return f"{preposition} {self.text}"
        if self.place and preposition == "a":
            return self.place
        stem = _STEMS.get(preposition)
        if stem is None:
            return f"{preposition} {self.definite}"
        article = definite_article(self.text, self.gender, self.plural)
        joined = stem + article if article[0] in "ig" else stem + "l" + article
        return joined.replace("eil ", "el ").replace("ail ", "al ").replace("uil ", "ul ") + self.text

    def ending(self, singular_masculine: str) -> str:
        """Return the ending that agrees: `o` is o, a, i or e; `e` is e or i; `è` and `ha` are conjugated."""
        if singular_masculine == "o":
            return (
                ("e" if self.gender == "f" else "i") if self.plural else ("a" if self.gender == "f" else "o")
            )
        plural = {
            "e": "i",
            "è": "sono",
            "ha": "hanno",
            "fa": "fanno",
            "viene": "vengono",
            "resta": "restano",
            "va": "vanno",
            "a": "ano",
        }
        return plural[singular_masculine] if self.plural else singular_masculine


@lru_cache(maxsize=100_000)
def definite_article(text: str, gender: Gender, plural: bool) -> str:
    """Return the definite article for `text`, with the space it needs after it.

    Example:
        >>> [definite_article(w, "m", False) for w in ("zaino", "albero", "gnomo", "sindaco")]
        ['lo ', "l'", 'lo ', 'il ']
    """
    vowel = bool(_VOWEL.match(text)) and not _LO.match(text)
    if gender == "f":
        return "le " if plural else ("l'" if _VOWEL.match(text) else "la ")
    if plural:
        return "gli " if vowel or _LO.match(text) else "i "
    return "l'" if vowel else ("lo " if _LO.match(text) else "il ")


def numeral(value: int, *, in_words: bool) -> str:
    """Return a cardinal number as a paper prints it.

    Numbers up to twenty and thousands are in words (`12 mila`), or all are in digits (`12mila`).

    Example:
        >>> [numeral(v, in_words=True) for v in (7, 31, 4500, 12000)], numeral(12000, in_words=False)
        (['sette', '31', '4.500', '12 mila'], '12mila')
    """
    if value >= 10_000 and value % 1000 == 0 and value < 1_000_000:
        return f"{value // 1000} mila" if in_words else f"{value // 1000}mila"
    if in_words and value <= 20:
        return _UNITS[value]
    return f"{value:,}".replace(",", ".")


def tidy(text: str) -> str:
    """Return a text without the spaces that an empty alternative leaves; articles fit eight and eleven.

    Example:
        >>> tidy("ieri  sera , pare ."), tidy("cede il 89 per cento dei 80 alunni")
        ('ieri sera, pare.', "cede l'89 per cento degli 80 alunni")
    """
    text = _SPACES.sub(" ", _BEFORE_MARK.sub(r"\1", text)).strip()
    text = _PLURAL_BEFORE_EIGHT.sub(
        lambda match: f"{match[1][:-1]}{'G' if match[1] == 'I' else 'g'}li ", text
    )
    return _BEFORE_EIGHT.sub(lambda match: {"i": "l'", "I": "L'"}.get(match[1], f"{match[1]}ll'"), text)


def sentence(text: str) -> str:
    """Return a text with a capital first letter, also after an opening quotation mark."""
    for index, character in enumerate(text):
        if character.isalnum():
            return text[:index] + character.upper() + text[index + 1 :]
    return text
