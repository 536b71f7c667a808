"""The Headline quality tab: HEvAS on uploaded documents and systems; needs no judges."""

from functools import partial
from pathlib import Path
from typing import Any, get_args

import gradio as gr

from change_it.errors import InputError
from change_it.hevas.baselines import BASELINES
from change_it.hevas.metrics import METRICS
from change_it.io import write_table
from change_it.report.charts import HEVAS_CHARTS, hevas_drawings
from change_it.scoring.systems import lead
from change_it.space import measured, view
from change_it.space.limits import friendly
from change_it.space.models import Models
from change_it.space.options import Language
from change_it.space.results import DRAWING, TURN, chosen_paths, figures, kept, notes
from change_it.space.transfer_tab import examples
from change_it.space.words import Words, say

_CHART = "interval"  # that is ticked at first
_WORDS = (4, 9, 20)  # in a baseline's headline: fewest, usual, most


def build(words: Words, models: Models | None) -> None:
    """The tab's components and events, inside its `gr.Tab`.

    Args:
        words: the page's texts.
        models: their language is the one in which texts are taken to be at first.
    """
    words.tell(gr.Markdown(), value="quality.intro")
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, min_width=300):
            documents = words.tell(
                gr.File(height=130, elem_id="quality-documents"), label="quality.documents"
            )
        with gr.Column(scale=5, min_width=300):
            systems = words.tell(
                gr.File(file_count="multiple", height=130, elem_id="quality-systems"),
                label="quality.systems_files",
            )
    words.tell(gr.Markdown(elem_classes="ci-label"), value="quality.systems_info")
    with words.tell(gr.Accordion(open=False), label="quality.options"):
        metrics = words.tell(
            gr.CheckboxGroup(list(METRICS), value=list(measured.USUAL), elem_id="quality-metrics"),
            label="quality.metrics",
        )
        with gr.Row():
            everything = words.tell(gr.Button(size="sm"), value="quality.metrics_all")
            nothing = words.tell(gr.Button(size="sm"), value="quality.metrics_none")
        baselines = words.tell(
            gr.CheckboxGroup(list(BASELINES), value=["first", "random"], elem_id="quality-baselines"),
            label="quality.baselines",
            choices={name: f"quality.baseline_{name}" for name in BASELINES},
        )
        charts = words.tell(
            gr.CheckboxGroup(list(HEVAS_CHARTS), value=[_CHART], elem_id="quality-charts"),
            label="quality.charts",
            choices={name: f"quality.chart_{name}" for name in HEVAS_CHARTS},
        )
        with gr.Row():
            language = words.tell(
                gr.Radio(
                    list(get_args(Language)),
                    value=models.language if models else "it",
                    elem_id="quality-language",
                ),
                label="quality.language",
                choices={"it": "quality.italian", "en": "quality.english"},
            )
            fewest, usual, most = _WORDS
            n_words = words.tell(gr.Slider(fewest, most, value=usual, step=1), label="quality.n_words")
    with gr.Row():
        button = words.tell(gr.Button(variant="primary", elem_id="quality"), value="quality.button")
        example = words.tell(gr.Button(elem_id="quality-example"), value="quality.example")
    status = gr.HTML(elem_id="quality-status", padding=False)
    state = gr.State(None, time_to_live=3600)
    with gr.Column(visible=False) as results:
        means = words.tell(
            gr.Dataframe(interactive=False, max_height=900, elem_id="quality-means"), label="quality.table"
        )
        drawn = gr.HTML(padding=False)
        metric = words.tell(gr.Dropdown([], elem_id="quality-test"), label="quality.test_metric")
        tests = words.tell(gr.Dataframe(interactive=False, elem_id="quality-tests"), label="quality.tests")
        tested = gr.HTML(padding=False)
        files = words.tell(
            gr.File(file_count="multiple", interactive=False, elem_id="quality-files"), label="quality.files"
        )

    @friendly
    def asked(
        documents: Any,
        systems: Any,
        metrics: Any,
        baselines: Any,
        charts: Any,
        language: str,
        n_words: int,
        spoken: str,
        progress: gr.Progress = gr.Progress(),  # noqa: B008
    ) -> list[Any]:
        tell = partial(say, spoken)
        choice = measured.Choice(metrics, baselines, charts, language, int(n_words))
        try:
            found = _measured(chosen_paths(documents), chosen_paths(systems), choice, tell, progress)
        except InputError as error:
            return [None, view.notice(str(error)), gr.update(visible=False), *[None] * 6]
        with DRAWING:
            made = hevas_drawings(found.evaluation, found.analysis, charts)
            shown = figures(made, lambda name: tell(f"quality.chart_{name}"), wide=True)
            paths = kept(lambda folder: measured.write_results(folder, found, made))
        header, rows = measured.means_rows(found, tell)
        first = found.tests[0]
        return [
            found,
            notes(measured.remarks(found, tell), found.evaluation.signature),
            gr.update(visible=True),
            {"headers": header, "data": rows},
            shown,
            gr.update(choices=found.tests, value=first),
            *_tests(found, first, tell),
            paths,
        ]

    inputs = [documents, systems, metrics, baselines, charts, language, n_words, words.language]
    outputs = [state, status, results, means, drawn, metric, tests, tested, files]
    running: dict[str, Any] = {"inputs": inputs, "outputs": outputs, "api_visibility": "private"} | TURN
    quiet: dict[str, Any] = {"show_progress": "hidden", "queue": False, "api_visibility": "private"}
    button.click(asked, trigger_mode="once", **running)
    example.click(_example, language, [documents, systems], **quiet).then(asked, **running)
    everything.click(lambda: list(METRICS), outputs=metrics, **quiet)
    nothing.click(list, outputs=metrics, **quiet)

    @friendly
    def told(found: measured.Measured | None, metric: str, spoken: str) -> tuple[Any, Any]:
        if found is None or metric not in found.tests:
            return gr.skip(), gr.skip()
        return _tests(found, metric, partial(say, spoken))

    metric.input(told, [state, metric, words.language], [tests, tested], **quiet)


