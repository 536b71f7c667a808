"""Everything goes to a loopback Hub and comes back by id, through the real clients in processes of their own."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace

import polars as pl
import pytest
from hub_client import ARTICLES, HEADLINES, ClientError, pushed, sentence, texts_of, tree
from hub_server import card_errors, card_header
from processes import run_python

import change_it


def test_a_data_set_loads_by_id_with_every_config(hub, client, push, run, tmp_path):
    assert push("dataset", run / "corpus", "nina/news")[0] == 0
    repo = hub.repo("dataset", "nina/news")
    assert len(repo.head.history) == 2  # the one that made it, and one push
    configs = client.run(
        """
from datasets import get_dataset_config_names, load_dataset
result = {
    name: {split: rows.to_list() for split, rows in load_dataset("nina/news", name).items()}
    for name in get_dataset_config_names("nina/news")
}
"""
    )
    local = sorted((run / "corpus").glob("*/*.parquet"))
    assert {(name, split) for name in configs for split in configs[name]} == {
        (p.parent.name, p.stem) for p in local
    }
    for path in local:
        assert len(configs[path.parent.name][path.stem]) == len(pl.read_parquet(path))
    pairs = pl.read_parquet(run / "corpus/pairs/test.parquet").select("pair_id", "a_headline").to_dicts()
    assert [
        {name: row[name] for name in ("pair_id", "a_headline")} for row in configs["pairs"]["test"]
    ] == pairs
    assert json.loads(repo.read("alignment.json"))["histogram"]
    assert str(run) not in texts_of(repo)

    assert push("dataset", run / "corpus", "nina/news", "--dry-run", "--out", tmp_path / "dry")[0] == 0
    assert tree(tmp_path / "dry") == pushed(repo)
    assert len(hub.asked("POST", "/commit/")) == 1


def verdicts(folder):
    from change_it.judges.judge import Judges

    judges = Judges.from_pretrained(folder, device="cpu")
    return {
        "signature": judges.signature,
        "main": judges.main.probabilities(HEADLINES, progress=False).tolist(),
        "hh": judges.hh.probabilities(HEADLINES, HEADLINES[::-1], progress=False).tolist(),
        "ah": judges.ah.probabilities(HEADLINES, ARTICLES, progress=False).tolist(),
    }


def test_three_judges_in_one_repository(hub, client, stranger, push, run, tmp_path):
    assert push("judge", run / "judges", "nina/judges")[0] == 0
    repo = hub.repo("model", "nina/judges")
    assert len(repo.head.history) == 2
    expected = verdicts(run / "judges")
    found = client.run(
        """
from change_it.judges.judge import Judges
judges = Judges.from_pretrained("nina/judges", device="cpu")
one, article = given["headlines"], given["articles"]
result = {
    "signature": judges.signature,
    "main": judges.main.probabilities(one, progress=False).tolist(),
    "hh": judges.hh.probabilities(one, one[::-1], progress=False).tolist(),
    "ah": judges.ah.probabilities(one, article, progress=False).tolist(),
}
""",
        headlines=HEADLINES,
        articles=ARTICLES,
    )
    assert found.pop("signature") == expected.pop("signature")
    for task in expected:
        assert found[task] == [pytest.approx(row, abs=1e-5) for row in expected[task]]

    code = """
if given["register"]:
    import change_it.auto
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer
def ask(name, first, second, **where):
    model = AutoModelForSequenceClassification.from_pretrained(name, **where).eval()
    tokenizer = AutoTokenizer.from_pretrained(name, **where)
    length = model.config.change_it["max_tokens"]
    batch = tokenizer(first, second, truncation=True, max_length=length, padding=True, return_tensors="pt")
    with torch.no_grad():
        return type(model).__module__, model(**batch).logits.softmax(-1).tolist()
