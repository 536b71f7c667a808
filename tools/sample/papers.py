"""The two invented newspapers: what they like to report, and the style of their headlines."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Paper:
    """A newspaper. Every trait is a probability in [0, 1], drawn anew for each headline.

    Attributes:
        label: short name, the `label` of its articles.
        name: its masthead.
        side: 0 or 1: of synonyms it leans to the even or to the odd ones.
        topics: weights of the topics that only this paper reports; 1 where none is given.
        words: mean length of an article.
        guillemets: quotations in «…», otherwise in "…".
        quote: the headline quotes somebody.
        colon: a place or catchword is put in front with a colon.
        ecco: the headline says "Ecco …".
        nominal: no verb in the headline's core.
        question: it asks something.
        exclamation: it exclaims.
        kicker: it opens with a loud catchword.
        dots: it breaks off with suspension dots.
        digits: small numbers in digits, otherwise in words.
        named: people by surname, otherwise by role.
        capitals: its first word in capitals.
        figure: a figure comes first.
        long: each further part after the core is added with this probability.
        city: places are towns, otherwise parts of towns.
    """

    label: str
    name: str
    side: int
    words: float
    guillemets: float
    quote: float
    colon: float
    ecco: float
    nominal: float
    question: float
    exclamation: float
    kicker: float
    dots: float
    digits: float
    named: float
    capitals: float
    figure: float
    long: float
    city: float
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
