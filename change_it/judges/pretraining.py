"""Masked language modelling of a scratch encoder on the corpus's articles, through the one loop."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from change_it.judges.options import STEP, JudgeSettings
from change_it.training.loop import train

BLOCK_TOKENS = 128
BATCH = 32
MASKED = 0.15
#: Label of a token that is not asked for.
IGNORED = -100


class MaskedArticles:
    """The beginnings of articles with 15% of their tokens masked; the mask follows from seed, epoch and index alone.

    As in BERT, of the chosen tokens 80% become the mask, 10% a random word piece, and 10% stay.
    """

    def __init__(self, articles: Sequence[str], tokenizer: Any, *, seed: int):
        """Articles to learn from.

        Args:
            articles: any texts; the first `BLOCK_TOKENS` tokens of each are read.
            tokenizer: has a mask token.
            seed: of the masks.
        """
        self.articles, self.tokenizer, self.seed, self.epoch = articles, tokenizer, seed, 0

    def __len__(self) -> int:
        return len(self.articles)

    def set_epoch(self, epoch: int) -> None:
        """Take this epoch's masks."""
        self.epoch = epoch

    def __getitem__(self, index: int) -> dict[str, list[int]]:
        """`input_ids` with masks and `labels` of one article."""
        random = np.random.default_rng((self.seed, self.epoch, index))
        # An article is some six characters a token: there is no need to tokenize more of it.
        beginning = self.articles[index][: 12 * BLOCK_TOKENS]
        encoded = self.tokenizer(
            beginning, truncation=True, max_length=BLOCK_TOKENS, return_special_tokens_mask=True
        )
        ids, special = np.array(encoded["input_ids"]), np.array(encoded["special_tokens_mask"], dtype=bool)
        chosen = (random.random(len(ids)) < MASKED) & ~special
        labels = np.where(chosen, ids, IGNORED)
        action = random.random(len(ids))
        ids[chosen & (action < 0.8)] = self.tokenizer.mask_token_id
        other = chosen & (action >= 0.9)
        ids[other] = random.integers(len(self.tokenizer), size=int(other.sum()))
        return {"input_ids": ids.tolist(), "labels": labels.tolist()}

    def collate(self, rows: list[dict[str, list[int]]]) -> dict[str, Tensor]:
        """Pad to the longest."""
        ids = [torch.tensor(row["input_ids"]) for row in rows]
        labels = [torch.tensor(row["labels"]) for row in rows]
        pad = nn.utils.rnn.pad_sequence
        return {
            "input_ids": pad(ids, batch_first=True, padding_value=self.tokenizer.pad_token_id),
            "attention_mask": pad([torch.ones_like(row) for row in ids], batch_first=True),
            "labels": pad(labels, batch_first=True, padding_value=IGNORED),
        }


def pretrain(
    model: nn.Module, tokenizer: Any, articles: Sequence[str], settings: JudgeSettings, out: Path
) -> None:
    """Train a masked language model in place for `settings.mlm_steps` updates, with checkpoints in `out`."""
    data = MaskedArticles(articles, tokenizer, seed=settings.seed)
    own: dict[str, Any] = {
        "updates": settings.mlm_steps,
        "epochs": None,
        "max_minutes": None,
        "early_stopping": 0,
    }
    own |= {"batch_size": BATCH, "learning_rate": 1e-3 * STEP[settings.size]}
    train(model, data, data.collate, replace(settings, **own), out=out, name="masked words")
