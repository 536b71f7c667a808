"""Texts to tensors and tokens to headlines, for the three kinds of generator."""

from types import SimpleNamespace

import pytest
import torch
from tiny_generators import batch_of, found_by

from change_it.generators.folder import prompt_of
from change_it.generators.generator import load_model, load_tokenizer, new_network
from change_it.generators.networks import formats
from change_it.generators.networks.formats import (
    CausalFormat,
    Format,
    NeverWritten,
    NoRepeatedNGram,
    NoRepeatedWord,
    WordFormat,
)
from change_it.generators.networks.tokenizer import IGNORED, train_tokenizer
from change_it.generators.options import NETWORKS
from change_it.generators.transfer import Search, read_decoding

SOURCES = ["Il governo cade e si torna a votare", "«Sì» alla riforma, ma perché?", "Crolla il ponte"]
LENGTHS = {"max_source_tokens": 40, "max_target_tokens": 12}


@pytest.fixture(scope="module", params=["t5", "llama", "pn", "transformer"])
def generator(request, tiny_models):
    """A format and an untrained model."""
    name = request.param
    if name in NETWORKS:
        torch.manual_seed(0)
        model, tokenizer = new_network(name, SOURCES[:2], vocabulary=100, cells=16)
        return WordFormat(tokenizer, **LENGTHS), model.eval()
    folder = tiny_models[name]
    kind = "encoder-decoder" if name == "t5" else "causal"
    tokenizer = load_tokenizer(folder)
    model = load_model(folder, kind, tokenizer).eval()
    if name == "t5":
        return Format(tokenizer, **LENGTHS), model
    return CausalFormat(tokenizer, **LENGTHS, prompt=prompt_of("en", "headline", "gio")), model


def test_labels_are_the_headline_and_its_end_unless_it_is_cut(generator):
    format_, _ = generator
    batch = batch_of(format_, SOURCES, ["Si torna a votare", "Sì", "Il ponte " * 20])
    for row, length in zip(batch["labels"], (None, None, format_.max_target_tokens), strict=True):
        learnt = row[row != IGNORED]
        assert (learnt[-1] == format_.tokenizer.eos_token_id) == (length is None)
        assert (learnt[:-1] != format_.tokenizer.eos_token_id).all()
        assert len(learnt) <= format_.max_target_tokens
        assert length is None or len(learnt) == length
    if not isinstance(format_, WordFormat):
        first = batch["labels"][0]
        text = format_.tokenizer.decode(first[first != IGNORED], skip_special_tokens=True)
        assert text.strip() == "Si torna a votare"


def test_causal_labels_leave_the_prompt_out_and_sources_are_cut_not_the_prompt(tiny_models):
    tokenizer = load_tokenizer(tiny_models["llama"])
    format_ = CausalFormat(tokenizer, **LENGTHS, prompt=prompt_of("it", "article", "gio"))
    batch = batch_of(format_, ["parola " * 500, "Breve"], ["Crolla il ponte", "Sì"])
    ids, mask, labels = (batch[name] for name in ("input_ids", "attention_mask", "labels"))
    long, short = (row[held.bool()] for row, held in zip(ids, mask, strict=True))
    assert tokenizer.decode(long).startswith("<s>Articolo:")
    assert "Titolo nello stile di gio: Crolla il ponte</s>" in tokenizer.decode(long)
    assert long[0] == tokenizer.bos_token_id
    assert (long == tokenizer.bos_token_id).sum() == 1
    prompt = int((labels[0] == IGNORED).sum())
    assert prompt == format_.overhead + format_.max_source_tokens
    assert (labels[0, prompt:] == ids[0, prompt:]).all()
    assert tokenizer.decode(short).endswith("gio: Sì</s>")
    assert mask[1, -len(short) :].all()  # padded on the left
    assert (labels[1][~mask[1].bool()] == IGNORED).all()


@pytest.mark.parametrize(
    "settings",
    [
        {"num_beams": 1},
        {"num_beams": 3},
        {"num_beams": 2, "candidates": 4},
        {"do_sample": True, "candidates": 3},
    ],
)
def test_candidates_are_distinct_best_first_and_never_too_many(generator, settings):
    format_, model = generator
    found = found_by(model, format_, SOURCES, **settings)
    assert len(found) == len(SOURCES)
    for candidates in found:
        assert 1 <= len(candidates) <= settings.get("candidates", 1)
        assert len({one.text for one in candidates}) == len(candidates)
        scores = [one.score for one in candidates]
        assert scores == sorted(scores, reverse=True)
        assert all(-50 < score <= 0 for score in scores)


