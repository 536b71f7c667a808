"""The examples of the page: three of the corpus, or invented ones."""

import tomllib
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from change_it.audit.measure import read_corpus
from change_it.audit.perturbations import PERTURBATIONS, perturbed
from change_it.errors import InputError
from change_it.scoring.item import Item, directions_in_turn
from change_it.space.parts import ARTICLE, HEADLINE
from change_it.text.tokens import words


@cache
def examples(language: str) -> list[dict[str, Any]]:
    """Read invented headlines with `outlet` (0 or 1), `headline` and `article`; the Italian ones where a language has none."""
    source = files("change_it.space") / "texts" / "examples.toml"
    record = tomllib.loads(source.read_text(encoding="utf-8"))
    return list(record.get(language, record["it"]))


def invented_examples(outlets: tuple[str, str], language: str) -> list[Item]:
    """Make items without a new headline of the invented headlines."""
    return [
        Item("", outlets[text["outlet"]], outlets[1 - text["outlet"]], text["headline"], text["article"])
        for text in examples(language)
    ]


def corpus_examples(corpus: str, language: str) -> tuple[Item, ...]:
    """Choose examples of a corpus (folder or Hub id), always the same.

    Each has a new headline, and its id says what that is: two are printed by the target outlet, one has another number.
    """
    try:
        audited = read_corpus(corpus, language)
    except InputError:
        return ()
    items = [item for item in directions_in_turn(audited.test.items, 1) if _fits(item)]
    printed = [replace(each, id=f"Printed by {each.target}", prediction=each.reference) for each in items[:2]]
    others = items[2:]
    changed = perturbed(others, PERTURBATIONS["number_changed"], audited, seed=1, at_most=1)
    shows = "A number changed on purpose"
    return (*printed, *(replace(others[at], id=shows, prediction=text) for at, text in changed))


def _fits(item: Item) -> bool:
    """Whether an item has a printed headline of the outlet aimed at, and the page takes its texts."""
    most = max(len(item.source), len(item.reference)) <= HEADLINE
    return bool(words(item.reference)) and most and len(item.article) <= ARTICLE
