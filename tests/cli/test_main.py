"""The `change-it` program as a user meets it: help, version, exit codes, one sentence for bad input."""

import errno
import inspect
import itertools
import platform
import shlex
import subprocess
import sys
from dataclasses import fields
from importlib.metadata import version
from typing import get_type_hints
from unittest.mock import Mock

import pytest

import change_it
from change_it.cli.main import COMMANDS, exit_on_input_error, main, options_of
from change_it.files.atomic import replace_file, replace_folder
from change_it.version import __version__

LEAVES = [
    [name, member] if member else [name] for name, members in COMMANDS.items() for member in members or [""]
]


@pytest.mark.parametrize("words", LEAVES, ids=" ".join)
def test_every_help_has_all_options_on_two_screens_and_the_device_last(words, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    assert main([*words, "--help"]) == 0
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
    _, *arguments = shlex.split(examples[0].partition(" <")[0])
    after_out = {following for option, following in itertools.pairwise(arguments) if option == "--out"}
    runs = [one for one in arguments if "runs/" in one and one not in after_out]
    assert all(one.rpartition("=")[2].startswith("runs/quickstart/") for one in runs)


@pytest.mark.parametrize(
    ("words", "code", "answer"),
    [
        ("scroe", 2, "change-it: there is no command scroe: give one of quickstart, corpus, train"),
        ("train jugde", 2, "change-it: there is no command jugde: give one of judge, generator"),
        ("--scroe", 2, "change-it: there is no option --scroe: give one of quickstart, corpus, train"),
        ("corpus sample --out x.csv --seed -1", 2, "change-it: --seed -1 is out of range"),
    ],
)
def test_a_wrong_command_is_answered_in_a_line(words, code, answer, capsys):
    assert main(words.split()) == code
    [line] = "".join(capsys.readouterr()).splitlines()
    assert line.startswith(answer)


@pytest.mark.parametrize("words", ["-v", "version", "--version"])
def test_the_version_stands_before_those_of_python_and_the_libraries(words, capsys):
    assert main([words]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"change-it {__version__}"
    assert lines[1].startswith(f"python {platform.python_version()} (")
    assert {f"{name} {version(name)}" for name in ("torch", "transformers", "datasets", "tyro")} < {*lines}
    assert not [line for line in lines if line.startswith(("pytest ", "ruff "))]


#: Completes the last word of a command, as bash does when somebody presses Tab.
COMPLETE = """
source completion
COMP_WORDS=({words} "")
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_tyro_change_it
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def test_bash_completes_commands_options_and_values(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        main(["--tyro-write-completion", "bash", "completion"])
    assert not stop.value.code
    wanted = {
        "change-it": set(COMMANDS),
        "change-it annotate": {"sheets", "read"},
        "change-it score": {"--corpus", "--resamples"},
        "change-it train judge --task": {"main", "hh", "ah", "fluency", "all"},
    }
    for words, values in wanted.items():
        done = subprocess.run(
            ["bash", "-c", COMPLETE.format(words=words)], capture_output=True, text=True, check=True
        )
        assert values <= {*done.stdout.split()}


def test_completion_of_an_unknown_shell_is_refused(capsys):
    assert main(["--tyro-write-completion", "basch", "completion"]) == 2
    assert capsys.readouterr().err.endswith("basch is not known: give bash, zsh, fish, tcsh\n")


def test_output_that_nobody_reads_is_no_fault():
    code = "import sys; from change_it.cli import main; sys.exit(main(['corpus', 'build', '--help']))"
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


OF_THE_PACKAGE = [
    ConnectionResetError(errno.ECONNRESET, "Connection reset by peer"),
    ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused"),
    BrokenPipeError(errno.EPIPE, "Broken pipe"),  # of a socket or a process: the output is read
    ChildProcessError(errno.ECHILD, "No child processes"),
    OSError(errno.EBADF, "Bad file descriptor"),
    FileNotFoundError(errno.ENOENT, "No such file or directory"),  # it names no file
    FileNotFoundError(errno.ENOENT, "No such file or directory", change_it.__file__ + ".json"),
    RuntimeError("Connection reset by peer (os error 104)"),
    RuntimeError("No such file or directory (os error 2)"),
]


@pytest.mark.parametrize("fault", OF_THE_PACKAGE, ids=repr)
def test_an_internal_fault_keeps_its_traceback(fault):
    with pytest.raises(type(fault)) as raised:
        exit_on_input_error(Mock(side_effect=fault))
    assert raised.value is fault


@pytest.mark.parametrize(
    "fault",
    [
        PermissionError(errno.EACCES, "Permission denied", "news/a.csv"),
        IsADirectoryError(errno.EISDIR, "Is a directory", b"news/a.csv"),
        OSError(errno.EIO, "Input/output error", "news/a.csv"),
    ],
    ids=repr,
)
def test_a_fault_of_reading_a_file_of_the_user_names_it(fault, capsys):
    assert exit_on_input_error(Mock(side_effect=fault)) == 2
    assert capsys.readouterr().err == f"change-it: news/a.csv: {fault.strerror}\n"


def test_a_fault_of_a_connection_while_a_file_is_written_is_the_package_s(tmp_path):
    def write():
        with replace_file(tmp_path / "new.csv"):
            raise ConnectionResetError(errno.ECONNRESET, "Connection reset by peer")

    with pytest.raises(ConnectionResetError):
        exit_on_input_error(write)


#: Commands with an option that another one needs, and the start of their refusal.
ALONE = [
    ("transfer --corpus c --candidates 5 --out n.csv", "--candidates requires --rerank"),
    ("transfer --corpus c --concurrency 2 --out n.csv", "--concurrency requires --endpoint"),
    ("transfer --corpus c --columns headline=title --out n.csv", "--columns requires --input"),
    ("transfer --input a.csv --endpoint http://localhost:1/v1 --out n.csv", "--endpoint requires --corpus"),
    ("score --corpus c --judges j --columns id=key", "--columns requires --predictions"),
    ("score --corpus c --judges j --shared-items", "--shared-items requires --predictions"),
    ("annotate score a.csv --key k.csv --device cpu", "--device requires --judges"),
    ("annotate score a.csv --key k.csv --precision bf16", "--precision requires --judges"),
]


@pytest.mark.parametrize(("words", "refusal"), ALONE)
def test_an_option_without_the_one_it_needs_is_refused(words, refusal, capsys):
    assert main(words.split()) == 2
    assert capsys.readouterr().err == f"change-it: {refusal}: give both, or neither\n"


def test_a_fault_of_a_library_keeps_its_traceback_and_names_the_versions():
    import transformers  # without it no library of models is at fault

    error = RuntimeError("renamed")
    for _ in range(2):  # an error that has the line gets no second one
        with pytest.raises(RuntimeError, match="renamed"):
            exit_on_input_error(Mock(side_effect=error))
    [note] = error.__notes__
    assert f"and transformers {transformers.__version__}. Tried with: torch>=" in note
