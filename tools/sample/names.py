"""Invented people, towns, streets and organisations, put together from stems and suffixes."""

import random
import tomllib
from dataclasses import dataclass
from importlib.resources import files

from tools.sample.morphology import Gender, Noun

_PARTS = {
    key: text.split()
    for key, text in tomllib.loads(
        (files(__package__) / "data" / "names.toml").read_text(encoding="utf-8")
    ).items()
}
_TOWN_FORMS = (*["{}"] * 6, "San {}", "Castel {}", "Borgo {}", "{} Marina", "{} Alta", "Monte {}", "Porto {}")
_AREA_KINDS = ("il quartiere", "il rione", "la frazione", "la contrada", "la zona", "il borgo")
#: Endings that a stem takes.
_TOWNS, _SURNAMES = 3, 16
_STREETS = ("via", "via", "via", "corso", "viale", "piazza", "largo", "vicolo")


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody invented; `role` is what they are in the event."""

    first: str
    last: str
    role: Noun
    age: int

    @property
    def gender(self) -> Gender:
        """M or f, the role's."""
        return self.role.gender

    @property
    def full(self) -> Noun:
        """First name and surname."""
        return Noun(f"{self.first} {self.last}", self.gender, proper=True)

    @property
    def surname(self) -> Noun:
        """Return the surname alone."""
        return Noun(self.last, self.gender, proper=True)


def _coined(rng: random.Random, stems: str, ends: str, each: int) -> str:
    """Return a stem with one of the few endings that it takes: names come back, as those of a region do."""
    stem, endings = rng.randrange(len(_PARTS[stems])), _PARTS[ends]
    return _PARTS[stems][stem] + endings[(7 * stem + rng.randrange(each)) % len(endings)]


def person(rng: random.Random, roles: tuple[str, ...]) -> Person:
    """Somebody with one of `roles`, each written `il sindaco / la sindaca`."""
    masculine, _, feminine = rng.choice(roles).partition(" / ")
    female = bool(feminine) and rng.random() < 0.45
    role = Noun.parse(feminine.strip() if female else masculine.strip())
    role = Noun(role.text, "f" if female else "m")
    first = rng.choice(_PARTS["female"] if female else _PARTS["male"])
    return Person(first, _coined(rng, "surname_stems", "surname_ends", _SURNAMES), role, rng.randint(21, 84))


def town(rng: random.Random) -> Noun:
    """Draw a town; its gender is that of `città`."""
    name = _coined(rng, "town_stems", "town_ends", _TOWNS)
    return Noun(rng.choice(_TOWN_FORMS).format(name), "f", proper=True)


def area(rng: random.Random) -> Noun:
    """Draw a part of a town: `il rione Molini`."""
    kind = Noun.parse(rng.choice(_AREA_KINDS))
    name = _coined(rng, "town_stems", "town_ends", _TOWNS) + (
        "" if rng.random() < 0.8 else rng.choice((" Vecchio", " Nuovo"))
    )
    return Noun(f"{kind.text} {name}", kind.gender)


def street(rng: random.Random) -> Noun:
    """Draw a street named after somebody invented, without article: `in via Dora Galvestri`."""
    name = _coined(rng, "surname_stems", "surname_ends", _SURNAMES)
    if rng.random() < 0.25:
        name = f"{rng.choice(_PARTS['male'] + _PARTS['female'])} {name}"
    return Noun(f"{rng.choice(_STREETS)} {name}", "f", proper=True)


def organisation(rng: random.Random, kinds: tuple[str, ...]) -> Noun:
    """Draw an organisation of one of `kinds`, each written with its article: `la cooperativa Aurelia`."""
    kind = Noun.parse(rng.choice(kinds))
    brand = rng.choice(_PARTS["brand_starts"]) + rng.choice(_PARTS["brand_ends"])
    return Noun(f"{kind.text} {brand}", kind.gender, kind.plural)
