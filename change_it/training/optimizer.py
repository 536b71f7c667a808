"""Optimizers of a run, and how their learning rate goes."""

import math
from collections.abc import Callable

import torch
from torch import nn

from change_it.training.settings import TrainingSettings

#: Where Adagrad's sums of squared gradients start (See et al. 2017).
INITIAL_ACCUMULATOR = 0.1
#: Of AdamW: decay of weight matrices, and the share of the updates in which the learning rate rises.
WEIGHT_DECAY, WARMUP = 0.01, 0.1


def make_optimizer(model: nn.Module, settings: TrainingSettings) -> torch.optim.Optimizer:
    """AdamW with decay of the matrices alone, or Adam or Adagrad without decay, over what is trained."""
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    # One pass over each parameter: a fifth of the time. Elsewhere there is none for Adagrad, and AdamW is fast without.
    fused = {parameter.device.type for parameter in parameters} == {"cpu"}
    if settings.optimizer == "adagrad":
        return torch.optim.Adagrad(
            parameters,
            lr=settings.learning_rate,
            initial_accumulator_value=INITIAL_ACCUMULATOR,
            fused=fused,
        )
    if settings.optimizer == "adam":
        return torch.optim.Adam(parameters, lr=settings.learning_rate)
    matrices = [parameter for parameter in parameters if parameter.ndim >= 2]
    vectors = [parameter for parameter in parameters if parameter.ndim < 2]
    return torch.optim.AdamW(
        [
            {"params": matrices, "weight_decay": WEIGHT_DECAY},
            {"params": vectors, "weight_decay": 0.0},
        ],
        lr=settings.learning_rate,
        fused=fused,
    )


def schedule(settings: TrainingSettings, total: int) -> Callable[[float], float]:
    """Factor of the learning rate at each of `total` updates: 1 for Adagrad; up to 1 and down to 0 for AdamW.

    Examples:
        >>> settings = TrainingSettings(batch_size=1, learning_rate=1.0)
        >>> [round(schedule(settings, 20)(update), 2) for update in (0, 1, 2, 11, 20)]
        [0.5, 1.0, 1.0, 0.5, 0.0]
    """
    if settings.optimizer in ("adam", "adagrad"):
        return lambda update: 1.0
    warmup = math.ceil(total * WARMUP)
    return lambda update: min(
        (update + 1) / max(warmup, 1), max(total - update, 0) / max(total - warmup, 1), 1.0
    )
