"""What `alignment.json` of a corpus holds, and `corpus.json` of a model that was trained on it."""

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal

from change_it.corpus.reading.article import Outlets
from change_it.files.records import IF_KNOWN, record_to_json

if TYPE_CHECKING:  # numpy
    from change_it.corpus.reading.issues import Issue
    from change_it.corpus.reading.options import BuildOptions

ThresholdName = Literal["strict", "loose"]


@dataclass(frozen=True, kw_only=True)
class BuiltWith:
    """The options of `change-it corpus build` that decide what is in a corpus.

    See `reading.options.BuildOptions`.
    """

    files: tuple[str, ...]
    columns: str
    labels: str
    other_outlets: bool
    dayfirst: bool | None
    mend: bool
    language: str | None
    window_days: int | Literal["none"]
    strict: float
    loose: float
    sizes: str
    seed: int
    test_articles: int | None = None

    @classmethod
    def from_options(cls, options: "BuildOptions") -> "BuiltWith":
        """Return the part of `BuildOptions` that decides what is in a corpus."""
        values = {part.name: getattr(options, part.name) for part in fields(cls)}
        return cls(**values)


@dataclass(frozen=True, kw_only=True)
class Thresholds:
    """Cosines above which pairs are strictly and loosely aligned."""

    strict: float
    loose: float


@dataclass(frozen=True, kw_only=True)
class PairCounts:
    """Numbers of pairs.

    Attributes:
        above_strict: above the strict threshold.
        above_loose: above the loose threshold, those above the strict one among them.
        kept: numbers of pairs of A1, A2 and A3.
        dropped: not kept, because they would tie training to test or one fold to the other.
    """

    above_strict: int
    above_loose: int
    kept: dict[str, int]
    dropped: int


@dataclass(frozen=True, kw_only=True)
class DaysApart:
    """One-to-one pairs so many days apart, and the estimated share of them that is one event.

    Attributes:
        days: days between the two articles.
        compared: pairs of articles that are compared.
        strict: pairs above the strict threshold.
        strict_one_event: estimated share of these, 0 to 1; None without any.
        loose: pairs from the loose threshold to the strict one.
        loose_one_event: estimated share of these, 0 to 1; None without any.
    """

    days: int
    compared: int
    strict: int
    strict_one_event: float | None
    loose: int
    loose_one_event: float | None

    def pairs(self, name: ThresholdName) -> int:
        """Return the number of strict or loose pairs."""
        return self.strict if name == "strict" else self.loose

    def one_event(self, name: ThresholdName) -> float | None:
        """Return the estimated share of the strict or loose pairs that is one event."""
        return self.strict_one_event if name == "strict" else self.loose_one_event


@dataclass(frozen=True, kw_only=True)
class EventCounts:
    """How large events are.

    Attributes:
        largest_pairs: strict pairs of the event that has most of them.
        largest: articles of the largest event.
        largest_days: days from its first article to its last; None without dates.
        test_pairs: pairs of A2.
        test_events: number of the events of these pairs.
        effective: so many pairs, each of an event of its own, would tell as much as the test pairs.
    """

    largest_pairs: int
    largest: int
    largest_days: int | None
    test_pairs: int
    test_events: int
    effective: float


