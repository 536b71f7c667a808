"""Systems that must fail: each spoils a good transfer, or makes a bad one, along one criterion (after Sai et al., EMNLP 2021).

A system is a function of an item, a random generator and what is known of the corpus, and a line above it that names
what it breaks; it returns a headline, or None where it does not apply.
"""

import re
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from inspect import getdoc
from itertools import pairwise
from random import Random
from typing import Literal

import numpy as np

from change_it.hevas.baseline_systems import baseline
from change_it.judges.negatives import name_pool, negate, swap_names, swap_numbers, swap_roles
from change_it.scoring.item import Item
from change_it.text.damage import FAMILIES, ITALIAN_GENDERS, Material, Split, damage
from change_it.text.edits import MEASURES, Mentions
from change_it.text.folding import fold
from change_it.text.names import Casing, Headline
from change_it.text.negation import contraries, like
from change_it.text.sentences import sentences
from change_it.text.stopwords import stop_words
from change_it.text.typography import QUOTED, Typography

Criterion = Literal["style", "content", "fluency", "facts"]
#: A function of an item, a random generator and what is known of the corpus.
Make = Callable[[Item, np.random.Generator, "Known"], str | None]

#: Criterion to the judges of which one at least must refuse what breaks it.
GUARDS: dict[Criterion, tuple[str, ...]] = {
    "style": ("main",),
    "content": ("hh", "ah"),
    "fluency": ("fluency",),
    "facts": ("facts",),
}
#: Words of a list of key words.
KEYWORDS = 8
#: Words with more letters count as long.
LONG = 3
#: Headlines that names to swap are taken from, at most.
NAMED = 1000
#: What nobody said.
INVENTED = {
    "it": ("Non è vero niente", "Nessuno ci ha avvertiti", "Lo sapevano tutti da tempo", "Rifarei tutto da capo"),
    "en": ("None of this is true", "Nobody ever warned us", "Everyone knew for years", "I would do it all again"),
}  # fmt: skip
#: What says that a headline is wrong.
DENIALS = {"it": "Smentito", "en": "Denied"}
#: Words and marks between a quotation and its speaker, at most.
ATTRIBUTION = 3
#: Draws before a change of all numbers or names is given up.
DRAWS = 12

#: An Italian word that is elided into the next one, which begins with a vowel.
_ELIDED = re.compile(r"[^\W\d_]['’]$")
_END_OF_SENTENCE = re.compile(r"[.;!?|–—]|\s-\s")
#: Before these an Italian masculine article is lo, gli, uno and the like.
_BEFORE_LO = re.compile(r"s[^aeiou]|[zxy]|gn|ps", re.IGNORECASE)
_MASCULINE: dict[str, list[str]] = {}
_FEMININE: dict[str, str] = {}
for _one, _other in map(str.split, ITALIAN_GENDERS.split(",")):
    _MASCULINE.setdefault(_other, []).append(_one)
    _FEMININE[_one] = _other


@dataclass(frozen=True)
class Perturbation:
    """A system that must fail.

    Attributes:
        name: in tables and files.
        breaks: the criteria that its headlines break, the first one foremost.
        description: what it does, one sentence.
        make: the headline of an item.
        allowed: share of its headlines that may pass all judges, for some come out right by chance.
    """

    name: str
    breaks: tuple[Criterion, ...]
    description: str
    make: Make
    allowed: float

    @property
    def guards(self) -> tuple[str, ...]:
        """The judges that ought to refuse its headlines."""
        return tuple(judge for criterion in self.breaks for judge in GUARDS[criterion])


PERTURBATIONS: dict[str, Perturbation] = {}


def breaks(*criteria: Criterion, allowed: float = 0.03) -> Callable[[Make], Make]:
    """Register a system under the name of its function, with its docstring.

    Args:
        criteria: that its headlines break, the first one foremost.
        allowed: share of them that may pass.
    """

    def register(make: Make) -> Make:
        name = make.__name__
        PERTURBATIONS[name] = Perturbation(
            name.replace("_", " "), criteria, (getdoc(make) or "").partition("\n")[0], make, allowed
        )
        return make

    return register


