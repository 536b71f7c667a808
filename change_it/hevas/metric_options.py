"""Options of `change-it hevas`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

#: Systems that need no file, see `baselines`.
Baseline = Literal["first", "random", "tfidf", "wtextrank", "stextrank"]
#: Drawings, see `charts`.
Chart = Literal["bar", "interval", "box", "scatter"]


@dataclass(kw_only=True)
class MetricOptions:
    """What the values of the metrics depend on."""

    language: str = "it"
    """Of documents and headlines: it or en; others, such as de, with --tagger and --stop-words."""
    tagger: str = ""
    """For PNR, NR, PR: spacy:NAME for an installed spaCy pipeline; the package's own tagger of the language when not given."""
    stop_words: str = ""
    """Words that LSI, LDA and baselines leave out: it, en or none; those of the language when not given."""
    counts: Literal["set", "clipped"] = "set"
    """R-1 and R-2 count different n-grams (HEvAS) or occurrences, as ROUGE does elsewhere."""
    weights: Literal["tf", "tf-idf"] = "tf"
    """Word weights of KL and JS; tf-idf learns from the documents."""
    lsi_number: int | None = None
    """LSI keeps this many eigenvalues, the largest; 100 when no filter is given, fewer for fewer documents."""
    lsi_ratio: float | None = None
    """LSI keeps this share of all eigenvalues instead, above 0 and at most 1."""
    lsi_floor: float | None = None
    """LSI keeps the eigenvalues of at least this value instead."""
    topics: int = 10
    """LDA topics."""
    vectors: Path | None = None
    """Word vectors for WE: a word2vec file, text or binary, .gz or not; trained on the documents when not given, which takes thousands to be worth it."""
    vectors_limit: int | None = None
    """Read only so many word vectors, from the first."""
    seed: int = 1
    """Of LDA, of trained word vectors, of the baseline random and of bootstrap intervals."""
