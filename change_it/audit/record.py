"""Records of an audit: kinds of wrong headlines as judges take them, and what reports say of the judges."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from change_it.audit.verdict import Group, KindShare, Measure, MeasureVerdict, Outcome
from change_it.files.atomic import read_json
from change_it.files.records import IF_KNOWN, read_record
from change_it.files.texts import listed
from change_it.judges.reliability import Verdict, hashes, rate_judges, read_metrics
from change_it.judges.spec import JUDGES, Task

if TYPE_CHECKING:  # loads polars and scipy
    from change_it.judges.judge import Judge

#: Name of the record in the folder of an audit.
AUDIT = "audit.json"
#: Headlines that main's cues are sought in, at most.
MOST_CUE_HEADLINES = 400


@dataclass(frozen=True)
class Example:
    """A headline of a kind, as the judges take it.

    Attributes:
        id: id of the original.
        direction: `{from}2{to}`.
        source: the original headline.
        true: the headline that was changed; empty where none was.
        headline: the wrong headline.
        verdicts: each of `compliancy_measures` to its value; None where it is n/a.
    """

    id: str
    direction: str
    source: str
    true: str
    headline: str
    verdicts: Mapping[str, float | bool | None]


@dataclass(frozen=True)
class TriedKind:
    """A kind of headlines that nobody should write, as the judges take it.

    Attributes:
        name: its name in files and tables.
        words: what people read.
        groups: groups that it belongs to; none of `floor`, which decides no verdict.
        description: one sentence.
        seen: whether a judge is trained on headlines that are made in the same way.
        n: headlines.
        events: events that they are of.
        shares: measure to the share of gold's mean that the kind keeps, of its business or not.
        values: each of `compliancy_measures` to its mean; None where it is n/a.
        examples: the headlines with the highest acceptability, or of unchanged style with the highest style.
    """

    name: str
    words: str
    groups: tuple[Group, ...]
    description: str
    seen: bool
    n: int
    events: int
    shares: Mapping[Measure, KindShare]
    values: Mapping[str, float | None]
    examples: tuple[Example, ...]

    def outcome(self, measure: Measure) -> Outcome:
        """Return what the measure makes of the kind."""
        return self.shares[measure].outcome


@dataclass(frozen=True)
class GoldMeans:
    """The other newspaper's own headlines, of all items that a kind has.

    Attributes:
        n: headlines.
        events: events that they are of.
        values: each of `compliancy_measures` to its mean; None where it is n/a.
    """

    n: int
    events: int
    values: Mapping[str, float | None]


@dataclass(frozen=True)
class Summary:
    """What is known of a set of judges, for every report.

    Attributes:
        judges: verdicts on each judge; empty where nothing is known.
        verdicts: measure to what it is worth on the corpus of the audit; empty without an audit.
        kinds: kinds of wrong headlines that were tried.
        pairs: test pairs that the audit tried.
        test_pairs: test pairs of the corpus.
        articles: articles of the two outlets in the corpus; None where it does not say.
        page: the page of the audit.
    """

    judges: tuple[Verdict, ...] = ()
    verdicts: Mapping[Measure, MeasureVerdict] = field(default_factory=dict)
    kinds: tuple[TriedKind, ...] = ()
    pairs: int = 0
    test_pairs: int = 0
    articles: int | None = None
    page: Path | None = field(default=None, compare=False)

    @property
    def rank(self) -> list[Measure]:
        """The measures that can rank systems, or systems that write sentences."""
        return [measure for measure, verdict in self.verdicts.items() if verdict.can_rank]

    @property
    def weak(self) -> list[str]:
        """The judges that cannot be relied on here."""
        return [verdict.judge for verdict in self.judges if verdict.level == "distrust"]

    @property
    def caveat(self) -> str:
        """Say why a headline that no judge refuses may still be bad; empty where acceptability ranks and each judge counts."""
        acceptability = self.verdicts.get("acceptability")
        parts = []
        if acceptability is None:
            parts.append("these judges have no audit")
        elif acceptability.verdict != "ranks":
            parts.append(f"acceptability {acceptability.sentence}")
        if self.weak:
            parts.append(f"of no use here: {listed([JUDGES[judge].heading for judge in self.weak])}")
        return "; ".join(parts)


#: Nothing is known of the judges.
NO_AUDIT = Summary()


@dataclass(frozen=True, kw_only=True)
class Audit:
    """An audit of judges on a corpus.

    Attributes:
        corpus: as it was given.
        outlets: names of A and B.
        language: of the corpus.
        articles: articles of the two outlets in the corpus; None where it does not say.
        items: test headlines with an aligned one.
        events: events that they are of.
        pairs: test pairs that were tried, of which sentences speak.
        test_pairs: test pairs of the corpus.
        at_most: headlines of a kind, at most.
        seed: seed of all that is drawn.
        trained: digest of the corpus of the judges, where that is another one.
        hashes: judge to the hash of its model.
        verdicts: measure to what it is worth here.
        judges: verdicts on each judge.
        gold: means of the other newspaper's own headlines.
        kinds: kinds of wrong headlines that were tried.
        cues: words that main listens to, see `main_cues`.
        style: main within an event, from its training.
        agreement: with readers' labels; None without labels.
        signature: what the figures depend on.
    """

    corpus: str
    outlets: tuple[str, str]
    language: str
    articles: int | None
    items: int
    events: int
    pairs: int
    test_pairs: int
    at_most: int
    seed: int
    trained: str
    hashes: Mapping[str, str]
    verdicts: Mapping[Measure, MeasureVerdict]
    judges: tuple[Verdict, ...]
    gold: GoldMeans
    kinds: tuple[TriedKind, ...]
    cues: list[dict[str, Any]]
    style: Mapping[str, Any]
    agreement: Mapping[str, Any] | None = field(default=None, metadata=IF_KNOWN)
    signature: str

    @property
    def cue_headlines(self) -> int:
        """The number of test headlines that `cues` were sought in."""
        return min(self.items, MOST_CUE_HEADLINES)

    @property
    def summary(self) -> Summary:
        """Return what reports say of it."""
        return Summary(self.judges, self.verdicts, self.kinds, self.pairs, self.test_pairs, self.articles)


def read_summary(judges: Mapping[Task, "Judge"], folder: Path) -> Summary:
    """Return what is known of judges in a folder.

    It is read from `audit.json` in the folder `audit` next to theirs, if that is of the same models, else from the
    `metrics.json` of each.
    """
    path = folder.resolve().parent / "audit" / AUDIT
    content = read_json(path)
    is_of_these = content is not None and content.get("hashes") == hashes(judges)
    audit = read_audit(path.parent) if is_of_these else None
    if audit is None:
        return Summary(tuple(rate_judges(judges, read_metrics(folder))))
    return replace(audit.summary, page=path.with_suffix(".html"))


def read_audit(folder: Path) -> Audit | None:
    """Read the audit in a folder; None where there is none."""
    return read_record(folder / AUDIT, Audit, "audit the judges again with change-it audit")
