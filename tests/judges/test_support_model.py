"""The judge of support: what it reads, what it keeps, and what it refuses."""

import numpy as np
import pytest
import torch
from malformed import edit
from saved_judges import build_encoder, byte_pieces, save_parts
from transformers import (
    BertForMaskedLM,
    BertModel,
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    GPT2Config,
    GPT2LMHeadModel,
    Qwen2Config,
    Qwen2ForCausalLM,
)

from change_it.errors import InputError
from change_it.judges.support_model import ChatModel, Claim, SupportModel

ARTICLES = [
    "Il ponte sulla statale è crollato lunedì. Due operai sono feriti. " * 3 + "Le scuole restano chiuse.",
    "Il sindaco ha inaugurato il festival. Ingresso gratuito per tutti.",
]
HEADLINES = ["Crolla il ponte", "Festival gratuito", "Due feriti"]
SOURCES = [("Ponte giù", ARTICLES[0]), ("Al via il festival", ARTICLES[1], ""), ("Ponte giù", ARTICLES[0])]
CHAT = "{% for m in messages %}<user>{{ m.content }}</user>{% endfor %}{% if add_generation_prompt %}<bot>{% endif %}"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("CHANGE_IT_CACHE", str(tmp_path / "cache"))


SIZES = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
NETWORKS = {
    "qwen": lambda size: Qwen2ForCausalLM(Qwen2Config(vocab_size=size, num_key_value_heads=1, **SIZES)),
    "gemma": lambda size: Gemma3ForCausalLM(
        Gemma3TextConfig(vocab_size=size, num_key_value_heads=1, head_dim=8, sliding_window=16, layer_types=["sliding_attention", "full_attention"], **SIZES)
    ),
    "gpt2": lambda size: GPT2LMHeadModel(GPT2Config(vocab_size=size, n_embd=16, n_layer=2, n_head=2)),
}  # fmt: skip


@pytest.fixture
def model(tmp_path, request):
    """A tiny causal model, untrained: qwen unless a test names another; gpt2 has no chat template."""
    torch.manual_seed(1)
    kind = getattr(request, "param", "qwen")
    tokenizer = byte_pieces(ARTICLES, 300)
    tokenizer.chat_template = CHAT if kind != "gpt2" else None
    network = NETWORKS[kind](300)
    for tensor in network.parameters():  # likes some pieces better than others
        tensor.data.mul_(5.0)
    return save_parts(tmp_path / "model", network, tokenizer)


@pytest.fixture
def support(model):
    return SupportModel.from_pretrained(model, device="cpu")


def alone(folder, claim):
    """P(Yes) of one claim, read without others beside it."""
    backend = ChatModel(folder, "float32", "cpu")
    yes, no = backend._first_tokens(claim)
    inputs = backend.tokenizer(claim.prompt, return_tensors="pt")
    if backend.variant:
        turns, options = [{"role": "user", "content": claim.prompt}], {"add_generation_prompt": True}
        inputs = backend.tokenizer.apply_chat_template(
            turns, **options, return_dict=True, return_tensors="pt"
        )
    with torch.inference_mode():
        logits = backend.model(**inputs).logits[0, -1]
    return float(torch.sigmoid(logits[yes] - logits[no]))


@pytest.mark.parametrize("model", NETWORKS, indirect=True)
def test_what_is_read_together_is_answered_as_if_read_alone(support, model):
    given = support.probabilities(HEADLINES, SOURCES, language="it")
    items = zip(HEADLINES, SOURCES, strict=True)
    claims = [Claim(f"{original}. {article}", text, "it") for text, (original, article, *_) in items]
    assert given == pytest.approx([alone(model, claim) for claim in claims], abs=1e-5)
    assert len(set(given.tolist())) == 3


def test_the_opening_and_the_nearest_part_of_each_article_are_read_and_the_best_counts(
    support, model, monkeypatch
):
    monkeypatch.setattr("change_it.judges.support_model.PART_WORDS", 8)
    claims = support._claims("Scuole chiuse, restano", ("Ponte giù", *ARTICLES), "it")
    opening = "Ponte giù. Il ponte sulla statale è crollato lunedì."
    nearest = "Ponte giù. Due operai sono feriti. Le scuole restano chiuse."
    other = "Ponte giù. Il sindaco ha inaugurato il festival."
    assert [claim.source for claim in claims] == [opening, nearest, other]
    read = ["Scuole chiuse, restano"], [("Ponte giù", *ARTICLES)]
    [given] = support.probabilities(*read, language="it")
    assert given == pytest.approx(max(alone(model, claim) for claim in claims), abs=1e-5)


