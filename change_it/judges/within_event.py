"""Tests of main where topic does not help: the two headlines of one event, the latest ones, those of further outlets."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from change_it.corpus.folder import OTHER, read_table
from change_it.judges.data import Examples
from change_it.judges.metrics import scores
from change_it.stats import AVERAGE, Events, Floats, Ints, measure

#: From n headlines to (n, 2) probabilities of outlets A and B.
Ask = Callable[[Sequence[str]], Floats]

#: Marks that are counted in headlines.
MARKS = ".,:;!?'’\"“”‘«»()[]-–—/|…&%$€£#@*"
#: Share of A2 that are the latest headlines.
LATEST = 0.1
#: Further outlets that main is asked about, the headlines that each has at least, and those that are read of it at most.
FURTHER, LEAST, MOST = 8, 100, 500


def accuracy(first: Floats, second: Floats, events: Events) -> dict[str, float]:
    """Share of events, 0-1, in which B's headline has higher log odds (n,) of outlet B than A's; a tie counts a half.

    `value`, and `low` and `high` of its 95% interval, drawn by event.
    """
    columns = {"n": np.ones(len(first)), "right": (np.sign(second - first) + 1) / 2}
    scored = measure(
        columns, lambda sums: {"right": sums["right"] / sums["n"]}, events=events, shares={"right": "n"}
    )
    return scored[AVERAGE]["right"]._asdict()


def fit_marks(examples: Examples, *, seed: int) -> Ask:
    """A logistic regression on marks, capitals and length alone."""
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000, random_state=seed))
    model.fit(_setting(examples.texts), examples.labels)
    return lambda texts: np.asarray(model.predict_proba(_setting(texts)), np.float64)


def _setting(texts: Sequence[str]) -> Floats:
    """Features of each text: marks, shares of words with a capital and in capitals, length in characters and words."""
    rows = []
    for text in texts:
        words = [word for word in text.split() if word[0].isalpha()]
        many = max(1, len(words))
        capitals = sum(word[0].isupper() for word in words) / many, sum(map(str.isupper, words)) / many
        rows.append([*(text.count(mark) for mark in MARKS), *capitals, len(text), len(words)])
    return np.array(rows, np.float64)


def measure_main(corpus: str, outlets: tuple[str, str], asked: Mapping[str, Ask]) -> dict[str, Any]:
    """The figures of main's `metrics.json` besides F1, by the names of the judges, the judge first.

    `within_event`: pairs and events of A2, and of each its accuracy and its F1 on A2. `latest`: from which day on the
    headlines are the latest tenth of A2, F1 of the judge there and elsewhere. `further_outlets`: of other outlets'
    headlines the share that the judge gives to each.
    """
    pairs = read_table(corpus, "pairs", "test", ["a_headline", "b_headline", "event"])
    if pairs.is_empty():
        return {}
    articles = read_table(corpus, "articles", "test", ["headline", "label", "date"])
    labels = (articles["label"] == outlets[1]).to_numpy().astype(np.int64)
    sides = [pairs["a_headline"], pairs["b_headline"]]
    answers = {
        name: ask([*articles["headline"], *sides[0], *sides[1]]).clip(1e-300) for name, ask in asked.items()
    }
    systems = {}
    for name, given in answers.items():
        odds = np.log(given[:, 1]) - np.log(given[:, 0])
        of_articles, first, second = np.split(odds, np.cumsum([len(labels), pairs.height]))
        systems[name] = accuracy(first, second, pairs["event"].to_list())
        systems[name]["macro_f1"] = scores(labels, (of_articles > 0).astype(np.int64), outlets)["macro_f1"]
    judge = next(iter(asked))
    decided = answers[judge][: len(labels)].argmax(axis=1)
    return {
        "within_event": {"pairs": pairs.height, "events": pairs["event"].n_unique(), "systems": systems},
        "latest": _latest(articles["date"], labels, decided, outlets),
        "further_outlets": _further(corpus, outlets, asked[judge]),
    }


def _latest(dates: pl.Series, labels: Ints, decided: Ints, outlets: tuple[str, str]) -> dict[str, Any] | None:
    """F1 on the latest tenth and elsewhere; None where no day parts them."""
    if (known := dates.drop_nulls().sort()).is_empty():
        return None
    first = known[len(known) - max(1, round(LATEST * len(known)))]
    late = (dates >= first).fill_null(False).to_numpy()
    if late.all():
        return None
    of = {"macro_f1": late, "macro_f1_elsewhere": ~late}
    f1 = {name: scores(labels[rows], decided[rows], outlets)["macro_f1"] for name, rows in of.items()}
    return {"from": first.isoformat(), "n": int(late.sum()), **f1}


def _further(corpus: str, outlets: tuple[str, str], ask: Ask) -> dict[str, Any]:
    """Outlet to how many of its headlines main read, and the share that it gives to A and B."""
    rows = read_table(corpus, "articles", OTHER, ["headline", "label"])
    counts = rows.group_by("label").len().filter(pl.col("len") >= LEAST)
    names = counts.sort("len", "label", descending=[True, False])["label"].head(FURTHER)
    found = {}
    for name in names:
        texts = rows.filter(label=name)["headline"]
        texts = texts.gather_every(max(1, -(-len(texts) // MOST)))
        second = float(ask(texts.to_list()).argmax(axis=1).mean())
        found[name] = {"n": len(texts), outlets[0]: 1 - second, outlets[1]: second}
    return found
