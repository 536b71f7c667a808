"""Train the part-of-speech tagger on a CoNLL-U file, or cross-validate it: `python -m tools.tagger.train`."""

import json
import random
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args

import numpy as np
import tyro
from numpy.typing import NDArray

from change_it.errors import InputError
from change_it.io import replace_file
from change_it.text.tagging import (
    CLOSED,
    TAGS,
    Case,
    PerceptronTagger,
    forms,
    tag_features,
    word_features,
)

#: Weights are stored as whole multiples of 1/SCALE: sums of them are the same on every machine.
SCALE = 32
#: Features whose weights all stay below this are not kept.
FLOOR = 0.25

_COLUMN = {tag: column for column, tag in enumerate(TAGS)}


class Sentence(NamedTuple):
    """Words and their universal tags."""

    words: list[str]
    tags: list[str]


@dataclass(kw_only=True)
class TaggerOptions:
    """Train the part-of-speech tagger of HEvAS on a CoNLL-U file, or cross-validate it.

    Examples:
        python -m tools.tagger.train it_pud.conllu --language it --out change_it/text/weights/it.npz
        python -m tools.tagger.train it_pud.conllu --language it --folds 10
    """

    treebank: Annotated[Path, tyro.conf.Positional]
    """Sentences with universal tags, CoNLL-U."""

    language: Literal["it", "en"]
    """Language of the sentences."""

    out: Path | None = None
    """File for the weights, `.npz`."""

    folds: int = 0
    """Cross-validate over so many parts of the sentences and print accuracy and F1 as JSON; 0: do not."""

    epochs: int = 10
    """Passes over the sentences."""

    seed: int = 1
    """Seed of the order of the sentences."""


