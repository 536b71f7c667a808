"""Pre-trained encoder-decoders and causal models: trained whole or through adapters, saved, reloaded."""

import json
import shutil
from collections import Counter
from dataclasses import replace

import pytest
import torch
from corpus_fakes import articles, write_articles
from malformed import edit, edit_weights
from safetensors import safe_open
from tiny_generators import CARD, HEADLINES, batch_of, found_by, options, transferred
from tokenizers import Tokenizer
from tokenizers.models import BPE
from transformers import PreTrainedTokenizerFast

from change_it.cli import corpus as corpus_commands
from change_it.cli import train as train_commands
from change_it.cli.transfer import TransferOptions
from change_it.corpus.reading.options import BuildOptions
from change_it.errors import InputError
from change_it.generators import train
from change_it.generators.data import load_recipe
from change_it.generators.folder import GeneratorInfo
from change_it.generators.generator import add_adapters, load_generator, load_model, load_tokenizer


def keys(folder, name):
    with safe_open(folder / name, "pt") as file:
        return list(file.keys())


@pytest.mark.parametrize("lora", [False, True], ids=["whole", "adapters"])
@pytest.mark.parametrize("name", ["t5", "llama"])
def test_a_model_learns_and_reloads(corpus, tmp_path, tiny_models, name, lora, monkeypatch):
    base, out = tiny_models[name], tmp_path / "out"
    short = {"max_steps": 12, "eval_steps": 6, "learning_rate": 1e-2}
    short |= {"arg": ("eval_on_start=true",), "lora": lora}
    metrics = train.train_generator(options(corpus, out, base, **short))
    losses = [record["validation loss"] for record in metrics.training.history]
    assert min(losses) < losses[0] - (0 if lora else 0.1)
    monkeypatch.chdir(tmp_path)  # from anywhere
    generator = load_generator(out, device="cpu")
    assert generator.info.kind == ("encoder-decoder" if name == "t5" else "causal")
    assert generator.info.base == (base if lora else None)
    assert generator.weights_hash == metrics.weights_hash
    offered = found_by(generator.model, generator.format, HEADLINES, num_beams=3, candidates=2)
    assert all(1 <= len(candidates) <= 2 for candidates in offered)
    if not lora:
        return
    assert 0 < metrics.sizes.trained < metrics.sizes.parameters
    assert not (out / "model.safetensors").exists()
    assert all("lora_" in key for key in keys(out, "adapter_model.safetensors"))
    adapter = json.loads((out / "adapter_config.json").read_text())
    assert (adapter["r"], adapter["lora_alpha"]) == (16, 32)
    assert "peft" in metrics.versions
    bare = load_model(base, generator.info.kind, load_tokenizer(base)).eval()
    batch = batch_of(generator.format, HEADLINES, HEADLINES)
    with torch.no_grad():
        assert abs(float(generator.model(**batch).loss - bare(**batch).loss)) > 1e-4


def test_adapters_have_the_settings_that_are_given(corpus, tmp_path, tiny_models):
    given = {"lora": True, "lora_rank": 4, "lora_alpha": 6, "lora_dropout": 0.1, "lora_targets": ("q", "v")}
    chosen = options(corpus, tmp_path / "out", tiny_models["t5"], **given)
    tokenizer = load_tokenizer(tiny_models["t5"])
    model = load_model(tiny_models["t5"], "encoder-decoder", tokenizer, use="base")
    adapted = add_adapters(model, "t5", "encoder-decoder", chosen.adapters)
    settings = adapted.peft_config["default"]
    assert (settings.r, settings.lora_alpha, settings.lora_dropout) == (4, 6, 0.1)
    assert settings.target_modules == {"q", "v"}
    layers = {name.rpartition(".lora_A")[0].rpartition(".")[2] for name, _ in adapted.named_parameters()}
    assert layers - {""} == {"q", "v"}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"lora_rank": 8}, "--lora-rank requires --lora"),
        ({"lora_targets": ("q",)}, "--lora-targets requires --lora"),
        ({"lora": True, "lora_rank": 0}, "--lora-rank 0 is out of range"),
        ({"lora": True, "lora_dropout": 1.0}, "--lora-dropout 1.0 is out of range"),
    ],
)
def test_settings_of_adapters_that_fit_nothing_are_refused(corpus, tmp_path, tiny_models, given, says):
    with pytest.raises(InputError, match=says):
        train.train_generator(options(corpus, tmp_path / "out", tiny_models["t5"], **given))


def test_sources_beyond_the_positions_of_a_model_are_refused(corpus, tmp_path, tiny_models):
    with pytest.raises(InputError, match=r"has positions for \d\d tokens of the source .* give a smaller"):
        train.train_generator(options(corpus, tmp_path, tiny_models["llama"], source_tokens=112))


