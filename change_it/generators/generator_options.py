"""Options of `change-it train generator` and `transfer`, and the presets that stand for values not given."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from change_it.errors import InputError
from change_it.training.training_options import Hidden, InferenceOptions, TrainingOptions, TrainingSettings

Recipe = Literal["sum", "s2s1", "s2s2", "s2s3", "agnostic", "rewrite", "train_d", "train_m"]
Reads = Literal["article", "headline", "both"]
ModelKind = Literal["words", "encoder-decoder", "causal"]

#: Those of LREC 2020, whose generators are PNC and read 500 words.
OF_LREC: tuple[Recipe, ...] = ("agnostic", "train_d", "train_m")
LREC_WORDS = 500
#: The architecture that is not the papers'.
TRANSFORMER = "transformer"
#: Candidates that judges choose among when no number is given.
CANDIDATES = 10

#: Tokens of a source and of a headline, at least.
SHORTEST = 2

#: What the generator of a recipe reads.
READS: dict[Recipe, Reads] = {
    "sum": "article",
    "s2s1": "headline",
    "s2s2": "headline",
    "s2s3": "headline",
    "agnostic": "article",
    "rewrite": "both",
    "train_d": "article",
    "train_m": "article",
}


@dataclass(kw_only=True)
class GeneratorOptions(TrainingOptions):
    """Train a generator that writes headlines of one outlet, from its articles (sum) or from the other's headlines (s2s), or of both.

    Examples:
        change-it train generator --recipe rewrite --corpus runs/quickstart/corpus --out runs/mine/generators/rewrite --arg bf16=true
        change-it train generator --recipe sum --to gio --corpus runs/mine/corpus --out runs/mine/generators/sum-gio
        change-it train generator --recipe s2s2 --to rep --corpus runs/mine/corpus --out runs/mine/generators/s2s2-rep
        change-it train generator --recipe sum --architecture it5/it5-base --lora --to gio --corpus runs/mine/corpus --out runs/mine/generators/sum-gio
    """

    recipe: Recipe
    """sum: articles of the target outlet to their headlines; s2s1, s2s2, s2s3: headlines to the other outlet's (pairs A3, A1 + A3, A1); agnostic: articles of both; rewrite: headline and article, one generator that writes for either outlet; train_d, train_m: as sum, from the training sets of LREC 2020."""
    corpus: str
    """Corpus folder written by `change-it corpus build`, or the id of such a data set on the Hub."""
    out: Path
    """Folder of the generator. What it holds is replaced only when the run is finished."""
    to: str | None = None
    """Outlet whose headlines are written; not for agnostic and rewrite."""
    architecture: str | None = None
    """s2s (attention), pn (+ copying), pnc (+ coverage), transformer (with copying); or Hub id or folder of an encoder-decoder or a causal language model. s2s for s2s1-3, pn for sum, agnostic, train_d and train_m, transformer for rewrite when not given."""
    as_published: bool = False
    """The papers' generator of the recipe: s2s for s2s1-3, pn for sum; for agnostic, train_d and train_m pnc on the first 500 words of an article (LREC 2020). Output projection, bridge and loss are those of the organisers' files."""
    lora: bool = False
    """Train low-rank adapters alone (extra: lora); they are saved alone."""
    source_tokens: int | None = None
    """Longer sources are cut."""
    target_tokens: int | None = None
    """Longer headlines are cut, in training and in writing."""

    # What presets and other programs set.
    no_repeat_ngram_size: Hidden[int | None] = (
        None  # of what is written; 0 allows all, 1 spares the most frequent words
    )
    vocabulary: Hidden[int | None] = None  # words that s2s, pn, pnc and transformer know, at most
    cells: Hidden[int | None] = None  # of s2s, pn and pnc; the size of the states of transformer

    @property
    def inputs(self) -> tuple[str | None, ...]:
        """The folders that it reads."""
        return self.corpus, self.architecture


