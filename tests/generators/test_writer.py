"""`--writer`: a pre-trained model is tuned where a generator would be trained from scratch."""

import json

import pytest
from short_quickstart import shorten

from change_it.cli import main
from change_it.commands import quickstart
from change_it.commands.quickstart import QuickstartOptions
from change_it.generators.card import GeneratorCard
from change_it.reproduction import scales


@pytest.fixture
def encoder(tmp_path, tiny_llama):
    """A model that reads and does not write."""
    from transformers import AutoTokenizer, BertConfig, BertForMaskedLM

    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    BertForMaskedLM(BertConfig(vocab_size=600, **sizes)).save_pretrained(tmp_path / "bert")
    AutoTokenizer.from_pretrained(tiny_llama).save_pretrained(tmp_path / "bert")
    return str(tmp_path / "bert")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("./none", "there is no folder ./none"),
        ("owner/none", "owner/none is no folder here, and the Hub cannot be reached or has none"),
        ("encoder", "(bert) writes no text: give an encoder-decoder"),
        ("gpt2", "tokens of headline and article, 192 are read: give another model"),  # 128 positions in all
    ],
)
def test_what_cannot_be_tuned_is_refused_at_once(
    tmp_path, capsys, monkeypatch, encoder, tiny_gpt2, name, words
):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    writer = {"encoder": encoder, "gpt2": tiny_gpt2}.get(name, name)
    capsys.readouterr()
    assert main(["quickstart", "--writer", writer, "--out", str(tmp_path / "out")]) == 2
    message = capsys.readouterr().err
    assert words in message
    assert len(message.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_minutes_are_above_0(tmp_path, capsys, tiny_llama):
    arguments = ["--writer", tiny_llama, "--writer-minutes", "0", "--out", str(tmp_path / "out")]
    assert main(["quickstart", *arguments]) == 2
    assert "--writer-minutes" in capsys.readouterr().err


def reproduce(paper, corpus, out, writer, *more):
    given = ["--corpus", corpus, "--out", str(out), "--writer", writer, "--scale", "smoke"]
    return main(["reproduce", paper, *given, *more])


@pytest.mark.parametrize("paper", ["evalnlgeval2020", "changeit2020"])
def test_a_plan_names_it(corpus, tmp_path, capsys, tiny_llama, paper):
    assert reproduce(paper, corpus, tmp_path / "out", tiny_llama, "--plan") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "generator our-writer, tiny-llama tuned" in shown
    assert "headlines of our-writer" in shown


@pytest.mark.parametrize(
    ("paper", "writer", "words"),
    [
        ("hevas2019", "tiny", "--writer is for evalnlgeval2020 and changeit2020"),
        ("changeit2020", "./none", "there is no folder ./none"),
        ("changeit2020", "encoder", "(bert) writes no text"),
        ("changeit2020", "gpt2", "192 are read: give another model"),
    ],
)
def test_a_reproduction_refuses_it_at_once(
    corpus, tmp_path, capsys, tiny_llama, tiny_gpt2, encoder, paper, writer, words
):
    names = {"tiny": tiny_llama, "gpt2": tiny_gpt2, "encoder": encoder}
    assert reproduce(paper, corpus, tmp_path / "out", names.get(writer, writer)) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "out" / "judges").exists()


@pytest.mark.slow(seconds=25)
def test_it_stands_beside_the_papers_without_published_figures(
    smaller_corpus, tmp_path, tiny_llama, monkeypatch
):
    few = {"updates": 4, "evaluation_steps": 2}
    monkeypatch.setattr(scales, "_SMOKE", {task: {**own, **few} for task, own in scales._SMOKE.items()})
    monkeypatch.setitem(scales.GENERATOR_UPDATES, "smoke", 4)
    assert reproduce("changeit2020", smaller_corpus, tmp_path / "out", tiny_llama) == 0
    tables = json.loads((tmp_path / "out/tables.json").read_text(encoding="utf-8"))["tables"]
    rows = [row["row"] for row in tables["table4"]["rows"] if row["group"] == "our-writer"]
    assert len(rows) == 3
    assert all(row.endswith(", measured") for row in rows)
    assert {row["system"] for row in tables["ranking"]["rows"] if row["rank"]} == {"baseline", "our-writer"}
    page = (tmp_path / "out/tables.md").read_text(encoding="utf-8")
    assert "our-writer is ours, tiny-llama tuned on this corpus: no paper has figures of it." in page


@pytest.mark.slow(seconds=70)
def test_the_quickstart_tunes_a_given_model(tmp_path, tiny_llama, monkeypatch, capsys, without_charts):
    shorten(monkeypatch)
    options = QuickstartOptions(out=tmp_path, articles=300, writer=tiny_llama, writer_minutes=0.1)
    quickstart.run(options)
    card = GeneratorCard.load(tmp_path / "generators/rewrite")
    assert (card.recipe, card.base, card.to) == ("rewrite", tiny_llama, None)
    assert "tiny-llama, tuned here" in " ".join(capsys.readouterr().out.split())
    scores = json.loads((tmp_path / "report/scores.json").read_text(encoding="utf-8"))
    assert scores["systems"]["rewrite"]["average"]["n"] > 20
    seconds = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))["seconds"]
    (tmp_path / "report/report.html").unlink()
    quickstart.run(options)  # the report alone
    again = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))["seconds"]
    assert {**again, "report": 0} == {**seconds, "report": 0}
    assert (tmp_path / "report/report.html").is_file()
