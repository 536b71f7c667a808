"""Headlines damaged in known ways: what the fluency judge learns to refuse, and what the audit tests it with.

The words that are dropped, inserted and exchanged are those of the corpus's own headlines: no list of any language. Marks
stay in place, the first word takes the first word's case and the end keeps its sign, so that neither case nor punctuation
betrays the damage.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise

import numpy as np

from change_it.text.sentences import sentences, without_end
from change_it.text.typography import BRACKETED, PAIRED

_WORD = re.compile(r"\w+(?:['’.,\-]\w+)*(?:['’](?=\w))?")
#: Function words are those of the most frequent words that appear before a mark or at the end at most this often.
FREQUENT, ENDING = 120, 0.03
#: A headline does without those that headlines have less often than articles have, by this factor: English "the", "is".
NEEDED = 0.5
#: Style words of an outlet; how many of them enter a headline, at least and less than; the share of headlines with them at the end.
TYPICAL, STYLED, BEHIND = 60, (2, 7), 0.3
#: Share of the spliced headlines that are cut before the other one follows; draws before words are left where they are.
CUT, TRIES = 0.7, 8
#: Words of the beginning of a sentence, at least and less than, and those that the sentence goes on for, at least.
BEGINNING, REST = (5, 21), 2
#: Words of a headline that a damage requires.
FEWEST = {
    **dict.fromkeys(("reversed_words", "inserted", "stuttered", "cut_sentence"), 3),
    **dict.fromkeys(("shuffled", "moved", "foreign", "looped"), 4),
}


def split(headline: str) -> tuple[list[str], list[str]]:
    """Return the words of a headline and the gaps around them, one more gap than words: joined in turn, they are the headline."""
    parts = re.split(f"({_WORD.pattern})", " ".join(headline.split()))
    return parts[1::2], parts[::2]


class Lexicon:
    """The words that headlines are damaged with, from the headlines of a training side, their outlets and beginnings of articles."""

    def __init__(
        self, headlines: Sequence[str], outlets: Sequence[str], articles: Sequence[str] = ()
    ) -> None:
        self.outlets, self.articles = outlets, articles
        self.splits = [split(headline) for headline in headlines]
        rows = [_WORD.findall(article) for article in articles]
        #: The words of all headlines, each as often as it appears, and the counts of those behind the first of each.
        self.words = [word for words, _ in self.splits for word in words]
        self.inside = Counter(word for words, _ in self.splits for word in words[1:])
        #: Pairs of neighbouring words in headlines and articles, in lower case.
        lines = chain((words for words, _ in self.splits), rows)
        self.adjacent = {pair for line in lines for pair in pairwise(map(str.lower, line))}
        #: Function words, in lower case, with their counts: frequent ones that hardly ever end a headline or a clause.
        counts, ending = Counter(map(str.lower, self.words)), Counter[str]()
        for words, gaps in self.splits:
            after = zip(words, [*gaps[1:-1], "."], strict=False)
            ending.update(word.lower() for word, gap in after if gap[:1].strip())
        small = Counter(word for word in self.words if word.islower() and word.isalpha())
        frequent = [word for word, _ in small.most_common(FREQUENT)]
        self.functions = {word: counts[word] for word in frequent if ending[word] <= ENDING * counts[word]}
        #: Those of them that are about as frequent in headlines as in articles.
        in_articles = Counter(word.lower() for row in rows for word in row)
        total, article_total = max(1, len(self.words)), max(1, in_articles.total())
        functions = self.functions.items()
        self.needed = {
            word for word, n in functions if n / total >= NEEDED * in_articles[word] / article_total
        }
        #: Outlet to its style words: those with the highest log-odds against all other outlets, over their standard error.
        by_outlet = {outlet: Counter[str]() for outlet in dict.fromkeys(outlets)}
        for outlet, (words, _) in zip(outlets, self.splits, strict=True):
            by_outlet[outlet].update(word for word in {*words} if word.isalpha() and len(word) > 1)
        of_all = sum(by_outlet.values(), Counter[str]())
        self.typical: dict[str, list[str]] = {}
        for outlet, own in by_outlet.items():
            n, rest = own.total() + 1, of_all.total() - own.total() + 1
            scores = {}
            for word, times in own.items():
                a, b = times + 0.5, of_all[word] - times + 0.5
                scores[word] = (np.log(a / n) - np.log(b / rest)) / np.sqrt(1 / a + 1 / b)
            self.typical[outlet] = sorted(scores, key=lambda word: (-scores[word], word))[:TYPICAL]


def corrupt(
    headline: str, name: str, random: np.random.Generator, lexicon: Lexicon, outlet: str | None = None
) -> str | None:
    """Return a headline damaged in one of the ways of `CORRUPTIONS`, style words being those of an outlet, a random one when None; None if that does not apply or leaves the headline as it was."""
    damage = Damage(headline, random, lexicon, outlet)
    broken = CORRUPTIONS[name](damage) if damage.count >= FEWEST.get(name, 0) else None
    if not broken:
        return None
    text = " ".join(broken.split())
    # Marks whose other half the damage took are left out, and those at the beginning, unless the headline begins with them.
    lost = {*(masked := _masked(text))} & {*PAIRED} - {*_masked(headline)}
    text = "".join(mark for mark, shown in zip(text, masked, strict=True) if shown not in lost)
    text = text.strip().lstrip(" ,:;.!?…)»”–—-".replace(headline[:1], "")) or text
    return None if not text or text.lower() == " ".join(headline.split()).lower() else text


def _masked(text: str) -> str:
    """Return a text with a NUL for each mark that has its other half."""

    def mask(match: re.Match[str]) -> str:
        before, after = match.start(1) - match.start(), match.end() - match.end(1)
        return "\0" * before + match[1] + "\0" * after

    for pattern in BRACKETED:
        text = pattern.sub(mask, text)
    return text


class Damage:
    """A split headline and the words of a corpus; each method returns the headline damaged, or None where it does not apply."""

    def __init__(
        self, headline: str, random: np.random.Generator, lexicon: Lexicon, outlet: str | None
    ) -> None:
        self.words, self.gaps = split(headline)
        self.count = len(self.words)
        self.random, self.lexicon, self.outlet = random, lexicon, outlet

    def _joined(self, words: Sequence[str], gaps: Sequence[str] | None = None) -> str:
        """Join words in the case of their new places, each behind its gap, the headline's when None, and the headline's last sign."""
        if not words:
            return ""
        first, inside, words = self.words[0], self.lexicon.inside, list(words)
        for place, word in enumerate(words[1:], 1):
            low = word[:1].lower() + word[1:]
            if word == first and inside[low] > inside[word]:
                words[place] = low
        if first[:1].isupper():
            words[0] = words[0][:1].upper() + words[0][1:]
        before = self.gaps[:-1] if gaps is None else gaps
        return "".join(chain(*zip(before, words, strict=True), self.gaps[-1:])).strip()

    def _unseen(self, word: str, following: str) -> bool:
        """Return whether no text has these two words side by side."""
        return (word.lower(), following.lower()) not in self.lexicon.adjacent

    def _with(self, new: Iterable[str]) -> str:
        """Put each of these words at a random place where no text has it before what follows."""
        words, gaps = list(self.words), self.gaps[:-1]
        for word in new:
            places = [place for place, after in enumerate([*words, ""]) if self._unseen(word, after)]
            place = places[self.random.integers(len(places))]
            words.insert(place, word)
            gaps.insert(place or 1, " ")
        return self._joined(words, gaps)

    def _exchanged(self, new: Sequence[str]) -> str:
        """Put these words in the place of as many of the headline's own."""
        words = list(self.words)
        places = self.random.permutation(self.count)[: len(new)]
        for place, word in zip(places.tolist(), new, strict=True):
            words[place] = word
        return self._joined(words)

    def shuffled(self) -> str | None:
        """All words in another order."""
        return self._joined([self.words[place] for place in self.random.permutation(self.count)])

    def neighbours(self) -> str | None:
        """One to three pairs of neighbours change places, not across a mark."""
        words = list(self.words)
        inside = [place for place in range(self.count - 1) if not self.gaps[place + 1].strip()]
        if not inside:
            return None
        for place in self.random.permutation(inside)[: self.random.integers(1, 4)]:
            words[place], words[place + 1] = words[place + 1], words[place]
        return self._joined(words)

    def reversed_words(self) -> str | None:
        """The last word first."""
        return self._joined(self.words[::-1])

    def moved(self) -> str | None:
        """Two stretches side by side change places, so that two words meet that no text has side by side."""
        words = self.words
        for _ in range(TRIES):
            a, b, c = np.sort(self.random.permutation(self.count + 1)[:3]).tolist()
            if self._unseen(words[c - 1], words[a]):
                return self._joined(words[:a] + words[b:c] + words[a:b] + words[c:])
        return None

    def dropped(self) -> str | None:
        """Two function words or more are left out, one of them between words that no text has side by side."""
        words, gaps = list(self.words), self.gaps[:-1]
        places = [place for place in range(1, self.count - 1) if words[place].lower() in self.lexicon.needed]
        number = int(self.random.integers(2, max(2, len(places)) + 1))
        gone = sorted(self.random.permutation(places)[:number].tolist(), reverse=True)
        if len(gone) < 2 or not any(self._unseen(words[place - 1], words[place + 1]) for place in gone):
            return None
        for place in gone:
            del words[place]
            gaps[place : place + 2] = [max(gaps[place : place + 2], key=len)]
        return self._joined(words, gaps)

    def inserted(self) -> str | None:
        """One to four function words are put where they do not belong."""
        functions = self.lexicon.functions
        if not functions:
            return None
        share = np.array([*functions.values()]) / sum(functions.values())
        return self._with(self.random.choice([*functions], int(self.random.integers(1, 5)), p=share).tolist())

    def foreign(self) -> str | None:
        """A fifth to a half of the words, two at least, are random words of other headlines."""
        number, words = max(2, round(self.count * self.random.uniform(0.2, 0.5))), self.lexicon.words
        return self._exchanged([words[index] for index in self.random.integers(len(words), size=number)])

    def style_added(self) -> str | None:
        """Two to six words that are typical of one outlet are put anywhere, or at the end."""
        new = self._styled()
        if self.random.random() < BEHIND:
            return self._joined(self.words + new, [*self.gaps[:-1], *" " * len(new)])
        return self._with(new)

    def style_exchanged(self) -> str | None:
        """Two to six words are exchanged for others that are typical of one outlet."""
        return self._exchanged(self._styled()[: self.count - 1])

    def _styled(self) -> list[str]:
        """Return style words of an outlet that the headline lacks; none for a headline of two words."""
        outlets, random = self.lexicon.outlets, self.random
        if self.count < 3:
            return []
        present = {word.lower() for word in self.words}
        outlet = self.outlet or outlets[int(random.integers(len(outlets)))]
        new = [word for word in self.lexicon.typical[outlet] if word.lower() not in present]
        return [new[index] for index in random.permutation(len(new))[: random.integers(*STYLED)]]

    def stuttered(self) -> str | None:
        """One to three times, one to three words are repeated, at once or further on."""
        words, gaps, random = list(self.words), self.gaps[:-1], self.random
        for _ in range(int(random.integers(1, 4))):
            length = int(random.integers(1, 4))
            start = int(random.integers(0, max(1, len(words) - length + 1)))
            part = words[start : start + length]
            place = start + len(part) if random.random() < 0.5 else int(random.integers(1, len(words) + 1))
            words[place:place] = part
            gaps[place:place] = [" ", *gaps[start + 1 : start + len(part)]]
        return self._joined(words, gaps)

    def looped(self) -> str | None:
        """The end repeats one to five words again and again, as a generator in a loop does."""
        count, random = self.count, self.random
        length = int(random.integers(1, min(5, count - 2) + 1))
        end = int(random.integers(length, count + 1))
        part = self.words[end - length : end]
        gaps = [(" ", " ", ", ", ": ")[random.integers(4)], *self.gaps[end - length + 1 : end]]
        repeats = int(random.integers(1, 2 + count // length))
        return self._joined(self.words[:end] + part * repeats, self.gaps[:end] + gaps * repeats)

    def _cuts(self) -> list[int]:
        """Return after how many words the headline can be cut so that it is cut off."""
        before = zip(range(2, self.count), self.words[1:], self.gaps[2:], strict=False)
        return [n for n, word, gap in before if not gap.strip() and word.lower() in self.lexicon.functions]

    def cut_end(self) -> str | None:
        """The end is missing, after a word that hardly any headline ends with."""
        if not (cuts := self._cuts()):
            return None
        cut = cuts[self.random.integers(len(cuts))]
        return self._joined(self.words[:cut], self.gaps[:cut])

    def cut_sentence(self) -> str | None:
        """The beginning of an article's sentence, which goes on."""
        articles, random, (least, most) = self.lexicon.articles, self.random, BEGINNING
        if not articles:
            return None
        article = articles[int(random.integers(len(articles)))]
        whole = map(str.split, sentences(article)[:-1])  # the last one may be cut
        long = [words for words in whole if len(words) >= least + REST]
        if not long:
            return None
        words = long[int(random.integers(len(long)))]
        return without_end(" ".join(words[: random.integers(least, min(most, len(words) - REST + 1))]))

    def spliced(self) -> str | None:
        """Another headline or its end follows without a mark: behind the whole headline, or a word that hardly any ends with."""
        splits, cuts, random = self.lexicon.splits, self._cuts(), self.random
        other, gaps = splits[random.integers(len(splits))]
        cut = cuts[random.integers(len(cuts))] if cuts and random.random() < CUT else self.count
        start = int(random.integers(max(1, len(other) - 1)))
        words = self.words[:cut] + other[start:]
        if self.count < 3 or not other or not self._unseen(words[cut - 1], words[cut]):
            return None
        return self._joined(words, [*self.gaps[:cut], " ", *gaps[start + 1 : -1]])

    def keywords(self) -> str | None:
        """The content words by the alphabet, or as they come between commas, semicolons or bars."""
        words = [word for word in self.words if word.lower() not in self.lexicon.functions]
        if len(words) < 3:
            return None
        mark = (" ", ", ", "; ", " | ")[self.random.integers(4)]
        words = sorted(words, key=str.lower) if mark == " " else words
        return self._joined(words, ["", *[mark] * (len(words) - 1)])


CORRUPTIONS = {name: method for name, method in vars(Damage).items() if not name.startswith("_")}
