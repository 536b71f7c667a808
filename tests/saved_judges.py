"""Judges of our own kind, saved: untrained ones, and what plain transformers and their code on the Hub make of one."""

import json

import torch


def check_loads(judge, tokenizer, texts, folder, *, register):
    """Load it as `register` (by the Auto classes that we register, or by the code beside it): the same logits and labels."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer, pipeline

    import change_it.auto  # noqa: F401 (registers our models)

    saved = folder / "saved"
    judge.save_pretrained(saved)
    tokenizer.save_pretrained(saved)
    loaded = AutoModelForSequenceClassification.from_pretrained(saved, trust_remote_code=not register).eval()
    assert isinstance(loaded, type(judge)) or not register
    own, again = (
        read(texts, padding=True, truncation=True, return_tensors="pt")
        for read in (tokenizer, AutoTokenizer.from_pretrained(saved))
    )
    with torch.inference_mode():
        assert torch.equal(loaded(**again).logits, judge(**own).logits)
    ask = pipeline("text-classification", model=loaded, tokenizer=AutoTokenizer.from_pretrained(saved))
    assert ask(texts[-1])[0]["label"] in judge.config.id2label.values()


def save_untrained(folder, task, texts, outlets):
    """An untrained judge, saved as `change-it train judge` saves one."""
    import numpy as np

    import change_it.auto  # noqa: F401 (registers our models)
    from change_it.judges.baselines import scores
    from change_it.judges.encoders import build
    from change_it.networks.pretrained import hash_of_model, hash_of_weights

    torch.manual_seed(sum(map(ord, task)))
    model, tokenizer = build(task, "scratch", texts * 9, outlets=outlets, vocabulary_size=200)
    about = {"task": task, "fold": "all", "seed": 1, "max_tokens": 48, "outlets": list(outlets)}
    model.config.change_it = about | {"corpus": "corpus", "encoder": "scratch"}
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    classes = tuple(model.config.id2label.values())
    tests = {"main": ("gold",)}.get(task, ("random", "hard"))
    results = {test: scores(np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0]), classes) for test in tests}
    weights_hash = hash_of_weights(folder, command="none")
    metrics = {
        "classes": classes,
        "weights_hash": weights_hash,
        "model_hash": hash_of_model(folder, weights_hash),
        "results": results,
        "baselines": {"tf-idf cosine": results},
        "sizes": {"train": 1234, "validation": 56},
        "training": {"updates": 7},
        "options": {"corpus": "/home/somebody/runs/mine/corpus", "out": str(folder)},
    }
    (folder / "metrics.json").write_text(json.dumps(metrics), encoding="utf-8")


def save_reader(folder, kind, outlets=("a", "b")):
    """An untrained judge of facts: of words, or of byte-level pieces."""
    from tokenizers import ByteLevelBPETokenizer
    from transformers import (
        GPT2Config,
        GPT2LMHeadModel,
        PreTrainedTokenizerFast,
        T5Config,
        T5ForConditionalGeneration,
    )

    from change_it.networks.pointer_transformer import (
        PointerTransformerConfig,
        PointerTransformerForConditionalGeneration,
    )
    from change_it.networks.tokenizer import train_tokenizer

    texts = ["Il ponte di Bari è crollato, dice Rossi.", "Bianchi non cade: due feriti."] * 3
    torch.manual_seed(1)
    if kind == "words":
        tokenizer = train_tokenizer([*texts, *outlets, "|"], size=40)
        words = {"vocab_size": len(tokenizer) + tokenizer.reserved, "reserved": tokenizer.reserved}
        sizes = {"hidden_size": 16, "encoder_layers": 1, "decoder_layers": 1, "intermediate_size": 16}
        model = PointerTransformerForConditionalGeneration(PointerTransformerConfig(**words, **sizes))
    else:
        pieces = ByteLevelBPETokenizer()
        pieces.train_from_iterator(
            texts, vocab_size=300, special_tokens=["<pad>", "</s>"], show_progress=False
        )
        tokenizer = PreTrainedTokenizerFast(
            tokenizer_object=pieces._tokenizer, pad_token="<pad>", eos_token="</s>"
        )
        if kind == "causal":
            config = GPT2Config(
                vocab_size=300, n_positions=400, n_embd=16, n_layer=1, n_head=2, eos_token_id=1
            )
            model = GPT2LMHeadModel(config)
        else:
            sizes = {
                "d_model": 16,
                "d_kv": 8,
                "d_ff": 16,
                "num_layers": 1,
                "num_decoder_layers": 1,
                "num_heads": 2,
            }
            ids = {"pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0}
            model = T5ForConditionalGeneration(T5Config(vocab_size=300, **sizes, **ids))
    model.config.change_it = {
        "task": "facts", "fold": "all", "outlets": list(outlets), "margins": {"name": 2.0, "number": 2.0, "negation": 2.0}, "max_tokens": 60, "language": "it", "corpus": "corpus", "encoder": "scratch",
    }  # fmt: skip
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
