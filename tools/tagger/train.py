"""Train the part-of-speech tagger on a CoNLL-U file: `python -m tools.tagger.train`."""

import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, get_args

import numpy as np
import tyro
from numpy.typing import NDArray

from change_it.cli import exit_on_input_error
from change_it.errors import InputError
from change_it.files.atomic import replace_file
from change_it.text.tagging import CLOSED, TAGS, Case, PerceptronTagger, forms, tag_features, word_features

#: Weights are stored as whole multiples of 1/SCALE: sums of them are the same on every machine.
SCALE = 32
#: Features whose weights all stay below this are not kept.
FLOOR = 0.25


class Sentence(NamedTuple):
    """Words and their universal tags."""

    words: list[str]
    tags: list[str]


@dataclass(kw_only=True)
class TaggerOptions:
    """Train the part-of-speech tagger of HEvAS on a CoNLL-U file.

    Examples:
        python -m tools.tagger.train it_pud.conllu --language it --out change_it/text/weights/it.npz
    """

    treebank: Annotated[Path, tyro.conf.Positional]
    """Sentences with universal tags, CoNLL-U."""

    language: Literal["it", "en"]
    """Language of the sentences."""

    out: Path
    """File for the weights, `.npz`."""

    epochs: int = 10
    """Passes over the sentences."""

    seed: int = 1
    """Seed of the order of the sentences."""


def read_treebank(path: Path, language: str) -> list[Sentence]:
    """Return the sentences of a CoNLL-U file that a tagger learns from.

    Italian ones come as a running text writes them ("della", "farlo" with the tag of their first part, ADP,
    VERB) and then, where this differs, as the treebank's words ("di", "la"); English ones as the treebank's
    words.
    """
    try:
        paragraphs = path.read_text(encoding="utf-8").split("\n\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read as UTF-8 text ({error}): give a CoNLL-U file") from None
    treebank: list[Sentence] = []
    for paragraph in paragraphs:
        running, words = Sentence([], []), Sentence([], [])
        token, end = "", 0  # the token of several words that is open, and its last word
        for line in paragraph.splitlines():
            number, word, _, tag = [*line.split("\t"), "", "", ""][:4]
            if not line.strip() or line.startswith("#") or "." in number:
                continue
            if "-" in number:
                token, end = word, int(number.split("-")[1])
                continue
            if tag not in TAGS or not number.isdigit():
                raise InputError(f"{path}: {line!r} is not CoNLL-U with universal tags")
            own, token = token if int(number) <= end else word, ""
            for sentence, form in ((words, word), (running, own)):
                if form:
                    sentence.words.append(form)
                    sentence.tags.append(tag)
        if words.words:
            treebank += [words] if language == "en" or running == words else [running, words]
    if not treebank:
        raise InputError(f"{path} has no sentences: give a CoNLL-U file")
    return treebank


def as_headline(sentence: Sentence, case: Case, draw: random.Random) -> Sentence:
    """Return a sentence in another typography, without its full stop.

    In `title`, half of the time words of up to three letters stay.
    """
    words, tags = sentence
    end = len(words) - (len(words) > 1 and words[-1] == ".")
    words = words[:end]
    if case in ("lower", "upper"):
        words = [word.lower() if case == "lower" else word.upper() for word in words]
    elif case == "title":
        least = draw.choice((0, 3))
        words = [word[0].upper() + word[1:] if len(word) > least else word for word in words]
    return Sentence(words, tags[:end])


class _Trainer:
    """Weights, their running total for the average, and rows for features as they turn up."""

    def __init__(self) -> None:
        self.index: dict[str, int] = {}
        self.weights: NDArray[np.float64] = np.zeros((1 << 16, len(TAGS)))
        self.total = np.zeros_like(self.weights)
        self.step = 0

    def rows(self, features: Sequence[str]) -> list[int]:
        rows = [self.index.setdefault(feature, len(self.index)) for feature in features]
        if len(self.index) > len(self.weights):
            self.weights = np.vstack([self.weights, np.zeros_like(self.weights)])
            self.total = np.vstack([self.total, np.zeros_like(self.total)])
        return rows

    def learn(self, sentence: Sentence, fixed: Sequence[list[int]]) -> None:
        low = [*forms(sentence.words), ""]
        last = before = ""
        for i, tag in enumerate(sentence.tags):
            rows = fixed[i] + self.rows(tag_features(low[i], low[i + 1], last, before))
            guess, truth = int(self.weights[rows].sum(axis=0).argmax()), TAGS.index(tag)
            self.step += 1
            if guess != truth:
                # The average of the weights is the weights less total/steps.
                self.weights[rows, truth] += 1
                self.weights[rows, guess] -= 1
                self.total[rows, truth] += self.step
                self.total[rows, guess] -= self.step
            before, last = last, TAGS[guess]

    def average(self) -> tuple[dict[str, int], NDArray[np.int32]]:
        n = len(self.index)
        average = self.weights[:n] - self.total[:n] / (self.step + 1)
        kept = np.abs(average).max(axis=1) >= FLOOR
        # Sorted features compress to half the size.
        names = sorted((feature for feature, row in self.index.items() if kept[row]))
        rows = [self.index[name] for name in names]
        weights = np.rint(average[rows] * SCALE).astype(np.int32)
        return {name: row for row, name in enumerate(names)}, weights


def train(
    sentences: Sequence[Sentence], language: str, *, epochs: int = 10, seed: int = 1
) -> PerceptronTagger:
    """Train a tagger, each pass over every sentence as it is and once as a headline."""
    draw = random.Random(seed)
    trainer = _Trainer()
    cases = get_args(Case)

    def ready(sentence: Sentence) -> tuple[Sentence, list[list[int]]]:
        return sentence, [trainer.rows(row) for row in word_features(sentence.words, language)]

    written = list(map(ready, sentences))
    headlines = {case: [ready(as_headline(sentence, case, draw)) for sentence in sentences] for case in cases}
    order = list(range(len(sentences)))
    for _ in range(epochs):
        draw.shuffle(order)
        for i in order:
            trainer.learn(*written[i])
            trainer.learn(*headlines[draw.choice(cases)][i])
    pairs = {pair for words, tags in sentences for pair in zip(forms(words), tags, strict=True)}
    closed = {f"{form} {tag}" for form, tag in pairs if tag in CLOSED}
    return PerceptronTagger(language, *trainer.average(), closed)


def save(tagger: PerceptronTagger, path: Path) -> None:
    """Write the weights to one compressed file; the same tagger gives the same bytes."""

    def packed(lines: list[str]) -> NDArray[np.uint8]:
        return np.frombuffer("\n".join(lines).encode(), np.uint8)

    with replace_file(path) as partial, partial.open("wb") as file:
        np.savez_compressed(
            file,
            features=packed(sorted(tagger.index, key=tagger.index.__getitem__)),
            weights=tagger.weights.astype(np.int16),
            closed=packed(sorted(tagger.closed)),
            tags=np.array(TAGS),
        )


def run(options: TaggerOptions) -> None:
    """Train, and write the weights."""
    sentences = read_treebank(options.treebank, options.language)
    save(train(sentences, options.language, epochs=options.epochs, seed=options.seed), options.out)


if __name__ == "__main__":
    sys.exit(exit_on_input_error(lambda: run(tyro.cli(TaggerOptions))))
