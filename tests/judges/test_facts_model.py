"""The judge of facts: what it asks, of which parts, what it keeps, and what it refuses."""

import json

import numpy as np
import pytest
import torch
from chat_server import serve
from saved_judges import build_encoder
from tokenizers import ByteLevelBPETokenizer
from transformers import (
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen2ForCausalLM,
)

from change_it.errors import InputError
from change_it.judges.facts_backends import ChatModel, Claim, claim_prompt, parts_of
from change_it.judges.facts_model import FactsModel

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


@pytest.fixture(params=NETWORKS)
def model(tmp_path, request):
    """A tiny causal model, untrained; gpt2 has no chat template."""
    torch.manual_seed(1)
    pieces = ByteLevelBPETokenizer()
    pieces.train_from_iterator(
        ARTICLES, vocab_size=300, special_tokens=["<pad>", "</s>"], show_progress=False
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=pieces._tokenizer, pad_token="<pad>", eos_token="</s>"
    )
    tokenizer.chat_template = CHAT if request.param != "gpt2" else None
    network = NETWORKS[request.param](300)
    for tensor in network.parameters():  # likes some pieces better than others
        tensor.data.mul_(5.0)
    for part in (network, tokenizer):
        part.save_pretrained(tmp_path / "model")
    return tmp_path / "model"


def alone(folder, claim):
    """P(Yes) of one claim, all of it read at once."""
    asker = ChatModel(folder, "float32", "cpu")
    source, question = claim_prompt(claim)
    before, after = asker._turns(source)
    ids = torch.tensor([before + asker._ids(question) + after])
    yes, no = asker._answers("it")
    with torch.inference_mode():
        logits = asker.model(ids).logits[0, -1]
    return float(torch.sigmoid(logits[yes] - logits[no]))


def test_what_is_read_together_is_answered_as_if_read_alone(model):
    facts = FactsModel.from_pretrained(model, device="cpu")
    given = facts.probabilities(HEADLINES, SOURCES, language="it")
    claims = [
        Claim(f"{original}. {article}", text, "it")
        for text, (original, article, *_) in zip(HEADLINES, SOURCES, strict=True)
    ]
    assert given == pytest.approx([alone(model, claim) for claim in claims], abs=1e-5)
    assert len(set(given.tolist())) == 3


def test_the_opening_and_the_nearest_part_are_read_and_the_better_counts(model, monkeypatch):
    monkeypatch.setattr("change_it.judges.facts_model.PART_WORDS", 8)
    facts = FactsModel.from_pretrained(model, device="cpu")
    asked = ["Scuole chiuse, restano"], [("Ponte giù", ARTICLES[0])]
    [[claims]] = facts._claims(*asked, "it")
    opening = "Ponte giù. Il ponte sulla statale è crollato lunedì."
    nearest = "Ponte giù. Due operai sono feriti. Le scuole restano chiuse."
    assert [claim.source for claim in claims] == [opening, nearest]
    [given] = facts.probabilities(*asked, language="it")
    assert given == pytest.approx(max(alone(model, claim) for claim in claims), abs=1e-5)


def test_the_log_odds_of_two_articles_are_averaged(model):
    facts = FactsModel.from_pretrained(model, device="cpu")
    [given] = facts.probabilities(["Due feriti"], [("Ponte giù", *ARTICLES)], language="it")
    both = [Claim(f"Ponte giù. {ARTICLES[0]}", "Due feriti", "it"), Claim(ARTICLES[1], "Due feriti", "it")]
    odds = [np.log(p / (1 - p)) for p in (alone(model, claim) for claim in both)]
    assert np.log(given / (1 - given)) == pytest.approx(sum(odds) / 2, abs=1e-4)


def test_a_headline_is_asked_about_once(model, monkeypatch):
    asked = []
    ask = ChatModel.ask
    monkeypatch.setattr(ChatModel, "ask", lambda self, claims: asked.extend(claims) or ask(self, claims))
    first = FactsModel.from_pretrained(model, device="cpu").probabilities(HEADLINES, SOURCES, language="it")
    again = FactsModel.from_pretrained(model, device="cpu").probabilities(
        [*HEADLINES, HEADLINES[0], ""], [*SOURCES, SOURCES[0], SOURCES[0]], language="it"
    )
    assert len(asked) == 3
    assert again.tolist() == [*first, first[0], 0.0]


def test_a_run_that_is_interrupted_asks_for_the_rest_alone(model, monkeypatch):
    ask = ChatModel.ask

    def interrupted(self, claims):
        yield next(ask(self, claims))
        raise KeyboardInterrupt

    facts = FactsModel.from_pretrained(model, device="cpu")
    monkeypatch.setattr(ChatModel, "ask", interrupted)
    with pytest.raises(KeyboardInterrupt):
        facts.probabilities(HEADLINES, SOURCES, language="it")
    rest = []
    monkeypatch.setattr(ChatModel, "ask", lambda self, claims: rest.extend(claims) or ask(self, claims))
    facts.probabilities(HEADLINES, SOURCES, language="it")
    assert [claim.headline for claim in rest] == ["Festival gratuito"]


