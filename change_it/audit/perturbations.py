"""Perturbations, systems that judges must reject: each spoils a good transfer, or makes a bad one, along one criterion (after Sai et al., EMNLP 2021).

A system is a function of an item with a reference, a random generator and the resources of the corpus, with a line above
it that names what it breaks; it returns a headline, or None where it does not apply. Of two systems judges of the other
fold choose the headlines.
"""

import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from inspect import getdoc
from itertools import chain, islice
from random import Random
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np

from change_it.corpus.folder import read_table
from change_it.hevas.baseline_systems import baseline
from change_it.judges.negatives import negate, swap_numbers, swap_roles
from change_it.scoring.item import Item, TestSet
from change_it.text.corruptions import CORRUPTIONS, Lexicon, Split, corrupt
from change_it.text.folding import fold
from change_it.text.names import Casing, Headline
from change_it.text.negation import contraries
from change_it.text.sentences import sentences
from change_it.text.stopwords import function_words, stop_words
from change_it.text.tokens import words
from change_it.text.typography import QUOTED, Typography

if TYPE_CHECKING:  # loads torch
    from change_it.scoring.judges import Judges

T = TypeVar("T")
Criterion = Literal["style", "content", "fluency", "facts"]
#: A function of an item, a random generator and the resources of the corpus.
Make = Callable[[Item, np.random.Generator, "Resources"], str | None]

#: Criterion to the judges of which one at least must refuse what breaks it.
JUDGES: dict[Criterion, tuple[str, ...]] = {
    "style": ("main",),
    "content": ("hh", "ah"),
    "fluency": ("fluency",),
    "facts": ("facts",),
}
#: Words with more letters count as long.
LONG = 3
#: Words of a list of key words.
KEYWORDS = 8
#: Headlines that words to exchange are taken from, at most.
READ = 1000
#: Letters behind which forms of one word differ.
ENDING = 2
#: Characters of an article that other names and numbers are taken from.
BEGINNING = 3000
#: Quotations that stand in no article.
INVENTED = {
    "it": ("Non è vero niente", "Nessuno ci ha avvertiti", "Lo sapevano tutti da tempo", "Rifarei tutto da capo"),
    "en": ("None of this is true", "Nobody ever warned us", "Everyone knew for years", "I would do it all again"),
}  # fmt: skip
#: Words and marks between a quotation and its speaker, at most.
ATTRIBUTION = 3
#: Draws before a change of all numbers or names is given up.
DRAWS = 12

#: An Italian word that is elided into the next one, which begins with a vowel.
_ELIDED = re.compile(r"[^\W\d_]['’]$")
_END_OF_SENTENCE = re.compile(r"[.;!?|–—]|\s-\s")

#: Claims of which hardly any article says anything.
ADDED: dict[str, tuple[str, ...]] = {
    "it": (", secondo gli esperti", ", si dimette il ministro", ", la procura indaga", " grazie a una petizione", ", rubati due camion", ", coinvolto un banchiere"),
    "en": (", experts say", ", minister resigns", ", prosecutors investigate", " thanks to a petition", ", two trucks stolen", ", banker involved"),
}  # fmt: skip


