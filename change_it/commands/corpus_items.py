"""`change-it corpus items`: the headlines that a system rewrites, as a CSV file."""

from dataclasses import dataclass
from pathlib import Path

from change_it.corpus.folder import check_corpus
from change_it.io import check_writable, counted, write_table


@dataclass(kw_only=True)
class ItemsOptions:
    """Write the test headlines that systems rewrite, with their articles: what any program needs for a file that `score` reads.

    Examples:
        change-it corpus items --corpus runs/quickstart/corpus --out todo.csv
        change-it corpus items --corpus runs/mine/corpus --to herald --out todo.csv
    """

    corpus: str
    """Corpus folder or data set id on the Hub."""
    out: Path
    """CSV file to write: id, direction, headline, article, to. A system writes a file with id and its own headline."""
    to: str | None = None
    """Only headlines to rewrite for this outlet."""
    all_items: bool = False
    """Also headlines that the other outlet has none for."""


def check(options: ItemsOptions) -> None:
    """Refuse, before anything large loads, a corpus that is none and a file that cannot be written."""
    check_corpus(options.corpus)
    check_writable(options.out, kind="csv", inputs=[options.corpus])


def run(options: ItemsOptions) -> None:
    """Write the items."""
    check(options)

    from change_it.corpus.article import outlet_names
    from change_it.scoring.item import read_test_set

    test = read_test_set(options.corpus)
    aims = outlet_names("--to", options.to, test.outlets, 1) if options.to else test.outlets
    rows = [
        (item.id, item.direction, item.source, item.article, item.target)
        for item in test.items
        if item.target in aims and (item.reference or options.all_items)
    ]
    write_table(options.out, ("id", "direction", "headline", "article", "to"), rows)
    print(f"wrote {counted(len(rows), 'headline')} to {options.out}")
    print(
        f"Next: write id and headline of each to mine.csv, then change-it score --corpus {options.corpus} --judges JUDGES --predictions mine=mine.csv"
    )
