"""`change-it train generator` from the corpus folder to a saved generator: networks, resuming, failures."""

import json

import pytest
from judge_data import with_arg
from processes import run_python

from change_it.cli import train as train_commands
from change_it.corpus.folder import describe_corpus, read_trained_on
from change_it.errors import InputError
from change_it.generators import train
from change_it.generators.data import load_recipe
from change_it.generators.generator import load_generator, new_network
from change_it.generators.options import NETWORKS, GeneratorOptions, Preset, architecture_of
from change_it.generators.transfer import HeadlineTransfer
from change_it.training.training_options import CONSTANT


def options(corpus, out, **changes):
    settings = {"recipe": "s2s2", "architecture": "pn", "to": "faro", "cells": 16, "vocabulary": 500}
    settings |= {"source_tokens": 24, "target_tokens": 16, "batch_size": 8, "max_steps": 20}
    settings |= {"eval_steps": 10, "checkpoint_minutes": 0.0, **changes}
    return GeneratorOptions(corpus=corpus, out=out, **with_arg(settings))


@pytest.fixture(scope="module")
def trained(corpus, tmp_path_factory):
    out = tmp_path_factory.mktemp("generator") / "s2s2-faro"
    train_commands.generator(options(corpus, out))
    return out


def test_a_generator_learns_and_is_saved_with_its_numbers(trained, corpus):
    metrics = json.loads((trained / "metrics.json").read_text())
    losses = [record["validation loss"] for record in metrics["training"]["history"]]
    assert metrics["validation_loss"] == min(losses) < losses[0]
    assert [record["update"] for record in metrics["training"]["history"]] == [10, 20]
    assert (metrics["options"]["optim"], metrics["options"]["learning_rate"]) == ("adagrad", 0.15)
    assert metrics["sizes"]["trained"] == metrics["sizes"]["parameters"] > 0
    files = {path.name for path in trained.iterdir()}
    assert not {name for name in files if name.endswith((".bin", ".pt")) or name == "checkpoints"}
    assert read_trained_on(trained) == describe_corpus(corpus)

    generator = load_generator(trained, device="cpu")
    info = generator.info
    assert (info.recipe, info.reads, info.to, info.kind) == ("s2s2", "headline", "faro", "words")
    assert (info.outlets, info.source_tokens, info.base) == (("colle", "faro"), 24, None)
    validation = load_recipe(corpus, "s2s2", "faro", validation_share=0.05, seed=1).validation
    for batch_size in (1, 64):
        batches = train.batches_of(generator.format, validation, batch_size=batch_size)
        loss = train.loss_per_token(generator.model, batches)
        assert loss == pytest.approx(metrics["validation_loss"], abs=1e-4)
    assert generator.weights_hash == metrics["weights_hash"]


def test_rewrite_trains_one_generator_for_both_outlets_in_bfloat16(corpus, tmp_path):
    changed = {"recipe": "rewrite", "architecture": None, "to": None, "max_steps": 4, "eval_steps": 2}
    metrics = train.train_generator(options(corpus, tmp_path, **changed, arg=("bf16=true",)))
    history = metrics.training.history
    assert history[-1]["validation loss"] < history[0]["validation loss"]
    transfer = HeadlineTransfer.from_pretrained(tmp_path, device="cpu")
    assert (transfer.targets, transfer.needs) == (("colle", "faro"), ("headline", "article"))
    assert transfer.generators["colle"].info.architecture == "transformer"
    assert all(transfer(["Crolla il ponte"] * 2, article=["Il ponte è crollato."] * 2, to=["colle", "faro"]))
    with pytest.raises(InputError, match="requires article="):
        transfer("Crolla il ponte", to="colle")


@pytest.mark.parametrize("name", ["FSDP", "DeepSpeed"])
def test_sharded_models_are_refused(corpus, tmp_path, monkeypatch, name):
    monkeypatch.setenv(f"ACCELERATE_USE_{name.upper()}", "true")
    with pytest.raises(InputError, match=f"{name} shards the model: launch without it"):
        train.train_generator(options(corpus, tmp_path))


