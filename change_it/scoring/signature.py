"""Every number carries its signature, sacrebleu style (house rule 5)."""

from change_it import __version__


def signature(judges: str, *, reversal: str, n: int, seed: int, reranker: str = "") -> str:
    """The options that a compliancy figure depends on, in one line.

    Args:
        judges: signature of the judges: hashes of their weights and the fold they trained on, `1a2b3c+…|fold:all`.
        reversal: `relative` or `target`.
        n: number of items scored.
        seed: seed of the intervals and of the random built-in system.
        reranker: the judges that chose the headlines, `1a2b3c+…,fold:0`, or `same` where they are not independent
            of those that score; empty where none chose.

    Returns:
        Keys and values, separated by bars.

    Example:
        >>> signature("1a2b3c+4d5e6f+0a1b2c|fold:all", reversal="relative", n=5000, seed=1).rpartition("|")[0]
        'compliancy|judges:1a2b3c+4d5e6f+0a1b2c|fold:all|reversal:relative|tok:unicode|n:5000|seed:1'
        >>> "|reranker:same|" in signature("1a2b3c", reversal="relative", n=5, seed=1, reranker="same")
        True
    """
    chosen = f"|reranker:{reranker}" if reranker else ""
    return f"compliancy|judges:{judges}{chosen}|reversal:{reversal}|tok:unicode|n:{n}|seed:{seed}|v:{__version__}"
