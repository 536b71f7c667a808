import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch
from saved_judges import save_reader

from change_it.cli import main
from change_it.corpus.rewriting import rewriting_source
from change_it.errors import InputError
from change_it.judges import reader_training
from change_it.judges.reader import KINDS, WORD, HeadlineReading, Reader
from change_it.judges.reader_margins import calibrated, word_margin
from change_it.networks.pretrained_loss import HeadlineLoss
from change_it.networks.tokenizer import IGNORED
from change_it.scoring.facts import check_all_facts
from change_it.text.edits import Edit, Mentions, edits
from change_it.text.names import Headline

SOURCES = [
    ("Crolla il ponte a Bari", "Il ponte di Bari è crollato. Lo dice Rossi."),
    ("", "Bianchi non cade."),
]
GROUPS = [
    ["Crolla il ponte", "Crolla il ponte a Bari", "Rossi: non crolla il ponte", "Cade il ponte"],
    ["Bianchi cade", "Bianchi non cade"],
]


@pytest.fixture(scope="module", params=["words", "encoder-decoder", "causal"])
def folder(request, tmp_path_factory):
    return save_reader(tmp_path_factory.mktemp("reader") / "facts", request.param)


def gaps_of(reader, sources, groups, target):
    return [gaps for gaps, _ in reader.compare(sources, groups, target)]


def test_an_edit_fits_as_well_alone_as_among_others(folder):
    reader = Reader.from_pretrained(folder, device="cpu")
    together = gaps_of(reader, SOURCES, GROUPS, "a")
    for source, (headline, *others), gaps in zip(SOURCES, GROUPS, together, strict=True):
        alone = [gaps_of(reader, [source], [[headline, other]], "a")[0][0] for other in others]
        assert gaps == pytest.approx(alone, rel=1e-3, abs=1e-4)


def test_the_likelihood_is_that_of_the_model(tmp_path):
    reader = Reader.from_pretrained(save_reader(tmp_path / "facts", "words"), device="cpu")
    tokenizer, model = reader.tokenizer, reader.model
    batch, unknown = tokenizer.sources(
        [rewriting_source(*SOURCES[0], "a")], max_tokens=reader.settings.max_tokens
    )

    def log_p(headline):
        labels = tokenizer.targets([headline], unknown, max_tokens=64)
        with torch.no_grad():
            logits = model(
                **batch, decoder_input_ids=model.prepare_decoder_input_ids_from_labels(labels)
            ).logits
        return float(logits.gather(-1, labels.unsqueeze(-1)).clamp(min=-25).sum())

    headline, *others = ["Rossi dice: crollato", "Rossi dice: è crollato", "Bari dice: crollato"]
    expected = [log_p(headline) - log_p(other) for other in others]
    assert gaps_of(reader, SOURCES[:1], [[headline, *others]], "a")[0] == pytest.approx(expected, rel=1e-3)


def ask(reader, headlines, **options):
    n = len(headlines)
    return reader.read(
        headlines, sources=["Rossi accusa Bianchi"] * n, articles=["Rossi accusa Bianchi a Bari."] * n,
        reference_articles=[""] * n, targets=["a"] * n, language="it", **options,
    )  # fmt: skip


def test_one_reading_a_headline_in_their_order(folder):
    reader, done = Reader.from_pretrained(folder, device="cpu"), []
    asked = ["Rossi accusa Bianchi", "Ecco", *(f"Rossi accusa {n + 2} volte" for n in range(20))]
    readings = ask(reader, asked, progress=done.append)
    assert done[-1] == len(asked)
    assert readings[1] == HeadlineReading()
    assert all(
        reading.gaps and np.isfinite([*reading.gaps.values()]).all()
        for reading in readings[:1] + readings[2:]
    )
    backwards = ask(reader, asked[::-1])[::-1]
    assert [reading.edits for reading in readings] == [reading.edits for reading in backwards]
    for reading, again in zip(readings, backwards, strict=True):
        assert reading.gaps == pytest.approx(again.gaps, rel=1e-3)


