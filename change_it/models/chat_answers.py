"""What a chat server's answer says: the headline in it, or the choices of a JSON object.

An answer that was cut off is none, nor is one that stands in thoughts: a draft there may be taken back in the next sentence.
"""

import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from change_it.files.texts import MOST_CHARACTERS
from change_it.models.chat_server import Answer
from change_it.text import chat_phrases
from change_it.text.chat_phrases import TITLE
from change_it.text.cleaning import visible

#: Characters of an answer that an error shows.
SHOWN = 80
#: Characters of an answer that is read, at most: some ten thousand tokens.
LONGEST_ANSWER = 40_000

#: Tags whose content is an answer; what stands in any other before an answer is a thought.
_ANSWER_TAGS = frozenset(
    [
        "answer",
        "output",
        "response",
        "result",
        "final",
        "headline",
        "title",
        "titolo",
        "risposta",
        "titular",
        "titre",
        "titel",
        "h1",
        "h2",
        "h3",
        "p",
        "b",
        "strong",
        "i",
        "em",
        "json",
        "s",
    ]
)
_OPEN = re.compile(
    r"\s*(?:<(\w[\w:-]*)>|\[(THINK)\]|[<◁]\|?(begin_of_thought|think|thinking)\|?[>▷])", re.IGNORECASE
)
_CLOSE = re.compile(
    r"<(/)(\w[\w:-]*)>|\[/THINK\]|[<◁]\|?(?:/think|/thinking|end_of_thought|end_think)\|?[>▷]", re.IGNORECASE
)
#: The channels of GPT-OSS: what is for people stands in the last one.
_FINAL = "<|channel|>final<|message|>"
_CHANNEL = re.compile(r"<\|channel\|>")
_CHANNEL_END = re.compile(r"<\|(?:return|end)\|>\s*\Z")
_FENCE = re.compile(r"^[ \t]*```\w*[ \t]*$", re.MULTILINE)

