"""`change-it train judge --task fluency`: what it learns from, the judge before training, how it is trained, and what it lets through.

It learns from headlines as they were printed, and the same ones broken anew every epoch. What it knows before: counts of
n-grams of word pieces and of classes of pieces, embeddings and classes by the pieces' neighbours (after Schütze 1995), and
linear layers that start at the solution of a logistic regression.
"""

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from scipy.sparse import csr_matrix, hstack
from sklearn.cluster import MiniBatchKMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.linear_model import LogisticRegression
from torch import Tensor

from change_it.corpus.folder import read_casing, read_outlets, read_table
from change_it.corpus.training_sets import held_out, of_fold, with_events
from change_it.errors import InputError
from change_it.judges.arguments import SCRATCH, VOCABULARY, Fold, JudgeSettings
from change_it.judges.baselines import NgramJudge, fit_ngram_judge, scores
from change_it.judges.encoders import load_encoder, load_encoder_weights, train_wordpiece
from change_it.judges.fluency import (
    CLASS_OFFSETS,
    IGNORED,
    PIECE_OFFSETS,
    STEPS,
    FluencyJudgeConfig,
    FluencyJudgeForSequenceClassification,
    buckets,
)
from change_it.judges.judge import Judge, encode
from change_it.networks.pretrained import load_weights, read_tokenizer
from change_it.tables import Column, Row, Table
from change_it.text.damage import FAMILIES, Material, damage
from change_it.text.stopwords import guess_language
from change_it.text.tagging import languages, load_tagger
from change_it.training.loop import TrainingResult
from change_it.training.run_folder import Run, stage

LABELS = ("broken", "printed")
SEEN, UNSEEN = "seen damage", "unseen damage"
#: Share of printed validation headlines that get more than a half.
ACCEPTANCE = 0.94
#: Validation headlines that an evaluation reads (half of them broken too), and test headlines of each family, at most.
VALIDATION, TESTED = 800, 1000
#: Epochs rise until there are this many updates.
MIN_UPDATES = 300
#: Examples that the linear layers start from.
WARM = 4000
#: Cells of one direction and size of the embeddings of a scratch encoder.
SIZES = {"tiny": (96, 64), "small": (192, 96), "base": (384, 192)}
#: Characters of a text that word pieces are learnt from.
PIECED = 600
#: Tokens of an article's opening that words are counted in.
OPENING_TOKENS = 400
PART_COUNTS = "parts.safetensors"
#: Parts of the training events: the counts that judge a headline leave its own part out.
PARTS = 4
#: Characters of an article that words are counted in.
OPENING = 1200
#: Words of an article's sentence that is broken as headlines are, at least and at most.
SENTENCE_WORDS = 5, 22
#: Families whose texts are not made of the headline: their junctions are not known.
UNRELATED = ("sampled", "word_soup", "generated")
#: Damage of validation and test headlines does not depend on the seed of a judge.
TEST_SEED = 1

_SENTENCE = re.compile(r"(?<=[.!?»”\"])\s+")
#: Classes of each grouping.
GROUPINGS = (40, 160)
#: Frequent pieces that others are compared by, left and right of them.
CONTEXTS = 1000
#: A piece that stands more rarely takes the class of the nearest centre and is no part of its mean.
FREQUENT = 5
#: Buckets of the counts, at least and at most, as powers of two.
BUCKET_BITS = 16, 22
#: Buckets of the count that finds n-grams which stand once, as a power of two.
ONCE_BITS = 24

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class FluencyData:
    """Headlines and articles of the training side, and headlines to validate and test with.

    Attributes:
        outlets: short names of A and B.
        headlines: to learn from, of both outlets alike.
        parts: part of each headline, 1 to `PARTS`.
        counted: headlines and openings of articles that words are counted in, without those of validation events.
        counted_parts: part of each.
        titles: how many of `counted` are headlines; they come first.
        validation: printed headlines that choose weights and threshold.
        tests: A2's headlines of each outlet.
        material: what damage needs.
    """

    outlets: tuple[str, str]
    headlines: list[str]
    parts: list[int]
    counted: list[str]
    counted_parts: list[int]
    titles: int
    validation: list[str]
    tests: dict[str, list[str]]
    material: Material


