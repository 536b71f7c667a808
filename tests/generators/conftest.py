"""Tiny random models with a tokenizer learnt from the small corpus."""

import pytest
from saved_judges import byte_pieces, save_parts


def tiny_tokenizer(corpus, *, template, **names):
    """Byte-level pieces; `template` says which special tokens stand around a text."""
    from tokenizers.processors import TemplateProcessing

    from change_it.corpus.folder import read_table

    texts = read_table(corpus, "articles", "train", ["headline"])["headline"].to_list()
    names = {"pad_token": None, "bos_token": "<s>", "unk_token": "<unk>"} | names
    tokenizer = byte_pieces(texts, 600, ("<pad>", "</s>", "<s>", "<unk>"), **names)
    if template:
        ends = [("</s>", 1), ("<s>", 2)]
        post = TemplateProcessing(single=template, special_tokens=ends)
        tokenizer.backend_tokenizer.post_processor = post
    return tokenizer


def saved(folder, model, config, tokenizer):
    """Folder of an untrained model with its tokenizer."""
    import torch

    torch.manual_seed(0)
    return str(save_parts(folder, model(config), tokenizer))


@pytest.fixture(scope="session")
def tiny_t5(corpus, tmp_path_factory):
    from transformers import T5Config, T5ForConditionalGeneration

    tokenizer = tiny_tokenizer(corpus, template="$A </s>", pad_token="<pad>")
    sizes = {"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 1, "num_decoder_layers": 1, "num_heads": 2}
    config = T5Config(vocab_size=600, **sizes, pad_token_id=0, eos_token_id=1, decoder_start_token_id=0)
    return saved(tmp_path_factory.mktemp("models") / "tiny-t5", T5ForConditionalGeneration, config, tokenizer)


@pytest.fixture(scope="session")
def tiny_gpt2(corpus, tmp_path_factory):
    """Has no padding token and only 128 positions."""
    from transformers import GPT2Config, GPT2LMHeadModel

    sizes = {"n_positions": 128, "n_embd": 32, "n_layer": 2, "n_head": 2}
    config = GPT2Config(vocab_size=600, **sizes, bos_token_id=2, eos_token_id=1)
    tokenizer = tiny_tokenizer(corpus, template=None)
    return saved(tmp_path_factory.mktemp("models") / "tiny-gpt2", GPT2LMHeadModel, config, tokenizer)


@pytest.fixture(scope="session")
def tiny_llama(corpus, tmp_path_factory):
    """Its tokenizer begins every text with <s>."""
    from transformers import LlamaConfig, LlamaForCausalLM

    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = LlamaConfig(
        vocab_size=600, **sizes, max_position_embeddings=1024, bos_token_id=2, eos_token_id=1
    )
    tokenizer = tiny_tokenizer(corpus, template="<s> $A")
    return saved(tmp_path_factory.mktemp("models") / "tiny-llama", LlamaForCausalLM, config, tokenizer)


@pytest.fixture(params=["t5", "gpt2", "llama"])
def tiny(request, tiny_t5, tiny_gpt2, tiny_llama):
    return {"t5": tiny_t5, "gpt2": tiny_gpt2, "llama": tiny_llama}[request.param]
