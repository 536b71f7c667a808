"""Linear judges as models of transformers: hashed n-grams and features of texts, fitted by scikit-learn in seconds.

Each is saved as `config.json` and safetensors. What it answers is computed by `linear_features`, which goes to the Hub with this
file; `saved_linear` opens the same folder without transformers.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from transformers import PreTrainedConfig, PreTrainedModel
from transformers.modeling_outputs import SequenceClassifierOutput

from .linear_features import Array, Arrays, decision, probabilities, reads_pairs, texts_of


class LinearJudgeConfig(PreTrainedConfig):
    """Configuration of a `LinearJudgeForSequenceClassification`."""

    model_type = "change_it_linear_judge"

    judges: str = "main"  # which features it sees, one of `FEATURES`
    arrays: dict[str, list[Any]] | None = None  # name of each array of weights to its type and shape
    negations: list[str] | None = None  # words that features know, as the next ones
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
    def of(cls, arrays: Arrays, constant: float, **settings: Any) -> "LinearJudgeForSequenceClassification":
        """A judge of fitted arrays."""
        described = {name: [str(array.dtype), *array.shape] for name, array in arrays.items()}
        judge = cls(LinearJudgeConfig(arrays=described, **settings))
        for name, array in arrays.items():
            getattr(judge, name).copy_(torch.from_numpy(np.ascontiguousarray(array)))
        judge.constant.fill_(constant)
        return judge

    def _init_weights(self, module: nn.Module) -> None:
        """Nothing is drawn."""

    def decision(self, texts: Sequence[str], pairs: Sequence[str] | None = None) -> Array:
        """Log odds of class 1, float64 (n,)."""
        arrays = {name: buffer.cpu().numpy() for name, buffer in self.named_buffers()}
        return decision(texts, pairs, self.config, arrays, self.constant.item())

    def predict_proba(self, texts: Sequence[str], pairs: Sequence[str] | None = None) -> Array:
        """Class probabilities, float64 (n, 2), of n texts, or of n texts and their n second ones."""
        return probabilities(self.decision(texts, pairs))

    def forward(
        self, input_ids: Tensor, labels: Tensor | None = None, **_: object
    ) -> SequenceClassifierOutput:
        """Logits (rows, 2) of the bytes of texts, as `ByT5Tokenizer` gives them."""
        texts, pairs = map(list, zip(*texts_of(input_ids), strict=True))
        logit = self.decision(texts, pairs if reads_pairs(self.config.judges) else None)
        logits = torch.from_numpy(np.column_stack([-logit / 2, logit / 2]).astype(np.float32))
        logits = logits.to(input_ids.device)
        loss = None if labels is None else nn.functional.cross_entropy(logits, labels)
        return SequenceClassifierOutput(loss=loss, logits=logits)
