"""Load a trained judge, ask it for probabilities, and save it. In `scoring.panel` judges score together.

torch and transformers are loaded where a judge needs them: a linear one answers without.
"""

import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from change_it.corpus.folder import read_trained_on
from change_it.corpus.record import TrainedOn
from change_it.errors import InputError
from change_it.files.atomic import replace_folder
from change_it.files.model_folders import HubSource, commit_of
from change_it.judges.options import COMMAND, JudgeInfo, read_judge_info
from change_it.judges.saved_linear import SavedLinearJudge, is_linear_judge
from change_it.judges.spec import JUDGES
from change_it.models.saved import hash_of_model, hash_of_weights, load_errors, local_folder, read_device
from change_it.models.saving import Pushable, PushedModel, restore_files
from change_it.progress import ProgressOption, progress_of
from change_it.stats import Floats
from change_it.training.training_options import Arithmetic, read_arithmetic

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerBase

#: Tokens of a batch of a network, at most.
BATCH_TOKENS = 16_384
#: Texts of a batch of a network, at most.
LARGEST_BATCH = 256
#: Texts that a linear judge takes at once.
LINEAR_BATCH = 8192

#: A text and its second one; None for a judge of single texts.
JudgeInput = tuple[str, str | None]


@dataclass(kw_only=True, eq=False)
class Judge(JudgeInfo, Pushable):
    """A trained classifier of texts or pairs of texts; safe in many threads.

    A judge of another kind overrides `predict`.

    Attributes:
        model: A sequence classifier with two classes, in `eval` mode, or a `SavedLinearJudge`.
        tokenizer: Its tokenizer; None of a `SavedLinearJudge`, which reads texts itself.
        weights_hash: SHA-256 of its weights. A judge that scores and one that chose may not have the same.
        model_hash: SHA-256 of weights, settings and tokenizer, for signatures.
        precision: Its arithmetic.
        corpus: What training recorded of its corpus.
        folder: Where it was loaded from; None for one that was trained just now.
        commit: The commit of the Hub that it was loaded from; empty for a folder.
    """

    push_kind: ClassVar[PushedModel] = "judge"
    model: Any
    tokenizer: "PreTrainedTokenizerBase | None"
    weights_hash: str = ""
    model_hash: str = ""
    precision: Arithmetic = "float32"
    corpus: TrainedOn = field(default=TrainedOn(), repr=False)
    folder: Path | None = field(default=None, repr=False)
    commit: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    @classmethod
    def from_model(cls, model: Any, tokenizer: "PreTrainedTokenizerBase | None", **about: Any) -> "Judge":
        """Make a judge of a loaded model, whose configuration says what it was trained for.

        Args:
            model: A sequence classifier with two classes, or a `SavedLinearJudge`.
            tokenizer: Its tokenizer; None of a `SavedLinearJudge`.
            about: Further attributes of `Judge`, such as `weights_hash`.
        """
        info = read_judge_info(model.config.change_it)
        return cls(model=model, tokenizer=tokenizer, **vars(info), **about)

    @classmethod
    def from_pretrained(
        cls,
        name: str | Path,
        *,
        dtype: "str | torch.dtype | None" = None,
        device_map: Any = None,
        revision: str | None = None,
        token: str | bool | None = None,
        cache_dir: str | Path | None = None,
        local_files_only: bool = False,
        subfolder: str = "",
        precision: str = "float32",
        device: "str | torch.device" = "auto",
    ) -> "Judge":
        """Load a judge.

        Args:
            name: folder written by `change-it train judge`, or a Hub id.
            dtype: float32; or bfloat16, which is faster where the processor multiplies bfloat16 matrices.
            device_map: one device as transformers names it: auto, cpu, cuda:1, a number, a device of torch.
            revision: branch, tag or commit of a Hub id.
            token: token of the Hub.
            cache_dir: folder of downloads.
            local_files_only: whether only what has been downloaded before is read.
            subfolder: folder in `name` that holds the judge.
            precision: older name of `dtype`: float32 or bf16.
            device: older name of `device_map`: auto, cpu, cuda, cuda:1, mps.

        Raises:
            InputError: no such folder, id or revision, not a judge, broken weights, no such type or device.
        """
        arithmetic_name = read_arithmetic(precision, dtype)
        device_name = read_device(device, device_map)
        _check_device(device_name)
        source = HubSource(
            revision=revision,
            token=token,
            cache_dir=cache_dir,
            local_files_only=local_files_only,
            subfolder=subfolder,
        )
        folder = local_folder(name, command=COMMAND, source=source)
        weights_hash = hash_of_weights(folder, command=COMMAND)
        with load_errors(f"{name} cannot be loaded as a judge: train it again with {COMMAND}"):
            model, tokenizer = _open(folder, device_name)
            if not getattr(model.config, "change_it", None):
                raise InputError(f"{name} is a model but no judge: train one with {COMMAND}")
            judge = cls.from_model(
                model,
                tokenizer,
                weights_hash=weights_hash,
                model_hash=hash_of_model(folder, weights_hash),
                precision=arithmetic_name,
                corpus=read_trained_on(folder),
                folder=folder,
                commit=commit_of(folder),
            )
            # What does not fit together fails here.
            second_text = ["Due"] if JUDGES[judge.task].pairs else None
            judge.predict(["Una prova: «1»"], second_text)
        return judge

    def save_pretrained(self, save_directory: str | Path) -> None:
        """Save the judge in a new or empty folder, as training saved it.

        A judge that was changed is saved without what was measured.
        """
        with replace_folder(Path(save_directory)) as partial:
            self.write(partial)

    def write(self, folder: Path) -> None:
        """Write the files of the judge into a folder: weights, tokenizer and code."""
        from change_it.models.pretrained import quiet, read_tokenizer

        with quiet():
            self.model.save_pretrained(folder)
            tokenizer = self.tokenizer or read_tokenizer(self.folder or folder)
            tokenizer.save_pretrained(folder)
        if self.folder is not None:
            restore_files(self.folder, folder, command=COMMAND)

    def to(self, device: "str | torch.device") -> Self:
        """Move the judge to a device (auto, cpu, cuda:1, mps), and return it.

        A linear judge stays on the processor.
        """
        _check_device(str(device))
        if self.is_network:
            from change_it.models.pretrained import pick_device

            self.model.to(pick_device(str(device)))
        return self

    @property
    def linear(self) -> bool:
        """Return whether it reads texts itself, and no tokenizer does."""
        return hasattr(self.model, "predict_proba")

    @property
    def is_network(self) -> bool:
        """Return whether its model is one of torch."""
        return hasattr(self.model, "forward")

    def probabilities(
        self,
        texts: str | Sequence[str],
        pairs: str | Sequence[str] | None = None,
        *,
        progress: ProgressOption = True,
    ) -> Floats:
        """Return class probabilities; each distinct text or pair is read once.

        Args:
            texts: n headlines, or one, which is a list of one.
            pairs: n second headlines (hh) or articles (ah), or one; None for main.
            progress: True shows a progress bar; a function is called with the number of texts done, 0 to n.

        Returns:
            (n, 2) float64 in the order of `texts`; columns are outlets A and B (main), or no match and match
            (hh, ah).

        Raises:
            ValueError: pairs for a judge of single texts, none for a judge of pairs, or another number.
        """
        if isinstance(texts, str) and (pairs is None or isinstance(pairs, str)):
            texts = [texts]
            pairs = None if pairs is None else [pairs]
        if isinstance(texts, str) or isinstance(pairs, str):
            raise InputError("texts and pairs must both be one text, or both lists of texts")
        questions = self._questions(texts, pairs)
        counts = Counter(questions)
        batches = self._batches(counts)
        known: dict[JudgeInput, Floats] = {}
        done = 0
        with progress_of(progress, f"{self.task} judge", len(texts)) as report:
            answers = self._answers(batches)
            for batch in batches:
                report(done)
                known.update(zip(batch, next(answers), strict=True))
                done += sum(counts[question] for question in batch)
            report(len(texts))
        return np.array([known[question] for question in questions], dtype=np.float64).reshape(-1, 2)

    def _questions(self, texts: Sequence[str], pairs: Sequence[str] | None) -> list[JudgeInput]:
        """Put each text beside its second one, after a check that the judge reads such questions."""
        requires_pairs = JUDGES[self.task].pairs
        if pairs is None and not requires_pairs:
            return [(text, None) for text in texts]
        if pairs is not None and requires_pairs and len(pairs) == len(texts):
            return list(zip(texts, pairs, strict=True))
        what = "a second text for each" if requires_pairs else "single texts"
        raise ValueError(f"the judge {self.task} requires {what}")

    def _batches(self, questions: Iterable[JudgeInput]) -> list[list[JudgeInput]]:
        """Divide questions into batches of similar lengths, the longest first."""
        size = max(1, min(LARGEST_BATCH, BATCH_TOKENS // self.max_tokens))
        if self.linear:
            size = LINEAR_BATCH
        order = sorted(questions, key=_length, reverse=True)
        return [order[start : start + size] for start in range(0, len(order), size)]

    def _answers(self, batches: list[list[JudgeInput]]) -> Iterator[Floats]:
        """Answer batches in their order; a small network answers several at once, in threads."""
        if not self.is_network:
            return map(self.answer, batches)
        from change_it.models.pretrained import batches_at_once, map_threads

        return map_threads(self.answer, batches, batches_at_once(self.model))

    def answer(self, batch: list[JudgeInput]) -> Floats:
        """Return the probabilities of a batch of questions, (n, 2)."""
        texts = [text for text, _ in batch]
        pairs = [pair for _, pair in batch if pair is not None]
        return self.predict(texts, pairs or None)

    def encode(
        self, texts: list[str], pairs: list[str] | None, max_tokens: int, *, padded: bool = True
    ) -> Any:
        """Return the token ids of a batch, as a tokenizer gives them.

        Args:
            texts: First texts.
            pairs: Second texts; None for a judge of single texts.
            max_tokens: Tokens beyond which an input is cut.
            padded: Whether they are tensors of one length, and not lists of ids without padding.
        """
        if self.article_first and pairs is not None:
            texts, pairs = pairs, texts
        from change_it.models.pretrained import reading_errors

        tokenizer: Any = self.tokenizer
        with self._lock, reading_errors(tokenizer):  # two threads must not use a tokenizer at once
            return tokenizer(
                texts,
                pairs,
                truncation=True,
                max_length=max_tokens,
                padding=padded,
                return_tensors="pt" if padded else None,
            )

    def predict(self, texts: list[str], pairs: list[str] | None) -> Floats:
        """Return the probabilities of one batch of texts, and of their second ones, (n, 2)."""
        if self.linear:
            answers: Floats = self.model.predict_proba(texts, pairs)
            return answers
        return self._predict_by_network(texts, pairs)

    def _predict_by_network(self, texts: list[str], pairs: list[str] | None) -> Floats:
        """Return what a network answers, (n, 2).

        A judge with `JudgeSpec.refuses_long` is sure of class 0 for a headline that it would read cut.
        """
        import torch

        from change_it.models.pretrained import arithmetic

        batch = self.encode(texts, pairs, self.max_tokens)
        device = self.model.device
        with torch.no_grad(), arithmetic(device, self.precision):
            logits = self.model(**batch.to(device)).logits
        # this subtracts it from the log odds, which are the difference of the two logits
        logits[:, 1:] -= self.shift
        probabilities: Floats = torch.softmax(logits.double().cpu(), dim=-1).numpy()
        if probabilities.shape != (len(texts), 2) or not np.isfinite(probabilities).all():
            raise ValueError(f"the {self.task} judge does not answer with probabilities of two classes")
        if JUDGES[self.task].refuses_long and batch["input_ids"].shape[1] == self.max_tokens:
            # a text of just so many tokens was not cut; one more token tells them apart
            lengths = self.encode(texts, None, self.max_tokens + 1)["attention_mask"].sum(1)
            probabilities[(lengths > self.max_tokens).numpy()] = 1.0, 0.0
        return probabilities


def _length(question: JudgeInput) -> int:
    """Return the characters of a text and its second one."""
    text, pair = question
    return len(text) + len(pair or "")


def _check_device(device: str) -> None:
    """Refuse a device that this machine does not have.

    The processor is always there, and torch is not asked for it.
    """
    if device not in ("auto", "cpu"):
        from change_it.models.pretrained import pick_device

        pick_device(device)


def _open(folder: Path, device: str) -> "tuple[Any, PreTrainedTokenizerBase | None]":
    """Open the model and the tokenizer of a judge on a device; a linear one without torch."""
    if is_linear_judge(folder):
        return SavedLinearJudge.load(folder), None
    from transformers import AutoModelForSequenceClassification

    from change_it.judges.registration import register_judges
    from change_it.models.pretrained import load_weights, pick_device, quiet, read_tokenizer

    register_judges()
    with quiet():
        model = load_weights(AutoModelForSequenceClassification, folder)
        return model.to(pick_device(device)).eval(), read_tokenizer(folder)
