"""The page: two tabs, or Score alone where no system writes headlines."""

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import gradio as gr
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

from change_it.scoring.compliancy import JUDGE_NAMES
from change_it.space import score_tab, transfer_tab
from change_it.space.labels import LABELS
from change_it.space.models import Models
from change_it.space.parts import render

#: Requests that wait; later ones are refused.
_QUEUE = 512
#: Bytes of a request, at most: more than an article of `ARTICLE` characters takes in any script.
_BODY = 250_000


class _Bounded:
    """Refuses requests of more bytes."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        read = 0

        async def bounded() -> Any:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > _BODY:
                raise HTTPException(413)
            return message

        await self.app(scope, bounded, send)


def build(models: Models) -> gr.Blocks:
    """Build the page over loaded models, with its queue."""
    with gr.Blocks(title="change_it", analytics_enabled=False, delete_cache=(60, 60)) as page:
        gr.Markdown(LABELS["heading"])
        gr.HTML(render("about.html.jinja", models=models, names=JUDGE_NAMES), elem_id="about", padding=False)
        with gr.Tabs():
            if models.systems:
                with gr.Tab(LABELS["transfer"], id="transfer"):
                    transfer_tab.build(models)
            with gr.Tab(LABELS["score"], id="score"):
                score_tab.build(models)
    return page.queue(max_size=_QUEUE)


def launch(page: gr.Blocks, *, hosts: Sequence[str] = ("*",), **settings: Any) -> Any:
    """Serve the page under the names of `hosts`, and return what Gradio's `launch` returns; `settings` are further arguments of it."""
    middleware = [Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts)), Middleware(_Bounded)]
    defaults: dict[str, Any] = {
        "theme": _theme(),
        "css": (files("change_it.space") / "page.css").read_text(encoding="utf-8"),
        "ssr_mode": False,
        "footer_links": ["api"],
        "max_file_size": 1,  # the page takes no files
        "app_kwargs": {"middleware": middleware},
    }
    return page.launch(**defaults | settings)


def _theme() -> gr.themes.Base:
    """Use the fonts of the reader's own machine, so that nothing is fetched from elsewhere; Gradio's own greys are too pale to read."""
    base = gr.themes.Base(
        primary_hue="teal",
        secondary_hue="teal",
        neutral_hue="slate",
        font=("system-ui", "sans-serif"),
        font_mono=("monospace",),
    )
    return base.set(
        body_text_color_subdued="*neutral_600",
        body_text_color_subdued_dark="*neutral_300",
        input_placeholder_color="*neutral_500",
        input_placeholder_color_dark="*neutral_400",
        button_primary_background_fill="*primary_700",
        button_primary_background_fill_dark="*primary_700",
        button_primary_background_fill_hover="*primary_800",
        button_primary_background_fill_hover_dark="*primary_800",
        color_accent="*primary_700",
        link_text_color="*primary_700",
        link_text_color_dark="*primary_300",
    )
