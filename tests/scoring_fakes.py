"""Judges that decide by simple rules, and a corpus of four events that two papers tell each in its style."""

import json
from dataclasses import replace
from math import log
from typing import NamedTuple

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


class Chances(NamedTuple):
    """The probability of class 1 that a fake answers.

    Attributes:
        yes: where its rule holds.
        no: where it does not.
    """

    yes: float
    no: float


#: Answers of main: is the headline the second outlet's (gio)?
MAIN = Chances(yes=0.9, no=0.2)
#: Answers of hh: are the two headlines about one event?
HH = Chances(yes=0.8, no=0.1)
#: Answers of ah: does the headline belong to the article?
AH = Chances(yes=0.7, no=0.3)
#: Answers of fluency: is it a headline as newspapers print them?
FLUENCY = Chances(yes=0.6, no=0.4)


def exclaims(headline, _):
    """The rule of main."""
    return MAIN.yes if "!" in headline else MAIN.no


def _share_a_long_word(one, other):
    return bool(_long_words(one) & _long_words(other))


def _long_words(text):
    return {word for word in words(text) if len(word) > 4}


def headlines_share_a_long_word(one, other):
    """The rule of hh: a word of five letters or more stands in both headlines."""
    return HH.yes if _share_a_long_word(one, other) else HH.no


def article_has_a_long_word(headline, article):
    """The rule of ah: a word of five letters or more of the headline stands in the article."""
    return AH.yes if _share_a_long_word(headline, article) else AH.no


def repeats_no_word(headline, _):
    """The rule of fluency."""
    return FLUENCY.yes if len(set(words(headline))) == len(words(headline)) else FLUENCY.no


class RuleJudge(Judge):
    """A judge without a model, whose probability of class 1 is what a rule returns.

    Attributes:
        rule: takes a text and the text that it is paired with, or None; a test may exchange it.
        asked: the questions so far, each a text and the text that it is paired with.
    """

    def __init__(self, task, rule, *, outlets=OUTLETS, fold="all", weights_hash=""):
        super().__init__(
            model=None,
            tokenizer=None,
            task=task,
            fold=fold,
            outlets=outlets,
            max_tokens=1024,
            weights_hash=weights_hash,
            model_hash=weights_hash,
        )
        self.rule = rule
        self.asked = []

    def predict(self, texts, pairs):
        questions = list(zip(texts, pairs or [None] * len(texts), strict=True))
        self.asked += questions
        one = np.array([self.rule(*question) for question in questions], dtype=np.float64)
        return np.column_stack([1 - one, one])


class FakeJudges(Judges):
    """Judges that decide by rules: main, hh and ah, and with `fluency` a fluency judge.

    main: a headline with an exclamation mark is the second outlet's. hh and ah: the two texts share a word of
    five letters or more. fluency: the headline repeats no word.

    Args:
        outlets: of the headlines.
        fluency: whether there is a fluency judge.
        fold: the fold on which they would be trained.
        hashes: a letter for each judge, of which its hash consists. Equal letters are equal weights.
        scale: the scale of style that main would have measured.
    """

    def __init__(self, outlets=OUTLETS, *, fluency=False, fold="all", hashes="", scale=SCALE):
        rules = {"main": exclaims, "hh": headlines_share_a_long_word, "ah": article_has_a_long_word}
        if fluency:
            rules["fluency"] = repeats_no_word
        letters = hashes or "abcd"[: len(rules)]
        judges = {}
        for (task, rule), letter in zip(rules.items(), letters, strict=True):
            judges[task] = RuleJudge(task, rule, outlets=outlets, fold=fold, weights_hash=letter * 64)
        judges["main"].style = scale
        super().__init__(**judges)


def judges_that_know(test):
    """Return fakes, with a fluency judge, that are right about the headlines of `test`.

    main knows which outlet printed a headline, with or without marks behind it. hh and ah accept everything.
    Fluency refuses a headline that ends with `?!`.
    """
    second = {item.source.rstrip("?!,") for item in test.items if item.label == test.outlets[1]}
    judges = FakeJudges(test.outlets, fluency=True)
    judges.main.rule = lambda headline, _: 0.9 if headline.rstrip("?!,") in second else 0.1
    judges.hh.rule = lambda headline, original: 0.9
    judges.ah.rule = lambda headline, article: 0.9
    judges.fluency.rule = lambda headline, _: 0.0 if headline.endswith("?!") else 0.9
    return judges


