"""Turn two newspapers' articles into aligned pairs, splits and the sets that all else is trained and tested
on.
"""

from change_it.corpus.reading.article import Article, Outlets

__all__ = ["Article", "Outlets"]
