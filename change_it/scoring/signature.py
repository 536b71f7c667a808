"""Say in a signature, as sacrebleu does, what a score depends on, and which judges chose the headlines.

Judges that choose a candidate train on one fold of the corpus, judges that score on the other. A prediction
file says in its column `reranker` who chose: `fold:0|main:<sha256>|hh:<sha256>|ah:<sha256>`, and then of each
optional judge that did too, such as `|fluency:<sha256>`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from change_it.errors import InputError
from change_it.judges.spec import Task, compliancy_tasks, optional_tasks, trained_tasks
from change_it.scoring.settings import ScoreSettings
from change_it.version import __version__

if TYPE_CHECKING:  # loads polars and scipy
    from change_it.scoring.panel import Judges


@dataclass(frozen=True, kw_only=True)
class Basis:
    """What the figures of a row are of.

    Attributes:
        n: number of items.
        events: number of distinct events among them.
        partners: items of which the other outlet's article is known.
        runs: training runs that the figures are means of.
        candidates: mean number of headlines that one was chosen of; None where it is not known.
        reranker: judges that chose the headlines, as in `Reranker.short`; empty where none did.
    """

    n: int
    events: int
    partners: int
    runs: int = 1
    candidates: float | None = None
    reranker: str = ""


def signature(judges: "Judges", settings: ScoreSettings, basis: Basis, *, trained: str = "") -> str:
    """Return what a compliancy figure depends on, in one line: keys and values, separated by bars.

    Args:
        judges: the judges that score.
        settings: how they score.
        basis: what the figure is of.
        trained: digest of the judges' corpus where that is another one, see `Judges.check_corpus`.
    """
    parts = ["compliancy", f"judges:{judges.signature}"]
    if trained:
        parts.append(f"trained:{trained}")
    if basis.reranker:
        parts.append(f"reranker:{basis.reranker}")
    for task in optional_tasks():
        if task in judges.by_task:
            parts.append(f"{task}:{judges.by_task[task].model_hash[:6]}")
    if len(judges.style_faults) == 2:
        parts.append("style:none")
    if not judges.has_evidence:
        parts.append("evidence:none")
    parts.append(f"reversal:{settings.reversal}")
    parts.append("tok:unicode")
    parts.append(f"n:{basis.n}")
    parts.append(f"partners:{basis.partners}")
    parts.append(f"events:{basis.events}")
    if basis.runs > 1:
        parts.append(f"runs:{basis.runs}")
    if basis.candidates is not None:
        parts.append(f"candidates:{basis.candidates:.3g}")
    parts.append(f"resamples:{settings.resamples}")
    parts.append(f"seed:{settings.seed}")
    parts.append(f"v:{__version__}")
    return "|".join(parts)


@dataclass(frozen=True)
class Reranker:
    """The judges that chose among candidates.

    Attributes:
        fold: The fold that they were trained on: all, 0 or 1.
        hashes: Task to the SHA-256 of that judge's weights.
    """

    fold: str
    hashes: Mapping[str, str]

    @classmethod
    def from_judges(cls, judges: "Judges") -> "Reranker":
        """Return what tells loaded judges from others."""
        hashes = {task: judge.weights_hash for task, judge in judges.by_task.items()}
        return cls(judges.fold, hashes)

    @property
    def signature(self) -> str:
        """Return fold and full hashes, as in a prediction file."""
        hashes = [f"{task}:{hash_}" for task, hash_ in self.hashes.items()]
        return "|".join([f"fold:{self.fold}", *hashes])

    @property
    def short(self) -> str:
        """Return six digits of each hash and the fold, for people: `1a2b3c+4d5e6f+0a1b2c,fold:0`."""
        digits = "+".join(hash_[:6] for hash_ in self.hashes.values())
        return f"{digits},fold:{self.fold}"

    def shared_with(self, other: "Reranker") -> list[str]:
        """Say in words what two sets of judges share: the fold, and judges of the same weights.

        The fold `all` overlaps every one.
        """
        shared = []
        if self.fold == other.fold:
            fold = "all folds" if self.fold == "all" else f"fold {self.fold}"
            shared.append(f"both train on {fold}")
        elif "all" in (self.fold, other.fold):
            shared.append(f"fold {self.fold} overlaps fold {other.fold}")
        same = [task for task, hash_ in self.hashes.items() if hash_ in other.hashes.values()]
        if same:
            shared.append(f"the weights of {' and '.join(same)} are the same")
        return shared


def parse_reranker(text: str, file: object = "a prediction file") -> Reranker:
    """Read what `Reranker.signature` gives, in a cell of a prediction file.

    Raises:
        InputError: the cell holds anything else.
    """
    pattern = "fold:(?P<fold>all|0|1)"
    for task in compliancy_tasks():
        pattern += _hash_pattern(task)
    for task in optional_tasks():
        pattern += f"({_hash_pattern(task)})?"
    match = re.fullmatch(pattern, text)
    if match is None:
        wanted = "".join(f"|{task}:…" for task in compliancy_tasks())
        raise InputError(
            f"{file}: {text!r} in the column reranker is not fold:…{wanted} with full SHA-256 hashes: "
            "write the file with change-it transfer --rerank, or leave the column empty"
        )
    hashes = {task: match[task] for task in trained_tasks() if match[task]}
    return Reranker(match["fold"], hashes)


def _hash_pattern(task: Task) -> str:
    """Return a pattern of a judge and its hash, which is a group of the judge's name."""
    return rf"\|{task}:(?P<{task}>[0-9a-f]{{64}})"
