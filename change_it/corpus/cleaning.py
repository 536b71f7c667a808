"""Cells of the input: text without markup and control characters."""

import html
import re
import unicodedata
from itertools import count

from change_it.text.folding import INVISIBLE

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
        text = " ".join(unicodedata.normalize("NFC", text).split())
        if text == before or not ("&" in before or "<" in before):
            break
    return text


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
