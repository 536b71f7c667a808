"""Headlines broken in known ways: what the fluency judge learns to refuse, and what the audit tests it with.

A corruption is a function of a split headline, a random generator and the words of the corpus (`Lexicon`);
it returns the corrupted headline, or None where it does not apply. Marks stay in place, the first word takes the
first word's case and the end keeps its sign, so that neither case nor punctuation betrays the corruption.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection
from itertools import permutations

import numpy as np

from change_it.text.lexicon import Lexicon, Split
from change_it.text.sentences import sentences

Corruption = Callable[["Split", np.random.Generator, "Lexicon"], str | None]

_ELISION = re.compile(r"(\w{1,6})['’](\w{3,}.*)")
#: Words of the text that a headline of the language model has, at least and at most.
SAMPLE_WORDS = 5, 18
#: Words of a sentence that stands for a headline, at most, unless headlines are longer.
SENTENCE_WORDS = 25
#: Share of the stuttered headlines that follow their own beginning.
RESTARTED = 0.2
#: Marks that come in pairs.
PAIRS = (("«", "»"), ("“", "”"), ("(", ")"), ("[", "]"))


CORRUPTIONS: dict[str, Corruption] = {}


def corruption(function: Corruption) -> Corruption:
    """Register a corruption under the function's name."""
    CORRUPTIONS[function.__name__] = function
    return function


def corrupt(headline: str, name: str, random: np.random.Generator, lexicon: Lexicon) -> str | None:
    """A headline corrupted by one of `CORRUPTIONS`; None if the corruption does not apply or leaves the headline as it was."""
    broken = CORRUPTIONS[name](Split.of(headline), random, lexicon)
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


def _cased(split: Split, original: Split, lexicon: Lexicon) -> str:
    """The headline with the case that its first words have where they stand now."""
    words = list(split.words)
    if not words:
        return ""
    first = original.words[0]
    for index, word in enumerate(words[1:], 1):
        low = word[:1].lower() + word[1:]
        if word == first and lexicon.counts[low] > lexicon.counts[word]:
            words[index] = low
    if first[:1].isupper():
        words[0] = words[0][:1].upper() + words[0][1:]
    return str(Split(words, split.gaps))


def _ended(words: list[str], gaps: list[str], original: Split, lexicon: Lexicon) -> str:
    """Words and the gaps before them, and the original's last sign."""
    return _cased(Split(words, [*gaps, original.gaps[-1]]), original, lexicon)


# Word order


@corruption
def shuffled(split: Split, random: np.random.Generator, lexicon: Lexicon) -> str | None:
    """All words in another order."""
    if len(split.words) < 3:
        return None
    order = random.permutation(len(split.words))
    return _cased(Split([split.words[index] for index in order], split.gaps), split, lexicon)


@corruption
def neighbours(split: Split, random: np.random.Generator, lexicon: Lexicon) -> str | None:
    """One to three pairs of neighbours change places, not across a mark."""
    words = list(split.words)
    inside = [
        index
        for index in range(len(words) - 1)
        if not split.gaps[index + 1].strip() and words[index].lower() != words[index + 1].lower()
    ]
    if not inside:
        return None
    for index in random.permutation(inside)[: random.integers(1, 4)]:
        words[index], words[index + 1] = words[index + 1], words[index]
    return _cased(Split(words, split.gaps), split, lexicon)


@corruption
def reversed_words(split: Split, random: np.random.Generator, lexicon: Lexicon) -> str | None:
    """The last word first."""
    return _cased(Split(split.words[::-1], split.gaps), split, lexicon) if len(split.words) > 2 else None


