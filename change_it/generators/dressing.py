"""How an `extract` headline says it: a body in the target newspaper's quotation marks, case, joints and phrases."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from change_it.generators.bodies import Source
from change_it.generators.habits import Habits, Phrase, Piece, requote, titled

#: Share of headlines in title case beyond which only one case is tried.
MIXED = 0.15

_WORD = re.compile(r"[^\W\d_]+")
_WITHIN = re.compile(
    r"(?:(?<=[\w,] )|(?<=\w['’]))[^\W\d_]+"
)  # neither first, nor behind a colon or full stop
_MARKS = "\"'«»“”„‘’"


class Dresser:
    """Puts bodies into dresses.

    Attributes:
        forms: lower-cased word to how most headlines write it within a sentence.
    """

    def __init__(self, headlines: Iterable[str]):
        """Learn the forms.

        Args:
            headlines: of both outlets; those in title case are left out.
        """
        counts: dict[str, Counter[str]] = {}
        for text in headlines:
            if not titled(text):
                for word in _WITHIN.findall(text):
                    counts.setdefault(word.lower(), Counter())[word] += 1
        self.forms = {
            word: min(forms, key=lambda form: (-forms[form], form)) for word, forms in counts.items()
        }

    def names(self, text: str) -> frozenset[str]:
        """The words of a text, lower-cased, that headlines write with a capital anywhere."""
        found = (word.lower() for word in _WORD.findall(text))
        return frozenset(word for word in found if self.forms.get(word, word)[0].isupper())

    def dresses(
        self,
        body: list[Piece],
        openings: Sequence[Phrase],
        closings: Sequence[Phrase],
        source: Source,
        target: Habits,
    ) -> Iterator[tuple[str, str]]:
        """The dresses of one body.

        Args:
            body: the pieces.
            openings: those to try, best first.
            closings: those to try, best first.
            source: the item.
            target: habits of the outlet aimed at.

        Yields:
            A dress's name, and the headline; empty where the dress does not fit.
        """
        joint = ": " if target.colon > 0 else ", "
        spoken = len(body) > 1 and body[1].text[0] in _MARKS  # a speaker's colon stays
        swappable = (
            len(body) > 1 and {body[0].joint, joint} == {": ", ", "} and not (spoken and joint == ", ")
        )
        swappable = swappable and not (joint == ": " and any(":" in part.text + part.joint for part in body))
        for title in _cases(target):
            bare = self.render(body, target, source, title=title)
            yield "", bare
            if swappable:
                fronted = [Piece(body[0].text, joint), *body[1:]]
                yield "joint", (bare := self.render(fronted, target, source, title=title))
            closed = [(phrase.text, _closed(bare, phrase.text)) for phrase in closings]
            opened = [(phrase.text, self._opened(bare, phrase, source)) for phrase in openings]
            yield from closed
            for name, text in opened:
                if text:
                    yield name, text
                    yield from (
                        (name + closing.text, _closed(text, closing.text)) for closing in closings[:1]
                    )
            if bare[-1:].isalnum():
                yield from ((end, bare + end) for end in target.endings)
            if target.capitals:
                yield "capitals", _loudly(bare)
                yield from ((f"capitals{name}", _loudly(text)) for name, text in closed[:2])

    def render(self, body: Sequence[Piece], target: Habits, source: Source, title: bool | None = None) -> str:
        """The pieces as one headline.

        Args:
            body: the pieces.
            target: habits of the outlet aimed at.
            source: the item.
            title: in title case or not; None takes the target's commoner case.

        Returns:
            The headline, in the target's quotation marks.
        """
        title = target.titled > 0.5 if title is None else title
        text, begins = "", True
        for number, (part, joint) in enumerate(body):
            part = self._begun(part if title else self._sentence_case(part, source), source, capital=begins)
            begins = joint.strip() == "." or (not joint.strip() and part[-1:] in "?!….")
            text += part + ("" if number == len(body) - 1 else joint or (" " if begins else ", "))
        text = requote(text.strip(" ,;:-–—"), target.marks)
        text = text[:-1] if text.endswith(".") and "." not in text[:-1] else text
        return _title_case(text, target.small) if title else text

    def _sentence_case(self, part: str, source: Source) -> str:
        """A piece without the capitals that title case gave it."""
        if titled(part) or (source.titled and part in source.headline):
            return _WORD.sub(lambda match: self._usual(match.group(), source), part)
        return part

    def _begun(self, part: str, source: Source, *, capital: bool) -> str:
        """A piece with a capital at its beginning, or without one unless its first word is a name."""
        match = _WORD.search(part)
        if match is None or any(mark.isdigit() for mark in part[: match.start()]):
            return part
        word = match.group()
        if part[0] in _MARKS and word[0].isupper():  # somebody's sentence
            return part
        usual = self._usual(word, source) if word[0].isupper() else word
        return part[: match.start()] + (_up(usual) if capital else usual) + part[match.end() :]

    def _usual(self, word: str, source: Source) -> str:
        """How a word is written within sentences: in this article, else in most headlines, else as it is."""
        small = word.lower()
        if small in source.forms:
            return small
        if small in self.forms:
            return self.forms[small]
        return word.capitalize() if word.isupper() and len(word) > 4 else word

    def _opened(self, text: str, opening: Phrase, source: Source) -> str:
        """A headline with an opening; empty where words could not go on like that."""
        begun = self._begun(text, source, capital=opening.text.strip()[-1:] in ".?!")
        if opening.after and begun.split()[0].lower() not in opening.after:
            return ""
        if ":" in opening.text and ":" in text:
            return ""
        return opening.text + begun


def _cases(target: Habits) -> list[bool]:
    """Whether title case is tried, sentence case, or both, the commoner first."""
    both = [True, False] if target.titled > 0.5 else [False, True]
    return both if MIXED < target.titled < 1 - MIXED else both[:1]


def _closed(text: str, closing: str) -> str:
    """A headline with a closing; empty where the marks would not go together."""
    if (text[-1:] in "?!…" and closing[0] in ",:;") or (closing[0] == ":" and ":" in text):
        return ""
    return text.rstrip(".,;:") + (closing[1:] if text[-1:] in "?!" and closing[0] == "." else closing)


def _up(word: str) -> str:
    return word[:1].upper() + word[1:]


def _title_case(text: str, small: frozenset[str]) -> str:
    """The text with a capital at every word that title case does not leave small, and at the first."""

    def cased(match: re.Match[str]) -> str:
        word = match.group()
        stays = match.start() > 1 and (word in small or text[match.start() - 1] in "'’")
        return word if stays else _up(word)

    return _WORD.sub(cased, text)


def _loudly(text: str) -> str:
    """The text with its first word in capitals."""
    return _WORD.sub(lambda match: match.group().upper(), text, count=1)
