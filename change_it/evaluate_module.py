"""Share what our `evaluate` modules have in common.

There is one way to give items, results are numbers alone, and unknown options are refused. Each has a page.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import evaluate

from change_it.errors import InputError
from change_it.files.texts import refuse_lengths

#: Columns that any of the modules reads: `evaluate.combine` gives all of them to each.
INPUTS = frozenset(
    (
        "predictions",
        "references",
        "documents",
        "sources",
        "articles",
        "labels",
        "reference_articles",
        "events",
        "judges",
    )
)


class Module(evaluate.Metric, ABC):
    """A metric whose `add` and `add_batch` take every column that `compute` takes.

    Attributes:
        columns: names of the columns that it needs.
        optional: names of the columns that it may have.
        options: names of what else `compute` takes.
        signature: what the numbers of the last `compute` depend on.
        configuration: what the second argument of `evaluate.load` names; empty where nothing can be named.
        loaded_with: the second argument of `evaluate.load`.
    """

    columns: tuple[str, ...]
    optional: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    signature = ""
    configuration = ""

    def __init__(self, config_name: str | None = None, **options: Any):
        """Make the module.

        `config_name` can be a path. It is not passed on to evaluate, which would name a folder of its cache
        by it.
        """
        if config_name and not self.configuration:
            raise InputError(
                f"this module has no {config_name}: leave the second argument of evaluate.load out"
            )
        super().__init__(**options)
        self.loaded_with = config_name

    @abstractmethod
    def _encode(self, **columns: Any) -> dict[str, list[Any]]:
        """Return the columns as they are kept until `compute`."""

    def add(self, **given: Any) -> None:
        """Add one item: `prediction`, `reference`, `source` and so on, or columns by their names."""
        columns = {name.removesuffix("s"): name for name in (*self.columns, *self.optional, "references")}
        item = {}
        for name, value in given.items():
            column = columns.get(name, name)
            if value is not None or column == "predictions":
                item[column] = [value]
        self.add_batch(**item)

    def add_batch(self, **given: Any) -> None:
        """Add items, all columns as for `compute`."""
        columns = self._known_arguments(given, (*self.columns, *self.optional))
        lacking = [name for name in self.columns if name not in columns]
        if lacking:
            raise InputError(f"{self.name} needs {', '.join(lacking)}: give one for every item")
        encoded = self._encode(**columns)
        refuse_lengths(**encoded)
        if encoded["predictions"]:
            super().add_batch(**encoded)

    def compute(self, **given: Any) -> Any:
        """Return numbers by name, of the items that are given here and of those that were added before."""
        columns = self._known_arguments(given, (*self.columns, *self.optional, *self.options))
        options = {name: columns.pop(name) for name in self.options if name in columns}
        if columns:
            self.add_batch(**columns)
        if self.writer is None:
            raise InputError(f"{self.name} has nothing to score: give predictions")
        try:
            return super().compute(**options)
        except Exception:
            self._release_items()
            raise

    def _release_items(self) -> None:
        """Delete the files of items that were refused, and unlock them.

        evaluate does so only where `compute` ends well: the next module would wait a second for each lock.
        """
        self.data = None
        for file, lock in zip(self.file_paths or (), self.filelocks or (), strict=True):
            Path(file).unlink(missing_ok=True)
            lock.release()

    def _known_arguments(self, given: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
        """Return the arguments that this module reads and that are not None.

        Raises:
            InputError: an argument is one that no module knows.
        """
        unknown = sorted(given.keys() - INPUTS.union(names))
        if unknown:
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
        arguments: makes the arguments of `compute` from the values of the inputs.
        inputs: components of gradio.
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
        # the page gives one item; a module with verdicts has more to say of it than the result
        [values_of_item] = getattr(module, "verdicts", [result])
        rows = [[label, _in_words(values_of_item.get(name))] for name, label in labels.items()]
        return rows, module.signature

    return gr.Interface(
        score,
        list(inputs),
        [gr.Dataframe(headers=["what", "value"], label="Result"), gr.Textbox(label="Signature")],
        title=file.stem.replace("_", " ").capitalize(),
        description=description,
        flagging_mode="never",
    )


def _in_words(value: object) -> str:
    """Return a verdict, a figure or a list in words."""
    if value is None:
        return "n/a"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(value)
    if isinstance(value, str):
        return value or "nothing"
    return f"{value:.3f}"
