"""Read topics and types of events from `data/`, and draw what happened from them."""

import random
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any

from tools.sample import names
from tools.sample.morphology import Noun, numeral, sentence, tidy
from tools.sample.templates import Filler, Template, parse, slots

#: Who may say a quotation; written before it in `data/`, `chief: `, where only one fits.
SPEAKERS = ("who", "chief", "wit")
#: Quotations of its type that an event has.
_SAID_OF_KIND = 2
#: Quotations of its topic that an event has.
_SAID_OF_TOPIC = 1
#: Share of the quotations that both papers have.
_SHARED = 0.4


@dataclass(frozen=True, slots=True)
class Quote:
    """What somebody may say, and who: of `SPEAKERS`, or empty for any that has a part in the event."""

    words: Template
    speaker: str


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody said, in the words that all papers print."""

    words: str
    speaker: str


@dataclass(frozen=True, slots=True)
class Kind:
    """A type of event, or of what follows on one.

    Attributes:
        name: of the type.
        event: synonyms for what happened.
        roles: what the main person may be.
        values: for each slot of the type the possible values, each a tuple of synonyms.
        numbers: for each figure its lowest and highest value and the step between.
        nominal: headline cores without a verb, without place.
        verbal: headline cores that are clauses, without place.
        tails: second parts of headlines.
        figures: those of `tails` that carry one of `numbers`.
        lead: first sentences of articles.
        facts: further sentences.
        quotes: what people may say.
        never: follow-ups that make no sense after it.
    """

    name: str
    event: tuple[Noun, ...]
    roles: tuple[str, ...]
    values: dict[str, tuple[tuple[Noun, ...], ...]]
    numbers: dict[str, tuple[int, int, int]]
    nominal: tuple[Template, ...]
    verbal: tuple[Template, ...]
    tails: tuple[Template, ...]
    figures: tuple[Template, ...]
    lead: tuple[Template, ...]
    facts: tuple[Template, ...]
    quotes: tuple[Quote, ...]
    never: frozenset[str]


@dataclass(frozen=True, slots=True)
class Topic:
    """What the event types of a topic share: who is concerned, and sentences that fit all of them."""

    name: str
    kinds: tuple[Kind, ...]
    followups: tuple[Kind, ...]
    orgs: tuple[str, ...]
    chiefs: tuple[str, ...]
    kickers: tuple[Template, ...]
    questions: tuple[Template, ...]
    quotes: tuple[Quote, ...]
    facts: tuple[Template, ...]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, as both papers could know it.

    Attributes:
        kind: its type.
        topic: the topic of the type.
        day: when it happened; of a follow-up, when the event before it did.
        today: when it happened.
        town: where it happened.
        area: a part of the town.
        street: a street of the town.
        who: the main person.
        chief: who speaks for the authorities.
        wit: somebody who was there, or lives there.
        org: who else is concerned.
        values: synonyms of the value of each slot of the type.
        numbers: value of each figure.
        said: what was said about it.
        before: of a follow-up: sentences on the event before it.
    """

    kind: Kind
    topic: Topic
    day: date
    today: date
    town: Noun
    area: Noun
    street: Noun
    who: names.Person
    chief: names.Person
    wit: names.Person
    org: Noun
    values: dict[str, tuple[Noun, ...]]
    numbers: dict[str, int]
    said: tuple[Said, ...] = ()
    before: tuple[Template, ...] = ()

    def person(self, name: str) -> names.Person:
        """Return one of `SPEAKERS`."""
        person: names.Person = getattr(self, name)
        return person


