"""Headlines damaged in known ways: what the fluency judge learns to refuse, and what the audit tests it with.

The words that are dropped, inserted and exchanged are those of the corpus's own headlines: no list of any language. Marks
stay in place, the first word takes the first word's case and the end keeps its sign, so that neither case nor punctuation
betrays the damage.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, pairwise

import numpy as np

from change_it.text.marks import BRACKETED, PAIRED
from change_it.text.sentences import sentences, without_end

_WORD = re.compile(r"\w+(?:['’.,\-]\w+)*(?:['’](?=\w))?")
#: Function words are those of the most frequent words that appear before a mark or at the end at most this often.
FREQUENT, ENDING = 120, 0.03
#: A headline does without those that headlines have less often than articles have, by this factor: English "the", "is".
NEEDED = 0.5
#: Share of the spliced headlines that are cut before the other one follows.
CUT = 0.7
#: Draws before words are left where they are.
TRIES = 8
#: Words of the beginning of a sentence, at least and less than, and those that the sentence goes on for, at least.
BEGINNING, REST = (5, 21), 2
#: Style words of an outlet; how many of them enter a headline, at least and less than.
TYPICAL, STYLED = 60, (2, 7)
#: Share of the headlines with style words that have them at the end.
BEHIND = 0.3


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


@dataclass
class Lexicon:
    """The words of a corpus that headlines are damaged with."""

    headlines: Sequence[str]  # of the training side
    outlets: Sequence[str]  # the outlet of each
    articles: Sequence[str] = ()  # beginnings of articles, for words and their order
    splits: list[Split] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.splits = [Split.of(headline) for headline in self.headlines]

    @cached_property
    def rows(self) -> list[list[str]]:
        """The words of each article."""
        return [_WORD.findall(article) for article in self.articles]

    @cached_property
    def words(self) -> list[str]:
        """The words of all headlines, each as often as it appears."""
        return [word for split in self.splits for word in split.words]

    @cached_property
    def inside(self) -> Counter[str]:
        """Counts of each cased form in headlines, without the first word."""
        return Counter(word for split in self.splits for word in split.words[1:])

    @cached_property
    def functions(self) -> dict[str, int]:
        """Function words, in lower case, with their counts: frequent ones that hardly ever end a headline or a clause."""
        seen, ending = Counter(word.lower() for word in self.words), Counter[str]()
        for split in self.splits:
            after = zip(split.words, [*split.gaps[1:-1], "."], strict=False)
            ending.update(word.lower() for word, gap in after if gap[:1].strip())
        small = Counter(word for word in self.words if word.islower() and word.isalpha())
        frequent = [word for word, _ in small.most_common(FREQUENT)]
        return {word: seen[word] for word in frequent if ending[word] <= ENDING * seen[word]}

    @cached_property
    def needed(self) -> frozenset[str]:
        """Function words that headlines do not do without."""
        of_articles = Counter(word.lower() for row in self.rows for word in row)
        many, more = max(1, len(self.words)), max(1, of_articles.total())
        return frozenset(w for w, n in self.functions.items() if n / many >= NEEDED * of_articles[w] / more)

    @cached_property
    def adjacent(self) -> frozenset[tuple[str, str]]:
        """Pairs of neighbouring words in headlines and articles, in lower case."""
        rows = chain((split.words for split in self.splits), self.rows)
        return frozenset(pair for row in rows for pair in pairwise(map(str.lower, row)))

    @cached_property
    def typical(self) -> dict[str, list[str]]:
        """Outlet to its style words: those with the highest log-odds against all other outlets, over their standard error."""
        counts = {outlet: Counter[str]() for outlet in dict.fromkeys(self.outlets)}
        for outlet, split in zip(self.outlets, self.splits, strict=True):
            counts[outlet].update(word for word in {*split.words} if word.isalpha() and len(word) > 1)
        every = sum(counts.values(), Counter[str]())
        found = {}
        for outlet, own in counts.items():
            n, rest = own.total() + 1, every.total() - own.total() + 1
            scores = {}
            for word, times in own.items():
                a, b = times + 0.5, every[word] - times + 0.5
                scores[word] = (np.log(a / n) - np.log(b / rest)) / np.sqrt(1 / a + 1 / b)
            found[outlet] = sorted(scores, key=lambda word: (-scores[word], word))[:TYPICAL]
        return found


def corrupt(
    headline: str, name: str, random: np.random.Generator, lexicon: Lexicon, outlet: str | None = None
) -> str | None:
    """A headline damaged in one of the ways of `CORRUPTIONS`, style words being those of an outlet, a random one when None; None if that does not apply or leaves the headline as it was."""
    broken: str | None = CORRUPTIONS[name](Corruption(Split.of(headline), random, lexicon, outlet))
    if broken is None:
        return None
    broken = _tidy(" ".join(broken.split()), headline)
    return None if not broken or broken.lower() == " ".join(headline.split()).lower() else broken


def _tidy(text: str, headline: str) -> str:
    """Leave out marks at the beginning, unless the headline begins with them, and those whose other half the damage took."""
    lost = {*(masked := _masked(text))} & {*PAIRED} - {*_masked(headline)}
    text = "".join(mark for mark, seen in zip(text, masked, strict=True) if seen not in lost)
    return text.strip().lstrip(" ,:;.!?…)»”–—-".replace(headline[:1], "")) or text


def _masked(text: str) -> str:
    """A text with a NUL for each mark that has its other half."""

    def mask(found: re.Match[str]) -> str:
        before, after = found.start(1) - found.start(), found.end() - found.end(1)
        return "\0" * before + found[1] + "\0" * after

    for pattern in BRACKETED:
        text = pattern.sub(mask, text)
    return text


class Corruption:
    """A split headline and the words of a corpus; each method returns the headline damaged, or None where it does not apply."""

    def __init__(
        self, split: Split, random: np.random.Generator, lexicon: Lexicon, outlet: str | None = None
    ) -> None:
        self._outlet = outlet
        self._words, self._gaps, self._count = split.words, split.gaps, len(split.words)
        self._random, self._lexicon = random, lexicon

    def _cased(self, words: list[str], gaps: list[str] | None = None) -> str:
        """Words between gaps, the headline's unless given, with the case of their new places."""
        if not words:
            return ""
        first, inside = self._words[0], self._lexicon.inside
        words = list(words)
        for index, word in enumerate(words[1:], 1):
            low = word[:1].lower() + word[1:]
            if word == first and inside[low] > inside[word]:
                words[index] = low
        if first[:1].isupper():
            words[0] = words[0][:1].upper() + words[0][1:]
        return str(Split(words, self._gaps if gaps is None else gaps))

    def _ended(self, words: list[str], gaps: list[str]) -> str:
        """Words and the gaps before them, and the headline's last sign."""
        return self._cased(words, [*gaps, self._gaps[-1]])

    def _with(self, new: Iterable[str]) -> str:
        """The headline with these words, each at a random place where no text has it before what follows."""
        words, gaps = list(self._words), self._gaps[:-1]
        for word in new:
            places = [place for place, after in enumerate([*words, ""]) if self._unseen(word, after)]
            index = places[self._random.integers(len(places))]
            words.insert(index, word)
            gaps.insert(index or 1, " ")
        return self._ended(words, gaps)

    def _unseen(self, word: str, following: str) -> bool:
        """Whether no text has these two words side by side."""
        return (word.lower(), following.lower()) not in self._lexicon.adjacent

    def _exchanging(self, new: Sequence[str]) -> str:
        """The headline with these words in the place of as many of its own."""
        words = list(self._words)
        places = self._random.permutation(self._count)[: len(new)]
        for place, word in zip(places.tolist(), new, strict=True):
            words[place] = word
        return self._cased(words)

    def shuffled(self) -> str | None:
        """All words in another order."""
        if self._count < 4:
            return None
        return self._cased([self._words[index] for index in self._random.permutation(self._count)])

    def neighbours(self) -> str | None:
        """One to three pairs of neighbours change places, not across a mark."""
        words = list(self._words)
        inside = [index for index in range(self._count - 1) if not self._gaps[index + 1].strip()]
        if not inside:
            return None
        for index in self._random.permutation(inside)[: self._random.integers(1, 4)]:
            words[index], words[index + 1] = words[index + 1], words[index]
        return self._cased(words)

    def reversed_words(self) -> str | None:
        """The last word first."""
        return self._cased(self._words[::-1]) if self._count > 2 else None

    def moved(self) -> str | None:
        """Two stretches side by side change places, so that two words meet that no text has side by side."""
        words = self._words
        for _ in range(TRIES if self._count > 3 else 0):
            a, b, c = np.sort(self._random.permutation(self._count + 1)[:3]).tolist()
            if self._unseen(words[c - 1], words[a]):
                return self._cased(words[:a] + words[b:c] + words[a:b] + words[c:])
        return None

    def dropped(self) -> str | None:
        """Two function words or more are left out, one of them between words that no text has side by side."""
        words, gaps = list(self._words), list(self._gaps)
        indices = [
            index for index in range(1, self._count - 1) if words[index].lower() in self._lexicon.needed
        ]
        many = int(self._random.integers(2, max(2, len(indices)) + 1))
        gone = sorted(self._random.permutation(indices)[:many].tolist(), reverse=True)
        if len(gone) < 2 or not any(self._unseen(words[index - 1], words[index + 1]) for index in gone):
            return None
        for index in gone:
            del words[index]
            gaps[index : index + 2] = [max(gaps[index : index + 2], key=len)]
        return self._cased(words, gaps)

    def inserted(self) -> str | None:
        """One to four function words are put where they do not belong."""
        functions = self._lexicon.functions
        if self._count < 3 or not functions:
            return None
        share = np.array([*functions.values()]) / sum(functions.values())
        drawn = self._random.choice([*functions], int(self._random.integers(1, 5)), p=share)
        return self._with(drawn.tolist())

    def foreign(self) -> str | None:
        """A fifth to a half of the words, two at least, are random words of other headlines."""
        if self._count < 4:
            return None
        many, others = max(2, round(self._count * self._random.uniform(0.2, 0.5))), self._lexicon.words
        return self._exchanging([others[at] for at in self._random.integers(len(others), size=many)])

    def style_added(self) -> str | None:
        """Two to six words that are typical of one outlet are put anywhere, or at the end."""
        new = self._styled()
        if self._random.random() < BEHIND:
            return self._ended(self._words + new, [*self._gaps[:-1], *" " * len(new)])
        return self._with(new)

    def style_exchanged(self) -> str | None:
        """Two to six words are exchanged for others that are typical of one outlet."""
        return self._exchanging(self._styled()[: self._count - 1])

    def _styled(self) -> list[str]:
        """Style words of an outlet that the headline lacks; none for a headline of two words."""
        outlets, random = self._lexicon.outlets, self._random
        if self._count < 3:
            return []
        present = {word.lower() for word in self._words}
        outlet = self._outlet or outlets[int(random.integers(len(outlets)))]
        typical = self._lexicon.typical[outlet]
        words = [word for word in typical if word.lower() not in present]
        return [words[at] for at in random.permutation(len(words))[: random.integers(*STYLED)]]

    def stuttered(self) -> str | None:
        """One to three times, one to three words are repeated, at once or further on."""
        if self._count < 3:
            return None
        words, gaps, random = list(self._words), self._gaps[:-1], self._random
        for _ in range(int(random.integers(1, 4))):
            length = int(random.integers(1, 4))
            start = int(random.integers(0, max(1, len(words) - length + 1)))
            part = words[start : start + length]
            index = start + len(part) if random.random() < 0.5 else int(random.integers(1, len(words) + 1))
            words[index:index] = part
            gaps[index:index] = [" ", *gaps[start + 1 : start + len(part)]]
        return self._ended(words, gaps)

    def looped(self) -> str | None:
        """The end repeats one to five words again and again, as a generator in a loop does."""
        count, random = self._count, self._random
        if count < 4:
            return None
        length = int(random.integers(1, min(5, count - 2) + 1))
        end = int(random.integers(length, count + 1))
        part, part_gaps = self._words[end - length : end], [*self._gaps[end - length : end]]
        part_gaps[0] = (" ", " ", ", ", ": ")[random.integers(4)]
        repeats = int(random.integers(1, 2 + count // length))
        return self._ended(self._words[:end] + part * repeats, self._gaps[:end] + part_gaps * repeats)

    def _cuts(self) -> list[int]:
        """After how many words the headline can be cut so that it is cut off."""
        return [
            count
            for count in range(2, self._count)
            if not self._gaps[count].strip() and self._words[count - 1].lower() in self._lexicon.functions
        ]

    def cut_end(self) -> str | None:
        """The end is missing, after a word that hardly any headline ends with."""
        if not (cuts := self._cuts()):
            return None
        count = cuts[self._random.integers(len(cuts))]
        return self._ended(self._words[:count], self._gaps[:count])

    def cut_sentence(self) -> str | None:
        """The beginning of an article's sentence, which goes on."""
        articles, random, (least, most) = self._lexicon.articles, self._random, BEGINNING
        if self._count < 3 or not articles:
            return None
        article = articles[int(random.integers(len(articles)))]
        found = [text.split() for text in sentences(article)[:-1]]  # the last one may be cut
        found = [words for words in found if len(words) >= least + REST]
        if not found:
            return None
        words = found[int(random.integers(len(found)))]
        return without_end(" ".join(words[: random.integers(least, min(most, len(words) - REST + 1))]))

    def spliced(self) -> str | None:
        """Another headline or its end follows without a mark: behind the whole headline, or a word that hardly any ends with."""
        splits, cuts = self._lexicon.splits, self._cuts()
        other = splits[self._random.integers(len(splits))]
        cut = cuts[self._random.integers(len(cuts))] if cuts and self._random.random() < CUT else self._count
        start = int(self._random.integers(max(1, len(other.words) - 1)))
        words = self._words[:cut] + other.words[start:]
        if self._count < 3 or not other.words or not self._unseen(words[cut - 1], words[cut]):
            return None
        return self._ended(words, [*self._gaps[:cut], " ", *other.gaps[start + 1 : -1]])

    def keywords(self) -> str | None:
        """The content words by the alphabet, or as they come between commas, semicolons or bars."""
        words = [word for word in self._words if word.lower() not in self._lexicon.functions]
        if len(words) < 3:
            return None
        mark = (" ", ", ", "; ", " | ")[self._random.integers(4)]
        words = sorted(words, key=str.lower) if mark == " " else words
        return self._ended(words, ["", *[mark] * (len(words) - 1)])


CORRUPTIONS = {name: method for name, method in vars(Corruption).items() if not name.startswith("_")}
