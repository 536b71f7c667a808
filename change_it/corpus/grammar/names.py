"""Invented people, towns, streets and organisations, put together from stems and suffixes."""

import random
from dataclasses import dataclass

from change_it.corpus.grammar.morphology import Gender, Noun

_MALE = ["Aldo", "Amedeo", "Bruno", "Carlo", "Cesare", "Corrado", "Dario", "Diego", "Elia", "Emilio", "Enzo", "Ettore", "Fabio", "Fausto", "Furio", "Gaspare", "Gino", "Guido", "Igor", "Ivano", "Jacopo", "Lamberto", "Leandro", "Livio", "Luca", "Manlio", "Marco", "Mirko", "Nicola", "Nino", "Olmo", "Omar", "Oreste", "Paolo", "Pietro", "Quinto", "Remo", "Renzo", "Rino", "Rocco", "Samuele", "Saverio", "Sergio", "Silvano", "Tazio", "Tiziano", "Tullio", "Ugo", "Valerio", "Vasco", "Vito", "Walter", "Zeno", "Alvise", "Battista", "Clemente"]
_FEMALE = ["Ada", "Agnese", "Alba", "Amelia", "Bianca", "Bice", "Carla", "Cinzia", "Clara", "Delia", "Dina", "Dora", "Elda", "Elsa", "Emma", "Erica", "Flora", "Fosca", "Franca", "Gaia", "Gemma", "Gilda", "Ilaria", "Iole", "Irene", "Ivana", "Lara", "Lea", "Lidia", "Livia", "Luana", "Marta", "Mila", "Mirta", "Nadia", "Nives", "Nora", "Norma", "Olga", "Ornella", "Palma", "Piera", "Rina", "Rita", "Rosa", "Sara", "Selene", "Silvana", "Tea", "Tina", "Tosca", "Ursula", "Vanda", "Vera", "Viola", "Zaira", "Adele", "Cosima", "Dafne", "Ester"]
_SURNAME_STEMS = ["Agost", "Albuc", "Ambrav", "Anched", "Arcol", "Balvest", "Barmel", "Batign", "Belcor", "Benvar", "Bergal", "Bevign", "Bolsam", "Brandol", "Brusc", "Calderv", "Camport", "Candov", "Carbess", "Castrev", "Cembal", "Cerlon", "Chiavad", "Cignar", "Colbert", "Cordev", "Costanv", "Dalmest", "Dandol", "Delvac", "Dolfarg", "Durant", "Ermagn", "Fagiol", "Falzar", "Fardell", "Fermign", "Filang", "Fontarv", "Frangal", "Fumagn", "Galvest", "Gambar", "Garzel", "Gelsom", "Ghislar", "Giravolt", "Gorlend", "Grandel", "Grimald", "Gualfr", "Iacovell", "Lambrusc", "Lanternar", "Lavarel", "Ligabr", "Lombasc", "Lorvent", "Magnard", "Malasp", "Mandrel", "Marchest", "Mazzalv", "Melandr", "Mezzav", "Mirandol", "Molfert", "Montarv", "Morsall", "Nardegl", "Navarc", "Nespol", "Nogar", "Olivagn", "Orsogn", "Ottavell", "Palandr", "Pancald", "Parmig", "Pasquad", "Pedrag", "Peltron", "Pernarc", "Pescant", "Pianzol", "Pirond", "Pontrem", "Quagliar", "Quercet", "Ramagn", "Rastell", "Ravign", "Rebecc", "Ricciol", "Rocchegn", "Rovert", "Sabbadd", "Salmerc", "Sampier", "Santagn", "Scarfagn", "Sciarel", "Serrav", "Sgambell", "Solfar", "Spadagn", "Stangol", "Tagliav", "Tarabell", "Tassign", "Tempest", "Terravall", "Tordel", "Trevisagn", "Tronchet", "Urbagn", "Valcort", "Vandrel", "Varagn", "Ventalb", "Vergnac", "Vescard", "Vignol", "Volpagn", "Zambel", "Zanfart", "Zardon", "Zirond", "Zuccher"]
_SURNAME_ENDS = ["aldi", "anti", "ari", "asso", "asti", "atti", "azzi", "elli", "eni", "enzi", "eri", "erra", "esi", "etti", "iani", "icci", "igli", "ini", "inzi", "isti", "oli", "olo", "oni", "onti", "ori", "osi", "otti", "ozzi", "ucci", "udi", "ulli", "unti", "ussi", "utti", "aco", "ago", "ano", "edo", "ello"]
_TOWN_STEMS = ["Alb", "Arb", "Arqu", "Bagn", "Balz", "Barz", "Bard", "Belv", "Bos", "Brent", "Brov", "Cald", "Cant", "Carp", "Casal", "Cavr", "Cerv", "Chiar", "Cingol", "Coll", "Corm", "Crevar", "Dolc", "Dron", "Ferr", "Fiesc", "Folg", "Font", "Frass", "Gagl", "Gamb", "Garb", "Gerl", "Gors", "Gran", "Guast", "Irp", "Isol", "Lav", "Lend", "Liv", "Lor", "Lunig", "Macr", "Malv", "Marz", "Mercur", "Mez", "Mol", "Montr", "Murl", "Nerv", "Noc", "Orbet", "Orz", "Ost", "Pald", "Palm", "Pedr", "Perl", "Pian", "Piovr", "Pogl", "Pozz", "Quarn", "Quint", "Radd", "Ravell", "Reggel", "Rivar", "Roncagl", "Rosc", "Sal", "Sart", "Scand", "Serr", "Solar", "Sorb", "Spezz", "Stron", "Tamb", "Tavern", "Terz", "Torr", "Trev", "Turb", "Umbr", "Vald", "Vals", "Varz", "Verz", "Vign", "Volt", "Zev"]
_TOWN_ENDS = ["ano", "ana", "ago", "ate", "asco", "enna", "eto", "etta", "ello", "era", "iglia", "ignano", "ino", "isana", "izza", "ogno", "ola", "one", "osa", "ucco", "uno", "urno", "ussa", "avalle", "emonte", "eporto", "inara", "olungo", "arossa", "atico"]
_TOWN_FORMS = ("{}", "{}", "{}", "{}", "{}", "{}", "San {}", "Castel {}", "Borgo {}", "{} Marina", "{} Alta", "Monte {}", "Porto {}")
_AREA_KINDS = ("il quartiere", "il rione", "la frazione", "la contrada", "la zona", "il borgo")
_STREETS = ("via", "via", "via", "corso", "viale", "piazza", "largo", "vicolo")
_BRAND_STARTS = ["Abr", "Acqu", "Aer", "Agr", "Alt", "Ant", "Arc", "Art", "Ast", "Aur", "Bel", "Ber", "Bor", "Cal", "Cam", "Cir", "Cor", "Cre", "Dom", "Dyn", "Eco", "Edil", "El", "Ener", "Fab", "Fer", "Fid", "Flor", "Gal", "Gem", "Idro", "Ital", "Lam", "Leg", "Lin", "Luc", "Mar", "Med", "Mer", "Met", "Min", "Mod", "Nav", "Neo", "Nov", "Omn", "Ort", "Pan", "Per", "Pol", "Pro", "Quad", "Ret", "Riv", "Sal", "San", "Sci", "Ser", "Sid", "Sol", "Tec", "Tel", "Ter", "Tras", "Uni", "Val", "Vel", "Ver", "Vit", "Zen"]
_BRAND_ENDS = ["acta", "adora", "alba", "aria", "asia", "atex", "azur", "edil", "egra", "elia", "ella", "emia", "enia", "era", "eris", "esta", "etra", "ia", "ida", "idra", "igna", "ilis", "ima", "inova", "iris", "isa", "ista", "ital", "iva", "ocra", "odea", "olia", "oltre", "omia", "onda", "ora", "ossa", "otex", "ova", "ulia", "unica", "ura", "usa", "uvia"]


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody invented.

    Attributes:
        first: first name.
        last: surname.
        role: what they are in the event.
        age: years.
    """

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
        """The surname alone."""
        return Noun(self.last, self.gender, proper=True)


def person(rng: random.Random, roles: tuple[str, ...]) -> Person:
    """Somebody with one of `roles`, each written `il sindaco / la sindaca`."""
    masculine, _, feminine = rng.choice(roles).partition(" / ")
    female = bool(feminine) and rng.random() < 0.45
    role = Noun.parse(feminine.strip() if female else masculine.strip())
    role = Noun(role.text, "f" if female else "m")
    first = rng.choice(_FEMALE if female else _MALE)
    return Person(first, rng.choice(_SURNAME_STEMS) + rng.choice(_SURNAME_ENDS), role, rng.randint(21, 84))


def town(rng: random.Random) -> Noun:
    """A town; its gender is that of `città`."""
    name = rng.choice(_TOWN_STEMS) + rng.choice(_TOWN_ENDS)
    return Noun(rng.choice(_TOWN_FORMS).format(name), "f", proper=True)


def area(rng: random.Random) -> Noun:
    """A part of a town: `il rione Molini`."""
    kind = Noun.parse(rng.choice(_AREA_KINDS))
    name = rng.choice(_TOWN_STEMS) + rng.choice(_TOWN_ENDS) + ("" if rng.random() < 0.8 else rng.choice((" Vecchio", " Nuovo")))
    return Noun(f"{kind.text} {name}", kind.gender)


def street(rng: random.Random) -> Noun:
    """A street named after somebody invented, without article: `in via Dora Galvestri`."""
    name = rng.choice(_SURNAME_STEMS) + rng.choice(_SURNAME_ENDS)
    if rng.random() < 0.25:
        name = f"{rng.choice(_MALE + _FEMALE)} {name}"
    return Noun(f"{rng.choice(_STREETS)} {name}", "f", proper=True)


def organisation(rng: random.Random, kinds: tuple[str, ...]) -> Noun:
    """An organisation of one of `kinds`, each written with its article: `la cooperativa Aurelia`."""
    kind = Noun.parse(rng.choice(kinds))
    brand = rng.choice(_BRAND_STARTS) + rng.choice(_BRAND_ENDS)
    return Noun(f"{kind.text} {brand}", kind.gender, kind.plural)
