"""Cards say what the run recorded, and nothing that it did not."""

import json
import re

import pytest
from datasets import load_dataset
from huggingface_hub import DatasetCard, ModelCard

from change_it.hub.packaging import write


def model_card(files):
    return ModelCard(files["README.md"].decode())


def test_the_data_set_loads_with_its_card(run, files_of, tmp_path):
    files = files_of("dataset", run / "corpus", "me/news")
    card = DatasetCard(files["README.md"].decode())
    assert card.data.license == "cc-by-nc-sa-4.0"  # of the outlets rep and gio
    assert card.data.configs == DatasetCard.load(run / "corpus/README.md").data.configs
    sizes = json.loads((run / "corpus/alignment.json").read_text())["rows_by_config"]
    assert 'load_dataset("me/news", "pairs", split="test")' in card.text
    assert "](curve.png)" in card.text

    write(files, tmp_path / "corpus")
    loaded = load_dataset(str(tmp_path / "corpus"), "hh", cache_dir=tmp_path / "cache", split="test")
    assert loaded.num_rows == sizes["hh"]["test"]


def test_judges_show_their_table_and_signature(run, files_of):
    files = files_of("judge", run / "judges", "me/judges", dataset="me/news")
    card = model_card(files)
    assert (card.data.pipeline_tag, card.data.datasets, card.data.language) == (None, ["me/news"], "it")
    results = {(each.dataset_config, each.metric_type): each.metric_value for each in card.data.eval_results}
    macro = json.loads((run / "judges/hh/metrics.json").read_text())["results"]["hard"]["macro_f1"]
    assert results["hh-hard", "f1"] == pytest.approx(macro, abs=1e-4)
    assert results.pop(("main-within-event", "accuracy")) == 0.625
    assert re.search(r"\| judge +\| +\.625 \| +\.123–\.987 \| +– \|", card.text)
    assert {config for config, _ in results} == {"main", "hh", "hh-hard", "ah", "ah-hard"}
    hashes = [
        json.loads((run / f"judges/{task}/metrics.json").read_text())["model_hash"][:6]
        for task in ("main", "hh", "ah")
    ]
    assert f"`judges:{'+'.join(hashes)}|fold:all`" in card.text
    assert re.search(r"\| hard +\| judge +\|", card.text)
    assert 'Judges.from_pretrained("me/judges")' in card.text


def test_a_generator_shows_its_system_between_gold_and_copy(run, files_of):
    card = model_card(files_of("generator", run / "generators/sum-gio", "me/sum-gio"))
    assert (card.data.library_name, card.data.pipeline_tag) == ("transformers", "text-generation")
    shares = {result.metric_type: result.metric_value for result in card.data.eval_results}
    assert shares["compliancy"] == 0.43
    rows = re.findall(r"^\| (\w+) +\| +(-?\.\S+) \(([^)]+)\)", card.text, re.MULTILINE)
    assert rows == [
        ("gold", ".750", ".650–.850"),
        ("copy", ".000", "-.100 to .100"),
        ("sum", ".430", ".330–.530"),
    ]
    assert "judges:abc|rep2gio" in card.text
    assert "gio2rep" not in card.text


def test_strings_of_strangers_are_text(files_of, tmp_path):
    """Outlets, systems and names of folders can hold whatever somebody calls them."""
    from tiny_generators import save_generator

    name = "a|b <img src=x onerror=alert(1)> [c](javascript:d)"
    folder = save_generator(tmp_path / "sum", to=name, outlets=("rep", name))
    (tmp_path / "report").mkdir()
    row = {"compliancy": 0.5, "intervals": {"compliancy": None}, "signature": f"abc|rep2{name} `x`"}
    row |= dict.fromkeys(("hh", "ah", "main", "bleu", "rougeL"))
    record = {"outlets": ["rep", name], "systems": {"sum": {f"rep2{name}": row}}}
    (tmp_path / "report/scores.json").write_text(json.dumps(record))
    text = model_card(files_of("generator", folder)).text
    outside_code = re.sub(r"`[^`\n]*`", "", text)
    assert "<img" not in outside_code
    assert "](javascript" not in outside_code
    assert "a&#124;b &#60;img src&#61;x onerror&#61;alert(1)&#62; &#91;c&#93;(javascript:d)" in text
    header = next(line for line in text.splitlines() if line.startswith("| rep2a"))
    assert header.count("|") == 3  # the outlet's bar opens no cell
