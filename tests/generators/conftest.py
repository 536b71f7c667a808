"""Tiny random models with a tokenizer learnt from the small corpus."""

import pytest
from saved_judges import byte_pieces, save_parts


@pytest.fixture(scope="session")
def tiny_models(corpus, tmp_path_factory):
    """Folders of untrained models: GPT-2 has only 128 positions, and Llama's tokenizer begins every text with <s>."""
    import torch
    from tokenizers.processors import TemplateProcessing
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, GPT2Config, LlamaConfig, T5Config

    from change_it.corpus.folder import read_table

    t5 = {"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 1, "num_decoder_layers": 1, "num_heads": 2}
    gpt2 = {"n_positions": 128, "n_embd": 32, "n_layer": 2, "n_head": 2}
    llama = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    usual = {"vocab_size": 600, "eos_token_id": 1}
    made = {
        "t5": (T5Config(**usual, **t5, pad_token_id=0, decoder_start_token_id=0), "$A </s>"),
        "gpt2": (GPT2Config(**usual, **gpt2, bos_token_id=2), None),
        "llama": (LlamaConfig(**usual, **llama, max_position_embeddings=1024, bos_token_id=2), "<s> $A"),
    }
    texts = read_table(corpus, "articles", "train", ["headline"])["headline"].to_list()
    folder, names = tmp_path_factory.mktemp("models"), {"bos_token": "<s>", "unk_token": "<unk>"}
    for name, (config, template) in made.items():
        pad = "<pad>" if name == "t5" else None  # many causal models have none
        tokenizer = byte_pieces(texts, 600, ("<pad>", "</s>", "<s>", "<unk>"), pad_token=pad, **names)
        if template:
            post = TemplateProcessing(single=template, special_tokens=[("</s>", 1), ("<s>", 2)])
            tokenizer.backend_tokenizer.post_processor = post
        torch.manual_seed(0)
        auto = AutoModelForSeq2SeqLM if name == "t5" else AutoModelForCausalLM
        save_parts(folder / f"tiny-{name}", auto.from_config(config), tokenizer)
    return {name: str(folder / f"tiny-{name}") for name in made}


@pytest.fixture(params=["t5", "gpt2", "llama"])
def tiny(request, tiny_models):
    return tiny_models[request.param]
