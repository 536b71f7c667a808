"""Training and testing of the reader, which judges facts: `change-it train judge --task facts`."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import torch

from change_it.corpus.folder import read_casing, read_language, read_outlets, read_table
from change_it.corpus.rewriting import read_rewriting
from change_it.corpus.splits import generator
from change_it.corpus.training_sets import check_share, held_out
from change_it.errors import InputError
from change_it.judges.judge_options import SCRATCH, JudgeSettings
from change_it.judges.likelihood import LONGEST
from change_it.judges.measures import scores
from change_it.judges.reader import KINDS, WORD, HeadlineReading, Reader, ReaderSettings, load_model
from change_it.judges.reader_margins import calibrated, word_margin
from change_it.networks.pointer_transformer import PointerTransformerForConditionalGeneration
from change_it.networks.pretrained import load_errors, read_tokenizer
from change_it.networks.pretrained_loss import HeadlineLoss, loss_per_token
from change_it.networks.tokenizer import train_tokenizer
from change_it.tables import Column, Row, Table
from change_it.text.edits import FactKind, Mentions, by_ending, edits, with_a_foreign_word
from change_it.text.names import Casing, Headline
from change_it.text.stopwords import guess_language
from change_it.training.run_folder import stage_pretrained
from change_it.training.trainer import TrainingResult, TrainingRun

LABELS = ("unsupported", "supported")
#: Share of the printed validation headlines that the margins let through.
ACCEPTANCE = 0.95
#: And the margin of words alone.
WORD_ACCEPTANCE = 0.96
#: Validation headlines that show whether a reader can tell foreign words, at most.
FOREIGN = 300
#: Validation headlines that choose the weights, and that the margins are taken from, at most: of a reader from scratch, and of
#: a language model, which reads slowly.
VALIDATION, VALIDATION_PRETRAINED = 1000, 400
#: Validation headlines that choose the weights of a language model that is fine-tuned, at most.
EVALUATED_PRETRAINED = 64
#: Pairs of A2 that the reader is tested on, at most.
TESTED = 100
#: Words of a reader from scratch, and the size of its states.
VOCABULARY, CELLS = 5_000, 256


@dataclass(frozen=True)
class ReaderData:
    """What a reader learns from and is tested on: `id, given, article, to, target` each; `reference` of the test."""

    train: pl.DataFrame
    validation: pl.DataFrame
    test: pl.DataFrame
    outlets: tuple[str, str]
    language: str
    casing: Casing


def load_reading(corpus: str, *, fold: str, validation_share: float, seed: int) -> ReaderData:
    """Headlines with their sources; no article and no headline is in both parts, and A2 in neither.

    Raises:
        InputError: there is too little to train on.
    """
    check_share(validation_share, usual=0.05)
    outlets = read_outlets(corpus)
    rows = read_rewriting(corpus, fold, other_outlets=True)
    ids = rows["id"].unique(maintain_order=True)
    order = generator(seed, "validation of the reader").permutation(len(ids))
    validation, train = rows.filter(pl.col("id").is_in(held_out(ids, validation_share, order))), rows
    for column in ("id", "article", "target"):
        train = train.join(validation, on=column, how="anti", maintain_order="left")
    if train.is_empty() or validation.is_empty():
        raise InputError(f"{corpus} has too little to train a reader on; it needs articles outside A2")
    pairs = read_table(
        corpus, "pairs", "test", [f"{side}_{part}" for side in "ab" for part in ("headline", "article")]
    )
    test = pl.concat(
        pairs.select(
            given=f"{here}_headline",
            article=f"{here}_article",
            target=f"{there}_headline",
            reference=f"{there}_article",
            to=pl.lit(to),
        )
        for here, there, to in (("a", "b", outlets[1]), ("b", "a", outlets[0]))
    )
    language = read_language(corpus) or guess_language(train["target"].head(1000).to_list())
    return ReaderData(train, validation, test, outlets, language, read_casing(corpus))


def prepare(settings: JudgeSettings, data: ReaderData, work: Path) -> TrainingRun:
    """The reader before training, and how it is trained, given its margins, and tested."""
    model, tokenizer = _start(settings, data, work)
    words = settings.encoder == SCRATCH
    validation = data.validation.sample(
        min(VALIDATION if words else VALIDATION_PRETRAINED, len(data.validation)),
        seed=settings.seed,
        shuffle=True,
    )

    def reader(margins: Mapping[FactKind, float] | None = None) -> Reader:
        margins = margins or dict.fromkeys((*KINDS, WORD), 0.0)
        about = ReaderSettings(data.outlets, settings.fold, margins, settings.max_tokens, data.language)
        return Reader(model, tokenizer, about, precision=settings.arithmetic)

    if not words:
        with load_errors(f"{settings.encoder} cannot judge facts"):
            reader().try_out()

    likelihood = reader().likelihood

    def batch_of(some: pl.DataFrame) -> dict[str, torch.Tensor]:
        sources = some.select("given", "article").rows()
        return likelihood.training_batch(sources, some["target"].to_list(), some["to"].to_list())

    def evaluate(model: Any) -> dict[str, float]:
        rows = validation if words else validation.head(EVALUATED_PRETRAINED)
        loss = loss_per_token(model, map(batch_of, rows.iter_slices(settings.batch_size)))
        return {"score": -loss, "validation loss": loss}

    def readings(rows: pl.DataFrame) -> list[HeadlineReading]:
        columns = rows.to_dict(as_series=False)
        return reader().read(
            columns["target"],
            sources=columns["given"],
            articles=columns["article"],
            reference_articles=[""] * len(rows),
            targets=columns["to"],
            language=data.language,
            casing=data.casing,
            progress=True,
        )

    def margins() -> dict[FactKind, float]:
        printed = readings(validation)
        foreign = readings(with_foreign_words(validation.head(FOREIGN), data, settings.seed))
        margins = calibrated(printed, ACCEPTANCE)
        of_words = word_margin(printed, foreign, WORD_ACCEPTANCE)
        return margins if of_words is None else {**margins, WORD: of_words}

    def save(folder: Path) -> None:
        model.eval()
        model.config.id2label = dict(enumerate(LABELS))
        model.config.change_it = {
            **settings.about(data.outlets),
            "margins": {kind: round(value, 3) for kind, value in margins().items()},
            "language": data.language,
        }
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)

    def describe(_: TrainingResult) -> dict[str, Any]:
        margins = model.config.change_it["margins"]
        return {
            "task": settings.task,
            "classes": LABELS,
            "fold": settings.fold,
            "precision": settings.arithmetic,
            "margins": margins,
            **tested(reader(margins), data, seed=settings.seed),
            "sizes": {
                "train": len(data.train),
                "validation": len(validation),
                "parameters": sum(parameter.numel() for parameter in model.parameters()),
            },
        }

    return TrainingRun(
        model=model if words else HeadlineLoss(model),
        dataset=range(len(data.train)),
        collate=lambda rows: batch_of(data.train[rows]),
        evaluate=evaluate if settings.updates or settings.epochs else None,
        lengths=[
            min(len(article), 6 * settings.max_tokens) * min(len(target), 6 * LONGEST)
            for article, target in data.train.select("article", "target").iter_rows()
        ],
        name="facts judge",
        save=save,
        describe=describe,
        min_updates=0,
    )


def with_foreign_words(rows: pl.DataFrame, data: ReaderData, seed: int) -> pl.DataFrame:
    """Rows whose headline has one word of another row's headline, with the same ending, that no source has."""
    random = np.random.default_rng(seed)
    headlines = [Headline(text, data.language) for text in rows["target"]]
    words = by_ending(headlines, data.casing)
    changed = [
        with_a_foreign_word(headline, Mentions((), (), texts), words, random, data.casing)
        for headline, texts in zip(headlines, rows.select("given", "article").iter_rows(), strict=True)
    ]
    return rows.with_columns(target=pl.Series(changed, dtype=pl.String)).drop_nulls("target")


