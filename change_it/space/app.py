"""The page: the tabs Transfer and Score, or Score alone where no system writes headlines; each answers whenever a field changes, and at an endpoint."""

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
from change_it.space.answers import CANDIDATES, SHOWN, about_html, cards, judge, opening, transfer
from change_it.space.models import ARTICLE, HEADLINE, Models

HEADING = """# Headlines that change their style
A headline of one newspaper rewritten in the style of another, and judges that say whether the story stayed, whether the style changed, \
whether it reads well, and whether its numbers, names and quotations occur in the article. No judge reads who did what, or who said it."""
#: Requests that wait; later ones are refused.
_QUEUE = 512
#: Bytes of a request, at most: more than an article of `ARTICLE` characters takes in any script.
_BODY = 250_000
#: Events that ask the models, one at a time; an event of the page alone.
_ASKS: dict[str, Any] = {"concurrency_id": "models", "concurrency_limit": 1}
_PRIVATE: dict[str, Any] = {"api_visibility": "private"}
_LENGTHS = f"headline: at most {HEADLINE} characters; article: at most {ARTICLE} characters"
Ask = Callable[..., dict[str, Any]]
_COLUMN: dict[str, Any] = {"min_width": 320}


class _Bounded:
    """Refuses requests of more bytes."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        size = 0

        async def bounded() -> Any:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > _BODY:
                raise HTTPException(413)
            return message

        await self.app(scope, bounded, send)


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
    return page.queue(max_size=_QUEUE)


def heading_of(newspapers: str) -> str:
    """Return the heading of the page with the newspapers, whose names are no markup."""
    first, _, rest = HEADING.partition("\n")
    return f"{first}: {without_markup(newspapers)}\n{rest}"


def _transfer_tab(models: Models) -> None:
    """Make the tab's components, events and endpoint."""
    directions, systems = list(models.directions), list(models.systems)
    examples = [item for item in models.examples if item.target in models.systems[systems[0]].targets]
    rows = [[item.source, item.article, item.direction] for item in examples]
    first, shown = opening(models, rows, systems[0])
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, **_COLUMN):
            originals = _originals(models, *first, "headline", "article")
            with gr.Row():
                system = gr.Dropdown(systems, value=systems[0], label="System")
                count = gr.Slider(1, CANDIDATES, value=SHOWN, step=1, label="Candidates shown")
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
        candidates: int = SHOWN,
    ) -> dict:
        """Write new headlines for one original; the answer has the judges' probabilities and verdicts."""
        return _ask(models, transfer, headline, article, direction, system, candidates)

    about = f"{endpoint.__doc__} {_LENGTHS}; direction: {' or '.join(directions)}"
    about += f"; system: {' or '.join(systems)}; candidates: 1 to {CANDIDATES}."
    gr.api(endpoint, api_name="transfer", api_description=about, **_ASKS)


def _score_tab(models: Models) -> None:
    """Make the tab's components, events and endpoint."""
    rows = [[item.prediction, item.source, item.article, item.direction] for item in models.examples]
    aim = next(iter(models.directions))
    first = rows[0] if rows else ["", "", "", aim]
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, **_COLUMN):
            info = "A headline that you wrote, and what the judges say of it"
            new = gr.Textbox(first[0], label="New headline", info=info, elem_id="own")
            fields = [new, *_originals(models, *first[1:], "own-original", "own-article")]
        with gr.Column(scale=7, **_COLUMN):
            answer = gr.HTML(cards(models, judge, *first), elem_id="own-found", padding=False)
    _answer_live(models, judge, fields, answer)
    _examples(rows, fields, [item.prediction for item in models.examples], "own-examples")

    def endpoint(headline: str, original: str, article: str, direction: str = aim) -> dict:
        """Judge a headline: the story of the original (hh), of the article (ah), the style reversed (main)."""
        return _ask(models, judge, headline, original, article, direction)

    about = f"{endpoint.__doc__} {_LENGTHS}; direction: {' or '.join(models.directions)}."
    gr.api(endpoint, api_name="judge", api_description=about, **_ASKS)


def _originals(models: Models, headline: str, article: str, direction: str, *ids: str) -> list[Any]:
    """Make the fields of the original headline, its article, with these ids, and the direction."""
    choices = [(" → ".join(outlets), name) for name, outlets in models.directions.items()]
    short: dict[str, Any] = {"placeholder": "A headline of one of the two newspapers", "max_lines": 4}
    long: dict[str, Any] = {"placeholder": "The article below it", "max_lines": 12}
    return [
        gr.Textbox(headline, label="Original headline", elem_id=ids[0], lines=2, **short),
        gr.Textbox(article, label="Article", elem_id=ids[1], lines=6, **long),
        gr.Radio(choices, value=direction, label="Direction"),
    ]


def _examples(rows: list[list[str]], fields: list[Any], labels: list[str], name: str) -> None:
    """Offer rows that fill the fields, by their labels."""
    if rows:
        title = "Examples of the test set"
        gr.Examples(rows, fields, example_labels=labels, label=title, elem_id=name, **_PRIVATE)


def _answer_live(models: Models, ask: Ask, fields: list[Any], answer: gr.HTML, *presses: Any) -> None:
    """Show the answer of `ask` to the fields whenever one changes."""
    changes = [*presses, *(field.change for field in fields)]  # Gradio sends `input` for keys, not for pastes
    settings: dict[str, Any] = {"trigger_mode": "always_last", "show_progress": "minimal"}
    gr.on(changes, partial(cards, models, ask), fields, answer, **settings, **_ASKS, **_PRIVATE)


def _ask(models: Models, ask: Ask, *fields: object) -> dict[str, Any]:
    """The answer of `ask` to the client of an endpoint, who is told the sentence of an `InputError`."""
    try:
        return ask(models, *fields)
    except InputError as error:  # Gradio shows a message as HTML
        raise gr.Error(html.escape(str(error), quote=False), print_exception=False) from error


def build_from_environment() -> gr.Blocks:
    """Build the page of the models that environment variables name, or one that says why there is none."""
    try:
        return build(Models.from_environment())
    except InputError as error:
        heading = (
            "# This page has no models yet\nSet its variables in the settings of the Space, then restart it."
        )
        with gr.Blocks(title="change_it", analytics_enabled=False) as page:
            gr.Markdown(f"{heading}\n\n{without_markup(str(error))}")
        return page


def launch(page: gr.Blocks, *, hosts: Sequence[str] = ("*",), **settings: Any) -> Any:
    """Serve the page under the names of `hosts`, and return what Gradio's `launch` returns; `settings` are further arguments of it."""
    middleware = [Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts)), Middleware(_Bounded)]
    looks: dict[str, Any] = {"primary_hue": "teal", "secondary_hue": "teal", "neutral_hue": "slate"}
    looks |= {"font": ("system-ui", "sans-serif"), "font_mono": ("monospace",)}  # nothing is fetched
    defaults: dict[str, Any] = {
        "theme": gr.themes.Base(**looks),
        "css": (files("change_it.space") / "page.css").read_text(encoding="utf-8"),
        "ssr_mode": False,
        "footer_links": ["api"],
        "max_file_size": 1,  # the page takes no files
        "app_kwargs": {"middleware": middleware},
    }
    return page.launch(**defaults | settings)