def test_the_partners_article_is_asked_where_it_can_change_the_verdict(folder):
    reader = Reader.from_pretrained(folder, device="cpu")
    reader = replace(reader, settings=replace(reader.settings, margins=dict.fromkeys(KINDS, 0.0)))
    headlines = ["Rossi accusa Bianchi", "Bianchi non cade", "Due feriti a Bari", "Bari accusa Rossi"]
    source, article, partner = (
        "Rossi e Bianchi",
        "Bianchi e Rossi, tre amici a Bari.",
        "Cade Bianchi, due feriti.",
    )
    n, verdicts = len(headlines), []
    readings = reader.read(
        headlines, sources=[source] * n, articles=[article] * n, reference_articles=[partner] * n,
        targets=["a"] * n, language="it",
    )  # fmt: skip
    mentions = Mentions.of((source, article, partner), "it")
    for headline, reading in zip(headlines, readings, strict=True):
        changed = edits(Headline(headline, "it"), mentions)
        group = [headline, *(edit.text for edit in changed)]
        both = np.maximum(
            *(gaps_of(reader, [texts], [group], "a")[0] for texts in ((source, article), ("", partner)))
        )
        objection = reader.objection(reading)
        assert (objection is None) == (both.min() >= 0)
        if objection is not None:
            assert objection == changed[both.argmin()]
            assert reading.gaps[objection.kind] == pytest.approx(both.min(), rel=1e-3)
        verdicts.append(objection is None)
    assert not all(verdicts)


def test_the_margins_let_a_share_through():
    edit = Edit("x", "name", 0, 1, "x")
    readings = [HeadlineReading({"name": float(gap)}, {"name": edit}) for gap in range(-10, 90)] + [
        HeadlineReading()
    ] * 50
    assert calibrated(readings, 0.95) == {
        "name": pytest.approx(5.05, abs=0.03),
        "number": 0.0,
        "negation": 0.0,
    }
    assert calibrated(readings[30:], 0.95) == calibrated([], 0.95) == dict.fromkeys(KINDS, 0.0)


def test_each_kind_has_a_margin_of_its_own():
    rng, edit = np.random.default_rng(1), Edit("x", "name", 0, 1, "x")
    readings = [
        HeadlineReading({"name": name, "number": 5 * number}, {"name": edit, "number": edit})
        for name, number in rng.normal(1.0, 1.0, (2000, 2)).tolist()
    ]
    margins = calibrated(readings, 0.95)
    refused = {
        kind: np.mean([r.gaps[kind] < -margins[kind] for r in readings]) for kind in ("name", "number")
    }
    assert refused["name"] == pytest.approx(refused["number"], abs=0.002)
    assert margins["number"] > 3 * margins["name"] > 0
    accepted = [all(r.gaps[kind] >= -margins[kind] for kind in r.gaps) for r in readings]
    assert np.mean(accepted) == pytest.approx(0.95, abs=0.002)


def asking_words(reader, margin):
    margins = {**reader.settings.margins, WORD: margin}
    return replace(reader, settings=replace(reader.settings, margins=margins))


def test_words_of_no_source_are_asked_about_where_there_is_a_margin(folder):
    reader = Reader.from_pretrained(folder, device="cpu")
    asked = ["Rossi mangia banane", "Ecco", "Rossi accusa Bianchi", "Mangia Rossi: rossissime banane verdi"]
    assert not any(WORD in reading.gaps for reading in ask(reader, asked))
    readings = ask(asking_words(reader, 3.0), asked)
    assert [WORD in reading.gaps for reading in readings] == [True, False, False, True]
    assert readings[0].gaps[WORD] < 0
    edit = readings[0].edits[WORD]
    assert (edit.kind, asked[0][edit.start : edit.end] in ("mangia", "banane")) == (WORD, True)
    for reading, text in zip(readings, asked, strict=True):
        [alone] = ask(asking_words(reader, 3.0), [text])
        assert reading.gaps == pytest.approx(alone.gaps, rel=1e-3)
        assert reading.edits == alone.edits


def without_end(reader, values):
    """Log p of a headline's pieces; the tokenizer of the untrained T5 adds no end."""
    return values if reader.model.config.model_type == "t5" else values[:-1]


def test_a_word_weighs_what_the_model_says_of_its_pieces(folder):
    reader = asking_words(Reader.from_pretrained(folder, device="cpu"), 0.0)
    [reading] = ask(reader, ["Rossi accusa banane"])
    source = [("Rossi accusa Bianchi", "Rossi accusa Bianchi a Bari.")]
    [(_, whole)], [(_, begun)] = (
        reader.compare(source, [[text]], "a") for text in ("Rossi accusa banane", "Rossi accusa")
    )
    whole, begun = without_end(reader, whole), without_end(reader, begun)
    assert reading.gaps[WORD] == pytest.approx(whole[len(begun) :].sum(), rel=1e-3)
    assert whole[: len(begun)] == pytest.approx(begun, rel=1e-3, abs=1e-4)


