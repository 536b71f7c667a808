"""A generator: its network or pre-trained model, tokenizer, format and info; made for training, saved, loaded."""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from logging import getLogger
from pathlib import Path
from shutil import copyfile
from typing import Any

import torch
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSeq2SeqLM,
    GenerationConfig,
    PreTrainedTokenizerBase,
)
from transformers.dynamic_module_utils import custom_object_save

from change_it.corpus.folder import MODEL_CORPUS
from change_it.errors import InputError, escaped
from change_it.files.atomic import read_json, write_json
from change_it.files.model_folders import GENERATOR_FILE, PICKLE, is_missing_path
from change_it.generators.folder import COMMAND, GeneratorInfo
from change_it.generators.networks.formats import FORMATS, Format
from change_it.generators.networks.headline_pipeline import HeadlinePipeline
from change_it.generators.networks.pointer_generator import (
    AS_PUBLISHED,
    PointerGeneratorConfig,
    PointerGeneratorForConditionalGeneration,
    WordGenerator,
)
from change_it.generators.networks.pointer_transformer import (
    PointerTransformerConfig,
    PointerTransformerForConditionalGeneration,
)
from change_it.generators.networks.tokenizer import HeadlineTokenizer, train_tokenizer
from change_it.generators.options import TRANSFORMER, ModelKind
from change_it.generators.registration import register_generators
from change_it.models.pretrained import Use, check_finite, load_weights, pick_device, quiet, read_tokenizer
from change_it.models.saved import hash_of_weights, load_errors, local_folder
from change_it.models.saving import restore_files
from change_it.training.adapters import TaskType, import_peft, put_adapters
from change_it.training.lora import Adapters
from change_it.training.training_options import Arithmetic

register_generators()

#: Width of a search that sets nothing else.
BEAMS = 5
#: Pieces or words of the smallest tokenizer.
PIECES = 4
#: The formats cut, not the tokenizer.
LONGEST = 1_000_000
#: What is kept of a model's settings for `generate`: others would be mixed with those of a search.
TOKENS = ("bos_token_id", "eos_token_id", "decoder_start_token_id", "forced_bos_token_id")


@dataclass(frozen=True)
class Generator:
    """A trained generator."""

    model: Any  # in `eval` mode, on its device
    format: Format  # how it reads and writes texts
    info: GeneratorInfo  # what it was made for and of
    folder: Path  # where it was loaded from

    @cached_property
    def weights_hash(self) -> str:
        """SHA-256 of its weights, of the adapters alone where there are any."""
        return hash_of_weights(self.folder, command=COMMAND)


def load_generator(
    name: str | Path, *, precision: Arithmetic = "float32", device: str | torch.device = "auto"
) -> Generator:
    """Load a generator from its folder or Hub id; bf16 leaves weights in bfloat16 around which adapters were trained so."""
    where = pick_device(str(device))
    folder = local_folder(name, command=COMMAND)
    info = GeneratorInfo.load(folder)
    tokenizer = load_tokenizer(folder)
    if info.chat_end is not None and info.chat_end not in tokenizer.get_vocab():
        raise InputError(
            f"the tokenizer in {folder} has no token {escaped(info.chat_end)}, which ends a headline by {GENERATOR_FILE}: "
            "put the tokenizer of its training back"
        )
    merged = not (folder / "adapter_config.json").is_file() and (folder / "config.json").is_file()
    with quiet():
        if info.base and not merged:
            if is_missing_path(info.base) or info.base.startswith("."):
                raise InputError(
                    f"the adapters in {folder} belong to {info.base}, which is neither the full path of a folder nor a Hub id: "
                    f"put it back, or name its new place as base in {folder / GENERATOR_FILE}"
                )
            if not Path(info.base).is_dir():
                getLogger(__name__).warning(
                    "loading %s, the base of the adapters in %s", escaped(info.base), folder
                )
            dtype = getattr(torch, info.base_dtype)
            base = load_model(info.base, info.kind, tokenizer, use="base", dtype=dtype)
            model = load_adapters(base, folder)
            model = model if precision == "bf16" else model.float()
        else:
            model = load_model(folder, info.kind, tokenizer)
    return Generator(model.to(where).eval(), make_format(info, tokenizer, model.config), info, folder)


