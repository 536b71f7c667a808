"""Push of a folder: one commit, and one sentence where the Hub refuses."""

import warnings
from pathlib import Path
from shutil import copyfile

from huggingface_hub import CommitInfo, CommitOperationAdd, CommitOperationDelete, HfApi, RepoCard, get_token
from huggingface_hub.errors import HfHubHTTPError, HTTPError, OfflineModeIsEnabled
from huggingface_hub.utils import filter_repo_objects

from change_it import __version__
from change_it.errors import InputError
from change_it.hub.packaging import Files
from change_it.hub.push_options import REPO_TYPES, PushOptions, RepoType
from change_it.io import replace_folder

#: Files of an earlier push that must not stay with new ones: what loads a folder would take them for its own.
STALE: dict[RepoType, list[str]] = {
    "dataset": ["*.parquet"],
    "model": ["*.safetensors", "*.safetensors.index.json", "*.py"],
    "space": ["*.whl", "*.py", "change_it/*"],
}
#: What to do about a refusal.
ADVICE = {
    401: "log in with `hf auth login`, or set HF_TOKEN to a token that may write",
    403: "this login may not write there: take a token with the right to write, and an owner that it belongs to",
    404: "it has none that this login can see: check the name and the login",
}


def write(files: Files, out: Path) -> None:
    """Write the files of a push to a folder, which appears when it is complete."""
    with replace_folder(out) as partial:
        for name, content in files.items():
            target = partial / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                target.write_bytes(content)
            else:
                copyfile(content, target)


def publish(files: Files, options: PushOptions) -> CommitInfo:
    """Push files (path in the repository to content) in one commit; after an error the branch is as it was."""
    api = HfApi(library_name="change_it", library_version=__version__)
    repo, kind = options.repo_id, REPO_TYPES[options.kind]
    where, sdk = f"{kind} {repo}", "gradio" if kind == "space" else None
    try:
        card = files["README.md"]
        RepoCard(card.decode() if isinstance(card, bytes) else card.read_text("utf-8")).validate(kind)
        api.create_repo(repo, repo_type=kind, private=options.private or None, exist_ok=True, space_sdk=sdk)
        if options.private and not api.repo_info(repo, repo_type=kind).private:
            raise InputError(
                f"the {where} exists and is public: make it private in its settings, or push without --private"
            )
        there = api.list_repo_files(repo, repo_type=kind)
        stale = set(filter_repo_objects(there, allow_patterns=STALE[kind])) - files.keys()
        with warnings.catch_warnings():
            # The sample in the package's source is meant to be in a Space.
            warnings.filterwarnings("ignore", "It seems that you are about to commit a data file")
            return api.create_commit(
                repo,
                [
                    *(CommitOperationAdd(name, content) for name, content in files.items()),
                    *map(CommitOperationDelete, sorted(stale)),
                ],
                repo_type=kind,
                commit_message=f"Push {options.kind} with change-it {__version__}",
            )
    except OfflineModeIsEnabled as error:
        raise InputError("HF_HUB_OFFLINE is set, so nothing can be pushed: unset it") from error
    except InputError:
        raise
    except (HTTPError, RuntimeError, ValueError) as error:
        raise InputError(_sentence(error, where)) from error


def _sentence(error: Exception, where: str) -> str:
    cause = error.__cause__ if isinstance(error, RuntimeError) else error  # of the upload of a file
    if isinstance(cause, HfHubHTTPError):
        status, reason = cause.response.status_code, (cause.server_message or str(cause)).strip()
        advice = ADVICE.get(status) or reason.partition("\n")[0].replace(get_token() or "\0", "***")
        return f"the Hub refused the push to the {where} ({status}), which is as it was: {advice}"
    if isinstance(error, ValueError):
        return f"the Hub does not take the {where}: {' '.join(str(error).split())}"
    return (
        f"the connection to the Hub was lost while pushing to the {where}: look at the repository, which holds all "
        "of this push or nothing of it, and try again"
    )
