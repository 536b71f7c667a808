"""The `change-it` program as a user meets it: help, version, exit codes, one sentence for bad input."""

import itertools
import json
import re
import shlex
import subprocess
import sys
from dataclasses import MISSING, fields

import pytest
import tyro
from help_examples import first_example
from processes import run_python

from change_it.cli import (
    COMMANDS,
    TYRO_CONFIG,
    exit_on_input_error,
    main,
    names_of,
    options_of,
    union_of,
)

LEAVES = [
    [name, member] if member else [name] for name, members in COMMANDS.items() for member in members or [""]
]
COMMANDS_AND_GROUPS = [[], *([name] for name, members in COMMANDS.items() if members), *LEAVES]


def help_of(words, capsys):
    with pytest.raises(SystemExit) as stop:
        main([*words, "--help"])
    assert not stop.value.code
    return capsys.readouterr().out


@pytest.mark.parametrize("words", COMMANDS_AND_GROUPS, ids=" ".join)
def test_every_help_has_examples(words, capsys):
    text = help_of(words, capsys)
    assert f"Examples:\n    change-it {' '.join(words)}".rstrip() in text


@pytest.mark.parametrize("words", LEAVES, ids=" ".join)
def test_every_help_has_all_options_and_their_defaults(words, capsys):
    text = help_of(words, capsys)
    options = options_of(*words)
    shown = re.search(r"^Required: (.*)", text, re.MULTILINE)
    required = shown[1].split(", ") if shown else []
    names = names_of(options)
    for field in fields(options):
        if (name := names.get(field.name)) is None:
            continue
        assert re.search(rf"^\W*{name}\b.*?\((?:required|default)", text, re.MULTILINE | re.DOTALL), name
        assert (name in required) == (field.default is MISSING and field.default_factory is MISSING)


def test_help_shows_the_defaults_of_models(capsys):
    text = help_of(["train", "generator"], capsys)
    assert re.search("    transformer: .*--learning-rate 0.002 ", text)
    text = help_of(["train", "judge"], capsys)
    assert re.search("    ah scratch: .*--epochs 0.3 ", text)


def test_what_presets_and_callers_set_is_no_option(capsys):
    assert "--checkpoint-steps" not in help_of(["train", "judge"], capsys)
    with pytest.raises(SystemExit):
        main(["train", "judge", "--task", "hh", "--corpus", "c", "--out", "o", "--checkpoint-steps", "2"])
    assert "--checkpoint-steps" in capsys.readouterr().err


