"""Define and read the record of an audit: what judges make of wrong headlines, what reports say of judges."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from change_it.audit.verdict import Group, KindShare, Measure, MeasureVerdict, Outcome
from change_it.files.atomic import read_json
from change_it.files.records import IF_KNOWN, read_record
from change_it.files.texts import join_truncated
from change_it.judges.record import learnt_from_few
from change_it.judges.reliability import Verdict, hashes, rate_judges, read_metrics
from change_it.judges.spec import JUDGES, Task

if TYPE_CHECKING:
    from change_it.judges.judge import Judge

#: Name of the file of the record in the folder of an audit.
AUDIT = "audit.json"
#: Number of headlines in which main's cues are sought, at most.
MOST_CUE_HEADLINES = 400


@dataclass(frozen=True)
class Example:
    """A wrong headline and what the judges make of it.

    Attributes:
        id: the id of the original.
        direction: `{from}2{to}`, by the names of the outlets.
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
    """A kind of headlines that nobody should write, and what the judges make of it.

    Attributes:
        name: its name in files and tables.
        words: the noun phrase that people read for it.
        groups: the groups that it belongs to; `floor`, which decides no verdict, has none.
        description: one sentence that says how the headlines are made.
        seen: whether a judge is trained on headlines that are made in the same way.
        n: the number of headlines.
        events: the number of their events.
        shares: each measure to the share of gold's mean that the kind keeps, whether it should notice the
            kind or not.
        values: each of `compliancy_measures` to its mean; None where it is n/a.
        examples: the headlines with the highest acceptability, or for unchanged style those with the highest
            style.
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
    """Means over the other newspaper's own headlines, on all items for which a kind has one.

    Attributes:
        n: the number of headlines.
        events: the number of their events.
        values: each of `compliancy_measures` to its mean; None where it is n/a.
    """

    n: int
    events: int
    values: Mapping[str, float | None]


@dataclass(frozen=True)
class Summary:
    """What reports say of a set of judges.

    Attributes:
        judges: a verdict on each judge; empty where nothing is known.
        verdicts: each measure to what it is worth on the corpus of the audit; empty without an audit.
        kinds: the kinds of wrong headlines that were tried.
        pairs: the number of test pairs that the audit tried.
        test_pairs: the number of test pairs of the corpus.
        articles: the number of articles of the two outlets in the corpus; None where it does not say.
        page: the path of the audit's page; None without an audit.
    """

    judges: tuple[Verdict, ...] = ()
    verdicts: Mapping[Measure, MeasureVerdict] = field(default_factory=dict)
    kinds: tuple[TriedKind, ...] = ()
    pairs: int = 0
    test_pairs: int = 0
    articles: int | None = None
    page: Path | None = field(default=None, compare=False)

    @property
    def rankable(self) -> list[Measure]:
        """Return the measures that can rank at least systems that write sentences."""
        return [measure for measure, verdict in self.verdicts.items() if verdict.can_rank]

    @property
    def weak(self) -> list[str]:
        """Return the trained judges that are not shown to work here.

        Evidence is none of them: a rule finds what it finds, with few pairs as with many.
        """
        trained = [verdict for verdict in self.judges if JUDGES[verdict.judge].is_trained]
        return [verdict.judge for verdict in trained if verdict.level == "distrust"]

    @property
    def weakness(self) -> str:
        """Name the judges that are not shown to work here; the text is empty without any."""
        if not self.weak:
            return ""
        headings = [JUDGES[judge].heading for judge in self.weak]
        return f"not shown to work here: {join_truncated(headings)}"

    @property
    def few_matches(self) -> str:
        """Say which judges learnt from few matches; the text is empty where none did."""
        parts = []
        for verdict in self.judges:
            if verdict.matches is not None:
                learnt = learnt_from_few(verdict.judge, verdict.matches)
                parts.append(f"{JUDGES[verdict.judge].short} {learnt}")
        if not parts:
            return ""
        return f"{'; '.join(parts)}: scores are less sure than their intervals say"

    @property
    def caveat(self) -> str:
        """Say why a headline that no judge refuses may still be bad.

        The text is empty where acceptability can rank, and every judge can be relied on and learnt from
        enough matches.
        """
        acceptability = self.verdicts.get("acceptability")
        parts = []
        if acceptability is None:
            parts.append("these judges have no audit")
        elif acceptability.verdict != "ranks":
            parts.append(f"acceptability {acceptability.sentence}")
        if self.few_matches:
            parts.append(self.few_matches)
        if self.weakness:
            parts.append(self.weakness)
        return "; ".join(parts)


#: The summary of judges of which nothing is known.
NO_AUDIT = Summary()


@dataclass(frozen=True, kw_only=True)
class Audit:
    """An audit of judges on a corpus.

    Attributes:
        corpus: the corpus, as it was given.
        outlets: the names of A and B.
        language: the code of the corpus's language, or `none`.
        articles: the number of articles of the two outlets in the corpus; None where it does not say.
        items: the number of test items with an aligned headline.
        events: the number of their events.
        pairs: the number of test pairs that were tried.
        test_pairs: the number of test pairs of the corpus.
        at_most: the most headlines that a kind has.
        seed: the seed of everything that is drawn.
        trained: the digest of the corpus that the judges were trained on, where that is another one.
        hashes: each judge to the hash of its model.
        verdicts: each measure to what it is worth on this corpus.
        judges: a verdict on each judge.
        gold: the means over the other newspaper's own headlines.
        kinds: the kinds of wrong headlines that were tried.
        cues: the words that main listens to, see `main_cues`.
        style: how well main tells the two headlines of an event apart, measured in its training.
        agreement: the agreement with readers' labels; None without labels.
        signature: everything that the figures depend on.
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
        """Return the number of test headlines in which `cues` were sought."""
        return min(self.items, MOST_CUE_HEADLINES)

    @property
    def summary(self) -> Summary:
        """Return what reports say of the judges."""
        return Summary(
            judges=self.judges,
            verdicts=self.verdicts,
            kinds=self.kinds,
            pairs=self.pairs,
            test_pairs=self.test_pairs,
            articles=self.articles,
        )


def read_summary(judges: Mapping[Task, "Judge"], folder: Path) -> Summary:
    """Read what is known of the judges in a folder.

    It is read from `audit.json` in the folder `audit` next to theirs, if that is an audit of the same models,
    else from the `metrics.json` of each judge.
    """
    path = folder.resolve().parent / "audit" / AUDIT
    content = read_json(path)
    if content is not None and content.get("hashes") == hashes(judges):
        audit = read_audit(path.parent)
        if audit is not None:
            return replace(audit.summary, page=path.with_suffix(".html"))
    return Summary(tuple(rate_judges(judges, read_metrics(folder))))


def read_audit(folder: Path) -> Audit | None:
    """Read the audit in a folder; None where there is none."""
    return read_record(folder / AUDIT, Audit, "audit the judges again with change-it audit")
