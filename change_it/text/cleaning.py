"""Cells of the input: text without markup and control characters."""

import html
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import count

from change_it.text.folding import INVISIBLE, nfc

#: Markup inside escaped markup is taken off this many times.
LAYERS = 20

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_TAG = re.compile(r"<!--|<(?:script|style)\b|</?[A-Za-z][\w:-]*(?:\s[^<>]*)?/?>", re.IGNORECASE)
_PLAIN_TAG = re.compile(r"</?([A-Za-z][\w:-]*)(?:\s[^<>]*)?/?>")
_CLOSING = {
    "<!--": re.compile("-->"),
    "<script": re.compile(r"</script\s*>", re.IGNORECASE),
    "<style": re.compile(r"</style\s*>", re.IGNORECASE),
}
#: The Windows-1252 characters that control characters from 128 to 159 stand for.
_C1 = {chr(code): bytes([code]).decode("cp1252", "ignore") for code in range(0x80, 0xA0)}
#: Letters of UTF-8 that were read as Windows-1252 (or Latin-1) and written as UTF-8 again: accents and marks, and whole words of other scripts.
_NEXT = f"[\x80-\xbf{''.join(_C1.values())}]"
_TWICE = re.compile(
    f"(?:[Â-Å]{_NEXT}|â[€‚„]{_NEXT})+|(?:[Â-ß]{_NEXT}|[à-ï]{_NEXT}{{2}}|[ð-ô]{_NEXT}{{3}}){{3,}}"
)
_LEAD = re.compile(f"[Â-ô]{_NEXT}")
_BYTES = {character: bytes([ord(code)]) for code, character in _C1.items() if character}
_INLINE = re.compile(r"(?i:a|abbr|b|cite|code|del|em|font|i|ins|mark|q|s|small|span|strong|sub|sup|u|wbr)")


def clean(text: str) -> str:
    """HTML entities and tags, control and invisible characters off; Unicode NFC; white space to single spaces.

    Control characters 128-159 are read as Windows-1252, which is what they are in newspapers' archives.
    Inline tags vanish, other tags become a space. Cleaning a clean text changes nothing.
    """
    for layer in count():
        before = text
        text = INVISIBLE.sub(lambda found: _C1.get(found[0], ""), text)
        if layer == LAYERS:
            text = text.replace("&", " ").replace("<", " ")
        if "<" in text:
            text = _without_tags(text)
        if "&" in text:
            text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
        text = " ".join(nfc(text).split())
        if text == before or not ("&" in before or "<" in before):
            break
    return text


def has_markup(text: str) -> bool:
    """Whether cleaning changes more than white space."""
    return clean(text) != " ".join(nfc(text).split())


def encoded_twice(text: str) -> str:
    """A word of a text that was encoded as UTF-8 twice, such as `perchÃ©`; empty without any."""
    if decoded(text) == text:
        return ""
    return next((word for word in text.split(" ") if decoded(word) != word), "")


def decoded(text: str) -> str:
    """A text whose words were encoded as UTF-8 twice, or oftener, with these words as they were; what does not decode stays.

    Examples:
        >>> decoded("perchÃ© e ObamaÃ¢â‚¬â„¢s")
        'perché e Obama’s'
    """
    while not text.isascii() and _LEAD.search(text) and (after := _TWICE.sub(_once, text)) != text:
        text = after
    return text


def _once(found: re.Match[str]) -> str:
    try:
        return b"".join(_BYTES.get(letter) or letter.encode("latin-1") for letter in found[0]).decode()
    except UnicodeError:
        return found[0]


def remark(name: str, texts: Iterable[str], then: str) -> list[str]:
    """A sentence where texts have HTML or invisible characters, on which `then` says what is done, or were encoded twice."""
    texts = list(texts)
    found = []
    if dirty := sum(map(has_markup, texts)):
        found.append(f"{dirty} of {len(texts)} texts have HTML or invisible characters, which {then}")
    if twice := list(filter(None, map(encoded_twice, texts))):
        found.append(f"{len(twice)} of {len(texts)} were encoded as UTF-8 twice, as {twice[0]!r}")
    return [f"{name}: {'; '.join(found)}"] if found else []


def alike(name: str, pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Sentences where the headlines of n pairs, with their originals, say nothing, are one and the same, are their originals, or all begin or end with a mark that a program has left there."""
    count, found = len(pairs), []
    written = [text for text, _ in pairs if any(map(str.isalnum, text))]
    if len(written) < count:
        found.append(f"{count - len(written)} of {count} headlines have no word")
    if written and (common := Counter(written).most_common(1)[0])[1] > max(2, count / 10):
        found.append(f"{common[1]} of {count} are {common[0]!r}")
    if copies := sum(new == old for new, old in pairs if new):
        found += [f"{copies} of {count} are the original"] if copies > count / 4 else []
    for place, where in ((0, "begin"), (-1, "end")):
        marks = Counter(
            text[place] for text in written if not text[place].isalnum() and text[place] not in ".?!…»”"
        )
        if marks and (most := marks.most_common(1)[0])[1] > 0.8 * max(10, len(written)):
            found.append(
                f"{most[1]} of {count} {where} with {most[0]!r}, as {written[0]!r}: take off what is no headline"
            )
    return [f"{name}: {'; '.join(found)}"] if found else []


def visible(text: str) -> str:
    """Control and invisible characters and outer space off, nothing else: for ids."""
    return INVISIBLE.sub("", text).strip()


def _without_tags(text: str) -> str:
    """Comments, scripts, styles and tags off, in linear time: what is never closed is looked for once."""
    parts: list[str] = []
    start, unclosed = 0, set()
    while opening := _TAG.search(text, start):
        end, gap = opening.end(), " "
        kind = opening[0].lower()
        if kind in _CLOSING and kind not in unclosed and (closing := _CLOSING[kind].search(text, end)):
            end = closing.end()
        else:
            unclosed.add(kind)
            if tag := _PLAIN_TAG.match(text, opening.start()):
                end = tag.end()
                gap = "" if _INLINE.fullmatch(tag[1]) else " "
            else:
                gap = opening[0]
        parts += (text[start : opening.start()], gap)
        start = end
    return "".join([*parts, text[start:]])
