"""What an `extract` headline says: parts of the original headline and clauses of the lead, in some order.

No language is known here but what counting told: which words are frequent, and what the other newspaper's habits are.
"""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from change_it.generators.habits import Habits, Piece, pieces, quotations
from change_it.text.sentences import sentences
from change_it.text.tokens import words

#: Sentences of the lead that are looked at.
LEAD_SENTENCES = 6
#: A clause with a larger share of its words in the headline says nothing new.
SAID = 0.7
#: Words of a quotation.
QUOTATION_WORDS = (2, 9)
#: Characters beside a quotation in which its speaker is looked for.
REACH = 60

_DOUBLE_MARKS = {ord(mark): None for mark in '«»“”„"'}


@dataclass(frozen=True)
class Source:
    """What one item offers.

    Attributes:
        headline: the original one.
        lead: the beginning of the article.
        kept: words of the headline, lower-cased, with their information (idf).
        known: words of headline and lead, lower-cased.
        forms: words of the lead as they are written.
        titled: the headline is in title case.
    """

    headline: str
    lead: str
    kept: Mapping[str, float]
    known: frozenset[str]
    forms: frozenset[str]
    titled: bool


def bodies(
    source: Source,
    target: Habits,
    dress: Collection[str],
    replacements: Mapping[str, str],
    common: Collection[str],
) -> Iterator[list[Piece]]:
    """Pieces of headline and lead in the orders that newspapers use; some may be equal, none is empty.

    Args:
        source: the item.
        target: habits of the outlet aimed at.
        dress: openings, closings and last marks that are the other outlet's habit.
        replacements: words that the target puts for the other's.
        common: frequent words, lower-cased.
    """
    core = plain(source.headline, dress)
    first, rest = core[:1], core[1:]
    sentence_list = sentences(source.lead)[:LEAD_SENTENCES]
    clause = _clause(source, sentence_list, target.lengths[1])
    new = replaced(core, replacements)
    if new != core:
        yield new
        yield joined(new[:1], clause)
    if core:
        yield core
        yield from _fronted(core, common)
        yield from _unfronted(core, source.lead, common)
    if rest:
        yield first
        if len(first[0].text.split()) > 1:
            yield joined(rest, first)
    if first and clause:
        yield joined(first, clause)
        yield joined(clause, first)
        yield joined(core, clause)
    told = [condensed(sentence, target.lengths[1], common) for sentence in sentence_list]
    yield from [sentence for sentence in told if sentence][:2]
    for quote in _quotes(source, sentence_list)[:2]:
        yield joined(first, quote)
        yield joined(quote, first)


def plain(headline: str, dress: Collection[str]) -> list[Piece]:
    """A headline without its outlet's habitual opening, closing and last mark.

    Args:
        headline: the original one.
        dress: openings and closings with their joints, and last marks, that are the outlet's habit.

    Returns:
        The pieces that are left; at least one with a word when the headline has words.

    Example:
        >>> plain("See how it rains in Rome. Enough!", {"See how ", ". Enough!"})
        [Piece(text='it rains in Rome', joint='')]
    """
    parts = [part for part in pieces(headline) if words(part.text)]
    if len(parts) > 1 and parts[-2].joint + parts[-1].text in dress:
        parts = [*parts[:-2], Piece(parts[-2].text, "")]
    if len(parts) > 1 and parts[0].text + parts[0].joint in dress:
        parts = parts[1:]
    if parts:
        bare = [phrase for phrase in dress if phrase[-1] == " " and parts[0].text.startswith(phrase)]
        if words(text := parts[0].text[max(map(len, bare), default=0) :]):
            parts[0] = Piece(text, parts[0].joint)
        for end in sorted(dress, key=len, reverse=True):
            if not words(end) and words(text := parts[-1].text.removesuffix(end)):
                parts[-1] = Piece(text, "")
    return parts


def condensed(sentence: str, limit: int, common: Collection[str]) -> list[Piece]:
    """The beginning of a sentence, cut between pieces where that is possible.

    Args:
        sentence: a sentence of the lead.
        limit: words, at most.
        common: frequent words, which the cut does not leave at the end.

    Returns:
        Pieces; none where the sentence has no words.

    Example:
        >>> condensed("The council met on Monday in the old town hall, said Reed.", 8, {"in", "the", "old"})
        [Piece(text='The council met on Monday', joint='')]
    """
    parts = [Piece(part.text.rstrip(".;:,"), part.joint) for part in pieces(sentence)]
    while len(parts) > 1 and len(parts[0].text.split()) < 3:  # a place in front, an "Anyway"
        parts = parts[1:]
    kept = shortened(parts, limit)
    if kept and len(cut := kept[0].text.split()) > limit:
        cut = cut[:limit]
        while len(cut) > 3 and cut[-1].lower() in common:
            cut.pop()
        text = " ".join(cut).rstrip(" ,;:-–—")
        halves = [mark for mark in text if ord(mark) in _DOUBLE_MARKS]
        kept = [Piece(text.translate(_DOUBLE_MARKS) if len(halves) % 2 else text, "")]
    return kept if kept and words(kept[0].text) else []


