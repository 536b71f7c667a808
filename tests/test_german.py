"""A third language, as docs/languages.md describes it: a small German corpus from files to a table."""

import csv
import json
from datetime import date, timedelta
from itertools import product

import pytest
from datasets import load_dataset

from change_it.cli import main
from change_it.corpus.folder import read_language
from change_it.scoring.facts import FactChecker

PLACES = ("Altweiler", "Brunnhausen", "Dorrenberg", "Eschenfurt", "Fichtenau", "Grünmoos")
EVENTS = (
    ("Rathaus", "das Dach undicht ist und der Keller unter Wasser steht", "Handwerker", "Regen"),
    ("Schwimmbad", "die Pumpen alt sind und die Becken leer bleiben", "Schulklassen", "Sommer"),
)
#: Headline and article of each newspaper, of the place, the event and a number.
PAPERS = {
    "anzeiger": (
        "{place}: {thing} für {number} Tage geschlossen",
        "Weil {why}, bleibt in {place} das {thing} für {number} Tage geschlossen. Die Gemeinde sucht {who}, denn der {when} "
        "hat den Plan verzögert. Der Gemeinderat stimmt am Freitag über {number} Anträge ab.",
    ),
    "kurier": (
        "Ärger um das {thing} in {place}",
        "In {place} bleibt das {thing} für {number} Tage geschlossen, weil {why}. Der Bürgermeister bedauert die Lage der {who}, "
        "denn der {when} hat den Plan verzögert. Der Gemeinderat stimmt am Freitag darüber ab.",
    ),
}


@pytest.fixture(scope="module")
def news(tmp_path_factory):
    """24 articles on twelve events that both newspapers report, as CSV."""
    file = tmp_path_factory.mktemp("german") / "nachrichten.csv"
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(("id", "headline", "article", "label", "date"))
        for number, (place, (thing, why, who, when)) in enumerate(product(PLACES, EVENTS)):
            about = {
                "place": place,
                "thing": thing,
                "why": why,
                "who": who,
                "when": when,
                "number": 11 + number,
            }
            day = date(2024, 1, 1) + timedelta(days=10 * number)
            for label, texts in PAPERS.items():
                headline, article = (text.format(**about) for text in texts)
                writer.writerow((f"{label}{number}", headline, article, label, day))
    return file


@pytest.fixture(scope="module")
def corpus(news):
    """The corpus of those articles."""
    folder = news.parent / "corpus"
    assert main(["corpus", "build", str(news), "--language", "none", "--out", str(folder)]) in (0, None)
    return folder


def test_articles_are_aligned_without_stop_words(corpus):
    report = json.loads((corpus / "alignment.json").read_text(encoding="utf-8"))
    assert (report["rows"], report["kept"]) == (24, 24)
    assert report["pairs"]["above_strict"] == 12
    assert read_language(str(corpus)) == "none"  # nothing that reads the corpus guesses
    pairs = load_dataset(str(corpus), "pairs", split="test", cache_dir=corpus.parent / "cache")
    assert all(row["a_id"].removeprefix("anzeiger") == row["b_id"].removeprefix("kurier") for row in pairs)


def test_facts_know_numbers_and_capitals_of_german_without_a_tagger():
    article = "Das Rathaus in Altweiler bleibt für 1.200 Tage geschlossen."
    checker = FactChecker("de")

    def unsupported(headline):
        return [part.text for part in checker.check(headline, source="", article=article).unsupported]

    assert unsupported("Altweiler: Rathaus für 1200 Tage geschlossen") == []
    assert unsupported("Rathaus in Grünmoos für 13 Tage zu") == ["Grünmoos", "13"]
    assert unsupported("Das Gemeindehaus bleibt zu") == ["Gemeindehaus"]  # every noun has a capital
    assert unsupported("Rathaus für zwölf Tage geschlossen") == []  # numbers in words are not read
