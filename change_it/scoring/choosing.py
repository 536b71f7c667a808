"""Candidates as judged, the choice among them by acceptability and style, and the baseline `floor`, which is such a choice."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from change_it.corpus.test_set import FLOOR, Item, TestSet
from change_it.errors import InputError
from change_it.judges.spec import acceptability_tasks
from change_it.scoring.aspects import probability_columns, split_by_counts
from change_it.scoring.panel import JudgedHeadline, Judges
from change_it.scoring.signature import Reranker
from change_it.scoring.systems import ScoredSystem, clauses


def judge_candidates(
    judges: Judges, candidates: Sequence[Sequence[str]], items: Sequence[Item]
) -> list[list[JudgedHeadline]]:
    """The candidates of n items as judges see them, in the order of `order`."""
    judged = []
    for texts, table in zip(candidates, _judged(judges, candidates, items), strict=True):
        rows = table.rows(named=True)
        judged.append([JudgedHeadline.from_row(texts[place], rows[place]) for place in _ranked(table)])
    return judged


def order(
    judges: Judges, candidates: Sequence[Sequence[str]], items: Sequence[Item]
) -> list[tuple[int, ...]]:
    """The positions of each item's candidates, the best first by `compliancy.choosing`, of equal ones that with the higher probabilities; empty candidates last."""
    return [_ranked(table) for table in _judged(judges, candidates, items)]


def floor(test: TestSet, judges: Judges) -> ScoredSystem:
    """For each headline the one of the `clauses` of its article that judges choose.

    The judges that choose are of another fold than those that score; all that acceptability multiplies are among them.
    """
    judges.check_corpus(test)
    for task in acceptability_tasks():
        if task not in judges.by_task:
            raise InputError(
                f"the floor requires a {task} judge: train one with change-it train judge --task {task}"
            )
    candidates = clauses(test)
    orders = order(judges, candidates, test.items)
    cuts = [tuple(texts[place] for place in places) for texts, places in zip(candidates, orders, strict=True)]
    best = tuple(texts[0] for texts in cuts)
    number = float(np.mean([len(texts) for texts in cuts]))
    return ScoredSystem(FLOOR, best, Reranker.of(judges), cuts=tuple(cuts), candidates=number)


def _judged(judges: Judges, candidates: Sequence[Sequence[str]], items: Sequence[Item]) -> list[pl.DataFrame]:
    """The verdicts of each item's candidates; what chooses sees no partner's article."""
    offered = [
        replace(item, prediction=text, reference_article="")
        for item, texts in zip(items, candidates, strict=True)
        for text in texts
    ]
    return split_by_counts(judges.judge(offered, progress=False), map(len, candidates))


def _ranked(table: pl.DataFrame) -> tuple[int, ...]:
    """Positions of rows of verdicts, the best first."""
    columns = probability_columns()
    sure = [table[columns[task]].fill_null(1.0).to_numpy() for task in acceptability_tasks()]
    # the last key decides first; rows that are equal keep their order
    return tuple(np.lexsort((-np.prod(sure, axis=0), -table["choosing"].to_numpy())).tolist())
