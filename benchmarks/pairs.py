"""Measure which aligned pairs report one event, by rules, readers and the estimate without labels.

It prints JSON for `tables.py --keep`.

    python benchmarks/pairs.py --allsides allsides.parquet --arabic arabic.parquet
    python benchmarks/pairs.py --judges "CNN, Washington Times: linear" runs/cnnwt/corpus runs/cnnwt/judges/hh

The tables are pairs_hh, which requires --judges, pairs_rule, pairs_blind and pairs_estimate. labels/pairs.csv
has what two readers, who saw the dates, say of pairs aligned within three days: all of the test set, and some
of A1; pairs_blind.csv what a third one, who did not, says of sixty of them; pairs_fresh.csv what that one
says of others. None saw a cosine.
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
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import cohen_kappa_score

from change_it.corpus.folder import read_table
from change_it.corpus.pairing.groups import components
from change_it.corpus.pairing.matching import Lag, align, day_numbers, one_to_one, pairs_by_lag
from change_it.corpus.pairing.vectors import tfidf
from change_it.corpus.reading.options import GUARD, ReadingOptions
from change_it.corpus.reading.reading import read_articles
from change_it.judges.judge import Judge
from change_it.readers.labels import auc
from change_it.render.tables import figure
from change_it.stats import Bools, measure, share_interval
from change_it.text.stopwords import stop_words

#: Whether two readers say that a pair reports one event.
PAIRS = Path(__file__).with_name("labels") / "pairs.csv"
#: Labels below which a cell is left out.
FEWEST = 3
#: Follows the names of rows of pairs that were read after the choice of three days.
LATER = ", read later"
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
    """Count what readers say, and compare rules and estimates with it."""

    allsides: Path | None = None
    """Parquet file of AllSides' articles."""
    arabic: Path | None = None
    """Parquet file of articles of Sky News Arabia and Al Arabiya."""
    judges: tuple[tuple[str, str, str], ...] = ()
    """HH judges: OUTLETS: NAME, their corpus and their folder, for each."""


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
    """Return all labelled pairs with their event.

    Pairs that share an article have one event. A hash of the first id says in which half of the labels they
    are.
    """
    both = (pl.col("same1") == "yes") & (pl.col("same2") == "yes")
    read = pl.read_csv(PAIRS).with_columns(one_event=both)
    ids = sorted({*read["a_id"], *read["b_id"]})
    at = {article: place for place, article in enumerate(ids)}
    a, b = (np.array([at[article] for article in read[side]]) for side in ("a_id", "b_id"))
    events = components(np.arange(len(ids)), a, b)
    first = np.unique(events, return_index=True)[1]
    halves = np.array([int(sha256(ids[place].encode()).hexdigest(), 16) % 2 for place in first])
    return read.with_columns(event=events[a], half=halves[events[a]])


def blind(read: pl.DataFrame) -> dict[str, Any]:
    """The third reading beside the two, by days apart; how often it agrees, and kappa."""
    both = read.join(pl.read_csv(PAIRS.with_name("pairs_blind.csv")), on=["a_id", "b_id"])
    third = both["same3"].to_numpy() == "yes"
    rows: dict[str, Any] = {}
    for words, chosen in [
        *((words, both["days"].to_numpy() == days) for days, words in enumerate(DAYS)),
        ("all", third | ~third),
    ]:
        first = both["one_event"].to_numpy()[chosen]
        rows[words] = {"two readings": share(first), "third, blind": share(third[chosen])}
        rows[words] |= {"agree": share(first == third[chosen])[:3]}
    rows["all"]["kappa"] = float(cohen_kappa_score(both["one_event"].to_numpy(), third))
    rows["all"]["kappa of the two"] = float(
        cohen_kappa_score(read["same1"].to_list(), read["same2"].to_list())
    )
    return rows


def rules(read: pl.DataFrame) -> dict[str, Any]:
    """Return the share of pairs of one event by rule.

    It is given for each half of the labels, by pair of outlets, and for pairs that are not of the same day.
    """
    cosine, days, hit, half = (read[name].to_numpy() for name in ("similarity", "days", "one_event", "half"))
    above = cosine > 0.5
    own = read["corpus"].replace_strict(LABELLED).to_numpy()
    kept = {"same day": above & (days == 0)}
    for rise in (0.1, 0.15, 0.2):
        kept[f"within 1 days, {rise:.2f} a day"] = (days <= 1) & (cosine > 0.5 + rise * days)
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
    """Pairs of two outlets."""

    lags: list[Lag]
    added: set[tuple[str, str]]  # ids of the same-day pairs that are not one-to-one within three days

    def estimate(
        self, days: int, low: float, high: float = 1.0, *, column: str = "alone"
    ) -> list[float | None]:
        """Estimate which share of the pairs so many days apart with a cosine in (low, high] is one event.

        The interval is that of independent pairs.
        """
        lags = self.lags[days], self.lags[GUARD]
        counted = Lag.matched_between if column == "matched" else Lag.alone_between
        count, reference = (counted(lag, low, high) for lag in lags)
        if not count:
            return [None]
        ratio = max(reference, 0.5) / lags[1].compared / (count / lags[0].compared)
        wide = np.exp(1.96 * np.sqrt(1 / count + 1 / max(reference, 0.5)))
        return [max(0.0, 1 - share) for share in (ratio * (reference > 0), ratio * wide, ratio / wide)]


