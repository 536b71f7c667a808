"""Name the versions that a bug report needs, without loading a library."""

import platform
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version

from change_it.version import __version__

#: Extras that users install; of those for developers nothing is named.
EXTRAS = ("space", "lora", "ray", "hevas")


def version_lines() -> Iterator[str]:
    """Yield this version, that of Python and its system, and those of the libraries that are required."""
    yield f"change-it {__version__}"
    yield f"python {platform.python_version()} ({platform.platform()})"
    for name in sorted(_required()):
        try:
            installed = version(name)
        except PackageNotFoundError:
            installed = "not installed"
        yield f"{name} {installed}"


def _required() -> set[str]:
    """Return the names of the libraries that this package and its extras require.

    There are none where its files were copied, as into a Space.
    """
    try:
        requirements = requires("change-it") or []
    except PackageNotFoundError:
        return set()
    names = set()
    for requirement in requirements:
        extra = re.search(r"extra == ['\"](\w+)['\"]", requirement)
        if extra is None or extra[1] in EXTRAS:
            names.add(re.split(r"[^\w.-]", requirement)[0])
    return names
