"""Marks of all scripts: quotation marks, what ends a sentence, and what joins clauses."""

import re
import unicodedata

#: Quotation marks of one kind each: the first half opens, the second closes. What closes in one language opens in another.
QUOTES = ("„“", "„”", "»«", "›‹", "«  »", "«»", "“”", "””", '""', "‚‘", "‘’", "''", "‹›", "「」", "『』")
#: Marks before the first word of a sentence, and behind its last one.
OPENING = "\"'“”„‘’‚«»‹›「『([¿¡–—-"
CLOSING = "\"'”“’‘»«›‹」』)]）"
#: What ends a sentence where a space follows, and what does in any case.
ENDS, WIDE_ENDS = ".!?…؟۔।॥", "。！？｡"
#: What joins clauses, where a space follows, and in any case.
JOINTS, WIDE_JOINTS = ":;,،؛", "，、；："
#: Combining marks, which are no letters to `re`.
COMBINING = "".join(
    chr(code)
    for code in range(0x300, 0x10000)
    if unicodedata.category(chr(code)) in ("Mn", "Mc") and not 0xFE00 <= code < 0xFE10
)
#: What opens only where a word follows and none comes before, since it closes elsewhere or is an apostrophe.
_GUARDED = ("»«", "””", "''", "›‹")


def _pattern(marks: str) -> re.Pattern[str]:
    half = len(marks) // 2
    before, after = marks[:half], marks[half:]
    inner = f"([^{before.strip()}{after.strip()}]*{'?' * (half - 1)})"
    before = rf"(?<!\w){before}(?=\S)" if marks in _GUARDED else before
    return re.compile(before + inner + after + (r"(?!\w)" if marks in (*_GUARDED, "‘’") else ""))


#: A quoted stretch, by the marks around it.
QUOTED = {marks: _pattern(marks) for marks in QUOTES}
#: The same and brackets; and the marks of these that are no apostrophes.
BRACKETED = (*QUOTED.values(), re.compile(r"\(([^()]*)\)"), re.compile(r"\[([^\[\]]*)\]"))
PAIRED = '„“”«»‹›‚「」『』"()[]'
