"""Publish data, models and pages on the Hub, or write what would be published: `change-it push`."""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import tyro

from change_it.errors import InputError
from change_it.files.atomic import check_writable
from change_it.files.texts import join_truncated
from change_it.render.tables import console, print_lines

if TYPE_CHECKING:
    from change_it.hub.publishing import Destination

#: Files that the line of a push names.
NAMED_FILES = 20
#: What a licence looks like, by the Hub's names.
LICENCE = re.compile(r"[a-z0-9][a-z0-9.+-]*")
#: What the Hub id of a model looks like.
MODEL_ID = re.compile(r"[\w.-]+/[\w.-]+")
#: What an address looks like from which pip installs the package.
PIP_ADDRESS = re.compile(r"git\+https?://[\w./:@~-]+")
#: What the name of a variable looks like.
VARIABLE_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(kw_only=True)
class PushOptions:
    """Publish a data set, judges, a generator, a metric or the Space on the Hugging Face Hub, in one commit.

    Log in with hf auth login, or set HF_TOKEN. The repository is made where there is none. Files of the last
    push that are not pushed again are removed, and named; .change_it.json in the repository records them.
    Other files stay.

    Examples:
        change-it push dataset runs/quickstart/corpus me/headlines --dry-run --out staged
        change-it push judge runs/mine/judges me/headline-judges --dataset me/headlines
        change-it push generator runs/mine/generators/sum-gio me/sum-gio --private
        change-it push metric compliancy me/compliancy
        change-it push space headline_transfer me/headline-transfer
            --variables CHANGE_IT_JUDGES=me/headline-judges
    """

    kind: tyro.conf.Positional[Literal["dataset", "judge", "generator", "metric", "space"]]
    """What is published: dataset | judge | generator | metric | space."""
    folder: tyro.conf.Positional[str]
    """A corpus, one judge, a folder with main, hh and ah, or one generator. Of a metric or the Space its
    name: compliancy, hevas, headline_transfer.
    """
    repo_id: tyro.conf.Positional[str]
    """The repository: owner/name."""
    private: bool = False
    """Make the repository private. An existing one that is public is refused."""
    license: str | None = None
    """Licence on the card of a data set or model, such as cc-by-4.0. When not given, that of the corpus,
    where one is known. A data set without a licence needs --private.
    """
    dataset: str | None = None
    """Hub id of the corpus that judges or a generator were trained on, for their card. A corpus of other
    articles is named as another one.
    """
    base: str | None = None
    """Hub id of the model that adapters belong to, OWNER/NAME, where they were trained on a copy in a folder.
    """
    package: str | None = None
    """Address from which pip installs change-it, git+https://ADDRESS, perhaps with @TAG. The card of judges
    or of a generator names it; a metric or the Space installs it in the place of a copy.
    """
    variables: tuple[str, ...] = ()
    """Variables of a metric or the Space as NAME=VALUE, such as the Hub ids of its models. The card of the
    Space lists them.
    """
    replace: bool = False
    """Publish into a repository that holds files of others. Those with the name of a new file are replaced,
    and none is removed.
    """
    revision: str | None = None
    """Branch of the repository. A new one begins at main. When not given, main."""
    create_pr: bool = False
    """Open a pull request."""
    commit_message: str | None = None
    """Message of the commit. When not given, it names the kind and the version."""
    tag: str | None = None
    """Tag of the commit, such as v1."""
    dry_run: bool = False
    """Write the folder that would be published, say what would be removed or replaced, and publish nothing.
    """
    out: Path | None = None
    """Where --dry-run writes: a new or empty folder. When not given, push/ACCOUNT/NAME."""


