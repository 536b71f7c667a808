"""Put low-rank adapters (Hu et al. 2021) of PEFT around generators and judges."""

import warnings
from collections.abc import Sequence
from typing import Any, Literal

from change_it.errors import InputError
from change_it.models.saved import load_errors
from change_it.training.lora import Adapters

#: What a model is for, by PEFT's names.
TaskType = Literal["CAUSAL_LM", "SEQ_2_SEQ_LM", "SEQ_CLS"]


def put_adapters(
    model: Any, name: str, task_type: TaskType, adapters: Adapters, *, whole: Sequence[str] = ()
) -> Any:
    """Put adapters, which alone are trained, around a model.

    Args:
        model: the model.
        name: what it is called in messages.
        task_type: what it is for.
        adapters: their settings.
        whole: names of modules that are trained as a whole, beside the adapters.

    Raises:
        InputError: PEFT is not installed, or the adapters do not fit the model.
    """
    peft = import_peft()
    targets: Any = list(adapters.targets)
    if targets == ["all-linear"]:
        targets = "all-linear"
    usual = peft.utils.TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING
    config = peft.LoraConfig(
        task_type=task_type,
        r=adapters.r,
        lora_alpha=adapters.lora_alpha,
        lora_dropout=adapters.lora_dropout,
        target_modules=targets or usual.get(model.config.model_type, "all-linear"),
        modules_to_save=list(whole) or None,
    )
    refusal = f"adapters do not fit {name}: train it without --lora, or another model"
    with load_errors(refusal), warnings.catch_warnings(action="ignore"):
        return peft.get_peft_model(model, config)


def import_peft() -> Any:
    """Return the library PEFT.

    Raises:
        InputError: it is not installed.
    """
    try:
        import peft
    except ImportError as error:
        raise InputError("adapters require PEFT: pip install '.[lora]'") from error
    return peft
