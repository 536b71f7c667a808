"""What the judges' networks share.

No import of ours, so that `register_for_auto_class` can send it to the Hub with the weights of the judges that import it.
"""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from transformers import AutoConfig, AutoModel, PreTrainedModel
from transformers.modeling_outputs import SequenceClassifierOutput

#: A prime: numbers of words and n-grams are polynomials modulo it.
MODULUS = 2**31 - 1


def encoder_of(config: dict[str, Any] | None) -> tuple[Any, Any]:
    """A transformer without its pooler, and its configuration.

    Args:
        config: as `to_dict` gives it; BERT's if None.
    """
    settings: Any = AutoConfig.for_model(**(config or {"model_type": "bert"}))
    encoder: Any = AutoModel.from_config(settings, dtype=torch.get_default_dtype())
    if getattr(encoder, "pooler", None) is not None:
        encoder.pooler = None  # not asked for, and distributed training wants every gradient
    return encoder, settings


def compact(keep: Tensor) -> tuple[Tensor, Tensor]:
    """Positions to gather from so that each row's kept tokens stand side by side on the left.

    Args:
        keep: bool (rows, tokens).

    Returns:
        Positions, int64 (rows, most kept), and which of them are kept tokens, bool.

    Examples:
        >>> positions, mask = compact(torch.tensor([[True, False, True], [False, True, False]]))
        >>> positions.tolist(), mask.tolist()
        ([[0, 2], [1, 0]], [[True, True], [True, False]])
    """
    most = max(1, int(keep.sum(1).max()))
    positions = (~keep).to(torch.int8).argsort(dim=1, stable=True)[:, :most]
    return positions, keep.gather(1, positions)


def mean(states: Tensor, weights: Tensor) -> Tensor:
    """Weighted mean over tokens: states (rows, tokens, …), weights (rows, tokens) not negative; 0 where all are 0."""
    weights = weights.to(states.dtype).reshape(*weights.shape, *[1] * (states.dim() - 2))
    return (states * weights).sum(1) / weights.sum(1).clamp(min=1e-6)


def two_logits(logit: Tensor) -> Tensor:
    """(rows, 2) logits of two classes, whose difference is the (rows,) logit of the second."""
    return torch.stack([-logit / 2, logit / 2], dim=-1)


def binary_loss(logit: Tensor, labels: Tensor | None) -> Tensor | None:
    """Mean cross-entropy of (rows,) logits of the second class; None without labels."""
    return (
        None if labels is None else functional.binary_cross_entropy_with_logits(logit.float(), labels.float())
    )


class TwoClassModel(PreTrainedModel):
    """A classifier of headlines, or of pairs of texts, into two classes; `classify` is that of its subclass."""

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        labels: Tensor | None = None,
        **_: object,
    ) -> SequenceClassifierOutput:
        """Judge a batch.

        Args:
            input_ids: int64 (rows, tokens).
            attention_mask: (rows, tokens), 0 where padded; all ones if not given.
            token_type_ids: taken because tokenizers give it, not used.
            labels: int64 (rows,), the right classes: 0 or 1.

        Returns:
            `logits` (rows, 2) and, with labels, the mean cross-entropy as `loss`; see `classify`.
        """
        mask = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        logits, loss = self.classify(input_ids, mask, labels)
        return SequenceClassifierOutput(loss=loss, logits=logits)

    def classify(
        self, input_ids: Tensor, attention_mask: Tensor, labels: Tensor | None
    ) -> tuple[Tensor, Tensor | None]:
        """Logits (rows, 2) and, with labels, the loss."""
        raise NotImplementedError
