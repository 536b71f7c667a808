"""Optimizers of the training loop, and how their learning rate goes."""

import math
from collections.abc import Callable

import torch
from torch import nn

from change_it.training.options import TrainingOptions

#: Where Adagrad's sums of squared gradients start (See et al. 2017).
INITIAL_ACCUMULATOR = 0.1


def make_optimizer(model: nn.Module, options: TrainingOptions) -> torch.optim.Optimizer:
    """The optimizer over the parameters that are trained.

    Args:
        model: the model, on its device.
        options: with `optimizer` and `learning_rate` set.

    Returns:
        AdamW with decay of the matrices alone, or Adagrad without decay.
    """
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    rate = options.learning_rate or 0.0
    if options.optimizer == "adagrad":
        devices = {parameter.device.type for parameter in parameters}
        return torch.optim.Adagrad(
            parameters,
            lr=rate,
            initial_accumulator_value=INITIAL_ACCUMULATOR,
            fused=devices == {"cpu"},  # one pass over each parameter; there is no such kernel elsewhere
        )
    matrices = [parameter for parameter in parameters if parameter.ndim >= 2]
    vectors = [parameter for parameter in parameters if parameter.ndim < 2]
    return torch.optim.AdamW(
        [
            {"params": matrices, "weight_decay": options.weight_decay},
            {"params": vectors, "weight_decay": 0.0},
        ],
        lr=rate,
    )


def schedule(options: TrainingOptions, total: int) -> Callable[[int], float]:
    """Factor of the learning rate at each update.

    Args:
        options: with `optimizer` set.
        total: updates of the run.

    Returns:
        1 for Adagrad; for AdamW up to 1 over the warm-up, then down to 0 at `total`.

    Example:
        >>> factor = schedule(TrainingOptions(optimizer="adamw", warmup_ratio=0.5), 4)
        >>> [factor(update) for update in range(5)]
        [0.5, 1.0, 1.0, 0.5, 0.0]
    """
    if options.optimizer == "adagrad":
        return lambda update: 1.0
    warmup = math.ceil(total * options.warmup_ratio)
    return lambda update: min(
        (update + 1) / max(warmup, 1), max(total - update, 0) / max(total - warmup, 1), 1.0
    )
