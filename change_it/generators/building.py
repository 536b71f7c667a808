"""Making a generator to train: one of the papers' networks, a pre-trained model, or adapters around one."""

import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    GenerationConfig,
)
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
)

import change_it.auto  # noqa: F401 (registers our models)
from change_it.errors import InputError
from change_it.generators.options import NETWORKS, GeneratorOptions, GeneratorSettings, Kind
from change_it.generators.pointer_generator import (
    PointerGeneratorConfig,
    PointerGeneratorForConditionalGeneration,
)
from change_it.generators.tokenizer import train_tokenizer

ADAPTER = "adapter_config.json"
#: Pieces or words of the smallest tokenizer.
PIECES = 4
#: What is kept of a model's settings for `generate`.
TOKENS = ("bos_token_id", "eos_token_id", "decoder_start_token_id", "forced_bos_token_id")


def kind_of(architecture: str) -> Kind:
    """What an architecture is; of a pre-trained model the configuration alone is loaded.

    Args:
        architecture: s2s, pn, pnc, Hub id or folder.

    Raises:
        InputError: nothing of that name, adapters, or a model that writes no text.
    """
    if architecture in NETWORKS:
        return "words"
    if (Path(architecture) / ADAPTER).exists():
        raise InputError(
            f"{architecture} holds adapters, not a model: merge them first with change-it merge {architecture} --out DIR"
        )
    try:
        config = AutoConfig.from_pretrained(architecture)
    except (OSError, ValueError) as error:
        raise InputError(
            f"no model can be loaded from {architecture!r}: give s2s, pn, pnc, a Hub id or the folder of a model"
        ) from error
    if config.model_type == PointerGeneratorConfig.model_type:
        return "words"
    if config.is_encoder_decoder and config.model_type in MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES:
        return "encoder-decoder"
    if config.model_type in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES and not config.is_encoder_decoder:
        return "causal"
    raise InputError(
        f"{architecture} ({config.model_type}) writes no text: give an encoder-decoder like T5 or a causal model like GPT-2"
    )


def new_network(options: GeneratorOptions | GeneratorSettings, texts: Iterable[str]) -> tuple[Any, Any]:
    """One of the papers' networks and its tokenizer, before training.

    Args:
        options: architecture s2s, pn or pnc; `vocabulary` and `cells` set.
        texts: sources and headlines of the training part.

    Returns:
        The model, whose weights depend on torch's random state, and the tokenizer.

    Raises:
        InputError: cells that both directions cannot share, or no vocabulary.
    """
    cells, size = options.cells or 0, options.vocabulary or 0
    if cells < 2 or cells % 2:
        raise InputError(
            f"--cells {cells} cannot be shared by both directions of the encoder: give an even number"
        )
    if size < 10:
        raise InputError(f"--vocabulary {size} holds no words: give some thousands")
    tokenizer = train_tokenizer(texts, size=size)
    config = PointerGeneratorConfig(
        vocab_size=len(tokenizer) + tokenizer.reserved,
        reserved=tokenizer.reserved,
        hidden_size=cells,
        copy=options.architecture != "s2s",
        coverage=options.architecture == "pnc",
    )
    return PointerGeneratorForConditionalGeneration(config), tokenizer


def load_tokenizer(folder: str | Path) -> Any:
    """The tokenizer of a pre-trained model, made fit to train and write with.

    Args:
        folder: Hub id or folder.

    Raises:
        InputError: there is none, or it has no end token.
    """
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder)
        # Without its files transformers makes some tokenizers up: special tokens and a space.
        if len(set(tokenizer.get_vocab()) - set(tokenizer.get_added_vocab())) < PIECES:
            raise ValueError("it has no pieces")
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise InputError(
            f"{folder} has no tokenizer that can be loaded: save one into the folder with save_pretrained"
        ) from error
    if tokenizer.eos_token_id is None:
        raise InputError(
            f"the tokenizer of {folder} has no end token: set its eos_token and save it again with save_pretrained"
        )
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    tokenizer.model_max_length, tokenizer.truncation_side = 1_000_000, "right"  # the formats cut
    return tokenizer