def test_an_option_that_is_on_is_switched_off(tmp_path, capsys):
    assert main(["corpus", "build", "none.csv", "--out", str(tmp_path / "c"), "--no-balance"]) == 2
    assert "none.csv does not exist" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["transfr"], "subcommands: quickstart, corpus, train"),
        (["train", "jugde"], "subcommands: judge, generator"),
        (["score", "--corpus", "c", "--judges", "j", "--corpsu", "c"], "--corpsu"),
        (["quickstart", "--articles", "many"], "Error parsing --articles"),
        (["corpus", "build"], "Missing from change-it corpus build"),
    ],
)
def test_what_cannot_be_parsed_is_said_by_tyro_and_ends_with_2(arguments, words, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert words in " ".join(capsys.readouterr().err.split())


def test_options_may_be_written_with_underscores(capsys):
    assert main(["corpus", "build", "none.csv", "--out", "c", "--window_days", "2"]) == 2
    assert "none.csv" in capsys.readouterr().err


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_shell_completes_commands(shell, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--tyro-print-completion", shell])
    assert not stop.value.code
    text = capsys.readouterr().out
    assert "quickstart" in text
    assert "gradient-accumulation" in text


def test_help_names_every_command(capsys):
    text = help_of([], capsys)
    assert all(f"• {name} " in text for name in COMMANDS)


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("change-it 0.")


def test_bad_input_is_one_sentence_without_a_traceback(tmp_path):
    arguments = ["corpus", "build", "missing.csv", "--out", str(tmp_path / "corpus")]
    result = run_python("-m", "change_it.cli", *arguments, cwd=tmp_path)
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


LIGHT = [
    (["--help"], {"numpy", "rich", "jinja2"}),
    (["corpus", "build", "--help"], {"numpy", "rich"}),
    (["corpus", "build", "none.csv", "--out", "c"], {"numpy"}),
    (["corpus", "build", "news.csv", "--out", "c", "--columns", "headline=title"], {"numpy"}),
    (["corpus", "build", "news.csv", "--out", "c", "--labels", "R,Z"], {"numpy"}),
    (["corpus", "build", "news.csv", "--out", "news.csv"], {"numpy"}),
    (
        ["train", "judge", "--task", "main", "--encoder", "scratch", "--corpus", "./none", "--out", "j"],
        {"numpy"},
    ),
    (
        ["train", "generator", "--recipe", "sum", "--to", "gio", "--corpus", "./none", "--out", "g"],
        {"numpy"},
    ),
    (["score", "--corpus", "./none", "--judges", "j"], {"numpy"}),
    (["audit", "--corpus", ".", "--judges", "./none"], {"numpy"}),
    (["score", "--corpus", ".", "--judges", ".", "--predictions", "x=none.csv"], {"numpy"}),
    (["transfer", "--generator", "./none", "--input", "news.csv", "--out", "new.csv"], {"numpy"}),
    (["transfer", "--generator", ".", "--input", "none.csv", "--out", "new.csv"], {"numpy"}),
    (
        ["train", "judge", "--task", "hh", "--encoder", "e", "--corpus", ".", "--out", "news.csv"],
        {"numpy"},
    ),
    (["annotate", "sheets", "--corpus", "./none", "--out", "sheet.csv"], {"numpy"}),
    (["annotate", "score", "none.csv", "--key", "none.csv"], {"numpy"}),
    (["reproduce", "hevas2019", "--corpus", "./none", "--out", "r"], {"numpy"}),
    (["transfer", "--generator", "a/b", "--corpus", "./none", "--out", "new.csv"], {"numpy"}),
]
#: Each case in a process that parts from one that has loaded the command line alone; the cases and the names are arguments.
ASK = """
import json, os, sys
from change_it.cli import main
cases, names = map(json.loads, sys.argv[1:])
for arguments in cases:
    child = os.fork()
    if child == 0:
        try:
            status = main(arguments)
        except SystemExit as stop:
            status = stop.code
        print("STATUS", json.dumps([status, [name for name in names if name in sys.modules]]), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    """The case to its exit code and to what it loaded."""
    folder = tmp_path_factory.mktemp("light")
    (folder / "news.csv").write_text("id,headline,article,label\n1,a,x,R\n2,b,y,G\n")
    names = sorted(HEAVY.union(*(more for _, more in LIGHT)))
    given = json.dumps([arguments for arguments, _ in LIGHT]), json.dumps(names)
    result = run_python("-c", ASK, *given, check=True, cwd=folder)
    found = [json.loads(line) for line in re.findall(r"^STATUS (.*)$", result.stdout, re.MULTILINE)]
    return {" ".join(arguments): answer for (arguments, _), answer in zip(LIGHT, found, strict=True)}


@pytest.mark.parametrize(
    ("arguments", "more"),
    LIGHT,
    ids=lambda value: (
        " ".join(value) if isinstance(value, list) else ""
    ),  # the order in a set changes from process to process
)
def test_help_and_errors_load_no_large_library(arguments, more, loaded):
    status, names = loaded[" ".join(arguments)]
    assert status == (0 if "--help" in arguments else 2)
    assert not (HEAVY | more).intersection(names)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OSError(28, "No space left on device", "x.csv"), "x.csv: No space left on device"),
        (Exception("(os error 30)"), "Read-only file system"),
    ],
)
def test_a_fault_of_the_disk_is_one_sentence(error, sentence, capsys):
    def fail():
        raise error

    assert exit_on_input_error(fail) == 2
    assert capsys.readouterr().err == f"change-it: {sentence}\n"


def test_output_that_nobody_reads_is_no_fault():
    code = "import sys; from change_it.cli import main; sys.exit(main(['train', 'judge', '--help']))"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == 141


def test_a_broken_pipe_within_the_package_keeps_its_traceback():
    def fail():
        raise BrokenPipeError(32, "Broken pipe")

    with pytest.raises(BrokenPipeError):
        exit_on_input_error(fail)


def test_a_fault_of_the_package_keeps_its_traceback():
    def fail():
        raise LookupError("ours.toml")

    with pytest.raises(LookupError):
        exit_on_input_error(fail)


@pytest.mark.parametrize("words", COMMANDS_AND_GROUPS, ids=" ".join)
def test_the_first_example_of_every_help_reads_what_the_quickstart_leaves(words):
    """`tests/test_documentation.py` runs those that take seconds."""
    program, *arguments = shlex.split(first_example(words).partition(" <<<")[0])
    assert program == "change-it"
    tyro.cli(union_of(), args=arguments, config=TYRO_CONFIG)
    after_out = {following for option, following in itertools.pairwise(arguments) if option == "--out"}
    runs = [one for one in arguments if "runs/" in one and one not in after_out]
    assert all(one.rpartition("=")[2].startswith("runs/quickstart/") for one in runs)
