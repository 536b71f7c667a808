"""transformers' own calls write what `transfer` writes.

They run no code from the folder once `change_it.auto` is imported.
"""

import json
import shutil
from pathlib import Path

import pytest
from malformed import edit
from tiny_generators import WORDS, save_generator, save_pretrained_generator
from transformers import pipeline

from change_it import HeadlineTransfer, InputError
from change_it.generators.generator import add_adapters

GOLDEN = Path(__file__).parents[2] / "golden/generators"
ITEMS = json.loads((GOLDEN / "items.json").read_text(encoding="utf-8"))
HEADLINES, ARTICLES = ([item[name] for item in ITEMS] for name in ("headline", "article"))
AIMS = ["faro" if item["label"] == "colle" else "colle" for item in ITEMS]


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
    assert pipeline("headline-generation", model=str(tmp_path / "again"))(WORDS) == write(WORDS)
    with pytest.raises(ValueError, match="trust_remote_code=True"):  # as docs/transformers.md says
        pipeline("text-generation", model=str(folder))


def test_a_pipeline_for_both_outlets_refuses_a_source_that_names_none(tmp_path):
    folder = save_generator(tmp_path / "rewrite", recipe="rewrite", to=None, architecture="transformer")
    write = pipeline("headline-generation", model=str(folder))
    assert write(f"gio | Crolla il ponte | {WORDS}")
    for source in ("Crolla il ponte", "corriere | Crolla il ponte | Il ponte", "gio | Crolla il ponte"):
        with pytest.raises(ValueError, match="with the outlet rep or gio"):
            write(source)


@pytest.mark.parametrize("kind", ["encoder-decoder", "causal"])
def test_a_merged_adapter_opens_with_the_generator_json_of_its_adapters(tmp_path, kind):
    folder = save_pretrained_generator(tmp_path / "whole", kind)
    transfer = HeadlineTransfer.from_pretrained(folder, device="cpu")
    generator = transfer.generators["gio"]
    adapted = add_adapters(generator.model, "base", kind)
    merged = tmp_path / "merged"
    adapted.merge_and_unload().save_pretrained(merged)  # adapters begin with nothing
    generator.format.tokenizer.save_pretrained(merged)
    with pytest.raises(InputError, match=r"copy generator\.json of adapters that are merged"):
        HeadlineTransfer.from_pretrained(merged, device="cpu")
    shutil.copy(folder / "generator.json", merged)
    edit(merged / "generator.json", lambda record: record.update(base="/gone/base"))
    opened = HeadlineTransfer.from_pretrained(merged, device="cpu")
    texts = {"article": ARTICLES[:2], "to": "gio"}
    expected = HeadlineTransfer.from_pretrained(folder, device="cpu")(HEADLINES[:2], **texts)
    assert opened(HEADLINES[:2], **texts) == expected