#: What no headline holds: tokens of chat templates, tags, entities, JSON, TeX.
_MARKUP = re.compile(
    "|".join(
        (
            r"<[|/a-z◁｜]|[|▷｜]>|◁|\[/?(?:INST|THINK|EOS|BOS)\]|assistantfinal",
            r"&#?\w+;|\\\w",
            r"""\{\s*["']|\A\s*\[\s*["'“«{\]]|\A\s*\[\d+\]|\A\s*\(\s*["'“«][^"'”»]*["'”»]\s*,?\s*\)\s*\Z""",
        )
    ),
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
#: Marks around a line, and what is bold or cursive at its beginning.
_MARKDOWN = " \t*_`"
_EMPHASIS = re.compile(r"\A\W{0,3}?(\*\*|__)(\w.{7,}?|[^\w\s*_].{7,}?)\1(.*)\Z")
_QUOTED = re.compile(r'"([^"]*)"|“([^”]*)”|«([^»]*)»|„([^“”]*)[“”]|\'([^\']*)\'|‘([^‘’]*)’')
_BULLET = re.compile(r"\A(?:[-–•>·]|#{1,6}) +")
_FIRST_OF_LIST, _SECOND_OF_LIST = re.compile(r"\A\(?[1a][.)] +"), re.compile(r"\A[\W_]*[2b][.)]")

_ADJECTIVE = (
    r"(?:nuov[oa]|riscritt[oa]|finale|propost[oa]|suggerit[oa]|migliorat[oa]|new|rewritten|final"
    r"|revised|suggested|proposed|nuev[oa]|reescrit[oa]|propuest[oa]"
    r"|nouveau|nouvelle|reecrite?|proposee?|neue[rs]?|umgeschriebene[rs]?|finale[rs]?|uberarbeitete[rs]?)"
)
_LABEL_NAME = (
    rf"(?:{_ADJECTIVE} )?(?:{TITLE}|(?:versione|version|fassung) {_ADJECTIVE}|{_ADJECTIVE} (?:versione"
    rf"|version|fassung))(?: {_ADJECTIVE})?"
    rf"|{_ADJECTIVE}|riscrittura|rewrite|reescritura|reecriture|umformulierung|risposta finale|final "
    rf"answer|(?:respuesta|reponse|antwort) fina\w+|opzione 1|option 1|opcion 1"
)
_FOR = (
    r"(?: (?:in|for|su|per|para|pour|fur|en|dans|nello stile di|in the style of|al estilo de|dans le "
    r"style de|im stil von)\b[^:\"]{1,40}| \([^:\"()]{1,40}\))?"
)
_LABEL = re.compile(rf"[*_ ]*(?:{_LABEL_NAME}){_FOR}[*_ ]*:[*_ ]*")
_ARTICLE_LABEL = re.compile(r"(?:article|articolo)(?: (?:in|for|su|per)\b[^:\"]{1,40})[*_ ]*:[*_ ]+")
_BARE_LABEL = re.compile(rf"\W*(?:{_LABEL_NAME}){_FOR}\W*")
_ORIGINAL = re.compile(
    rf"[*_ ]*(?:originale?|(?:testo|text|texto|texte) origina\w+|(?:{TITLE} (?:originale?|d'origine|di "
    rf"partenza|dato|fornito)|(?:original(?:e[rs]?)?|ursprungliche[rs]?)[ -]?{TITLE}|titolo su \w+ "
    rf"\(originale\))|input)[*_ ]*:"
)
_ROLE = re.compile(r"\W*(?:assistant|assistente|model|ai|bot|response|risposta|system)\W*")

_ROLE_LABEL = re.compile(r"\A(?:assistant|assistente|asistente) ?: *", re.IGNORECASE)


class Choices(NamedTuple):
    """What the JSON objects of an answer choose.

    Attributes:
        answers: question to answer; empty where there is no object with all of them, or where objects differ.
        fault: why there are none, or empty.
    """

    answers: dict[str, str]
    fault: str


def fault_of(answer: Answer) -> str:
    """Return why an answer is none, whatever it says: empty, cut off or too long; empty where it can be read."""
    if not answer.text.strip():
        return f"empty answer ({answer.finish_reason})"
    if answer.finish_reason == "length":
        return f"the answer was cut off (length): {shown(answer.text)}"
    if len(answer.text) > LONGEST_ANSWER:
        return f"the answer has more than {LONGEST_ANSWER:,} characters: {shown(answer.text)}"
    return ""


def shown(text: str) -> str:
    """Return the beginning of an answer in one line, for an error."""
    return " ".join(visible(text).split())[:SHOWN]


def _without_thoughts(text: str) -> str:
    """Return a text without what stands in tags or channels of thoughts; empty where they do not end."""
    if _CHANNEL.search(text):
        _, final, text = text.rpartition(_FINAL)
        return _CHANNEL_END.sub("", text) if final else ""
    text = _behind_tags_of_thoughts(text)
    closings = [
        close for close in _CLOSE.finditer(text) if not close[1] or close[2].lower() not in _ANSWER_TAGS
    ]
    if closings and not re.search(rf"<{closings[-1][2] or 'think'}>", text, re.IGNORECASE):
        return text[closings[-1].end() :]  # its beginning was in the prompt
    later = re.search(r"<(think|thinking|thought|reasoning)>|\[THINK\]|◁think▷", text, re.IGNORECASE)
    return text[: later.start()] if later else text


def _behind_tags_of_thoughts(text: str) -> str:
    """Return what follows the tags of thoughts that a text begins with; empty where one does not end."""
    while opening := _OPEN.match(text):
        name = next(filter(None, opening.groups())).lower()
        if name in _ANSWER_TAGS:
            break
        closings = [close for close in _CLOSE.finditer(text) if not close[1] or close[2].lower() == name]
        if not closings:
            return ""
        text = text[closings[-1].end() :]
    return text


def headline_of(text: str, outlets: Sequence[str] = ()) -> str:
    """Return the headline in an answer, without thoughts before it, and label and marks around it.

    It is the first line that announces no other. Empty where that is none: no letter, markup, a refusal, a question back,
    thoughts in plain words, an error, a remark alone, or too long. The names of `outlets` are labels, too.
    """
    text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), _without_thoughts(text))
    lines = [visible(line).strip() for line in _FENCE.sub("", text).splitlines()]
    lines = [line for line in lines if line.strip(_MARKDOWN)]
    if not lines:
        return ""
    last = len(lines) - 1
    thinks = is_talk(lines[0]) and not chat_phrases.is_remark(lines[0])
    labelled = [place for place, line in enumerate(lines) if _behind_label(line)]
    if thinks:  # a draft in thoughts may be labelled, too
        labelled = [place for place in labelled if place == last]
        if not labelled:
            return ""
    del lines[: labelled[0] if labelled else 0]
    while len(lines) > 1 and _is_above(lines[0], lines[1]):
        lines.pop(0)
    line = _line_of(lines, outlets)
    return line if _is_headline(line) else ""


def is_talk(line: str) -> bool:
    """Return whether a line is a refusal, a question back, a thought or an error: below it stands no headline."""
    if len(line) > MOST_CHARACTERS["headline"]:
        line = line[: MOST_CHARACTERS["headline"]]
    return (
        chat_phrases.is_refusal(line)
        or chat_phrases.is_talk_of_task(line)
        or chat_phrases.is_question_back(line)
        or chat_phrases.is_thought(line)
        or chat_phrases.is_error(line)
    )


def _behind_label(line: str) -> str:
    """Return what stands behind the label of a headline in a line; empty where there is none."""
    bare = _BULLET.sub("", line.strip(_MARKDOWN))
    line_plain = chat_phrases.plain(bare)
    if _ORIGINAL.match(line_plain) or not _LABEL.match(line_plain):
        return ""
    return bare.partition(":")[2].strip(_MARKDOWN)


