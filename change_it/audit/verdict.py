"""Decide whether a measure can rank systems on a corpus, by what it makes of wrong headlines.

A kind of headlines that nobody should write keeps a share of gold's mean on the same items. The rule was
written down before the corpora in `benchmarks/README.md` were measured with it, and it is not changed without
new ones.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from change_it.files.records import record_to_json
from change_it.files.texts import join_truncated
from change_it.render.tables import two_decimals

Measure = Literal["style", "acceptability", "compliancy"]
Outcome = Literal["stops", "sees", "misses", "not known"]
Group = Literal["no sentence", "not written for this", "wrong content", "unchanged style"]
Verdict = Literal["ranks", "ranks sentences", "cannot rank", "not known"]

#: The measures, in the order in which their verdicts are shown.
MEASURES: tuple[Measure, ...] = get_args(Measure)
#: What a measure can make of a kind, the best first.
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
#: Undecided kinds that a sentence names, at most; it counts the others.
NAMED_KINDS = 3
#: Each verdict to the beginning of its sentence, and to what stands in its place where the sentence answers
#: "can it rank systems here?".
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
#: Number of events of a kind below which nothing is said of it.
MIN_EVENTS = 20
#: Multiple of the pairs at hand up to which a number of pairs is estimated. Beyond it no number is named.
MAX_MULTIPLE = 10

_WRONG_CONTENT: Group = "wrong content"
_UNCHANGED_STYLE: Group = "unchanged style"
_NO_SENTENCE: Group = "no sentence"
_NOT_WRITTEN: Group = "not written for this"

#: The groups of kinds that each measure should notice.
NOTICED_GROUPS: dict[Measure, tuple[Group, ...]] = {
    "style": (_UNCHANGED_STYLE,),
    "acceptability": (_NO_SENTENCE, _NOT_WRITTEN, _WRONG_CONTENT),
    "compliancy": (_NO_SENTENCE, _NOT_WRITTEN, _WRONG_CONTENT, _UNCHANGED_STYLE),
}
#: Single kinds that a measure should notice besides.
NOTICED_KINDS: dict[Measure, tuple[str, ...]] = {"style": ("clause", "lead")}
#: Single kinds that a measure need not notice: the story of the original is acceptable.
EXEMPT_KINDS: dict[Measure, tuple[str, ...]] = {"acceptability": ("copy",)}


@dataclass(frozen=True)
class Kind:
    """A kind of headlines that nobody should write.

    Attributes:
        name: its name in files and tables.
        groups: the groups that it belongs to.
        words: the noun phrase that people read for it, which `keeps` or `keep` can follow.
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
        if self.name in EXEMPT_KINDS.get(measure, ()):
            return False
        if self.name in NOTICED_KINDS.get(measure, ()):
            return True
        return any(group in NOTICED_GROUPS[measure] for group in self.groups)


@dataclass(frozen=True)
class KindShare:
    """The share of gold's mean that a kind keeps.

    Attributes:
        share: the mean of the kind divided by gold's mean on the same items; None where either is not
            measured.
        low: the lower end of its 95% interval over events; None where there is no interval.
        high: the upper end; None where there is no interval.
        n: the number of headlines of the kind.
        events: the number of their events.
    """

    share: float | None
    low: float | None
    high: float | None
    n: int
    events: int

    @property
    def outcome(self) -> Outcome:
        """Return what the measure makes of the kind.

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
        if self.low > SEES_AT_MOST:
            return "misses"
        return "not known"

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object for files, with the outcome, which follows from the figures."""
        return record_to_json(self) | {"outcome": self.outcome}