trust = {} if given["register"] else {"trust_remote_code": True}
one, article = given["headlines"], given["articles"]
result = [
    ask("nina/judges", one, None, subfolder="main", **trust),
    ask("nina/judges", one, one[::-1], subfolder="hh", **trust),
    ask("nina/judges", one, article, subfolder="ah", **trust),
]
"""
    for who, register in ((client, True), (stranger, False)):
        answers = who.run(code, headlines=HEADLINES, articles=ARTICLES, register=register)
        assert [module.startswith("change_it") for module, _ in answers] == [register] * 3
        for task, (_, rows) in zip(("main", "hh", "ah"), answers, strict=True):
            assert rows == [pytest.approx(row, abs=1e-5) for row in expected[task]]


def test_one_judge_at_the_root(hub, client, stranger, push, run):
    assert push("judge", run / "judges/ah", "nina/ah-judge")[0] == 0
    assert push("judge", run / "judges/main", "nina/main-judge")[0] == 0
    assert {path for path in hub.repo("model", "nina/main-judge").paths() if path.endswith(".py")} == {
        "layers.py",
        "style.py",
    }
    code = """
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer
model = AutoModelForSequenceClassification.from_pretrained("nina/ah-judge", trust_remote_code=True).eval()
tokenizer = AutoTokenizer.from_pretrained("nina/ah-judge")
batch = tokenizer(given["headlines"], given["articles"], truncation=True, max_length=48, padding=True, return_tensors="pt")
plain = AutoModelForSequenceClassification.from_pretrained("nina/main-judge", trust_remote_code=True)
with torch.no_grad():
    result = model(**batch).logits.softmax(-1).tolist(), model.config.id2label, plain.config.id2label
"""
    rows, labels, outlets = stranger.run(code, headlines=HEADLINES, articles=ARTICLES)
    assert rows == [pytest.approx(row, abs=1e-5) for row in verdicts(run / "judges")["ah"]]
    assert (list(labels.values()), list(outlets.values())) == (["no_match", "match"], ["rep", "gio"])
    assert client.run(
        """
from change_it.judges.judge import Judge
judge = Judge.from_pretrained("nina/ah-judge", device="cpu")
result = [judge.task, judge.weights_hash]
"""
    ) == ["ah", json.loads((run / "judges/ah/metrics.json").read_text())["weights_hash"]]


def test_a_generator_with_and_without_the_package(hub, client, stranger, push, run):
    from change_it import HeadlineTransfer

    assert push("generator", run / "generators/sum-gio", "nina/sum-gio")[0] == 0
    assert len(hub.repo("model", "nina/sum-gio").head.history) == 2
    local = HeadlineTransfer.from_pretrained(run / "generators/sum-gio", device="cpu")
    found = client.run(
        """
import change_it.auto
from change_it import HeadlineTransfer
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
transfer = HeadlineTransfer.from_pretrained("nina/sum-gio", device="cpu")
model, tokenizer = AutoModelForSeq2SeqLM.from_pretrained("nina/sum-gio"), AutoTokenizer.from_pretrained("nina/sum-gio")
result = [transfer(given["headlines"], article=given["articles"]), type(model).__name__, type(tokenizer).__name__]
""",
        headlines=HEADLINES,
        articles=ARTICLES,
    )
    names = ["PointerGeneratorForConditionalGeneration", "HeadlineTokenizer"]
    assert found == [local(HEADLINES, article=ARTICLES), *names]

    code = """
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
model = AutoModelForSeq2SeqLM.from_pretrained("nina/sum-gio", trust_remote_code=True).eval()
tokenizer = AutoTokenizer.from_pretrained("nina/sum-gio", trust_remote_code=True)
batch, unknown = tokenizer.sources(given["articles"], max_tokens=40)
ids = model.generate(**batch)  # generation_config.json says how
result = [tokenizer.headlines(ids, unknown), type(model).__name__, type(tokenizer).__name__]
"""
    assert stranger.run(code, articles=ARTICLES) == [local(HEADLINES, article=ARTICLES), *names]


def test_a_metric_by_id_asks_judges_by_id(hub, client, push, run):
    assert push("metric", change_it.metric_path("compliancy"), "nina/compliancy")[0] == 0
    assert push("metric", "headline_rouge", "nina/my_rouge")[0] == 0
    assert push("judge", run / "judges", "nina/judges")[0] == 0
    found = client.run(
        """
import evaluate
rouge = evaluate.load("nina/my_rouge").compute(predictions=["a x c"], references=["a b c"])
headlines, articles = given["headlines"], given["articles"]
compliancy = evaluate.load("nina/compliancy").compute(
    predictions=headlines, sources=headlines, articles=articles, labels=["rep", "gio"], judges="nina/judges",
    resamples=10, device="cpu")
