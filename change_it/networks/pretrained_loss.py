"""The loss of models that write: of a pre-trained one without logits where no token is learnt, and the mean over batches."""

from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, pad
from transformers.modeling_outputs import CausalLMOutput

from change_it.networks.tokenizer import IGNORED


class HeadlineLoss(nn.Module):
    """A pre-trained model, called with a batch for its loss: the mean of -log p (nats) over the tokens whose label counts.

    The positions of the prompt and of padding get no logits. With a vocabulary of 262,144 those would take most of a
    training step's time and memory.
    """

    def __init__(self, model: Any):
        super().__init__()
        self.model = model  # causal or encoder-decoder; adapters may be around it

    def forward(self, labels: Tensor, **inputs: Any) -> CausalLMOutput:
        """The loss; `labels`, (rows, tokens), are -100 where nothing is learnt, as transformers has them."""
        if self.model.config.is_encoder_decoder:
            shift = getattr(self.model, "prepare_decoder_input_ids_from_labels", None)
            if shift is None:  # the model alone knows how its decoder begins
                return CausalLMOutput(loss=self.model(labels=labels, use_cache=False, **inputs).loss)
            inputs["decoder_input_ids"] = shift(labels=labels)
        else:  # a token is predicted from the one before
            labels = pad(labels[:, 1:], (0, 1), value=IGNORED)
        learnt = labels != IGNORED
        head = self.model.get_output_embeddings()
        hook = head.register_forward_pre_hook(lambda _, states: (states[0][learnt], *states[1:]))
        try:
            logits = self.model(use_cache=False, **inputs).logits
        finally:
            hook.remove()
        return CausalLMOutput(loss=cross_entropy(logits.float(), labels[learnt]))


@torch.no_grad()
def loss_per_token(model: nn.Module, batches: Iterable[Mapping[str, Tensor]]) -> float:
    """Mean loss of a model over the tokens of batches whose label counts; over their rows where it trains on that."""
    by_row = getattr(getattr(model, "config", None), "loss_by_sequence", False)
    device = next(model.parameters()).device
    total, tokens = 0.0, 0
    for batch in batches:
        learnt = batch["labels"] != IGNORED
        count = int((learnt.any(1) if by_row else learnt).sum())
        loss = model(**{name: tensor.to(device) for name, tensor in batch.items()}).loss
        total, tokens = total + float(loss) * count, tokens + count
    return total / tokens
