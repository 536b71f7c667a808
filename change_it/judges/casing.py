"""How a corpus writes its words: what facts are checked by, with a corpus and, saved beside the fluency judge, without."""

from change_it.corpus.folder import read_table
from change_it.text.names import Casing

#: Articles that are read, at most, evenly spread over the training side.
ARTICLES = 20_000


def read_casing(corpus: str) -> Casing:
    """Count the words of the training articles and headlines of a corpus.

    Args:
        corpus: folder or Hub id.

    Raises:
        InputError: no such corpus.
    """
    rows = read_table(corpus, "articles", "train", ["headline", "article"])
    rows = rows.gather_every(max(1, -(-rows.height // ARTICLES)))
    return Casing.from_texts(rows["article"].to_list(), rows["headline"].to_list())
