"""Untrained generators of the papers' kind, saved as trained ones are."""

from pathlib import Path

from change_it.generators.generator_options import GeneratorOptions

WORDS = "il ponte crolla sulla statale la riforma fiscale approvata sciopero generale dei treni festival aperto al pubblico"
HEADLINES = ["Il governo cade", "Torna la neve"]


def save_generator(
    folder: Path, *, recipe="sum", to="gio", outlets=("rep", "gio"), architecture="pn", seed=0
):
    import torch

    from change_it.generators import generator
    from change_it.generators.folder import GeneratorInfo
    from change_it.generators.generator_options import READS

    torch.manual_seed(seed)
    model, tokenizer = generator.new_network(architecture, [WORDS], vocabulary=100, cells=16)
    info = GeneratorInfo(
        recipe=recipe,
        reads=READS[recipe],
        to=to,
        outlets=outlets,
        kind="words",
        architecture=architecture,
        base=None,
        language="it",
        source_tokens=40,
        target_tokens=8,
        seed=seed,
        corpus="c",
        no_repeat_ngram_size=1 if architecture == "transformer" else 3,
    )
    generator.save_generator(folder, model, tokenizer, info)
    return folder


def save_pretrained_generator(folder: Path, kind, *, to="gio", outlets=("rep", "gio")):
    """An encoder-decoder or a causal model of transformers' own, as if trained."""
    from saved_judges import save_language_model

    from change_it.generators import generator
    from change_it.generators.folder import GeneratorInfo, prompt_of

    base = save_language_model(folder.with_name(f"{folder.name}-base"), kind)
    tokenizer = generator.load_tokenizer(base)
    model = generator.load_model(base, kind, tokenizer, use="base")
    for tensor in model.parameters():  # likes some words better than others
        tensor.data.mul_(3.0)
    info = GeneratorInfo(
        recipe="sum",
        reads="article",
        to=to,
        outlets=outlets,
        kind=kind,
        architecture=base.name,
        base=None,
        language="it",
        source_tokens=40,
        target_tokens=12,
        seed=0,
        corpus="c",
        prompt=prompt_of("it", "article", to) if kind == "causal" else None,
    )
    generator.save_generator(folder, model, tokenizer, info)
    return folder


def options(corpus, out, architecture, **changes):
    """A short training of a pre-trained model."""
    settings = {
        "recipe": "s2s2",
        "to": "faro",
        "target_tokens": 16,
        "batch_size": 8,
        "updates": 12,
        "evaluation_steps": 6,
        "learning_rate": 3e-3,
    }
    return GeneratorOptions(corpus=corpus, out=out, architecture=architecture, **{**settings, **changes})
