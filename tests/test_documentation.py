"""Run the commands and examples of README and documentation as they stand, page after page.

Those of one run share a fresh folder. Blocks marked `bash` and `python` run, `change-it quickstart` on few
articles and with little training. Those marked `sh` install, serve or train for hours: their commands are
parsed alone.
"""

import os
import re
import shlex
import subprocess
import sys
from importlib import import_module
from itertools import groupby
from operator import attrgetter
from pathlib import Path

import pytest
import tyro
from accelerate.commands.launch import launch_command_parser
from processes import run_python
from short_quickstart import shorten

from change_it.cli.main import TYRO_CONFIG, main, union_of
from change_it.generators.options import GeneratorOptions
from change_it.judges.options import JudgeOptions
from change_it.report.record import read_report_record
from tools import tutorial

CHECKOUT = Path(__file__).parent.parent
NAV = re.findall(r": ([\w-]+\.md)", (CHECKOUT / "mkdocs.yml").read_text(encoding="utf-8"))
# README last: its example reads what `make run` writes, here the quickstart of docs/index.md.
PAGES = [*(CHECKOUT / "docs" / page for page in NAV), CHECKOUT / "README.md"]
MODULES = {"change_it.judges.train": JudgeOptions, "change_it.generators.train": GeneratorOptions}
#: Language and code of every block, each once: the quickstart stands on two pages.
BLOCKS = list(
    dict.fromkeys(
        block
        for page in PAGES
        for block in re.findall(r"(?ms)^```(\w+)\n(.*?)^```", page.read_text(encoding="utf-8"))
    )
)


def lines_of(code: str) -> list[str]:
    """Commands of a shell's block."""
    return [line.strip() for line in code.replace("\\\n", " ").splitlines()]


def test_commands_that_do_not_run_here_are_parsed():
    lines = [line for language, code in BLOCKS if language == "sh" for line in lines_of(code)]
    commands = [line for line in lines if line.startswith(("accelerate ", "change-it "))]
    assert commands
    all_options = union_of()
    for command in commands:
        program, *arguments = shlex.split(command, comments=True)
        options = all_options
        if program == "accelerate":
            launched = launch_command_parser().parse_args(arguments[1:])
            assert launched.module
            options, arguments = MODULES[launched.training_script], launched.training_script_args
        tyro.cli(options, args=arguments, config=TYRO_CONFIG)


def test_names_and_files_on_the_map_exist():
    """Each `file.py:name, name` of the architecture, and each path that CONTRIBUTING names."""
    text = (CHECKOUT / "docs/architecture.md").read_text(encoding="utf-8")
    places = re.findall(r"`([\w/]+/[\w/]+)\.py:([\w., ]+)`", text)
    assert places
    for file, names in places:
        module = import_module(f"change_it.{file.replace('/', '.')}")
        for name in names.split(", "):
            assert attrgetter(name)(module)
    contributing = (CHECKOUT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    paths = re.findall(r"`(change_it/[\w/.]+)`", contributing)
    assert paths
    assert [path for path in paths if not (CHECKOUT / path).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_line_of_text_begins_with_a_mark(page):
    """CommonMark takes such a line for HTML and tears the sentence: a mark of a block stands alone."""
    text = page.read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if re.match(r"\s*<!--.*-->\s*\S", line)] == []


#: Blocks of the tutorial that run, to what the page shows of their output.
TUTORIAL = {step.code: step.outputs for step in tutorial.read_steps(tutorial.PAGE.read_text("utf-8"))}
#: The run of the tutorial, with which other pages go on.
TUTORIAL_RUN = "mine"


def pieces() -> dict[str, list[tuple[str, str]]]:
    """Return the blocks that run, page after page, by the run whose folder they name.

    Each piece needs nothing of the others. All blocks of the tutorial are of its run.
    """
    by_run: dict[str, list[tuple[str, str]]] = {}
    for language, code in BLOCKS:
        if language in ("bash", "python"):
            run = re.search(r"(?:runs/|change-it (?=quickstart))([\w-]+)", code)
            name = TUTORIAL_RUN if code in TUTORIAL else run[1] if run else "no run"
            by_run.setdefault(name, []).append((language, code))
    return by_run


def test_the_tutorial_shows_output_of_three_commands():
    shown = [code.split()[:2] for code, outputs in TUTORIAL.items() if any(output.text for output in outputs)]
    assert shown == [["change-it", "corpus"], ["change-it", "quickstart"], ["change-it", "quickstart"]]


def test_lines_of_an_output_are_found_by_their_beginnings():
    output = tutorial.Output("Results", "Next", "")
    assert output.select("a line\nResults: 2  \n  more\n\nNext: go on\n") == "Results: 2\n  more\n"
    with pytest.raises(ValueError, match="begins with 'Results'"):
        output.select("a line\n")


#: Seconds of the pieces that take long.
SECONDS = {"news": 170, "quickstart": 120, TUTORIAL_RUN: 150}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow(seconds=SECONDS.get(name, 10))) for name in pieces()]
)
def test_shell_and_python_examples_run(name, tmp_path, monkeypatch, capsys):
    """Our commands run in this process, Python blocks one after the other in one of their own.

    What the tutorial shows is what its commands print, but for the figures: another machine may have others.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("RAY_ADDRESS", "local")  # and not the cluster of another test
    monkeypatch.setenv("COLUMNS", "80")
    for language, blocks in groupby(pieces()[name], key=lambda block: block[0]):
        if language == "python":
            ran = run_python("-c", "\n".join(code for _, code in blocks))
            assert ran.returncode == 0, ran.stderr[-4000:]
            if name == "quickstart":
                gold = read_report_record(Path("runs/quickstart/report")).scores.systems["gold"]["average"]
                figures = f"{gold.values['compliancy']} {gold.intervals['compliancy']}"
                assert f"{figures}\n{gold.signature}" in ran.stdout
            continue
        for _, code in blocks:
            for line in lines_of(code):
                run_line(line, monkeypatch)
            printed = capsys.readouterr().out
            for output in TUTORIAL.get(code, ()):
                shown = tutorial.without_figures(output.text)
                assert tutorial.without_figures(output.select(printed)) == shown, "python -m tools.tutorial"


def run_line(line, monkeypatch):
    """Run a line of a shell's block.

    The quickstart of the sample runs on few articles, and an audit on few headlines.
    """
    program, *arguments = shlex.split(line, comments=True) or [""]
    if arguments == ["quickstart"]:
        shorten(monkeypatch)
        arguments += ["--articles", "500"]
    if program == "change-it":
        few = ["--items", "10"] if arguments[0] == "audit" else []
        assert main([*arguments, *few]) == 0, line
    elif line:
        subprocess.run(["bash", "-euo", "pipefail", "-c", line], check=True)
