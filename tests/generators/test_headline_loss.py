"""Of causal models, logits where a headline is, and nowhere else."""

import pytest
import torch
from peft import LoraConfig, get_peft_model
from transformers import Gemma3ForCausalLM, Gemma3TextConfig, T5Config, T5ForConditionalGeneration

from change_it.generators.networks.tokenizer import IGNORED, padded, padded_inputs
from change_it.generators.train import headline_loss

ENDS = {"pad_token_id": 0, "eos_token_id": 1, "bos_token_id": 2}
PROMPTS, ANSWERS = [[*range(3, 12)], [*range(20, 25)]], [[30, 31, 32], [*range(40, 47)]]


def test_an_encoder_decoders_loss_is_its_own():
    sizes = {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 1, "num_heads": 2}
    config = T5Config(vocab_size=50, **sizes, **ENDS, decoder_start_token_id=0)
    model = T5ForConditionalGeneration(config).eval()
    batch = {**padded_inputs(PROMPTS, 0), "labels": padded(ANSWERS, IGNORED)}
    assert headline_loss(model, batch).item() == pytest.approx(model(**batch).loss.item(), rel=1e-5)


def test_no_prompt_of_a_causal_model_gets_logits():
    sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    capped = {"head_dim": 8, "num_key_value_heads": 1, "final_logit_softcapping": 3.0}
    model = Gemma3ForCausalLM(Gemma3TextConfig(vocab_size=50, **sizes, **capped, **ENDS)).eval()
    pairs = list(zip(PROMPTS, ANSWERS, strict=True))
    rows = [prompt + answer for prompt, answer in pairs]
    labels = [[IGNORED] * len(prompt) + answer for prompt, answer in pairs]
    alone = [
        model(input_ids=torch.tensor([row]), labels=torch.tensor([label])).loss
        for row, label in zip(rows, labels, strict=True)
    ]
    widths = []
    model.get_output_embeddings().register_forward_hook(lambda *given: widths.append(given[2].shape[1]))
    adapted = get_peft_model(model, LoraConfig(target_modules="all-linear"))
    batch = {**padded_inputs(rows, 0, left=True), "labels": padded(labels, IGNORED, left=True)}
    loss = headline_loss(adapted, batch)
    assert loss.item() == pytest.approx(((3 * alone[0] + 7 * alone[1]) / 10).item(), rel=1e-5)
    assert widths == [8]
