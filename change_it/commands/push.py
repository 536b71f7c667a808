"""`change-it push`."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tyro

from change_it.errors import InputError
from change_it.io.files import check_writable
from change_it.io.texts import listed
from change_it.tables import console, print_lines


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

    kind: tyro.conf.Positional[Literal["dataset", "judge", "generator", "metric", "space"]]
    """Kind of what is pushed."""
    folder: tyro.conf.Positional[str]
    """A corpus, one judge or a folder with main, hh and ah, or one generator; of a metric or Space its name, as in the examples."""
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
    """Where --dry-run writes: a new or empty folder; push/ACCOUNT/NAME when not given."""


def run(options: PushOptions) -> None:
    """Push a folder, or write what would be pushed."""
    from huggingface_hub.utils import HFValidationError, validate_repo_id

    from change_it.hub.packaging import files_of, publish, write

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
    out = options.out or Path("push") / options.repo_id
    if options.dry_run:
        check_writable(out, inputs=[options.folder])
    files = files_of(options.kind, Path(options.folder), options.repo_id, options.license, options.dataset)
    size = sum(len(file) if isinstance(file, bytes) else file.stat().st_size for file in files.values())
    summary = f"{len(files)} files, {size / 1e6:,.1f} MB ({listed(sorted(files), 50)})"
    if options.dry_run:
        write(files, out)
        lines = [f"{summary} in {out}; nothing was pushed", "Next: this command without --dry-run"]
    else:
        commit = publish(files, options.kind, options.repo_id, private=options.private)
        lines = [f"{summary}: {commit.commit_url}"]
    print_lines(lines, console())
