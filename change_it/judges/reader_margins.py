"""The margins of a reader: how much better an edit may fit the sources than a headline that is believed."""

from collections.abc import Sequence

import numpy as np

from change_it.judges.reader import KINDS, WORD, HeadlineReading
from change_it.stats import Floats
from change_it.text.edits import FactKind

#: Steps in which the margins are looked for.
HALVINGS = 12
#: How many times as often headlines with a foreign word have to be refused as printed ones.
FOREIGN_REFUSALS = 3.0


def calibrated(readings: Sequence[HeadlineReading], share: float) -> dict[FactKind, float]:
    """The margins in nats, 0 or more, that let a share of the printed headlines with edits through; of each kind they refuse about as many."""
    gaps = np.array(
        [
            [reading.gaps.get(kind, np.inf) for kind in KINDS]
            for reading in readings
            if reading.gaps.keys() & set(KINDS)
        ]
    )
    if not len(gaps):
        return dict.fromkeys(KINDS, 0.0)
    least, most = 0.0, 1.0 - share
    margins = _margins(gaps, least)
    for _ in range(HALVINGS):
        refused = (least + most) / 2
        some = _margins(gaps, refused)
        if (gaps >= [-some[kind] for kind in KINDS]).all(axis=1).mean() >= share:
            least, margins = refused, some
        else:
            most = refused
    return margins


def word_margin(
    printed: Sequence[HeadlineReading], foreign: Sequence[HeadlineReading], share: float
) -> float | None:
    """The margin of words, which lets a share of the printed headlines through; None where it refuses hardly more of others.

    `foreign` are readings of printed headlines with one word of another headline: fewer than `FOREIGN_REFUSALS` times as many of
    them as of the printed would be refused.
    """
    log_p, of_foreign = (
        np.array([reading.gaps.get(WORD, np.inf) for reading in readings]) for readings in (printed, foreign)
    )
    if not np.isfinite(log_p).any() or not len(of_foreign):
        return None
    margin = -float(np.quantile(log_p, 1.0 - share, method="lower"))
    if not np.isfinite(margin) or (of_foreign < -margin).mean() < FOREIGN_REFUSALS * (1.0 - share):
        return None
    return max(margin, 0.0)


def _margins(gaps: Floats, refused: float) -> dict[FactKind, float]:
    """The margins that refuse this share of the headlines with edits of a kind, from (n, kinds) gaps, infinite where there are none."""
    of_kinds = {kind: column[np.isfinite(column)] for kind, column in zip(KINDS, gaps.T, strict=True)}
    return {
        kind: max(0.0, -float(np.quantile(of_kind, refused))) if len(of_kind) else 0.0
        for kind, of_kind in of_kinds.items()
    }
