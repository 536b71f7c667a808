"""The headlines: an event's core, place and further parts, put together by the habits of a paper."""

import random
from collections.abc import Iterator

from change_it.corpus.grammar.events import Event, Grammar
from change_it.corpus.grammar.morphology import Noun, numeral, sentence, tidy
from change_it.corpus.grammar.papers import Paper
from change_it.corpus.grammar.templates import Pen, Slot, Template, slots
from change_it.corpus.grammar.writer import Angle, Desk

_LEAN = 0.56
_WHERE: tuple[Template, ...] = ((Slot("a", "town"),), (Slot("in", "area"),), (Slot("in", "street"),))


class _HeadlineDesk(Desk):
    """The desk of whoever writes the headline: people in one way only, numbers in the house's manner."""

    def __init__(self, event: Event, paper: Paper, rng: random.Random, witnesses: tuple[str, ...]) -> None:
        super().__init__(event, paper, rng, witnesses, at_home=0.0)
        self._named = rng.random() < paper.named
        self._words = rng.random() >= paper.digits
        self.used: set[str] = set()

    def resolve(self, name: str, pen: Pen) -> Noun | str:
        """The value of a slot, noted as used: a headline does not say the same thing twice."""
        self.used.add(name)
        if name in self.numbers:
            return numeral(self.numbers[name], in_words=self._words)
        if name == "n1":
            return numeral(pen.rng.randint(2, 9), in_words=self._words)
        return super().resolve(name, pen)

    def _mention(self, name: str, pen: Pen) -> Noun:
        person = self._person(name)
        return person.surname if self._named else person.role


def write_headline(
    grammar: Grammar, event: Event, paper: Paper, rng: random.Random, *, angle: Angle = "news"
) -> str:
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
    cores = (
        (common["followup_nominal"] if nominal else common["followup_verbal"])
        if angle == "followup"
        else kind.nominal
        if nominal
        else kind.verbal
    )
    core = pen.write(rng.choice(cores))
    place = _place(pen, paper, common["vague"], rng)
    nowhere = not desk.used & {"town", "area", "street"}
    figure_first = bool(kind.figures) and habit("figure")
    if habit("quote"):
        quote = pen.write(rng.choice(kind.quotes if rng.random() < 0.7 else topic.quotes))
        speaker = pen.write((Slot("il", rng.choice(("who", "who", "chief"))),))
        head = _quoted(core, place, quote, speaker, rng)
    elif figure_first:
        figure = pen.write(rng.choice(kind.figures))
        head = f"{figure}{', ' if ':' in core else rng.choice((': ', ', '))}{core}{place}"
    elif habit("kicker"):
        head = f"{pen.write(rng.choice(topic.kickers))}{place}{', ' if ':' in core else rng.choice((': ', ', '))}{core}"
    elif habit("ecco") and not nominal and ":" not in core:
        head = f"{pen.write(rng.choice(common['openers']))} {core}{place}"
    elif habit("colon"):
        head = _fronted(core, place, event, rng, nominal)
    elif not nominal and place and rng.random() < 0.5:
        head = f"{event.town.text if rng.random() < paper.city else event.area.text}, {core}"
    else:
        head = core + place
    tails = _tails(kind.tails, desk, pen, rng)
    colon = head == core + place and nominal and ":" not in core and habit("colon")
    text = head
    if kind.figures and nowhere and not figure_first:
        text += (": " if colon else ", ") + next(_tails(kind.figures, desk, pen, rng))
    elif colon:
        text += ": " + next(tails)
    short = text == head and len(text.split()) < 9 and rng.random() < 0.92
    while short or habit("long"):
        short = False
        tail = next(tails, None)
        if tail is None:
            break
        text += ", " + tail
    if habit("ecco") and nominal:
        text += rng.choice((", ", ". ", ": ")) + pen.write(rng.choice(common["closers"]))
    elif habit("question"):
        text += rng.choice((", ", ". ", ": ")) + pen.write(
            rng.choice(topic.questions if rng.random() < 0.6 else common["questions"])
        )
    elif habit("exclamation"):
        text += ". " + sentence(pen.write(rng.choice(common["exclamations"])))
    elif habit("dots"):
        text += "..."
    text = _sentences(tidy(text))
    if habit("capitals"):
        first, _, rest = text.partition(" ")
        text = f"{first.upper()} {rest}"
    if not habit("guillemets"):
        text = text.replace("«", '"').replace("»", '"')
    return text


def _tails(tails: tuple[Template, ...], desk: _HeadlineDesk, pen: Pen, rng: random.Random) -> Iterator[str]:
    """At most two further parts, in random order, that bring in something new."""
    fresh = [tail for tail in rng.sample(tails, len(tails)) if not slots(tail) & desk.used] or [
        rng.choice(tails)
    ]
    given: set[str] = set()
    for tail in fresh:
        if not slots(tail) & given:
            given |= slots(tail)
            yield pen.write(tail)


def _place(pen: Pen, paper: Paper, vague: tuple[Template, ...], rng: random.Random) -> str:
    """Where, with the space before it: a town or a part of one, sometimes only vaguely or nowhere."""
    chance = rng.random()
    if chance < 0.2:
        return ""
    if chance < 0.46:
        return " " + pen.write(rng.choice(vague))
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


def _fronted(core: str, place: str, event: Event, rng: random.Random, nominal: bool) -> str:
    """The place in front with a colon, unless the core is nominal: then mostly as it is, what follows takes the colon."""
    if nominal and rng.random() < 0.6:
        return core + place
    where = event.town if rng.random() < 0.75 else event.area
    return f"{where.text}{', ' if ':' in core else ': '}{core}"


def _sentences(text: str) -> str:
    """Capital letters at the beginning and after full stops and question marks."""
    pieces = text.replace("? ", "?\0").replace(". ", ".\0").split("\0")
    return " ".join(sentence(piece) for piece in pieces)
