"""Decide whether a measure can rank systems on a corpus, by what it makes of headlines that nobody should write.

A kind of such headlines keeps a share of gold's mean on the same items. The rule was written down before the corpora in
`benchmarks/README.md` were measured with it, and it is not changed without new ones.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from change_it.files.records import record_to_json

Measure = Literal["style", "acceptability", "compliancy"]
Outcome = Literal["stops", "sees", "misses", "not known"]
Group = Literal["no sentence", "not written for this", "wrong content", "unchanged style"]
Verdict = Literal["ranks", "ranks sentences", "cannot rank", "not known"]

#: The measures in the order in which their verdicts are shown.
MEASURES: tuple[Measure, ...] = get_args(Measure)
#: What can be made of a kind, the best first.
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
#: How the sentence of a verdict begins, and in its place the answer to "can it rank systems here?".
BEGINNINGS: dict[Verdict, tuple[str, str]] = {
    "ranks": ("can rank systems here", "yes"),
    "ranks sentences": ("can rank only systems that write sentences", "only systems that write sentences"),
    "cannot rank": ("cannot rank systems here", "no"),
    "not known": ("not known whether it can rank systems here", "not known"),
}

#: A measure stops a kind that keeps surely at most this share of gold's mean.
STOPS_AT_MOST = 0.25
#: A measure sees a kind that keeps surely at most this share, and misses one that keeps surely more.
SEES_AT_MOST = 0.75
#: Events of a kind below which nothing is said of it.
MIN_EVENTS = 20
#: So many times the pairs at hand are named as enough, at most.
MOST_TIMES = 10

_WRONG_CONTENT: Group = "wrong content"
_UNCHANGED_STYLE: Group = "unchanged style"
_NO_SENTENCE: Group = "no sentence"
_NOT_WRITTEN: Group = "not written for this"

#: The groups of kinds that a measure should notice.
GROUPS_OF: dict[Measure, tuple[Group, ...]] = {
    "style": (_UNCHANGED_STYLE,),
    "acceptability": (_NO_SENTENCE, _NOT_WRITTEN, _WRONG_CONTENT),
    "compliancy": (_NO_SENTENCE, _NOT_WRITTEN, _WRONG_CONTENT, _UNCHANGED_STYLE),
}
#: Single kinds that a measure should notice besides.
KINDS_OF: dict[Measure, tuple[str, ...]] = {"style": ("clause", "lead")}
#: Single kinds that are not a measure's business: the original's story is acceptable.
NOT_OF: dict[Measure, tuple[str, ...]] = {"acceptability": ("copy",)}


@dataclass(frozen=True)
class Kind:
    """A kind of headlines that nobody should write.

    Attributes:
        name: its name in files.
        groups: the groups that it belongs to.
        words: what people read: a noun phrase in the plural or singular that `keeps` or `keep` can follow.
        plural: whether `words` is a plural.
    """

    name: str
    groups: tuple[Group, ...]
    words: str
    plural: bool = False

    def is_business_of(self, measure: Measure) -> bool:
        """Tell whether the measure should notice this kind.

        Examples:
            >>> copy = Kind("copy", ("not written for this", "unchanged style"), "the unchanged original")
            >>> copy.is_business_of("style"), copy.is_business_of("acceptability")
            (True, False)
        """
        if self.name in NOT_OF.get(measure, ()):
            return False
        if self.name in KINDS_OF.get(measure, ()):
            return True
        return any(group in GROUPS_OF[measure] for group in self.groups)


@dataclass(frozen=True)
class KindShare:
    """The share of gold's mean that a kind keeps.

    Attributes:
        share: mean of the kind divided by gold's mean on the same items; None where either is not measured.
        low: lower end of its 95% interval over events; None where there is no share.
        high: upper end.
        n: headlines of the kind.
        events: events that they are of.
    """

    share: float | None
    low: float | None
    high: float | None
    n: int
    events: int

    @property
    def outcome(self) -> Outcome:
        """Say what the measure makes of the kind.

        Examples:
            >>> [KindShare(s, s - 0.05, s + 0.05, 90, 80).outcome for s in (0.1, 0.5, 0.9, 0.73)]
            ['stops', 'sees', 'misses', 'not known']
            >>> KindShare(0.1, 0.05, 0.15, 19, 19).outcome
            'not known'
        """
        if self.low is None or self.high is None or self.events < MIN_EVENTS:
            return "not known"
        if self.high <= STOPS_AT_MOST:
            return "stops"
        if self.high <= SEES_AT_MOST:
            return "sees"
        return "misses" if self.low > SEES_AT_MOST else "not known"

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object that is written, with the outcome, which follows from the figures."""
        return record_to_json(self) | {"outcome": self.outcome}


