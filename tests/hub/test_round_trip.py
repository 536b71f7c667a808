"""What is pushed comes back: from the Hub by its id, and without this package by transformers alone."""

import json
import os
import re
from shutil import copyfile

import numpy as np
import pytest
from hub_server import TOKEN, serve
from huggingface_hub import ModelCard
from malformed import edit
from processes import run_python
from saved_judges import save_judge, save_judges, save_language_model, save_parts
from short_quickstart import shorten
from tiny_generators import CARD, WORDS, save_generator, save_pretrained_generator

from change_it import HeadlineTransfer
from change_it.cli import main
from change_it.corpus.folder import read_table
from change_it.generators import generator
from change_it.generators.examples import source_of
from change_it.generators.folder import GeneratorInfo, prompt_of
from change_it.generators.generator import add_adapters, load_model, load_tokenizer
from change_it.hub.packaging import write
from change_it.judges.judge import Judge
from change_it.scoring.panel import Judges

pytestmark = pytest.mark.slow(seconds=30)
OUTLETS = ("rep", "gio")
HEADLINES = ["Il ponte crolla sulla statale", "Sciopero generale dei treni"]
ARTICLES = ["Il ponte crolla sulla statale ieri a Bari.", "Lo sciopero generale dei treni continua, 2025."]

PUSH = """
import json, sys
from change_it.cli import main
sys.exit(max(main(["push", *arguments]) for arguments in json.loads(sys.argv[1])))
"""

#: What a card says of each kind of repository.
USE = """
import json, sys
import evaluate
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification
import change_it.auto
from change_it import HeadlineTransfer, Judges
headlines, article = json.loads(sys.argv[1])
pairs = load_dataset("nina/news", "pairs", split="test")
metric = evaluate.load("nina/compliancy")
judges = Judges.from_pretrained("nina/judges", ah="nina/ah", device="cpu")
items = {"predictions": headlines[:1], "sources": headlines[:1], "articles": [article], "labels": ["rep"]}
hh = AutoModelForSequenceClassification.from_pretrained("nina/judges", subfolder="hh")
answers = [
    pairs.num_rows,
    list(load_dataset("nina/news", "pairs", split="test", streaming=True)) == list(pairs),
    HeadlineTransfer.from_pretrained("nina/sum", device="cpu")(headlines[0], article=article, to="gio"),
    hh.config.change_it["task"],
    judges.signature,
    judges.hh.probabilities(headlines, headlines[::-1], progress=False).tolist(),
    metric.compute(**items, judges="nina/judges", device="cpu")["compliancy"],
]
print(json.dumps(answers))
"""

#: What a judge and a generator from the Hub are and write.
SAME = """
import json, sys
from change_it import HeadlineTransfer
from change_it.judges.judge import Judge
headline, article = json.loads(sys.argv[1])
judge = Judge.from_pretrained("nina/main", device="cpu")
written = HeadlineTransfer.from_pretrained("nina/lora", device="cpu")(headline, article=article)
print(json.dumps([judge.model_hash, written]))
"""

#: transformers, where this package cannot be imported.
ALONE = """
import json, sys
sys.modules["change_it"] = None
from transformers import pipeline
trust = {"trust_remote_code": True}
judges, generators, pairs, sources = json.loads(sys.argv[1])
answers = {}
for task, name in judges:
    ask = pipeline("text-classification", model=name, **trust)
    texts = pairs if task in ("hh", "ah") else [pair["text"] for pair in pairs]
    scores = ask(texts, top_k=None, truncation=True, max_length=10_000)
    answers[task] = [{label["label"]: label["score"] for label in row} for row in scores]
for name, folder in generators:
    write = pipeline("text-generation", model=folder, **trust)
    answers[name] = [row["generated_text"] for [row] in write(sources[name])]
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Provide the Hub, and the environment of its clients."""
    with serve() as hub:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
        yield hub, inherited | hub.environment(tmp_path_factory.mktemp("home"))


