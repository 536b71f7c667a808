"""Remove markup and control characters from the cells of an input, and say what is odd about texts."""

import html
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import count

from change_it.text.escapes import erased_in, escape_in
from change_it.text.folding import INVISIBLE, fold, nfc
from change_it.text.typography import QUOTED

#: Markup inside escaped markup is taken off this many times.
LAYERS = 20
#: Words of an opening.
OPENING_WORDS = 3
#: Number of different headlines that an opening must have to recur.
FEWEST_OPENINGS = 4
#: Share of all headlines that an opening must have to recur.
OPENING_SHARE = 0.05

#: A character reference of HTML.
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
#: An HTML tag with its name.
_PLAIN_TAG = re.compile(r"</?([A-Za-z][\w:-]*)(?:\s[^<>]*)?/?>")
#: What tags, comments, scripts and styles begin with.
_TAG = re.compile(rf"<!--|<(?:script|style)\b|{_PLAIN_TAG.pattern}", re.IGNORECASE)
#: Names of tags inside words and sentences, which leave no gap.
_INLINE = re.compile(r"(?i:a|abbr|b|cite|code|del|em|font|i|ins|mark|q|s|small|span|strong|sub|sup|u|wbr)")
#: What comments, scripts and styles end with.
_CLOSING = {"<!--": "-->", "<script": r"(?i)</script\s*>", "<style": r"(?i)</style\s*>"}
#: The Windows-1252 characters that control characters from 128 to 159 stand for.
_C1 = {chr(code): bytes([code]).decode("cp1252", "ignore") for code in range(0x80, 0xA0)}
#: Letters that bytes after the first of a character of UTF-8 look like in Windows-1252 or Latin-1.
_NEXT = f"[\x80-\xbf{''.join(_C1.values())}]"
#: A character of UTF-8 that was read as Windows-1252 or Latin-1.
_ONE = re.compile(f"[Â-ß]{_NEXT}|[à-ï]{_NEXT}{{2}}|[ð-ô]{_NEXT}{{3}}")
#: An accented letter or a mark of Latin scripts that was read so.
_ACCENT = f"[Â-Å]{_NEXT}|â[€‚„]{_NEXT}"
#: The Windows-1252 characters ˜, ˆ and ƒ that were read so. Alone they may be meant, behind others not.
_BEHIND = "Ë[\x9cœ\x86†]|Æ[\x92’]"
#: Letters of UTF-8 that were read as Windows-1252 or Latin-1 and written as UTF-8 again: accents and marks,
#: the end of a mark whose beginning was decoded, and whole words of other scripts.
_TWICE = re.compile(
    f"(?:{_ACCENT})(?:{_ACCENT}|{_BEHIND})*|(?<=â€)(?:{_BEHIND})|(?P<word>(?:{_ONE.pattern}){{3,}})"
)
#: What no text has but one that was read in a wrong encoding.
_GARBLED = re.compile("â€|Ã[¢ƒ†‚]|Ëœ|ï¿½")
#: The beginning of a letter that is two bytes of UTF-8, for a quick look.
_LEAD = re.compile(f"[Â-ô]{_NEXT}")
#: Characters of Windows-1252 and the byte that each was.
_BYTES = {character: bytes([ord(code)]) for code, character in _C1.items() if character}


def clean(text: str) -> str:
    """Return a text without HTML, control and invisible characters, in Unicode NFC.

    White space becomes single spaces. Control characters 128-159 are read as Windows-1252, which is what they
    are in newspapers' archives. Inline tags vanish, other tags become a space. Cleaning a clean text changes
    nothing.
    """
    for layer in count():
        before = text
        text = INVISIBLE.sub(lambda character: _C1.get(character[0], ""), text)
        if layer == LAYERS:
            text = text.replace("&", " ").replace("<", " ")
        text = _without_tags(text) if "<" in text else text
        text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
        text = " ".join(nfc(text).split())
        if text == before or not ("&" in before or "<" in before):
            break
    return text


