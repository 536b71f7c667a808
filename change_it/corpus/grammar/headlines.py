"""The headlines: an event's core, place and further parts, put together by the habits of a paper."""

import random

from change_it.corpus.grammar.events import Event, Grammar
from change_it.corpus.grammar.morphology import Noun, numeral, sentence
from change_it.corpus.grammar.papers import Paper
from change_it.corpus.grammar.templates import Pen, Slot, Template
from change_it.corpus.grammar.writer import Angle, Desk

_LEAN = 0.5
_WHERE: tuple[Template, ...] = ((Slot("a", "town"),), (Slot("in", "area"),), (Slot("in", "street"),))


class _HeadlineDesk(Desk):
    """The desk of whoever writes the headline: people in one way only, numbers in the house's manner."""

    def __init__(self, event: Event, paper: Paper, rng: random.Random, witnesses: tuple[str, ...]) -> None:
        super().__init__(event, paper, rng, witnesses)
        self._named = rng.random() < paper.named
        self._words = rng.random() >= paper.digits

    def resolve(self, name: str, pen: Pen) -> Noun | str:
        if name in self.numbers:
            return numeral(self.numbers[name], in_words=self._words)
        if name == "n1":
            return numeral(pen.rng.randint(2, 9), in_words=self._words)
        return super().resolve(name, pen)

    def _mention(self, name: str, pen: Pen) -> Noun:
        person = self._person(name)
        return person.surname if self._named else person.role


def write_headline(grammar: Grammar, event: Event, paper: Paper, rng: random.Random, *, angle: Angle = "news") -> str:
    """A headline of about 4 to 20 words.

    Args:
        grammar: the words.
        event: what happened.
        paper: whose habits decide.
        rng: the source of chance.
        angle: as for the article.

    Returns:
        The headline, without a full stop at its end.
    """
    kind, topic, common = event.kind, event.topic, grammar.common
    desk = _HeadlineDesk(event, paper, rng, grammar.witnesses)
    pen = Pen(rng, paper.side, _LEAN, desk.resolve)

    def habit(name: str) -> bool:
        chance: float = getattr(paper, name)
        return rng.random() < chance

    nominal = habit("nominal")
    cores = (common["followup_nominal"] if nominal else common["followup_verbal"]) if angle == "followup" else kind.nominal if nominal else kind.verbal
    core = pen.write(rng.choice(cores))
    place = _place(pen, paper, rng)
    tails = [pen.write(tail) for tail in rng.sample(kind.tails, 2)]
    figure_first = bool(kind.figures) and habit("figure")
    parts: list[str] = []
    if habit("quote"):
        quote = pen.write(rng.choice(kind.quotes if rng.random() < 0.7 else topic.quotes))
        speaker = pen.write((Slot("il", rng.choice(("who", "who", "chief"))),))
        head = _quoted(core, place, quote, speaker, rng)
    elif figure_first:
        figure = pen.write(rng.choice(kind.figures))
        head = f"{figure}{rng.choice((': ', ', '))}{core}{place}"
        tails = tails[:1]
    elif habit("kicker"):
        head = f"{pen.write(rng.choice(topic.kickers))}{place}{rng.choice((': ', ', '))}{core}"
    elif habit("ecco") and not nominal:
        head = f"{pen.write(rng.choice(common['openers']))} {core}{place}"
    elif habit("colon"):
        head = _fronted(core, place, event, pen, tails, rng, nominal)
    elif not nominal and place and rng.random() < 0.5:
        head = f"{event.town.text if rng.random() < paper.city else event.area.text}, {core}"
    else:
        head = core + place
    parts.append(head)
    for tail in tails:
        if not habit("long"):
            break
        parts.append(tail)
    separator = rng.choice((", ", ", ", ", ", ". ", " e "))
    text = ", ".join(parts)
    if habit("ecco") and nominal:
        text += rng.choice((", ", ". ", ": ")) + pen.write(rng.choice(common["closers"]))
    elif habit("question"):
        text += rng.choice((", ", ". ", ": ")) + pen.write(rng.choice(topic.questions if rng.random() < 0.6 else common["questions"]))
    elif habit("exclamation"):
        text += ". " + sentence(pen.write(rng.choice(common["exclamations"])))
    elif habit("dots"):
        text += "..."
    text = _sentences(text)
    if habit("capitals"):
        first, _, rest = text.partition(" ")
        text = f"{first.upper()} {rest}"
    if not habit("guillemets"):
        text = text.replace("«", '"').replace("»", '"')
    return text


def _place(pen: Pen, paper: Paper, rng: random.Random) -> str:
    """Where, with the space before it; empty in one headline out of five."""
    if rng.random() < 0.2:
        return ""
    choice = 0 if rng.random() < paper.city else (1 if rng.random() < 0.7 else 2)
    return " " + pen.write(_WHERE[choice])


def _quoted(core: str, place: str, quote: str, speaker: str, rng: random.Random) -> str:
    """A quotation before or after the core, or with its speaker."""
    form = rng.randrange(4)
    if form == 0:
        return f"{core}{place}. «{sentence(quote)}»"
    if form == 1:
        return f"«{sentence(quote)}», {core}{place}"
    if form == 2:
        return f"{core}{place}, {speaker}: «{sentence(quote)}»"
    return f"{speaker}: «{sentence(quote)}». {sentence(core)}{place}"


def _fronted(core: str, place: str, event: Event, pen: Pen, tails: list[str], rng: random.Random, nominal: bool) -> str:
    """Something in front with a colon: the place, or a nominal core."""
    if nominal and rng.random() < 0.6:
        return f"{core}{place}: {tails.pop(0)}"
    return f"{(event.town if rng.random() < 0.7 else event.area).text}: {core}"


def _sentences(text: str) -> str:
    """Capital letters at the beginning and after full stops and question marks."""
    pieces = text.replace("? ", "?\0").replace(". ", ".\0").split("\0")
    return " ".join(sentence(piece) for piece in pieces)
