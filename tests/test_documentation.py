"""README and documentation: their commands and examples run as they stand, page after page, those of a run in a fresh folder.

Blocks marked `bash` and `python` run, `change-it quickstart` on few articles and with little training. Those marked `sh`
install, serve or train for hours: their commands are parsed alone.
"""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
import tyro
import yaml
from accelerate.commands.launch import launch_command_parser
from help_examples import first_example
from short_quickstart import shorten

from change_it import cli
from change_it.generators.generator_options import GeneratorOptions
from change_it.judges.judge_options import JudgeOptions

CHECKOUT = Path(__file__).parent.parent
PAGES = [CHECKOUT / "README.md"] + [
    CHECKOUT / "docs" / file
    for page in yaml.safe_load((CHECKOUT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    for file in page.values()
    if file != "benchmarks.md"  # benchmarks/README.md, which the build adds
]
MODULES = {"change_it.judges.train": JudgeOptions, "change_it.generators.train": GeneratorOptions}
LINE = 120


class Block(NamedTuple):
    """A block of code of a page."""

    page: str
    language: str
    code: str


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


BLOCKS = [
    Block(page.name, *found)
    for page in PAGES
    for found in re.findall(r"^```(\w+)\n(.*?)^```", read(page), flags=re.MULTILINE | re.DOTALL)
]


def commands() -> list[str]:
    """Our command lines, each on one line."""
    lines = [
        line.strip().replace("$task", "main")
        for block in BLOCKS
        if block.language != "python"
        for line in block.code.replace("\\\n", " ").splitlines()
    ]
    return [line for line in lines if line.startswith(("change-it ", "accelerate "))]


def test_the_two_commands_are_the_makefiles():
    shown = "\n".join(block.code for block in BLOCKS if block.page == "README.md")
    targets = re.findall(r"^make (\S+)", shown, flags=re.MULTILINE)
    assert {"run", "test"} <= set(targets)
    makefile = read(CHECKOUT / "Makefile")
    assert all(re.search(rf"^{target}:", makefile, flags=re.MULTILINE) for target in targets)


def test_the_kinds_of_blocks():
    assert {block.language for block in BLOCKS} == {"bash", "python", "sh"}
    assert commands()


@pytest.mark.parametrize("line", commands())
def test_commands_are_parsed(line):
    program, *arguments = shlex.split(line, comments=True)
    options = cli.union_of()
    if program == "accelerate":
        parsed = launch_command_parser().parse_args(arguments[1:])
        assert arguments[0] == "launch"
        assert parsed.module
        options, arguments = MODULES[parsed.training_script], parsed.training_script_args
    tyro.cli(options, args=arguments, config=cli.TYRO_CONFIG)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_line_of_prose_is_too_long(page):
    prose = re.sub(r"^```.*?^```", "", read(page), flags=re.MULTILINE | re.DOTALL)
    lines = [line for line in prose.splitlines() if not line.startswith(("|", "    "))]
    assert [line for line in lines if len(line) > LINE] == []


def test_links_of_the_readme_lead_somewhere():
    readme = CHECKOUT / "README.md"
    for link in re.findall(r"\]\((?!https?:)([^)]+)\)", read(readme)):
        path, _, anchor = link.partition("#")
        target = CHECKOUT / path
        assert target.exists(), link
        if anchor:
            headings = re.findall(r"^#+ (.+)$", read(target), flags=re.MULTILINE)
            assert anchor in [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in headings]


def test_files_that_contributors_are_sent_to_are_there():
    for page in (CHECKOUT / "CONTRIBUTING.md", CHECKOUT / "docs" / "languages.md"):
        named = re.findall(r"`((?:change_it|docs|metrics|tests|tools)/[\w./]*)`", read(page))
        assert named
        assert [name for name in named if not (CHECKOUT / name).exists() and "/de.toml" not in name] == []


def test_what_runs_before_a_commit_is_what_make_style_runs():
    hooks = yaml.safe_load(read(CHECKOUT / ".pre-commit-config.yaml"))["repos"][0]["hooks"]
    recipe = re.search(r"^style:.*\n((?:\t.*\n)+)", read(CHECKOUT / "Makefile"), flags=re.MULTILINE)
    commands = [line.strip().replace("$(BIN)", ".venv/bin") for line in recipe[1].splitlines()]
    assert [hook["entry"] for hook in hooks] == commands


def pieces() -> dict[str, list[Block]]:
    """Blocks that run by the run whose folder they name, page after page; each piece needs nothing of the others."""
    found: dict[str, list[Block]] = {}
    done = set()
    for block in BLOCKS:
        if (
            block.language in ("bash", "python") and block.code not in done
        ):  # the quickstart stands on two pages
            done.add(block.code)
            run = re.search(r"runs/([\w-]+)|change-it (quickstart)", block.code)
            found.setdefault(run[1] or run[2] if run else "no run", []).append(block)
    return found


#: Commands whose first example takes seconds on what the quickstart leaves.
EXAMPLES_OF_HELP = (
    "corpus sample",
    "corpus build",
    "corpus curve",
    "transfer",
    "judge",
    "score",
    "compare",
    "hevas",
    "annotate sample",
    "reproduce",
    "push",
)
#: Seconds of the pieces that take long.
SECONDS = {"news": 170, "quickstart": 120}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow(seconds=SECONDS.get(name, 10))) for name in pieces()]
)
def test_shell_and_python_examples_run(name, tmp_path, monkeypatch, forks):
    programs = [Path(sys.executable).parent, *os.environ["PATH"].split(os.pathsep)]
    if len(pieces()[name]) > 1:
        programs.insert(0, forks.program(tmp_path / "bin"))  # a single block runs what is installed
    environment = os.environ | {"PATH": os.pathsep.join(map(str, programs))}
    monkeypatch.chdir(tmp_path)
    for block in pieces()[name]:
        if block.code.strip() == "change-it quickstart":
            shorten(monkeypatch)
            assert cli.main(["quickstart", "--articles", "500"]) == 0
            continue
        if block.language == "python":
            ran = forks.run(block.code)
        else:
            few = block.code.replace("change-it audit ", "change-it audit --items 10 ")
            command = ["bash", "-euo", "pipefail", "-c", few]
            ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        output = f"{ran.stdout[-2000:]}\n{ran.stderr[-4000:]}"
        assert ran.returncode == 0, f"{block.page}, {block.language}:\n{block.code}\n{output}"
        if 'print(scores["signature"])' in block.code:
            gold = json.loads(read(tmp_path / "runs/quickstart/report/scores.json"))["systems"]["gold"][
                "average"
            ]
            printed = f"{gold['compliancy']} {tuple(gold['intervals']['compliancy'])}\n{gold['signature']}"
            assert ran.stdout.strip() == printed
    for words in EXAMPLES_OF_HELP if name == "quickstart" else ():
        few = (
            " --items 20" if words == "annotate sample" else ""
        )  # the corpus is a fortieth of the quickstart's
        command = ["bash", "-euc", first_example(words.split()) + few]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, f"{words}:\n{ran.stdout[-2000:]}\n{ran.stderr[-4000:]}"
