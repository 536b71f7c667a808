"""Untrained generators of the papers' kind, saved as trained ones are."""

from judge_data import with_arg

from change_it.generators.options import GeneratorOptions

WORDS = (
    "il ponte crolla sulla statale la riforma fiscale approvata sciopero generale dei treni festival aperto "
    "al pubblico"
)
HEADLINES = ["Il governo cade", "Torna la neve"]
#: What a card says unless another one is given.
CARD = {"recipe": "sum", "reads": "article", "base": None, "language": "it", "corpus": "c", "seed": 0}
CARD |= {"source_tokens": 40, "target_tokens": 8}


def save_generator(folder, *, recipe="sum", to="gio", outlets=("rep", "gio"), architecture="pn", seed=0):
    import torch

    from change_it.generators import generator
    from change_it.generators.folder import GeneratorInfo
    from change_it.generators.options import NETWORKS
    from change_it.generators.recipes import RECIPES

    torch.manual_seed(seed)
    model, tokenizer = generator.new_network(architecture, [WORDS], vocabulary=100, cells=16)
    # the papers' networks block nothing, but untrained ones repeat themselves
    size = NETWORKS[architecture].no_repeat_ngram_size or 3
    about = {"recipe": recipe, "reads": RECIPES[recipe].reads, "to": to, "outlets": outlets, "kind": "words"}
    about |= {"architecture": architecture, "seed": seed, "no_repeat_ngram_size": size}
    generator.save_generator(folder, model, tokenizer, GeneratorInfo(**CARD | about))
    return folder


def save_pretrained_generator(folder, kind, *, to="gio", outlets=("rep", "gio")):
    """Save an untrained encoder-decoder or causal model of transformers' own as a trained generator."""
    from saved_judges import save_language_model

    from change_it.generators import generator
    from change_it.generators.folder import GeneratorInfo, prompt_of

    base = save_language_model(folder.with_name(f"{folder.name}-base"), kind)
    tokenizer = generator.load_tokenizer(base)
    model = generator.load_model(base, kind, tokenizer, use="base")
    for tensor in model.parameters():  # likes some words better than others
        tensor.data.mul_(3.0)
    about = {"kind": kind, "architecture": base.name, "to": to, "outlets": outlets, "target_tokens": 12}
    about |= {"prompt": prompt_of("it", "article", to) if kind == "causal" else None}
    generator.save_generator(folder, model, tokenizer, GeneratorInfo(**CARD | about))
    return folder


def options(corpus, out, architecture, **changes):
    """Return the options of a short training of a pre-trained model."""
    settings = {"recipe": "s2s2", "to": "faro", "source_tokens": 64, "target_tokens": 16, "batch_size": 8}
    settings |= {"learning_rate": 3e-3, "max_steps": 12, "eval_steps": 6, "architecture": architecture}
    return GeneratorOptions(corpus=corpus, out=out, **with_arg(settings | changes))


def batch_of(format_, sources, targets):
    """Return a training batch, as it is made of examples."""
    columns = format_.encode(sources, targets)
    examples = []
    for number in range(len(sources)):
        examples.append({name: column[number] for name, column in columns.items()})
    return format_.pad(examples)


def found_by(model, format_, sources, candidates=1, **settings):
    """Return what a search finds by settings of `generate`."""
    from change_it.generators.networks.headline_pipeline import search_headlines

    inputs = format_.inputs(sources)
    return search_headlines(
        model, format_, inputs, {"num_beams": 5} | settings, candidates=candidates, rule=0
    )


def transferred(chosen):
    """Run `change-it transfer`, and return the rows that it writes."""
    from csv_files import read_csv

    from change_it.cli import transfer

    transfer.run(chosen)
    return read_csv(chosen.out)
