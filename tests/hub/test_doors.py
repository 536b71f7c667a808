"""Every door of transformers opens what was trained: from its folder, from the Hub, with this package and without."""

import json
import shutil

import pytest
from hub_client import ClientError, tree
from saved_judges import save_reader, save_untrained
from tiny_generators import WORDS, save_generator, save_pretrained_generator

from change_it import HeadlineTransfer
from change_it.generators.recipes import source_of
from change_it.hub.packaging import write_readme
from change_it.judges.encoders import train_wordpiece
from change_it.judges.fluency import FluencyJudgeConfig, FluencyJudgeForSequenceClassification
from change_it.judges.judge import Judge

OUTLETS = ("rep", "gio")
WORD = WORDS.split()
#: Headline and article, of other words each.
ITEMS = [
    (" ".join(WORD[place : place + 4]), f"{' '.join(WORD[place:] + WORD[:place])} a Bari, 20{place}.")
    for place in range(10)
]
GENERATORS = ("pn", "transformer", "encoder-decoder", "causal")


def save_judge(folder, task):
    """An untrained judge of each kind, as `change-it train judge` saves one."""
    texts = [text for item in ITEMS for text in item]
    if task != "fluency":
        save_untrained(folder, task, texts, OUTLETS)
        return
    tokenizer = train_wordpiece(texts * 9, 200)
    config = FluencyJudgeConfig(vocab_size=200, buckets=512, id2label={0: "broken", 1: "printed"})
    model = FluencyJudgeForSequenceClassification(config)
    about = {"task": task, "fold": "all", "seed": 1, "max_tokens": 48, "outlets": list(OUTLETS)}
    model.config.change_it = about | {"corpus": "corpus", "encoder": "scratch"}
    Judge.of(model, tokenizer).save_pretrained(folder)


@pytest.fixture(scope="module")
def generators(tmp_path_factory):
    """A folder of each kind of generator, saved as `change-it train generator` saves it."""
    folder = tmp_path_factory.mktemp("generators")
    save_generator(folder / "pn")
    save_generator(folder / "transformer", recipe="rewrite", to=None, architecture="transformer")
    for kind in ("encoder-decoder", "causal"):
        save_pretrained_generator(folder / kind, kind)
    return folder


@pytest.fixture(scope="module", params=GENERATORS)
def written(request, generators):
    """A generator's folder, its sources, and what transfer writes."""
    transfer = HeadlineTransfer.from_pretrained(generators / request.param, device="cpu")
    headlines, articles = map(list, zip(*ITEMS, strict=True))
    new = transfer(headlines, article=articles, to="gio", batch_size=1)
    sources = [source_of(transfer.reads, *item, "gio") for item in ITEMS]
    assert len(set(new)) > 1
    return generators / request.param, sources, new


PIPELINE = """
from transformers import pipeline
write = pipeline("text-generation", model=given["model"], trust_remote_code=True)
result = [[found["generated_text"] for found in several] for several in write(given["sources"], **given["options"])]
"""


def test_a_pipeline_writes_what_transfer_writes(written, alone):
    folder, sources, new = written
    found = alone.run(PIPELINE, model=folder, sources=sources, options={})
    assert found == [[text] for text in new]
    transfer = HeadlineTransfer.from_pretrained(folder, device="cpu")
    several = transfer(*ITEMS[0][:1], article=ITEMS[0][1], to="gio", num_candidates=3)
    options = {"num_return_sequences": 3}
    assert alone.run(PIPELINE, model=folder, sources=sources[:1], options=options) == [
        [candidate.text for candidate in several]
    ]


def test_a_pipeline_reads_in_batches(written, alone):
    folder, sources, new = written
    found = alone.run(PIPELINE, model=folder, sources=sources, options={"batch_size": 4})
    assert len(found) == len(new)
    assert (
        alone.run(PIPELINE, model=folder, sources=sources[:2] * 2, options={"batch_size": 4})[:2] == found[:2]
    )


def test_a_pipeline_from_the_hub_writes_the_same(written, hub, push, stranger):
    folder, sources, new = written
    assert push("generator", folder, f"nina/{folder.name}")[0] == 0
    found = stranger.run(PIPELINE, model=f"nina/{folder.name}", sources=sources, options={})
    assert found == [[text] for text in new]


