"""What a judge of fluency learns from and is tested on: headlines as they were printed, and the same ones broken."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl
import torch
from torch import Tensor
from transformers import PreTrainedTokenizerBase

from change_it.corpus.folder import read_all_outlets, read_outlets, read_table
from change_it.corpus.training_sets import held_out, of_fold
from change_it.errors import InputError
from change_it.judges.data import TEST_SEED
from change_it.judges.fluency import IGNORED
from change_it.judges.judge import encode
from change_it.judges.judge_options import Fold
from change_it.text.damage import FAMILIES, damage
from change_it.text.material import Material
from change_it.text.stopwords import guess_language
from change_it.text.tagging import languages, load_tagger

#: Parts of the training events: the counts that judge a headline leave its own part out.
PARTS = 4
#: Characters of an article that words are counted in.
OPENING = 1200
#: Families whose texts are not made of the headline: their junctions are not known.
UNRELATED = ("sampled", "word_soup", "sentence")
#: Families that a judge is tested on and does not learn from.
HELD_OUT = ("looped", "neighbours", "reversed_words", "keywords")
#: Families whose damage is hard to see, and how many times as often they come first.
SUBTLE_FAMILIES = ("agreement", "cut_end", "joined", "spliced")
SUBTLE = 2.0


@dataclass(frozen=True)
class FluencyData:
    """Headlines and articles of the training side, and headlines to validate and test with."""

    outlets: tuple[str, str]  # short names of A and B
    headlines: list[str]  # to learn from, of both outlets alike, and all of further ones
    parts: list[int]  # part of each headline, 1 to `PARTS`
    # headlines and openings of articles that words are counted in, without those of validation events
    counted: list[str]
    counted_parts: list[int]  # part of each
    titles: int  # how many of `counted` are headlines; they come first
    validation: list[str]  # printed headlines that choose weights and threshold
    tests: dict[str, list[str]]  # A2's headlines of each outlet
    material: Material  # what damage needs


def load_fluency(corpus: str, *, fold: Fold, validation_share: float, seed: int) -> FluencyData:
    """Load the headlines of a corpus, of one fold alone and of further outlets too."""
    outlets = read_outlets(corpus)
    columns = ["id", "label", "headline", "article", "fold", "event"]
    train, test = (
        read_all_outlets(corpus, "articles", columns),
        read_table(corpus, "articles", "test", columns),
    )
    random = np.random.default_rng((seed, 11))
    train = of_fold(train, fold)
    events = train["event"].unique().sort()
    ranks = random.permutation(len(events))
    part = {name: int(rank) % PARTS + 1 for name, rank in zip(events, ranks, strict=True)}
    apart = held_out(events, validation_share, np.argsort(ranks))
    train = train.with_columns(
        part=pl.col("event").replace_strict(part, return_dtype=pl.Int64),
        held=pl.col("event").is_in(apart),
        turn=pl.Series(random.permutation(train.height)),
    )
    counted, validation = train.filter(~pl.col("held")), train.filter("held")
    fewest = min(counted.filter(label=name).height for name in outlets)
    alike = (pl.col("turn").rank("ordinal").over("label") <= fewest) | ~pl.col("label").is_in(outlets)
    learnt = counted.filter(alike)
    tests = {name: test.filter(label=name)["headline"].to_list() for name in outlets}
    if not all(tests.values()) or len(learnt) < 2 * PARTS or not len(validation):
        raise InputError(
            f"{corpus} has {train.height} training and {test.height} test headlines: too few for a fluency judge, "
            "give a larger corpus"
        )
    openings = [article[:OPENING] for article in counted["article"]]
    headlines = counted["headline"].to_list()
    language = guess_language(headlines)
    printed = pl.concat([train.select("headline", "article"), test.select("headline", "article")])
    article_of = {" ".join(headline.split()): article[:OPENING] for headline, article in printed.iter_rows()}
    tag = load_tagger(language).tag if language in languages() else None
    return FluencyData(
        outlets,
        learnt["headline"].to_list(),
        learnt["part"].to_list(),
        headlines + openings,
        counted["part"].to_list() * 2,
        len(headlines),
        validation["headline"].to_list(),
        tests,
        Material(headlines, language, openings, tag, article_of),
    )


def break_headline(
    headline: str, families: Sequence[str], random: np.random.Generator, material: Material
) -> tuple[str, str] | None:
    """A headline broken by the first family, in random order, subtle ones rather early, that applies: the text and the family."""
    weights = np.array([SUBTLE if name in SUBTLE_FAMILIES else 1.0 for name in families])
    for name in random.choice(
        list(families), len(families), replace=False, p=weights / weights.sum()
    ).tolist():
        if broken := damage(headline, name, random, material):
            return broken, name
    return None


def broken_by_family(headlines: Sequence[str], material: Material) -> dict[str, list[str]]:
    """Every headline broken by each family that applies; the same texts for every judge of a corpus."""
    texts_of = {}
    for number, name in enumerate(FAMILIES):
        random = np.random.default_rng((TEST_SEED, number))
        texts = [damage(headline, name, random, material) for headline in headlines]
        if kept := [text for text in texts if text]:
            texts_of[name] = kept
    return texts_of


class FluencyExamples:
    """Headlines at even places, and at the odd ones the same broken: how follows from seed, epoch and index alone."""

    def __init__(
        self,
        data: FluencyData,
        tokenizer: PreTrainedTokenizerBase,
        families: Sequence[str],
        *,
        max_tokens: int,
        seed: int,
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
        broken = break_headline(headline, self.families, random, self.data.material)
        if broken is None:  # a headline of one or two words
            return headline, IGNORED, None, part
        text, family = broken
        return text, 0, None if family in UNRELATED else headline, part

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
        ids, masks = batch["input_ids"], batch["attention_mask"]
        texts_pieces = [row[mask > 0].tolist() for row, mask in zip(ids, masks, strict=True)]
        printed = [None if source is None else next(pieces) for _, _, source, _ in rows]
        return {
            "input_ids": ids,
            "attention_mask": masks,
            "labels": torch.tensor([label for _, label, _, _ in rows]),
            "junction_labels": junction_labels(texts_pieces, printed, ids.shape[1] - 1),
            "parts": torch.tensor([part for _, _, _, part in rows]),
        }


def junction_labels(
    rows: Sequence[Sequence[int]], sources: Sequence[Sequence[int] | None], width: int
) -> Tensor:
    """int64 (rows, width): 1 where two neighbours did not stand side by side in the row's source, `IGNORED` past the end and without a source.

    Examples:
        >>> junction_labels([[1, 7, 5, 2], [1, 5, 2]], [[1, 5, 7, 2], None], 3).tolist()
        [[1, 1, 1], [-100, -100, -100]]
    """
    labels = np.full((len(rows), width), IGNORED, dtype=np.int64)
    for number, (row, source) in enumerate(zip(rows, sources, strict=True)):
        if source is not None:
            printed = set(pairwise(source))
            labels[number, : len(row) - 1] = [pair not in printed for pair in pairwise(row)]
    return torch.from_numpy(labels)
