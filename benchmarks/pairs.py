"""Which aligned pairs report one event, by rules, readers and the estimate without labels: JSON for `tables.py --keep`.

    python benchmarks/pairs.py --allsides allsides.parquet --arabic arabic.parquet
    python benchmarks/pairs.py --name "Vox, Washington Times" --corpus runs/vox/corpus --judges linear=runs/vox/judges-1/hh e5=runs/vox/e5/hh
        --vectors runs/vectors --encoders MiniLM=FOLDER

The tables are pairs, pairs_blind, pairs_rule, pairs_estimate, pairs_fresh and pairs_strict; with --corpus, pairs_hh. labels/pairs.csv
has what two readers, who saw the dates, say of pairs aligned within three days: all of the test set, and some of A1; pairs_blind.csv
what a third one, who did not, says of sixty of them; pairs_fresh.csv what that one says of others. None saw a cosine.
A judge reads the headlines of the pairs of the test set; an encoder in `--encoders` is not trained, its cosine is that of `encoders.py`.
"""

import json
import sys
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import tyro
from encoders import Vectors
from judged import PAIRS, read_pairs
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import cohen_kappa_score

from change_it.audit.agreement import auc
from change_it.corpus.alignment import Pairs, align, day_numbers, one_to_one
from change_it.corpus.corpus_options import ReadingOptions
from change_it.corpus.folder import read_table
from change_it.corpus.reading import read_articles
from change_it.corpus.splits import components
from change_it.corpus.vectors import tfidf
from change_it.judges.judge import Judge
from change_it.stats import Bools, Floats, measure, share_interval
from change_it.text.stopwords import stop_words

#: Cosines between the bands.
BANDS = (0.42, 0.5, 0.6, 0.7)
#: Days apart that the estimate compares with.
REFERENCE = 3
#: Labels below which a cell is left out.
FEWEST = 3
DAYS = ("same day", "a day apart", "two days apart", "three days apart")
#: The labelled pairs of outlets, and the threshold from which on they were labelled.
LABELLED = {
    "Vox, Washington Times": 0.35,
    "Politico, Fox": 0.35,
    "CNN, Fox": 0.5,
    "CNN, Washington Times": 0.5,
}
#: `--labels` that give outlets of AllSides their names in the labels.
OUTLETS = "CNN (Web News):CNN,Fox Online News:Fox"
ARABIC, SIDES = "Al Arabiya, Sky News Arabia", "left, right"


@dataclass(kw_only=True)
class Options:
    """Count what readers say, and compare rules, estimates and judges with it."""

    allsides: Path | None = None
    """Parquet file of AllSides' articles."""
    arabic: Path | None = None
    """Parquet file of articles of Sky News Arabia and Al Arabiya."""
    name: str = ""
    """The pair of outlets, in tables and labels."""
    corpus: str = ""
    """Corpus folder."""
    judges: tuple[str, ...] = ()
    """NAME=FOLDER of HH judges."""
    vectors: Path = Path("vectors")
    """Folder of vectors."""
    encoders: tuple[str, ...] = ()
    """NAME=FOLDER of encoders that are not trained."""


def share(one_event: Bools, events: Sequence[int] | None = None) -> list[Any]:
    """How many of how many, share and interval over events."""
    hits, n = int(one_event.sum()), len(one_event)
    if not n:
        return [hits, n]
    if events is None:
        return [hits, n, hits / n, *share_interval(hits / n, n)]
    columns = {"hits": one_event.astype(float), "n": np.ones(n)}
    found = measure(
        columns, lambda sums: {"share": sums["hits"] / sums["n"]}, None, events, shares={"share": "n"}
    )
    return [hits, n, *next(iter(found.values()))["share"]]


def readings() -> pl.DataFrame:
    """All labelled pairs with their event, those that share an article, and the half that a hash of its first id is in."""
    read = pl.concat(read_pairs(name) for name in LABELLED)
    ids = sorted({*read["a_id"], *read["b_id"]})
    at = {article: place for place, article in enumerate(ids)}
    a, b = (np.array([at[article] for article in read[side]]) for side in ("a_id", "b_id"))
    events = components(np.arange(len(ids)), a, b)
    first = np.unique(events, return_index=True)[1]
    halves = np.array([int(sha256(ids[place].encode()).hexdigest(), 16) % 2 for place in first])
    return read.with_columns(event=events[a], half=halves[events[a]])


