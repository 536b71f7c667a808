"""The loss of models that write, without logits for a prompt, and the mean over batches."""

from collections.abc import Iterable, Mapping
from inspect import signature
from typing import Any

import torch
from accelerate.utils import extract_model_from_parallel
from torch import Tensor, nn

from change_it.networks.tokenizer import IGNORED


def headline_loss(model: Any, batch: Mapping[str, Any]) -> Tensor:
    """The loss of a model, of a causal one or an encoder-decoder with logits for the positions of the headlines alone where it knows `logits_to_keep`.

    With a vocabulary of 262,144 those of a prompt would take most of a training step's time and memory. `labels`, (rows, tokens),
    are -100 where nothing is learnt, as transformers has them. Adapters may be around the model.
    """
    inner = extract_model_from_parallel(model)
    inner = inner.get_base_model() if hasattr(inner, "get_base_model") else inner  # in adapters
    known, batch = signature(type(inner).forward).parameters, dict(batch)
    if "logits_to_keep" in known:
        first = int((batch["labels"] != IGNORED).any(0).nonzero()[0])
        keep = batch["labels"].shape[1] - first + 1  # a token is predicted from the one before
        batch |= {"labels": batch["labels"][:, -keep:], "logits_to_keep": keep}
        if "position_ids" in known:  # padding is on the left
            batch["position_ids"] = (batch["attention_mask"].cumsum(1) - 1).clamp(min=0)
    loss: Tensor = model(use_cache=False, **batch).loss
    return loss


@torch.no_grad()
def loss_per_token(model: nn.Module, batches: Iterable[Mapping[str, Tensor]]) -> float:
    """Mean loss of a model over the tokens of batches whose label counts; over their rows where it trains on that."""
    by_row = getattr(getattr(model, "config", None), "loss_by_sequence", False)
    device = next(model.parameters()).device
    total, tokens = torch.zeros((), dtype=torch.float64, device=device), 0
    for batch in batches:
        learnt = batch["labels"] != IGNORED
        count = int((learnt.any(1) if by_row else learnt).sum())
        on_device = {name: tensor.to(device) for name, tensor in batch.items()}
        total += count * headline_loss(model, on_device).double()
        tokens += count
    return float(total) / tokens
