"""How a folder is pushed: one commit a push, tried again where the Hub is busy; one sentence where it refuses."""

import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fnmatch import fnmatch
from json import JSONDecodeError
from pathlib import Path
from typing import TypeVar

from huggingface_hub import CommitInfo, CommitOperationAdd, CommitOperationDelete, HfApi, get_token
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, OfflineModeIsEnabled
from huggingface_hub.utils import validate_repo_id

from change_it import __version__
from change_it.errors import InputError
from change_it.hub.packaging import Files
from change_it.hub.push_options import REPO_TYPES, PushOptions, RepoType
from change_it.io import replace_folder

Result = TypeVar("Result")

#: Requests of one push are made so often, with pauses of 1, 2 and 4 seconds between (or what the Hub asks for, up to a minute).
TRIES = 4
PAUSE, LONGEST_PAUSE = 1.0, 60.0
#: Answers that another try may turn into success.
BUSY = (429, 500, 502, 503, 504)
#: Files of an earlier push that must not stay beside new ones: what loads a folder would take them for its own.
STALE: dict[RepoType, tuple[str, ...]] = {
    "dataset": ("*.parquet",),
    "model": ("*.safetensors", "*.safetensors.index.json", "*.py", ".eval_results/*.yaml"),
    "space": ("*.whl", "*.py", "change_it/*"),
}

#: How the message of the Hub's client about a README.md begins.
BAD_CARD = "Invalid metadata in README.md"

#: What the Hub's clients raise when a request fails: the base of their own errors is that of the HTTP library.
HTTPError: type[Exception] = HfHubHTTPError.__mro__[1]


class _HubError(Exception):
    """A request that failed; `status` 0 where no answer came, `wait` the seconds that the Hub asks for."""

    def __init__(self, error: HfHubHTTPError | None = None) -> None:
        super().__init__(str(error))
        self.status, self.wait, self.reason = 0, "", ""
        if error is not None:
            self.status = error.response.status_code
            self.wait = error.response.headers.get("Retry-After", "")
            reason = (error.server_message or "").strip().partition("\n")[0]
            self.reason = reason.replace(get_token() or "\0", "***")


def write(files: Files, out: Path) -> None:
    """Write the files of a push to a folder, which appears when it is complete."""
    with replace_folder(out) as partial:
        for name, content in files.items():
            target = partial / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.read_bytes())


def publish(files: Files, options: PushOptions) -> CommitInfo:
    """Push files (path in the repository to content) in one commit; after an error the branch is as it was."""
    api = HfApi(library_name="change_it", library_version=__version__)
    repo, kind = options.repo_id, REPO_TYPES[options.kind]
    where = f"{kind} {repo}"

    def prepare() -> None:
        api.create_repo(
            repo,
            repo_type=kind,
            private=options.private or None,
            exist_ok=True,
            space_sdk="gradio" if kind == "space" else None,
        )
        if options.private and not api.repo_info(repo, repo_type=kind).private:
            raise InputError(
                f"the {kind} {repo} exists and is public: make it private in its settings, or push without --private"
            )

    def commit() -> CommitInfo:
        present = api.list_repo_files(repo, repo_type=kind)
        additions = [CommitOperationAdd(name, content) for name, content in files.items()]
        deletions = [CommitOperationDelete(name) for name in stale(present, files, kind)]
        with warnings.catch_warnings():  # the sample in the package's source is meant to be in a Space
            warnings.filterwarnings("ignore", "It seems that you are about to commit a data file")
            return api.create_commit(
                repo,
                [*additions, *deletions],
                commit_message=f"Push {options.kind} with change-it {__version__}",
                repo_type=kind,
            )

    try:
        _retried(prepare)
        return _retried(commit)
    except OfflineModeIsEnabled as error:
        raise InputError("HF_HUB_OFFLINE is set, so nothing can be pushed: unset it") from error
    except _HubError as error:
        raise InputError(_sentence(error, where)) from error


def stale(present: list[str], files: Mapping[str, object], kind: RepoType) -> list[str]:
    """Files of an earlier push that this one removes."""
    return [
        name
        for name in present
        if name not in files and any(fnmatch(name, pattern) for pattern in STALE[kind])
    ]


def check_name(repo_id: str) -> None:
    """Refuse what the Hub takes for no name of a repository."""
    try:
        validate_repo_id(repo_id)
    except HFValidationError as error:
        raise InputError(
            f"{repo_id} is no name of a repository: give owner/name with letters, digits, - _ and ."
        ) from error


@contextmanager
def _hub_errors() -> Iterator[None]:
    """Failed requests as `_HubError`; an upload's own error hides behind a `RuntimeError`."""
    try:
        yield
    except (HTTPError, RuntimeError) as error:
        inner: BaseException | None = error
        while isinstance(inner, RuntimeError) and not isinstance(inner, HTTPError):
            inner = inner.__cause__
        if not isinstance(inner, HTTPError):
            raise
        raise _HubError(inner if isinstance(inner, HfHubHTTPError) else None) from error
    except JSONDecodeError as error:  # a page of a server in front of the Hub
        raise _HubError from error
    except ValueError as error:
        if not str(error).startswith(BAD_CARD):
            raise
        faults = "; ".join(line.removeprefix("- ") for line in str(error).splitlines()[1:])
        raise InputError(f"the Hub does not take the card: {faults}") from error


def _retried(call: Callable[[], Result]) -> Result:
    """What `call` returns, tried again with growing pauses while the Hub is busy or out of reach."""
    for count in range(TRIES):
        try:
            with _hub_errors():
                return call()
        except _HubError as error:
            if (error.status and error.status not in BUSY) or count == TRIES - 1:
                raise
            time.sleep(min(float(error.wait), LONGEST_PAUSE) if error.wait.isdecimal() else PAUSE * 2**count)
    raise AssertionError("a push is tried at least once")


def _sentence(error: _HubError, where: str) -> str:
    if error.status == 0:
        return (
            f"the connection to the Hub was lost while pushing to the {where}: look at the repository, which holds all "
            "of this push or nothing of it, and try again"
        )
    if error.status == 401:
        return "the Hub does not know who is pushing: log in with `hf auth login`, or set HF_TOKEN to a token that may write"
    if error.status == 403:
        return (
            f"this login may not write to the {where}: take a token with the right to write, and an owner "
            "that it belongs to"
        )
    if error.status == 404:
        return f"the Hub has no {where} that this login can see: check the name and the login"
    if error.status in BUSY:
        return f"the Hub is busy (it answered {error.status} {TRIES} times) and the {where} is as it was: try again later"
    return f"the Hub refused the push to the {where} ({error.status}{': ' + error.reason if error.reason else ''}): nothing was pushed"
