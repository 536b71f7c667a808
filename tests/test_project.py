"""The project's own files: two commands, one description, one version, bounds that admit what is tested."""

import re
import subprocess
import tomllib
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import change_it
from change_it.cli.help import DESCRIPTION
from change_it.cli.main import main
from change_it.version import __version__
from tools import versions

CHECKOUT = Path(__file__).parent.parent
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
#: What users install: the package and its extras but those for developers.
REQUIREMENTS = [
    Requirement(line) for line in [*PROJECT["dependencies"], *(EXTRAS[extra][0] for extra in versions.EXTRAS)]
]
MAKE = {
    "run": "-m change_it.cli quickstart",
    "test": '-m pytest -n logical --maxprocesses 4 --dist worksteal -m "not slow"',
}


def read(name):
    return (CHECKOUT / name).read_text(encoding="utf-8")


def pinned():
    """Exact versions of constraints.txt by package."""
    lines = [line for line in read("constraints.txt").splitlines() if "==" in line]
    pairs = (line.split("==") for line in lines)
    return {canonicalize_name(name): version for name, version in pairs}


@pytest.mark.parametrize("target", MAKE)
def test_the_readmes_two_commands_are_targets(target, tmp_path):
    blocks = re.findall(r"(?ms)^```sh\n(.*?)^```", read("README.md"))
    lines = [line.partition("#")[0].strip() for block in blocks for line in block.splitlines()]
    assert f"make {target}" in lines
    dry_run = ["make", "--dry-run", target, f"VENV={tmp_path.name}"]
    planned = subprocess.run(dry_run, cwd=CHECKOUT, check=True, capture_output=True, text=True).stdout
    installs = [line for line in planned.splitlines() if "--editable" in line]
    assert "--constraint constraints.txt --editable '.[space]'" in installs[0]
    assert len(installs) == {"run": 1, "test": 2}[target]
    assert f"{tmp_path.name}/bin/python {MAKE[target]}" in planned


def test_the_gate_calls_the_readmes_test_command():
    assert "make test" in read(".ci/run").splitlines()


def test_a_machine_without_a_suitable_python_is_told_so_in_a_sentence(tmp_path):
    old = tmp_path / "python3.9"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo Python 3.9.2\n', encoding="utf-8")
    old.chmod(0o755)
    for command, fault in ((old, f"{old} is Python 3.9.2"), (tmp_path / "none", "no Python was found")):
        script = ["sh", CHECKOUT / "tools" / "find_python.sh", command]
        found = subprocess.run(script, capture_output=True, text=True)
        assert (found.returncode, found.stdout) == (1, "")
        advice = "install Python 3.11, 3.12 or 3.13, or name one, as in: make run PYTHON=/usr/bin/python3.12"
        assert found.stderr == f"{fault}: {advice}\n"


def test_all_places_have_one_description(capsys):
    assert PROJECT["description"] == DESCRIPTION
    assert yaml.safe_load(read("mkdocs.yml"))["site_description"] == DESCRIPTION
    assert yaml.safe_load(read("CITATION.cff"))["abstract"] == DESCRIPTION
    assert DESCRIPTION in " ".join(read("README.md").split())
    assert main(["--help"]) == 0
    assert DESCRIPTION in " ".join(capsys.readouterr().out.split())


def test_all_places_have_one_version():
    assert PROJECT["version"] == __version__
    assert yaml.safe_load(read("CITATION.cff"))["version"] == __version__


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=lambda requirement: requirement.name)
def test_bounds_admit_the_tested_version_and_no_next_major_one(requirement):
    tested = pinned()[canonicalize_name(requirement.name)]
    assert requirement.specifier.contains(tested)
    assert not requirement.specifier.contains(str(Version(tested).major + 1))
    assert {one.operator for one in requirement.specifier} == {">=", "<"}


def test_the_table_of_versions_is_within_the_bounds():
    specifiers = {requirement.name: requirement.specifier for requirement in REQUIREMENTS}
    for kind, column in versions.read_table(read("docs/index.md")).items():
        for name, version in column.items():
            assert name == "Python" or version == "not run" or specifiers[name].contains(version), kind


def test_every_module_can_be_imported():
    """Also one that has no example and that no test names."""
    names = [module.name for module in walk_packages(change_it.__path__, "change_it.")]
    assert len(names) > 100
    for name in names:
        if not name.endswith("__main__"):
            import_module(name)