def make_format(info: GeneratorInfo, tokenizer: PreTrainedTokenizerBase, config: Any) -> Format:
    """The format of a generator; `config` is its model's."""
    return FORMATS[info.kind](tokenizer, **format_options(info, config))


def format_options(info: GeneratorInfo, config: Any) -> dict[str, Any]:
    """Arguments of the format of a generator; `config` is its model's."""
    options: dict[str, Any] = {
        "max_source_tokens": info.source_tokens,
        "max_target_tokens": info.target_tokens,
    }
    if info.kind == "words":
        return {**options, "copies": getattr(config, "copy", True)}
    if info.kind == "causal":
        options["prompt"] = info.prompt
        if info.chat_end is not None:
            options["chat_end"] = info.chat_end
    return options


def save_generator(folder: Path, model: Any, tokenizer: PreTrainedTokenizerBase, info: GeneratorInfo) -> None:
    """Save a generator as it is pushed: weights, tokenizer, search settings and the code of the pipeline."""
    if info.kind != "causal":  # whose prompt is not cut
        tokenizer.model_max_length = info.source_tokens
    with quiet():
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    info.save(folder)
    if (config := read_json(folder / "config.json")) is None:  # of adapters
        return
    size, options = info.no_repeat_ngram_size, format_options(info, model.config)
    auto = "AutoModelForCausalLM" if info.kind == "causal" else "AutoModelForSeq2SeqLM"
    impl = f"{HeadlinePipeline.__module__.rpartition('.')[2]}.{HeadlinePipeline.__name__}"
    config["change_it"] = {"kind": info.kind, "format": options, "no_repeat_ngram_size": size}
    config["change_it"] |= {"outlets": info.outlets} if info.reads == "both" else {}
    config["custom_pipelines"] = {"text-generation": {"impl": impl, "pt": [auto]}}
    write_json(folder / "config.json", config)
    tokens = read_json(folder / "generation_config.json") or {}
    blocked = make_format(info, tokenizer, model.config).rules(size, 1)["no_repeat_ngram_size"]
    search = {"num_beams": BEAMS, "max_new_tokens": info.target_tokens, "no_repeat_ngram_size": blocked}
    write_json(folder / "generation_config.json", {**tokens, **search})
    custom_object_save(HeadlinePipeline, folder)


def write_generator(folder: Path, generator: Generator) -> None:
    """Write a loaded generator into a folder as training saved it; a changed one without what was measured."""
    tokenizer = generator.format.tokenizer
    save_generator(folder, generator.model, tokenizer, generator.info)
    tokenizer.model_max_length = LONGEST  # the formats cut
    restore_files(generator.folder, folder, command=COMMAND)


def copy_generator(source: Path, folder: Path) -> None:
    """Save a generator of one folder in another, as a trained one is saved: with the code that transformers alone needs."""
    info, tokenizer = GeneratorInfo.load(source), load_tokenizer(source)
    stored = (read_json(source / "config.json") or {}).get("dtype", "float32")
    with quiet():
        model = load_model(source, info.kind, tokenizer, dtype=getattr(torch, stored))
    save_generator(folder, model, tokenizer, info)
    for name in (MODEL_CORPUS, "README.md"):
        if (source / name).is_file():
            copyfile(source / name, folder / name)


def new_network(
    architecture: str, texts: Iterable[str], *, vocabulary: int, cells: int, as_published: bool = False
) -> tuple[WordGenerator, HeadlineTokenizer]:
    """A network of this package, or s2s, pn or pnc as published, and its tokenizer; the weights depend on torch's random state."""
    tokenizer = train_tokenizer(texts, size=vocabulary)
    tokenizer.model_max_length = LONGEST
    width = {"vocab_size": len(tokenizer) + tokenizer.reserved, "reserved": tokenizer.reserved}
    sizes: dict[str, Any] = {**width, "hidden_size": cells}
    network: WordGenerator
    if architecture == TRANSFORMER:
        config = PointerTransformerConfig(**sizes, intermediate_size=2 * cells)
        network = PointerTransformerForConditionalGeneration(config)
    else:
        sizes |= {"copy": architecture != "s2s", "coverage": architecture == "pnc"}
        if as_published:
            sizes |= {**AS_PUBLISHED, **({"bridge": "none"} if architecture == "s2s" else {})}
        network = PointerGeneratorForConditionalGeneration(PointerGeneratorConfig(**sizes))
    network.generation_config = _tokens_of(network, tokenizer.pad_token_id)
    return network, tokenizer


