"""The push of files to a repository, and the record there by which the next push knows the files of this one."""

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
OF_THE_HUB = frozenset({".gitattributes"})
#: Files that a message names.
NAMED = 10


@dataclass(frozen=True, kw_only=True)
class Destination:
    """Where a push goes, and how.

    Attributes:
        kind: what is pushed.
        repo_id: the repository, owner/name; it is created if needed.
        private: whether it must be private.
        replace: whether files of others that have a name of this push may be replaced.
        revision: the branch; one that does not exist begins at the main one.
        create_pr: whether the commit is offered as a pull request.
        message: of the commit; None for one that names the version.
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
        """Refuse a name that no repository can have, and options that exclude each other."""
        try:
            validate_repo_id(self.repo_id if "/" in self.repo_id else "")
        except HFValidationError as error:
            raise InputError(f"{self.repo_id} is no name of a repository: give owner/name") from error
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
        return {"dataset": "dataset", "metric": "space", "space": "space"}.get(self.kind, "model")

    def __str__(self) -> str:
        """Return the words for it in messages."""
        return f"{self.repo_type} {self.repo_id}"


@dataclass(frozen=True)
class Changes:
    """What a push does to the files that are in a repository.

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
        """Compare the files of a repository, those that the last push recorded (None: no push has), and those of this one."""
        ours = {RECORD, *(recorded or ())}
        others = {*present} - ours - OF_THE_HUB
        return cls(
            removed=tuple(sorted(ours.intersection(present) - {*pushed})),
            replaced=tuple(sorted(others.intersection(pushed))),
            kept=tuple(sorted(others - {*pushed})),
            recorded=recorded is not None,
        )

    def check(self, to: Destination) -> None:
        """Refuse a push that meets files of others, unless it was told to go beside them."""
        if to.replace:
            return
        if self.replaced:
            fault = f"the {to} has files of others with names of this push ({join_truncated(self.replaced, NAMED)})"
            raise InputError(f"{fault}: choose another name, or replace these with --replace")
        if self.kept and not self.recorded:
            fault = f"the {to} holds files that no push recorded ({join_truncated(self.kept, NAMED)})"
            raise InputError(f"{fault}: choose another name, or push beside them with --replace")

    def sentences(self, *, done: bool) -> list[str]:
        """Say what happened to the files in the repository, or what a push would do."""
        ends = {
            "removed, as of the last push and not of this one": self.removed,
            "replaced, though not of the last push": self.replaced,
            "kept, as files of others": self.kept,
        }
        verb = "" if done else "would be "
        return [f"{join_truncated(names, NAMED)}: {verb}{end}" for end, names in ends.items() if names]


def foresee(files: Files, to: Destination) -> list[str]:
    """Say what a push would change in its repository; refuse as it would."""
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
    """Push files in one commit, which removes the files of the last push that are not pushed again; after an error the branch is as it was."""
    api = _api()
    with _push_errors(to, f"nothing was pushed to the {to}, which is as it was"):
        existed = api.repo_exists(**to.repo)
        if not existed:
            _create(api, to)
        if to.private and not api.repo_info(**to.repo).private:
            fault = f"the {to} exists and is public"
            raise InputError(f"{fault}: make it private in its settings, or push without --private")
        if to.tag and to.tag in {tag.name for tag in api.list_repo_refs(**to.repo).tags}:
            raise InputError(f"the {to} has a tag {to.tag} already: choose another --tag")
        changes, parent = _read_changes(api, files, to)
        changes.check(to)
        if to.revision:
            api.create_branch(**to.repo, branch=to.revision, exist_ok=True)
        operations: list[Any] = [CommitOperationAdd(name, content) for name, content in files.items()]
        operations += map(CommitOperationDelete, changes.removed)
        with warnings.catch_warnings():
            # A Space carries the package's source, with its sample.
            warnings.filterwarnings("ignore", message=".*about to commit a data file")
            commit = api.create_commit(
                **to.repo,
                operations=operations,
                commit_message=to.message or f"Push {to.kind} with change-it {__version__}",
                revision=to.revision,
                create_pr=to.create_pr,
                parent_commit=parent,
            )
    with _push_errors(to, f"all files were pushed to the {to}, but not its tag or variables"):
        if existed:
            for name, value in to.variables.items():
                api.add_space_variable(to.repo_id, name, value)
        if to.tag:
            api.create_tag(**to.repo, tag=to.tag, revision=commit.oid)
    return commit, changes


def _api() -> HfApi:
    return HfApi(library_name="change_it", library_version=__version__)


def _create(api: HfApi, to: Destination) -> None:
    """Create the repository; a Space knows its variables from the beginning."""
    options: dict[str, Any] = {"private": to.private or None, "exist_ok": True}
    if to.repo_type == "space":
        variables = [{"key": name, "value": value} for name, value in to.variables.items()]
        options |= {"space_sdk": "gradio", "space_variables": variables or None}
    api.create_repo(**to.repo, **options)


def _read_changes(api: HfApi, files: Files, to: Destination) -> tuple[Changes, str]:
    """Return what a push changes in the repository as it is now, and the commit that this holds for."""
    try:
        commit = api.repo_info(**to.repo, revision=to.revision).sha
    except RevisionNotFoundError:  # of a branch that the push makes
        commit = api.repo_info(**to.repo).sha
    present = api.list_repo_files(**to.repo, revision=commit)
    recorded = None
    if RECORD in present:
        recorded = _recorded(Path(api.hf_hub_download(**to.repo, filename=RECORD, revision=commit)))
    return Changes.between(present, recorded, files), str(commit)


def _recorded(path: Path) -> list[str] | None:
    """Read the files that the last push recorded; None where the record is none."""
    try:
        files = json.loads(path.read_text(encoding="utf-8"))["files"]
    except (ValueError, TypeError, KeyError):
        return None
    return [*map(str, files)] if isinstance(files, list) else None


@contextmanager
def _push_errors(to: Destination, state: str) -> Iterator[None]:
    """Say a fault of the Hub, or of who uses it, in one sentence that begins with the state of the repository."""
    try:
        yield
    except InputError:
        raise
    except (HTTPError, OfflineModeIsEnabled, RuntimeError, ValueError) as error:
        cause = error.__cause__ if isinstance(error, RuntimeError) and error.__cause__ else error
        reason = " ".join(str(cause).split()).replace(get_token() or "\0", "***")
        if isinstance(error, HTTPError | RuntimeError) and not isinstance(cause, HfHubHTTPError):
            whole = "which holds all of this push or nothing: try again"
            raise InputError(
                f"the connection was lost while pushing to the {to}, {whole} ({reason})"
            ) from error
        status = cause.response.status_code if isinstance(cause, HfHubHTTPError) else 0
        login = "; log in with `hf auth login`, with the right to write there" if status in (401, 403) else ""
        raise InputError(f"{state}: {reason}{login}") from error
