"""Malformed files and models are read or refused, whatever they are: see `malformed.py`."""

import json
import shutil
from functools import partial
from pathlib import Path

import malformed
import pytest
from malformed import edit, edit_weights, in_shards, spoil
from space_runs import save_judge
from tiny_generators import save_generator

from change_it import io
from change_it.cli import main
from change_it.errors import InputError
from change_it.text.names import Casing


def test_a_hundred_malformed_files(tmp_path):
    assert malformed.check(tmp_path, 100, seed=1, large=0) == []


@pytest.mark.slow(seconds=60)
def test_thousands_of_malformed_files(forks):
    program = Path(malformed.__file__)
    code = f"import runpy, sys; sys.path.insert(0, {str(program.parent)!r}); runpy.run_path({str(program)!r}, run_name='__main__')"
    done = forks.run(
        code, "--files", "3000", "--models", "300", "--seed", "7"
    )  # nights draw one, and more: see the Makefile
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Three judges and a generator."""
    folder = tmp_path_factory.mktemp("made")
    for task in ("main", "hh", "ah"):
        save_judge(folder / "judges" / task, task)
    save_generator(folder / "generator")
    return folder


def test_some_malformed_models(made, tmp_path):
    check = malformed.check_models
    assert check(tmp_path, made / "judges/hh", malformed.ask_judge, 25, seed=1) == []
    assert check(tmp_path, made / "generator", malformed.ask_generator, 25, seed=2) == []


def set_in(name, *path, value):
    """Change one value of a JSON file."""

    def change(record):
        for key in path[:-1]:
            record = record[key]
        record[path[-1]] = value

    return lambda folder: edit(folder / name, change)


def drop_from(name, key):
    return lambda folder: edit(folder / name, lambda record: record.pop(key))


def write(name, text):
    return lambda folder: (folder / name).write_text(text)


def change_weights(change, *arguments, **options):
    return lambda folder: edit_weights(folder, partial(change, *arguments, **options))


def drop(name, tensors):
    del tensors[next(key for key in tensors if name in key)]


DEEP = "[" * 100_000
#: What is done to a judge's folder, and what the refusal says.
JUDGES = {
    "NaN": (change_weights(spoil), "no finite numbers"),
    "infinity": (change_weights(spoil, name="classifier", number=float("inf")), r"no finite numbers \(classifier"),
    "overflow": (change_weights(lambda held: held.update({key: held[key] * 1e30 for key in held})), "no probabilities"),
    "a tensor is missing": (change_weights(partial(drop, "classifier.weight")), "lack classifier.weight"),
    "a tensor too many": (change_weights(lambda held: held.update(more=held["classifier.bias"])), "no place for more"),
    "fewer layers": (set_in("config.json", "num_hidden_layers", value=0), "no place for"),
    "a shard is missing": (partial(in_shards, lacking=True), "model-00002-of-00002.safetensors, which does not lie beside"),
    "a shard elsewhere": (partial(in_shards, elsewhere=True), "which does not lie beside it"),
    "other weights": (set_in("config.json", "transformers_weights", value="x.safetensors"), "names other weights"),
    "adapters": (write("adapter_config.json", "{}"), "holds adapters"),
    "a kernel": (set_in("config.json", "attn_implementation", value="kernels-community/flash-attn"), "code of the Hub"),
    "a million layers": (set_in("config.json", "num_hidden_layers", value=10**6), "far larger model"),
    "huge": (lambda folder: (drop_embeddings(folder), set_in("config.json", "vocab_size", value=10**10)(folder)), "far larger"),
    "outlets 3": (set_in("config.json", "change_it", "outlets", value=3), "does not say for which"),
    "max_tokens": (set_in("config.json", "change_it", "max_tokens", value="x"), "does not say for which"),
    "too long": (set_in("config.json", "change_it", "max_tokens", value=10**6), "reads less than the 1000000"),
    "three classes": (set_in("config.json", "id2label", value={"0": "a", "1": "b", "2": "c"}), "another version"),
    "nested": (write("config.json", '{"model_type":' + DEEP), "config.json is broken"),
    "no tokenizer": (write("tokenizer.json", "{}"), "cannot be loaded as a judge"),
    "nested tokenizer": (write("tokenizer.json", DEEP), "cannot be loaded as a judge"),
    "no padding": (drop_from("tokenizer_config.json", "pad_token"), "cannot be loaded as a judge"),
    "another tokenizer": (set_in("tokenizer.json", "model", "vocab", "zzz", value=10**6), "cannot be loaded as a judge"),
}  # fmt: skip
GENERATORS = {
    "NaN": (change_weights(spoil), "no finite numbers"),
    "a tensor is missing": (change_weights(partial(drop, "switch.weight")), "lack switch.weight"),
    "a shard is missing": (partial(in_shards, lacking=True), "does not lie beside"),
    "recipe": (set_in("generator.json", "recipe", value=["sum"]), "generator.json is broken"),
    "outlets": (set_in("generator.json", "outlets", value=3), "generator.json is broken"),
    "source_tokens": (set_in("generator.json", "source_tokens", value="x"), "generator.json is broken"),
    "prompt": (set_in("generator.json", "prompt", value=["Articolo:"]), "generator.json is broken"),
    "long source": (set_in("generator.json", "source_tokens", value=10**9), "generator.json is broken"),
    "target_tokens": (set_in("generator.json", "target_tokens", value=-1), "generator.json is broken"),
    "nested": (write("generator.json", '{"recipe":' + DEEP), "generator.json is broken"),
    "tokenizer": (write("tokenizer.json", "{}"), "no tokenizer that can be loaded"),
    "first token": (write("generation_config.json", '{"decoder_start_token_id": {}}'), "cannot be loaded as a generator"),
    "temporary ids": (set_in("tokenizer_config.json", "reserved", value="x"), "cannot be loaded as a generator"),
}  # fmt: skip


def drop_embeddings(folder):
    edit_weights(folder, partial(drop, "word_embeddings"))


@pytest.mark.parametrize("name", JUDGES)
def test_score_refuses_a_damaged_judge_in_one_sentence(name, made, toy_corpus, tmp_path, capsys):
    damage, says = JUDGES[name]
    judges = Path(shutil.copytree(made / "judges", tmp_path / "judges"))
    damage(judges / "hh")
    assert main(["score", "--corpus", str(toy_corpus), "--judges", str(judges), "--device", "cpu"]) == 2
    [sentence] = capsys.readouterr().err.strip().splitlines()
    assert sentence.startswith("change-it: ")
    assert "hh" in sentence
    assert pytest.raises(InputError, match=says).matches(InputError(sentence))


@pytest.mark.parametrize("name", GENERATORS)
def test_transfer_refuses_a_damaged_generator_in_one_sentence(name, made, tmp_path, capsys):
    damage, says = GENERATORS[name]
    folder = Path(shutil.copytree(made / "generator", tmp_path / "sum"))
    damage(folder)
    (tmp_path / "article.txt").write_text("Il ponte crolla.")
    arguments = ["Il ponte", "--article", str(tmp_path / "article.txt"), "--generator", str(folder)]
    assert main(["transfer", *arguments, "--device", "cpu"]) == 2
    [sentence] = capsys.readouterr().err.strip().splitlines()
    assert str(folder) in sentence
    assert pytest.raises(InputError, match=says).matches(InputError(sentence))


def test_whole_shards_are_loaded_and_hashed(made, tmp_path):
    from change_it.judges.judge import Judge

    folder = Path(shutil.copytree(made / "judges/hh", tmp_path / "hh"))
    whole = Judge.from_pretrained(folder, device="cpu")
    in_shards(folder)
    sharded = Judge.from_pretrained(folder, device="cpu")
    asked = ["Il ponte crolla"], ["sciopero dei treni"]
    assert (sharded.probabilities(*asked) == whole.probabilities(*asked)).all()
    assert sharded.weights_hash != whole.weights_hash


def test_a_tokenizer_that_gives_up_on_a_text_is_one_sentence(made, tmp_path):
    from change_it import HeadlineTransfer
    from change_it.judges.judge import Judge

    split = {"type": "Split", "pattern": {"Regex": "(x+x+)+y"}, "behavior": "Isolated", "invert": False}
    judge, generator = (
        Path(shutil.copytree(made / name, tmp_path / name)) for name in ("judges/hh", "generator")
    )
    for folder in (judge, generator):
        set_in("tokenizer.json", "pre_tokenizer", value=split)(folder)
    text = "x" * 60
    with pytest.raises(InputError, match=f"tokenizer in {judge} cannot read a text: Onig"):
        Judge.from_pretrained(judge, device="cpu").probabilities([text], [text])
    with pytest.raises(InputError, match=f"tokenizer in {generator} cannot read a text: Onig"):
        HeadlineTransfer.from_pretrained(generator, device="cpu")(text, article=text)


@pytest.mark.parametrize(
    "content",
    ["[]", '{"lower": 3}', '{"lower": {"a": "b"}, "upper": {}, "full": {}}', DEEP, '{"lower": {}, "upper": {}, "full": {"a": 3}}',
     '{"lower": {"a": NaN}, "upper": {}, "full": {}}', '{"lower": {"a": -5}, "upper": {}, "full": {}}'],
)  # fmt: skip
def test_a_casing_that_training_did_not_write_is_refused(content, tmp_path):
    (tmp_path / "casing.json").write_text(content)
    with pytest.raises(InputError, match=r"casing\.json is broken"):
        Casing.load(tmp_path)


@pytest.mark.parametrize(
    "content",
    ["[]", "{}", '{"results": 3}', '{"results": {"hard": {}}, "baselines": {}, "classes": ["a"]}', DEEP],
)
def test_score_refuses_metrics_that_training_did_not_write(content, made, toy_corpus, tmp_path, capsys):
    judges = Path(shutil.copytree(made / "judges", tmp_path / "judges"))
    (judges / "hh/metrics.json").write_text(content)
    arguments = ["--corpus", str(toy_corpus), "--judges", str(judges), "--out", str(tmp_path / "report")]
    assert main(["score", *arguments]) == 2
    assert "hh/metrics.json is broken" in capsys.readouterr().err


def test_a_record_of_very_many_entries_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(io.files, "LARGEST_RECORD", 1_000_000)
    (tmp_path / "casing.json").write_text(json.dumps({str(number): number for number in range(100_000)}))
    with pytest.raises(InputError, match="more than 1 MB"):
        Casing.load(tmp_path)
