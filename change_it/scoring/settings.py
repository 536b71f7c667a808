"""Settings of scoring, which every signature names."""

from dataclasses import dataclass

from change_it.scoring.aspects import Reversal


@dataclass(frozen=True, kw_only=True)
class ScoreSettings:
    """How systems are scored.

    Attributes:
        reversal: when style counts as reversed: `relative`, main decides for another outlet than on the
            original; `target`, for the outlet aimed at.
        resamples: bootstrap resamples of an interval, at least 1.
        seed: seed of intervals and paired tests.
    """

    reversal: Reversal = "relative"
    resamples: int = 1000
    seed: int = 1