def test_every_kind_is_pushed_and_used_as_its_card_says(run, environment):
    hub, variables = environment
    hub.put("nina/judges", {"notes.md": b"", ".gitattributes": b""})
    repositories = [
        ("judge", str(run / "judges"), "nina/judges", "--replace"),
        ("judge", str(run / "judges/ah"), "nina/ah"),
        ("dataset", str(run / "corpus"), "nina/news"),
        ("generator", str(run / "generators/sum-gio"), "nina/sum"),
        ("metric", "compliancy", "nina/compliancy"),
        ("space", "headline_transfer", "nina/page"),
    ]
    pushed = run_python("-c", PUSH, json.dumps(repositories), env=variables, check=True)
    assert TOKEN not in pushed.stdout + pushed.stderr
    files = hub.commits["nina/judges"][-1]
    assert {"README.md", "linear.py", "main/config.json", "hh/model.safetensors", "notes.md"} < files.keys()
    assert files["hh/model.safetensors"] in hub.large.values()
    assert not any(str(run).encode() in content for name, content in files.items() if name.endswith(".json"))
    assert {"app.py", "README.md", "change_it/space/app.py"} <= hub.commits["spaces/nina/page"][-1].keys()

    done = run_python("-c", USE, json.dumps([HEADLINES, ARTICLES[0]]), env=variables)
    assert done.returncode == 0, done.stderr
    *answers, probabilities, compliancy = json.loads(done.stdout.splitlines()[-1])
    judges = Judges.from_pretrained(run / "judges", device="cpu")
    transfer = HeadlineTransfer.from_pretrained(run / "generators/sum-gio", device="cpu")
    written = transfer(HEADLINES[0], article=ARTICLES[0], to="gio")
    rows = json.loads((run / "corpus/alignment.json").read_text())["rows_by_config"]["pairs"]["test"]
    assert answers == [rows, True, written, "hh", judges.signature]
    expected = judges.hh.probabilities(HEADLINES, HEADLINES[::-1], progress=False)
    np.testing.assert_allclose(probabilities, expected, atol=1e-5)
    assert compliancy == 0.0  # of a copy

    strange = variables | {"HF_TOKEN": "hf_wrong"}
    refused = run_python("-c", PUSH, json.dumps(repositories[:1]), env=strange)
    assert refused.returncode == 2
    assert "log in with `hf auth login`" in refused.stderr
    assert len(hub.commits["nina/judges"]) == 2  # that of before, and one push


def test_a_generator_that_the_quickstart_wrote_opens_without_this_package(environment, tmp_path):
    _, variables = environment
    run = tmp_path / "run"
    with pytest.MonkeyPatch.context() as patch:
        shorten(patch)
        assert main(["quickstart", "--articles", "500", "--out", str(run)]) == 0
    written = run / "generators/rewrite"
    run_python(
        "-c", PUSH, json.dumps([("generator", str(written), "nina/writer")]), env=variables, check=True
    )

    item = read_table(str(run / "corpus"), "articles", "test").row(0, named=True)
    transfer = HeadlineTransfer.from_pretrained(written, device="cpu")
    headline = transfer(item["headline"], article=item["article"], to="faro")
    source = source_of("both", item["headline"], item["article"], "faro")
    for name in ("nina/writer", str(written)):  # of the Hub, and here
        models = json.dumps([[], [("writer", name)], [], {"writer": [source]}])
        done = run_python("-c", ALONE, models, cwd=tmp_path, env=variables)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout.splitlines()[-1]) == {"writer": [headline]}


def test_one_judge_is_a_model_at_the_root_and_each_of_several_in_its_folder(run, files_of, tmp_path):
    """Open with transformers alone what `hf download --local-dir` leaves."""
    write(files_of("judge", run / "judges/hh", "nina/hh"), tmp_path / "one")
    write(files_of("judge", run / "judges", "nina/judges"), tmp_path / "several")
    assert ModelCard.load(tmp_path / "one/README.md").data.pipeline_tag == "text-classification"
    names = [("hh", str(tmp_path / "one")), ("main", str(tmp_path / "several/main"))]
    pairs = [{"text": HEADLINES[0], "text_pair": HEADLINES[1]}]
    home = os.environ | {"HF_HOME": str(tmp_path / "home")}
    done = run_python("-c", ALONE, json.dumps([names, [], pairs, {}]), cwd=tmp_path, env=home)
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout.splitlines()[-1])
    for task, pair in (("hh", [HEADLINES[1]]), ("main", None)):
        judge = Judge.from_pretrained(run / "judges" / task, device="cpu")
        [expected] = judge.probabilities(HEADLINES[:1], pair, progress=False)
        [found] = answers[task]
        labels = judge.model.config.id2label.values()
        np.testing.assert_allclose([found[label] for label in labels], expected, atol=1e-4)


