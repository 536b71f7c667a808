"""The Transformer that copies: its loss against a plain sum, copying, generation, padding, outlets, saving."""

import pytest
import torch
from torch.nn.utils import parameters_to_vector
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

import change_it.auto  # noqa: F401 (registers the model)
from change_it.generators.formats import Decoding, WordFormat
from change_it.generators.pointer_transformer import (
    DecoderState,
    PointerTransformerConfig,
    PointerTransformerForConditionalGeneration,
)
from change_it.generators.tokenizer import HeadlineTokenizer, train_tokenizer

WORDS, RESERVED = 17, 4


def make_model(*, seed=1, scale=3.0, **settings):
    """A tiny float64 model whose weights are large enough for every term to matter."""
    torch.manual_seed(seed)
    sizes = {"vocab_size": WORDS + RESERVED, "reserved": RESERVED, "hidden_size": 8, "intermediate_size": 12}
    config = PointerTransformerConfig(**{**sizes, "dropout": 0.0, **settings})
    model = PointerTransformerForConditionalGeneration(config).double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.1 * scale)
    return model.eval()


def make_batch():
    """Three sources of 7, 4 and 1 tokens with temporary ids (17 …), labels that copy, repeat and miss them."""
    sources = [[5, 17, 8, 5, 18, 9, 17], [6, 17, 1, 10], [7]]
    labels = [[17, 5, 5, 18, 3], [10, 11, 17, 3], [12, 3]]
    return (
        torch.tensor([row + [0] * (7 - len(row)) for row in sources]),
        torch.tensor([[1] * len(row) + [0] * (7 - len(row)) for row in sources]),
        torch.tensor([row + [-100] * (5 - len(row)) for row in labels]),
    )


def test_loss_is_that_of_one_softmax_over_words_and_places():
    model = make_model()
    input_ids, mask, labels = make_batch()
    encoded = model.encoder(input_ids, mask)
    states = model._decode(model.prepare_decoder_input_ids_from_labels(labels), encoded, DecoderState())
    losses = []
    for row, wanted in enumerate(labels.tolist()):
        for step, word in enumerate(wanted):
            if word == -100:
                continue
            written = (model.embedding.words.weight[:WORDS] @ states[row, step] + model.bias).exp()
            query = model.copy(states[row, step]) / 8**0.5
            places = (encoded.copied[row] @ query + model.copy_bias).exp()[: int(mask[row].sum())]
            here = input_ids[row, : len(places)] == word
            probability = places[here].sum() + (written[word] if word < WORDS else 0)
            losses.append(-(probability / (written.sum() + places.sum())).log())
    loss = model(input_ids=input_ids, attention_mask=mask, labels=labels).loss
    assert loss.item() == pytest.approx(torch.stack(losses).mean().item(), rel=1e-5)


def test_every_parameter_has_a_gradient_that_equals_finite_differences():
    model = make_model()
    input_ids, mask, labels = make_batch()
    model(input_ids=input_ids, attention_mask=mask, labels=labels).loss.backward()
    for name, parameter in model.named_parameters():
        place = parameter.grad.abs().flatten().argmax()
        gradient, value = parameter.grad.flatten()[place].item(), parameter.data.flatten()[place].item()
        assert gradient != 0, name
        losses = []
        for step in (1e-3, -1e-3):
            parameter.data.view(-1)[place] = value + step
            losses.append(model(input_ids=input_ids, attention_mask=mask, labels=labels).loss.item())
        parameter.data.view(-1)[place] = value
        assert (losses[0] - losses[1]) / 2e-3 == pytest.approx(gradient, rel=0.02, abs=1e-5), name


def test_words_so_far_alone_decide_the_next_and_nothing_unknown_is_written():
    model = make_model()
    input_ids, mask, _ = make_batch()
    read = torch.tensor([[2, 17, 5, 4], [2, 10, 11, 6], [2, 12, 4, 5]])
    whole = model(input_ids=input_ids, attention_mask=mask, decoder_input_ids=read).logits.exp()
    assert whole.shape == (3, 4, WORDS + RESERVED)
    first = model(input_ids=input_ids, attention_mask=mask, decoder_input_ids=read[:, :2]).logits.exp()
    torch.testing.assert_close(whole[:, :2], first)
    assert whole[..., [0, 1, 2]].max() < 1e-30
    assert (whole.sum(-1) <= 1 + 1e-6).all()
    assert whole[2, :, 17:].max() < 1e-30  # the third source has no unknown word


def test_padding_changes_nothing():
    model = make_model()
    input_ids, mask, labels = make_batch()
    settings = {"num_beams": 3, "max_new_tokens": 6, "min_new_tokens": 6}
    together = model.generate(input_ids=input_ids, attention_mask=mask, **settings)
    losses, counts = [], []
    for row in range(3):
        length, words = int(mask[row].sum()), int((labels[row] != -100).sum())
        for width in (length, length + 3):
            ids = torch.zeros(1, width, dtype=torch.long)
            ids[0, :length] = input_ids[row, :length]
            given = {"input_ids": ids, "attention_mask": (torch.arange(width) < length).long().unsqueeze(0)}
            alone = model(**given, labels=labels[row : row + 1, :words]).loss.item()
            assert model(**given, labels=labels[row : row + 1]).loss.item() == pytest.approx(alone, rel=1e-6)
            assert model.generate(**given, **settings)[0].tolist() == together[row].tolist()
        losses.append(alone * words)
        counts.append(words)
    batched = model(input_ids=input_ids, attention_mask=mask, labels=labels).loss.item()
    assert batched == pytest.approx(sum(losses) / sum(counts), rel=1e-6)


