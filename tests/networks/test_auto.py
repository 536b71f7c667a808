"""transformers' own calls write what `transfer` writes, and run no code from the folder once `change_it.auto` is imported."""

import json
from pathlib import Path

import pytest
import torch
from tiny_generators import WORDS, save_generator, save_pretrained_generator
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, pipeline

from change_it import HeadlineTransfer
from change_it.generators.recipes import source_of

GOLDEN = Path(__file__).parents[1] / "golden/generators"
ITEMS = json.loads((GOLDEN / "items.json").read_text(encoding="utf-8"))
HEADLINES, ARTICLES = ([item[name] for item in ITEMS] for name in ("headline", "article"))
AIMS = ["faro" if item["label"] == "colle" else "colle" for item in ITEMS]


@pytest.mark.parametrize("name", ["sum-faro", "rewrite"])
def test_the_pair_of_model_and_tokenizer_writes_what_transfer_writes(name):
    model = AutoModelForSeq2SeqLM.from_pretrained(GOLDEN / name, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(GOLDEN / name)
    outputs = json.loads((GOLDEN / "outputs.json").read_text(encoding="utf-8"))
    reads = "article" if name == "sum-faro" else "both"
    sources = [source_of(reads, *item) for item in zip(HEADLINES, ARTICLES, AIMS, strict=True)]
    most = model.config.change_it["format"]["max_source_tokens"]
    read = tokenizer(sources, padding=True, truncation=True, max_length=most, return_tensors="pt")
    assert any(tokenizer.unknown)
    ids = model.generate(**read, tokenizer=tokenizer)
    assert tokenizer.batch_decode(ids, skip_special_tokens=True) == outputs[name]["beams"]
    several = model.generate(**read, tokenizer=tokenizer, num_return_sequences=2)
    assert tokenizer.batch_decode(several, skip_special_tokens=True)[::2] == outputs[name]["beams"]


@pytest.mark.parametrize("kind", ["pn", "encoder-decoder", "causal"])
def test_a_pipeline_runs_no_code_from_the_folder(tmp_path, kind):
    folder = tmp_path / kind
    save_generator(folder) if kind == "pn" else save_pretrained_generator(folder, kind)
    for code in folder.glob("*.py"):
        code.write_text("raise SystemExit")
    write = pipeline("headline-generation", model=str(folder))
    expected = HeadlineTransfer.from_pretrained(folder, device="cpu")("", article=WORDS, to="gio")
    assert write(WORDS) == [{"generated_text": expected}]
    write.save_pretrained(tmp_path / "again")
    saved = json.loads((tmp_path / "again/config.json").read_text(encoding="utf-8"))
    assert [*saved["custom_pipelines"]] == ["text-generation"]
    assert pipeline("headline-generation", model=str(tmp_path / "again"))(WORDS) == write(WORDS)