@dataclass(kw_only=True)
class GeneratorSettings(TrainingSettings, GeneratorOptions):
    """`GeneratorOptions` once presets stand for what was not given; `vocabulary` and `cells` are of s2s, pn and pnc alone."""

    architecture: str = field()
    source_tokens: int = field()
    target_tokens: int = field()
    no_repeat_ngram_size: int = field()


@dataclass(kw_only=True)
class TransferOptions(InferenceOptions):
    """Write new headlines in the other outlet's style; with --rerank, judges choose the best of several candidates.

    The headlines of --corpus or --input are written to --out, one row each: id, headline, target,
    error, reranker, generator. An interrupted run is resumed by the same command, from FILE.*.partial.

    Examples:
        change-it transfer --corpus runs/quickstart/corpus --items 20 --out runs/mine/predictions/rewrite.csv
        change-it transfer --generator runs/mine/generators --recipe sum --corpus runs/mine/corpus --out runs/mine/predictions/sum.csv
        change-it transfer --generator runs/mine/generators/sum-gio --input articles.csv --out new.csv
        change-it transfer --generator NAME --endpoint http://localhost:8000/v1 --shots 3 --corpus runs/mine/corpus --out runs/mine/predictions/prompted.csv
        change-it transfer --generator runs/mine/generators --corpus runs/mine/corpus --rerank runs/mine/judges-0 --out runs/mine/predictions/chosen.csv
    """

    out: Path
    """CSV file to write; it appears only when the run is finished."""
    corpus: str | None = None
    """Corpus folder or data set id on the Hub; its test headlines are transferred unless there is an --input."""
    input: str | None = None
    """CSV, TSV, JSON lines or parquet file with headline, article and label (the outlet the row comes from); id if there is one."""
    columns: str = ""
    """Column map of --input, ours=theirs: headline=title,article=body."""
    items: int | None = None
    """Number of headlines of --corpus to transfer, drawn by --seed among those with an aligned one; all when not given."""
    generator: str = "runs/quickstart/generators"
    """Folder or Hub id of a generator, or a folder of them (both directions); with --endpoint the server's name of the model."""
    recipe: Recipe | None = None
    """Which generators of a folder that holds several recipes."""
    endpoint: str | None = None
    """Address of an OpenAI-compatible server whose model --generator is prompted in the language of --corpus, without training; its key is read from the environment, CHANGE_IT_API_KEY."""
    concurrency: int | None = None
    """Requests at a time to --endpoint; 8 when not given."""
    shots: int = 0
    """Examples in a prompt: the training pairs of --corpus, never of the test set, that are nearest to each item by tf-idf."""
    to: str | None = None
    """Outlet to write for; of the rows of a file the other one than their label when not given."""
    rerank: str | None = None
    """Folder or Hub id of judges main, hh and ah that choose, with fluency for the joint score; train them with --fold, others of the other fold must score."""
    candidates: int | None = None
    """Candidates a headline that --rerank chooses among; 10 when not given, and one without it."""
    generation: tuple[str, ...] = ()
    """Settings of transformers' GenerationConfig: num_beams=1 (greedy; 5 when not given) do_sample=true temperature=0.7 max_new_tokens=200 no_repeat_ngram_size=3."""
    batch_size: int | None = None
    """Sources a generator reads at once; its own choice when not given."""
    seed: int = 1
    """Seed of headlines that are drawn and of --items."""