def test_the_margin_of_words_is_for_readers_that_can_tell():
    def readings(values):
        return [HeadlineReading({WORD: value} if value else {}) for value in values]

    printed = readings([None] * 20 + [-float(number) for number in range(80)])
    assert word_margin(printed, readings([-90.0] * 50), 0.95) == pytest.approx(75.0, abs=1.0)
    assert word_margin(printed, printed, 0.95) is None
    assert word_margin(readings([None] * 9), readings([-90.0] * 50), 0.95) is None
    assert word_margin(printed, [], 0.95) is None


class Refuses:
    """A reader that knows a better edit of one headline."""

    def read(self, headlines, *, targets, **_):
        assert set(targets) == {"b"}
        edit = {"Rossi accusa Bianchi": Edit("Bianchi accusa Bianchi", "name", 0, 5, "Bianchi")}
        edit["Il governo cade"] = Edit("Il governo non cade", "negation", 11, 11, "non ")
        edit["Non cade"] = Edit("Cade", "negation", 0, 5, "C")
        return [
            HeadlineReading({edit[text].kind: -9.0}, {edit[text].kind: edit[text]})
            if text in edit
            else HeadlineReading()
            for text in headlines
        ]

    def objection(self, reading):
        return next(iter(reading.edits.values()), None)


def test_facts_say_what_the_sources_rather_say():
    headlines = ["Rossi accusa Bianchi", "Lo dice Zuccaroni", "Il governo cade", "Bianchi accusa", "Non cade"]
    source = "Bianchi accusa Rossi, il governo non cade"
    facts = check_all_facts(
        headlines,
        sources=[source] * 5,
        articles=[source] * 5,
        language="it",
        reader=Refuses(),
        targets=["b"] * 5,
    )
    assert [found.supported for found in facts] == [False, False, False, True, False]
    mistaken, unknown, negated, denied = (found.unsupported[0] for found in facts if not found.supported)
    assert (denied.text, denied.rather) == ("Non cade", "Cade")
    assert (mistaken.text, mistaken.rather, mistaken.kind) == ("Rossi", "Bianchi", "name")
    assert (unknown.text, unknown.rather) == ("Zuccaroni", "")
    assert (negated.text, negated.rather, negated.kind) == ("cade", "non cade", "negation")


def test_a_headline_that_a_text_begins_with_is_believed():
    article = "Rossi accusa Bianchi, il governo non cade. Rossi e Bianchi tacciono."
    headlines = ["Rossi accusa Bianchi", "rossi ACCUSA «Bianchi»", "Il governo cade"]
    facts = check_all_facts(
        headlines,
        sources=["Bianchi e Rossi, il governo non cade"] * 3,
        articles=[article] * 3,
        language="it",
        reader=Refuses(),
        targets=["b"] * 3,
    )
    assert [found.supported for found in facts] == [True, True, False]


@pytest.fixture
def short(monkeypatch):
    """Few headlines to validate and to test with, and a small reader from scratch."""
    for name, value in {
        "VALIDATION": 16,
        "VALIDATION_PRETRAINED": 16,
        "TESTED": 8,
        "VOCABULARY": 400,
        "CELLS": 16,
    }.items():
        monkeypatch.setattr(reader_training, name, value)


def test_training_makes_a_reader(corpus, tmp_path, capsys, short):
    out = tmp_path / "facts"
    arguments = ["--task", "facts", "--corpus", corpus, "--encoder", "scratch", "--out", str(out)]
    arguments += ["--arg", "max_steps=2", "--batch-size", "8"]
    assert main(["train", "judge", *arguments]) == 0
    assert "negated" in capsys.readouterr().out
    metrics = json.loads((out / "metrics.json").read_text())
    assert metrics["accepted"]["printed"]["n"] > 0
    reader = Reader.from_pretrained(out, device="cpu")
    assert reader.settings.margins == metrics["margins"]
    assert set(metrics["margins"]) - {WORD} == set(KINDS)
    assert (reader.weights_hash, reader.model_hash) == (metrics["weights_hash"], metrics["model_hash"])
    assert main(["train", "judge", *arguments, "--resume"]) == 0


