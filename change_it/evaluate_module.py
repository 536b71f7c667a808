"""The page of our `evaluate` modules: it scores one item."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import evaluate

from change_it.errors import InputError


def page(
    file: Path,
    arguments: Callable[..., dict[str, Any]],
    inputs: Sequence[Any],
    labels: Mapping[str, str],
    description: str,
) -> Any:
    """Make a `gradio` page that scores one item by the module of a file.

    Args:
        file: the module; by its file, since its folder has another name on the Hub.
        arguments: makes the arguments of `compute` of the values of the inputs.
        inputs: components.
        labels: names of results to what the page calls them.
        description: one sentence.
    """
    import gradio as gr

    def score(*values: Any) -> tuple[list[list[str]], str]:
        try:
            module = evaluate.load(str(file))
            result = module.compute(**arguments(*values))
        except InputError as error:
            raise gr.Error(str(error)) from error
        [values_by_name] = getattr(module, "verdicts", [result])
        rows = [[label, _in_words(values_by_name.get(name))] for name, label in labels.items()]
        return rows, module.signature

    outputs = [gr.Dataframe(headers=["what", "value"], label="Result"), gr.Textbox(label="Signature")]
    title = file.stem.replace("_", " ").capitalize()
    return gr.Interface(
        score, list(inputs), outputs, title=title, description=description, flagging_mode="never"
    )


def _in_words(value: object) -> str:
    """A verdict, figure or list in words."""
    if value is None or isinstance(value, bool):
        return "n/a" if value is None else "yes" if value else "no"
    if isinstance(value, str | list):
        return value or "nothing" if isinstance(value, str) else ", ".join(value)
    return f"{value:.3f}"
