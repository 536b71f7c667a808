"""The Headline quality tab: HEvAS on uploaded documents and systems; needs no judges."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr
from markupsafe import Markup

from change_it.errors import InputError
from change_it.hevas.analysis import Analysis, analyse
from change_it.hevas.baseline_systems import BASELINES, baseline
from change_it.hevas.documents import Documents, System, clean_headline, worded
from change_it.hevas.evaluation import Evaluation, chosen_metrics, evaluate
from change_it.hevas.metric_options import MetricOptions
from change_it.hevas.metrics import METRICS
from change_it.io import Predictions, headlines_of, write_table, write_text
from change_it.results.charts import HEVAS_CHARTS, HEVAS_TITLES, Drawing, hevas_drawings
from change_it.results.pages import comparisons, hevas_page, means_table
from change_it.results.score_tables import hevas_remarks, hevas_table
from change_it.scoring.systems import lead
from change_it.space.examples import examples
from change_it.space.fragments import render
from change_it.space.limits import LIMITS
from change_it.space.models import Models
from change_it.space.upload_tab import Progress, UploadTab, add_results, buttons
from change_it.space.uploads import downloads, listed, read_lines, read_upload, refuse_lines, uploaded
from change_it.tables import records
from change_it.translation import LANGUAGES, Joined, Message, Texts, localized

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


@dataclass(frozen=True)
class Choice:
    """What to measure."""

    metrics: Sequence[str]
    """Of `METRICS`."""
    baselines: Sequence[str]
    """Of `BASELINES`, systems without a file."""
    charts: Sequence[str] = ()
    """Of `HEVAS_CHARTS`."""
    language: str = "it"
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
    charts: tuple[str, ...] = ()
    """Of `HEVAS_CHARTS`, those to draw."""


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
        metrics = _metrics(texts)
        others, language = _options(texts, models)
    with gr.Row():
        pressed = buttons(texts, "quality")
    tab = UploadTab("quality", measure=_measure, draw=_draw, show=measured_html, write=write_results)
    example = {"fn": _example, "inputs": language, "outputs": [documents, systems]}
    add_results(texts, tab, pressed, [documents, systems, metrics, *others], example)


def _metrics(texts: Texts) -> gr.CheckboxGroup:
    """The metrics, with a button for each of HEvAS's categories."""
    metrics = texts.add(
        gr.CheckboxGroup(list(METRICS), value=list(USUAL), elem_id="quality-metrics"),
        label="quality.metrics",
    )
    with gr.Row():
        for name, names in CATEGORIES.items():
            texts.add(gr.Button(size="sm"), value=f"quality.metrics_{name}").click(
                partial(list, names),
                outputs=metrics,
                show_progress="hidden",
                queue=False,
                api_visibility="private",
            )
    return metrics


