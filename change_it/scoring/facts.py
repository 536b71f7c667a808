"""Facts: every number, name and quotation of a new headline must stand in the texts that it was made from.

A number counts as supported if the same value with the same unit occurs in digits or in words; a name if it occurs in
any case and accents, as a plural or derived form, an acronym or the words behind one; a first name and a surname not if
the texts give them to different people; a quotation if its words do (see `text.quotations`). Languages without a tagger
(all but Italian and English): only digits are numbers, and only capitals inside a sentence are names. Who did what to
whom, and negation, rules do not ask; a model (`judges.support_model`) is asked about what they accept, and must accept it too.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Literal

from change_it.progress import ProgressOption
from change_it.text.folding import fold
from change_it.text.names import Casing, Headline, key
from change_it.text.numbers import AMBIGUOUS, Number, Piece, find_numbers, pieces
from change_it.text.quotations import Words, quotations
from change_it.text.stopwords import function_words
from change_it.text.tokens import words

if TYPE_CHECKING:  # loads torch
    from change_it.judges.support_model import SupportModel

FactKind = Literal["number", "name", "quotation"]
Found = tuple[int, int, FactKind]  # where something unsupported starts and ends in a headline
#: Of the rules, for signatures.
VERSION = "v4"
#: Texts whose words and numbers are kept.
KEPT = 64
#: Before a number that is not exact.
_ABOUT = frozenset(
    ["about", "nearly", "almost", "around", "roughly", "over", "than", "some", "least", "most", "circa", "quasi", "oltre", "almeno", "verso", "intorno", "approximately", "estimated", "upwards", "up", "di"]
)  # fmt: skip
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
#: Two words with capitals, one space between.
_TWO = re.compile(r"\b(?=([A-Z][^\W\d_]+) ([A-Z][^\W\d_]+)\b)")
#: Names that stand for each other: abbreviations and irregular forms; folded, lower case.
_SAME = {
    "it": """
        usa = us = stati uniti = america; ue = unione europea = europa; onu = nazioni unite;
        uk = gran bretagna = regno unito; inghilterra = inglese = inglesi;
        gran bretagna = britannico = britannici = britannica = britanniche;
        germania = tedesco = tedeschi = tedesca = tedesche;
        napoli = napoletano = napoletani = napoletana = napoletane;
        firenze = fiorentino = fiorentini = fiorentina = fiorentine;
        grecia = greco = greci = greca = greche; turchia = turco = turchi = turca = turche;
        svezia = svedese = svedesi; m5s = cinque stelle = grillini; covid = coronavirus
    """,
    "en": """
        us = usa = united states = america = american = americans;
        uk = britain = united kingdom = british; eu = european union = europe; un = united nations;
        gop = republican = republicans; dem = dems = democrat = democrats = democratic;
        repubs = republicans = republican; scotus = supreme court; potus = president;
        vp = vice president; pm = prime minister; ag = ags = attorney general = attorneys general;
        ig = inspector general; doj = justice department = department of justice;
        dod = pentagon = defense department; ceo = chief executive; da = district attorney;
        flotus = first lady; fed = federal reserve;
        obamacare = affordable care act = aca = health care law; nyc = ny = new york;
        la = los angeles; dc = washington; nyt = new york times; wapo = washpost = washington post;
        isis = isil = islamic state; covid = coronavirus; mideast = middle east; france = french;
        netherlands = dutch = holland; germany = german = germans; spain = spanish;
        turkey = turkish = turks; greece = greek = greeks; poland = polish; sweden = swedish;
        denmark = danish; switzerland = swiss; ireland = irish; england = english; sec = secretary;
        pres = president; gov = governor; rep = representative; sen = senator; gen = general;
        jan = january; feb = february; mar = march; apr = april; jun = june; jul = july;
        aug = august; sep = sept = september; oct = october; nov = november; dec = december
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


@dataclass(frozen=True)
class Unsupported:
    """A number, name or quotation that no text supports.

    Attributes:
        text: as the headline writes it.
        start: its offset in the headline.
        end: where it ends.
        kind: of the three.
    """

    text: str
    start: int
    end: int
    kind: FactKind


