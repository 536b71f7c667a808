"""Save untrained judges of our own kind and untrained models of transformers' own."""

import torch
from scoring_fakes import SCALE

from change_it.files.atomic import write_json
from change_it.files.records import to_json
from change_it.judges.record import JudgeMetrics, WithinEvent, WithinEventShare
from change_it.training.record import Seconds, TrainingResult

#: What `metrics.json` of main says of the headlines of one event.
WITHIN_EVENT = WithinEvent(
    pairs=4, events=3, systems={"judge": WithinEventShare(value=0.625, low=0.123, high=0.987)}
)


def a_judges_metrics(**changes):
    """Return what `metrics.json` says of a judge, with `changes` of its fields."""
    fields = {
        "task": "main",
        "classes": ("rep", "gio"),
        "fold": "all",
        "precision": "float32",
        "results": {},
        "baselines": {},
        "sizes": {"train": 1234, "validation": 56},
        "weights_hash": "a" * 64,
        "model_hash": "b" * 64,
        "seconds": Seconds(training=1.0, all=1.0),
        "training": TrainingResult(updates=7, epochs=1.0, best_score=0.5),
        "processes": 1,
        "options": {},
        "versions": {"change-it": "0.1.0"},
    }
    return JudgeMetrics(**fields | changes)


def names_of(classes):
    return {"id2label": dict(enumerate(classes)), "label2id": {name: i for i, name in enumerate(classes)}}


def build_encoder(texts=("Il governo è caduto", "Festival aperto"), *, labels=None):
    """Return an untrained BERT and its tokenizer; with labels it is a classifier."""
    from tokenizers import BertWordPieceTokenizer, Tokenizer
    from transformers import BertConfig, BertForSequenceClassification, BertModel, BertTokenizerFast

    pieces = BertWordPieceTokenizer(lowercase=False, strip_accents=False)
    pieces.train_from_iterator(list(texts) * 9, vocab_size=200, show_progress=False)
    learnt = Tokenizer.from_str(pieces.to_str())
    tokenizer = BertTokenizerFast(tokenizer_object=learnt, model_max_length=512)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    config = BertConfig(vocab_size=len(tokenizer), pad_token_id=tokenizer.pad_token_id, **sizes)
    if labels:
        config.update(names_of(labels))
    model = (BertForSequenceClassification if labels else BertModel)(config)
    return model, tokenizer


def save_parts(folder, *parts):
    """Save models and tokenizers in one folder."""
    for part in parts:
        part.save_pretrained(folder)
    return folder


def save_judges(folder, texts, outlets, **how):
    """Save main, hh and ah side by side."""
    for task in ("main", "hh", "ah"):
        save_judge(folder / task, task, texts, outlets, **how)
    return folder


def byte_pieces(texts, size, special=("<pad>", "</s>"), **names):
    """Return a tokenizer of byte-level pieces that has learnt from texts."""
    from tokenizers import ByteLevelBPETokenizer, Tokenizer
    from transformers import PreTrainedTokenizerFast

    pieces = ByteLevelBPETokenizer()
    pieces.train_from_iterator(texts, vocab_size=size, special_tokens=list(special), show_progress=False)
    names = {"pad_token": "<pad>", "eos_token": "</s>"} | names
    return PreTrainedTokenizerFast(tokenizer_object=Tokenizer.from_str(pieces.to_str()), **names)


def save_judge(folder, task, texts, outlets, *, transformer=False):
    """Save a judge as `change-it train judge` does.

    It is a linear one that has learnt from labels without sense, or an untrained BERT.
    """
    import numpy as np
    from transformers import ByT5Tokenizer

    from change_it.judges.data import Examples
    from change_it.judges.linear_training import fit_main, fit_pairs
    from change_it.judges.metrics import scores
    from change_it.models.saved import hash_of_model, hash_of_weights

    torch.manual_seed(sum(map(ord, task)))
    classes = outlets if task == "main" else ("no_match", "match")
    texts = list(texts)
    if transformer:
        model, tokenizer = build_encoder(texts, labels=classes)
    else:
        labels = np.arange(len(texts)) % 2
        pairs = None if task == "main" else texts[::-1]
        examples = Examples(texts, pairs, labels)
        model = fit_main(examples, seed=1) if task == "main" else fit_pairs(task, examples, texts, seed=1)
        model.config.update(names_of(classes))
        tokenizer = ByT5Tokenizer(model_max_length=1_000_000)
    about = {"task": task, "fold": "all", "seed": 1, "max_tokens": 48, "outlets": list(outlets)}
    if task == "main":
        about["style"] = SCALE._asdict()
    model.config.change_it = about | {"corpus": "corpus", "encoder": "bert" if transformer else "linear"}
    save_parts(folder, model, tokenizer)
    tests = {"main": ("gold",)}.get(task, ("random", "hard"))
    results = {test: scores(np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0]), classes) for test in tests}
    weights_hash = hash_of_weights(folder, command="none")
    metrics = a_judges_metrics(
        task=task,
        classes=classes,
        results=results,
        baselines={"linear": results} if transformer else {},
        sizes={"train": 1234, "validation": 56} | dict.fromkeys(tests, 4),
        weights_hash=weights_hash,
        model_hash=hash_of_model(folder, weights_hash),
        options={"corpus": "/home/somebody/runs/mine/corpus", "out": str(folder), "as_published": False},
        within_event=WITHIN_EVENT if task == "main" else None,
    )
    write_json(folder / "metrics.json", to_json(metrics))


def save_language_model(folder, kind):
    """Save an untrained language model of byte-level pieces."""
    from transformers import GPT2Config, GPT2LMHeadModel, T5Config, T5ForConditionalGeneration

    tokenizer = byte_pieces(["Il ponte di Bari è crollato, dice Rossi.", "Bianchi non cade."] * 3, 300)
    torch.manual_seed(1)
    if kind == "causal":
        config = GPT2Config(vocab_size=300, n_positions=400, n_embd=16, n_layer=1, n_head=2, eos_token_id=1)
        model = GPT2LMHeadModel(config)
    else:
        sizes = {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_heads": 2}
        sizes |= {"num_layers": 1, "num_decoder_layers": 1}
        ids = {"pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0}
        model = T5ForConditionalGeneration(T5Config(vocab_size=300, **sizes, **ids))
    return save_parts(folder, model, tokenizer)
