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

#: Kinds of generators: a network of this package over words, or a pre-trained model.
ModelKind = Literal["words", "encoder-decoder", "causal"]

#: Candidates that judges choose among when no number is given.
CANDIDATES = 10


class Preset(NamedTuple):
    """Lengths and sizes of an architecture, and the arguments of its training.

    Attributes:
        source_tokens: longer sources are cut.
        target_tokens: longer headlines are cut.
        no_repeat_ngram_size: words of an n-gram that is not written twice; 0 allows all, 1 forbids words that
            are not among the most frequent.
        arguments: arguments of the training, by the names of `training.trainer.RunArguments`.
        vocabulary: words that s2s, pn, pnc and transformer know, at most.
        cells: cells of s2s, pn and pnc; of transformer the size of the states.
    """

    source_tokens: int
    target_tokens: int
    no_repeat_ngram_size: int
    arguments: dict[str, Any]
    vocabulary: int = 0
    cells: int = 0


def _published_network(*, cells: int, batch_size: int, updates: int) -> Preset:
    """Return a network of the papers, which is trained to the end and blocks no n-grams."""
    return Preset(
        source_tokens=256,
        target_tokens=50,
        no_repeat_ngram_size=0,
        arguments={
            "per_device_train_batch_size": batch_size,
            "max_steps": updates,
            "optim": "adagrad",
            "learning_rate": 0.15,
            "max_grad_norm": 2.0,
            **CONSTANT,
        },
        vocabulary=100_000,
        cells=cells,
    )


def _epochs(*, batch_size: int, epochs: int, rate: float, early_stopping: int) -> dict[str, Any]:
    """Return the arguments of a training of some epochs.

    It ends early after `early_stopping` evaluations without a better score.
    """
    return {
        "per_device_train_batch_size": batch_size,
        "num_train_epochs": epochs,
        "learning_rate": rate,
        "early_stopping": early_stopping,
    }


#: The networks of this package. The organisers' file for S2S has half the cells and larger batches. The
#: Transformer's values are for some ten thousand articles, chosen on the embedded sample's validation part.
NETWORKS = {
    "s2s": _published_network(cells=128, batch_size=64, updates=100_000),
    "pn": _published_network(cells=256, batch_size=32, updates=125_000),
    "pnc": _published_network(cells=256, batch_size=32, updates=125_000),
    TRANSFORMER: Preset(
        source_tokens=140,
        target_tokens=44,
        no_repeat_ngram_size=1,
        arguments=_epochs(batch_size=32, epochs=10, rate=2e-3, early_stopping=3),
        vocabulary=5_000,
        cells=256,
    ),
}
#: Pre-trained models. Encoder-decoders have the lengths and the rate that IT5 was fine-tuned with; the rest
#: is ours.
PRETRAINED: dict[ModelKind, Preset] = {
    "encoder-decoder": Preset(
        source_tokens=512,
        target_tokens=64,
        no_repeat_ngram_size=3,
        arguments=_epochs(batch_size=16, epochs=5, rate=3e-4, early_stopping=5),
    ),
    "causal": Preset(
        source_tokens=512,
        target_tokens=64,
        no_repeat_ngram_size=3,
        arguments=_epochs(batch_size=8, epochs=3, rate=5e-5, early_stopping=5),
    ),
}


def _grouped(texts: Mapping[str, str]) -> str:
    """Return each text with the names that have it: `pn for sum, agnostic; s2s for s2s1`."""
    groups: dict[str, list[str]] = {}
    for name, text in texts.items():
        groups.setdefault(text, []).append(name)
    return "; ".join(f"{text} for {', '.join(names)}" for text, names in groups.items())


#: What each recipe learns, for the help.
_LEARNS = "; ".join(f"{name}: {recipe.learns}" for name, recipe in RECIPES.items())
#: Recipes that write for both outlets.
_FOR_BOTH = [name for name, recipe in RECIPES.items() if recipe.writes_for != "one"]
#: The architecture of each recipe when none is given.
_USUAL = _grouped({name: recipe.architecture for name, recipe in RECIPES.items()})
#: The network that the papers trained for each recipe.
_PUBLISHED = _grouped(
    {name: recipe.published_network for name, recipe in RECIPES.items() if recipe.published}
)