def test_signs_without_a_token_and_the_precision_are_recorded_and_said(
    corpus, tmp_path, tiny_models, capsys, monkeypatch
):
    folder = shutil.copytree(tiny_models["t5"], tmp_path / "ascii")
    special = {"pad_token": "<pad>", "eos_token": "</s>", "bos_token": "<s>", "unk_token": "<unk>"}
    signs = {sign: number for number, sign in enumerate([*special.values(), *map(chr, range(32, 127))])}
    backend = Tokenizer(BPE(signs, [], unk_token="<unk>"))
    PreTrainedTokenizerFast(tokenizer_object=backend, **special).save_pretrained(folder)
    monkeypatch.setenv("ACCELERATE_MIXED_PRECISION", "bf16")
    train_commands.generator(options(corpus, tmp_path / "out", str(folder), max_steps=1, eval_steps=1))
    metrics = json.loads((tmp_path / "out/metrics.json").read_text(encoding="utf-8"))
    headlines = load_recipe(corpus, "s2s2", "faro", seed=1).train["target"]
    counts = Counter(sign for headline in headlines for sign in set(headline) if ord(sign) > 126)
    assert metrics["precision"] == "bf16"
    assert metrics["unknown_signs"] == dict(counts) != {}
    first = next(iter(metrics["unknown_signs"]))
    assert f"no token for signs of headlines, {first} (in " in capsys.readouterr().out


def test_a_broken_adapter_run_resumes_to_the_same_adapters(corpus, tmp_path, tiny_models, interrupted_at):
    short = {"lora": True, "max_steps": 6, "eval_steps": 3, "checkpoint_minutes": 0.0}
    train.train_generator(options(corpus, tmp_path / "whole", tiny_models["t5"], **short))
    with interrupted_at(5):
        train.train_generator(options(corpus, tmp_path / "broken", tiny_models["t5"], **short))
    [saved, *_] = tmp_path.glob("broken/checkpoints/generator/*/adapter_model.safetensors")
    assert all("lora_" in key for key in keys(saved.parent, saved.name))
    train.train_generator(options(corpus, tmp_path / "broken", tiny_models["t5"], **short, resume=True))
    weights = {(tmp_path / name / "adapter_model.safetensors").read_bytes() for name in ("whole", "broken")}
    assert len(weights) == 1


@pytest.fixture(scope="module")
def untrained(tiny_models, tmp_path_factory):
    """A folder of untrained adapters."""
    out = tmp_path_factory.mktemp("untrained")
    tokenizer = load_tokenizer(tiny_models["t5"])
    model = load_model(tiny_models["t5"], "encoder-decoder", tokenizer, use="base")
    add_adapters(model, tiny_models["t5"], "encoder-decoder").save_pretrained(out)
    tokenizer.save_pretrained(out)
    made_of = {"kind": "encoder-decoder", "architecture": "t5", "base": tiny_models["t5"]}
    GeneratorInfo(**CARD | made_of, to="faro", outlets=("colle", "faro")).save(out)
    assert load_generator(out, device="cpu").info.base == tiny_models["t5"]
    return out


@pytest.mark.parametrize(
    ("file", "damage", "says"),
    [
        ("generator.json", {"base": "../tiny-t5"}, "neither the full path of a folder nor a Hub id"),
        ("generator.json", {"base": "/nowhere/t5"}, r"belong to /nowhere/t5, .*name its new place as base"),
        ("adapter_config.json", {"lora_alpha": "x"}, "do not fit their base model"),
        ("", lambda tensors: tensors.pop(min(tensors)), "Found missing adapter keys"),
    ],
)
def test_adapters_without_their_base_or_damaged_are_refused(file, damage, says, untrained, tmp_path):
    folder = shutil.copytree(untrained, tmp_path / "adapters")
    if file:
        edit(folder / file, lambda record: record.update(damage))
    else:
        edit_weights(folder, damage)
    with pytest.raises(InputError, match=says):
        load_generator(folder, device="cpu")


@pytest.mark.slow(seconds=15)
def test_english_articles_go_from_build_to_adapters_that_write(tmp_path, tiny_models):
    english = [
        replace(
            one, article=f"It was said that {one.article.replace(' ', ' of the ', 8)} and it is in the city"
        )
        for one in articles(close=60, loose=20, alone=40)
    ]
    news, folder = write_articles(tmp_path / "news.csv", english), tmp_path / "corpus"
    corpus_commands.build(BuildOptions(files=(str(news),), out=folder))
    given = {"recipe": "rewrite", "to": None, "lora": True, "max_steps": 4, "eval_steps": 4}
    train.train_generator(options(str(folder), tmp_path / "out", tiny_models["llama"], **given))
    info = GeneratorInfo.load(tmp_path / "out")
    assert (info.language, info.prompt[0]) == ("en", "Article: ")
    chosen = {"generator": str(tmp_path / "out"), "corpus": str(folder), "items": 4, "device": "cpu"}
    rows = transferred(TransferOptions(**chosen, out=tmp_path / "new.csv", generation=("num_beams=1",)))
    assert len(rows) == 4
    signature = f"{load_generator(tmp_path / 'out').weights_hash}|tiny-llama"
    assert {row["generator"] for row in rows if row["headline"]} == {signature}
