"""Facts: every number, name and quotation of a new headline must stand in the texts that it was made from.

A number counts as supported if the same value with the same unit occurs in digits or in words; a name if it occurs in
any case and accents, as a plural or derived form, an acronym or the words behind one; a first name and a surname not if
the texts give them to different people; a quotation if its words do (see `text.quotations`). Who did what to whom, and
negation, are not asked. Languages without a tagger (all but Italian and English): only digits are numbers, and only
capitals inside a sentence are names.

Where the judges have a reader (`judges.reader`), a headline whose numbers, names and quotations all stand in the texts is
held against its smallest edits besides: it is supported where none of them fits the texts better, and where each word that
no text has is one that the reader expects in such a headline.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache, cached_property, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from change_it.progress import ProgressOption
from change_it.text.edits import Edit, FactKind
from change_it.text.folding import fold
from change_it.text.names import Casing, Headline, key
from change_it.text.numbers import AMBIGUOUS, Number, Piece, find_numbers, pieces
from change_it.text.quotations import Words, quotations
from change_it.text.stopwords import function_words
from change_it.text.tokens import words

if TYPE_CHECKING:  # loads torch
    from change_it.judges.reader import Reader

#: Of the rules, for signatures.
VERSION = "v4"
#: Texts whose words and numbers are kept.
KEPT = 64


@dataclass(frozen=True)
class Unsupported:
    """A number, name or quotation that no text supports, or what a reader refuses.

    Attributes:
        text: as the headline writes it.
        start: its offset in the headline.
        end: where it ends.
        kind: `number`, `name`, `quotation`, `negation` or `word`.
        rather: what the texts rather say there, by the reader; empty where the rules found that no text has it.
    """

    text: str
    start: int
    end: int
    kind: FactKind
    rather: str = ""

    def as_dict(self) -> dict[str, Any]:
        """What tables hold: the attributes, `rather` where it says something."""
        return {name: value for name, value in asdict(self).items() if value or name != "rather"}

    @property
    def words(self) -> str:
        """The text, and what the sources rather say: `Trump → Obama`."""
        return f"{self.text} → {self.rather}" if self.rather else self.text


@dataclass(frozen=True)
class Facts:
    """The verdict on one headline.

    Attributes:
        supported: whether every number, name and quotation is supported.
        unsupported: those that are not, in order; in a quotation that is not, its numbers and names are left out.
    """

    supported: bool
    unsupported: tuple[Unsupported, ...]


#: Names that stand for each other: abbreviations and irregular forms; folded, small letters, a line a group.
_SAME = {
    "it": """
        usa = us = stati uniti = america
        ue = unione europea = europa
        onu = nazioni unite
        uk = gran bretagna = regno unito
        inghilterra = inglese = inglesi
        gran bretagna = britannico = britannici = britannica = britanniche
        germania = tedesco = tedeschi = tedesca = tedesche
        napoli = napoletano = napoletani = napoletana = napoletane
        firenze = fiorentino = fiorentini = fiorentina = fiorentine
        grecia = greco = greci = greca = greche
        turchia = turco = turchi = turca = turche
        svezia = svedese = svedesi
        m5s = cinque stelle = grillini
        covid = coronavirus
    """,
    "en": """
        us = usa = united states = america = american = americans
        uk = britain = united kingdom = british
        eu = european union = europe
        un = united nations
        gop = republican = republicans
        dem = dems = democrat = democrats = democratic
        repubs = republicans = republican
        scotus = supreme court
        potus = president
        vp = vice president
        pm = prime minister
        ag = ags = attorney general = attorneys general
        ig = inspector general
        doj = justice department = department of justice
        dod = pentagon = defense department
        ceo = chief executive
        da = district attorney
        flotus = first lady
        fed = federal reserve
        obamacare = affordable care act = aca = health care law
        nyc = ny = new york
        la = los angeles
        dc = washington
        nyt = new york times
        wapo = washpost = washington post
        isis = isil = islamic state
        covid = coronavirus
        mideast = middle east
        france = french
        netherlands = dutch = holland
        germany = german = germans
        spain = spanish
        turkey = turkish = turks
        greece = greek = greeks
        poland = polish
        sweden = swedish
        denmark = danish
        switzerland = swiss
        ireland = irish
        england = english
        sec = secretary
        pres = president
        gov = governor
        rep = representative
        sen = senator
        gen = general
        jan = january
        feb = february
        mar = march
        apr = april
        jun = june
        jul = july
        aug = august
        sep = sept = september
        oct = october
        nov = november
        dec = december
    """,
}
#: Endings of what people, followers and languages are called after a place or a person, and of the place itself.
_DERIVED = {
    "it": [stem + end for stem in ("an", "ian", "itan", "in", "ist") for end in "oaie"]
    + ["ese", "esi", "ense", "ensi", "ismo", "olo", "oli", "ola", "ole"],
    "en": [
        stem + end
        for stem in ("an", "ian", "ese", "ish", "i", "ite", "er", "ic", "ist", "ism", "ization", "ite")
        for end in ("", "s")
    ],
}
_BASES = {"it": ["", "a", "e", "i", "o", "ia"], "en": ["", "a", "e", "o", "y", "ia"]}
_ROMAN = re.compile(r"(?=[IVXLC]{2})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_ROMAN_WORTH = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
#: What is measured: forms of one measure by its first. A number of one is no number of another.
_MEASURES = {
    form: forms[0]
    for forms in (
        ("seconds", "second", "secondi", "secondo"),
        ("minutes", "minute", "mins", "minuti", "minuto"),
        ("hours", "hour", "hrs", "ore", "ora"),
        ("days", "day", "nights", "night", "giorni", "giorno", "notti", "notte"),
        ("weeks", "week", "settimane", "settimana"),
        ("months", "month", "mesi", "mese"),
        ("years", "year", "yr", "yrs", "anni", "anno", "anniversario", "anniversary"),
        ("miles", "mile", "miglia"),
        ("km", "kilometers", "kilometres", "chilometri", "chilometro", "chilometrici"),
        ("feet", "foot", "ft", "piedi"),
        ("meters", "metres", "meter", "metri", "metro", "mt"),
        ("centimeters", "cm", "centimetri", "centimetro"),
        ("acres", "acre"), ("hectares", "ettari", "ettaro"),
        ("pounds", "lbs"), ("kg", "kilos", "chili", "chilo", "chilogrammi"), ("tons", "tonnes", "tonnellate"),
        ("degrees", "degree", "gradi", "grado"), ("liters", "litri", "litro"), ("gallons", "gallon"),
    )
    for form in forms
}  # fmt: skip
_NEXT = re.compile(r"[^\W_]+")
#: Two words with capitals, one space between.
_TWO = re.compile(r"\b(?=([A-Z][^\W\d_]+) ([A-Z][^\W\d_]+)\b)")
_ABOUT = frozenset(
    ["about", "nearly", "almost", "around", "roughly", "over", "than", "some", "least", "most", "circa", "quasi", "oltre", "almeno", "verso", "intorno", "approximately", "estimated", "upwards", "up", "di"]
)  # fmt: skip


@cache
def _aliases(language: str) -> dict[str, tuple[str, ...]]:
    """For a name the others of its groups."""
    aliases: dict[str, set[str]] = {}
    for line in _SAME.get(language, "").strip().splitlines():
        names = {name.strip() for name in line.split("=")}
        for name in names:
            aliases.setdefault(name, set()).update(names - {name})
    return {name: tuple(sorted(others)) for name, others in aliases.items()}


def _forms(word: str, language: str) -> set[str]:
    """Plurals of a name, and what may be derived from it or what it may be derived from."""
    forms = {word}
    derived, bases = _DERIVED.get(language, []), _BASES.get(language, [])
    if language == "en":
        forms |= {word + "s", word + "es", *map(word.removesuffix, ("s", "es", "n"))}
    elif language == "it" and len(word) > 4 and word[-1] in "aeio" and word.endswith(tuple(derived)):
        forms |= {word[:-1] + end for end in "aeio"}
    for ending in derived:
        root = word.removesuffix(ending)
        if root != word and len(root) >= (3 if len(ending) > 1 else 4):
            forms |= {root + base for base in bases}
    for base in bases:
        root = word.removesuffix(base)
        if len(root) >= 3:
            forms |= {root + ending for ending in derived}
    return forms


def _roman(text: str) -> int | None:
    """What a Roman numeral of two letters or more is worth."""
    if not _ROMAN.fullmatch(text):
        return None
    worth = [_ROMAN_WORTH[letter] for letter in text]
    return sum(-a if a < b else a for a, b in zip(worth, [*worth[1:], 0], strict=True))


def _countable(value: float | str) -> bool:
    """Whether a value is no year, time or sum that a text would round."""
    return isinstance(value, float) and 0 <= value < 1000


def _behind(pieces: Sequence[Piece], number: Number) -> Sequence[Piece]:
    """The piece right behind a number and the next one, of those that there are."""
    index = bisect_left(pieces, number.end, key=lambda piece: piece.start)
    return pieces[index : index + 2]


def _counted(pieces: Sequence[Piece], number: Number) -> str:
    """Stem of the word of four letters or more right behind a number: what it counts; empty without one."""
    word = "".join(piece.text.lower() for piece in _behind(pieces, number)[:1] if piece.kind == "word")
    return word[:-1].rstrip("e")[:7] if len(word) > 3 else ""


def _measure(pieces: Sequence[Piece], number: Number) -> str:
    """What a number measures, perhaps behind a hyphen; empty for anything but a measure."""
    words = [piece.text.lower() for piece in _behind(pieces, number)]
    return next((_MEASURES.get(word, "") for word in words[words[:1] == ["-"] :]), "")


class _Text:
    """What a text gives evidence for."""

    def __init__(self, text: str, language: str) -> None:
        self.folded, self.language = fold(text), language
        self.pieces = pieces(self.folded)
        self.words = frozenset(key(piece) for piece in self.pieces if piece.kind == "word")
        self.values: dict[float | str, set[str]] = {}
        self.vague: list[Number] = []
        #: Values by the noun that they count.
        self.counted: dict[str, set[float | str]] = {}
        #: What each value measures.
        self.measured: dict[float | str, set[str]] = {}
        for number in find_numbers(self.folded, language, self.pieces):
            for value in number.values:
                self.values.setdefault(value, set()).update(number.units)
                if number.claimed:
                    self.measured.setdefault(value, set()).add(_measure(self.pieces, number))
            if not number.values:
                self.vague.append(number)
            if counted := _counted(self.pieces, number):
                self.counted.setdefault(counted, set()).update(
                    value for value in number.values if value != 1 and _countable(value)
                )

    @cached_property
    def small(self) -> frozenset[str]:
        """Words that occur in small letters."""
        return frozenset(piece.text for piece in self.pieces if piece.kind == "word" and piece.text.islower())

    @cached_property
    def full_names(self) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
        """Words with a capital to those right behind them, and to those right before them; function words left out."""
        behind: dict[str, set[str]] = {}
        before: dict[str, set[str]] = {}
        functions = function_words(self.language)
        for first, last in _TWO.findall(self.folded):
            first, last = first.lower(), last.lower()
            if first not in functions and last not in functions:
                behind.setdefault(first, set()).add(last)
                before.setdefault(last, set()).add(first)
        return behind, before

    @cached_property
    def spoken(self) -> Words:
        """The words that it may say of a quotation."""
        return Words(self.folded)

    @cached_property
    def running(self) -> str:
        """The words, each between spaces."""
        return f" {' '.join(key(piece) for piece in self.pieces if piece.kind == 'word')} "

    @cached_property
    def squeezed(self) -> str:
        """The letters and digits alone."""
        return "".join(filter(str.isalnum, self.folded.lower()))

    @cached_property
    def abbreviations(self) -> frozenset[str]:
        """Words that may be an acronym: capitals, in Italian also a capital first (Pd, Cgil)."""
        return frozenset(
            key(piece)
            for piece in self.pieces
            if piece.kind == "word"
            and (piece.text.isupper() or (self.language == "it" and piece.text[0].isupper()))
        )

    @cached_property
    def initials(self) -> frozenset[str]:
        """First letters of two to six words in a row that may be a name, with and without function words."""
        functions = function_words(self.language)
        words = [piece for piece in self.pieces if piece.kind != "mark"]
        initials = set()
        for skip in (True, False):
            row = [piece.text for piece in words if not (skip and piece.text in functions)]
            for i, first in enumerate(row):
                if not first[0].isupper():
                    continue
                name = first[0]
                for other in row[i + 1 : i + 6]:
                    small = other[0].islower()
                    if not other[0].isalpha() or (small and skip and self.language != "it"):
                        break
                    name += other[0]
                    if not small or self.language == "it":
                        initials.add(name.lower())
        return frozenset(initials)


class FactChecker:
    """Checks headlines against texts and keeps what it has read of the latest texts.

    Attributes:
        language: `it`, `en`, or any other without a tagger.
        casing: how a corpus writes its words; without one the tagger and the capitals of a headline decide alone.
    """

    def __init__(self, language: str, casing: Casing | None = None) -> None:
        self.language, self.casing = language, casing
        self._read = lru_cache(KEPT)(lambda text: _Text(text, language))

    def check(self, prediction: str, *, source: str, article: str, reference_article: str = "") -> Facts:
        """Check one headline.

        Args:
            prediction: the new headline.
            source: the original headline.
            article: its article.
            reference_article: the article of the aligned headline of the other outlet; empty without one.

        Returns:
            The verdict, and what is unsupported, with its places.

        Examples:
            >>> checker = FactChecker("it")
            >>> checker.check("Milano, due feriti", source="Roma, tre feriti", article="Tre feriti a Roma.").unsupported
            (Unsupported(text='Milano', start=0, end=6, kind='name', rather=''), Unsupported(text='due', start=8, end=11, kind='number', rather=''))
        """
        texts = [self._read(text) for text in (source, article, reference_article) if text]
        headline = Headline(prediction, self.language)
        quoted = self._quotations(headline, texts)
        others = [
            other
            for other in chain(self._numbers(headline, texts), self._names(headline, texts))
            if not any(each.start < other.end and other.start < each.end for each in quoted)
        ]
        unsupported = sorted([*quoted, *others], key=lambda each: each.start)
        return Facts(not unsupported, tuple(unsupported))

    def _quotations(self, headline: Headline, texts: Sequence[_Text]) -> list[Unsupported]:
        return [
            _unsupported(headline, quotation.start, quotation.end, "quotation")
            for quotation in quotations(headline.text, self.language)
            if not quotation.stands_in([text.spoken for text in texts])
        ]

    def _numbers(self, headline: Headline, texts: Sequence[_Text]) -> list[Unsupported]:
        unsupported = []
        for number in headline.numbers():
            first = next(i for i, piece in enumerate(headline.pieces) if piece.end > number.start)
            if not number.claimed or (
                headline.keys[first] in AMBIGUOUS and headline.tag(first) not in ("NUM", "")
            ):
                continue
            about = self._about(headline, first)
            counted, measure = _counted(headline.pieces, number), _measure(headline.pieces, number)
            counts = {value for text in texts for value in text.counted.get(counted, ())}
            measures = {m for text in texts for value in number.values for m in text.measured.get(value, ())}
            other_count = (
                counts
                and number.values
                and not about
                and counts.isdisjoint(number.values)
                and number.units <= {"", "ordinal"}
                and all(map(_countable, number.values))
            )
            other_measure = measure and measures and measures.isdisjoint((measure, ""))
            if other_count or other_measure or not any(_supports(text, number, about) for text in texts):
                unsupported.append(_unsupported(headline, *headline.span(number.start, number.end), "number"))
        return unsupported

    def _about(self, headline: Headline, index: int) -> bool:
        """Whether a number is given as an approximation."""
        return bool(_ABOUT.intersection(headline.keys[max(0, index - 2) : index]))

    def _names(self, headline: Headline, texts: Sequence[_Text]) -> list[Unsupported]:
        unsupported = []
        small: frozenset[str] | None = None
        for index, piece in enumerate(headline.pieces):
            word = headline.keys[index]
            if piece.kind != "word":
                continue
            if any(word in text.words for text in texts):
                if self._crossed(headline, index, texts):
                    unsupported.append(_unsupported(headline, *headline.span_of(index), "name"))
                continue
            if small is None:
                small = frozenset().union(*(text.small for text in texts))
            kind: FactKind = "name"
            roman = _roman(piece.text) if headline.case != "upper" else None
            if roman is not None and index and headline.pieces[index - 1].text[0].isupper():
                if any(roman in text.values for text in texts):
                    continue
                kind = "number"
            elif not headline.is_name(index, self.casing, small) or self._stands(headline, index, texts):
                continue
            unsupported.append(_unsupported(headline, *headline.span_of(index), kind))
        return unsupported

    def _crossed(self, headline: Headline, index: int, texts: Sequence[_Text]) -> bool:
        """Whether a name stands behind one that the texts only have before others, as Hillary Trump does."""
        first, last = headline.pieces[index - 1], headline.pieces[index]
        if last.start - first.end != 1 or not (first.text[0].isupper() and last.text[0].isupper()):
            return False
        first_name, surname = headline.keys[index - 1], headline.keys[index]
        surnames = {name for text in texts for name in text.full_names[0].get(first_name, ())}
        first_names = {name for text in texts for name in text.full_names[1].get(surname, ())}
        if not surnames or not first_names or surname in surnames or surnames & first_names:
            return False
        return headline.is_name(index - 1, self.casing) and headline.is_name(index, self.casing)

    def _stands(self, headline: Headline, index: int, texts: Sequence[_Text]) -> bool:
        """Whether a text has a name in another form."""
        word, piece = headline.keys[index], headline.pieces[index]
        forms = _forms(word, self.language)
        if any(forms & text.words for text in texts):
            return True
        following = headline.keys[index + 1] if index + 1 < len(headline.keys) else ""
        if (
            self.casing is not None
            and self.casing.is_first_name(word, following)
            and any(following in text.words for text in texts)
        ):
            return True
        if following == "." and len(word) > 2 and any(f" {word}" in text.running for text in texts):
            return True  # Fla., Calif.
        aliases = _aliases(self.language)
        phrases = [
            " ".join(headline.keys[index - back : index + on])
            for back in (2, 1, 0)
            for on in (1, 2, 3)
            if index >= back
        ]
        if any(
            f" {alias} " in text.running
            for phrase in phrases
            for alias in aliases.get(phrase, ())
            for text in texts
        ):
            return True
        if any(map(str.isdigit, word)) or not piece.text[1:].islower():
            squeezed = word.replace(".", "")
            if len(squeezed) >= 4 and any(squeezed in text.squeezed for text in texts):
                return True
        acronym = piece.text.isupper() or self.language == "it"
        if acronym and any(word in text.initials for text in texts):
            return True
        return any(name in text.abbreviations for name in self._initials(headline, index) for text in texts)

    def _initials(self, headline: Headline, index: int) -> set[str]:
        """First letters of the words in a row around a piece."""
        functions = function_words(self.language)
        row = [
            i
            for i, piece in enumerate(headline.pieces)
            if piece.kind == "word" and headline.keys[i] not in functions
        ]
        at = row.index(index)
        return {
            "".join(headline.keys[i][0] for i in row[start:end])
            for start in range(at + 1)
            for end in range(max(start + 2, at + 1), min(start + 6, len(row)) + 1)
            if headline.pieces[row[start]].text[0].isupper() and row[end - 1] - row[start] < 9
        }


def _unsupported(headline: Headline, start: int, end: int, kind: FactKind) -> Unsupported:
    """What stands from `start` to `end` of a headline, which no text supports."""
    return Unsupported(headline.text[start:end], start, end, kind)


def _supports(text: _Text, number: Number, about: bool) -> bool:
    """Whether a text has a number."""
    if not number.values:
        return any(
            number.least <= value < 10 * number.most and not 1900 <= value < 2100
            for value in text.values
            if isinstance(value, float)
        ) or any(number.least == other.least for other in text.vague)
    for value in number.values:
        if value in text.values and _same_unit(number.units, text.values[value]):
            return True
        if isinstance(value, float) and (about or value >= 1e6):
            share = 0.1 if about else 0.05
            for other, units in text.values.items():
                if (
                    isinstance(other, float)
                    and abs(other - value) <= share * abs(value)
                    and (about or _rounded(other, value))
                    and _same_unit(number.units, units)
                ):
                    return True
    return False


def _rounded(exact: float, value: float) -> bool:
    """Whether a value, 1 or more, is the exact one with fewer digits."""
    behind_the_first = len(f"{value:.0f}".rstrip("0")) - 1
    return f"{exact:.{behind_the_first}e}" == f"{value:.{behind_the_first}e}"


def _same_unit(claimed: frozenset[str], units: set[str]) -> bool:
    """Whether one of the units claimed is among those of a text: none matches all but an ordinal, money and points match none."""
    return any(
        unit in units or ("" in units and unit not in ("%", "ordinal")) or (not unit and units != {"ordinal"})
        for unit in claimed
    )


def check_all_facts(
    predictions: Sequence[str],
    *,
    sources: Sequence[str],
    articles: Sequence[str],
    reference_articles: Sequence[str] | None = None,
    language: str,
    casing: Casing | None = None,
    reader: "Reader | None" = None,
    targets: Sequence[str] | None = None,
    progress: ProgressOption = False,
) -> list[Facts]:
    """`FactChecker.check` of n headlines; a text that several are held against is read once.

    A reader is asked about those that the rules support and no text begins with; it needs the n `targets`, the outlets that
    they are of, and `progress` is its own.
    """
    checker = FactChecker(language, casing)
    references = [""] * len(predictions) if reference_articles is None else reference_articles
    items = list(zip(predictions, sources, articles, references, strict=True))
    # One event after the other, whatever the system and the direction.
    events = [min(article, reference or article) for _, _, article, reference in items]
    checked = {}
    for index in sorted(range(len(items)), key=events.__getitem__):
        prediction, source, article, reference = items[index]
        checked[index] = checker.check(
            prediction, source=source, article=article, reference_article=reference
        )
    if reader is not None and targets is not None:
        doubtful = [
            index for index, item in enumerate(items) if checked[index].supported and not _begins(*item)
        ]
        readings = reader.read(
            [predictions[index] for index in doubtful],
            sources=[sources[index] for index in doubtful],
            articles=[articles[index] for index in doubtful],
            reference_articles=[references[index] for index in doubtful],
            targets=[targets[index] for index in doubtful],
            language=language,
            casing=casing,
            progress=progress,
        )
        for index, reading in zip(doubtful, readings, strict=True):
            if edit := reader.objection(reading):
                checked[index] = Facts(False, (_edited(predictions[index], edit),))
    return [checked[index] for index in range(len(items))]


def _begins(headline: str, *texts: str) -> bool:
    """Whether a text begins with the headline, word for word: it says what the headline says."""
    of_headline = words(fold(headline))
    return any(words(fold(text[: 2 * len(headline)]))[: len(of_headline)] == of_headline for text in texts)


def _edited(headline: str, edit: Edit) -> Unsupported:
    """What an edit changes, in whole words; of a word put in the word behind it."""
    start, end, rather = edit.start, edit.end, edit.new
    while start < end < len(headline) and headline[end].isalnum():  # to the end of the word
        rather, end = rather + headline[end], end + 1
    if start == end:
        following = _NEXT.search(headline, start) or _NEXT.search(headline)
        if following is not None:
            start, end = following.span()
            rather = f"{edit.new.strip()} {following[0]}" if start >= edit.start else edit.new.strip()
    return Unsupported(headline[start:end], start, end, edit.kind, rather)
