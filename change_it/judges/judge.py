"""A trained judge: it is loaded, gives probabilities and is saved. `scoring.judges` has those that score together."""

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import Any, get_args

import numpy as np
import torch
from transformers import AutoModelForSequenceClassification, PreTrainedTokenizerBase

import change_it.judges.registration  # noqa: F401
from change_it.corpus.folder import read_trained_on
from change_it.corpus.record import TrainedOn
from change_it.errors import InputError
from change_it.judges.linear import LinearJudgeForSequenceClassification
from change_it.judges.options import COMMAND, JudgeInfo, read_judge_info
from change_it.judges.spec import JUDGES
from change_it.models.pretrained import (
    arithmetic,
    batches_at_once,
    hash_of_model,
    hash_of_weights,
    load_errors,
    load_weights,
    local_folder,
    map_threads,
    pick_device,
    quiet,
    read_tokenizer,
    reading_errors,
)
from change_it.progress import ProgressOption, progress_of
from change_it.stats import Floats
from change_it.training.training_options import Arithmetic

#: Tokens and texts of a batch, at most; texts that a linear judge takes at once.
BATCH_TOKENS, LARGEST_BATCH, LINEAR_BATCH = 16_384, 256, 8192

JudgeInput = tuple[str, str | None]


@dataclass(kw_only=True, eq=False)
class Judge(JudgeInfo):
    """A trained classifier of texts or pairs of texts; safe in many threads. One of another kind overrides `predict`."""

    model: Any  # a sequence classifier with two classes, in `eval` mode
    tokenizer: PreTrainedTokenizerBase
    weights_hash: str = ""  # SHA-256 of its weights, which no judge that chose may share
    model_hash: str = ""  # SHA-256 of weights, settings and tokenizer, for signatures
    precision: Arithmetic = "float32"
    corpus: TrainedOn = field(default=TrainedOn(), repr=False)  # what training recorded of its corpus
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    @classmethod
    def of(cls, model: Any, tokenizer: PreTrainedTokenizerBase, **about: Any) -> "Judge":
        """Make a judge of a loaded model; its configuration says what it was trained for."""
        info = read_judge_info(model.config.change_it)
        return cls(model=model, tokenizer=tokenizer, **vars(info), **about)

    @classmethod
    def from_pretrained(
        cls, name: str | Path, *, precision: Arithmetic = "float32", device: str = "auto"
    ) -> "Judge":
        """Load a judge.

        Args:
            name: folder written by `change-it train judge`, or a Hub id.
            precision: float32; or bf16, which is faster where the processor multiplies bfloat16 matrices.
            device: auto, cpu, cuda, cuda:1, mps.

        Raises:
            InputError: no such folder or id, not a judge, broken weights, no such precision or device.
        """
        if precision not in get_args(Arithmetic):
            raise InputError(f"precision {precision!r} is none: choose {' or '.join(get_args(Arithmetic))}")
        where = pick_device(device)
        folder = local_folder(name, command=COMMAND)
        weights_hash = hash_of_weights(folder, command=COMMAND)
        with load_errors(f"{name} cannot be loaded as a judge: train it again with {COMMAND}"), quiet():
            model = load_weights(AutoModelForSequenceClassification, folder)
            if not getattr(model.config, "change_it", None):
                raise InputError(f"{name} is a model but no judge: train one with {COMMAND}")
            judge = cls.of(
                model.to(where).eval(),
                read_tokenizer(folder),
                weights_hash=weights_hash,
                model_hash=hash_of_model(folder, weights_hash),
                precision=precision,
                corpus=read_trained_on(folder),
            )
            # What does not fit together fails here.
            judge.predict(["Una prova: «1»"], ["Due"] if JUDGES[judge.task].pairs else None)
        return judge

    @property
    def linear(self) -> bool:
        """Whether it reads texts itself, and no tokenizer does."""
        return isinstance(self.model, LinearJudgeForSequenceClassification)

    def probabilities(
        self,
        texts: Sequence[str],
        pairs: Sequence[str] | None = None,
        *,
        progress: ProgressOption = True,
    ) -> Floats:
        """Class probabilities; each distinct text or pair is read once.

        Args:
            texts: n headlines.
            pairs: n second headlines (hh) or articles (ah); None for main.
            progress: True shows a progress bar; a function is called with the number of texts done, from 0 to n.

        Returns:
            (n, 2) float64 in the order of `texts`; columns outlet A, outlet B (main) or no match, match (hh, ah).

        Raises:
            ValueError: pairs for a judge of single texts, none for a judge of pairs, or another number of them.
        """
        if (pairs is not None) != JUDGES[self.task].pairs or (pairs is not None and len(pairs) != len(texts)):
            what = "a second text for each" if JUDGES[self.task].pairs else "single texts"
            raise ValueError(f"the judge {self.task} requires {what}")
        questions: list[JudgeInput] = list(zip(texts, repeat(None) if pairs is None else pairs, strict=False))
        counts = Counter(questions)
        size = LINEAR_BATCH if self.linear else max(1, min(LARGEST_BATCH, BATCH_TOKENS // self.max_tokens))
        order = sorted(counts, key=lambda question: -sum(map(len, filter(None, question))))  # longest first
        batches = [order[start : start + size] for start in range(0, len(order), size)]
        known: dict[JudgeInput, Floats] = {}
        done = 0
        with progress_of(progress, f"{self.task} judge", len(texts)) as report:
            answers = map_threads(self.answer, batches, batches_at_once(self.model))
            for batch in batches:
                report(done)
                known |= zip(batch, next(answers), strict=True)
                done += sum(counts[question] for question in batch)
            report(len(texts))
        return np.array([known[question] for question in questions], dtype=np.float64).reshape(-1, 2)

    def answer(self, batch: list[JudgeInput]) -> Floats:
        """(n, 2) probabilities of a batch of questions."""
        return self.predict(
            [text for text, _ in batch], [pair for _, pair in batch if pair is not None] or None
        )

    def encode(
        self, texts: list[str], pairs: list[str] | None, max_tokens: int, *, padded: bool = True
    ) -> Any:
        """A batch of tensors, or lists of ids that are not padded."""
        if self.article_first and pairs is not None:
            texts, pairs = pairs, texts
        shape = {"padding": True, "return_tensors": "pt"} if padded else {}
        with self._lock, reading_errors(self.tokenizer):  # two threads must not use a tokenizer at once
            return self.tokenizer(texts, pairs, truncation=True, max_length=max_tokens, **shape)

    @torch.no_grad()
    def predict(self, texts: list[str], pairs: list[str] | None) -> Floats:
        """(n, 2) probabilities of one batch."""
        if self.linear:
            answers: Floats = self.model.predict_proba(texts, pairs)
            return answers
        batch = self.encode(texts, pairs, self.max_tokens)
        device = self.model.device
        with arithmetic(device, self.precision):
            logits = self.model(**batch.to(device)).logits
        logits[:, 1:] -= self.shift
        probabilities: Floats = torch.softmax(logits.double().cpu(), dim=-1).numpy()
        if probabilities.shape != (len(texts), 2) or not np.isfinite(probabilities).all():
            raise ValueError(f"the {self.task} judge does not answer with probabilities of two classes")
        if self.task == "fluency" and batch["input_ids"].shape[1] == self.max_tokens:
            longest = self.encode(texts, None, self.max_tokens + 1)["attention_mask"].sum(1)
            probabilities[(longest > self.max_tokens).numpy()] = 1.0, 0.0
        return probabilities
