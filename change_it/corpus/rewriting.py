"""Headlines with what they are rewritten from: what the generator `rewrite` learns."""

import polars as pl

from change_it.corpus.folder import read_table
from change_it.text.evidence import unsupported

#: Characters of an article that a small network reads, roughly: names and numbers behind them are out of its sight.
OPENING = 1000


def read_rewriting(corpus: str) -> pl.DataFrame:
    """`id, given, article, to, target`: every article with its own headline, and both directions of the pairs of A1 (those of A3 are two events too often).

    `given` is the original's headline; an own headline has none. Nothing teaches to invent: headlines with names, numbers
    or quotations that the original and the beginning of its article lack are left out.
    """
    articles = read_table(corpus, "articles", "train", ["id", "label", "headline", "article"])
    parts = [articles.select("id", "article", given=pl.lit(""), target="headline", to="label")]
    sides = [f"{side}_{column}" for side in "ab" for column in ("id", "headline", "article")]
    pairs = read_table(corpus, "pairs", "train", [*sides, "alignment"]).filter(alignment="A1")
    label = dict(articles.select("id", "label").iter_rows())
    for here, there in ("ab", "ba"):
        parts.append(
            pairs.select(
                id=f"{here}_id",
                article=f"{here}_article",
                given=f"{here}_headline",
                target=f"{there}_headline",
                to=pl.col(f"{there}_id").replace_strict(label, return_dtype=pl.String),
            )
        )
    rows = pl.concat(parts).filter(
        pl.col(name).str.strip_chars().str.len_chars() > 0 for name in ("article", "target")
    )
    supported = [
        not unsupported(target, (given, article[:OPENING]))
        for article, given, target in rows.select("article", "given", "target").iter_rows()
    ]
    return rows.filter(pl.Series(supported, dtype=pl.Boolean)).select(
        "id", "given", "article", "to", "target"
    )
