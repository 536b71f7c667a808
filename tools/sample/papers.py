"""The two invented newspapers: what they like to report, and the style of their headlines."""

from dataclasses import dataclass, field


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
    # weights of the topics that only this paper reports; 1 where none is given
    topics: dict[str, float] = field(default_factory=dict)


FARO = Paper(
    label="faro",
    name="Il Faro",
    side=0,
    words=150,
    guillemets=0.85,
    quote=0.42,
    colon=0.2,
    ecco=0.04,
    nominal=0.28,
    question=0.05,
    exclamation=0.01,
    kicker=0.04,
    dots=0.03,
    digits=0.22,
    named=0.7,
    capitals=0.01,
    figure=0.1,
    long=0.5,
    city=0.9,
    topics={
        "economia": 1.8,
        "cultura": 2.0,
        "ambiente": 1.5,
        "scuola": 1.4,
        "cronaca": 0.6,
        "spettacolo": 0.5,
        "sport": 0.8,
    },
)
COLLE = Paper(
    label="colle",
    name="La Gazzetta del Colle",
    side=1,
    words=115,
    guillemets=0.2,
    quote=0.2,
    colon=0.42,
    ecco=0.17,
    nominal=0.66,
    question=0.2,
    exclamation=0.1,
    kicker=0.22,
    dots=0.14,
    digits=0.8,
    named=0.42,
    capitals=0.08,
    figure=0.25,
    long=0.33,
    city=0.86,
    topics={
        "cronaca": 1.8,
        "spettacolo": 2.0,
        "sport": 1.4,
        "giustizia": 1.3,
        "cultura": 0.5,
        "economia": 0.7,
        "ambiente": 0.7,
    },
)
#: A then B, in the alphabetical order of their labels.
PAPERS = (COLLE, FARO)
