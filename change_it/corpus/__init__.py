"""Turn two newspapers' articles into aligned pairs, splits, and sets to train and test on."""

from change_it.corpus.reading.article import Article, Outlets

__all__ = ["Article", "Outlets"]
