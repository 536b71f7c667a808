"""`change-it merge`: the merged model writes what the adapters on their base wrote."""

import shutil

import pytest
import torch
from tiny_generators import HEADLINES, options
from transformers import GenerationConfig

from change_it.commands import merge
from change_it.commands.merge import MergeOptions
from change_it.errors import InputError
from change_it.generators import train
from change_it.generators.generator import kind_of, load_generator
from change_it.generators.search import Search, generate


@pytest.fixture(scope="module", params=["t5", "gpt2"])
def adapted(request, corpus, tiny_t5, tiny_gpt2, tmp_path_factory):
    base = tmp_path_factory.mktemp("base") / "model"
    shutil.copytree({"t5": tiny_t5, "gpt2": tiny_gpt2}[request.param], base)
    out = tmp_path_factory.mktemp("adapted") / "out"
    train.train_generator(
        options(corpus, out, str(base), lora=True, learning_rate=5e-2, updates=4, evaluation_steps=4)
    )
    return out, base


def test_a_merged_generator_is_the_same_generator_without_its_base(adapted, corpus, tmp_path):
    folder, base = adapted
    merge.run(MergeOptions(adapter=str(folder), out=tmp_path / "merged"))
    ours = load_generator(folder, device="cpu")
    moved = base.rename(base.with_name("moved"))
    try:
        merged = load_generator(tmp_path / "merged", device="cpu")
        with pytest.raises(InputError, match="model"):
            load_generator(folder)
    finally:
        moved.rename(base)
    assert merged.card.base is None
    assert merged.card.to == ours.card.to
    ours.model.float()  # merged weights are float32; adapters may compute in bfloat16
    batch = ours.format.collate(HEADLINES, HEADLINES)
    with torch.no_grad():
        torch.testing.assert_close(merged.model(**batch).loss, ours.model(**batch).loss, atol=1e-4, rtol=0)
    for decoding in (Search(GenerationConfig(num_beams=1)), Search(GenerationConfig(num_beams=3))):
        texts = [
            [one.text for one in generate(generator.model, generator.format, HEADLINES, decoding)[0]]
            for generator in (ours, merged)
        ]
        assert texts[0] == texts[1]
    assert {path.name for path in (tmp_path / "merged").iterdir()} >= {"model.safetensors", "generator.json"}
    assert (tmp_path / "merged/corpus.json").read_bytes() == (folder / "corpus.json").read_bytes()
    assert not (tmp_path / "merged" / "adapter_config.json").exists()
    assert not (tmp_path / "merged" / "merging").exists()
    metrics = train.train_generator(options(corpus, tmp_path / "on", str(tmp_path / "merged"), updates=1))
    assert metrics["card"]["architecture"] == "merged"


def test_bad_input(adapted, tmp_path):
    folder, _ = adapted
    with pytest.raises(InputError, match="merge them first with change-it merge"):
        kind_of(str(folder))
    with pytest.raises(InputError, match="no output may overwrite an input"):
        merge.run(MergeOptions(adapter=str(folder), out=folder))
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is a file"):
        merge.run(MergeOptions(adapter=str(folder), out=tmp_path / "file"))
    (tmp_path / "other").mkdir()
    (tmp_path / "other/letter.txt").write_text("keep me")
    with pytest.raises(InputError, match="choose another --out"):
        merge.run(MergeOptions(adapter=str(folder), out=tmp_path / "other"))
    merge.run(MergeOptions(adapter=str(folder), out=tmp_path / "merged"))
    with pytest.raises(InputError, match="holds no adapters"):
        merge.run(MergeOptions(adapter=str(tmp_path / "merged"), out=tmp_path / "again"))
    with pytest.raises(InputError, match="there is no folder"):
        merge.run(MergeOptions(adapter=str(tmp_path / "none"), out=tmp_path / "again"))