result = [rouge["rougeSU"], compliancy["signature"], compliancy["main"]]
""",
        headlines=HEADLINES,
        articles=ARTICLES,
    )
    assert found[0] == 0.5
    assert verdicts(run / "judges")["signature"].partition("|")[0] in found[1]
    assert found[2] == 0  # a copy of the headline changes nothing
    assert hub.repo("space", "nina/compliancy").sdk == "gradio"


def test_a_metric_without_the_package_says_what_installs_it(hub, client, stranger, push):
    assert push("metric", "hevas", "nina/hevas")[0] == 0
    with pytest.raises(ClientError) as error:
        stranger.run("import evaluate; evaluate.load('nina/hevas')")
    assert f"pip install 'change-it[hevas] @ git+{hub.url}/spaces/nina/hevas'" in str(error.value)


def python(folder, code, **environment):
    """What code prints in a process that starts in a folder and finds libraries, and this package only from there."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "PYTHON"))}
    done = run_python("-c", code, env=inherited | environment, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


DOWNLOAD = """
from huggingface_hub import snapshot_download
result = snapshot_download(given["id"], repo_type="space", local_dir=given["folder"])
"""


@pytest.mark.slow
def test_the_space_runs_from_its_own_folder(hub, client, push, tmp_path):
    assert push("space", "headline_transfer", "nina/transfer", "--private")[:3:2] == (0, "")
    repo = hub.repo("space", "nina/transfer")
    assert (repo.sdk, repo.private) == ("gradio", True)
    client.run(DOWNLOAD, id="nina/transfer", folder=tmp_path / "space")
    assert "change-it" not in (tmp_path / "space/requirements.txt").read_text()
    found = python(
        tmp_path / "space", "import app; print(app.launch_from_environment.__globals__['__file__'])"
    )
    assert found == [str(tmp_path / "space/change_it/space/app.py")]


@pytest.mark.slow
def test_pip_installs_a_pushed_metric(hub, client, push, tmp_path):
    """The package comes from the downloaded repository, the module from the Hub."""
    assert push("metric", "headline_rouge", "nina/headline_rouge")[0] == 0
    client.run(DOWNLOAD, id="nina/headline_rouge", folder=tmp_path / "metric")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--no-index"]
    pip += ["--no-deps", "--no-build-isolation", "--target", str(tmp_path / "site")]
    subprocess.run([*pip, str(tmp_path / "metric")], check=True)
    code = """
import evaluate, change_it
from change_it.text.tagging import load_tagger
assert load_tagger("it")
print(evaluate.load("nina/headline_rouge").compute(predictions=["a x c"], references=["a b c"])["rougeSU"])
print(change_it.__file__, change_it.space_path())
"""
    score, *places = python(
        tmp_path, code, **hub.environment(tmp_path / "home", token=None), PYTHONPATH=str(tmp_path / "site")
    )
    assert float(score) == 0.5
    assert all(place.startswith(str(tmp_path / "site")) for place in places)


def test_scoring_takes_corpus_and_judges_by_id(hub, client, push, run, tmp_path):
    assert push("dataset", run / "corpus", "nina/news")[0] == 0
    assert push("judge", run / "judges", "nina/judges")[0] == 0
    code = """
from change_it.cli import main
result = main(["score", "--corpus", given["corpus"], "--judges", given["judges"], "--json", "--resamples", "10", "--device", "cpu"])
"""
    assert client.run(code, corpus="nina/news", judges="nina/judges") == 0
    by_id = json.loads(client.out)
    assert client.run(code, corpus=run / "corpus", judges=run / "judges") == 0
    here = json.loads(client.out)
    assert (by_id.pop("corpus"), here.pop("corpus")) == ("nina/news", str(run / "corpus"))
    assert by_id == here


def test_adapters_find_their_base_by_id(hub, client, push, tmp_path):
    pytest.importorskip("peft")
    import torch
    from peft import LoraConfig, get_peft_model
    from tiny_generators import WORDS
    from transformers import T5Config, T5ForConditionalGeneration

    from change_it.generators.card import GeneratorCard
    from change_it.judges.encoders import train_wordpiece

    tokenizer = train_wordpiece([WORDS] * 9, 200)
    tokenizer.eos_token = "[SEP]"
    torch.manual_seed(0)
    sizes = {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_decoder_layers": 1, "num_heads": 2}
    numbers = {"pad_token_id": 0, "eos_token_id": 3, "decoder_start_token_id": 0}
    base = T5ForConditionalGeneration(T5Config(vocab_size=len(tokenizer), **sizes, **numbers))
    base.save_pretrained(tmp_path / "base")
    tokenizer.save_pretrained(tmp_path / "base")
    adapters = get_peft_model(base, LoraConfig(r=2, target_modules=["q", "v"], task_type="SEQ_2_SEQ_LM"))
    adapters.peft_config["default"].base_model_name_or_path = str(tmp_path / "base")
    adapters.save_pretrained(tmp_path / "adapters")
    config = tmp_path / "adapters/adapter_config.json"
    config.write_text(config.read_text().replace(str(tmp_path / "base"), "nina/tiny-t5"))
    tokenizer.save_pretrained(tmp_path / "adapters")
    card = GeneratorCard(
        recipe="sum",
        reads="article",
        to="gio",
        outlets=("rep", "gio"),
        kind="encoder-decoder",
        architecture="tiny-t5",
        base="nina/tiny-t5",
        language="it",
        source_tokens=40,
        target_tokens=8,
        seed=0,
        corpus="c",
    )
    card.save(tmp_path / "adapters")
    client.run(
        """
from huggingface_hub import HfApi
HfApi().create_repo("nina/tiny-t5")
HfApi().upload_folder(repo_id="nina/tiny-t5", folder_path=given["folder"])
""",
        folder=tmp_path / "base",
    )
    assert push("generator", tmp_path / "adapters", "nina/adapters")[0] == 0
    repo = hub.repo("model", "nina/adapters")
    assert "adapter_model.safetensors" in repo.paths()
    assert card_header(repo.read("README.md"))["base_model"] == "nina/tiny-t5"
    assert (
        card_header(repo.read("README.md"))["license"] == "unknown"
    )  # that of the texts is not that of the base
    assert client.run(
        """
from change_it import HeadlineTransfer
transfer = HeadlineTransfer.from_pretrained("nina/adapters", device="cpu")
result = [transfer.targets, len(transfer(given["headlines"], article=given["articles"]))]
""",
        headlines=HEADLINES,
        articles=ARTICLES,
    ) == [["gio"], 2]

    replace(card, base=str(tmp_path / "base")).save(tmp_path / "adapters")
    code, _, err, _ = push("generator", tmp_path / "adapters", "nina/adapters")
    assert (code, "train them on a model of the Hub" in sentence(err), len(repo.head.history)) == (2, True, 2)


def test_cards_show_what_the_run_found(hub, client, push, run, tmp_path):
    from change_it.scoring.item import read_test_set

    run = shutil.copytree(run, tmp_path / "run", ignore=shutil.ignore_patterns("report"))
    items = read_test_set(str(run / "corpus")).items
    rows = [{"id": item.id, "headline": item.source, "target": item.target} for item in items]
    pl.DataFrame(rows).write_csv(tmp_path / "sum.csv")
    assert (
        client.run(
            """
from change_it.cli import main
result = main([
    "score", "--corpus", given["run"] + "/corpus", "--judges", given["run"] + "/judges", "--out", given["run"] + "/report",
    "--predictions", "sum=" + given["predictions"], "--resamples", "10", "--device", "cpu"])
""",
            run=run,
            predictions=tmp_path / "sum.csv",
        )
        == 0
    ), client.err
    for kind, folder in (("generator", "generators/sum-gio"), ("judge", "judges")):
        code, _, err, _ = push(
            kind, run / folder, "nina/x", "--dataset", "nina/news", "--dry-run", "--out", tmp_path / kind
        )
        assert (code, err) == (0, "")
        text = (tmp_path / kind / "README.md").read_text(encoding="utf-8")
        assert not card_errors(text, "model")
        header = card_header(text)
        assert (header["license"], header["datasets"], header["language"]) == (
            "cc-by-nc-sa-4.0",
            ["nina/news"],
            "it",
        )
        assert header["model-index"][0]["results"]
        assert list((tmp_path / kind / ".eval_results").glob("*.yaml"))
        assert str(run) not in "".join(path.read_text() for path in (tmp_path / kind).rglob("*.json"))
    scores = json.loads((run / "report/scores.json").read_text(encoding="utf-8"))
    text = (tmp_path / "generator/README.md").read_text(encoding="utf-8")
    assert scores["systems"]["sum"]["rep2gio"]["signature"] in text
    assert f"{scores['systems']['gold']['rep2gio']['hh']:.3f}" in text
    assert not hub.seen
