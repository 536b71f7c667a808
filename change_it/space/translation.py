"""The components of the page that show texts, in Italian and English."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from change_it.translation import LANGUAGES, translate

Component = TypeVar("Component")

#: A property of a component: one text, a list of texts, choices (value to the text that is shown), or a function of the language.
Keys = str | Sequence[str] | Mapping[str, str] | Callable[[str], str]


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