def tested(reader: Reader, data: ReaderData, *, seed: int) -> dict[str, Any]:
    """What a reader accepts of A2's printed headlines and of an edit of each kind, by kind; `results` and `baselines` (none) as of the other judges."""
    rows = data.test.sample(min(TESTED, len(data.test)), seed=seed, shuffle=True)
    random = np.random.default_rng(seed)
    cases: list[tuple[str, str, dict[str, Any]]] = []
    for row in rows.iter_rows(named=True):
        cases.append(("printed", row["target"], row))
        texts = (row["given"], row["article"], row["reference"])
        mentions = Mentions.of(texts, data.language, data.casing)
        headline = Headline(row["target"], data.language)
        changed = one_edit_a_kind(headline, mentions, data.casing, random)
        cases += [(kind, text, row) for kind, text in changed.items()]
    foreign = with_foreign_words(rows, data, seed)
    cases += [(WORD, row["target"], row) for row in foreign.iter_rows(named=True)]
    readings = reader.read(
        [text for _, text, _ in cases],
        sources=[row["given"] for _, _, row in cases],
        articles=[row["article"] for _, _, row in cases],
        reference_articles=[row["reference"] for _, _, row in cases],
        targets=[row["to"] for _, _, row in cases],
        language=data.language,
        casing=data.casing,
        progress=True,
    )
    accepted = np.array([reader.objection(reading) is None for reading in readings])
    kinds = np.array([kind for kind, _, _ in cases])
    return {
        "accepted": {
            kind: {"accepted": float(accepted[kinds == kind].mean()), "n": int((kinds == kind).sum())}
            for kind in dict.fromkeys(kinds.tolist())
        },
        "results": {"facts": scores((kinds == "printed").astype(int), accepted.astype(int), LABELS)},
        "baselines": {},
    }