def aligned(file: Path, columns: str, labels: str, language: Any, names: Iterable[str]) -> dict[str, Aligned]:
    """Align pairs of outlets of a file; every outlet's words count in the vectors."""
    options = ReadingOptions(files=(str(file),), columns=columns, labels=labels, other_outlets=True)
    articles = read_articles(options).articles
    vectors = tfidf([article.article for article in articles], stop_words=stop_words(language))
    days, ids = day_numbers(article.date for article in articles), [article.id for article in articles]
    outlets = np.array([article.label for article in articles])
    by_name = {}
    for name in names:
        a, b = (np.flatnonzero((outlets == outlet) & (days >= 0)) for outlet in name.split(", "))
        every = align(vectors, days, (a, b), window_days=GUARD, floor=0.05)
        best, same_day = one_to_one(every), one_to_one(every.select(every.days_apart(days) == 0))
        kept = set(zip(*best.positions, strict=True))
        added = {(ids[i], ids[j]) for i, j in zip(*same_day.positions, strict=True) if (i, j) not in kept}
        by_name[name] = Aligned(pairs_by_lag(every, best, days, (a, b)), added)
    return by_name


def estimates(read: pl.DataFrame, outlets: dict[str, Aligned]) -> dict[str, Any]:
    """What readers say, of labelled pairs and of pairs read later, and the estimate, by days apart."""
    later = pl.read_csv(PAIRS.with_name("pairs_fresh.csv")).with_columns(one_event=pl.col("same") == "yes")
    rows: dict[str, dict[str, Any]] = {}
    errors: dict[tuple[str, str], list[float]] = {}
    for name, pairs in outlets.items():
        strict = LABELLED.get(name, 0.5)
        new = [dict(zip(("a_id", "b_id"), ids, strict=True)) for ids in pairs.added]
        is_new = pl.struct("a_id", "b_id").is_in(new)
        drawn, added = later.filter(~is_new), later.filter(is_new, corpus=name)
        kinds = [("", read, low, 1.0) for low in sorted({strict, 0.5})]
        kinds += [(LATER, drawn, 0.5, 1.0), (LATER, drawn, 0.185, strict)]
        for which, labels, low, high in kinds:
            row: dict[str, Any] = {}
            for gap, words in enumerate(DAYS[:GUARD]):
                these = pl.col("similarity").is_between(low, high, closed="right")
                yes, n, *shares = share(labels.filter(these, corpus=name, days=gap)["one_event"].to_numpy())
                if n < FEWEST and (which == LATER or name in LABELLED):
                    continue
                value, *ends = pairs.estimate(gap, low, high)
                if n:
                    for title, column in (("", "alone"), (", one-to-one within three days", "matched")):
                        estimate = pairs.estimate(gap, low, high, column=column)[0] or 0.0
                        errors.setdefault((f"mean error{which}{title}", words), []).append(
                            abs(estimate - shares[0])
                        )
                by_readers = f"{yes} of {n}: {figure(shares[0])}" if n else "–"
                row[words] = f"{by_readers}; {figure(value)} ({'–'.join(map(figure, ends))})"
            if added.height and (which, low) == (LATER, 0.5):
                row["same day, added"] = share(added["one_event"].to_numpy())[:3]
            if row:
                rows[f"{name}, {low} to {high}{which}"] = row
    for (title, words), values in errors.items():
        rows.setdefault(title, {})[words] = float(np.mean(values))
    return {"pairs_estimate": rows} if rows else {}


def judged(read: pl.DataFrame, outlets: str, corpus: str, folder: str) -> list[Any]:
    """Count the labelled pairs of two outlets that are one event, and measure the AUC of an HH judge for it.

    Articles of the training pairs of the judge's fold are left out.
    """
    judge = Judge.from_pretrained(folder)
    learnt = read_table(corpus, "pairs", "train").filter(pl.col("fold") == int(judge.fold))
    headlines = {
        row["id"]: row["headline"]
        for side in ("train", "test", "other")
        for row in read_table(corpus, "articles", side).iter_rows(named=True)
    }
    known = headlines.keys() - {*learnt["a_id"], *learnt["b_id"]}
    pairs = read.filter(pl.col("a_id").is_in(known), pl.col("b_id").is_in(known), corpus=outlets)
    shown = ([headlines[id_] for id_ in pairs[side]] for side in ("a_id", "b_id"))
    one_event = pairs["one_event"].to_numpy()
    value, ends = auc(one_event, judge.probabilities(*shown, progress=False)[:, 1], pairs["event"].to_numpy())
    return [int(one_event.sum()), len(one_event), value, *(ends or ())]


def main(options: Options) -> dict[str, Any]:
    """The tables that the options have the files for; those of labels alone always."""
    read = readings()
    tables = {"pairs_blind": blind(read), "pairs_rule": rules(read)}
    by_encoder: dict[str, dict[str, Any]] = {}
    for name, *judge in options.judges:
        pair, encoder = name.split(": ")
        by_encoder.setdefault(encoder, {})[pair] = judged(read, pair, *judge)
    tables |= {"pairs_hh": by_encoder} if by_encoder else {}
    outlets: dict[str, Aligned] = {}
    if options.allsides:
        outlets = aligned(options.allsides, "label=outlet", OUTLETS, "en", LABELLED)
        outlets |= aligned(options.allsides, "", "left,right", "en", [SIDES])
    if options.arabic:
        outlets |= aligned(
            options.arabic, "", "alarabia:Al Arabiya,skynews:Sky News Arabia", "none", [ARABIC]
        )
    return tables | estimates(read, outlets)


if __name__ == "__main__":
    options = tyro.cli(Options, description=__doc__)
    with redirect_stdout(sys.stderr):
        result = main(options)
    print(json.dumps(result, indent=1, ensure_ascii=False))
