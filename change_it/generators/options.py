"""Options of `change-it train generator`, and the presets of architectures."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from tyro.conf import arg

from change_it.errors import InputError
from change_it.generators.recipes import RECIPES, TRANSFORMER, RecipeName
from change_it.training.lora import LORA_RATE, LoraFields
from change_it.training.training_options import CONSTANT, TrainingOptions

ModelKind = Literal["words", "encoder-decoder", "causal"]

#: Candidates that judges choose among when no number is given.
CANDIDATES = 10


class Preset(NamedTuple):
    """Lengths and sizes of an architecture, and the arguments of its training."""

    source_tokens: int
    target_tokens: int
    no_repeat_ngram_size: int  # of what is written; 0 allows all, 1 spares the most frequent words
    arguments: dict[str, Any]  # of `training.trainer.RunArguments`
    vocabulary: int = 0  # words that s2s, pn, pnc and transformer know, at most
    cells: int = 0  # of s2s, pn and pnc; the size of the states of transformer


def _network(cells: int, batch: int, updates: int) -> Preset:
    sizes = {"per_device_train_batch_size": batch, "max_steps": updates}
    adagrad = {"optim": "adagrad", "learning_rate": 0.15, "max_grad_norm": 2.0, **CONSTANT}
    return Preset(256, 50, 0, sizes | adagrad, vocabulary=100_000, cells=cells)


def _epochs(batch: int, epochs: int, rate: float, early_stopping: int) -> dict[str, Any]:
    sizes = {"per_device_train_batch_size": batch, "num_train_epochs": epochs}
    return {**sizes, "learning_rate": rate, "early_stopping": early_stopping}


#: The papers' networks and their training, to the end and without blocked n-grams; the organisers' file for S2S has half the cells and larger batches.
#: The Transformer's values are for some ten thousand articles, chosen on the embedded sample's validation part.
NETWORKS = {
    "s2s": _network(128, 64, 100_000),
    "pn": _network(256, 32, 125_000),
    "pnc": _network(256, 32, 125_000),
    TRANSFORMER: Preset(140, 44, 1, _epochs(32, 10, 2e-3, 3), vocabulary=5_000, cells=256),
}
#: Pre-trained models. Encoder-decoders: what IT5 was fine-tuned with (lengths, rate); the rest is ours.
PRETRAINED: dict[ModelKind, Preset] = {
    "encoder-decoder": Preset(512, 64, 3, _epochs(16, 5, 3e-4, 5)),
    "causal": Preset(512, 64, 3, _epochs(8, 3, 5e-5, 5)),
}


def _grouped(texts: Mapping[str, str]) -> str:
    """Return each text with the names that have it: `pn for sum, agnostic; s2s for s2s1`."""
    groups: dict[str, list[str]] = {}
    for name, text in texts.items():
        groups.setdefault(text, []).append(name)
    return "; ".join(f"{text} for {', '.join(names)}" for text, names in groups.items())


_LEARNS = "; ".join(f"{name}: {recipe.learns}" for name, recipe in RECIPES.items())
_OF_BOTH = [name for name, recipe in RECIPES.items() if recipe.writes_for != "one"]
_USUAL = _grouped({name: recipe.architecture for name, recipe in RECIPES.items()})
_PUBLISHED = _grouped(
    {name: recipe.published_network for name, recipe in RECIPES.items() if recipe.published}
)


@dataclass(kw_only=True)
class GeneratorFields:
    """The options of a generator but for those of its training."""

    recipe: Annotated[RecipeName, arg(help=f"{_LEARNS}.")]
    corpus: str
    """Corpus folder written by `change-it corpus build`, or the id of such a data set on the Hub."""
    out: Path
    """Folder of the generator. What it holds is replaced only when the run is finished."""
    to: Annotated[
        str | None, arg(help=f"Outlet whose headlines are written; not for {' and '.join(_OF_BOTH)}.")
    ] = None
    architecture: Annotated[
        str | None,
        arg(
            help="s2s (attention), pn (+ copying), pnc (+ coverage), transformer (with copying); or Hub id or folder of an "
            f"encoder-decoder or a causal language model. When not given: {_USUAL}."
        ),
    ] = None
    as_published: Annotated[
        bool,
        arg(
            help=f"The papers' generator of the recipe: {_PUBLISHED}. Output projection, bridge and loss are "
            "those of the organisers' files."
        ),
    ] = False
    no_chat_template: bool = False
    """Leave the chat template of a causal model out. Without this option the prompt is a user's message in it, and the headline the answer."""
    source_tokens: int = 0
    """Longer sources are cut; 0 is the architecture's: 256 (transformer 140), 512 of a pre-trained model."""
    target_tokens: int = 0
    """Longer headlines are cut, in training and in writing; 0 is the architecture's: 50 (transformer 44), 64 of a pre-trained model."""
    vocabulary: int = 0
    """Words that s2s, pn, pnc and transformer know, at most; 0 is 100,000, of transformer 5,000."""
    cells: int = 0
    """Cells of pn, pnc and transformer (256 when 0) and s2s (128)."""