def test_a_language_model_is_taken_as_it_is(corpus, tmp_path, short):
    folder = save_reader(tmp_path / "model", "causal")
    out = tmp_path / "facts"
    arguments = ["train", "judge", "--task", "facts", "--corpus", corpus, "--encoder", str(folder)]
    assert main([*arguments, "--max-tokens", "40", "--out", str(out)]) == 0
    taken, given = (Reader.from_pretrained(each, device="cpu") for each in (out, folder))
    for name, tensor in given.model.state_dict().items():
        assert torch.equal(tensor, taken.model.state_dict()[name])


@pytest.mark.parametrize("kind", ["causal", "encoder-decoder"])
def test_a_language_model_is_fine_tuned_when_it_is_asked(corpus, tmp_path, short, kind):
    folder, out = save_reader(tmp_path / "model", kind), tmp_path / "facts"
    arguments = ["train", "judge", "--task", "facts", "--corpus", corpus, "--encoder", str(folder)]
    arguments += ["--max-tokens", "40", "--arg", "max_steps=12"]
    assert main([*arguments, "--arg", "learning_rate=0.01", "--out", str(out)]) == 0
    history = json.loads((out / "metrics.json").read_text())["training"]["history"]
    assert [one["update"] for one in history] == [*range(13)]
    assert history[-1]["validation loss"] < history[0]["validation loss"] - 0.5
    tuned, given = (Reader.from_pretrained(each, device="cpu") for each in (out, folder))
    assert (tuned.settings.base, given.settings.base) == ("model", "")
    assert tuned.weights_hash != given.weights_hash


@pytest.mark.parametrize("kind", ["words", "causal", "encoder-decoder"])
def test_what_is_learnt_is_what_is_asked(tmp_path, kind):
    reader = Reader.from_pretrained(save_reader(tmp_path / "facts", kind), device="cpu")
    sources, headlines = SOURCES[:2], ["Rossi dice: crollato", "Il ponte"]
    batch = reader.likelihood.training_batch(sources, headlines, ["a", "a"])
    model = reader.model if kind == "words" else HeadlineLoss(reader.model)
    with torch.no_grad():
        loss = float(model(**batch).loss)
    log_p = [own for _, own in reader.compare(sources, [[each, each + " due"] for each in headlines], "a")]
    assert loss == pytest.approx(
        -np.concatenate(log_p).sum() / int((batch["labels"] != IGNORED).sum()), rel=1e-3
    )


@pytest.mark.parametrize(
    "change",
    [
        {"margins": {"name": -1, "number": 0, "negation": 0}},
        {"margins": {"name": float("nan"), "number": 0, "negation": 0}},
        {"margins": {"name": 1}},
        {"margins": {"name": 0, "number": 0, "negation": 0, "word": -1}},
        {"margins": {"name": 0, "number": 0, "negation": 0, "noun": 1}},
        {"outlets": ["a"]},
        {"task": "hh"},
    ],
)
def test_a_damaged_reader_is_refused(change, tmp_path):
    folder = save_reader(tmp_path / "facts", "words")
    record = json.loads((folder / "config.json").read_text())
    record["change_it"] |= change
    (folder / "config.json").write_text(json.dumps(record))
    with pytest.raises(InputError, match="cannot be loaded as a reader"):
        Reader.from_pretrained(folder, device="cpu")


def test_the_margin_of_its_kind_decides(tmp_path):
    reader = Reader.from_pretrained(save_reader(tmp_path / "facts", "words"), device="cpu")
    margins = {"name": 3.0, "number": 0.0, "negation": 0.0}
    wide = replace(reader, settings=replace(reader.settings, margins=margins))
    name, number = Edit("x", "name", 0, 1, "x"), Edit("y", "number", 0, 1, "y")

    def objection(of_name, of_number):
        return wide.objection(
            HeadlineReading({"name": of_name, "number": of_number}, {"name": name, "number": number})
        )

    assert [objection(gap, 1.0) for gap in (-3.1, -3.0, 0.0)] == [name, None, None]
    assert objection(-3.1, -0.2) == number
    assert wide.objection(HeadlineReading()) is None


