"""Words of a text: the Unicode tokenizer that every score and signature names `tok:unicode`."""

import re

_WORD = re.compile(r"[^\W_]+")


def words(text: str) -> list[str]:
    """Lower-cased maximal runs of letters and digits of any script; apostrophes and marks separate.

    Args:
        text: any text, expected in Unicode NFC.

    Returns:
        The words in order; empty for a text without letters and digits.

    Example:
        >>> words("Perché l'Italia dice «sì» a 3 riforme?")
        ['perché', 'l', 'italia', 'dice', 'sì', 'a', '3', 'riforme']
    """
    return _WORD.findall(text.lower())
