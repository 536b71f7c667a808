"""Training and test data of the fluency judge: headlines as printed, and the same ones corrupted."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from change_it.corpus.folder import read_all_outlets, read_outlets, read_table
from change_it.corpus.training_sets import VALIDATION_SHARE, held_out, of_fold
from change_it.errors import InputError
from change_it.judges.data import Examples, TaskData
from change_it.judges.judge_options import Fold
from change_it.stats import Ints
from change_it.text.corruptions import CORRUPTIONS, Lexicon, corrupt

#: The corruptions of test headlines do not depend on the seed of a judge.
TEST_SEED = 1
#: Parts of the training events: the counts that judge a headline leave its own part out.
PARTS = 4
#: Characters of an article that words are counted in.
OPENING = 1200
#: Headlines that are broken to learn from, at most, and how often each.
BROKEN, TIMES = 6000, 2
#: Corruptions that a judge is tested on and does not learn from.
HELD_OUT = ("looped", "neighbours", "reversed_words", "keywords")
#: Corruptions that generators are tempted to, and how many times as often they come first.
TEMPTING, OFTENER = ("style_added", "style_exchanged", "cut_sentence"), 2.0
SEEN, UNSEEN = "seen damage", "unseen damage"


@dataclass(frozen=True)
class FluencyData(TaskData):
    """Printed headlines (class 1) and broken ones (class 0).

    Words are counted in `headlines` and `articles`, openings of the same articles, without validation events.
    """

    parts: Ints  # part of the training events, 1 to `PARTS`, of each training example
    counted_parts: Ints  # part of each of `headlines`, and of `articles`


def load_fluency(
    corpus: str, *, fold: Fold, seed: int, validation_share: float = VALIDATION_SHARE
) -> FluencyData:
    """Load the headlines of a corpus, of one fold alone; further outlets fill up what is learnt from, up to `BROKEN`."""
    outlets = read_outlets(corpus)
    columns = ["id", "label", "headline", "article", "fold", "event"]
    train = of_fold(read_all_outlets(corpus, "articles", columns), fold)
    test = read_table(corpus, "articles", "test", columns)
    random = np.random.default_rng((seed, 11))
    events = train["event"].unique().sort()
    ranks = random.permutation(len(events))
    part = {name: int(rank) % PARTS + 1 for name, rank in zip(events, ranks, strict=True)}
    apart = held_out(events, validation_share, np.argsort(ranks))
    train = train.with_columns(
        part=pl.col("event").replace_strict(part, return_dtype=pl.Int64),
        held=pl.col("event").is_in(apart),
        turn=pl.Series(random.permutation(train.height)),
    )
    own = pl.col("label").is_in(outlets)
    counted, validation = train.filter(~pl.col("held")), train.filter(pl.col("held") & own)
    fewest = min(counted.filter(label=name).height for name in outlets)
    alike = (pl.col("turn").rank("ordinal").over("label") <= fewest) | ~own
    learnt = counted.filter(alike).sort(~own, "turn").head(BROKEN)
    if not {*outlets} <= {*test["label"]} or len(learnt) < 2 * PARTS or not len(validation):
        raise InputError(
            f"{corpus} has {train.height} training and {test.height} test headlines: fluency requires more"
        )
    openings = [article[:OPENING] for article in counted["article"]]
    headlines = counted["headline"].to_list()
    lexicon = Lexicon(headlines, counted["label"].to_list(), openings)
    corruptions = [name for name in CORRUPTIONS if name not in HELD_OUT]
    train_rows, rows_of_train = _with_broken(learnt["headline"], corruptions, random, lexicon, times=TIMES)
    validation_rows, _ = _with_broken(validation["headline"], corruptions, random, lexicon)
    tests, events_of = {}, {}
    for name, kinds in ((SEEN, corruptions), (UNSEEN, HELD_OUT)):
        order = np.random.default_rng(TEST_SEED)
        tests[name], rows = _with_broken(test["headline"], kinds, order, lexicon)
        events_of[name] = test["event"][rows].to_list()
    return FluencyData(
        outlets,
        train_rows,
        validation_rows,
        tests,
        events_of,
        headlines,
        openings,
        parts=learnt["part"].to_numpy()[rows_of_train],
        counted_parts=counted["part"].to_numpy(),
    )


def _with_broken(
    headlines: Iterable[str],
    corruptions: Sequence[str],
    random: np.random.Generator,
    lexicon: Lexicon,
    times: int = 1,
) -> tuple[Examples, Ints]:
    """Headlines, each followed by itself broken, and the row that each is of."""
    texts, labels, rows = [], [], []
    weights = np.array([OFTENER if name in TEMPTING else 1.0 for name in corruptions])
    weights /= weights.sum()
    for row, headline in enumerate(headlines):
        versions = [headline]
        for _ in range(times):  # by the first corruption in random order that applies; none to a word or two
            order = map(str, random.choice(list(corruptions), len(corruptions), replace=False, p=weights))
            broken = (corrupt(headline, name, random, lexicon) for name in order)
            versions += filter(None, [next(filter(None, broken), None)])
        texts += versions
        labels += [1] + [0] * (len(versions) - 1)
        rows += [row] * len(versions)
    return Examples(texts, None, np.array(labels, np.int64)), np.array(rows, np.int64)
