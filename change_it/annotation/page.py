"""The page of `change-it annotate serve`: it asks one question at a time, by buttons and by the keys 1 to 5."""

from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any

import gradio as gr
from markupsafe import escape

from change_it.annotation.answers import Answers
from change_it.annotation.sheets import QUESTIONS, SheetRow
from change_it.errors import InputError
from change_it.translation import Language, translate

CSS = """
.gradio-container { max-width: 44rem !important; margin: 0 auto; }
.ca-headline { font-size: 1.45rem; line-height: 1.4; font-weight: 600; min-height: 6rem; margin: .5rem 0; overflow-wrap: anywhere; }
.ca-article { max-height: 14rem; overflow-y: auto; border: 1px solid var(--border-color-primary); border-radius: var(--radius-lg); padding: .6rem .8rem; }
.ca-question { margin: .6rem 0 0; }
.ca-progress { display: flex; gap: .6rem; align-items: center; font-size: var(--text-sm); color: var(--body-text-color-subdued); }
.ca-progress > div { flex: 1; height: .5rem; border-radius: 999px; background: var(--border-color-primary); overflow: hidden; }
.ca-progress > div > div { height: 100%; background: var(--color-accent); }
.ca-choices { flex-wrap: nowrap !important; gap: .5rem !important; }
.ca-choices button { min-width: 0 !important; min-height: 3.5rem; font-size: 1.1rem; overflow-wrap: anywhere; white-space: normal; }
@media (hover: none) { .ca-keys { display: none; } }
"""
#: Keys press the buttons that are shown, unless somebody is writing.
KEYS = """() => document.addEventListener("keydown", (event) => {
  if (event.repeat || event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input, textarea")) return;
  const button = document.getElementById("choice-" + event.key);
  if (button && button.offsetParent) { event.preventDefault(); button.click(); }
})"""
_MOST = max(QUESTIONS.values())


def build(
    rows: Sequence[SheetRow], questions: Sequence[str], answers: Answers, language: Language
) -> gr.Blocks:
    """The page over a sheet; what it asks next is found in the files of the answers, so a reload loses nothing."""
    text = partial(translate, language)
    steps = [(row, question) for row in rows for question in questions]
    numbers = {f"{row.item}:{question}": at for at, (row, question) in enumerate(steps)}

    def unanswered(name: str, after: int) -> int | None:
        """The next step without an answer, those before `after` last; None when all have one."""
        given = answers.read(name)
        order = [*range(after, len(steps)), *range(after)]
        return next((at for at in order if steps[at][1] not in given.get(steps[at][0].item, {})), None)

    def view(name: str, at: int | None) -> list[Any]:
        """What the components of `shown` show next."""
        given = answers.read(name)
        done = sum(all(question in given.get(row.item, {}) for question in questions) for row in rows)
        progress = (
            f'<div class="ca-progress"><div><div style="width: {100 * done / len(rows):.1f}%"></div></div>'
            f"<span>{text('study.progress', done=done, count=len(rows))}</span></div>"
        )
        above = [gr.update(visible=False), gr.update(visible=True), progress]
        if at is None:
            thanks = text("study.finished", name=name.strip(), count=len(rows))
            headline = f'<p class="ca-headline" role="status" data-step="">{escape(thanks)}</p>'
            return [*above, headline, *[gr.update(visible=False)] * _MOST, "", name]
        row, question = steps[at]
        article, labels = "", [row.choice1, row.choice2]
        if question != "answer":
            article = f'<div class="ca-article" tabindex="0">{escape(row.article)}</div>'
            labels = [str(n) for n in range(1, QUESTIONS[question] + 1)]
        keys = ", ".join(map(str, range(1, len(labels) + 1)))
        body = (
            f'<p class="ca-headline" data-step="{at}">{escape(row.headline)}</p>{article}'
            f'<p class="ca-question">{escape(text(f"study.{question}"))} '
            f'<small class="ca-keys">{escape(text("study.keys", keys=keys))}</small></p>'
        )
        buttons = [gr.update(value=label, visible=True) for label in labels]
        buttons += [gr.update(visible=False)] * (_MOST - len(labels))
        return [*above, body, *buttons, f"{row.item}:{question}", name]

    @_in_a_sentence
    def on_start(name: str | None) -> list[Any]:
        return view(name or "", unanswered(name or "", 0))

    def on_choice(value: int) -> Callable[[str | None, str | None], list[Any]]:
        @_in_a_sentence
        def choose(current: str | None, name: str | None) -> list[Any]:
            name, at = name or "", numbers.get(current or "")
            if at is None:
                raise InputError("the sheet has no such question: load the page again")
            row, question = steps[at]
            if value > QUESTIONS[question]:
                raise InputError(text(f"study.{question}"))
            answers.add(name, row.item, question, value)
            return view(name, unanswered(name, at + 1))

        return choose

    @_in_a_sentence
    def on_back(current: str | None, name: str | None) -> list[Any]:
        return view(name or "", max(0, numbers.get(current or "", len(steps)) - 1))

    with gr.Blocks(title=text("study.title"), analytics_enabled=False) as page:
        with gr.Column() as first:
            gr.Markdown(f"# {text('study.title')}\n\n{text('study.intro', count=len(rows))}")
            name = gr.Textbox(label=text("study.name"), max_length=40, elem_id="name")
            start = gr.Button(text("study.start"), variant="primary", elem_id="start")
        with gr.Column(visible=False) as questioned:
            progress = gr.HTML(padding=False, elem_id="progress")
            headline = gr.HTML(padding=False, elem_id="headline")
            with gr.Row(elem_classes="ca-choices"):
                buttons = [gr.Button(elem_id=f"choice-{n}", min_width=40) for n in range(1, _MOST + 1)]
            back = gr.Button(text("study.back"), size="sm", elem_id="back")
        # What is on the screen when a button is pressed is sent with it, so a late answer goes to its own headline.
        current, person = gr.Textbox(visible=False), gr.Textbox(visible=False)
        shown = [first, questioned, progress, headline, *buttons, current, person]
        quiet: dict[str, Any] = {
            "outputs": shown,
            "queue": False,
            "show_progress": "hidden",
            "trigger_mode": "multiple",  # a second press answers the same headline
            "api_visibility": "private",
        }
        gr.on([start.click, name.submit], on_start, name, **quiet)
        for value, button in enumerate(buttons, start=1):
            button.click(on_choice(value), [current, person], **quiet)
        back.click(on_back, [current, person], **quiet)
        page.load(None, js=KEYS)
        page.load(None, js=f"() => {{ document.documentElement.lang = '{language}'; }}")
    return page


def _in_a_sentence(handler: Callable[..., Any]) -> Callable[..., Any]:
    """A handler whose bad input and faults of the disk are shown as a sentence; nothing is lost, the question stays."""

    @wraps(handler)
    def wrapped(*values: Any) -> Any:
        try:
            return handler(*values)
        except InputError as error:
            raise gr.Error(str(escape(str(error))), print_exception=False) from error

    return wrapped