@dataclass(frozen=True)
class MeasureVerdict:
    """What a measure is worth on a corpus.

    Attributes:
        verdict: `ranks`, `ranks sentences` (only systems that write sentences), `cannot rank` or `not known`.
        sentence: the same in one sentence, with the worst kind, what is not known, and what of wrong content it misses.
        kinds: each kind that is the measure's business to what it keeps.
        misses: names of the kinds of wrong content that it misses, what keeps most first.
        pairs_needed: test pairs that would decide, about; None where the verdict is known or ten times the pairs
            are too few.
    """

    verdict: Verdict
    sentence: str
    kinds: Mapping[str, KindShare]
    misses: tuple[str, ...]
    pairs_needed: int | None = None

    @property
    def can_rank(self) -> bool:
        """Whether systems that write sentences can be ranked by the measure."""
        return self.verdict in ("ranks", "ranks sentences")

    @property
    def answer(self) -> str:
        """Return the sentence as an answer to "can it rank systems here?": `yes; misses …`, `no: …`."""
        beginning, answer = BEGINNINGS[self.verdict]
        return answer + self.sentence.removeprefix(beginning)


def verdict_of(
    measure: Measure, kinds: Sequence[Kind], shares: Mapping[str, KindShare], *, pairs: int
) -> MeasureVerdict:
    """Decide whether the measure can rank systems on a corpus.

    Args:
        measure: the measure.
        kinds: the kinds that were tried.
        shares: name of each kind to what it keeps of gold's mean of this measure.
        pairs: test pairs of the corpus, from which the sentence estimates how many would do.

    Examples:
        >>> lead = Kind("lead", ("not written for this",), "the article's first words", plural=True)
        >>> shuffled = Kind("shuffled", ("no sentence",), "gold's words in random order", plural=True)
        >>> seen, missed = KindShare(0.41, 0.28, 0.59, 210, 150), KindShare(0.98, 0.92, 1.04, 210, 150)
        >>> found = verdict_of("compliancy", [lead, shuffled], {"lead": seen, "shuffled": missed}, pairs=105)
        >>> found.verdict, found.sentence
        ('ranks sentences', "can rank only systems that write sentences: gold's words in random order keep .98 of gold")
    """
    own = [kind for kind in kinds if kind.name in shares and kind.is_business_of(measure)]
    kept = {kind.name: shares[kind.name] for kind in own}
    if all(share.share is None for share in kept.values()):
        return MeasureVerdict("cannot rank", "cannot rank systems here: it is n/a on this corpus", kept, ())
    deciding = [kind for kind in own if _NOT_WRITTEN in kind.groups or _NO_SENTENCE in kind.groups]
    not_written = _with_outcome(deciding, kept, "misses", _NOT_WRITTEN)
    no_sentence = _with_outcome(deciding, kept, "misses", _NO_SENTENCE)
    unknown = _with_outcome(deciding, kept, "not known")
    verdict: Verdict
    if not_written:
        verdict = "cannot rank"
        reason = f": {_keeps(not_written[0], kept)} of gold"
    elif no_sentence:
        verdict = "ranks sentences"
        reason = f": {_keeps(no_sentence[0], kept)} of gold"
    elif unknown:
        verdict = "not known"
        reason = f": {_too_few(unknown, kept, pairs)}"
    else:
        verdict = "ranks"
        reason = ""
    beginning, _ = BEGINNINGS[verdict]
    parts = [beginning + reason]
    if unknown and verdict != "not known":
        parts.append(f"not known of {_joined(kind.words for kind in unknown)}")
    parts += _missed(own, kept, _WRONG_CONTENT)
    parts += _missed(own, kept, _UNCHANGED_STYLE) if measure == "style" else []
    wrong = _with_outcome(own, kept, "misses", _WRONG_CONTENT)
    needed = _pairs_needed(unknown, kept, pairs) if verdict == "not known" else None
    return MeasureVerdict(verdict, "; ".join(parts), kept, tuple(kind.name for kind in wrong), needed)