def test_a_folder_of_an_older_version_is_pushed_with_its_code(generators, options, tmp_path):
    from change_it.hub.commit import write
    from change_it.hub.packaging import files_of

    older = shutil.copytree(generators / "pn", tmp_path / "older", ignore=shutil.ignore_patterns("*.py"))
    for name in ("config.json", "tokenizer_config.json"):
        record = json.loads((older / name).read_text())
        record = {
            key: record[key] for key in record if key not in ("auto_map", "custom_pipelines", "change_it")
        }
        (older / name).write_text(json.dumps(record))
    write(files_of(options("generator", older)), tmp_path / "pushed")
    write(files_of(options("generator", generators / "pn")), tmp_path / "today")
    pushed, today = tree(tmp_path / "pushed"), tree(tmp_path / "today")
    assert pushed.keys() == today.keys()
    for name in today:
        read = json.loads if name.endswith(".json") else bytes
        assert read(pushed[name]) == read(today[name]), name


AUTO = """
import warnings
warnings.simplefilter("error")
from transformers import AutoConfig, AutoTokenizer
import transformers
auto = getattr(transformers, given["auto"])
model = auto.from_pretrained(given["folder"], **given["options"])
tokenizer = AutoTokenizer.from_pretrained(given["folder"], **given["options"])
config = AutoConfig.from_pretrained(given["folder"], **given["options"])
result = [type(model).__name__, type(tokenizer).__name__, type(config).__name__]
"""


def test_no_door_opens_to_another_class(generators, alone):
    expected = ["PointerGeneratorForConditionalGeneration", "HeadlineTokenizer", "PointerGeneratorConfig"]
    given = {"folder": generators / "pn", "auto": "AutoModelForSeq2SeqLM"}
    assert alone.run(AUTO, **given, options={"trust_remote_code": True}) == expected
    for auto in ("AutoTokenizer", "AutoConfig", "AutoModelForSeq2SeqLM"):
        with pytest.raises(ClientError, match="trust_remote_code=True"):
            alone.run(
                f"from transformers import {auto} as auto; auto.from_pretrained(given['folder'])", **given
            )


SAVED_AGAIN = """
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, pipeline
options = {"trust_remote_code": True}
AutoModelForSeq2SeqLM.from_pretrained(given["folder"], **options).save_pretrained(given["model"])
AutoTokenizer.from_pretrained(given["folder"], **options).save_pretrained(given["model"])
pipeline("text-generation", model=given["folder"], **options).save_pretrained(given["pipeline"])
result = [
    [found["generated_text"] for [found] in pipeline("text-generation", model=given[name], **options)(given["sources"])]
    for name in ("model", "pipeline")
]
"""


def test_what_is_opened_and_saved_again_opens_again(written, alone, tmp_path):
    folder, sources, new = written
    if folder.name not in ("pn", "transformer"):
        pytest.skip("the class of the model is transformers' own, which saves no code of ours")
    given = {"folder": folder, "model": tmp_path / "model", "pipeline": tmp_path / "pipeline"}
    assert alone.run(SAVED_AGAIN, **given, sources=sources) == [new, new]


def test_a_pipeline_of_any_kind_saves_itself(generators, alone, tmp_path):
    code = """
from transformers import pipeline
options = {"trust_remote_code": True}
pipeline("text-generation", model=given["folder"], **options).save_pretrained(given["out"])
result = [type(pipeline("text-generation", model=name, **options)).__name__ for name in (given["folder"], given["out"])]
"""
    for kind in ("encoder-decoder", "causal"):
        found = alone.run(code, folder=generators / kind, out=tmp_path / kind)
        assert found == ["HeadlinePipeline"] * 2


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_models_open_in_half_precision(generators, alone, dtype, tmp_path):
    code = """
from transformers import pipeline
ask = pipeline(given["task"], model=given["folder"], dtype=given["dtype"], trust_remote_code=True)
result = [str(ask.model.dtype), len(ask([given["text"], given["text"]], batch_size=2))]
"""
    for name in ("pn", "transformer"):
        given = {"task": "text-generation", "folder": generators / name, "text": ITEMS[0][1]}
        assert alone.run(code, **given, dtype=dtype) == [f"torch.{dtype}", 2]
    for task in ("main", "hh", "fluency"):
        save_judge(tmp_path / task, task)
        text = {"text": ITEMS[0][0], "text_pair": ITEMS[1][0]} if task == "hh" else ITEMS[0][0]
        given = {"task": "text-classification", "folder": tmp_path / task, "text": text}
        assert alone.run(code, **given, dtype=dtype) == [f"torch.{dtype}", 2]


