"""Judges of our own kind, saved: untrained ones, and what plain transformers and their code on the Hub make of one."""

import json

import torch


def check_loads(judge, tokenizer, texts, folder, *, register):
    """Load it as `register` (by the Auto classes that we register, or by the code of a push alone): the same logits and labels."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer, pipeline

    import change_it.auto  # noqa: F401 (registers our models)
    from change_it.hub.packaging import _model

    saved = folder / "saved"
    judge.save_pretrained(saved)
    tokenizer.save_pretrained(saved)
    if not register:
        staged = folder / "staged"
        staged.mkdir()
        for name, content in _model(saved, "").items():
            (staged / name).write_bytes(content if isinstance(content, bytes) else content.read_bytes())
        saved = staged
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
    return ask


def save_untrained(folder, task, texts, outlets):
    """An untrained judge, saved as `change-it train judge` saves one."""
    import numpy as np

    from change_it.judges.baselines import scores
    from change_it.judges.encoders import build
    from change_it.networks.pretrained import hash_of_weights

    torch.manual_seed(sum(map(ord, task)))
    model, tokenizer = build(task, "scratch", texts * 9, outlets=outlets, vocabulary_size=200)
    about = {"task": task, "fold": "all", "seed": 1, "max_tokens": 48, "outlets": list(outlets)}
    model.config.change_it = about | {"corpus": "corpus", "encoder": "scratch"}
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    classes = tuple(model.config.id2label.values())
    tests = {"main": ("gold",)}.get(task, ("random", "hard"))
    results = {test: scores(np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0]), classes) for test in tests}
    metrics = {
        "classes": classes,
        "weights_hash": hash_of_weights(folder, command="none"),
        "results": results,
        "baselines": {"tf-idf cosine": results},
        "sizes": {"train": 1234, "validation": 56},
        "training": {"updates": 7},
        "options": {"corpus": "/home/somebody/runs/mine/corpus", "out": str(folder)},
    }
    (folder / "metrics.json").write_text(json.dumps(metrics), encoding="utf-8")
