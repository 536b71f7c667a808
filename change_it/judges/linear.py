"""Linear judges as models of transformers: hashed n-grams and features of texts, fitted by scikit-learn.

Each is saved as `config.json` and safetensors. `linear_features` computes its answers, and goes to the Hub
with this file; `saved_linear` opens the same folder without transformers.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from transformers import PreTrainedConfig, PreTrainedModel
from transformers.modeling_outputs import SequenceClassifierOutput

from .linear_features import Array, Arrays, decision, decode_texts, probabilities, reads_pairs


class LinearJudgeConfig(PreTrainedConfig):
    """Configuration of a `LinearJudgeForSequenceClassification`.

    Attributes:
        judges: The features that it sees, one of `linear_features.FEATURES`.
        arrays: Name of each array of weights to its type and then its shape.
        negations: Words that features take for negations.
        frequent: Words that are classes of their own.
    """

    model_type = "change_it_linear_judge"

    judges: str = "main"
    arrays: dict[str, list[Any]] | None = None
    negations: list[str] | None = None
    frequent: list[str] | None = None


class LinearJudgeForSequenceClassification(PreTrainedModel):
    """A linear judge: `predict_proba` reads texts, `forward` the bytes that a ByT5 tokenizer makes of them.

    Examples:
        >>> judge = AutoModelForSequenceClassification.from_pretrained("judges/main")  # doctest: +SKIP
        >>> judge.predict_proba(["Crolla il ponte"])  # doctest: +SKIP
        array([[0.81, 0.19]])
    """

    config_class = LinearJudgeConfig
    base_model_prefix = "linear"

    def __init__(self, config: LinearJudgeConfig):
        super().__init__(config)
        for name, (kind, *shape) in (config.arrays or {}).items():
            self.register_buffer(name, torch.zeros(shape, dtype=getattr(torch, kind)))
        self.constant = nn.Parameter(torch.zeros(1), requires_grad=False)
        self.post_init()

    @classmethod
    def from_arrays(
        cls, arrays: Arrays, constant: float, **settings: Any
    ) -> "LinearJudgeForSequenceClassification":
        """Make a judge of fitted arrays.

        Args:
            arrays: Name to array of weights.
            constant: What is added to the log odds of class 1.
            settings: Of `LinearJudgeConfig`, but for `arrays`.
        """
        described = {name: [str(array.dtype), *array.shape] for name, array in arrays.items()}
        judge = cls(LinearJudgeConfig(arrays=described, **settings))
        for name, array in arrays.items():
            setattr(judge, name, torch.from_numpy(np.ascontiguousarray(array)))
        judge.constant.fill_(constant)
        return judge

    def _init_weights(self, module: nn.Module) -> None:
        """Draw nothing: all weights are fitted."""

    def decision(self, texts: Sequence[str], pairs: Sequence[str] | None = None) -> Array:
        """Return the log odds of class 1, float64 (n,)."""
        arrays = {name: buffer.cpu().numpy() for name, buffer in self.named_buffers()}
        return decision(texts, pairs, self.config, arrays, self.constant.item())

    def predict_proba(self, texts: Sequence[str], pairs: Sequence[str] | None = None) -> Array:
        """Return class probabilities, float64 (n, 2), of n texts, or of n texts and their n second ones."""
        return probabilities(self.decision(texts, pairs))

    def forward(
        self, input_ids: Tensor, labels: Tensor | None = None, **_: object
    ) -> SequenceClassifierOutput:
        """Return logits (rows, 2) of the bytes of texts, as `ByT5Tokenizer` gives them."""
        rows = decode_texts(input_ids)
        texts = [first for first, _ in rows]
        pairs = [second for _, second in rows] if reads_pairs(self.config.judges) else None
        logit = self.decision(texts, pairs)
        logits = torch.from_numpy(np.column_stack([-logit / 2, logit / 2]).astype(np.float32))
        logits = logits.to(input_ids.device)
        loss = None
        if labels is not None:
            loss = nn.functional.cross_entropy(logits, labels)
        return SequenceClassifierOutput(loss=loss, logits=logits)
