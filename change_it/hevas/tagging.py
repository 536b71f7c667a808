"""Universal part-of-speech tags of headlines: words with capitals and marks, and a tagger of a language.

The package's own taggers for Italian and English are averaged perceptrons (`perceptron`), trained by `tools/tagger`
on Universal Dependencies PUD; a spaCy pipeline can take their place. A word of the running text gets one tag: where
Universal Dependencies see several words in it (Italian "della", "farlo"), that of the first (ADP, VERB).
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from change_it.errors import InputError
from change_it.hevas.perceptron import PerceptronTagger

#: Where the weights of the package's own taggers are, `<language>.npz`.
WEIGHTS = Path(__file__).parent / "weights"

_SPACY = "spacy:"

_LETTER = r"[^\W\d_]"
_COMMON_BEFORE = rf"[@#]\w+|(?:{_LETTER}\.){{2,}}|(?<!\w)['’]\d\d(?!\d)|\d+(?:[.,:/]\d+)*{_LETTER}*"
_COMMON_AFTER = r"\.{2,}|-{2,}|\S"
_TOKEN = {
    # An elided word keeps its apostrophe (l' dell' po'); a compound with a hyphen is one word.
    "it": re.compile(
        rf"{_COMMON_BEFORE}|{_LETTER}+['’](?={_LETTER})|\b(?:po|mo|be|fa|va|da|di|sta)['’](?!\w)"
        rf"|{_LETTER}+(?:\d\w*)?(?:-\w+)*|{_COMMON_AFTER}",
        re.IGNORECASE,
    ),
    # Contractions and the genitive are words (do n't, Rome 's), compounds are split but for prefixes (co-founder).
    "en": re.compile(
        rf"{_COMMON_BEFORE}|n['’]t\b|(?<=\w)['’](?:s|re|ve|ll|d|m)\b|can(?=not\b)|\b(?:mr|mrs|ms|dr|st|jr|sr|no|gov|sen|rep|gen)\."
        rf"|{_LETTER}+?(?=n['’]t\b)|\b(?:anti|co|e|ex|extra|inter|mid|multi|non|pre|pro|re|un|wi)-\w+"
        rf"|{_LETTER}+(?:\d\w*)?(?:['’](?!(?:s|re|ve|ll|d|m)\b){_LETTER}+)*|{_COMMON_AFTER}",
        re.IGNORECASE,
    ),
}


class Tagger(Protocol):
    """What gives universal tags: the package's own tagger, spaCy's, or yours."""

    def tag(self, words: Sequence[str]) -> list[str]:
        """Tag one sentence: as many universal tags as words, in order."""
        ...


def tokens(text: str, language: str) -> list[str]:
    """Words and marks of a headline as the taggers expect them, close to Universal Dependencies' own.

    Args:
        text: a headline or sentence, Unicode NFC, capitals kept.
        language: `it` or `en`. Other languages are split like Italian.

    Returns:
        The tokens, in order; together they are the text without its spaces.

    Example:
        >>> tokens("L'Italia dice «sì» all'ex-premier: un po' tardi", "it")
        ["L'", 'Italia', 'dice', '«', 'sì', '»', "all'", 'ex-premier', ':', 'un', "po'", 'tardi']
        >>> tokens("Rome's mayor doesn't mind: U.S. well-paid", "en")
        ['Rome', "'s", 'mayor', 'does', "n't", 'mind', ':', 'U.S.', 'well', '-', 'paid']
    """
    return _TOKEN.get(language, _TOKEN["it"]).findall(text)


class SpacyTagger:
    """Universal tags of a spaCy pipeline, for words that are tokens already.

    Attributes:
        pipeline: the loaded pipeline.
    """

    def __init__(self, pipeline: Any) -> None:
        self.pipeline = pipeline

    def tag(self, words: Sequence[str]) -> list[str]:
        """Tag one sentence.

        Args:
            words: its words and marks.

        Returns:
            As many universal tags, in order; `X` where the pipeline gives none.
        """
        from spacy.tokens import Doc

        return [token.pos_ or "X" for token in self.pipeline(Doc(self.pipeline.vocab, words=list(words)))]


def languages() -> list[str]:
    """The languages that the package's own taggers exist for.

    Example:
        >>> languages()
        ['en', 'it']
    """
    return sorted(path.stem for path in WEIGHTS.glob("*.npz"))


@cache
def load_tagger(name: str) -> Tagger:
    """The tagger of a language, or a spaCy pipeline.

    Args:
        name: `it` or `en`, or `spacy:` and the name or folder of an installed pipeline with a part-of-speech tagger,
            such as `spacy:it_core_news_sm`.

    Returns:
        The tagger; the same object when asked again.

    Raises:
        InputError: no tagger of that language, or no such pipeline.

    Example:
        >>> load_tagger("it").tag(["Il", "governo", "cade", "a", "Roma"])
        ['DET', 'NOUN', 'VERB', 'ADP', 'PROPN']
    """
    if name.startswith(_SPACY):
        return _load_spacy(name.removeprefix(_SPACY))
    if name not in languages():
        raise InputError(
            f"no part-of-speech tagger for {name!r}: choose one of {', '.join(languages())}, "
            f"or a spaCy pipeline such as {_SPACY}it_core_news_sm"
        )
    return PerceptronTagger.load(WEIGHTS / f"{name}.npz", name)


def _load_spacy(name: str) -> SpacyTagger:
    try:
        import spacy
    except ImportError:
        raise InputError(f"{_SPACY}{name} needs spaCy: pip install spacy") from None
    try:
        pipeline = spacy.load(name)
    except OSError:
        raise InputError(
            f"no spaCy pipeline {name!r} is installed: python -m spacy download {name}"
        ) from None
    if not {"tagger", "morphologizer"} & set(pipeline.pipe_names):
        raise InputError(f"the spaCy pipeline {name!r} has no part-of-speech tagger: choose another one")
    return SpacyTagger(pipeline)
