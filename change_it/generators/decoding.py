"""Searching for headlines: what is asked, what is offered, and the scores of what was chosen."""

import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor
from transformers import LogitsProcessor, NoRepeatNGramLogitsProcessor

from change_it.errors import InputError


@dataclass(frozen=True)
class Candidate:
    """A headline that a generator offers.

    Attributes:
        text: the headline.
        score: mean log-probability of its tokens, at most 0; higher is better.
    """

    text: str
    score: float


@dataclass(frozen=True)
class Decoding:
    """How headlines are searched for.

    Attributes:
        candidates: headlines a source, at most: distinct ones.
        beams: width of the search; at least as many as candidates are kept; 1 is greedy.
        sample: draw headlines at random instead of searching for the most probable.
        temperature: of sampling; above 1 flattens.
        top_p: of sampling: smallest set of tokens with this probability.
        no_repeat_ngram_size: no headline has an n-gram of tokens twice; 0 allows it.
        seed: of sampling; the draws depend on it and on the batch alone.

    Raises:
        InputError: a value out of its range.
    """

    candidates: int = 1
    beams: int = 5
    sample: bool = False
    temperature: float = 1.0
    top_p: float = 0.95
    no_repeat_ngram_size: int = 3
    seed: int = 1

    def __post_init__(self) -> None:
        if self.candidates < 1 or self.beams < 1:
            raise InputError(
                f"{self.candidates} candidates and {self.beams} beams: give at least one of each"
            )
        if self.temperature <= 0 or not 0 < self.top_p <= 1:
            raise InputError(
                f"a temperature of {self.temperature} and a top-p of {self.top_p} draw nothing: "
                "give a temperature above 0 and a top-p above 0, at most 1"
            )


class NoRepeatedNGram(LogitsProcessor):
    """Forbids an n-gram twice in what is generated; the prompt's own n-grams stay allowed."""

    def __init__(self, size: int, prompt: int):
        self.inner, self.prompt = NoRepeatNGramLogitsProcessor(size), prompt

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Scores with -inf for the tokens that would repeat an n-gram."""
        return self.inner(input_ids[:, self.prompt :], scores)


class ChosenScores(LogitsProcessor):
    """Log-probability of each token that greedy search or sampling chose, before temperature and top-p.

    Keeping the scores of all steps would cost vocabulary × steps × rows numbers; this keeps one step.
    """

    def __init__(self, prompt: int):
        self.prompt = prompt
        self.last: Tensor | None = None
        self.chosen: list[Tensor] = []

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Scores as they came."""
        self._add(input_ids[:, -1])
        self.last = scores.log_softmax(-1)
        return scores

    def _add(self, tokens: Tensor) -> None:
        if self.last is not None:
            self.chosen.append(self.last.gather(1, tokens[:, None])[:, 0])

    def means(self, ids: Tensor, end: int) -> Tensor:
        """Mean log-probability of each row up to its first end token.

        Args:
            ids: (rows, steps) generated tokens.
            end: id of the end token.

        Returns:
            (rows,) at most 0.
        """
        self._add(ids[:, -1])
        values = torch.stack(self.chosen, dim=1)
        ended = (ids == end).cumsum(1) - (ids == end).long()  # ends before this token
        counted = (ended == 0).to(values.dtype)
        return (values * counted).nan_to_num(0.0).sum(1) / counted.sum(1)


def best(candidates: Sequence[Candidate], count: int) -> list[Candidate]:
    """The best distinct candidates, best first; an empty text only where there is nothing else.

    Args:
        candidates: at least one.
        count: at most so many.

    Example:
        >>> [one.text for one in best([Candidate("a", -2), Candidate("", -1), Candidate("a", -1)], 3)]
        ['a']
    """
    ordered = sorted(candidates, key=lambda candidate: -candidate.score)
    distinct = {candidate.text: candidate for candidate in reversed(ordered) if candidate.text}
    return [one for one in ordered if distinct.get(one.text) is one][:count] or ordered[:1]


@contextmanager
def drawn(sources: Sequence[str], seed: int) -> Iterator[None]:
    """Random state of one batch: a function of the seed and the batch alone, and restored afterwards.

    Args:
        sources: the batch.
        seed: of the whole run.
    """
    text = "\0".join([str(seed), *sources]).encode("utf-8", "replace")
    with torch.random.fork_rng():
        torch.manual_seed(zlib.crc32(text))
        yield