DECODINGS = {
    "greedy": {},
    "beams": {"num_beams": 4, "num_return_sequences": 4, "output_scores": True, "length_penalty": 0.5},
    "sampling": {"do_sample": True, "temperature": 1.3, "top_p": 0.95, "top_k": 0},
}


@pytest.mark.parametrize("decoding", DECODINGS)
def test_cached_equals_uncached(decoding):
    model = make_model()
    input_ids, mask, _ = make_batch()
    given = {
        "input_ids": input_ids,
        "attention_mask": mask,
        "max_new_tokens": 8,
        "return_dict_in_generate": True,
    }
    results = []
    for use_cache in (True, False):
        torch.manual_seed(3)
        results.append(model.generate(**given, use_cache=use_cache, **DECODINGS[decoding]))
    assert results[0].sequences.tolist() == results[1].sequences.tolist()
    assert len({tuple(row) for row in results[0].sequences.tolist()}) > 1
    if "num_return_sequences" in DECODINGS[decoding]:
        torch.testing.assert_close(results[0].sequences_scores, results[1].sequences_scores)


def test_state_is_carried_on_by_several_words_at_once():
    model = make_model()
    input_ids, mask, _ = make_batch()
    read = torch.tensor([[2, 17, 5, 8, 4], [2, 10, 11, 6, 4], [2, 12, 4, 18, 4]])
    encoded = model.encoder(input_ids, mask)
    whole = model(encoder_outputs=encoded, decoder_input_ids=read).logits
    first = model(encoder_outputs=encoded, decoder_input_ids=read[:, :2], use_cache=True)
    state = first.past_key_values
    assert state.get_seq_length() == 2
    rest = model(encoder_outputs=encoded, decoder_input_ids=read[:, 2:], past_key_values=state).logits
    torch.testing.assert_close(torch.cat([first.logits, rest], dim=1), whole)


def test_saved_model_is_the_same_bit_for_bit(tmp_path):
    model = make_model().float()
    model.save_pretrained(tmp_path)
    loaded = AutoModelForSeq2SeqLM.from_pretrained(tmp_path).eval()
    assert type(loaded) is PointerTransformerForConditionalGeneration
    assert loaded.encoder.embedding.words.weight is loaded.embedding.words.weight
    assert torch.equal(parameters_to_vector(loaded.parameters()), parameters_to_vector(model.parameters()))
    input_ids, mask, labels = make_batch()
    given = {"input_ids": input_ids, "attention_mask": mask}
    assert torch.equal(loaded(**given, labels=labels).loss, model(**given, labels=labels).loss)
    settings = {"num_beams": 3, "max_new_tokens": 6}
    assert torch.equal(loaded.generate(**given, **settings), model.generate(**given, **settings))


def test_mixed_precision_trains_the_same_network():
    model = make_model(scale=1.0).float().train()
    input_ids, mask, labels = make_batch()
    whole = model(input_ids=input_ids, attention_mask=mask, labels=labels).loss
    with torch.autocast("cpu", torch.bfloat16):
        mixed = model(input_ids=input_ids, attention_mask=mask, labels=labels).loss
    mixed.backward()
    assert mixed.dtype == torch.float32
    assert mixed.item() == pytest.approx(whole.item(), rel=0.02)
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters())


def test_forward_without_words_to_read_is_refused():
    with pytest.raises(ValueError, match="decoder_input_ids or labels"):
        make_model()(input_ids=torch.tensor([[5]]))


@pytest.fixture(scope="module")
def toy():
    """A generator that has learnt to write two papers' headlines about somebody whose name it does not know."""
    names = [f"Nome{number}" for number in range(60)]

    def source(to, name):
        return f"{to} | | ieri {name} ha vinto in citta"

    def target(to, name):
        return f"Vince {name}: ecco come" if to == "colle" else f"{name} ha vinto"

    examples = [(source(to, name), target(to, name)) for name in names[:40] for to in ("colle", "faro")]
    texts = [text.replace(name, "") for name in names for text in (*sum(examples, ()),) if name in text]
    tokenizer = train_tokenizer(texts, size=30, reserved=5)
    format_ = WordFormat(tokenizer, max_source_tokens=20, max_target_tokens=10, copies=True)
    torch.manual_seed(1)
    config = PointerTransformerConfig(
        vocab_size=len(tokenizer) + 5, reserved=5, hidden_size=32, intermediate_size=64, dropout=0.0
    )
    model = PointerTransformerForConditionalGeneration(config).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    batch = format_.collate(*map(list, zip(*examples, strict=True)))
    losses = []
    for _ in range(60):
        loss = model(**batch).loss
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval(), format_, losses, source, target, names[40:]


def test_training_learns_to_copy_words_it_has_never_seen_and_what_each_outlet_writes(toy):
    model, format_, losses, source, target, unseen = toy
    assert losses[-1] < 0.1 < 1 < losses[0]
    for to in ("colle", "faro"):
        found = format_.generate(model, [source(to, name) for name in unseen], Decoding(beams=2))
        texts = [some[0].text for some in found]
        assert texts == [target(to, name) for name in unseen]


def test_saved_beside_its_tokenizer_it_writes_the_same(toy, tmp_path):
    model, format_, _, source, target, unseen = toy
    model.save_pretrained(tmp_path)
    format_.tokenizer.save_pretrained(tmp_path)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    assert type(tokenizer) is HeadlineTokenizer
    again = WordFormat(tokenizer, max_source_tokens=20, max_target_tokens=10, copies=True)
    loaded = AutoModelForSeq2SeqLM.from_pretrained(tmp_path).eval()
    found = again.generate(loaded, [source("faro", unseen[0])], Decoding(beams=2))
    assert found[0][0].text == target("faro", unseen[0])
