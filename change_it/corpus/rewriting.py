"""Headlines with what they are rewritten from: what the generator `rewrite` and the reader of facts learn."""

import re

import polars as pl

from change_it.corpus.folder import read_table
from change_it.corpus.training_sets import of_fold
from change_it.text.tokens import HEADLINE_TOKEN

#: Characters of an article that a small network reads, roughly: names and numbers behind them are out of its sight.
OPENING = 1000
#: Letters of a preposition or article, at most.
SHORT = 4
#: Behind these marks a capital letter says nothing.
BEGINNING = '.:?!…«"“'
_TOKEN = re.compile(HEADLINE_TOKEN)


def rewriting_source(headline: str, article: str, to: str) -> str:
    """What a headline is rewritten from: the outlet aimed at, the original headline if there is one, the article."""
    return f"{to} | {headline} | {article}"


def read_rewriting(corpus: str, outlets: tuple[str, str], fold: str = "all") -> pl.DataFrame:
    """`id, given, article, to, target`: every article with its own headline, and both directions of pairs.

    Nothing teaches to invent names and numbers: those of an own headline that its article lacks are `given`, where else the
    headline of an original stands, and pairs with such a target are left out.

    Args:
        corpus: folder or data set id.
        outlets: A and B.
        fold: of the articles and pairs; all takes both.
    """
    articles = read_table(corpus, "articles", "train", ["id", "label", "headline", "article", "fold"])
    parts = [articles.select("id", "article", given=pl.lit(""), target="headline", fold="fold", to="label")]
    sides = [f"{side}_{column}" for side in "ab" for column in ("id", "headline", "article")]
    pairs = read_table(corpus, "pairs", "train", [*sides, "fold"])
    for here, there, to in (("a", "b", outlets[1]), ("b", "a", outlets[0])):
        parts.append(
            pairs.select(
                id=f"{here}_id",
                article=f"{here}_article",
                given=f"{here}_headline",
                target=f"{there}_headline",
                fold="fold",
                to=pl.lit(to),
            )
        )
    rows = pl.concat(parts).filter(
        pl.col(name).str.strip_chars().str.len_chars() > 0 for name in ("article", "target")
    )
    rows = of_fold(rows, fold)
    read: list[str | None] = []
    for article, given, target in rows.select("article", "given", "target").iter_rows():
        lacking = unsupported(target, f"{given} {article[:OPENING]}")
        read.append(None if given and lacking else given or ", ".join(lacking))
    given = pl.Series("given", read, dtype=pl.String)
    return rows.with_columns(given).drop_nulls("given").select("id", "given", "article", "to", "target")


def unsupported(headline: str, text: str) -> list[str]:
    """Names and numbers of a headline that a text does not have, as far as capitals and digits show them; neighbours together.

    A name has the short word before it, if there is one: `a Roma` is a place where `Roma` at the beginning may be anything.

    Examples:
        >>> unsupported("Apre la tangenziale a Borgo Tambarossa, 113 milioni", "Costa 113 milioni la tangenziale in città")
        ['a Borgo Tambarossa']
    """
    have = set(_TOKEN.findall(text.lower()))
    tokens = [(match.group(), *match.span()) for match in _TOKEN.finditer(headline)]
    found: list[list[int]] = []
    for place, (token, start, end) in enumerate(tokens):
        known = token.lower() in have
        following = tokens[place + 1][0] if place + 1 < len(tokens) else ""
        opens = place == 0 or tokens[place - 1][0].strip() in BEGINNING
        capital = token[0].isupper() and (
            not opens or (following[:1].isupper() and following.lower() not in have)
        )
        if known or not (capital or any(map(str.isdigit, token))):
            continue
        if found and found[-1][2] == place - 1:
            found[-1][1:] = [end, place]
        else:
            before = tokens[place - 1] if place and token[0].isupper() else None
            short = before is not None and before[0].islower() and len(before[0]) <= SHORT
            found.append([before[1] if before and short else start, end, place])
    return [headline[start:end] for start, end, _ in found]
