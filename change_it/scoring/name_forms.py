"""Other forms of a name, by which a text may have it: abbreviations, plurals, what people are called after a place."""

import re
from functools import cache

#: Names that stand for each other: abbreviations and irregular forms; folded, lower case, a line a group.
_SAME = {
    "it": """
        usa = us = stati uniti = america
        ue = unione europea = europa
        onu = nazioni unite
        uk = gran bretagna = regno unito
        inghilterra = inglese = inglesi
        gran bretagna = britannico = britannici = britannica = britanniche
        germania = tedesco = tedeschi = tedesca = tedesche
        napoli = napoletano = napoletani = napoletana = napoletane
        firenze = fiorentino = fiorentini = fiorentina = fiorentine
        grecia = greco = greci = greca = greche
        turchia = turco = turchi = turca = turche
        svezia = svedese = svedesi
        m5s = cinque stelle = grillini
        covid = coronavirus
    """,
    "en": """
        us = usa = united states = america = american = americans
        uk = britain = united kingdom = british
        eu = european union = europe
        un = united nations
        gop = republican = republicans
        dem = dems = democrat = democrats = democratic
        repubs = republicans = republican
        scotus = supreme court
        potus = president
        vp = vice president
        pm = prime minister
        ag = ags = attorney general = attorneys general
        ig = inspector general
        doj = justice department = department of justice
        dod = pentagon = defense department
        ceo = chief executive
        da = district attorney
        flotus = first lady
        fed = federal reserve
        obamacare = affordable care act = aca = health care law
        nyc = ny = new york
        la = los angeles
        dc = washington
        nyt = new york times
        wapo = washpost = washington post
        isis = isil = islamic state
        covid = coronavirus
        mideast = middle east
        france = french
        netherlands = dutch = holland
        germany = german = germans
        spain = spanish
        turkey = turkish = turks
        greece = greek = greeks
        poland = polish
        sweden = swedish
        denmark = danish
        switzerland = swiss
        ireland = irish
        england = english
        sec = secretary
        pres = president
        gov = governor
        rep = representative
        sen = senator
        gen = general
        jan = january
        feb = february
        mar = march
        apr = april
        jun = june
        jul = july
        aug = august
        sep = sept = september
        oct = october
        nov = november
        dec = december
    """,
}
#: Endings of what people, followers and languages are called after a place or a person, and of the place itself.
_DERIVED = {
    "it": [stem + end for stem in ("an", "ian", "itan", "in", "ist") for end in "oaie"]
    + ["ese", "esi", "ense", "ensi", "ismo", "olo", "oli", "ola", "ole"],
    "en": [
        stem + end
        for stem in ("an", "ian", "ese", "ish", "i", "ite", "er", "ic", "ist", "ism", "ization", "ite")
        for end in ("", "s")
    ],
}
_BASES = {"it": ["", "a", "e", "i", "o", "ia"], "en": ["", "a", "e", "o", "y", "ia"]}
_ROMAN = re.compile(r"(?=[IVXLC]{2})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_ROMAN_WORTH = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}


@cache
def aliases_of(language: str) -> dict[str, tuple[str, ...]]:
    """For a name the others of its groups."""
    aliases: dict[str, set[str]] = {}
    for line in _SAME.get(language, "").strip().splitlines():
        names = {name.strip() for name in line.split("=")}
        for name in names:
            aliases.setdefault(name, set()).update(names - {name})
    return {name: tuple(sorted(others)) for name, others in aliases.items()}


def forms_of(word: str, language: str) -> set[str]:
    """Plurals of a name, and what may be derived from it or what it may be derived from."""
    forms = {word}
    derived, bases = _DERIVED.get(language, []), _BASES.get(language, [])
    if language == "en":
        forms |= {word + "s", word + "es", *map(word.removesuffix, ("s", "es", "n"))}
    elif language == "it" and len(word) > 4 and word[-1] in "aeio" and word.endswith(tuple(derived)):
        forms |= {word[:-1] + end for end in "aeio"}
    for ending in derived:
        root = word.removesuffix(ending)
        if root != word and len(root) >= (3 if len(ending) > 1 else 4):
            forms |= {root + base for base in bases}
    for base in bases:
        root = word.removesuffix(base)
        if len(root) >= 3:
            forms |= {root + ending for ending in derived}
    return forms


def roman_number(text: str) -> int | None:
    """The value of a Roman numeral of two letters or more."""
    if not _ROMAN.fullmatch(text):
        return None
    worth = [_ROMAN_WORTH[letter] for letter in text]
    return sum(-a if a < b else a for a, b in zip(worth, [*worth[1:], 0], strict=True))