def by_cosine_and_days(read: pl.DataFrame) -> dict[str, Any]:
    """What both readers say by band of cosine, and by days apart."""
    rows: dict[str, Any] = {}

    def add(name: str, of: pl.DataFrame) -> None:
        first, second = (int((of[reader] == "yes").sum()) for reader in ("same1", "same2"))
        rows[name] = {
            "both readers": share(of["one_event"].to_numpy())[:3],
            "first, second": f"{first}, {second}",
        }

    for name in LABELLED:
        corpus = read.filter(corpus=name)
        band = pl.sum_horizontal(pl.col("similarity") >= edge for edge in BANDS)
        for _, of in corpus.sort("similarity").group_by(band, maintain_order=True):
            add(f"{name}: {of['similarity'].min():.2f} to {of['similarity'].max():.2f}", of)
        for days, words in enumerate(DAYS):
            add(f"{name}: {words}", corpus.filter(days=days))
        add(f"{name}: all of the test set", corpus.filter(alignment="A2"))
    return rows


def blind(read: pl.DataFrame) -> dict[str, Any]:
    """The third reading beside the two, by days apart; how often it agrees, and kappa."""
    both = read.join(pl.read_csv(PAIRS.with_name("pairs_blind.csv")), on=["a_id", "b_id"])
    third = both["same3"].to_numpy() == "yes"
    rows: dict[str, Any] = {}
    for words, these in [
        *((words, both["days"].to_numpy() == days) for days, words in enumerate(DAYS)),
        ("all", third | ~third),
    ]:
        first = both["one_event"].to_numpy()[these]
        rows[words] = {"two readings": share(first), "third, blind": share(third[these])}
        rows[words] |= {"agree": share(first == third[these])[:3]}
    rows["all"]["kappa"] = float(cohen_kappa_score(both["one_event"].to_numpy(), third))
    rows["all"]["kappa of the two"] = float(
        cohen_kappa_score(read["same1"].to_list(), read["same2"].to_list())
    )
    return rows


def rules(read: pl.DataFrame) -> dict[str, Any]:
    """Share of one event by rule: in each half, by pair of outlets, and of the pairs that are not of the same day."""
    cosine, days, hit, half = (read[name].to_numpy() for name in ("similarity", "days", "one_event", "half"))
    above = cosine > 0.5
    own = read["corpus"].replace_strict(LABELLED).to_numpy()
    kept = {"same day": above & (days == 0)}
    for window in (1, 2):
        for rise in (0.1, 0.15, 0.2):
            kept[f"within {window} days, {rise:.2f} a day"] = (days <= window) & (cosine > 0.5 + rise * days)
    kept["within 3 days"] = above
    kept["thresholds of the labels, same day"] = (days == 0) & (cosine > own)
    kept["thresholds of the labels, within 1 days, 0.20 a day"] = (days <= 1) & (cosine > own + 0.2 * days)
    x = np.column_stack([cosine, days])
    for chosen in (0, 1):
        fit = above & (half == chosen)
        p = LogisticRegression(C=1e4).fit(x[fit], hit[fit]).predict_proba(x)[:, 1]
        cut = next(at for at in np.unique(p[fit]) if hit[fit & (p >= at)].mean() >= 0.9)
        kept[f"logistic, of half {chosen}"] = above & (p >= cut)
    rows = {}
    for name, these in kept.items():
        parts = {f"half {number}": half == number for number in (0, 1)} | {"all": half >= 0}
        parts |= {corpus: read["corpus"].to_numpy() == corpus for corpus in LABELLED} | {
            "not of the same day": days > 0
        }
        rows[name] = {
            part: share(hit[these & of], read["event"].to_numpy()[these & of]) for part, of in parts.items()
        }
    return rows


