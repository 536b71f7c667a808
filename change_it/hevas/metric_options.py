"""Options of `change-it hevas`."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from change_it.errors import InputError

#: Systems that need no file, see `baseline_systems`.
Baseline = Literal["first", "random", "tfidf", "wtextrank", "stextrank"]
#: Name of the system that keeps the original headline.
COPY = "copy"


@dataclass(kw_only=True)
class MetricOptions:
    """Options that the values of the metrics depend on."""

    language: str = "it"
    """Language of documents and headlines: it or en; others, such as de, with --stop-words and without PNR, NR and PR."""
    stop_words: str = ""
    """Words that LSI, LDA and baselines leave out: it, en or none; those of the language when not given."""
    weights: Literal["tf", "tf-idf"] = "tf"
    """Word weights of KL and JS; tf-idf learns from the documents."""
    lsi: str = "ratio:0.1"
    """Eigenvalues that LSI keeps: 50 the largest ones, ratio:0.1 this share of them, ratio:1 all, threshold:0.1 those of at least this value."""
    topics: int = 10
    """LDA topics."""
    vectors: Path | None = None
    """Word vectors for WE: a word2vec file, with .bin in its name if it is binary, .gz or not; trained on the documents when not given, which takes thousands to be worth it."""
    seed: int = 1
    """Seed of LDA, trained word vectors, the baseline random and bootstrap intervals."""


def parse_lsi(text: str) -> tuple[str, float]:
    """`number`, `ratio` or `threshold` and its value, of `MetricOptions.lsi`."""
    found = re.fullmatch(r"(?:(ratio|threshold):)?(\d+(?:\.\d+)?)", text)
    name, value = (found[1] or "number", float(found[2])) if found else ("", 0.0)
    fits = {"number": value.is_integer() and value > 0, "ratio": 0 < value <= 1, "threshold": True}
    if not fits.get(name):
        raise InputError(
            f"LSI cannot keep eigenvalues by {text!r}: give a number as 50, a share as ratio:0.1 or a least value as threshold:0.1"
        )
    return name, value
