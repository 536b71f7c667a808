"""Of causal models, logits where a headline is, and nowhere else."""

import pytest
import torch
from peft import LoraConfig, get_peft_model
from transformers import (
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    T5Config,
    T5ForConditionalGeneration,
)

from change_it.generators.train import headline_loss
from change_it.networks.tokenizer import IGNORED, padded, padded_inputs

ENDS = {"pad_token_id": 0, "eos_token_id": 1, "bos_token_id": 2}
LAYERS = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}


def t5():
    sizes = {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 1, "num_heads": 2}
    return T5ForConditionalGeneration(T5Config(vocab_size=50, **sizes, **ENDS, decoder_start_token_id=0))


def gemma():
    """Caps its logits after the projection."""
    sizes = {**LAYERS, "head_dim": 8, "num_key_value_heads": 1, "final_logit_softcapping": 3.0}
    return Gemma3ForCausalLM(Gemma3TextConfig(vocab_size=50, **sizes, **ENDS))


@pytest.mark.parametrize("make", [t5, gemma])
def test_the_loss_is_the_models_own_and_no_prompt_gets_logits(make):
    torch.manual_seed(0)
    model = make().eval()
    prompts, answers = ([torch.randint(3, 50, (n,)).tolist() for n in sizes] for sizes in ([9, 5], [3, 7]))
    both = list(zip(prompts, answers, strict=True))
    batch = padded_inputs([prompt + answer for prompt, answer in both], 0, left=True)
    labels = [[IGNORED] * len(prompt) + answer for prompt, answer in both]
    batch, width = {**batch, "labels": padded(labels, IGNORED, left=True)}, 8
    if model.config.is_encoder_decoder:
        batch, width = {**batch, "labels": torch.tensor([[*answers[0], *[IGNORED] * 4], answers[1]])}, 7
    alone = []
    for prompt, answer in zip(prompts, answers, strict=True):
        labels = torch.tensor([[IGNORED] * len(prompt) + answer])
        alone.append(model(input_ids=torch.tensor([prompt + answer]), labels=labels).loss)
    expected = (3 * alone[0] + 7 * alone[1]) / 10
    rows = []
    model.get_output_embeddings().register_forward_hook(lambda *given: rows.append(given[2].shape[1]))
    if model.config.is_encoder_decoder:
        expected = model(**batch).loss
    else:
        model = get_peft_model(model, LoraConfig(target_modules="all-linear"))
    loss = headline_loss(model, batch)
    assert rows[-1] == width
    assert loss.item() == pytest.approx(expected.item(), rel=1e-5)
