"""Sentences of articles and their clauses, by rule: end marks, then what is on both sides of them.

A full stop ends no sentence after a title ("Mr.", "dott.", "Sra.") or an initial ("J. Edgar"), nor before a number after
"n." or "art.", nor after a German ordinal ("am 3. März"); after letters with dots ("U.S.", "S.p.A.") and words like "ecc." it
ends one only where an Italian or English function word begins the next ("in the U.S. The", "di notte ecc. Il").
"""

import re

from change_it.text.stopwords import stop_words
from change_it.text.tokens import beginning, length
from change_it.text.typography import (
    ABBREVIATED,
    CLOSING,
    COMBINING,
    ENDS,
    JOINTS,
    OPENING,
    WIDE_ENDS,
    WIDE_JOINTS,
    Typography,
)


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Before a name: a full stop after them never ends a sentence.
_TITLES = _set(
    """mr mrs ms mx messrs dr drs prof profs gen gens sen sens rep reps gov govs lt sgt cpl col capt cmdr adm maj rev
    supt st sts ft vs v
    sig sigg dott avv arch geom cav comm mons magg brig amm proff egr gent spett
    abg bzw ca evtl ggf inkl sog usw vgl zzgl sra srta sres dña dra núm mme mmes mlle mlles np ul św tzw doç sn डॉ पं श्री"""
)

#: Before a number.
_NUMBERED = _set("n nn no nos nr num art artt p pp pag pagg vol voll fig figg cap sec par tab ca tel")

#: At the end of a sentence or within one.
_EITHER = _set("inc corp co ltd bros jr sr esq etc est dept assn univ ave blvd ecc coop")

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


#: Between two clauses.
_JOINT = re.compile(
    rf"(?<=[\w{COMBINING}])[{re.escape(CLOSING)}]?\s*(?:[{JOINTS}]|\s[-–—])\s+|[{WIDE_JOINTS}{WIDE_ENDS}]+"
)
#: Sentences of an article that are cut, its first characters that they are found in, and the fewest and most words of a cut.
_SENTENCES, _CHARACTERS, _WORDS = 3, 1500, (4, 20)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text in order; their words, joined, are the words of the text.

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


def _ends(text: str, match: re.Match[str], caseless: bool) -> bool:
    """Return whether the marks of a match end a sentence."""
    after = match["next"]
    if after is None:  # nothing follows, or no word: a number sign, a bullet
        return True
    if not caseless and after[0].islower():
        return False
    if match["marks"] != ".":
        return True
    start, reach = match.start(), max(0, match.start() - _REACH)
    before = _LAST_WORD.search(text, reach, start)
    word = before[0] if before else ""
    plain, initial = word.lower(), len(word) == 1 and word.isalpha()
    day = _DAY.search(text, reach, start)
    follows = after.lower() in _FUNCTION_WORDS
    explained = (
        plain in _TITLES
        or (initial and (word.isupper() or caseless))
        or (plain == "on" and text[max(0, start - 3) : start - 2] in ("", "'", "’"))  # l'on., dell'on.
        or (plain in _NUMBERED and after[0].isdigit())
        or (day is not None and (after in _MONTHS or (day["before"] is not None and not follows)))
        or (initial and word.islower() and text[match.end() + 1 : match.end() + 2] == ".")  # z. B.
    )
    if plain in _EITHER or word in _CAPITALISED or _DOTTED.match(word):
        return not explained and not caseless and follows
    return not explained


def without_end(text: str) -> str:
    """Return a part of a sentence without a comma, colon, dash or full stop that dangles at its end; an abbreviation keeps its own."""
    bare = text.rstrip(f" .-–—。۔।{JOINTS}{WIDE_JOINTS}")
    return f"{bare}." if text.startswith(".", len(bare)) and ABBREVIATED.search(f"{bare}.") else bare


def cuts(article: str, typography: Typography) -> list[str]:
    """Return the first sentences of an article and their clauses as headlines; if all are too long, the beginning of the first."""
    fewest, most = _WORDS
    first = sentences(article[:_CHARACTERS])[:_SENTENCES]
    clauses = (clause for sentence in first for clause in (sentence, *_JOINT.split(sentence)))
    long = [clause for clause in map(" ".join, map(str.split, clauses)) if length(clause) >= fewest]
    fitting = [text for text in long if length(text) <= most] or [beginning(text, most) for text in long[:1]]
    headlines = (text[:1].upper() + text[1:] for text in map(without_end, fitting))
    return list(dict.fromkeys(map(typography.apply, headlines)))
