"""The Headline quality tab: HEvAS on uploaded documents and systems; needs no judges."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from change_it.errors import InputError
from change_it.hevas.analysis import OVERALL, Analysis, analyse
from change_it.hevas.baseline_systems import BASELINES, baseline
from change_it.hevas.documents import Documents, System, clean_headline, worded
from change_it.hevas.evaluation import Evaluation, chosen_metrics, evaluate
from change_it.hevas.metrics import METRICS
from change_it.hevas.options import MetricOptions
from change_it.io import Predictions, headlines_of, write_table, write_text
from change_it.results.charts import HEVAS_CHARTS, Drawing, hevas_drawings
from change_it.results.pages import hevas_page
from change_it.results.score_tables import hevas_table, hevas_terminal_table, pairs_table
from change_it.scoring.systems import lead
from change_it.space.fragments import CHARTS_LOCK, chart_figures, grid, notes, notice
from change_it.space.limits import LIMITS, friendly
from change_it.space.models import Models
from change_it.space.transfer_tab import examples
from change_it.space.translation import Texts
from change_it.space.uploads import (
    TABLES_QUEUE,
    downloads,
    listed,
    read_lines,
    read_upload,
    refuse_lines,
    uploaded,
    write_charts,
)
from change_it.tables import Table, figure, p_value, records
from change_it.translation import LANGUAGES, Translate, number, translate

#: Columns of reference headlines, any number of them.
REFERENCES = ("headline", *(f"headline{number}" for number in range(1, 10)))
#: Metrics that are ticked at first: word vectors learnt from a few hundred documents say little.
USUAL = tuple(name for name in METRICS if METRICS[name].family != "embeddings")
#: HEvAS's two categories (section 3.5): metrics that a button ticks.
READABILITY = tuple(name for name in METRICS if METRICS[name].family in ("tags", "length"))
CATEGORIES = {
    "all": tuple(METRICS),
    "informativeness": tuple(name for name in METRICS if name not in READABILITY),
    "readability": READABILITY,
    "none": (),
}
#: What chooses the eigenvalues of LSI, after `MetricOptions`.
LSI_FILTERS = ("number", "ratio", "floor")

_TOPICS = 10
_NAME = 40  # letters of a system's name
_WORDS = (4, 9, 20)  # in a baseline's headline: fewest, usual, most

#: Called with what is being done and the share of all work that is done, 0-1.
Progress = Callable[[str, float], object]


@dataclass(frozen=True)
class Choice:
    """What to measure."""

    metrics: Sequence[str]
    """Of `METRICS`."""
    baselines: Sequence[str]
    """Of `BASELINES`, systems without a file."""
    language: str
    """Of documents and headlines, it or en."""
    n_words: int = 9
    """Words in a baseline's headline, at most."""
    lsi_filter: str = "number"
    """Of `LSI_FILTERS`."""
    lsi_value: float | None = None
    """What the filter keeps; None or 0: as many eigenvalues as usual."""


@dataclass(frozen=True)
class Measured:
    """Systems that were measured."""

    documents: Documents
    systems: tuple[System, ...]
    evaluation: Evaluation
    analysis: Analysis
    left_out: tuple[str, ...]
    """Metrics that were chosen and need reference headlines, which the documents lack."""


