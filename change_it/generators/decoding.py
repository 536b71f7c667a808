"""How headlines are searched for, and what is found."""

from dataclasses import dataclass

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
        no_repeat_ngram_size: no headline has an n-gram of tokens twice; 0 allows it; None: as the generator was trained for.
            1 spares what every headline repeats of the networks over words, see `NoRepeatedWord`.
        seed: of sampling; the draws depend on it and on the batch alone.

    Raises:
        InputError: a value out of its range.
    """

    candidates: int = 1
    beams: int = 5
    sample: bool = False
    temperature: float = 1.0
    top_p: float = 0.95
    no_repeat_ngram_size: int | None = None
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
