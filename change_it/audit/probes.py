"""Probes of main: its F1 on headlines that lack something, and its cue words."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from change_it.scoring.compliancy import decide
from change_it.scoring.item import Item
from change_it.stats import AVERAGE, EventIds, Floats, Statistics, measure
from change_it.text.lexicon import Split
from change_it.text.stopwords import function_words
from change_it.text.typography import plain

if TYPE_CHECKING:  # loads torch
    from change_it.judges.judge import Judge

T = TypeVar("T")

#: Headlines that are asked about, at most; of them, those that words are taken out of.
HEADLINES, OCCLUDED = 2000, 400
#: Characters of a headline whose words are taken out one by one.
LONGEST = 1000
#: With fewer training headlines of an outlet the data has no cues.
FEW = 20
#: Cues of each outlet, and times that a word must stand in the headlines to be one.
CUES, OFTEN = 12, 4
#: Names of two probes.
AS_IT_IS, SETTING = "as it is", "typography normalised"
#: What stands for a masked word where the tokenizer has no word for it.
MASK = "…"

_TOKEN = re.compile(r"\w+(?:['’]\w+)*['’]?|[^\w\s]")


@dataclass(frozen=True)
class Probe:
    """F1 of main on headlines of one kind."""

    name: str  # what was done to them
    n: int  # headlines
    f1: float  # mean F1 of the two outlets, 0-1
    interval: tuple[float, float]  # its 95% interval


@dataclass(frozen=True)
class Cue:
    """A word or mark that speaks for an outlet."""

    outlet: str  # the one it speaks for
    source: str  # `main` for what main makes of it, `data` for what n-grams learn from the training headlines
    text: str  # the word, mark or pair of them
    # for `main` the mean change of the log-odds when it is taken out of a headline; for `data` the weight in a
    # logistic regression
    weight: float
    n: int  # headlines that it was taken out of, or that it stands in


def probe(
    main: "Judge",
    items: Sequence[Item],
    events: EventIds,
    language: str,
    *,
    resamples: int = 1000,
    seed: int = 1,
) -> list[Probe]:
    """F1 of main on test headlines, 2,000 at most: as they are, then without this or that."""
    places = drawn(range(len(items)), HEADLINES, seed)
    sampled, events = [items[place] for place in places], events[places]
    texts = [item.source for item in sampled]
    labels = np.array([main.outlets.index(item.label) for item in sampled], dtype=np.int64)
    kinds = {
        AS_IT_IS: texts,
        **{name: [change(text) for text in texts] for name, change in _changes(main, language, seed).items()},
    }
    every = [text for kind in kinds.values() for text in kind]
    answers = decide(main.probabilities(every, progress=False)).reshape(len(kinds), len(texts))
    probes = []
    for name, decided in zip(kinds, answers, strict=True):
        columns = {
            f"{a}{b}": ((labels == a) & (decided == b)).astype(np.float64) for a in (0, 1) for b in (0, 1)
        }
        f1 = measure(columns, macro_f1, events=events, resamples=resamples, seed=seed)[AVERAGE]["f1"]
        probes.append(Probe(name, len(labels), f1.value, f1.interval))
    return probes


def drawn(items: Sequence[T], at_most: int, seed: int) -> list[T]:
    """Some of the items, in order."""
    if len(items) <= at_most:
        return list(items)
    return [items[index] for index in sorted(np.random.default_rng(seed).permutation(len(items))[:at_most])]


def _changes(main: "Judge", language: str, seed: int) -> dict[str, Callable[[str], str]]:
    """The changes of headlines by name."""
    random = np.random.default_rng(seed)
    functions = function_words(language)
    mask = str(getattr(main.tokenizer, "mask_token", None) or MASK)

    def masked(headline: str, hidden: Callable[[str], bool]) -> str:
        split = Split.of(headline)
        return str(Split([mask if hidden(word) else word for word in split.words], split.gaps))

    def is_function(word: str) -> bool:
        return all(part in functions for part in re.split("['’]", word.lower()) if part)

    def shuffled(headline: str) -> str:
        split = Split.of(headline)
        return str(Split(random.permutation(split.words).tolist(), split.gaps))

    changes = {
        SETTING: plain,
        "and in lower case": lambda text: plain(text).lower(),
        "without marks": lambda text: " ".join(Split.of(text).words),
        "words in any order": shuffled,
    }
    if functions:
        changes["content words masked"] = lambda text: masked(text, lambda word: not is_function(word))
        changes["function words masked"] = lambda text: masked(text, is_function)
    return changes


def macro_f1(sums: Statistics) -> dict[str, Floats]:
    """Mean F1 of two classes, from how often class a was taken for b, under `00`, `01`, `10` and `11`.

    Examples:
        >>> counts = {"00": np.array(3.0), "01": np.array(1.0), "10": np.array(2.0), "11": np.array(2.0)}
        >>> round(float(macro_f1(counts)["f1"]), 4)
        0.619
    """
    wrong = sums["01"] + sums["10"]
    each = [2 * right / np.maximum(2 * right + wrong, 1) for right in (sums["00"], sums["11"])]
    return {"f1": (each[0] + each[1]) / 2}


def main_cues(main: "Judge", items: Sequence[Item], *, seed: int = 1) -> list[Cue]:
    """For each outlet the words and marks that change main's log-odds most in its favour: each is taken out of each of 400 test headlines that has it."""
    headlines = [item.source[:LONGEST] for item in drawn(items, OCCLUDED, seed)]
    occluded = [
        (row, token[0], without)
        for row, text in enumerate(headlines)
        for token in _TOKEN.finditer(text)
        if (without := " ".join(f"{text[: token.start()]} {text[token.end() :]}".split()))
    ]
    answers = main.probabilities([*headlines, *(without for _, _, without in occluded)], progress=False)
    odds = np.log(np.clip(answers[:, 1], 1e-9, 1)) - np.log(np.clip(answers[:, 0], 1e-9, 1))
    changes: dict[str, list[float]] = defaultdict(list)
    for (row, token, _), after in zip(occluded, odds[len(headlines) :], strict=True):
        changes[token].append(float(odds[row] - after))
    frequent = {word: values for word, values in changes.items() if len(values) >= OFTEN}
    rising = sorted(frequent, key=lambda word: (sum(frequent[word]), word))
    return [
        Cue(outlet, "main", word, abs(float(np.mean(frequent[word]))), len(frequent[word]))
        for outlet, sign, words in zip(main.outlets, (-1, 1), (rising, rising[::-1]), strict=True)
        for word in words[:CUES]
        if sign * sum(frequent[word]) > 0
    ]


def data_cues(headlines: Mapping[str, Sequence[str]], *, seed: int = 1) -> list[Cue]:
    """Words, marks and pairs of them of greatest weight in a logistic regression of each outlet's training headlines; none where these are too few."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    random = np.random.default_rng(seed)
    size = min(5000, *(len(texts) for texts in headlines.values()))
    if size < FEW:
        return []
    texts = [
        printed[row] for printed in headlines.values() for row in random.permutation(len(printed))[:size]
    ]
    labels = np.repeat([0, 1], size)
    vectors = CountVectorizer(
        token_pattern=_TOKEN.pattern, lowercase=False, ngram_range=(1, 2), min_df=5, binary=True
    )
    matrix = vectors.fit_transform(texts)
    weights = LogisticRegression(C=0.1, max_iter=200, random_state=seed).fit(matrix, labels).coef_[0]
    words, counts = vectors.get_feature_names_out(), np.asarray(matrix.sum(axis=0)).ravel()
    return [
        Cue(outlet, "data", str(words[column]), abs(float(weights[column])), int(counts[column]))
        for outlet, sign in zip(headlines, (-1, 1), strict=True)
        for column in np.argsort(-sign * weights, kind="stable")[:CUES]
        if sign * weights[column] > 0
    ]