def test_other_models_under_the_same_name_open_as_here(environment, tmp_path):
    """Push a judge of an encoder and then a linear one, adapters and then the merged model.

    Nothing of the first stays.
    """
    hub, variables = environment
    encoder, linear = tmp_path / "encoder/main", tmp_path / "linear/main"
    save_judge(encoder, "main", [*HEADLINES, *ARTICLES], OUTLETS, transformer=True)
    save_judge(linear, "main", [*HEADLINES, *ARTICLES], OUTLETS)
    adapters, merged = save_adapters(tmp_path, "nina/base", hub)
    pushed = [("judge", str(encoder), "nina/main"), ("judge", str(linear), "nina/main")]
    pushed += [("generator", str(adapters), "nina/lora"), ("generator", str(merged), "nina/lora")]
    said = run_python("-c", PUSH, json.dumps(pushed), env=variables, check=True).stdout
    assert "adapter_config.json, adapter_model.safetensors: removed" in said
    assert "tokenizer.json: removed" in " ".join(said.split())

    cards = [ModelCard(files["README.md"].decode()) for files in hub.commits["nina/lora"][1:]]
    assert [card.data.library_name for card in cards] == ["peft", "transformers"]
    assert ["With PEFT alone" in card.text for card in cards] == [True, False]

    [block] = [
        part for part in re.findall(r"```python\n(.*?)```", cards[0].text, re.DOTALL) if "peft" in part
    ]
    hub.put("nina/adapters", hub.commits["nina/lora"][1])
    alone = block.replace("nina/lora", "nina/adapters")
    assert "source = " in alone
    run_python("-c", alone, env=variables, check=True)

    done = run_python("-c", SAME, json.dumps([HEADLINES[0], ARTICLES[0]]), env=variables)
    assert done.returncode == 0, done.stderr
    written = HeadlineTransfer.from_pretrained(merged, device="cpu")(HEADLINES[0], article=ARTICLES[0])
    expected = [Judge.from_pretrained(linear, device="cpu").model_hash, written]
    assert json.loads(done.stdout.splitlines()[-1]) == expected


def save_adapters(folder, base_id, hub):
    """Adapters around a base on the Hub, and the whole model that they make; the base is put there."""
    base = save_language_model(folder / "base", "causal")
    hub.put(base_id, {path.name: path.read_bytes() for path in base.iterdir()})
    tokenizer = load_tokenizer(base)
    model = add_adapters(load_model(base, "causal", tokenizer, use="base"), str(base), "causal")
    for tensor in model.parameters():  # adapters that change something
        tensor.data.add_(0.01)
    about = CARD | {
        "kind": "causal",
        "architecture": base_id,
        "base": base_id,
        "to": "gio",
        "outlets": OUTLETS,
    }
    info = GeneratorInfo(**about, prompt=prompt_of("it", "article", "gio"))
    generator.save_generator(folder / "adapters", model, tokenizer, info)
    edit(
        folder / "adapters/adapter_config.json", lambda record: record.update(base_model_name_or_path=base_id)
    )
    whole = model.merge_and_unload()
    save_parts(folder / "merged", whole, tokenizer)
    copyfile(folder / "adapters/generator.json", folder / "merged/generator.json")
    return folder / "adapters", folder / "merged"


def test_transformers_alone_opens_judges_and_generators(tmp_path):
    save_judges(tmp_path, [*HEADLINES, *ARTICLES], OUTLETS)
    save_generator(tmp_path / "pn")
    save_generator(tmp_path / "transformer", recipe="rewrite", to=None, architecture="transformer")
    for kind in ("encoder-decoder", "causal"):
        save_pretrained_generator(tmp_path / kind, kind)
    judges = [(task, str(tmp_path / task)) for task in ("main", "hh", "ah")]
    generators = [(name, str(tmp_path / name)) for name in ("pn", "transformer", "encoder-decoder", "causal")]
    headlines, articles = [WORDS, *HEADLINES], [WORDS * 2, *ARTICLES]
    sources, written = {}, {}
    for name, folder in generators:
        transfer = HeadlineTransfer.from_pretrained(folder, device="cpu")
        written[name] = transfer(headlines, article=articles, to="gio", batch_size=1)
        items = zip(headlines, articles, strict=True)
        sources[name] = [source_of(transfer.reads, *item, "gio") for item in items]
    pairs = [{"text": text, "text_pair": article} for text, article in zip(HEADLINES, ARTICLES, strict=True)]
    models = json.dumps([judges, generators, pairs, sources])
    done = run_python("-c", ALONE, models, cwd=tmp_path, env=os.environ | {"HF_HOME": str(tmp_path / "home")})
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout.splitlines()[-1])
    assert {name: answers[name] for name in written} == written
    for task, folder in judges:
        judge = Judge.from_pretrained(folder, device="cpu")
        expected = judge.probabilities(HEADLINES, ARTICLES if task != "main" else None, progress=False)
        labels = judge.model.config.id2label.values()
        found = [[row[label] for label in labels] for row in answers[task]]
        np.testing.assert_allclose(found, expected, atol=1e-4)
