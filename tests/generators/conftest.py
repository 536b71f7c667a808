"""Tiny random models with a tokenizer learnt from the small corpus."""

import pytest
from saved_judges import byte_pieces, save_parts


@pytest.fixture(scope="session")
def tiny_models(corpus, tmp_path_factory):
    """Return the folders of an untrained T5 and an untrained Llama, by name.

    The Llama's tokenizer begins every text with <s> and has no padding token.
    """
    import torch
    from tokenizers.processors import TemplateProcessing
    from transformers import LlamaConfig, LlamaForCausalLM, T5Config, T5ForConditionalGeneration

    from change_it.corpus.folder import read_table

    torch.manual_seed(0)
    t5 = T5Config(
        vocab_size=600,
        d_model=32,
        d_kv=8,
        d_ff=64,
        num_layers=1,
        num_heads=2,
        decoder_start_token_id=0,
    )
    llama = LlamaConfig(
        vocab_size=600,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=128,
        bos_token_id=2,
        eos_token_id=1,
    )
    models = {"t5": T5ForConditionalGeneration(t5), "llama": LlamaForCausalLM(llama)}
    templates = {"t5": "$A </s>", "llama": "<s> $A"}
    paddings = {"t5": "<pad>", "llama": None}
    texts = read_table(corpus, "articles", "train", ["headline"])["headline"].to_list()
    folder = tmp_path_factory.mktemp("models")
    folders = {}
    for name, model in models.items():
        tokenizer = byte_pieces(
            texts,
            600,
            ("<pad>", "</s>", "<s>", "<unk>"),
            bos_token="<s>",
            unk_token="<unk>",
            pad_token=paddings[name],
        )
        ids = [("</s>", 1), ("<s>", 2)]
        post_processor = TemplateProcessing(single=templates[name], special_tokens=ids)
        tokenizer.backend_tokenizer.post_processor = post_processor
        save_parts(folder / f"tiny-{name}", model, tokenizer)
        folders[name] = str(folder / f"tiny-{name}")
    return folders