def build(texts: Texts, models: Models | None) -> None:
    """The tab's components and events, inside its `gr.Tab`; texts are at first taken to be in the models' language."""
    texts.add(gr.Markdown(), value="quality.intro")
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, min_width=300):
            documents = texts.add(gr.File(height=130, elem_id="quality-documents"), label="quality.documents")
        with gr.Column(scale=5, min_width=300):
            systems = texts.add(
                gr.File(file_count="multiple", height=130, elem_id="quality-systems"),
                label="quality.systems_files",
            )
    texts.add(gr.Markdown(elem_classes="ci-label"), value="quality.systems_info")
    with texts.add(gr.Accordion(open=False), label="quality.options"):
        metrics = texts.add(
            gr.CheckboxGroup(list(METRICS), value=list(USUAL), elem_id="quality-metrics"),
            label="quality.metrics",
        )
        with gr.Row():
            ticks = {
                name: texts.add(gr.Button(size="sm"), value=f"quality.metrics_{name}") for name in CATEGORIES
            }
        baselines = texts.add(
            gr.CheckboxGroup(list(BASELINES), value=["first", "random"], elem_id="quality-baselines"),
            label="quality.baselines",
            choices={name: f"quality.baseline_{name}" for name in BASELINES},
        )
        charts = texts.add(
            gr.CheckboxGroup(list(HEVAS_CHARTS), value=["interval"], elem_id="quality-charts"),
            label="quality.charts",
            choices={name: f"quality.chart_{name}" for name in HEVAS_CHARTS},
        )
        with gr.Row():
            known = models.language if models and models.language in LANGUAGES else "it"
            language = texts.add(
                gr.Radio(list(LANGUAGES), value=known, elem_id="quality-language"),
                label="quality.language",
                choices={"it": "quality.italian", "en": "quality.english"},
            )
            fewest, usual, most = _WORDS
            n_words = texts.add(gr.Slider(fewest, most, value=usual, step=1), label="quality.n_words")
        with gr.Row():
            lsi_filter = texts.add(
                gr.Radio(list(LSI_FILTERS), value="number", elem_id="quality-lsi"),
                label="quality.lsi_filter",
                choices={name: f"quality.lsi_{name}" for name in LSI_FILTERS},
            )
            lsi_value = texts.add(
                gr.Number(value=0, minimum=0, elem_id="quality-lsi-value"), label="quality.lsi_value"
            )
    with gr.Row():
        button = texts.add(gr.Button(variant="primary", elem_id="quality"), value="quality.button")
        example = texts.add(gr.Button(elem_id="quality-example"), value="quality.example")
    status = gr.HTML(elem_id="quality-status", padding=False)
    state = gr.State(None, time_to_live=3600)
    with gr.Column(visible=False) as results:
        means = texts.add(
            gr.Dataframe(interactive=False, max_height=900, elem_id="quality-means"), label="quality.table"
        )
        figures = gr.HTML(padding=False)
        metric = texts.add(gr.Dropdown([], elem_id="quality-test"), label="quality.test_metric")
        tests = texts.add(gr.Dataframe(interactive=False, elem_id="quality-tests"), label="quality.tests")
        tests_notes = gr.HTML(padding=False)
        files = texts.add(
            gr.File(file_count="multiple", interactive=False, elem_id="quality-files"), label="quality.files"
        )

    @friendly
    def on_measure(
        documents: Any,
        systems: Any,
        metrics: Any,
        baselines: Any,
        charts: Any,
        language: str,
        n_words: int,
        lsi_filter: str,
        lsi_value: float | None,
        page_language: str,
        progress: gr.Progress = gr.Progress(),  # noqa: B008
    ) -> list[Any]:
        in_language = partial(translate, page_language)

        def show_progress(what: str, share: float) -> None:
            progress(share, desc=what)

        choice = Choice(metrics, baselines, language, int(n_words), lsi_filter, lsi_value)
        try:
            found = measure_upload(documents, systems, choice, in_language, show_progress)
        except InputError as error:
            return [None, gr.update(visible=False), notice(str(error)), *[None] * 6]
        with CHARTS_LOCK:
            drawings = hevas_drawings(found.evaluation, found.analysis, charts)
            paths = downloads(lambda folder: write_results(folder, found, drawings, page_language))
            tested = next(iter(found.analysis.comparisons))
            updates = shown(found, drawings, tested, page_language)
        return [found, gr.update(visible=True), *updates, paths]

    def on_language(found: Measured | None, charts: Any, tested: str, page_language: str) -> list[Any]:
        if found is None:
            return [gr.skip()] * 6
        with CHARTS_LOCK:
            drawings = hevas_drawings(found.evaluation, found.analysis, charts)
            return shown(found, drawings, tested, page_language)

    def shown(found: Measured, drawings: Sequence[Drawing], tested: str, page_language: str) -> list[Any]:
        in_language = partial(translate, page_language)
        drawn = chart_figures(
            drawings, page_language, lambda name: in_language(f"quality.chart_{name}"), wide=True
        )
        named = [
            (in_language("quality.average") if name == OVERALL else name, name)
            for name in found.analysis.comparisons
        ]
        return [
            notes(remarks(found, in_language), found.evaluation.signature),
            grid(means_table(found, in_language), page_language, metric=in_language("quality.metric")),
            drawn,
            gr.update(choices=named, value=tested),
            *tests_by(found, tested, page_language),
        ]

    @friendly
    def on_metric(found: Measured | None, metric: str, page_language: str) -> tuple[Any, Any]:
        if found is None or metric not in found.analysis.comparisons:
            return gr.skip(), gr.skip()
        return tests_by(found, metric, page_language)

    outputs = [status, means, figures, metric, tests, tests_notes]
    running: dict[str, Any] = {
        "inputs": [
            *(documents, systems, metrics, baselines, charts, language, n_words, lsi_filter, lsi_value),
            texts.language,
        ],
        "outputs": [state, results, *outputs, files],
        "api_visibility": "private",
        **TABLES_QUEUE,
    }
    quiet: dict[str, Any] = {"show_progress": "hidden", "queue": False, "api_visibility": "private"}
    button.click(on_measure, trigger_mode="once", **running)
    example.click(_example, language, [documents, systems], **quiet).then(on_measure, **running)
    for name, tick in ticks.items():
        tick.click(partial(list, CATEGORIES[name]), outputs=metrics, **quiet)
    metric.input(on_metric, [state, metric, texts.language], [tests, tests_notes], **quiet)
    texts.language.change(on_language, [state, charts, metric, texts.language], outputs, **quiet)


