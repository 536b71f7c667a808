"""Load the models of judges and generators, and choose where they run.

All that transformers loads from a folder or the Hub is loaded here: no code comes with it, its weights are
whole and finite, and whatever a library raises over it is one sentence.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Literal, TypeVar

import torch
from torch import nn
from transformers import AutoConfig, AutoTokenizer, PreTrainedTokenizerBase
from transformers.utils import logging

from change_it.errors import InputError
from change_it.files.atomic import read_json, refuse_pointer
from change_it.files.model_folders import PICKLE, weight_files
from change_it.models.saved import load_errors, refuse_strange_weights

Item = TypeVar("Item")
Result = TypeVar("Result")

#: What a model is loaded for.
#: `saved`: to answer as it was saved, with each tensor and no other.
#: `base`: to start adapters or training from; tensors of other parts are left out.
#: `encoder`: to start a classifier from; its head and pooler may be new as well.
Use = Literal["saved", "base", "encoder"]
#: An entry of a configuration that names code of the Hub.
_KERNEL = re.compile(r'_implementation": "[^"]*/')
_ADAPTERS = "holds adapters, not a model: merge them first with merge_and_unload of peft"

#: Parameters from which a model takes all threads for one batch.
_LARGE_MODEL_PARAMETERS = 100_000_000


@contextmanager
def quiet() -> Iterator[None]:
    """Silence transformers' progress bars of loading and saving weights, and its report of them."""
    is_bar_shown = logging.is_progress_bar_enabled()
    verbosity = logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if is_bar_shown:
            logging.enable_progress_bar()


def register(model: Any, auto: Any, tokenizer: Any = None) -> None:
    """Make a model of ours known to an Auto class of transformers.

    `save_pretrained` then writes `auto_map` and the files of its code.

    Args:
        model: the class of the model.
        auto: the Auto class.
        tokenizer: the class of its tokenizer, if that is ours.
    """
    AutoConfig.register(model.config_class.model_type, model.config_class, exist_ok=True)
    auto.register(model.config_class, model, exist_ok=True)
    if tokenizer is not None:
        AutoTokenizer.register(model.config_class, fast_tokenizer_class=tokenizer, exist_ok=True)
    model.config_class.register_for_auto_class()
    model.register_for_auto_class(auto.__name__)


def pick_device(device: str) -> torch.device:
    """Return the device of a name: auto, cpu, cuda, cuda:1, mps.

    `auto` is the machine's accelerator, or its processor.

    Raises:
        InputError: the machine has no such device.
    """
    if device == "auto":
        accelerator = None
        if torch.accelerator.is_available():
            accelerator = torch.accelerator.current_accelerator()
        return accelerator or torch.device("cpu")
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise InputError(f"this machine has no device {device!r}: give cpu or auto") from error
    return torch.device(device)


def arithmetic(device: torch.device, precision: str) -> AbstractContextManager[object]:
    """Return a context in which matrix products are in bfloat16 where `precision` is bf16."""
    if precision == "bf16":
        return torch.autocast(device.type, dtype=torch.bfloat16)
    return nullcontext()


def batches_at_once(model: object) -> int:
    """Return how many batches a model answers at once.

    On a processor it is one a thread, for threads inside a batch wait for one another. A large model, and one
    on another device, answers one batch in all the threads.
    """
    if not isinstance(model, nn.Module):
        return 1
    parameters = list(model.parameters())
    is_large = sum(parameter.numel() for parameter in parameters) >= _LARGE_MODEL_PARAMETERS
    devices = {parameter.device.type for parameter in parameters}
    if is_large or devices != {"cpu"}:
        return 1
    return torch.get_num_threads()