def _measured(
    documents: list[Path],
    systems: list[Path],
    choice: measured.Choice,
    tell: measured.Say,
    progress: gr.Progress,
) -> measured.Measured:
    """Read and measure what was uploaded; the bar moves."""
    if not documents:
        raise InputError(tell("quality.no_file"))
    progress(0, desc=tell("quality.reading"))
    texts = measured.read_documents(documents[0], say=tell)
    headlines = measured.read_systems(systems, texts, say=tell)
    return measured.measure(
        texts, headlines, choice, say=tell, moved=lambda what, share: progress(share, desc=what)
    )


def _tests(found: measured.Measured, metric: str, tell: measured.Say) -> tuple[Any, Any]:
    """The table of tests by one metric, and what to know of it."""
    header, rows = measured.test_rows(found, metric, tell)
    told = [measured.friedman_told(found, metric, tell), tell("quality.tests_note")] if rows else []
    table = gr.update(value={"headers": header, "data": rows}, visible=bool(rows))
    return table, notes([sentence for sentence in told if sentence])


def _example(language: str) -> list[Any]:
    """Files of documents with references, and of a system that takes the article's first words."""
    known = examples(language)

    def write(folder: Path) -> list[Path]:
        tables: dict[str, list[list[str]]] = {
            "documents.csv": [
                ["id", "article", "headline"],
                *([str(n), one["article"], one["headline"]] for n, one in enumerate(known, start=1)),
            ],
            "lead.csv": [
                ["id", "headline"],
                *([str(n), lead(one["article"], _WORDS[1])] for n, one in enumerate(known, start=1)),
            ],
        }
        for name, (header, *rows) in tables.items():
            write_table(folder / name, header, rows)
        return [folder / name for name in tables]

    documents, system = kept(write)
    return [documents, [system]]