def measure_upload(
    documents: Any, systems: Any, choice: Choice, translate: Translate, progress: Progress
) -> Measured:
    """Read and measure what was uploaded; see `measure`."""
    paths = uploaded(documents)
    if not paths:
        raise InputError(translate("quality.no_file"))
    progress(translate("quality.reading"), 0)
    texts = read_documents(paths[0], translate=translate)
    headlines = read_systems(uploaded(systems), texts, translate=translate)
    return measure(texts, headlines, choice, translate=translate, progress=progress)


def read_documents(path: Path, *, translate: Translate) -> Documents:
    """Uploaded documents: a table with the column article, perhaps id and the columns of `REFERENCES`."""
    rows = read_upload(path, ["article"], ["id", *REFERENCES], translate=translate)
    ids = [row.cells.get("id") or str(number) for number, row in enumerate(rows, start=1)]
    texts = [unicodedata.normalize("NFC", row.cells["article"]) for row in rows]
    named = [name for name in REFERENCES if name in rows[0].cells]
    several = [tuple(filter(worded, (clean_headline(row.cells[name]) for name in named))) for row in rows]
    counts = Counter(ids)
    wrong = {
        translate("quality.fault_empty"): [not worded(text) for text in texts],
        translate("quality.fault_double"): [counts[id_] > 1 for id_ in ids],
        translate("quality.fault_reference"): [bool(named) and not found for found in several],
        translate("quality.fault_long", most=LIMITS.article): [len(text) > LIMITS.article for text in texts],
        translate("quality.fault_long_headline", most=LIMITS.headline): [
            any(len(text) > LIMITS.headline for text in found) for found in several
        ],
    }
    faults = (
        (what, [row.line for row, yes in zip(rows, flags, strict=True) if yes])
        for what, flags in wrong.items()
    )
    refuse_lines(path, faults, translate)
    return Documents(tuple(ids), tuple(texts), tuple(several) if named else None, path.name)


def read_systems(paths: Sequence[Path], documents: Documents, *, translate: Translate) -> list[System]:
    """The uploaded headlines of any number of systems, called like their files.

    A file is text with one headline a line, in the documents' order, or a table with the column headline and perhaps id. The
    headline of a row with an `error` is empty, as `change-it transfer` writes it.
    """
    if len(paths) > LIMITS.systems:
        raise InputError(translate("quality.systems", most=LIMITS.systems, found=len(paths)))
    systems: list[System] = []
    for path in paths:
        taken = {*BASELINES, *(system.name.lower() for system in systems)}
        systems.append(System(_name(path, taken), _headlines(path, documents, translate)))
    return systems


