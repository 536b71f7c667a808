"""The examples of the page: three of the corpus that show when the judges are right and when they err, or invented ones."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from change_it.audit.measure import read_corpus
from change_it.audit.perturbations import PERTURBATIONS, perturbed
from change_it.errors import InputError
from change_it.generators.rerank import JudgedCandidate, judge_candidates
from change_it.generators.search import Candidate
from change_it.results.score_tables import heading
from change_it.scoring.item import Item, directions_in_turn
from change_it.scoring.judges import Judges
from change_it.space.parts import ARTICLE, HEADLINE
from change_it.text.tokens import words

#: Test items among which examples are looked for.
TRIED = 24
#: Ways to make a headline wrong, of which facts should refuse at least one.
EDITS = ("name_mistaken", "numbers_changed")


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


def corpus_examples(judges: Judges, corpus: str, language: str) -> tuple[TabExample, ...]:
    """Examples of a corpus (folder or Hub id), always the same ones of the same judges: what the other newspaper printed is right.

    A printed headline that all judges accept; one with a name or a number changed, whose facts are refused; a printed one that is
    refused all the same. Those for which the first test items have nothing are left out.
    """
    try:
        audited = read_corpus(corpus, language, casing=judges.casing)
    except InputError:
        return ()
    items = [item for item in directions_in_turn(audited.test.items, 1) if _fits(item)][:TRIED]
    headlines = []
    for item in items:
        edited = [
            text
            for name in EDITS
            for _, text in perturbed([item], PERTURBATIONS[name], audited.resources, seed=1, at_most=1)
            if len(text) <= HEADLINE
        ]
        headlines.append(list(dict.fromkeys([item.reference, *edited])))
    answers = judge_candidates(
        judges if judges.casing else judges.with_casing(audited.resources.casing),
        [[Candidate(text, 0.0) for text in texts] for texts in headlines],
        items,
        language=language,
    )
    judged = [
        (item, {each.text: each for each in answer}) for item, answer in zip(items, answers, strict=True)
    ]
    return _chosen(
        [(item, by_text) for item, by_text in judged if not _wrong_direction(by_text[item.reference])]
    )


def _fits(item: Item) -> bool:
    """Whether an item has a printed headline of the outlet aimed at, and the page takes its texts."""
    most = max(len(item.source), len(item.reference)) <= HEADLINE
    return bool(words(item.reference)) and most and len(item.article) <= ARTICLE


def _wrong_direction(headline: JudgedCandidate) -> bool:
    """Whether main takes the original for the outlet aimed at."""
    return (headline.probabilities["source"] or 0.0) > 0.5


def _refused_by(headline: JudgedCandidate) -> list[str]:
    return [name for name, holds in headline.marks.items() if holds is False]


def _chosen(judged: Sequence[tuple[Item, Mapping[str, JudgedCandidate]]]) -> tuple[TabExample, ...]:
    """One of each kind, of different items as long as there are some."""
    right = [item for item, by_text in judged if not _refused_by(by_text[item.reference])]
    mistaken = [(item, by_text[item.reference]) for item, by_text in judged if item not in right]
    refused = [
        (item, headline)
        for item, by_text in judged
        if item in right[1:] or [item] == right
        for headline in by_text.values()
        if "facts" in _refused_by(headline)
    ]
    # The page has no article of the other newspaper, which may tell what facts miss.
    mistaken.sort(key=lambda pair: "facts" in _refused_by(pair[1]))
    chosen = [_example(item, item.reference, "Right and accepted by all judges") for item in right[:1]]
    # Facts alone are better than with others.
    refused.sort(key=lambda pair: len(_refused_by(pair[1])))
    chosen += [
        _example(item, headline.text, "A name or number changed on purpose, and refused")
        for item, headline in refused[:1]
    ]
    for item, headline in mistaken[:1]:
        judges = ", ".join(map(heading, _refused_by(headline)))
        chosen.append(_example(item, headline.text, f"Printed by {item.target}, yet refused by {judges}"))
    return tuple(chosen)


def _example(item: Item, own: str, shows: str) -> TabExample:
    return TabExample(item.source, item.article, (item.label, item.target), own, shows)
