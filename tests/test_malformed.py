"""Damaged models are refused in one sentence."""

import shutil
from functools import partial
from pathlib import Path

import pytest
from malformed import edit, edit_weights, in_shards, spoil

from change_it import HeadlineTransfer
from change_it.cli import main
from change_it.errors import InputError
from change_it.judges.judge import Judge


def set_in(name, *path, value):
    """Change one value of a JSON file."""

    def change(record):
        for key in path[:-1]:
            record = record[key]
        record[path[-1]] = value

    return lambda folder: edit(folder / name, change)


def write(name, text):
    return lambda folder: (folder / name).write_text(text)


def change_weights(change, *arguments, **options):
    return lambda folder: edit_weights(folder, partial(change, *arguments, **options))


def drop(name, tensors):
    del tensors[next(key for key in tensors if name in key)]


#: The damaged folder, what is done to it, and what the refusal says.
DAMAGES = [
    ("judges/hh", change_weights(spoil), "not finite numbers"),
    ("judges/hh", change_weights(partial(drop, "classifier.weight")), "another version .*classifier.weight"),
    ("judges/hh", partial(in_shards, elsewhere=True), "which is missing in its folder"),
    (
        "judges/hh",
        set_in("config.json", "attn_implementation", value="kernels-community/flash-attn"),
        "code of the Hub",
    ),
    ("judges/hh", set_in("config.json", "id2label", value={"0": "a", "1": "b", "2": "c"}), "another version"),
    ("judges/hh", write("config.json", '{"model_type":' + "[" * 100_000), "config.json is broken"),
    (
        "judges/main",
        set_in("config.json", "change_it", "style", "gold", value=float("nan")),
        "not as training writes it",
    ),
    (
        "judges/main",
        set_in("config.json", "change_it", "style", "leads", value={}),
        "cannot be loaded as a judge",
    ),
    ("judges/hh", write("tokenizer.json", "{}"), "cannot be loaded as a judge"),
    ("generator", change_weights(partial(drop, "switch.weight")), "another version .*switch.weight"),
    (
        "generator",
        change_weights(lambda tensors: tensors.update(more=tensors["energy"].copy())),
        "another version .*more",
    ),
    ("generator", write("generator.json", "recipe: sum"), "generator.json is broken"),
    (
        "generator",
        lambda folder: edit(folder / "generator.json", lambda record: record.pop("seed")),
        "generator.json is broken .*seed",
    ),
    (
        "generator",
        set_in("generator.json", "source_tokens", value="9"),
        "generator.json is broken .*source_tokens",
    ),
    (
        "generator",
        set_in("generator.json", "target_tokens", value=10**7),
        "lengths out of 1 to 10,000 tokens",
    ),
    ("generator", set_in("generator.json", "recipe", value="sun"), "generator.json is broken .*recipe.*sun"),
    ("generator", write("tokenizer.json", "{}"), "no tokenizer that can be loaded"),
]


@pytest.mark.parametrize(("name", "damage", "says"), DAMAGES, ids=[says for _, _, says in DAMAGES])
def test_a_damaged_model_is_refused_in_one_sentence(name, damage, says, saved_models, tmp_path):
    folder = Path(shutil.copytree(saved_models / name, tmp_path / "model"))
    damage(folder)
    kind = HeadlineTransfer if name == "generator" else Judge
    with pytest.raises(InputError, match=says) as refused:
        kind.from_pretrained(folder, device="cpu")
    assert str(folder) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_whole_shards_are_loaded_and_hashed(saved_models, tmp_path):
    folder = Path(shutil.copytree(saved_models / "judges/hh", tmp_path / "hh"))
    whole = Judge.from_pretrained(folder, device="cpu")
    in_shards(folder)
    sharded = Judge.from_pretrained(folder, device="cpu")
    asked = ["Il ponte crolla"], ["sciopero dei treni"]
    assert (sharded.probabilities(*asked) == whole.probabilities(*asked)).all()
    assert sharded.weights_hash != whole.weights_hash


def test_a_tokenizer_that_gives_up_on_a_text_is_one_sentence(saved_models, tmp_path):
    split = {"type": "Split", "pattern": {"Regex": "(x+x+)+y"}, "behavior": "Isolated", "invert": False}
    judge, generator = (
        shutil.copytree(saved_models / name, tmp_path / name) for name in ("judges/hh", "generator")
    )
    for folder in (judge, generator):
        set_in("tokenizer.json", "pre_tokenizer", value=split)(folder)
    set_in("tokenizer_config.json", "tokenizer_class", value="PreTrainedTokenizerFast")(judge)
    text = "x" * 60
    with pytest.raises(InputError, match=f"tokenizer in {judge} cannot read a text .*Onig"):
        Judge.from_pretrained(judge, device="cpu").probabilities([text], [text])
    with pytest.raises(InputError, match=f"tokenizer in {generator} cannot read a text .*Onig"):
        HeadlineTransfer.from_pretrained(generator, device="cpu")(text, article=text)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("[]", "is broken"),
        (
            '{"results": {}, "baselines": {}, "classes": ["a"]}',
            "is not as this version writes it (it lacks task)",
        ),
    ],
)
def test_score_refuses_metrics_that_training_did_not_write(
    content, fault, saved_models, toy_corpus, tmp_path, capsys
):
    judges = Path(shutil.copytree(saved_models / "judges", tmp_path / "judges"))
    (judges / "hh/metrics.json").write_text(content)
    arguments = ["--corpus", str(toy_corpus), "--judges", str(judges), "--out", str(tmp_path / "report")]
    assert main(["score", *arguments]) == 2
    assert f"hh/metrics.json {fault}" in capsys.readouterr().err
