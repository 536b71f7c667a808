"""The `change-it` program as a user meets it: help, version, exit codes, one sentence for bad input."""

import subprocess
import sys

import pytest

from change_it.cli import COMMANDS, main
from change_it.command import exit_on_input_error

LEAVES = [
    [name] if not isinstance(entry, dict) else [name, member]
    for name, entry in COMMANDS.items()
    for member in (entry if isinstance(entry, dict) else [""])
]


@pytest.mark.parametrize("words", LEAVES, ids=" ".join)
def test_every_command_has_help_with_an_example(words, capsys):
    with pytest.raises(SystemExit) as stop:
        main([*words, "--help"])
    text = capsys.readouterr().out
    assert stop.value.code == 0
    assert "Examples" in text
    assert f"change-it {' '.join(words)}" in text


def test_help_names_every_command(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    text = capsys.readouterr().out
    assert all(name in text for name in COMMANDS)


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["corpus"], ["corpus", "build"], ["quickstart", "--articles", "many"]]
)
def test_a_wrong_call_exits_with_2(arguments):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("change-it 0.")


def test_bad_input_is_one_sentence_without_a_traceback(tmp_path):
    command = [
        sys.executable,
        "-m",
        "change_it.cli",
        "corpus",
        "build",
        "missing.csv",
        "--out",
        str(tmp_path / "corpus"),
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert result.returncode == 2
    assert "missing.csv" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "corpus").exists()


HEAVY = {
    "torch",
    "transformers",
    "datasets",
    "sklearn",
    "polars",
    "pyarrow",
    "scipy",
    "matplotlib",
    "accelerate",
}


@pytest.mark.parametrize(
    ("arguments", "more"),
    [
        (["--help"], {"numpy", "rich", "jinja2"}),
        (["corpus", "build", "--help"], {"numpy", "rich"}),
        (["corpus", "build", "none.csv", "--out", "c"], {"numpy"}),
        (["corpus", "build", "news.csv", "--out", "c", "--columns", "headline=title"], {"numpy"}),
        (["corpus", "build", "news.csv", "--out", "c", "--labels", "R,Z"], {"numpy"}),
        (["corpus", "build", "news.csv", "--out", "news.csv"], {"numpy"}),
        (["corpus", "curve", "./none"], {"numpy"}),
        (
            ["train", "judge", "--task", "main", "--encoder", "scratch", "--corpus", "./none", "--out", "j"],
            {"numpy"},
        ),
        (
            ["train", "generator", "--recipe", "sum", "--to", "gio", "--corpus", "./none", "--out", "g"],
            {"numpy"},
        ),
        (["score", "--corpus", "./none", "--judges", "j"], {"numpy"}),
        (["annotate", "sample", "--corpus", "./none", "--out", "sheet.csv"], {"numpy"}),
        (["annotate", "score", "none.csv", "--key", "none.csv", "--out", "news.csv"], {"numpy"}),
        (["annotate", "serve", "none.csv", "--port", "70000"], set()),
        (["reproduce", "hevas2019", "--corpus", "./none", "--out", "r"], {"numpy"}),
        (["transfer", "--generator", "extract", "--corpus", "./none", "--out", "new.csv"], {"numpy"}),
    ],
    ids=lambda value: (
        " ".join(value) if isinstance(value, list) else ""
    ),  # the order in a set changes from process to process
)
def test_help_and_errors_load_no_large_library(arguments, more, tmp_path):
    (tmp_path / "news.csv").write_text("id,headline,article,label\n1,a,x,R\n2,b,y,G\n")
    code = (
        "import sys\nfrom change_it.cli import main\n"
        f"try:\n    status = main({arguments})\nexcept SystemExit as stop:\n    status = stop.code\n"
        f"print('STATUS', status, 'LOADED', sorted({HEAVY | more} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    status = 0 if "--help" in arguments else 2
    assert result.stdout.strip().endswith(f"STATUS {status} LOADED []")


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device", "x.csv"), Exception("(os error 30)")]
)
def test_a_fault_of_the_disk_that_nobody_expected_is_one_sentence(error, capsys):
    def fail():
        raise error

    assert exit_on_input_error(fail) == 2
    error_text = capsys.readouterr().err
    assert error_text.count("\n") == 1
    assert "another place" in error_text


def test_a_fault_of_the_package_keeps_its_traceback():
    def fail():
        raise FileNotFoundError(2, "No such file", "ours.toml")

    with pytest.raises(FileNotFoundError):
        exit_on_input_error(fail)
