"""Verdicts of trained judges: probabilities in the order of the texts, whatever the batches."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from rich.progress import track

from change_it.errors import InputError
from change_it.judges.options import Task
from change_it.training.models import hash_of_weights, local_folder, pick_device, quiet

COMMAND = "change-it train judge"

#: Tokens of a batch when no batch size is given.
BATCH_TOKENS = 16_384
LARGEST_BATCH = 256


@torch.no_grad()
def probabilities(
    model: Any,
    tokenizer: Any,
    texts: Sequence[str],
    pairs: Sequence[str] | None = None,
    *,
    max_tokens: int,
    batch_size: int | None = None,
    progress: str = "",
) -> NDArray[np.float64]:
    """Class probabilities by any sequence classifier.

    Texts of like length share a batch, which is padded to its longest text.

    Args:
        model: returns `.logits` (batch, classes); used on its own device, in `eval` mode.
        tokenizer: the model's.
        texts: n texts.
        pairs: n second texts, or None.
        max_tokens: longer inputs are cut.
        batch_size: texts a batch; None takes some 16,000 tokens.
        progress: shown at a progress bar; none without it.

    Returns:
        (n, classes) float64 in the order of `texts`.
    """
    if pairs is not None and len(pairs) != len(texts):
        raise ValueError(f"{len(texts)} texts and {len(pairs)} pairs: give one for each text")
    if not len(texts):
        return np.empty((0, model.config.num_labels))
    size = batch_size or max(1, min(LARGEST_BATCH, BATCH_TOKENS // max_tokens))
    lengths = (
        [len(text) for text in texts]
        if pairs is None
        else [len(a) + len(b) for a, b in zip(texts, pairs, strict=True)]
    )
    order = np.argsort(-np.asarray(lengths), kind="stable")
    training = model.training
    model.eval()
    parts = []
    for start in track(
        range(0, len(order), size), description=progress, disable=not progress, transient=True
    ):
        rows = order[start : start + size]
        second = None if pairs is None else [pairs[row] for row in rows]
        batch = tokenizer(
            [texts[row] for row in rows],
            second,
            truncation=True,
            max_length=max_tokens,
            padding=True,
            return_tensors="pt",
        )
        logits = model(**batch.to(model.device)).logits
        parts.append(torch.softmax(logits.double().cpu(), dim=-1).numpy())
    model.train(training)
    result = np.empty((len(texts), parts[0].shape[1]))
    result[order] = np.concatenate(parts)
    return result


@dataclass(frozen=True)
class Judge:
    """A trained judge.

    Attributes:
        task: main, hh or ah.
        model: a sequence classifier with two classes, in `eval` mode.
        tokenizer: its tokenizer.
        fold: the fold it was trained on: all, 0 or 1.
        outlets: short names of A and B.
        weights_hash: SHA-256 of its weights.
        max_tokens: longer inputs are cut.
    """

    task: Task
    model: Any
    tokenizer: Any
    fold: str
    outlets: tuple[str, str]
    weights_hash: str
    max_tokens: int

    @classmethod
    def from_pretrained(cls, name: str | Path, *, device: str = "auto") -> "Judge":
        """Load a judge.

        Args:
            name: folder written by `change-it train judge`, or a Hub id.
            device: auto, cpu, cuda, cuda:1, mps.

        Raises:
            InputError: no such folder or id, not a judge, no such device.
        """
        from transformers import AutoModelForSequenceClassification, AutoTokenizer

        import change_it.auto  # noqa: F401 (registers our models)

        place = pick_device(device)
        folder = local_folder(name, command=COMMAND)
        weights_hash = hash_of_weights(folder, command=COMMAND)
        try:
            with quiet():
                model = AutoModelForSequenceClassification.from_pretrained(folder, dtype=torch.float32)
            tokenizer = AutoTokenizer.from_pretrained(folder)
        except (OSError, ValueError) as error:
            raise InputError(f"{name} cannot be loaded as a judge: {str(error).splitlines()[0]}") from error
        about = getattr(model.config, "change_it", None)
        if not about:
            raise InputError(
                f"{name} is a model but not one of our judges: train one with change-it train judge"
            )
        return cls(
            task=about["task"],
            model=model.to(place).eval(),
            tokenizer=tokenizer,
            fold=about["fold"],
            outlets=(about["outlets"][0], about["outlets"][1]),
            weights_hash=weights_hash,
            max_tokens=about["max_tokens"],
        )

    def probabilities(
        self,
        texts: Sequence[str],
        pairs: Sequence[str] | None = None,
        *,
        batch_size: int | None = None,
        progress: bool = True,
    ) -> NDArray[np.float64]:
        """Class probabilities.

        Args:
            texts: headlines.
            pairs: second headlines (hh) or articles (ah), one for each text; None for main.
            batch_size: texts a batch; None takes some 16,000 tokens.
            progress: show a progress bar.

        Returns:
            (n, 2) float64 in the order of `texts`; columns outlet A, outlet B (main) or no match, match (hh, ah).

        Raises:
            ValueError: pairs for main, none for hh and ah, or another number of them.
        """
        if (pairs is None) != (self.task == "main"):
            raise ValueError(
                f"the judge {self.task} reads {'one text' if self.task == 'main' else 'pairs of texts'} at a time"
            )
        return probabilities(
            self.model,
            self.tokenizer,
            texts,
            pairs,
            max_tokens=self.max_tokens,
            batch_size=batch_size,
            progress=f"{self.task} judge" if progress else "",
        )


@dataclass(frozen=True)
class Judges:
    """The three judges that compliancy asks."""

    main: Judge
    hh: Judge
    ah: Judge

    @classmethod
    def from_pretrained(cls, name: str | Path, *, device: str = "auto") -> "Judges":
        """Load the judges `main`, `hh` and `ah`.

        Args:
            name: folder with three folders of these names, or the Hub id of such a repository.
            device: auto, cpu, cuda, cuda:1, mps.

        Raises:
            InputError: one is missing, or they are not of the same outlets and fold.
        """
        folder = local_folder(name, command=COMMAND)
        if missing := [task for task in ("main", "hh", "ah") if not (folder / task).is_dir()]:
            commands = " and ".join(
                f"change-it train judge --task {task} --out {folder / task}" for task in missing
            )
            raise InputError(f"{name} lacks the judge {' and '.join(missing)}: run {commands}")
        judges = {task: Judge.from_pretrained(folder / task, device=device) for task in ("main", "hh", "ah")}
        for task, judge in judges.items():
            if judge.task != task:
                raise InputError(
                    f"{folder / task} holds a judge for {judge.task}: train one with --task {task}"
                )
        if len({judge.outlets for judge in judges.values()}) > 1:
            told = ", ".join(f"{task} {' and '.join(judge.outlets)}" for task, judge in judges.items())
            raise InputError(
                f"the judges in {name} are of different outlets ({told}): train them on one corpus"
            )
        if len({judge.fold for judge in judges.values()}) > 1:
            told = ", ".join(f"{task} {judge.fold}" for task, judge in judges.items())
            raise InputError(
                f"the judges in {name} are of different folds ({told}): train them with the same --fold"
            )
        return cls(**judges)

    @property
    def outlets(self) -> tuple[str, str]:
        """Short names of A and B."""
        return self.main.outlets

    @property
    def signature(self) -> str:
        """Six digits of each hash and the fold: `1a2b3c+4d5e6f+0a1b2c|fold:all`."""
        return (
            "+".join(judge.weights_hash[:6] for judge in (self.main, self.hh, self.ah))
            + f"|fold:{self.main.fold}"
        )
