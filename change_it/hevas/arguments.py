"""Options of `change-it hevas`."""

from dataclasses import dataclass, field
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


@dataclass(kw_only=True)
class HevasOptions(MetricOptions):
    """Measure headlines with HEvAS: informativeness and readability, with statistics and charts; no judges.

    Documents are CSV, TSV, JSON lines or parquet with the columns article and headline (also headlines, headline1,
    headline2, … for several references) and id if there is one; a file marked like XML, .xml or .sgml, as HEvAS reads:
    <doc id="1"><headline>…</headline><text>…</text></doc>; or a corpus folder, whose A2 articles are taken.

    Examples:
        change-it hevas --documents articles.csv --system mine=mine.txt --baselines first random --out runs/hevas
        change-it hevas --documents runs/mine/corpus --system sum=sum.csv s2s=s2s.csv --out runs/mine/hevas
        change-it hevas --documents news.jsonl --system mine=mine.txt --language en --metrics R-1 R-SU LSA-C JS-S Fog
    """

    documents: str
    """File of documents with their reference headlines, or a corpus folder."""
    system: tuple[str, ...] = ()
    """Systems as NAME=FILE: text with one headline a line, in the documents' order, or CSV with id, headline, as transfer writes it."""
    baselines: tuple[Baseline, ...] = ()
    """Systems that HEvAS compares with: first, random, tfidf, wtextrank, stextrank."""
    metrics: tuple[str, ...] = ()
    """R-1 R-2 R-SU R-WSU LSA-C LSA-S TM-C TM-S WE-C WE-S KL-C KL-S JS-C JS-S PNR NR PR Fog AWL; all when not given."""
    columns: str = ""
    """Column map of --documents, ours=theirs: article=body,headline=title; headline may stand several times."""
    n_words: int = 9
    """Words in a baseline's headline, at most."""
    resamples: int = 1000
    """Bootstrap resamples of the intervals."""
    correlations_of: str = ""
    """System whose metrics are correlated with each other: first for the paper's Table 3; all systems together when not given."""
    charts: tuple[Chart, ...] = field(default=("bar", "interval", "box", "scatter"))
    """Drawings to write and to show in report.html."""
    out: Path | None = None
    """Folder for report.html, summary.csv, summary.json, items/<system>.csv and charts/; nothing is written when not given."""
    report_language: Literal["it", "en"] | None = None
    """Of report.html; that of the texts when not given, English where they are in neither."""
    json: bool = False
    """Print JSON instead of a table."""
