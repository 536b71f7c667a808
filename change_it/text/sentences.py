"""Split articles into sentences and clauses by rule: by end marks, and what is on both sides of them.

A full stop ends no sentence after a title ("Mr.", "dott.", "Sra.") or an initial ("J. Edgar"), nor before a
number after "n." or "art.", nor after a German ordinal ("am 3. März"). After letters with dots ("U.S.",
"S.p.A.") and words like "ecc." it ends one only where an Italian or English function word begins the next
("in the U.S. The", "di notte ecc. Il").
"""

import re
from collections.abc import Iterator
from itertools import islice

from change_it.text.stopwords import stop_words
from change_it.text.tokens import beginning, length
from change_it.text.typography import (
    ABBREVIATED,
    CLOSING_MARKS,
    COMBINING,
    ENDS,
    JOINTS,
    OPENING_MARKS,
    WIDE_ENDS,
    WIDE_JOINTS,
    Typography,
)


def _set(text: str) -> frozenset[str]:
    """Return the words of a list that is written as a text."""
    return frozenset(text.split())


#: Abbreviations before a name: a full stop after them never ends a sentence.
_TITLES = _set(
    """mr mrs ms mx messrs dr drs prof profs gen gens sen sens rep reps gov govs lt sgt cpl col capt cmdr adm
    maj rev supt st sts ft vs v
    sig sigg dott avv arch geom cav comm mons magg brig amm proff egr gent spett
    abg bzw ca evtl ggf inkl sog usw vgl zzgl sra srta sres dña dra núm mme mmes mlle mlles np ul św tzw doç
    sn डॉ पं श्री"""
)

#: Abbreviations before a number.
_NUMBERED = _set("n nn no nos nr num art artt p pp pag pagg vol voll fig figg cap sec par tab ca tel")

#: Abbreviations that stand at the end of a sentence or within one.
_EITHER = _set("inc corp co ltd bros jr sr esq etc est dept assn univ ave blvd ecc coop")

#: The same, where they have a capital: months, weekdays, American states.
_CAPITALISED = _set(
    """Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thurs Fri Sat
    Ala Ariz Ark Calif Colo Conn Del Fla Ga Ill Ind Kan Ky La Mass Md Mich Minn Miss Mo Mont Neb Nev
    Okla Ore Pa Tenn Tex Va Vt Wash Wis Wyo Hon Pres Ing Rag Ten EE UU MM Mio Mrd"""
)

#: A day or an ordinal, maybe behind a word that has one behind it in German.
_DAY = re.compile(
    r"(?:\b(?P<before>ab|am|beim|bis|das|de[mnrs]|die|im|seit|vo[mn]|zu[mr])\s+)?\b\d\d?\Z", re.IGNORECASE
)
#: Months of languages that write a day with a full stop.
_MONTHS = _set(
    """Januar Jänner Februar März April Mai Juni Juli August September Oktober November Dezember
    Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık"""
)
#: French has a space before the mark that closes.
_CLOSERS = rf"(?:[{re.escape(CLOSING_MARKS)}]|\s»(?=\s|\Z))*+"
#: What may end a sentence: end marks, what closes behind them, and a space; `next` is the word that follows.
_END = re.compile(
    rf"(?P<marks>(?<![{ENDS}])[{ENDS}]++){_CLOSERS}"
    rf"(?:\s++(?=[{re.escape(OPENING_MARKS)}]*+(?:(?<=«)\s)?(?P<next>\w++))|\s++)"
    rf"|[{WIDE_ENDS}]++{_CLOSERS}\s*+"
)
_BLANK_LINE = re.compile(r"\n(?:[^\S\n]*+\n)++")
#: The word at the end of a text, perhaps an abbreviation.
_LAST_WORD = re.compile(rf"[^\s/{re.escape(OPENING_MARKS.strip('-') + CLOSING_MARKS)}]*\Z")
#: Letters with dots between them, as U.S or S.p.A.
_DOTTED = re.compile(r"(?:\w{1,3}\.)+\w{1,3}\Z")
_FUNCTION_WORDS = stop_words("it") | stop_words("en")
#: Characters before a full stop that are looked at for an abbreviation.
_REACH = 40


