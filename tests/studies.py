"""A corpus of many small events, sheets of it, and annotators who answer by rules."""

import csv

import polars as pl
from csv_files import read_csv, write_csv
from scoring_fakes import OUTLETS, write_toy_corpus

PLACES = ("Roma", "Milano", "Torino", "Napoli", "Bari", "Pisa", "Lecce", "Genova")
THINGS = ("Crolla il ponte", "Sciopero dei treni", "Festa grande", "Apre la scuola", "Mancano i medici")


def write_corpus(folder):
    """Forty events, each a pair of headlines; gio's end in an exclamation mark."""
    write_toy_corpus(folder)
    pairs = []
    for n, (thing, place) in enumerate((thing, place) for thing in THINGS for place in PLACES):
        rep, gio = f"{thing} a {place} numero {n}", f"{thing} a {place}, ecco il numero {n}!"
        pairs.append(
            {
                "pair_id": f"p{n}",
                "similarity": 0.9,
                "alignment": "A2",
                "a_id": f"a{n}",
                "a_headline": rep,
                "a_article": f"{rep}. Così dicono a {place}. Poi altro.",
                "b_id": f"b{n}",
                "b_headline": gio,
                "b_article": f"{gio} Così dicono a {place}, secondo noi.",
                "fold": n % 2,
                "event": f"a{n}",
            }
        )
    articles = [
        {"id": p[f"{s}_id"], "label": o, "headline": p[f"{s}_headline"], "article": p[f"{s}_article"]}
        for p in pairs
        for s, o in zip("ab", OUTLETS, strict=True)
    ]
    pl.DataFrame(pairs).write_parquet(folder / "pairs" / "test.parquet")
    pl.DataFrame(articles).write_parquet(folder / "articles" / "test.parquet")
    return folder


def write_predictions(corpus, file):
    """A system that repeats the original and says so."""
    rows = pl.read_parquet(corpus / "articles" / "test.parquet").to_dicts()
    other = dict(zip(OUTLETS, OUTLETS[::-1], strict=True))
    made = [[row["id"], f"{row['headline']} davvero", other[row["label"]]] for row in rows]
    return write_csv(file, made, ["id", "headline", "target"])


def fill_in(sheet, file, answer):
    """A sheet with the column `answer`, and others, filled in: `answer` maps a row to cells."""
    rows = read_csv(sheet)
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows([{**row, **answer(row)} for row in rows])
    return file
