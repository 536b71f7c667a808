"""What the tabs of uploaded tables share: two buttons, what was found as tables and charts, and files to download."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import gradio as gr
from markupsafe import Markup

from change_it.errors import InputError
from change_it.results.charts import Drawing
from change_it.results.pages import inline
from change_it.space.fragments import notice
from change_it.space.limits import friendly
from change_it.space.uploads import TABLES_QUEUE, downloads, write_charts
from change_it.translation import Texts, localized

#: Held while charts are drawn: matplotlib's style is one for all threads.
CHARTS_LOCK = threading.Lock()

#: Called with what is being done and the share of all work that is done, 0-1.
Progress = Callable[[str, float], object]
Found = TypeVar("Found")


@dataclass(frozen=True)
class UploadTab(Generic[Found]):
    """What one of these tabs does with what is uploaded."""

    name: str  # of the tab, in its texts and in the ids of its components
    # reads and measures what stands in the tab's inputs; a fault is an `InputError`
    measure: Callable[[Sequence[Any], Progress], Found]
    draw: Callable[[Found], list[Drawing]]  # the charts of what was found
    # what was found and its charts as HTML in a language
    show: Callable[[Found, list[tuple[Drawing, Markup]], str], str]
    # writes the files that are offered, but for the charts, and returns them; the language is that of pages
    write: Callable[[Path, Found, Sequence[Drawing], str], list[Path]]


def buttons(texts: Texts, name: str) -> tuple[gr.Button, gr.Button]:
    """The buttons that measure what is uploaded, and an example."""
    return (
        texts.add(gr.Button(variant="primary", elem_id=name), value=f"{name}.button"),
        texts.add(gr.Button(elem_id=f"{name}-example"), value="uploads.example"),
    )


def add_results(
    texts: Texts,
    tab: UploadTab[Found],
    pressed: tuple[gr.Button, gr.Button],
    inputs: Sequence[Any],
    example: dict[str, Any],
) -> gr.State:
    """The components of results, which are in the state that is returned, and all events; `example` fills inputs, as arguments of `click`."""
    state = gr.State(None, time_to_live=3600)
    status = gr.HTML(elem_id=f"{tab.name}-status", padding=False)
    with gr.Column(visible=False) as results:
        shown = gr.HTML(elem_id=f"{tab.name}-results", padding=False)
        files = texts.add(
            gr.File(file_count="multiple", interactive=False, elem_id=f"{tab.name}-files"),
            label="uploads.files",
        )

    @friendly
    def on_press(progress: gr.Progress = gr.Progress(), *values: Any) -> list[Any]:  # noqa: B008 (gradio looks for this default)
        *contents, language = values

        def show_progress(what: str, share: float) -> None:
            progress(share, desc=localized(language, what))

        return _measured(tab, contents, language, show_progress)

    def on_language(results: Found | None, language: str) -> Any:
        if results is None:
            return gr.skip()
        with CHARTS_LOCK:
            return tab.show(results, inline(tab.draw(results), language), language)

    button, example_button = pressed
    running: dict[str, Any] = {
        "inputs": [*inputs, texts.language],
        "outputs": [state, status, results, shown, files],
        "api_visibility": "private",
        **TABLES_QUEUE,
    }
    quiet: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
    button.click(on_press, trigger_mode="once", **running)
    example_button.click(**example, **quiet).then(on_press, **running)
    texts.language.change(
        on_language, [state, texts.language], shown, show_progress="hidden", api_visibility="private"
    )
    return state


def _measured(tab: UploadTab[Found], inputs: Sequence[Any], language: str, progress: Progress) -> list[Any]:
    """What was found, and updates of status, results, their HTML and the files; a fault is a sentence in their place."""
    try:
        results = tab.measure(inputs, progress)
    except InputError as error:
        return [None, notice(localized(language, error)), gr.update(visible=False), None, None]
    with CHARTS_LOCK:
        drawings = tab.draw(results)
        html = tab.show(results, inline(drawings, language), language)
        paths = downloads(
            lambda folder: [*tab.write(folder, results, drawings, language), *write_charts(folder, drawings)]
        )
    return [results, "", gr.update(visible=True), html, paths]