class Aligned(NamedTuple):
    """Pairs of two outlets by exact days apart: cosines of those that are one-to-one among them, and within three days; and pairs compared."""

    alone: dict[int, Floats]
    within: dict[int, Floats]
    compared: dict[int, int]
    added: set[tuple[str, str]]  # ids of the same-day pairs that are not one-to-one within three days

    def estimate(
        self, days: int, low: float, high: float = 1.0, *, within: bool = False
    ) -> list[float | None]:
        """Estimated share of one event of the pairs so many days apart with a cosine in (low, high], and its interval, as if all pairs were independent."""
        of = self.within if within else self.alone
        found, reference = (int(((of[at] > low) & (of[at] <= high)).sum()) for at in (days, REFERENCE))
        if not found:
            return [None]
        ratio = max(reference, 0.5) / self.compared[REFERENCE] / (found / self.compared[days])
        wide = np.exp(1.96 * np.sqrt(1 / found + 1 / max(reference, 0.5)))
        return [max(0.0, 1 - each) for each in (ratio * (reference > 0), ratio * wide, ratio / wide)]

    def least(self, *, within: bool = False) -> float:
        """The lowest threshold at which the estimate for the same day is .9."""
        return next(
            at / 100 for at in range(5, 100) if (self.estimate(0, at / 100, within=within)[0] or 1) >= 0.9
        )


def aligned(file: Path, columns: str, labels: str, language: Any, names: Iterable[str]) -> dict[str, Aligned]:
    """Align pairs of outlets of a file; every outlet's words count in the vectors."""
    articles = read_articles(
        ReadingOptions(files=(str(file),), columns=columns, labels=labels, other_outlets=True)
    ).articles
    vectors = tfidf([each.article for each in articles], stop_words=stop_words(language))
    days = day_numbers(each.date for each in articles)
    outlets, ids = np.array([each.label for each in articles]), [each.id for each in articles]
    found = {}
    for name in names:
        a, b = (np.flatnonzero((outlets == outlet) & (days >= 0)) for outlet in name.split(", "))
        first = min(days[a].min(), days[b].min())
        spread = [np.bincount(days[side] - first, minlength=days.max() - first + 1) for side in (a, b)]
        compared = {0: int(spread[0] @ spread[1])}
        for gap in range(1, REFERENCE + 1):
            compared[gap] = int(spread[0][gap:] @ spread[1][:-gap] + spread[0][:-gap] @ spread[1][gap:])
        every = align(vectors, days, (a, b), window_days=REFERENCE, floor=0.05)
        gaps, best = np.abs(days[every.a_index] - days[every.b_index]), one_to_one(every)
        alone = {gap: one_to_one(_of(every, gaps == gap)) for gap in compared}
        best_gaps = np.abs(days[best.a_index] - days[best.b_index])
        within = {gap: best.similarity[best_gaps == gap] for gap in compared}
        added = {(ids[i], ids[j]) for i, j in {*_places(alone[0])} - {*_places(best)}}
        found[name] = Aligned(
            {gap: pairs.similarity for gap, pairs in alone.items()}, within, compared, added
        )
    return found


def _of(pairs: Pairs, these: Bools) -> Pairs:
    return Pairs(pairs.a_index[these], pairs.b_index[these], pairs.similarity[these], pairs.counts)


def _places(pairs: Pairs) -> list[tuple[int, int]]:
    return list(zip(pairs.a_index.tolist(), pairs.b_index.tolist(), strict=True))


