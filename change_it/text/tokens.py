"""Words of a text: the Unicode tokenizer that every score and signature names `tok:unicode`."""


class _LettersAndDigits(dict[int, int]):
    """For `str.translate`: letters and digits stay, all else becomes a space; filled as characters are met."""

    def __missing__(self, code: int) -> int:
        self[code] = code if chr(code).isalnum() else ord(" ")
        return self[code]


_TABLE = _LettersAndDigits()


def words(text: str) -> list[str]:
    """Lower-cased maximal runs of letters and digits of any script; apostrophes and marks separate.

    Examples:
        >>> words("Perché l'Italia dice «sì» a 3 riforme?")
        ['perché', 'l', 'italia', 'dice', 'sì', 'a', '3', 'riforme']
    """
    return text.lower().translate(_TABLE).split()