#: The headlines of rep and of gio on each event.
EVENTS = (
    ("Crolla il ponte sulla statale", "Ecco: ponte giù, è caos!"),
    ("Approvata la riforma fiscale", "Ecco la riforma, con i nuovi conti!"),
    ("Sciopero generale dei treni", "Ecco: treni fermi per sciopero!"),
    ("Festival aperto al pubblico", "Ecco il festival, si entra!"),
)


def load_fakes(patch, outlets=OUTLETS, *, fluency=False):
    """Let every load of judges return fakes, whatever the folder holds."""
    patch.setattr(Judges, "from_pretrained", lambda *_, **__: FakeJudges(outlets, fluency=fluency))


def scored(test, judges, *more, resamples=5, reversal="relative"):
    """Score the built-in systems and `more` systems."""
    systems = [*built_in_systems(test), *more]
    settings = ScoreSettings(reversal=reversal, resamples=resamples)
    return score(test, judges, systems, settings, progress=False)


def _pairs():
    """Return the rows of the test pairs; each pair is an event, and both articles share its long words."""
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


def _training_headlines():
    return {
        "rep": ("Un titolo lungo di sei parole", "Altro titolo"),
        "gio": ("Che vergogna!", "Basta tasse!", "Avanti così!"),
    }


def toy_test_set():
    """Return eight test items: rep's headlines of the four events for gio, then gio's for rep."""
    items = []
    for side, partner, (label, target) in (("a", "b", OUTLETS), ("b", "a", OUTLETS[::-1])):
        for pair in _pairs():
            item = Item(
                pair[f"{side}_id"],
                label,
                target,
                source=pair[f"{side}_headline"],
                article=pair[f"{side}_article"],
                reference=pair[f"{partner}_headline"],
                reference_article=pair[f"{partner}_article"],
                event=pair["event"],
            )
            items.append(item)
    return TestSet(tuple(items), OUTLETS, _training_headlines(), "toy")


def larger(test, times):
    """Return a test set that repeats the items of `test`, each time with events of their own."""
    items = []
    for number in range(times):
        for item in test.items:
            items.append(replace(item, id=f"{item.id}-{number}", event=f"{item.event}-{number}"))
    return replace(test, items=tuple(items))


def write_stand_ins(folder, outlets=OUTLETS):
    """Write a folder that has the files of judges, without weights: a test loads fakes in their place."""
    for task in ("main", "hh", "ah"):
        (folder / task).mkdir(parents=True)
        (folder / task / "model.safetensors").touch()
        (folder / task / "config.json").write_text(json.dumps({"change_it": {"outlets": outlets}}))
    return folder


def write_toy_corpus(folder):
    """Write a corpus folder with the configs that scoring reads: pairs and articles of the toy test set."""
    test = []
    for pair in _pairs():
        for side, outlet in zip("ab", OUTLETS, strict=True):
            headline, article = pair[f"{side}_headline"], pair[f"{side}_article"]
            test.append((pair[f"{side}_id"], outlet, headline, article, pair["event"]))
    training = []
    for outlet, headlines in _training_headlines().items():
        for number, headline in enumerate(headlines):
            name = f"{outlet}{number}"
            training.append((name, outlet, headline, f"Oggi {headline}", name))
    columns = ("id", "label", "headline", "article", "event")
    tables = {
        "pairs/test": pl.DataFrame(_pairs()),
        "articles/train": pl.DataFrame(training, columns, orient="row"),
        "articles/test": pl.DataFrame(test, columns, orient="row"),
    }
    for name, table in tables.items():
        file = folder / f"{name}.parquet"
        file.parent.mkdir(parents=True, exist_ok=True)
        table.write_parquet(file)
    (folder / "README.md").touch()
    return folder
