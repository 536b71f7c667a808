"""A third language, as docs/languages.md describes it."""

import json

from corpus_fakes import articles, write_articles

from change_it.cli import main
from change_it.corpus.folder import read_language
from change_it.scoring.facts import FactChecker


def test_articles_are_aligned_without_stop_words(tmp_path):
    news, folder = write_articles(tmp_path / "news.csv", articles()), tmp_path / "corpus"
    assert main(["corpus", "build", str(news), "--language", "none", "--out", str(folder)]) == 0
    report = json.loads((folder / "alignment.json").read_text(encoding="utf-8"))
    assert report["pairs"]["above_strict"] == 20
    assert read_language(str(folder)) == "none"  # nothing that reads the corpus guesses


def test_facts_know_numbers_and_capitals_of_german_without_a_tagger():
    article = "Das Rathaus in Altweiler bleibt für 1.200 Tage geschlossen."
    checker = FactChecker("de")

    def unsupported(headline):
        return [part.text for part in checker.check(headline, source="", article=article).unsupported]

    assert unsupported("Altweiler: Rathaus für 1200 Tage geschlossen") == []
    assert unsupported("Rathaus in Grünmoos für 13 Tage zu") == ["Grünmoos", "13"]
    assert unsupported("Das Gemeindehaus bleibt zu") == ["Gemeindehaus"]  # every noun has a capital
    assert unsupported("Rathaus für zwölf Tage geschlossen") == []  # numbers in words are not read
