"""Options that every training run shares; a command's own dataclass inherits them."""

from dataclasses import dataclass
from typing import Any, Literal

Optimizer = Literal["adamw", "adagrad"]

#: What a preset need not say.
DEFAULTS: dict[str, Any] = {"optimizer": "adamw", "max_grad_norm": 1.0}


@dataclass(kw_only=True)
class TrainingOptions:
    """How to train. A value of None means: the preset of the task and the model."""

    epochs: float | None = None
    """Passes over the training data; raised until there are at least 300 updates."""
    updates: int | None = None
    """Updates in all; when given, epochs are not looked at."""
    batch_size: int | None = None
    """Examples a batch and process; an update takes --gradient-accumulation batches."""
    optimizer: Optimizer | None = None
    """adamw: the learning rate rises, then falls to 0; adagrad (See et al. 2017): constant, without decay."""
    learning_rate: float | None = None
    """Peak learning rate."""
    weight_decay: float = 0.01
    """Decay of weight matrices (adamw)."""
    warmup_ratio: float = 0.1
    """Share of the updates in which the learning rate rises (adamw)."""
    gradient_accumulation: int = 1
    """Batches an update."""
    max_grad_norm: float | None = None
    """Gradients are clipped to this norm; 0 leaves them alone."""
    mixed_precision: Literal["no", "fp16", "bf16"] = "no"
    """Arithmetic of the forward pass."""
    early_stopping: int | None = None
    """Stop after this many evaluations without a better validation score; 0 never stops."""
    evaluation_steps: int | None = None
    """Updates between evaluations; ten in a run when not given."""
    checkpoint_steps: int = 200
    """Updates between checkpoints; 0 writes none."""
    resume: bool = False
    """Go on from the newest checkpoint in the output folder."""
    max_minutes: float | None = None
    """Stop cleanly after this many minutes and keep the best weights."""
    tensorboard: bool = False
    """Log to <out>/logs for TensorBoard (extra: tracking)."""
    seed: int = 1
    """Seed of weights, order and dropout."""
