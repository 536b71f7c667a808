"""The examples of the page: three of the corpus, or invented ones."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from change_it.audit.measure import read_corpus
from change_it.audit.perturbations import PERTURBATIONS, perturbed
from change_it.errors import InputError
from change_it.scoring.item import Item, directions_in_turn
from change_it.space.parts import ARTICLE, HEADLINE
from change_it.text.tokens import words


@dataclass(frozen=True)
class TabExample:
    """The fields of an example."""

    headline: str  # the original
    article: str  # its article
    outlets: tuple[str, str]  # the original's outlet, and the one aimed at
    own: str = ""  # a new headline that is judged; none where empty
    label: str = ""  # what the example shows; empty for an invented one

    @property
    def direction(self) -> str:
        """`{from}2{to}`."""
        return "2".join(self.outlets)


@cache
def examples(language: str) -> list[dict[str, Any]]:
    """Invented headlines with `outlet` (0 or 1), `headline` and `article`; the Italian ones for a language that has none."""
    source = files("change_it.space") / "texts" / "examples.toml"
    record = tomllib.loads(source.read_text(encoding="utf-8"))
    return list(record.get(language, record["it"]))


def invented_examples(outlets: tuple[str, str], language: str) -> list[TabExample]:
    """The invented headlines as examples without a new headline."""
    return [
        TabExample(text["headline"], text["article"], (outlets[text["outlet"]], outlets[1 - text["outlet"]]))
        for text in examples(language)
    ]


def corpus_examples(corpus: str, language: str) -> tuple[TabExample, ...]:
    """Examples of a corpus (folder or Hub id), always the same: two printed headlines of the outlet aimed at, and one with another number."""
    try:
        audited = read_corpus(corpus, language)
    except InputError:
        return ()
    items = [item for item in directions_in_turn(audited.test.items, 1) if _fits(item)]
    printed = [_example(item, item.reference, f"Printed by {item.target}") for item in items[:2]]
    others = items[2:]
    changed = perturbed(others, PERTURBATIONS["numbers_changed"], audited, seed=1, at_most=1)
    return (*printed, *(_example(others[at], text, "A number changed on purpose") for at, text in changed))


def _fits(item: Item) -> bool:
    """Whether an item has a printed headline of the outlet aimed at, and the page takes its texts."""
    most = max(len(item.source), len(item.reference)) <= HEADLINE
    return bool(words(item.reference)) and most and len(item.article) <= ARTICLE


def _example(item: Item, own: str, shows: str) -> TabExample:
    return TabExample(item.source, item.article, (item.label, item.target), own, shows)
