"""Sentences of articles, by rule: end marks, then what is on both sides of them.

A full stop ends no sentence after a title ("Mr.", "dott.", "Sra.") or an initial ("J. Edgar"), nor before a number after
"n." or "art.", nor after a German ordinal ("am 3. März"); after letters with dots ("U.S.", "S.p.A.") and words like "ecc." it
ends one only where an Italian or English function word begins the next ("in the U.S. The", "di notte ecc. Il").
"""

import re

from change_it.text.marks import CLOSING, ENDS, JOINTS, OPENING, WIDE_ENDS, WIDE_JOINTS
from change_it.text.stopwords import stop_words


def _set(text: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(text.split())


#: Before a name: a full stop after them never ends a sentence.
_TITLES = _set(
    """mr mrs ms mx messrs dr drs prof profs gen gens sen sens rep reps gov govs lt sgt cpl col capt cmdr adm maj rev
    supt st sts ft vs v
    sig sigg dott avv arch geom cav comm mons magg brig amm proff egr gent spett
    abg bzw ca evtl ggf inkl sog usw vgl zzgl sra srta sres dña dra núm mme mmes mlle mlles np ul św tzw doç sn डॉ पं श्री"""
)

#: Before a number.
_NUMBERED = _set("""n nn no nos nr num art artt p pp pag pagg vol voll fig figg cap sec par tab ca tel""")

#: At the end of a sentence or within one.
_EITHER = _set("""inc corp co ltd bros jr sr esq etc est dept assn univ ave blvd ecc coop""")

#: The same, where they are written like this: months and American states.
_CAPITALISED = _set(
    """Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thurs Fri Sat
    Ala Ariz Ark Calif Colo Conn Del Fla Ga Ill Ind Kan Ky La Mass Md Mich Minn Miss Mo Mont Neb Nev Okla Ore Pa Tenn Tex
    Va Vt Wash Wis Wyo Hon Pres Ing Rag Ten EE UU MM Mio Mrd"""
)

#: A day or an ordinal, maybe behind a word that has one behind it in German, and months of languages that write it with a full stop.
_DAY = re.compile(
    r"(?:\b(?P<before>ab|am|beim|bis|das|de[mnrs]|die|im|seit|vo[mn]|zu[mr])\s+)?\b\d\d?\Z", re.IGNORECASE
)
_MONTHS = _set(
    """Januar Jänner Februar März April Mai Juni Juli August September Oktober November Dezember
    Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık"""
)
#: French has a space before the mark that closes.
_CLOSERS = rf"(?:[{re.escape(CLOSING)}]|\s»(?=\s|\Z))*+"
_END = re.compile(
    rf"(?P<marks>(?<![{ENDS}])[{ENDS}]++){_CLOSERS}(?:\s++(?=[{re.escape(OPENING)}]*+(?:(?<=«)\s)?(?P<next>\w++))|\s++)"
    rf"|[{WIDE_ENDS}]++{_CLOSERS}\s*+"
)
_BLANK_LINE = re.compile(r"\n(?:[^\S\n]*+\n)++")
_LAST_WORD = re.compile(rf"[^\s/{re.escape(OPENING.strip('-') + CLOSING)}]*\Z")
_DOTTED = re.compile(r"(?:\w{1,3}\.)+\w{1,3}\Z")
_FUNCTION_WORDS = stop_words("it") | stop_words("en")
#: Characters before a full stop that are looked at for an abbreviation.
_REACH = 40


def sentences(text: str) -> list[str]:
    """The sentences of an Italian or English text in order; their words, joined, are the words of the text.

    A blank line ends a sentence, whatever comes before it; a single line break is a space. In a text without
    capitals every end mark counts that no abbreviation explains.
    """
    caseless = text == text.lower()
    ended = []
    for paragraph in _BLANK_LINE.split(text):
        start = 0
        for match in _END.finditer(paragraph):
            if _ends(paragraph, match, caseless):
                ended.append(paragraph[start : match.end()].strip())
                start = match.end()
        ended.append(paragraph[start:].strip())
    return [sentence for sentence in ended if sentence]


def without_end(text: str) -> str:
    """A part of a sentence without a comma, colon, dash or full stop that dangles at its end."""
    return text.rstrip(f" .-–—。۔।{JOINTS}{WIDE_JOINTS}")


def _ends(text: str, match: re.Match[str], caseless: bool) -> bool:
    """Whether the marks that were found end a sentence."""
    after = match["next"]
    if after is None:  # nothing follows, or no word: a number sign, a bullet
        return True
    if not caseless and after[0].islower():
        return False
    if match["marks"] != ".":
        return True
    before = _LAST_WORD.search(text, max(0, match.start() - _REACH), match.start())
    word = before[0] if before else ""
    plain = word.lower()
    if plain == "on" and before and text[before.start() - 1 : before.start()] in "'’":  # l'on., dell'on.
        return False
    if plain in _TITLES or (len(word) == 1 and word.isalpha() and (word.isupper() or caseless)):
        return False
    if plain in _NUMBERED and after[0].isdigit():
        return False
    day = _DAY.search(text, max(0, match.start() - _REACH), match.start())
    if day and (after in _MONTHS or (day["before"] and after.lower() not in _FUNCTION_WORDS)):
        return False
    if word.islower() and len(word) == 1 and text[match.end() + 1 : match.end() + 2] == ".":  # z. B.
        return False
    if plain in _EITHER or word in _CAPITALISED or _DOTTED.match(word):
        return not caseless and after.lower() in _FUNCTION_WORDS
    return True
