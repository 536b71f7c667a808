"""The page: four tabs and the choice of language."""

import inspect
import os
from functools import partial
from typing import Any

import gradio as gr

from change_it.space import quality_tab as quality
from change_it.space import score_tab as score
from change_it.space import transfer_tab as transfer
from change_it.space.fragments import render
from change_it.space.limits import LIMITS
from change_it.space.models import Models
from change_it.space.serving import launch
from change_it.space.uploads import own_folder
from change_it.translation import Texts

#: Seconds: how often files of earlier requests are looked for, and how old they get.
_DELETE_CACHE = (3600, 24 * 3600)
#: Sets the page's language for the browser, and so for screen readers, and for what Gradio itself says.
_SET_LANGUAGE = r"""(language) => {
  document.documentElement.lang = language;
  const core = performance.getEntriesByType("resource").find(({ name }) => /\/assets\/core-[\w-]+\.js$/.test(name));
  if (core) import(core.name).then(({ changeLocale }) => changeLocale?.(language));
}"""


class Page(gr.Blocks):
    """A page whose endpoints fill in the last arguments where a request leaves them out."""

    def validate_inputs(self, block_fn: Any, inputs: list[Any]) -> None:
        """Add the defaults of what is missing; refuse in one sentence what has none."""
        for component in block_fn.inputs[len(inputs) :] if block_fn.api_name else []:
            if component.value is None:
                needed = sum(each.value is None for each in block_fn.inputs)
                raise gr.Error(
                    f"/{block_fn.api_name} needs {needed} values in data, here are {len(inputs)}",
                    print_exception=False,
                )
            inputs.append(component.value)
        super().validate_inputs(block_fn, inputs)


def build(models: Models | None, language: str = "it") -> gr.Blocks:
    """The page over loaded models, with its queue; without models it offers what needs none."""
    own_folder()
    with Page(title="change_it", analytics_enabled=False, delete_cache=_DELETE_CACHE) as page:
        texts = Texts(language)
        with gr.Row(elem_classes="ci-head"):
            with gr.Column(scale=4, min_width=280):
                texts.add(gr.HTML(elem_classes="ci-title"), value="page.heading")
            with gr.Column(scale=1, min_width=270):
                texts.language.render()
        if models:
            texts.add(gr.HTML(elem_id="about", padding=False), value=partial(about_html, models))

        def tab(name: str) -> gr.Tab:
            return texts.add(gr.Tab(id=name), label=f"tabs.{name}")

        with gr.Tabs():
            with tab("transfer"):
                transfer.build(texts, models)
            with tab("score"):
                score.build(texts, models)
            with tab("quality"):
                quality.build(texts, models)
        unseen: dict[str, Any] = {"show_progress": "hidden", "queue": False, "api_visibility": "private"}
        texts.language.change(
            texts.updates,
            texts.language,
            texts.components,
            **unseen,
        )
        gr.on([page.load, texts.language.change], None, texts.language, js=_SET_LANGUAGE)
        # Gradio words an upload box once, when it appears.
        boxes = [component for component in texts.components if isinstance(component, gr.File)]
        texts.language.change(lambda: [gr.update(visible=False)] * len(boxes), None, boxes, **unseen).then(
            lambda: [gr.update(visible=True)] * len(boxes), None, boxes, **unseen
        )
    for kind in {type(block) for block in page.blocks.values()}:
        # Gradio describes every component to every new visitor, and half of the time goes into reading these.
        kind.__init__.__signature__ = inspect.signature(kind.__init__)
    return page.queue(max_size=LIMITS.queue, default_concurrency_limit=LIMITS.batches)


def about_html(models: Models, language: str) -> str:
    """Which outlets the models know, and how far to rely on each judge."""
    return render("about.html.jinja", language, models=models)


def launch_from_environment() -> None:
    """Serve the page as on Spaces: models from `Models.from_environment`, the language from CHANGE_IT_LANGUAGE."""
    models = Models.from_environment()
    if models:
        models.warm_up()
    launch(build(models, os.environ.get("CHANGE_IT_LANGUAGE", "it")), quiet=False)