def test_a_headline_is_read_once(support, monkeypatch):
    read = []
    answer = ChatModel.answer
    monkeypatch.setattr(ChatModel, "answer", lambda self, claims: read.extend(claims) or answer(self, claims))
    more = [*HEADLINES, HEADLINES[0], ""], [*SOURCES, SOURCES[0], SOURCES[0]]
    given = support.probabilities(*more, language="it")
    assert len(read) == 3
    assert given[3:].tolist() == [given[0], 0.0]


def test_a_run_that_is_interrupted_reads_the_rest_alone(model, support, monkeypatch):
    answer, read = ChatModel.answer, []
    monkeypatch.setattr(ChatModel, "batch", 1)

    def once(self, claims):
        if read:
            raise KeyboardInterrupt
        read.extend(claims)
        return answer(self, claims)

    monkeypatch.setattr(ChatModel, "answer", once)
    with pytest.raises(KeyboardInterrupt):
        support.probabilities(HEADLINES, SOURCES, language="it")
    rest = []
    monkeypatch.setattr(ChatModel, "answer", lambda self, claims: rest.extend(claims) or answer(self, claims))
    SupportModel.from_pretrained(model, device="cpu").probabilities(HEADLINES, SOURCES, language="it")
    assert len(read) == 1
    assert len(rest) == 2
    assert not set(read) & set(rest)


def test_saved_it_is_the_same_judge_and_another_threshold_is_another(support, tmp_path):
    strict = support.with_threshold(
        0.9, language="it", outlets=["rep", "gio"], validated={"auc": [0.8, 0.75, 0.9]}
    )
    strict.save(tmp_path / "support")
    loaded = SupportModel.from_pretrained(tmp_path / "support", device="cpu")
    assert loaded.settings == strict.settings
    assert loaded.signature == strict.signature != support.signature
    assert [loaded.is_validated(language) for language in ("it", "en")] == [True, False]
    assert not support.is_validated("it")
    assert loaded.accepts(np.array([0.89, 0.9])).tolist() == [False, True]


def test_a_classifier_reads_each_sentence_and_answers_by_its_label(tmp_path):
    network, tokenizer = build_encoder(labels=["contradiction", "neutral", "entailment"])
    save_parts(tmp_path / "nli", network.eval(), tokenizer)
    support = SupportModel.from_pretrained(tmp_path / "nli", device="cpu")
    assert support.settings.kind == "classifier"
    [given] = support.probabilities(["Festival gratuito"], [("Al via", ARTICLES[1])], language="it")
    sentences = ["Al via", "Il sindaco ha inaugurato il festival.", "Ingresso gratuito per tutti."]
    with torch.inference_mode():
        inputs = tokenizer(sentences, ["Festival gratuito"] * 3, padding=True, return_tensors="pt")
        logits = network(**inputs).logits
    assert given == pytest.approx(float(logits.softmax(-1)[:, 2].max()), abs=1e-5)


@pytest.mark.parametrize(
    ("labels", "supports"),
    [
        (["ENTAILMENT", "NEUTRAL", "CONTRADICTION"], 0),
        (["unsupported", "partially_supported", "supported"], 2),
        (["LABEL_0", "LABEL_1"], 1),
        (["LABEL_0"], 0),
    ],
    ids=str,
)
def test_the_class_that_supports_is_known_by_its_name(tmp_path, labels, supports):
    network, tokenizer = build_encoder(labels=labels)
    save_parts(tmp_path / "nli", network.eval(), tokenizer)
    # The same weights under other names have other answers, which are not mixed in the cache.
    given = []
    for names in (labels, labels[::-1]):
        network.config.id2label = dict(enumerate(names))
        network.config.save_pretrained(tmp_path / "nli")
        support = SupportModel.from_pretrained(tmp_path / "nli", device="cpu")
        given += support.probabilities(["Festival gratuito"], [("Al via", "")], language="it").tolist()
    with torch.inference_mode():
        inputs = tokenizer(["Al via"], ["Festival gratuito"], return_tensors="pt")
        logits = network(**inputs).logits[0]
    p = logits.softmax(-1) if len(labels) > 1 else logits.sigmoid()
    if labels[0].startswith("LABEL"):  # no names: the last
        assert given == pytest.approx([float(p[-1])] * 2, abs=1e-5)
    else:
        assert given == pytest.approx([float(p[supports]), float(p[len(labels) - 1 - supports])], abs=1e-5)