def _with_outcome(
    kinds: Iterable[Kind], kept: Mapping[str, KindShare], outcome: Outcome, group: Group | None = None
) -> list[Kind]:
    """Return the kinds of a group with this outcome, what keeps most first."""
    found = [
        kind
        for kind in kinds
        if kept[kind.name].outcome == outcome and (group is None or group in kind.groups)
    ]
    return sorted(found, key=lambda kind: -(kept[kind.name].share or 0.0))


def _keeps(kind: Kind, kept: Mapping[str, KindShare]) -> str:
    """Return `the article's first words keep .98`."""
    return f"{kind.words} {'keep' if kind.plural else 'keeps'} {_figure(kept[kind.name].share or 0.0)}"


def _missed(kinds: Sequence[Kind], kept: Mapping[str, KindShare], group: Group) -> list[str]:
    """Return `misses 2 of 8 kinds of wrong content, e.g. …`, or nothing where none is missed."""
    missed = _with_outcome(kinds, kept, "misses", group)
    if not missed:
        return []
    total = sum(group in kind.groups for kind in kinds)
    example = missed[0]
    share = _figure(kept[example.name].share or 0.0)
    return [f"misses {len(missed)} of {total} kinds of {group}, e.g. {example.words} (keeps {share})"]


def _too_few(unknown: Sequence[Kind], kept: Mapping[str, KindShare], pairs: int) -> str:
    """Say how many pairs there are, how many would do, and which kinds are undecided."""
    words = _joined(kind.words for kind in unknown)
    needed = _pairs_needed(unknown, kept, pairs)
    if needed is None:
        enough = f"more than {_rounded(MOST_TIMES * pairs):,} may be needed"
    else:
        enough = f"about {needed:,} would do"
    return f"{pairs:,} test pairs are too few, {enough} (undecided: {words})"


def _pairs_needed(unknown: Sequence[Kind], kept: Mapping[str, KindShare], pairs: int) -> int | None:
    """Return how many test pairs would decide on the kinds, about; None where ten times these are too few."""
    times = max(_times_needed(kept[kind.name]) for kind in unknown)
    return None if times > MOST_TIMES else _rounded(times * pairs)


def _times_needed(share: KindShare) -> float:
    """Return how many times the pairs at hand decide on a kind: an interval narrows with the root of their number."""
    by_events = MIN_EVENTS / max(share.events, 1)
    if share.share is None or share.low is None or share.high is None:
        return max(by_events, math.inf)
    distance = abs(share.share - SEES_AT_MOST)
    width = share.high - share.share if share.share <= SEES_AT_MOST else share.share - share.low
    by_width = math.inf if distance == 0 else (width / distance) ** 2
    return max(1.0, by_events, by_width)


def _rounded(number: float) -> int:
    """Round up to two digits that count.

    Examples:
        >>> [_rounded(number) for number in (7, 42.5, 157, 1234)]
        [7, 43, 160, 1300]
    """
    unit = 10 ** max(0, len(str(int(number))) - 2)
    units = round(number / unit, 6)  # 16.000000000000004 are 16
    return math.ceil(units) * unit


def _figure(share: float) -> str:
    """Return a share with two decimals, without a zero before the point."""
    return f"{share:.2f}".removeprefix("0")


def _joined(words: Iterable[str]) -> str:
    """Join up to three phrases by commas, and count the others."""
    phrases = list(words)
    shown = ", ".join(phrases[:3])
    return f"{shown} and {len(phrases) - 3} more" if len(phrases) > 3 else shown
