"""Headlines with what they are rewritten from: what the generator `rewrite` learns."""

import re

import polars as pl

from change_it.corpus.folder import read_language, read_table
from change_it.text.quotations import Words, quotations
from change_it.text.stopwords import guess_language
from change_it.text.tokens import HEADLINE_TOKEN

#: Characters of an article that a small network reads, roughly: names and numbers behind them are out of its sight.
OPENING = 1000
#: Behind these marks a capital letter says nothing.
BEGINNING = '.:?!…«"“'
_TOKEN = re.compile(HEADLINE_TOKEN)


def read_rewriting(corpus: str) -> pl.DataFrame:
    """`id, given, article, to, target`: every article with its own headline, and both directions of pairs.

    `given` is the original's headline; an own headline has none. Nothing teaches to invent: headlines with names, numbers
    or quotations that the original and the beginning of its article lack are left out.
    """
    articles = read_table(corpus, "articles", "train", ["id", "label", "headline", "article"])
    parts = [articles.select("id", "article", given=pl.lit(""), target="headline", to="label")]
    sides = [f"{side}_{column}" for side in "ab" for column in ("id", "headline", "article")]
    pairs = read_table(corpus, "pairs", "train", sides)
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
    language = read_language(corpus) or guess_language(rows["target"].head(1000).to_list())
    supported = [
        supports_headline(f"{given} {article[:OPENING]}", target, language)
        for article, given, target in rows.select("article", "given", "target").iter_rows()
    ]
    return rows.filter(pl.Series(supported, dtype=pl.Boolean)).select(
        "id", "given", "article", "to", "target"
    )


def supports_headline(text: str, headline: str, language: str) -> bool:
    """Whether a text has all names and numbers of a headline, as far as capitals and digits show them, and all that it quotes."""
    tokens, present = _TOKEN.findall(headline), set(_TOKEN.findall(text.lower()))
    for index, token in enumerate(tokens):
        if token.lower() in present:
            continue
        following = tokens[index + 1] if index + 1 < len(tokens) else ""
        opens = index == 0 or tokens[index - 1].strip() in BEGINNING
        name = token[0].isupper() and (
            not opens or (following[:1].isupper() and following.lower() not in present)
        )
        if name or any(map(str.isdigit, token)):
            return False
    quoted = quotations(headline, language)
    words = [Words(text)] if quoted else []
    return all(quotation.stands_in(words) for quotation in quoted)