def _without_tags(text: str) -> str:
    """Take off comments, scripts, styles and tags in linear time.

    The end of a kind that is never closed is searched for only once.
    """
    parts: list[str] = []
    unclosed: set[str] = set()
    start = 0
    opening = _TAG.search(text)
    while opening:
        kind = opening[0].lower()
        closing = None
        if kind in _CLOSING and kind not in unclosed:
            closing = re.compile(_CLOSING[kind]).search(text, opening.end())
        tag = _PLAIN_TAG.match(text, opening.start())
        if closing:
            end = closing.end()
            instead = " "
        elif tag:
            end = tag.end()
            instead = "" if _INLINE.fullmatch(tag[1]) else " "
        else:
            end = opening.end()
            instead = opening[0]
        if not closing:
            unclosed.add(kind)
        parts += [text[start : opening.start()], instead]
        start = end
        opening = _TAG.search(text, start)
    return "".join([*parts, text[start:]])


def has_markup(text: str) -> bool:
    """Tell whether cleaning changes more than white space."""
    return clean(text) != " ".join(nfc(text).split())


def visible(text: str) -> str:
    """Return a text, such as an id, without control and invisible characters and outer space."""
    return INVISIBLE.sub("", text).strip()


def decoded(text: str) -> str:
    """Return a text with the words that were encoded as UTF-8 twice, or oftener, as they were.

    What does not decode stays. Words of one or two letters of another script are decoded where a longer one
    of that script is.

    Examples:
        >>> decoded("perchÃ© e ObamaÃ¢â‚¬â„¢s")
        'perché e Obama’s'
    """
    first_letters: set[str] = set()

    def decode(match: re.Match[str]) -> str:
        after = _decode_letters(match[0])
        if match["word"] and after != match[0]:
            first_letters.update(character[0] for character in _ONE.findall(match[0]))
        return after

    def decode_short(match: re.Match[str]) -> str:
        return _decode_letters(match[0]) if match[0][0] in first_letters else match[0]

    while not text.isascii() and _LEAD.search(text):
        after = _TWICE.sub(decode, text)
        if first_letters:
            after = _ONE.sub(decode_short, after)
        if after == text:
            break
        text = after
    return text


def _decode_letters(letters: str) -> str:
    """Return what the bytes of some letters are in UTF-8; the letters themselves where they are nothing."""
    try:
        return b"".join(_BYTES.get(letter) or letter.encode("latin-1") for letter in letters).decode()
    except UnicodeError:
        return letters


def garbled_in(text: str) -> str:
    """Return a word of a text with letters of a wrong encoding that do not decode; empty without any.

    Examples:
        >>> garbled_in("the â€ fuss"), garbled_in("perchÃ©")
        ('â€', '')
    """
    if text.isascii() or not _GARBLED.search(text):
        return ""
    return next((word for word in decoded(text).split() if _GARBLED.search(word)), "")


def encoded_twice(text: str) -> str:
    """Return a word of a text that was encoded as UTF-8 twice, such as `perchÃ©`; empty without any."""
    if decoded(text) == text:
        return ""
    return next((word for word in text.split(" ") if decoded(word) != word), "")


#: What else can be odd about texts, and the function that finds a place of a text where it is so.
_FAULTS: dict[str, Callable[[str], str]] = {
    "were encoded as UTF-8 twice": encoded_twice,
    "have letters of a wrong encoding that do not decode": garbled_in,
    "have escapes in the place of characters": escape_in,
    "have a question mark in the place of a letter": erased_in,
}


def remark(name: str, texts: Iterable[str], then: str) -> list[str]:
    """Say how many texts have HTML or invisible characters, or letters that were lost or escaped.

    Args:
        name: what the texts are called.
        texts: the texts.
        then: what is done about HTML and invisible characters.

    Returns:
        One sentence; nothing where no text is odd.
    """
    texts = list(texts)
    parts = []
    dirty = sum(has_markup(text) for text in texts)
    if dirty:
        parts.append(f"{dirty} of {len(texts)} texts have HTML or invisible characters, which {then}")
    for fault, find in _FAULTS.items():
        examples = []
        for text in texts:
            example = find(text)
            if example:
                examples.append(example)
        if examples:
            parts.append(f"{len(examples)} of {len(texts)} {fault}, as {examples[0]!r}")
    return _one_sentence(name, parts)


