"""What the audit reads of a corpus: the test set, its dates, and what degenerate systems know."""

from dataclasses import dataclass
from datetime import date

import polars as pl

from change_it.audit.perturbations import Known
from change_it.corpus.folder import read_casing, read_language, read_table
from change_it.scoring.item import TestSet, read_test_set
from change_it.text.damage import Material
from change_it.text.names import Casing
from change_it.text.stopwords import guess_language
from change_it.text.tagging import languages, load_tagger

#: Characters of a training article that damage takes words from.
OPENING = 1200
#: Training articles that damage takes words from, at most.
READ = 4000


@dataclass(frozen=True)
class Corpus:
    """A corpus as the audit reads it.

    Attributes:
        test: its A2 pairs.
        dates: id of a test article to its date; empty where the corpus has none.
        known: what degenerate systems know of the training side.
    """

    test: TestSet
    dates: dict[str, date]
    known: Known


def read_corpus(
    corpus: str, language: str | None = None, *, casing: Casing | None = None, seed: int = 1
) -> Corpus:
    """Read a corpus.

    Args:
        corpus: folder written by `change-it corpus build`, or a data set id on the Hub.
        language: of the headlines; the corpus's own when None, or guessed where it says none.
        casing: of the judges; counted anew when None.
        seed: of the training articles that are read where there are many.

    Raises:
        InputError: the corpus cannot be read or has no A2 pairs.
    """
    test = read_test_set(corpus)
    articles = read_table(corpus, "articles", "train", ["article"])["article"]
    dated = read_table(corpus, "articles", "test", ["id", "date"]).drop_nulls()
    headlines = [text for outlet in test.outlets for text in test.training_headlines[outlet]]
    language = language or read_language(corpus) or guess_language(headlines)
    known = Known(
        Material(
            headlines,
            language,
            [
                article[:OPENING]
                for article in articles.sample(min(READ, len(articles)), seed=seed, shuffle=True)
            ],
            load_tagger(language).tag if language in languages() else None,
        ),
        casing or read_casing(corpus),
        test.training_headlines,
        [item.article for item in test.items],
    )
    dates = {} if dated.schema["date"] == pl.String else dict(dated.iter_rows())
    return Corpus(test, dates, known)
