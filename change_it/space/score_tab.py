"""The Score tab: a CSV of new headlines in, the table of systems, charts and files out; and the endpoint `/score`."""

from functools import partial
from pathlib import Path
from typing import Any, cast, get_args

import gradio as gr

from change_it.errors import InputError
from change_it.io import write_table
from change_it.report.charts import compliancy_drawings
from change_it.scoring.compliancy import Reversal
from change_it.scoring.systems import lead
from change_it.space import scored, view
from change_it.space.limits import LIMITS, friendly
from change_it.space.models import Models
from change_it.space.results import DRAWING, TURN, chosen_paths, figures, kept, notes
from change_it.space.transfer_tab import examples
from change_it.space.words import Words, say

_WORDS = 9  # of the example's second system


def build(words: Words, models: Models | None) -> gr.State:
    """The tab's components and events, inside its `gr.Tab`.

    Args:
        words: the page's texts.
        models: judges; without them the tab says that it needs some.

    Returns:
        System to its table of verdicts, for the Compare tab; empty until something was scored.
    """
    state = gr.State({}, time_to_live=3600)
    if models is None:
        words.tell(gr.Markdown(), value="score.no_models")
        return state
    words.tell(gr.Markdown(), value="score.intro")
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, min_width=300):
            file = words.tell(gr.File(height=150, elem_id="score-file"), label="score.file")
        with gr.Column(scale=5, min_width=300):
            reversal = words.tell(
                gr.Radio(list(get_args(Reversal)), value="relative", elem_id="score-reversal"),
                label="score.reversal",
                choices={name: f"score.{name}" for name in get_args(Reversal)},
            )
            with gr.Row():
                button = words.tell(gr.Button(variant="primary", elem_id="score"), value="score.button")
                example = words.tell(gr.Button(elem_id="score-example"), value="score.example")
    with words.tell(gr.Accordion(open=False), label="score.format_title"):
        form = gr.Markdown(_format(words.opening, models))
    status = gr.HTML(elem_id="score-status", padding=False)
    with gr.Column(visible=False) as results:
        table = words.tell(
            gr.Dataframe(interactive=False, max_height=900, elem_id="score-table"), label="score.table"
        )
        tests = words.tell(gr.Dataframe(interactive=False, elem_id="score-tests"), label="score.tests")
        charts = gr.HTML(padding=False)
        files = words.tell(
            gr.File(file_count="multiple", interactive=False, elem_id="score-files"), label="score.files"
        )
    outputs = [state, status, results, table, tests, charts, files]

    @friendly
    def asked(file: Any, reversal: str, language: str, progress: gr.Progress = gr.Progress()) -> list[Any]:  # noqa: B008
        tell = partial(say, language)
        try:
            found = _scored(models, file, reversal, tell, progress)
        except InputError as error:
            return [{}, view.notice(str(error)), gr.update(visible=False), *[None] * 4]
        with DRAWING:
            drawn = compliancy_drawings(found.scores)
            shown = figures(drawn, lambda name: tell(f"score.chart_{name}"))
            paths = kept(lambda folder: scored.write_results(folder, found, drawn))
        header, rows = scored.table_rows(found, tell)
        compared, pairs = scored.test_rows(found, tell)
        return [
            found.scores.items,
            notes(scored.remarks(found, tell), found.scores.signature),
            gr.update(visible=True),
            {"headers": header, "data": rows},
            gr.update(value={"headers": compared, "data": pairs}, visible=bool(pairs)),
            shown,
            paths,
        ]

    running: dict[str, Any] = {"inputs": [file, reversal, words.language], "outputs": outputs} | TURN
    button.click(asked, trigger_mode="once", api_visibility="private", **running)
    example.click(
        lambda: _example(models), outputs=file, queue=False, show_progress="hidden", api_visibility="private"
    ).then(asked, api_visibility="private", **running)
    words.language.change(
        lambda language: _format(language, models),
        words.language,
        form,
        show_progress="hidden",
        queue=False,
        api_visibility="private",
    )
    _endpoint(words, models)
    return state


def _scored(
    models: Models, file: Any, reversal: str, tell: scored.Say, progress: gr.Progress | None = None
) -> scored.Scored:
    """Read and score one file; the bar moves where there is one."""
    paths = chosen_paths(file)
    if not paths:
        raise InputError(tell("score.no_file"))
    if reversal not in get_args(Reversal):
        raise InputError(tell("score.unknown_reversal", known=", ".join(get_args(Reversal))))

    def moved(judge: str, share: float) -> None:
        if progress:
            done = judge == scored.STATISTICS
            progress(share, desc=tell("score.statistics") if done else tell("score.asking", judge=judge))

    if progress:
        progress(0, desc=tell("score.reading"))
    upload = scored.read_upload(paths[0], models.outlets, say=tell)
    return scored.score_upload(upload, models.judges, reversal=cast(Reversal, reversal), moved=moved)


def _endpoint(words: Words, models: Models) -> None:
    """The endpoint `/score`, documented by what is written here; its components are never shown."""

    @friendly
    def score(file: str, reversal: str = "relative", language: str = words.opening) -> tuple[Any, str]:
        found = _scored(models, file, reversal, partial(say, language))
        with DRAWING:
            [items, *_] = kept(lambda folder: scored.write_results(folder, found, []))
        return found.as_dict(), items

    hidden: dict[str, Any] = {"visible": False}
    gr.Button(**hidden).click(
        score,
        [
            gr.File(label="CSV file", **hidden),
            gr.Textbox("relative", label="reversal: relative or target", **hidden),
            gr.Textbox(words.opening, label="language of messages: it or en", **hidden),
        ],
        [gr.JSON(label="summary", **hidden), gr.File(label="items, CSV", **hidden)],
        api_name="score",
        api_description=(
            f"Scores a CSV file with the columns {', '.join(scored.COLUMNS)} and perhaps {', '.join(scored.OPTIONAL)}; "
            f"label is {' or '.join(models.outlets)}; at most {LIMITS.rows} rows and {LIMITS.systems} systems. Returns "
            "compliancy and overlap of every system and direction with 95% intervals, paired tests, the signature; and "
            "a CSV file with the verdicts on every item."
        ),
        **TURN,
    )


def _format(language: str, models: Models) -> str:
    """What a file looks like."""
    a, b = models.outlets
    return say(language, "score.format", a=a, b=b, rows=f"{LIMITS.rows:,}", systems=LIMITS.systems)


def _example(models: Models) -> str:
    """A file of two systems that need no model: the original headline, and the article's first words."""

    def write(folder: Path) -> list[Path]:
        rows = [[*scored.COLUMNS, "system"]]
        for number, one in enumerate(examples(models.language), start=1):
            known = [str(number), one["headline"], one["article"], models.outlets[one["outlet"]]]
            rows.append([*known, one["headline"], "copy"])
            rows.append([*known, lead(one["article"], _WORDS), "lead"])
        write_table(folder / "example.csv", rows[0], rows[1:])
        return [folder / "example.csv"]

    return kept(write)[0]
