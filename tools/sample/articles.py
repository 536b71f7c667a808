"""Write articles: one event in one paper's words, with what its headline says.

Facts that this paper happened to get come with it.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from tools.sample.events import SPEAKERS, Event, Grammar, Said
from tools.sample.morphology import Noun, numeral, sentence, tidy
from tools.sample.papers import Paper
from tools.sample.templates import Filler, Slot, Template, always, filled_in, slots

WEEKDAYS = ("lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica")
#: How far an article's sentences lean to the other paper's synonyms, 0 to 1.
_LEAN = 0.7
#: How far its first sentence does.
_FIRST_LEAN = 0.3
#: How far those that say what its headline says do.
_TOLD_LEAN = 0.8
#: Share of the articles that leave their town out, if their headline names it, and if not.
_AT_HOME = {True: 0.05, False: 0.55}
#: Sentences of a follow-up on the event before it.
_BEFORE = 5
_CITY = Noun("città", "f", place="in città")


@dataclass(frozen=True, slots=True)
class Headline:
    """A headline, and what its article has to tell.

    Attributes:
        text: the headline.
        core: its first part, with the place, if there is one.
        tails: its further parts.
        said: what it quotes.
        used: slots of the event that it names.
        roles: whether people are called by their roles, not by name.
    """

    text: str
    core: Template
    tails: tuple[Template, ...]
    said: Said | None
    used: frozenset[str]
    roles: bool


class SlotValues:
    """The values that one paper gives to the slots of templates when it reports an event."""

    def __init__(self, event: Event, *, at_home: bool, roles: bool) -> None:
        self.event = event
        self._at_home, self.roles = at_home, roles
        self._met: set[str] = set()

    def resolve(self, name: str, filler: Filler) -> Noun | str:
        """Return the value of a slot in running text: people by full name first, then by surname or role."""
        event = self.event
        if name in event.values:
            options = event.values[name]
            return options[filler.pick(options)]
        if name in event.numbers:
            return numeral(event.numbers[name], in_words=event.numbers[name] <= 10)
        if name in SPEAKERS:
            return self._mention(name, filler)
        if name == "event":
            return event.kind.event[filler.pick(event.kind.event)]
        if name == "town" and self._at_home:
            return _CITY
        if name in ("town", "area", "street", "org"):
            value: Noun = getattr(event, name)
            return value
        if name == "today":
            return WEEKDAYS[event.today.weekday()]
        if name == "after":
            days = (event.today - event.day).days
            named = ("poche ore dopo", "il giorno dopo")
            return named[days] if days < len(named) else f"{numeral(days, in_words=True)} giorni dopo"
        if name.startswith("weekday"):
            return WEEKDAYS[(event.day.weekday() + {"weekday": 0, "weekday0": -1, "weekday2": 2}[name]) % 7]
        if name == "n1":
            return numeral(filler.rng.randint(2, 9), in_words=True)
        speaker, _, part = name.partition(".")
        person = event.person(speaker)
        if part == "age":
            return str(person.age)
        self._met.add(speaker)
        return person.full if part == "full" else person.role

    def _mention(self, name: str, filler: Filler) -> Noun:
        """Return what a speaker is called here."""
        person = self.event.person(name)
        chance = filler.rng.random()
        if name in self._met:
            return person.surname if chance < 0.6 else person.role
        self._met.add(name)
        if chance < 0.35 and not self.roles:
            return person.full
        return Noun(f"{person.role.text} {person.full.text}", person.gender)


def write_article(
    grammar: Grammar, event: Event, paper: Paper, headline: Headline, rng: random.Random, *, late: bool
) -> str:
    """Write an article of some 60 to 220 words in one paragraph.

    One that comes `late` has few facts of the event.

    Whatever its headline says it says too: what happened and where, every further part, and the words quoted,
    to the letter and with their speaker.
    """
    at_home = rng.random() < _AT_HOME["town" in headline.used]
    slot_values = SlotValues(event, at_home=at_home, roles=headline.roles)
    filler = Filler(rng, 1 - paper.side, _FIRST_LEAN, slot_values.resolve)
    target = min(205.0, max(62.0, rng.gauss(paper.words, 38)))
    lead = rng.choice(event.kind.lead)
    told = list(_told(grammar, event, headline, lead, filler))
    own, side = _more(grammar, event, headline, told, rng, late)
    rng.shuffle(told)
    text = [sentence(filler.write(lead))]
    length = len(text[0].split())
    while told or (length < target and (own or side)):
        filler.lean = _LEAN
        if told and (rng.random() < 0.6 or length >= target or not (own or side)):
            template = told.pop()
            filler.lean = _TOLD_LEAN
        else:
            template = (own if own and (not side or rng.random() < 0.85) else side).pop()
        line = sentence(filler.write(template))
        text.append(line)
        length += line.count(" ") + 1
    joined = tidy(" ".join(text))
    if rng.random() >= paper.guillemets:
        joined = joined.replace("«", '"').replace("»", '"')
    return joined


def _told(
    grammar: Grammar, event: Event, headline: Headline, lead: Template, filler: Filler
) -> Iterator[Template]:
    """Yield what the headline says, as sentences; the lead and facts of the event tell some of it."""
    rng, kind = filler.rng, event.kind
    yield _sentence_of(headline.core, grammar.common["told"], rng)
    specific = kind.values.keys() | kind.numbers.keys()
    sentences: list[Template] = [lead]
    for tail in headline.tails:
        asked = slots(tail) & specific
        if asked and any(asked <= always(template) for template in sentences):
            continue
        facts = [fact for fact in kind.facts if asked and asked <= always(fact)]
        sentences.append(
            rng.choice(facts) if facts else _sentence_of(tail, grammar.common["told_further"], rng)
        )
        yield sentences[-1]
    if headline.said is not None:
        yield _attributed(headline.said, rng)


def _sentence_of(claim: Template, frames: tuple[Template, ...], rng: random.Random) -> Template:
    """Put a part of a headline into a sentence, with one colon, and not said by somebody whom it names."""
    fitting = [
        frame
        for frame in frames
        if not slots(frame) & slots(claim) and not (_has_colon(frame) and _has_colon(claim))
    ]
    return filled_in(rng.choice(fitting), "claim", claim)


def _has_colon(template: Template) -> bool:
    """Return whether a template has a colon outside of its slots."""
    return any(isinstance(node, str) and ":" in node for node in template)


def _more(
    grammar: Grammar, event: Event, headline: Headline, told: list[Template], rng: random.Random, late: bool
) -> tuple[list[Template], list[Template]]:
    """Shuffle the event's own sentences that the headline does not ask for, and some more general ones."""
    kind, topic, common = event.kind, event.topic, grammar.common
    others = [_attributed(said, rng) for said in event.said if said != headline.said]
    own = [fact for fact in kind.facts if fact not in told and not late]
    own += [*rng.sample(event.before, min(len(event.before), _BEFORE)), *others[:1]]
    side = rng.sample(topic.facts, min(4, len(topic.facts))) + rng.sample(common["facts"], 4)
    side += [*others[1:2], rng.choice(common["inserts"])]
    rng.shuffle(own)
    rng.shuffle(side)
    return own, side


def _attributed(said: Said, rng: random.Random) -> Template:
    """Return a sentence that says who said it."""
    verb = rng.choice(("dice", "racconta", "spiega", "ripete", "confida", "si sfoga", "assicura"))
    return (f"«{said.words}», {verb} ", Slot("il", said.speaker), ".")