def _is_above(line: str, below: str) -> bool:
    """Return whether a line only stands above the headline: a label, a remark, a section, the original."""
    bare = line.strip(_MARKDOWN)
    line_plain = chat_phrases.plain(bare)
    is_kicker = bare.isupper() and len(bare.split()) <= 4 and not below.isupper() and len(below.split()) > 2
    return (
        bare.endswith(":")
        or is_kicker
        or bool(_ORIGINAL.match(line_plain))
        or bool(_BARE_LABEL.fullmatch(line_plain))
        or bool(_ROLE.fullmatch(line_plain))
        or chat_phrases.is_section(bare)
        or chat_phrases.is_remark(bare)
    )


def _line_of(lines: Sequence[str], outlets: Sequence[str]) -> str:
    """Return the text of the first line, without bullet, label, emphasis and quotation marks around it."""
    line = " ".join(lines[0].split())
    is_list = any(map(_SECOND_OF_LIST.match, lines[1:]))
    line = _BULLET.sub("", line)
    line = _FIRST_OF_LIST.sub("", line) if is_list else line
    emphasis = _EMPHASIS.match(line)
    if emphasis and chat_phrases.has_trailing_remark(f". {emphasis[3].strip(' -–—:')}"):
        line = emphasis[2]
    line = re.sub(r"(\*\*|__)(.+?)\1", r"\2", line).strip(_MARKDOWN)
    line = _behind_label(line) or line
    article = _ARTICLE_LABEL.match(chat_phrases.plain(line))
    line = line.partition(":")[2].strip(_MARKDOWN) if article else line
    line = _ROLE_LABEL.sub("", line)
    line = chat_phrases.without_leading_remark(line).strip(_MARKDOWN)
    if names := "|".join(map(re.escape, outlets)):
        line = re.sub(rf"\A(?:(?:in|su) )?(?:{names})[*_ ]*:[*_ ]+", "", line, flags=re.IGNORECASE)
    if quoted := _QUOTED.fullmatch(line):
        line = next(part for part in quoted.groups() if part is not None).strip()
    return line


def _is_headline(line: str) -> bool:
    """Return whether a line can be a headline."""
    if len(line) > MOST_CHARACTERS["headline"] or not any(map(str.isalnum, line)) or _MARKUP.search(line):
        return False
    line_plain = chat_phrases.plain(line)
    return not (
        is_talk(line)
        or _ORIGINAL.match(line_plain)
        or _BARE_LABEL.fullmatch(line_plain)
        or _ROLE.fullmatch(line_plain)
        or chat_phrases.is_section(line)
        or chat_phrases.is_remark(line)
        or chat_phrases.has_trailing_remark(line)
    )


def choices_of(text: str, questions: Mapping[str, Sequence[str]]) -> Choices:
    """Return the choices in the JSON objects of an answer; `questions` names the answers of each.

    Booleans are yes and no. Comments and commas too many are read over. Objects that differ, or one with a key twice and two
    values, choose nothing: one of them is an example, or was taken back.
    """
    text = _without_thoughts(text)
    records = [*_objects(text)] or [*_objects(_without_comments(text))]
    read = [_answers(record, questions) for record in records]
    different = [answers for answers in read if answers]
    if any(answers is None for answers in read) or any(one != different[0] for one in different[1:]):
        return Choices({}, "objects that differ")
    if not different:
        return Choices({}, "no such JSON object")
    before, _, after = text.rpartition("}")
    if chat_phrases.has_second_thoughts(after) or (
        chat_phrases.is_thought(before) and len(after.split()) > 2
    ):
        return Choices({}, "thoughts without an answer")
    return Choices(different[0], "")


class _Pairs(list[tuple[str, Any]]):
    """The keys and values of a JSON object, with those that appear twice."""


def _objects(text: str) -> Iterator[_Pairs]:
    """Yield the JSON objects in a text, those inside others too."""
    decoder, place = json.JSONDecoder(object_pairs_hook=_Pairs), text.find("{")
    while place >= 0:
        try:
            value, end = decoder.raw_decode(text, place)
            yield from _nested(value)
        except (ValueError, RecursionError):
            end = place + 1
        place = text.find("{", end)


def _nested(value: object) -> Iterator[_Pairs]:
    """Yield an object and those inside it."""
    if isinstance(value, _Pairs):
        yield value
        for _, inner in value:
            yield from _nested(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _nested(inner)


def _without_comments(text: str) -> str:
    """Return a text without JavaScript's comments, and commas before a closing bracket, outside of JSON strings."""
    pattern = r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])'
    return re.sub(pattern, lambda match: match[1] or "", text, flags=re.DOTALL)


def _answers(record: _Pairs, questions: Mapping[str, Sequence[str]]) -> dict[str, str] | None:
    """Return the answers of an object, none where one is missing or unknown, and None where a key has two values."""
    answers: dict[str, str] = {}
    for name, value in record:
        if name not in questions:
            continue
        text = {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value).strip().casefold()
        if answers.setdefault(name, text) != text:
            return None
    is_whole = all(answers.get(name) in allowed for name, allowed in questions.items())
    return answers if is_whole else {}
