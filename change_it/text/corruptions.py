"""Damage headlines in known ways: what the fluency judge learns to refuse, and what the audit tests it with.

The words that are dropped, inserted and exchanged are those of the corpus's own headlines: no list of any
language. Marks stay in place, the first word takes the first word's case and the end keeps its sign, so that
neither case nor punctuation betrays the damage.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise

import numpy as np

from change_it.text.sentences import sentences, without_end
from change_it.text.typography import BRACKETED, PAIRED

#: A word, with apostrophes, full stops, commas and hyphens inside it.
_WORD = re.compile(r"\w+(?:['’.,\-]\w+)*(?:['’](?=\w))?")
#: Number of the most frequent words among which function words are sought.
FREQUENT = 120
#: Largest share of a function word's occurrences that stand before a mark or at the end.
ENDING = 0.03
#: Headlines need a function word that they have at least this many times as often as articles. They do
#: without rarer ones, as English "the" and "is".
NEEDED = 0.5
#: Number of the style words of an outlet.
TYPICAL = 60
#: Number of style words that enter a headline: at least, and less than.
STYLED = (2, 7)
#: Share of the headlines with style words that have them at the end.
BEHIND = 0.3
#: Share of the spliced headlines that are cut before the other one follows.
CUT = 0.7
#: Draws of a place before words are left where they are.
TRIES = 8
#: Number of words of the beginning of a sentence: at least, and at most.
BEGINNING = (5, 20)
#: Number of words that the sentence goes on for after its beginning, at least.
REST = 2
#: Number of words that a headline must have for a damage; 0 where it is not listed.
FEWEST = {
    "reversed_words": 3,
    "inserted": 3,
    "stuttered": 3,
    "cut_sentence": 3,
    "shuffled": 4,
    "moved": 4,
    "foreign": 4,
    "looped": 4,
}


def split(headline: str) -> tuple[list[str], list[str]]:
    """Return the words of a headline and the gaps around them, one more gap than words.

    Joined in turn, they are the headline.
    """
    parts = re.split(f"({_WORD.pattern})", " ".join(headline.split()))
    return parts[1::2], parts[::2]


class Lexicon:
    """The words that headlines are damaged with, from headlines and the beginnings of articles.

    Attributes:
        outlets: the outlet of each headline.
        articles: the beginnings of articles.
        splits: the words of each headline, and the gaps around them (one more than words).
        words: the words of all headlines, each as often as it appears.
        inside: the counts of all words but the first of each headline.
        adjacent: pairs of neighbouring words in headlines and articles, in lower case.
        functions: function words in lower case with their counts: frequent ones that hardly ever end a
            headline or a clause.
        needed: the function words that headlines do not do without.
        typical: outlet to its style words, which are typical of it.
    """

    def __init__(
        self, headlines: Sequence[str], outlets: Sequence[str], articles: Sequence[str] = ()
    ) -> None:
        self.outlets = outlets
        self.articles = articles
        self.splits = [split(headline) for headline in headlines]
        self.words: list[str] = []
        self.inside: Counter[str] = Counter()
        self.adjacent: set[tuple[str, str]] = set()
        lower = cache(str.lower)  # a word that appears a thousand times is one object
        for words, _ in self.splits:
            self.words += words
            self.inside.update(words[1:])
            self.adjacent.update(pairwise(map(lower, words)))
        in_articles: Counter[str] = Counter()
        for article in articles:
            words = [*map(lower, _WORD.findall(article))]
            self.adjacent.update(pairwise(words))
            in_articles.update(words)
        self.functions = self._function_words()
        self.needed = self._needed_words(in_articles)
        self.typical = self._style_words()

    def _function_words(self) -> dict[str, int]:
        """Return the function words in lower case with their counts, the most frequent first."""
        counts = Counter(map(str.lower, self.words))
        at_end: Counter[str] = Counter()
        for words, gaps in self.splits:
            gaps_behind = gaps[1:]
            # the end of a headline counts as a mark
            if words:
                gaps_behind[-1] = "."
            for word, gap in zip(words, gaps_behind, strict=True):
                if gap[:1].strip():
                    at_end[word.lower()] += 1
        small = Counter(word for word in self.words if word.islower() and word.isalpha())
        functions = {}
        for word, _ in small.most_common(FREQUENT):
            if at_end[word] <= ENDING * counts[word]:
                functions[word] = counts[word]
        return functions

    def _needed_words(self, in_articles: Counter[str]) -> set[str]:
        """Return the function words that headlines do not do without.

        Args:
            in_articles: how often articles have each word, in lower case.
        """
        total = max(1, len(self.words))
        total_in_articles = max(1, in_articles.total())
        needed = set()
        for word, count in self.functions.items():
            if count / total >= NEEDED * in_articles[word] / total_in_articles:
                needed.add(word)
        return needed

    def _style_words(self) -> dict[str, list[str]]:
        """Return the style words of each outlet: those with the highest log odds against all other outlets.

        The log odds are divided by their standard error. A word counts once a headline.
        """
        counts_by_outlet: dict[str, Counter[str]] = {}
        for outlet, (words, _) in zip(self.outlets, self.splits, strict=True):
            counts = counts_by_outlet.setdefault(outlet, Counter())
            counts.update(word for word in set(words) if word.isalpha() and len(word) > 1)
        all_counts: Counter[str] = Counter()
        for counts in counts_by_outlet.values():
            all_counts.update(counts)
        typical = {}
        for outlet, counts in counts_by_outlet.items():
            scores = _style_scores(counts, all_counts)
            best_first = sorted(scores, key=lambda word: (-scores[word], word))
            typical[outlet] = best_first[:TYPICAL]
        return typical


def _style_scores(counts: Counter[str], all_counts: Counter[str]) -> dict[str, float]:
    """Return the log odds of each word of an outlet against all other outlets, in standard errors.

    Args:
        counts: how often the outlet has each word.
        all_counts: how often all outlets have it.
    """
    total = counts.total() + 1
    others_total = all_counts.total() - counts.total() + 1
    scores = {}
    for word, count in counts.items():
        times = count + 0.5
        others_times = all_counts[word] - count + 0.5
        log_odds = np.log(times / total) - np.log(others_times / others_total)
        scores[word] = float(log_odds / np.sqrt(1 / times + 1 / others_times))
    return scores


def corrupt(
    headline: str, name: str, random: np.random.Generator, lexicon: Lexicon, outlet: str | None = None
) -> str | None:
    """Damage a headline in one of the ways of `CORRUPTIONS`.

    Args:
        headline: the headline.
        name: name of the damage.
        random: source of places and words.
        lexicon: the words that are drawn from.
        outlet: outlet whose style words are used; None draws one.

    Returns:
        The damaged headline; None where the damage does not apply, or leaves the headline as it was.
    """
    damage = Damage(headline, random, lexicon, outlet)
    if damage.count < FEWEST.get(name, 0):
        return None
    damaged = CORRUPTIONS[name](damage)
    if not damaged:
        return None
    text = _without_lost_marks(" ".join(damaged.split()), headline)
    # Marks at the beginning are left out, but for the one that the headline begins with.
    text = text.lstrip(" ,:;.!?…)»”–—-".replace(headline[:1], "")) or text
    if not text or text.lower() == " ".join(headline.split()).lower():
        return None
    return text


def _without_lost_marks(text: str, headline: str) -> str:
    """Return a damaged headline without the brackets and quotes whose other half the damage took.

    Args:
        text: the damaged headline.
        headline: the headline before the damage. What stands alone there may stand alone.
    """
    # most headlines have no brackets and quotes
    if set(text).isdisjoint(PAIRED):
        return text.strip()
    # what has its other half is a NUL here, so the brackets and quotes that are left stand alone
    masked = _masked(text)
    lost = set(masked).intersection(PAIRED) - set(_masked(headline))
    kept = [mark for mark, shown in zip(text, masked, strict=True) if shown not in lost]
    return "".join(kept).strip()


def _masked(text: str) -> str:
    """Return a text with a NUL for each bracket or quote that has its other half; its length stays."""

    def mask(match: re.Match[str]) -> str:
        opening = "\0" * (match.start(1) - match.start())
        closing = "\0" * (match.end() - match.end(1))
        return opening + match[1] + closing

    for pattern in BRACKETED:
        text = pattern.sub(mask, text)
    return text


class Damage:
    """A split headline and the words of a corpus.

    Each public method returns the headline damaged, or None where the damage does not apply.

    Attributes:
        words: the words of the headline.
        gaps: the gaps before each word and behind the last.
        count: number of words.
        random: source of places and words.
        lexicon: the words that are drawn from.
        outlet: outlet whose style words are used; None draws one.
    """

    def __init__(
        self, headline: str, random: np.random.Generator, lexicon: Lexicon, outlet: str | None
    ) -> None:
        self.words, self.gaps = split(headline)
        self.count = len(self.words)
        self.random = random
        self.lexicon = lexicon
        self.outlet = outlet

    def _joined(self, words: Sequence[str], gaps: Sequence[str] | None = None) -> str:
        """Join words in the case of their new places, and add the headline's last sign.

        Args:
            words: in their new order.
            gaps: before each word; None stands for the headline's own.
        """
        if not words:
            return ""
        first = self.words[0]
        inside = self.lexicon.inside
        words = list(words)
        # the first word loses its capital in another place, unless headlines mostly write it so there
        for place, word in enumerate(words[1:], 1):
            low = word[:1].lower() + word[1:]
            if word == first and inside[low] > inside[word]:
                words[place] = low
        if first[:1].isupper():
            words[0] = words[0][:1].upper() + words[0][1:]
        gaps_before = self.gaps[:-1] if gaps is None else gaps
        pieces = []
        for gap, word in zip(gaps_before, words, strict=True):
            pieces += [gap, word]
        return "".join([*pieces, self.gaps[-1]]).strip()

    def _unseen(self, word: str, following: str) -> bool:
        """Tell whether no text has these two words side by side."""
        return (word.lower(), following.lower()) not in self.lexicon.adjacent

    def _with(self, new: Iterable[str]) -> str:
        """Return the headline with new words at random places, each before a word that never follows it."""
        words = list(self.words)
        gaps = self.gaps[:-1]
        for word in new:
            # the end is always such a place: no text has an empty word
            places = [place for place, after in enumerate([*words, ""]) if self._unseen(word, after)]
            place = places[self.random.integers(len(places))]
            words.insert(place, word)
            # what stands before the first word stays there
            gaps.insert(place or 1, " ")
        return self._joined(words, gaps)

    def _exchanged(self, new: Sequence[str]) -> str:
        """Return the headline with these words in random places, instead of as many of its own."""
        words = list(self.words)
        places = self.random.permutation(self.count)[: len(new)]
        for place, word in zip(places.tolist(), new, strict=True):
            words[place] = word
        return self._joined(words)

    def shuffled(self) -> str | None:
        """Return all words in another order."""
        return self._joined([self.words[place] for place in self.random.permutation(self.count)])

    def neighbours(self) -> str | None:
        """Exchange the words of one to three pairs of neighbours, not across a mark."""
        words = list(self.words)
        inside = [place for place in range(self.count - 1) if not self.gaps[place + 1].strip()]
        if not inside:
            return None
        for place in self.random.permutation(inside)[: self.random.integers(1, 4)]:
            words[place], words[place + 1] = words[place + 1], words[place]
        return self._joined(words)

    def reversed_words(self) -> str | None:
        """Return the words from the last to the first."""
        return self._joined(self.words[::-1])

    def moved(self) -> str | None:
        """Exchange two stretches side by side, so that two words meet that no text has side by side."""
        words = self.words
        for _ in range(TRIES):
            a, b, c = np.sort(self.random.permutation(self.count + 1)[:3]).tolist()
            if self._unseen(words[c - 1], words[a]):
                return self._joined(words[:a] + words[b:c] + words[a:b] + words[c:])
        return None

    def dropped(self) -> str | None:
        """Leave out two function words or more.

        At least one of them stood between words that no text has side by side.
        """
        words = list(self.words)
        gaps = self.gaps[:-1]
        places = [place for place in range(1, self.count - 1) if words[place].lower() in self.lexicon.needed]
        number = int(self.random.integers(2, max(2, len(places)) + 1))
        dropped = self.random.permutation(places)[:number].tolist()
        leaves_trace = any(self._unseen(words[place - 1], words[place + 1]) for place in dropped)
        if len(dropped) < 2 or not leaves_trace:
            return None
        for place in sorted(dropped, reverse=True):
            del words[place]
            # Of the two gaps around the word the longer one, which may hold a mark, stays.
            gaps[place : place + 2] = [max(gaps[place : place + 2], key=len)]
        return self._joined(words, gaps)

    def inserted(self) -> str | None:
        """Put one to four function words where they do not belong."""
        functions = self.lexicon.functions
        if not functions:
            return None
        shares = np.array([*functions.values()]) / sum(functions.values())
        number = int(self.random.integers(1, 5))
        return self._with(self.random.choice([*functions], number, p=shares).tolist())

    def foreign(self) -> str | None:
        """Exchange a fifth to a half of the words, two at least, for random words of other headlines."""
        words = self.lexicon.words
        number = max(2, round(self.count * self.random.uniform(0.2, 0.5)))
        return self._exchanged([words[index] for index in self.random.integers(len(words), size=number)])

    def style_added(self) -> str | None:
        """Put two to six words that are typical of one outlet anywhere, or at the end."""
        new = self._styled()
        if self.random.random() < BEHIND:
            return self._joined(self.words + new, [*self.gaps[:-1], *" " * len(new)])
        return self._with(new)

    def style_exchanged(self) -> str | None:
        """Exchange two to six words for others that are typical of one outlet."""
        return self._exchanged(self._styled()[: self.count - 1])

    def _styled(self) -> list[str]:
        """Return style words of an outlet that the headline lacks; none for a headline of two words."""
        if self.count < 3:
            return []
        outlet = self.outlet
        if not outlet:
            outlets = self.lexicon.outlets
            outlet = outlets[int(self.random.integers(len(outlets)))]
        present = {word.lower() for word in self.words}
        new = [word for word in self.lexicon.typical[outlet] if word.lower() not in present]
        order = self.random.permutation(len(new))
        number = self.random.integers(*STYLED)
        return [new[index] for index in order[:number]]

    def stuttered(self) -> str | None:
        """Repeat one to three words, at once or further on, one to three times."""
        random = self.random
        words = list(self.words)
        gaps = self.gaps[:-1]
        for _ in range(int(random.integers(1, 4))):
            length = int(random.integers(1, 4))
            start = int(random.integers(0, max(1, len(words) - length + 1)))
            part = words[start : start + length]
            place = start + len(part)
            if random.random() >= 0.5:
                place = int(random.integers(1, len(words) + 1))
            words[place:place] = part
            gaps[place:place] = [" ", *gaps[start + 1 : start + len(part)]]
        return self._joined(words, gaps)

    def looped(self) -> str | None:
        """Cut after a random word, and repeat the last one to five words, as a generator in a loop does.

        What comes out is damaged in any case, so this damage never answers None.
        """
        random = self.random
        length = int(random.integers(1, min(5, self.count - 2) + 1))
        end = int(random.integers(length, self.count + 1))
        part = self.words[end - length : end]
        gap_before = (" ", " ", ", ", ": ")[random.integers(4)]
        gaps_of_part = [gap_before, *self.gaps[end - length + 1 : end]]
        repeats = int(random.integers(1, 2 + self.count // length))
        words = self.words[:end] + part * repeats
        gaps = self.gaps[:end] + gaps_of_part * repeats
        return self._joined(words, gaps)

    def _cuts(self) -> list[int]:
        """Return after how many words the headline can be cut so that it looks cut off."""
        cuts = []
        for count in range(2, self.count):
            word_before = self.words[count - 1]
            is_before_mark = self.gaps[count].strip()
            if word_before.lower() in self.lexicon.functions and not is_before_mark:
                cuts.append(count)
        return cuts

    def cut_end(self) -> str | None:
        """Cut the end off, after a word that hardly any headline ends with."""
        cuts = self._cuts()
        if not cuts:
            return None
        cut = cuts[self.random.integers(len(cuts))]
        return self._joined(self.words[:cut], self.gaps[:cut])

    def cut_sentence(self) -> str | None:
        """Return the beginning of an article's sentence, which goes on."""
        random = self.random
        articles = self.lexicon.articles
        fewest, most = BEGINNING
        if not articles:
            return None
        article = articles[int(random.integers(len(articles)))]
        whole = [sentence.split() for sentence in sentences(article)[:-1]]  # the last one may be cut
        long = [words for words in whole if len(words) >= fewest + REST]
        if not long:
            return None
        words = long[int(random.integers(len(long)))]
        length = random.integers(fewest, min(most, len(words) - REST) + 1)
        return without_end(" ".join(words[:length]))

    def spliced(self) -> str | None:
        """Append another headline or its end without a mark.

        It follows the whole headline, or a word that hardly any headline ends with.
        """
        random = self.random
        splits = self.lexicon.splits
        other, gaps = splits[random.integers(len(splits))]
        cuts = self._cuts()
        cut = self.count
        if cuts and random.random() < CUT:
            cut = cuts[random.integers(len(cuts))]
        start = int(random.integers(max(1, len(other) - 1)))
        if self.count < 3 or not other or not self._unseen(self.words[cut - 1], other[start]):
            return None
        words = self.words[:cut] + other[start:]
        gaps_before = [*self.gaps[:cut], " ", *gaps[start + 1 : -1]]
        return self._joined(words, gaps_before)

    def keywords(self) -> str | None:
        """Return the content words by the alphabet, or as they come between commas, semicolons or bars."""
        words = [word for word in self.words if word.lower() not in self.lexicon.functions]
        if len(words) < 3:
            return None
        mark = (" ", ", ", "; ", " | ")[self.random.integers(4)]
        if mark == " ":
            words.sort(key=str.lower)
        marks_between = [mark] * (len(words) - 1)
        return self._joined(words, ["", *marks_between])


#: The ways in which a headline can be damaged, in the order of `Damage`.
CORRUPTIONS = {name: method for name, method in vars(Damage).items() if not name.startswith("_")}
