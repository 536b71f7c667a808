"""The `change-it` program as a user meets it: help, version, exit codes, one sentence for bad input."""

import re
import subprocess
import sys
from dataclasses import MISSING, fields

import pytest

from change_it.cli import COMMANDS, exit_on_input_error, main

LEAVES = [
    [name] if not isinstance(entry, dict) else [name, member]
    for name, entry in COMMANDS.items()
    for member in (entry if isinstance(entry, dict) else [""])
]


COMMANDS_AND_GROUPS = [[], *([name] for name, entry in COMMANDS.items() if isinstance(entry, dict)), *LEAVES]


@pytest.mark.parametrize("words", COMMANDS_AND_GROUPS, ids=" ".join)
def test_every_help_begins_with_an_example_and_fits_two_screens(words, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    words = [word for word in words if word]
    assert main([*words, "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Examples:"
    assert lines[1].startswith(f"  change-it {' '.join(words)}".rstrip())
    assert len(lines) <= 2 * 50
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("words", LEAVES, ids=" ".join)
def test_every_help_has_all_options_the_required_ones_first_and_their_defaults(words, capsys):
    words = [word for word in words if word]
    main([*words, "--help"])
    text = capsys.readouterr().out
    options = (COMMANDS[words[0]][words[1]] if len(words) > 1 else COMMANDS[words[0]]).options
    shown = {field.name: place(text, field.name) for field in fields(options)}
    assert None not in shown.values()
    explained = " ".join(text.split())
    for field in fields(options):
        required = field.default is MISSING and field.default_factory is MISSING
        assert ("Required:" in text and shown[field.name] < text.index("Options:")) == required
        entry = re.split(r"\n  \S|\n\n", text[shown[field.name] :])[0]
        assert required or "(default:" in entry or " given" in entry, field.name
    assert "None" not in explained


def place(text, name):
    """Where an option or a positional argument is explained."""
    found = re.search(rf"^  (?:--{name.replace('_', '-')}|{name.upper()})(?: |$)", text, re.MULTILINE)
    return found and found.start()


def test_help_shows_the_defaults_of_models(capsys):
    main(["train", "generator", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    usual = "0.002 for transformer, --quick; 0.0003 for encoder-decoder; 5e-05 for causal; else 0.15"
    assert f"Peak learning rate. (default: {usual})" in text
    main(["train", "judge", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "(default: 5 for bilstm-char-cnn; 6 for ah; 0.3 for ah scratch; 1 for fluency" in text


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["transfr"], "change-it has no command transfr: did you mean transfer?"),
        (["train", "jugde"], "change-it train has no command jugde: did you mean judge?"),
        (["score", "--corpsu", "c"], "change-it score has no option --corpsu: did you mean --corpus?"),
        (
            ["corpus", "build", "x.csv", "--window_day=2"],
            "has no option --window-day: did you mean --window-days?",
        ),
        (["zzzzz", "--help"], "change-it has no command zzzzz: choose quickstart, corpus, train"),
    ],
)
def test_a_typo_is_answered_with_the_nearest_name(arguments, sentence, capsys):
    assert main(arguments) == 2
    text = capsys.readouterr().err
    assert sentence in text
    assert text.count("\n") == 1


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
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in COMMANDS)


@pytest.mark.parametrize("arguments", [["corpus"], ["corpus", "build"], ["quickstart", "--articles", "many"]])
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
        (["merge", "./none", "--out", "m"], {"numpy"}),
        (["audit", "--corpus", ".", "--judges", "./none"], {"numpy"}),
        (["score", "--corpus", ".", "--judges", ".", "--predictions", "x=none.csv"], {"numpy"}),
        (["transfer", "--generator", "./none", "--input", "news.csv", "--out", "new.csv"], {"numpy"}),
        (["transfer", "--generator", ".", "--input", "none.csv", "--out", "new.csv"], {"numpy"}),
        (
            ["train", "judge", "--task", "hh", "--encoder", "e", "--corpus", ".", "--out", "news.csv"],
            {"numpy"},
        ),
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
        raise FileNotFoundError(2, "No such file", "ours.toml")

    with pytest.raises(FileNotFoundError):
        exit_on_input_error(fail)
