"""Asks the three judges about headlines, each distinct question once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from change_it.errors import InputError
from change_it.scoring.compliancy import Reversal, Verdicts, verdicts

Floats = NDArray[np.float64]
Question = tuple[str, str | None]


class Judge(Protocol):
    """What scoring needs of a judge; `judges.predict.Judge` is one."""

    def probabilities(
        self,
        texts: Sequence[str],
        pairs: Sequence[str] | None = None,
        *,
        batch_size: int | None = None,
        progress: bool = True,
    ) -> Floats:
        """(n, 2) probabilities in the order of the texts."""
        ...


class Panel(Protocol):
    """What scoring needs of the three judges; `judges.predict.Judges` is one."""

    @property
    def main(self) -> Any:
        """The style judge: outlet A, outlet B."""

    @property
    def hh(self) -> Any:
        """The judge of headline and headline: no match, match."""

    @property
    def ah(self) -> Any:
        """The judge of headline and article: no match, match."""

    @property
    def outlets(self) -> tuple[str, str]:
        """Short names of A and B."""

    @property
    def signature(self) -> str:
        """Hashes of the weights and the fold."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """New headlines for n originals.

    Attributes:
        sources: original headlines.
        headlines: new headlines.
        articles: original articles.
        targets: 0 or 1, the outlet aimed at.
    """

    sources: Sequence[str]
    headlines: Sequence[str]
    articles: Sequence[str]
    targets: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the judges say of one transfer.

    Attributes:
        hh: (n,) probability that the two headlines match.
        ah: (n,) probability that new headline and article match.
        main: (n,) probability that the new headline is the target outlet's.
        main_source: (n,) probability that the original headline is the target outlet's.
        verdicts: the decisions.
    """

    hh: Floats
    ah: Floats
    main: Floats
    main_source: Floats
    verdicts: Verdicts


def judge_transfers(
    judges: Panel,
    transfers: Sequence[Transfer],
    *,
    reversal: Reversal = "relative",
    batch_size: int | None = None,
    progress: bool = True,
) -> list[Judgement]:
    """Judge several systems together: a text or pair that occurs more than once is judged once.

    Args:
        judges: the three judges.
        transfers: one for each system.
        reversal: see `compliancy.verdicts`.
        batch_size: texts a judge reads at once; its own choice when None.
        progress: show progress bars.

    Returns:
        One judgement for each transfer, items in its order.
    """

    def ask(judge: Judge, questions: list[list[Question]]) -> list[Floats]:
        return _answers(judge, questions, batch_size=batch_size, progress=progress)

    news: list[list[Question]] = [[(text, None) for text in transfer.headlines] for transfer in transfers]
    olds: list[list[Question]] = [[(text, None) for text in transfer.sources] for transfer in transfers]
    main = ask(judges.main, [*olds, *news])
    main_sources, mains = main[: len(olds)], main[len(olds) :]
    hhs = ask(
        judges.hh, [list(zip(transfer.sources, transfer.headlines, strict=True)) for transfer in transfers]
    )
    ahs = ask(
        judges.ah, [list(zip(transfer.headlines, transfer.articles, strict=True)) for transfer in transfers]
    )

    judgements = []
    for transfer, hh, ah, new, old in zip(transfers, hhs, ahs, mains, main_sources, strict=True):
        row = np.arange(len(transfer.targets))
        judgements.append(
            Judgement(
                hh=hh[:, 1],
                ah=ah[:, 1],
                main=new[row, transfer.targets],
                main_source=old[row, transfer.targets],
                verdicts=verdicts(hh, ah, new, old, transfer.targets, reversal=reversal),
            )
        )
    return judgements


def _answers(
    judge: Judge, questions: list[list[Question]], *, batch_size: int | None, progress: bool
) -> list[Floats]:
    """Probabilities (n, 2) for each list of questions, every distinct question asked once."""
    place: dict[Question, int] = {}
    for question in _flat(questions):
        place.setdefault(question, len(place))
    if not place:
        return [np.empty((0, 2)) for _ in questions]
    texts = [text for text, _ in place]
    pairs = [pair for _, pair in place if pair is not None] or None
    asked = np.asarray(
        judge.probabilities(texts, pairs, batch_size=batch_size, progress=progress), dtype=np.float64
    )
    if asked.shape != (len(place), 2):
        raise ValueError(f"a judge answered {len(place)} questions with an array of shape {asked.shape}")
    return [asked[[place[question] for question in some]].reshape(-1, 2) for some in questions]


def _flat(questions: Iterable[list[Question]]) -> Iterable[Question]:
    """All questions in order."""
    return (question for some in questions for question in some)


def check_outlets(judges: Panel, outlets: tuple[str, str], corpus: str) -> None:
    """Refuse judges that were trained on other outlets.

    Args:
        judges: the judges.
        outlets: A and B of the corpus.
        corpus: the corpus, for the message.

    Raises:
        InputError: the outlets differ, in name or order.
    """
    if tuple(judges.outlets) != tuple(outlets):
        ours, theirs = (" and ".join(names) for names in (outlets, judges.outlets))
        raise InputError(
            f"the judges were trained on {theirs}, the corpus {corpus} has {ours}: train judges on this corpus"
        )
