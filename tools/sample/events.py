"""What happened: topics and event types read from `data/`, and events drawn from them."""

import random
import tomllib
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any

from tools.sample import names
from tools.sample.morphology import Noun
from tools.sample.templates import Template, parse, slots


@dataclass(frozen=True, slots=True)
class Kind:
    """A type of event."""

    name: str
    topic: str
    event: tuple[Noun, ...]  # synonyms for what happened
    roles: tuple[str, ...]  # what the main person may be
    # for each slot of the type the possible values, each a tuple of synonyms
    values: dict[str, tuple[tuple[Noun, ...], ...]]
    numbers: dict[
        str, tuple[int, int, int]
    ]  # for each figure its lowest and highest value and the step between
    nominal: tuple[Template, ...]  # headline cores without a verb, without place
    verbal: tuple[Template, ...]  # headline cores that are clauses, without place
    tails: tuple[Template, ...]  # second parts of headlines
    figures: tuple[Template, ...]  # those of `tails` that carry one of `numbers`
    lead: tuple[Template, ...]
    facts: tuple[Template, ...]
    quotes: tuple[Template, ...]


@dataclass(frozen=True, slots=True)
class Topic:
    """What the event types of a topic share: who is concerned, and sentences that fit all of them."""

    name: str
    kinds: tuple[Kind, ...]
    orgs: tuple[str, ...]
    chiefs: tuple[str, ...]
    kickers: tuple[Template, ...]
    questions: tuple[Template, ...]
    quotes: tuple[Template, ...]
    facts: tuple[Template, ...]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, as both papers could know it."""

    kind: Kind
    topic: Topic
    day: date
    town: Noun
    area: Noun  # `area` and `street` are parts of the town
    street: Noun
    who: names.Person  # the main person
    chief: names.Person  # who speaks for the authorities
    org: Noun  # who else is concerned
    values: dict[str, tuple[Noun, ...]]  # synonyms of the value of each slot of the type
    numbers: dict[str, int]


@dataclass(frozen=True, slots=True)
class Grammar:
    """All topics, and the sentences that fit any event (`common`, by section)."""

    topics: tuple[Topic, ...]
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
            if entry.name.endswith(".toml") and entry.name != "names.toml"
        }
        common = sources.pop("common")
        witnesses = tuple(common.pop("witnesses"))
        topics = tuple(_topic(source) for source in sources.values())
        return Grammar(topics, {section: _templates(lines) for section, lines in common.items()}, witnesses)

    def draw(self, rng: random.Random, day: date, weights: dict[str, float]) -> Event:
        """An event of `day`; a topic is drawn by its weight (1 where `weights` has none), a type evenly in it."""
        topic = rng.choices(self.topics, [weights.get(t.name, 1.0) * len(t.kinds) for t in self.topics])[0]
        kind = rng.choice(topic.kinds)
        return Event(
            kind=kind,
            topic=topic,
            day=day,
            town=names.town(rng),
            area=names.area(rng),
            street=names.street(rng),
            who=names.person(rng, kind.roles),
            chief=names.person(rng, topic.chiefs),
            org=names.organisation(rng, topic.orgs),
            values={slot: rng.choice(values) for slot, values in kind.values.items()},
            numbers={
                name: rng.randrange(low, high, step) for name, (low, high, step) in kind.numbers.items()
            },
        )


def _templates(lines: list[str]) -> tuple[Template, ...]:
    return tuple(parse(line) for line in lines)


def _synonyms(written: str) -> tuple[Noun, ...]:
    return tuple(Noun.parse(part) for part in written.split("|"))


def _topic(source: dict[str, Any]) -> Topic:
    return Topic(
        name=source["topic"],
        kinds=tuple(_kind(entry, source["topic"]) for entry in source["event"]),
        orgs=tuple(source["orgs"]),
        chiefs=tuple(source["chiefs"]),
        kickers=_templates(source["kickers"]),
        questions=_templates(source["questions"]),
        quotes=_templates(source["quotes"]),
        facts=_templates(source["facts"]),
    )


def _kind(entry: dict[str, Any], topic: str) -> Kind:
    numbers = {name: (low, high, step) for name, (low, high, step) in entry.get("numbers", {}).items()}
    tails = _templates(entry["tails"])
    return Kind(
        name=entry["name"],
        topic=topic,
        event=_synonyms(entry["event"]),
        roles=tuple(entry["roles"]),
        values={slot: tuple(_synonyms(v) for v in values) for slot, values in entry.get("slots", {}).items()},
        numbers=numbers,
        nominal=_templates(entry["nominal"]),
        verbal=_templates(entry["verbal"]),
        tails=tails,
        figures=tuple(tail for tail in tails if slots(tail) & numbers.keys()),
        lead=_templates(entry["lead"]),
        facts=_templates(entry["facts"]),
        quotes=_templates(entry["quotes"]),
    )