def load_fluency(
    corpus: str, *, fold: Fold, validation_share: float, seed: int, generated: Sequence[str] = ()
) -> FluencyData:
    """Load the headlines of a corpus, of one fold alone; `generated` are texts of half-trained generators."""
    outlets = read_outlets(corpus)
    train, test = (
        read_table(corpus, "articles", side, ["id", "label", "headline", "article", "fold"])
        for side in ("train", "test")
    )
    pairs = read_table(corpus, "pairs", "train", ["a_id", "b_id"])
    random = np.random.default_rng((seed, 11))
    train = with_events(of_fold(train, fold), pairs)
    events = train["event"].unique().sort()
    places = random.permutation(len(events))
    part = {name: int(place) % PARTS + 1 for name, place in zip(events, places, strict=True)}
    apart = held_out(events, validation_share, np.argsort(places))
    train = train.with_columns(
        part=pl.col("event").replace_strict(part, return_dtype=pl.Int64),
        held=pl.col("event").is_in(apart),
        turn=pl.Series(random.permutation(train.height)),
    )
    known, validation = train.filter(~pl.col("held")), train.filter("held")
    alike = pl.col("turn").rank("ordinal").over("label") <= pl.len().over("label").min()
    learnt = known.filter(alike)
    tests = {name: test.filter(label=name)["headline"].to_list() for name in outlets}
    if not all(tests.values()) or len(learnt) < 2 * PARTS or not len(validation):
        raise InputError(
            f"{corpus} has {train.height} training and {test.height} test headlines: too few for a fluency judge, "
            "give a larger corpus"
        )
    openings = [article[:OPENING] for article in known["article"]]
    headlines = known["headline"].to_list()
    language = guess_language(headlines)
    return FluencyData(
        outlets,
        learnt["headline"].to_list(),
        learnt["part"].to_list(),
        headlines + openings,
        known["part"].to_list() * 2,
        len(headlines),
        validation["headline"].to_list(),
        tests,
        Material(
            headlines,
            language,
            openings,
            load_tagger(language).tag if language in languages() else None,
            generated,
        ),
    )


def parse_held_out(held_out: str) -> tuple[str, ...]:
    """Names of families from `--held-out`; refused where there is no such family, or none is left to learn from.

    Examples:
        >>> parse_held_out("looped, spliced")
        ('looped', 'spliced')
    """
    names = tuple(filter(None, map(str.strip, held_out.split(","))))
    if unknown := [name for name in names if name not in FAMILIES]:
        raise InputError(f"--held-out: no family {', '.join(unknown)}: choose from {', '.join(FAMILIES)}")
    if set(FAMILIES) <= {*names, "generated"}:
        raise InputError("--held-out leaves no family to learn from: hold fewer out")
    return names


def break_headline(
    headline: str, families: Sequence[str], random: np.random.Generator, material: Material
) -> tuple[str, str] | None:
    """A headline broken by the first family, in random order, that applies: the text and the family."""
    for name in random.permutation(list(families)).tolist():
        if broken := damage(headline, name, random, material):
            return broken, name
    return None


def broken_by_family(headlines: Sequence[str], material: Material) -> dict[str, list[str]]:
    """Every headline broken by each family that applies; the same texts for every judge of a corpus."""
    found = {}
    for number, name in enumerate(FAMILIES):
        random = np.random.default_rng((TEST_SEED, number))
        texts = [damage(headline, name, random, material) for headline in headlines]
        if kept := [text for text in texts if text]:
            found[name] = kept
    return found


