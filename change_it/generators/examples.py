"""Make what a generator reads of an item, and the examples that recipes learn from.

Sources: EvalNLGEval 2020 and LREC 2020.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from change_it.corpus.folder import read_table

if TYPE_CHECKING:
    import polars as pl

#: What a generator reads of an item.
Reads = Literal["article", "headline", "both"]
#: Characters of an article that a small network reads, roughly: names and numbers behind them are out of its
#: sight.
CHARACTERS_IN_SIGHT = 1000


def source_of(reads: Reads, headline: str, article: str, to: str) -> str:
    """Return the source that a generator reads of an item.

    It is the headline, the article, or the target before both; empty without either.
    """
    if reads == "headline":
        return headline
    if reads == "article":
        return article
    if not (headline + article).strip():
        return ""
    return f"{to} | {headline} | {article}"


@dataclass(frozen=True)
class ExampleRequest:
    """Which examples are asked for.

    Attributes:
        corpus: corpus folder, or id of such a data set on the Hub.
        outlets: short names of the outlets A and B.
        to: outlet whose headlines are written; None of a generator for both.
        split: `train`; `validation` is asked of recipes with a validation part of their own.
    """

    corpus: str
    outlets: tuple[str, str]
    to: str | None
    split: Literal["train", "validation"] = "train"


def table_examples(request: ExampleRequest, config: str) -> "pl.DataFrame":
    """Return the rows of a config of the corpus that write for the outlet asked for."""
    first, second = request.outlets
    other = second if request.to == first else first
    return _filled_rows(request, config, f"{other}2{request.to}")


def agnostic_examples(request: ExampleRequest) -> "pl.DataFrame":
    """Return articles of both outlets with their headlines, which the corpus has in a config of its own."""
    return _filled_rows(request, "agnostic", "agnostic")


def training_set_examples(request: ExampleRequest, config: str) -> "pl.DataFrame":
    """Return the articles and headlines of the outlet asked for in a training set of LREC 2020.

    The set has their ids alone.
    """
    import polars as pl

    chosen = read_table(request.corpus, config, request.split, ["id"])
    articles = read_table(request.corpus, "articles", "train", ["id", "label", "headline", "article"])
    of_outlet = articles.filter(pl.col("label") == request.to)
    rows = chosen.join(of_outlet, on="id", maintain_order="left")
    return rows.select("id", source="article", target="headline")


def rewriting_examples(request: ExampleRequest) -> "pl.DataFrame":
    """Return the examples of `read_rewriting` with their sources.

    The column `own` says whether the target is the article's own headline.
    """
    import polars as pl

    examples = read_rewriting(request.corpus)
    texts = examples.select("given", "article", "to").iter_rows()
    sources = [source_of("both", headline, article, to) for headline, article, to in texts]
    return examples.with_columns(source=pl.Series(sources, dtype=pl.String), own=pl.col("given") == "")


def read_rewriting(corpus: str) -> "pl.DataFrame":
    """Return `id`, `given`, `article`, `to` and `target` of the examples that the recipe rewrite learns from.

    They are every article with its own headline, and both directions of the A1 pairs. A3 is left out, since
    its pairs too often tell of two events. `given` is the original's headline; it is empty where the target
    is the article's own. A headline is left out where neither the original nor the beginning of its article
    has all of its names, numbers and quotations: it would teach to invent.
    """
    import polars as pl

    from change_it.text.evidence import unsupported

    articles = read_table(corpus, "articles", "train", ["id", "label", "headline", "article"])
    own = articles.select("id", "article", given=pl.lit(""), target="headline", to="label")
    columns = [f"{side}_{name}" for side in "ab" for name in ("id", "headline", "article")]
    pairs = read_table(corpus, "pairs", "train", [*columns, "alignment"]).filter(alignment="A1")
    label = dict(articles.select("id", "label").iter_rows())
    rows = pl.concat([own, _one_direction(pairs, "a", "b", label), _one_direction(pairs, "b", "a", label)])
    has_target = pl.col("target").str.strip_chars().str.len_chars() > 0
    has_article = pl.col("article").str.strip_chars().str.len_chars() > 0
    rows = rows.filter(has_article, has_target)
    supported = []
    for article, given, target in rows.select("article", "given", "target").iter_rows():
        sources = (given, article[:CHARACTERS_IN_SIGHT])
        supported.append(not unsupported(target, sources))
    return rows.filter(pl.Series(supported, dtype=pl.Boolean))


def _one_direction(pairs: "pl.DataFrame", here: str, there: str, label: dict[str, str]) -> "pl.DataFrame":
    """Return pairs as examples of rewriting the article of one side with the headline of the other.

    Args:
        pairs: rows of the config `pairs`.
        here: side of the article and the original headline, `a` or `b`.
        there: side of the headline that is written.
        label: the outlet of each article by its id.
    """
    import polars as pl

    return pairs.select(
        id=f"{here}_id",
        article=f"{here}_article",
        given=f"{here}_headline",
        target=f"{there}_headline",
        to=pl.col(f"{there}_id").replace_strict(label, return_dtype=pl.String),
    )


def as_many_own_as_pairs(rows: "pl.DataFrame", seed: int) -> "pl.DataFrame":
    """Return all pairs of `rewriting_examples` and as many articles with their own headline, drawn by seed.

    Where there is no pair, all articles are returned.
    """
    import numpy as np
    import polars as pl

    from change_it.corpus.pairing.groups import rng_for

    own = rows.filter("own")
    pairs = len(rows) - len(own)
    # without any pair, all articles are kept
    drawn = rng_for(seed, "articles beside pairs").permutation(len(own))[: pairs or None]
    return pl.concat([rows.filter(~pl.col("own")), own[np.sort(drawn)]])


def _filled_rows(request: ExampleRequest, config: str, direction: str) -> "pl.DataFrame":
    """Return the rows of one direction that have something to read and something to write."""
    import polars as pl

    rows = read_table(request.corpus, config, request.split, ["id", "source", "target", "direction"])
    has_source = pl.col("source").str.strip_chars().str.len_chars() > 0
    has_target = pl.col("target").str.strip_chars().str.len_chars() > 0
    return rows.filter(pl.col("direction") == direction, has_source, has_target)