@pytest.mark.parametrize("labels", [["negative", "positive"], ["LABEL_0", "LABEL_1", "LABEL_2"], ["not_entailment", "no_support"]], ids=str)  # fmt: skip
def test_classes_of_which_none_surely_supports_are_named(tmp_path, labels):
    folder = save_parts(tmp_path / "model", *build_encoder(labels=labels))
    with pytest.raises(InputError, match=rf"none of the classes of .* \({', '.join(labels)}\): give a model"):
        SupportModel.from_pretrained(folder, device="cpu")


@pytest.mark.parametrize("network", [BertModel, BertForMaskedLM], ids=lambda network: network.__name__)
def test_an_encoder_that_is_no_classifier_is_refused(tmp_path, network):
    encoder, tokenizer = build_encoder()
    save_parts(tmp_path / "bert", network(encoder.config), tokenizer)
    with pytest.raises(InputError, match=r"bert \(bert\) is neither a chat model nor an entailment class"):
        SupportModel.from_pretrained(tmp_path / "bert", device="cpu")


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("{{ raise_exception('no user here') }}", "no user here"),
        ("hello", "its chat template leaves out the prompt"),
    ],
    ids=["raises", "silent"],
)
def test_a_chat_template_that_cannot_be_used_is_one_sentence(model, template, reason):
    (model / "chat_template.jinja").write_text(template)
    with pytest.raises(InputError, match=f"cannot be loaded as a judge of support .*{reason}"):
        SupportModel.from_pretrained(model, device="cpu")


@pytest.mark.parametrize("model", ["qwen", "gpt2"], indirect=True)
def test_special_tokens_in_a_text_are_text(model):
    """What a headline says cannot end the question and begin the answer."""
    backend = ChatModel(model, "float32", "cpu")
    for text in ("Ponte</s>", "</s>", "<pad>"):
        read = backend.text(Claim(text, text, "it").prompt)
        assert "</s>" not in read
        assert "<pad>" not in read
    _, tokenizer = build_encoder(labels=["entailment", "other"])
    ids = tokenizer("Ponte", f"Ponte {tokenizer.sep_token} giù", split_special_tokens=True)["input_ids"]
    assert ids.count(tokenizer.sep_token_id) == 2


def test_what_is_too_long_is_cut_and_a_headline_of_a_page_is_none(support):
    long = "parole senza punto e senza fine " * 2000
    headlines = ["Due feriti", "x " * 501, "🦊" * 900]
    given = support.probabilities(headlines, [("Ponte giù", long)] * 3, language="it")
    assert given[1] == 0
    assert (given[[0, 2]] > 0).all()


@pytest.mark.parametrize(
    "change",
    [{"threshold": float("nan")}, {"threshold": 2}, {"threshold": "a"}, {"kind": "asked"}],
    ids=str,
)
def test_settings_that_can_be_none_are_refused(support, tmp_path, change):
    support.save(tmp_path / "support")
    edit(tmp_path / "support" / "config.json", lambda record: record["change_it"].update(change))
    with pytest.raises(InputError, match="holds no judge of support of this version"):
        SupportModel.from_pretrained(tmp_path / "support", device="cpu")


def test_a_threshold_of_another_model_is_refused(support, tmp_path, monkeypatch):
    support.with_threshold(0.9, language="it", validated={"n": 50}).save(tmp_path / "support")
    monkeypatch.setattr("change_it.judges.support_model.hash_of_weights", lambda *_, **__: "0" * 64)
    with pytest.raises(InputError, match=r"labels have set the threshold in .* for another model"):
        SupportModel.from_pretrained(tmp_path / "support", device="cpu")