@dataclass
class Known:
    """What the systems know of a corpus.

    Attributes:
        material: for damage.
        casing: how its articles write words.
        training_headlines: of each outlet.
        articles: of the test set.
    """

    material: Material
    casing: Casing
    training_headlines: Mapping[str, Sequence[str]]
    articles: Sequence[str]

    @property
    def language(self) -> str:
        """`it`, `en` or `none`."""
        return self.material.language

    @cached_property
    def names(self) -> list[str]:
        """Names of people and places in headlines."""
        headlines = self.material.headlines[:: max(1, len(self.material.headlines) // NAMED)]
        return name_pool([self.read(headline) for headline in headlines], self.casing)

    @cached_property
    def typography(self) -> dict[str, Typography]:
        """How each outlet sets its headlines."""
        return {outlet: Typography.of(headlines) for outlet, headlines in self.training_headlines.items()}

    @cached_property
    def keywords(self) -> dict[str, list[str]]:
        """Article to its words of highest tf-idf."""
        distinct = list(dict.fromkeys(self.articles))
        found = baseline("tfidf", distinct, n_words=KEYWORDS, language=self.language)
        return {article: text.split() for article, text in zip(distinct, found, strict=True)}

    @cached_property
    def cues(self) -> dict[str, list[str]]:
        """For each outlet the words that the other one's headlines have least, by how much more often it uses them."""
        counts = {
            outlet: Counter(word for h in headlines for word in set(Split.of(h).words))
            for outlet, headlines in self.training_headlines.items()
        }
        sizes = {outlet: max(1, len(headlines)) for outlet, headlines in self.training_headlines.items()}
        one, other = counts
        gaps = {
            word: counts[one][word] / sizes[one] - counts[other][word] / sizes[other]
            for word in counts[one] | counts[other]
        }
        ranked = sorted(gaps, key=lambda word: (-gaps[word], word))
        return {one: ranked[:10], other: ranked[::-1][:10]}

    def read(self, headline: str) -> Headline:
        """The pieces of a headline."""
        return Headline(headline, self.language)

    def mentions(self, article: str) -> Mentions:
        """Names and numbers of an article's beginning."""
        return Mentions.of([article], self.language, self.casing)

    def is_name(self, word: str) -> bool:
        """Whether a lower-cased word has a capital in most articles."""
        return (self.casing.share(fold(word)) or 0.0) >= 0.5


def perturbed(
    items: Sequence[Item], system: Perturbation, known: Known, *, seed: int, at_most: int
) -> list[tuple[int, str]]:
    """The headlines of a system for the first items that it applies to.

    Args:
        items: in the order in which they are tried.
        system: makes the headlines.
        known: of the corpus.
        seed: with the names of system and item it decides every draw.
        at_most: headlines wanted.

    Returns:
        Places of items, and their headlines.
    """
    found: list[tuple[int, str]] = []
    for place, item in enumerate(items):
        if len(found) == at_most:
            break
        random = np.random.default_rng((seed, zlib.crc32(system.name.encode()), zlib.crc32(item.id.encode())))
        if text := system.make(item, random, known):
            found.append((place, text))
    return found


# Style: the content stays, and so does the newspaper


@breaks("style")
def copy(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The original as it is."""
    return item.source


@breaks("style")
def one_word_changed(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The original with one word in small letters replaced by one of the other newspaper's."""
    split = Split.of(item.source)
    places = [place for place, word in enumerate(split.words) if len(word) > LONG and word.islower()]
    if not places:
        return None
    other = Split.of(_any(known.training_headlines[item.target], random))
    words = [word for word in other.words if len(word) > LONG and word.islower() and word not in split.words]
    if not words:
        return None
    place = int(random.choice(places))
    return str(
        Split([*split.words[:place], str(random.choice(words)), *split.words[place + 1 :]], split.gaps)
    )


@breaks("style")
def typography(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The original with the other newspaper's quotes, dashes, dots and capitals."""
    text = known.typography[item.target].apply(item.source, known.is_name)
    return text if text != item.source else None


@breaks("style")
def capitals(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The original in capitals."""
    return item.source.upper() if item.source.upper() != item.source else None


@breaks("style", "fluency")
def cue_words(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The original and three words that the other newspaper likes."""
    words = [word for word in known.cues[item.target] if word not in Split.of(item.source).words]
    return " ".join([item.source, *words[:3]]) if words else None


@breaks("style")
def first_sentence(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The first sentence of the original's article."""
    return next(iter(sentences(item.article)), None)


@breaks("style", "fluency")
def original_twice(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The original, twice."""
    return f"{item.source} {item.source}"


# Content: a headline of the other newspaper that tells something else


@breaks("content")
def random_target(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """Any training headline of the other newspaper."""
    return _any(known.training_headlines[item.target], random)


@breaks("content")
def names_spliced_in(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """Any training headline of the other newspaper, with the original's names for its own."""
    original = known.read(item.source)
    names = [original.words(*span) for span in original.full_names(known.casing)]
    for _ in range(DRAWS if names else 0):
        other = known.read(_any(known.training_headlines[item.target], random))
        found = other.full_names(known.casing)[: len(names)]
        if not found:
            continue
        text = other.text
        for name, (first, last) in reversed(list(zip(names, found, strict=False))):
            start, end = other.span(other.pieces[first].start, other.pieces[last - 1].end)
            text = text[:start] + name + text[end:]
        return text
    return None


@breaks("content", "style")
def late_sentence(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """A sentence of the last third of the original's article."""
    found = list(sentences(item.article))
    late = found[-(len(found) // 3) :] if len(found) > 2 else []
    return _any(late, random) if late else None


@breaks("content", "facts", allowed=0.10)
def negated(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The other newspaper's headline says the contrary: a verb negated, or no more."""
    return _negative(item, partial(negate, rng=_python(random)), known)


@breaks("content", "facts", allowed=0.10)
def contrary(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The other newspaper's headline with a word for its contrary: rises for falls, says for denies."""
    changes = [
        change
        for change in contraries(known.read(item.reference))
        if not known.material.is_function(item.reference[change[0] : change[1]])
    ]
    if not changes:
        return None
    start, end, new = changes[int(random.integers(len(changes)))]
    return item.reference[:start] + new + item.reference[end:]


@breaks("content", "facts")
def denied(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The other newspaper's headline after a word that denies it."""
    if known.language not in DENIALS or not item.reference:
        return None
    return known.typography[item.target].apply(f"{DENIALS[known.language]}: {item.reference}", known.is_name)


@breaks("content", "facts", allowed=0.10)
def roles_swapped(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The other newspaper's headline with who did it and whom it was done to exchanged."""
    return _negative(item, partial(swap_roles, rng=_python(random), casing=known.casing), known)


# Facts


@breaks("facts", allowed=0.10)
def numbers_changed(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The other newspaper's headline with every number changed."""

    def values(text: str) -> set[float | str]:
        return {value for number in known.read(text).numbers() if number.claimed for value in number.values}

    rng, text, old = _python(random), item.reference, values(item.reference)
    for _ in range(DRAWS if old else 0):
        changed = swap_numbers(known.read(text), rng)
        if changed is None:
            return None
        text = changed
        if not values(text) & old:
            return text
    return None


@breaks("facts", "content", allowed=0.10)
def numbers_mistaken(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The other newspaper's headline with every number exchanged for another one of the article."""
    headline, text = known.read(item.reference), item.reference
    numbers = [number for number in headline.numbers() if number.claimed and number.values]
    values = {value for number in numbers for value in number.values}
    mentioned = known.mentions(item.article).numbers if numbers else ()
    for number in reversed(numbers):
        others = [
            written
            for written, other in mentioned
            if other.units == number.units and values.isdisjoint(other.values)
        ]
        if not others:
            return None
        start, end = headline.span(number.start, number.end)
        new = _any(others, random).lower()
        text = text[:start] + (new if start else new[:1].upper() + new[1:]) + text[end:]
    return text if numbers else None


@breaks("facts", allowed=0.10)
def names_swapped(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The other newspaper's headline with every name swapped for another."""

    def names(text: str) -> set[str]:
        headline = known.read(text)
        return {headline.keys[place] for place in headline.names(known.casing)}

    rng, text, old = _python(random), item.reference, names(item.reference)
    for _ in range(DRAWS if old else 0):
        changed = swap_names(known.read(text), rng, known.names, known.casing)
        if changed is None:
            return None
        text = changed
        if not names(text) & old:
            return text
    return None


@breaks("facts", allowed=0.10)
def measures_changed(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The other newspaper's headline with years for months, kilometres for metres and the like."""
    headline = known.read(item.reference)
    ends = {number.end for number in headline.numbers()}
    for before, piece in pairwise(headline.pieces):
        other = MEASURES.get(known.language, {}).get(piece.text.lower())
        if other and before.end in ends:
            start, end = headline.span(piece.start, piece.end)
            return headline.text[:start] + other + headline.text[end:]
    return None


@breaks("facts", allowed=0.10)
def surnames_exchanged(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The other newspaper's headline with another surname of the article behind a first name."""
    headline = known.read(item.reference)
    whole = [span for span in headline.full_names(known.casing) if span[1] - span[0] == 2]
    others = _names_of(item.article, known, headline, words=2)
    if not whole or not others:
        return None
    last = whole[int(random.integers(len(whole)))][1] - 1
    start, end = headline.span(headline.pieces[last].start, headline.pieces[last].end)
    return headline.text[:start] + _any(others, random).split()[-1] + headline.text[end:]


@breaks("facts", "content", allowed=0.10)
def name_mistaken(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The other newspaper's headline with one name exchanged for another one of the article."""
    headline = known.read(item.reference)
    names, others = headline.full_names(known.casing), _names_of(item.article, known, headline)
    if not names or not others:
        return None
    first, last = names[int(random.integers(len(names)))]
    start, end = headline.span(headline.pieces[first].start, headline.pieces[last - 1].end)
    return _with_another(headline.text, start, end, others, random)


@breaks("facts", "content", allowed=0.10)
def speaker_exchanged(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The other newspaper's headline with its quotation given to somebody else of the article."""
    headline = known.read(item.reference)
    if (speaker := _speaker(headline, known)) is None:
        return None
    start, end, words = speaker
    others = _names_of(item.article, known, headline, words=words)
    return _with_another(item.reference, start, end, others, random)


@breaks("facts")
def quotation_before(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """A quotation that nobody said, and then the other newspaper's headline."""
    said, text = _invented(item, random, known), item.reference
    if not said or not text:
        return None
    first = Split.of(text).words[0] if Split.of(text).words else ""
    if not known.is_name(first.lower()) and not (len(first) > 1 and first.isupper()):
        text = text[:1].lower() + text[1:]
    return f"{said}, {text}"


@breaks("facts")
def quotation_after(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The other newspaper's headline, and then somebody of the article says what nobody said."""
    said = _invented(item, random, known)
    speakers = _names_of(item.article, known, known.read(item.reference), words=2) if said else []
    if not speakers or not item.reference:
        return None
    return f"{item.reference.rstrip('.')}, {_any(speakers, random).split()[-1]}: {said}"


# Fluency: the right words, and no headline


@breaks("fluency")
def long_words(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The other newspaper's headline without its words of three letters or less."""
    split = Split.of(item.reference)
    kept = [place for place, word in enumerate(split.words) if len(word) > LONG]
    return str(split.keep(kept)) if 1 < len(kept) < len(split.words) else None


@breaks("fluency")
def not_in_the_middle(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The other newspaper's headline with a "not" in the middle."""
    split = Split.of(item.reference)
    middle = len(split.words) // 2
    if middle < 2 or split.gaps[middle].strip():
        return None
    word = "non" if known.language == "it" else "not"
    return str(
        Split(
            [*split.words[:middle], word, *split.words[middle:]],
            [*split.gaps[:middle], split.gaps[middle], " ", *split.gaps[middle + 1 :]],
        )
    )


@breaks("fluency")
def gold_twice(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The other newspaper's headline, twice."""
    return f"{item.reference} {item.reference}" if item.reference else None


@breaks("fluency")
def half_and_half(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The first half of the original and the second of the other newspaper's headline."""
    one, other = item.source.split(), item.reference.split()
    if min(len(one), len(other)) < 4:
        return None
    return " ".join([*one[: len(one) // 2], *other[len(other) // 2 :]])


@breaks("fluency")
def two_headlines(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The original and the other newspaper's headline in a row."""
    return f"{item.source.rstrip('.')} {item.reference}" if item.reference else None


@breaks("fluency")
def random_ending(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The other newspaper's headline with the last three words of any headline for its own."""
    words, other = item.reference.split(), _any(known.training_headlines[item.target], random).split()
    return " ".join([*words[:-3], *other[-3:]]) if len(words) > 6 and len(other) > 3 else None


@breaks("fluency")
def first_and_last_words(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The article's first five words and its last five."""
    words = item.article.split()
    return " ".join([*words[:5], *words[-5:]]).rstrip(".") if len(words) > 10 else None


@breaks("fluency")
def misspelt(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The other newspaper's headline with two letters exchanged inside two words."""
    split = Split.of(item.reference)
    words = list(split.words)
    places = [place for place, word in enumerate(words) if len(word) > LONG + 2 and word.isalpha()]
    if len(places) < 2:
        return None
    for place in random.choice(places, 2, replace=False).tolist():
        word = words[place]
        at = int(random.integers(1, len(word) - 2))
        words[place] = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return str(Split(words, split.gaps)) if words != split.words else None


@breaks("fluency")
def foreign_words(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The other newspaper's headline with two function words of another language."""
    words = item.reference.split()
    if len(words) < 3 or known.language == "none":
        return None
    other = "en" if known.language == "it" else "it"
    inserted = sorted(word for word in stop_words(other) - stop_words(known.language) if len(word) > LONG)
    for word in random.choice(inserted, 2, replace=False).tolist():
        words.insert(int(random.integers(1, len(words))), word)
    return " ".join(words)


@breaks("fluency")
def wrong_gender(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The other newspaper's headline, in Italian, with articles of the wrong gender."""
    split = Split.of(item.reference)
    words, tags = list(split.words), known.material.tags(split.words)
    for place, (word, following) in enumerate(pairwise(split.words) if known.language == "it" else ()):
        low = word.lower()
        if tags[place] in ("DET", "ADP") and (low in _MASCULINE or low in _FEMININE):
            masculine = _MASCULINE.get(low, [""])[-1 if _BEFORE_LO.match(following) else 0]
            words[place] = like(word, _FEMININE.get(low) or masculine)
    return str(Split(words, split.gaps)) if words != split.words else None


@breaks("fluency")
def heavy_words_sorted(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The article's eight heaviest words in the order of the alphabet."""
    words = known.keywords[item.article]
    return " ".join(sorted(words, key=str.lower)) if len(words) > 2 else None


@breaks("fluency")
def keyword_list(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """The article's eight heaviest words between commas."""
    words = known.keywords[item.article]
    return ", ".join(words) if len(words) > 2 else None


def _damaged(name: str) -> Make:
    def make(item: Item, random: np.random.Generator, known: Known) -> str | None:
        return damage(item.reference, name, random, known.material) if item.reference else None

    made = (getdoc(FAMILIES[name]) or "").partition("\n")[0]
    make.__name__, make.__doc__ = (
        name,
        f"The other newspaper's headline, damaged: {made[:1].lower()}{made[1:]}",
    )
    return make


for _family in (
    "shuffled",
    "reversed_words",
    "neighbours",
    "telegram",
    "looped",
    "foreign",
    "agreement",
    "cut_start",
    "cut_end",
):
    breaks("fluency")(_damaged(_family))


def _negative(item: Item, change: Callable[[Headline], str | None], known: Known) -> str | None:
    return change(known.read(item.reference)) if item.reference else None


def _names_of(article: str, known: Known, headline: Headline, *, words: int | None = None) -> list[str]:
    """Different names of an article's beginning that share no word with a headline; of so many words each."""
    present = set(headline.keys)
    names = {name: known.read(name).keys for name in known.mentions(article).names}
    return [name for name, keys in names.items() if words in (None, len(keys)) and present.isdisjoint(keys)]


def _with_another(
    text: str, start: int, end: int, names: Sequence[str], random: np.random.Generator
) -> str | None:
    """The text with one of the names from `start` to `end`: of those with a vowel first where the word before is elided."""
    if _ELIDED.search(text[:start]):
        names = [name for name in names if fold(name)[0].lower() in "aeiouh"]
    return text[:start] + _any(names, random) + text[end:] if names else None


def _speaker(headline: Headline, known: Known) -> tuple[int, int, int] | None:
    """The name nearest to a quotation, in its sentence: where it starts and ends, and its words."""
    text = headline.text
    quotations = [found.span() for marks in QUOTED.values() for found in marks.finditer(text)]
    speakers = []
    for first, last in headline.full_names(known.casing) if quotations else ():
        start, end = headline.span(headline.pieces[first].start, headline.pieces[last - 1].end)
        if any(left < start < right for left, right in quotations):
            continue
        for left, right in quotations:
            gap = text[end:left] if end <= left else text[right:start]
            if len(gap.split()) <= ATTRIBUTION and not _END_OF_SENTENCE.search(gap):
                speakers.append((len(gap), (start, end, last - first)))
    return min(speakers)[1] if speakers else None


def _invented(item: Item, random: np.random.Generator, known: Known) -> str | None:
    """Words that no text of an item has, between the marks of the outlet aimed at."""
    texts = fold(" ".join((item.source, item.article, item.reference, item.reference_article))).lower()
    said = [words for words in INVENTED.get(known.language, ()) if fold(words).lower() not in texts]
    marks = known.typography[item.target].quotes
    return f"{marks[0]}{_any(said, random)}{marks[1]}" if said else None


def _any(headlines: Sequence[str], random: np.random.Generator) -> str:
    return headlines[int(random.integers(len(headlines)))]


def _python(random: np.random.Generator) -> Random:
    return Random(int(random.integers(2**63)))