class FluencyExamples:
    """Headlines at even places, and at the odd ones the same broken: how follows from seed, epoch and index alone."""

    def __init__(
        self, data: FluencyData, tokenizer: Any, families: Sequence[str], *, max_tokens: int, seed: int
    ):
        """Examples of the data's headlines and of damage of these families; longer ones are cut."""
        self.data, self.tokenizer, self.families = data, tokenizer, list(families)
        self.max_tokens, self.seed, self.epoch = max_tokens, seed, 0

    def __len__(self) -> int:
        return 2 * len(self.data.headlines)

    def set_epoch(self, epoch: int) -> None:
        """Take this epoch's damage."""
        self.epoch = epoch

    def __getitem__(self, index: int) -> tuple[str, int, str | None, int]:
        """Text, label, the printed headline that its junctions are known from, and its part."""
        row, odd = divmod(index, 2)
        headline, part = self.data.headlines[row], self.data.parts[row]
        if not odd:
            return headline, 1, headline, part
        random = np.random.default_rng((self.seed, self.epoch, row))
        found = break_headline(headline, self.families, random, self.data.material)
        if found is None:  # a headline of one or two words
            return headline, IGNORED, None, part
        return found[0], 0, None if found[1] in UNRELATED else headline, part

    @property
    def lengths(self) -> list[int]:
        """Rough length of each example, in characters."""
        return [len(headline) for headline in self.data.headlines for _ in range(2)]

    def collate(self, rows: Sequence[tuple[str, int, str | None, int]]) -> dict[str, Tensor]:
        """A batch for `FluencyJudgeForSequenceClassification.forward`."""
        texts = [text for text, _, _, _ in rows]
        batch = encode(self.tokenizer, texts, max_tokens=self.max_tokens)
        sources = [source for _, _, source, _ in rows if source is not None]
        options = {"truncation": True, "max_length": self.max_tokens}
        pieces = iter(self.tokenizer(sources, **options)["input_ids"] if sources else ())
        own = [
            ids[mask > 0].tolist()
            for ids, mask in zip(batch["input_ids"], batch["attention_mask"], strict=True)
        ]
        labels = junction_labels(
            own,
            [None if source is None else next(pieces) for _, _, source, _ in rows],
            batch["input_ids"].shape[1] - 1,
        )
        return {
            "input_ids": batch["input_ids"],
            "attention_mask": batch["attention_mask"],
            "labels": torch.tensor([label for _, label, _, _ in rows]),
            "junction_labels": labels,
            "parts": torch.tensor([part for _, _, _, part in rows]),
        }


