"""Choose among candidates by acceptability and style; the baseline `floor` is such a choice."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from change_it.corpus.test_set import FLOOR, Item, TestSet
from change_it.errors import InputError
from change_it.judges.spec import acceptability_tasks
from change_it.scoring.aspects import probability_columns, split_by_counts
from change_it.scoring.baselines import clauses
from change_it.scoring.panel import JudgedHeadline, Judges
from change_it.scoring.signature import Reranker
from change_it.scoring.systems import ScoredSystem


def judge_candidates(
    judges: Judges, candidates: Sequence[Sequence[str]], items: Sequence[Item]
) -> list[list[JudgedHeadline]]:
    """Judge the candidates of n items, and return for each item its judged candidates, the best first.

    The order is that of `order`.
    """
    judged = []
    tables = _judged(judges, candidates, items)
    for texts, table in zip(candidates, tables, strict=True):
        rows = table.rows(named=True)
        best_first = [JudgedHeadline.from_row(texts[place], rows[place]) for place in _ranked(table)]
        judged.append(best_first)
    return judged


def order(
    judges: Judges, candidates: Sequence[Sequence[str]], items: Sequence[Item]
) -> list[tuple[int, ...]]:
    """Return the positions of each item's candidates, the best first by `aspects.choosing`, empty ones last.

    Of candidates that are equally good, the one with the higher probabilities comes first.
    """
    return [_ranked(table) for table in _judged(judges, candidates, items)]


def floor(test: TestSet, judges: Judges) -> ScoredSystem:
    """Choose for each headline one of the `clauses` of its article.

    The judges that choose are of another fold than those that score.

    Raises:
        InputError: the judges have learnt from a test article, or lack one that acceptability multiplies.
    """
    judges.check_corpus(test)
    for task in acceptability_tasks():
        if task not in judges.by_task:
            raise InputError(
                f"the floor requires a {task} judge: train one with change-it train judge --task {task}"
            )
    candidates = clauses(test)
    ranked = order(judges, candidates, test.items)
    cuts = []
    for texts, places in zip(candidates, ranked, strict=True):
        best_first = tuple(texts[place] for place in places)
        cuts.append(best_first)
    counts = [len(texts) for texts in cuts]
    headlines = [texts[0] for texts in cuts]
    return ScoredSystem(
        FLOOR,
        headlines=tuple(headlines),
        reranker=Reranker.from_judges(judges),
        cuts=tuple(cuts),
        candidates=float(np.mean(counts)),
    )


def _judged(judges: Judges, candidates: Sequence[Sequence[str]], items: Sequence[Item]) -> list[pl.DataFrame]:
    """Return for each item the table of verdicts on its candidates, one row a candidate.

    Judges that choose do not see the other newspaper's article: a system would not have it either.
    """
    offered = []
    for item, texts in zip(items, candidates, strict=True):
        for text in texts:
            offered.append(replace(item, prediction=text, reference_article=""))
    verdicts = judges.judge(offered, progress=False)
    return split_by_counts(verdicts, [len(texts) for texts in candidates])


def _ranked(table: pl.DataFrame) -> tuple[int, ...]:
    """Return the positions of the rows of a table of verdicts, the best first.

    Rows are sorted by `choosing`, then by the product of acceptability's probabilities. Equal rows keep their
    order.
    """
    columns = probability_columns()
    product = np.ones(len(table))
    for task in acceptability_tasks():
        product = product * table[columns[task]].fill_null(1.0).to_numpy()
    choosing = table["choosing"].to_numpy()
    # lexsort sorts by its last key, and by the one before it where that is equal
    best_first = np.lexsort((-product, -choosing))
    return tuple(best_first.tolist())
