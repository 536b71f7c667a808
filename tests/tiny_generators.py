"""Untrained generators of the papers' kind, saved as trained ones are."""

from pathlib import Path

from judge_data import with_arg

from change_it.generators.generator_options import GeneratorOptions

WORDS = "il ponte crolla sulla statale la riforma fiscale approvata sciopero generale dei treni festival aperto al pubblico"
HEADLINES = ["Il governo cade", "Torna la neve"]
#: What every card says.
CARD = {"base": None, "language": "it", "source_tokens": 40, "corpus": "c"}


def save_generator(
    folder: Path, *, recipe="sum", to="gio", outlets=("rep", "gio"), architecture="pn", seed=0
):
    import torch

    from change_it.generators import generator
    from change_it.generators.folder import GeneratorInfo
    from change_it.generators.generator_options import READS

    torch.manual_seed(seed)
    model, tokenizer = generator.new_network(architecture, [WORDS], vocabulary=100, cells=16)
    repeats = 1 if architecture == "transformer" else 3
    about = {"kind": "words", "architecture": architecture, "seed": seed, "no_repeat_ngram_size": repeats}
    aims = {"recipe": recipe, "reads": READS[recipe], "to": to, "outlets": outlets}
    info = GeneratorInfo(**CARD, **aims, **about, target_tokens=8)
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
    prompt = prompt_of("it", "article", to) if kind == "causal" else None
    about = {"kind": kind, "architecture": base.name, "seed": 0, "target_tokens": 12, "prompt": prompt}
    info = GeneratorInfo(**CARD, **about, recipe="sum", reads="article", to=to, outlets=outlets)
    generator.save_generator(folder, model, tokenizer, info)
    return folder


def options(corpus, out, architecture, **changes):
    """A short training of a pre-trained model."""
    settings = {"recipe": "s2s2", "to": "faro", "source_tokens": 64, "target_tokens": 16, "batch_size": 8}
    settings |= {"learning_rate": 3e-3, "max_steps": 12, "eval_steps": 6, "architecture": architecture}
    return GeneratorOptions(corpus=corpus, out=out, **with_arg(settings | changes))


def batch_of(format_, sources, targets):
    """A training batch, as it is made of examples."""
    columns = format_.encode(sources, targets)
    return format_.pad([dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)])


def found_by(model, format_, sources, **settings):
    """What `search` finds; `candidates` and `no_repeat_ngram_size` among the settings."""
    from change_it.networks.headline_pipeline import search_headlines

    rules = {"candidates": settings.pop("candidates", 1), "rule": 0}
    return search_headlines(model, format_, format_.inputs(sources), {"num_beams": 5} | settings, **rules)


def transferred(chosen):
    """The rows that `change-it transfer` writes."""
    from csv_files import read_csv

    from change_it.commands import transfer

    transfer.run(chosen)
    return read_csv(chosen.out)
