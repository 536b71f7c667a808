"""The headlines: an event's core, place and further parts, put together in the style of a paper."""

import random
from collections.abc import Iterator

from tools.sample.articles import Angle, SlotValues
from tools.sample.events import Event, Grammar
from tools.sample.morphology import Noun, numeral, sentence, tidy
from tools.sample.papers import Paper
from tools.sample.templates import Filler, Slot, Template, slots

_LEAN = 0.56
_WHERE: tuple[Template, ...] = ((Slot("a", "town"),), (Slot("in", "area"),), (Slot("in", "street"),))


class _HeadlineValues(SlotValues):
    """Values in a headline: people named in one way only, numbers all in digits or all in words."""

    def __init__(self, event: Event, paper: Paper, rng: random.Random, witnesses: tuple[str, ...]) -> None:
        super().__init__(event, paper, rng, witnesses, at_home=0.0)
        self._named = rng.random() < paper.named
        self._words = rng.random() >= paper.digits
        self.used: set[str] = set()

    def resolve(self, name: str, filler: Filler) -> Noun | str:
        """The value of a slot, noted as used: a headline does not say the same thing twice."""
        self.used.add(name)
        if name in self.numbers:
            return numeral(self.numbers[name], in_words=self._words)
        if name == "n1":
            return numeral(filler.rng.randint(2, 9), in_words=self._words)
        return super().resolve(name, filler)

    def _mention(self, name: str, filler: Filler) -> Noun:
        person = self._person(name)
        return person.surname if self._named else person.role


def write_headline(
    grammar: Grammar, event: Event, paper: Paper, rng: random.Random, *, angle: Angle = "news"
) -> str:
    """A headline of about 4 to 20 words, without a full stop at its end."""
    kind, topic, common = event.kind, event.topic, grammar.common
    slot_values = _HeadlineValues(event, paper, rng, grammar.witnesses)
    filler = Filler(rng, paper.side, _LEAN, slot_values.resolve)

    def happens(name: str) -> bool:
        chance: float = getattr(paper, name)
        return rng.random() < chance

    nominal = happens("nominal")
    cores = (
        (common["followup_nominal"] if nominal else common["followup_verbal"])
        if angle == "followup"
        else kind.nominal
        if nominal
        else kind.verbal
    )
    core = filler.write(rng.choice(cores))
    place = _place(filler, paper, common["vague"], rng)
    nowhere = not slot_values.used & {"town", "area", "street"}
    figure_first = bool(kind.figures) and happens("figure")
    if happens("quote"):
        quote = filler.write(rng.choice(kind.quotes if rng.random() < 0.7 else topic.quotes))
        speaker = filler.write((Slot("il", rng.choice(("who", "who", "chief"))),))
        head = _quoted(core, place, quote, speaker, rng)
    elif figure_first:
        figure = filler.write(rng.choice(kind.figures))
        head = f"{figure}{', ' if ':' in core else rng.choice((': ', ', '))}{core}{place}"
    elif happens("kicker"):
        head = f"{filler.write(rng.choice(topic.kickers))}{place}{', ' if ':' in core else rng.choice((': ', ', '))}{core}"
    elif happens("ecco") and not nominal and ":" not in core:
        head = f"{filler.write(rng.choice(common['openers']))} {core}{place}"
    elif happens("colon"):
        head = _fronted(core, place, event, rng, nominal)
    elif not nominal and place and rng.random() < 0.5:
        head = f"{event.town.text if rng.random() < paper.city else event.area.text}, {core}"
    else:
        head = core + place
    tails = _tails(kind.tails, slot_values, filler, rng)
    colon = head == core + place and nominal and ":" not in core and happens("colon")
    text = head
    if kind.figures and nowhere and not figure_first:
        text += (": " if colon else ", ") + next(_tails(kind.figures, slot_values, filler, rng))
    elif colon:
        text += ": " + next(tails)
    short = text == head and len(text.split()) < 9 and rng.random() < 0.92
    while short or happens("long"):
        short = False
        tail = next(tails, None)
        if tail is None:
            break
        text += ", " + tail
    if happens("ecco") and nominal:
        text += rng.choice((", ", ". ", ": ")) + filler.write(rng.choice(common["closers"]))
    elif happens("question"):
        text += rng.choice((", ", ". ", ": ")) + filler.write(
            rng.choice(topic.questions if rng.random() < 0.6 else common["questions"])
        )
    elif happens("exclamation"):
        text += ". " + sentence(filler.write(rng.choice(common["exclamations"])))
    elif happens("dots"):
        text += "..."
    text = _sentences(tidy(text))
    if happens("capitals"):
        first, _, rest = text.partition(" ")
        text = f"{first.upper()} {rest}"
    if not happens("guillemets"):
        text = text.replace("«", '"').replace("»", '"')
    return text


def _tails(
    tails: tuple[Template, ...], slot_values: _HeadlineValues, filler: Filler, rng: random.Random
) -> Iterator[str]:
    """At most two further parts, in random order, that bring in something new."""
    fresh = [tail for tail in rng.sample(tails, len(tails)) if not slots(tail) & slot_values.used] or [
        rng.choice(tails)
    ]
    given: set[str] = set()
    for tail in fresh:
        if not slots(tail) & given:
            given |= slots(tail)
            yield filler.write(tail)


def _place(filler: Filler, paper: Paper, vague: tuple[Template, ...], rng: random.Random) -> str:
    """Where, with the space before it: a town or a part of one, sometimes only vaguely or nowhere."""
    chance = rng.random()
    if chance < 0.2:
        return ""
    if chance < 0.46:
        return " " + filler.write(rng.choice(vague))
    choice = 0 if rng.random() < paper.city else (1 if rng.random() < 0.7 else 2)
    return " " + filler.write(_WHERE[choice])


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
