"""Two newspapers' articles → aligned pairs → the splits and task sets that everything else is trained and tested on."""

from change_it.corpus.reading.article import Article, Outlets

__all__ = ["Article", "Outlets"]