@dataclass(frozen=True, kw_only=True)
class OtherOutlets:
    """Further outlets; written as `{}` without any.

    Attributes:
        articles: outlet to number of articles, most first.
        pairs: number of strict pairs with an article of one of them.
    """

    articles: dict[str, int] = field(default_factory=dict)
    pairs: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object that is written."""
        return record_to_json(self) if self.articles else {}


@dataclass(frozen=True, kw_only=True)
class Histogram:
    """Pairs by cosine.

    Attributes:
        edges: the edges of the bins, ascending.
        compared: number of compared pairs in each bin.
        pairs: number of one-to-one pairs in each bin.
    """

    edges: list[float]
    compared: list[int]
    pairs: list[int]


@dataclass(frozen=True, kw_only=True)
class Neighbours:
    """Test articles that have a training article above the strict cosine inside the guard.

    Attributes:
        articles: number of these test articles.
        other_outlet: number of those whose training article is of the other outlet.
    """

    articles: int
    other_outlet: int


@dataclass(frozen=True, kw_only=True)
class LeakCheck:
    """What the leak check compared and found.

    Attributes:
        test_articles: number of test articles.
        rows: training rows of each config that they were compared with.
        found: what is looked for to how often it was found, which is 0 in every corpus that is written.
        neighbours: test articles with a close training article.
    """

    test_articles: int
    rows: dict[str, int]
    found: dict[str, int]
    neighbours: Neighbours


@dataclass(frozen=True, kw_only=True)
class ReportedIssue:
    """What articles have and should not have, or had and was taken off.

    Attributes:
        name: what it is, such as `headlines end alike`.
        outlet: whose articles they are; empty where they are of both.
        count: rows that have it.
        total: rows that were looked at.
        example: one of them.
        advice: what to do.
        text: one sentence on it, without its full stop.
    """

    name: str
    outlet: str
    count: int
    total: int
    example: str
    advice: str
    text: str

    @classmethod
    def from_issue(cls, issue: "Issue") -> "ReportedIssue":
        """Return the record of an issue that `reading.issues` found."""
        values = {part.name: getattr(issue, part.name) for part in fields(cls)}
        return cls(**values)


@dataclass(frozen=True, kw_only=True)
class CorpusReport:
    """The content of `alignment.json`.

    Attributes:
        version: version of the package that built the corpus.
        outlets: A and B.
        sample: whether all articles are the embedded sample's.
        options: what it was built with.
        day_first: file to whether the day comes first in its dates, where its dates decided.
        rows: rows that were read.
        kept: articles in the corpus.
        rejected: reason to number of the rows that were not kept.
        thresholds: cosines of strict and loose pairs.
        pairs: numbers of pairs.
        days_apart: pairs by days apart; empty without dates or window.
        lowest_strict: the lowest threshold whose pairs are one event in nine of ten, estimated; None where it
            is not known.
        events: how large events are.
        other_outlets: further outlets.
        histogram: pairs by cosine.
        splits: A1, A2, A3 and R to outlet to number of articles.
        test_articles: outlet to number of test articles without a partner.
        rows_by_config: config to split to number of rows.
        leak_check: what was compared with the test set.
        notes: sentences on the reading, without full stops.
        loose_one_event: estimated share of the loose pairs that is one event; None where pairs are too few.
        warnings: sentences, without full stops.
        looks: issues that are still there.
        mended: issues that were taken off.
    """

    version: str
    outlets: Outlets
    sample: bool
    options: BuiltWith
    day_first: dict[str, bool]
    rows: int
    kept: int
    rejected: dict[str, int]
    thresholds: Thresholds
    pairs: PairCounts
    days_apart: list[DaysApart]
    lowest_strict: float | None
    events: EventCounts
    other_outlets: OtherOutlets
    histogram: Histogram
    splits: dict[str, dict[str, int]]
    rows_by_config: dict[str, dict[str, int]]
    leak_check: LeakCheck
    notes: list[str]
    loose_one_event: float | None
    warnings: list[str]
    looks: list[ReportedIssue]
    mended: list[ReportedIssue]
    test_articles: dict[str, int] = field(default_factory=dict)

    @property
    def articles_of_both(self) -> int:
        """Return the number of articles of A and B, without further outlets, which bring no test pairs."""
        of_splits = sum(sum(counts.values()) for counts in self.splits.values())
        return of_splits + sum(self.test_articles.values())


@dataclass(frozen=True, kw_only=True)
class TrainedOn:
    """The content of `corpus.json`: the corpus that a model was trained on.

    What comes from `alignment.json` is None where the corpus has no such file.

    Attributes:
        dataset: its id on the Hub; None of a folder.
        language: its language; None where it is unknown.
        digest: what tells its test articles from those of another corpus; empty where it is unknown.
        sample: see `CorpusReport`, as for `rows`, `kept`, `thresholds`, `pairs` and `looks`.
        learnt: of a judge, the hashes of the training articles that it learnt from, with a space between
            them.
    """

    dataset: str | None = None
    language: str | None = None
    digest: str = ""
    sample: bool | None = field(default=None, metadata=IF_KNOWN)
    rows: int | None = field(default=None, metadata=IF_KNOWN)
    kept: int | None = field(default=None, metadata=IF_KNOWN)
    thresholds: Thresholds | None = field(default=None, metadata=IF_KNOWN)
    pairs: PairCounts | None = field(default=None, metadata=IF_KNOWN)
    looks: list[ReportedIssue] | None = field(default=None, metadata=IF_KNOWN)
    learnt: str | None = field(default=None, metadata=IF_KNOWN)

    @property
    def learnt_articles(self) -> frozenset[str]:
        """Return the hashes of the articles that a judge learnt from."""
        return frozenset((self.learnt or "").split())
