"""Tiny random models with a tokenizer learnt from the small corpus."""

import pytest


def tiny_tokenizer(corpus, *, template):
    """Byte-level pieces; `template` says which special tokens stand around a text."""
    from tokenizers import ByteLevelBPETokenizer
    from tokenizers.processors import TemplateProcessing
    from transformers import PreTrainedTokenizerFast

    from change_it.corpus.folder import read_table

    special = ["<pad>", "</s>", "<s>", "<unk>"]
    pieces = ByteLevelBPETokenizer()
    texts = read_table(corpus, "articles", "train", ["headline"])["headline"].to_list()
    pieces.train_from_iterator(texts, vocab_size=600, special_tokens=special, show_progress=False)
    if template:
        names = [("</s>", 1), ("<s>", 2)]
        pieces._tokenizer.post_processor = TemplateProcessing(single=template, special_tokens=names)
    ends = {"eos_token": "</s>", "bos_token": "<s>", "unk_token": "<unk>"}
    return PreTrainedTokenizerFast(tokenizer_object=pieces._tokenizer, **ends)


@pytest.fixture(scope="session")
def tiny_t5(corpus, tmp_path_factory):
    import torch
    from transformers import T5Config, T5ForConditionalGeneration

    folder = tmp_path_factory.mktemp("models") / "tiny-t5"
    tokenizer = tiny_tokenizer(corpus, template="$A </s>")
    tokenizer.pad_token = "<pad>"
    torch.manual_seed(0)
    sizes = {"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 1, "num_decoder_layers": 1, "num_heads": 2}
    config = T5Config(vocab_size=600, **sizes, pad_token_id=0, eos_token_id=1, decoder_start_token_id=0)
    T5ForConditionalGeneration(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="session")
def tiny_gpt2(corpus, tmp_path_factory):
    """Has no padding token and only 128 positions."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    folder = tmp_path_factory.mktemp("models") / "tiny-gpt2"
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=600, n_positions=128, n_embd=32, n_layer=2, n_head=2, bos_token_id=2, eos_token_id=1
    )
    GPT2LMHeadModel(config).save_pretrained(folder)
    tiny_tokenizer(corpus, template=None).save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="session")
def tiny_llama(corpus, tmp_path_factory):
    """Its tokenizer begins every text with <s>."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    folder = tmp_path_factory.mktemp("models") / "tiny-llama"
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=600,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=1024,
        bos_token_id=2,
        eos_token_id=1,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    tiny_tokenizer(corpus, template="<s> $A").save_pretrained(folder)
    return str(folder)
