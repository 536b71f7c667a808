"""A third language, as docs/newspapers.md describes it."""

import json

from corpus_fakes import articles, write_articles

from change_it.cli import main
from change_it.corpus.folder import read_language


def test_articles_are_aligned_without_stop_words(tmp_path):
    news, folder = write_articles(tmp_path / "news.csv", articles()), tmp_path / "corpus"
    assert main(["corpus", "build", str(news), "--language", "none", "--out", str(folder)]) == 0
    report = json.loads((folder / "alignment.json").read_text(encoding="utf-8"))
    assert report["pairs"]["above_strict"] == 20
    assert read_language(str(folder)) == "none"  # nothing that reads the corpus guesses
