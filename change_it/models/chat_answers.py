"""Read a chat server's answer: the headline in it, or the choices of a JSON object.

An answer that was cut off does not count, nor does one inside thoughts: a draft there may be taken back in
the next sentence.
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
_SHOWN_CHARACTERS = 80
#: Characters that an answer has at most if it is read: some ten thousand tokens.
_MAX_ANSWER_CHARACTERS = 40_000

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
#: A tag that a text begins with.
_OPEN_TAG = re.compile(
    r"\s*(?:<(\w[\w:-]*)>|\[(THINK)\]|[<◁]\|?(begin_of_thought|think|thinking)\|?[>▷])", re.IGNORECASE
)
#: A tag that ends what a tag began; its groups are a slash and a name where it is in pointed brackets.
_CLOSE_TAG = re.compile(
    r"<(/)(\w[\w:-]*)>|\[/THINK\]|[<◁]\|?(?:/think|/thinking|end_of_thought|end_think)\|?[>▷]", re.IGNORECASE
)
#: The beginning of a thought within a text.
_OPEN_THOUGHT = re.compile(r"<(think|thinking|thought|reasoning)>|\[THINK\]|◁think▷", re.IGNORECASE)
#: The beginning of a channel of GPT-OSS.
_CHANNEL = re.compile(r"<\|channel\|>")
#: The channel for people, the last one.
_FINAL_CHANNEL = "<|channel|>final<|message|>"
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
#: Marks around a line.
_MARKDOWN = " \t*_`"
#: What is bold or cursive at the beginning of a line, and what stands behind it.
_EMPHASIS = re.compile(r"\A\W{0,3}?(\*\*|__)(\w.{7,}?|[^\w\s*_].{7,}?)\1(.*)\Z")
_QUOTED = re.compile(r'"([^"]*)"|“([^”]*)”|«([^»]*)»|„([^“”]*)[“”]|\'([^\']*)\'|‘([^‘’]*)’')
_BULLET = re.compile(r"\A(?:[-–•>·]|#{1,6}) +")
_FIRST_OF_LIST = re.compile(r"\A\(?[1a][.)] +")
_SECOND_OF_LIST = re.compile(r"\A[\W_]*[2b][.)]")

#: What a label calls a headline.
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
#: For which newspaper a label says a headline is.
_FOR = (
    r"(?: (?:in|for|su|per|para|pour|fur|en|dans|nello stile di|in the style of|al estilo de|dans le "
    r"style de|im stil von)\b[^:\"]{1,40}| \([^:\"()]{1,40}\))?"
)
#: The label of a headline, with its colon.
_LABEL = re.compile(rf"[*_ ]*(?:{_LABEL_NAME}){_FOR}[*_ ]*:[*_ ]*")
_ARTICLE_LABEL = re.compile(r"(?:article|articolo)(?: (?:in|for|su|per)\b[^:\"]{1,40})[*_ ]*:[*_ ]+")
#: A line that is a label alone.
_BARE_LABEL = re.compile(rf"\W*(?:{_LABEL_NAME}){_FOR}\W*")
#: The label of the original headline.
_ORIGINAL = re.compile(
    rf"[*_ ]*(?:originale?|(?:testo|text|texto|texte) origina\w+|(?:{TITLE} (?:originale?|d'origine|di "
    rf"partenza|dato|fornito)|(?:original(?:e[rs]?)?|ursprungliche[rs]?)[ -]?{TITLE}|titolo su \w+ "
    rf"\(originale\))|input)[*_ ]*:"
)
#: A line that names who speaks.
_ROLE = re.compile(r"\W*(?:assistant|assistente|model|ai|bot|response|risposta|system)\W*")
_ROLE_LABEL = re.compile(r"\A(?:assistant|assistente|asistente) ?: *", re.IGNORECASE)
#: JSON strings, and what may not stand between them: comments, and commas before a closing bracket.
_JSON_SLIPS = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)


class Choices(NamedTuple):
    """What the JSON objects of an answer choose.

    Attributes:
        answers: question to answer; empty where no object has all answers, or where objects differ.
        fault: why there are no answers; empty where there are.
    """

    answers: dict[str, str]
    fault: str


def fault_of(answer: Answer) -> str:
    """Return why an answer cannot be read, whatever it says; empty where it can.

    It is empty, was cut off or is too long.
    """
    if not answer.text.strip():
        return f"empty answer ({answer.finish_reason})"
    if answer.finish_reason == "length":
        return f"the answer was cut off (length): {shown(answer.text)}"
    if len(answer.text) > _MAX_ANSWER_CHARACTERS:
        return f"the answer has more than {_MAX_ANSWER_CHARACTERS:,} characters: {shown(answer.text)}"
    return ""


def shown(text: str) -> str:
    """Return the beginning of an answer in one line, for an error."""
    return " ".join(visible(text).split())[:_SHOWN_CHARACTERS]


def _without_thoughts(text: str) -> str:
    """Return a text without its thoughts, which stand in tags or channels; empty where they do not end."""
    if _CHANNEL.search(text):
        _, final_channel, text = text.rpartition(_FINAL_CHANNEL)
        if not final_channel:
            return ""
        return _CHANNEL_END.sub("", text)
    text = _behind_leading_thoughts(text)
    closing = None
    for tag in _CLOSE_TAG.finditer(text):
        if not _is_in_brackets(tag) or tag[2].lower() not in _ANSWER_TAGS:
            closing = tag
    # A thought may end without a beginning, which was in the prompt.
    if closing and not re.search(rf"<{closing[2] or 'think'}>", text, re.IGNORECASE):
        return text[closing.end() :]
    later = _OPEN_THOUGHT.search(text)
    return text[: later.start()] if later else text


def _behind_leading_thoughts(text: str) -> str:
    """Return what follows the thoughts in tags that a text begins with; empty where one does not end.

    Thoughts end at the last tag that closes them: a model may write about its tags while it thinks. A closing
    tag of brackets without a slash and a name, as `[/THINK]`, closes thoughts of any name; one as `</answer>`
    has to have the name of the opening one.
    """
    while True:
        opening = _OPEN_TAG.match(text)
        if opening is None:
            return text
        name = next(group for group in opening.groups() if group).lower()
        if name in _ANSWER_TAGS:
            return text
        closing = None
        for tag in _CLOSE_TAG.finditer(text):
            if not _is_in_brackets(tag) or tag[2].lower() == name:
                closing = tag
        if closing is None:
            return ""
        text = text[closing.end() :]


def _is_in_brackets(closing_tag: re.Match[str]) -> bool:
    """Return whether a closing tag is in pointed brackets and has a name, as </answer>."""
    return closing_tag[1] is not None


def headline_of(text: str, outlets: Sequence[str] = ()) -> str:
    """Return the headline in an answer, without thoughts before it, and label and marks around it.

    It is the first line that does not only announce another one.

    Args:
        text: the answer.
        outlets: names of newspapers, which may stand before the headline as labels.

    Returns:
        Empty where that line is no headline. It has no letter or is too long, or it is markup, a refusal, a
        question back, thoughts in plain words, an error or a remark alone.
    """
    text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), _without_thoughts(text))
    lines = [visible(line).strip() for line in _FENCE.sub("", text).splitlines()]
    lines = [line for line in lines if line.strip(_MARKDOWN)]
    if not lines:
        return ""
    labelled = [place for place, line in enumerate(lines) if _behind_label(line)]
    if is_talk(lines[0]) and not chat_phrases.is_remark(lines[0]):
        # A draft in thoughts may be labelled, too: only the last line counts.
        last = len(lines) - 1
        if last not in labelled:
            return ""
        labelled = [last]
    if labelled:
        lines = lines[labelled[0] :]
    while len(lines) > 1 and _is_above(lines[0], lines[1]):
        lines.pop(0)
    line = _bare_line(lines, outlets)
    if not _is_headline(line):
        return ""
    return line


def is_talk(line: str) -> bool:
    """Return whether a line is a refusal, a question back, a thought or an error: no headline is below it."""
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
    plain = chat_phrases.plain(bare)
    if _ORIGINAL.match(plain) or not _LABEL.match(plain):
        return ""
    return _behind_colon(bare)


def _behind_colon(line: str) -> str:
    """Return what stands behind the first colon of a line."""
    return line.partition(":")[2].strip(_MARKDOWN)


def _is_above(line: str, below: str) -> bool:
    """Return whether a line only stands above the headline: a label, a remark, a section, the original."""
    bare = line.strip(_MARKDOWN)
    plain = chat_phrases.plain(bare)
    # a few words in capitals above a headline
    is_kicker = bare.isupper() and len(bare.split()) <= 4 and not below.isupper() and len(below.split()) > 2
    return (
        bare.endswith(":")
        or is_kicker
        or bool(_ORIGINAL.match(plain))
        or bool(_BARE_LABEL.fullmatch(plain))
        or bool(_ROLE.fullmatch(plain))
        or chat_phrases.is_section(bare)
        or chat_phrases.is_remark(bare)
    )


def _bare_line(lines: Sequence[str], outlets: Sequence[str]) -> str:
    """Return the first line without bullet, label, emphasis and quotation marks around it."""
    line = " ".join(lines[0].split())
    line = _BULLET.sub("", line)
    if any(_SECOND_OF_LIST.match(other) for other in lines[1:]):
        line = _FIRST_OF_LIST.sub("", line)
    line = _without_emphasis(line)
    line = _behind_label(line) or line
    if _ARTICLE_LABEL.match(chat_phrases.plain(line)):
        line = _behind_colon(line)
    line = _ROLE_LABEL.sub("", line)
    line = chat_phrases.without_leading_remark(line).strip(_MARKDOWN)
    line = _without_outlet(line, outlets)
    quoted = _QUOTED.fullmatch(line)
    if quoted:
        line = next(part for part in quoted.groups() if part is not None).strip()
    return line


def _without_emphasis(line: str) -> str:
    """Return a line without Markdown, nor the remark behind its bold beginning."""
    emphasis = _EMPHASIS.match(line)
    if emphasis:
        rest = emphasis[3].strip(" -–—:")
        # a trailing remark stands behind the end of a sentence
        if chat_phrases.has_trailing_remark(f". {rest}"):
            line = emphasis[2]
    return re.sub(r"(\*\*|__)(.+?)\1", r"\2", line).strip(_MARKDOWN)


def _without_outlet(line: str, outlets: Sequence[str]) -> str:
    """Return a line without the name of an outlet that stands before it as a label."""
    if not outlets:
        return line
    names = "|".join(re.escape(name) for name in outlets)
    return re.sub(rf"\A(?:(?:in|su) )?(?:{names})[*_ ]*:[*_ ]+", "", line, flags=re.IGNORECASE)


def _is_headline(line: str) -> bool:
    """Return whether a line can be a headline."""
    has_letters = any(character.isalnum() for character in line)
    if len(line) > MOST_CHARACTERS["headline"] or not has_letters or _MARKUP.search(line):
        return False
    plain = chat_phrases.plain(line)
    return not (
        is_talk(line)
        or _ORIGINAL.match(plain)
        or _BARE_LABEL.fullmatch(plain)
        or _ROLE.fullmatch(plain)
        or chat_phrases.is_section(line)
        or chat_phrases.is_remark(line)
        or chat_phrases.has_trailing_remark(line)
    )


def choices_of(text: str, questions: Mapping[str, Sequence[str]]) -> Choices:
    """Return the choices in the JSON objects of an answer.

    Booleans are yes and no. Comments and superfluous commas are passed over. Objects that differ choose
    nothing, nor does an object that has a key twice with two values: one of them is an example, or was taken
    back.

    Args:
        text: the answer.
        questions: question to the answers that it allows.
    """
    text = _without_thoughts(text)
    records = list(_objects(text))
    if not records:
        records = list(_objects(_JSON_SLIPS.sub(lambda match: match[1] or "", text)))
    chosen: dict[str, str] = {}
    for record in records:
        answers = _answers(record, questions)
        if answers is None or (answers and chosen and answers != chosen):
            return Choices({}, "objects that differ")
        chosen = chosen or answers
    if not chosen:
        return Choices({}, "no such JSON object")
    # what stands before and behind the last object
    before, _, after = text.rpartition("}")
    thinks_before = chat_phrases.is_thought(before) and len(after.split()) > 2
    if thinks_before or chat_phrases.has_second_thoughts(after):
        return Choices({}, "thoughts without an answer")
    return Choices(chosen, "")


class _Pairs(list[tuple[str, Any]]):
    """The keys and values of a JSON object, with those that appear twice."""


def _objects(text: str) -> Iterator[_Pairs]:
    """Yield the JSON objects in a text, those inside others too."""
    decoder = json.JSONDecoder(object_pairs_hook=_Pairs)
    place = text.find("{")
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


def _answers(record: _Pairs, questions: Mapping[str, Sequence[str]]) -> dict[str, str] | None:
    """Return the answers of an object by their questions.

    Returns:
        Empty where an answer is missing or unknown, None where a key has two values.
    """
    answers: dict[str, str] = {}
    for name, value in record:
        if name not in questions:
            continue
        answer = str(value).strip().casefold()
        if isinstance(value, bool):
            answer = "yes" if value else "no"
        if answers.setdefault(name, answer) != answer:
            return None
    is_whole = all(answers.get(name) in allowed for name, allowed in questions.items())
    return answers if is_whole else {}