def test_saved_it_is_the_same_judge_and_another_threshold_is_another(model, tmp_path):
    facts = FactsModel.from_pretrained(model, device="cpu")
    strict = facts.with_threshold(0.9, language="it", outlets=("rep", "gio"), validated={"n": 50})
    strict.save(tmp_path / "facts")
    loaded = FactsModel.from_pretrained(tmp_path / "facts", device="cpu")
    assert loaded.settings == strict.settings
    assert loaded.signature == strict.signature != facts.signature
    assert [loaded.is_validated(language) for language in ("it", "en")] == [True, False]
    assert not facts.is_validated("it")
    assert loaded.accepts(np.array([0.89, 0.9])).tolist() == [False, True]


def test_parts_are_whole_sentences():
    text = "Uno due tre. Quattro cinque. Sei sette otto nove."
    assert parts_of(text, 5) == ["Uno due tre. Quattro cinque.", "Sei sette otto nove."]
    assert parts_of(text, 1) == ["Uno due tre.", "Quattro cinque.", "Sei sette otto nove."]


def test_a_classifier_is_asked_about_each_sentence_by_its_label(tmp_path):
    network, tokenizer = build_encoder(labels=["contradiction", "neutral", "entailment"])
    for part in (network.eval(), tokenizer):
        part.save_pretrained(tmp_path / "nli")
    facts = FactsModel.from_pretrained(tmp_path / "nli", device="cpu")
    assert facts.settings.kind == "classifier"
    [given] = facts.probabilities(["Festival gratuito"], [("Al via", ARTICLES[1])], language="it")
    sentences = ["Al via", "Il sindaco ha inaugurato il festival.", "Ingresso gratuito per tutti."]
    with torch.inference_mode():
        inputs = tokenizer(sentences, ["Festival gratuito"] * 3, padding=True, return_tensors="pt")
        logits = network(**inputs).logits
    assert given == pytest.approx(float(logits.softmax(-1)[:, 2].max()), abs=1e-5)


def test_a_classifier_without_such_a_label_is_refused(tmp_path):
    for part in build_encoder(labels=["red", "green", "blue"]):
        part.save_pretrained(tmp_path / "colours")
    with pytest.raises(
        InputError, match=r"none of the classes .* \(red, green, blue\): give a model of entailment"
    ):
        FactsModel.from_pretrained(tmp_path / "colours", device="cpu")


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    with serve() as state:
        yield state


def test_a_server_is_asked_for_the_probabilities_of_its_first_piece(server):
    pieces = [("Sì", 0.6), (" si", 0.1), ("No", 0.2), ("Forse", 0.1)]
    top = [{"token": token, "logprob": float(np.log(p)), "bytes": None} for token, p in pieces]
    first = {"token": "Sì", "logprob": float(np.log(0.6)), "bytes": None, "top_logprobs": top}
    server.reply = lambda prompt, number: {"content": "Sì", "logprobs": {"content": [first]}}
    facts = FactsModel.from_pretrained("tiny", endpoint=server.url)
    [given] = facts.probabilities(["Crolla il ponte"], SOURCES[:1], language="it")
    assert given == pytest.approx(0.6 / 0.8)
    assert "Affermazione: Crolla il ponte" in server.requests[0]["messages"][0]["content"]


def test_a_server_without_probabilities_is_asked_several_times(server):
    server.reply = lambda prompt, number: "Sì." if number in (2, 3, 5) else "No, perché"
    facts = FactsModel.from_pretrained("tiny", endpoint=server.url)
    assert facts.probabilities(["Crolla il ponte"], SOURCES[:1], language="it").tolist() == [0.6]
    assert len(server.requests) == 6


def test_a_request_that_a_server_refuses_is_one_sentence(server):
    server.reply = lambda prompt, number: (400, json.dumps({"error": "too long"}).encode())
    facts = FactsModel.from_pretrained("tiny", endpoint=server.url)
    with pytest.raises(InputError, match=r"does not say whether “Crolla il ponte” is supported .*too long"):
        facts.probabilities(["Crolla il ponte"], SOURCES[:1], language="it")


def test_where_answers_cannot_be_kept_is_named(model, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CHANGE_IT_CACHE", str(tmp_path / "file"))
    facts = FactsModel.from_pretrained(model, device="cpu")
    with pytest.raises(InputError, match=r"answers cannot be kept in .*CHANGE_IT_CACHE"):
        facts.probabilities(HEADLINES, SOURCES, language="it")


def test_verdicts_do_not_depend_on_the_company_and_need_no_article(model):
    facts = FactsModel.from_pretrained(model, device="cpu")
    alone_given = [
        facts.probabilities([text], [of], language="it")[0]
        for text, of in zip(HEADLINES, SOURCES, strict=True)
    ]
    assert facts.probabilities(HEADLINES, SOURCES, language="it").tolist() == alone_given
    [given] = facts.probabilities(["Ponte crollato"], [("Ponte giù", "", " ")], language="it")
    assert 0 < given < 1
