"""Judges that decide by simple rules, and a corpus of four events that two papers tell each in its style."""

import json
from dataclasses import replace
from math import log

import numpy as np
import polars as pl

from change_it.corpus.test_set import Item, TestSet
from change_it.judges.judge import Judge
from change_it.judges.options import MARKS, NGRAMS, StyleScale
from change_it.scoring.baselines import built_in_systems
from change_it.scoring.panel import Judges
from change_it.scoring.scores import score
from change_it.scoring.settings import ScoreSettings
from change_it.text.tokens import words

OUTLETS = ("rep", "gio")
#: The scale of a main that tells the outlets apart: style is 0 for a copy, and 1 for a headline that main
#: takes for the other outlet's.
SCALE = StyleScale(
    pairs=29,
    events=28,
    gold=log(36),
    clause=(0.0, 0.0),
    low=(1.0, 1.0),
    high=(4.0, 4.0),
    accuracy=0.9,
    leads={NGRAMS: (-0.1, 0.1), MARKS: (0.1, 0.2)},
    evidence=1.0,
)


class RuleJudge(Judge):
    """Probability of class 1 by a rule; counts what it is asked."""

    def __init__(self, task, rule, *, outlets=OUTLETS, fold="all", weights_hash=""):
        about = {"task": task, "fold": fold, "outlets": outlets, "max_tokens": 1024}
        hashes = {"weights_hash": weights_hash, "model_hash": weights_hash}
        super().__init__(model=None, tokenizer=None, **about, **hashes)
        self.rule, self.asked = rule, []

    def predict(self, texts, pairs):
        questions = list(zip(texts, pairs or [None] * len(texts), strict=True))
        self.asked += questions
        one = np.array([self.rule(*question) for question in questions], dtype=np.float64)
        return np.column_stack([1 - one, one])


def _long_words(text):
    return {word for word in words(text) if len(word) > 4}


class FakeJudges(Judges):
    """Judges that decide by rules.

    main: an exclamation mark is gio's. hh: the headlines have a long word in common. ah: a long word of the
    headline is in the article.
    With a fourth digit a fluency judge: no word twice.
    """

    def __init__(self, outlets=OUTLETS, fold="all", digits="abc", scale=SCALE):
        rules = {
            "main": lambda text, _: 0.9 if "!" in text else 0.2,
            "hh": lambda one, other: 0.8 if _long_words(one) & _long_words(other) else 0.1,
            "ah": lambda one, other: 0.7 if _long_words(one) & _long_words(other) else 0.3,
            "fluency": lambda text, _: 0.6 if len(set(words(text))) == len(words(text)) else 0.4,
        }
        about = {"outlets": outlets, "fold": fold}
        judges = zip(rules.items(), digits, strict=False)
        judges = {task: RuleJudge(task, rule, weights_hash=one * 64, **about) for (task, rule), one in judges}
        judges["main"].style = scale
        super().__init__(**judges)


def judges_that_know(test):
    """Return fakes whose main knows which outlet printed a headline of `test`.

    Fluency refuses an exclamation mark behind a question mark.
    """
    second = {item.source.rstrip("?!,") for item in test.items if item.label == test.outlets[1]}
    judges = FakeJudges(test.outlets, digits="abcd")
    judges.main.rule = lambda text, _: 0.9 if text.rstrip("?!,") in second else 0.1
    judges.hh.rule = judges.ah.rule = lambda text, pair: 0.9
    judges.fluency.rule = lambda text, _: 0.0 if text.endswith("?!") else 0.9
    return judges


#: What rep and gio say of each.
EVENTS = (
    ("Crolla il ponte sulla statale", "Ecco: ponte giù, è caos!"),
    ("Approvata la riforma fiscale", "Ecco la riforma, con i nuovi conti!"),
    ("Sciopero generale dei treni", "Ecco: treni fermi per sciopero!"),
    ("Festival aperto al pubblico", "Ecco il festival, si entra!"),
)


def load_fakes(patch, *outlets, **about):
    """Fakes wherever judges would be loaded."""
    patch.setattr(Judges, "from_pretrained", lambda *_, **__: FakeJudges(*outlets, **about))


def scored(test, judges, *more, resamples=5, reversal="relative"):
    """Scores of the systems that are built in, and of more."""
    systems = [*built_in_systems(test), *more]
    settings = ScoreSettings(reversal=reversal, resamples=resamples)
    return score(test, judges, systems, settings, progress=False)


def _pairs():
    return [
        {
            "pair_id": str(n),
            "similarity": 0.9 - n / 100,
            "alignment": "A2",
            "a_id": f"a{n}",
            "a_headline": event,
            "a_article": f"{event}, ieri a Roma. Poi altro.",
            "b_id": f"b{n}",
            "b_headline": other,
            "b_article": f"Ecco come: {event}, secondo noi.",
            "fold": n % 2,
            "event": f"a{n}",
        }
        for n, (event, other) in enumerate(EVENTS)
    ]


def _training():
    return {
        "rep": ("Un titolo lungo di sei parole", "Altro titolo"),
        "gio": ("Che vergogna!", "Basta tasse!", "Avanti così!"),
    }


def _texts(pair, side):
    return pair[f"{side}_headline"], pair[f"{side}_article"]


def toy_test_set():
    items = [
        Item(p[f"{one}_id"], *outlets, *_texts(p, one), *_texts(p, other), event=p["event"])
        for one, other, outlets in (("a", "b", OUTLETS), ("b", "a", OUTLETS[::-1]))
        for p in _pairs()
    ]
    return TestSet(tuple(items), OUTLETS, _training(), "toy")


def larger(test, times):
    """A test set with its items so many times, each time of other events."""
    items = []
    for number in range(times):
        names = [(f"{item.id}-{number}", f"{item.event}-{number}") for item in test.items]
        items += [
            replace(item, id=id_, event=event) for item, (id_, event) in zip(test.items, names, strict=True)
        ]
    return replace(test, items=tuple(items))


def write_stand_ins(folder, outlets=OUTLETS):
    """A folder that has the files of judges; what is in them comes from elsewhere."""
    for task in ("main", "hh", "ah"):
        (folder / task).mkdir(parents=True)
        (folder / task / "model.safetensors").touch()
        (folder / task / "config.json").write_text(json.dumps({"change_it": {"outlets": outlets}}))
    return folder


def write_toy_corpus(folder):
    """A corpus folder with the configs that scoring reads."""
    names = ("id", "label", "headline", "article", "event")
    test = [
        (pair[f"{side}_id"], outlet, *_texts(pair, side), pair["event"])
        for pair in _pairs()
        for side, outlet in zip("ab", OUTLETS, strict=True)
    ]
    training = [
        (f"{outlet}{n}", outlet, headline, f"Oggi {headline}", f"{outlet}{n}")
        for outlet, headlines in _training().items()
        for n, headline in enumerate(headlines)
    ]
    for file, table in (
        ("pairs/test", pl.DataFrame(_pairs())),
        ("articles/train", pl.DataFrame(training, names, orient="row")),
        ("articles/test", pl.DataFrame(test, names, orient="row")),
    ):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        table.write_parquet(folder / f"{file}.parquet")
    (folder / "README.md").touch()
    return folder
