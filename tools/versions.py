"""Write the versions of this environment into the table of docs/index.md.

    python -m tools.versions lowest
    python -m tools.versions newest

`make test-lowest` and `make test-newest` call it with the Python of their own environments, after tests and
quickstart have passed there. The table stands between `<!-- versions: table -->` and `<!-- /versions -->`,
each on a line of its own.
"""

import platform
import sys
from importlib.metadata import requires, version
from pathlib import Path

from packaging.requirements import Requirement

PAGE = Path(__file__).parents[1] / "docs" / "index.md"
BEGIN = "<!-- versions: table -->\n"
END = "<!-- /versions -->\n"
#: The columns, each of which a `make` target fills.
KINDS = ("lowest", "newest")
#: What users may install besides the package itself.
EXTRAS = ("space", "lora", "ray", "hevas")


def requirements() -> list[Requirement]:
    """Return what the installed package requires, by itself and with the extras that users install."""
    found = map(Requirement, requires("change-it") or ())
    environments = [{"extra": extra} for extra in ("", *EXTRAS)]
    return [
        one
        for one in found
        if one.marker is None or any(one.marker.evaluate(environment) for environment in environments)
    ]


def installed_versions() -> dict[str, str]:
    """Return the versions of Python and of each required package by name, without the build (as +cpu)."""
    names = sorted(one.name for one in requirements())
    packages = {name: version(name).partition("+")[0] for name in names}
    return {"Python": platform.python_version()} | packages


def read_table(text: str) -> dict[str, dict[str, str]]:
    """Return the versions of a page's table: kind to package to version."""
    table = text.partition(BEGIN)[2].partition(END)[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    versions: dict[str, dict[str, str]] = {kind: {} for kind in KINDS}
    for name, *cells in rows[2:]:
        for kind, cell in zip(KINDS, cells, strict=True):
            versions[kind][name] = cell
    return versions


def with_versions(text: str, kind: str, versions: dict[str, str]) -> str:
    """Return a page with these versions in the column of a kind; the other column keeps what it says.

    Raises:
        ValueError: the page has no marks of the table.
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise ValueError(f"the page has no lines {BEGIN.strip()} and {END.strip()}")
    columns = read_table(text) | {kind: versions}
    rows = [["package", *KINDS], ["---"] * (1 + len(KINDS))]
    rows += [[name, *(columns[kind].get(name, "not run") for kind in KINDS)] for name in versions]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"{before}{begin}\n{table}\n\n{end}{after}"


def main(kind: str) -> None:
    """Write the column of a kind."""
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(with_versions(text, kind, installed_versions()), encoding="utf-8")
    print(f"wrote the column {kind} of the table of versions in {PAGE}")


if __name__ == "__main__":
    if sys.argv[1:] not in [[kind] for kind in KINDS]:
        sys.exit(f"give one of {', '.join(KINDS)}: python -m tools.versions lowest")
    main(sys.argv[1])
