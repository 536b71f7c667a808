"""Settings of scoring, which every signature names."""

from dataclasses import dataclass

from change_it.scoring.aspects import Reversal


@dataclass(frozen=True, kw_only=True)
class ScoreSettings:
    """How systems are scored.

    Attributes:
        reversal: when style counts as reversed, see `aspects.verdicts`.
        resamples: bootstrap resamples of an interval, at least 1.
        seed: seed of intervals and paired tests.
    """

    reversal: Reversal = "relative"
    resamples: int = 1000
    seed: int = 1
