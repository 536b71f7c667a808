"""Options of `change-it push`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tyro

#: What can be pushed, each to the Hub's kind of repository for it.
PushKind = Literal["dataset", "judge", "generator", "metric", "space"]
RepoType = Literal["model", "dataset", "space"]
REPO_TYPES: dict[PushKind, RepoType] = {
    "dataset": "dataset",
    "judge": "model",
    "generator": "model",
    "metric": "space",
    "space": "space",
}


@dataclass(kw_only=True)
class PushOptions:
    """Push a data set, judges, a generator, a metric or the Space to the Hugging Face Hub, in one commit.

    Log in with `hf auth login`, or set HF_TOKEN. The repository is created if needed. Files of an earlier push that are not
    pushed again (weights, tables, code) are removed; other files stay.

    Examples:
        change-it push dataset runs/quickstart/corpus me/headlines --dry-run --out staged
        change-it push judge runs/mine/judges me/headline-judges --dataset me/headlines
        change-it push generator runs/mine/generators/sum-gio me/sum-gio --private
        change-it push metric compliancy me/compliancy
        change-it push space headline_transfer me/headline-transfer
    """

    kind: tyro.conf.Positional[PushKind]
    """Kind of what is pushed."""
    folder: tyro.conf.Positional[str]
    """A corpus, one judge or a folder with main, hh and ah, one generator; a folder or the name of a shipped metric or Space."""
    repo_id: tyro.conf.Positional[str]
    """The repository: owner/name."""
    private: bool = False
    """Make the repository private; an existing one that is public is refused."""
    license: str | None = None
    """Licence on the card of a data set or model, as cc-by-4.0; without it that of the corpus, where one is known."""
    dataset: str | None = None
    """Hub id of the corpus that judges or a generator were trained on, for their card."""
    dry_run: bool = False
    """Write the folder that would be pushed, exactly, and push nothing."""
    out: Path | None = None
    """Where --dry-run writes: a new or empty folder; push/OWNER/NAME when not given."""
