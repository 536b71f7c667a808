"""The page: two tabs, or Score alone where no system writes headlines; both answer whenever a field changes, and each has an endpoint."""

import html
from collections.abc import Callable, Sequence
from functools import partial, wraps
from importlib.resources import files
from typing import Any

import gradio as gr
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

from change_it.errors import InputError
from change_it.space.answers import CANDIDATES, SHOWN, cards, judge, notice, opening, render, transfer
from change_it.space.models import ARTICLE, HEADLINE, Models
from change_it.templates import without_markup

#: The labels of the page by where they are shown.
LABELS = {
    "heading": "# Headlines that change their style\nA headline of one newspaper rewritten in the style of another, and "
    "judges that say whether the story stayed, whether the style changed, whether it reads well, and whether its "
    "numbers, names and quotations occur in the article. No judge reads who did what, or who said it.",
    "no_models": "# This page has no models yet\nSet its variables in the settings of the Space, then restart it.",
    "transfer": "Transfer",
    "score": "Score",
    "original": "Original headline",
    "article": "Article",
    "direction": "Direction",
    "system": "System",
    "candidates": "Candidates shown",
    "examples": "Examples (invented texts)",
    "examples_of_corpus": "Examples of the test set",
    "write": "A headline of one of the two newspapers",
    "paste": "The article below it",
    "new": "New headline",
    "new_info": "A headline that you wrote, and what the judges say of it",
}
#: Requests that wait; later ones are refused.
_QUEUE = 512
#: Bytes of a request, at most: more than an article of `ARTICLE` characters takes in any script.
_BODY = 250_000
#: What asks the models, one at a time; an event of the page alone.
_ASKS: dict[str, Any] = {"concurrency_id": "models", "concurrency_limit": 1}
_PRIVATE: dict[str, Any] = {"api_visibility": "private"}
_COLUMN: dict[str, Any] = {"min_width": 320}


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
        gr.HTML(render("about.html.jinja", models=models), elem_id="about", padding=False)
        with gr.Tabs():
            if models.systems:
                with gr.Tab(LABELS["transfer"], id="transfer"):
                    _transfer_tab(models)
            with gr.Tab(LABELS["score"], id="score"):
                _score_tab(models)
    return page.queue(max_size=_QUEUE)


def _transfer_tab(models: Models) -> None:
    """Make the tab's components, events and endpoint."""
    first, shown = opening(models)
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, **_COLUMN):
            headline, article = _originals(*first[:2], "headline", "article")
            with gr.Row():
                direction = _direction(models, first[2])
                system = gr.Dropdown(list(models.systems), value=first[3], label=LABELS["system"])
            count = gr.Slider(1, CANDIDATES, value=SHOWN, step=1, label=LABELS["candidates"])
            button = gr.Button(LABELS["transfer"], variant="primary", elem_id="transfer")
        with gr.Column(scale=7, **_COLUMN):
            found = gr.HTML(shown, elem_id="candidates-found", padding=False)
    fields = [headline, article, direction, system, count]
    _answer_live(models, transfer, fields, found, [button.click])
    filled = {(one.source, one.article, one.direction): one.source for one in models.examples}
    label = LABELS["examples_of_corpus" if models.corpus_examples else "examples"]
    about: dict[str, Any] = {"label": label, "example_labels": list(filled.values()), "elem_id": "examples"}
    gr.Examples(list(map(list, filled)), fields[:3], **about, **_PRIVATE)
    directions, systems = list(models.directions), list(models.systems)

    @_refused
    def transfer_endpoint(
        headline: str,
        article: str,
        direction: str = directions[0],
        system: str = systems[0],
        candidates: int = SHOWN,
    ) -> dict:
        return transfer(models, headline, article, direction, system, candidates)

    description = (
        f"New headlines for one original, with the judges' probabilities and verdicts. {_inputs(models)}; "
        f"system: {' or '.join(systems)}; candidates: 1 to {CANDIDATES}."
    )
    gr.api(transfer_endpoint, api_name="transfer", api_description=description, **_ASKS)