def test_rare_words_are_written_once_and_no_word_twice_in_a_row(monkeypatch):
    monkeypatch.setattr(formats, "FREQUENT_IDS", 7)
    tokenizer = train_tokenizer(["il, il. il, il. il, ponte crolla"], size=20, reserved=2)
    il, comma, stop, crolla, ponte = (
        tokenizer.convert_tokens_to_ids(word) for word in ("il", ", ", ". ", "crolla", "ponte")
    )
    copied = len(tokenizer)
    assert max(il, comma, stop) < 7 <= min(crolla, ponte)
    settings = WordFormat(tokenizer, **LENGTHS).rules(1, 1)
    [refuse] = settings["logits_processor"]
    assert (settings["no_repeat_ngram_size"], refuse.marks.tolist()) == (3, sorted([comma, stop]))

    def refused(*written):
        scores = refuse(torch.tensor([[2, *written]]), torch.zeros(1, len(tokenizer) + 2))
        return set(torch.nonzero(scores[0] < 0).flatten().tolist())

    assert refused() == set()
    assert refused(il) == {il}
    assert refused(il, ponte, comma) == {ponte}
    assert refused(copied, comma, crolla, stop, stop) == {copied, crolla}
    assert refused(il, stop) == set()
    assert NoRepeatedWord([])(torch.tensor([[2, 0]]), torch.zeros(1, 300)).isinf().sum() == 1


def test_what_is_never_written_has_no_score_in_the_headlines_of_its_source():
    scores = NeverWritten([[4], [], [1, 3]])(torch.tensor([]), torch.zeros(6, 5))
    assert torch.nonzero(scores).tolist() == [[0, 4], [1, 4], [4, 1], [4, 3], [5, 1], [5, 3]]
    assert scores[0, 4] == -torch.inf


def test_a_search_with_beams_keeps_no_scores_of_words(generator, monkeypatch):
    format_, model = generator
    outputs = []
    generate = model.generate

    def remember(**options):
        outputs.append(generate(**options))
        return outputs[-1]

    monkeypatch.setattr(model, "generate", remember)
    for beams in (1, 3):
        found_by(model, format_, SOURCES, num_beams=beams)
    greedy, searched = outputs
    assert all(step.numel() for step in greedy.scores)
    assert not any(step.numel() for step in searched.scores)
    assert searched.sequences_scores.isfinite().all()


def test_a_batch_offers_more_candidates_where_they_do_not_depend_on_it(generator):
    format_, model = generator
    made = SimpleNamespace(model=model, format=format_)
    drawn = read_decoding(["do_sample=true"])
    assert Search(candidates=4).sources_at_once(made) == 32
    assert Search(decoding=drawn, candidates=4).sources_at_once(made) == 16
    assert Search().sources_at_once(made) == Search(decoding=drawn).sources_at_once(made) == 64
    assert Search(candidates=4, batch_size=3).sources_at_once(made) == 3


def test_greedy_scores_are_the_models_own(generator):
    """One beam is greedy search; a search of the score by a plain pass must agree."""
    format_, model = generator
    inputs, _ = format_.inputs(SOURCES[:1])
    prompt = format_.prompt_tokens(inputs)
    greedy = {"do_sample": False, "max_new_tokens": 12, "eos_token_id": format_.tokenizer.eos_token_id}
    ids = model.generate(**inputs, **greedy)
    causal = isinstance(format_, CausalFormat)
    given = {"input_ids": ids[:, :-1]} if causal else {**inputs, "decoder_input_ids": ids[:, :-1]}
    logs = model(**given).logits.log_softmax(-1)[0]
    steps = [logs[place - 1, ids[0, place]].item() for place in range(prompt, ids.shape[1])]
    (candidate,) = found_by(model, format_, SOURCES[:1], num_beams=1)[0]
    assert candidate.score == pytest.approx(sum(steps) / len(steps), abs=1e-4)


def test_no_ngram_repeats_but_the_prompts_may_be_copied():
    rule, scores, prompt = NoRepeatedNGram(3, 4), torch.zeros(1, 20), [5, 6, 7, 8]
    assert torch.isfinite(rule(torch.tensor([[*prompt, 5, 6]]), scores)).all()
    repeated = rule(torch.tensor([[*prompt, 5, 6, 7, 5, 6]]), scores)
    assert torch.where(repeated[0] == -torch.inf)[0].tolist() == [7]
