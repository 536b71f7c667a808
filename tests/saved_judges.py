"""A judge of our own kind, saved: what plain transformers and its code on the Hub make of it."""

import torch


def check_loads(judge, tokenizer, texts, folder, *, register):
    """Load it as `register` (by the Auto classes that we register, or by the code of a push alone): the same logits and labels."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer, pipeline

    import change_it.auto  # noqa: F401 (registers our models)
    from change_it.hub.files import _model

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
