"""What a run may do to the machine it runs on: no code of strangers, no network offline, one sentence where nothing can be written."""

import json
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest
from space_runs import save_judge
from tiny_generators import save_generator

from change_it import InputError
from change_it.cli import main

CHECKOUT = Path(__file__).parents[1]
#: A folder in which nobody can make a file, whoever runs the tests.
CLOSED = Path("/sys/change-it")


@pytest.fixture(scope="module")
def made(tmp_path_factory, corpus):
    """Judges, a generator and a sheet: what commands read."""
    folder = tmp_path_factory.mktemp("made")
    for task in ("main", "hh", "ah"):
        save_judge(folder / "judges" / task, task, outlets=("colle", "faro"))
    save_generator(folder / "generator", outlets=("colle", "faro"), to="faro")
    study = ["--corpus", corpus, "--items", "4", "--out", str(folder / "sheet.csv")]
    assert main(["annotate", "sample", *study]) == 0
    return folder


def commands(made, corpus, out):
    """Every command that writes, as it would write to `out`."""
    sample = str(Path(corpus).parent / "sample.csv")
    judges, generator = str(made / "judges"), str(made / "generator")
    to = ["--out", str(out)]
    return {
        "quickstart": ["quickstart", *to],
        "corpus sample": ["corpus", "sample", "--out", f"{out}/sample.csv"],
        "corpus build": ["corpus", "build", sample, *to],
        "corpus curve": ["corpus", "curve", corpus, "--out", f"{out}/curve.png"],
        "train judge": ["train", "judge", "--task", "main", "--encoder", "scratch", "--size", "tiny", "--corpus", corpus, *to],
        "train generator": ["train", "generator", "--recipe", "sum", "--to", "faro", "--quick", "--corpus", corpus, *to],
        "transfer": ["transfer", "--generator", generator, "--corpus", corpus, "--out", f"{out}/new.csv"],
        "score": ["score", "--corpus", corpus, "--judges", judges, *to],
        "audit": ["audit", "--corpus", corpus, "--judges", judges, *to],
        "hevas": ["hevas", "--documents", corpus, "--baselines", "first", "--metrics", "R-1", *to],
        "annotate sample": ["annotate", "sample", "--corpus", corpus, "--out", f"{out}/sheet.csv"],
        "annotate serve": ["annotate", "serve", str(made / "sheet.csv"), "--answers", str(out)],
        "reproduce": ["reproduce", "hevas2019", "--corpus", corpus, *to],
        "push": ["push", "judge", f"{judges}/main", "nina/main", "--dry-run", *to],
    }  # fmt: skip


WRITERS = list(commands(Path(), "", ""))


@pytest.mark.parametrize("name", WRITERS)
def test_a_place_that_cannot_be_written_is_one_sentence(name, made, corpus, capsys):
    assert main(commands(made, corpus, CLOSED)[name]) == 2
    error = capsys.readouterr().err.strip()
    assert "cannot write" in error
    assert str(CLOSED) in error
    assert "\n" not in error


class Malicious:
    """Whoever unpickles it makes a file."""

    def __init__(self, file):
        self.file = file

    def __reduce__(self):
        return Path.touch, (self.file,)


def with_pickle(folder, ran, name):
    """The weights of a saved model replaced by a pickle that runs code."""
    weights = folder / f"{name}.safetensors"
    weights.unlink()
    (folder / {"model": "pytorch_model.bin"}.get(name, f"{name}.bin")).write_bytes(
        pickle.dumps(Malicious(ran))
    )
    return folder


def load_judge(folder):
    from change_it.judges.judge import Judge

    save_judge(folder, "main")
    return lambda: Judge.from_pretrained(folder, device="cpu")


def load_generator(folder):
    from change_it import HeadlineTransfer

    save_generator(folder)
    return lambda: HeadlineTransfer.from_pretrained(folder, device="cpu")


def load_encoder(folder):
    from transformers import AutoModel

    from change_it.training.models import load_weights

    save_judge(folder, "main")
    return lambda: load_weights(AutoModel, folder)


@pytest.mark.parametrize("kind", [load_judge, load_generator, load_encoder])
def test_weights_in_a_pickle_are_refused_and_not_opened(kind, tmp_path):
    load = kind(tmp_path / "model")
    load()
    with_pickle(tmp_path / "model", tmp_path / "ran", "model")
    with pytest.raises(InputError, match=r"a pickle such as .* can run code: save the model again"):
        load()
    assert not (tmp_path / "ran").exists()


def test_nothing_of_ours_trusts_code_of_strangers():
    files = [
        file for place in ("change_it", "metrics", "spaces") for file in (CHECKOUT / place).rglob("*.py")
    ]
    assert len(files) > 100
    trusting = re.compile(
        r"trust_remote_code\s*=|allow_pickle\s*=\s*True|weights_only\s*=\s*False|\bpickle\.loads?\("
    )
    code = {
        file: re.sub(r">>>.*", "", file.read_text(encoding="utf-8")) for file in files
    }  # without examples
    assert not [str(file) for file, text in code.items() if trusting.search(text)]


OFFLINE = """
import json, socket, sys
asked = []
def refuse(self, address, *more):
    asked.append(str(address))
    raise OSError("no network in this test")
socket.socket.connect = socket.socket.connect_ex = refuse
socket.getaddrinfo = lambda *address, **more: refuse(None, address)
from change_it.cli import main
codes = [main(arguments) for arguments in json.loads(sys.argv[1])]
print(json.dumps([codes, asked]))
"""


@pytest.mark.slow
def test_offline_nobody_asks_the_network(made, corpus, tmp_path):
    writing = commands(made, corpus, tmp_path)
    local = [writing[name] for name in ("score", "hevas", "transfer")]
    hub = [
        ["score", "--corpus", corpus, "--judges", "nina/judges"],
        ["score", "--corpus", "nina/corpus", "--judges", str(made / "judges")],
        ["transfer", "--generator", "nina/generator", "--corpus", corpus, "--out", str(tmp_path / "x.csv")],
        ["train", "judge", "--task", "hh", "--encoder", "nina/encoder", "--corpus", corpus, "--out", str(tmp_path / "j")],
        ["corpus", "build", "hf://datasets/nina/news", "--out", str(tmp_path / "c")],
    ]  # fmt: skip
    for place, arguments in enumerate(local):
        arguments[arguments.index("--out") + 1] = str(
            tmp_path / f"{place}.csv" if place == 2 else tmp_path / str(place)
        )
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE, json.dumps([*local, *hub])],
        env=os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        check=True,
    )
    codes, asked = json.loads(done.stdout.splitlines()[-1])
    assert codes == [0] * len(local) + [2] * len(hub), done.stderr
    assert asked == []


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 64 KB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root can mount a small disk")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


#: What needs another thing first, or writes less than a small disk holds.
LIGHT = {"annotate sample", "annotate serve", "push", "quickstart", "reproduce"}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in WRITERS if name not in LIGHT])
def test_a_full_disk_is_one_sentence(name, made, corpus, small_disk, tmp_path):
    (small_disk / "other").write_bytes(bytes(61_440 if name == "transfer" else 40_960))
    arguments = commands(made, corpus, small_disk / "new")[name]
    done = subprocess.run(
        [sys.executable, "-m", "change_it.cli", *arguments],
        env=os.environ | {"TMPDIR": str(tmp_path), "COLUMNS": "1000"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr[-3000:]
    assert "Traceback" not in done.stderr
    assert "the disk is full; free some space" in done.stderr
    left = {path.name for path in small_disk.iterdir()}
    assert not {name for name in left if name.endswith(".partial")}
