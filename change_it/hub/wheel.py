"""The wheel of this package, for repositories on the Hub that need it: it is on no index."""

import base64
import csv
import hashlib
import io
import tempfile
import tomllib
import zipfile
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.resources import files
from pathlib import Path, PurePosixPath

from change_it.errors import InputError

NAME = "change-it"
#: What an installer adds to a wheel's own metadata.
INSTALLED = {"INSTALLER", "REQUESTED", "RECORD", "direct_url.json"}
#: The date of every file, so that one package makes one wheel, byte for byte.
EPOCH = (2020, 1, 1, 0, 0, 0)


def wheel() -> tuple[str, bytes]:
    """The wheel: built where the package runs from a checkout, put together from the installed files elsewhere.

    Returns:
        Its file name and content.

    Raises:
        InputError: a checkout without hatchling, or a package that was copied instead of installed.
    """
    checkout = Path(str(files("change_it"))).parent
    if _is_checkout(checkout):
        return build(checkout)
    try:
        return repack(distribution(NAME))
    except PackageNotFoundError as error:
        raise InputError(
            f"{NAME} is not installed, so no wheel can be made of it: install it with pip"
        ) from error


def build(checkout: Path) -> tuple[str, bytes]:
    """Build the wheel of a checkout; nothing is fetched.

    Args:
        checkout: its root.

    Returns:
        File name and content.

    Raises:
        InputError: hatchling is not installed.
    """
    try:
        from hatchling.builders.wheel import WheelBuilder
    except ImportError as error:
        raise InputError("a wheel of this checkout is built by hatchling: pip install hatchling") from error
    with tempfile.TemporaryDirectory() as folder:
        (path,) = WheelBuilder(str(checkout)).build(directory=folder, versions=["standard"])
        return Path(path).name, Path(path).read_bytes()


def repack(installed: Distribution) -> tuple[str, bytes]:
    """Make a wheel again of what one installed.

    Args:
        installed: a pure Python distribution whose RECORD lists its files.

    Returns:
        File name and content.

    Raises:
        InputError: there is no RECORD.
    """
    if installed.files is None:
        raise InputError(f"{NAME} was installed without a list of its files: install it with pip")
    members: dict[str, bytes] = {}
    metadata = ""
    for file in installed.files:
        name = PurePosixPath(file)
        about = name.parts[0].endswith(".dist-info")
        # What lies outside the packages' folder (programs) and what Python compiles is made anew at each installation.
        if name.parts[0] == ".." or name.suffix == ".pyc" or (about and name.name in INSTALLED):
            continue
        metadata = name.parts[0] if about else metadata
        members[str(name)] = Path(str(installed.locate_file(file))).read_bytes()
    record = f"{metadata}/RECORD"
    members[record] = _record(members, record)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in members.items():
            archive.writestr(zipfile.ZipInfo(member, EPOCH), content, zipfile.ZIP_DEFLATED)
    tag = next(
        line.partition(":")[2].strip()
        for line in members[f"{metadata}/WHEEL"].decode().splitlines()
        if line.startswith("Tag:")
    )
    return f"{metadata.removesuffix('.dist-info')}-{tag}.whl", buffer.getvalue()


def _record(members: dict[str, bytes], record: str) -> bytes:
    """A wheel's list of its files with their SHA-256."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for name, content in members.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        writer.writerow([name, f"sha256={digest}", len(content)])
    writer.writerow([record, "", ""])
    return text.getvalue().encode()


def _is_checkout(folder: Path) -> bool:
    project = folder / "pyproject.toml"
    if not project.is_file():
        return False
    return tomllib.loads(project.read_text(encoding="utf-8")).get("project", {}).get("name") == NAME
