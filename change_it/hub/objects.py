"""What `push_to_hub` of a loaded model does: the push of its folder, with the checks of `change-it push`."""

from pathlib import Path
from typing import Any

from change_it.corpus.folder import digest_of_dataset
from change_it.hub.packaging import PushKind, files_of
from change_it.hub.publishing import Destination, publish


def push_folder(
    kind: PushKind,
    folder: Path,
    repo_id: str,
    *,
    license: str | None = None,
    dataset: str | None = None,
    package: str | None = None,
    **how: Any,
) -> str:
    """Push a folder and return the address of the commit or the pull request.

    Args:
        kind: what is in the folder.
        folder: a corpus, judges or a generator.
        repo_id: the repository, owner/name.
        license: the Hub's name of a licence; None for the known one.
        dataset: Hub id of the corpus that models were trained on.
        package: address from which pip installs this package, for the card.
        how: the other fields of `Destination`.
    """
    to = Destination.checked(kind, repo_id, **how)
    digest = digest_of_dataset(dataset) if dataset else None
    files = files_of(kind, folder, repo_id, license, dataset, digest, package)
    commit, _ = publish(files, to)
    return str(commit.pr_url or commit.commit_url)
