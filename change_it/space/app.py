"""Build and serve the page: the tabs Transfer and Score, or Score alone where no system writes headlines.

Each tab answers whenever a field changes, and at an endpoint.
"""

import html
from collections.abc import Callable, Sequence
from functools import partial
from importlib.resources import files
from typing import Any

import gradio as gr
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

from change_it.errors import InputError
from change_it.render.templates import without_markup
from change_it.space.answers import (
    MAX_CANDIDATES,
    SHOWN_CANDIDATES,
    about_html,
    cards,
    choose_opening,
    judge,
    transfer,
)
from change_it.space.models import MAX_ARTICLE_CHARACTERS, MAX_HEADLINE_CHARACTERS, Models

HEADING = """# Headlines that change their style
A headline of one newspaper rewritten in the style of another, and judges that say whether the story stayed, \
whether the style changed, whether it reads well, and whether its numbers, names and quotations occur in the \
article. No judge reads who did what, or who said it."""
#: Requests that may wait; later ones are refused.
_MAX_WAITING_REQUESTS = 512
#: Bytes that a request has at most: more than an article of the most characters takes in any script.
_MAX_BODY_BYTES = 250_000
#: How long the texts may be, for the descriptions of the endpoints.
_LENGTHS = (
    f"headline: at most {MAX_HEADLINE_CHARACTERS} characters;"
    f" article: at most {MAX_ARTICLE_CHARACTERS} characters"
)
#: Settings of events that ask the models: one runs at a time.
_ONE_AT_A_TIME: dict[str, Any] = {"concurrency_id": "models", "concurrency_limit": 1}
#: Settings of events that the page alone uses: they are not in the API.
_NOT_IN_API: dict[str, Any] = {"api_visibility": "private"}
#: Settings of a column: below this width, in pixels, it moves under the other one.
_COLUMN: dict[str, Any] = {"min_width": 320}
#: `transfer` or `judge` of `answers`.
Ask = Callable[..., dict[str, Any]]


class _BodyLimit:
    """Refuse requests of more than `_MAX_BODY_BYTES` bytes, with status 413."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass a request on, and count the bytes of its body as they are received."""
        size = 0

        async def receive_counted() -> Any:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > _MAX_BODY_BYTES:
                raise HTTPException(413)
            return message

        await self.app(scope, receive_counted, send)


def build(models: Models) -> gr.Blocks:
    """Build the page over loaded models, with its queue."""
    newspapers = " and ".join(models.judges.outlets)
    title = f"Headlines that change their style: {newspapers}"
    with gr.Blocks(title=title, analytics_enabled=False, delete_cache=(60, 60)) as page:
        gr.Markdown(heading_of(newspapers))
        gr.HTML(about_html(models), elem_id="about", padding=False)
        with gr.Tabs():
            if models.systems:
                with gr.Tab("Transfer", id="transfer"):
                    _transfer_tab(models)
            with gr.Tab("Score", id="score"):
                _score_tab(models)
    return page.queue(max_size=_MAX_WAITING_REQUESTS)


def heading_of(newspapers: str) -> str:
    """Return the heading of the page with the newspapers, whose names are no markup."""
    first, _, rest = HEADING.partition("\n")
    return f"{first}: {without_markup(newspapers)}\n{rest}"


def _transfer_tab(models: Models) -> None:
    """Make the tab's components, events and endpoint."""
    directions = list(models.directions)
    systems = list(models.systems)
    targets = models.systems[systems[0]].targets
    examples = [item for item in models.examples if item.target in targets]
    rows = [[item.source, item.article, item.direction] for item in examples]
    first, shown = choose_opening(models, rows, systems[0])
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, **_COLUMN):
            originals = _originals(models, first, "headline", "article")
            with gr.Row():
                system = gr.Dropdown(systems, value=systems[0], label="System")
                count = gr.Slider(1, MAX_CANDIDATES, value=SHOWN_CANDIDATES, step=1, label="Candidates shown")
            button = gr.Button("Transfer", variant="primary", elem_id="transfer")
        with gr.Column(scale=7, **_COLUMN):
            answer = gr.HTML(shown, elem_id="candidates-found", padding=False)
    _answer_live(models, transfer, [*originals, system, count], answer, button.click)
    _examples(rows, originals, [item.source for item in examples], "examples")

    def endpoint(
        headline: str,
        article: str,
        direction: str = directions[0],
        system: str = systems[0],
        candidates: int = SHOWN_CANDIDATES,
    ) -> dict:
        """Answer a client with new headlines for an original."""
        return _ask(models, transfer, headline, article, direction, system, candidates)

    description = (
        "Write new headlines for one original; the answer has the judges' probabilities and verdicts."
        f" {_LENGTHS}; direction: {' or '.join(directions)}; system: {' or '.join(systems)};"
        f" candidates: 1 to {MAX_CANDIDATES}."
    )
    gr.api(endpoint, api_name="transfer", api_description=description, **_ONE_AT_A_TIME)


