from dataclasses import replace
from random import Random

import numpy as np
import pytest

from change_it.audit import perturbations
from change_it.audit.perturbations import CLAIMS, PERTURBATIONS, perturb
from change_it.corpus.tasks import negatives
from change_it.judges.data import HELD_OUT
from change_it.text.corruptions import CORRUPTIONS
from change_it.text.spans import name_runs

#: What changes a fact of a headline for hh and ah.
FACTS = {"swap_numbers", "swap_names", "swap_roles", "negate"}


def made(sample, name, at_most=40):
    items = sample.test.items
    headlines = perturb(items, PERTURBATIONS[name], sample, seed=1, at_most=at_most)
    return [(items[place], text) for place, text in headlines]


@pytest.fixture
def called(monkeypatch):
    """Return the names of the training's functions as they are called, in all modules that import them."""
    names = []

    def recorded(name, function):
        def call(*given, **options):
            names.append(given[1] if name == "corrupt" else name)
            return function(*given, **options)

        return call

    for name in ("corrupt", *FACTS):
        for module in (negatives, perturbations):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, recorded(name, getattr(module, name)))
    return names


def test_a_kind_is_seen_where_judges_are_trained_on_what_makes_it(sample, called):
    for number, item in enumerate(sample.test.items):
        other = f"{item.reference} {item.article}"
        negatives.contradict(item.reference, other, Random(number), ["Rossi", "Verdi"], "it")
    assert {*called} == FACTS  # what hh and ah learn
    trained = FACTS | {*CORRUPTIONS}.difference(HELD_OUT)
    for kind in PERTURBATIONS.values():
        called.clear()
        for item in sample.test.items:
            kind.make(item, np.random.default_rng(1), sample)
        assert {*called} & trained <= {kind.seen}, kind.name
        assert kind.seen in {"", *trained}, kind.name
        makes_alone = kind.name in (
            "half and half",
            "number mistaken",
            "shuffled",
        )  # by a function of its own
        assert kind.seen in {"", *called} or makes_alone, kind.name


@pytest.mark.parametrize("name", [name for name in PERTURBATIONS if name != "names swapped"])
def test_every_kind_makes_headlines_and_the_same_ones_again(sample, name):
    headlines = made(sample, name)
    assert headlines
    assert headlines[:10] == made(sample, name, at_most=10)
    assert all(text.strip() and text not in (item.source, item.reference) for item, text in headlines)
    typical = sample.lexicon.typical
    for item, text in headlines[:10]:
        if name == "names spliced in":
            assert any(item.source[start:end] in text for start, end in name_runs(item.source))
        elif name == "claim added":
            assert text in [claim.format(item.reference.rstrip(" .…?!")) for claim in CLAIMS["it"]]
        elif name.startswith("style words"):
            new = {word.lower() for word in {*text.split()} - {*item.source.split()}}
            own, other = ({word.lower() for word in typical[outlet]} for outlet in (item.target, item.label))
            assert len(new & own) >= max(1, len(new & other))


@pytest.mark.parametrize(
    ("name", "texts", "expected"),
    [
        ("capitals", {"source": "Cade"}, "CADE"),
        ("capitals", {"source": "CADE"}, None),
        ("half and half", {"source": "Uno due tre quattro", "reference": "A b c d e"}, "Uno due c d e"),
        ("names swapped", {"reference": "Ieri Rossi batte Verdi"}, "Ieri Verdi batte Rossi"),
        (
            "number mistaken",
            {"reference": "In 12 a casa", "article": "Sono 12, non 120 o 30."},
            "In 30 a casa",
        ),
        ("number mistaken", {"reference": "In 12 a casa", "article": "Sono 12 di 120."}, None),
        (
            "name mistaken",
            {"reference": "Oggi parla Rossi", "article": "Arriva subito Verdi, parla Verdi con Neri."},
            "Oggi parla Verdi",
        ),
        (
            "name mistaken",
            {"reference": "Oggi parla Rossi", "article": "Arriva subito Rossi, parla Rossi con Neri."},
            None,
        ),
        ("shuffled", {"reference": "uno due"}, "due uno"),
        ("shuffled", {"reference": "uno uno"}, None),
        ("one word repeated", {"reference": "Il ponte!"}, "ponte ponte ponte ponte ponte"),
        (
            "article's key words",
            {"reference": "Zanzara tigre", "article": "La Xilofonia e la Xilofonia e Zebrafilia."},
            "Xilofonia Zebrafilia",
        ),
        ("first sentence", {"article": "Crolla il ponte. Nessun ferito."}, "Crolla il ponte."),
        ("claim added", {"article": " ".join(CLAIMS["it"])}, None),
    ],
)
def test_what_is_done_to_a_headline(sample, name, texts, expected):
    item = replace(sample.test.items[0], **texts)
    headlines = perturb([item], PERTURBATIONS[name], sample, seed=1, at_most=1)
    assert [text for _, text in headlines] == [expected] * (expected is not None)
