"""Every text of the interface, in Italian and English, and the components that show them."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

#: Languages of the interface and what they call themselves; the first where none is chosen.
LANGUAGES = {"it": "Italiano", "en": "English"}

Component = TypeVar("Component")

#: A property of a component: one text, a list of texts, choices (value to the text that is shown), or a function of the language.
Keys = str | Sequence[str] | Mapping[str, str] | Callable[[str], str]
#: `translate` in one language.
Translate = Callable[..., str]


@cache
def load_texts(language: str) -> dict[str, str]:
    """All texts of a language: `section.name` to text."""
    source = files("change_it.space") / "texts" / f"{language}.toml"
    sections = tomllib.loads(source.read_text(encoding="utf-8"))
    return {f"{section}.{name}": text for section, part in sections.items() for name, text in part.items()}


def translate(language: str, key: str, **values: Any) -> str:
    """One text.

    Args:
        language: `it` or `en`; anything else is taken for the first.
        key: `section.name` in `texts/<language>.toml`.
        values: what stands in the text's braces.

    Raises:
        KeyError: there is no such text.

    Example:
        >>> translate("en", "tabs.transfer"), translate("it", "tabs.transfer")
        ('Transfer', 'Trasferisci')
    """
    known = language if isinstance(language, str) and language in LANGUAGES else next(iter(LANGUAGES))
    return load_texts(known)[key].format(**values)


class Texts:
    """The texts of one page: shown in the language it opens in, and updated when another one is chosen.

    Attributes:
        opening: the language in which the page opens.
        language: the component with the chosen language, `it` or `en`; every handler takes it as its last input.
        components: the components with texts, in the order in which they were added.
    """

    def __init__(self, language: str = "it"):
        """Texts of a page that is about to be built."""
        import gradio as gr

        self.opening = language
        self.components: list[Any] = []
        self._keys: list[Mapping[str, Keys]] = []
        choices = [(name, code) for code, name in LANGUAGES.items()]
        radio = gr.Radio(choices, value=language, elem_id="language", render=False)
        self.language = self.add(radio, label="page.language")

    def __call__(self, key: str, **values: Any) -> str:
        """A text in the opening language; see `translate`."""
        return translate(self.opening, key, **values)

    def add(self, component: Component, **keys: Keys) -> Component:
        """Give a component its texts, now and whenever the language changes.

        Args:
            component: a Gradio component, tab or accordion.
            keys: property (`label`, `placeholder`, `value`, …) to the key of its text; a list of keys for a list of texts, a
                mapping from value to key for `choices`, a function of the language for a text with values.
        """
        for name, value in _translated(self.opening, keys).items():
            setattr(component, name, value)
        self.components.append(component)
        self._keys.append(keys)
        return component

    def updates(self, language: str) -> list[dict[str, Any]]:
        """What every component of `components` is to show in a language, one Gradio update each."""
        import gradio as gr

        return [gr.update(**_translated(language, keys)) for keys in self._keys]


def _translated(language: str, keys: Mapping[str, Keys]) -> dict[str, Any]:
    """Properties of a component in a language."""

    def texts(value: Keys) -> Any:
        if callable(value):
            return value(language)
        if isinstance(value, str):
            return translate(language, value)
        if isinstance(value, Mapping):
            return [(translate(language, key), choice) for choice, key in value.items()]
        return [translate(language, key) for key in value]

    return {name: texts(value) for name, value in keys.items()}
