"""The articles: one event in one paper's words, with the facts that this paper happened to get."""

import random
from typing import Literal

from tools.sample import names
from tools.sample.events import Event, Grammar
from tools.sample.morphology import Noun, numeral, sentence, tidy
from tools.sample.papers import Paper
from tools.sample.templates import Filler, Slot, Template

Angle = Literal["news", "followup"]

WEEKDAYS = ("lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica")
_LEAN = 0.5
_AT_HOME = Noun("città", "f", place="in città")


class SlotValues:
    """The values that one paper gives to the slots of templates when it reports an event."""

    def __init__(
        self, event: Event, paper: Paper, rng: random.Random, witnesses: tuple[str, ...], at_home: float
    ) -> None:
        self.event = event
        self.paper = paper
        self.witness = names.person(rng, witnesses)
        self.numbers = event.numbers | {
            "days": rng.randint(3, 28),
            "years": rng.randint(2, 40),
            "comments": rng.randint(23, 999),
            "inhabitants": rng.randint(1200, 9800) if rng.random() < 0.3 else 1000 * rng.randint(10, 120),
        }
        self._at_home = rng.random() < at_home
        self._met: set[str] = set()

    def resolve(self, name: str, filler: Filler) -> Noun | str:
        """The value of a slot in running text: people by full name first, then by surname or role."""
        event = self.event
        if name in event.values:
            options = event.values[name]
            return options[filler.pick(options)]
        if name in self.numbers:
            return numeral(self.numbers[name], in_words=self.numbers[name] <= 10)
        if name in ("who", "chief", "wit"):
            return self._mention(name, filler)
        if name == "event":
            return event.kind.event[filler.pick(event.kind.event)]
        if name == "town" and self._at_home:
            return _AT_HOME
        if name in ("town", "area", "street", "org"):
            value: Noun = getattr(event, name)
            return value
        if name.startswith("weekday"):
            return WEEKDAYS[(event.day.weekday() + {"weekday": 0, "weekday0": -1, "weekday2": 2}[name]) % 7]
        if name == "quote":
            return sentence(filler.write(filler.rng.choice(event.kind.quotes), keep=True))
        if name == "n1":
            return numeral(filler.rng.randint(2, 9), in_words=True)
        owner, _, part = name.partition(".")
        person = self._person(owner)
        if part == "age":
            return str(person.age)
        self._met.add(owner)
        return person.full if part == "full" else person.role

    def _person(self, name: str) -> names.Person:
        return self.witness if name == "wit" else self.event.who if name == "who" else self.event.chief

    def _mention(self, name: str, filler: Filler) -> Noun:
        person = self._person(name)
        chance = filler.rng.random()
        if name in self._met:
            return person.surname if chance < 0.6 else person.role
        self._met.add(name)
        if chance < 0.35:
            return person.full
        return Noun(f"{person.role.text} {person.full.text}", person.gender)


def write_article(
    grammar: Grammar, event: Event, paper: Paper, rng: random.Random, *, angle: Angle = "news"
) -> str:
    """An article of some 60 to 220 words in one paragraph; a `followup` reports what came of the event."""
    slot_values = SlotValues(event, paper, rng, grammar.witnesses, at_home=0.55 if angle == "news" else 0.2)
    filler = Filler(rng, 1 - paper.side, _LEAN, slot_values.resolve)
    target = min(205.0, max(62.0, rng.gauss(paper.words, 38)))
    lead, own, side = _plan(grammar, event, rng, angle)
    text = [sentence(filler.write(lead))]
    length = len(text[0].split())
    body: list[str] = []
    while length < target and (own or side):
        source = own if own and (not side or rng.random() < 0.85) else side
        line = sentence(filler.write(source.pop()))
        body.append(line)
        length += line.count(" ") + 1
    joined = tidy(" ".join(text + body))
    if rng.random() >= paper.guillemets:
        joined = joined.replace("«", '"').replace("»", '"')
    return joined


def _plan(
    grammar: Grammar, event: Event, rng: random.Random, angle: Angle
) -> tuple[Template, list[Template], list[Template]]:
    """The first sentence, then a shuffled supply of the event's own sentences and one of more general ones."""
    kind, topic, common = event.kind, event.topic, grammar.common
    own = [*kind.facts, _attributed(rng.choice(kind.quotes), "who", rng)]
    side = rng.sample(topic.facts, min(4, len(topic.facts))) + rng.sample(common["facts"], 4)
    side += [
        _attributed(rng.choice(topic.quotes), rng.choice(("who", "wit")), rng),
        rng.choice(common["inserts"]),
    ]
    if angle == "followup":
        lead = rng.choice(common["followup_leads"])
        own = rng.sample(own, 2) + rng.sample(common["followup_facts"], 4)
    else:
        lead = rng.choice(kind.lead)
    rng.shuffle(own)
    rng.shuffle(side)
    return lead, own, side


def _attributed(quote: Template, speaker: str, rng: random.Random) -> Template:
    """A sentence that says who said `quote`."""
    verb = rng.choice(("dice", "racconta", "spiega", "ripete", "confida", "si sfoga", "assicura"))
    return ("«", *quote, f"», {verb} ", Slot("il", speaker), ".")
