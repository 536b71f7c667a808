"""Untrained generators of the papers' kind, saved as trained ones are."""

from pathlib import Path

from change_it.generators.arguments import GeneratorOptions

WORDS = "il ponte crolla sulla statale la riforma fiscale approvata sciopero generale dei treni festival aperto al pubblico"
HEADLINES = ["Il governo cade", "Torna la neve"]


def save_generator(
    folder: Path, *, recipe="sum", to="gio", outlets=("rep", "gio"), architecture="pn", seed=0
):
    import torch

    from change_it.generators.arguments import READS
    from change_it.generators.card import GeneratorCard
    from change_it.generators.generator import new_network

    torch.manual_seed(seed)
    model, tokenizer = new_network(architecture, [WORDS], vocabulary=100, cells=16)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    GeneratorCard(
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
    ).save(folder)
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
        "checkpoint_steps": 5,
        "learning_rate": 3e-3,
    }
    return GeneratorOptions(corpus=corpus, out=out, architecture=architecture, **{**settings, **changes})