def one_edit_a_kind(
    headline: Headline, mentions: Mentions, casing: Casing, random: np.random.Generator
) -> dict[str, str]:
    """One edit of each kind, drawn at random, by kind."""
    of_kind: dict[str, list[str]] = {}
    for edit in edits(headline, mentions, casing):
        of_kind.setdefault(edit.kind, []).append(edit.text)
    return {kind: some[int(random.integers(len(some)))] for kind, some in of_kind.items()}


def acceptance_table(metrics: Mapping[str, Any]) -> Table:
    """What a reader lets through of A2's headlines, as printed and with one fact changed."""
    titles = {
        "printed": "printed",
        "name": "a name changed",
        "number": "a number changed",
        "negation": "negated",
        "word": "a word of another headline",
    }
    rows = [
        Row(
            {"headlines": titles[kind], "accepted": figures["accepted"], "n": figures["n"]},
            strong=kind == "printed",
        )
        for kind, figures in metrics["accepted"].items()
    ]
    sizes, training = metrics["sizes"], metrics["training"]
    updates = f"{training['updates']:,} updates"
    if training["updates"]:
        updates += (
            f" (the best weights after {training['best_update']:,}) in {metrics['seconds']['training']:.0f} s"
        )
    note = (
        f"{sizes['train']:,} training and {sizes['validation']:,} validation headlines; {updates}; margins "
        f"{', '.join(f'{kind} {value:.2f}' for kind, value in metrics['margins'].items())} nats; fold {metrics['fold']}; "
        f"hash {metrics['model_hash'][:6]}"
    )
    columns = Column("headlines", "text"), Column("accepted"), Column("n", "count")
    return Table(columns, tuple(rows), "facts: do the sources tell it · gold A2", (note,))


def _start(settings: JudgeSettings, data: ReaderData, work: Path) -> tuple[Any, Any]:
    """The model before training: made once from scratch, or a pre-trained language model."""
    if settings.encoder != SCRATCH:
        return load_model(settings.encoder), read_tokenizer(settings.encoder)

    def network() -> tuple[Any, Any]:
        texts = [text for column in ("given", "article", "target") for text in data.train[column]]
        tokenizer = train_tokenizer([*texts, *data.outlets, "|"], size=VOCABULARY)
        return PointerTransformerForConditionalGeneration.of_size(CELLS, tokenizer), tokenizer

    folder = stage_pretrained(work / "start", network, seed=settings.seed)
    return load_model(folder, use="saved"), read_tokenizer(folder)
