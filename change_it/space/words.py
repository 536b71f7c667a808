"""Every text of the interface, in Italian and English, and the components that show them."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar, get_args

from change_it.space.options import Language

#: Languages of the interface and what they call themselves.
LANGUAGES = {"it": "Italiano", "en": "English"}

Component = TypeVar("Component")

#: A property of a component: one text, a list of texts, or choices (value to the text that is shown).
Keys = str | Sequence[str] | Mapping[str, str]


@cache
def texts(language: str) -> dict[str, str]:
    """All texts of a language.

    Args:
        language: `it` or `en`.

    Returns:
        `section.name` to text.
    """
    source = files("change_it.space") / "texts" / f"{language}.toml"
    sections = tomllib.loads(source.read_text(encoding="utf-8"))
    return {f"{section}.{name}": text for section, part in sections.items() for name, text in part.items()}


def say(language: str, key: str, **values: Any) -> str:
    """One text.

    Args:
        language: `it` or `en`; anything else is taken for the first.
        key: `section.name` in `texts/<language>.toml`.
        values: what stands in the text's braces.

    Returns:
        The text.

    Raises:
        KeyError: there is no such text.

    Example:
        >>> say("en", "tabs.transfer"), say("it", "tabs.transfer")
        ('Transfer', 'Trasferisci')
    """
    known = language if isinstance(language, str) and language in LANGUAGES else get_args(Language)[0]
    return texts(known)[key].format(**values)


class Words:
    """The texts of one page: shown in the language it opens in, and told again when another one is chosen.

    Attributes:
        opening: the language in which the page opens.
        language: the component with the chosen language, `it` or `en`; every handler takes it as its last input.
        components: the components with texts, in the order in which they were told.
    """

    def __init__(self, language: str = "it"):
        """Texts of a page that is about to be built.

        Args:
            language: in which it opens.
        """
        import gradio as gr

        self.opening = language
        self.language = gr.Radio(
            choices=[(name, code) for code, name in LANGUAGES.items()],
            value=language,
            label=say(language, "page.language"),
            elem_id="language",
            render=False,
        )
        self.components: list[Any] = []
        self._keys: list[Mapping[str, Keys]] = []
        self.tell(self.language, label="page.language")

    def __call__(self, key: str, **values: Any) -> str:
        """A text in the opening language; see `say`."""
        return say(self.opening, key, **values)

    def tell(self, component: Component, **keys: Keys) -> Component:
        """Give a component its texts, now and whenever the language changes.

        Args:
            component: a Gradio component, tab or accordion.
            keys: property (`label`, `info`, `placeholder`, `value`, …) to the key of its text; a list of keys for
                a list of texts (`headers`), a mapping from value to key for `choices`.

        Returns:
            The component.
        """
        for name, value in self._told(self.opening, keys).items():
            setattr(component, name, value)
        self.components.append(component)
        self._keys.append(keys)
        return component

    def updates(self, language: str) -> list[dict[str, Any]]:
        """What every component of `components` is to show in a language.

        Args:
            language: the chosen one.

        Returns:
            One Gradio update for each.
        """
        import gradio as gr

        return [gr.update(**self._told(language, keys)) for keys in self._keys]

    @staticmethod
    def _told(language: str, keys: Mapping[str, Keys]) -> dict[str, Any]:
        def told(value: Keys) -> Any:
            if isinstance(value, str):
                return say(language, value)
            if isinstance(value, Mapping):
                return [(say(language, key), choice) for choice, key in value.items()]
            return [say(language, key) for key in value]

        return {name: told(value) for name, value in keys.items()}
