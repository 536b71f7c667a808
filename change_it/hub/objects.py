"""Push the folder of a loaded model or corpus, as `push_to_hub` does, with the checks of `change-it push`."""

from pathlib import Path

from change_it.corpus.folder import digest_of_dataset
from change_it.hub.cards import CardSettings
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
    private: bool = False,
    replace: bool = False,
    revision: str | None = None,
    create_pr: bool = False,
    message: str | None = None,
    tag: str | None = None,
) -> str:
    """Push a folder and return the address of the commit or the pull request.

    Args:
        kind: what is in the folder.
        folder: a corpus, judges or a generator.
        repo_id: the repository, owner/name.
        license: the Hub's name of a licence; None for the known one.
        dataset: Hub id of the corpus that models were trained on.
        package: address from which pip installs this package, for the card.
        private: whether the repository must be private.
        replace: whether files that no push has recorded may be replaced.
        revision: the branch; one that does not exist begins at the main one. None is the main one.
        create_pr: whether the commit is offered as a pull request.
        message: message of the commit; None for one that names the version.
        tag: name that the commit gets; None for none.
    """
    to = Destination(
        kind=kind,
        repo_id=repo_id,
        private=private,
        replace=replace,
        revision=revision,
        create_pr=create_pr,
        message=message,
        tag=tag,
    )
    to.check()
    settings = CardSettings(
        repo_id=repo_id,
        license=license,
        dataset=dataset,
        dataset_digest=digest_of_dataset(dataset) if dataset else None,
        package=package,
    )
    files = files_of(kind, folder, settings)
    commit, _ = publish(files, to)
    return str(commit.pr_url or commit.commit_url)
