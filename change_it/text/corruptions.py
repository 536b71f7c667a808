"""Headlines broken in known ways: what the fluency judge learns to refuse, and what the audit tests it with.

Marks stay in place, the first word takes the first word's case and the end keeps its sign, so that neither case nor
punctuation betrays a corruption.
"""

import re
from collections import defaultdict
from collections.abc import Collection
from itertools import permutations

import numpy as np

from change_it.text.lexicon import Lexicon, Split
from change_it.text.sentences import sentences

_ELISION = re.compile(r"(\w{1,6})['’](\w{3,}.*)")
#: Words of the text that a headline of the language model has, at least and at most.
SAMPLE_WORDS = 5, 18
#: Words of a sentence that stands for a headline, at most, unless headlines are longer.
SENTENCE_WORDS = 25
#: Share of the stuttered headlines that follow their own beginning.
RESTARTED = 0.2
#: Marks that come in pairs.
PAIRS = (("«", "»"), ("“", "”"), ("(", ")"), ("[", "]"))
#: English headlines do without these as it is, and any headline without one other function word as often as not.
ARTICLES = {"a", "an", "the"}
#: Italian articles, masculine and feminine.
ITALIAN_GENDERS = (
    "il la,i le,lo la,gli le,un una,uno una,del della,dei delle,dello della,degli delle,al alla,ai alle,allo alla,agli alle,"
    "dal dalla,dai dalle,nel nella,nei nelle,sul sulla,sui sulle"
)
_ITALIAN_PAIRS = (
    f"{ITALIAN_GENDERS},"
    "questo questa,questi queste,quello quella,quel quella,"
    "è sono,ha hanno,sta stanno,va vanno,può possono,deve devono,vuole vogliono,fa fanno,era erano,suo sua,suoi sue"
)
_ENGLISH_PAIRS = (
    "is are,was were,has have,does do,this these,that those,a these,an these,his he,her she,their they,its they,him he,"
    "them they,who whom,me I,us we,my I,our we"
)
_FORMS: dict[str, dict[str, list[str]]] = {"it": defaultdict(list), "en": defaultdict(list)}
for _language, _pairs in (("it", _ITALIAN_PAIRS), ("en", _ENGLISH_PAIRS)):
    for _pair in _pairs.split(","):
        for _form, _wrong in permutations(_pair.split()):
            _FORMS[_language][_form].append(_wrong)


def corrupt(headline: str, name: str, random: np.random.Generator, lexicon: Lexicon) -> str | None:
    """A headline corrupted by one of `CORRUPTIONS`; None if the corruption does not apply or leaves the headline as it was."""
    broken: str | None = CORRUPTIONS[name](Corruption(Split.of(headline), random, lexicon))
    if broken is None:
        return None
    broken = _tidy(" ".join(broken.split()))
    return None if not broken or broken.lower() == " ".join(headline.split()).lower() else broken


def _tidy(text: str) -> str:
    """The text without marks that stand at its beginning or whose other half is missing."""
    for left, right in PAIRS:
        if text.count(left) != text.count(right):
            text = text.replace(left, "").replace(right, "")
    if text.count('"') % 2:
        last = text.rindex('"')
        text = text[:last] + text[last + 1 :]
    if text.endswith("'") and " '" not in text and text[:1] != "'":
        text = text[:-1]
    return text.strip().lstrip(" ,:;.!?…)»”–—-") or text


def _like(old: str, new: str) -> str:
    """The new word with the old one's first letter's case."""
    return new[:1].upper() + new[1:] if old[:1].isupper() else new[:1].lower() + new[1:]


def _italian_forms(word: str, tag: str) -> list[str]:
    if word[-1:] in "aeio" and len(word) > 3 and tag in ("NOUN", "ADJ", "VERB", ""):
        return [word[:-1] + ending for ending in "aeio" if ending != word[-1]]
    return []


def _english_forms(word: str, tag: str) -> list[str]:
    if tag not in ("VERB", "AUX") or len(word) < 3:
        return []
    if word.endswith("ing"):
        return [word[:-3], word[:-3] + "e", word[:-3] + "s"]
    if word.endswith("s") and not word.endswith("ss"):
        return [word[:-1], word[:-2], word[:-1] + "ing", word[:-2] + "ing"]
    return [word + "s", word + "es", word + "ing", word[:-1] + "ing"]