def map_threads(function: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """Yield `function(item)` for each item, in their order, in threads that torch uses one each."""
    if threads == 1:
        for item in items:
            yield function(item)
        return
    with thread_pool(threads) as pool:
        yield from pool.map(function, items)


def thread_pool(threads: int) -> ThreadPoolExecutor:
    """Return a pool of threads in each of which torch computes with one thread."""
    return ThreadPoolExecutor(threads, initializer=_compute_alone, initargs=(torch.get_num_threads(),))


def _compute_alone(usual: int) -> None:
    """Let torch compute with one thread in this thread, and with the usual number in later ones."""
    # The first call in a thread sets its number to the usual one. Made later, it would undo the next line.
    torch.get_num_threads()
    torch.set_num_threads(1)
    # The line above also sets the number of threads that are started from now on.
    with ThreadPoolExecutor(1) as other:
        other.submit(torch.set_num_threads, usual).result()


def reading_errors(tokenizer: PreTrainedTokenizerBase) -> AbstractContextManager[None]:
    """Return a context that turns what a tokenizer raises over a text into an InputError.

    A regular expression in a tokenizer can give up on some texts.
    """
    return load_errors(f"the tokenizer in {tokenizer.name_or_path} cannot read a text")


def read_config(name: str | Path) -> Any:
    """Load the configuration of a model in a folder or on the Hub."""
    return AutoConfig.from_pretrained(name, trust_remote_code=False)


def read_tokenizer(name: str | Path) -> Any:
    """Load the tokenizer of a model in a folder or on the Hub."""
    return AutoTokenizer.from_pretrained(name, trust_remote_code=False)


def load_weights(
    auto: Any, name: str | Path, *, use: Use = "saved", config: Any = None, dtype: torch.dtype = torch.float32
) -> Any:
    """Load a model with the safetensors of a folder or Hub id.

    Args:
        auto: the Auto class.
        name: the folder or the Hub id.
        use: what it is loaded for.
        config: another configuration than the saved one.
        dtype: type of the weights in memory.

    Raises:
        InputError: the weights are in a pickle, which can run code; they do not fit the configuration or are
            not finite; they are adapters; or the configuration asks for code of the Hub.
    """
    _check_files(name)
    options = {
        "dtype": dtype,
        "use_safetensors": True,
        "output_loading_info": True,
        "ignore_mismatched_sizes": True,
    }
    if config is not None:
        options["config"] = config
    try:
        model, info = auto.from_pretrained(name, trust_remote_code=False, **options)
    except OSError as error:
        if "safetensors" not in str(error):
            raise
        raise InputError(f"{name} {PICKLE}") from error
    if getattr(model, "peft_config", None):
        raise InputError(f"{name} {_ADAPTERS}")
    # names of the weights that do not fit the model
    strange = set(info["missing_keys"])
    for key, *_ in info["mismatched_keys"]:
        strange.add(key)
    if use == "encoder":
        # The pooler and the head may be new.
        encoder = "" if model.base_model is model else f"{model.base_model_prefix}."
        strange = {key for key in strange if key.startswith(encoder) and "pooler" not in key}
    if use == "saved":
        strange.update(info["unexpected_keys"])
    refuse_strange_weights(name, strange)
    check_finite(model.state_dict(), name)
    return model


def _check_files(name: str | Path) -> None:
    """Refuse a folder of a model whose configuration names code of the Hub, or whose weights are elsewhere.

    Nothing is checked of a Hub id.

    Raises:
        InputError: says which file.
    """
    folder = Path(name)
    config = folder / "config.json"
    if config.is_file() and _KERNEL.search(json.dumps(read_json(config))):
        raise InputError(
            f"{config} asks for a kernel, code of the Hub, which is not run: save the model again"
        )
    if (folder / "model.safetensors.index.json").is_file():
        weight_files(folder, command="save_pretrained")  # no shard lies outside
    for weights in folder.glob("*.safetensors"):
        refuse_pointer(weights)


def check_finite(tensors: Mapping[str, torch.Tensor], name: str | Path) -> None:
    """Refuse weights that are not finite, used or not.

    Raises:
        InputError: names the model and the tensor.
    """
    for key, tensor in tensors.items():
        if not tensor.is_floating_point() or tensor.numel() == 0:
            continue
        # The extremes are NaN where any number is. They take a thirtieth of the time of `isfinite`, and no
        # memory.
        extremes = torch.stack(tensor.aminmax())
        if not extremes.isfinite().all():
            raise InputError(f"{name} has weights that are not finite numbers ({key}): train it again")