def replaced(parts: Sequence[Piece], replacements: Mapping[str, str]) -> list[Piece]:
    """The pieces in other words; a capital at the beginning of a word stays."""

    def swap(match: re.Match[str]) -> str:
        word, small = match.group(), match.group().lower()
        if word in replacements:
            return replacements[word]
        return replacements[small].capitalize() if word.istitle() and small in replacements else word

    return [Piece(re.sub(r"\w+", swap, part.text), part.joint) for part in parts]


def joined(*parts: Sequence[Piece]) -> list[Piece]:
    """Bodies one behind the other, with commas between."""
    whole: list[Piece] = []
    for body in parts:
        if whole and body:
            whole[-1] = Piece(whole[-1].text, " " if whole[-1].text[-1:] in "?!…." else ", ")
        whole.extend(body)
    return whole


def shortened(body: Sequence[Piece], limit: int) -> list[Piece]:
    """The first pieces that have at most `limit` words together, at least one piece."""
    kept: list[Piece] = []
    total = 0
    for part in body:
        total += len(part.text.split())
        if kept and total > limit:
            break
        kept.append(part)
    return [*kept[:-1], Piece(kept[-1].text, "")] if kept else []


def _clause(source: Source, lead: Sequence[str], limit: int) -> list[Piece]:
    """The clause of the lead that is most about the headline and still says something else."""
    best: tuple[float, list[Piece]] = (0.0, [])
    for sentence in lead:
        for part in pieces(sentence):
            found = words(text := part.text.rstrip(".;:,"))
            said = [word for word in found if word in source.kept]
            if 3 <= len(found) <= limit and len(said) <= SAID * len(found):
                value = sum(source.kept[word] for word in set(said)) / math.sqrt(len(found))
                if value > best[0]:
                    best = (value, [Piece(text, "")])
    return best[1]


def _quotes(source: Source, lead: Sequence[str]) -> list[list[Piece]]:
    """Short quotations, those most about the headline first, with their speaker where a name stands beside."""
    found: list[tuple[float, list[Piece]]] = []
    for sentence in lead:
        for start, end in quotations(sentence):
            quote = sentence[start:end]
            if QUOTATION_WORDS[0] <= len(quote.split()) <= QUOTATION_WORDS[1] and "…" not in quote:
                name = _surname(sentence[end : end + REACH]) or _surname(
                    sentence[max(0, start - REACH) : start]
                )
                about = sum(source.kept.get(word, 0.0) for word in set(words(sentence)))
                found.append((about, [*([Piece(name, ": ")] if name else []), Piece(quote, "")]))
    found.sort(key=lambda entry: -entry[0])
    return [quote for _, quote in found]


def _surname(text: str) -> str:
    """The last word of the first run of capitalised words behind another word; empty where there is none."""
    run = ""
    for token in text.split()[1:]:
        word = token.strip(".,;:()\"'«»“”")
        if word[:1].isupper():
            run = word
        if run and (word != token or word != run):
            break
    return run


def _fronted(core: Sequence[Piece], common: Collection[str]) -> Iterator[list[Piece]]:
    """`It rains in Rome` as `Rome: It rains`: a name behind frequent words at the end of the first piece."""
    tokens = core[0].text.split()
    name = len(tokens)
    while name > 1 and tokens[name - 1][0].isupper():
        name -= 1
    end = name
    while end > 1 and tokens[end - 1].lower() in common:
        end -= 1
    if 1 < end < name < len(tokens):
        yield [Piece(" ".join(tokens[name:]), ": "), Piece(" ".join(tokens[:end]), core[0].joint), *core[1:]]


def _unfronted(core: Sequence[Piece], lead: str, common: Collection[str]) -> Iterator[list[Piece]]:
    """`Rome: it rains` as `it rains in Rome`, with the frequent word that the article puts before the name."""
    name = core[0].text
    if len(core) > 1 and all(word[0].isupper() for word in name.split()):
        for before in re.findall(rf"(\w+) {re.escape(name)}\b", lead):
            if before in common:
                yield [Piece(f"{core[1].text} {before} {name}", core[1].joint), *core[2:]]
                return
