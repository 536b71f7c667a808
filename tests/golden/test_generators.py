"""Generators that version 0.1.0 saved open in every later one, and write the same headlines."""

import json
from pathlib import Path

import pytest
import torch
from csv_files import read_csv, write_rows
from tiny_generators import transferred
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, GenerationConfig

from change_it import HeadlineTransfer
from change_it.cli.transfer import TransferOptions
from change_it.generators.examples import source_of
from change_it.generators.networks.headline_pipeline import HeadlinePipeline

FOLDER = Path(__file__).parent / "generators"
ITEMS = json.loads((FOLDER / "items.json").read_text(encoding="utf-8"))
OUTPUTS = json.loads((FOLDER / "outputs.json").read_text(encoding="utf-8"))
SIGNATURES = {"sum-faro": "ffd52b746d21acfc", "rewrite": "f73e59bf8b34f497"}
HEADLINES, ARTICLES = ([item[name] for item in ITEMS] for name in ("headline", "article"))


@pytest.fixture(params=OUTPUTS)
def name(request):
    return request.param


def aims(name):
    return ["faro" if name == "sum-faro" or item["label"] == "colle" else "colle" for item in ITEMS]


def test_a_saved_generator_writes_what_it_wrote(name):
    transfer = HeadlineTransfer.from_pretrained(FOLDER / name, device="cpu")
    given = {"article": ARTICLES, "to": aims(name)}
    assert transfer(HEADLINES, **given) == OUTPUTS[name]["beams"]
    assert transfer(HEADLINES, **given, decoding=GenerationConfig(num_beams=1)) == OUTPUTS[name]["greedy"]
    offered = transfer.candidates(HEADLINES, **given, num_candidates=3)
    assert [[one.text for one in some] for some in offered] == OUTPUTS[name]["candidates"]


def test_the_command_and_the_pipeline_write_the_same(name, tmp_path):
    file = str(write_rows(tmp_path / "items.csv", ITEMS))
    to = "faro" if name == "sum-faro" else None
    generator = str(FOLDER / name)
    options = TransferOptions(generator=generator, input=file, to=to, out=tmp_path / "new.csv", device="cpu")
    assert [row["headline"] for row in transferred(options)] == OUTPUTS[name]["beams"]
    assert {row["generator"][:16] for row in read_csv(options.out)} == {SIGNATURES[name]}

    loaded = AutoModelForSeq2SeqLM.from_pretrained(generator, dtype=torch.float32)
    write = HeadlinePipeline(model=loaded, tokenizer=AutoTokenizer.from_pretrained(generator), device="cpu")
    reads = "article" if name == "sum-faro" else "both"
    texts = zip(HEADLINES, ARTICLES, aims(name), strict=True)
    answers = write([source_of(reads, *item) for item in texts])
    assert [answer["generated_text"] for [answer] in answers] == OUTPUTS[name]["beams"]