def estimates(read: pl.DataFrame, found: dict[str, Aligned]) -> dict[str, dict[str, Any]]:
    """The estimate beside what readers say of labelled pairs and of fresh ones; and the lowest threshold at which it is .9."""
    fresh = pl.read_csv(PAIRS.with_name("pairs_fresh.csv")).with_columns(one_event=pl.col("same") == "yes")
    tables: dict[str, dict[str, Any]] = {"pairs_estimate": {}, "pairs_fresh": {}, "pairs_strict": {}}
    errors: dict[tuple[str, str, str], list[float]] = {}
    for name, pairs in found.items():
        strict = LABELLED.get(name, 0.5)
        is_new = pl.struct("a_id", "b_id").is_in(
            [dict(zip(("a_id", "b_id"), ids, strict=True)) for ids in pairs.added]
        )
        drawn, added = fresh.filter(~is_new), fresh.filter(is_new, corpus=name)
        kinds = [("pairs_estimate", read, low, 1.0) for low in sorted({strict, 0.5})]
        kinds += [("pairs_fresh", drawn, 0.5, 1.0), ("pairs_fresh", drawn, 0.185, strict)]
        for table, labels, low, high in kinds:
            for gap, words in enumerate(DAYS[: REFERENCE + (table == "pairs_fresh")]):
                these = pl.col("similarity").is_between(low, high, closed="right")
                said = share(labels.filter(these, corpus=name, days=gap)["one_event"].to_numpy())
                if said[1] < FEWEST and (table == "pairs_fresh" or name in LABELLED):
                    continue
                both = {"estimate": False, "estimate, one-to-one within three days": True}
                cells = {
                    column: pairs.estimate(gap, low, high, within=within) for column, within in both.items()
                }
                if gap < REFERENCE and said[1]:
                    for column, (value, *_) in cells.items():
                        errors.setdefault((table, words, column), []).append(abs((value or 0.0) - said[2]))
                number = int(((pairs.alone[gap] > low) & (pairs.alone[gap] <= high)).sum())
                readers = said if said[1] else None
                tables[table][f"{name}, {low} to {high}: {words}"] = {
                    "pairs": number,
                    "readers": readers,
                } | cells
        if added.height:
            row = f"{name}, 0.5 to 1.0: same day, added"
            tables["pairs_fresh"][row] = {
                "pairs": added.height,
                "readers": share(added["one_event"].to_numpy()),
            }
        least = pairs.least()
        above = read.filter(pl.col("similarity") > least, corpus=name, days=0)["one_event"].to_numpy()
        tables["pairs_strict"][name] = {
            "lowest --strict": f"{least:.2f}",
            "pairs": int((pairs.alone[0] > least).sum()),
            "readers": share(above) if len(above) else None,
            "lowest, one-to-one within three days": f"{pairs.least(within=True):.2f}",
        }
    for (table, words, column), values in errors.items():
        tables[table].setdefault(f"mean error: {words}", {})[column] = float(np.mean(values))
    return tables


def hh(options: Options) -> dict[str, Any]:
    """AUC of judges and encoders on the test set of a corpus."""
    texts = ["a_id", "b_id", "a_headline", "b_headline", "event"]
    test = read_pairs(options.name).join(
        read_table(options.corpus, "pairs", "test", texts), on=["a_id", "b_id"]
    )
    given: dict[str, Floats] = {"tf-idf cosine of the articles": test["similarity"].to_numpy()}
    first, second = test["a_headline"].to_list(), test["b_headline"].to_list()
    for name, folder in (each.split("=", 1) for each in options.judges):
        judge = Judge.from_pretrained(folder)
        both_ways = [
            judge.probabilities(*texts, progress=False)[:, 1] for texts in ((first, second), (second, first))
        ]
        given[f"HH, {name}"] = sum(both_ways) / 2
    for name, folder in (each.split("=", 1) for each in options.encoders):
        vectors = Vectors(name, folder, options.vectors / f"{options.name}-{name}.npz")
        given[f"cosine of {name}, not trained"] = (vectors(first) * vectors(second)).sum(axis=1)
    cells: dict[str, Any] = {}
    for name, p in given.items():
        value, ends = auc(test["one_event"].to_numpy(), p, test["event"].to_numpy())
        cells[name] = {options.name: [value, *(ends or ())]}
    return cells


def main(options: Options) -> dict[str, Any]:
    """The tables that the options have the files for; those of labels alone always."""
    read = readings()
    tables = {"pairs": by_cosine_and_days(read), "pairs_blind": blind(read), "pairs_rule": rules(read)}
    found: dict[str, Aligned] = {}
    if options.allsides:
        found = aligned(options.allsides, "label=outlet", OUTLETS, "en", LABELLED)
        found |= aligned(options.allsides, "", "left,right", "en", [SIDES])
    if options.arabic:
        found |= aligned(options.arabic, "", "alarabia:Al Arabiya,skynews:Sky News Arabia", "none", [ARABIC])
    return tables | estimates(read, found) | ({"pairs_hh": hh(options)} if options.corpus else {})


if __name__ == "__main__":
    options = tyro.cli(Options, description=__doc__)
    with redirect_stdout(sys.stderr):
        result = main(options)
    print(json.dumps(result, indent=1, ensure_ascii=False))
