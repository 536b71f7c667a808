"""`compute_compliancy`: compliancy of headlines without a corpus."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from change_it.corpus.reading.article import outlet_names
from change_it.corpus.splits import events_of
from change_it.corpus.test_set import Item, TestSet
from change_it.errors import InputError
from change_it.files.texts import column_of, refuse_lengths, texts_by_name, texts_of
from change_it.scoring.aspects import Reversal, check_reversal, compliancy_measures, refusals
from change_it.scoring.scores import Scores, score
from change_it.scoring.settings import ScoreSettings
from change_it.scoring.systems import ScoredSystem
from change_it.stats import AVERAGE

if TYPE_CHECKING:  # loads polars and scipy
    from change_it.scoring.panel import Judges
    from change_it.training.training_options import Arithmetic

#: The system whose headlines are scored.
SYSTEM = "predictions"


def compute_compliancy(
    predictions: Sequence[str],
    sources: Sequence[str],
    articles: Sequence[str],
    labels: str | int | Sequence[str] | Sequence[int],
    judges: "str | Path | Judges",
    *,
    reference_articles: Sequence[str] | None = None,
    events: Sequence[str] | Sequence[int] | None = None,
    reversal: Reversal = "relative",
    resamples: int = 1000,
    seed: int = 1,
    precision: "Arithmetic" = "float32",
    device: str = "auto",
    progress: bool = False,
) -> dict[str, Any]:
    """Compute compliancy of new headlines (EvalNLGEval 2020, section 4), and the aspects beside it.

    No corpus is needed.

    Args:
        predictions: n new headlines: a list, a column of a data set or frame, as the other texts; an empty
            one passes nothing.
        sources: n original headlines.
        articles: n original articles.
        labels: outlets that the originals come from, one for all or n: short names (CHANGE-IT's R and G are
            understood), or the classes 0 and 1 of the corpus.
        judges: folder or Hub id of the judges, or judges that are loaded already.
        reference_articles: n articles of the other outlet about the same events, further evidence; empty
            texts, or None, without any. `change-it score` has them.
        events: n ids of events, which the intervals draw: the column `event` of a corpus. When None,
            near-duplicate articles are one event, and so are both directions of a pair that
            `reference_articles` shows.
        reversal: when style counts as reversed: `relative`, main decides for another outlet than on the
            original; `target`, for the outlet aimed at.
        resamples: bootstrap resamples of the intervals.
        seed: their seed.
        precision: arithmetic of judges that are loaded here: float32, or bf16.
        device: where they run.
        progress: whether bars are shown.

    Returns:
        Each of `compliancy_measures` to its average over the directions that occur, None where a judge is
        missing (see `Judges.judge`). Under each direction's name stand the same measures in that direction.
        `intervals` has under `average` and each direction's name each measure to (low, high). `verdicts` has
        a record for each item: its measures, which are booleans but for `style` and `acceptability`;
        `refused_by`, the reasons against it; and `unsupported`, the list of numbers, names and quotations
        without evidence. `signature` says what the figures depend on.

    Raises:
        InputError: no items, lists of different lengths, an original or article that is empty, or a label
            that is not one of the judges' outlets.
    """
    if resamples < 1:
        raise InputError(f"resamples is {resamples}: give at least 1, better 1000")
    check_reversal(reversal)
    new = texts_of("predictions", predictions, complete=True)
    texts = texts_by_name(sources=sources, articles=articles)
    if not new:
        raise InputError("there is nothing to score: predictions is empty")
    refuse_lengths(predictions=new, **texts)
    others = [""] * len(new) if reference_articles is None else reference_articles
    evidence = texts_of("reference_articles", others)
    refuse_lengths(predictions=new, reference_articles=evidence)
    if events is None:
        # of equal width, for events are drawn in the order of their names
        events = [f"{event:09}" for event in events_of(texts["articles"], evidence)]
    events = list(column_of("events", events))
    refuse_lengths(predictions=new, events=events)
    from change_it.scoring.panel import Judges

    if not isinstance(judges, Judges):
        if not isinstance(judges, str | Path):
            raise InputError(f"judges is {judges!r}: give a folder, a Hub id or Judges")
        judges = Judges.from_pretrained(judges, precision=precision, device=device)
    a, b = judges.outlets
    origins = outlet_names("labels", labels, judges.outlets, len(new))
    items = []
    for label, source, article, of_other, event in zip(
        origins, texts["sources"], texts["articles"], evidence, events, strict=True
    ):
        target = b if label == a else a
        item = Item(
            id="",
            label=label,
            target=target,
            source=source,
            article=article,
            reference_article=of_other,
            event=str(event),
        )
        items.append(item)
    test = TestSet(tuple(items), outlets=judges.outlets, training_headlines={}, name=SYSTEM)
    system = ScoredSystem(SYSTEM, tuple(new))
    settings = ScoreSettings(reversal=reversal, resamples=resamples, seed=seed)
    scores = score(test, judges, [system], settings, progress=progress)
    return _as_record(scores)


def _as_record(scores: Scores) -> dict[str, Any]:
    """Return the scores of the only system as the dictionary that `compute_compliancy` returns."""
    measures = compliancy_measures()
    values = {}
    intervals = {}
    for row in scores.rows:
        values[row.direction] = {name: row.values.get(name) for name in measures}
        intervals[row.direction] = {name: row.intervals.get(name) for name in measures}
    unsupported = pl.col("unsupported").list.eval(pl.element().struct.field("text"))
    verdicts = scores.items[SYSTEM].select(*measures, "refused_by", unsupported).to_dicts()
    for verdict in verdicts:
        verdict["refused_by"] = refusals(verdict["refused_by"])
    averages = values.pop(AVERAGE)
    return {
        **averages,
        **values,
        "intervals": intervals,
        "verdicts": verdicts,
        "signature": scores.signature,
    }
