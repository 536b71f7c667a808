"""Tiny networks that copy, all of our own, and a batch for them."""

import pytest
import torch

WORDS, RESERVED = 17, 4
#: The papers' networks, by the options of their configuration.
KINDS = {"s2s": {"copy": False}, "pn": {"copy": True}}
KINDS["pnc"] = {"copy": True, "coverage": True, "coverage_weight": 0.7}


def make_model(kind="pnc", *, seed=1, scale=None, **settings):
    """Return a tiny float64 model (s2s, pn, pnc or transformer).

    Its weights are large enough for every term to matter. The Auto classes of transformers know it.
    """
    from change_it.generators.networks import pointer_generator, pointer_transformer
    from change_it.generators.registration import register_generators

    register_generators()
    torch.manual_seed(seed)
    sizes = {"vocab_size": WORDS + RESERVED, "reserved": RESERVED}
    if kind == "transformer":
        sizes |= {"hidden_size": 8, "intermediate_size": 12, "dropout": 0.0}
        config = pointer_transformer.PointerTransformerConfig(**sizes | settings)
        model = pointer_transformer.PointerTransformerForConditionalGeneration(config)
    else:
        sizes |= {"embedding_size": 5, "hidden_size": 6, **KINDS[kind]}
        config = pointer_generator.PointerGeneratorConfig(**sizes | settings)
        model = pointer_generator.PointerGeneratorForConditionalGeneration(config)
    scale = scale or (3.0 if kind == "transformer" else 6.0)
    model = model.double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.1 * scale)
    return model.eval()


def make_batch():
    """Return three sources of 7, 4 and 1 tokens with temporary ids (17 …), their mask, and labels.

    The labels copy, repeat and miss the sources' tokens.
    """
    sources = [[5, 17, 8, 5, 18, 9, 17], [6, 17, 1, 10], [7]]
    labels = [[17, 5, 5, 18, 3], [10, 11, 17, 3], [12, 3]]
    return (
        torch.tensor([row + [0] * (7 - len(row)) for row in sources]),
        torch.tensor([[1] * len(row) + [0] * (7 - len(row)) for row in sources]),
        torch.tensor([row + [-100] * (5 - len(row)) for row in labels]),
    )


def check_loss_and_gradients(model, expected, rel, **tolerances):
    """Check that loss and gradients of the batch are those of an expected loss, and no gradient is zero."""
    expected.backward()
    gradients = {name: parameter.grad.clone() for name, parameter in model.named_parameters()}
    model.zero_grad()
    input_ids, mask, labels = make_batch()
    loss = model(input_ids=input_ids, attention_mask=mask, labels=labels).loss
    loss.backward()
    assert loss.item() == pytest.approx(expected.item(), rel=rel)
    for name, parameter in model.named_parameters():
        assert gradients[name].abs().max() > 1e-7, name
        torch.testing.assert_close(parameter.grad, gradients[name], msg=name, **tolerances)