#: The papers' networks and their training, to the end and without blocked n-grams; the organisers' file for S2S has half the cells and larger batches.
#: The Transformer's values are for some ten thousand articles, chosen on the embedded sample's validation part.
_NETWORK = {
    "source_tokens": 256,
    "target_tokens": 50,
    "vocabulary": 100_000,
    "optimizer": "adagrad",
    "learning_rate": 0.15,
    "max_grad_norm": 2.0,
    "early_stopping": 0,
    "no_repeat_ngram_size": 0,
}
_POINTER = {**_NETWORK, "cells": 256, "batch_size": 32, "updates": 125_000}
NETWORKS: dict[str, dict[str, Any]] = {
    "s2s": {**_NETWORK, "cells": 128, "batch_size": 64, "updates": 100_000},
    "pn": _POINTER,
    "pnc": _POINTER,
    TRANSFORMER: {
        "source_tokens": 140,
        "target_tokens": 44,
        "vocabulary": 5_000,
        "cells": 256,
        "optimizer": "adamw",
        "learning_rate": 2e-3,
        "max_grad_norm": 1.0,
        "batch_size": 32,
        "epochs": 10,
        "early_stopping": 3,
        "no_repeat_ngram_size": 1,
    },
}

#: Pre-trained models. Encoder-decoders: what IT5 was fine-tuned with (lengths, rate); the rest is ours.
_PRETRAINED = {"source_tokens": 512, "target_tokens": 64, "early_stopping": 5, "no_repeat_ngram_size": 3}
PRETRAINED: dict[ModelKind, dict[str, Any]] = {
    "encoder-decoder": {**_PRETRAINED, "learning_rate": 3e-4, "batch_size": 16, "epochs": 5},
    "causal": {**_PRETRAINED, "learning_rate": 5e-5, "batch_size": 8, "epochs": 3},
}
#: A pre-trained model that is tuned where a generator would be trained from scratch, some ten seconds an update on two cores:
#: headline and lead of an article; a checkpoint each few minutes.
WRITER: dict[str, Any] = {"lora": True, "source_tokens": 192, "target_tokens": 64, "checkpoint_minutes": 4.0}
#: Adapters start at nothing and take larger steps; their rank, and the scale of what they add (alpha / rank).
LORA_RATE, LORA_RANK, LORA_ALPHA = 1e-3, 16, 32


def architecture_of(options: GeneratorOptions) -> str:
    """The architecture that is given, or the recipe's: the papers' S2S1-3 are S2S, their SUM is PN."""
    usual = {"headline": "s2s", "article": "pn", "both": TRANSFORMER}
    if options.as_published and options.recipe in OF_LREC:
        usual["article"] = "pnc"
    return options.architecture or usual[READS[options.recipe]]


def check_published(options: GeneratorOptions) -> None:
    """Refuse `--as-published` for a generator that no paper has."""
    published = architecture_of(options) in ("s2s", "pn", "pnc") and not options.lora
    if options.as_published and not published:
        raise InputError(
            "--as-published requires s2s, pn or pnc without --lora: choose such a --recipe and --architecture"
        )


def preset(options: GeneratorOptions, kind: ModelKind = "encoder-decoder") -> dict[str, Any]:
    """Values by field name for the options that are None; `kind` is of an architecture not in `NETWORKS`."""
    architecture = architecture_of(options)
    if kind == "words" or architecture in NETWORKS:
        values = dict(NETWORKS.get(architecture, _POINTER))
        if architecture not in NETWORKS:  # a saved network that is trained on, with its own words and cells
            values |= {"vocabulary": None, "cells": None}
        if options.as_published and options.recipe in OF_LREC:
            values["source_tokens"] = LREC_WORDS
        if options.epochs is not None:  # updates would win over them
            values.pop("updates", None)
        return values
    rate = {"learning_rate": LORA_RATE} if options.lora else {}
    return {**PRETRAINED[kind], **rate}


def presets() -> dict[str, dict[str, Any]]:
    """Architecture to its presets, for help texts; the kinds of pre-trained models among them."""
    return {**NETWORKS, **{str(kind): values for kind, values in PRETRAINED.items()}}


def no_model(architecture: str) -> str:
    """Why an architecture is refused."""
    return f"no model can be loaded from {architecture!r}: give {', '.join(NETWORKS)}, a Hub id or the folder of a model"