def _name(path: Path, taken: set[str]) -> str:
    """A system's name from its file's, unlike all others and fit for a file itself."""
    name = re.sub(r"[^\w.+-]+", "-", path.stem).strip("-.")[:_NAME] or "system"
    tries = [name, *(f"{name}-{number}" for number in range(2, len(taken) + 3))]
    return next(one for one in tries if one.lower() not in taken)


def _headlines(path: Path, documents: Documents, translate: Translate) -> tuple[str, ...]:
    """(n,) headlines in the order of the documents."""
    if path.suffix.lower() == ".txt":
        rows = [{"headline": line} for line in read_lines(path, translate=translate)]
    else:
        rows = [row.cells for row in read_upload(path, ["headline"], ["id", "error"], translate=translate)]
    headlines = headlines_of(rows, clean_headline)
    if long := [str(number) for number, text in enumerate(headlines, 1) if len(text) > LIMITS.headline]:
        fault = translate("quality.fault_long_headline", most=LIMITS.headline)
        raise InputError(
            translate("quality.unfit", file=path.name, faults=f"{fault} ({listed(long, translate)})")
        )
    if "id" not in rows[0]:
        if len(headlines) != len(documents):
            numbers = {"found": len(headlines), "wanted": len(documents)}
            raise InputError(translate("quality.number", file=path.name, **numbers))
        return tuple(headlines)
    found = Predictions.match([cells["id"] for cells in rows], headlines, documents.ids)
    unfit = {"quality.ids_missing": found.missing, "quality.ids_other": found.foreign}
    faults = [translate(key, count=len(ids), ids=listed(ids, translate)) for key, ids in unfit.items() if ids]
    if found.double:
        faults.append(translate("quality.ids_double"))
    if faults:
        raise InputError(translate("quality.unfit", file=path.name, faults="; ".join(faults)))
    return tuple(found.headlines.values())


def measure(
    documents: Documents,
    systems: Sequence[System],
    choice: Choice,
    *,
    translate: Translate,
    progress: Progress = lambda what, share: None,
) -> Measured:
    """Measure systems and baselines with HEvAS.

    Metrics that need references are left out where there are none; LDA has as many topics as there are documents, ten at most.

    Raises:
        InputError: no system or no metric is left, or the texts do not suffice for a metric.
    """
    wanted = [name for name in METRICS if name in choice.metrics]
    left_out = [name for name in wanted if METRICS[name].references and documents.references is None]
    metrics = [name for name in wanted if name not in left_out]
    if not metrics:
        raise InputError(translate("quality.no_metric_left" if left_out else "quality.no_metric"))
    if not systems and not choice.baselines:
        raise InputError(translate("quality.no_system"))
    families = {METRICS[name].family for name in metrics}
    steps = len(choice.baselines) + len(families) + len(("statistics", "drawing"))
    begun: dict[str, int] = {}  # step to its number

    def begin(step: str) -> None:
        progress(step, begun.setdefault(step, len(begun)) / steps)

    def begin_family(what: str, done: int, total: int) -> None:
        family = what.partition(":")[0]
        if family in families:
            begin(family)

    found = list(systems)
    for name in choice.baselines:
        begin(name)
        headlines = baseline(name, documents.texts, n_words=choice.n_words, language=choice.language)
        found.append(System(name, tuple(headlines)))
    options = MetricOptions(
        language=choice.language, topics=min(_TOPICS, len(documents)), **lsi_options(choice, translate)
    )
    evaluation = evaluate(
        documents, found, metrics=chosen_metrics(metrics), options=options, progress=begin_family
    )
    begin(translate("quality.statistics"))
    analysis = analyse(evaluation)
    begin(translate("quality.drawing"))
    return Measured(documents, tuple(found), evaluation, analysis, tuple(left_out))