@dataclass(frozen=True)
class Facts:
    """The verdict on one headline.

    Attributes:
        supported: whether rules and model, if there is one, accept it.
        unsupported: what the rules refuse, in order; in a quotation that is not supported, its numbers and names are left out.
        p: the model's P(supported); None where it was not asked.
    """

    supported: bool
    unsupported: tuple[Unsupported, ...] = ()
    p: float | None = None


class Evidence:
    """The evidence of a text: its numbers with what they count and measure, its names and words."""

    def __init__(self, text: str, language: str) -> None:
        self.folded, self.language = fold(text), language
        self.pieces = pieces(self.folded)
        self.keys = [key(piece) for piece in self.pieces if piece.kind == "word"]
        self.words = frozenset(self.keys)
        self.values: dict[float | str, set[str]] = defaultdict(set)  # each with its units
        self.measured: dict[float | str, set[str]] = defaultdict(set)  # what each measures
        self.counted: dict[str, set[float | str]] = defaultdict(set)  # values by the noun that they count
        numbers = find_numbers(self.folded, language, self.pieces)
        self.vague = [number for number in numbers if not number.values]
        for number in numbers:
            counted = counted_noun(self.pieces, number)
            for value in number.values:
                self.values[value] |= number.units
                if number.claimed:
                    self.measured[value].add(measure_of(self.pieces, number))
                if counted and value != 1 and is_countable(value):
                    self.counted[counted].add(value)

    @cached_property
    def small(self) -> frozenset[str]:
        """Words that occur in lower case."""
        return frozenset(piece.text for piece in self.pieces if piece.kind == "word" and piece.text.islower())

    @cached_property
    def full_names(self) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
        """Words with a capital to those right behind them, and to those right before them; function words left out."""
        behind: dict[str, set[str]] = defaultdict(set)
        before: dict[str, set[str]] = defaultdict(set)
        for first, last in (map(str.lower, pair) for pair in _TWO.findall(self.folded)):
            if function_words(self.language).isdisjoint((first, last)):
                behind[first].add(last)
                before[last].add(first)
        return behind, before

    @cached_property
    def spoken(self) -> Words:
        """The words that it may say of a quotation."""
        return Words(self.folded)

    @cached_property
    def running(self) -> str:
        """The words, each between spaces."""
        return f" {' '.join(self.keys)} "

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
        every = [piece.text for piece in self.pieces if piece.kind != "mark"]
        initials = set()
        for skip in (True, False):
            row = [text for text in every if not (skip and text in functions)]
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


def is_countable(value: float | str) -> bool:
    """Whether a value is no year, time or sum that a text would round."""
    return isinstance(value, float) and 0 <= value < 1000


def _behind(pieces: Sequence[Piece], number: Number) -> Sequence[Piece]:
    """The piece right behind a number and the next one, of those that there are."""
    index = bisect_left(pieces, number.end, key=lambda piece: piece.start)
    return pieces[index : index + 2]


def counted_noun(pieces: Sequence[Piece], number: Number) -> str:
    """Stem of the word of four letters or more right behind a number: what it counts; empty without one."""
    word = "".join(piece.text.lower() for piece in _behind(pieces, number)[:1] if piece.kind == "word")
    return word[:-1].rstrip("e")[:7] if len(word) > 3 else ""


def measure_of(pieces: Sequence[Piece], number: Number) -> str:
    """The unit of measure of a number, perhaps behind a hyphen; empty without one."""
    words = [piece.text.lower() for piece in _behind(pieces, number)]
    return next((_MEASURES.get(word, "") for word in words[words[:1] == ["-"] :]), "")


def supports(text: Evidence, number: Number, about: bool) -> bool:
    """Whether a text has a number."""
    if not number.values:
        return any(
            number.least <= value < 10 * number.most and not 1900 <= value < 2100
            for value in text.values
            if isinstance(value, float)
        ) or any(number.least == other.least for other in text.vague)
    of_unit = [value for value, units in text.values.items() if _same_unit(number.units, units)]
    exact = [other for other in of_unit if isinstance(other, float)]
    return not number.values.isdisjoint(of_unit) or any(
        abs(other - value) <= (0.1 if about else 0.05) * abs(value) and (about or _rounded(other, value))
        for value in number.values
        if isinstance(value, float) and (about or value >= 1e6)
        for other in exact
    )


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


