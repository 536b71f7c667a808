"""The `change-it` program as a user meets it: help, version, exit codes, one sentence for bad input."""

import errno
import inspect
import itertools
import shlex
import subprocess
import sys
from dataclasses import fields
from typing import get_type_hints
from unittest.mock import Mock

import pytest
import tyro

from change_it import __version__
from change_it.cli import COMMANDS, TYRO_CONFIG, exit_on_input_error, main, options_of, union_of
from change_it.io.files import replace_file, replace_folder

LEAVES = [
    [name, member] if member else [name] for name, members in COMMANDS.items() for member in members or [""]
]


@pytest.mark.parametrize("words", LEAVES, ids=" ".join)
def test_every_help_has_all_options_on_two_screens_and_the_device_last(words, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    with pytest.raises(SystemExit) as stop:
        main([*words, "--help"])
    assert not stop.value.code
    text = capsys.readouterr().out
    assert sum(max(1, -(-len(line.rstrip()) // 100)) for line in text.splitlines()) <= 100
    for field in fields(options_of(*words)):
        kind = str(get_type_hints(options_of(*words), include_extras=True)[field.name])
        is_named = f"--{field.name.replace('_', '-')} " in text
        assert is_named or any(mark in kind for mark in ("Fixed", "Positional"))
    assert "(required)" not in text.partition("--device")[2]


@pytest.mark.parametrize("words", LEAVES, ids=" ".join)
def test_the_first_example_of_every_help_reads_what_the_quickstart_leaves(words):
    """`tests/test_documentation.py` runs those that take seconds."""
    examples = (inspect.getdoc(options_of(*words)) or "").partition("Examples:\n")[2].strip().splitlines()
    for example in examples:
        program, *arguments = shlex.split(example.partition(" <")[0])
        if program == "change-it":
            tyro.cli(union_of(), args=arguments, config=TYRO_CONFIG)
    _, *arguments = shlex.split(examples[0])
    after_out = {following for option, following in itertools.pairwise(arguments) if option == "--out"}
    runs = [one for one in arguments if "runs/" in one and one not in after_out]
    assert all(one.rpartition("=")[2].startswith("runs/quickstart/") for one in runs)


@pytest.mark.parametrize("words", ["", "train"])
def test_a_list_of_commands_without_one_is_its_help(words, capsys):
    with pytest.raises(SystemExit) as stop:
        main(words.split())
    assert not stop.value.code
    assert "judge" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "answer"),
    [
        *((words, 0, f"change-it {__version__}") for words in ("-v", "version", "--version")),
        ("scroe", 2, "change-it: there is no command scroe: give one of quickstart, corpus, train"),
        ("train jugde", 2, "change-it: there is no command jugde: give one of judge, generator"),
        ("corpus sample --out x.csv --seed -1", 2, "change-it: --seed -1 is out of range"),
    ],
)
def test_the_version_or_a_wrong_command_is_answered_in_a_line(words, code, answer, capsys):
    assert main(words.split()) == code
    [line] = "".join(capsys.readouterr()).splitlines()
    assert line.startswith(answer)


def test_output_that_nobody_reads_is_no_fault():
    code = "import sys; from change_it.cli import main; sys.exit(main(['train', 'judge', '--help']))"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == 141


FULL = [
    OSError(errno.ENOSPC, "No space left on device"),
    OSError("No space left on device (os error 28)"),  # polars
    RuntimeError("Error while serializing: I/O error: No space left on device (os error 28)"),  # safetensors
    RuntimeError("[enforce fail at inline_container.cc:672] . PytorchStreamWriter failed writing file"),
]


@pytest.mark.parametrize("fault", FULL)
def test_a_full_disk_is_one_sentence_that_names_what_is_written(capsys, tmp_path, fault):
    def fill():
        with replace_folder(tmp_path / "report") as folder, replace_file(folder / "scores.json"):
            raise fault

    assert exit_on_input_error(fill) == 2
    mend = "free some, and call the same command again"
    assert capsys.readouterr().err == f"change-it: {tmp_path / 'report'}: No space left on device; {mend}\n"


def test_what_is_interrupted_says_what_is_left(capsys):
    error = KeyboardInterrupt()
    for says in ("no result was replaced", "3 of 9 are finished"):
        assert exit_on_input_error(Mock(side_effect=error)) == 130
        assert capsys.readouterr().err == f"change-it: interrupted: {says}\n"
        error.add_note("3 of 9 are finished")