def test_presets_are_the_papers():
    usual = {"optim": "adagrad", "learning_rate": 0.15, "max_grad_norm": 2.0, **CONSTANT}
    for name, batch, updates, cells in (("pn", 32, 125_000, 256), ("s2s", 64, 100_000, 128)):
        arguments = {"per_device_train_batch_size": batch, "max_steps": updates, **usual}
        assert NETWORKS[name] == Preset(256, 50, 0, arguments, 100_000, cells)


LREC = ("agnostic", "train_d", "train_m")


@pytest.mark.parametrize(
    ("recipe", "architecture", "expected"),
    [
        ("sum", None, ("pn", 256, 256)),
        ("sum", "pnc", ("pnc", 256, 256)),
        ("s2s2", None, ("s2s", 256, 128)),
        *((recipe, None, ("pnc", 500, 256)) for recipe in LREC),
        *((recipe, "s2s", ("s2s", 500, 256)) for recipe in LREC),  # LREC 2020, section 3.1
    ],
)
def test_as_published_is_each_papers_generator(tmp_path, recipe, architecture, expected):
    given = {"recipe": recipe, "architecture": architecture, "as_published": True}
    options = GeneratorOptions(**given, corpus="c", out=tmp_path)
    assert (architecture_of(options), options.values.source_tokens, options.values.cells) == expected


@pytest.mark.parametrize("changes", [{"lora": True}, {"architecture": "owner/t5"}, {"recipe": "rewrite"}])
def test_what_no_paper_has_is_not_as_published(tmp_path, changes):
    given = {"recipe": "sum", "corpus": "c", "out": tmp_path, "as_published": True, **changes}
    with pytest.raises(InputError, match="--as-published requires s2s, pn or pnc"):
        architecture_of(GeneratorOptions(**given))


@pytest.mark.parametrize("option", ["vocabulary", "cells"])
def test_sizes_of_a_new_network_are_refused_for_a_model_that_is_there(option, tmp_path):
    given = {"recipe": "sum", "corpus": "c", "out": tmp_path, "architecture": "owner/t5", option: 64}
    with pytest.raises(
        InputError, match=f"^--{option} requires a new network .s2s, pn, pnc, transformer., not owner/t5"
    ):
        train.train_generator(GeneratorOptions(**given))


@pytest.mark.parametrize("name", ["s2s", "pn", "pnc"])
def test_the_network_as_published_is_the_organisers(name):
    cells, texts = 16, ["il ponte crolla", "Ecco chi paga"]
    model, _ = new_network(name, texts, vocabulary=100, cells=cells, as_published=True)
    assert model.output.weight.shape == (model.config.words, cells)
    assert model.merge.weight.shape == (cells, 2 * cells)
    assert model.config.loss_by_sequence
    bridge = getattr(model.encoder, "bridge_hidden", None)
    assert bridge is None if name == "s2s" else bridge.weight.shape == (cells // 2, cells // 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("launcher", "processes"),
    [
        (("torch.distributed.run", "--standalone", "--nproc_per_node", "2"), 2),
        (("accelerate.commands.launch", "--cpu", "--num_processes", "2"), 1),  # as accelerate has it
    ],
)
def test_a_launch_says_how_many_processes_trained(corpus, tmp_path, launcher, processes):
    sizes = ["--source-tokens", "24", "--target-tokens", "16", "--cells", "16", "--vocabulary", "500"]
    asked = ["--recipe", "s2s2", "--to", "faro", "--architecture", "pn", "--arg", "max_steps=2", *sizes]
    files = ["--corpus", str(corpus), "--out", str(tmp_path / "out")]
    done = run_python("-m", *launcher, "-m", "change_it.generators.train", *asked, *files, check=True)
    assert json.loads((tmp_path / "out/metrics.json").read_text())["processes"] == processes
    assert any(line.endswith(f"out (processes: {processes})") for line in done.stdout.splitlines())
