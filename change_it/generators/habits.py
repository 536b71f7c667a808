"""What a newspaper is used to in its headlines, learnt by comparing them with the other newspaper's.

Nothing here knows a language or a newspaper: quotation marks, openings and closings, capitals, lengths and synonyms are
counted. A habit is what one outlet does more often than the other, by log-odds of the two shares.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

_QUOTED = re.compile(
    r"«[^»]*»|“[^”]*”|„[^“”]*[“”]|\"[^\"]*\"|(?<!\w)‘[^‘]*?’(?!\w)|(?<!\w)'[^']*(?:\w'\w[^']*)*'(?!\w)"
)
_JOINT = re.compile(r"(?:[,;:.?!…|]+|\s[-–—|])\s+")
_SHORTENED = re.compile(r"(?:\b[^\W\d_a-z]\w{0,2}|\.\w)\Z")  # Sen. U.S.
_SPOKEN = "?!…"
_TOKEN = re.compile(r"\w+|\.{2,}|[^\w\s]")
_WORD = re.compile(r"[^\W\d_]+")
_INNER_END = re.compile(r"(?<![.])[.,]$")
_FACT = re.compile(r"\d|[\"«»“”„‘]|(?<!\w)['’]|['’](?!\w)")
_LAST_MARKS = re.compile(r"[.!…]*$")

#: Shorter words tell nothing about title case.
_TITLE_LETTERS = 4
#: Phrases of each kind that are kept, best first.
_PHRASES = 60
#: Words that a recurring opening or closing has at most.
_PHRASE_WORDS = 6
#: Log-odds below which an opening or closing is no habit.
_PHRASE_ODDS = 0.7
#: Dice coefficient times cosine of the neighbours that a word and its replacement need.
_SYNONYM = 0.2


class Piece(NamedTuple):
    """A part of a headline between two joints; `joint` is what follows it, with its space, or the empty string."""

    text: str
    joint: str


def pieces(text: str) -> list[Piece]:
    """Cut a headline or sentence at its punctuation, but not inside quotations.

    Args:
        text: a headline or sentence.

    Returns:
        The pieces; question marks, exclamation marks and dots stay with their piece.

    Example:
        >>> [tuple(piece) for piece in pieces('Neve: "Chiuso, tutto chiuso", sindaci in piazza. E ora? Si vedrà')]
        [('Neve', ': '), ('"Chiuso, tutto chiuso"', ', '), ('sindaci in piazza', '. '), ('E ora?', ' '), ('Si vedrà', '')]
    """
    spans = quotations(text)
    found, start = [], 0
    for joint in _JOINT.finditer(text):
        if any(first < joint.start() < end - 1 for first, end in spans):
            continue
        marks = joint.group().strip()
        if marks == "." and _SHORTENED.search(text, 0, joint.start()):
            continue
        spoken = any(mark in _SPOKEN for mark in marks) or marks.startswith("..")
        stop = joint.start() + len(marks) if spoken else joint.start()
        if part := text[start:stop].strip():
            found.append(Piece(part, " " if spoken else joint.group()))
        start = joint.end()
    if part := text[start:].strip():
        found.append(Piece(part, ""))
    elif found:
        found[-1] = Piece(found[-1].text, "")
    return found


def quotations(text: str) -> list[tuple[int, int]]:
    """Where quotations begin and end, marks included."""
    return [match.span() for match in _QUOTED.finditer(text)]


def requote(text: str, marks: tuple[str, str]) -> str:
    """The text with every quotation between these marks, and without a full stop or comma at the quotation's end.

    Example:
        >>> requote("Il sindaco: “Tutto l'anno”", ("«", "»"))
        "Il sindaco: «Tutto l'anno»"
    """
    return _QUOTED.sub(
        lambda match: f"{marks[0]}{_INNER_END.sub('', match.group()[1:-1].strip())}{marks[1]}", text
    )


def titled(text: str) -> bool:
    """Whether a headline is in title case: most of its words of four letters or more have a capital.

    Example:
        >>> titled("Council Votes Down the New Harbour"), titled("Council votes down the new Harbour")
        (True, False)
    """
    words = [word for word in _WORD.findall(text)[1:] if len(word) >= _TITLE_LETTERS]
    return len(words) >= 2 and sum(word[0].isupper() for word in words) > 0.75 * len(words)


def features(text: str) -> list[str]:
    """What the style of a headline is judged by: words and marks, cased, alone and in twos; length; capitals.

    Args:
        text: a headline.

    Returns:
        Names of features, repeated where they occur again.

    Example:
        >>> features("Ecco: neve")
        ['Ecco', ':', 'neve', '^ Ecco', 'Ecco :', ': neve', 'neve $', '#3']
    """
    tokens = _TOKEN.findall(text)
    names = [*tokens, *map(" ".join, zip(["^", *tokens], [*tokens, "$"], strict=True))]
    names.append(f"#{min(len(tokens) // 3 * 3, 30)}")
    if tokens and len(tokens[0]) > 1 and tokens[0].isupper():
        names.append("#first word in capitals")
    if titled(text):
        names.append("#title case")
    return names


@dataclass(frozen=True)
class Style:
    """A logistic regression over `features` that tells two outlets' headlines apart.

    Attributes:
        weights: by feature; positive ones speak for the second outlet.
        intercept: of the regression.
    """

    weights: dict[str, float]
    intercept: float

    @classmethod
    def learn(cls, first: Sequence[str], second: Sequence[str]) -> "Style":
        """Fit the regression, both outlets weighing the same.

        Args:
            first: headlines of outlet A, at least one.
            second: headlines of outlet B, at least one.
        """
        rare = 1 if min(len(first), len(second)) < 200 else 2
        vectors = CountVectorizer(analyzer=features, binary=True, min_df=rare)
        model = LogisticRegression(C=0.3, solver="liblinear", class_weight="balanced", random_state=1)
        model.fit(vectors.fit_transform([*first, *second]), [0] * len(first) + [1] * len(second))
        weights = model.coef_[0].tolist()
        named = {name: weights[column] for name, column in vectors.vocabulary_.items()}
        return cls(named, float(model.intercept_[0]))

    def logit(self, text: str) -> float:
        """Log-odds that a headline is the second outlet's."""
        return self.intercept + sum(self.weights.get(name, 0.0) for name in set(features(text)))