def read_conllu(path: Path, *, joined: bool) -> list[Sentence]:
    """Sentences of a CoNLL-U file.

    A token of several words (Italian "della", "farlo") stays one word with the tag of its first part (ADP, VERB) when
    `joined`, as in a running text, or is given as its parts.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read as UTF-8 text ({error}): give a CoNLL-U file") from None
    sentences = []
    current = Sentence([], [])
    token, end = "", 0  # the token of several words that is open, and its last word
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        if not line.strip():
            if current.words:
                sentences.append(current)
            current, end = Sentence([], []), 0
            continue
        fields = line.split("\t")
        if line.startswith("#") or "." in fields[0]:
            continue
        if len(fields) != 10 or not fields[0].replace("-", "").isdigit():
            raise InputError(f"{path}, line {number}: not CoNLL-U (ten columns, a number in the first)")
        if "-" in fields[0]:
            token, end = fields[1], int(fields[0].split("-")[1])
            continue
        if fields[3] not in _COLUMN:
            raise InputError(
                f"{path}, line {number}: {fields[3]!r} is no universal tag: give a file with UPOS"
            )
        if joined and int(fields[0]) <= end:
            if token:
                current.words.append(token)
                current.tags.append(fields[3])
            token = ""
        else:
            current.words.append(fields[1])
            current.tags.append(fields[3])
    if not sentences:
        raise InputError(f"{path} has no sentences: give a CoNLL-U file")
    return sentences


def recase(words: Sequence[str], case: Case, draw: random.Random) -> list[str]:
    """A sentence in another typography; in `title`, half of the time words of up to three letters stay as they are."""
    if case == "sentence":
        return list(words)
    if case == "lower":
        return [word.lower() for word in words]
    if case == "upper":
        return [word.upper() for word in words]
    least = draw.choice((0, 3))
    return [word[0].upper() + word[1:] if len(word) > least else word for word in words]


def as_headline(sentence: Sentence, case: Case, draw: random.Random) -> Sentence:
    """A sentence as a headline: recased, without its full stop."""
    words, tags = sentence
    end = len(words) - (len(words) > 1 and words[-1] == ".")
    return Sentence(recase(words[:end], case, draw), tags[:end])


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
            guess, truth = int(self.weights[rows].sum(axis=0).argmax()), _COLUMN[tag]
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

    written = [ready(sentence) for sentence in sentences]
    headlines = {case: [ready(as_headline(each, case, draw)) for each in sentences] for case in cases}
    order = list(range(len(sentences)))
    for _ in range(epochs):
        draw.shuffle(order)
        for i in order:
            trainer.learn(*written[i])
            trainer.learn(*headlines[draw.choice(cases)][i])
    closed = {
        f"{form} {tag}"
        for words, tags in sentences
        for form, tag in zip(forms(words), tags, strict=True)
        if tag in CLOSED
    }
    return PerceptronTagger(language, *trainer.average(), closed)


def _scores(gold: Sequence[Sequence[str]], given: Sequence[Sequence[str]]) -> dict[str, float]:
    """Accuracy, and F1 of the tags that the readability metrics count, in 0-1."""
    pairs = [pair for one, other in zip(gold, given, strict=True) for pair in zip(one, other, strict=True)]
    scores = {"accuracy": sum(one == other for one, other in pairs) / len(pairs)}
    for tag in ("PROPN", "NOUN", "PRON"):
        both = sum(one == other == tag for one, other in pairs)
        either = sum((one == tag) + (other == tag) for one, other in pairs)
        scores[f"f1_{tag}"] = 2 * both / either if either else 0.0
    return {name: round(value, 4) for name, value in scores.items()}


def read_treebank(path: Path, language: str) -> list[list[Sentence]]:
    """For each sentence one or two versions that a tagger learns from.

    Italian ones come as a running text writes them ("della" a single ADP) and, where this differs, as the treebank's
    words ("di", "la"); English ones as the treebank's words.
    """
    parts = read_conllu(path, joined=False)
    if language == "en":
        return [[sentence] for sentence in parts]
    joined = read_conllu(path, joined=True)
    return [[one, other] if one != other else [one] for one, other in zip(joined, parts, strict=True)]


def cross_validate(
    treebank: Sequence[Sequence[Sentence]], language: str, *, folds: int, epochs: int = 10, seed: int = 1
) -> dict[str, dict[str, float]]:
    """Accuracy and F1 of taggers that have not seen the sentences that they tag, over all sentences.

    `text` is for words of the running text, `words` for the treebank's words, and, without the full stop at the end,
    `sentence`, `lower`, `title` and `upper` for the running text as a headline.
    """
    order = list(range(len(treebank)))
    random.Random(seed).shuffle(order)
    given: dict[str, list[list[str]]] = {name: [] for name in ("text", "words", *get_args(Case))}
    gold: dict[str, list[list[str]]] = {name: [] for name in given}
    for fold in range(folds):
        held = set(order[fold::folds])
        tagger = train(
            [sentence for i, versions in enumerate(treebank) if i not in held for sentence in versions],
            language,
            epochs=epochs,
            seed=seed,
        )
        draw = random.Random(seed)
        for i in sorted(held):
            text, words = treebank[i][0], treebank[i][-1]
            asked = {case: as_headline(text, case, draw) for case in get_args(Case)}
            for name, sentence in {"text": text, "words": words, **asked}.items():
                given[name].append(tagger.tag(sentence.words))
                gold[name].append(sentence.tags)
    return {name: _scores(gold[name], given[name]) for name in given}


def save(tagger: PerceptronTagger, path: Path) -> None:
    """Write the weights to one compressed file; the same tagger gives the same bytes."""
    with replace_file(path) as partial, partial.open("wb") as file:
        np.savez_compressed(
            file,
            features=_packed(sorted(tagger.index, key=tagger.index.__getitem__)),
            weights=tagger.weights.astype(np.int16),
            closed=_packed(sorted(tagger.closed)),
            tags=np.array(TAGS),
        )


def _packed(lines: Iterable[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(lines).encode(), np.uint8)


def run(options: TaggerOptions) -> None:
    """Train or cross-validate, and print JSON."""
    if options.folds == 0 and options.out is None:
        raise InputError("nothing to do: give --out FILE.npz to train or --folds 10 to cross-validate")
    treebank = read_treebank(options.treebank, options.language)
    if options.folds and not 2 <= options.folds <= len(treebank):
        raise InputError(f"--folds {options.folds}: from 2 to the number of sentences, {len(treebank)}")
    begin = time.perf_counter()
    record: dict[str, Any] = {
        "language": options.language,
        "sentences": len(treebank),
        "epochs": options.epochs,
    }
    if options.folds:
        record |= {"folds": options.folds} | cross_validate(
            treebank, options.language, folds=options.folds, epochs=options.epochs, seed=options.seed
        )
    if options.out is not None:
        tagger = train(
            [sentence for versions in treebank for sentence in versions],
            options.language,
            epochs=options.epochs,
            seed=options.seed,
        )
        save(tagger, options.out)
        record |= {"features": len(tagger.index), "bytes": options.out.stat().st_size}
    print(json.dumps(record | {"seconds": round(time.perf_counter() - begin, 1)}, indent=2))


if __name__ == "__main__":
    run(tyro.cli(TaggerOptions))
