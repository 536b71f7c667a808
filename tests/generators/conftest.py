"""Tiny random models with a tokenizer learnt from the small corpus."""

import pytest
from saved_judges import byte_pieces, save_parts


@pytest.fixture(scope="session")
def tiny_models(corpus, tmp_path_factory):
    """Folders of an untrained T5, and of a Llama whose tokenizer begins texts with <s> and pads nothing."""
    import torch
    from tokenizers.processors import TemplateProcessing
    from transformers import LlamaConfig, LlamaForCausalLM, T5Config, T5ForConditionalGeneration

    from change_it.corpus.folder import read_table

    torch.manual_seed(0)
    t5 = {"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 1, "num_heads": 2, "decoder_start_token_id": 0}
    llama = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    llama |= {"max_position_embeddings": 128, "bos_token_id": 2, "eos_token_id": 1}
    models = {
        "t5": T5ForConditionalGeneration(T5Config(vocab_size=600, **t5)),
        "llama": LlamaForCausalLM(LlamaConfig(vocab_size=600, **llama)),
    }
    texts = read_table(corpus, "articles", "train", ["headline"])["headline"].to_list()
    folder, special = tmp_path_factory.mktemp("models"), {"</s>": 1, "<s>": 2}
    for name, model in models.items():
        names = {"bos_token": "<s>", "unk_token": "<unk>", "pad_token": "<pad>" if name == "t5" else None}
        tokenizer = byte_pieces(texts, 600, ("<pad>", "</s>", "<s>", "<unk>"), **names)
        template = "$A </s>" if name == "t5" else "<s> $A"
        post = TemplateProcessing(single=template, special_tokens=[*special.items()])
        tokenizer.backend_tokenizer.post_processor = post
        save_parts(folder / f"tiny-{name}", model, tokenizer)
    return {name: str(folder / f"tiny-{name}") for name in models}
