"""The Transformer that copies: its loss against a plain sum, copying, generation, padding, outlets."""

import torch
from copying_networks import RESERVED, WORDS, check_loss_and_gradients, make_batch, make_model

from change_it.generators.networks.pointer_transformer import DecoderState


def test_loss_and_every_gradient_are_those_of_one_softmax_over_words_and_places():
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
            places = (encoded.sources.copied[row] @ query + model.copy_bias).exp()[: int(mask[row].sum())]
            here = input_ids[row, : len(places)] == word
            probability = places[here].sum() + (written[word] if word < WORDS else 0)
            losses.append(-(probability / (written.sum() + places.sum())).log())
    check_loss_and_gradients(model, torch.stack(losses).mean(), 1e-5, rtol=1e-4, atol=1e-6)


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
