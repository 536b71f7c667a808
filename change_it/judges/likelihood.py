"""Log p of a headline and of its edits, behind the same source: of our own network, and of an encoder-decoder.

The causal models are in `judges.causal_likelihood`.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import torch
from torch import Tensor
from transformers import PreTrainedTokenizerBase

from change_it.corpus.rewriting import rewriting_source
from change_it.networks.pretrained import reading_errors
from change_it.networks.tokenizer import IGNORED, padded
from change_it.stats import Floats

#: Sequences of a large vocabulary whose logits are made at once.
ROWS = 16
#: Tokens of a headline, at most.
LONGEST = 64
#: Least log p of a token: one that cannot be written, such as a name of no source, weighs this much.
LEAST = -25.0


@dataclass(eq=False)
class Likelihood(ABC):
    """How likely a language model finds headlines; safe in many threads.

    Attributes:
        model: in `eval` mode.
        tokenizer: its tokenizer.
        max_tokens: tokens of a source that it reads.
        language: language of the prompt.
    """

    #: Headlines, of like many edits, that are read at once.
    together: ClassVar[int] = 8

    model: Any
    tokenizer: PreTrainedTokenizerBase
    max_tokens: int
    language: str
    lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    @abstractmethod
    def compare(
        self, sources: Sequence[tuple[str, str]], groups: Sequence[Sequence[str]], target: str
    ) -> list[tuple[Floats, Floats]]:
        """Log p of a headline less that of each of its edits, and of each piece of the headline, in nats, float64.

        Args:
            sources: n original headlines (or none) with their articles.
            groups: n headlines, each with its edits.
            target: the outlet that the headlines are of.
        """

    @abstractmethod
    def training_batch(
        self, sources: Sequence[tuple[str, str]], headlines: Sequence[str], targets: Sequence[str]
    ) -> dict[str, Tensor]:
        """What the model learns to write: its arguments, `labels` among them; each headline has its outlet in `targets`."""

    @abstractmethod
    def count_pieces(self, texts: list[str]) -> list[int]:
        """Pieces of each of the texts that headlines begin with."""

    def check(self) -> None:  # noqa: B027 (most kinds have nothing to check)
        """Raise ValueError if headlines that are read together are not read as each alone."""


class PointerLikelihood(Likelihood):
    """Of our own network, which writes words."""

    def compare(
        self, sources: Sequence[tuple[str, str]], groups: Sequence[Sequence[str]], target: str
    ) -> list[tuple[Floats, Floats]]:
        """The headlines of a source, padded to the same number, share its states; the words before an edit are not projected."""
        most = max(map(len, groups))
        filled = [[*group, *[""] * (most - len(group))] for group in groups]
        with self.lock:
            batch, unknown = self.tokenizer.sources(
                [rewriting_source(*texts, target) for texts in sources], max_tokens=self.max_tokens
            )
            headlines = [headline for group in filled for headline in group]
            words = [some for some in unknown for _ in range(most)]
            labels = self.tokenizer.targets(headlines, words, max_tokens=LONGEST).to(self.model.device)
        encoded = self.model.encoder(**{name: tensor.to(labels.device) for name, tensor in batch.items()})
        tables = labels.view(len(groups), most, -1)
        counted = torch.zeros_like(tables, dtype=torch.bool)
        for row, (table, group) in enumerate(zip(tables, groups, strict=True)):
            counted[row, : len(group)] = changed(table[: len(group)])
        values = self.model.log_likelihood(encoded, labels, counted.view_as(labels)).view_as(tables)
        return [
            differences(value[: len(group)], table[: len(group)])
            for value, table, group in zip(values, tables, groups, strict=True)
        ]

    def training_batch(
        self, sources: Sequence[tuple[str, str]], headlines: Sequence[str], targets: Sequence[str]
    ) -> dict[str, Tensor]:
        """See `Likelihood.training_batch`."""
        texts = [rewriting_source(*texts, target) for texts, target in zip(sources, targets, strict=True)]
        batch, unknown = self.tokenizer.sources(texts, max_tokens=self.max_tokens)
        return {**batch, "labels": self.tokenizer.targets(headlines, unknown, max_tokens=LONGEST)}

    def count_pieces(self, texts: list[str]) -> list[int]:
        """Words, without the end."""
        with self.lock:
            labels = self.tokenizer.targets(texts, None, max_tokens=LONGEST)
        return [count - 1 for count in (labels != IGNORED).sum(1).tolist()]


class EncoderDecoderLikelihood(Likelihood):
    """Of an encoder-decoder."""

    def compare(
        self, sources: Sequence[tuple[str, str]], groups: Sequence[Sequence[str]], target: str
    ) -> list[tuple[Floats, Floats]]:
        """Each source is encoded once for all its headlines; the outlet is not part of it."""
        rows = [row for row, group in enumerate(groups) for _ in group]
        headlines = [headline for group in groups for headline in group]
        read = self.training_batch(sources, headlines, [target] * len(headlines))
        batch = {name: tensor.to(self.model.device) for name, tensor in read.items()}
        labels = batch["labels"]
        states = self.model.get_encoder()(
            input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]
        ).last_hidden_state
        parts = []
        for some in torch.arange(len(rows)).split(ROWS):
            of = torch.tensor(rows)[some]
            logits = self.model(
                encoder_outputs=(states[of],),
                attention_mask=batch["attention_mask"][of],
                labels=labels[some].clamp(min=0),
            ).logits
            parts.append(log_likelihoods(logits, labels[some]))
        sizes = [len(group) for group in groups]
        return list(map(differences, torch.cat(parts).split(sizes), labels.split(sizes)))

    def training_batch(
        self, sources: Sequence[tuple[str, str]], headlines: Sequence[str], targets: Sequence[str]
    ) -> dict[str, Tensor]:
        """See `Likelihood.training_batch`; the outlets are not part of it."""
        with self.lock, reading_errors(self.tokenizer):
            batch = self.tokenizer(
                [plain_source(texts) for texts in sources],
                truncation=True,
                max_length=self.max_tokens,
                padding=True,
                return_tensors="pt",
            )
            ids = self.tokenizer(text_target=headlines, truncation=True, max_length=LONGEST)["input_ids"]
        inputs = {name: batch[name] for name in ("input_ids", "attention_mask")}
        return {**inputs, "labels": padded(ids, IGNORED)}

    def count_pieces(self, texts: list[str]) -> list[int]:
        """Pieces, without the end."""
        end = [self.tokenizer.eos_token_id]
        with self.lock, reading_errors(self.tokenizer):
            return [len(row) - (row[-1:] == end) for row in self.tokenizer(text_target=texts)["input_ids"]]


def plain_source(texts: Sequence[str]) -> str:
    """An original headline (or none) and its article as one text."""
    return ". ".join(filter(None, texts))


def log_likelihoods(logits: Tensor, labels: Tensor) -> Tensor:
    """(n, t) log p of the labels, of (n, t, vocabulary) logits."""
    wanted = labels.clamp(min=0).unsqueeze(-1)
    of_labels = logits.gather(-1, wanted).squeeze(-1).float()
    return of_labels - torch.stack([row.float().logsumexp(-1) for row in logits])


def changed(labels: Tensor) -> Tensor:
    """Bool (n, t): from the first word on in which an edit differs from the headline, row 0, all of which counts."""
    differs = (labels != labels[:1]).cumsum(1) > 0
    differs[0] = True
    return differs & (labels != IGNORED)


def differences(values: Tensor, labels: Tensor) -> tuple[Floats, Floats]:
    """(n - 1,) log p of row 0 less that of each other row, of (n, t) log p, none below `LEAST`, from where they differ; and log p of row 0."""
    values = values.float().clamp(min=LEAST).masked_fill(labels == IGNORED, 0.0).double()
    differs = (labels[1:] != labels[:1]).cumsum(1) > 0
    values = values.cpu()
    return ((values[:1] - values[1:]) * differs.cpu()).sum(1).numpy(), values[0].numpy()