@dataclass(frozen=True)
class MeasureVerdict:
    """What a measure is worth on a corpus.

    Attributes:
        verdict: whether it can rank systems: `ranks`, `ranks sentences` (only systems that write sentences),
            `cannot rank` or `not known`.
        sentence: the same in one sentence, with the worst kind, what is not known, and which wrong content
            the measure misses.
        kinds: each kind that the measure should notice to what it keeps of gold's mean.
        misses: the names of the kinds of wrong content that the measure misses. The kind that keeps most of
            gold's mean stands first.
        pairs_needed: the number of test pairs that would decide, roughly. None where the verdict is known, or
            where ten times the pairs at hand are too few.
    """

    verdict: Verdict
    sentence: str
    kinds: Mapping[str, KindShare]
    misses: tuple[str, ...]
    pairs_needed: int | None = None

    @property
    def can_rank(self) -> bool:
        """Tell whether the measure can rank systems that write sentences."""
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
        >>> found.verdict
        'ranks sentences'
        >>> found.sentence.partition(": ")[2]
        "gold's words in random order keep .98 of gold"
    """
    own = [kind for kind in kinds if kind.name in shares and kind.is_business_of(measure)]
    kept = {kind.name: shares[kind.name] for kind in own}
    if all(share.share is None for share in kept.values()):
        sentence = "cannot rank systems here: it is n/a on this corpus"
        return MeasureVerdict(verdict="cannot rank", sentence=sentence, kinds=kept, misses=())
    deciding = [kind for kind in own if _NOT_WRITTEN in kind.groups or _NO_SENTENCE in kind.groups]
    unknown = _with_outcome(deciding, kept, "not known")
    verdict, reason = _decide(deciding, kept, pairs)
    beginning, _ = BEGINNINGS[verdict]
    parts = [beginning + reason]
    needed = None
    if verdict == "not known":
        needed = _pairs_needed(unknown, kept, pairs)
    elif unknown:
        parts.append(f"not known of {join_truncated([kind.words for kind in unknown], NAMED_KINDS)}")
    parts += _missed(own, kept, _WRONG_CONTENT)
    if measure == "style":
        parts += _missed(own, kept, _UNCHANGED_STYLE)
    wrong = _with_outcome(own, kept, "misses", _WRONG_CONTENT)
    return MeasureVerdict(
        verdict=verdict,
        sentence="; ".join(parts),
        kinds=kept,
        misses=tuple(kind.name for kind in wrong),
        pairs_needed=needed,
    )


def _decide(deciding: Sequence[Kind], kept: Mapping[str, KindShare], pairs: int) -> tuple[Verdict, str]:
    """Return the verdict, and the reason for it, which goes on with the sentence.

    What comes first decides: a missed kind that was not written for the item, a missed kind that is no
    sentence, a kind of which nothing is known. Without any of them the measure ranks, and the reason is empty.

    Args:
        deciding: the kinds of these two groups.
        kept: name of each kind to what it keeps of gold's mean.
        pairs: test pairs of the corpus.
    """
    not_written = _with_outcome(deciding, kept, "misses", _NOT_WRITTEN)
    if not_written:
        return "cannot rank", f": {_keeps(not_written[0], kept)} of gold"
    no_sentence = _with_outcome(deciding, kept, "misses", _NO_SENTENCE)
    if no_sentence:
        return "ranks sentences", f": {_keeps(no_sentence[0], kept)} of gold"
    unknown = _with_outcome(deciding, kept, "not known")
    if unknown:
        return "not known", f": {_too_few(unknown, kept, pairs)}"
    return "ranks", ""


def _with_outcome(
    kinds: Iterable[Kind], kept: Mapping[str, KindShare], outcome: Outcome, group: Group | None = None
) -> list[Kind]:
    """Return the kinds of a group, or of all groups, with this outcome.

    The kind that keeps most of gold's mean stands first.
    """
    found = []
    for kind in kinds:
        is_in_group = group is None or group in kind.groups
        if is_in_group and kept[kind.name].outcome == outcome:
            found.append(kind)
    return sorted(found, key=lambda kind: -(kept[kind.name].share or 0.0))


def _keeps(kind: Kind, kept: Mapping[str, KindShare]) -> str:
    """Say how much a kind keeps: `the article's first words keep .98`."""
    verb = "keep" if kind.plural else "keeps"
    return f"{kind.words} {verb} {two_decimals(kept[kind.name].share or 0.0)}"


def _missed(kinds: Sequence[Kind], kept: Mapping[str, KindShare], group: Group) -> list[str]:
    """Return `misses 2 of 8 kinds of wrong content, e.g. …`, or nothing where none is missed."""
    missed = _with_outcome(kinds, kept, "misses", group)
    if not missed:
        return []
    total = sum(group in kind.groups for kind in kinds)
    example = missed[0]
    share = two_decimals(kept[example.name].share or 0.0)
    return [f"misses {len(missed)} of {total} kinds of {group}, e.g. {example.words} (keeps {share})"]


def _too_few(unknown: Sequence[Kind], kept: Mapping[str, KindShare], pairs: int) -> str:
    """Say how many pairs there are, how many would do, and which kinds are undecided."""
    needed = _pairs_needed(unknown, kept, pairs)
    enough = "more than ten times as many may be needed"
    if needed is not None:
        enough = f"about {needed:,} would do"
    words = join_truncated([kind.words for kind in unknown], NAMED_KINDS)
    return f"{pairs:,} test pairs are too few, {enough} (undecided: {words})"


def _pairs_needed(unknown: Sequence[Kind], kept: Mapping[str, KindShare], pairs: int) -> int | None:
    """Estimate how many test pairs would decide on all these kinds.

    None is returned where ten times the pairs at hand are too few.
    """
    multiple = max(_multiple_needed(kept[kind.name]) for kind in unknown)
    if multiple > MAX_MULTIPLE:
        return None
    return _rounded(multiple * pairs)


def _multiple_needed(share: KindShare) -> float:
    """Return how many times as many pairs would decide on a kind, at least 1.

    An interval narrows with the root of the number of pairs. It decides once its end no longer reaches
    `SEES_AT_MOST`.
    """
    if share.share is None or share.low is None or share.high is None:
        return math.inf
    is_below = share.share <= SEES_AT_MOST
    width = share.high - share.share if is_below else share.share - share.low
    distance = abs(share.share - SEES_AT_MOST)
    by_width = math.inf if distance == 0 else (width / distance) ** 2
    by_events = MIN_EVENTS / max(share.events, 1)
    return max(1.0, by_events, by_width)


def _rounded(number: float) -> int:
    """Round up to two significant digits.

    Examples:
        >>> [_rounded(number) for number in (7, 42.5, 157, 1234)]
        [7, 43, 160, 1300]
    """
    unit = 10 ** max(0, len(str(int(number))) - 2)
    # A product such as 16.000000000000004 is 16.
    units = round(number / unit, 6)
    return math.ceil(units) * unit
