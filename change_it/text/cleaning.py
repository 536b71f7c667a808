"""Cells of the input: text without markup and control characters."""

import html
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import count

from change_it.text.escapes import erased_in, escape_in
from change_it.text.folding import INVISIBLE, fold, nfc
from change_it.text.typography import QUOTED

#: Markup inside escaped markup is taken off this many times.
LAYERS = 20
#: Words of an opening.
OPENING_WORDS = 3
#: An opening recurs where so many different headlines have it, and this share of all.
FEWEST_OPENINGS = 4
OPENING_SHARE = 0.05

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_PLAIN_TAG = re.compile(r"</?([A-Za-z][\w:-]*)(?:\s[^<>]*)?/?>")
_TAG = re.compile(rf"<!--|<(?:script|style)\b|{_PLAIN_TAG.pattern}", re.IGNORECASE)
_INLINE = re.compile(r"(?i:a|abbr|b|cite|code|del|em|font|i|ins|mark|q|s|small|span|strong|sub|sup|u|wbr)")
_CLOSING = {"<!--": "-->", "<script": r"(?i)</script\s*>", "<style": r"(?i)</style\s*>"}
#: The Windows-1252 characters that control characters from 128 to 159 stand for.
_C1 = {chr(code): bytes([code]).decode("cp1252", "ignore") for code in range(0x80, 0xA0)}
#: Letters of UTF-8 that were read as Windows-1252 (or Latin-1) and written as UTF-8 again: accents and marks, and whole words of other scripts.
_NEXT = f"[\x80-\xbf{''.join(_C1.values())}]"
_TWICE = re.compile(
    f"(?:[Â-Å]{_NEXT}|â[€‚„]{_NEXT})+|(?:[Â-ß]{_NEXT}|[à-ï]{_NEXT}{{2}}|[ð-ô]{_NEXT}{{3}}){{3,}}"
)
_LEAD = re.compile(f"[Â-ô]{_NEXT}")
_BYTES = {character: bytes([ord(code)]) for code, character in _C1.items() if character}


def clean(text: str) -> str:
    """Return a text without HTML entities, tags, control and invisible characters; Unicode NFC; white space to single spaces.

    Control characters 128-159 are read as Windows-1252, which is what they are in newspapers' archives.
    Inline tags vanish, other tags become a space. Cleaning a clean text changes nothing.
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
    """Take off comments, scripts, styles and tags in linear time: what is never closed is searched for once."""
    parts: list[str] = []
    start, unclosed = 0, set()
    while opening := _TAG.search(text, start):
        end, gap, kind = opening.end(), " ", opening[0].lower()
        closing = None
        if kind in _CLOSING and kind not in unclosed:
            closing = re.compile(_CLOSING[kind]).search(text, end)
        if closing:
            end = closing.end()
        elif tag := _PLAIN_TAG.match(text, opening.start()):
            end, gap = tag.end(), "" if _INLINE.fullmatch(tag[1]) else " "
        else:
            gap = opening[0]
        if not closing:
            unclosed.add(kind)
        parts += (text[start : opening.start()], gap)
        start = end
    return "".join([*parts, text[start:]])


def has_markup(text: str) -> bool:
    """Return whether cleaning changes more than white space."""
    return clean(text) != " ".join(nfc(text).split())


def visible(text: str) -> str:
    """Return a text, such as an id, without control and invisible characters and outer space."""
    return INVISIBLE.sub("", text).strip()


def decoded(text: str) -> str:
    """Return a text with the words that were encoded as UTF-8 twice, or oftener, as they were; what does not decode stays.

    Examples:
        >>> decoded("perchÃ© e ObamaÃ¢â‚¬â„¢s")
        'perché e Obama’s'
    """

    def once(match: re.Match[str]) -> str:
        try:
            return b"".join(_BYTES.get(letter) or letter.encode("latin-1") for letter in match[0]).decode()
        except UnicodeError:
            return match[0]

    while not text.isascii() and _LEAD.search(text) and (after := _TWICE.sub(once, text)) != text:
        text = after
    return text


def encoded_twice(text: str) -> str:
    """Return a word of a text that was encoded as UTF-8 twice, such as `perchÃ©`; empty without any."""
    return (
        "" if decoded(text) == text else next((word for word in text.split(" ") if decoded(word) != word), "")
    )


def remark(name: str, texts: Iterable[str], then: str) -> list[str]:
    """Say how many texts have HTML or invisible characters, or letters that were lost or escaped.

    `then` is what is done about the first.
    """
    texts = list(texts)
    dirty = sum(map(has_markup, texts))
    parts = [f"{dirty} of {len(texts)} texts have HTML or invisible characters, which {then}"] * bool(dirty)
    for fault, find in (
        ("were encoded as UTF-8 twice", encoded_twice),
        ("have escapes in the place of characters", escape_in),
        ("have a question mark in the place of a letter", erased_in),
    ):
        found = list(filter(None, map(find, texts)))
        parts += [f"{len(found)} of {len(texts)} {fault}, as {word!r}" for word in found[:1]]
    return [f"{name}: {'; '.join(parts)}"] if parts else []


def alike(name: str, pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Say where the headlines of n pairs, with their originals, say nothing, are one and the same, are their originals, or all begin or end with a mark that a program has left there."""
    n, parts = len(pairs), []
    written = [text for text, _ in pairs if any(map(str.isalnum, text))]
    if len(written) < n:
        parts.append(f"{n - len(written)} of {n} headlines have no word")
    if written and (common := Counter(written).most_common(1)[0])[1] > max(2, n / 10):
        parts.append(f"{common[1]} of {n} are {common[0]!r}")
    if (copies := sum(new == old for new, old in pairs if new)) > n / 4:
        parts.append(f"{copies} of {n} are the original")
    quoted, before = [text for text in written if any(p.fullmatch(text) for p in QUOTED.values())], len(parts)
    for place, where in ((0, "begin"), (-1, "end")):
        marks = Counter(
            text[place] for text in written if not (text[place].isalnum() or text[place] in ".?!…»”")
        )
        for mark, times in marks.most_common(1):
            if times > 0.8 * max(10, len(written)):
                parts.append(
                    f"{times} of {n} {where} with {mark!r}, as {written[0]!r}: take off what is no headline"
                )
    if quoted and len(parts) == before:
        fault = f"{len(quoted)} of {n} stand wholly in quotation marks, as {quoted[0]!r}"
        parts.append(f"{fault}, and evidence looks each up as one quotation: take the marks off")
    return [f"{name}: {'; '.join(parts)}"] if parts else []


def recurring_opening(pairs: Sequence[tuple[str, str]]) -> str:
    """Say which first words recur over many headlines that differ, with an example; empty where none do.

    Pairs are a headline and its original: words that the originals begin with, too, are left out. A model that refuses in its
    own words is found so, whatever they are.
    """
    openings: dict[tuple[str, ...], list[str]] = {}
    for text, original in dict.fromkeys(pairs):
        opening = tuple(fold(text).casefold().split()[:OPENING_WORDS])
        before = tuple(fold(original).casefold().split()[:OPENING_WORDS])
        if len(opening) == OPENING_WORDS and opening != before:
            openings.setdefault(opening, []).append(text)
    texts = max((list(dict.fromkeys(texts)) for texts in openings.values()), key=len, default=[])
    if len(texts) < max(FEWEST_OPENINGS, OPENING_SHARE * len(pairs)):
        return ""
    words = " ".join(texts[0].split()[:OPENING_WORDS])
    return f"{len(texts)} of {len(pairs)} headlines begin with {words!r}, as {texts[0]!r}: look whether they are headlines"
