"""Describe scored systems: the new headlines of each, and the items that they have in common."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress
from statistics import mean
from typing import TYPE_CHECKING

from change_it.corpus.test_set import TestSet
from change_it.errors import InputError
from change_it.files.texts import join_truncated

if TYPE_CHECKING:
    from change_it.scoring.signature import Reranker


@dataclass(frozen=True)
class ScoredSystem:
    """A system's new headlines for every item.

    Attributes:
        name: its name in tables.
        headlines: empty where the system has failed, None where its file lacks one.
        reranker: the judges that chose among candidates.
        run_of: the system that this is one of several runs of, trained with another seed each.
        cuts: for `clause` and `floor` all cuts of each article, that is its sentences and clauses; for
            `floor` the best first. The score of `clause` is the mean over them.
        candidates: mean number of headlines that one was chosen of; None where it is not known.
    """

    name: str
    headlines: tuple[str | None, ...]
    reranker: "Reranker | None" = None
    run_of: str = ""
    cuts: tuple[tuple[str, ...], ...] = ()
    candidates: float | None = None


def check_against(against: str, systems: Sequence[str]) -> None:
    """Refuse a name that no system of the table has."""
    if against not in systems:
        raise InputError(
            f"--against {against} is no system of the table: give one of {join_truncated(systems)}"
        )


def on_same_items(
    test: TestSet, systems: Sequence[ScoredSystem], *, with_partner: bool = True
) -> tuple[TestSet, list[ScoredSystem]]:
    """Return the items that every system has a headline for, and the systems on them.

    Args:
        test: the test set.
        systems: the systems, with None for headlines that they lack.
        with_partner: leaves out the items that have no partner, and so no `gold`.

    Raises:
        InputError: there is no such item.
    """
    shared = []
    for place, item in enumerate(test.items):
        has_partner = bool(item.reference) or not with_partner
        has_all = all(system.headlines[place] is not None for system in systems)
        shared.append(has_partner and has_all)
    if not any(shared):
        raise InputError(
            "the files of --predictions have no headline in common: give files of the same headlines"
        )
    same = [select_items(system, shared) for system in systems]
    return replace(test, items=tuple(compress(test.items, shared))), same


def select_items(system: ScoredSystem, is_selected: Sequence[bool]) -> ScoredSystem:
    """Return a system of n items on the selected ones."""
    headlines = tuple(compress(system.headlines, is_selected))
    cuts = tuple(compress(system.cuts, is_selected))
    candidates = system.candidates
    if cuts and candidates is not None:
        candidates = mean(len(texts) for texts in cuts)
    return replace(system, headlines=headlines, cuts=cuts, candidates=candidates)
