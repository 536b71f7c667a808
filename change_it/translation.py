"""Every text of page and report, in Italian and English."""

import re
import tomllib
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Literal

Language = Literal["it", "en"]
#: Languages and what they call themselves; the first where none is chosen.
LANGUAGES = {"it": "Italiano", "en": "English"}

#: Called with a key and the values of its text; the text in one language.
Translate = Callable[..., str]

_PACKAGES = "results", "space"


@cache
def load_texts(language: str) -> dict[str, str]:
    """All texts of a language: `section.name` to text."""
    found: dict[str, str] = {}
    for package in _PACKAGES:
        source = files("change_it") / package / "texts" / f"{language}.toml"
        for section, texts in tomllib.loads(source.read_text(encoding="utf-8")).items():
            found |= {f"{section}.{name}": text for name, text in texts.items()}
    return found


def page_language(chosen: str | None, language: str | None) -> str:
    """The language of a page where none is chosen: that of the headlines, English where they are in neither."""
    return chosen or (language if language in LANGUAGES else "en")


def translate(language: str, key: str, **values: object) -> str:
    """One text.

    Args:
        language: `it` or `en`; anything else is taken for the first.
        key: `section.name` in a file `texts/<language>.toml`.
        values: what stands in the text's braces; numbers are written as in the language.

    Raises:
        KeyError: there is no such text.

    Examples:
        >>> translate("en", "tabs.transfer"), translate("it", "tabs.transfer")
        ('Transfer', 'Trasferisci')
    """
    known = language if isinstance(language, str) and language in LANGUAGES else next(iter(LANGUAGES))
    shown = {
        name: number(known, f"{value:,}") if isinstance(value, int | float) else value
        for name, value in values.items()
    }
    return load_texts(known)[key].format(**shown)


def number(language: str, text: str) -> str:
    """A number as a language writes it; given in English, perhaps without its nought.

    Examples:
        >>> number("it", ".250"), number("it", "1,234.5"), number("en", ".250")
        ('0,250', '1.234,5', '.250')
    """
    if language != "it":
        return text
    return re.sub(r"(?<!\d)\.(?=\d)", "0.", text).translate(str.maketrans(",.", ".,"))