class Corruption:
    """A split headline and the words of a corpus; each method returns the headline corrupted, or None where it does not apply."""

    def __init__(self, split: Split, random: np.random.Generator, lexicon: Lexicon) -> None:
        self._words, self._gaps, self._count = split.words, split.gaps, len(split.words)
        self._random, self._lexicon = random, lexicon

    def _cased(self, words: list[str], gaps: list[str] | None = None) -> str:
        """Words between gaps, the headline's unless given, with the case that its first words have where they stand now."""
        if not words:
            return ""
        first, counts = self._words[0], self._lexicon.counts
        words = list(words)
        for index, word in enumerate(words[1:], 1):
            low = word[:1].lower() + word[1:]
            if word == first and counts[low] > counts[word]:
                words[index] = low
        if first[:1].isupper():
            words[0] = words[0][:1].upper() + words[0][1:]
        return str(Split(words, self._gaps if gaps is None else gaps))

    def _ended(self, words: list[str], gaps: list[str]) -> str:
        """Words and the gaps before them, and the headline's last sign."""
        return self._cased(words, [*gaps, self._gaps[-1]])

    # Word order

    def shuffled(self) -> str | None:
        """All words in another order."""
        if self._count < 3:
            return None
        return self._cased([self._words[index] for index in self._random.permutation(self._count)])

    def neighbours(self) -> str | None:
        """One to three pairs of neighbours change places, not across a mark."""
        words = list(self._words)
        inside = [
            index
            for index in range(self._count - 1)
            if not self._gaps[index + 1].strip() and words[index].lower() != words[index + 1].lower()
        ]
        if not inside:
            return None
        for index in self._random.permutation(inside)[: self._random.integers(1, 4)]:
            words[index], words[index + 1] = words[index + 1], words[index]
        return self._cased(words)

    def reversed_words(self) -> str | None:
        """The last word first."""
        return self._cased(self._words[::-1]) if self._count > 2 else None

    def moved(self) -> str | None:
        """A few words in a row stand somewhere else."""
        if self._count < 5:
            return None
        length = int(self._random.integers(1, 1 + self._count // 3))
        start = int(self._random.integers(0, self._count - length + 1))
        part, others = (
            self._words[start : start + length],
            self._words[:start] + self._words[start + length :],
        )
        index = int(self._random.integers(0, len(others)))
        index += index >= start
        return self._cased(others[:index] + part + others[index:])

    # Function words

    def _without(self, dropped: set[int]) -> str:
        """The headline without these words; an elided word loses what stands before its apostrophe."""
        words = list(self._words)
        for index in list(dropped):
            if elided := _ELISION.fullmatch(words[index]):
                words[index] = elided[2]
                dropped.discard(index)
        kept = Split(words, self._gaps).keep([index for index in range(self._count) if index not in dropped])
        return self._cased(kept.words, kept.gaps)

    def _droppable(self) -> list[int]:
        """Indices of function words, and of words that one is elided into."""
        is_function = self._lexicon.is_function
        return [
            index
            for index, word in enumerate(self._words)
            if is_function(word) or ((elided := _ELISION.fullmatch(word)) and is_function(elided[1]))
        ]

    def _missed(self, indices: Collection[int]) -> list[int]:
        """Those of the indices whose words a headline cannot do without."""
        english = self._lexicon.language == "en"
        return [index for index in indices if not english or self._words[index].lower() not in ARTICLES]

    def telegram(self) -> str | None:
        """No function words at all."""
        indices = set(self._droppable())
        if self._count - len(indices) < 2 or len(self._missed(indices)) < 2:
            return None
        return self._without(indices)

    def dropped(self) -> str | None:
        """Some function words are left out, two at least unless there is one."""
        indices = self._missed(self._droppable())
        if not indices or self._count < 4:
            return None
        count = int(self._random.integers(min(2, len(indices)), len(indices) + 1))
        return self._without(set(self._random.permutation(indices)[:count].tolist()))

    def inserted(self) -> str | None:
        """One to three function words stand where they do not belong."""
        functions = self._lexicon.function_list
        if self._count < 3 or not functions:
            return None
        words, gaps = list(self._words), self._gaps[:-1]
        for _ in range(int(self._random.integers(1, 4))):
            index = int(self._random.integers(1, len(words) + 1))
            words.insert(index, functions[self._random.integers(len(functions))])
            gaps.insert(index, " ")
        return self._ended(words, gaps)

    # Repetition

    def stuttered(self) -> str | None:
        """One to three times, one to three words stand twice, side by side or further on; or the headline follows its own beginning."""
        if self._count < 3:
            return None
        random = self._random
        if random.random() < RESTARTED:
            count = self._count if random.random() < 0.5 else int(random.integers(3, self._count + 1))
            mark = (" ", ", ", ". ", ": ")[random.integers(4)]
            return str(Split(self._words[:count] + self._words, [*self._gaps[:count], mark, *self._gaps[1:]]))
        words, gaps = list(self._words), self._gaps[:-1]
        for _ in range(int(random.integers(1, 4))):
            length = int(random.integers(1, 4))
            start = int(random.integers(0, max(1, len(words) - length + 1)))
            part = words[start : start + length]
            index = start + len(part) if random.random() < 0.5 else int(random.integers(1, len(words) + 1))
            words[index:index] = part
            gaps[index:index] = [" ", *gaps[start + 1 : start + len(part)]]
        return self._ended(words, gaps)

    def looped(self) -> str | None:
        """The end repeats two to five words again and again, as a generator in a loop does."""
        count, random = self._count, self._random
        if count < 4:
            return None
        length = int(random.integers(1, min(5, count - 2) + 1))
        start = int(random.integers(0, count - length + 1))
        part, part_gaps = self._words[start : start + length], [*self._gaps[start : start + length]]
        part_gaps[0] = (" ", " ", ", ", ": ")[random.integers(4)]
        repeats = int(random.integers(1, 4))
        if random.random() < 0.5:
            repeats = max(repeats, -(-(count - start - length) // length))
        words = self._words[: start + length] + part * repeats
        gaps = self._gaps[: start + length] + part_gaps * repeats
        return self._ended(words[: count + 6], gaps[: count + 6])

    # Substitution

    def foreign(self) -> str | None:
        """A quarter of the words are random words of other headlines."""
        if self._count < 3:
            return None
        words, others = list(self._words), self._lexicon.words
        order = self._random.permutation(self._count)
        for index in order[: max(1, round(self._count * self._random.uniform(0.1, 0.4)))]:
            words[index] = _like(words[index], others[self._random.integers(len(others))])
        return self._cased(words)

    def same_tag(self) -> str | None:
        """A third of the content words give way to random words of the same part of speech."""
        if self._count < 4 or not self._lexicon.tagged:
            return None
        tags = self._lexicon.tags(self._words)
        changed = ("NOUN", "VERB", "ADJ", "ADV", "AUX", "ADP", "DET")
        indices = [index for index, tag in enumerate(tags) if tag in changed]
        if len(indices) < 2:
            return None
        words = list(self._words)
        for index in self._random.permutation(indices)[: max(2, round(len(indices) / 3))]:
            choices = self._lexicon.tagged.get(tags[index], words)
            words[index] = _like(words[index], choices[self._random.integers(len(choices))])
        return self._cased(words)

    def agreement(self) -> str | None:
        """One to three articles, nouns, adjectives or verbs have the wrong gender, number or person."""
        language = self._lexicon.language
        if language not in _FORMS:
            return None
        tags = self._lexicon.tags(self._words)
        make = _italian_forms if language == "it" else _english_forms
        words, wrong = list(self._words), 0
        most = int(self._random.integers(1, 4))
        for index in self._random.permutation(self._count).tolist():
            low = words[index].lower()
            others = _FORMS[language].get(low) or [
                form for form in make(low, tags[index]) if form in self._lexicon.vocabulary
            ]
            if others and wrong < most:
                words[index] = _like(words[index], others[self._random.integers(len(others))])
                wrong += 1
        return self._cased(words) if wrong else None

    # Truncation and splicing

    def _cuts(self) -> list[int]:
        """After how many words the headline can be cut so that it dangles."""
        return [
            count
            for count in range(2, self._count)
            if not self._gaps[count].strip()
            and self._lexicon.dangles(self._words[count - 1], self._words[count])
        ]

    def cut_end(self) -> str | None:
        """The end is missing, after a word that no headline ends with."""
        cuts = self._cuts()
        if not cuts:
            return None
        count = cuts[self._random.integers(len(cuts))]
        return str(Split(self._words[:count], [*self._gaps[:count], self._gaps[-1]]))

    def cut_start(self) -> str | None:
        """The beginning is missing, before a word that no headline begins with."""
        indices = [
            index
            for index in range(1, self._count - 1)
            if not self._gaps[index].strip() and self._lexicon.goes_on(self._words[index])
        ]
        if not indices:
            return None
        start = indices[self._random.integers(len(indices))]
        return self._cased(self._words[start:], ["", *self._gaps[start + 1 :]])

    def _other(self) -> Split:
        return self._lexicon.splits[self._random.integers(len(self._lexicon.splits))]

    def joined(self) -> str | None:
        """Another headline follows without a mark between them."""
        other = self._other()
        if self._count < 3 or len(other.words) < 3:
            return None
        between = f"{self._gaps[-1].rstrip(' .!?…')} {other.gaps[0]}"
        return str(Split(self._words + other.words, [*self._gaps[:-1], between, *other.gaps[1:]]))

    def spliced(self) -> str | None:
        """The beginning, and the end of another headline: behind a word that must go on, or where two words meet that no text has side by side."""
        cuts, other = self._cuts(), self._other()
        starts = [index for index in range(1, len(other.words)) if not other.gaps[index].strip()]
        if self._random.random() < 0.5:
            inside = [count for count in range(2, self._count) if not self._gaps[count].strip()]
            junctions = [
                (count, start)
                for count in inside
                for start in starts
                if (self._words[count - 1].lower(), other.words[start].lower()) not in self._lexicon.adjacent
            ]
        else:
            junctions = [(count, start) for count in cuts for start in starts]
        if not junctions:
            return None
        count, start = junctions[self._random.integers(len(junctions))]
        words = self._words[:count] + other.words[start:]
        return self._ended(words, [*self._gaps[:count], " ", *other.gaps[start + 1 : -1]])

    # Word lists

    def keywords(self) -> str | None:
        """The content words by the alphabet, or as they come, between commas, semicolons or bars."""
        words = [word for word in self._words if not self._lexicon.is_function(word)]
        if len(words) < 3:
            return None
        mark = self._random.choice([" ", " ", ", ", "; ", " | "])
        if mark == " " or self._random.random() < 0.5:
            words.sort(key=str.lower)
        return self._ended(words, ["", *[str(mark)] * (len(words) - 1)])

    def function_words(self) -> str | None:
        """The function words alone."""
        indices = [index for index, word in enumerate(self._words) if self._lexicon.is_function(word)]
        kept = Split(self._words, self._gaps).keep(indices)
        return self._cased(kept.words, kept.gaps) if len(indices) > 1 else None

    def fragment(self) -> str | None:
        """A word or two from different places, or the marks alone."""
        if self._count < 4:
            return None
        marks = "".join("".join(self._gaps).split())
        if marks and self._random.random() < 0.2:
            return marks
        indices = np.sort(self._random.permutation(self._count)[: self._random.integers(1, 3)]).tolist()
        if len(indices) == 2 and indices[1] - indices[0] < 2:
            indices = indices[:1]
        return self._cased([self._words[index] for index in indices], ["", *[" "] * (len(indices) - 1), ""])

    # Running text, language models

    def sentence(self) -> str | None:
        """A sentence of the headline's article, with its own end or the headline's."""
        article = self._lexicon.article_of.get(str(Split(self._words, self._gaps)), "")
        longest = max(SENTENCE_WORDS, 2 * self._count)
        candidates = [
            text.strip()
            for text in sentences(article)[:-1]  # the last one may be cut
            if SAMPLE_WORDS[0] <= len(text.split()) <= longest
        ]
        if not candidates:
            return None
        text = candidates[int(self._random.integers(len(candidates)))]
        return text if self._random.random() < 0.5 else text.rstrip(".") + self._gaps[-1]

    def sampled(self) -> str | None:
        """A sample of the bigrams and trigrams of the corpus's headlines; nothing of the headline but its last sign."""
        random, followers = self._random, self._lexicon.followers
        for _ in range(4):
            words, gaps, switches = ["", ""], [], 0
            share = random.uniform(0.0, 0.6)
            while len(words) < SAMPLE_WORDS[1] + 2:
                after_two = followers.get((words[-2], words[-1]), [])
                choices = after_two if after_two and random.random() < share else followers[words[-1],]
                gap, word = choices[random.integers(len(choices))]
                if not word:
                    break
                switches += (words[-2], words[-1], word) not in self._lexicon.trigrams
                words.append(word)
                gaps.append(gap)
            if len(words) - 2 >= SAMPLE_WORDS[0] and switches >= 2:
                return self._ended(words[2:], gaps)
        return None

    def word_soup(self) -> str | None:
        """As many random words of other headlines, between the headline's marks."""
        if self._count < 3:
            return None
        others = self._lexicon.words
        drawn = self._random.integers(len(others), size=self._count)
        return self._cased([_like(old, others[new]) for old, new in zip(self._words, drawn, strict=True)])


CORRUPTIONS = {name: method for name, method in vars(Corruption).items() if not name.startswith("_")}
