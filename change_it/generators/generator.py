"""Make generators for training, save and load them: model, tokenizer, format and info."""

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

logger = getLogger(__name__)

register_generators()

#: Width of a search that sets nothing else.
BEAMS = 5
#: Pieces or words of the smallest tokenizer.
LEAST_PIECES = 4
#: Tokens of a text that a tokenizer accepts: the formats cut, not the tokenizer.
UNLIMITED_TOKENS = 1_000_000
#: Settings for `generate` that are kept of a model. All others would be mixed with the settings of a search.
KEPT_SETTINGS = ("bos_token_id", "eos_token_id", "decoder_start_token_id", "forced_bos_token_id")


@dataclass(frozen=True)
class Generator:
    """A trained generator.

    Attributes:
        model: the model in `eval` mode, on its device.
        format: how it reads and writes texts.
        info: what it was made for and of.
        folder: folder that it was loaded from.
    """

    model: Any
    format: Format
    info: GeneratorInfo
    folder: Path

    @cached_property
    def weights_hash(self) -> str:
        """Return the SHA-256 of its weights, of the adapters alone where there are any."""
        return hash_of_weights(self.folder, command=COMMAND)


def load_generator(
    name: str | Path, *, precision: Arithmetic = "float32", device: str | torch.device = "auto"
) -> Generator:
    """Load a generator from its folder or Hub id.

    Args:
        name: folder of one generator, or Hub id.
        precision: with bf16, weights around which adapters were trained in bfloat16 stay in it. All others
            are float32.
        device: auto, cpu, cuda, cuda:1 or mps.

    Raises:
        InputError: files are missing or do not fit each other, or there is no such device.
    """
    place = pick_device(str(device))
    folder = local_folder(name, command=COMMAND)
    info = GeneratorInfo.load(folder)
    tokenizer = load_tokenizer(folder)
    if info.chat_end is not None and info.chat_end not in tokenizer.get_vocab():
        raise InputError(
            f"the tokenizer in {folder} has no token {escaped(info.chat_end)}, "
            f"which ends a headline by {GENERATOR_FILE}: put the tokenizer of its training back"
        )
    # adapters that were merged into their base are a whole model, with its configuration
    is_merged = not (folder / "adapter_config.json").is_file() and (folder / "config.json").is_file()
    with quiet():
        if info.base and not is_merged:
            model = _load_adapted(folder, info, info.base, tokenizer)
            if precision != "bf16":
                model = model.float()
        else:
            model = load_model(folder, info.kind, tokenizer)
    model = model.to(place).eval()
    return Generator(model, make_format(info, tokenizer, model.config), info, folder)


def _load_adapted(folder: Path, info: GeneratorInfo, base: str, tokenizer: PreTrainedTokenizerBase) -> Any:
    """Load the base model of adapters, and put them around it."""
    if is_missing_path(base) or base.startswith("."):
        raise InputError(
            f"the adapters in {folder} belong to {base}, which is neither the full path of a folder nor a "
            f"Hub id: put it back, or name its new place as base in {folder / GENERATOR_FILE}"
        )
    if not Path(base).is_dir():
        logger.warning("loading %s, the base of the adapters in %s", escaped(base), folder)
    dtype = getattr(torch, info.base_dtype)
    return load_adapters(load_model(base, info.kind, tokenizer, use="base", dtype=dtype), folder)


def make_format(info: GeneratorInfo, tokenizer: PreTrainedTokenizerBase, config: Any) -> Format:
    """Make the format of a generator; `config` is its model's."""
    return FORMATS[info.kind](tokenizer, **format_options(info, config))


def format_options(info: GeneratorInfo, config: Any) -> dict[str, Any]:
    """Return the arguments of the format of a generator; `config` is its model's."""
    options: dict[str, Any] = {
        "max_source_tokens": info.source_tokens,
        "max_target_tokens": info.target_tokens,
    }
    if info.kind == "words":
        options["copies"] = getattr(config, "copy", True)
    if info.kind == "causal":
        options["prompt"] = info.prompt
        if info.chat_end is not None:
            options["chat_end"] = info.chat_end
    return options


