"""`change-it corpus sample`: the embedded sample as a CSV file."""

from dataclasses import dataclass
from pathlib import Path

from change_it.corpus.sample import sample_articles, write_csv
from change_it.io import check_writable
from change_it.tables import console


@dataclass(kw_only=True)
class SampleOptions:
    """Write the embedded sample, articles of two invented Italian newspapers, or a part of it as one CSV.

    Examples:
        change-it corpus sample --out sample.csv
        change-it corpus sample --articles 2000 --seed 7 --out sample.csv
    """

    out: Path
    """CSV file to write: id, headline, article, label, date."""
    articles: int = 12000
    """Number of articles, both newspapers together: at most 12000. Fewer are those of consecutive events, whole."""
    seed: int = 1
    """Chooses the event that a part begins with; all 12000 articles are the same for every seed."""


def run(options: SampleOptions) -> None:
    """Write the sample as CSV: `id, headline, article, label, date`."""
    check_writable(options.out, kind="csv")
    write_csv(sample_articles(options.articles, options.seed), options.out)
    console().print(f"{options.articles} articles of La Gazzetta del Colle and Il Faro → {options.out}")
