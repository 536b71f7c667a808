"""The `change-it` program as a user meets it: help, version, exit codes, one sentence for bad input."""

import errno
import inspect
import itertools
import re
import shlex
import subprocess
import sys
from dataclasses import MISSING, fields

import pytest
import tyro

from change_it.cli import (
    COMMANDS,
    LAST,
    LISTS,
    TYRO_CONFIG,
    exit_on_input_error,
    main,
    names_of,
    options_of,
    union_of,
)
from change_it.io import replace_file, replace_folder

LEAVES = [
    [name, member] if member else [name] for name, members in COMMANDS.items() for member in members or [""]
]
COMMANDS_AND_GROUPS = [[], *([name] for name, members in COMMANDS.items() if members), *LEAVES]


def first_example(words: list[str]) -> str:
    """The first line below `Examples:` in the help of a command or list of commands."""
    about = LISTS.get(" ".join(words) or "change-it") or inspect.getdoc(options_of(*words)) or ""
    return about.partition("Examples:\n")[2].strip().splitlines()[0]


def help_of(words, capsys):
    with pytest.raises(SystemExit) as stop:
        main([*words, "--help"])
    assert not stop.value.code
    return capsys.readouterr().out


@pytest.mark.parametrize("words", LEAVES, ids=" ".join)
def test_every_help_has_all_options_in_order_and_their_defaults_on_two_screens(words, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    text = help_of(words, capsys)
    assert sum(max(1, -(-len(line.rstrip()) // 100)) for line in text.splitlines()) <= 100
    options = options_of(*words)
    names = names_of(options)
    places = {}
    for field in fields(options):
        if (name := names.get(field.name)) is None:
            continue
        found = re.search(rf"^\W*{name}\b.*?\((required|default)", text, re.MULTILINE | re.DOTALL)
        assert found, name
        if name.startswith("--"):
            is_required = field.default is MISSING and field.default_factory is MISSING
            assert (found[1] == "required") == is_required
            last = LAST.index(field.name) if field.name in LAST else -1
            places[name] = (not is_required, last, found.start())
    assert sorted(places, key=places.get) == sorted(places, key=lambda name: places[name][-1])


@pytest.mark.parametrize("words", ["", "train"])
def test_a_list_of_commands_without_one_is_its_help(words, capsys):
    with pytest.raises(SystemExit) as stop:
        main(words.split())
    assert not stop.value.code
    assert "Examples:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("scroe", "there is no command scroe: did you mean score?"),
        ("train jugde", "there is no command jugde: did you mean judge?"),
        ("score --corpora x", "score has no option --corpora: did you mean --corpus?"),
        ("judge --zzz", "judge has no option --zzz: see change-it judge --help"),
        (
            "corpus sample --out x.csv --seed -1",
            "--seed -1 is out of range: give a number from 0 to 4294967295",
        ),
    ],
)
def test_what_there_is_not_gets_the_nearest_alone(words, says, capsys):
    assert main(words.split()) == 2
    assert capsys.readouterr().err == f"change-it: {says}\n"


def test_output_that_nobody_reads_is_no_fault():
    code = "import sys; from change_it.cli import main; sys.exit(main(['train', 'judge', '--help']))"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == 141


@pytest.mark.parametrize(
    "fault",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        OSError("No space left on device (os error 28)"),
        RuntimeError("Error while serializing: I/O error: No space left on device (os error 28)"),
        RuntimeError("[enforce fail at inline_container.cc:672] . PytorchStreamWriter failed writing file"),
    ],
    ids=["Python", "polars", "Rust", "torch"],
)
def test_a_full_disk_is_one_sentence_that_names_what_is_written(capsys, tmp_path, fault):
    def fill():
        with replace_folder(tmp_path / "report") as folder, replace_file(folder / "scores.json"):
            raise fault

    assert exit_on_input_error(fill) == 2
    mend = "free some, and call the same command again"
    assert capsys.readouterr().err == f"change-it: {tmp_path / 'report'}: No space left on device; {mend}\n"


@pytest.mark.parametrize("words", COMMANDS_AND_GROUPS, ids=" ".join)
def test_the_first_example_of_every_help_reads_what_the_quickstart_leaves(words):
    """`tests/test_documentation.py` runs those that take seconds."""
    program, *arguments = shlex.split(first_example(words).partition(" <<<")[0])
    assert program == "change-it"
    tyro.cli(union_of(), args=arguments, config=TYRO_CONFIG)
    after_out = {following for option, following in itertools.pairwise(arguments) if option == "--out"}
    runs = [one for one in arguments if "runs/" in one and one not in after_out]
    assert all(one.rpartition("=")[2].startswith("runs/quickstart/") for one in runs)