def save_generator(folder: Path, model: Any, tokenizer: PreTrainedTokenizerBase, info: GeneratorInfo) -> None:
    """Save a generator as it is pushed: weights, tokenizer, search settings and the code of the pipeline."""
    if info.kind != "causal":
        # Others read a source alone, without a prompt, which is not cut.
        tokenizer.model_max_length = info.source_tokens
    with quiet():
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    info.save(folder)
    config = read_json(folder / "config.json")
    if config is None:
        # The folder has adapters alone, which no pipeline opens.
        return
    record: dict[str, Any] = {
        "kind": info.kind,
        "format": format_options(info, model.config),
        "no_repeat_ngram_size": info.no_repeat_ngram_size,
    }
    if info.reads == "both":
        record["outlets"] = info.outlets
    config["change_it"] = record
    config["custom_pipelines"] = {"text-generation": _pipeline_entry(info.kind)}
    write_json(folder / "config.json", config)
    settings = read_json(folder / "generation_config.json") or {}
    rules = make_format(info, tokenizer, model.config).rules(info.no_repeat_ngram_size, prompt=1)
    settings["num_beams"] = BEAMS
    settings["max_new_tokens"] = info.target_tokens
    settings["no_repeat_ngram_size"] = rules["no_repeat_ngram_size"]
    write_json(folder / "generation_config.json", settings)
    custom_object_save(HeadlinePipeline, folder)


def _pipeline_entry(kind: ModelKind) -> dict[str, Any]:
    """Return what `config.json` says of the pipeline: its class, and the Auto class of its model."""
    module = HeadlinePipeline.__module__.rpartition(".")[2]
    auto = "AutoModelForCausalLM" if kind == "causal" else "AutoModelForSeq2SeqLM"
    return {"impl": f"{module}.{HeadlinePipeline.__name__}", "pt": [auto]}


def write_generator(folder: Path, generator: Generator) -> None:
    """Write a loaded generator into a folder as training saved it.

    One that was changed since is written without what was measured on it.
    """
    tokenizer = generator.format.tokenizer
    save_generator(folder, generator.model, tokenizer, generator.info)
    tokenizer.model_max_length = UNLIMITED_TOKENS
    restore_files(generator.folder, folder, command=COMMAND)


def copy_generator(source: Path, folder: Path) -> None:
    """Save a generator of one folder in another, as a trained one is saved: with the code of its pipeline."""
    info = GeneratorInfo.load(source)
    tokenizer = load_tokenizer(source)
    config = read_json(source / "config.json") or {}
    dtype = getattr(torch, config.get("dtype", "float32"))
    with quiet():
        model = load_model(source, info.kind, tokenizer, dtype=dtype)
    save_generator(folder, model, tokenizer, info)
    for name in (MODEL_CORPUS, "README.md"):
        if (source / name).is_file():
            copyfile(source / name, folder / name)


def new_network(
    architecture: str, texts: Iterable[str], *, vocabulary: int, cells: int, as_published: bool = False
) -> tuple[WordGenerator, HeadlineTokenizer]:
    """Make a network of this package and its tokenizer; the weights depend on torch's random state.

    Args:
        architecture: s2s, pn, pnc or transformer.
        texts: the tokenizer learns its words from them.
        vocabulary: words that it knows, at most.
        cells: cells of s2s, pn and pnc; of transformer the size of the states.
        as_published: whether s2s, pn or pnc is as in the organisers' files.
    """
    tokenizer = train_tokenizer(texts, size=vocabulary)
    tokenizer.model_max_length = UNLIMITED_TOKENS
    sizes: dict[str, Any] = {
        "vocab_size": len(tokenizer) + tokenizer.reserved,
        "reserved": tokenizer.reserved,
        "hidden_size": cells,
    }
    network: WordGenerator
    if architecture == TRANSFORMER:
        config = PointerTransformerConfig(**sizes, intermediate_size=2 * cells)
        network = PointerTransformerForConditionalGeneration(config)
    else:
        sizes["copy"] = architecture != "s2s"
        sizes["coverage"] = architecture == "pnc"
        if as_published:
            sizes.update(AS_PUBLISHED)
            if architecture == "s2s":
                sizes["bridge"] = "none"
        network = PointerGeneratorForConditionalGeneration(PointerGeneratorConfig(**sizes))
    network.generation_config = _token_settings(network, tokenizer.pad_token_id)
    return network, tokenizer


def _token_settings(model: Any, pad: int) -> GenerationConfig:
    """Return settings for `generate` with the special tokens of a model alone."""
    kept = {name: getattr(model.generation_config, name) for name in KEPT_SETTINGS}
    return GenerationConfig(**kept, pad_token_id=pad)