@corruption
def moved(split: Split, random: np.random.Generator, lexicon: Lexicon) -> str | None:
    """A few words in a row stand somewhere else."""
    count = len(split.words)
    if count < 5:
        return None
    length = int(random.integers(1, 1 + count // 3))
    start = int(random.integers(0, count - length + 1))
    part, others = split.words[start : start + length], split.words[:start] + split.words[start + length :]
    index = int(random.integers(0, len(others)))
    index += index >= start
    return _cased(Split(others[:index] + part + others[index:], split.gaps), split, lexicon)


# Function words


def _without(split: Split, dropped: set[int], lexicon: Lexicon) -> str:
    """The headline without these words; an elided word loses what stands before its apostrophe."""
    words = list(split.words)
    for index in list(dropped):
        if elided := _ELISION.fullmatch(words[index]):
            words[index] = elided[2]
            dropped.discard(index)
    indices = [index for index in range(len(words)) if index not in dropped]
    return _cased(Split(words, split.gaps).keep(indices), split, lexicon)


def _droppable(split: Split, lexicon: Lexicon) -> list[int]:
    """Indices of function words, and of words that one is elided into."""
    return [
        index
        for index, word in enumerate(split.words)
        if lexicon.is_function(word)
        or ((elided := _ELISION.fullmatch(word)) and lexicon.is_function(elided[1]))
    ]


#: English headlines do without these as it is, and any headline without one other function word as often as not.
ARTICLES = {"a", "an", "the"}


def _missed(split: Split, indices: Collection[int], lexicon: Lexicon) -> list[int]:
    """Those of the indices whose words a headline cannot do without."""
    english = lexicon.language == "en"
    return [index for index in indices if not english or split.words[index].lower() not in ARTICLES]


@corruption
def telegram(split: Split, random: np.random.Generator, lexicon: Lexicon) -> str | None:
    """No function words at all."""
    indices = set(_droppable(split, lexicon))
    if len(split.words) - len(indices) < 2 or len(_missed(split, indices, lexicon)) < 2:
        return None
    return _without(split, indices, lexicon)


@corruption
def dropped(split: Split, random: np.random.Generator, lexicon: Lexicon) -> str | None:
    """Some function words are left out, two at least unless there is one."""
    indices = _missed(split, _droppable(split, lexicon), lexicon)
    if not indices or len(split.words) < 4:
        return None
    count = int(random.integers(min(2, len(indices)), len(indices) + 1))
    return _without(split, set(random.permutation(indices)[:count].tolist()), lexicon)


@corruption
def inserted(split: Split, random: np.random.Generator, lexicon: Lexicon) -> str | None:
    """One to three function words stand where they do not belong."""
    if len(split.words) < 3 or not lexicon.function_list:
        return None
    words, gaps = list(split.words), split.gaps[:-1]
    for _ in range(int(random.integers(1, 4))):
        index = int(random.integers(1, len(words) + 1))
        words.insert(index, lexicon.function_list[random.integers(len(lexicon.function_list))])
        gaps.insert(index, " ")
    return _ended(words, gaps, split, lexicon)


# Repetition


@corruption
def stuttered(split: Split, random: np.random.Generator, lexicon: Lexicon) -> str | None:
    """One to three times, one to three words stand twice, side by side or further on; or the headline follows its own beginning."""
    if len(split.words) < 3:
        return None
    if random.random() < RESTARTED:
        count = len(split.words) if random.random() < 0.5 else int(random.integers(3, len(split.words) + 1))
        mark = (" ", ", ", ". ", ": ")[random.integers(4)]
        return str(Split(split.words[:count] + split.words, [*split.gaps[:count], mark, *split.gaps[1:]]))
    words, gaps = list(split.words), split.gaps[:-1]
    for _ in range(int(random.integers(1, 4))):
        length = int(random.integers(1, 4))
        start = int(random.integers(0, max(1, len(words) - length + 1)))
        part = words[start : start + length]
        index = start + len(part) if random.random() < 0.5 else int(random.integers(1, len(words) + 1))
        words[index:index] = part
        gaps[index:index] = [" ", *gaps[start + 1 : start + len(part)]]
    return _ended(words, gaps, split, lexicon)


@corruption
def looped(split: Split, random: np.random.Generator, lexicon: Lexicon) -> str | None:
    """The end repeats two to five words again and again, as a generator in a loop does."""
    count = len(split.words)
    if count < 4:
        return None
    length = int(random.integers(1, min(5, count - 2) + 1))
    start = int(random.integers(0, count - length + 1))
    part, part_gaps = split.words[start : start + length], [*split.gaps[start : start + length]]
    part_gaps[0] = (" ", " ", ", ", ": ")[random.integers(4)]
    repeats = int(random.integers(1, 4))
    if random.random() < 0.5:
        repeats = max(repeats, -(-(count - start - length) // length))
    words = split.words[: start + length] + part * repeats
    gaps = split.gaps[: start + length] + part_gaps * repeats
    return _ended(words[: count + 6], gaps[: count + 6], split, lexicon)


# Substitution


@corruption
def foreign(split: Split, random: np.random.Generator, lexicon: Lexicon) -> str | None:
    """A quarter of the words are random words of other headlines."""
    if len(split.words) < 3:
        return None
    words = list(split.words)
    for index in random.permutation(len(words))[: max(1, round(len(words) * random.uniform(0.1, 0.4)))]:
        words[index] = _like(words[index], str(lexicon.words[random.integers(len(lexicon.words))]))
    return _cased(Split(words, split.gaps), split, lexicon)


@corruption
def same_tag(split: Split, random: np.random.Generator, lexicon: Lexicon) -> str | None:
    """A third of the content words give way to random words of the same part of speech."""
    if len(split.words) < 4 or not lexicon.tagged:
        return None
    tags = lexicon.tags(split.words)
    indices = [p for p, tag in enumerate(tags) if tag in ("NOUN", "VERB", "ADJ", "ADV", "AUX", "ADP", "DET")]
    if len(indices) < 2:
        return None
    words = list(split.words)
    for index in random.permutation(indices)[: max(2, round(len(indices) / 3))]:
        choices = lexicon.tagged.get(tags[index], words)
        words[index] = _like(words[index], choices[random.integers(len(choices))])
    return _cased(Split(words, split.gaps), split, lexicon)


def _like(old: str, new: str) -> str:
    """The new word with the old one's first letter's case."""
    return new[:1].upper() + new[1:] if old[:1].isupper() else new[:1].lower() + new[1:]


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


@corruption
def agreement(split: Split, random: np.random.Generator, lexicon: Lexicon) -> str | None:
    """One to three articles, nouns, adjectives or verbs have the wrong gender, number or person."""
    if lexicon.language not in _FORMS:
        return None
    tags = lexicon.tags(split.words)
    forms = _FORMS[lexicon.language]
    make = _italian_forms if lexicon.language == "it" else _english_forms
    words, wrong = list(split.words), 0
    most = int(random.integers(1, 4))
    for index in random.permutation(len(words)).tolist():
        low = words[index].lower()
        others = forms.get(low) or [form for form in make(low, tags[index]) if form in lexicon.vocabulary]
        if others and wrong < most:
            words[index] = _like(words[index], others[random.integers(len(others))])
            wrong += 1
    return _cased(Split(words, split.gaps), split, lexicon) if wrong else None


# Truncation and splicing


def _cuts(split: Split, lexicon: Lexicon) -> list[int]:
    """After how many words the headline can be cut so that it dangles."""
    return [
        count
        for count in range(2, len(split.words))
        if not split.gaps[count].strip() and lexicon.dangles(split.words[count - 1], split.words[count])
    ]


@corruption
def cut_end(split: Split, random: np.random.Generator, lexicon: Lexicon) -> str | None:
    """The end is missing, after a word that no headline ends with."""
    cuts = _cuts(split, lexicon)
    if not cuts:
        return None
    count = cuts[random.integers(len(cuts))]
    return str(Split(split.words[:count], [*split.gaps[:count], split.gaps[-1]]))


@corruption
def cut_start(split: Split, random: np.random.Generator, lexicon: Lexicon) -> str | None:
    """The beginning is missing, before a word that no headline begins with."""
    indices = [
        index
        for index in range(1, len(split.words) - 1)
        if not split.gaps[index].strip() and lexicon.goes_on(split.words[index])
    ]
    if not indices:
        return None
    start = indices[random.integers(len(indices))]
    return _cased(Split(split.words[start:], ["", *split.gaps[start + 1 :]]), split, lexicon)


@corruption
def joined(split: Split, random: np.random.Generator, lexicon: Lexicon) -> str | None:
    """Another headline follows without a mark between them."""
    other = lexicon.splits[random.integers(len(lexicon.splits))]
    if len(split.words) < 3 or len(other.words) < 3:
        return None
    between = f"{split.gaps[-1].rstrip(' .!?…')} {other.gaps[0]}"
    return str(Split(split.words + other.words, [*split.gaps[:-1], between, *other.gaps[1:]]))


@corruption
def spliced(split: Split, random: np.random.Generator, lexicon: Lexicon) -> str | None:
    """The beginning, and the end of another headline: behind a word that must go on, or where two words meet that no text has side by side."""
    cuts = _cuts(split, lexicon)
    other = lexicon.splits[random.integers(len(lexicon.splits))]
    starts = [index for index in range(1, len(other.words)) if not other.gaps[index].strip()]
    if random.random() < 0.5:
        inside = [count for count in range(2, len(split.words)) if not split.gaps[count].strip()]
        junctions = [
            (count, start)
            for count in inside
            for start in starts
            if (split.words[count - 1].lower(), other.words[start].lower()) not in lexicon.adjacent
        ]
    else:
        junctions = [(count, start) for count in cuts for start in starts]
    if not junctions:
        return None
    count, start = junctions[random.integers(len(junctions))]
    words = split.words[:count] + other.words[start:]
    gaps = [*split.gaps[:count], " ", *other.gaps[start + 1 : -1]]
    return _ended(words, gaps, split, lexicon)


# Word lists


@corruption
def keywords(split: Split, random: np.random.Generator, lexicon: Lexicon) -> str | None:
    """The content words by the alphabet, or as they come, between commas, semicolons or bars."""
    words = [word for word in split.words if not lexicon.is_function(word)]
    if len(words) < 3:
        return None
    mark = random.choice([" ", " ", ", ", "; ", " | "])
    if mark == " " or random.random() < 0.5:
        words.sort(key=str.lower)
    return _ended(words, ["", *[str(mark)] * (len(words) - 1)], split, lexicon)


@corruption
def function_words(split: Split, random: np.random.Generator, lexicon: Lexicon) -> str | None:
    """The function words alone."""
    indices = [index for index, word in enumerate(split.words) if lexicon.is_function(word)]
    return _cased(split.keep(indices), split, lexicon) if len(indices) > 1 else None


@corruption
def fragment(split: Split, random: np.random.Generator, lexicon: Lexicon) -> str | None:
    """A word or two from different places, or the marks alone."""
    if len(split.words) < 4:
        return None
    marks = "".join("".join(split.gaps).split())
    if marks and random.random() < 0.2:
        return marks
    indices = np.sort(random.permutation(len(split.words))[: random.integers(1, 3)]).tolist()
    if len(indices) == 2 and indices[1] - indices[0] < 2:
        indices = indices[:1]
    gaps = ["", *[" "] * (len(indices) - 1), ""]
    return _cased(Split([split.words[index] for index in indices], gaps), split, lexicon)


# Running text


@corruption
def sentence(split: Split, random: np.random.Generator, lexicon: Lexicon) -> str | None:
    """A sentence of the headline's article, with its own end or the headline's."""
    article = lexicon.article_of.get(str(split), "")
    longest = max(SENTENCE_WORDS, 2 * len(split.words))
    candidates = [
        text.strip()
        for text in list(sentences(article))[:-1]  # the last one may be cut
        if SAMPLE_WORDS[0] <= len(text.split()) <= longest
    ]
    if not candidates:
        return None
    text = candidates[int(random.integers(len(candidates)))]
    return text if random.random() < 0.5 else text.rstrip(".") + split.gaps[-1]


# Language models


@corruption
def sampled(split: Split, random: np.random.Generator, lexicon: Lexicon) -> str | None:
    """A sample of the bigrams and trigrams of the corpus's headlines; nothing of the headline but its last sign."""
    followers = lexicon.followers
    for _ in range(4):
        words, gaps, switches = ["", ""], [], 0
        share = random.uniform(0.0, 0.6)
        while len(words) < SAMPLE_WORDS[1] + 2:
            after_two = followers.get((words[-2], words[-1]), [])
            uses_two = after_two and random.random() < share
            choices = after_two if uses_two else followers[words[-1],]
            gap, word = choices[random.integers(len(choices))]
            if not word:
                break
            switches += (words[-2], words[-1], word) not in lexicon.trigrams
            words.append(word)
            gaps.append(gap)
        if len(words) - 2 >= SAMPLE_WORDS[0] and switches >= 2:
            return _ended(words[2:], gaps, split, lexicon)
    return None


@corruption
def word_soup(split: Split, random: np.random.Generator, lexicon: Lexicon) -> str | None:
    """As many random words of other headlines, between the headline's marks."""
    if len(split.words) < 3:
        return None
    drawn = random.integers(len(lexicon.words), size=len(split.words))
    words = [_like(old, lexicon.words[new]) for old, new in zip(split.words, drawn, strict=True)]
    return _cased(Split(words, split.gaps), split, lexicon)