class Phrase(NamedTuple):
    """An opening or closing that recurs.

    Attributes:
        text: with its joint.
        odds: log-odds of the outlet's share over the other's.
        rows: positions of the headlines that have it.
        after: for words without a mark behind them, what followed them, lower-cased; else empty.
    """

    text: str
    odds: float
    rows: tuple[int, ...]
    after: frozenset[str] = frozenset()


class Headlines:
    """Headlines that are counted: each is cut once.

    Attributes:
        texts: the headlines, white space normalised; empty ones are left out.
        parts: the pieces of each.
    """

    def __init__(self, texts: Iterable[str]):
        self.texts = [text for text in (" ".join(text.split()) for text in texts) if text]
        self.parts = [pieces(text) for text in self.texts]

    def __len__(self) -> int:
        return len(self.texts)


@dataclass(frozen=True)
class Habits:
    """Habits of one outlet beside the other's.

    Attributes:
        lengths: words of a short, a middling and a long headline (quantiles .25, .5, .9).
        marks: its commonest quotation marks.
        colon: its odds of a colon as the first joint, over the other outlet's.
        capitals: share of headlines whose first word is in capitals, when that is a habit; else 0.
        titled: share of headlines in title case.
        small: words that title case leaves small.
        openings: recurring beginnings with their joint (`Neve: `), or the first words alone (`Ecco `).
        closings: recurring ends with their joint (`. E ora?`).
        endings: last marks that are a habit, such as `...`.
    """

    lengths: tuple[int, int, int]
    marks: tuple[str, str]
    colon: float
    capitals: float
    titled: float
    small: frozenset[str]
    openings: tuple[Phrase, ...]
    closings: tuple[Phrase, ...]
    endings: tuple[str, ...]

    @classmethod
    def learn(cls, own: Headlines, other: Headlines) -> "Habits":
        """Compare an outlet's headlines with the other outlet's.

        Args:
            own: headlines of the outlet, at least one.
            other: headlines of the other outlet, at least one.

        Returns:
            The habits of `own`.
        """
        counts = sorted(len(text.split()) for text in own.texts)
        marks = Counter((text[a], text[b - 1]) for text in own.texts for a, b in quotations(text))
        cased = [text for text in own.texts if titled(text)]
        small = Counter(word for text in cased for word in _WORD.findall(text)[1:] if word.islower())
        capitals, elsewhere = (sum(map(_loud, side.texts)) / len(side) for side in (own, other))
        colons, theirs = (sum(parts[0].joint[:1] == ":" for parts in side.parts) for side in (own, other))
        return cls(
            lengths=(counts[len(counts) // 4], counts[len(counts) // 2], counts[len(counts) * 9 // 10]),
            marks=marks.most_common(1)[0][0] if marks else ('"', '"'),
            colon=_odds(colons, theirs, own, other),
            capitals=capitals if capitals > 0.02 and capitals > 2 * elsewhere else 0.0,
            titled=len(cased) / len(own),
            small=frozenset(word for word, count in small.items() if count > 1),
            openings=_phrases(own, other, _openings, _heads(own)),
            closings=_phrases(own, other, _closings, None),
            endings=_endings(own, other),
        )


def _loud(text: str) -> bool:
    """Whether a headline begins with a word in capitals."""
    return any(len(word) > 1 and word.isupper() for word in _WORD.findall(text)[:1])


def _odds(count: int, elsewhere: int, own: Headlines, other: Headlines) -> float:
    """Difference of the log-odds of two counts, smoothed by half a headline."""

    def one(count: int, size: int) -> float:
        return math.log((count + 0.5) / (size - count + 0.5))

    return one(count, len(own)) - one(elsewhere, len(other))


def _openings(text: str, parts: Sequence[Piece]) -> list[str]:
    """The first piece with its joint, or else the first word and the first two."""
    words = text.split()
    first = [parts[0].text + parts[0].joint] if len(parts) > 1 else []
    return first + [
        " ".join(words[:count]) + " "
        for count in (1, 2)
        if len(words) > count + 2 and words[count - 1][-1].isalnum()
    ]


def _closings(text: str, parts: Sequence[Piece]) -> list[str]:
    """The last piece with the joint in front of it."""
    return [parts[-2].joint + parts[-1].text] if len(parts) > 1 else []


def _heads(own: Headlines) -> dict[str, float]:
    """For each word, lower-cased, the odds with which it begins a headline rather than stands within one."""
    first: Counter[str] = Counter()
    within: Counter[str] = Counter()
    for text in own.texts:
        words = [word.lower() for word in text.split()]
        first[words[0]] += 1
        within.update(words[1:])
    inner = sum(within.values())
    return {
        word: (count / len(own)) / (count / len(own) + within[word] / max(inner, 1))
        for word, count in first.items()
    }


def _phrases(
    own: Headlines,
    other: Headlines,
    cut: Callable[[str, Sequence[Piece]], list[str]],
    heads: dict[str, float] | None,
) -> tuple[Phrase, ...]:
    """Phrases that recur in `own` and are rarer in `other`, by log-odds times the root of their count.

    With `heads`, words without a mark behind them count as an opening only where headlines could begin after them.
    """
    rows: dict[str, list[int]] = {}
    for row, (text, parts) in enumerate(zip(own.texts, own.parts, strict=True)):
        for phrase in cut(text, parts):
            rows.setdefault(phrase, []).append(row)
    elsewhere = Counter(
        phrase for text, parts in zip(other.texts, other.parts, strict=True) for phrase in cut(text, parts)
    )
    least = max(3, len(own) // 2000)
    found = []
    for phrase, where in rows.items():
        if len(where) < least or len(phrase.split()) > _PHRASE_WORDS or _FACT.search(phrase):
            continue  # rare, long, or somebody's words and figures
        after: list[str] = []
        if heads is not None and phrase[-2].isalnum():
            after = [own.texts[row][len(phrase) :].split()[0].lower() for row in where]
            if sum(heads.get(word, 0.0) for word in after) / len(after) < 0.5:
                continue
        odds = _odds(len(where), elsewhere[phrase], own, other)
        if odds >= _PHRASE_ODDS:
            found.append(Phrase(phrase, odds, tuple(where), frozenset(after)))
    found.sort(key=lambda phrase: (-phrase.odds * math.sqrt(len(phrase.rows)), phrase.text))
    return tuple(found[:_PHRASES])


def _endings(own: Headlines, other: Headlines) -> tuple[str, ...]:
    """Last marks, quotation marks aside, that a fiftieth of the headlines have and that are a habit."""
    mine, theirs = (Counter(_LAST_MARKS.findall(text)[0] for text in side.texts) for side in (own, other))
    return tuple(
        end
        for end, count in sorted(mine.items())
        if end and count > len(own) / 50 and _odds(count, theirs[end], own, other) > 0.3
    )


def synonyms(pairs: Sequence[tuple[str, str]], *, least: int = 3) -> dict[str, str]:
    """Words of one outlet that the other replaces, learnt from headlines about the same events.

    A word and its replacement occur in different headlines of the same pairs (Dice coefficient) and between the same
    neighbours (cosine), so that articles and prepositions go on agreeing; each is the best for the other.

    Args:
        pairs: headline of the outlet that is rewritten, headline of the target outlet.
        least: pairs that a word and its replacement share at least.

    Returns:
        Word to replacement, cased as found.

    Example:
        >>> there = [f"chiude la rotonda {n}" for n in ("est", "ovest", "sud", "nord")]
        >>> synonyms([(text, text.replace("rotonda", "rotatoria") + " oggi") for text in there])
        {'rotonda': 'rotatoria'}
    """
    left: Counter[str] = Counter()
    right: Counter[str] = Counter()
    both: Counter[tuple[str, str]] = Counter()
    around: dict[str, Counter[str]] = {}
    for first, second in pairs:
        tokens = [re.findall(r"\w+", text) for text in (first, second)]
        for words in tokens:
            for before, word, after in zip(["^", *words], words, [*words[1:], "$"], strict=False):
                near = around.setdefault(word, Counter())
                near["<" + before.lower()] += 1
                near[">" + after.lower()] += 1
        one_side, other_side = ({word.lower() for word in words} for words in tokens)
        ours = {word for word in tokens[0] if word.lower() not in other_side}
        theirs = {word for word in tokens[1] if word.lower() not in one_side}
        left.update(ours)
        right.update(theirs)
        both.update((one, two) for one in ours for two in theirs)
    best: dict[str, tuple[float, str]] = {}
    back: dict[str, tuple[float, str]] = {}
    for (one, two), count in both.items():
        if count < least or one.lower() == two.lower() or one[0].isupper() != two[0].isupper():
            continue
        dice = 2 * count / (left[one] + right[two])
        if dice < _SYNONYM:
            continue
        value = dice * _cosine(around[one], around[two])
        if value >= _SYNONYM:
            best[one] = max(best.get(one, (0.0, "")), (value, two))
            back[two] = max(back.get(two, (0.0, "")), (value, one))
    return {one: two for one, (_, two) in sorted(best.items()) if back[two][1] == one}


def _cosine(one: Counter[str], two: Counter[str]) -> float:
    product = sum(count * two[word] for word, count in one.items() if word in two)
    return product / math.sqrt(
        sum(count**2 for count in one.values()) * sum(count**2 for count in two.values())
    )
