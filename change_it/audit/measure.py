"""The whole audit of a set of judges, and what it reads of a corpus: the test set, and the resources of the perturbations."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from change_it.audit.agreement import Agreement, ReaderLabels, agreement
from change_it.audit.calibration import Reliability, reliabilities
from change_it.audit.cues import Cue, main_cues
from change_it.audit.perturbations import Resources
from change_it.audit.verdicts import (
    JointPassRate,
    Result,
    Verdict,
    about_judges,
    hashes,
    judged,
    measure_systems,
    verdicts,
    with_clauses,
)
from change_it.corpus.folder import read_casing, read_language, read_table
from change_it.progress import Progress
from change_it.scoring.compliancy import strict_is_upper_bound
from change_it.scoring.item import read_test_set
from change_it.scoring.scores import check_independent
from change_it.scoring.signature import Reranker
from change_it.text.corruptions import Lexicon
from change_it.text.names import Casing
from change_it.text.stopwords import guess_language

if TYPE_CHECKING:  # loads torch
    from change_it.scoring.judges import Judges

#: Characters of a training article that corruptions take words from.
OPENING = 1200
#: Training articles that corruptions take words from, at most.
READ = 4000
#: What the audit shows of main's `metrics.json`.
STYLE = ("classes", "within_event", "latest", "further_outlets")


def read_corpus(
    corpus: str,
    language: str | None = None,
    *,
    casing: Casing | None = None,
    seed: int = 1,
) -> Resources:
    """Read a corpus (folder or Hub id): its own language, or a guess, when None; the casing counted anew when None."""
    test = read_test_set(corpus)
    articles = read_table(corpus, "articles", "train", ["article"])["article"]
    openings = articles.sample(min(READ, len(articles)), seed=seed, shuffle=True).str.slice(0, OPENING)
    printed = [(text, outlet) for outlet, texts in test.training_headlines.items() for text in texts]
    headlines, outlets = [text for text, _ in printed], [outlet for _, outlet in printed]
    language = language or read_language(corpus) or guess_language(headlines)
    lexicon = Lexicon(headlines, outlets, openings.to_list())
    return Resources(test, lexicon, casing or read_casing(corpus), language)


@dataclass(frozen=True)
class Audit:
    """The results of an audit."""

    corpus: str  # as it was given
    outlets: tuple[str, str]  # A and B
    language: str  # of the headlines
    judges: str  # signature of the judges
    hashes: dict[str, str]  # judge to the hash of its weights
    items: int  # of the test set
    events: int  # that these are of; intervals draw events
    at_most: int  # headlines of each system
    seed: int  # of all that was drawn
    verdicts: tuple[Verdict, ...]  # what to make of each judge
    systems: tuple[Result, ...]  # gold and the perturbations
    cues: tuple[Cue, ...]  # words that speak for an outlet to main
    reliability: tuple[Reliability, ...]  # of each judge
    style: dict[str, Any]  # main within an event, as in its `metrics.json`; empty of an older one
    strict_compliancy_is_upper_bound: bool = False  # see `compliancy.strict_is_upper_bound`
    agreement: Agreement | None = None  # with readers; None without labels
    chooser: str = ""  # the judges that chose where a system is the best of several

    @property
    def together(self) -> JointPassRate:
        """The joint pass rates of all judges."""
        return JointPassRate.of(self.systems)

    @property
    def signature(self) -> str:
        """The settings that its figures depend on."""
        chooser = f"|chooser:{self.chooser}" if self.chooser else ""
        drawn = f"items:{self.at_most} of {self.items}|events:{self.events}"
        labels = f"|labels:{self.agreement.labels[:6]}" if self.agreement else ""
        return f"audit|judges:{self.judges}{chooser}|{drawn}{labels}|seed:{self.seed}"

    def as_dict(self) -> dict[str, Any]:
        """The audit as a JSON object."""
        return {
            "together": self.together.as_dict(),
            **asdict(self),
            "signature": self.signature,
            "verdicts": [verdict.as_dict() | {"words": verdict.words} for verdict in self.verdicts],
            "systems": [system.as_dict() for system in self.systems],
        }


def audit(
    corpus: Resources,
    judges: "Judges",
    metrics: Mapping[str, Mapping[str, Any]],
    *,
    at_most: int = 150,
    resamples: int = 1000,
    seed: int = 1,
    progress: Progress = False,
    chooser: "Judges | None" = None,
    labels: ReaderLabels | None = None,
) -> Audit:
    """Audit judges on a corpus; `metrics` are those of `verdicts.read_metrics`, `at_most` the headlines of each perturbation; `chooser`: see `chosen_headlines`."""
    test = corpus.test
    judges.check_outlets(test.outlets, test.name)
    if chooser:
        chooser.check_outlets(test.outlets, test.name)
        check_independent(judges, {"--chooser": Reranker.of(chooser)})
    systems = measure_systems(
        judges,
        corpus,
        at_most=at_most,
        resamples=resamples,
        seed=seed,
        progress=progress,
        chooser=chooser,
    )
    found = None
    if labels:
        found = agreement(labels, judges, judged(judges, labels.items, corpus), resamples=resamples)
    on_judges = verdicts(metrics, systems, **about_judges(judges, corpus.language))
    return Audit(
        corpus=test.name,
        outlets=test.outlets,
        language=corpus.language,
        judges=judges.signature,
        hashes=hashes(judges),
        items=len(test.items),
        events=len({item.event for item in test.items}),
        at_most=at_most,
        seed=seed,
        verdicts=with_clauses(on_judges, found),
        systems=tuple(systems),
        chooser=Reranker.of(chooser).short if chooser else "",
        style={name: value for name, value in metrics.get("main", {}).items() if name in STYLE},
        strict_compliancy_is_upper_bound=strict_is_upper_bound(judges, corpus.language),
        cues=tuple(main_cues(judges.main, test.items, seed=seed)),
        reliability=tuple(reliabilities(judges, corpus, seed=seed)),
        agreement=found,
    )
