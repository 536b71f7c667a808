"""`change-it push`; its options are `hub.push_options`."""

import re
from pathlib import Path

from change_it.commands.common import print_lines
from change_it.errors import InputError
from change_it.hub.push_options import PushOptions
from change_it.io import check_writable, listed
from change_it.tables import console


def run(options: PushOptions) -> None:
    """Push a folder, or write what would be pushed."""
    check(options)

    from change_it.hub.commit import publish, write
    from change_it.hub.packaging import files_of

    files = files_of(options)
    size = sum(len(file) if isinstance(file, bytes) else file.stat().st_size for file in files.values())
    summary = f"{len(files)} files, {size / 1e6:,.1f} MB ({listed(sorted(files), 50)})"
    if options.dry_run:
        write(files, out := staged(options))
        print_lines(
            [f"{summary} in {out}; nothing was pushed", "Next: this command without --dry-run"], console()
        )
        return
    info = publish(files, options)
    print_lines([f"{summary}: {info.pr_url or info.commit_url}"], console())


def check(options: PushOptions) -> None:
    """Refuse options that do not fit each other."""
    from huggingface_hub.utils import HFValidationError, validate_repo_id

    try:
        validate_repo_id(options.repo_id if "/" in options.repo_id else "")
    except HFValidationError as error:
        raise InputError(f"{options.repo_id} is no name of a repository: give owner/name") from error
    if options.license and not re.fullmatch(r"[a-z0-9][a-z0-9.+-]*", options.license):
        raise InputError(f"--license {options.license}: give the Hub's name of a licence, as cc-by-4.0")
    if (options.license or options.dataset) and options.kind in ("metric", "space"):
        raise InputError(f"--license and --dataset are of a data set or model, not of a {options.kind}")
    if options.out and not options.dry_run:
        raise InputError("--out requires --dry-run")
    if options.dry_run:
        check_writable(staged(options), inputs=[options.folder])


def staged(options: PushOptions) -> Path:
    """The folder that `--dry-run` writes."""
    return options.out or Path("push") / options.repo_id
