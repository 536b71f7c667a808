"""Logits where a token is learnt, and nowhere else."""

import pytest
import torch
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    GPT2Config,
    GPT2LMHeadModel,
    T5Config,
    T5ForConditionalGeneration,
)

from change_it.networks.pretrained_loss import HeadlineLoss
from change_it.networks.tokenizer import IGNORED

ENDS = {"pad_token_id": 0, "eos_token_id": 1, "bos_token_id": 2}
LAYERS = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}


def t5():
    sizes = {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 1, "num_heads": 2}
    return T5ForConditionalGeneration(T5Config(vocab_size=50, **sizes, **ENDS, decoder_start_token_id=0))


def bart():
    sizes = {f"{part}_{name}": 1 for part in ("encoder", "decoder") for name in ("layers", "attention_heads")}
    return BartForConditionalGeneration(BartConfig(vocab_size=50, d_model=16, **sizes, **ENDS))


def gpt2():
    return GPT2LMHeadModel(GPT2Config(vocab_size=50, n_embd=16, n_layer=2, n_head=2, **ENDS))


def gemma():
    """Caps its logits after the projection."""
    sizes = {**LAYERS, "head_dim": 8, "num_key_value_heads": 1, "final_logit_softcapping": 3.0}
    return Gemma3ForCausalLM(Gemma3TextConfig(vocab_size=50, **sizes, **ENDS))


@pytest.mark.parametrize("make", [t5, bart, gpt2, gemma])
def test_the_loss_is_the_models_own_and_the_head_sees_what_is_learnt(make):
    torch.manual_seed(0)
    model = make().eval()
    ids = torch.randint(3, 50, (3, 12))
    labels = ids.clone() if not model.config.is_encoder_decoder else torch.randint(3, 50, (3, 7))
    labels[0, :5] = labels[1, 3:] = IGNORED
    batch = {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": labels}
    rows = []
    head = model.get_output_embeddings()
    head.register_forward_hook(lambda module, states, logits: rows.append(logits.shape[:-1].numel()))
    loss = HeadlineLoss(model)(**batch).loss
    shifted = labels if model.config.is_encoder_decoder else labels[:, 1:]
    assert rows == [int((shifted != IGNORED).sum())]
    assert loss.item() == pytest.approx(model(**batch).loss.item(), rel=1e-5)
    assert rows[1] == labels.numel()  # and afterwards the model is as it was
    loss.backward()
    assert all(parameter.grad is None or parameter.grad.isfinite().all() for parameter in model.parameters())
