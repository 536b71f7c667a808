"""The whole audit of a set of judges, and what it reads of a corpus."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from change_it.audit.agreement import Agreement, ReaderLabels, agreement
from change_it.audit.cues import Cue, main_cues
from change_it.audit.perturbations import Resources
from change_it.audit.verdicts import Result, Together, Verdict, hashes, measure_systems, score_of, verdicts
from change_it.corpus.folder import read_language, read_table
from change_it.progress import Progress
from change_it.scoring.item import read_test_set
from change_it.text.corruptions import Lexicon
from change_it.text.stopwords import guess_language

if TYPE_CHECKING:  # loads torch
    from change_it.scoring.judges import Judges

#: Characters of a training article that corruptions take words from.
OPENING = 1200
#: Training articles that corruptions take words from, at most.
READ = 4000


def read_corpus(corpus: str, language: str | None = None, *, seed: int = 1) -> Resources:
    """Read a corpus (folder or Hub id): its own language, or a guess, when None."""
    test = read_test_set(corpus)
    articles = read_table(corpus, "articles", "train", ["article"])["article"]
    openings = articles.sample(min(READ, len(articles)), seed=seed, shuffle=True).str.slice(0, OPENING)
    printed = [(text, outlet) for outlet, texts in test.training_headlines.items() for text in texts]
    headlines, outlets = [text for text, _ in printed], [outlet for _, outlet in printed]
    language = language or read_language(corpus) or guess_language(headlines)
    return Resources(test, Lexicon(headlines, outlets, openings.to_list()), language)


@dataclass(frozen=True)
class Audit:
    """The results of an audit."""

    corpus: str  # as it was given
    outlets: tuple[str, str]  # A and B
    language: str  # of the headlines
    judges: str  # signature of the judges
    hashes: dict[str, str]  # judge to the hash of its weights
    score: str  # acceptability, or compliancy where that is n/a
    items: int  # of the test set
    events: int  # that these are of; intervals draw events
    at_most: int  # headlines of each perturbation
    seed: int  # of all that was drawn
    verdicts: tuple[Verdict, ...]  # what to make of each judge
    systems: tuple[Result, ...]  # gold and the perturbations
    cues: tuple[Cue, ...]  # words that speak for an outlet to main
    style: dict[str, Any]  # main within an event, as in its `metrics.json`; empty of an older one
    agreement: Agreement | None = None  # with readers; None without labels
    trained: str = ""  # digest of the corpus of the judges, where that is another one

    @property
    def together(self) -> Together:
        """What all judges together make of the perturbations."""
        return Together.of(self.systems)

    @property
    def signature(self) -> str:
        """The settings that its figures depend on."""
        drawn = f"items:{self.at_most} of {self.items}|events:{self.events}"
        labels = f"|labels:{self.agreement.labels[:6]}" if self.agreement else ""
        trained = f"|trained:{self.trained}" if self.trained else ""
        return f"audit|judges:{self.judges}{trained}|score:{self.score}|{drawn}{labels}|seed:{self.seed}"

    def as_dict(self) -> dict[str, Any]:
        """The audit as a JSON object."""
        record = asdict(self) | {"systems": [system.as_dict() for system in self.systems]}
        if self.agreement:
            del record["agreement"]["rows"]
        more = {"verdicts": [asdict(verdict) | {"words": verdict.words} for verdict in self.verdicts]}
        return {"together": self.together.as_dict(), **record, **more, "signature": self.signature}


def audit(
    corpus: Resources,
    judges: "Judges",
    metrics: Mapping[str, Mapping[str, Any]],
    *,
    at_most: int = 400,
    resamples: int = 1000,
    seed: int = 1,
    progress: Progress = False,
    labels: ReaderLabels | None = None,
) -> Audit:
    """Audit judges on a corpus; `metrics` are those of `verdicts.read_metrics`, `at_most` the headlines of each perturbation."""
    test = corpus.test
    trained = judges.check_corpus(test)
    systems = measure_systems(
        judges, corpus, at_most=at_most, resamples=resamples, seed=seed, progress=progress
    )
    found = None
    if labels:
        judged = judges.judge(labels.items, progress=progress)
        found = agreement(labels, judged, resamples=resamples)
    return Audit(
        corpus=test.name,
        outlets=test.outlets,
        language=corpus.language,
        judges=judges.signature,
        hashes=hashes(judges),
        score=score_of(judges),
        items=len(test.items),
        events=len({item.event for item in test.items}),
        at_most=at_most,
        seed=seed,
        verdicts=tuple(verdicts(judges, metrics, systems, has_capitals=corpus.has_capitals)),
        systems=tuple(systems),
        cues=tuple(main_cues(judges.main, test.items, seed=seed)),
        style={name: value for name, value in metrics.get("main", {}).items() if name == "within_event"},
        agreement=found,
        trained=trained,
    )
