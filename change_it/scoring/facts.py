"""Facts: every number, name and quotation of a new headline must stand in the texts that it was made from.

A number counts as supported if the same value with the same unit occurs in digits or in words; a name if it occurs in
any case and accents, as a plural or derived form, an acronym or the words behind one; a first name and a surname not if
the texts give them to different people; a quotation if its words do (see `text.quotations`). Languages without a tagger
(all but Italian and English): only digits are numbers, and only capitals inside a sentence are names. Who did what to
whom, and negation, rules do not ask; a model (`judges.facts_model`) is asked about what they accept, and must accept it too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Literal

from change_it.progress import ProgressOption
from change_it.scoring.evidence import Evidence, counted_noun, is_countable, measure_of, supports
from change_it.scoring.name_forms import aliases_of, forms_of, roman_number
from change_it.text.folding import fold
from change_it.text.names import Casing, Headline
from change_it.text.numbers import AMBIGUOUS
from change_it.text.quotations import quotations
from change_it.text.stopwords import function_words
from change_it.text.tokens import words

if TYPE_CHECKING:  # loads torch
    from change_it.judges.facts_model import FactsModel

FactKind = Literal["number", "name", "quotation"]
Found = tuple[int, int, FactKind]  # where something unsupported starts and ends in a headline
#: Of the rules, for signatures.
VERSION = "v4"
#: Texts whose words and numbers are kept.
KEPT = 64


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


_ABOUT = frozenset(
    ["about", "nearly", "almost", "around", "roughly", "over", "than", "some", "least", "most", "circa", "quasi", "oltre", "almeno", "verso", "intorno", "approximately", "estimated", "upwards", "up", "di"]
)  # fmt: skip


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
        small: frozenset[str] | None = None
        for index, piece in enumerate(headline.pieces):
            if piece.kind != "word":
                continue
            if any(headline.keys[index] in text.words for text in texts):
                if self._crossed(headline, index, texts):
                    yield *headline.span_of(index), "name"
                continue
            if small is None:
                small = frozenset().union(*(text.small for text in texts))
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
    model: "FactsModel | None" = None,
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