def alike(name: str, pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Say what is odd about the headlines of a system, as one sentence; nothing where nothing is.

    It is odd where many headlines have no word, are one and the same, are their originals or stand in
    quotation marks. It is also odd where most begin or end with a mark that a program has left there.

    Args:
        name: name of the system.
        pairs: its headlines with their originals.
    """
    n = len(pairs)
    written = [text for text, _ in pairs if _has_word(text)]
    parts = []
    if len(written) < n:
        parts.append(f"{n - len(written)} of {n} headlines have no word")
    if written:
        text, times = Counter(written).most_common(1)[0]
        if times > max(2, n / 10):
            parts.append(f"{times} of {n} are {text!r}")
    copies = sum(new == old for new, old in pairs if new)
    if copies > n / 4:
        parts.append(f"{copies} of {n} are the original")
    marks = [*_marks_at(0, "begin", written, n), *_marks_at(-1, "end", written, n)]
    parts += marks
    quoted = [text for text in written if _is_quotation(text)]
    if quoted and not marks:
        fault = f"{len(quoted)} of {n} stand wholly in quotation marks, as {quoted[0]!r}"
        parts.append(f"{fault}, and evidence looks each up as one quotation: take the marks off")
    return _one_sentence(name, parts)


def _has_word(text: str) -> bool:
    """Return whether a text has a letter or a digit."""
    return any(character.isalnum() for character in text)


def _is_quotation(text: str) -> bool:
    """Return whether a text stands wholly in quotation marks."""
    return any(pattern.fullmatch(text) for pattern in QUOTED.values())


def _one_sentence(name: str, parts: Sequence[str]) -> list[str]:
    """Return the parts as one sentence about texts of a name; nothing where there are none."""
    if not parts:
        return []
    return [f"{name}: {'; '.join(parts)}"]


def _marks_at(place: int, verb: str, texts: Sequence[str], n: int) -> list[str]:
    """Say that most texts have the same mark at a place where no headline has it.

    Args:
        place: 0 for the first character, -1 for the last.
        verb: `begin` or `end`, for the sentence.
        texts: headlines that have a word.
        n: number of all headlines, for the sentence.
    """
    marks: Counter[str] = Counter()
    for text in texts:
        mark = text[place]
        if not mark.isalnum() and mark not in ".?!…»”":
            marks[mark] += 1
    if not marks:
        return []
    mark, times = marks.most_common(1)[0]
    if times <= 0.8 * max(10, len(texts)):
        return []
    return [f"{times} of {n} {verb} with {mark!r}, as {texts[0]!r}: take off what is no headline"]


def recurring_opening(pairs: Sequence[tuple[str, str]]) -> str:
    """Say which first words recur over many headlines that differ, with an example; empty where none do.

    So a model that refuses is found, whatever its words are. An opening that the original has as well is left
    out.

    Args:
        pairs: headlines with their originals.
    """
    headlines_by_opening: dict[tuple[str, ...], list[str]] = {}
    for text, original in dict.fromkeys(pairs):
        opening = _opening(text)
        if len(opening) == OPENING_WORDS and opening != _opening(original):
            headlines = headlines_by_opening.setdefault(opening, [])
            if text not in headlines:
                headlines.append(text)
    recurring = max(headlines_by_opening.values(), key=len, default=[])
    if len(recurring) < max(FEWEST_OPENINGS, OPENING_SHARE * len(pairs)):
        return ""
    example = recurring[0]
    words = " ".join(example.split()[:OPENING_WORDS])
    count = f"{len(recurring)} of {len(pairs)} headlines begin with {words!r}, as {example!r}"
    return f"{count}: look whether they are headlines"


def _opening(text: str) -> tuple[str, ...]:
    """Return the first words of a text, folded."""
    return tuple(fold(text).casefold().split()[:OPENING_WORDS])
