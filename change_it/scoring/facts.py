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

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from change_it.progress import ProgressOption
from change_it.scoring.evidence import Evidence, counted_noun, is_countable, measure_of, supports
from change_it.scoring.name_forms import aliases_of, forms_of, roman_number
from change_it.text.edits import Edit, FactKind
from change_it.text.folding import fold
from change_it.text.names import Casing, Headline
from change_it.text.numbers import AMBIGUOUS
from change_it.text.quotations import quotations
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


_NEXT = re.compile(r"[^\W_]+")
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

    def _quotations(self, headline: Headline, texts: Sequence[Evidence]) -> list[Unsupported]:
        return [
            _unsupported(headline, quotation.start, quotation.end, "quotation")
            for quotation in quotations(headline.text, self.language)
            if not quotation.stands_in([text.spoken for text in texts])
        ]

    def _numbers(self, headline: Headline, texts: Sequence[Evidence]) -> list[Unsupported]:
        unsupported = []
        for number in headline.numbers():
            first = next(i for i, piece in enumerate(headline.pieces) if piece.end > number.start)
            if not number.claimed or (
                headline.keys[first] in AMBIGUOUS and headline.tag(first) not in ("NUM", "")
            ):
                continue
            about = self._about(headline, first)
            counted, measure = counted_noun(headline.pieces, number), measure_of(headline.pieces, number)
            counts = {value for text in texts for value in text.counted.get(counted, ())}
            measures = {m for text in texts for value in number.values for m in text.measured.get(value, ())}
            other_count = (
                counts
                and number.values
                and not about
                and counts.isdisjoint(number.values)
                and number.units <= {"", "ordinal"}
                and all(map(is_countable, number.values))
            )
            other_measure = measure and measures and measures.isdisjoint((measure, ""))
            if other_count or other_measure or not any(supports(text, number, about) for text in texts):
                unsupported.append(_unsupported(headline, *headline.span(number.start, number.end), "number"))
        return unsupported

    def _about(self, headline: Headline, index: int) -> bool:
        """Whether a number is given as an approximation."""
        return bool(_ABOUT.intersection(headline.keys[max(0, index - 2) : index]))

    def _names(self, headline: Headline, texts: Sequence[Evidence]) -> list[Unsupported]:
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
            roman = roman_number(piece.text) if headline.case != "upper" else None
            if roman is not None and index and headline.pieces[index - 1].text[0].isupper():
                if any(roman in text.values for text in texts):
                    continue
                kind = "number"
            elif not headline.is_name(index, self.casing, small) or self._stands(headline, index, texts):
                continue
            unsupported.append(_unsupported(headline, *headline.span_of(index), kind))
        return unsupported

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
        word, piece = headline.keys[index], headline.pieces[index]
        forms = forms_of(word, self.language)
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
        aliases = aliases_of(self.language)
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


def read_unsupported(text: str) -> list[dict[str, Any]]:
    """Places of unsupported words in a headline, their `text`, and what the sources `rather` say; none where a table of unknown origin has something else there."""
    try:
        return [
            {end: max(0, int(words[end])) for end in ("start", "end")}
            | {name: str(words.get(name, "")) for name in ("text", "rather")}
            for words in json.loads(text)
        ]
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return []


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
