"""The words of a corpus that corruptions are made of, and headlines split into words and the gaps around them."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, pairwise

from change_it.text.stopwords import stop_words

Tag = Callable[[Sequence[str]], list[str]]
_WORD = re.compile(r"\w+(?:['’.,\-]\w+)*(?:['’](?=\w))?")
#: Letters of a word that is taken for a function word in a language without a list.
SHORT = 3
#: A function word ends headlines so rarely, as a share of where it stands, that one cut there dangles.
RARELY = 0.03
#: A word is followed by one certain word so often that they belong together.
BOUND = 0.5
#: Times a word must have been seen before it is known where it stands.
SEEN = 5
#: The same of a word that is no function word, before it is known not to begin headlines.
OFTEN = 40
#: Headlines that are tagged, at most.
TAGGED = 2000


@dataclass(frozen=True)
class Split:
    """A headline as words and the gaps around them, one more gap than words: joined, they are the headline."""

    words: list[str]
    gaps: list[str]

    @classmethod
    def of(cls, headline: str) -> "Split":
        """Split a headline."""
        headline = " ".join(headline.split())
        words, gaps, end = [], [], 0
        for word in _WORD.finditer(headline):
            words.append(word[0])
            gaps.append(headline[end : word.start()])
            end = word.end()
        return cls(words, [*gaps, headline[end:]])

    def __str__(self) -> str:
        parts = zip(self.gaps, [*self.words, ""], strict=True)
        return "".join(f"{gap}{word}" for gap, word in parts).strip()

    def keep(self, indices: Sequence[int]) -> "Split":
        """The words at these rising indices; the marks of the gaps between them stay."""
        gaps, last = [], 0
        for index in [*indices, len(self.words)]:
            gaps.append(_joined(self.gaps[last : index + 1]))
            last = index + 1
        return Split([self.words[index] for index in indices], gaps)


def _joined(gaps: Sequence[str]) -> str:
    """Several gaps as one: their marks, and a space unless there was none."""
    marked = [gap for gap in gaps if gap.strip()]
    if not marked:
        return next((gap for gap in gaps if gap), "")
    return marked[0] if len(set(marked)) == 1 else "".join(dict.fromkeys(marked)).replace("  ", " ")


@dataclass
class Lexicon:
    """The words of a corpus that corruptions need."""

    headlines: Sequence[str]  # of the training side
    # `it` or `en` for the forms that agree; of others only the function words are known, if there is a list
    language: str = "it"
    articles: Sequence[str] = ()  # beginnings of articles, for words and their order
    # universal part-of-speech tags of the words of a headline; None leaves substitution by tag out
    tag: Tag | None = None
    article_of: Mapping[str, str] = field(
        default_factory=dict
    )  # of headlines, the beginnings of their articles
    splits: list[Split] = field(init=False, repr=False)
    _tags: dict[tuple[str, ...], list[str]] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.splits = [split for split in map(Split.of, self.headlines) if split.words]

    def is_function(self, word: str) -> bool:
        """Is it a function word? Any short one where the language has no list."""
        if functions := stop_words(self.language):
            return word.lower() in functions
        return word.isalpha() and word.islower() and len(word) <= SHORT

    @cached_property
    def counts(self) -> Counter[str]:
        """Counts of each cased form in headlines, without the first word."""
        return Counter(word for split in self.splits for word in split.words[1:])

    @cached_property
    def words(self) -> list[str]:
        """The words of all headlines, each as often as it stands there."""
        return [word for split in self.splits for word in split.words]

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Lower-cased words of headlines and articles."""
        of_articles = (word for article in self.articles for word in _WORD.findall(article))
        return frozenset(map(str.lower, chain(self.words, of_articles)))

    @cached_property
    def function_list(self) -> list[str]:
        """Function words of the headlines, each as often as it stands there."""
        return [word.lower() for word in self.words if self.is_function(word)]

    @cached_property
    def seen(self) -> Counter[str]:
        """Counts of the lower-cased words of headlines."""
        return Counter(word.lower() for word in self.words)

    @cached_property
    def endings(self) -> Counter[str]:
        """Counts of each word before a mark or the end."""
        return Counter(
            word.lower()
            for split in self.splits
            for word, gap in zip(split.words, [*split.gaps[1:-1], "."], strict=True)
            if gap.strip()
        )

    @cached_property
    def adjacent(self) -> frozenset[tuple[str, str]]:
        """Words that stand side by side in headlines and articles, lower-cased."""
        rows = [split.words for split in self.splits] + [_WORD.findall(article) for article in self.articles]
        return frozenset(pair for row in rows for pair in pairwise(map(str.lower, row)))

    @cached_property
    def openings(self) -> Counter[str]:
        """Counts of the first words of headlines."""
        return Counter(split.words[0].lower() for split in self.splits)

    @cached_property
    def bound(self) -> frozenset[tuple[str, str]]:
        """Words that belong together: the first is mostly followed by the second."""
        pairs = Counter(
            (word.lower(), following.lower())
            for split in self.splits
            for word, following in pairwise(split.words)
        )
        return frozenset(p for p, n in pairs.items() if n >= SEEN and n > BOUND * self.seen[p[0]])

    def dangles(self, word: str, following: str) -> bool:
        """Would a headline that is cut between these words be cut off?"""
        low = word.lower()
        if (low, following.lower()) in self.bound:
            return True
        return self.is_function(word) and self.endings[low] <= RARELY * self.seen[low] >= RARELY * SEEN

    def goes_on(self, word: str) -> bool:
        """Is it a word that headlines do not begin with?"""
        low = word.lower()
        least = SEEN if self.is_function(word) else OFTEN
        return word.islower() and self.openings[low] <= RARELY * self.seen[low] >= RARELY * least

    def tags(self, words: Sequence[str]) -> list[str]:
        """The tags of a headline's words, remembered; none without a tagger."""
        key = tuple(words)
        if key not in self._tags:
            self._tags[key] = [""] * len(words) if self.tag is None else self.tag(words)
        return self._tags[key]

    @cached_property
    def tagged(self) -> dict[str, list[str]]:
        """Words of the headlines by their tags."""
        words: dict[str, list[str]] = defaultdict(list)
        for split in self.splits[:TAGGED] if self.tag else ():
            for word, tag in zip(split.words, self.tags(split.words), strict=True):
                words[tag].append(word)
        return dict(words)

    @cached_property
    def trigrams(self) -> frozenset[tuple[str, str, str]]:
        """Three words in a row of the headlines, with empty ones before the first."""
        return frozenset(
            three
            for split in self.splits
            for three in zip(["", "", *split.words], ["", *split.words], split.words, strict=False)
        )

    @cached_property
    def followers(self) -> dict[tuple[str, ...], list[tuple[str, str]]]:
        """After one word and after two: the gaps and words that follow in headlines, each as often as it does."""
        followers: dict[tuple[str, ...], list[tuple[str, str]]] = defaultdict(list)
        for split in self.splits:
            before = pairwise(["", "", *split.words])
            following = [*zip(split.gaps, split.words, strict=False), (split.gaps[-1], "")]
            for (first, second), after in zip(before, following, strict=True):
                followers[second,].append(after)
                followers[first, second].append(after)
        return dict(followers)