JUDGE = """
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer, pipeline
if given["register"]:
    import change_it.auto
options = {} if given["register"] else {"trust_remote_code": True}
ask = pipeline("text-classification", model=given["folder"], **options)
scores = {found["label"]: found["score"] for found in ask(given["text"], top_k=None, truncation=True, max_length=48)}
model = AutoModelForSequenceClassification.from_pretrained(given["folder"], **options)
result = [type(model).__name__, scores]
"""


@pytest.mark.parametrize("task", ["main", "hh", "ah", "fluency"])
def test_a_judge_opens_in_its_folder(task, alone, client, tmp_path):
    save_judge(tmp_path, task)
    text = {"text": ITEMS[0][0], "text_pair": ITEMS[0][1]} if task in ("hh", "ah") else ITEMS[0][0]
    judge = Judge.from_pretrained(tmp_path, device="cpu")
    pair = [text["text_pair"]] if isinstance(text, dict) else None
    [expected] = judge.probabilities([ITEMS[0][0]], pair, progress=False)
    for who, register in ((alone, False), (client, True)):
        name, scores = who.run(JUDGE, folder=tmp_path, text=text, register=register)
        assert name == type(judge.model).__name__
        assert [scores[label] for label in judge.model.config.id2label.values()] == pytest.approx(
            expected, abs=1e-4
        )


def test_the_reader_opens_as_the_model_that_it_is(alone, tmp_path):
    code = """
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
opened = [auto.from_pretrained(given["folder"], trust_remote_code=True) for auto in (AutoModelForSeq2SeqLM, AutoTokenizer)]
result = [type(one).__name__ for one in opened]
"""
    save_reader(tmp_path, "words")
    names = ["PointerTransformerForConditionalGeneration", "HeadlineTokenizer"]
    assert alone.run(code, folder=tmp_path) == names


def test_the_package_s_pipeline_needs_no_trust(generators, client, written):
    folder, sources, new = written
    code = """
from transformers import pipeline
from change_it.auto import HeadlinePipeline
write = pipeline("text-generation", model=given["folder"], pipeline_class=HeadlinePipeline)
result = [type(write).__module__, [found["generated_text"] for [found] in write(given["sources"])]]
"""
    assert client.run(code, folder=folder, sources=sources) == ["change_it.networks.headline_pipeline", new]


def test_a_model_pushed_by_transformers_opens_by_its_id(generators, hub, client, stranger):
    code = """
import change_it.auto
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
AutoModelForSeq2SeqLM.from_pretrained(given["folder"]).push_to_hub("nina/own")
AutoTokenizer.from_pretrained(given["folder"]).push_to_hub("nina/own")
"""
    client.run(code, folder=generators / "pn")
    source = ITEMS[0][1]
    [[by_id]] = stranger.run(PIPELINE, model="nina/own", sources=[source], options={})
    transfer = HeadlineTransfer.from_pretrained(generators / "pn", device="cpu")
    assert by_id == transfer(*ITEMS[0][:1], article=source, to="gio")


def test_a_trained_model_has_its_card_beside_it(generators, tmp_path):
    folder = shutil.copytree(generators / "pn", tmp_path / "pn")
    write_readme(folder, "generator")
    card = (folder / "README.md").read_text()
    assert card.startswith("# sum: headlines of gio")
    assert f'write = pipeline("text-generation", model="{folder}", trust_remote_code=True)' in card
    for task in ("main", "hh"):
        save_judge(tmp_path / task, task)
        write_readme(tmp_path / task, "judge")
        assert 'pipeline("text-classification"' in (tmp_path / task / "README.md").read_text()
    write_readme(save_reader(tmp_path / "facts", "words"), "judge")
    assert "AutoModelForSeq2SeqLM" in (tmp_path / "facts/README.md").read_text()


def test_the_pipeline_refuses_a_model_that_is_no_generator(alone, tmp_path):
    code = """
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
from transformers.dynamic_module_utils import get_class_from_dynamic_module
options = {"trust_remote_code": True}
pipeline = get_class_from_dynamic_module("headline_pipeline.HeadlinePipeline", given["folder"])
model = AutoModelForSeq2SeqLM.from_pretrained(given["folder"], **options)
pipeline(model=model, tokenizer=AutoTokenizer.from_pretrained(given["folder"], **options))
"""
    with pytest.raises(ClientError, match="does not say how this model reads and writes"):
        alone.run(code, folder=save_reader(tmp_path, "words"))
