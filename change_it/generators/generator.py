"""A generator: its network or pre-trained model, tokenizer, format and card; made for training, loaded, merged with its adapters."""

import shutil
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from rich.console import Console
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
from change_it.generators.card import CARD, COMMAND, GeneratorCard
from change_it.generators.formats import CausalFormat, EncoderDecoderFormat, Format, WordFormat, prompt_of
from change_it.generators.options import (
    NETWORKS,
    TRANSFORMER,
    GeneratorSettings,
    Kind,
    MergeOptions,
    no_model,
)
from change_it.generators.pointer_generator import (
    PointerGeneratorConfig,
    PointerGeneratorForConditionalGeneration,
)
from change_it.generators.pointer_transformer import (
    PointerTransformerConfig,
    PointerTransformerForConditionalGeneration,
)
from change_it.generators.tokenizer import train_tokenizer
from change_it.io import PICKLE, file_errors
from change_it.training.models import hash_of_weights, load_weights, local_folder, pick_device, quiet
from change_it.training.run_folder import publish

console = Console()

ADAPTER = "adapter_config.json"
#: Pieces or words of the smallest tokenizer.
PIECES = 4
#: What is kept of a model's settings for `generate`.
TOKENS = ("bos_token_id", "eos_token_id", "decoder_start_token_id", "forced_bos_token_id")
#: Subfolder in which a merged generator is written before it replaces what `--out` holds.
WORK = "merging"


@dataclass(frozen=True)
class Generator:
    """A trained generator.

    Attributes:
        model: in `eval` mode, on its device.
        format: how it reads and writes texts.
        card: what it was made for and of.
        folder: where it was loaded from.
    """

    model: Any
    format: Format
    card: GeneratorCard
    folder: Path

    @cached_property
    def weights_hash(self) -> str:
        """SHA-256 of its weights, of the adapters alone where there are any."""
        return hash_of_weights(self.folder, command=COMMAND)


def load_generator(name: str | Path, *, device: str = "auto") -> Generator:
    """Load a generator.

    Args:
        name: folder written by `change-it train generator` or `change-it merge`, or a Hub id.
        device: auto, cpu, cuda, cuda:1, mps.

    Raises:
        InputError: no such folder or id, not a generator, its base model is not there, no such device.
    """
    place = pick_device(device)
    folder = local_folder(name, command=COMMAND)
    card = GeneratorCard.load(folder)
    tokenizer = load_tokenizer(folder)
    with quiet():
        model = load_model(card.base or folder, card.kind, tokenizer)
        if card.base:
            model = load_adapters(model, folder)
    model = model.to(place).eval()
    return Generator(model, make_format(card, tokenizer, model), card, folder)


def make_format(card: GeneratorCard, tokenizer: Any, model: Any) -> Format:
    """The format of a generator."""
    lengths = {"max_source_tokens": card.source_tokens, "max_target_tokens": card.target_tokens}
    if card.kind == "words":
        return WordFormat(tokenizer, **lengths, copies=getattr(model.config, "copy", True))
    if card.kind == "encoder-decoder":
        return EncoderDecoderFormat(tokenizer, **lengths)
    return CausalFormat(tokenizer, **lengths, prompt=prompt_of(card.language, card.reads, card.to))


def kind_of(architecture: str) -> Kind:
    """What a network of ours, a Hub id or a folder is; of a pre-trained model only the configuration is loaded."""
    if architecture in NETWORKS:
        return "words"
    if (Path(architecture) / ADAPTER).exists():
        raise InputError(
            f"{architecture} holds adapters, not a model: merge them first with change-it merge {architecture} --out DIR"
        )
    try:
        config = AutoConfig.from_pretrained(architecture)
    except (OSError, ValueError) as error:
        raise InputError(no_model(architecture)) from error
    if config.model_type in (PointerGeneratorConfig.model_type, PointerTransformerConfig.model_type):
        return "words"
    if config.is_encoder_decoder and config.model_type in MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES:
        return "encoder-decoder"
    if config.model_type in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES and not config.is_encoder_decoder:
        return "causal"
    raise InputError(
        f"{architecture} ({config.model_type}) writes no text: give an encoder-decoder like T5 or a causal model like GPT-2"
    )