def load_model(folder: str | Path, kind: Kind, tokenizer: Any) -> Any:
    """A model with pre-trained or trained weights.

    Args:
        folder: Hub id or folder.
        kind: what it is.
        tokenizer: to be used with it.

    Returns:
        The model, in float32.

    Raises:
        InputError: it cannot be loaded, or the tokenizer has ids that the model does not know.
    """
    auto = AutoModelForCausalLM if kind == "causal" else AutoModelForSeq2SeqLM
    try:
        model = auto.from_pretrained(folder, dtype=torch.float32)
    except (OSError, ValueError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[0]
        raise InputError(
            f"{folder} cannot be loaded as a generator ({reason}): train or save it again"
        ) from error
    rows = model.get_input_embeddings().num_embeddings
    largest = max(tokenizer.get_vocab().values()) + getattr(tokenizer, "reserved", 0) * (kind == "words")
    if kind == "words":
        rows = model.config.vocab_size
    if largest >= rows:
        raise InputError(
            f"the vocabulary does not fit the model {folder}: the tokenizer has ids up to {largest}, the model knows {rows}; "
            "use the tokenizer that belongs to the model, or resize its embeddings and save it again"
        )
    pad = tokenizer.pad_token_id
    if kind == "encoder-decoder" and model.config.decoder_start_token_id is None:
        model.config.decoder_start_token_id = (
            pad if tokenizer.bos_token_id is None else tokenizer.bos_token_id
        )
    if model.config.pad_token_id is None:
        model.config.pad_token_id = pad
    # A model may bring settings of the search, which would be mixed with those that are asked for.
    brought = model.generation_config
    model.generation_config = GenerationConfig(**{name: getattr(brought, name) for name in TOKENS})
    model.generation_config.pad_token_id = pad
    if kind != "causal" and brought.decoder_start_token_id is None:
        model.generation_config.decoder_start_token_id = model.config.decoder_start_token_id
    return model


def room(model: Any, kind: Kind, *, target_tokens: int, overhead: int) -> int | None:
    """Source tokens that a model has positions for; None if there is no limit.

    Args:
        model: any.
        kind: what it is.
        target_tokens: of a headline.
        overhead: tokens of the prompt beside the source.
    """
    positions = getattr(model.config, "max_position_embeddings", None)
    if kind == "words" or not isinstance(positions, int):
        return None
    return positions - (target_tokens + overhead if kind == "causal" else 0)


def add_adapters(model: Any, options: GeneratorOptions | GeneratorSettings, kind: Kind) -> Any:
    """Put low-rank adapters around a model (Hu et al. 2021): they alone are trained.

    Args:
        model: pre-trained.
        options: rank, alpha, and names of layers; without names PEFT's for this model, or all linear layers but the head.
        kind: what the model is.

    Returns:
        A PEFT model; the adapters add nothing yet.

    Raises:
        InputError: PEFT is not installed, or no layer has such a name.
    """
    peft = import_peft()
    task = "CAUSAL_LM" if kind == "causal" else "SEQ_2_SEQ_LM"
    known = peft.utils.TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING
    targets = list(options.lora_targets) or known.get(model.config.model_type, "all-linear")
    config = peft.LoraConfig(
        task_type=task, r=options.lora_rank, lora_alpha=options.lora_alpha, target_modules=targets
    )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # fan_in_fan_out is set by PEFT itself
            return peft.get_peft_model(model, config)
    except ValueError as error:
        names = sorted(
            {
                name.rpartition(".")[2]
                for name, module in model.named_modules()
                if isinstance(module, nn.Linear)
            }
        )
        raise InputError(
            f"--lora-targets {' '.join(options.lora_targets)} or --lora-rank {options.lora_rank} do not fit "
            f"{options.architecture}: give a positive rank and names among {', '.join(names)}"
        ) from error


def load_adapters(model: Any, folder: Path, *, trainable: bool = False) -> Any:
    """Put saved adapters around their base model.

    Args:
        model: the base.
        folder: of the adapters.
        trainable: train them on.

    Raises:
        InputError: PEFT is not installed, or the adapters are of another model.
    """
    peft = import_peft()
    try:
        return peft.PeftModel.from_pretrained(model, folder, is_trainable=trainable)
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(
            f"the adapters in {folder} do not fit their base model: train them again, or restore the base"
        ) from error


def import_peft() -> Any:
    """The library PEFT.

    Raises:
        InputError: it is not installed.
    """
    try:
        import peft
    except ImportError as error:
        raise InputError("adapters need PEFT: pip install 'change-it[lora]'") from error
    return peft


def base_of(architecture: str) -> str:
    """How adapters name their base: a Hub id, or a folder by its full path, so that they load from anywhere.

    Args:
        architecture: Hub id or folder.
    """
    return str(Path(architecture).resolve()) if Path(architecture).is_dir() else architecture