def lsi_options(choice: Choice, translate: Translate) -> dict[str, Any]:
    """The filter of LSI's eigenvalues, as `MetricOptions` has it.

    Raises:
        InputError: a value out of the filter's range.
    """
    value = choice.lsi_value
    if not value:
        return {}
    number, share = choice.lsi_filter == "number", choice.lsi_filter == "ratio"
    if value < 0 or (number and value != int(value)) or (share and value > 1):
        raise InputError(translate("quality.lsi_fault"))
    return {f"lsi_{choice.lsi_filter}": int(value) if number else value}


def means_table(found: Measured, translate: Translate) -> Table:
    """The means: a row a metric, a column a system, the best average first."""
    table = hevas_terminal_table(found.evaluation)
    average = {"metric": translate("quality.average")}
    rows = (
        replace(row, values={**row.values, **average}) if row.values["metric"] == OVERALL else row
        for row in table.rows
    )
    return replace(table, rows=tuple(rows))


def tests_by(found: Measured, metric: str, language: str) -> tuple[Any, Any]:
    """Updates of the table of tests by one metric and of the notes below it."""
    in_language = partial(translate, language)
    comparison = found.analysis.comparisons[metric]
    titles = {
        "systems": "quality.pair",
        "difference": "quality.difference",
        "rank_sum_p": "quality.rank_sum",
        "p": "quality.signed_rank",
        "rank_biserial": "quality.effect",
    }
    headings = {name: in_language(key) for name, key in titles.items()}
    table = grid(pairs_table(comparison), language, **headings)
    sentences = [friedman(found, metric, language), in_language("quality.tests_note")]
    shown = notes([sentence for sentence in sentences if sentence]) if table["data"] else notes([])
    return gr.update(value=table, visible=bool(table["data"])), shown


def friedman(found: Measured, metric: str, language: str) -> str:
    """Friedman's test of one metric in a sentence; empty for fewer than three systems."""
    test = found.analysis.comparisons[metric].friedman
    if not test:
        return ""
    p = p_value(test.p)
    return translate(
        language,
        "quality.friedman",
        statistic=number(language, f"{test.statistic:.2f}"),
        p=number(language, p if p.startswith("<") else f"= {p}"),
        w=number(language, figure(test.kendall_w)),
    )


def remarks(found: Measured, translate: Translate) -> list[str]:
    """A sentence for each system with empty headlines, and one for the metrics that were left out."""
    n = len(found.documents)
    empty = found.evaluation.empty_headlines
    sentences = [
        translate("quality.empty", system=system, count=count, n=n)
        for system, count in empty.items()
        if count
    ]
    if found.left_out:
        sentences.append(translate("quality.left_out", metrics=", ".join(found.left_out)))
    return sentences


def write_results(folder: Path, found: Measured, drawings: Sequence[Drawing], language: str) -> list[Path]:
    """Write `report.html`, `summary.csv`, `items.csv` with the values of every headline, and a PNG for each chart."""
    evaluation = found.evaluation
    report, table, items = (folder / name for name in ("report.html", "summary.csv", "items.csv"))
    write_text(report, hevas_page(found.documents, evaluation, found.analysis, drawings, language=language))
    write_table(table, *records(hevas_table(evaluation)), quote_formulas=True)
    rows = (
        [system.name, id_, headline, *values]
        for system in found.systems
        for id_, headline, values in zip(
            evaluation.ids, system.headlines, evaluation.values[system.name].tolist(), strict=True
        )
    )
    write_table(items, ["system", "id", "headline", *evaluation.metrics], rows, quote_formulas=True)
    return [report, table, items, *write_charts(folder, drawings)]


def _example(language: str) -> list[Any]:
    """Files of documents with references, and of a system that takes the article's first words."""
    known = list(enumerate(examples(language), start=1))

    def write(folder: Path) -> list[Path]:
        documents, system = folder / "documents.csv", folder / "lead.csv"
        rows = [[str(n), one["article"], one["headline"]] for n, one in known]
        write_table(documents, ["id", "article", "headline"], rows)
        write_table(
            system, ["id", "headline"], [[str(n), lead(one["article"], _WORDS[1])] for n, one in known]
        )
        return [documents, system]

    documents, system = downloads(write)
    return [documents, [system]]