def run(options: PushOptions) -> None:
    """Publish a folder, or write what would be published."""
    from change_it.hub.cards import CardSettings
    from change_it.hub.packaging import files_of, write
    from change_it.hub.publishing import foresee, publish

    to = _destination(options)
    out = options.out or Path("push") / options.repo_id
    if options.dry_run:
        check_writable(out, inputs=[options.folder])
    folder = Path(options.folder)
    digest, remarks = _dataset_digest(options)
    if options.kind == "dataset" and not options.private:
        _check_licence(folder, options.license)
    settings = CardSettings(
        repo_id=options.repo_id,
        license=options.license,
        dataset=options.dataset,
        dataset_digest=digest,
        package=options.package,
        variables=to.variables,
        base=options.base,
    )
    files = files_of(options.kind, folder, settings)
    size = sum(len(file) if isinstance(file, bytes) else file.stat().st_size for file in files.values())
    summary = f"{len(files)} files, {size / 1e6:,.1f} MB ({join_truncated(sorted(files), NAMED_FILES)})"
    if options.dry_run:
        foreseen = foresee(files, to)
        write(files, out)
        result = f"{summary} in {out}; nothing was pushed"
        lines = [result, *remarks, *foreseen, "Next: this command without --dry-run"]
    else:
        commit, changes = publish(files, to)
        lines = [f"{summary}: {commit.pr_url or commit.commit_url}", *changes.sentences(done=True)]
    print_lines(lines, console())


def _dataset_digest(options: PushOptions) -> tuple[str | None, list[str]]:
    """Return the digest of --dataset, by which the card compares it, and remarks on it.

    A dry run goes on where it cannot be read, and has a remark that says so.
    """
    from change_it.corpus.folder import digest_of_dataset

    if not options.dataset:
        return None, []
    try:
        return digest_of_dataset(options.dataset), []
    except InputError as error:
        if not options.dry_run:
            raise InputError(f"--dataset cannot be compared ({error}): push the data set first") from error
        return None, [f"The card does not name {options.dataset}, which cannot be read and compared now"]


def _check_licence(folder: Path, license: str | None) -> None:
    """Refuse to make texts public for which nobody has named a licence."""
    from change_it.hub.packaging import check_folder, read_licence

    check_folder("dataset", folder)
    if read_licence(folder, license) == "unknown":
        fault = f"the texts in {folder} belong to their publishers, and nobody has named a licence"
        raise InputError(f"{fault}: push them with --private, or name one with --license")


def _destination(options: PushOptions) -> "Destination":
    """Return where and how a push goes.

    Raises:
        InputError: an option has no use for this kind, or is not in the form that it must have.
    """
    from change_it.hub.publishing import Destination

    destination = Destination(
        kind=options.kind,
        repo_id=options.repo_id,
        private=options.private,
        replace=options.replace,
        revision=options.revision,
        create_pr=options.create_pr,
        message=options.commit_message,
        tag=options.tag,
    )
    destination.check()
    if options.license and not LICENCE.fullmatch(options.license):
        raise InputError(f"--license {options.license}: give the Hub's name of a licence, as cc-by-4.0")
    is_page = options.kind in ("metric", "space")
    if (options.license or options.dataset) and is_page:
        raise InputError(f"--license and --dataset are of a data set or model, not of a {options.kind}")
    if options.base and options.kind != "generator":
        raise InputError(f"--base is of a generator, not of a {options.kind}")
    if options.base and not MODEL_ID.fullmatch(options.base):
        raise InputError(f"--base {options.base}: give the name of a model on the Hub, OWNER/NAME")
    if options.package:
        _check_package(options)
    if options.variables and not is_page:
        raise InputError(f"--variables are of a metric or Space, not of a {options.kind}")
    if options.out and not options.dry_run:
        raise InputError("--out requires --dry-run")
    variables = dict(_variable(given) for given in options.variables)
    return replace(destination, variables=variables)


def _check_package(options: PushOptions) -> None:
    """Refuse an address of the package that pip cannot read, or that no card would name."""
    if options.kind == "dataset":
        raise InputError("--package is of models, metrics and the Space, not of a dataset")
    if not PIP_ADDRESS.fullmatch(options.package or ""):
        raise InputError(f"--package {options.package}: give git+https://ADDRESS, perhaps with @TAG")


def _variable(given: str) -> tuple[str, str]:
    """Return the name and the value of a variable, given as NAME=VALUE."""
    name, _, value = given.partition("=")
    if not VARIABLE_NAME.fullmatch(name) or not value:
        raise InputError(f"--variables {given}: give NAME=VALUE, as CHANGE_IT_JUDGES=me/headline-judges")
    return name, value
