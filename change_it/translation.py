"""Every text of the reports and the study in Italian and English: `texts/<language>.toml`."""

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple

Language = Literal["it", "en"]
#: Languages and what they call themselves; the first where none is chosen.
LANGUAGES = {"it": "Italiano", "en": "English"}
#: Section of single words and phrases, whose keys are their English.
_WORDS = "words"
_NUMBER = re.compile(r"[-−]?(?:\d+(?:[.,]\d+)*|\.\d+)")


class Message(str):
    """A text as its key and values, to be translated where it is shown; as a string it is English.

    Examples:
        >>> message = Message("compare.only", system="mine")
        >>> print(message)
        only mine
        >>> localized("it", message)
        'solo mine'
    """

    key: str
    values: Mapping[str, object]

    def __new__(cls, key: str, /, **values: object) -> "Message":
        """The text of a key with what stands in its braces."""
        message = super().__new__(cls, translate("en", key, **values))
        message.key, message.values = key, values
        return message

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, object]]:
        return (self.key,), dict(self.values)

    def __str__(self) -> str:
        return self  # what asks for a string keeps the message


class Word(str):
    """A word or phrase of tables and charts as the value of a message, or a number."""


class Joined(NamedTuple):
    """Several texts as the value of one."""

    texts: Sequence[str]
    separator: str = ", "


@cache
def load_texts(language: str) -> dict[str, str]:
    """All texts of a language: `section.name` to text."""
    return {
        f"{section}.{name}": text
        for section, texts in _sections(language).items()
        if section != _WORDS
        for name, text in texts.items()
    }


@cache
def load_words(language: str) -> dict[str, str]:
    """Words and phrases of tables and charts, from English; none for English."""
    return dict(_sections(language).get(_WORDS, {}))


@cache
def _sections(language: str) -> dict[str, dict[str, str]]:
    source = files("change_it") / "texts" / f"{language}.toml"
    return tomllib.loads(source.read_text(encoding="utf-8"))


def known_language(language: object) -> str:
    """A language, the first one for what is none."""
    return language if isinstance(language, str) and language in LANGUAGES else next(iter(LANGUAGES))


def page_language(chosen: str | None, language: str | None) -> str:
    """The language of a page where none is chosen: that of the headlines, English where they are in neither."""
    return chosen or (language if language in LANGUAGES else "en")


def locale_language() -> Language:
    """The language of the reader's locale, English where it is none of ours."""
    names = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    language = next(filter(None, names), "")[:2].lower()
    return "it" if language == "it" else "en"


def translate(language: str, key: str, **values: object) -> str:
    """One text, `section.name` in `texts/<language>.toml`, with the values in its braces written as in the language.

    Examples:
        >>> translate("en", "compare.neither"), translate("it", "compare.neither")
        ('neither', 'nessuno')
    """
    language = known_language(language)
    return load_texts(language)[key].format(**shown_values(language, values))


def shown_values(language: str, values: Mapping[str, object]) -> dict[str, object]:
    """The values of a text as a language writes them; names and other plain strings stay."""

    def shown(value: object) -> object:
        if isinstance(value, Message | Word):
            return localized(language, value)
        if isinstance(value, Joined):
            return value.separator.join(str(shown(text)) for text in value.texts)
        return number(language, f"{value:,}") if isinstance(value, int | float) else value

    return {name: shown(value) for name, value in values.items()}


def localized(language: str, text: object) -> str:
    """A message, the message of an error, a number or a word in a language; words stay where it has no others for them.

    Examples:
        >>> localized("it", ".250"), localized("it", "judge"), localized("it", "colle")
        ('0,250', 'giudice', 'colle')
    """
    if isinstance(text, Exception):
        return localized(language, text.args[0])
    if isinstance(text, Message):
        return translate(language, text.key, **text.values)
    if not isinstance(text, str):
        return str(text)
    language = known_language(language)
    return number(language, text) if _NUMBER.fullmatch(text) else load_words(language).get(text, text)


def number(language: str, text: str) -> str:
    """A number as a language writes it; given in English, perhaps without its nought.

    Examples:
        >>> number("it", ".250"), number("it", "1,234.5"), number("en", ".250")
        ('0,250', '1.234,5', '.250')
    """
    if language != "it":
        return text
    return re.sub(r"(?<!\d)\.(?=\d)", "0.", text).translate(str.maketrans(",.", ".,"))