def _tokens_of(model: Any, pad: int) -> GenerationConfig:
    tokens = {name: getattr(model.generation_config, name) for name in TOKENS}
    return GenerationConfig(**tokens, pad_token_id=pad)


def load_tokenizer(folder: str | Path) -> Any:
    """The tokenizer of a pre-trained model (Hub id or folder), with a padding token."""
    with load_errors(
        f"{folder} has no tokenizer that can be loaded: save one into the folder with save_pretrained"
    ):
        tokenizer = read_tokenizer(folder)
        # Without its files transformers makes some tokenizers up: special tokens and a space.
        if len(set(tokenizer.get_vocab()) - set(tokenizer.get_added_vocab())) < PIECES:
            raise ValueError("it has no pieces")
    if tokenizer.eos_token_id is None:
        raise InputError(
            f"the tokenizer of {folder} has no end token: set its eos_token and save it again with save_pretrained"
        )
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    tokenizer.model_max_length, tokenizer.truncation_side = LONGEST, "right"  # the formats cut
    return tokenizer


def load_model(
    folder: str | Path,
    kind: ModelKind,
    tokenizer: PreTrainedTokenizerBase,
    *,
    use: Use = "saved",
    dtype: torch.dtype = torch.float32,
) -> Any:
    """A model with pre-trained or trained weights (Hub id or folder)."""
    auto = AutoModelForCausalLM if kind == "causal" else AutoModelForSeq2SeqLM
    with load_errors(f"{folder} cannot be loaded as a generator: train or save it again"):
        model = load_weights(auto, folder, use=use, dtype=dtype)
        words = kind == "words"
        rows = model.config.vocab_size if words else model.get_input_embeddings().num_embeddings
        largest = max(tokenizer.get_vocab().values()) + (tokenizer.reserved if words else 0)
        if largest >= rows:
            raise InputError(
                f"the vocabulary does not fit the model {folder}: the tokenizer has ids up to {largest}, the model knows {rows}; "
                "use the tokenizer that belongs to the model, or resize its embeddings and save it again"
            )
        config, pad = model.config, tokenizer.pad_token_id
        if kind == "encoder-decoder" and config.decoder_start_token_id is None:
            raise InputError(f"{folder} says no decoder_start_token_id: set it in its config.json")
        config.pad_token_id = pad if config.pad_token_id is None else config.pad_token_id
        model.generation_config = _tokens_of(model, pad)
        if kind != "causal" and model.generation_config.decoder_start_token_id is None:
            model.generation_config.decoder_start_token_id = config.decoder_start_token_id
    return model


def add_adapters(model: Any, architecture: str, kind: ModelKind, adapters: Adapters | None = None) -> Any:
    """Put low-rank adapters, which alone are trained, around a model (Hu et al. 2021)."""
    task_type: TaskType = "CAUSAL_LM" if kind == "causal" else "SEQ_2_SEQ_LM"
    return put_adapters(model, architecture, task_type, adapters or Adapters())


def load_adapters(model: Any, folder: Path) -> Any:
    """Put saved adapters around their base model."""
    peft = import_peft()
    if not (folder / "adapter_model.safetensors").is_file():
        raise InputError(f"{folder} {PICKLE}")
    if (read_json(folder / "adapter_config.json") or {}).get("megatron_config"):
        raise InputError(f"{folder / 'adapter_config.json'} names a module of Python, which is not run")
    refusal = f"the adapters in {folder} do not fit their base model: train them again, or restore the base"
    with load_errors(refusal), warnings.catch_warnings(action="ignore"):
        warnings.filterwarnings("error", message="Found missing")  # weights, of which PEFT only warns
        adapted = peft.PeftModel.from_pretrained(model, folder)
        check_finite(peft.get_peft_model_state_dict(adapted, save_embedding_layers=False), folder)
    return adapted
