r"""Find escapes in the place of characters, such as `citt\u00e0` or `_x000D_`, and erased letters."""

import json
import re

#: Escapes, as JSON, Python and spreadsheets write them; `\n` only where it is no part of a path.
_ESCAPE = re.compile(
    r"(?P<json>(?:\\u[0-9a-fA-F]{4})+)"
    r"|\\U(?P<long>000[0-9a-fA-F]{5}|0010[0-9a-fA-F]{4})"
    r"|(?P<bytes>(?:\\x[0-9a-fA-F]{2})+)"
    r"|_x(?P<sheet>[0-9a-fA-F]{4})_"
    r"|\\(?P<mark>[\"'/])"
    r"|(?:(?<=[.!?;,…\"'”’»)\]])|\A|(?<=\s))(?P<space>(?:\\[nrt])+)"
    r"|(?<=\w)(?P<break>(?:\\[nrt])+)(?=[\s\\\"“«A-Z]|\Z)"
)
#: A question mark before a word, alone between words, or inside a word; not in an address, which has / or =.
_ERASED = re.compile(
    r"(?<!\S)\?(?=[^\W\d_])"
    r"|(?<=[^\W\d_][ ])\?(?=[ ](?P<after>[^\W\d_]))"
    r"|(?<!\S)[^\s/=?]*[^\W\d_]\?(?P<inside>[^\W\d_])[^\s/=?]*(?![^\s?]*[/=])"
    "|\ufffd"
)


def unescaped(text: str) -> str:
    r"""Return a text with the characters that its escapes stand for.

    Examples:
        >>> unescaped(r"La citt\u00e0.\nFine")
        'La città.\nFine'
        >>> unescaped(r"C:\new")
        'C:\\new'
    """
    if "\\" not in text and "_x" not in text:
        return text
    return _ESCAPE.sub(_character, text)


def _character(escape: re.Match[str]) -> str:
    """Return the characters that an escape stands for."""
    kind = str(escape.lastgroup)
    code = escape[kind]
    if kind == "json":
        return str(json.loads(f'"{code}"'))
    if kind == "bytes":
        raw = bytes.fromhex(code.replace("\\x", ""))
        try:
            return raw.decode()
        except UnicodeDecodeError:
            return raw.decode("latin-1")
    if kind == "mark":
        return code
    if kind in ("space", "break"):
        return "\n"
    return chr(int(code, 16))


def escape_in(text: str) -> str:
    r"""Return a word of a text with an escape in it, such as `citt\u00e0`; empty without any."""
    if unescaped(text) == text:
        return ""
    return next((word for word in text.split() if unescaped(word) != word), text)


def erased_in(text: str) -> str:
    """Return a place of a text where a question mark stands for a letter or mark; empty without any.

    A question at the end of a quotation may look the same, so a single place proves nothing.

    Examples:
        >>> erased_in("Obama?s plan"), erased_in("Chi? Dove?")
        ('Obama?s', '')
    """
    if "?" not in text and "\ufffd" not in text:
        return ""
    for match in _ERASED.finditer(text):
        after = match["after"] or match["inside"]
        # a capital may begin the next sentence
        if after is None or after.islower():
            words_before = text[: match.start()].split(" ")
            words_behind = text[match.end() :].split(" ")
            if match["after"]:
                # the mark stands between spaces, so its nearest parts are empty
                return f"{words_before[-2]} ? {words_behind[1]}"
            return f"{words_before[-1]}{match[0]}{words_behind[0]}"
    return ""
