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
        headlines: new headlines; an empty one is none and fails.
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

    An empty new headline is not asked about: its probabilities are 0 and no verdict holds.

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
        return answers(judge, questions, batch_size=batch_size, progress=progress)

    rows = [list(zip(t.sources, t.headlines, t.articles, t.targets, strict=True)) for t in transfers]
    given = [[row for row in some if row[1].strip()] for some in rows]
    olds: list[list[Question]] = [[(source, None) for source, *_ in some] for some in rows]
    news: list[list[Question]] = [[(new, None) for _, new, *_ in some] for some in given]
    main = ask(judges.main, [*olds, *news])
    hhs = ask(judges.hh, [[(source, new) for source, new, *_ in some] for some in given])
    ahs = ask(judges.ah, [[(new, article) for _, new, article, _ in some] for some in given])
    return [
        _judgement(transfer, hh, ah, new, old, reversal)
        for transfer, hh, ah, new, old in zip(
            transfers, hhs, ahs, main[len(olds) :], main[: len(olds)], strict=True
        )
    ]


def _judgement(
    transfer: Transfer, hh: Floats, ah: Floats, new: Floats, old: Floats, reversal: Reversal
) -> Judgement:
    """The judgement of n items from answers (m, 2) on the m new headlines that are not empty, and (n, 2) on the originals."""
    given = np.array([bool(text.strip()) for text in transfer.headlines], dtype=bool)
    targets = np.asarray(transfer.targets, dtype=np.int64)
    found = verdicts(hh, ah, new, old[given], targets[given], reversal=reversal)

    def spread(values: Any) -> Any:
        """(n,) zeros, with (m,) values where there is a headline."""
        whole = np.zeros(len(given), dtype=values.dtype)
        whole[given] = values
        return whole

    return Judgement(
        hh=spread(hh[:, 1]),
        ah=spread(ah[:, 1]),
        main=spread(new[np.arange(len(new)), targets[given]]),
        main_source=old[np.arange(len(old)), targets],
        verdicts=Verdicts(spread(found.hh), spread(found.ah), spread(found.main)),
    )


def answers(
    judge: Judge, questions: list[list[Question]], *, batch_size: int | None = None, progress: bool = False
) -> list[Floats]:
    """Put lists of questions to one judge, every distinct question once.

    Args:
        judge: any.
        questions: texts, with their second text for hh and ah, None for main.
        batch_size: texts the judge reads at once; its own choice when None.
        progress: show a progress bar.

    Returns:
        Probabilities (n, 2) for each list of n questions.
    """
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