def _score_tab(models: Models) -> None:
    """Make the tab's components, events and endpoint."""
    written = [one for one in models.examples if one.prediction]
    offered = [[one.prediction, one.source, one.article, one.direction] for one in written]
    aim = next(iter(models.directions))
    first = offered[0] if offered else ["", "", "", aim]
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, **_COLUMN):
            new = gr.Textbox(first[0], label=LABELS["new"], info=LABELS["new_info"], elem_id="own")
            originals = _originals(*first[1:3], "own-original", "own-article")
            fields = [new, *originals, _direction(models, first[3])]
        with gr.Column(scale=7, **_COLUMN):
            start = notice(
                "Write a new headline, the original one and its article: the verdicts appear here."
            )
            shown = cards(models, judge, *first) if offered else start
            found = gr.HTML(shown, elem_id="own-found", padding=False)
    _answer_live(models, judge, fields, found)
    if offered:
        labels = [f"{one.id}: {one.prediction}" for one in written]
        about: dict[str, Any] = {
            "label": LABELS["examples_of_corpus"],
            "example_labels": labels,
            "elem_id": "own-examples",
        }
        gr.Examples(offered, fields, **about, **_PRIVATE)

    @_refused
    def judge_endpoint(headline: str, original: str, article: str, direction: str = aim) -> dict:
        return judge(models, headline, original, article, direction)

    description = (
        "What the judges say of a headline that you wrote: does it tell the story of the original (hh) and of the "
        f"article (ah), and is the style reversed (main). {_inputs(models)}; original: the original headline."
    )
    gr.api(judge_endpoint, api_name="judge", api_description=description, **_ASKS)


def _originals(headline: str, article: str, *ids: str) -> tuple[gr.Textbox, gr.Textbox]:
    """Make the fields of the original headline and its article, with these ids."""
    about: tuple[dict[str, Any], ...] = (
        {"label": LABELS["original"], "placeholder": LABELS["write"], "lines": 2, "max_lines": 4},
        {"label": LABELS["article"], "placeholder": LABELS["paste"], "lines": 6, "max_lines": 12},
    )
    return gr.Textbox(headline, elem_id=ids[0], **about[0]), gr.Textbox(article, elem_id=ids[1], **about[1])


def _direction(models: Models, value: str) -> gr.Radio:
    """Make the choice of the direction."""
    choices = [(" → ".join(outlets), name) for name, outlets in models.directions.items()]
    return gr.Radio(choices, value=value, label=LABELS["direction"])


def _answer_live(
    models: Models,
    ask: Callable[..., dict[str, Any]],
    fields: Sequence[Any],
    found: gr.HTML,
    presses: Sequence[Any] = (),
) -> None:
    """Show what `ask` answers to the fields whenever one changes."""
    changes = [*presses, *(field.change for field in fields)]  # Gradio sends `input` for keys, not for pastes
    how: dict[str, Any] = {"trigger_mode": "always_last", "show_progress": "minimal", **_ASKS, **_PRIVATE}
    gr.on(changes, partial(cards, models, ask), list(fields), found, **how)


def _refused(handler: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a handler so that the page shows the sentence of its `InputError`."""

    @wraps(handler)
    def wrapped(*values: object, **named: Any) -> Any:
        try:
            return handler(*values, **named)
        except InputError as error:  # Gradio shows a message as HTML
            raise gr.Error(html.escape(str(error), quote=False), print_exception=False) from error

    return wrapped


def _inputs(models: Models) -> str:
    """What the endpoints say of the inputs that both have."""
    lengths = f"headline: at most {HEADLINE} characters; article: at most {ARTICLE} characters"
    return f"{lengths}; direction: {' or '.join(models.directions)}"


def build_from_environment() -> gr.Blocks:
    """Build the page of the models that environment variables name, or one that says why there is none."""
    try:
        return build(Models.from_environment())
    except InputError as error:
        with gr.Blocks(title="change_it", analytics_enabled=False) as page:
            gr.Markdown(f"{LABELS['no_models']}\n\n{without_markup(str(error))}")
        return page


def launch(page: gr.Blocks, *, hosts: Sequence[str] = ("*",), **settings: Any) -> Any:
    """Serve the page under the names of `hosts`, and return what Gradio's `launch` returns; `settings` are further arguments of it."""
    middleware = [Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts)), Middleware(_Bounded)]
    looks: dict[str, Any] = {"primary_hue": "teal", "secondary_hue": "teal", "neutral_hue": "slate"}
    looks |= {"font": ("system-ui", "sans-serif"), "font_mono": ("monospace",)}  # nothing is fetched
    theme = gr.themes.Base(**looks).set(
        body_text_color_subdued="*neutral_600",  # Gradio's own greys are too pale to read
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
    defaults: dict[str, Any] = {
        "theme": theme,
        "css": (files("change_it.space") / "page.css").read_text(encoding="utf-8"),
        "ssr_mode": False,
        "footer_links": ["api"],
        "max_file_size": 1,  # the page takes no files
        "app_kwargs": {"middleware": middleware},
    }
    return page.launch(**defaults | settings)