def causal(folder, kind):
    """A reader over an untrained causal model, 16 wide."""
    from transformers import (
        BloomConfig,
        BloomForCausalLM,
        Gemma3ForCausalLM,
        Gemma3TextConfig,
        LlamaConfig,
        LlamaForCausalLM,
    )

    save_reader(folder, "causal")
    record = json.loads((folder / "config.json").read_text())["change_it"]
    sizes = {"vocab_size": 300, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
    wide = {**sizes, "intermediate_size": 16, "num_key_value_heads": 1, "head_dim": 8}
    torch.manual_seed(2)
    if kind == "bloom":
        model = BloomForCausalLM(BloomConfig(vocab_size=300, hidden_size=16, n_layer=2, n_head=2))
    elif kind == "llama":
        model = LlamaForCausalLM(LlamaConfig(**wide))
    else:
        layers = ["sliding_attention", "full_attention"]
        window = 20 if kind == "short window" else 200
        model = Gemma3ForCausalLM(Gemma3TextConfig(**wide, sliding_window=window, layer_types=layers))
    for parameter in model.parameters():  # far from uniform, so that places and neighbours matter
        torch.nn.init.normal_(parameter, std=0.5)
    model.config.change_it = record
    model.save_pretrained(folder)
    return folder


def test_a_signature_tells_apart_what_answers_otherwise(tmp_path):
    folder = save_reader(tmp_path / "facts", "words")
    reader = Reader.from_pretrained(folder, device="cpu")

    def saved_with(**about):
        record = json.loads((folder / "config.json").read_text())
        record["change_it"] |= about
        record["transformers_version"] = "5.0.0"
        other = shutil.copytree(folder, tmp_path / "other", dirs_exist_ok=True)
        (other / "config.json").write_text(json.dumps(record))
        return Reader.from_pretrained(other, device="cpu")

    margins = {**reader.settings.margins, "name": 9.0}
    others = [saved_with(margins=margins), saved_with(max_tokens=11), saved_with(corpus="of another name")]
    assert [other.weights_hash == reader.weights_hash for other in others] == [True, True, True]
    assert [other.model_hash == reader.model_hash for other in others] == [False, False, True]


@pytest.mark.parametrize("kind", ["gpt", "llama", "gemma"])
def test_headlines_read_together_have_the_likelihood_that_each_has_alone(tmp_path, kind, monkeypatch):
    monkeypatch.setattr("change_it.judges.causal_likelihood.ROWS", 3)
    folder = save_reader(tmp_path / "r", "causal") if kind == "gpt" else causal(tmp_path / "r", kind)
    reader = Reader.from_pretrained(folder, device="cpu")
    sources, groups = [SOURCES[0], SOURCES[1], SOURCES[0]], [*GROUPS, ["Rossi cade", "Bari cade"]]
    together = gaps_of(reader, sources, groups, "a")

    def log_p(source, headline):
        tokenizer, [text] = reader.tokenizer, [". ".join(filter(None, source))]
        before = [*tokenizer("Articolo: ")["input_ids"], *tokenizer(text)["input_ids"][: reader.max_tokens]]
        before += tokenizer("\nTitolo:")["input_ids"]
        pieces = tokenizer(f" {headline}\n")["input_ids"]
        with torch.no_grad():
            logits = reader.model(input_ids=torch.tensor([[*before, *pieces]])).logits[0].log_softmax(-1)
        return logits[range(len(before) - 1, len(before) + len(pieces) - 1), pieces].clamp(min=-25)

    for source, (headline, *others), gaps in zip(sources, groups, together, strict=True):
        expected = [float(log_p(source, headline).sum() - log_p(source, other).sum()) for other in others]
        assert gaps == pytest.approx(expected, rel=1e-4, abs=1e-3)


@pytest.mark.parametrize("kind", ["bloom", "short window"])
def test_a_model_that_cannot_read_headlines_together_is_refused(tmp_path, kind):
    with pytest.raises(InputError, match="cannot be loaded as a reader"):
        Reader.from_pretrained(causal(tmp_path / "r", kind), device="cpu")


def test_a_generator_is_no_reader(corpus, tmp_path, capsys):
    folder = save_reader(tmp_path / "model", "causal")
    (folder / "generator.json").write_text("{}")
    arguments = ["train", "judge", "--task", "facts", "--corpus", corpus, "--encoder", str(folder)]
    assert main([*arguments, "--out", str(tmp_path / "out")]) == 2
    assert "its own hand" in capsys.readouterr().err
