"""Models that judges and generators share: how they are loaded, and where they run.

All that transformers loads from a folder or the Hub is loaded here: no code comes with it, its weights are whole and finite,
and whatever a library raises over it is one sentence.
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

#: What a model is loaded for: to answer as it was saved, with each tensor and no other; as the base that adapters or training
#: start from, of which others are left; as an encoder, whose head and pooler may be new too.
Use = Literal["saved", "base", "encoder"]
_KERNEL = re.compile(r'_implementation": "[^"]*/')
_ADAPTERS = "holds adapters, not a model: merge them first with merge_and_unload of peft"

#: Parameters from which a model takes all threads for one batch.
LARGE = 100_000_000


@contextmanager
def quiet() -> Iterator[None]:
    """Silence the progress bars that transformers shows for the seconds of loading and saving weights, and its report of them."""
    shown, verbosity = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if shown:
            logging.enable_progress_bar()


def register(model: Any, auto: Any, tokenizer: Any = None) -> None:
    """Make a model of ours known to an Auto class of transformers; `save_pretrained` then writes `auto_map` and the files of its code."""
    AutoConfig.register(model.config_class.model_type, model.config_class, exist_ok=True)
    auto.register(model.config_class, model, exist_ok=True)
    if tokenizer is not None:
        AutoTokenizer.register(model.config_class, fast_tokenizer_class=tokenizer, exist_ok=True)
    model.config_class.register_for_auto_class()
    model.register_for_auto_class(auto.__name__)


def pick_device(device: str) -> torch.device:
    """The device of that name (auto, cpu, cuda, cuda:1, mps); `auto` is the machine's accelerator, or its processor."""
    if device == "auto":
        accelerator = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
        return accelerator or torch.device("cpu")
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise InputError(f"this machine has no device {device!r}: give cpu or auto") from error
    return torch.device(device)


def arithmetic(device: torch.device, precision: str) -> AbstractContextManager[object]:
    """Matrix products in bfloat16 where `precision` is bf16."""
    return torch.autocast(device.type, dtype=torch.bfloat16) if precision == "bf16" else nullcontext()


def batches_at_once(model: object) -> int:
    """Number of batches that a model answers at once: one a thread, for threads inside a batch wait for one another; or one in all the threads where it is large."""
    if not isinstance(model, nn.Module) or sum(map(torch.numel, model.parameters())) >= LARGE:
        return 1
    on_cpu = {parameter.device.type for parameter in model.parameters()} == {"cpu"}
    return torch.get_num_threads() if on_cpu else 1


def map_threads(function: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """`function(item)` for each item, in their order, in threads; torch computes with one thread in each."""
    if threads == 1:
        yield from map(function, items)
        return
    with thread_pool(threads) as pool:
        yield from pool.map(function, items)


def thread_pool(threads: int) -> ThreadPoolExecutor:
    """Threads in each of which torch computes with one thread."""
    return ThreadPoolExecutor(threads, initializer=_compute_alone, initargs=(torch.get_num_threads(),))


def _compute_alone(usual: int) -> None:
    """Let torch compute with one thread in this thread, and with the usual number in those that start later."""
    torch.get_num_threads()  # takes over the usual number, which would undo the next line later
    torch.set_num_threads(1)
    with ThreadPoolExecutor(1) as other:
        other.submit(torch.set_num_threads, usual).result()


def reading_errors(tokenizer: PreTrainedTokenizerBase) -> AbstractContextManager[None]:
    """As `load_errors`, for a tokenizer that cannot read a text: a regular expression in it can give up on some texts alone."""
    return load_errors(f"the tokenizer in {tokenizer.name_or_path} cannot read a text")


def read_config(name: str | Path) -> Any:
    """The configuration of a model in a folder or on the Hub."""
    return AutoConfig.from_pretrained(name, trust_remote_code=False)


def read_tokenizer(name: str | Path) -> Any:
    """The tokenizer of a model in a folder or on the Hub."""
    return AutoTokenizer.from_pretrained(name, trust_remote_code=False)


def load_weights(
    auto: Any, name: str | Path, *, use: Use = "saved", config: Any = None, dtype: torch.dtype = torch.float32
) -> Any:
    """A model with the safetensors of a folder or Hub id, and perhaps another `config`; weights in a pickle, which can run code, are refused."""
    file = Path(name, "config.json")
    if file.is_file() and _KERNEL.search(json.dumps(read_json(file))):
        raise InputError(f"{file} asks for a kernel, code of the Hub, which is not run: save the model again")
    if Path(name, "model.safetensors.index.json").is_file():
        weight_files(Path(name), command="save_pretrained")  # no shard lies outside
    for weights in Path(name).glob("*.safetensors"):
        refuse_pointer(weights)
    options = {"dtype": dtype, "use_safetensors": True, "output_loading_info": True}
    options |= {"ignore_mismatched_sizes": True} | ({} if config is None else {"config": config})
    try:
        model, info = auto.from_pretrained(name, trust_remote_code=False, **options)
    except OSError as error:
        if "safetensors" not in str(error):
            raise
        raise InputError(f"{name} {PICKLE}") from error
    if getattr(model, "peft_config", None):
        raise InputError(f"{name} {_ADAPTERS}")
    strange = {*info["missing_keys"], *(key for key, *_ in info["mismatched_keys"])}
    if use == "encoder":  # the pooler and the head may be new
        inside = "" if model.base_model is model else f"{model.base_model_prefix}."
        strange = {key for key in strange if key.startswith(inside) and "pooler" not in key}
    if use == "saved":
        strange |= {*info["unexpected_keys"]}
    refuse_strange_weights(name, strange)
    check_finite(model.state_dict(), name)
    return model


def check_finite(tensors: Mapping[str, torch.Tensor], name: str | Path) -> None:
    """Refuse weights that are not finite, used or not."""
    for key, tensor in tensors.items():
        # The extremes are NaN where any number is, and take a thirtieth of the time of `isfinite` and no memory.
        counts = tensor.is_floating_point() and tensor.numel()
        if counts and not torch.stack(tensor.aminmax()).isfinite().all():
            raise InputError(f"{name} has weights that are not finite numbers ({key}): train it again")