@dataclass
class Resources:
    """A corpus as the audit reads it: its test set, and the words and texts that perturbations use."""

    test: TestSet
    lexicon: Lexicon  # for corruptions
    casing: Casing  # how its articles write words
    language: str  # `it`, `en` or `none`

    @cached_property
    def words(self) -> dict[str, list[str]]:
        """Content words of headlines, by their endings."""
        headlines = self.lexicon.headlines
        splits = map(Split.of, headlines[:: max(1, len(headlines) // READ)])
        words: dict[str, list[str]] = {}
        for word in dict.fromkeys(word for split in splits for word in filter(self.is_content, split.words)):
            words.setdefault(word[-ENDING:], []).append(word)
        return words

    @cached_property
    def typography(self) -> dict[str, Typography]:
        """The typography of each outlet."""
        return {
            outlet: Typography.of(headlines) for outlet, headlines in self.test.training_headlines.items()
        }

    @cached_property
    def keywords(self) -> dict[str, list[str]]:
        """Article to its words of highest tf-idf."""
        distinct = list(dict.fromkeys(item.article for item in self.test.items))
        keywords = baseline("tfidf", distinct, n_words=KEYWORDS, language=self.language)
        return {article: text.split() for article, text in zip(distinct, keywords, strict=True)}

    @cached_property
    def cues(self) -> dict[str, list[str]]:
        """For each outlet the words that the other one's headlines have least, by how much more often it uses them."""
        (a, of_a), (b, of_b) = (
            (outlet, Counter(word for text in texts for word in {*Split.of(text).words}))
            for outlet, texts in self.test.training_headlines.items()
        )
        n_a, n_b = (max(1, len(texts)) for texts in self.test.training_headlines.values())
        ranked = sorted(of_a | of_b, key=lambda word: (of_b[word] / n_b - of_a[word] / n_a, word))
        return {a: ranked[:10], b: ranked[::-1][:10]}

    @cached_property
    def leads(self) -> dict[str, list[str]]:
        """Article to the first sentences of its neighbours."""
        articles = {item.id: item.article for item in self.test.items}
        table = read_table(self.test.name, "neighbours", "test", ["id", "own_id", "other_id"])
        return {
            id_: [sentence for each in others for sentence in sentences(articles.get(each, ""))[:1]]
            for id_, *others in table.iter_rows()
        }

    def read(self, headline: str) -> Headline:
        """The pieces of a headline."""
        return Headline(headline, self.language)

    def names(self, article: str) -> list[str]:
        """Names of an article's beginning, as it writes them; none where it has no capitals, or no others."""
        beginning = self.read(article[:BEGINNING])
        spans = beginning.full_names(self.casing) if beginning.case not in ("upper", "lower") else []
        return list(dict.fromkeys(beginning.words(*span) for span in spans))

    def is_content(self, word: str) -> bool:
        """Whether a word is in lower case, and neither a name nor a function word."""
        small = word.isalpha() and word.islower() and len(word) > LONG
        return small and not self.is_function(word) and not self.is_name(word)

    def is_function(self, word: str) -> bool:
        """Whether a word is a function word of the language."""
        return word.lower() in function_words(self.language)

    def is_name(self, word: str) -> bool:
        """Whether a lower-cased word has a capital in most articles."""
        return (self.casing.share(fold(word)) or 0.0) >= 0.5


@dataclass(frozen=True)
class Perturbation:
    """A system that judges must reject."""

    name: str  # in tables and files
    breaks: tuple[Criterion, ...]  # the criteria that its headlines break, the first one foremost
    # what a judge has learnt from that is made alike: a corruption (fluency), a change of `judges.negatives` (HH, AH),
    # `plain` (main's headlines set alike); empty where no judge has seen its like
    trained: str
    description: str  # what it does, one sentence
    make: Make = lambda item, random, resources: None  # the headline of an item; of chosen ones, none

    @property
    def judges(self) -> tuple[str, ...]:
        """The judges of which one at least should refuse its headlines."""
        return tuple(judge for criterion in self.breaks for judge in JUDGES[criterion])


PERTURBATIONS: dict[str, Perturbation] = {}


def breaks(*criteria: Criterion, trained: str = "") -> Callable[[Make], Make]:
    """Register a system under the name of its function, with its docstring; see `Perturbation`."""

    def register(make: Make) -> Make:
        name = make.__name__
        description = (getdoc(make) or "").partition("\n")[0]
        PERTURBATIONS[name] = Perturbation(name.replace("_", " "), criteria, trained, description, make)
        return make

    return register


def perturbed(
    items: Sequence[Item], system: Perturbation, resources: Resources, *, seed: int, at_most: int
) -> list[tuple[int, str]]:
    """The headlines of a system for the first items with a reference that it applies to, each with the index of its item.

    Every draw is decided by the seed and the names of system and item.
    """
    headlines: list[tuple[int, str]] = []
    for index, item in enumerate(items):
        if len(headlines) == at_most:
            break
        random = np.random.default_rng((seed, zlib.crc32(system.name.encode()), zlib.crc32(item.id.encode())))
        if item.reference and (text := system.make(item, random, resources)):
            headlines.append((index, text))
    return headlines


def with_cues(text: str, cues: Sequence[str]) -> str:
    """A text and three words that it lacks."""
    words = Split.of(text).words
    return " ".join([text, *[word for word in cues if word not in words][:3]])


# Style: the content stays, and so does the newspaper


@breaks("style", trained="plain")
def typography(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The original with the other newspaper's quotes, dashes, dots and capitals."""
    text = resources.typography[item.target].apply(item.source, resources.is_name)
    return text if text != item.source else None


@breaks("style")
def capitals(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The original in capitals."""
    return item.source.upper() if item.source.upper() != item.source else None


@breaks("style", "fluency")
def cue_words(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The original and three words that the other newspaper likes."""
    text = with_cues(item.source, resources.cues[item.target])
    return text if text != item.source else None


@breaks("style")
def first_sentence(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The first sentence of the original's article."""
    return next(iter(sentences(item.article)), None)


# Content: a headline of the other newspaper about something else


@breaks("content")
def names_spliced_in(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """Any training headline of the other newspaper, with the original's names for its own."""
    original = resources.read(item.source)
    names = [original.words(*span) for span in original.full_names(resources.casing)]
    for _ in range(DRAWS if names else 0):
        other = resources.read(_any(resources.test.training_headlines[item.target], random))
        spans = [other.span_of(*span) for span in other.full_names(resources.casing)[: len(names)]]
        text = other.text
        for name, (start, end) in reversed(list(zip(names, spans, strict=False))):
            text = text[:start] + name + text[end:]
        if spans:
            return text
    return None


@breaks("content", "facts", trained="negate")
def negated(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The other newspaper's headline says the contrary: a verb negated, or no more."""
    return negate(item.reference, _python(random), resources.language)


@breaks("content", "facts")
def contrary(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The other newspaper's headline with a word for its contrary: rises for falls, says for denies."""
    headline = resources.read(item.reference)
    changes = [
        (start, end, word)
        for start, end, word in contraries(headline)
        if not resources.is_function(item.reference[start:end])
    ]
    return headline.replaced(*_any(changes, random)) if changes else None


@breaks("content", "facts", trained="swap_roles")
def roles_swapped(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The other newspaper's headline with who did it and whom it was done to exchanged."""
    return swap_roles(item.reference, _python(random))


# Facts


@breaks("facts", trained="swap_numbers")
def numbers_changed(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The other newspaper's headline with every number changed."""

    def values(headline: Headline) -> set[float | str]:
        return {value for number in headline.numbers() if number.claimed for value in number.values}

    rng, headline = _python(random), resources.read(item.reference)
    old = values(headline)
    for _ in range(DRAWS if old else 0):
        changed = swap_numbers(headline.text, rng)
        if changed is None:
            return None
        headline = resources.read(changed)
        if not values(headline) & old:
            return changed
    return None


@breaks("facts", "content")
def numbers_mistaken(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The other newspaper's headline with every number exchanged for another one of the article."""
    headline, text = resources.read(item.reference), item.reference
    numbers = [number for number in headline.numbers() if number.claimed and number.values]
    values = {value for number in numbers for value in number.values}
    beginning = resources.read(item.article[:BEGINNING])
    mentioned = [other for other in beginning.numbers() if other.claimed and other.values] if numbers else []
    for number in reversed(numbers):
        others = [
            beginning.text[slice(*beginning.span(other.start, other.end))]
            for other in mentioned
            if other.units == number.units and values.isdisjoint(other.values)
        ]
        if not others:
            return None
        start, end = headline.span(number.start, number.end)
        new = _any(others, random).lower()
        text = text[:start] + (new if start else new[:1].upper() + new[1:]) + text[end:]
    return text if numbers else None


@breaks("facts", "content")
def name_mistaken(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The other newspaper's headline with one name exchanged for another one of the article."""
    headline = resources.read(item.reference)
    names, others = headline.full_names(resources.casing), _names_of(item.article, resources, headline)
    if not names or not others:
        return None
    start, end = headline.span_of(*_any(names, random))
    return _with_another(headline, start, end, others, random)


@breaks("facts", "content")
def speaker_exchanged(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The other newspaper's headline with its quotation given to somebody else of the article."""
    headline = resources.read(item.reference)
    if (speaker := _speaker(headline, resources)) is None:
        return None
    start, end, words = speaker
    others = _names_of(item.article, resources, headline, words=words)
    return _with_another(headline, start, end, others, random)


@breaks("facts")
def quotation_before(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """A quotation that nobody said, and then the other newspaper's headline."""
    quotation, text = _invented(item, random, resources), item.reference
    if not quotation:
        return None
    first = next(iter(Split.of(text).words), "")
    if not resources.is_name(first.lower()) and not (len(first) > 1 and first.isupper()):
        text = text[:1].lower() + text[1:]
    return f"{quotation}, {text}"


@breaks("facts")
def quotation_after(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The other newspaper's headline, and then somebody of the article says what nobody said."""
    quotation = _invented(item, random, resources)
    speakers = (
        _names_of(item.article, resources, resources.read(item.reference), words=2) if quotation else []
    )
    if not speakers:
        return None
    return f"{item.reference.rstrip('.')}, {_any(speakers, random).split()[-1]}: {quotation}"


@breaks("facts", "content")
def word_exchanged(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The other newspaper's headline with one word for a word of any headline, with the same ending."""
    split, texts = Split.of(item.reference), (item.source, item.article, item.reference_article)
    present = f" {' '.join(words(fold(' '.join(texts))))} {' '.join(words(fold(item.reference)))}"
    for index in random.permutation(len(split.words)).tolist():
        old = split.words[index]
        others = [word for word in resources.words.get(old[-ENDING:], ()) if f" {_stem(word)}" not in present]
        if others and resources.is_content(old):
            new = [*split.words[:index], _any(others, random), *split.words[index + 1 :]]
            return str(Split(new, split.gaps))
    return None


@breaks("facts")
def claim_added(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The other newspaper's headline, and then a claim of which no text says anything."""
    texts = set(words(fold(" ".join((item.source, item.article, item.reference_article)))))
    claims = [
        claim
        for claim in ADDED.get(resources.language, ())
        if not texts & (set(words(fold(claim))) - function_words(resources.language))
    ]
    return item.reference.rstrip(" .…") + _any(claims, random) if claims else None


# Fluency: the right words, and no headline


@breaks("fluency", trained="spliced")
def half_and_half(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The first half of the original and the second of the other newspaper's headline."""
    source, reference = item.source.split(), item.reference.split()
    if min(len(source), len(reference)) < 4:
        return None
    return " ".join([*source[: len(source) // 2], *reference[len(reference) // 2 :]])


@breaks("fluency", trained="spliced")
def random_ending(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The other newspaper's headline with the last three words of any headline for its own."""
    words, other = (
        item.reference.split(),
        _any(resources.test.training_headlines[item.target], random).split(),
    )
    return " ".join([*words[:-3], *other[-3:]]) if len(words) > 6 and len(other) > 3 else None


@breaks("fluency")
def misspelt(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The other newspaper's headline with two letters exchanged inside two words."""
    split = Split.of(item.reference)
    words = list(split.words)
    places = [index for index, word in enumerate(words) if len(word) > LONG + 2 and word.isalpha()]
    if len(places) < 2:
        return None
    for index in random.choice(places, 2, replace=False).tolist():
        word = words[index]
        at = int(random.integers(1, len(word) - 2))
        words[index] = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return str(Split(words, split.gaps)) if words != split.words else None


@breaks("fluency")
def foreign_words(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The other newspaper's headline with two function words of another language."""
    words = item.reference.split()
    if len(words) < 3 or resources.language == "none":
        return None
    other = "en" if resources.language == "it" else "it"
    inserted = sorted(word for word in stop_words(other) - stop_words(resources.language) if len(word) > LONG)
    for word in random.choice(inserted, 2, replace=False).tolist():
        words.insert(int(random.integers(1, len(words))), word)
    return " ".join(words)


@breaks("fluency")
def keyword_list(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The article's eight heaviest words between commas."""
    words = resources.keywords[item.article]
    return ", ".join(words) if len(words) > 2 else None


def _corrupted(name: str) -> Make:
    def make(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
        return corrupt(item.reference, name, random, resources.lexicon)

    changed = (getdoc(CORRUPTIONS[name]) or "").partition("\n")[0]
    make.__name__ = name
    make.__doc__ = f"The other newspaper's headline, damaged: {changed[:1].lower()}{changed[1:]}"
    return make


for _name in ("reversed_words", "neighbours", "looped"):  # those that fluency holds out of its training
    breaks("fluency")(_corrupted(_name))


#: Sentences of which judges of the other fold choose one for strict compliancy, as for the floor, and the fewest words of each.
SENTENCES, SENTENCE_WORDS = 16, 4
LEADS = Perturbation(
    f"best of {SENTENCES} lead sentences",
    ("style",),
    "",
    "Of the article's first sentences, then those that its neighbours begin with, the one that judges of the other fold choose.",
)
STYLED = Perturbation(
    "sentence with style words",
    ("style", "fluency"),
    "",
    "One of these sentences and three words that the other newspaper likes, chosen likewise.",
)


def chosen_headlines(
    items: Sequence[Item], resources: Resources, chooser: "Judges"
) -> dict[Perturbation, list[tuple[int, str]]]:
    """The headlines of `LEADS` and `STYLED`, each with the index of its item."""
    from change_it.generators.rerank import choose

    leads = [_leads(item, resources.leads.get(item.id, ())) for item in items]
    styled = [
        [with_cues(text.rstrip("."), resources.cues[item.target]) for text in texts]
        for item, texts in zip(items, leads, strict=True)
    ]
    made = {}
    for system, candidates in ((LEADS, leads), (STYLED, styled)):
        best = choose(chooser, candidates, items, language=resources.language)
        made[system] = [(row, candidates[row][place]) for row, place in enumerate(best) if place >= 0]
    return made


def _leads(item: Item, others: Iterable[str]) -> list[str]:
    found = chain(sentences(item.article), others)
    return list(
        islice(dict.fromkeys(text for text in found if len(text.split()) >= SENTENCE_WORDS), SENTENCES)
    )


def _names_of(
    article: str, resources: Resources, headline: Headline, *, words: int | None = None
) -> list[str]:
    """Different names of an article's beginning that share no word with a headline; of so many words each."""
    present = set(headline.keys)
    names = {name: resources.read(name).keys for name in resources.names(article)}
    return [name for name, keys in names.items() if words in (None, len(keys)) and present.isdisjoint(keys)]


def _with_another(
    headline: Headline, start: int, end: int, names: Sequence[str], random: np.random.Generator
) -> str | None:
    """The headline with one of the names from `start` to `end`: of those with a vowel first where the word before is elided."""
    if _ELIDED.search(headline.text[:start]):
        names = [name for name in names if fold(name)[0].lower() in "aeiouh"]
    return headline.replaced(start, end, _any(names, random)) if names else None


def _speaker(headline: Headline, resources: Resources) -> tuple[int, int, int] | None:
    """The name nearest to a quotation, in its sentence: where it starts and ends, and its words."""
    text = headline.text
    quotations = [match.span() for marks in QUOTED.values() for match in marks.finditer(text)]
    speakers = []
    for first, last in headline.full_names(resources.casing) if quotations else ():
        start, end = headline.span_of(first, last)
        if any(left < start < right for left, right in quotations):
            continue
        for left, right in quotations:
            gap = text[end:left] if end <= left else text[right:start]
            if len(gap.split()) <= ATTRIBUTION and not _END_OF_SENTENCE.search(gap):
                speakers.append((len(gap), (start, end, last - first)))
    return min(speakers)[1] if speakers else None


def _invented(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """Words that no text of an item has, between the marks of the outlet aimed at."""
    texts = fold(" ".join((item.source, item.article, item.reference, item.reference_article))).lower()
    quotations = [text for text in INVENTED.get(resources.language, ()) if fold(text).lower() not in texts]
    marks = resources.typography[item.target].quotes
    return f"{marks[0]}{_any(quotations, random)}{marks[1]}" if quotations else None


def _stem(word: str) -> str:
    """The common beginning of the forms of a word, folded."""
    return fold(word)[: max(LONG + 1, len(word) - ENDING)]


def _any(several: Sequence[T], random: np.random.Generator) -> T:
    return several[int(random.integers(len(several)))]


def _python(random: np.random.Generator) -> Random:
    return Random(int(random.integers(2**63)))