class FactChecker:
    """Checks headlines against texts and keeps what it has read of the latest texts.

    Attributes:
        language: `it`, `en`, or any other without a tagger.
        casing: how a corpus writes its words; without one the tagger and the capitals of a headline decide alone.
    """

    def __init__(self, language: str, casing: Casing | None = None) -> None:
        self.language, self.casing = language, casing
        self._read = lru_cache(KEPT)(lambda text: Evidence(text, language))

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
            (Unsupported(text='Milano', start=0, end=6, kind='name'), Unsupported(text='due', start=8, end=11, kind='number'))
        """
        texts = [self._read(text) for text in (source, article, reference_article) if text]
        headline = Headline(prediction, self.language)
        quoted: list[Found] = [
            (quotation.start, quotation.end, "quotation")
            for quotation in quotations(prediction, self.language)
            if not quotation.stands_in([text.spoken for text in texts])
        ]
        others = (
            (start, end, kind)
            for start, end, kind in chain(self._numbers(headline, texts), self._names(headline, texts))
            if not any(first < end and start < last for first, last, _ in quoted)
        )
        found = sorted(chain(quoted, others))
        unsupported = tuple(
            Unsupported(prediction[start:end], start, end, kind) for start, end, kind in found
        )
        return Facts(not unsupported, unsupported)

    def _numbers(self, headline: Headline, texts: Sequence[Evidence]) -> Iterator[Found]:
        for number in headline.numbers():
            first = next(i for i, piece in enumerate(headline.pieces) if piece.end > number.start)
            is_word = headline.keys[first] in AMBIGUOUS and headline.tag(first) not in ("NUM", "")
            if is_word or not number.claimed:
                continue
            about = bool(_ABOUT.intersection(headline.keys[max(0, first - 2) : first]))
            counted, measure = counted_noun(headline.pieces, number), measure_of(headline.pieces, number)
            counts = {value for text in texts for value in text.counted.get(counted, ())}
            measures = {m for text in texts for value in number.values for m in text.measured.get(value, ())}
            is_count = (
                number.values and number.units <= {"", "ordinal"} and all(map(is_countable, number.values))
            )
            other_count = is_count and counts and not about and counts.isdisjoint(number.values)
            other_measure = measure and measures and measures.isdisjoint((measure, ""))
            if other_count or other_measure or not any(supports(text, number, about) for text in texts):
                yield *headline.span(number.start, number.end), "number"

    def _names(self, headline: Headline, texts: Sequence[Evidence]) -> Iterator[Found]:
        small = {word for text in texts for word in text.small}
        for index, piece in enumerate(headline.pieces):
            if piece.kind != "word":
                continue
            if any(headline.keys[index] in text.words for text in texts):
                if self._crossed(headline, index, texts):
                    yield *headline.span_of(index), "name"
                continue
            roman = roman_number(piece.text) if headline.case != "upper" else None
            if roman is not None and index and headline.pieces[index - 1].text[0].isupper():
                if not any(roman in text.values for text in texts):
                    yield *headline.span_of(index), "number"
            elif headline.is_name(index, self.casing, small) and not self._stands(headline, index, texts):
                yield *headline.span_of(index), "name"

    def _crossed(self, headline: Headline, index: int, texts: Sequence[Evidence]) -> bool:
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

    def _stands(self, headline: Headline, index: int, texts: Sequence[Evidence]) -> bool:
        """Whether a text has a name in another form."""
        keys, word, written = headline.keys, headline.keys[index], headline.pieces[index].text
        forms, initials = forms_of(word, self.language), self._initials(headline, index)
        following = "".join(keys[index + 1 : index + 2])
        of_surname = self.casing is not None and self.casing.is_first_name(word, following)
        is_cut = following == "." and len(word) > 2  # Fla., Calif.
        is_acronym = len(word) <= 6 and (written.isupper() or self.language == "it")  # see `initials`
        mixed = any(map(str.isdigit, word)) or not written[1:].islower()
        squeezed = word.replace(".", "") if mixed else ""
        aliases = [
            f" {alias} "
            for start in range(max(0, index - 2), index + 1)
            for end in range(index + 1, index + 4)
            for alias in aliases_of(self.language).get(" ".join(keys[start:end]), ())
        ]
        return any(
            not forms.isdisjoint(text.words)
            or (of_surname and following in text.words)
            or (is_cut and f" {word}" in text.running)
            or any(alias in text.running for alias in aliases)
            or (len(squeezed) >= 4 and squeezed in text.squeezed)
            or (is_acronym and word in text.initials)
            or not initials.isdisjoint(text.abbreviations)
            for text in texts
        )

    def _initials(self, headline: Headline, index: int) -> set[str]:
        """First letters of the words in a row around a piece."""
        functions = function_words(self.language)
        pieces = enumerate(headline.pieces)
        row = [i for i, piece in pieces if piece.kind == "word" and headline.keys[i] not in functions]
        at = row.index(index)
        return {
            "".join(headline.keys[i][0] for i in row[start:end])
            for start in range(at + 1)
            for end in range(max(start + 2, at + 1), min(start + 6, len(row)) + 1)
            if headline.pieces[row[start]].text[0].isupper() and row[end - 1] - row[start] < 9
        }


def check_all_facts(
    predictions: Sequence[str],
    *,
    sources: Sequence[str],
    articles: Sequence[str],
    reference_articles: Sequence[str] | None = None,
    language: str,
    casing: Casing | None = None,
    model: "SupportModel | None" = None,
    progress: ProgressOption = False,
) -> list[Facts]:
    """`FactChecker.check` of n headlines; a text that several are held against is read once.

    A model is asked about those that the rules support and no text begins with; `progress` is its own.
    """
    checker = FactChecker(language, casing)
    references = [""] * len(predictions) if reference_articles is None else reference_articles
    items = list(zip(predictions, sources, articles, references, strict=True))
    checked = [Facts(True)] * len(items)
    # One event after the other, whatever the system and the direction.
    for index in sorted(range(len(items)), key=lambda index: min(filter(None, items[index][2:]), default="")):
        text, source, article, reference = items[index]
        checked[index] = checker.check(text, source=source, article=article, reference_article=reference)
    if model is not None:
        asked = [index for index, item in enumerate(items) if checked[index].supported and not _begins(*item)]
        given = model.probabilities(
            [predictions[index] for index in asked],
            [items[index][1:] for index in asked],
            language=language,
            progress=progress,
        )
        for index, p, accepted in zip(asked, given, model.accepts(given), strict=True):
            checked[index] = replace(checked[index], supported=bool(accepted), p=float(p))
    return checked


def _begins(headline: str, *texts: str) -> bool:
    """Whether a text begins with the headline, word for word: it says what the headline says."""
    of_headline = words(fold(headline))
    return bool(of_headline) and any(
        words(fold(text[: 2 * len(headline)]))[: len(of_headline)] == of_headline for text in texts
    )


@cache
def aliases_of(language: str) -> dict[str, tuple[str, ...]]:
    """For a name the others of its groups."""
    aliases: dict[str, set[str]] = {}
    for group in _SAME.get(language, "").split(";"):
        names = {name.strip() for name in group.split("=")}
        for name in names:
            aliases.setdefault(name, set()).update(names - {name})
    return {name: tuple(sorted(others)) for name, others in aliases.items()}


def forms_of(word: str, language: str) -> set[str]:
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


def roman_number(text: str) -> int | None:
    """The value of a Roman numeral of two letters or more."""
    if not _ROMAN.fullmatch(text):
        return None
    worth = [_ROMAN_WORTH[letter] for letter in text]
    return sum(-a if a < b else a for a, b in zip(worth, [*worth[1:], 0], strict=True))