#: Between two clauses.
_JOINT = re.compile(
    rf"(?<=[\w{COMBINING}])[{re.escape(CLOSING_MARKS)}]?\s*(?:[{JOINTS}]|\s[-–—])\s+"
    rf"|[{WIDE_JOINTS}{WIDE_ENDS}]+"
)
#: Sentences of an article that are cut into clauses.
_SENTENCES = 3
#: First characters of an article in which they are sought.
_CHARACTERS = 1500
#: Words of a cut, at least.
_FEWEST_WORDS = 4
#: Words of a cut, at most.
_MOST_WORDS = 20


def sentences(text: str) -> list[str]:
    """Return the sentences of a text in order; their words, joined, are the words of the text.

    A blank line ends a sentence, whatever comes before it; a single line break is a space. In a text without
    capitals every end mark counts that no abbreviation explains.
    """
    return list(iterate_sentences(text))


def iterate_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, as `sentences` returns them, and read no further than they are taken."""
    caseless = text == text.lower()
    for paragraph in _BLANK_LINE.split(text):
        start = 0
        for match in _END.finditer(paragraph):
            if _ends(paragraph, match, caseless):
                sentence = paragraph[start : match.end()].strip()
                if sentence:
                    yield sentence
                start = match.end()
        rest = paragraph[start:].strip()
        if rest:
            yield rest


def _ends(text: str, match: re.Match[str], caseless: bool) -> bool:
    """Tell whether the marks of a match end a sentence."""
    after = match["next"]
    if after is None:  # nothing follows, or no word: a number sign, a bullet
        return True
    if not caseless and after[0].islower():
        return False
    if match["marks"] != ".":
        return True
    before = _LAST_WORD.search(text, max(0, match.start() - _REACH), match.start())
    word = before[0] if before else ""
    function_word_follows = after.lower() in _FUNCTION_WORDS
    if _is_abbreviation(text, match, word, caseless, function_word_follows):
        return False
    if word.lower() in _EITHER or word in _CAPITALISED or _DOTTED.match(word):
        return not caseless and function_word_follows
    return True


def _is_abbreviation(
    text: str, match: re.Match[str], word: str, caseless: bool, function_word_follows: bool
) -> bool:
    """Tell whether the word before a full stop is why it stands there, so that it ends no sentence.

    The word is a title, an initial, a day, or an abbreviation before a number.
    """
    start = match.start()
    after = match["next"]
    plain = word.lower()
    if plain in _TITLES:
        return True
    is_initial = len(word) == 1 and word.isalpha()
    if is_initial and (word.isupper() or caseless):
        return True
    # on. is a title at the beginning, and in l'on., dell'on.
    before_word = text[max(0, start - 3) : start - 2]
    is_elided_title = plain == "on" and before_word in ("", "'", "’")
    if is_elided_title or (plain in _NUMBERED and after[0].isdigit()):
        return True
    day = _DAY.search(text, max(0, start - _REACH), start)
    if day is not None and (after in _MONTHS or (day["before"] is not None and not function_word_follows)):
        return True
    another_initial_follows = text[match.end() + 1 : match.end() + 2] == "."  # z. B.
    return is_initial and word.islower() and another_initial_follows


def without_end(text: str) -> str:
    """Return a part of a sentence without a comma, colon, dash or full stop that dangles at its end.

    An abbreviation keeps its full stop.
    """
    bare = text.rstrip(f" .-–—。۔।{JOINTS}{WIDE_JOINTS}")
    if text.startswith(".", len(bare)) and ABBREVIATED.search(f"{bare}."):
        return f"{bare}."
    return bare


def cuts(article: str, typography: Typography) -> list[str]:
    """Return the first sentences of an article and their clauses as headlines, each once.

    If all are too long, the beginning of the first is the only one.
    """
    long_enough = []
    for sentence in islice(iterate_sentences(article[:_CHARACTERS]), _SENTENCES):
        for clause in (sentence, *_JOINT.split(sentence)):
            text = " ".join(clause.split())
            if length(text) >= _FEWEST_WORDS:
                long_enough.append(text)
    fitting = [text for text in long_enough if length(text) <= _MOST_WORDS]
    if long_enough and not fitting:
        fitting = [beginning(long_enough[0], _MOST_WORDS)]
    headlines: dict[str, None] = {}
    for text in fitting:
        bare = without_end(text)
        headlines[typography.apply(bare[:1].upper() + bare[1:])] = None
    return list(headlines)
