"""What a run may do to the machine it runs on: no code of strangers, no network offline, one sentence where
nothing can be written.
"""

import os
import pickle
import pty
import re
import shutil
import sys
from pathlib import Path

import pytest
from malformed import Malicious, edit

from change_it import InputError
from change_it.cli import main

CHECKOUT = Path(__file__).parents[1]
#: A folder in which nobody can make a file, whoever runs the tests.
CLOSED = Path("/sys/change-it")


def commands(models, corpus, out):
    """Every command that writes, as it would write to `out`."""
    sample = str(Path(corpus).parent / "sample.csv")
    judges, generator = str(models / "judges"), str(models / "generator")
    to = ["--out", str(out)]
    return {
        "quickstart": ["quickstart", *to],
        "corpus sample": ["corpus", "sample", "--out", f"{out}/sample.csv"],
        "corpus build": ["corpus", "build", sample, *to],
        "corpus items": ["corpus", "items", "--corpus", corpus, "--out", f"{out}/items.csv"],
        "train judge": ["train", "judge", "--task", "main", "--corpus", corpus, *to],
        "train generator": ["train", "generator", "--recipe", "sum", "--to", "faro", "--corpus", corpus, *to],
        "transfer": ["transfer", "--generator", generator, "--corpus", corpus, "--out", f"{out}/new.csv"],
        "score": ["score", "--corpus", corpus, "--judges", judges, *to],
        "audit": ["audit", "--corpus", corpus, "--judges", judges, *to],
        "hevas": ["hevas", "--documents", corpus, "--baselines", "first", "--metrics", "R-1", *to],
        "annotate sheets": [
            "annotate",
            "sheets",
            "--corpus",
            corpus,
            "--items",
            "20",
            "--out",
            f"{out}/sheet.csv",
        ],
        "annotate pairs": ["annotate", "pairs", "--corpus", corpus, "--out", f"{out}/pairs.csv"],
        "annotate read": [
            "annotate",
            "read",
            sample,
            "--endpoint",
            "http://127.0.0.1:9",
            "--model",
            "tiny",
            "--out",
            f"{out}/model.csv",
        ],
        "push": ["push", "judge", f"{judges}/main", "nina/main", "--dry-run", *to],
    }


WRITERS = list(commands(Path(), "", ""))


@pytest.mark.parametrize("name", WRITERS)
def test_a_place_that_cannot_be_written_is_one_sentence(name, saved_models, corpus, capsys):
    assert main(commands(saved_models, corpus, CLOSED)[name]) == 2
    [error] = capsys.readouterr().err.strip().splitlines()
    assert "cannot write" in error
    assert str(CLOSED) in error


FOLDERS = [name for name in WRITERS if not re.search("sample|items|transfer|annotate", name)]
RECORDS = "metrics.json summary.csv systems.csv audit.json alignment.json run.json train.py"


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_of_others_is_refused(name, saved_models, corpus, tmp_path, capsys):
    for file in RECORDS.split():
        (tmp_path / file).write_text('{"signature": 1, "weights_hash": 2}')
    assert main(commands(saved_models, corpus, tmp_path)[name]) == 2
    [error] = capsys.readouterr().err.strip().splitlines()
    assert f"--out {tmp_path} holds other files" in error
    assert error.count("--out") == 1  # and no mend that names it as a target
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(RECORDS.split())


def opened(kind, folder):
    from transformers import AutoModel

    from change_it import HeadlineTransfer
    from change_it.judges.judge import Judge
    from change_it.models.pretrained import load_weights

    if kind == "encoder":
        return load_weights(AutoModel, folder, use="encoder")
    return (Judge if kind == "judge" else HeadlineTransfer).from_pretrained(folder, device="cpu")


@pytest.mark.parametrize("kind", ["judge", "generator", "encoder"])
def test_weights_in_a_pickle_are_refused_and_not_opened(kind, saved_models, tmp_path):
    model = "generator" if kind == "generator" else "judges/main"
    folder = Path(shutil.copytree(saved_models / model, tmp_path / "model"))
    opened(kind, folder)
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Malicious(tmp_path / "ran")))
    with pytest.raises(InputError, match=r"a pickle such as .* can run code: save the model again"):
        opened(kind, folder)
    assert not (tmp_path / "ran").exists()


def test_nothing_of_ours_trusts_code_of_strangers():
    patterns = (
        r"trust_remote_code(?!\s*=\s*False\b)",
        r"allow_pickle\s*=\s*True",
        r"weights_only\s*=\s*False",
        r"\bpickle\.loads?\(",
    )
    code = "|".join(patterns)
    files = [
        path for place in ("change_it", "metrics", "spaces") for path in (CHECKOUT / place).rglob("*.py")
    ]
    assert len(files) > 100
    texts = {path: re.sub(r">>>.*", "", path.read_text(encoding="utf-8")) for path in files}
    assert not [path for path, text in texts.items() if re.search(code, text)]


#: Of a model that only runs with its own code, which makes a file.
CODE = """
from pathlib import Path
from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast
Path({ran!r}).touch()
class Config(BertConfig):
    model_type = "strange"
class Model(BertForSequenceClassification):
    config_class = Config
class Words(PreTrainedTokenizerFast):
    pass
"""
AUTO = {
    f"Auto{name}": "own.Model"
    for name in ("Model", "ModelForSequenceClassification", "ModelForSeq2SeqLM", "ModelForCausalLM")
}
AUTO |= {"AutoConfig": "own.Config", "AutoTokenizer": [None, "own.Words"]}


@pytest.mark.parametrize("name", ["score", "transfer", "train judge", "train generator"])
def test_code_in_the_folder_of_a_model_is_not_run_whatever_is_answered(
    name, saved_models, corpus, tmp_path, capsys, monkeypatch
):
    models = Path(shutil.copytree(saved_models, tmp_path / "made"))
    for folder in (models / "judges/hh", models / "generator"):
        (folder / "own.py").write_text(CODE.format(ran=str(tmp_path / "ran")))
        edit(folder / "config.json", lambda record: record.update(model_type="strange", auto_map=AUTO))
        edit(
            folder / "tokenizer_config.json",
            lambda record: record.update(tokenizer_class="Words", auto_map=AUTO),
        )
    bases = {"train judge": ["--encoder", f"{models}/judges/hh"]}
    bases["train generator"] = ["--architecture", f"{models}/generator"]
    user, terminal = pty.openpty()
    os.write(user, b"y\n" * 8)
    with os.fdopen(user), open(terminal, encoding="utf-8") as keyboard:
        monkeypatch.setattr(sys, "stdin", keyboard)
        assert main([*commands(models, corpus, tmp_path / "out")[name], *bases.get(name, [])]) == 2
    [sentence] = capsys.readouterr().err.strip().splitlines()
    assert "custom code" in sentence or "no tokenizer" in sentence
    assert not (tmp_path / "ran").exists()
