"""Compliancy of plain lists, without a corpus: what the `evaluate` module in metrics/compliancy calls."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from change_it.corpus.article import KNOWN_LABELS
from change_it.errors import InputError
from change_it.scoring import compliancy
from change_it.scoring.compliancy import MEASURES, Reversal
from change_it.scoring.judging import Panel, Transfer, judge_transfers
from change_it.scoring.signature import signature
from change_it.stats import bootstrap_intervals


def compute_compliancy(
    predictions: Sequence[str],
    sources: Sequence[str],
    articles: Sequence[str],
    labels: Sequence[str],
    judges: str | Panel,
    *,
    reversal: Reversal = "relative",
    resamples: int = 1000,
    seed: int = 1,
    batch_size: int | None = None,
    device: str = "auto",
    progress: bool = False,
) -> dict[str, Any]:
    """Compliancy of new headlines (SPEC 3).

    Args:
        predictions: n new headlines.
        sources: n original headlines.
        articles: n original articles.
        labels: n outlets that the originals come from, by short name (CHANGE-IT's R and G are understood).
        judges: folder or Hub id of the three judges, or judges that are loaded already (saves time when several
            systems are scored).
        reversal: when style counts as reversed, see `compliancy.verdicts`.
        resamples: bootstrap resamples of the intervals.
        seed: their seed.
        batch_size: texts a judge reads at once; its own choice when None.
        device: where judges that are loaded here run.
        progress: show progress bars.

    Returns:
        `compliancy`, `hh`, `ah`, `main`: averages over the directions that occur; the same four under each
        direction's name; `intervals`: measure to (low, high) under `average` and each direction's name;
        `verdicts`: one dictionary of four booleans an item; `signature`.

    Raises:
        InputError: no items, lists of different lengths, a text that is empty, or a label that is not one of the
            judges' outlets.
    """
    panel: Panel = _load(judges, device) if isinstance(judges, str) else judges
    if not len(predictions):
        raise InputError("there is nothing to score: predictions is empty")
    if len({len(predictions), len(sources), len(articles), len(labels)}) > 1:
        raise InputError(
            "predictions, sources, articles and labels differ in length: give one of each for every item"
        )
    for name, texts in {"predictions": predictions, "sources": sources, "articles": articles}.items():
        empty = [str(i) for i, text in enumerate(texts) if not text or not text.strip()]
        if empty:
            more = f" and {len(empty) - 10} more" if len(empty) > 10 else ""
            raise InputError(
                f"empty texts in {name} at {', '.join(empty[:10])}{more}: give a text for every item"
            )
    own = [_outlet(label, panel.outlets) for label in labels]
    targets = np.array([1 - index for index in own], dtype=np.int64)
    a, b = panel.outlets
    directions = [(f"{a}2{b}", f"{b}2{a}")[index] for index in own]
    judgement = judge_transfers(
        panel,
        [Transfer(sources, predictions, articles, targets)],
        reversal=reversal,
        batch_size=batch_size,
        progress=progress,
    )[0]
    items = judgement.verdicts
    table = compliancy.proportions(items, directions)
    average = table.pop("average")
    ends = bootstrap_intervals(
        compliancy.statistics(items), compliancy.aggregate, directions, resamples=resamples, seed=seed
    )
    return {
        **average,
        **table,
        "intervals": {
            name: {measure: tuple(ends[measure][row].tolist()) for measure in MEASURES}
            for row, name in enumerate([*table, "average"])
        },
        "verdicts": [
            {"compliancy": all(row), **dict(zip(MEASURES[1:], row, strict=True))}
            for row in np.column_stack([items.hh, items.ah, items.main]).tolist()
        ],
        "signature": signature(panel.signature, reversal=reversal, n=len(predictions), seed=seed),
    }


def _outlet(label: str, outlets: tuple[str, str]) -> int:
    """0 or 1 for a label."""
    name = label if label in outlets else KNOWN_LABELS.get(label, label)
    if name not in outlets:
        raise InputError(
            f"the label {label!r} is none of the judges' outlets: write {outlets[0]} or {outlets[1]}"
        )
    return outlets.index(name)


def _load(judges: str, device: str) -> Panel:
    """Load judges; torch is imported here and not before."""
    from change_it.judges.predict import Judges

    loaded: Panel = Judges.from_pretrained(judges, device=device)
    return loaded
