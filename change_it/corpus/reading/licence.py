"""Name the licence of texts by the outlets that they come from."""

from collections.abc import Iterable

from change_it.corpus.reading.sample import OUTLETS

#: Texts of CHANGE-IT may be passed on under the shared task's licence alone; the sample's are invented, under
#: the package's own.
LICENSES = {frozenset({"rep", "gio"}): "cc-by-nc-sa-4.0", frozenset(OUTLETS): "apache-2.0"}


def licence_of_texts(outlets: Iterable[str]) -> str:
    """Return the Hub's name of the licence of some outlets' texts; `unknown` where nobody has named one.

    Examples:
        >>> licence_of_texts(["rep", "gio"]), licence_of_texts(["post", "herald"])
        ('cc-by-nc-sa-4.0', 'unknown')
    """
    return LICENSES.get(frozenset(outlets), "unknown")