def _options(texts: Texts, models: Models | None) -> tuple[list[Any], gr.Radio]:
    """The components for all fields of `Choice` but the metrics, in their order; and that of the language."""

    def titles(language: str) -> list[tuple[str, str]]:
        return [(localized(language, HEVAS_TITLES[name][0]), name) for name in HEVAS_CHARTS]

    baselines = texts.add(
        gr.CheckboxGroup(list(BASELINES), value=["first", "random"], elem_id="quality-baselines"),
        label="quality.baselines",
        choices={name: f"quality.baseline_{name}" for name in BASELINES},
    )
    charts = texts.add(
        gr.CheckboxGroup(list(HEVAS_CHARTS), value=["interval"], elem_id="quality-charts"),
        label="hevas.charts",
        choices=titles,
    )
    with gr.Row():
        chosen = models.language if models and models.language in LANGUAGES else "it"
        language = texts.add(
            gr.Radio(list(LANGUAGES), value=chosen, elem_id="quality-language"),
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
    return [baselines, charts, language, n_words, lsi_filter, lsi_value], language


def _measure(inputs: Sequence[Any], progress: Progress) -> Measured:
    documents, systems, *choice = inputs
    return measure_upload(documents, systems, Choice(*choice), progress)


def _draw(measured: Measured) -> list[Drawing]:
    return hevas_drawings(measured.evaluation, measured.analysis, measured.charts)


def measure_upload(documents: object, systems: object, choice: Choice, progress: Progress) -> Measured:
    """Read and measure what was uploaded; see `measure`."""
    paths = uploaded(documents)
    if not paths:
        raise InputError(Message("quality.no_file"))
    progress(Message("uploads.reading"), 0)
    texts = read_uploaded_documents(paths[0])
    headlines = read_uploaded_systems(uploaded(systems), texts)
    return measure(texts, headlines, choice, progress=progress)


def read_uploaded_documents(path: Path) -> Documents:
    """Uploaded documents: a table with the column article, perhaps id and the columns of `REFERENCES`."""
    rows = read_upload(path, ["article"], ["id", *REFERENCES])
    ids = [row.cells.get("id") or str(number) for number, row in enumerate(rows, start=1)]
    texts = [unicodedata.normalize("NFC", row.cells["article"]) for row in rows]
    named = [name for name in REFERENCES if name in rows[0].cells]
    references_of = [
        tuple(filter(worded, (clean_headline(row.cells[name]) for name in named))) for row in rows
    ]
    counts = Counter(ids)
    wrong = {
        Message("quality.fault_empty"): [not worded(text) for text in texts],
        Message("quality.fault_double"): [counts[id_] > 1 for id_ in ids],
        Message("quality.fault_reference"): [bool(named) and not references for references in references_of],
        Message("quality.fault_long", most=LIMITS.article): [len(text) > LIMITS.article for text in texts],
        Message("quality.fault_long_headline", most=LIMITS.headline): [
            any(len(text) > LIMITS.headline for text in references) for references in references_of
        ],
    }
    faults = (
        (what, [row.line for row, yes in zip(rows, flags, strict=True) if yes])
        for what, flags in wrong.items()
    )
    refuse_lines(path, faults)
    return Documents(tuple(ids), tuple(texts), tuple(references_of) if named else None, path.name)


def read_uploaded_systems(paths: Sequence[Path], documents: Documents) -> list[System]:
    """The uploaded headlines of any number of systems, called like their files.

    A file is text with one headline a line, in the documents' order, or a table with the column headline and perhaps id. The
    headline of a row with an `error` is empty, as `change-it transfer` writes it.
    """
    if len(paths) > LIMITS.systems:
        raise InputError(Message("uploads.systems", most=LIMITS.systems, found=len(paths)))
    systems: list[System] = []
    for path in paths:
        taken = {*BASELINES, *(system.name.lower() for system in systems)}
        systems.append(System(_name(path, taken), _headlines(path, documents)))
    return systems


def _name(path: Path, taken: set[str]) -> str:
    """A system's name from its file's, unlike all others and fit for a file itself."""
    name = re.sub(r"[^\w.+-]+", "-", path.stem).strip("-.")[:_NAME] or "system"
    tries = [name, *(f"{name}-{number}" for number in range(2, len(taken) + 3))]
    return next(candidate for candidate in tries if candidate.lower() not in taken)


def _headlines(path: Path, documents: Documents) -> tuple[str, ...]:
    """(n,) headlines in the order of the documents."""
    if path.suffix.lower() == ".txt":
        rows = [{"headline": line} for line in read_lines(path)]
    else:
        rows = [row.cells for row in read_upload(path, ["headline"], ["id", "error"])]
    headlines = headlines_of(rows, clean_headline)
    if long := [str(number) for number, text in enumerate(headlines, 1) if len(text) > LIMITS.headline]:
        fault = Message("quality.fault_long_headline", most=LIMITS.headline)
        where = Message("uploads.fault", fault=fault, lines=listed(long))
        raise InputError(Message("quality.unfit", file=path.name, faults=where))
    if "id" not in rows[0]:
        if len(headlines) != len(documents):
            numbers = {"found": len(headlines), "wanted": len(documents)}
            raise InputError(Message("quality.number", file=path.name, **numbers))
        return tuple(headlines)
    matched = Predictions.match([cells["id"] for cells in rows], headlines, documents.ids)
    unfit = {"quality.ids_missing": matched.missing, "quality.ids_other": matched.foreign}
    faults = [Message(key, count=len(ids), ids=listed(ids)) for key, ids in unfit.items() if ids]
    if matched.double:
        faults.append(Message("quality.ids_double"))
    if faults:
        raise InputError(Message("quality.unfit", file=path.name, faults=Joined(faults, "; ")))
    return tuple(matched.headlines.values())


def measure(
    documents: Documents,
    systems: Sequence[System],
    choice: Choice,
    *,
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
        raise InputError(Message("quality.no_metric_left" if left_out else "quality.no_metric"))
    if not systems and not choice.baselines:
        raise InputError(Message("quality.no_system"))
    families = {METRICS[name].family for name in metrics}
    steps = len(choice.baselines) + len(families) + len(("statistics", "drawing"))
    begun: dict[str, int] = {}  # step to its number

    def begin(step: str) -> None:
        progress(step, begun.setdefault(step, len(begun)) / steps)

    def begin_family(what: str, done: int, total: int) -> None:
        family = what.partition(":")[0]
        if family in families:
            begin(family)

    measured = list(systems)
    for name in choice.baselines:
        begin(name)
        headlines = baseline(name, documents.texts, n_words=int(choice.n_words), language=choice.language)
        measured.append(System(name, tuple(headlines)))
    options = MetricOptions(
        language=choice.language, topics=min(_TOPICS, len(documents)), **lsi_options(choice)
    )
    evaluation = evaluate(
        documents, measured, metrics=chosen_metrics(metrics), options=options, progress=begin_family
    )
    begin(Message("uploads.statistics"))
    analysis = analyse(evaluation)
    begin(Message("quality.drawing"))
    return Measured(documents, tuple(measured), evaluation, analysis, tuple(left_out), tuple(choice.charts))


def lsi_options(choice: Choice) -> dict[str, Any]:
    """The filter of LSI's eigenvalues, as `MetricOptions` has it.

    Raises:
        InputError: a value out of the filter's range.
    """
    value = choice.lsi_value
    if not value:
        return {}
    number, share = choice.lsi_filter == "number", choice.lsi_filter == "ratio"
    if value < 0 or (number and value != int(value)) or (share and value > 1):
        raise InputError(Message("quality.lsi_fault"))
    return {f"lsi_{choice.lsi_filter}": int(value) if number else value}


def measured_html(measured: Measured, charts: list[tuple[Drawing, Markup]], language: str) -> str:
    """What was measured as HTML: the report's tables and charts."""
    left_out = (
        [Message("quality.left_out", metrics=", ".join(measured.left_out))] if measured.left_out else []
    )
    return render(
        "quality.html.jinja",
        language,
        evaluation=measured.evaluation,
        remarks=hevas_remarks(measured.evaluation) + left_out,
        means=means_table(measured.evaluation),
        comparisons=comparisons(measured.analysis),
        charts=charts,
        wide=True,
    )


def write_results(folder: Path, measured: Measured, drawings: Sequence[Drawing], language: str) -> list[Path]:
    """Write `report.html`, `summary.csv`, and `items.csv` with the values of every headline."""
    evaluation = measured.evaluation
    report, table, items = (folder / name for name in ("report.html", "summary.csv", "items.csv"))
    write_text(
        report, hevas_page(measured.documents, evaluation, measured.analysis, drawings, language=language)
    )
    write_table(table, *records(hevas_table(evaluation)), quote_formulas=True)
    rows = (
        [system.name, id_, headline, *values]
        for system in measured.systems
        for id_, headline, values in zip(
            evaluation.ids, system.headlines, evaluation.values[system.name].tolist(), strict=True
        )
    )
    write_table(items, ["system", "id", "headline", *evaluation.metrics], rows, quote_formulas=True)
    return [report, table, items]


def _example(language: str) -> list[Any]:
    """Files of documents with references, and of a system that takes the article's first words."""
    numbered = list(enumerate(examples(language), start=1))

    def write(folder: Path) -> list[Path]:
        documents, system = folder / "documents.csv", folder / "lead.csv"
        rows = [[str(n), example["article"], example["headline"]] for n, example in numbered]
        write_table(documents, ["id", "article", "headline"], rows)
        write_table(
            system,
            ["id", "headline"],
            [[str(n), lead(example["article"], _WORDS[1])] for n, example in numbered],
        )
        return [documents, system]

    documents, system = downloads(write)
    return [documents, [system]]
