"""Parts that the tabs share: limits, messages, HTML, files in and out."""

import html
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import gradio as gr
from jinja2 import ChoiceLoader, Environment, PackageLoader
from markupsafe import escape

from change_it.errors import InputError
from change_it.results.pages import environment
from change_it.space.labels import LABELS

#: Characters of a headline and of an article.
HEADLINE, ARTICLE = 300, 20_000
#: Headlines that are offered for one original.
CANDIDATES = 8
#: Rows of an uploaded table.
ROWS = 5_000
#: Tables are worked on one at a time, so that the other tabs stay quick.
TABLES: dict[str, Any] = {"concurrency_id": "tables", "concurrency_limit": 1}
#: An event of the page alone.
PRIVATE: dict[str, Any] = {"api_visibility": "private"}

_LONGEST = 600  # characters of a sentence


def refused(handler: Callable[..., Any]) -> Callable[..., Any]:
    """A handler whose `InputError` is shown as it is."""

    @wraps(handler)
    def wrapped(*values: object, **named: Any) -> Any:
        try:
            return handler(*values, **named)
        except InputError as error:
            # Gradio shows a message as HTML.
            raise gr.Error(html.escape(str(error), quote=False), print_exception=False) from error

    return wrapped


def text_of(value: str | None, most: int, part: str) -> str:
    r"""A text as it was sent, stripped, in Unicode NFC; nothing for None.

    Raises:
        InputError: it has more characters than `most`.

    Examples:
        >>> text_of(" a\ud800b ", 300, "headline")
        'a?b'
    """
    text = value or ""
    if len(text) > most:
        raise InputError(f"{part}: {len(text):,} characters are too many, at most {most:,} fit: shorten it")
    return unicodedata.normalize("NFC", text.encode("utf-8", "replace").decode()).strip()


@cache
def _templates() -> Environment:
    """The templates of the page and those of the reports, whose tables they share."""
    reports = environment()
    loaders = [PackageLoader("change_it.space"), *([reports.loader] if reports.loader else [])]
    ours = reports.overlay(loader=ChoiceLoader(loaders))
    ours.filters = reports.filters
    return ours


def render(template: str, **values: Any) -> str:
    """A template of `templates`, filled; every value is escaped."""
    return _templates().get_template(template).render(**values)


def notice(sentence: object) -> str:
    """A sentence in the place of results."""
    return f'<div class="ci-notice" role="status">{escape(sentence)}</div>'


@contextmanager
def uploaded(path: Path) -> Iterator[None]:
    """Name an uploaded file in sentences without the folder that it was put in, and keep them short."""
    try:
        yield
    except InputError as error:
        sentence = str(error).replace(f"{path.parent}/", "")
        raise InputError(sentence if len(sentence) <= _LONGEST else f"{sentence[:_LONGEST]}…") from error


def downloads(shown: gr.File, write: Callable[[Path], object]) -> list[str]:
    """Copies for a component of the files that `write` puts into an empty folder; Gradio removes them in the end."""
    with TemporaryDirectory() as folder:
        write(Path(folder))
        files = sorted(file for file in Path(folder).rglob("*") if file.is_file())
        return [str(shown.move_resource_to_block_cache(file)) for file in files]


def add_results(
    button: gr.Button, inputs: Sequence[Any], name: str, write: Callable[..., Sequence[str]]
) -> None:
    """Show below a button the report that `write` puts into a folder, and its files; above them a fault, or what it comes to."""
    shown = gr.HTML(elem_id=f"{name}-results", padding=False)
    files = gr.File(
        label=LABELS["download"],
        file_count="multiple",
        interactive=False,
        visible=False,
        elem_id=f"{name}-files",
    )

    @refused
    def on_press(progress: gr.Progress = gr.Progress(), *values: Any) -> tuple[str, Any]:  # noqa: B008 (gradio looks for this default)
        remarks: list[str] = []

        def fill(folder: Path) -> None:
            remarks.extend(write(folder, *values, progress=lambda what, share: progress(share, desc=what)))

        try:
            paths = downloads(files, fill)
        except InputError as error:
            return notice(error), gr.update(value=None, visible=False)
        [page] = (Path(path) for path in paths if path.endswith("/report.html"))
        text = page.read_text(encoding="utf-8")
        # Its links to its own sections would else lead to this page.
        framed = text.replace("<head>", '<head><base href="about:srcdoc">', 1)
        found = render("results.html.jinja", remarks=remarks, page=framed)
        return found, gr.update(value=paths, visible=True)

    button.click(on_press, list(inputs), [shown, files], trigger_mode="once", **TABLES, **PRIVATE)
