"""The two invented newspapers: what they like to report, and the style of their headlines."""

import tomllib
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Paper:
    """A newspaper. Every trait is a probability, drawn anew for each headline."""

    label: str
    name: str
    side: int  # 0 or 1: of synonyms it leans to the even or to the odd ones
    words: float  # mean length of an article
    guillemets: float  # quotations in «…», otherwise in "…"
    quote: float  # the headline quotes somebody
    colon: float  # a place or catchword is put in front with a colon
    ecco: float  # the headline says "Ecco …"
    nominal: float  # no verb in the headline's core
    question: float
    exclamation: float
    kicker: float  # it opens with a loud catchword
    dots: float  # it breaks off with suspension dots
    digits: float  # small numbers in digits, otherwise in words
    named: float  # people by surname, otherwise by role
    capitals: float  # its first word in capitals
    figure: float  # a figure comes first
    long: float  # each further part after the core is added with this probability
    city: float  # places are towns, otherwise parts of towns
    topics: dict[str, float]  # weights of the topics that only this paper reports; 1 where none is given


PAPERS = tuple(
    Paper(label, **traits)
    for label, traits in tomllib.loads(
        (files(__package__) / "data" / "papers.toml").read_text(encoding="utf-8")
    ).items()
)
