"""What our `evaluate` modules share: one way to give items, results of numbers alone, unknown options refused, a page."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import evaluate

from change_it.errors import InputError
from change_it.files.texts import refuse_lengths

#: What one of the modules reads: `evaluate.combine` gives all of it to each.
INPUTS = {
    *("predictions", "references", "documents", "sources", "articles", "labels"),
    *("reference_articles", "events", "judges"),
}


class Module(evaluate.Metric, ABC):
    """A metric whose `add` and `add_batch` take every column that `compute` takes."""

    columns: tuple[str, ...]  # that it needs
    optional: tuple[str, ...] = ()  # columns that it may have
    options: tuple[str, ...] = ()  # what else `compute` takes
    signature = ""  # what the numbers of the last `compute` depend on
    configuration = ""  # what the second argument of `evaluate.load` names; empty where nothing can be named

    def __init__(self, config_name: str | None = None, **options: Any):
        """Make the module; evaluate would name a folder of its cache by `config_name`, which here can be a path."""
        if config_name and not self.configuration:
            raise InputError(
                f"this module has no {config_name}: leave the second argument of evaluate.load out"
            )
        super().__init__(**options)
        self.named = config_name  # what it was loaded with

    @abstractmethod
    def _encode(self, **columns: Any) -> dict[str, list[Any]]:
        """The columns as they are kept until `compute`."""

    def add(self, **given: Any) -> None:
        """Add one item: `prediction`, `reference`, `source` and so on, or columns by their names."""
        names = {name.removesuffix("s"): name for name in (*self.columns, *self.optional, "references")}
        items = {names.get(name, name): [value] for name, value in given.items()}
        self.add_batch(
            **{name: item for name, item in items.items() if item != [None] or name == "predictions"}
        )

    def add_batch(self, **given: Any) -> None:
        """Add items, all columns as for `compute`."""
        columns = self._taken(given, (*self.columns, *self.optional))
        if lacking := [name for name in self.columns if name not in columns]:
            raise InputError(f"{self.name} needs {', '.join(lacking)}: give one for every item")
        encoded = self._encode(**columns)
        refuse_lengths(**encoded)
        if encoded["predictions"]:
            super().add_batch(**encoded)

    def compute(self, **given: Any) -> Any:
        """Numbers by name, of the items that are given here and of those that were added before."""
        taken = self._taken(given, (*self.columns, *self.optional, *self.options))
        options = {name: taken.pop(name) for name in self.options if name in taken}
        if taken:
            self.add_batch(**taken)
        if self.writer is None:
            raise InputError(f"{self.name} has nothing to score: give predictions")
        return super().compute(**options)

    def _taken(self, given: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
        """What of the given is this module's; what no module knows is refused."""
        if unknown := sorted(given.keys() - INPUTS.union(names)):
            raise InputError(f"{self.name} takes no {', '.join(unknown)}: choose from {', '.join(names)}")
        return {name: given[name] for name in names if given.get(name) is not None}


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

    # The page's clients give the values by the names that `arguments` has for them.
    @wraps(arguments, assigned=(), updated=())
    def score(*values: Any) -> tuple[list[list[str]], str]:
        try:
            module = evaluate.load(str(file))
            result = module.compute(**arguments(*values))
        except InputError as error:
            raise gr.Error(str(error)) from error
        [found] = getattr(module, "verdicts", [result])
        return [[label, _said(found.get(name))] for name, label in labels.items()], module.signature

    outputs = [gr.Dataframe(headers=["what", "value"], label="Result"), gr.Textbox(label="Signature")]
    title = file.stem.replace("_", " ").capitalize()
    return gr.Interface(
        score, list(inputs), outputs, title=title, description=description, flagging_mode="never"
    )


def _said(value: object) -> str:
    """A verdict, figure or list in words."""
    if value is None or isinstance(value, bool):
        return "n/a" if value is None else "yes" if value else "no"
    if isinstance(value, str | list):
        return value or "nothing" if isinstance(value, str) else ", ".join(value)
    return f"{value:.3f}"
