"""Detours of torch on a processor that `load_weights` spares the models that write."""

import pytest
import torch
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM

from change_it.networks import pretrained
from change_it.networks.pretrained import load_weights


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A causal model four of whose heads share keys."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = LlamaConfig(vocab_size=60, **sizes, num_key_value_heads=1, pad_token_id=0, eos_token_id=1)
    path = tmp_path_factory.mktemp("models") / "llama"
    LlamaForCausalLM(config).save_pretrained(path)
    return path


def test_a_search_projects_whole_states_and_reads_shared_keys_once(folder, tmp_path, monkeypatch):
    model = load_weights(AutoModelForCausalLM, folder).eval()
    plain = AutoModelForCausalLM.from_pretrained(folder).eval()
    whole, asked = [], []
    attend = torch.nn.functional.scaled_dot_product_attention

    def record(query, *others, **options):
        asked.append((query.shape[1:3], options.get("enable_gqa", False)))
        return attend(query, *others, **options)

    ids = torch.randint(2, 60, (3, 8))
    search = {"num_beams": 2, "max_new_tokens": 5, "do_sample": False, "attention_mask": torch.ones_like(ids)}
    expected = plain.generate(ids, **search)
    linear = torch.nn.functional.linear

    def project(states, weight, bias=None):
        if states.shape[-1] == 32 and weight.shape[0] in (25, 10):  # blocks of the words, the last one short
            whole.append(states.is_contiguous())
        return linear(states, weight, bias)

    monkeypatch.setattr(pretrained, "WORDS", 25)
    monkeypatch.setattr(torch.nn.functional, "linear", project)
    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", record)
    assert torch.equal(model.generate(ids, **search), expected)
    assert len(whole) == 3 * 5  # blocks of each step
    assert all(whole)
    one_token = [call for call in asked if call[0] != (4, 8)]
    assert set(one_token) == {((1, 4), False)}  # heads as rows of the one head that has keys

    model.save_pretrained(tmp_path)
    assert "masked" not in (tmp_path / "config.json").read_text()


@pytest.mark.parametrize("bias", [True, False])
def test_a_projection_in_blocks_is_that_of_all_words(monkeypatch, bias):
    monkeypatch.setattr(pretrained, "WORDS", 25)
    head, states = torch.nn.Linear(32, 60, bias=bias), torch.randn(3, 2, 32)
    expected = head(states)
    with torch.no_grad():
        assert torch.allclose(pretrained.project(head, states), expected, atol=1e-6)
        assert torch.equal(pretrained.project(head.double(), states.double()), head(states.double()))
    pretrained.project(head.float(), states).sum().backward()
    assert head.weight.grad is not None