def kind_of(architecture: str) -> ModelKind:
    """Return the kind of a network of this package, a Hub id or a folder; of a pre-trained model only the configuration is loaded."""
    if architecture in NETWORKS:
        return "words"

    from transformers.models.auto.modeling_auto import (
        MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        MODEL_FOR_MASKED_LM_MAPPING_NAMES,
        MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
    )

    from change_it.generators.networks.pointer_generator import PointerGeneratorConfig
    from change_it.generators.networks.pointer_transformer import PointerTransformerConfig
    from change_it.models.pretrained import read_config  # these load torch
    from change_it.models.saved import load_errors

    with load_errors(no_model(architecture)):
        config = read_config(architecture)
    name = config.model_type
    if name in (PointerGeneratorConfig.model_type, PointerTransformerConfig.model_type):
        return "words"
    if config.is_encoder_decoder and name in MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES:
        return "encoder-decoder"
    is_decoder = getattr(config, "is_decoder", False) or name not in MODEL_FOR_MASKED_LM_MAPPING_NAMES
    if not config.is_encoder_decoder and name in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES and is_decoder:
        return "causal"
    raise InputError(
        f"{architecture} ({name}) writes no text: give an encoder-decoder like T5 or a causal model like GPT-2"
    )


@dataclass(kw_only=True)
class GeneratorOptions(TrainingOptions, LoraFields, GeneratorFields):
    """Train a generator that writes headlines of one outlet, from its articles (sum) or from the other's headlines (s2s), or of both.

    Examples:
        change-it train generator --recipe rewrite --corpus runs/quickstart/corpus --out runs/mine/generators/rewrite --arg bf16=true
        change-it train generator --recipe sum --to gio --corpus runs/mine/corpus --out runs/mine/generators/sum-gio
        change-it train generator --recipe s2s2 --to rep --corpus runs/mine/corpus --out runs/mine/generators/s2s2-rep
        change-it train generator --recipe sum --architecture it5/it5-base --lora --to gio --corpus runs/mine/corpus --out runs/mine/generators/sum-gio
    """

    @property
    def inputs(self) -> tuple[str | None, ...]:
        """The folders that it reads."""
        return self.corpus, self.architecture

    @cached_property
    def kind(self) -> ModelKind:
        """The kind of the architecture; of a model that is not ours its configuration is loaded."""
        return kind_of(architecture_of(self))

    @property
    def values(self) -> Preset:
        """The preset of recipe and architecture."""
        if self.kind != "words":
            preset = PRETRAINED[self.kind]
            rate = {"learning_rate": LORA_RATE} if self.lora else {}
            return preset._replace(arguments=preset.arguments | rate)
        # a saved network that is trained on has its own words and cells
        preset = NETWORKS.get(architecture_of(self), NETWORKS["pn"]._replace(vocabulary=0, cells=0))
        if not self.as_published:
            return preset
        sizes: dict[str, Any] = dict(RECIPES[self.recipe].published_sizes)
        return preset._replace(**sizes)

    @property
    def preset(self) -> dict[str, Any]:
        """See `TrainingOptions`."""
        return self.values.arguments


def architecture_of(options: GeneratorOptions) -> str:
    """The architecture that is given, or the recipe's: the papers' S2S1-3 are S2S, their SUM is PN; `--as-published` is refused for one that no paper has."""
    recipe = RECIPES[options.recipe]
    usual = recipe.architecture
    if options.as_published and recipe.published:
        usual = recipe.published
    architecture = options.architecture or usual
    if options.as_published and (options.lora or architecture not in ("s2s", "pn", "pnc")):
        raise InputError(
            "--as-published requires s2s, pn or pnc without --lora: choose such a --recipe and --architecture"
        )
    return architecture


def no_model(architecture: str) -> str:
    """Why an architecture is refused."""
    return f"no model can be loaded from {architecture!r}: give {', '.join(NETWORKS)}, a Hub id or the folder of a model"
