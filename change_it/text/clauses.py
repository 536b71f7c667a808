"""Sentences of an article and their clauses, as headlines that nobody wrote."""

import re

from change_it.text.marks import CLOSING, COMBINING, JOINTS, WIDE_ENDS, WIDE_JOINTS
from change_it.text.sentences import sentences, without_end
from change_it.text.tokens import beginning, length
from change_it.text.typography import Typography

#: Between two clauses.
_JOINT = re.compile(
    rf"(?<=[\w{COMBINING}])[{re.escape(CLOSING)}]?\s*(?:[{JOINTS}]|\s[-–—])\s+|[{WIDE_JOINTS}{WIDE_ENDS}]+"
)
#: Sentences of an article that are cut, its first characters that they are found in, and the fewest and most words of a cut.
_SENTENCES, _CHARACTERS, _WORDS = 3, 1500, (4, 20)


def cuts(article: str, typography: Typography) -> list[str]:
    """The first sentences of an article and their clauses in the typography of headlines: none is cut, but the first one where all are too long."""
    fewest, most = _WORDS
    found = sentences(article[:_CHARACTERS])[:_SENTENCES]
    parts = [" ".join(part.split()) for sentence in found for part in (sentence, *_JOINT.split(sentence))]
    long = [part for part in parts if length(part) >= fewest]
    whole = [part for part in long if length(part) <= most] or [beginning(part, most) for part in long[:1]]
    texts = map(without_end, whole)
    return list(dict.fromkeys(typography.apply(text[:1].upper() + text[1:]) for text in texts))