def _score_tab(models: Models) -> None:
    """Make the tab's components, events and endpoint."""
    rows = [[item.prediction, item.source, item.article, item.direction] for item in models.examples]
    first_direction = next(iter(models.directions))
    first = rows[0] if rows else ["", "", "", first_direction]
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, **_COLUMN):
            info = "A headline that you wrote, and what the judges say of it"
            new = gr.Textbox(first[0], label="New headline", info=info, elem_id="own")
            fields = [new, *_originals(models, first[1:], "own-original", "own-article")]
        with gr.Column(scale=7, **_COLUMN):
            answer = gr.HTML(cards(models, judge, *first), elem_id="own-found", padding=False)
    _answer_live(models, judge, fields, answer)
    _examples(rows, fields, [item.prediction for item in models.examples], "own-examples")

    def endpoint(headline: str, original: str, article: str, direction: str = first_direction) -> dict:
        """Answer a client with the verdicts on a headline."""
        return _ask(models, judge, headline, original, article, direction)

    description = (
        "Judge a headline: the story of the original (hh), of the article (ah), the style reversed (main)."
        f" {_LENGTHS}; direction: {' or '.join(models.directions)}."
    )
    gr.api(endpoint, api_name="judge", api_description=description, **_ONE_AT_A_TIME)


def _originals(models: Models, values: Sequence[str], headline_id: str, article_id: str) -> list[Any]:
    """Make the fields of the original headline, its article and the direction, with these three values."""
    headline, article, direction = values
    directions = [(" → ".join(outlets), name) for name, outlets in models.directions.items()]
    return [
        gr.Textbox(
            headline,
            label="Original headline",
            placeholder="A headline of one of the two newspapers",
            elem_id=headline_id,
            lines=2,
            max_lines=4,
        ),
        gr.Textbox(
            article,
            label="Article",
            placeholder="The article below it",
            elem_id=article_id,
            lines=6,
            max_lines=12,
        ),
        gr.Radio(directions, value=direction, label="Direction"),
    ]


def _examples(rows: list[list[str]], fields: list[Any], labels: list[str], name: str) -> None:
    """Offer rows that fill the fields, by their labels; nothing where there are none."""
    if rows:
        title = "Examples of the test set"
        gr.Examples(rows, fields, example_labels=labels, label=title, elem_id=name, **_NOT_IN_API)


def _answer_live(models: Models, ask: Ask, fields: list[Any], answer: gr.HTML, *presses: Any) -> None:
    """Show the answer of `ask` to the fields whenever one changes, or a button is pressed."""
    # Gradio's event `input` comes with keys, not with pastes.
    changes = [*presses, *(field.change for field in fields)]
    gr.on(
        changes,
        partial(cards, models, ask),
        fields,
        answer,
        trigger_mode="always_last",
        show_progress="minimal",
        **_ONE_AT_A_TIME,
        **_NOT_IN_API,
    )


def _ask(models: Models, ask: Ask, *fields: object) -> dict[str, Any]:
    """Return the answer of `ask` to the client of an endpoint.

    Raises:
        gr.Error: with the sentence of an `InputError`, escaped, for Gradio shows a message as HTML.
    """
    try:
        return ask(models, *fields)
    except InputError as error:
        raise gr.Error(html.escape(str(error), quote=False), print_exception=False) from error


def build_from_environment() -> gr.Blocks:
    """Build the page of the models that environment variables name, or one that says why there is none."""
    try:
        return build(Models.from_environment())
    except InputError as error:
        heading = "# This page has no models yet"
        advice = "Set its variables in the settings of the Space, then restart it."
        with gr.Blocks(title="change_it", analytics_enabled=False) as page:
            gr.Markdown(f"{heading}\n{advice}\n\n{without_markup(str(error))}")
        return page


def launch(page: gr.Blocks, *, hosts: Sequence[str] = ("*",), **settings: Any) -> Any:
    """Serve the page and return what Gradio's `launch` returns.

    Args:
        page: what `build` returns.
        hosts: names that a request may be addressed to.
        settings: further arguments of Gradio's `launch`.
    """
    middleware = [Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts)), Middleware(_BodyLimit)]
    theme = gr.themes.Base(
        primary_hue="teal",
        secondary_hue="teal",
        neutral_hue="slate",
        # fonts of the machine: nothing is fetched
        font=("system-ui", "sans-serif"),
        font_mono=("monospace",),
    )
    defaults: dict[str, Any] = {
        "theme": theme,
        "css": (files("change_it.space") / "page.css").read_text(encoding="utf-8"),
        "ssr_mode": False,
        "footer_links": ["api"],
        # in bytes: the page takes no files
        "max_file_size": 1,
        "app_kwargs": {"middleware": middleware},
    }
    return page.launch(**(defaults | settings))