@dataclass(kw_only=True)
class GeneratorFields:
    """Options of a generator but for those of its training."""

    recipe: Annotated[RecipeName, arg(help=f"{_LEARNS}.")]
    corpus: str
    """Corpus folder written by `change-it corpus build`, or the id of such a data set on the Hub."""
    out: Path
    """Folder of the generator. What it holds is replaced only when the run is finished."""
    to: Annotated[
        str | None, arg(help=f"Outlet whose headlines are written; not for {' and '.join(_FOR_BOTH)}.")
    ] = None
    architecture: Annotated[
        str | None,
        arg(
            help="s2s (attention), pn (+ copying), pnc (+ coverage), transformer (with copying); or Hub id "
            f"or folder of an encoder-decoder or a causal language model. When not given: {_USUAL}."
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
    """Leave the chat template of a causal model out. Without this option the prompt is a user's message in
    it, and the headline the answer.
    """
    source_tokens: int = 0
    """Longer sources are cut; 0 is the architecture's: 256 (transformer 140), 512 of a pre-trained model."""
    target_tokens: int = 0
    """Longer headlines are cut, in training and in writing; 0 is the architecture's: 50 (transformer 44), 64
    of a pre-trained model.
    """
    vocabulary: int = 0
    """Words that s2s, pn, pnc and transformer know, at most; 0 is 100,000, of transformer 5,000."""
    cells: int = 0
    """Cells of pn, pnc and transformer (256 when 0) and s2s (128)."""


def kind_of(architecture: str) -> ModelKind:
    """Return the kind of an architecture; of a pre-trained model only the configuration is loaded.

    Args:
        architecture: name of a network of this package, Hub id or folder.

    Raises:
        InputError: there is no such model, or it writes no text.
    """
    if architecture in NETWORKS:
        return "words"

    # All of these load torch or transformers.
    from transformers.models.auto.modeling_auto import (
        MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        MODEL_FOR_MASKED_LM_MAPPING_NAMES,
        MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
    )

    from change_it.generators.networks.pointer_generator import PointerGeneratorConfig
    from change_it.generators.networks.pointer_transformer import PointerTransformerConfig
    from change_it.models.pretrained import read_config
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
        f"{architecture} ({name}) writes no text: "
        "give an encoder-decoder like T5 or a causal model like GPT-2"
    )


@dataclass(kw_only=True)
class GeneratorOptions(TrainingOptions, LoraFields, GeneratorFields):
    """Train a generator that writes headlines for one outlet, or for both.

    It learns from articles of that outlet (sum), from headlines of the other one (s2s), or from both
    (rewrite).

    Examples:
        change-it train generator --recipe rewrite --corpus runs/quickstart/corpus
            --out runs/mine/generators/rewrite --arg bf16=true
        change-it train generator --recipe sum --to gio --corpus runs/mine/corpus
            --out runs/mine/generators/sum-gio
        change-it train generator --recipe s2s2 --to rep --corpus runs/mine/corpus
            --out runs/mine/generators/s2s2-rep
        change-it train generator --recipe sum --architecture it5/it5-base --lora --to gio
            --corpus runs/mine/corpus --out runs/mine/generators/sum-gio
    """

    @property
    def inputs(self) -> tuple[str | None, ...]:
        """Return the folders that it reads."""
        return self.corpus, self.architecture

    @cached_property
    def kind(self) -> ModelKind:
        """Return the kind of the architecture; of a model that is not ours its configuration is loaded."""
        return kind_of(architecture_of(self))

    @property
    def values(self) -> Preset:
        """Return the preset of recipe and architecture."""
        if self.kind != "words":
            preset = PRETRAINED[self.kind]
            if self.lora:
                preset = preset._replace(arguments={**preset.arguments, "learning_rate": LORA_RATE})
            return preset
        architecture = architecture_of(self)
        if architecture in NETWORKS:
            preset = NETWORKS[architecture]
        else:
            # A saved network that is trained on has its own words and cells.
            preset = NETWORKS["pn"]._replace(vocabulary=0, cells=0)
        if self.as_published:
            sizes: dict[str, Any] = dict(RECIPES[self.recipe].published_sizes)
            preset = preset._replace(**sizes)
        return preset

    @property
    def preset(self) -> dict[str, Any]:
        """Return the arguments of the run; see `TrainingOptions`."""
        return self.values.arguments


def architecture_of(options: GeneratorOptions) -> str:
    """Return the architecture that is given, or the recipe's: the papers' S2S1-3 are S2S, their SUM is PN.

    Raises:
        InputError: --as-published is given with an architecture that no paper has.
    """
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
    """Return why an architecture is refused that is neither a network nor a model."""
    networks = ", ".join(NETWORKS)
    return f"no model can be loaded from {architecture!r}: give {networks}, a Hub id or the folder of a model"
