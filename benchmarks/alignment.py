"""The alignment beside plain scikit-learn on the same articles: time, peak memory, same pairs?

    python benchmarks/alignment.py --data articles.parquet
    python benchmarks/alignment.py --data articles.parquet --window-days none

The file has the columns `label` (two labels), `date` (ISO or month/day/year; anything else is undated) and
`article`. Each side runs in a process of its own, so that both peaks of memory are its own, and times everything
from the texts to the pairs. Prints JSON.
"""

import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import Literal

import numpy as np
import polars as pl
import tyro

TODAY = date.today()


@dataclass(kw_only=True)
class Options:
    """Compare change_it's alignment with TfidfVectorizer, the full sparse product and a mask of dates."""

    data: Path
    """Parquet file with label, date and article."""
    window_days: int | Literal["none"] = 3
    """Articles further apart than this are not pairs; none compares everything."""
    threshold: float = 0.185
    """Cosine above which two articles are a pair."""
    repeat: int = 1
    """Runs of each side, taken in turn; the fastest counts."""
    side: Literal["both", "change_it", "scikit-learn"] = "both"
    """Which side to run; one side alone writes its pairs to --out."""
    out: Path = Path("pairs.npz")
    """Where one side alone writes its pairs."""


def day_of(text: str | None) -> int:
    """Ordinal of a date, -1 if there is none that makes sense."""
    for form in ("%Y-%m-%d", "%m/%d/%y"):
        try:
            day = datetime.strptime((text or "").strip(), form).date()
        except ValueError:
            continue
        return day.toordinal() if date(1900, 1, 1) <= day <= TODAY else -1
    return -1


def with_change_it(
    texts: list[str], is_a: np.ndarray, days: np.ndarray, options: Options
) -> tuple[np.ndarray, ...]:
    """Pairs and the seconds of each step, our way."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    from change_it.corpus.alignment import align
    from change_it.corpus.vectors import tfidf, tokenise

    window = None if options.window_days == "none" else options.window_days
    start = time.perf_counter()
    matrix = tfidf(tokenise(texts), stop_words=ENGLISH_STOP_WORDS).matrix
    middle = time.perf_counter()
    pairs = align(
        matrix[is_a],
        matrix[~is_a],
        days[is_a],
        days[~is_a],
        window_days=window,
        floor=options.threshold,
    )
    seconds = np.array([middle - start, time.perf_counter() - middle])
    return pairs.a_index, pairs.b_index, pairs.similarity, seconds


def with_scikit_learn(
    texts: list[str], is_a: np.ndarray, days: np.ndarray, options: Options
) -> tuple[np.ndarray, ...]:
    """Pairs and the seconds of each step, the plain way."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    start = time.perf_counter()
    matrix = TfidfVectorizer(stop_words="english", min_df=2).fit_transform(texts)
    middle = time.perf_counter()
    product = (matrix[is_a] @ matrix[~is_a].T).tocoo()
    results = product.data > options.threshold
    a, b, similarity = product.row[results], product.col[results], product.data[results]
    if options.window_days != "none":
        a_days, b_days = days[is_a][a], days[~is_a][b]
        near = (a_days >= 0) & (b_days >= 0) & (np.abs(a_days - b_days) <= options.window_days)
        a, b, similarity = a[near], b[near], similarity[near]
    seconds = np.array([middle - start, time.perf_counter() - middle])
    return a, b, similarity, seconds


SIDES = {"change_it": with_change_it, "scikit-learn": with_scikit_learn}


def run_one_side(options: Options) -> None:
    """Run one side in this process and write what it found."""
    table = pl.read_parquet(options.data, columns=["label", "date", "article"])
    days = np.array([day_of(text) for text in table["date"].cast(pl.String)])
    is_a = (table["label"] == table["label"].min()).to_numpy()
    texts = table["article"].to_list()
    del table
    before = getrusage(RUSAGE_SELF).ru_maxrss / 1024
    a, b, similarity, seconds = SIDES[options.side](texts, is_a, days, options)
    memory = np.array([before, getrusage(RUSAGE_SELF).ru_maxrss / 1024])
    order = np.lexsort((b, a))
    np.savez(
        options.out, a=a[order], b=b[order], similarity=similarity[order], seconds=seconds, memory=memory
    )


def compare(options: Options) -> dict[str, object]:
    """Run both sides in processes of their own and compare what they found."""
    runs: dict[str, list[dict[str, np.ndarray]]] = {side: [] for side in SIDES}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.repeat):
            for side in SIDES:
                out = Path(folder) / f"{side}.npz"
                arguments = [f"--data={options.data}", f"--side={side}", f"--out={out}"]
                arguments += [f"--window-days={options.window_days}", f"--threshold={options.threshold}"]
                subprocess.run([sys.executable, __file__, *arguments], check=True)
                with np.load(out) as results:
                    runs[side].append(dict(results))
    best = {side: min(results, key=lambda run: float(run["seconds"].sum())) for side, results in runs.items()}
    ours, plain = best["change_it"], best["scikit-learn"]
    same = np.array_equal(ours["a"], plain["a"]) and np.array_equal(ours["b"], plain["b"])
    return {
        "pairs": {side: len(results["a"]) for side, results in best.items()},
        "same_pairs": same,
        "largest_difference": float(np.abs(ours["similarity"] - plain["similarity"]).max()) if same else None,
        "seconds": {
            side: {
                "tfidf": round(float(results["seconds"][0]), 2),
                "pairs": round(float(results["seconds"][1]), 2),
            }
            for side, results in best.items()
        },
        "peak_mb": {side: round(float(results["memory"][1])) for side, results in best.items()},
        "peak_mb_of_the_texts_alone": round(float(ours["memory"][0])),
        "times_faster": round(float(plain["seconds"].sum() / ours["seconds"].sum()), 2),
        "memory_ratio": round(float(ours["memory"][1] / plain["memory"][1]), 3),
    }


def main() -> None:
    """Compare, or run one side."""
    options = tyro.cli(Options)
    if options.side == "both":
        print(json.dumps(compare(replace(options, data=options.data.resolve())), indent=2))
    else:
        run_one_side(options)


if __name__ == "__main__":
    main()
