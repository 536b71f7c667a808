"""Push files to a repository, with a record by which the next push knows the files of this one."""

import json
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from huggingface_hub import CommitInfo, CommitOperationAdd, CommitOperationDelete, HfApi, get_token
from huggingface_hub.errors import (
    HfHubHTTPError,
    HTTPError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.utils import HFValidationError, validate_repo_id

from change_it.errors import InputError
from change_it.files.texts import join_truncated
from change_it.hub.packaging import RECORD, Files, PushKind
from change_it.version import __version__

#: Files that the Hub itself puts into a new repository.
FILES_OF_THE_HUB = frozenset({".gitattributes"})
#: Files that a message names at most.
MAX_FILES_NAMED = 10
#: The Hub's type of a repository of a kind; of other kinds it is a model.
_REPO_TYPES = {"dataset": "dataset", "metric": "space", "space": "space"}


@dataclass(frozen=True, kw_only=True)
class Destination:
    """Where a push goes, and how.

    Attributes:
        kind: what is pushed.
        repo_id: the repository, owner/name; it is created if needed.
        private: whether it must be private.
        replace: whether files that no push has recorded may be replaced by files of the same name.
        revision: the branch; one that does not exist begins at the main one.
        create_pr: whether the commit is offered as a pull request.
        message: message of the commit; None for one that names the version.
        tag: name that the commit gets; None for none.
        variables: variables of a Space, by name.
    """

    kind: PushKind
    repo_id: str
    private: bool = False
    replace: bool = False
    revision: str | None = None
    create_pr: bool = False
    message: str | None = None
    tag: str | None = None
    variables: dict[str, str] = field(default_factory=dict)

    def check(self) -> None:
        """Refuse a name that no repository can have, and options that exclude each other.

        Raises:
            InputError: says which.
        """
        advice = f"{self.repo_id} is no name of a repository: give owner/name"
        if "/" not in self.repo_id:
            raise InputError(advice)
        try:
            validate_repo_id(self.repo_id)
        except HFValidationError as error:
            raise InputError(advice) from error
        if self.create_pr and (self.tag or self.revision):
            raise InputError(
                "--create-pr goes to the main branch without a tag: leave --tag and --revision out"
            )

    @property
    def repo(self) -> dict[str, Any]:
        """Return the arguments that name the repository in calls of `HfApi`."""
        return {"repo_id": self.repo_id, "repo_type": self.repo_type}

    @property
    def repo_type(self) -> str:
        """Return the Hub's name for a repository of this kind."""
        return _REPO_TYPES.get(self.kind, "model")

    def __str__(self) -> str:
        """Return the words for it in messages."""
        return f"{self.repo_type} {self.repo_id}"


@dataclass(frozen=True)
class Changes:
    """What a push does to the files that are in a repository.

    Files of others are those that the last push did not record.

    Attributes:
        removed: files of the last push that are not pushed again.
        replaced: files of others that have a name of this push.
        kept: all other files of others.
        recorded: whether a push has left its record there.
    """

    removed: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    recorded: bool = False

    @classmethod
    def between(
        cls, present: Collection[str], recorded: Collection[str] | None, pushed: Collection[str]
    ) -> "Changes":
        """Compare the files of a repository with those of a push.

        Args:
            present: files in the repository.
            recorded: files that the last push recorded; None where no push has recorded any.
            pushed: files of this push.
        """
        ours = {RECORD}
        if recorded is not None:
            ours.update(recorded)
        others = set(present) - ours - FILES_OF_THE_HUB
        ours_and_present = ours.intersection(present)
        return cls(
            removed=tuple(sorted(ours_and_present.difference(pushed))),
            replaced=tuple(sorted(others.intersection(pushed))),
            kept=tuple(sorted(others.difference(pushed))),
            recorded=recorded is not None,
        )

    def check(self, to: Destination) -> None:
        """Refuse a push that meets files of others, unless `to.replace` allows it.

        Raises:
            InputError: It would overwrite files that the last push did not write; or no push left a record of
                its files, and there are other files. The message names them.
        """
        if to.replace:
            return
        if self.replaced:
            names = join_truncated(self.replaced, MAX_FILES_NAMED)
            fault = f"the {to} has files of others with names of this push ({names})"
            raise InputError(f"{fault}: choose another name, or replace these with --replace")
        if self.kept and not self.recorded:
            fault = (
                f"the {to} holds files that no push recorded ({join_truncated(self.kept, MAX_FILES_NAMED)})"
            )
            raise InputError(f"{fault}: choose another name, or push beside them with --replace")

    def sentences(self, *, done: bool) -> list[str]:
        """Say what happened to the files in the repository; where it is not `done`, what would happen."""
        fates = {
            "removed, as of the last push and not of this one": self.removed,
            "replaced, though not of the last push": self.replaced,
            "kept, as files of others": self.kept,
        }
        verb = "" if done else "would be "
        sentences = []
        for fate, names in fates.items():
            if names:
                sentences.append(f"{join_truncated(names, MAX_FILES_NAMED)}: {verb}{fate}")
        return sentences


def foresee(files: Files, to: Destination) -> list[str]:
    """Say what a push would change in its repository.

    Raises:
        InputError: the push would be refused.
    """
    api = _api()
    try:
        changes, _ = _read_changes(api, files, to)
    except RepositoryNotFoundError:
        return [f"The {to} would be created, or is hidden from who is not logged in"]
    except (HTTPError, OfflineModeIsEnabled) as error:
        return [f"The Hub did not say what is in the {to} now ({type(error).__name__})"]
    changes.check(to)
    return changes.sentences(done=False)


def publish(files: Files, to: Destination) -> tuple[CommitInfo, Changes]:
    """Push files in one commit, which removes the files of the last push that are not pushed again.

    Raises:
        InputError: the push is refused, or the Hub failed; the branch is as it was, if nothing else is said.
    """
    api = _api()
    with _push_errors(to, f"nothing was pushed to the {to}, which is as it was"):
        existed = api.repo_exists(**to.repo)
        if not existed:
            _create(api, to)
        _check_settings(api, to)
        changes, parent = _read_changes(api, files, to)
        changes.check(to)
        if to.revision:
            api.create_branch(**to.repo, branch=to.revision, exist_ok=True)
        commit = _commit(api, files, to, changes.removed, parent)
    with _push_errors(to, f"all files were pushed to the {to}, but not its tag or variables"):
        if existed:
            for name, value in to.variables.items():
                api.add_space_variable(to.repo_id, name, value)
        if to.tag:
            api.create_tag(**to.repo, tag=to.tag, revision=commit.oid)
    return commit, changes


def _api() -> HfApi:
    """Return the client of the Hub, which says what calls it."""
    return HfApi(library_name="change_it", library_version=__version__)


def _create(api: HfApi, to: Destination) -> None:
    """Create the repository; a Space knows its variables from the beginning."""
    options: dict[str, Any] = {"private": to.private or None, "exist_ok": True}
    if to.repo_type == "space":
        variables = [{"key": name, "value": value} for name, value in to.variables.items()]
        options["space_sdk"] = "gradio"
        options["space_variables"] = variables or None
    api.create_repo(**to.repo, **options)


def _check_settings(api: HfApi, to: Destination) -> None:
    """Refuse a repository that is public and must not be, and one that has the new tag.

    Raises:
        InputError: says which.
    """
    if to.private and not api.repo_info(**to.repo).private:
        fault = f"the {to} exists and is public"
        raise InputError(f"{fault}: make it private in its settings, or push without --private")
    if to.tag:
        for tag in api.list_repo_refs(**to.repo).tags:
            if tag.name == to.tag:
                raise InputError(f"the {to} has a tag {to.tag} already: choose another --tag")


def _commit(api: HfApi, files: Files, to: Destination, removed: Collection[str], parent: str) -> CommitInfo:
    """Add `files` and delete those `removed` in one commit on top of the commit `parent`."""
    operations: list[Any] = []
    for name, content in files.items():
        operations.append(CommitOperationAdd(name, content))
    for name in removed:
        operations.append(CommitOperationDelete(name))
    with warnings.catch_warnings():
        # A Space carries the package's source, with its sample.
        warnings.filterwarnings("ignore", message=".*about to commit a data file")
        return api.create_commit(
            **to.repo,
            operations=operations,
            commit_message=to.message or f"Push {to.kind} with change-it {__version__}",
            revision=to.revision,
            create_pr=to.create_pr,
            parent_commit=parent,
        )


def _read_changes(api: HfApi, files: Files, to: Destination) -> tuple[Changes, str]:
    """Return what a push changes in the repository as it is now, and the commit that this holds for."""
    try:
        commit = api.repo_info(**to.repo, revision=to.revision).sha
    except RevisionNotFoundError:
        # The branch does not exist: the push makes it from the main one.
        commit = api.repo_info(**to.repo).sha
    present = api.list_repo_files(**to.repo, revision=commit)
    recorded = None
    if RECORD in present:
        record = api.hf_hub_download(**to.repo, filename=RECORD, revision=commit)
        recorded = _read_record(Path(record))
    return Changes.between(present, recorded, files), str(commit)


def _read_record(path: Path) -> list[str] | None:
    """Return the files that the last push recorded; None where it is no record of a push."""
    try:
        files = json.loads(path.read_text(encoding="utf-8"))["files"]
    except (ValueError, TypeError, KeyError):
        return None
    if not isinstance(files, list):
        return None
    return [str(name) for name in files]


@contextmanager
def _push_errors(to: Destination, state: str) -> Iterator[None]:
    """Turn a fault of the Hub, or of who uses it, into one sentence.

    Args:
        to: where the push goes.
        state: the beginning of the sentence: how the repository is after the fault. A lost connection leaves
            this open, and the sentence says so.

    Raises:
        InputError: with the sentence; one that was raised within passes unchanged.
    """
    try:
        yield
    except InputError:
        raise
    except (HTTPError, OfflineModeIsEnabled, RuntimeError, ValueError) as error:
        cause: BaseException = error
        if isinstance(error, RuntimeError) and error.__cause__:
            cause = error.__cause__
        reason = " ".join(str(cause).split())
        token = get_token()
        if token:
            reason = reason.replace(token, "***")
        if isinstance(cause, HfHubHTTPError):
            advice = ""
            if cause.response.status_code in (401, 403):
                advice = "; log in with `hf auth login`, with the right to write there"
            raise InputError(f"{state}: {reason}{advice}") from error
        if isinstance(error, HTTPError | RuntimeError):
            whole = "which holds all of this push or nothing: try again"
            raise InputError(
                f"the connection was lost while pushing to the {to}, {whole} ({reason})"
            ) from error
        raise InputError(f"{state}: {reason}") from error
