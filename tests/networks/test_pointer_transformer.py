"""The Transformer that copies: its loss against a plain sum, copying, generation, padding, outlets."""

import pytest
import torch
from copying_networks import RESERVED, WORDS, make_batch, make_model
from transformers import GenerationConfig

import change_it.auto  # noqa: F401 (registers the model)
from change_it.generators.search import Search, generate
from change_it.networks.formats import WordFormat
from change_it.networks.pointer_transformer import (
    DecoderState,
    PointerTransformerConfig,
    PointerTransformerForConditionalGeneration,
)
from change_it.networks.tokenizer import train_tokenizer


def test_loss_is_that_of_one_softmax_over_words_and_places():
    model = make_model("transformer")
    input_ids, mask, labels = make_batch()
    encoded = model.encoder(input_ids, mask)
    states, _ = model._decode(model.prepare_decoder_input_ids_from_labels(labels), encoded, DecoderState())
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
    model = make_model("transformer")
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
    model = make_model("transformer")
    input_ids, mask, _ = make_batch()
    read = torch.tensor([[2, 17, 5, 4], [2, 10, 11, 6], [2, 12, 4, 5]])
    whole = model(input_ids=input_ids, attention_mask=mask, decoder_input_ids=read).logits.exp()
    assert whole.shape == (3, 4, WORDS + RESERVED)
    first = model(input_ids=input_ids, attention_mask=mask, decoder_input_ids=read[:, :2]).logits.exp()
    torch.testing.assert_close(whole[:, :2], first)
    assert whole[..., [0, 1, 2]].max() < 1e-30
    assert (whole.sum(-1) <= 1 + 1e-6).all()
    assert whole[2, :, 17:].max() < 1e-30  # the third source has no unknown word


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
        found = generate(
            model, format_, [source(to, name) for name in unseen], Search(GenerationConfig(num_beams=2))
        )
        texts = [some[0].text for some in found]
        assert texts == [target(to, name) for name in unseen]