def prepare(settings: JudgeSettings, data: FluencyData, work: Path) -> Run:
    """The judge before training, and how it is trained and tested."""
    held_out = parse_held_out(settings.held_out)
    apart = {*held_out} if data.material.generated else {*held_out, "generated"}
    families = [name for name in FAMILIES if name not in apart]
    model, tokenizer = _start(settings, data, families, work)
    model.config.change_it = settings.about(data.outlets)
    examples = FluencyExamples(data, tokenizer, families, max_tokens=settings.max_tokens, seed=settings.seed)
    printed = data.validation[:VALIDATION]
    broken = []
    for row, headline in enumerate(printed[: VALIDATION // 2]):
        random = np.random.default_rng((TEST_SEED, row))
        broken += [
            text for text, _ in filter(None, [break_headline(headline, families, random, data.material)])
        ]

    def ask(model: Any, texts: Sequence[str], *, progress: bool = True) -> Floats:
        judge = Judge.of(model, tokenizer, precision=settings.arithmetic)
        return judge.probabilities(texts, progress=progress)[:, 1]

    def evaluate(model: Any) -> dict[str, float]:
        model.threshold.zero_()
        logits = _logit(ask(model, printed, progress=False))
        model.threshold.fill_(float(np.quantile(logits, 1 - ACCEPTANCE)))
        accepted = ask(model, broken, progress=False) > 0.5
        return {"score": 1 - float(accepted.mean())}

    def save(folder: Path) -> None:
        Judge.of(model, tokenizer).save_pretrained(folder)
        read_casing(settings.corpus).save(folder)

    @cache
    def baseline() -> NgramJudge:
        titles = data.counted[: data.titles]

        def spoil(row: int) -> str | None:
            random = np.random.default_rng((TEST_SEED, row))
            found = break_headline(titles[row], families, random, data.material)
            return found[0] if found else None

        return fit_ngram_judge(
            titles, data.counted[data.titles :], spoil, seed=settings.seed, acceptance=ACCEPTANCE
        )

    def describe(_: TrainingResult) -> dict[str, Any]:
        return {
            "task": settings.task,
            "classes": LABELS,
            "fold": settings.fold,
            "precision": settings.arithmetic,
            **tested(lambda texts: ask(model, texts), baseline(), data, held_out),
            "sizes": {
                "train": len(examples),
                "validation": len(printed) + len(broken),
                **dict.fromkeys((SEEN, UNSEEN), 2 * sum(map(len, data.tests.values()))),
                "parameters": sum(parameter.numel() for parameter in model.parameters()),
            },
        }

    return Run(
        model=model,
        dataset=examples,
        collate=examples.collate,
        evaluate=evaluate,
        lengths=examples.lengths,
        name="fluency judge",
        save=save,
        describe=describe,
        min_updates=MIN_UPDATES,
    )


def tested(
    ask: Callable[[Sequence[str]], Floats],
    baseline: NgramJudge,
    data: FluencyData,
    held_out: Sequence[str],
) -> dict[str, Any]:
    """What a judge and the n-gram baseline let through of A2's headlines, as printed and broken.

    The baseline is compared at the threshold at which it accepts as many printed headlines as the judge does. `results` and
    `baselines` are, as of other judges, over printed headlines and seen or unseen damage in equal numbers.
    """
    printed = [headline for headlines in data.tests.values() for headline in headlines]
    outlet = np.repeat(list(data.tests), [len(headlines) for headlines in data.tests.values()])
    gold, gold_baseline = ask(printed), baseline.probabilities(printed)
    accepted = gold > 0.5
    cut = float(np.quantile(gold_baseline, 1 - accepted.mean()))
    some = np.random.default_rng(TEST_SEED).permutation(len(printed))[:TESTED]
    texts = broken_by_family([printed[row] for row in some], data.material)
    families: dict[str, Any] = {}
    verdicts: dict[bool, list[NDArray[np.bool_]]] = {True: [], False: []}
    verdicts_baseline: dict[bool, list[NDArray[np.bool_]]] = {True: [], False: []}
    for name, broken in texts.items():
        seen = name not in held_out
        own, other = ask(broken) > 0.5, baseline.probabilities(broken) > cut
        verdicts[seen].append(own)
        verdicts_baseline[seen].append(other)
        families[name] = {
            "accepted": float(own.mean()),
            "n-grams": float(other.mean()),
            "n": len(broken),
            "seen": seen,
        }

    def table(printed: NDArray[np.bool_], broken: list[NDArray[np.bool_]]) -> dict[str, Any]:
        """Every family counts alike, and all of them together as much as the printed headlines."""
        share = float(np.mean([one.mean() for one in broken]))
        count = len(printed)
        false = round(share * count)
        predicted = np.concatenate([printed, np.arange(count) < false]).astype(np.int64)
        return scores(np.repeat([1, 0], count), predicted, LABELS)

    names = {True: SEEN, False: UNSEEN}
    kinds = [kind for kind in (True, False) if verdicts[kind]]
    return {
        "acceptance": {
            "gold": float(accepted.mean()),
            "outlets": {name: float(accepted[outlet == name].mean()) for name in data.tests},
            "families": families,
        },
        "results": {names[kind]: table(accepted, verdicts[kind]) for kind in kinds},
        "baselines": {
            "n-grams": {names[kind]: table(gold_baseline > cut, verdicts_baseline[kind]) for kind in kinds}
        },
    }


def acceptance_table(metrics: dict[str, Any]) -> Table:
    """What the judge lets through, family by family, beside the n-gram baseline at equal acceptance of printed headlines."""
    found, training = metrics["acceptance"], metrics["training"]
    outlets = ", ".join(f"{name} {share:.3f}" for name, share in found["outlets"].items())
    rows = [
        Row({"headlines": "as printed", "judge": found["gold"], "n-grams": found["gold"]}, "printed", True)
    ]
    for seen, group in ((True, SEEN), (False, UNSEEN)):
        families = {name: row for name, row in found["families"].items() if row["seen"] is seen}
        for name, row in families.items():
            cells = {"headlines": name.replace("_", " "), "judge": row["accepted"], "n-grams": row["n-grams"]}
            rows.append(Row({**cells, "n": row["n"]}, group))
        if families:
            means = {
                key: float(np.mean([row[key] for row in families.values()]))
                for key in ("accepted", "n-grams")
            }
            cells = {"headlines": f"mean of {group}", "judge": means["accepted"], "n-grams": means["n-grams"]}
            rows.append(Row(cells, group, True))
    note = (
        f"share accepted; printed headlines by outlet: {outlets}; {training['updates']:,} updates "
        f"({training['epochs']:.1f} epochs) in {metrics['seconds']['training']:.0f} s; fold {metrics['fold']}; "
        f"weights {metrics['weights_hash'][:6]}"
    )
    columns = (Column("headlines", "text"), Column("judge"), Column("n-grams"), Column("n", "count"))
    return Table(columns, tuple(rows), "fluency: would a newspaper print it · A2", (note,))


def _start(
    settings: JudgeSettings, data: FluencyData, families: Sequence[str], work: Path
) -> tuple[Any, Any]:
    """The judge before training, made once: a resumed run and every process load the same one."""
    import change_it.auto  # noqa: F401 (tokenizers are loaded by the type of the model)

    def save(folder: Path) -> None:
        model, tokenizer = build(settings, data, families)
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        save_file({"without": model.without}, folder / PART_COUNTS)

    folder = stage(work / "start", save, seed=settings.seed)
    model = load_weights(FluencyJudgeForSequenceClassification, folder)
    model.without = load_file(folder / PART_COUNTS)["without"]
    return model, read_tokenizer(folder)


def build(settings: JudgeSettings, data: FluencyData, families: Sequence[str]) -> tuple[Any, Any]:
    """A fluency judge that knows the corpus's words and has seen a few broken headlines, and its tokenizer."""
    own = settings.encoder == SCRATCH
    cells, dimensions = SIZES[settings.size]
    config: Any = None
    if own:
        tokenizer = train_wordpiece(
            [text[:PIECED] for text in data.counted], VOCABULARY[settings.size], lowercase=True
        )
    else:
        tokenizer, config = load_encoder(settings.encoder)
    options = {"truncation": True, "max_length": settings.max_tokens}
    rows = tokenizer(data.counted[: data.titles], **options)["input_ids"]
    rows += tokenizer(
        data.counted[data.titles :], add_special_tokens=False, truncation=True, max_length=OPENING_TOKENS
    )["input_ids"]
    vocabulary = len(tokenizer) if own else config.vocab_size
    vectors, classes = learn_neighbours(rows, vocabulary, dimensions, settings.seed)
    model = FluencyJudgeForSequenceClassification(
        FluencyJudgeConfig(
            encoder=None if own else config.to_dict(),
            vocab_size=vocabulary,
            embedding_size=dimensions,
            hidden_size=cells if own else config.hidden_size,
            buckets=bucket_count(sum(map(len, rows))),
            groupings=len(GROUPINGS),
            id2label=dict(enumerate(LABELS)),
            label2id={name: number for number, name in enumerate(LABELS)},
        )
    )
    model.classes.copy_(classes)
    learn_counts(model, rows, data.counted_parts, PARTS)
    if own:
        with torch.no_grad():
            noise = 0.1 * torch.randn_like(vectors)
            model.encoder.embeddings.weight.copy_(vectors + noise)
    else:
        loaded = load_encoder_weights(settings.encoder, config)
        model.encoder.load_state_dict(loaded.state_dict(), strict=False)  # without the pooler
    examples = FluencyExamples(data, tokenizer, families, max_tokens=settings.max_tokens, seed=settings.seed)
    chosen = np.random.default_rng(settings.seed).permutation(len(examples))[:WARM].tolist()
    batches = [
        examples.collate([examples[row] for row in chosen[at : at + 64]]) for at in range(0, len(chosen), 64)
    ]
    warm_start(model, batches)
    return model, tokenizer


def _logit(probabilities: Floats) -> Floats:
    bounded = np.clip(probabilities, 1e-12, 1 - 1e-12)
    return np.asarray(np.log(bounded / (1 - bounded)))


def bucket_count(pieces: int) -> int:
    """Buckets for the n-grams of that many pieces, a power of two."""
    return 1 << int(np.clip(np.ceil(np.log2(max(1, pieces))), *BUCKET_BITS))


def learn_neighbours(
    rows: Sequence[Sequence[int]], vocabulary: int, dimensions: int, seed: int
) -> tuple[Tensor, Tensor]:
    """Vectors and classes of pieces: alike are those that stand beside the same frequent pieces.

    Vectors are of length 1, (vocabulary, dimensions), zeros for pieces without neighbours; classes int64 (groupings, vocabulary).
    """
    flat = np.fromiter((piece for row in rows for piece in (*row, -1)), np.int64)
    left, right = flat[:-1], flat[1:]
    inside = (left >= 0) & (right >= 0)
    left, right = left[inside], right[inside]
    counts = np.bincount(flat[flat >= 0], minlength=vocabulary)
    contexts = np.argsort(-counts, kind="stable")[:CONTEXTS]
    column = np.full(vocabulary, -1)
    column[contexts] = np.arange(len(contexts))

    def associations(pieces: Ints, beside: Ints) -> csr_matrix:
        """Positive pointwise mutual information of pieces and the frequent ones beside them."""
        known = column[beside] >= 0
        table = csr_matrix(
            (np.ones(known.sum()), (pieces[known], column[beside[known]])), shape=(vocabulary, len(contexts))
        )
        table.sum_duplicates()
        of_piece, of_context = np.asarray(table.sum(1)).ravel(), np.asarray(table.sum(0)).ravel() ** 0.75
        at = np.repeat(np.arange(vocabulary), np.diff(table.indptr))
        expected = of_piece[at] * of_context[table.indices] / max(of_context.sum(), 1)
        table.data = np.maximum(np.log(table.data / np.maximum(expected, 1e-9)), 0)
        return table

    both = hstack([associations(left, right), associations(right, left)]).tocsr()
    size = min(dimensions, min(both.shape) - 1)
    vectors = TruncatedSVD(size, n_iter=3, random_state=seed).fit_transform(both)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    frequent = np.flatnonzero(counts >= FREQUENT)
    frequent = frequent if len(frequent) else np.arange(vocabulary)
    classes = [
        MiniBatchKMeans(min(number, len(frequent)), n_init=1, batch_size=2048, max_iter=60, random_state=seed)
        .fit(vectors[frequent], sample_weight=np.sqrt(counts[frequent]))
        .predict(vectors)
        for number in GROUPINGS
    ]
    padded = np.zeros((vocabulary, dimensions), dtype=np.float32)
    padded[:, :size] = vectors
    return torch.from_numpy(padded), torch.from_numpy(np.stack(classes).astype(np.int64))


def learn_counts(
    judge: FluencyJudgeForSequenceClassification,
    rows: Sequence[Sequence[int]],
    part_of_row: Sequence[int],
    parts: int,
) -> None:
    """Fill the counts of a judge, whose classes are known, from the pieces of texts: of all, and without each part (from 1)."""
    lengths = torch.tensor([len(row) for row in rows])
    flat = torch.tensor([piece for row in rows for piece in row])
    row_of = torch.repeat_interleave(torch.arange(len(rows)), lengths)
    part_of = torch.tensor(list(part_of_row))[row_of]
    tables = [(flat, offsets) for offsets in PIECE_OFFSETS]
    tables += [(classes[flat], offsets) for classes in judge.classes for offsets in CLASS_OFFSETS]
    size = judge.config.buckets
    judge.without = torch.zeros(parts, *judge.counts.shape, dtype=torch.uint8)
    for table, (ids, offsets) in enumerate(tables):
        last = offsets[-1]
        within = row_of[: len(row_of) - last] == row_of[last:]
        if len(offsets) > 2 and len(flat) > size // 2:  # n-grams that stand once would fill the buckets
            wide = buckets(ids, offsets, 1 << ONCE_BITS)
            within &= torch.bincount(wide[within], minlength=1 << ONCE_BITS)[wide] > 1
        found, part = buckets(ids, offsets, size)[within], part_of[: len(part_of) - last][within]
        counts = torch.bincount(found, minlength=size)
        judge.counts[table] = _logarithms(counts)
        for number in range(parts):
            own = torch.bincount(found[part == number + 1], minlength=size)
            judge.without[number, table] = _logarithms(counts - own)


def _logarithms(counts: Tensor) -> Tensor:
    return (STEPS * counts.float().log1p()).round().clamp(max=255).to(torch.uint8)


def junction_labels(
    rows: Sequence[Sequence[int]], sources: Sequence[Sequence[int] | None], width: int
) -> Tensor:
    """int64 (rows, width): 1 where two neighbours did not stand side by side in the row's source, `IGNORED` past the end and without a source.

    Examples:
        >>> junction_labels([[1, 7, 5, 2], [1, 5, 2]], [[1, 5, 7, 2], None], 3).tolist()
        [[1, 1, 1], [-100, -100, -100]]
    """
    labels = np.full((len(rows), width), IGNORED, dtype=np.int64)
    for place, (row, source) in enumerate(zip(rows, sources, strict=True)):
        if source is not None:
            known = set(itertools.pairwise(source))
            labels[place, : len(row) - 1] = [pair not in known for pair in itertools.pairwise(row)]
    return torch.from_numpy(labels)


@torch.no_grad()
def warm_start(judge: FluencyJudgeForSequenceClassification, batches: Sequence[dict[str, Any]]) -> None:
    """Start the linear layers at the solutions of two logistic regressions on these batches, and all above them at nothing."""
    for layers in (judge.junction, judge.headline):
        for parameter in layers[-1].parameters():
            torch.nn.init.zeros_(parameter)
    found = [judge.evidence_of(batch["input_ids"], batch.get("parts")) for batch in batches]
    asked = [batch["junction_labels"] != IGNORED for batch in batches]
    seen = torch.cat([evidence[kept] for evidence, kept in zip(found, asked, strict=True)])
    broken = torch.cat([batch["junction_labels"][kept] for batch, kept in zip(batches, asked, strict=True)])
    judge.feature_mean.copy_(seen.mean(0))
    judge.feature_scale.copy_(seen.std(0) + 0.1)
    _fit(judge.evidence, (seen - judge.feature_mean) / judge.feature_scale, broken)
    summaries = []
    for batch in batches:
        evidence = judge.evidence_of(batch["input_ids"], batch.get("parts"))
        junctions = judge.evidence(evidence).squeeze(-1)
        summaries.append(judge.summarise(batch["input_ids"], batch["attention_mask"], junctions))
    summary = torch.cat(summaries)
    judge.summary_mean.copy_(summary.mean(0))
    judge.summary_scale.copy_(summary.std(0) + 0.01)
    printed = torch.cat([batch["labels"] for batch in batches])
    known = printed != IGNORED
    scaled = (summary - judge.summary_mean) / judge.summary_scale
    _fit(judge.summary, scaled[known], printed[known])


def _fit(layer: torch.nn.Linear, inputs: Tensor, labels: Tensor) -> None:
    if len(labels.unique()) == 2:
        found = LogisticRegression(max_iter=500).fit(inputs.double().numpy(), labels.numpy())
        layer.weight.copy_(torch.tensor(found.coef_))
        layer.bias.copy_(torch.tensor(found.intercept_))