@dataclass(frozen=True, slots=True)
class Grammar:
    """All that can happen, and how it can be said.

    Attributes:
        topics: all topics.
        followups: follow-ups that fit any topic.
        common: section to the sentences that fit any event.
        witnesses: roles of people who were there.
    """

    topics: tuple[Topic, ...]
    followups: tuple[Kind, ...]
    common: dict[str, tuple[Template, ...]]
    witnesses: tuple[str, ...]

    @staticmethod
    @cache
    def load() -> "Grammar":
        """Read `data/*.toml` once."""
        folder = files(__package__) / "data"
        sources = {
            entry.name.removesuffix(".toml"): tomllib.loads(entry.read_text(encoding="utf-8"))
            for entry in sorted(folder.iterdir(), key=lambda entry: entry.name)
            if entry.name.endswith(".toml") and entry.name not in ("names.toml", "papers.toml")
        }
        common = sources.pop("common")
        witnesses = tuple(common.pop("witnesses"))
        followups = _kinds(common.pop("followup"))
        topics = tuple(_topic(source) for source in sources.values())
        return Grammar(
            topics, followups, {section: _templates(lines) for section, lines in common.items()}, witnesses
        )

    def draw(self, rng: random.Random, day: date, weights: dict[str, float]) -> Event:
        """Draw an event of `day`.

        A topic is drawn by its weight (1 where `weights` has none), a type evenly in it.
        """
        topic = rng.choices(self.topics, [weights.get(t.name, 1.0) * len(t.kinds) for t in self.topics])[0]
        return self.reported(self._event(topic, rng.choice(topic.kinds), day, rng), rng)

    def another(self, event: Event, rng: random.Random) -> Event:
        """Draw another event of the same type, day and town, for which the same people are responsible."""
        other = self._event(event.topic, event.kind, event.day, rng)
        return self.reported(replace(other, town=event.town, chief=event.chief, org=event.org), rng)

    def _event(self, topic: Topic, kind: Kind, day: date, rng: random.Random) -> Event:
        """Draw an event of a type."""
        return Event(
            kind=kind,
            topic=topic,
            day=day,
            today=day,
            town=names.town(rng),
            area=names.area(rng),
            street=names.street(rng),
            who=names.person(rng, kind.roles),
            chief=names.person(rng, topic.chiefs),
            wit=names.person(rng, self.witnesses),
            org=names.organisation(rng, topic.orgs),
            values={slot: rng.choice(values) for slot, values in kind.values.items()},
            numbers=_numbers(kind, rng),
        )

    def following(self, event: Event, rng: random.Random) -> list[Kind]:
        """Return what may follow on an event, in random order: that of its topic, and two that fit any."""
        own, common = (
            [kind for kind in kinds if kind.name not in event.kind.never]
            for kinds in (event.topic.followups, self.followups)
        )
        kinds = own + rng.sample(common, min(2, len(common)))
        return rng.sample(kinds, len(kinds))

    def follow(self, event: Event, kind: Kind, today: date, rng: random.Random) -> Event:
        """Draw what happens next, with the people and the place of the event that it follows on."""
        return self.reported(
            replace(
                event,
                kind=replace(kind, event=event.kind.event),
                today=today,
                numbers=event.numbers | _numbers(kind, rng),
                said=(),
                before=(rng.choice(event.kind.lead), *event.kind.facts),
            ),
            rng,
        )

    def reported(self, event: Event, rng: random.Random) -> Event:
        """Return an event as one paper hears of it, with a witness and some quotations of its own."""
        numbers = {
            "days": rng.randint(3, 28),
            "years": rng.randint(2, 40),
            "comments": rng.randint(23, 999),
            "inhabitants": rng.randint(1200, 9800) if rng.random() < 0.3 else 1000 * rng.randint(10, 120),
        }
        heard = replace(event, wit=names.person(rng, self.witnesses), numbers=event.numbers | numbers)
        shared = [said for said in event.said if said.speaker != "wit" and rng.random() < _SHARED]
        fresh = list(_said(heard, rng))
        return replace(heard, said=tuple((shared + fresh)[: len(fresh)]))


def _said(event: Event, rng: random.Random) -> Iterator[Said]:
    """Yield what was said about an event: by one who has a part in it, once each."""

    def value(name: str, filler: Filler) -> Noun | str:
        if name in event.numbers:
            return numeral(event.numbers[name], in_words=event.numbers[name] <= 10)
        if name == "n1":
            return numeral(filler.rng.randint(2, 9), in_words=True)
        if name in event.values:
            return rng.choice(event.values[name])
        if name == "event":
            return rng.choice(event.kind.event)
        if name in SPEAKERS:
            return event.person(name).surname
        noun: Noun = getattr(event, name)
        return noun

    kind, topic = event.kind.quotes, event.topic.quotes
    for quote in rng.sample(kind, min(_SAID_OF_KIND, len(kind))) + rng.sample(topic, _SAID_OF_TOPIC):
        speaker = quote.speaker or ("who" if quote in kind else rng.choice(("who", "chief")))
        filler = Filler(rng, rng.randrange(2), 0.0, value)
        yield Said(tidy(sentence(filler.write(quote.words))), speaker)


def _numbers(kind: Kind, rng: random.Random) -> dict[str, int]:
    return {name: rng.randrange(low, high, step) for name, (low, high, step) in kind.numbers.items()}


def _templates(lines: list[str]) -> tuple[Template, ...]:
    return tuple(parse(line) for line in lines)


def _quotes(lines: list[str]) -> tuple[Quote, ...]:
    """Quotations, some with their speaker before them: `wit: ci aspettavamo di peggio`."""
    parts = [line.partition(": ") for line in lines]
    return tuple(
        Quote(parse(words), speaker) if speaker in SPEAKERS else Quote(parse(speaker + colon + words), "")
        for speaker, colon, words in parts
    )


def _synonyms(written: str) -> tuple[Noun, ...]:
    return tuple(Noun.parse(part) for part in written.split("|"))


def _topic(source: dict[str, Any]) -> Topic:
    return Topic(
        name=source["topic"],
        kinds=_kinds(source["event"], source.get("never", ())),
        followups=_kinds(source["followup"]),
        orgs=tuple(source["orgs"]),
        chiefs=tuple(source["chiefs"]),
        kickers=_templates(source["kickers"]),
        questions=_templates(source["questions"]),
        quotes=_quotes(source["quotes"]),
        facts=_templates(source["facts"]),
    )


def _kinds(entries: list[dict[str, Any]], never: Sequence[str] = ()) -> tuple[Kind, ...]:
    return tuple(_kind(entry, never) for entry in entries)


def _kind(entry: dict[str, Any], never: Sequence[str]) -> Kind:
    numbers = {name: (low, high, step) for name, (low, high, step) in entry.get("numbers", {}).items()}
    tails = _templates(entry["tails"])
    return Kind(
        name=entry["name"],
        event=_synonyms(entry.get("event", "")),
        roles=tuple(entry.get("roles", ())),
        values={slot: tuple(_synonyms(v) for v in values) for slot, values in entry.get("slots", {}).items()},
        numbers=numbers,
        nominal=_templates(entry["nominal"]),
        verbal=_templates(entry["verbal"]),
        tails=tails,
        figures=tuple(tail for tail in tails if slots(tail) & numbers.keys()),
        lead=_templates(entry["lead"]),
        facts=_templates(entry["facts"]),
        quotes=_quotes(entry["quotes"]),
        never=frozenset((*entry.get("never", ()), *never)),
    )
