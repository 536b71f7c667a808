"""Write headlines: an event's core, place and further parts, put together in the style of a paper."""

import random
from collections.abc import Iterator

from tools.sample.articles import Headline, SlotValues
from tools.sample.events import Event, Grammar, Said
from tools.sample.morphology import Noun, numeral, sentence, tidy
from tools.sample.papers import Paper
from tools.sample.templates import Filler, Slot, Template, slots

#: How far a headline leans to the paper's own synonyms, 0 to 1.
_LEAN = 0.62
_TOWN = (Slot("a", "town"),)
_AREA = (Slot("in", "area"),)
_STREET = (Slot("in", "street"),)
#: Words from which on a headline takes no further part.
_LONG = 24
#: Share of the quotations with a comma that a headline breaks off there, with a mark.
_CUT = 0.5


class _HeadlineValues(SlotValues):
    """Values in a headline: people named in one way only, numbers all in digits or all in words."""

    def __init__(self, event: Event, paper: Paper, rng: random.Random) -> None:
        super().__init__(event, at_home=False, roles=rng.random() >= paper.named)
        self._words = rng.random() >= paper.digits
        self.used: set[str] = set()

    def resolve(self, name: str, filler: Filler) -> Noun | str:
        """Return the value of a slot, and note that it is used: no headline says the same thing twice."""
        self.used.add(name)
        if name in self.event.numbers:
            return numeral(self.event.numbers[name], in_words=self._words)
        return super().resolve(name, filler)

    def _mention(self, name: str, filler: Filler) -> Noun:
        """Return what a speaker is called here."""
        person = self.event.person(name)
        return person.role if self.roles else person.surname


def write_headline(grammar: Grammar, event: Event, paper: Paper, rng: random.Random) -> Headline:
    """Write a headline of about 4 to 20 words, without a full stop at its end."""
    kind, topic, common = event.kind, event.topic, grammar.common
    slot_values = _HeadlineValues(event, paper, rng)
    filler = Filler(rng, paper.side, _LEAN, slot_values.resolve)

    def happens(name: str) -> bool:
        chance: float = getattr(paper, name)
        return rng.random() < chance

    nominal = happens("nominal")
    claim = rng.choice(kind.nominal if nominal else kind.verbal)
    core = filler.write(claim)
    where = _where(paper, common["vague"], rng)
    place = f" {filler.write(where)}" if where else ""
    nowhere = not slot_values.used & {"town", "area", "street"}
    figure_first = bool(kind.figures) and happens("figure")
    told: list[Template] = []
    said: Said | None = None
    if happens("quote"):
        said = rng.choice(event.said)
        head = _quoted(core, place, said, filler)
    elif figure_first:
        told.append(rng.choice(kind.figures))
        head = f"{filler.write(told[0])}{', ' if ':' in core else rng.choice((': ', ', '))}{core}{place}"
    elif happens("kicker"):
        kicker = filler.write(rng.choice(topic.kickers))
        mark = ", " if ":" in core else rng.choice((": ", ", "))
        head = f"{kicker}{place}{mark}{core}"
    elif happens("ecco") and not nominal and ":" not in core:
        head = f"{filler.write(rng.choice(common['openers']))} {core}{place}"
    elif happens("colon"):
        # A nominal core mostly stays first, and what follows takes the colon.
        if nominal and rng.random() < 0.6:
            head = core + place
        else:
            where = _TOWN if rng.random() < 0.75 else _AREA
            head = f"{_bare(where, slot_values, filler)}{', ' if ':' in core else ': '}{core}"
    elif not nominal and place and rng.random() < 0.5:
        where = _TOWN if rng.random() < paper.city else _AREA
        head = f"{_bare(where, slot_values, filler)}, {core}"
    else:
        head = core + place
    tails = _tails(kind.tails, slot_values, rng)
    colon = head == core + place and nominal and ":" not in core and happens("colon")
    text = head
    if kind.figures and nowhere and not figure_first:
        told.append(next(_tails(kind.figures, slot_values, rng)))
        text += (": " if colon else ", ") + filler.write(told[-1])
    elif colon:
        told.append(next(tails))
        text += ": " + filler.write(told[-1])
    short = text == head and len(text.split()) < 9 and rng.random() < 0.92
    while short or (len(text.split()) < _LONG and happens("long")):
        short = False
        tail = next(tails, None)
        if tail is None:
            break
        told.append(tail)
        text += ", " + filler.write(tail)
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
    told_core = (*claim, " ", *where) if where else claim
    return Headline(text, told_core, tuple(told), said, frozenset(slot_values.used), slot_values.roles)


def _tails(
    tails: tuple[Template, ...], slot_values: _HeadlineValues, rng: random.Random
) -> Iterator[Template]:
    """Yield at most two further parts, in random order, that bring in something new."""
    fresh = [tail for tail in rng.sample(tails, len(tails)) if not slots(tail) & slot_values.used] or [
        rng.choice(tails)
    ]
    named: set[str] = set()
    for tail in fresh:
        if not slots(tail) & named:
            named |= slots(tail)
            yield tail


def _where(paper: Paper, vague: tuple[Template, ...], rng: random.Random) -> Template:
    """Return where it happened: a town or a part of one, sometimes only vaguely, or nowhere."""
    chance = rng.random()
    if chance < 0.2:
        return ()
    if chance < 0.46:
        return rng.choice(vague)
    return _TOWN if rng.random() < paper.city else (_AREA if rng.random() < 0.7 else _STREET)


def _bare(where: Template, slot_values: _HeadlineValues, filler: Filler) -> str:
    """Return a place without preposition and article, before a colon or comma."""
    (slot,) = (node for node in where if isinstance(node, Slot))
    value = slot_values.resolve(slot.name, filler)
    return value if isinstance(value, str) else value.text


def _quoted(core: str, place: str, said: Said, filler: Filler) -> str:
    """Put a quotation before or after the core, or with its speaker; some break off at a comma."""
    rng, words = filler.rng, said.words
    speaker = filler.write((Slot("il", said.speaker),))
    if "," in words and rng.random() < _CUT:
        words = words.partition(",")[0] + "..."
    form = rng.randrange(4)
    if form == 0:
        return f"{core}{place}. «{words}»"
    if form == 1:
        return f"«{words}», {core}{place}"
    if form == 2:
        return f"{core}{place}, {speaker}: «{words}»"
    return f"{speaker}: «{words}». {sentence(core)}{place}"


def _sentences(text: str) -> str:
    """Return a text with capitals at the beginning and after full stops and question marks."""
    pieces = text.replace("? ", "?\0").replace(". ", ".\0").split("\0")
    return " ".join(sentence(piece) for piece in pieces)