def load_tokenizer(folder: str | Path) -> Any:
    """Load the tokenizer of a model (Hub id or folder), with a padding token.

    Raises:
        InputError: there is none that can be loaded, or it has no end token.
    """
    with load_errors(
        f"{folder} has no tokenizer that can be loaded: save one into the folder with save_pretrained"
    ):
        tokenizer = read_tokenizer(folder)
        # Without its files transformers makes some tokenizers up: special tokens and a space.
        pieces = set(tokenizer.get_vocab()) - set(tokenizer.get_added_vocab())
        if len(pieces) < LEAST_PIECES:
            raise ValueError("it has no pieces")
    if tokenizer.eos_token_id is None:
        raise InputError(
            f"the tokenizer of {folder} has no end token: "
            "set its eos_token and save it again with save_pretrained"
        )
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    tokenizer.model_max_length = UNLIMITED_TOKENS
    tokenizer.truncation_side = "right"
    return tokenizer


def load_model(
    folder: str | Path,
    kind: ModelKind,
    tokenizer: PreTrainedTokenizerBase,
    *,
    use: Use = "saved",
    dtype: torch.dtype = torch.float32,
) -> Any:
    """Load a model with pre-trained or trained weights.

    Args:
        folder: Hub id or folder.
        kind: kind of the generator.
        tokenizer: the model's tokenizer.
        use: what it is loaded for; see `models.pretrained.Use`.
        dtype: type of its weights.

    Raises:
        InputError: it cannot be loaded, or does not fit the tokenizer.
    """
    auto = AutoModelForCausalLM if kind == "causal" else AutoModelForSeq2SeqLM
    with load_errors(f"{folder} cannot be loaded as a generator: train or save it again"):
        model = load_weights(auto, folder, use=use, dtype=dtype)
        _check_vocabulary(model, kind, tokenizer, folder)
        config = model.config
        if kind == "encoder-decoder" and config.decoder_start_token_id is None:
            raise InputError(f"{folder} says no decoder_start_token_id: set it in its config.json")
        if config.pad_token_id is None:
            config.pad_token_id = tokenizer.pad_token_id
        model.generation_config = _token_settings(model, tokenizer.pad_token_id)
        if kind != "causal" and model.generation_config.decoder_start_token_id is None:
            model.generation_config.decoder_start_token_id = config.decoder_start_token_id
    return model


def _check_vocabulary(
    model: Any, kind: ModelKind, tokenizer: PreTrainedTokenizerBase, folder: str | Path
) -> None:
    """Refuse a tokenizer that has ids which the model does not know."""
    largest = max(tokenizer.get_vocab().values())
    if kind == "words":
        known = model.config.vocab_size
        largest += tokenizer.reserved
    else:
        known = model.get_input_embeddings().num_embeddings
    if largest >= known:
        raise InputError(
            f"the vocabulary does not fit the model {folder}: the tokenizer has ids up to {largest}, "
            f"the model knows {known}; use the tokenizer that belongs to the model, "
            "or resize its embeddings and save it again"
        )


def add_adapters(model: Any, architecture: str, kind: ModelKind, adapters: Adapters | None = None) -> Any:
    """Put low-rank adapters, which alone are trained, around a model (Hu et al. 2021)."""
    task_type: TaskType = "CAUSAL_LM" if kind == "causal" else "SEQ_2_SEQ_LM"
    return put_adapters(model, architecture, task_type, adapters or Adapters())


def load_adapters(model: Any, folder: Path) -> Any:
    """Put saved adapters around their base model.

    Raises:
        InputError: they are no safetensors, name code to run, or do not fit the model.
    """
    peft = import_peft()
    if not (folder / "adapter_model.safetensors").is_file():
        raise InputError(f"{folder} {PICKLE}")
    if (read_json(folder / "adapter_config.json") or {}).get("megatron_config"):
        raise InputError(f"{folder / 'adapter_config.json'} names a module of Python, which is not run")
    refusal = f"the adapters in {folder} do not fit their base model: train them again, or restore the base"
    with load_errors(refusal), warnings.catch_warnings(action="ignore"):
        # PEFT only warns of weights that are missing.
        warnings.filterwarnings("error", message="Found missing")
        adapted = peft.PeftModel.from_pretrained(model, folder)
        check_finite(peft.get_peft_model_state_dict(adapted, save_embedding_layers=False), folder)
    return adapted
