"""How near a text is to what the models were trained on."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from change_it.corpus.folder import MOST_ARTICLES, read_table
from change_it.text.stopwords import function_words

_USUAL = 200  # articles of the test set that are compared, at most


@dataclass(frozen=True, eq=False)
class Nearest:
    """The training articles of a corpus, by tf-idf.

    Attributes:
        headlines: theirs.
        usual: similarity of the newspapers' own other articles to the nearest of them, the median, 0-1.
    """

    headlines: tuple[str, ...]
    usual: float
    _vectors: TfidfVectorizer
    _columns: Any  # (words, articles), sparse: only the rows of an article's words are read

    @classmethod
    def from_corpus(cls, corpus: str, language: str) -> "Nearest | None":
        """Of a folder or Hub id; None where it has no test articles to say what is usual."""
        train, test = (
            read_table(corpus, "articles", side, ["headline", "article"]) for side in ("train", "test")
        )
        if not (train.height and test.height):
            return None
        train = train.gather_every(max(1, -(-train.height // MOST_ARTICLES)))
        vectors = TfidfVectorizer(stop_words=sorted(function_words(language)))
        columns = vectors.fit_transform(train["article"].to_list()).T.tocsr()
        others = test.gather_every(max(1, test.height // _USUAL))["article"].to_list()
        usual = float(np.median((vectors.transform(others) @ columns).max(axis=1).toarray()))
        return cls(tuple(train["headline"]), usual, vectors, columns)

    def find(self, article: str) -> tuple[str, float]:
        """Headline of the training article nearest to this one, and their cosine, 0-1."""
        similarity = (self._vectors.transform([article]) @ self._columns).toarray()[0]
        place = int(similarity.argmax())
        return self.headlines[place], float(similarity[place])
