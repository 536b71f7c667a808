"""All that a run has to offer on the Hub, published under one owner: data set, judges, generator, metrics and the Space.

python tools/publish.py --owner NAME --dry-run --out staged
python tools/publish.py --owner NAME --run runs/quickstart
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import tyro

from change_it.cli import exit_on_input_error
from change_it.commands import push
from change_it.hub.packaging import PushKind, files_of

#: What stands where: kind, folder of the run or name of what the package ships, and name on the Hub.
REPOSITORIES: tuple[tuple[PushKind, str, str], ...] = (
    ("dataset", "corpus", "headlines-in-two-styles"),
    ("judge", "judges", "headline-judges"),
    ("generator", "generators/rewrite", "headline-rewriter"),
    ("metric", "compliancy", "compliancy"),
    ("metric", "headline_rouge", "headline_rouge"),
    ("metric", "hevas", "hevas"),
    ("space", "headline_transfer", "headline-transfer"),
)


@dataclass(kw_only=True)
class Options:
    """Publish a run."""

    owner: str
    """User or organisation on the Hub."""
    run: Path = Path("runs/quickstart")
    """Folder of a quickstart."""
    private: bool = False
    """Make private repositories."""
    dry_run: bool = False
    """Write what would be pushed, and push nothing."""
    out: Path = Path("push")
    """Where --dry-run writes."""


def pushes(options: Options) -> list[push.PushOptions]:
    """The options of `change-it push`, one a repository, in an order in which each finds what its card names."""
    data = f"{options.owner}/{REPOSITORIES[0][2]}"
    return [
        push.PushOptions(
            kind=kind,
            folder=folder if kind in ("metric", "space") else str(options.run / folder),
            repo_id=f"{options.owner}/{name}",
            private=options.private,
            dataset=data if kind in ("judge", "generator") else None,
            dry_run=options.dry_run,
            out=options.out / options.owner / name if options.dry_run else None,
        )
        for kind, folder, name in REPOSITORIES
    ]


def main(options: Options) -> None:
    """Check all, then push one after the other."""
    every = pushes(options)
    for one in every:
        files_of(one.kind, Path(one.folder), one.repo_id, one.license, one.dataset)
    for one in every:
        push.run(one)


if __name__ == "__main__":
    sys.exit(exit_on_input_error(lambda: main(tyro.cli(Options))))