def new_network(architecture: str, texts: Iterable[str], *, vocabulary: int, cells: int) -> tuple[Any, Any]:
    """A network of ours and its tokenizer; the weights depend on torch's random state."""
    if cells < 2 or cells % 2:
        raise InputError(
            f"--cells {cells} cannot be shared by both directions of the encoder or two heads: give an even number"
        )
    if vocabulary < 10:
        raise InputError(f"--vocabulary {vocabulary} holds no words: give some thousands")
    tokenizer = train_tokenizer(texts, size=vocabulary)
    ids: dict[str, Any] = {"vocab_size": len(tokenizer) + tokenizer.reserved, "reserved": tokenizer.reserved}
    if architecture == TRANSFORMER:
        settings = PointerTransformerConfig(**ids, hidden_size=cells, intermediate_size=2 * cells)
        return PointerTransformerForConditionalGeneration(settings), tokenizer
    config = PointerGeneratorConfig(
        **ids, hidden_size=cells, copy=architecture != "s2s", coverage=architecture == "pnc"
    )
    return PointerGeneratorForConditionalGeneration(config), tokenizer


def load_tokenizer(folder: str | Path) -> Any:
    """The tokenizer of a pre-trained model (Hub id or folder), with a padding token."""
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
    """A model with pre-trained or trained weights (Hub id or folder), in float32."""
    auto = AutoModelForCausalLM if kind == "causal" else AutoModelForSeq2SeqLM
    try:
        model = load_weights(auto, folder)
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


def max_positions(model: Any, kind: Kind, *, target_tokens: int, overhead: int) -> int | None:
    """Source tokens that a model has positions for beside a headline and a prompt's `overhead`; None: no limit."""
    positions = getattr(model.config, "max_position_embeddings", None)
    if kind == "words" or not isinstance(positions, int):
        return None
    return positions - (target_tokens + overhead if kind == "causal" else 0)


def add_adapters(model: Any, options: GeneratorSettings, kind: Kind) -> Any:
    """Put low-rank adapters, which alone are trained, around a model (Hu et al. 2021)."""
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
    """Put saved adapters around their base model."""
    peft = import_peft()
    if not (folder / "adapter_model.safetensors").is_file():
        raise InputError(f"{folder} {PICKLE}")
    try:
        return peft.PeftModel.from_pretrained(model, folder, is_trainable=trainable)
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(
            f"the adapters in {folder} do not fit their base model: train them again, or restore the base"
        ) from error


def import_peft() -> Any:
    """The library PEFT."""
    try:
        import peft
    except ImportError as error:
        raise InputError("adapters need PEFT: pip install 'change-it[lora]'") from error
    return peft


def base_of(architecture: str) -> str:
    """How adapters name their base: a Hub id, or a folder by its full path, so that they load from anywhere."""
    return str(Path(architecture).resolve()) if Path(architecture).is_dir() else architecture


def merge(options: MergeOptions) -> None:
    """`change-it merge`: a generator whose weights are those of the base with the adapters added."""
    generator = load_generator(options.adapter, device="cpu")
    if generator.card.base is None:
        raise InputError(f"{options.adapter} holds no adapters: it is a whole model already")
    if options.out.resolve() == generator.folder.resolve():
        raise InputError(f"--out {options.out} is the folder of the adapters: give another one")
    if options.out.exists() and not options.out.is_dir():
        raise InputError(f"--out {options.out} is a file: give a folder")
    if options.out.exists() and any(options.out.iterdir()) and not (options.out / CARD).exists():
        raise InputError(f"{options.out} holds something that is no generator of ours: choose another --out")
    final = options.out / WORK / "final"
    with file_errors(f"cannot write {options.out}"), quiet():
        shutil.rmtree(final.parent, ignore_errors=True)
        final.mkdir(parents=True)
        generator.model.merge_and_unload().save_pretrained(final)
        generator.format.tokenizer.save_pretrained(final)
        replace(generator.card, base=None).save(final)
        publish(final, options.out)
    console.print(f"[green]✓[/] merged generator in [bold]{options.out}[/]", soft_wrap=True)
