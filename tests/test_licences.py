"""Whoever installs the package may use, change and pass on all that comes with it."""

import re
from importlib.metadata import PackageNotFoundError, distribution

import pytest
from packaging.requirements import Requirement

#: What asks for no more than a notice, or for the source of changed files alone.
PERMISSIVE = re.compile(
    r"\b(Apache|MIT|BSD|0BSD|ISC|ISCL|PSF|PSFL|Python Software Foundation|MPL|Mozilla Public|Zlib|HPND|CC0|Unlicense|BSL-1\.0|CNRI)"
)
#: What is linked to and not changed.
LINKED = re.compile(r"\bLGPL|Lesser General Public")
#: What a work that is built on it must take over.
COPYLEFT = re.compile(r"\bA?GPL|(?<!Lesser )General Public")


def licences(name):
    """What the metadata of an installed package say of its licence: the expression, else classifiers, else the text's first line."""
    about = distribution(name).metadata
    if expression := about.get("License-Expression"):
        return re.split(r"\s+OR\s+", expression)
    classifiers = [
        one.rpartition(" :: ")[2] for one in about.get_all("Classifier", []) if one.startswith("License ::")
    ]
    return classifiers or (about.get("License") or "").strip().splitlines()[:1]


def allowed(choices, *, linked=False):
    """Whether one of the licences, among which a user may choose, is permissive; `linked` allows the lesser GPL too."""
    return any(
        (PERMISSIVE.search(one) and not COPYLEFT.search(one) and not LINKED.search(one))
        or (linked and LINKED.search(one))
        for one in choices
    )


def installed_with(name, extras):
    """A package and all that it needs here, by name; what is not installed here is left out."""
    found, waiting = {}, [(name, frozenset(extras))]
    while waiting:
        package, wanted = waiting.pop()
        key = re.sub(r"[-_.]+", "-", package).lower()
        if found.get(key, set()) >= {"", *wanted}:
            continue
        try:
            needs = distribution(package).requires or []
        except PackageNotFoundError:
            continue
        found[key] = found.get(key, set()) | {"", *wanted}
        for need in map(Requirement, needs):
            if need.marker is None or any(need.marker.evaluate({"extra": one}) for one in found[key]):
                waiting.append((need.name, frozenset(need.extras)))
    return set(found)


@pytest.mark.parametrize(("extras", "linked"), [((), False), (("space", "hevas", "lora"), True)])
def test_dependencies_may_be_used_changed_and_passed_on(extras, linked):
    packages = installed_with("change-it", extras)
    assert {"change-it", "torch", "transformers", "numpy", "tqdm"} <= packages
    assert {one: licences(one) for one in packages if not allowed(licences(one), linked=linked)} == {}
